"""Drivers of programs that nobody had looked at before: tubes, options, sources of sound, rivers, mirrors and nets."""

from __future__ import annotations

import random
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse.linalg

from benchmarks.reality_case import Case, normal, plain, uniform
from benchmarks.reality_pages import bare
from benchmarks.reality_unseen import made

CORES = ("auxiva_iss_gauss_core", "auxiva_iss_laplace_core", "five_laplace_core", "five_gauss_core", "pca")


def exact_shocks(code: Any) -> Case:
    solver = code.load("riemann-solver-python.py").RiemannSolver
    n = 40

    def program(left, right, gamma):  # type: ignore[no-untyped-def]
        tube = solver(*left, *right, gamma, 2.3)
        tube.x = np.linspace(-6, 6, n)
        tube.rho, tube.vx, tube.P = np.zeros(n), np.zeros(n), np.zeros(n)
        _, rho, vx, P = tube.solve()
        return np.sum(rho**2) + np.sum(vx * np.arange(n)) + np.sum(P)

    left, right = np.array([1.0, 0.1, 1.0]), np.array([0.125, 0.0, 0.1])
    return Case(program, lambda: (left.copy(), right.copy(), 1.6), "left, right, gamma", 1e-4)


def cosine_options(code: Any) -> Case:
    made("numexpr")
    bare(code, "fangoosterlee")
    method, brown = code.named("fangoosterlee.cosmethod"), code.named("fangoosterlee.gbm")
    heston, gamma = code.named("fangoosterlee.heston"), code.named("fangoosterlee.argamma")

    def xfun(k, a, b, c, d):  # type: ignore[no-untyped-def]
        """As its author has it in a comment, without `numexpr`."""
        near, far = k * (d - a), k * (c - a)
        first = np.cos(near) * np.exp(d) - np.cos(far) * np.exp(c)
        first = (first + k * (np.sin(near) * np.exp(d) - np.sin(far) * np.exp(c))) / (1 + k**2)
        second = (np.sin(k[1:] * (d - a)) - np.sin(k[1:] * (c - a))) / k[1:]
        return first - np.vstack([(d - c) * np.ones_like(a), second])

    method.xfun = xfun
    calls, weights = np.array([True, False, True, False]), np.array([1.0, 2.0, 3.0, 4.0])

    def program(moneyness, lm, mu, eta, rho, sigma, volatility):  # type: ignore[no-untyped-def]
        models = (
            heston.Heston(heston.HestonParam(lm, mu, eta, rho, sigma), 0.01 * np.ones(4), 30 / 365),
            brown.GBM(brown.GBMParam(sigma=volatility), 0.01, 30 / 365),
            gamma.ARG(gamma.ARGParam(rho=0.55, phi=rho, sigma=mu), 0.0, 5 / 365),
        )
        return sum(np.sum(method.cosmethod(m, moneyness=moneyness, call=calls, npoints=64) * weights) for m in models)

    moneyness = np.array([-0.05, -0.01, 0.02, 0.06])
    given = (1.57, 0.0144, 0.57, -0.1, 0.0144, 0.25)
    return Case(program, lambda: (moneyness.copy(), *given), "moneyness, lm, mu, eta, rho, sigma, volatility", 1e-4)


def blind_sources(code: Any) -> Case:
    made("piva.core", **dict.fromkeys(CORES))
    bare(code, "piva")
    steering, costs = code.named("piva.auxiva_iss"), code.named("piva.utils")

    def program(re, im):  # type: ignore[no-untyped-def]
        x = re + 1j * im
        first = steering.auxiva_iss(x, backend="py", n_iter=2, model="laplace")
        second, demixing = steering.auxiva_iss(
            x, backend="py", n_iter=2, model="gauss", return_filters=True, proj_back=False
        )
        cost = costs.iva_cost(second.transpose([1, 2, 0]), demixing, "laplace")
        return np.sum(np.abs(demixing)) + cost + np.sum(np.real(first) ** 3)

    return Case(program, lambda: (normal(0, 12, 4, 3), normal(1, 12, 4, 3)), "re, im", 1e-4)


