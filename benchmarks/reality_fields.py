"""What of the programs of engineering, chemistry, hydrology and further fields in reality.toml is differentiated."""

from __future__ import annotations

import pickle
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, plain, stand_in, uniform

LINES = {(1, 2): 0.02, (1, 3): 0.08, (2, 3): 0.06, (2, 4): 0.06, (3, 4): 0.01}
"""Resistances between the buses of a grid."""


def magnetohydrodynamics(code: Any) -> Case:
    flow, n = code.load(), 12
    dx = 1 / n
    y, x = np.meshgrid(*2 * ((np.arange(n) + 0.5) / n,))

    def program(potential, v, gamma):  # type: ignore[no-untyped-def]
        bx, by = flow.getCurl(potential, dx)
        field = flow.getBavg(bx, by)
        pressure = 2.0 + 0.5 * (field[0] ** 2 + field[1] ** 2)
        conserved = flow.getConserved(1.2 * np.ones((n, n)), v, v.T, pressure, *field, gamma, dx**2)
        for _ in range(2):
            field = flow.getBavg(bx, by)
            faces = []
            for cells in (*flow.getPrimitive(*conserved, *field, gamma, dx**2), *field):
                slopes = flow.slopeLimit(cells, dx, *flow.getGradient(cells, dx))
                faces.append(flow.extrapolateInSpaceToFace(cells, *slopes, dx))
            r, u, w, p, b, c = faces
            along = flow.getFlux(*[face for sides in (r, u, w, p, b, c) for face in sides[:2]], gamma)
            across = flow.getFlux(*[face for sides in (r, w, u, p, c, b) for face in sides[2:]], gamma)
            dt = 0.4 * np.min(dx / (np.sqrt(gamma * p[0] / r[0]) + np.sqrt(u[0] ** 2 + w[0] ** 2)))
            pairs = zip(conserved, (0, 1, 2, 3), (0, 2, 1, 3), strict=True)
            conserved = [flow.applyFluxes(q, along[i], across[j], dx, dt) for q, i, j in pairs]
            bx, by = flow.constrainedTransport(bx, by, along[4], across[4], dx, dt)
        return sum(np.sum(q**2) for q in conserved) * 1e3 + np.sum(flow.getDiv(bx, by, dx) ** 2) + np.sum(bx**2)

    potential = np.cos(4 * np.pi * x) / 30 + np.cos(2 * np.pi * y) / 20 + 0.003 * normal(3, n, n)
    velocity = 0.3 * np.sin(2 * np.pi * y) + 0.05 * normal(1, n, n)
    return Case(program, lambda: (potential.copy(), velocity.copy(), 5 / 3), "potential, v, gamma")


def neuron(code: Any) -> Case:
    models, simulations = code.named("pyhh.models"), code.named("pyhh.simulations")

    def program(stimulus, sodium, step):  # type: ignore[no-untyped-def]
        model = models.HHModel()
        model.gNa = sodium
        model.h.setInfiniteState()
        simulation = simulations.Simulation(model)
        simulation.Run(stimulus, step)
        return np.sum(simulation.Vm**2) / 1e3 + np.sum(simulation.StateN)

    return Case(program, lambda: (np.where(np.arange(200) > 50, 20.0, 1.0), 120.0, 0.01), "stimulus, sodium, step")


def movement_primitives(code: Any) -> Case:
    primitives, t = code.named("pydmps.dmp_discrete"), np.arange(0, 1, 0.05)

    def program(path, goal, gain):  # type: ignore[no-untyped-def]
        movement = primitives.DMPs_discrete(n_dmps=2, n_bfs=6, dt=0.05, ay=np.ones(2) * gain)
        movement.imitate_path(y_des=path)
        movement.goal[0] = goal
        y, dy, _ = movement.rollout(tau=0.8)
        return np.sum(y**2) + np.sum(dy) / 10

    return Case(program, lambda: (np.array([np.sin(5 * t), t**2 + 0.1]), 1.4, 25.0), "path, goal, gain")


