"""What of the planners, registrations and assimilations in reality.toml is differentiated."""

from __future__ import annotations

import collections
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, uniform


def dynamic_window(code: Any) -> Case:
    robot = code.load()
    config = robot.Config()
    config.v_resolution, config.yaw_rate_resolution, config.predict_time = 0.02, 0.05, 1.0

    def program(x, goal):  # type: ignore[no-untyped-def]
        total = 0.0
        for _ in range(2):
            chosen, path = robot.dwa_control(x, config, goal, config.ob)
            x = robot.motion(x, chosen, config.dt)
            total += np.sum(path[-1] ** 2)
        return total

    return Case(program, lambda: (np.array([0.0, 0.0, math.pi / 8, 0.1, 0.02]), np.full(2, 10.0)), "x, goal")


def swarm(code: Any) -> Case:
    search = code.load()

    def program(target, weight):  # type: ignore[no-untyped-def]
        np.random.seed(2)

        def cost(p):  # type: ignore[no-untyped-def]
            return np.sum((p - target) ** 2) + weight * p[0] * p[1]

        best, value = search.pso(cost, [-3.0, -3.0], [3.0, 3.0], swarmsize=5, maxiter=4)
        return np.sum(best**2) + value

    return Case(program, lambda: (np.array([1.0, -0.5]), 0.3), "target, weight")


def point_clouds(code: Any) -> Case:
    clouds, x = code.named("pycpd.deformable_registration"), normal(1, 8, 2)

    def program(x, y):  # type: ignore[no-untyped-def]
        moved, _ = clouds.DeformableRegistration(X=x, Y=y, max_iterations=4, alpha=0.5, beta=1.0).register()
        return np.sum(moved**2)

    return Case(program, lambda: (x.copy(), 0.9 * x + 0.1 + 0.02 * normal(2, 8, 2)), "x, y")


def reconstruction(code: Any) -> Case:
    tomography, angles = code.load(), np.linspace(0, np.pi, 5, endpoint=False)

    def program(sinogram):  # type: ignore[no-untyped-def]
        return np.sum(tomography.art(sinogram, angles, iterations=1) ** 2)

    return Case(program, lambda: (uniform(1, 5, 8),), "sinogram")


def gaussian_process(code: Any) -> Case:
    collections.Hashable = collections.abc.Hashable  # type: ignore[attr-defined]
    bare_package("numpy_ml", code)
    models = code.named("numpy_ml.nonparametric.gp")

    def program(x, y, noise):  # type: ignore[no-untyped-def]
        model = models.GPRegression(kernel="RBFKernel", alpha=noise)
        model.fit(x, y)
        mean, variance = model.predict(np.cos(np.arange(6.0)).reshape(3, 2))
        return np.sum(mean**2) + np.sum(variance) + model.marginal_log_likelihood()

    return Case(program, lambda: (normal(1, 6, 2), normal(2, 6), 0.3), "x, y, noise")


DRIVERS: dict[str, Callable[[Any], Case]] = {
    driver.__name__: driver for driver in (dynamic_window, swarm, point_clouds, reconstruction, gaussian_process)
}
