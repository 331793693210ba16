"""Drivers of programs about ships, lives, games, soils, leaves, motors and orbits; see `reality.py`."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, stand_in, uniform


def ship(code: Any) -> Case:
    loop = code.named("python_vehicle_simulator.lib.mainLoop")
    vehicles = code.named("python_vehicle_simulator.vehicles.shipClarke83")

    def program(heading, length, beam, current):  # type: ignore[no-untyped-def]
        vehicle = vehicles.shipClarke83("headingAutopilot", heading, length, beam, 6.0, 0.7, current, -10.0, 1e5)
        _, table = loop.simulate(20, 0.1, vehicle)
        return np.sum(table[:, :12] ** 2)

    return Case(program, lambda: (20.0, 70.0, 8.0, 0.5), "heading, length, beam, current")


def life_table(code: Any) -> Case:
    life = code.named("pyliferisk")

    def program(deaths, interest):  # type: ignore[no-untyped-def]
        table = life.Actuarial(qx=list(deaths), i=interest)
        return life.Ax(table, 1) + life.Axn(table, 2, 3) + life.aaxn(table, 1, 4) + life.AExn(table, 2, 3)

    deaths = np.array([5.0, 10.0, 20.0, 40.0, 80.0, 120.0, 300.0, 600.0, 700.0, 800.0])
    return Case(program, lambda: (deaths, 0.03), "deaths, interest")


def replicators(code: Any) -> Case:
    game = code.load()

    def program(payoff, start):  # type: ignore[no-untyped-def]
        return np.sum(game.replicator_dynamics(payoff, start, np.linspace(0, 1, 5)) ** 2)

    payoff = np.array([[3.0, 2.0, 3.0], [4.0, 1.0, 1.0], [2.0, 3.0, 1.0]])
    return Case(program, lambda: (payoff, np.array([0.2, 0.3, 0.5])), "payoff, start")


def soil_water(code: Any) -> Case:
    soil = code.load()

    def program(head, alpha, n):  # type: ignore[no-untyped-def]
        pars = soil.GuelphLoamDrying()
        pars["alpha"], pars["n"], pars["m"] = alpha, n, 1 - 1 / n
        for _ in range(3):
            conductivity, capacity = soil.KFun(head, pars), soil.CFun(head, pars)
            flux = -0.5 * (conductivity[1:] + conductivity[:-1]) * (np.diff(head) / 0.1 + 1)
            head = head.copy()
            head[1:-1] += 1e-4 * (flux[:-1] - flux[1:]) / 0.1 / capacity[1:-1]
        return np.sum(head**2) + np.sum(soil.thetaFun(head, pars))

    return Case(program, lambda: (-np.linspace(0.3, 2, 8), 1.15, 2.03), "head, alpha, n")


def particles(code: Any) -> Case:
    filters = code.load()

    def program(prior, seen, sigma):  # type: ignore[no-untyped-def]
        particle_filter = filters.ParticleFilter(
            prior_fn=lambda n: prior,
            observe_fn=lambda x: x[:, :1] * 1.5,
            n_particles=12,
            dynamics_fn=lambda x: x @ np.array([[1.0, 0.0], [0.1, 1.0]]),
            weight_fn=lambda a, b: filters.squared_error(a, b, sigma),
            resample_fn=lambda weights: np.arange(12)[::-1],
            n_eff_threshold=0.8,
        )
        for k in range(3):
            particle_filter.update(seen[k : k + 1])
        return (
            np.sum(particle_filter.mean_state**2) + np.sum(particle_filter.cov_state) + particle_filter.weight_entropy
        )

    return Case(program, lambda: (normal(1, 12, 2), np.array([0.3, 0.5, 0.6]), 0.8), "prior, seen, sigma")


def hamiltonian_steps(code: Any) -> Case:
    stand_in("fastprogress")
    stand_in("fastprogress.fastprogress", progress_bar=None)
    stand_in("joblib")
    bare_package("littlemcmc", code)
    sampler, potential = code.named("littlemcmc.hmc"), code.named("littlemcmc.quadpotential")

    def program(start, momentum, scale):  # type: ignore[no-untyped-def]
        step = sampler.HamiltonianMC(
            logp_dlogp_func=lambda x: (
                -0.5 * np.sum(x**2 / scale) - 0.1 * np.sum(x**4),
                -x / scale - 0.4 * x**3,
            ),
            model_ndim=3,
            potential=potential.QuadPotentialDiag(np.array([1.0, 2.0, 0.5])),
        )
        state = step.integrator.compute_state(start, momentum)
        for _ in range(4):
            state = step.integrator.step(0.1, state)
        return state.energy + np.sum(state.q**2)

    given = (np.array([0.5, -0.3, 1.0]), np.array([0.2, 0.1, -0.4]), 1.3)
    return Case(program, lambda: given, "start, momentum, scale")


def canopy(code: Any) -> Case:
    stand_in("Py6S")
    sail = code.named("pypro4sail.four_sail")

    def program(lai, hotspot, angle, rho, tau):  # type: ignore[no-untyped-def]
        leaves = sail.calc_lidf_campbell(angle)
        found = sail.foursail(lai, hotspot, leaves, 30.0, 10.0, 80.0, rho, tau, np.full(5, 0.2))
        return sum(np.sum(one**2) for one in found)

    bands = np.arange(5)
    given = (3.0, 0.05, 57.0, 0.1 + 0.05 * bands, 0.05 + 0.04 * bands)
    return Case(program, lambda: given, "lai, hotspot, angle, rho, tau")


def light_curve(code: Any) -> Case:
    smoothers = code.named("supersmoother")
    times = np.sort(np.random.default_rng(0).uniform(0, 10, 30))

    def program(y, dy):  # type: ignore[no-untyped-def]
        spans = {"primary_spans": (0.15, 0.3, 0.6), "middle_span": 0.3, "final_span": 0.15}
        model = smoothers.SuperSmoother(alpha=2.0, **spans)
        model.fit(times, y, dy)
        return np.sum(model.predict(np.linspace(1, 9, 7)) ** 2)

    return Case(program, lambda: (np.sin(times) + 0.1 * normal(1, 30), 0.1 * uniform(2, 30)), "y, dy")


def synchronous_motor(code: Any) -> Case:
    stand_in("gymnasium")
    stand_in("gymnasium.spaces", Box=object, Discrete=object, MultiDiscrete=object, Dict=object)
    name = "gym_electric_motor.physical_systems"
    bare_package("gym_electric_motor", code)
    bare_package(name, code).__path__ = [str(code.folder / name.replace(".", "/"))]
    motors, solvers = code.named(f"{name}.electric_motors"), code.named(f"{name}.solvers")

    def program(state, voltage, resistance):  # type: ignore[no-untyped-def]
        motor = motors.PermanentMagnetSynchronousMotor(motor_parameter={"r_s": resistance, "l_d": 0.4e-3})
        solver = solvers.EulerSolver(nsteps=2)
        solver.set_system_equation(lambda t, y, u: motor.electrical_ode(y, u, 100.0))
        solver.set_initial_value(state, 0.0)
        for _ in range(4):
            solver.set_f_params(voltage)
            currents = solver.integrate(solver.t + 1e-4)
        return motor.torque(currents) + np.sum(currents**2) / 100

    given = (np.array([1.0, 2.0, 0.3]), np.array([10.0, 20.0]), 0.02)
    return Case(program, lambda: given, "state, voltage, resistance")


def site_response(code: Any) -> Case:
    stand_in("numba", jit=lambda **_: lambda function: function)
    stand_in("pywt")
    response = code.named("PySeismoSoil.helper_site_response")
    layers = np.array([[10.0, 200, 0.02, 1800, 1], [20.0, 400, 0.015, 1900, 2], [0.0, 760, 0.01, 2000, 0]])

    def program(speeds, damping):  # type: ignore[no-untyped-def]
        profile = layers.copy()
        profile[:, 1], profile[:, 2] = speeds, damping
        found = response.linear_tf(profile, show_fig=False, freq_resolution=0.5, fmax=10.0)
        return np.sum(found[1] ** 2) + np.sum(np.abs(found[6]))

    return Case(program, lambda: (layers[:, 1].copy(), layers[:, 2].copy()), "speeds, damping")


def diversity(code: Any) -> Case:
    stand_in("pandas", DataFrame=SimpleNamespace, Series=SimpleNamespace)
    measures, distances = code.load(), code.load("ecopy/ordination/distance.py")

    def program(counts):  # type: ignore[no-untyped-def]
        kinds = ("shannon", "simpson", "dominance", "even")
        within = sum(np.sum(measures.diversity(counts, method=kind)) for kind in kinds)
        between = sum(np.sum(distances.distance(counts, method=kind)) for kind in ("bray", "euclidean"))
        return within + between

    return Case(program, lambda: (uniform(1, 4, 5) * 10,), "counts")


def orbit_change(code: Any) -> Case:
    stand_in("represent", autorepr=lambda cls: cls, ReprHelperMixin=SimpleNamespace)
    for name in ("sgp4", "sgp4.io", "sgp4.propagation"):
        stand_in(name)
    stand_in("sgp4.earth_gravity", wgs72=None)
    stand_in("astropy", time=SimpleNamespace(Time=lambda *_, **__: 0.0))
    bare_package("orbital", code)
    elements, utilities = code.named("orbital.elements"), code.named("orbital.utilities")
    maneuver = code.named("orbital.maneuver")
    earth = SimpleNamespace(mu=3.986004418e14, mean_radius=6371008.0)

    def program(a, e, i, anomaly):  # type: ignore[no-untyped-def]
        orbit = elements.KeplerianElements(a * 1e6, e, i, 0.7, 0.3, anomaly, body=earth)
        place, speed = orbit.r, orbit.v
        back = utilities.elements_from_state_vector(place, speed, earth.mu)
        orbit.apply_maneuver(maneuver.Maneuver(maneuver.SetApocenterRadiusTo(3e7)))
        return orbit.f + place.x / 1e6 + speed.y / 1e3 + back.e + back.i * 2 + orbit.a / 1e7

    return Case(program, lambda: (8.0, 0.1, 0.5, 0.8), "a, e, i, anomaly")


TRADES: tuple[Callable[[Any], Case], ...] = (
    *(ship, life_table, replicators, soil_water, particles, hamiltonian_steps),
    *(canopy, light_curve, synchronous_motor, site_response, diversity, orbit_change),
)
DRIVERS: dict[str, Callable[[Any], Case]] = {one.__name__: one for one in TRADES}
