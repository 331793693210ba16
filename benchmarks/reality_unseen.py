"""Drivers of programs about scanners, sails, faults, liquids, brains, options, music and plasmas; see `reality.py`."""

from __future__ import annotations

import functools
import sys
from types import ModuleType
from typing import Any

import numpy as np
import scipy.integrate

from benchmarks.reality_case import Case, bare_package, normal, stand_in, uniform


def made(name: str, **attributes: Any) -> ModuleType:
    """A module in the place of one that is not needed."""
    module = sys.modules[name] = ModuleType(name)
    vars(module).update(attributes)
    return module


def coils_of_a_scanner(code: Any) -> Case:
    coils = code.named("ismrmrdtools.coils")

    def program(real, imaginary, noise):  # type: ignore[no-untyped-def]
        white = coils.calculate_prewhitening(noise[0] + 1j * noise[1])
        images = coils.apply_prewhitening(real + 1j * imaginary, white)
        maps, power = coils.calculate_csm_walsh(images, smoothing=3)
        other, combined = coils.calculate_csm_inati_iter(images, smoothing=3, niter=3)
        seen = np.sum(np.abs(maps + other) ** 2 * np.arange(6))
        return seen + 1e-2 * np.sum(power) + np.sum(np.abs(combined) ** 2)

    arguments = (normal(0, 3, 8, 6) + 1, normal(1, 3, 8, 6) + 0.5, normal(2, 2, 3, 40))
    return Case(program, lambda: arguments, "real, imaginary, noise")


def spins_in_a_steady_state(code: Any) -> Case:
    stand_in("tqdm", tqdm=None)
    package: Any = bare_package("ssfp", code, "bssfp", "robustcc")
    cycles = np.linspace(0, 2 * np.pi, 4, endpoint=False)

    def program(T1, T2, off, alpha, M0):  # type: ignore[no-untyped-def]
        images = package.bssfp.bssfp(T1, T2, TR=3e-3, alpha=alpha, field_map=off, phase_cyc=cycles, M0=M0)
        joined = package.robustcc.robustcc(images[..., None] * np.array([1.0, 0.7 + 0.2j]), method="simple")
        return np.sum(np.abs(images)) + np.sum(joined.real * np.arange(4))

    arguments = (0.5 + uniform(0, 3, 3), 0.05 + 0.1 * uniform(1, 3, 3), 40 * normal(2, 3, 3), 0.6, 1.5)
    return Case(program, lambda: arguments, "T1, T2, off, alpha, M0")


def changes_of_a_mean(code: Any) -> Case:
    detection = code.load()

    def program(data, mean0, var0, varx, hazard):  # type: ignore[no-untyped-def]
        model = detection.GaussianUnknownMean(mean0, var0, varx)
        runs, means, variances = detection.bocd(data, model, hazard)
        return np.sum(runs[-1] * np.arange(len(runs))) + np.sum(means**2) + np.sum(np.sqrt(variances))

    data = np.concatenate([normal(0, 10), 3 + normal(1, 10)])
    return Case(program, lambda: (data, 0.1, 2.0, 1.0, 0.05), "data, mean0, var0, varx, hazard")


def echoes_of_a_network(code: Any) -> Case:
    networks = code.load().ESN
    options = {"sparsity": 0.2, "input_shift": [0, 0], "teacher_scaling": 1.12, "teacher_shift": -0.7}
    options.update(out_activation=np.tanh, inverse_out_activation=np.arctanh, random_state=42)

    def program(inputs, outputs, later, radius, scale):  # type: ignore[no-untyped-def]
        net = networks(2, 1, 12, spectral_radius=radius, input_scaling=scale, **options)
        trained = net.fit(inputs, outputs)
        return np.sum((trained - outputs) ** 2) + np.sum(net.predict(later) ** 2)

    outputs = 0.6 + 0.3 * np.sin(np.arange(30.0))[:, None]
    arguments = (normal(0, 30, 2), outputs, normal(1, 8, 2), 0.9, np.array([0.5, 2.0]))
    return Case(program, lambda: arguments, "inputs, outputs, later, radius, scale", 1e-4)