def one_source(code: Any) -> Case:
    made("piva.core", **dict.fromkeys(CORES))
    bare(code, "piva")
    five, pca = code.named("piva.five"), code.named("piva.pca")

    def program(re, im):  # type: ignore[no-untyped-def]
        x = re + 1j * im
        white, _ = pca.pca(x, backend="py")
        one, demixing = five.five(x, backend="py", n_iter=2, model="laplace", return_filters=True)
        other = five.five(x, backend="py", n_iter=3, model="gauss")
        total = np.sum(np.abs(one) ** 4) + np.sum(np.abs(demixing) ** 2)
        return total + np.sum(np.abs(other) ** 4) + np.sum(np.abs(white) ** 4)

    return Case(program, lambda: (normal(0, 12, 3, 3), normal(1, 12, 3, 3)), "re, im", 1e-4)


def ellipses(code: Any) -> Case:
    bare(code, "b2ac", "b2ac.fit", "b2ac.matrix")
    fit, conversion = code.named("b2ac.fit.reference"), code.named("b2ac.conversion")
    angles = np.linspace(0.1, 6.0, 14)
    xs, ys = 3 + 2 * np.cos(angles) - 0.6 * np.sin(angles), 1 + 0.5 * np.cos(angles) + np.sin(angles)
    points = np.stack([xs, ys], 1) + 0.03 * normal(0, 14, 2)

    def program(points):  # type: ignore[no-untyped-def]
        conic = fit.fit_improved_B2AC(points)
        total = 0.0
        for convert in (conversion.conic_to_general_reference, conversion.conic_to_general_1):
            centre, axes, angle = convert(conic)
            total = total + np.sum(np.array(centre)) + np.sum(np.array(axes) ** 2) + angle
        return total

    return Case(program, lambda: (points.copy(),), "points", 1e-4)


def gravel_river(code: Any) -> Case:
    vars(scipy.sparse.linalg).setdefault("isolve", None)  # imported, and not used
    river = code.load("grlp/grlp.py")

    def program(Q, B, S0, sinuosity):  # type: ignore[no-untyped-def]
        profile = river.LongProfile()
        profile.basic_constants()
        profile.bedload_lumped_constants()
        profile.set_hydrologic_constants()
        profile.sinuosity = sinuosity
        profile.set_x(dx=1000.0, nx=20, x0=10000.0)
        profile.set_z(S0=-S0, z1=0.0)
        profile.set_Q(Q)
        profile.set_B(B)
        profile.set_uplift_rate(1e-12)
        profile.set_niter(2)
        profile.set_z_bl(0.0)
        profile.set_Qs_input_upstream(profile.k_Qs * profile.Q[0] * (2 * S0) ** (7 / 6.0))
        profile.evolve_threshold_width_river(3, 3.15e9)
        profile.compute_Q_s()
        profile.D = 0.05
        profile.compute_channel_width()
        profile.compute_flow_depth()
        return np.sum(profile.z) + np.sum(profile.Q_s) + np.sum(profile.b) + np.sum(profile.h)

    Q, B = np.linspace(5.0, 20.0, 20), np.linspace(50.0, 80.0, 20)
    return Case(program, lambda: (Q.copy(), B.copy(), 1e-2, 1.1), "Q, B, S0, sinuosity", 1e-4)


