"""Drivers of programs about floods, brains, flames, shocks, elastic rings in water and grains."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, plain, stand_in, uniform


def unit_hydrograph(code: Any) -> Case:
    bare_package("hydrolog", code)
    bare_package("hydrolog.runoff", code).__path__ = [str(code.folder / "hydrolog" / "runoff")]
    clark, storms = code.named("hydrolog.runoff.clark_iuh"), code.named("hydrolog.runoff.convolution")

    def program(hours, storage, rain):  # type: ignore[no-untyped-def]
        unit = clark.ClarkIUH(tc_min=hours, r_min=storage, area_km2=45.0)
        found = unit.generate(timestep_min=5.0, duration_min=300.0)
        flood = storms.convolve_discrete(rain, found.ordinates_m3s, 5.0)
        return np.sum(flood.discharge_m3s**2) / 1e4 + flood.peak_discharge_m3s

    return Case(program, lambda: (61.0, 32.0, 4 * uniform(0, 12)), "hours, storage, rain")


def regions_with_delays(code: Any) -> Case:
    stand_in("numba", njit=plain)
    stand_in("dpath")
    stand_in("dpath.util", delete=None, search=None)
    for name in ("neurolib", "neurolib.models", "neurolib.models.wc", "neurolib.utils"):
        bare_package(name, code).__path__ = [str(code.folder / name.replace(".", "/"))]
    steps, defaults = (code.named(f"neurolib.models.wc.{n}") for n in ("timeIntegration", "loadDefaultParams"))

    def program(links, strength, drive, gain):  # type: ignore[no-untyped-def]
        given = defaults.loadDefaultParams(Cmat=links, Dmat=3.0 * np.ones((3, 3)), seed=1)
        given["duration"], given["K_gl"], given["exc_ext_baseline"], given["a_exc"] = 20.0, strength, drive, gain
        given["exc_ext"], given["inh_ext"] = np.zeros((3, 300)), np.zeros((3, 300))
        _, excited, inhibited, _, _ = steps.timeIntegration(given)
        return np.sum(excited**2) + np.sum(inhibited[:, -1])

    return Case(program, lambda: (uniform(0, 3, 3), 0.6, 0.7, 1.5), "links, strength, drive, gain")


def reactions(code: Any) -> Case:
    vars(np).setdefault("float", float)  # NumPy 2 has no such name
    kinetics = code.named("pychemkin.reactions.ReactionSystems")
    species = ["H", "O2", "OH", "O", "H2"]

    def program(heat, hydrogen, oxygen, factor, barrier):  # type: ignore[no-untyped-def]
        def reaction(says, rates, kind, left, right):  # type: ignore[no-untyped-def]
            return kinetics.IrrevElemReaction("Elementary", False, says, list(species), rates, left, kind, right)

        one = reaction("H", {"A": factor, "E": barrier}, "arrhenius", {"H": 1, "O2": 1}, {"OH": 1, "O": 1})
        rates = {"A": 50.0, "b": 0.7, "E": 2.6e3}
        other = reaction("O", rates, "modified arrhenius", {"H2": 1, "O": 2}, {"OH": 1, "H": 1})
        there = {"H": hydrogen, "O2": oxygen, "OH": 0.3, "O": 0.2, "H2": 0.5}
        found = kinetics.ReactionSystem([one, other], {}, heat, there).sort_reaction_rates()
        return sum(rate * rate for rate in found.values())

    start = (900.0, 1.5, 2.0, 35.0, 4e3)
    return Case(program, lambda: start, "heat, hydrogen, oxygen, factor, barrier")


def riemann_problems(code: Any) -> Case:
    solver = code.load()

    def program(left, right, gamma):  # type: ignore[no-untyped-def]
        total = 0.0
        for shift in (0.0, 0.8, -1.9):
            one = solver.State(p=left[0], u=left[1] + shift, rho=left[2])
            other = solver.State(p=right[0], u=right[1] + shift, rho=right[2])
            problem = solver.RiemannProblem(one, other, gamma=gamma)
            problem.find_star_state()
            between = problem.sample_solution()
            total = total + between.p + between.u * between.rho
        return total

    return Case(program, lambda: (np.array([1.0, 0.1, 1.0]), np.array([0.1, 0.0, 0.125]), 1.4), "left, right, gamma")


def elastic_ring(code: Any) -> Case:
    stand_in("numba", jit=plain)
    support, fluid = code.named("Supp"), code.named("please_Update_Fluid_Velocity")
    forces = code.named("please_Find_Lagrangian_Forces_On_Eulerian_grid")
    n, points, h = 16, 12, 1 / 16
    grid, x = [n, n, 1.0, 1.0, h, h, 4, points, 0.5 * h], np.arange(n) * h
    columns, rows = np.meshgrid(np.arange(n), np.arange(n))
    sines = [np.sin(2 * np.pi * columns / n), np.sin(2 * np.pi * rows / n)]
    angles, order = 2 * np.pi * np.arange(points) / points, np.arange(points)
    moved, forced = support.please_Move_Lagrangian_Point_Positions, forces.give_Me_Spring_Lagrangian_Force_Densities
    spread = forces.give_Me_Delta_Function_Approximations_For_Force_Calc

    def program(stiffness, wide, high, viscosity):  # type: ignore[no-untyped-def]
        springs = np.stack([order, np.roll(order, -1), stiffness + 0 * order, 0.05 + 0 * order, 1 + 0 * order], 1)
        a, b = 0.5 + wide * np.cos(angles), 0.5 + high * np.sin(angles)
        u, v, waves = np.zeros((n, n)), np.zeros((n, n)), np.sin(np.pi * np.array([columns, rows]) / n) / h
        hat = 1 + 2e-3 * viscosity * np.sum(waves**2, axis=0)
        for _ in range(2):
            c, d = moved(viscosity, u, v, a, b, a, b, x, x, 5e-4, grid, 0, 0, 0, 0)
            f, g = forced(grid[8], points, c, d, springs, 1.0, 1.0)
            dx, dy = spread(x, x, grid, c, d)
            f, g = dy @ (f[:, None] * dx) * grid[8], dy @ (g[:, None] * dx) * grid[8]
            step = (1.0, viscosity, grid, 1e-3, columns, rows, *sines, hat)
            p, q, u, v, _ = fluid.please_Update_Fluid_Velocity(u, v, f, g, *step)
            a, b = moved(viscosity, p, q, a, b, c, d, x, x, 1e-3, grid, 0, 0, 0, 0)
        return np.sum(u**2) + np.sum(v * u) + np.sum(a * b)

    return Case(program, lambda: (1e3, 0.21, 0.29, 0.05), "stiffness, wide, high, viscosity")


def grains(code: Any) -> Case:
    sys.path.insert(0, str(code.folder))
    names = ("particle", "solver", "contact_model", "boundary", "time_integration")
    particle, solver, contact, boundary, integration = (code.named(f"dem.{name}") for name in names)

    def program(places, speeds, friction, stiffness):  # type: ignore[no-untyped-def]
        kinds = (0.1, 1.0, stiffness, 0.3)
        held = [particle.Particle(places[k], speeds[k], [0, 0, 0], *kinds, particle_id=k) for k in range(3)]
        floor = boundary.Boundary("floor", [0.0, 0.0, 0.0], [0.0, 1.0, 0.0], 1e6, 0.3)
        model = contact.get_contact_model("hertz", {"coeff_of_restitution": 0.8, "mu": friction})
        scheme = integration.get_time_integration_method("verlet")
        one = solver.DEMSolver(held, model, scheme, np.array([0.0, -9.81, 0.0]), [floor])
        for _ in range(5):
            one.solve_time_step(2e-3)
        return sum(np.sum(g.position * g.velocity) + g.omega[2] ** 2 for g in held)

    places = np.array([[0.0, 0.098, 0.0], [0.195, 0.099, 0.0], [0.1, 0.26, 0.0]])
    speeds = np.array([[0.5, -0.4, 0.0], [-0.6, -0.3, 0.0], [0.2, -1.0, 0.0]])
    return Case(program, lambda: (places.copy(), speeds.copy(), 0.4, 1e5), "places, speeds, friction, stiffness")


DRIVERS: dict[str, Callable[[Any], Case]] = {
    "unit_hydrograph": unit_hydrograph,
    "regions_with_delays": regions_with_delays,
    "reactions": reactions,
    "riemann_problems": riemann_problems,
    "elastic_ring": elastic_ring,
    "grains": grains,
}
