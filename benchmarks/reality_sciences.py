"""What of the models of optics, mechanics, biology, geodesy and economics in reality.toml is differentiated."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from datetime import datetime
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, plain, stand_in, uniform


def thin_films(code: Any) -> Case:
    sys.path.insert(0, str(code.root.parent))
    films = code.load()

    def program(thickness, index, angle):  # type: ignore[no-untyped-def]
        total = 0.0
        for wavelength in (400.0, 550.0, 700.0):
            indices = [1.0, index, 2.4 + 0.1j, 1.5]
            widths = [np.inf, thickness[0], thickness[1], np.inf]
            total += films.coh_tmm("p", indices, widths, angle, wavelength)["R"]
            total += films.unpolarized_RT(indices, widths, angle, wavelength)["T"]
        return total

    return Case(program, lambda: (np.array([120.0, 80.0]), 1.38, 0.3), "thickness, index, angle")


def quadcopter(code: Any) -> Case:
    flight = code.load()

    def program(speeds, position, weight):  # type: ignore[no-untyped-def]
        one = {"position": position, "orientation": [0.1, 0.05, 0.0], "L": 0.3, "r": 0.1, "prop_size": [10, 4.5]}
        drone = flight.Quadcopter({"q1": {**one, "weight": weight}})
        drone.set_motor_speeds("q1", speeds)
        for _ in range(10):
            drone.quads["q1"]["state"] = drone.quads["q1"]["state"] + 0.01 * drone.state_dot(0, None, "q1")
        return np.sum(drone.get_state("q1") ** 2) + np.sum(drone.get_position("q1"))

    start = (np.array([4500.0, 4510.0, 4490.0, 4505.0]), np.array([1.0, 0.0, 4.0]), 1.2)
    return Case(program, lambda: start, "speeds, position, weight")


def intelligibility(code: Any) -> Case:
    speech = code.named("pystoi.stoi")
    times = np.arange(6000) / 10000
    clean = np.sin(2 * np.pi * 400 * times) * (1 + 0.5 * np.sin(30 * times)) + 0.1 * normal(1, 6000)

    def program(noisy):  # type: ignore[no-untyped-def]
        return speech.stoi(clean, noisy, 10000) + speech.stoi(clean, noisy, 10000, extended=True)

    return Case(program, lambda: (clean + 0.3 * normal(2, 6000),), "noisy")


def map_projection(code: Any) -> Case:
    maps = code.named("utm")

    def program(latitude, longitude):  # type: ignore[no-untyped-def]
        east, north, number, letter = maps.from_latlon(latitude, longitude)
        back, _ = maps.to_latlon(east + 1000.0, north, number, letter)
        return np.sum(np.sin(east / 1e5)) + np.sum(north) / 1e7 + np.sum(back**2) / 1e3

    return Case(program, lambda: (48.0 + uniform(1, 6), 7.0 + uniform(2, 6)), "latitude, longitude")


def alleles(code: Any) -> Case:
    genetics = code.load()

    def program(frequency, fitness, mutation):  # type: ignore[no-untyped-def]
        herd = genetics.Population(frequency, *fitness, 100, 40, mutation, 1e-4, 0.0, True)
        herd.calculate_p_t()
        return sum(herd.population_frequency_list) + herd.hetero

    return Case(program, lambda: (0.2, np.array([1.0, 0.95, 0.8]), 1e-3), "frequency, fitness, mutation")


def epidemic(code: Any) -> Case:
    spread = code.load()

    def program(infectivity, recovery):  # type: ignore[no-untyped-def]
        model = spread.SEIR_Model(beta=infectivity, gamma=recovery, sigma=0.2, dt=0.5, end=60, S=90000, E=50, R=10)
        model.run_simulation()
        return np.max(model.rkutt_data_vector[:, 2]) / 1000 + np.sum(model.repro_num_rkutt)

    return Case(program, lambda: (0.4, 0.1), "infectivity, recovery")


def turbid_media(code: Any) -> Case:
    media = code.named("iadpython")

    def program(albedo, depth, anisotropy):  # type: ignore[no-untyped-def]
        slab = media.Sample(a=albedo, b=depth, g=anisotropy, n=1.4, n_above=1.5, n_below=1.5)
        reflected, transmitted, *diffuse = slab.rt()
        return reflected + 2 * transmitted + sum(diffuse)

    return Case(program, lambda: (0.8, 1.5, 0.5), "albedo, depth, anisotropy")


def elasticity(code: Any) -> Case:
    fem, solve = code.named("solidspy.assemutil"), code.named("solidspy.solutil")
    post = code.named("solidspy.postprocesor")
    places = [(k, i, j) for k, (i, j) in enumerate(itertools.product(range(4), range(3)))]
    fixed = np.array([[-1, -1] if i == 0 else [0, 0] for _, i, _ in places])
    squares = [(3 * i + j, 3 * i + j + 3, 3 * i + j + 4, 3 * i + j + 1) for i in range(3) for j in range(2)]
    elements = np.array([[k, 1, 0, *corners] for k, corners in enumerate(squares)])

    def program(coordinates, material, force):  # type: ignore[no-untyped-def]
        nodes = np.column_stack([np.arange(12), coordinates])
        operator, equations, count = fem.DME(fixed, elements)
        stiffness, _ = fem.assembler(elements, np.array([material]), nodes, count, operator, sparse=False)
        loads = fem.loadasem(np.array([[11, force, 0.5]]), equations, count)
        moved = post.complete_disp(equations, nodes, solve.static_sol(stiffness, loads))
        return np.sum(moved**2)

    grid = np.array([(i, j) for _, i, j in places]) + 0.05 * normal(1, 12, 2)
    return Case(program, lambda: (grid, np.array([10.0, 0.3]), 1.0), "coordinates, material, force")


def truss(code: Any) -> Case:
    frames = code.load()
    members = np.array([[2, 0], [3, 0], [0, 1], [2, 1], [3, 1], [2, 3]])

    def program(nodes, modulus, area):  # type: ignore[no-untyped-def]
        bridge = frames.Truss(nodes, members, modulus, area)
        bridge.add_loads(loads=[[0, -20.0]], nodes=[0])
        bridge.add_constraints(dofs=[[1, 1], [1, 0]], nodes=[2, 3])
        bridge.add_constraints(stiffness=[[10.0, 10.0]], nodes=[1])
        bridge.initialise()
        bridge.solve()
        return np.sum(bridge.a**2)

    nodes = np.array([[15.0, 10.0], [15.0, 0.0], [0.0, 10.0], [0.0, 0.0]])
    return Case(program, lambda: (nodes, 200.0, 1.65), "nodes, modulus, area")


def paths(code: Any) -> Case:
    frame = bare_package("dx", code, "frame", "models", pandas={"date_range": None}).frame
    model = sys.modules["dx.models"].geometric_brownian_motion
    dates = np.array([datetime(2020, month, 1) for month in range(1, 9)])

    def program(initial, volatility, rate, strike):  # type: ignore[no-untyped-def]
        market = frame.market_environment("market", dates[0])
        constants = {"initial_value": initial, "volatility": volatility, "final_date": dates[-1]}
        for name, value in {**constants, "currency": "EUR", "frequency": "M", "paths": 200}.items():
            market.add_constant(name, value)
        market.add_curve("discount_curve", frame.constant_short_rate("rate", rate))
        market.add_list("time_grid", dates)
        values = model("stock", market).get_instrument_values(fixed_seed=True)
        return np.mean(np.maximum(values[-1] - strike, 0.0)) * np.exp(-rate)

    return Case(program, lambda: (36.0, 0.2, 0.06, 40.0), "initial, volatility, rate, strike")


def uneven_samples(code: Any) -> Case:
    transform = code.named("nfft")

    def program(x, coefficients):  # type: ignore[no-untyped-def]
        found = transform.nfft(x, coefficients, truncated=False)
        back = transform.nfft_adjoint(x, found, 16, truncated=False)
        return np.sum(np.abs(found) ** 2) + np.sum(np.abs(back)) / 10

    return Case(program, lambda: (uniform(1, 30) - 0.6, normal(2, 16)), "x, coefficients")


def linear_quadratic(code: Any) -> Case:
    stand_in("numba", njit=plain, jit=plain)
    package = bare_package("quantecon", code)
    package.markov, package.util = ModuleType("quantecon.markov"), ModuleType("quantecon.util")
    package.markov.MarkovChain, package.util.check_random_state = None, np.random.RandomState
    sys.modules.update({"quantecon.markov": package.markov, "quantecon.util": package.util})
    economy = code.named("quantecon._lqcontrol")

    def program(savings, income, discount):  # type: ignore[no-untyped-def]
        a, b = np.array([[1.05, -1.0 + income], [0.0, 1.0]]), np.array([[-1.0], [0.0]])
        household = economy.LQ(1.0, np.diag([savings, 0.1]), a, b, np.array([[0.15], [0.0]]), beta=discount)
        value, policy, constant = household.stationary_values()
        return np.sum(value) + np.sum(policy**2) + constant

    return Case(program, lambda: (0.3, 0.4, 0.93), "savings, income, discount")


def shallow_water(code: Any) -> Case:
    ocean = code.load(until="\nif __name__")
    start = ocean.h0

    def program(height, gravity):  # type: ignore[no-untyped-def]
        ocean.h0, ocean.gravity = height, gravity
        for h, u, v in itertools.islice(ocean.iterate_shallow_water(), 10):
            kept = h, u, v
        h, u, v = kept
        return np.nansum((h - ocean.depth) ** 2) + np.sum(u**2 + v**2)

    return Case(program, lambda: (start.copy(), 9.81), "height, gravity")


def multigrid(code: Any) -> Case:
    solvers = code.named("multigrid")

    def program(source):  # type: ignore[no-untyped-def]
        solver = solvers.CellCenterMG1d(16, xl_BC_type="dirichlet", xr_BC_type="dirichlet", nsmooth=4)
        solver.init_zeros()
        solver.init_RHS(source)
        solver.solve(rtol=1e-4)
        return np.sum(solver.get_solution() ** 2)

    return Case(program, lambda: (np.concatenate([[0.0], uniform(1, 16), [0.0]]),), "source")


def shock_tube(code: Any) -> Case:
    gas = code.named("weno_euler")

    def program(start, gamma):  # type: ignore[no-untyped-def]
        tube = gas.WENOSimulation(gas.Grid1d(24, 3, 0.0, 1.0, bc="periodic"), 0.5, 3, gamma)
        tube.grid.q[:, 3:-3] = start
        for _ in range(2):
            tube.grid.fill_BCs()
            step = tube.timestep()
            tube.grid.q = tube.grid.q + step * tube.rk_substep()
        return np.sum(tube.grid.q[:, 3:-3] ** 2)

    waves = np.sin(2 * np.pi * np.arange(24) / 24)
    start = np.stack([1 + 0.2 * waves, 0.1 * waves, 2.5 + 0.3 * waves])
    return Case(program, lambda: (start.copy(), 1.4), "start, gamma")


def satellite(code: Any) -> Case:
    model, theory = code.named("sgp4.model"), code.named("sgp4.propagation")

    def program(motion, eccentricity, drag):  # type: ignore[no-untyped-def]
        craft = model.Satrec()
        craft.sgp4init(model.WGS72, "i", 5, 18441.785, drag, 6.969196e-13, 0.0, eccentricity, 5.790416, 0.5980929,
                       0.3373093, motion, 6.0863854)  # fmt: skip
        position, velocity = theory.sgp4(craft, 120.0)
        return sum(p * p for p in position) / 1e7 + sum(velocity)

    return Case(program, lambda: (0.0472294454, 0.1859667, 2.8098e-5), "motion, eccentricity, drag")


DRIVERS: dict[str, Callable[[Any], Case]] = {
    driver.__name__: driver
    for driver in (
        thin_films,
        quadcopter,
        intelligibility,
        map_projection,
        alleles,
        epidemic,
        turbid_media,
        elasticity,
        truss,
        paths,
        uneven_samples,
        linear_quadratic,
        shallow_water,
        multigrid,
        shock_tube,
        satellite,
    )
}