def body(code: Any) -> Case:
    joints = np.array([[24, 0, 0, 0, *range(1, 10), 9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21], list(range(24))])
    parts = {
        "J_regressor": uniform(1, 24, 30) / 30,
        "weights": uniform(2, 30, 24) / 24,
        "posedirs": 0.01 * normal(3, 30, 3, 207),
        "v_template": normal(4, 30, 3),
        "shapedirs": 0.1 * normal(5, 30, 3, 10),
        "f": np.zeros((3, 3), int),
        "kintree_table": joints,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pkl"
        path.write_bytes(pickle.dumps(parts))
        model = code.load().SMPLModel(path)

    def program(pose, beta, trans):  # type: ignore[no-untyped-def]
        return np.sum(model.set_params(pose, beta, trans) ** 2)

    return Case(
        program, lambda: (0.2 * normal(1, 24, 3), 0.3 * normal(2, 10), np.array([0.1, 0.2, 0.3])), "pose, beta, trans"
    )


def ordering(code: Any) -> Case:
    model = code.load(until="# Main run part")

    def program(phi, temperature):  # type: ignore[no-untyped-def]
        phi, step = model.update_phi(phi, temperature, 20)
        return np.sum(phi**2) + np.sum(step)

    return Case(program, lambda: (uniform(1, 16, 16), 450.0), "phi, temperature")


def separation(code: Any) -> Case:
    model = code.load(until="# Main run part")

    def program(phi):  # type: ignore[no-untyped-def]
        for _ in range(4):
            phi = model.update_phi(phi)
        return np.sum((phi - 0.5) ** 2) * 1e3

    return Case(program, lambda: (0.5 + 0.004 * normal(1, 12, 12),), "phi")


def runoff(code: Any) -> Case:
    catchment = code.load()
    data = np.stack([np.arange(30.0), 8 * np.abs(normal(1, 30)), 2 + uniform(2, 30), np.zeros(30)], 1)

    def program(parameters, store):  # type: ignore[no-untyped-def]
        return np.sum(catchment.GR4J(data, 260.0, parameters, store, 48.73).run() ** 2)

    return Case(program, lambda: (np.array([0.0, 320.1, 2.42, 69.62, 1.38]), 192.06), "parameters, store")


def hartree_fock(code: Any) -> Case:
    molecule, overlap, pairs = code.load(), 0.03 * normal(2, 5, 5), 0.02 * normal(3, 5, 5, 5, 5)
    for order in ((1, 0, 2, 3), (0, 1, 3, 2), (2, 3, 0, 1)):
        pairs = pairs + pairs.transpose(order)
    core = np.diag([-3.0, -2.0, 0.5, 1.0, 2.0]) + 0.2 * (normal(1, 5, 5) + normal(1, 5, 5).T)

    def program(core, pairs):  # type: ignore[no-untyped-def]
        return molecule.solve_rhf((2, 2), core, np.eye(5) + overlap + overlap.T, pairs, 0.3, 100, 1e-9)

    return Case(program, lambda: (core.copy(), pairs.copy()), "core, pairs")


def power_flow(code: Any) -> Case:
    stand_in("pandas")
    grid, shunt, nodes = code.load(), {(1, 2): 0.06j}, {1: 0, 2: 1, 3: 2, 4: 3}
    powers = np.array([0, 0.4, -0.45, -0.4]), np.array([0, 0, -0.15, -0.05]), np.array([1.05, 1.02, 1.0, 1.0])

    def program(reactance, active, reactive, voltage):  # type: ignore[no-untyped-def]
        impedance = {pair: r + 1j * reactance[k] for k, (pair, r) in enumerate(LINES.items())}
        admittance = grid.compute_y_bus(impedance, shunt)
        v, angle, _, _ = grid.newton_power_flow(admittance, [0, 1, 2, 2], active, reactive, voltage, tol_MVA=1e-6)
        losses = grid.compute_loss(v, angle, impedance, shunt, nodes)
        return np.sum(v**2) + np.sum(angle) + sum(loss[2] for loss in losses)

    reactance = np.array([0.06, 0.24, 0.18, 0.18, 0.03])
    return Case(program, lambda: (reactance.copy(), *powers), "reactance, active, reactive, voltage")


def spins(code: Any) -> Case:
    stand_in("utility")
    resonance = code.load()

    def program(offset, t1, t2, flip):  # type: ignore[no-untyped-def]
        relaxed, recovered = resonance.relaxation(1, t1, t2)
        m = np.zeros([5, 3, 1])
        m[:, 2, 0] = np.ones(5)
        recovered = m * recovered
        rotation = resonance.update_rotMatrix(5, np.zeros([5, 3, 3]), offset, relaxed)
        m, x, y, _ = resonance.sincPulse(np.array([flip]), m, rotation, recovered, 0.3, 20)
        m, signal, _ = resonance.free_precess(30, rotation, m, recovered, np.zeros([60, 2]), 0)
        return np.sum(signal**2) + np.sum(x * y)

    return Case(program, lambda: (1e3 * normal(1, 5), 750.0, 500.0, 1.4), "offset, t1, t2, flip")


def building(code: Any) -> Case:
    physics = code.named("building_physics")

    def program(outside, walls, gains):  # type: ignore[no-untyped-def]
        office, mass, total = physics.Zone(u_walls=walls), 20.0, 0.0
        for hour in range(4):
            office.solve_energy(gains, 200.0 * hour, outside[hour], mass)
            mass = office.t_m_next
            total += office.heating_energy + 2 * office.cooling_energy + mass
        return total

    return Case(program, lambda: (np.array([-5.0, 4.0, 22.0, 34.0]), 0.2, 120.0), "outside, walls, gains")


def lattice(code: Any) -> Case:
    stand_in("numba", jit=plain, njit=plain, prange=range)
    cavity, app = code.named("lbm.src.core.lattice"), SimpleNamespace(nx=12, ny=10, tau_lbm=0.7)

    def program(g, lid):  # type: ignore[no-untyped-def]
        flow = cavity.lattice(app)
        flow.g[...] = g
        flow.u_top[0, :] = lid
        for _ in range(3):
            flow.macro()
            flow.equilibrium()
            flow.collision_stream()
            flow.zou_he_left_wall_velocity()
            flow.zou_he_right_wall_velocity()
            flow.zou_he_top_wall_velocity()
            flow.zou_he_bottom_wall_velocity()
            flow.zou_he_bottom_left_corner()
            flow.zou_he_top_left_corner()
            flow.zou_he_top_right_corner()
            flow.zou_he_bottom_right_corner()
        return np.sum(flow.u**2) + np.sum(flow.g**2)

    return Case(program, lambda: (uniform(1, 9, 12, 10), 0.03), "g, lid")


def nanophotonics(code: Any) -> Case:
    stand_in("autograd", numpy=np)
    sys.modules.setdefault("autograd.numpy", np)
    stand_in("autograd.extend", primitive=plain, vspace=None, defvjp=_nothing, defjvp=_nothing)
    bare_package("ceviche", code)
    device, source = code.named("ceviche.fdtd"), np.zeros((9, 8, 1))
    source[4, 4, 0] = 1.0

    def program(permittivity):  # type: ignore[no-untyped-def]
        simulation, total = device.fdtd(permittivity, 1e-7, [2, 2, 0]), 0.0
        for t in range(6):
            total = total + np.sum(simulation.forward(Jz=source * np.sin(0.5 * t))["Ez"] ** 2)
        return total

    return Case(program, lambda: (1 + uniform(1, 9, 8, 1),), "permittivity")


def _nothing(*_: Any) -> None:
    """What registers derivatives."""


def chaos(code: Any) -> Case:
    np.float = float  # type: ignore[attr-defined]
    equation = code.load()

    def program(x, diffusion, dt):  # type: ignore[no-untyped-def]
        model = equation.KS(L=4, N=32, dt=dt, diffusion=diffusion, members=2, rs=np.random.RandomState(3))
        model.x = x
        for _ in range(4):
            model.advance()
        return np.sum(model.x**2)

    return Case(program, lambda: (normal(1, 2, 32), 1.0, 0.2), "x, diffusion, dt")


DRIVERS: dict[str, Callable[[Any], Case]] = {
    driver.__name__: driver
    for driver in (
        magnetohydrodynamics,
        neuron,
        movement_primitives,
        body,
        ordering,
        separation,
        runoff,
        hartree_fock,
        power_flow,
        spins,
        building,
        lattice,
        nanophotonics,
        chaos,
    )
}