def sources_of_music(code: Any) -> Case:
    filters = code.named("norbert")

    def program(spectra, real, imaginary):  # type: ignore[no-untyped-def]
        found = filters.wiener(spectra, real + 1j * imaginary, iterations=2)
        return np.sum(np.abs(found) ** 2 * np.arange(1, 4))

    arguments = (uniform(0, 4, 3, 1, 3), normal(1, 4, 3, 2), normal(2, 4, 3, 2))
    return Case(program, lambda: arguments, "spectra, real, imaginary")


def early_exercise(code: Any) -> Case:
    prices: Any = bare_package("optlib", code, "gbs").gbs

    def program(spot, strike, time, rate, carry, spread):  # type: ignore[no-untyped-def]
        total = 0.0
        for kind in ("c", "p"):
            total += sum(prices.merton(kind, spot, strike, time, rate, carry, spread))
            total += prices.asian_76(kind, spot, strike, time, 0.3 * time, rate, spread)[0]
            total += prices.kirks_76(kind, spot, 0.4 * strike, 3.0, time, rate, spread, 0.3, 0.2)[0]
        total += prices._bjerksund_stensland_1993(spot, strike, time, rate, 0.4 * rate, spread)[0]
        return total + 100 * prices.euro_implied_vol("c", spot, strike, time, rate, carry, 6.0)

    arguments = (90.0, 100.0, 0.5, 0.1, 0.05, 0.25)
    return Case(program, lambda: arguments, "spot, strike, time, rate, carry, spread")


def arm_of_screws(code: Any) -> Case:
    box = code.named("general_robotics_toolbox.general_robotics_toolbox")
    x, y, z, none = *np.eye(3), np.zeros(3)

    def program(angles, lengths, tool, point):  # type: ignore[no-untyped-def]
        ways = (z, x, z, z, x, none, x)
        places = np.array([n * way for n, way in zip([*lengths[:5], 0.0, lengths[5]], ways, strict=True)]).T
        axes, turned = np.array([z, y, y, x, y, x]).T, box.rpy2R(tool)
        robot = box.Robot(axes, places, np.zeros(6), R_tool=turned, p_tool=0.1 * tool)
        pose, jacobian = box.fwdkin(robot, angles), box.robotjacobian(robot, angles)
        axis, angle = box.R2rot(pose.R)
        between = box.slerp(box.R2q(pose.R), box.rot2q(axis, 0.3 * angle), 0.4)
        first, second = box.subproblem3(point, pose.p, y, 0.9), box.subproblem4(point, pose.p, y, 0.1)
        back = (pose.inv() * box.Transform(box.q2R(between), pose.p)).p
        solved = sum(first) ** 2 + first[0] + second[0] ** 2 + sum(box.R2rpy(pose.R))
        return np.sum(pose.p**2) + np.sum(jacobian**3) + solved + np.sum(back * axis)

    angles, lengths = np.array([0.3, 0.5, -0.2, 0.7, 0.4, -0.6]), np.array([0.3, 0.1, 0.4, 0.2, 0.3, 0.1])
    arguments = (angles, lengths, np.array([0.2, -0.3, 0.5]), np.array([0.5, 0.2, 0.4]))
    return Case(program, lambda: arguments, "angles, lengths, tool, point")


def sails_and_keel(code: Any) -> Case:
    yachts, sails = code.named("src.YachtMod"), code.named("src.SailMod")
    air, water = code.named("src.AeroMod").AeroMod, code.named("src.HydroMod").HydroMod

    def program(speed, heel, leeway, wind, angle, draft, mass, mast):  # type: ignore[no-untyped-def]
        main, jib = sails.Main("MN1", mast, 5.6, 0.1, 1.0), sails.Jib("J1", I=16.2, J=5.1, LPG=5.4, HBI=1.8)
        below = [yachts.Keel(Cu=1.0, Cl=0.78, Span=draft), yachts.Rudder(Cu=0.48, Cl=0.22, Span=1.15)]
        sizes = (11.9, 6.05, 3.18, 0.4, 28.2, 2.3, 1.051, mass, 12.5, 4.2, 1.5, 1.5)
        yacht = yachts.Yacht("YD41", *sizes, App=below, Sails=[main, jib])
        pushed, held = air(yacht).update(speed, heel, wind, angle, 0.9, 1.8), water(yacht).update(speed, heel, leeway)
        return 1e-6 * (sum(one**2 for one in pushed) + sum(one**2 for one in held))

    arguments = (3.2, 14.0, 2.2, 6.1, 62.0, 1.9, 6500.0, 16.6)
    return Case(program, lambda: arguments, "speed, heel, leeway, wind, angle, draft, mass, mast")


