"""Drivers of programs about soils, snow, streets, droplets, shaking ground, arms, echoes, sound, savers and wings."""

from __future__ import annotations

import importlib.resources
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, normal, plain, stand_in, uniform
from benchmarks.reality_pages import bare
from benchmarks.reality_unseen import made


def without_compiler() -> None:
    made("numba", jit=plain, njit=plain, prange=range, guvectorize=lambda *_, **__: plain)


def water_in_a_field(code: Any) -> Case:
    bare(code, "aquacrop", "aquacrop.solution", "aquacrop.entities")
    infiltration = code.named("aquacrop.solution.infiltration").infiltration
    drainage = code.named("aquacrop.solution.drainage").drainage
    profile = code.named("aquacrop.entities.soilProfile").SoilProfile

    def program(water, ksat, fc, tau, rain, irrigation):  # type: ignore[no-untyped-def]
        soil = profile(6)
        soil.dz[:] = 0.1
        soil.dzsum[:] = np.cumsum(soil.dz)
        soil.th_fc[:], soil.th_s[:], soil.th_wp[:], soil.th_dry[:] = fc, fc + 0.15, fc - 0.15, fc / 4
        soil.Ksat[:], soil.tau[:] = ksat, tau
        store, total = 0.0, 0.0
        for day in range(len(rain)):
            water, percolated, flux = drainage(soil, water, soil.th_fc)
            water, store, deep, runoff, taken, flux = infiltration(
                *(soil, store, soil.th_fc, water, rain[day], irrigation, 90.0, True, 40.0, flux, percolated, 0.0, True)
            )
            total = total + deep + 0.5 * runoff + 0.1 * taken
        return total + 0.1 * store + np.sum(water**2) + 1e-3 * np.sum(flux)

    water, ksat = 0.25 + 0.1 * uniform(0, 6), 60 + 100 * uniform(1, 6)
    fc, tau = 0.3 + 0.02 * uniform(2, 6), 0.5 + 0.3 * uniform(3, 6)
    arguments = (water, ksat, fc, tau, np.array([12.0, 0.0, 90.0, 35.0, 3.0]), 5.0)
    return Case(program, lambda: arguments, "water, ksat, fc, tau, rain, irrigation")


def echoes_of_spins(code: Any) -> Case:
    echoes = code.load("epg/epgcpmg.py")

    def program(angles, spacing, T1, T2):  # type: ignore[no-untyped-def]
        signal = echoes.FSE_signal(angles, spacing, T1, T2)
        slope = echoes.FSE_signal_prime_T2(angles, spacing, T1, T2)
        return np.sum(signal**2) + np.sum(signal * np.arange(len(signal)).reshape(-1, 1)) + 0.1 * np.sum(slope)

    arguments = (np.array([1.6, 2.1, 1.4, 1.2, 1.1, 1.0]), 5.0, 800.0, 80.0)
    return Case(program, lambda: arguments, "angles, spacing, T1, T2")


def walls_of_a_street(code: Any) -> Case:
    bare(code, "uwg")
    element, material = code.named("uwg.element").Element, code.named("uwg.material").Material
    latent = {"grassFLat": 0.4, "treeFLat": 0.6, "lv": 2.26e6, "lvtt": 2.5008e6, "tt": 273.16, "estt": 611.14}
    air = {"cp": 1004.0, "cpv": 1846.1, "rv": 461.5, "r": 287.0, "colburn": 0.9}
    given = SimpleNamespace(
        **latent, **air, cl=4218.0, vegStart=4, vegEnd=10, vegAlbedo=0.25, waterDens=1000.0, wgmax=0.0005
    )
    weather, time = SimpleNamespace(pres=101325.0, prec=0.0, deepTemp=288.0), SimpleNamespace(dt=300.0, month=6)

    def program(conductivity, heat, thickness, albedo, sun):  # type: ignore[no-untyped-def]
        layers = [material(conductivity[k], heat[k], f"layer {k}") for k in range(4)]
        road = element(albedo, 0.93, [thickness[k] for k in range(4)], layers, 0.3, 293.0, True, "road")
        wall = element(albedo, 0.9, [0.02, 0.1, 0.05], layers[:3], 0.0, 295.0, False, "wall")
        total = 0.0
        for k in range(len(sun)):
            road.solRec, wall.solRec = sun[k], 0.5 * sun[k]
            road.SurfFlux(weather, given, time, 0.008, 296.0, 2.5, 2, 0.0)
            wall.SurfFlux(weather, given, time, 0.008, 296.0, 2.5, 1, 10.0)
            total = total + 1e-3 * road.sens + 1e-3 * wall.flux + road.T_ext - 290
        return total + sum(wall.layerTemp) * 0.1

    layers = (np.array([1.0, 0.8, 1.2, 0.5]), 1e6 * np.array([1.6, 1.4, 1.9, 1.1]), np.array([0.05, 0.1, 0.2, 0.5]))
    return Case(program, lambda: (*layers, 0.1, 600 * uniform(0, 12)), "conductivity, heat, thickness, albedo, sun")


