"""Drivers of programs about bodies, loads, paths, floods, nozzles, curves, yields and the sea; see `reality.py`."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, stand_in


def mass_of_a_body(code: Any) -> Case:
    human, measured = code.named("yeadon").Human, dict[str, float]()
    for line in (code.folder / "misc/samplemeasurements/male1.txt").read_text().splitlines():
        name, colon, number = line.partition("#")[0].partition(":")
        if colon:
            measured[name.strip()] = float(number)
    unit = measured["measurementconversionfactor"]
    sizes = np.array([measured[name] * unit for name in human.measnames])

    def program(sizes, turn, arm):  # type: ignore[no-untyped-def]
        pose = {**dict.fromkeys(human.CFGnames, 0.0), "somersault": turn, "CA1extension": arm, "J1J2flexion": 0.3}
        body = human(dict(zip(human.measnames, sizes, strict=True)), CFG=pose)
        return body.mass + np.sum(body.center_of_mass) + np.sum(body.inertia * np.arange(9).reshape(3, 3))

    return Case(program, lambda: (sizes, 0.3, -0.4), "sizes, turn, arm")


def counted_cycles(code: Any) -> Case:
    cycles = code.load()

    def program(load, slope):  # type: ignore[no-untyped-def]
        return sum(count * range_**slope + 0.1 * mean for range_, mean, count, _, _ in cycles.extract_cycles(load))

    return Case(program, lambda: (np.cumsum(normal(0, 30)), 3.0), "load, slope")


def warped_series(code: Any) -> Case:
    series = code.load()

    def program(one, other, slanted):  # type: ignore[no-untyped-def]
        narrow = series.dtw(one, other, lambda a, b: np.linalg.norm(a - b), w=4, s=slanted)[0]
        total, costs, _, path = series.accelerated_dtw(one, other, "sqeuclidean", warp=2)
        return narrow + total + sum(costs[i, j] for i, j in zip(*path, strict=True))

    return Case(program, lambda: (normal(0, 8, 2), normal(1, 9, 2), 1.3), "one, other, slanted")


def best_feedback(code: Any) -> Case:
    vars(np).setdefault("Inf", np.inf)
    code.named("controlpy")
    gains, analysis = code.named("controlpy.synthesis"), code.named("controlpy.analysis")
    pushed = np.array([[0.0], [1.0]])

    def program(a, q, r):  # type: ignore[no-untyped-def]
        gain, cost, poles = gains.controller_lqr(a, pushed, np.diag(q), np.diag(r))
        sampled, _, _ = gains.controller_lqr_discrete_from_continuous_time(a, pushed, np.diag(q), np.diag(r), 0.1)
        strength = analysis.system_norm_H2(a - pushed @ gain, pushed, np.array([[1.0, 2.0]]))
        return np.sum(gain**2) + np.trace(cost) + np.sum(np.abs(poles)) + np.sum(sampled**2) + strength

    return Case(
        program, lambda: (np.array([[0.0, 1.0], [-0.5, -0.2]]), np.array([2.0, 1.0]), np.array([0.5])), "a, q, r"
    )


def paths_of_a_robot(code: Any) -> Case:
    stand_in("gym")
    name = "PythonLinearNonlinearControl"
    code.named(name)
    robots = importlib.import_module(f"{name}.configs.two_wheeled")
    models, paths = (importlib.import_module(f"{name}.{one}") for one in ("models.two_wheeled", "controllers.mppi"))

    def program(place, goal, greed):  # type: ignore[no-untyped-def]
        robot = robots.TwoWheeledConfigModule()
        robot.PRED_LEN = 6
        robot.opt_config["MPPI"].update(popsize=20, kappa=greed)
        np.random.seed(0)
        controller = paths.MPPI(robot, models.TwoWheeledModel(robot))
        first, second = (controller.obtain_sol(place, goal) for _ in range(2))
        return np.sum(first**2) + np.sum(second)

    goal = np.tile(np.array([1.0, 0.5, 0.2]), (7, 1))
    return Case(program, lambda: (np.array([0.1, 0.2, 0.3]), goal, 0.9), "place, goal, greed")


def turned_sensors(code: Any) -> Case:
    for name in ("easygui", "pygame", "OpenGL", "sympy", "pandas", "skinematics.view"):
        stand_in(name)
    bare_package("skinematics", code)
    sensors, turns = code.named("skinematics.imus"), code.named("skinematics.quat")

    def program(pulled, turning, field):  # type: ignore[no-untyped-def]
        held, place, speed = sensors.analytical(np.eye(3), turning, np.zeros(3), pulled, 100.0)
        filtered = sensors.kalman(100.0, pulled, turning, field)
        seen = turns.quat2seq(held, "Fick")
        return np.sum(held**2 * np.arange(1, 5)) + np.sum(place) + np.sum(speed**2) + np.sum(filtered) + np.sum(seen)

    pulled = np.tile([0.1, 0.2, 9.8], (20, 1)) + 0.01 * normal(1, 20, 3)
    field = np.tile([1.0, 0.1, 0.2], (20, 1)) + 0.01 * normal(2, 20, 3)
    return Case(program, lambda: (pulled, 0.3 * normal(0, 20, 3), field), "pulled, turning, field")


def features_of_sound(code: Any) -> Case:
    stand_in("tqdm", tqdm=iter)
    features = code.load()

    def program(sound):  # type: ignore[no-untyped-def]
        found, _ = features.feature_extraction(sound, 8000, 800, 400, deltas=True)
        return 1e-2 * np.sum(found[:21] ** 2) + np.sum(found)

    return Case(program, lambda: (np.sin(np.arange(2400) * 0.3) + 0.3 * normal(0, 2400),), "sound")


def wind_on_waves(code: Any) -> Case:
    code.named("airsea")
    wind, air = code.named("airsea.windstress"), code.named("airsea.atmosphere")

    def program(speed, height, warmth, humidity):  # type: ignore[no-untyped-def]
        dense = air.air_dens(warmth, humidity, 1010.0)
        pushes = [
            np.sum(wind.stress(speed, z=height, drag=law, rho_air=1.22)) for law in ("largepond", "smith", "vera")
        ]
        return 10 * sum(pushes) + np.sum(dense) + np.sum(wind.cdn(speed, height)[1])

    arguments = (np.array([3.0, 8.0, 12.0, 20.0]), 5.0, np.array([10.0, 20.0]), np.array([50.0, 80.0]))
    return Case(program, lambda: arguments, "speed, height, warmth, humidity")


def floods_of_years(code: Any) -> Case:
    laws = code.named("lmoments3.distr")

    def program(floods):  # type: ignore[no-untyped-def]
        total = 0.0
        for law in (laws.gum, laws.gev, laws.glo, laws.gno, laws.pe3, laws.gpa):
            fitted = law.lmom_fit(floods)
            total += law(**fitted).ppf(0.9) + sum(fitted.values())
        return total

    return Case(program, lambda: (np.random.default_rng(0).gumbel(size=20) * 3 + 10,), "floods")


def vibrating_masses(code: Any) -> Case:
    stand_in("ipywidgets")
    bare_package("vibration_toolbox", code)
    one, many = code.load("vibration_toolbox/sdof.py"), code.load("vibration_toolbox/mdof.py")
    times = np.linspace(0, 3, 20)

    def program(mass, stiffness, damping, start):  # type: ignore[no-untyped-def]
        force = np.vstack([np.sin(times), np.cos(times)])
        found = many.response_system(mass, damping, stiffness, force, start, np.zeros(2), times)
        frequencies, shapes, _, _ = many.modes_system_undamped(mass, stiffness)
        single = one.free_response(mass[0, 0], damping[0, 0], stiffness[0, 0], start[0], 0.5, 2.0)[1]
        return np.sum(np.square(found[2])) + np.sum(frequencies) + np.sum(np.abs(shapes)) + 1e-2 * np.sum(single**2)

    stiffness, damping = np.array([[3.0, -1.0], [-1.0, 2.0]]), np.array([[0.3, -0.1], [-0.1, 0.2]])
    arguments = (np.diag([2.0, 1.0]), stiffness, damping, np.array([0.1, 0.2]))
    return Case(program, lambda: arguments, "mass, stiffness, damping, start")


def rates_beyond_the_market(code: Any) -> Case:
    sys.path.insert(0, str(code.folder / "bisection_alpha"))
    curves, years = code.load(), np.array([1.0, 2.0, 4.0, 5.0, 6.0, 7.0])

    def program(rates, last, speed):  # type: ignore[no-untyped-def]
        fitted = curves.SWCalibrate(rates, years, last, speed)
        later = curves.SWExtrapolate(np.array([3.0, 10.0, 20.0]), years, fitted, last, speed)
        return np.sum(later) + curves.Galfa(years, rates, last, speed, 1e-4)

    rates = np.array([0.01, 0.02, 0.03, 0.032, 0.035, 0.04])
    return Case(program, lambda: (rates, 0.042, 0.15), "rates, last, speed")


def curve_of_yields(code: Any) -> Case:
    curves, years = code.named("smithwilson.core"), np.array([1.0, 2.0, 5.0, 10.0])

    def program(rates, last, speed):  # type: ignore[no-untyped-def]
        return 1e3 * np.sum(curves.fit_smithwilson_rates(rates, years, np.array([1.5, 7.0, 40.0]), last, speed) ** 2)

    return Case(program, lambda: (np.array([0.01, 0.015, 0.02, 0.024]), 0.039, 0.13), "rates, last, speed")


def flow_through_a_nozzle(code: Any) -> Case:
    bare_package("cusfbamboo", code)
    contours, flows, engines = (code.named(f"cusfbamboo.{one}") for one in ("rao", "isen", "engine"))

    def program(pressure, warmth, gamma, throat, widening):  # type: ignore[no-untyped-def]
        gas, chamber = engines.PerfectGas(gamma=gamma, cp=1800.0), engines.ChamberConditions(pressure, warmth)
        shape = engines.Geometry(*contours.get_rao_contour(0.05, throat, widening, 0.1))
        flow = flows.get_choked_mdot(gas, chamber, shape.A_t)
        fast = flows.M_from_A_supersonic(shape.A_e, shape.A_t, gamma)
        slow = flows.M_from_A_subsonic(3 * shape.A_t, shape.A_t, gamma)
        return flow + fast + slow + 1e3 * flows.get_exit_area(gas, chamber, 1e5, flow) + shape.x_t

    return Case(program, lambda: (2e6, 3000.0, 1.2, 0.02, 10.0), "pressure, warmth, gamma, throat, widening")


def chain_of_samples(code: Any) -> Case:
    stand_in("tqdm", tqdm=lambda items, **_: items)
    bare_package("minimc", code)
    chains = code.named("minimc.minimc")

    def program(start, precision):  # type: ignore[no-untyped-def]
        np.random.seed(0)
        potential = lambda place: (0.5 * place @ precision @ place, precision @ place)  # noqa: E731
        found = chains.hamiltonian_monte_carlo(4, potential, start, tune=2, path_len=0.5, initial_step_size=0.1)
        return np.sum(found**2)

    return Case(program, lambda: (np.array([0.5, 0.2]), np.array([[2.0, 0.3], [0.3, 1.0]])), "start, precision")


def curves_and_patches(code: Any) -> Case:
    bare_package("bezier", code)
    curves, patches = code.named("bezier.hazmat.curve_helpers"), code.named("bezier.hazmat.triangle_helpers")

    def program(nodes, at, corners):  # type: ignore[no-untyped-def]
        left, right = curves.subdivide_nodes(nodes)
        slope = curves.evaluate_hodograph(0.3, nodes)
        bent = curves.get_curvature(nodes, slope, 0.3) + curves.compute_length(nodes)
        nearest = curves.newton_refine(nodes, np.asfortranarray([[0.5], [0.3]]), 0.4)
        area = patches.jacobian_det(corners, 2, np.array([[0.1, 0.2], [0.3, 0.5]]))
        parts = sum(np.sum(part**2) for part in patches.subdivide_nodes(corners, 2))
        return (
            np.sum(curves.evaluate_multi(nodes, at) ** 2) + np.sum(left * right) + bent + nearest + np.sum(area) + parts
        )

    nodes = np.array([[0.0, 0.6, 1.2, 2.0], [0.0, 1.0, -0.5, 0.3]])
    return Case(program, lambda: (nodes, np.array([0.1, 0.4, 0.9]), normal(0, 2, 6)), "nodes, at, corners")


def creeping_concrete(code: Any) -> Case:
    bare_package("structuralcodes", code)
    concrete = code.load()

    def program(strength, humidity, size, loaded, days):  # type: ignore[no-untyped-def]
        shrinks = concrete.beta_ds(days, 7.0, size) * concrete.beta_RH(humidity, concrete.beta_s1(strength))
        basic = concrete.phi_bc(concrete.beta_bc_fcm(strength), concrete.beta_bc_t(days, loaded, loaded))
        slows = concrete.beta_h(size, concrete.alpha_fcm(strength))
        dries = concrete.beta_dc_t(days, loaded, slows, concrete.gamma_t0(loaded))
        factors = (concrete.beta_dc_fcm(strength), concrete.beta_dc_RH(humidity, size), concrete.beta_dc_t0(loaded))
        return np.sum(shrinks) + np.sum(basic) + np.sum(concrete.phi_dc(*factors, dries))

    arguments = (38.0, 60.0, 210.0, 28.0, np.array([100.0, 1000.0, 10000.0]))
    return Case(program, lambda: arguments, "strength, humidity, size, loaded, days")


def price_of_an_option(code: Any) -> Case:
    stand_in("requests")
    bare_package("wallstreet", code)
    options = code.named("wallstreet.blackandscholes").BlackandScholes

    def program(share, strike, time, price, rate):  # type: ignore[no-untyped-def]
        total = 0.0
        for kind, paid in (("Call", price), ("Put", 0.9 * price)):
            option = options(share, strike, time, paid, rate, kind, 0.01)
            total += option.impvol + option.delta() + option.vega() + option.rho() + 0.1 * option.theta()
        return total

    return Case(program, lambda: (100.0, 102.0, 0.5, 6.0, 0.02), "share, strike, time, price, rate")


def states_of_the_sea(code: Any) -> Case:
    vars(np).setdefault("float", float)
    bare_package("gsw", code)
    tools = sys.modules["gsw.utilities"] = ModuleType("gsw.utilities")
    vars(tools).update(match_args_return=lambda one: one, strip_mask=lambda *a: (*a, False), read_data=None, Bunch=dict)
    sys.modules["gsw.gibbs"] = ModuleType("gsw.gibbs")
    sys.modules["gsw.gibbs"].__path__ = [str(code.folder / "gsw" / "gibbs")]
    sea = code.named("gsw.gibbs.thermodynamics_from_t")

    def program(salt, warmth, pressure):  # type: ignore[no-untyped-def]
        at = (salt, warmth, pressure)
        wide = 1e4 * np.sum(sea.alpha_wrt_t_exact(*at)) + np.sum(sea.sound_speed_t_exact(*at))
        return np.sum(sea.rho_t_exact(*at)) + wide + np.sum(sea.entropy_t_exact(*at))

    arguments = (np.array([34.7, 34.9, 35.1]), np.array([28.0, 15.0, 5.0]), np.array([10.0, 100.0, 900.0]))
    return Case(program, lambda: arguments, "salt, warmth, pressure")


def shape_of_a_wing(code: Any) -> Case:
    stand_in("xfoil")
    bare_package("aeropy", code)
    shapes = code.named("aeropy.geometry.airfoil")

    def program(at, chord, upper, lower, thick):  # type: ignore[no-untyped-def]
        found = shapes.CST(at, chord, deltasz=[thick, thick], Al=lower, Au=upper)
        return np.sum(found["u"] ** 2) + np.sum(found["l"] * found["u"])

    arguments = (np.linspace(0.01, 0.99, 9), 1.2, np.array([0.2, 0.15, 0.1]), np.array([0.1, 0.05, 0.08]), 0.002)
    return Case(program, lambda: arguments, "at, chord, upper, lower, thick")


DRIVERS = {
    driver.__name__: driver
    for driver in (
        *(mass_of_a_body, counted_cycles, warped_series, best_feedback, paths_of_a_robot, turned_sensors),
        *(features_of_sound, wind_on_waves, floods_of_years, vibrating_masses, rates_beyond_the_market),
        *(curve_of_yields, flow_through_a_nozzle, chain_of_samples, curves_and_patches, creeping_concrete),
        *(price_of_an_option, states_of_the_sea, shape_of_a_wing),
    )
}
