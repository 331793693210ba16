"""What of the filters, controllers, solvers and networks in reality.toml is differentiated."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, normal, stand_in, uniform


def network_by_hand(code: Any) -> Case:
    net = code.load()

    def program(theta, x, y, penalty):  # type: ignore[no-untyped-def]
        return net.cost_function(theta, 6, 4, 3, x, y, penalty)

    labels = np.arange(9).reshape(9, 1) % 3
    return Case(program, lambda: (0.5 * normal(1, 43), normal(2, 9, 6), labels, 0.3), "theta, penalty")


def kalman(code: Any) -> Case:
    filters = code.named("filterpy.kalman")

    def program(measured, q, r):  # type: ignore[no-untyped-def]
        found = filters.KalmanFilter(dim_x=2, dim_z=1)
        found.F, found.H = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]])
        found.P *= 10.0
        found.R *= r
        found.Q = np.array([[q, 0.0], [0.0, q * 2]])
        total = 0.0
        for z in measured:
            found.predict()
            found.update(z)
            total += found.y[0, 0] ** 2 / found.S[0, 0]
        return total + np.sum(found.P) + found.x[0, 0]

    return Case(program, lambda: (np.sin(np.linspace(0, 3, 15)), 0.1, 0.5), "measured, q, r")


def unscented(code: Any) -> Case:
    filters = code.named("filterpy.kalman")

    def moved(x, dt):  # type: ignore[no-untyped-def]
        return np.dot(np.array([[1.0, dt], [0.0, 1.0]]), x)

    def seen(x):  # type: ignore[no-untyped-def]
        return np.array([np.sqrt(x[0] ** 2 + 1.0)])

    def program(measured, q, r):  # type: ignore[no-untyped-def]
        points = filters.MerweScaledSigmaPoints(2, alpha=0.1, beta=2.0, kappa=-1)
        found = filters.UnscentedKalmanFilter(dim_x=2, dim_z=1, dt=0.1, fx=moved, hx=seen, points=points)
        found.x = np.array([0.5, 1.0])
        found.R *= r
        found.Q = np.array([[q, 0.0], [0.0, q * 2]])
        for z in measured:
            found.predict()
            found.update(z)
        return np.sum(found.x**2) + np.sum(found.P)

    return Case(program, lambda: (1 + np.sin(np.linspace(0, 3, 8)), 0.1, 0.5), "measured, q, r")


def square_root(code: Any) -> Case:
    filters = code.named("filterpy.kalman")

    def program(measured, q):  # type: ignore[no-untyped-def]
        found = filters.SquareRootKalmanFilter(2, 1)
        found.F, found.H = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]])
        found.P, found.R, found.Q = np.eye(2) * 2.0, np.array([[0.5]]), np.eye(2) * q
        for z in measured:
            found.predict()
            found.update(np.array([[z]]))
        return np.sum(found.x**2) + np.sum(found.P)

    return Case(program, lambda: (np.sin(np.arange(6.0)), 0.3), "measured, q")


def alpha_beta(code: Any) -> Case:
    filters = code.named("filterpy.gh")

    def program(measured, g, h):  # type: ignore[no-untyped-def]
        found = filters.GHFilter(x=0.0, dx=1.0, dt=0.5, g=g, h=h)
        total = 0.0
        for z in measured:
            x, dx = found.update(z)
            total += x * dx + found.y**2
        return total

    return Case(program, lambda: (np.sin(np.arange(8.0)), 0.6, 0.3), "measured, g, h")


def localisation(code: Any) -> Case:
    sys.path.insert(0, str(code.root))
    robot = code.load()

    def program(measured, speed):  # type: ignore[no-untyped-def]
        x, p, total = np.zeros((4, 1)), np.eye(4), 0.0
        for z in measured:
            x, p = robot.ekf_estimation(x, p, z.reshape(2, 1), np.array([[speed], [0.1]]))
            total += np.sum(x**2)
        return total + np.trace(p)

    return Case(program, lambda: (0.1 * np.cumsum(normal(1, 10, 2), 0), 1.0), "measured, speed")


def predictive_control(code: Any) -> Case:
    control = code.load()

    def program(x, yaw):  # type: ignore[no-untyped-def]
        plant, controller = control.TwoWheeledSystem(x, -4.5, yaw, 1.0), control.NMPCControllerCGMRES()
        for step in range(3):
            first, second = controller.calc_input(plant.x, plant.y, plant.yaw, plant.v, 0.1 * step)
            plant.update_state(first[0], second[0])
        return plant.x**2 + plant.y**2 + plant.yaw

    return Case(program, lambda: (-5.5, 0.3), "x, yaw")


def course(code: Any) -> Case:
    splines = code.load()

    def program(x, y):  # type: ignore[no-untyped-def]
        curve = splines.CubicSpline2D(x, y)
        return sum(sum(curve.calc_position(s)) * curve.calc_curvature(s) for s in (0.3, 4.2, 6.9))

    return Case(program, lambda: (2.5 * np.arange(7.0) + normal(1, 7), 5.0 * normal(2, 7)), "x, y")


def relaxation(code: Any) -> Case:
    solvers = code.load()

    def program(volatility, rate):  # type: ignore[no-untyped-def]
        a = 0.5 * volatility**2
        matrix = (1 + 2 * a + rate) * np.eye(12) - a * (np.eye(12, k=1) + np.eye(12, k=-1))
        return np.sum(solvers.SOR(matrix, np.maximum(np.linspace(-1, 1, 12), 0), w=1.2, eps=1e-13) ** 2)

    return Case(program, lambda: (0.4, 0.05), "volatility, rate", 1e-4)


def dense_layers(code: Any) -> Case:
    stand_in("terminaltables", AsciiTable=None)
    stand_in("progressbar", **dict.fromkeys(("Bar", "ETA", "Percentage", "ProgressBar"), lambda *a, **k: None))
    kinds = code.named("mlfromscratch.deep_learning.layers")
    optimizers = code.named("mlfromscratch.deep_learning.optimizers")
    losses = code.named("mlfromscratch.deep_learning.loss_functions")
    layers = [kinds.Dense(5, input_shape=(4,)), kinds.Activation("tanh"), kinds.Dense(2, input_shape=(5,))]

    def program(x, y, rate):  # type: ignore[no-untyped-def]
        for number, layer in enumerate(layers[::2]):
            layer.initialize(optimizers.Adam(learning_rate=rate))
            layer.W = np.cos(np.arange(float(layer.W.size))).reshape(layer.W.shape) * (1 + number)
        loss = losses.SquareLoss()
        for _ in range(3):
            out = x
            for layer in layers:
                out = layer.forward_pass(out)
            gradient = loss.gradient(y, out)
            for layer in reversed(layers):
                gradient = layer.backward_pass(gradient)
        return np.sum(loss.loss(y, out))

    return Case(program, lambda: (normal(1, 6, 4), normal(2, 6, 2), 0.01), "x, y, rate")


def hidden_markov(code: Any) -> Case:
    import collections

    collections.Hashable = collections.abc.Hashable  # type: ignore[attr-defined]
    models = code.load()
    seen = np.array([[0, 1, 2, 1, 0, 2, 2]])

    def program(a, b, start):  # type: ignore[no-untyped-def]
        rows = [m / m.sum(axis=-1, keepdims=True) for m in (a, b, start)]
        return models.MultinomialHMM(A=rows[0], B=rows[1], pi=rows[2]).log_likelihood(seen)

    return Case(program, lambda: (uniform(1, 2, 2), uniform(2, 2, 3), uniform(3, 2)), "a, b, start")


def raytracer(code: Any) -> Case:
    stand_in("PIL", Image=None)
    rays = code.load(until="r = float(w) / h")
    vec3, x, y = rays.vec3, np.tile(np.linspace(-1, 1, 16), 12), np.repeat(np.linspace(1.0, -0.5, 12), 16)

    def program(eye, radius):  # type: ignore[no-untyped-def]
        blue, grey = vec3(0, 0, 1), vec3(0.75, 0.75, 0.75)
        scene = [
            rays.Sphere(vec3(0.75, 0.1, 1), radius, blue),
            rays.CheckeredSphere(vec3(0, -99999.5, 0), 99999, grey, 0.25),
        ]
        start = vec3(eye, 0.35, -1)
        colour = rays.raytrace(start, (vec3(x, y, 0) - start).norm(), scene)
        return np.sum(colour.x**2) + np.sum(colour.y) + np.sum(colour.z)

    return Case(program, lambda: (0.013, 0.6), "eye, radius")


def speech(code: Any) -> Case:
    features = code.named("python_speech_features")

    def program(signal):  # type: ignore[no-untyped-def]
        return np.sum(features.mfcc(signal, 16000, nfft=512, winfunc=np.hamming) ** 2) / 100

    return Case(program, lambda: (normal(1, 2000),), "signal")


def arm(code: Any) -> Case:
    robot = code.load()

    def program(angles, lengths):  # type: ignore[no-untyped-def]
        links = robot.NLinkArm(lengths, angles, np.array([1.0, 2.0]), False)
        links.update_joints(angles * 1.1)
        return np.sum(links.end_effector**2) + sum(x * y for x, y in links.points)

    return Case(program, lambda: (uniform(1, 4), uniform(2, 4)), "angles, lengths")


def quintic(code: Any) -> Case:
    planner = code.load()

    def program(start, speed, end):  # type: ignore[no-untyped-def]
        path = planner.QuinticPolynomial(start, speed, 0.1, 10.0, 1.0, end, 5.0)
        return sum(path.calc_point(t) * path.calc_first_derivative(t) for t in np.arange(0.0, 5.0, 0.5))

    return Case(program, lambda: (1.0, 2.0, 0.1), "start, speed, end")


def riccati(code: Any) -> Case:
    sys.path[:0] = [str(code.root), str(code.root / "PathPlanning" / "CubicSpline")]
    steering = code.load()

    def program(a, b):  # type: ignore[no-untyped-def]
        return np.sum(steering.solve_DARE(a, b, np.eye(2), np.eye(1)))

    return Case(program, lambda: (np.array([[1.0, 0.1], [0.0, 0.9]]), np.array([[0.0], [0.5]])), "a, b", 1e-4)


def particle_filter(code: Any) -> Case:
    robot = code.load()
    robot.NP = 10
    seen = np.array([[10.0, 10.0, 0.0], [15.3, 3.0, 15.0]])

    def program(particles, speed):  # type: ignore[no-untyped-def]
        np.random.seed(1)
        motion = np.array([[speed], [0.1]])
        x, p, _, _ = robot.pf_localization(particles, np.full((1, 10), 0.1), seen, motion)
        return np.sum(x**2) + np.sum(p)

    return Case(program, lambda: (0.2 * normal(1, 4, 10), 1.0), "particles, speed")


def regression_filter(code: Any) -> Case:
    prices = code.load()

    def program(x, y, variance):  # type: ignore[no-untyped-def]
        model = prices.Kalman_regression(x, y)
        model.run(var_eta=variance, var_eps=0.5)
        return np.sum(model.betas**2)

    return Case(program, lambda: (5 + uniform(1, 12), 9 + uniform(2, 12), 0.1), "x, y, variance")


DRIVERS: dict[str, Callable[[Any], Case]] = {
    driver.__name__: driver
    for driver in (
        network_by_hand,
        kalman,
        unscented,
        square_root,
        alpha_beta,
        localisation,
        predictive_control,
        course,
        relaxation,
        dense_layers,
        hidden_markov,
        raytracer,
        speech,
        arm,
        quintic,
        riccati,
        particle_filter,
        regression_filter,
    )
}