def parts_of_a_mixture(code: Any) -> Case:
    factors, operators, algorithms = (code.named(f"proxmin.{one}") for one in ("nmf", "operators", "algorithms"))
    unity = functools.partial(operators.prox_unity_plus, axis=0)
    soft = functools.partial(operators.prox_soft_plus, thresh=1e-2)

    def program(data, A, S):  # type: ignore[no-untyped-def]
        A, S = A.copy(), S.copy()
        factors.nmf(data, A, S, prox_A=unity, prox_S=soft, algorithm=algorithms.pgm, max_iter=6, e_rel=1e-9)
        B, T = A.copy(), S.copy()
        factors.nmf(data, B, T, algorithm=algorithms.adaprox, max_iter=4, e_rel=1e-9)
        return np.sum(A**2) + np.sum(S**2) + np.sum((B @ T - data) ** 2)

    arguments = (uniform(0, 6, 2) @ uniform(1, 2, 9), uniform(2, 6, 2), uniform(3, 2, 9))
    return Case(program, lambda: arguments, "data, A, S", 1e-4)


def particles_of_a_liquid(code: Any) -> Case:
    forces = code.load()

    def program(places, speeds, box, cut):  # type: ignore[no-untyped-def]
        places = places / box
        total, force = forces.force(box, cut, places)
        for _ in range(4):
            speeds = speeds + 0.5 * 0.002 * force
            places = places + 0.002 * speeds / box
            places = places - np.rint(places)
            total, force = forces.force(box, cut, places)
            speeds = speeds + 0.5 * 0.002 * force
        curved = forces.hessian(box, cut, places, force)
        return total.pot + 0.1 * total.vir + 1e-3 * total.lap + 1e-6 * curved + np.sum(speeds**2)

    grid = np.array([(i, j, k) for i in range(3) for j in range(2) for k in range(2)]) * 1.2 - 1.2
    arguments = (grid + 0.05 * normal(0, 12, 3), normal(1, 12, 3), 4.1, 1.9)
    return Case(program, lambda: arguments, "places, speeds, box, cut")


def correlations_of_galaxies(code: Any) -> Case:
    transforms, waves = code.named("mcfit"), np.logspace(-3, 2, 40)

    def program(power, waves):  # type: ignore[no-untyped-def]
        apart, first = transforms.P2xi(waves, l=0, lowring=True)(power)
        further, second = transforms.P2xi(waves, l=2, q=1.2)(power, extrap=True)
        _, variance = transforms.TophatVar(waves, lowring=True)(power, extrap=("const", True))
        total = np.sum(np.real(first) * apart**1.5) + np.sum(np.abs(second * further**1.5))
        return total + np.sum(np.sqrt(np.abs(variance)))

    return Case(program, lambda: (waves / (1 + (10 * waves) ** 2) ** 1.3 * 1e2, waves), "power, waves")


def slipping_faults(code: Any) -> Case:
    bare_package("vmod", code).util = made("vmod.util")
    made("vmod.source", __path__=[str(code.folder / "vmod/source")], Source=type("Source", (), {}))
    okada = code.named("vmod.source.okada").Okada
    x, y = (line.ravel() for line in np.meshgrid(np.linspace(-9e3, 9e3, 4), np.linspace(-8e3, 8e3, 3)))

    def program(place, size, slip, angles):  # type: ignore[no-untyped-def]
        fault, dike = okada(), okada()
        fault.set_type("slip")
        dike.set_type("open")
        east, north, up = fault.model(x, y, *place, *size, slip, *angles)
        tilts = dike.model_tilt(x, y, *place, *size, slip, *angles[:2])
        return np.sum(east**2) + np.sum(north * np.arange(12)) + np.sum(np.abs(up)) + 1e3 * np.sum(tilts[0] * tilts[1])

    place, size = np.array([300.0, -500.0, 5000.0]), np.array([4000.0, 2500.0])
    return Case(program, lambda: (place, size, 1.3, np.array([30.0, 60.0, 70.0])), "place, size, slip, angles")