def snow_and_ice(code: Any) -> Case:
    without_compiler()
    bare(code, "rrmpg", "rrmpg.models")
    simulate = code.named("rrmpg.models.cemaneigehystgr4jice_model").run_cemaneigehystgr4jice
    days = np.arange(14)
    heat = np.stack([first + 0.8 * days + 3 * np.sin(days) for first in (-4, -7)], 1)
    frozen, ice = np.clip(1 - (heat + 1) / 4, 0, 1), np.array([0.1, 0.3])
    names = ("x1", "x2", "x3", "x4", "CTG", "Kf", "Thacc", "Rsp", "DDF")

    def program(rain, heat, evaporation, x1, x2, x3, x4, ctg, kf, thacc, rsp, ddf):  # type: ignore[no-untyped-def]
        parameters = dict(zip(names, (x1, x2, x3, x4, ctg, kf, thacc, rsp, ddf), strict=True))
        found = simulate(rain, heat, evaporation, ice, frozen, 0.0, 0.0, 0.0, 0.6, 0.7, parameters)
        flow = np.sum(found[0] * days) + 0.01 * np.sum(found[1])
        return flow + 0.1 * np.sum(found[3]) + 0.1 * np.sum(found[4]) + np.sum(found[5])

    numbers = (300.0, 0.7, 40.0, 1.7, 0.3, 4.0, 10.0, 0.5, 5.0)
    wrt = "rain, heat, evaporation, x1, x2, x3, x4, ctg, kf, thacc, rsp, ddf"
    return Case(program, lambda: (12 * uniform(0, 14, 2), heat.copy(), 2 * uniform(1, 14), *numbers), wrt)


def arm_with_six_joints(code: Any) -> Case:
    bare(code, "pybotics")
    robot, models = code.named("pybotics.robot").Robot, code.named("pybotics.predefined_models")
    geometry = code.named("pybotics.geometry")

    def program(links, joints, wrench):  # type: ignore[no-untyped-def]
        arm = robot.from_parameters(links)
        pose = arm.fk(joints)
        torques = arm.compute_joint_torques(q=joints, wrench=wrench)
        turned = geometry.matrix_2_vector(pose)[3:]
        moves = 1e-6 * np.sum(arm.jacobian_world(joints) ** 2)
        arm.joints = joints * 0.5
        arm.tool.position = np.array([10.0, 20.0, 5.0])
        ends = np.sum(pose[:3, 3]) + np.sum(arm.fk()[:3, 3])
        return 1e-3 * ends + moves + 1e-3 * np.sum(torques) + np.sum(turned)

    joints, wrench = np.array([0.3, -0.8, 1.1, 0.2, 0.5, -0.3]), np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    return Case(program, lambda: (np.array(models.ur10(), float), joints, wrench), "links, joints, wrench")


def shaking_ground(code: Any) -> Case:
    bare(code, "pygmm")
    scenario = code.named("pygmm.model").Scenario
    one = code.named("pygmm.chiou_youngs_2014").ChiouYoungs2014
    other = code.named("pygmm.boore_stewart_seyhan_atkinson_2014").BooreStewartSeyhanAtkinson2014
    fixed = {"depth_tor": 2.0, "mechanism": "RS", "region": "japan", "vs_source": "inferred", "dpp_centered": 0.0}

    def program(mag, distance, speed, dip, depth):  # type: ignore[no-untyped-def]
        far = {"dist_rup": distance, "dist_jb": 0.9 * distance, "dist_x": 0.95 * distance, "on_hanging_wall": True}
        given = scenario(mag=mag, v_s30=speed, dip=dip, depth_1_0=depth, **far, **fixed)
        first, second = one(given), other(given)
        shaken = np.sum(first.spec_accels) + np.sum(first.ln_stds) + np.sum(second.spec_accels)
        between = second.interp_spec_accels(np.array([0.15, 0.33]))
        return shaken + first.pga + second.pgv * 1e-2 + np.sum(between)

    return Case(program, lambda: (6.6, 25.0, 450.0, 60.0, 0.1), "mag, distance, speed, dip, depth")