def layered_mirror(code: Any) -> Case:
    made("refractiveindex", RefractiveIndexMaterial=None)
    bare(code, "PyMoosh")
    classes, core = code.named("PyMoosh.classes"), code.named("PyMoosh.core")

    def program(thickness, one, two, wavelength, angle):  # type: ignore[no-untyped-def]
        layers = [0.0, thickness[0], thickness[1], thickness[2], 0.0]
        mirror = classes.Structure([1.0, one, two + 0.1j], [0, 1, 2, 1, 0], layers, verbose=False)
        r, _, R, T = core.coefficient_S(mirror, wavelength, angle, 0)
        absorbed = core.absorption_S(mirror, wavelength, angle, 1)
        beam, window = classes.Beam(wavelength, angle, 1, 400.0), classes.Window(800.0, 0.3, 100.0, 60.0)
        field = core.field(mirror, beam, window)
        return R + T + np.sum(np.abs(absorbed[0])) + np.real(r) + 1e-2 * np.sum(np.abs(field) ** 2)

    thickness = np.array([130.0, 190.0, 70.0])
    given = (2.25, 4.1, 530.0, 0.4)
    return Case(program, lambda: (thickness.copy(), *given), "thickness, one, two, wavelength, angle", 1e-4)


def little_net(code: Any) -> Case:
    bare(code, "nnet")
    net, layers = code.named("nnet.neuralnetwork"), code.named("nnet.layers")
    labels = np.array([0, 2, 1, 1, 0, 2])

    def program(X, rate, scale):  # type: ignore[no-untyped-def]
        parts = [layers.Linear(5, 0.3, 0.002), layers.Activation("tanh"), layers.Linear(4, 0.3, 0.002)]
        parts += [layers.Activation("relu"), layers.Linear(3, scale), layers.LogRegression()]
        made = net.NeuralNetwork(parts, rng=np.random.RandomState(1))
        made.fit(X, labels, learning_rate=rate, max_iter=3, batch_size=3)
        sizes = [np.sum(p**2) for part in made.layers if isinstance(part, layers.ParamMixin) for p in part.params()]
        return made._loss(X, net.one_hot(labels)) + made.error(X, labels) + sum(sizes)

    return Case(program, lambda: (normal(0, 6, 4), 0.1, 0.3), "X, rate, scale")


def tensor_factors(code: Any) -> Case:
    made("numba", jit=plain)
    bare(code, "tensortools", "tensortools.data")
    optimize: Any = bare(code, "tensortools.optimize")
    optimize.optim_utils = code.named("tensortools.optimize.optim_utils")
    optimize.FitResult = optimize.optim_utils.FitResult
    als, hals = code.named("tensortools.optimize.cp_als"), code.named("tensortools.optimize.ncp_hals")
    tensor = code.named("tensortools.tensors").KTensor
    asked = {"verbose": False, "max_iter": 2, "tol": -1.0}

    def program(X, A, B, C):  # type: ignore[no-untyped-def]
        one = als.cp_als(X, 2, init=tensor([A, B, C]), **asked)
        other = hals.ncp_hals(X, 2, init=tensor([A.copy(), B.copy(), C.copy()]), **asked)
        total = one.obj + other.obj + np.sum(one.factors.full() ** 2)
        return total + other.factors.norm() + sum(other.obj_hist)

    given = lambda: (uniform(0, 3, 4, 5), uniform(1, 3, 2), uniform(2, 4, 2), uniform(3, 5, 2))  # noqa: E731
    return Case(program, given, "X, A, B, C", 1e-4)


def restricted_machine(code: Any) -> Case:
    machines = code.load("rbm.py")
    seen = np.array(
        [[1, 1, 1, 0, 0, 0], [1, 0, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0], [0, 0, 1, 1, 1, 0], [0, 0, 1, 1, 0, 0]]
    )

    def program(weights, rate):  # type: ignore[no-untyped-def]
        np.random.seed(2)
        machine = machines.RBM(6, 2)
        machine.weights = weights
        machine.train(seen, max_epochs=3, learning_rate=rate)
        hidden = machine.run_visible(np.array([[0, 0, 0, 1, 1, 0]]))
        found = machine._logistic(np.dot(seen, machine.weights[1:]))
        return np.sum(machine.weights**2) + np.sum(hidden) + np.sum(found)

    return Case(program, lambda: (0.5 * normal(0, 7, 3), 0.1), "weights, rate")