def waves_of_the_brain(code: Any) -> Case:
    brain, bands = code.named("pyeeg"), [0.5, 4, 7, 12, 30]

    def program(x):  # type: ignore[no-untyped-def]
        power, ratio = brain.bin_power(x, bands, 64)
        mobility, complexity = brain.hjorth(x)
        entropy = brain.svd_entropy(x, 2, 4) + brain.spectral_entropy(x, bands, 64, ratio) + brain.fisher_info(x, 1, 3)
        return entropy + brain.hfd(x, 5) + mobility + complexity + brain.hurst(x) + brain.pfd(x) + 0.01 * np.sum(power)

    return Case(program, lambda: (np.cumsum(normal(0, 64)) + normal(1, 64),), "x", 1e-4)


def days_of_a_series(code: Any) -> Case:
    models = code.named("pydlm")

    def program(data, noise, discount):  # type: ignore[no-untyped-def]
        model = models.dlm(list(data), noise=noise) + models.trend(degree=1, discount=discount, w=10.0)
        model.fitForwardFilter()
        model.fitBackwardSmoother()
        return np.sum(np.array(model.getMean("backwardSmoother")) ** 2) + model.getMSE()

    return Case(program, lambda: (np.sin(np.arange(12.0)) + 0.1 * normal(0, 12), 1.0, 0.95), "data, noise, discount")


def beams_of_an_array(code: Any) -> Case:
    beams: Any = bare_package("pyArgus", code, "directionEstimation").directionEstimation

    def program(heard, quiet, places):  # type: ignore[no-untyped-def]
        spread = beams.forward_backward_avg(beams.corr_matrix_estimate((heard + 1j * quiet).T, imp="fast"))
        vectors = beams.gen_scanning_vectors(4, places, np.zeros(4), np.arange(0, 180, 30))
        methods = (beams.DOA_Bartlett, beams.DOA_Capon, beams.DOA_MEM)
        return sum(np.sum(np.log(np.abs(method(spread, vectors)))) for method in methods)

    arguments = (normal(0, 4, 20), normal(1, 4, 20), 0.5 * np.arange(4) + 0.05)
    return Case(program, lambda: arguments, "heard, quiet, places")


def trains_of_matrices(code: Any) -> Case:
    trains: Any = bare_package("scikit_tt", code, "utils", "tensor_train").tensor_train

    def program(a, b, c, d):  # type: ignore[no-untyped-def]
        one = trains.TT([a[None, :, None, :], b[:, :, None, :], c[:, :, None, :1]])
        other = trains.TT([b[:1, :, None, :], d[:, :, None, :], c[:, :, None, 1:]])
        made = trains.eye([2, 2, 2]) + 0.1 * trains.TT([np.diag([1.0, 2.0])[None, :, :, None]] * 3)
        applied = made @ (one + other).ortho(threshold=1e-12)
        return applied.norm() ** 2 + np.sum(applied.full() ** 3)

    arguments = (normal(0, 2, 2), normal(1, 2, 2, 2), normal(2, 2, 2, 2), normal(3, 2, 2, 2))
    return Case(program, lambda: arguments, "a, b, c, d")


def gait_of_a_dog(code: Any) -> Case:
    bare_package("spotmicro", code)
    model, algebra = (code.named(f"spotmicro.Kinematics.{one}") for one in ("SpotKinematics", "LieAlgebra"))

    def program(turned, moved, upper, lower, lift):  # type: ignore[no-untyped-def]
        spot = model.SpotModel(elbow_length=upper, wrist_length=lower)
        feet = dict(spot.WorldToFoot)
        feet["FL"] = algebra.RpToTrans(np.eye(3), spot.pf_FL + np.array([0.0, 0.0, lift]))
        angles = spot.IK(turned, moved.copy(), feet)
        return np.sum(np.sin(angles) * np.arange(12).reshape(4, 3)) + np.sum(angles**2)

    arguments = (np.array([0.1, -0.15, 0.2]), np.array([0.01, 0.02, 0.01]), 0.11, 0.145, 0.03)
    return Case(program, lambda: arguments, "turned, moved, upper, lower, lift")


