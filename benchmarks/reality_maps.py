"""What of the programs in reality.toml is differentiated that make maps, match clouds and separate matrices."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, normal, stand_in

BEACONS = np.array([[10.0, -2.0], [15.0, 10.0], [3.0, 15.0], [-5.0, 20.0]])


def robot(code: Any, **settings: Any) -> Any:
    """A program of the collection, with other numbers of its own."""
    sys.path.insert(0, str(code.root))
    for name in ("matplotlib", "matplotlib.pyplot", "mpl_toolkits", "mpl_toolkits.mplot3d"):
        stand_in(name, Axes3D=None, pyplot=None)
    found = code.load()
    vars(found).update(settings)
    return found


def particle_map(code: Any) -> Case:
    machine = robot(code, N_PARTICLE=5, NTH=5 / 1.5)

    def program(motion, seen):  # type: ignore[no-untyped-def]
        np.random.seed(1)
        particles = [machine.Particle(3) for _ in range(machine.N_PARTICLE)]
        observed, total = np.vstack((seen, np.arange(3.0))), 0.0
        for _ in range(3):
            particles = machine.fast_slam1(particles, motion, observed)
            total = total + np.sum(machine.calc_final_state(particles) ** 2)
        return total

    seen = np.array([[10.0, 17.0, 15.0], [-0.2, 0.58, 1.37]])
    return Case(program, lambda: (np.array([[1.0], [0.1]]), seen.copy()), "motion, seen")


def kalman_map(code: Any) -> Case:
    machine = robot(code)

    def program(beacons, speed):  # type: ignore[no-untyped-def]
        np.random.seed(0)
        estimate, true, reckoned, spread, total = np.zeros((3, 1)), np.zeros((3, 1)), np.zeros((3, 1)), np.eye(3), 0.0
        for _ in range(2):
            true, seen, reckoned, noisy = machine.observation(true, reckoned, np.array([[speed, 0.1]]).T, beacons)
            estimate, spread = machine.ekf_slam(estimate, spread, noisy, seen)
            total = total + np.sum(estimate[0:3] ** 2)
        return total

    return Case(program, lambda: (BEACONS.copy(), 1.0), "beacons, speed")


def closest_points(code: Any) -> Case:
    machine = robot(code, show_animation=False)
    before = 25.0 * normal(1, 2, 20)
    turned = np.array([[np.cos(0.05), -np.sin(0.05)], [np.sin(0.05), np.cos(0.05)]]) @ before

    def program(previous, current):  # type: ignore[no-untyped-def]
        rotation, shift = machine.icp_matching(previous, current)
        return np.sum(rotation**2 * np.array([[1.0, 2.0], [3.0, 4.0]])) + np.sum(shift**2)

    now = turned + np.array([[0.2], [0.4]]) + 0.05 * normal(2, 2, 20)
    return Case(program, lambda: (before.copy(), now.copy()), "previous, current")


def low_rank(code: Any) -> Case:
    separation = code.load()
    data = normal(1, 8, 2) @ normal(2, 2, 6)
    data[[1, 4, 6], [2, 0, 5]] += (5.0, -4.0, 3.0)

    def program(matrix):  # type: ignore[no-untyped-def]
        low, sparse = separation.RobustPCA(matrix).fit(max_iter=20, iter_print=1000)
        return np.sum(low**2) + 0.5 * np.sum(np.abs(sparse))

    return Case(program, lambda: (data.copy(),), "matrix")


MAPS = (particle_map, kalman_map, closest_points, low_rank)
DRIVERS: dict[str, Callable[[Any], Case]] = {one.__name__: one for one in MAPS}