def digits_by_hand(code: Any) -> Case:
    nets = code.load("network2.py")
    labels = [np.eye(3)[:, [k]] for k in (0, 2, 1, 2)]

    def program(X, eta, lmbda):  # type: ignore[no-untyped-def]
        np.random.seed(0)
        random.seed(0)
        net = nets.Network([4, 5, 3])
        pairs = [(X[i].reshape(4, 1), labels[i]) for i in range(4)]
        watched = {"monitor_training_cost": True, "monitor_training_accuracy": True}
        found = net.SGD(pairs, 2, 2, eta, lmbda, evaluation_data=pairs, **watched)
        quadratic = nets.QuadraticCost.fn(net.feedforward(pairs[0][0]), labels[0])
        return net.total_cost(pairs, lmbda) + sum(found[2]) + quadratic + sum(np.sum(w**2) for w in net.weights)

    return Case(program, lambda: (normal(0, 4, 4), 0.5, 0.1), "X, eta, lmbda")


def tiny_net(code: Any) -> Case:
    bare(code, "tinynn", "tinynn.core", "tinynn.utils")
    names = ("layer", "loss", "optimizer", "model", "net", "initializer")
    layer, loss, optimizer, model, net, initializer = (code.named(f"tinynn.core.{name}") for name in names)
    layer.np = initializer.np = SimpleNamespace(**{**vars(np), "float32": np.float64})  # for exact differences
    layer.empty = np.empty
    labels = np.eye(3)[[0, 2, 1, 1]]

    def program(X, lr, T):  # type: ignore[no-untyped-def]
        np.random.seed(3)
        layers = [layer.LSTM(num_hidden=4), layer.Dense(5), layer.Tanh(), layer.Dense(3)]
        made = model.Model(net.Net(layers), loss.SoftmaxCrossEntropy(T), optimizer.Adam(lr=lr))
        total = 0.0
        for _ in range(2):
            value, grads = made.backward(made.forward(X), labels)
            made.apply_grads(grads)
            total = total + value
        return total + np.sum(made.forward(X) ** 2)

    return Case(program, lambda: (normal(0, 4, 3, 2), 0.01, 1.2), "X, lr, T", 1e-4)


def rotor_blades(code: Any) -> Case:
    bare(code, "welib", "welib.BEM")
    blades = code.named("welib.BEM.steadyBEM")
    r, degrees = np.linspace(1.5, 20.0, 8), np.linspace(-180, 180, 73)
    sine = np.sin(np.deg2rad(degrees))
    polar = np.stack([degrees, 1.1 * np.sin(2 * np.deg2rad(degrees)), 0.01 + 1.2 * sine**2, 0.02 * sine], 1)

    def program(chord, twist, Omega, pitch, V0, cone):  # type: ignore[no-untyped-def]
        rotor = blades.SteadyBEM()
        rotor.r, rotor.chord, rotor.twist, rotor.polars = r, chord, twist, [polar] * 8
        rotor.nB, rotor.rho, rotor.kinVisc, rotor.nIt = 3, 1.225, 1.5e-5, 12
        out = rotor.calcOutput(Omega, pitch, V0, cone)
        return 1e-5 * out.Power + 1e-4 * out.Thrust + np.sum(out.a) + 10 * np.sum(out.aprime) + out.CP

    chord, twist, given = np.linspace(1.8, 0.7, 8), np.linspace(14.0, 0.5, 8), (25.0, 1.0, 9.0, 2.0)
    return Case(program, lambda: (chord.copy(), twist.copy(), *given), "chord, twist, Omega, pitch, V0, cone", 1e-4)


