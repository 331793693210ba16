"""What of the programs in reality.toml is differentiated that learn, filter, predict and model rivers and shells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, stand_in, uniform


def transformer(code: Any) -> Case:
    model = code.load()

    def linear(seed, rows, columns):  # type: ignore[no-untyped-def]
        return {"w": 0.3 * normal(seed, rows, columns), "b": 0.1 * normal(seed + 1, columns)}

    def norm(seed):  # type: ignore[no-untyped-def]
        return {"g": uniform(seed, 8), "b": normal(seed, 8)}

    def block(seed):  # type: ignore[no-untyped-def]
        mlp = {"c_fc": linear(seed, 8, 32), "c_proj": linear(seed + 2, 32, 8)}
        attention = {"c_attn": linear(seed + 4, 8, 24), "c_proj": linear(seed + 6, 8, 8)}
        return {"mlp": mlp, "attn": attention, "ln_1": norm(seed + 8), "ln_2": norm(seed + 9)}

    def program(wte, wpe, blocks, ln_f):  # type: ignore[no-untyped-def]
        likely = model.softmax(model.gpt2([1, 4, 2, 0, 3], wte, wpe, blocks, ln_f, n_head=2)[:-1])
        return -np.mean(np.log(likely[range(4), [4, 2, 0, 3]]))

    return Case(program, lambda: (normal(1, 7, 8), normal(2, 6, 8), [block(10), block(30)], norm(50)), "wte, wpe")


def recurrent(code: Any) -> Case:
    model = code.load()

    class First:
        @classmethod
        def loss(cls, found, label):  # type: ignore[no-untyped-def]
            return (found[0] - label) ** 2

        @classmethod
        def bottom_diff(cls, found, label):  # type: ignore[no-untyped-def]
            difference = np.zeros_like(found)
            difference[0] = 2 * (found[0] - label)
            return difference

    def program(x, weights):  # type: ignore[no-untyped-def]
        parameters = model.LstmParam(6, 5)
        parameters.wg = weights
        network, loss = model.LstmNetwork(parameters), 0.0
        for _ in range(3):
            for row in x:
                network.x_list_add(row)
            loss = network.y_list_is([-0.5, 0.2, 0.1, -0.5], First)
            parameters.apply_diff(lr=0.1)
            network.x_list_clear()
        return loss

    return Case(program, lambda: (normal(1, 4, 5), 0.1 * normal(2, 6, 11)), "x, weights")


def adaptive_filters(code: Any) -> Case:
    filters = code.named("padasip.filters")

    def program(d, x, mu):  # type: ignore[no-untyped-def]
        _, errors, weights = filters.FilterRLS(n=4, mu=mu, w="zeros").run(d, x)
        _, others, _ = filters.FilterNLMS(n=4, mu=0.5, w=[0.1, 0.2, 0.3, 0.4]).run(d, x)
        _, projected, _ = filters.FilterAP(n=4, order=3, mu=0.5, ifc=0.01, w="zeros").run(d, x)
        return np.sum(errors**2) + np.sum(weights[-1] ** 2) + np.sum(others**2) + np.sum(projected[-3:] ** 2)

    return Case(program, lambda: (normal(1, 12), normal(2, 12, 4), 0.97), "d, x, mu")


def rivers(code: Any) -> Case:
    stand_in("pandas")

    class Catchment(code.load().HBV):  # type: ignore[misc]
        def __init__(self, field_capacity, beta, outflow):  # type: ignore[no-untyped-def]
            self.TT, self.CFMAX, self.SFCF, self.CWH, self.CFR = 0.0, 3.0, 1.0, 0.05, 0.8
            self.FC, self.BETA, self.LP, self.K, self.K1 = field_capacity, beta, 0.4, outflow, 0.1
            self.ALPHA, self.CF, self.PERC, self.AREA, self.TFAC, self.PotE = 0.5, 0.05, 0.05, 2900, 1, True

    def program(rain, warmth, outflow, beta, capacity):  # type: ignore[no-untyped-def]
        model, flow = Catchment(capacity, beta, outflow), 0.0
        model.ls()
        for fallen, degrees in zip(rain, warmth, strict=True):
            model.run(fallen, degrees, 1.5)
            flow += model.QNew
        return flow

    rain, warmth = [3.3, 0.2, 7.5, 2.2, 10.1, 0.3], [6.0, 3.0, 8.0, 12.0, 9.0, 5.0]
    arguments = lambda: (np.array(rain), np.array(warmth), 0.04, 1.2, 50.0)  # noqa: E731
    return Case(program, arguments, "rain, outflow, beta, capacity")


def layers(code: Any) -> Case:
    optics = code.load()

    def program(n, d, theta):  # type: ignore[no-untyped-def]
        loss = 0.0
        for wavelength in np.linspace(400.0, 700.0, 5):
            for polarisation in (optics.Polarization.s, optics.Polarization.p):
                stack = optics.TransferMatrix.layer(n[0], d[0], wavelength, theta, polarisation)
                stack.appendRight(optics.TransferMatrix.layer(n[1], d[1], wavelength, theta, polarisation))
                reflected, passed = optics.solvePropagation(stack)
                loss += np.abs(reflected) ** 2 + 0.5 * np.abs(passed) ** 2
        return loss

    return Case(program, lambda: (np.array([1.4, 2.1]), np.array([120.0, 80.0]), 0.3), "n, d, theta")


def yields(code: Any) -> Case:
    curves = bare_package("nelson_siegel_svensson", code, "ns", "nss", "calibrate")

    def program(y, tau):  # type: ignore[no-untyped-def]
        t = np.array([0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0])
        curve, _ = curves.calibrate.betas_nss_ols((tau, 3 * tau), t, y)
        error = curves.calibrate.errorfn_ns_ols(tau, t, y)
        return np.sum(curve(np.array([0.7, 4.0, 15.0])) ** 2) + curve.forward(2.5) + 10 * error + curve(4.0)

    rates = [0.01, 0.011, 0.013, 0.016, 0.019, 0.021, 0.026, 0.031]
    return Case(program, lambda: (np.array(rates), 2.0), "y, tau")


def v_cycles(code: Any) -> Case:
    solver = code.named("multigrid")

    def program(f):  # type: ignore[no-untyped-def]
        problem = solver.Multigrid(16, verbose=1)
        problem.init_solution()
        problem.init_rhs(f)
        problem.solve(rtol=1e-9)
        return np.sum(problem.get_solution() ** 2)

    return Case(program, lambda: (normal(1, 18),), "f")


def trusses(code: Any) -> Case:
    bare_package("calfem", code)
    elements = code.named("calfem.core")
    freedoms = np.array([[1, 2, 5, 6], [3, 4, 7, 8], [5, 6, 9, 10], [7, 8, 11, 12], [7, 8, 5, 6]])
    freedoms = np.append(freedoms, [[11, 12, 9, 10], [3, 4, 5, 6], [7, 8, 9, 10], [1, 2, 7, 8], [5, 6, 11, 12]], axis=0)
    x = np.array([[0, 2], [0, 2], [2, 4], [2, 4], [2, 2], [4, 4], [0, 2], [2, 4], [0, 2], [2, 4]])
    y = np.array([[2, 2], [0, 0], [2, 2], [0, 0], [0, 2], [0, 2], [0, 2], [0, 2], [2, 0], [2, 0]])

    def program(modulus, area, load):  # type: ignore[no-untyped-def]
        stiffness, forces = np.zeros([12, 12]), np.zeros([12, 1])
        forces[10], forces[11] = load * np.sin(np.pi / 6), -load * np.cos(np.pi / 6)
        for xs, ys, places in zip(x, y, freedoms, strict=True):
            elements.assem(places, stiffness, elements.bar2e(xs, ys, [modulus, area]))
        moved, _ = elements.solveq(stiffness, forces, np.array([1, 2, 3, 4]))
        return np.sum(moved**2) * 1e4

    return Case(program, lambda: (2.1e11, 25e-4, 0.5e6), "modulus, area, load")


DRIVERS: dict[str, Callable[[Any], Case]] = {
    one.__name__: one for one in (transformer, recurrent, adaptive_filters, rivers, layers, yields, v_cycles, trusses)
}
