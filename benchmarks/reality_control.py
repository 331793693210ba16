"""What of the planners, registrations, assimilations and machines in reality.toml is differentiated."""

from __future__ import annotations

import collections
import configparser
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, stand_in, uniform


def dynamic_window(code: Any) -> Case:
    robot = code.load()
    config = robot.Config()
    config.v_resolution, config.yaw_rate_resolution, config.predict_time = 0.02, 0.05, 1.0

    def program(x, goal):  # type: ignore[no-untyped-def]
        total = 0.0
        for _ in range(2):
            chosen, path = robot.dwa_control(x, config, goal, config.ob)
            x = robot.motion(x, chosen, config.dt)
            total += np.sum(path[-1] ** 2)
        return total

    return Case(program, lambda: (np.array([0.0, 0.0, math.pi / 8, 0.1, 0.02]), np.full(2, 10.0)), "x, goal")


def swarm(code: Any) -> Case:
    search = code.load()

    def program(target, weight):  # type: ignore[no-untyped-def]
        np.random.seed(2)

        def cost(p):  # type: ignore[no-untyped-def]
            return np.sum((p - target) ** 2) + weight * p[0] * p[1]

        best, value = search.pso(cost, [-3.0, -3.0], [3.0, 3.0], swarmsize=5, maxiter=4)
        return np.sum(best**2) + value

    return Case(program, lambda: (np.array([1.0, -0.5]), 0.3), "target, weight")


def point_clouds(code: Any) -> Case:
    clouds, x = code.named("pycpd.deformable_registration"), normal(1, 8, 2)

    def program(x, y):  # type: ignore[no-untyped-def]
        moved, _ = clouds.DeformableRegistration(X=x, Y=y, max_iterations=4, alpha=0.5, beta=1.0).register()
        return np.sum(moved**2)

    return Case(program, lambda: (x.copy(), 0.9 * x + 0.1 + 0.02 * normal(2, 8, 2)), "x, y")


def reconstruction(code: Any) -> Case:
    tomography, angles = code.load(), np.linspace(0, np.pi, 5, endpoint=False)

    def program(sinogram):  # type: ignore[no-untyped-def]
        return np.sum(tomography.art(sinogram, angles, iterations=1) ** 2)

    return Case(program, lambda: (uniform(1, 5, 8),), "sinogram")


def gaussian_process(code: Any) -> Case:
    collections.Hashable = collections.abc.Hashable  # type: ignore[attr-defined]
    bare_package("numpy_ml", code)
    models = code.named("numpy_ml.nonparametric.gp")

    def program(x, y, noise):  # type: ignore[no-untyped-def]
        model = models.GPRegression(kernel="RBFKernel", alpha=noise)
        model.fit(x, y)
        mean, variance = model.predict(np.cos(np.arange(6.0)).reshape(3, 2))
        return np.sum(mean**2) + np.sum(variance) + model.marginal_log_likelihood()

    return Case(program, lambda: (normal(1, 6, 2), normal(2, 6), 0.3), "x, y, noise")


def rigid_body(code: Any) -> Case:
    robot = code.named("modern_robotics.core")
    inertias = np.stack([np.diag([w, w, w / 2, m, m, m]) for w, m in ((0.0103, 3.7), (0.227, 8.4), (0.0494, 2.3))])
    links = np.stack([np.eye(4)] * 4)
    links[:, :3, 3] = [[0, 0, 0.089], [0.28, 0.136, 0], [0, -0.12, 0.395], [0, 0, 0.142]]
    links[1, :3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    axes = np.array([[1, 0, 1, 0, 1, 0], [0, 1, 0, -0.089, 0, 0], [0, 1, 0, -0.089, 0, 0.425]]).T
    down, tip = np.array([0, 0, -9.8]), np.ones(6)

    def program(angles, rates, inertias):  # type: ignore[no-untyped-def]
        return np.sum(
            robot.InverseDynamics(angles, rates, np.array([2, 1.5, 1]), down, tip, links, inertias, axes) ** 2
        )

    return Case(
        program,
        lambda: (np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.2, 0.1]), inertias.copy()),
        "angles, rates, inertias",
    )


def inverse_kinematics(code: Any) -> Case:
    robot, home = code.named("modern_robotics.core"), np.diag([-1.0, 1, -1, 1])
    home[1:3, 3] = 6, 2
    axes = np.array([[0, 0, -1, 2, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 1, 0, 0, 0.1]]).T
    target = np.array([[0, 1, 0, -5], [1, 0, 0, 4], [0, 0, -1, 1.6858], [0, 0, 0, 1.0]])

    def program(target, start):  # type: ignore[no-untyped-def]
        angles, _ = robot.IKinBody(axes, home, target, start, 0.01, 0.001)
        return np.sum(angles**2)

    return Case(program, lambda: (target.copy(), np.array([1.5, 2.5, 3.0])), "start")


def turbine(code: Any) -> Case:
    vars(configparser).setdefault("SafeConfigParser", configparser.ConfigParser)  # Python has it no more
    stand_in("pandas", DataFrame=lambda *_: None)
    blades = code.named("pybemt.solver").Solver(str(code.root / "examples/tidal.ini"))

    def program(speed, rpm, twist):  # type: ignore[no-untyped-def]
        blades.v_inf, blades.rpm, blades.twist = speed, rpm, twist
        thrust, torque, power, _ = blades.run()
        return thrust / 100 + torque + power / 100

    return Case(program, lambda: (1.73, 220.0, 0.3), "speed, rpm, twist")


DRIVERS: dict[str, Callable[[Any], Case]] = {
    driver.__name__: driver
    for driver in (
        dynamic_window,
        swarm,
        point_clouds,
        reconstruction,
        gaussian_process,
        rigid_body,
        inverse_kinematics,
        turbine,
    )
}