def turned_sound(code: Any) -> Case:
    for name in ("soundfile", "sounddevice", "h5py", "joblib"):
        stand_in(name, Memory=None)
    bare(code, "spaudiopy")
    sph = code.named("spaudiopy.sph")

    def program(sound, yaw, pitch, roll):  # type: ignore[no-untyped-def]
        matrix = sph.sh_rotation_matrix(2, yaw, pitch, roll)
        turned = sph.rotate_sh(sound, yaw, pitch, roll)
        weights = sph.hypercardioid_modal_weights(2)
        return np.sum(matrix**2 * np.arange(9)) + np.sum(turned**3) + np.sum(sph.sh_to_b(turned[:, :4]) * weights[0])

    return Case(program, lambda: (normal(0, 4, 9), 0.3, 0.5, -0.2), "sound, yaw, pitch, roll")


def equations_of_lyapunov(code: Any) -> Case:
    stand_in("tabulate", tabulate=None)
    bare(code, "harold")
    solve = code.named("harold._solvers").lyapunov_eq_solver
    places = np.arange(25).reshape(5, 5)

    def program(a, y):  # type: ignore[no-untyped-def]
        found, small = solve(a, y), solve(a[:2, :2], y[:2, :2])
        return np.sum(found * places) + np.sum(small**2) + np.sum(solve(0.1 * a, y, form="d") * places)

    a, y = normal(0, 5, 5) - 2.5 * np.eye(5), normal(1, 5, 5)
    return Case(program, lambda: (a.copy(), y + y.T), "a, y")


def households_that_save(code: Any) -> Case:
    without_compiler()
    bare(code, "sequence_jacobian", "sequence_jacobian.utilities")
    grids, between, solvers, routines = (
        code.named(f"sequence_jacobian.utilities.{name}")
        for name in ("discretize", "interpolate", "solvers", "optimized_routines")
    )

    def program(rho, sigma, r, beta, eis):  # type: ignore[no-untyped-def]
        income, shares, moves = grids.markov_rouwenhorst(rho, sigma, 3)
        assets = grids.agrid(20.0, 12)
        cash = (1 + r) * assets[np.newaxis, :] + income[:, np.newaxis]
        value, saved = (1 + r) * (0.1 * cash) ** (-1 / eis), np.empty_like(cash)
        for _ in range(6):
            spent = (beta * (moves @ value)) ** (-eis)
            for k in range(3):
                places, weights = between.interpolate_coord_robust_vector(spent[k] + assets, cash[k])
                saved[k] = between.apply_coord_njit(places, weights, assets)
            routines.setmin(saved, assets[0])
            value = (1 + r) * (cash - saved) ** (-1 / eis)
        root, _ = solvers.newton_solver(
            lambda x: np.array([x[0] ** 2 + x[1] - 2 - r, x[0] - beta * x[1] ** 3]), np.array([1.2, 0.9]), verbose=False
        )
        return np.sum(shares[:, None] * saved) + 0.1 * np.sum(value) + np.sum(root**2)

    return Case(program, lambda: (0.9, 0.5, 0.02, 0.95, 0.7), "rho, sigma, r, beta, eis")


def wing_in_the_air(code: Any) -> Case:
    bare(code, "machupX")
    fits, turns = code.named("machupX.poly_fits"), code.named("machupX.helpers")
    atmosphere = code.named("machupX.standard_atmosphere").StandardAtmosphere

    def program(x, y, angles, height):  # type: ignore[no-untyped-def]
        factors, fitted = fits.multivariablePolynomialFit([2, 1], x, y, display=False)
        turn = turns.euler_to_quat(angles)
        moved = np.sum(turns.quat_trans(turn, np.array([x[0, 0], x[0, 1], 1.0])) * np.arange(3))
        air = atmosphere("SI")
        apart = fits.multivariableRMS(x, y, factors, [2, 1])[0]
        there = air.rho(height) + air.a(height) * 1e-2 + air.nu(height) * 1e5
        return np.sum(factors**2) + fitted + apart + moved + np.sum(turns.quat_to_euler(turn)) + there

    arguments = (normal(0, 14, 2), normal(1, 14), np.array([0.1, 0.2, 0.3]), 9000.0)
    return Case(program, lambda: arguments, "x, y, angles, height")


def map_of_samples(code: Any) -> Case:
    chart = code.load().MiniSom
    weights = normal(3, 3, 4, 3)

    def program(data, sigma, rate):  # type: ignore[no-untyped-def]
        made_map = chart(3, 4, 3, sigma=sigma, learning_rate=rate, random_seed=1)
        made_map._weights = weights + 0.0
        made_map.train(data, 2, use_epochs=True)
        errors = made_map.quantization_error(data) + made_map.distortion_measure(data)
        return np.sum(made_map.get_weights() ** 2) + np.sum(made_map.distance_map()) + errors

    return Case(program, lambda: (normal(1, 10, 3), 1.2, 0.5), "data, sigma, rate")