def thin_section(code: Any) -> Case:
    bare(code, "sectionproperties", "sectionproperties.analysis")
    fea = code.named("sectionproperties.analysis.fea")
    places = np.array([[i, j] for j in range(3) for i in range(3)], float) + 0.05 * normal(0, 9, 2)
    corners = [[0, 2, 8, 1, 5, 4], [0, 8, 6, 4, 7, 3]]
    material = SimpleNamespace(elastic_modulus=2.0, shear_modulus=0.8, density=1.0)

    def program(xy, nu):  # type: ignore[no-untyped-def]
        parts = [fea.Tri6(k, np.stack([xy[i] for i in at], 1), at, material) for k, at in enumerate(corners)]
        area = np.sum([part.geometric_properties()[:6] for part in parts], axis=0)
        stiffness, load, mean = np.zeros((9, 9)), np.zeros(9), np.zeros(9)
        for part in parts:
            k, f, c = part.torsion_properties()
            stiffness[np.ix_(part.node_ids, part.node_ids)] += k
            for a, b in enumerate(part.node_ids):
                load[b] += f[a]
                mean[b] += c[a]
        whole = np.block([[stiffness, mean[:, None]], [mean[None, :], np.zeros((1, 1))]])
        warp = np.linalg.solve(whole, np.append(load, 0.0))[:9]
        total = area[3] + area[4] - warp @ stiffness @ warp + np.sum(area**2)
        for part in parts:
            one, other = part.shear_load_vectors(area[3], area[4], area[5], nu)
            total = total + np.sum(one * other) + sum(part.monosymmetry_integrals(0.3))
        return total

    return Case(program, lambda: (places.copy(), 0.3), "xy, nu", 1e-4)


def rough_volatility(code: Any) -> Case:
    formulas = code.load("rbergomi/utils.py")
    made("utils", **{name: value for name, value in vars(formulas).items() if not name.startswith("_")})
    model = code.load("rbergomi/rbergomi.py")

    def program(a, xi, eta, rho, strike):  # type: ignore[no-untyped-def]
        np.random.seed(0)
        paths = model.rBergomi(n=20, N=40, T=0.5, a=a)
        near, far = paths.dW1(), paths.dW2()
        V = paths.V(paths.Y(near), xi, eta)
        S = paths.S(V, paths.dB(near, far, rho))
        price = np.mean(np.maximum(S[:, -1] - strike, 0))
        return price + formulas.bsinv(price, 1.0, strike, 0.5) + np.mean(paths.S1(V, near, rho)[:, -1])

    return Case(program, lambda: (-0.43, 0.055, 1.9, -0.7, 1.05), "a, xi, eta, rho, strike", 1e-4)


def quantum_steps(code: Any) -> Case:
    made("progressbar", ProgressBar=lambda: lambda items: items)
    package: Any = bare(code, "qmsolve")
    package.Eigenstates = ModuleType
    bare(code, "qmsolve.time_dependent_solver")
    hamiltonian, particles = code.named("qmsolve.hamiltonian"), code.named("qmsolve.particle_system")
    steps = code.named("qmsolve.time_dependent_solver.split_step")

    def program(k, depth, width, speed):  # type: ignore[no-untyped-def]
        potential = lambda p: 0.5 * k * p.x**2 - depth * np.exp(-((p.x / width) ** 2))  # noqa: E731
        simulation = SimpleNamespace(H=hamiltonian.Hamiltonian(particles.SingleParticle(), potential, 24, 12.0, 1))
        start = lambda p: np.exp(-((p.x - 1.0) ** 2) / 2) * np.exp(1j * speed * p.x)  # noqa: E731
        steps.SplitStep(simulation).run(start, 0.4, 0.05, store_steps=2)
        return np.sum(np.abs(simulation.Ψ[-1]) ** 2 * np.arange(24.0)) + simulation.Ψmax

    return Case(program, lambda: (0.9, 1.3, 0.8, 0.5), "k, depth, width, speed", 1e-4)


DRIVERS = {
    "exact_shocks": exact_shocks,
    "cosine_options": cosine_options,
    "blind_sources": blind_sources,
    "one_source": one_source,
    "ellipses": ellipses,
    "gravel_river": gravel_river,
    "layered_mirror": layered_mirror,
    "little_net": little_net,
    "tensor_factors": tensor_factors,
    "restricted_machine": restricted_machine,
    "digits_by_hand": digits_by_hand,
    "tiny_net": tiny_net,
    "rotor_blades": rotor_blades,
    "thin_section": thin_section,
    "rough_volatility": rough_volatility,
    "quantum_steps": quantum_steps,
}