def spread_of_an_infection(code: Any) -> Case:
    stand_in("sympy")
    models = code.named("epimodels.continuous.models")
    options = {"rtol": 1e-10, "atol": 1e-12}

    def program(start, beta, gamma):  # type: ignore[no-untyped-def]
        first, second = models.SIR(), models.SEIR()
        rates = {"beta": beta, "gamma": gamma}
        first(start, [0, 30], np.sum(start), dict(rates), t_eval=np.linspace(0, 30, 7), **options)
        exposed = [start[0] - 0.01, 0.01, start[1], start[2]]
        rates["epsilon"] = 0.3
        second(exposed, [0, 20], np.sum(start), rates, t_eval=np.linspace(0, 20, 5), **options)
        return np.sum(first.traces["I"] * np.arange(7)) + first.R0 + np.sum(second.traces["I"] ** 2)

    return Case(program, lambda: (np.array([0.98, 0.015, 0.005]), 0.6, 0.2), "start, beta, gamma")


def runs_of_a_series(code: Any) -> Case:
    stand_in("decorator", decorator=functools.partial)
    package = bare_package(
        "bayesian_changepoint_detection", code, "bayesian_models", "online_likelihoods", "hazard_functions"
    )

    def program(data, alpha, beta, kappa, rate):  # type: ignore[no-untyped-def]
        student = package.online_likelihoods.StudentT(alpha=alpha, beta=beta, kappa=kappa, mu=0)
        hazard = functools.partial(package.hazard_functions.constant_hazard, rate)
        runs, _ = package.bayesian_models.online_changepoint_detection(data, hazard, student)
        return np.sum(runs[:, -1] * np.arange(len(data) + 1)) + np.sum(runs**2)

    data = np.concatenate([normal(0, 6), 3 + normal(1, 6)])
    return Case(program, lambda: (data, 0.2, 0.1, 1.0, 8.0), "data, alpha, beta, kappa, rate", 1e-4)


def waves_in_a_plasma(code: Any) -> Case:
    vars(scipy.integrate).update(cumtrapz=scipy.integrate.cumulative_trapezoid, trapz=scipy.integrate.trapezoid)
    for name in ("h5py", "numba"):
        stand_in(name, njit=lambda *_: lambda f: f, jit=lambda *_: lambda f: f)
    bare_package("pythonpic", code)
    for part in ("classes", "helper_functions"):
        made(f"pythonpic.{part}", __path__=[str(code.folder / "pythonpic" / part)])
    counted = ("calculate_particle_snapshots", "calculate_particle_iter_step", "is_this_saved_iteration")
    helpers = made("pythonpic.helper_functions.helpers", **dict.fromkeys(counted, lambda *_: 1))
    vars(helpers).update(convert_global_to_particle_iter=lambda i, _: i)
    grids, species = (code.named(f"pythonpic.classes.{one}") for one in ("grid", "species"))

    def program(kick, push, charge, light):  # type: ignore[no-untyped-def]
        grid = grids.PeriodicTestGrid(T=2.0, L=6.0, NG=8, c=light, epsilon_0=1.0)
        electrons = species.Species(charge, 1.0, 16, grid, "electrons", scaling=0.3)
        electrons.distribute_uniformly(6.0)
        electrons.sinusoidal_position_perturbation(push, 1)
        electrons.v[:] = kick
        grid.gather_charge(grid.list_species, force_periodic=True)
        grid.init_solve(neutralize=True)
        for _ in range(3):
            electrons.velocity_push(grid.field_function)
            grid.gather_charge(grid.list_species)
            grid.gather_current(grid.list_species)
            grid.solve()
            electrons.position_push()
            grid.apply_particle_bc(electrons)
        return electrons.kinetic_energy + grid.direct_energy_calculation() + np.sum(electrons.x * np.arange(16))

    return Case(program, lambda: (0.1 * normal(0, 16, 3), 0.05, -1.0, 1.0), "kick, push, charge, light")


DRIVERS = {
    driver.__name__: driver
    for driver in (
        *(coils_of_a_scanner, spins_in_a_steady_state, changes_of_a_mean, echoes_of_a_network, sources_of_music),
        *(early_exercise, arm_of_screws, sails_and_keel, parts_of_a_mixture, particles_of_a_liquid),
        *(correlations_of_galaxies, slipping_faults, waves_of_the_brain, days_of_a_series, beams_of_an_array),
        *(trains_of_matrices, gait_of_a_dog, spread_of_an_infection, runs_of_a_series, waves_in_a_plasma),
    )
}
