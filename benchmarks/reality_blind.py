"""Drivers of programs that nobody had looked at before: regions, species, water, nets and shaking ground."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, normal, plain
from benchmarks.reality_pages import bare
from benchmarks.reality_unseen import made


def region_without_edges(code: Any) -> Case:
    region = code.load("chanvese.py")
    region.np = SimpleNamespace(**{**vars(np), "float": float})
    region.convergence = lambda *_: 0  # NumPy no longer subtracts truths
    mask, image = np.zeros((12, 14)), 0.3 * normal(0, 12, 14)
    mask[3:8, 3:9] = 1
    image[4:10, 5:12] += 2.0

    def program(image, alpha):  # type: ignore[no-untyped-def]
        _, phi, _ = region.chanvese(image, mask, max_its=6, alpha=alpha)
        return np.sum(phi**2) + np.sum(phi * np.arange(14.0))

    return Case(program, lambda: (image.copy(), 0.3), "image, alpha", 1e-4)


def two_species(code: Any) -> Case:
    made("tqdm", tqdm=lambda items, *_: items)
    bare(code, "pyspecies")
    models, population = code.named("pyspecies.models"), code.named("pyspecies.pop")

    def program(D, R, a, b):  # type: ignore[no-untyped-def]
        both = population.Pop(
            space=(0, 1, 16),
            u0=lambda x: 1 + a * np.cos(2 * np.pi * x),
            v0=lambda x: 1 + b * np.sin(2 * np.pi * x),
            model=models.SKT(D=D, R=R),
        )
        for k in range(2):
            both.sim(duration=0.05 * 2**k, N=4)
        last = both.Xlist[-1]
        return np.sum(last**2) + np.sum(last * np.arange(32.0)) + sum(np.sum(x) for x in both.Xlist)

    D, R = np.array([[5e-3, 0.1, 0.3], [5e-3, 0.1, 0.2]]), np.array([[5.0, 3.0, 1.0], [2.0, 1.0, 3.0]])
    return Case(program, lambda: (D.copy(), R.copy(), 0.8, 0.7), "D, R, a, b")


def broken_dam(code: Any) -> Case:
    bare(code, "pythonsph")
    physics = code.named("pythonsph.physics")

    def program(places, speeds):  # type: ignore[no-untyped-def]
        drops = physics.start(-0.5, -0.2, 0.02, 0.08, 12)
        for k, drop in enumerate(drops):
            drop.x_pos, drop.y_pos = drop.x_pos + places[k, 0], drop.y_pos + places[k, 1]
            drop.x_vel, drop.y_vel = speeds[k, 0], speeds[k, 1]
        for step in range(4):
            for drop in drops:
                drop.update_state(step < 2)
            physics.calculate_density(drops)
            for drop in drops:
                drop.calculate_pressure()
            physics.create_pressure(drops)
            physics.calculate_viscosity(drops)
        return sum(drop.x_pos**2 + drop.y_pos**2 + drop.x_vel + 0.3 * drop.rho + drop.visual_x_pos for drop in drops)

    return Case(program, lambda: (0.01 * normal(0, 12, 2), 0.005 * normal(1, 12, 2)), "places, speeds")


def net_in_three_layers(code: Any) -> Case:
    nets = code.named("hipsternet.neuralnet")
    labels = np.array([0, 2, 1, 0, 1])

    def program(X, W1, W2, W3, gamma, lam):  # type: ignore[no-untyped-def]
        np.random.seed(1)
        net = nets.FeedForwardNet(4, 3, 5, lam=lam, p_dropout=0.8, nonlin="lrelu")
        net.model["W1"], net.model["W2"], net.model["W3"], net.model["gamma1"] = W1, W2, W3, gamma
        total = 0.0
        for _ in range(3):
            slope, loss = net.train_step(X, labels)
            for name in slope:
                net.model[name] = net.model[name] - 0.1 * slope[name]
            total = total + loss
        hinge = nets.loss_fun.hinge_loss(net.model, net.forward(X)[0], labels, lam)
        return total + hinge + np.sum(net.predict_proba(X) ** 2)

    weights = (normal(0, 5, 4), normal(1, 4, 5), normal(2, 5, 5), normal(3, 5, 3), 1 + 0.1 * normal(4, 1, 5))
    return Case(program, lambda: (*weights, 1e-2), "X, W1, W2, W3, gamma, lam", 1e-4)


def shaking_at_random(code: Any) -> Case:
    def pointed(*_: Any) -> Any:
        """In place of a function for SciPy's quadrature that a compiler makes."""
        return lambda function: SimpleNamespace(ctypes=lambda *x: function(len(x), x))

    types = SimpleNamespace(double=lambda *_: None, intc=None, CPointer=lambda _: None)
    made("numba", jit=plain, njit=plain, cfunc=pointed, types=types, carray=lambda values, _: np.array(values))
    bare(code, "pyrvt")
    motions = code.named("pyrvt.motions")
    freqs = np.logspace(-1, 1.9, 60)

    def program(amplitudes, duration, damping):  # type: ignore[no-untyped-def]
        total = 0.0
        for name in ("CLH56", "BJ84", "LP99", "D64", "DK85", "TM87"):
            motion = motions.RvtMotion(freqs, amplitudes, duration, peak_calculator=name)
            accelerations = motion.calc_osc_accels(np.array([1.0, 5.0]), damping)
            total = total + motion.calc_pga() + 0.1 * motion.calc_cav() + np.sum(accelerations)
        return total

    amplitudes = 0.05 * freqs / (1 + (freqs / 5) ** 2) * (1 + 0.1 * normal(0, 60))
    return Case(program, lambda: (amplitudes, 8.0, 0.05), "amplitudes, duration, damping", 1e-4)


DRIVERS = {
    "region_without_edges": region_without_edges,
    "two_species": two_species,
    "broken_dam": broken_dam,
    "net_in_three_layers": net_in_three_layers,
    "shaking_at_random": shaking_at_random,
}