def droplets_of_a_cloud(code: Any) -> Case:
    without_compiler()
    bare(code, "pyrcel", "pyrcel.legacy")
    resources: Any = importlib.resources
    files, resources.files = resources.files, lambda name: Path(sys.modules[name].__path__[0])
    activation = code.named("pyrcel.legacy.activation")
    resources.files = files

    def program(updraft, heat, mu, sigma, number, kappa):  # type: ignore[no-untyped-def]
        aerosol = {"mus": mu, "sigmas": sigma, "Ns": number, "kappas": kappa}
        one, _, part = activation.mbn2014(updraft, heat, 85000.0, **aerosol)
        other, active, share = activation.arg2000(updraft, heat, 85000.0, **aerosol)
        return 1e2 * (one + other) + np.sum(part) + np.sum(share) + 1e-2 * np.sum(active)

    modes = (np.array([0.05, 0.2]), np.array([1.8, 1.6]), np.array([850.0, 100.0]), np.array([0.54, 1.2]))
    return Case(program, lambda: (0.5, 283.0, *modes), "updraft, heat, mu, sigma, number, kappa", 1e-3)


def flow_in_five_buses(code: Any) -> Case:
    solver, data = code.load(), code.load("newton-raphson-solver/five_bus_example/data.py")
    all_but_slack, loads = [1, 2, 3, 4], [1, 3, 4]

    def program(load, reactances, level):  # type: ignore[no-untyped-def]
        buses, lines = [list(bus) for bus in data.buses], [list(line) for line in data.lines]
        buses[1][4], buses[2][6] = load, level
        for k in range(len(lines)):
            lines[k][3] = reactances[k]
        admittance, voltage = solver.construct_ybus(lines, 5), np.ones(5, dtype=complex)
        voltage[2] = level
        power = np.array([bus[2] - bus[4] for bus in buses]), np.array([bus[3] - bus[5] for bus in buses])
        for _ in range(20):
            p, q = solver.calc_power_injections(admittance, voltage)
            wrong = np.concatenate([(p - power[0])[all_but_slack], (q - power[1])[loads]])
            if np.linalg.norm(wrong, ord=np.inf) < 1e-9:
                break
            kinds = (all_but_slack, loads, all_but_slack, loads)
            change = solver.lu_decomposition(solver.calc_jacobian(admittance, voltage, p, q, *kinds), -wrong)
            size, angle = np.abs(voltage), np.angle(voltage)
            for k, bus in enumerate(all_but_slack):
                angle[bus] += change[k]
            for k, bus in enumerate(loads):
                size[bus] += change[4 + k]
            voltage = size * np.exp(1j * angle)
        return np.sum(np.abs(voltage) ** 2) + np.sum(np.angle(voltage)) + p[0]

    return Case(program, lambda: (8.0, np.array([line[3] for line in data.lines]), 1.05), "load, reactances, level")


def orbit_between_places(code: Any) -> Case:
    without_compiler()
    bare(code, "poliastro", "poliastro.core", "poliastro._math", "poliastro.core.propagation")
    lambert, elements = code.named("poliastro.core.iod"), code.named("poliastro.core.elements")
    kepler = code.named("poliastro.core.propagation.farnocchia")

    def program(start, end, time, k):  # type: ignore[no-untyped-def]
        first, last = lambert.izzo(k, start, end, time, 0, True, True, 35, 1e-12)
        place, speed = kepler.farnocchia_rv(k, start, first, 0.5 * time)
        found = elements.rv2coe(k, place, speed)
        return np.sum(first**2) + np.sum(last**2) + 1e-3 * (np.sum(place) + sum(found))

    places = np.array([15945.34, 100.0, 300.0]), np.array([12214.83899, 10249.46731, 500.0])
    return Case(program, lambda: (*places, 76.0 * 60, 398600.4418), "start, end, time, k", 1e-4)


DRIVERS = {
    "flow_in_five_buses": flow_in_five_buses,
    "orbit_between_places": orbit_between_places,
    "water_in_a_field": water_in_a_field,
    "echoes_of_spins": echoes_of_spins,
    "walls_of_a_street": walls_of_a_street,
    "snow_and_ice": snow_and_ice,
    "arm_with_six_joints": arm_with_six_joints,
    "shaking_ground": shaking_ground,
    "turned_sound": turned_sound,
    "equations_of_lyapunov": equations_of_lyapunov,
    "households_that_save": households_that_save,
    "wing_in_the_air": wing_in_the_air,
    "map_of_samples": map_of_samples,
    "droplets_of_a_cloud": droplets_of_a_cloud,
}
