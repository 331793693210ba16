"""Drivers of programs whose first gradient took minutes once: a regulator, an artery, a tree of wavelets, two molecules
that lie on each other."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, normal, uniform
from benchmarks.reality_pages import bare


def regulator_by_sweeps(code: Any) -> Case:
    modules: Any = sys.modules
    modules["jax"] = None
    regulator: Any = code.load("pylqr.py").PyLQR_iLQRSolver
    del modules["jax"]

    def program(x0, u, m, w):  # type: ignore[no-untyped-def]
        def moved(x, u, t, aux):  # type: ignore[no-untyped-def]
            return np.array([x[0] + 0.05 * x[1], x[1] + 0.05 * (np.sin(x[0]) * 9.8 / m + u[0] / m)])

        def cost(x, u, t, aux):  # type: ignore[no-untyped-def]
            return x[0] ** 2 + 0.1 * x[1] ** 2 + w * u[0] ** 2 if t < 6 else 10 * (x[0] ** 2 + x[1] ** 2)

        solver = regulator(T=6, plant_dyn=moved, cost=cost)
        solver.cost_dx = lambda x, u, t, aux: np.array([2 * x[0], 0.2 * x[1]]) if t < 6 else 20 * x
        solver.cost_du = lambda x, u, t, aux: 2 * w * u if t < 6 else 0 * u
        solver.cost_dxx = lambda x, u, t, aux: np.diag([2.0, 0.2]) if t < 6 else np.diag([20.0, 20.0])
        solver.cost_duu = lambda x, u, t, aux: np.array([[2 * w]]) if t < 6 else np.array([[0.0]])
        solver.cost_dux = lambda x, u, t, aux: np.zeros((1, 2))
        found = solver.ilqr_iterate(x0, u, n_itrs=3, tol=1e-9, verbose=False)
        return found["J_hist"][-1] + np.sum(found["u_array_opt"] ** 2) + np.sum(found["K_array_opt"])

    return Case(program, lambda: (np.array([1.0, 0.2]), 0.1 * normal(0, 6, 1), 1.2, 0.1), "x0, u, m, w", 1e-3)


def artery(code: Any) -> Case:
    network = code.named("vampy.artery_network").ArteryNetwork

    def program(radius, k, flow, resistance):  # type: ignore[no-untyped-def]
        net = network(radius, 0.95 * radius, 5.0, k, 1.06, 0.0046, 1069.0, 1, 5, 217.0)
        net.mesh(0.25)
        net.initial_conditions(0.0)
        net.set_time(1e-4, 5.5e-4)
        net.solve(lambda t: flow * (1 + np.sin(np.pi * t / 1e-3)), "3wk", [resistance, 1311.0, 1.4e-4])
        return sum(np.sum(a.U0**2) + np.sum(a.P) for a in net.arteries)

    arguments = (0.37, np.array([188679.0, -22.53, 8160.0]), 0.2, 2387.0)
    return Case(program, lambda: arguments, "radius, k, flow, resistance")


def trees_of_wavelets(code: Any) -> Case:
    old: Any = np
    old.int, old.issubsctype = int, np.issubdtype
    old.asfarray = lambda values, dtype=float: np.asarray(values, dtype=dtype)
    bare(code, "dtcwt", "dtcwt.numpy")
    transforms = code.named("dtcwt.numpy.transform2d")
    low, high = np.array([0.1, 0.3, 0.5, 0.3, 0.1]), np.array([-0.1, 0.25, 0.6, 0.25, -0.1])
    signs, others = np.array([1, -1, 1, -1, 1]), np.array([1, -1, 1, -1, 1, -1])
    a = normal(5, 6)
    b = a[::-1].copy()
    level = (low, high, low * signs, -high * signs)
    levels = (a, b, b, a, a * others, -b * others, -b * others, a * others)

    def program(X, gain):  # type: ignore[no-untyped-def]
        transform = transforms.Transform2d(biort=level, qshift=levels)
        pyramid = transform.forward(X, nlevels=2)
        back = transform.inverse(pyramid, gain_mask=gain)
        fine, coarse = np.abs(pyramid.highpasses[0]) ** 2 * np.arange(6), np.abs(pyramid.highpasses[1])
        return np.sum(fine) + np.sum(pyramid.lowpass**2) + np.sum(coarse) + np.sum(back**3)

    return Case(program, lambda: (normal(0, 12, 16), 0.5 + uniform(1, 6, 2)), "X, gain", 1e-4)


def two_molecules(code: Any) -> Case:
    rmsd = code.load("rmsd/calculate_rmsd.py")
    atoms, order = np.array([6, 6, 8, 1, 1, 1, 1]), np.array([1, 0, 2, 5, 3, 6, 4])
    turn = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    base = normal(3, 7, 3) * 1.5

    def program(P, Q, w):  # type: ignore[no-untyped-def]
        plain = rmsd.kabsch_rmsd(P, Q, translate=True)
        turned = rmsd.quaternion_rmsd(P - rmsd.centroid(P), Q - rmsd.centroid(Q))
        found = rmsd.reorder_hungarian(atoms, atoms[order], P - rmsd.centroid(P), (P @ turn)[order] + 0.01 * Q)
        weighted = rmsd.kabsch_weighted_rmsd(P, Q[found], w)
        inertia, axis = rmsd.get_inertia_tensor(atoms, P), rmsd.get_principal_axis(atoms, Q)
        return plain + turned + weighted + 1e-3 * np.sum(inertia) + np.sum(axis**2 * np.arange(3))

    arguments = (base, base @ turn + 0.2 * normal(4, 7, 3), 0.5 + uniform(5, 7))
    return Case(program, lambda: tuple(a.copy() for a in arguments), "P, Q, w", 1e-4)


DRIVERS = {
    "regulator_by_sweeps": regulator_by_sweeps,
    "artery": artery,
    "trees_of_wavelets": trees_of_wavelets,
    "two_molecules": two_molecules,
}
