"""Solvers of SciPy's that Python runs: gradients against differences of the programs, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

import daad
from daad.frontend.library.flows import implicit_steps
from daad.frontend.library.flows.step_lengths import steps
from tests.corpus.case import Case
from tests.programs import interpreted

P = np.array([1.2, 0.7, 0.4])
TIMES = np.linspace(0.0, 1.0, 12)
FEW = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 1.0], [0.0, 1.0, 4.0], [1.0, 1.0, -1.0]])
SIDE = np.array([1.0, -2.0, 3.0, 1.0])
EXACT = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14}


def cubic(x, k):
    return x**3 + k * x - 1.0


def own_report(p):
    report = optimize.OptimizeResult(x=2.0 * p)
    report.fun = np.sum(p * p)
    report["nit"] = 3
    return report.x[0] * report.fun + report["fun"] * len(report) * report.x[1] + report["x"][2]


class Material:
    def __init__(self, p):
        self.p = p

    def balance(self, x):
        return np.cos(x) * self.p[0] - self.p[1] * x


def of_object(p):
    return optimize.brentq(Material(p).balance, 0.0, 2.0) * p[2]


def system(p):
    def equations(x):
        return np.array([x[0] ** 2 + p[0] * x[1] - 2.0, x[1] ** 3 + p[1] * x[0] - 1.0])

    x = optimize.fsolve(equations, [1.0, 0.5])
    return x[0] * x[1] + p[2]


def system_of_lists(p):
    def equations(x, a, b):
        y, z = x
        return [y**2 + a * z - 2.0, z**3 + b * y - 1.0]

    y, z = optimize.fsolve(equations, (1.0, 0.5), args=(p[0], p[1]))
    return y * z + p[2]


def with_report(p):
    x, info, flag, _ = optimize.fsolve(lambda x: x**2 - p, np.ones(3), full_output=True)
    if flag != 1:
        raise RuntimeError("no solution")
    return np.sum(x) + np.sum(info["fvec"])


def with_flags(p):
    x, value, report = optimize.fmin_l_bfgs_b(lambda x: np.sum((x - p) ** 2), np.zeros(3), approx_grad=True)
    if report["warnflag"]:
        raise RuntimeError(report["task"])
    found = optimize.differential_evolution(lambda x: np.sum((x - p) ** 2), [(-2, 2)] * 3, rng=1, tol=1e-8)
    print(f"{found.message} {found.fun}")
    return np.sum(x) + value + (np.sum(found.x) if found.success else 0.0)


def checked_root(p):
    found = optimize.root(
        lambda x: [x[0] + 0.5 * (x[0] - x[1]) ** 3 - p[0], 0.5 * (x[1] - x[0]) ** 3 + x[1] - p[1]], [0.0, 0.0]
    )
    if not found.success or not isinstance(found, dict) or "x" not in found:
        raise ValueError(found.message)
    return found.x[0] * found["x"][1]


def in_a_loop(p):
    total = 0.0
    for i in range(4):
        r = optimize.brentq(lambda x: x * np.exp(x) - p[0] * (i + 1), 0.0, 5.0)
        total += r * r
    return total


def one_after_the_other(p):
    x = optimize.brentq(lambda x: x**3 - p[0], 0, 5)
    return optimize.brentq(cubic, 0, 5, args=(x,)) * p[1]


def one_within_the_other(p):
    def outer(y):
        x = optimize.brentq(lambda x: x**3 + x - y * p[0], 0, 50)
        return x * y - p[1]

    return optimize.brentq(outer, 0.01, 9.0)


def by_other_functions(p):
    def a(x):
        return x**2 * p[0]

    def b(x):
        return a(x) - p[1]

    return optimize.bisect(b, 0, 10)


ROOTS: dict[str, Callable[[Any], Any]] = {
    "brentq": lambda p: optimize.brentq(lambda x: x**3 + p[0] * x - p[1], 0.0, 2.0),
    "args": lambda p: optimize.brentq(cubic, 0.0, 2.0, args=(p[0],)) * p[1],
    "one argument": lambda p: optimize.brentq(cubic, 0.0, 2.0, p[0]) * p[1],
    "bisect": lambda p: optimize.bisect(lambda x: np.exp(x) - p[0] - 2, 0, 2),
    "ridder": lambda p: optimize.ridder(lambda x: np.exp(x) - p[0] - 2, 0, 2),
    "brenth": lambda p: optimize.brenth(lambda x: np.exp(x) - p[0] - 2, 0, 2),
    "toms748": lambda p: optimize.toms748(lambda x: np.exp(x) - p[0] - 2, 0, 2),
    "full output": lambda p: optimize.brentq(lambda x: x**3 + p[0] * x - p[1], 0.0, 2.0, full_output=True)[0],
    "ends of data": lambda p: optimize.brentq(lambda x: x**3 + p[0] * x - p[1], 0.0 * p[0], p[0] * 3),
    "newton": lambda p: optimize.newton(lambda x: x**3 + p[0] * x - p[1], 0.5, fprime=lambda x: 3 * x**2 + p[0]),
    "newton of arrays": lambda p: np.sum(optimize.newton(lambda x: x**3 + p * x - 1, np.ones(3))),
    "newton with args": lambda p: optimize.newton(cubic, 0.5, args=(p[0],)),
    "root_scalar": lambda p: optimize.root_scalar(lambda x: x**3 + p[0] * x - p[1], bracket=[0, 2]).root,
    "secant": lambda p: optimize.root_scalar(cubic, args=(p[0],), x0=0.5, x1=0.6).root,
    "fsolve": system,
    "lists": system_of_lists,
    "report": with_report,
    "flags": with_flags,
    "root": checked_root,
    "root by lm": lambda p: np.sum(optimize.root(lambda x: x**3 + x - p, np.zeros(3), method="lm").x ** 2),
    "broyden1": lambda p: np.sum(optimize.broyden1(lambda x: x**3 + x - p, np.zeros(3), f_tol=1e-12)),
    "newton with a list of args": lambda p: optimize.newton(
        lambda x, *r: x**3 + r[0] * x - r[1], 0.5, args=[p[0], 1.0]
    ),
    "fixed point with args that are an array": lambda p: optimize.fixed_point(
        lambda x, a, b: np.cos(x * a) * b, 0.5, args=p[:2]
    ),
    "fminbound with args that are an array": lambda p: optimize.fminbound(
        lambda x, a, b: (x - a) ** 2 + b * np.cosh(x), -3.0, 3.0, args=p[:2], xtol=1e-12
    ),
    "dblquad with a list of args": lambda p: integrate.dblquad(
        lambda y, x, a, b: y * x**a + b, 0.0, 1.0, 0.0, 1.0, args=[p[0], p[1]]
    )[0],
    "newton_krylov": lambda p: np.sum(optimize.newton_krylov(lambda x: x**3 + x - p, np.zeros(3), f_tol=1e-12)),
    "fixed_point": lambda p: optimize.fixed_point(lambda x: np.cos(x * p[0]) * p[1], 0.5),
    "fixed point of arrays": lambda p: np.sum(optimize.fixed_point(lambda x: np.sqrt(p / (x + 1)), np.ones(3))),
    "object": of_object,
    "loop": in_a_loop,
    "two": one_after_the_other,
    "nested": one_within_the_other,
    "other functions": by_other_functions,
    "own report": own_report,
    "special function": lambda p: optimize.brentq(lambda x: special.j0(x) - p[0] / 4, 0.0, 2.0),
}


def quartic(p):
    a = np.array([[2.0, 0.3], [0.3, 1.0]])
    return lambda x: 0.5 * x @ a @ x - p[0] * x[0] - p[1] * x[1] + 0.1 * p[2] * np.sum(x**4)


def decay(p):
    return lambda x: x[0] * np.exp(-x[1] * TIMES) - p[0] * np.exp(-p[1] * TIMES**2)


def least(p, **ways):
    return np.sum(optimize.minimize(quartic(p), np.zeros(2), **ways).x ** 3)


def squares(p, start=(1.0, 1.0), **ways):
    return np.sum(optimize.least_squares(decay(p), start, **EXACT, **ways).x ** 2)


CLOSE = {"method": "L-BFGS-B", "options": {"gtol": 1e-12, "ftol": 1e-16}}
SEQUENTIAL = {"method": "SLSQP", "tol": 1e-14}
MINIMA: dict[str, Callable[[Any], Any]] = {
    "BFGS": lambda p: least(p, method="BFGS", options={"gtol": 1e-10}),
    "Nelder-Mead": lambda p: least(p, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14}),
    "value": lambda p: optimize.minimize(quartic(p), np.zeros(2)).fun,
    "jac": lambda p: np.sum(
        optimize.minimize(
            lambda x: np.sum((x - p) ** 4 + (x - p) ** 2),
            np.zeros(3),
            jac=lambda x: 4 * (x - p) ** 3 + 2 * (x - p),
            tol=1e-12,
        ).x
        ** 2
    ),
    "jac=True": lambda p: np.sum(
        optimize.minimize(
            lambda x: (np.sum((x - p) ** 4 + (x - p) ** 2), 4 * (x - p) ** 3 + 2 * (x - p)),
            np.zeros(3),
            jac=True,
            tol=1e-12,
        ).x
        ** 2
    ),
    "bounds": lambda p: least(p, bounds=[(0, 0.3), (None, None)], **CLOSE),
    "bound of data": lambda p: least(p, bounds=[(0, 0.3 * p[2]), (None, None)], **CLOSE),
    "Bounds": lambda p: least(p, bounds=optimize.Bounds([0, 0], [0.3, 2.0]), **CLOSE),
    "equality": lambda p: least(
        p, constraints={"type": "eq", "fun": lambda x: x[0] * x[1] + x[0] - 0.3 * p[2]}, **SEQUENTIAL
    ),
    "inequalities": lambda p: least(
        p,
        constraints=[
            {"type": "ineq", "fun": lambda x: 0.4 * p[2] - x[0] - x[1]},
            {"type": "ineq", "fun": lambda x: x + 5},
        ],
        **SEQUENTIAL,
    ),
    "constraint and bound": lambda p: least(
        p,
        bounds=[(None, 0.1), (None, None)],
        constraints={"type": "ineq", "fun": lambda x: 0.6 * p[2] - x[0] - x[1]},
        **SEQUENTIAL,
    ),
    "LinearConstraint": lambda p: least(
        p, constraints=optimize.LinearConstraint(np.array([[1.0, 1.0]]), -1, 0.4), **SEQUENTIAL
    ),
    "minimize_scalar": lambda p: optimize.minimize_scalar(lambda x: (x - p[0]) ** 4 + x * x * p[1], tol=1e-12).x,
    "bounded": lambda p: optimize.minimize_scalar(lambda x: (x - p[0]) ** 4 + x * x * p[1], bounds=(0, 3)).fun,
    "fminbound": lambda p: optimize.fminbound(lambda x: (x - p[0]) ** 4 + x * x * p[1], 0, 3, xtol=1e-10),
    "fmin": lambda p: np.sum(optimize.fmin(quartic(p), np.zeros(2), disp=0, xtol=1e-10, ftol=1e-14)),
    "brent": lambda p: optimize.brent(lambda x: (x - p[0]) ** 4 + x * x * p[1], tol=1e-12),
    "fmin_bfgs": lambda p: np.sum(optimize.fmin_bfgs(quartic(p), np.zeros(2), disp=0, gtol=1e-9)),
    "fmin_l_bfgs_b": lambda p: np.sum(
        optimize.fmin_l_bfgs_b(quartic(p), np.zeros(2), approx_grad=True, bounds=[(0.0, 0.3), (None, 1.0)], factr=10.0)[
            0
        ]
    ),
    "linprog": lambda p: optimize.linprog([-1.0, -2.0], [[p[0], 1.0]], [p[1] + p[0]], bounds=(0.1, p[2])).x[0] ** 2,
    "value of linprog": lambda p: (
        optimize.linprog(-p, A_eq=[[1.0, 1.0, 1.0]], b_eq=[p[1] + 0.9], bounds=[(0, 0.5), (0, 0.6), (0.2, None)]).fun
    ),
    "least_squares": squares,
    "bounded squares": lambda p: squares(p, (1.0, 0.3), bounds=([0, 0], [3, 0.5])),
    "soft_l1": lambda p: squares(p, loss="soft_l1", f_scale=0.1),
    "cost": lambda p: optimize.least_squares(decay(p), [1.0, 1.0], method="lm").cost,
    "leastsq": lambda p: np.sum(optimize.leastsq(decay(p), [1.0, 1.0], xtol=1e-14, ftol=1e-14)[0] ** 2),
    "curve_fit with covariances of the data": lambda p: np.sum(
        optimize.curve_fit(
            lambda t, a, b: a + b * t, TIMES, np.exp(-p[1] * TIMES), sigma=np.diag(p[0] + TIMES) + 0.2 * p[2], **EXACT
        )[0]
        ** 2
    ),
    "curve_fit without a start": lambda p: np.sum(
        optimize.curve_fit(
            lambda t, a, b: a * np.exp(-b * t), TIMES, p[0] * np.exp(-p[1] * TIMES) + p[2] * TIMES, **EXACT
        )[0]
        ** 2
    ),
    "curve_fit": lambda p: np.sum(
        optimize.curve_fit(
            lambda t, a, b: a * np.exp(-b * t), TIMES, p[0] * np.exp(-p[1] * TIMES**2), p0=[1.0, 1.0], **EXACT
        )[0]
        ** 2
    ),
    "nnls": lambda p: np.sum(optimize.nnls(FEW * p, SIDE * p[0])[0] ** 2),
    "norm of nnls": lambda p: optimize.nnls(FEW * p, SIDE * p[0])[1],
    "lsq_linear": lambda p: np.sum(optimize.lsq_linear(FEW * p, SIDE * p[0], bounds=(-0.1, 0.2), tol=1e-14).x ** 2),
    "cramervonmises": lambda p: stats.cramervonmises(TIMES - 1.0, "norm", args=(p[0] - 0.5, p[1])).statistic,
    "kstest": lambda p: stats.kstest(TIMES - 1.0, "logistic", args=(p[0] - 0.5, p[1])).pvalue,
    "minimum of roots": lambda p: (
        optimize.minimize_scalar(
            lambda t: (optimize.brentq(lambda y: y**3 + y - t * p[0], -50.0, 50.0) - p[1]) ** 2 + 0.1 * t * t, tol=1e-12
        ).x
    ),
}


def waves(x, a, b):
    return np.exp(-a * x) * np.cos(b * x)


def integrals_in_a_loop(p):
    total = 0.0
    for i in range(3):
        total += integrate.quad(waves, 0, p[0] + i, args=(p[1], p[2]))[0]
    return total


INTEGRALS: dict[str, Callable[[Any], Any]] = {
    "quad": lambda p: integrate.quad(waves, 0, 1, args=(p[0], p[1]))[0],
    "ends": lambda p: integrate.quad(lambda x: np.sin(p[0] * x) / (x + p[2]), p[1], p[0] * 3)[0],
    "no way": lambda p: integrate.quad(lambda x: np.exp(-p[0] * x) + p[1], p[2], p[2])[0] * p[0],
    "from its end": lambda p: integrate.quad(lambda x: np.exp(-p[0] * x), 0.4, p[2])[0] + p[1],
    "to infinity": lambda p: integrate.quad(lambda x: np.exp(-p[0] * x * x) * p[1], p[2], np.inf)[0],
    "from infinity": lambda p: integrate.quad(lambda x: np.exp(-p[0] * (x - p[1]) ** 2), -np.inf, p[2])[0],
    "everywhere": lambda p: integrate.quad(lambda x: np.exp(-p[0] * (x - p[1]) ** 2), -np.inf, np.inf)[0],
    "steep at moving ends": lambda p: integrate.quad(lambda x: p[1] * np.sqrt(p[0] ** 2 - x * x), -p[0], p[0])[0],
    "steep at one end": lambda p: integrate.quad(lambda x: np.log(p[0] - x) * x, p[1] - 2.0, p[0])[0],
    "singular end": lambda p: integrate.quad(lambda x: np.cos(p[0] * x) / np.sqrt(x), 0, p[1])[0],
    "points": lambda p: integrate.quad(lambda x: np.abs(x - 0.5) * p[0] * x, 0, 1, points=[0.5])[0],
    "integrals in a loop": integrals_in_a_loop,
    "dblquad": lambda p: integrate.dblquad(lambda y, x: x * y * y * p[0] + np.sin(p[1] * x), 0, 2, 0, 1)[0],
    "nquad": lambda p: integrate.nquad(lambda x, y: x * y * p[0] + np.exp(p[1] * x), [[0, 0.5], [-1, 1]])[0],
    "quad_vec": lambda p: np.sum(
        integrate.quad_vec(lambda x: np.array([np.sin(p[0] * x), np.exp(-p[1] * x)]), 0, p[2])[0]
    ),
}
CLOSELY = {"rtol": 1e-10, "atol": 1e-10}


def hunted(t, y, a, b):
    return [a * y[0] - b * y[0] * y[1], -y[1] + b * y[0] * y[1]]


def pendulum(p):
    angle = integrate.odeint(
        lambda y, t: [y[1], -p[0] * np.sin(y[0]) - p[1] * y[1]], [p[2], 0.0], np.linspace(0, 2, 5), **CLOSELY
    )[:, 0]
    return np.sum(angle**2)


def reaction(t, y, p):
    return [-p[0] * y[0] + 1e4 * y[1] * y[2], p[0] * y[0] - 1e4 * y[1] * y[2] - 3e7 * p[1] * y[1] ** 2, 3e7 * y[1] ** 2]


def stiff(p, method):
    rates = (0.04 * (1.0 + 0.1 * p[0]), 1.0 + 0.1 * p[1])
    found = integrate.solve_ivp(
        reaction, (0, 40), [1.0, 0.0, 1e-3 * p[2]], method, args=(rates,), rtol=1e-9, atol=1e-13
    )
    return np.sum(found.y[:, -1] ** 2)


def stiff_by_lsoda(p):
    rates = (0.04 * (1.0 + 0.1 * p[0]), 1.0 + 0.1 * p[1])
    y = integrate.odeint(reaction, [1.0, 0.0, 0.0], [0.0, 4.0, 40.0], (rates,), tfirst=True, rtol=1e-9, atol=1e-13)
    return np.sum(y[:, 2] ** 2) * p[2]


class Ball:
    def __init__(self, gravity, drag):
        self.gravity, self.drag = gravity, drag

    def fall(self, t, y):
        return np.array([y[1], -self.gravity - self.drag * y[1]])

    def ground(self, t, y):
        return y[0]

    ground.terminal = True
    ground.direction = -1


def bouncing(p):
    ball, t, y = Ball(10 * p[0], p[1]), 0.0, np.array([p[2], 0.0])
    for _ in range(2):
        found = integrate.solve_ivp(ball.fall, (t, t + 10), y, events=ball.ground, **CLOSELY)
        t, y = found.t_events[0][0], np.array([1e-9, -0.8]) * found.y_events[0][0] + np.array([1e-9, 0.0])
    return t + found.t[-1] * found.y[1, -1]


def passing(t, y, p):
    return y[0] - 0.1 * p[1]


def turning(t, y, p):
    return y[1]


def events_before_the_last(p):
    found = integrate.solve_ivp(
        lambda t, y, p: [y[1], -40 * p[0] * y[0]], (0, 1), [p[2], 0.0], args=(p,), events=[passing, turning], **CLOSELY
    )
    return np.sum(np.diff(found.t_events[0])) + np.sum(found.y_events[1][:, 0] ** 2) + len(found.t_events)


def an_event_ends_before_times(p):
    ball = Ball(10 * p[0], p[1])
    found = integrate.solve_ivp(ball.fall, (0, 2), [p[2], 0.0], "DOP853", np.linspace(0, 2, 21), False, ball.ground)
    return np.sum(found.y[0]) + found.status * found.t_events[0][-1]


def between_steps(p):
    found = integrate.solve_ivp(lambda t, y: [-p[0] * y[0] ** 2], (1, 0), [p[1]], dense_output=True, **CLOSELY)
    return np.sum(found.sol(np.array([0.3, 0.9, 0.3])) ** 2) + found.sol(p[2])[0]


def at_steps(p):
    found = integrate.solve_ivp(lambda t, y: [y[1], -p[0] * y[0]], (0, 2 * p[1]), [p[2], 0.0], **CLOSELY)
    position, speed = found.y
    return (
        position[-1] * speed[-1] + found.t.max() + 0.0 * np.trapezoid(position, found.t) + (found.y[0, 0] + position[0])
    )


def step_by_step(p):
    solver = integrate.ode(lambda t, y, a: [y[1], -a * y[0]]).set_integrator("dopri5", rtol=1e-10, atol=1e-10)
    solver.set_initial_value([p[1], 0.0], 0.0).set_f_params(p[0])
    total = 0.0
    while solver.successful() and solver.t < 1.0:
        solver.integrate(solver.t + 0.5)
        total += solver.y[0]
    return total


def reported(p):
    y, report = integrate.odeint(lambda y, t: -p[0] * y, [p[1]], np.linspace(0, p[2], 3), full_output=True, **CLOSELY)
    return np.sum(y) + 0.0 * report["hu"][-1] + np.minimum(report["nst"][-1], 1)


def of_complex_numbers(p):
    def f(t, z):
        return (1j * p[0] - p[1]) * z + p[2] * np.abs(z) ** 2

    found = integrate.solve_ivp(f, (0, 1), np.array([1.0 + 0.5j, p[0] * 1j]), rtol=1e-9, atol=1e-11)
    return np.sum(np.abs(found.y[:, -1]) ** 2)


def waves_between_steps(p):
    def f(t, z):
        return np.fft.ifft(np.fft.fft(z) * (-1j * p[0] * np.arange(4))) - p[1] * z

    start, times = p[2] * np.array([1.0, 0.5, 0.2, 0.0]) + 0j, [0.2, 0.7, 1.0]
    found = integrate.solve_ivp(
        f, (0, 1), start, t_eval=times, method="DOP853", dense_output=True, rtol=1e-9, atol=1e-11
    )
    return np.sum(found.y.real**3 + found.y.imag) + np.sum(np.abs(found.sol(0.4)))


TRAJECTORIES: dict[str, Callable[[Any], Any]] = {
    "step by step": step_by_step,
    "reported": reported,
    "bouncing": bouncing,
    "of complex numbers": of_complex_numbers,
    "waves between steps": waves_between_steps,
    "events before the last": events_before_the_last,
    "an event ends before times": an_event_ends_before_times,
    "between steps": between_steps,
    "at steps": at_steps,
    "Radau": lambda p: stiff(p, "Radau"),
    "stiff by LSODA": stiff_by_lsoda,
    "odeint": lambda p: np.sum(integrate.odeint(hunted, [1.0, p[2]], [0, 0.5], (p[0], p[1]), tfirst=True, **CLOSELY)),
    "pendulum": pendulum,
    "solve_ivp": lambda p: np.sum(
        integrate.solve_ivp(hunted, (0, p[0]), [1.0, p[2]], t_eval=[0.1, 0.5], args=(p[0], p[1]), **CLOSELY).y ** 2
    ),
    "last": lambda p: np.sum(
        integrate.solve_ivp(lambda t, y: hunted(t, y, p[0], t), (0, p[1]), [1.0, p[2]], "LSODA", **CLOSELY).y[:, -1]
    ),
    "BDF": lambda p: integrate.solve_ivp(
        lambda t, y: [-20 * p[0] * (y[0] - np.cos(t))], (0, 0.5), [p[2]], method="BDF", rtol=1e-9, atol=1e-9
    ).y[0, -1],
    "the same time twice": lambda p: np.sum(
        integrate.odeint(hunted, [1.0, p[2]], [0, 0.2, 0.2, 0.5], (p[0], p[1]), tfirst=True, **CLOSELY) ** 2
    ),
    "backwards": lambda p: np.sum(
        integrate.odeint(hunted, [1.0, p[2]], [0.5, 0.1, 0.0], (p[0], p[1]), tfirst=True, **CLOSELY) ** 2
    ),
}


def guarded_residual(x, p):
    if x < -100.0:
        raise ValueError("too low")
    assert x > -100.0
    return np.cos(x) - p[0] * x


def with_a_handler(p):
    try:
        x = optimize.bisect(guarded_residual, 0.01, 3.0, args=(p,), xtol=1e-13)
    except ValueError:
        x = p[1]
    return x * p[2]


def with_kinds_that_data_decide(p):
    def residual(x):
        gap = (x - p[0]) ** 2 + p[1] * (x - 0.2) ** 2
        change = 0 if gap == 0 else 0.3 * gap**0.8
        return x + change - p[2]

    return optimize.fsolve(residual, 0.3, xtol=1e-13)[0] ** 2


class Turbine:
    def __init__(self, p):
        self.p, self.last = p, 0.0

    def residual(self, x):
        self.last = self.p[0] * x
        return np.cos(x) - self.last

    def power(self, x):
        self.residual(x)
        return self.last * self.p[1]


def attributes_of_the_last_call(p):
    turbine = Turbine(p)
    x, y = optimize.brentq(turbine.residual, 0, 3), optimize.brentq(turbine.residual, 0, 2.9)
    return x * y + turbine.power(x)


WHOLE: dict[str, Callable[[Any], Any]] = {
    f.__name__: f for f in (with_a_handler, with_kinds_that_data_decide, attributes_of_the_last_call)
}
PROGRAMS = {**WHOLE, **ROOTS, **MINIMA, **INTEGRALS, **TRAJECTORIES}


def slope(function: Callable[[Any], Any], p: np.ndarray, direction: np.ndarray, step: float) -> float:
    """Along a direction, by differences of the fourth order."""
    at = [float(function(p + k * step * direction)) for k in (-2, -1, 1, 2)]
    return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step)


def matches(function: Callable[[Any], Any], gradient: np.ndarray, tolerance: float = 1e-4) -> None:
    direction = np.array([0.3, -0.8, 0.5])
    expected = slope(function, P, direction, 1e-2)
    np.testing.assert_allclose(gradient @ direction, expected, rtol=tolerance, atol=tolerance)


LONG = {
    "stiff by LSODA",  # explicit steps are tried before implicit ones
    "Radau",
    "events before the last",
    "between steps",
    "an event ends before times",
    "backwards",
    "step by step",
    "waves between steps",
    "the same time twice",
}


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in PROGRAMS])
def test_gradient_matches_differences(name: str) -> None:
    function = PROGRAMS[name]
    (gradient,) = interpreted(Case(name=name, function=function, arguments=lambda: (P,), wrt=("p",)))(P.copy())
    matches(function, gradient)


@pytest.mark.parametrize("name", ["brentq", "report", "inequalities", "curve_fit", "odeint"])
def test_compiled_code_has_scipys_values(name: str) -> None:
    function = PROGRAMS[name]
    value, gradient = daad.value_and_grad(function)(P.copy())
    np.testing.assert_allclose(value, function(P), rtol=1e-7)
    matches(function, gradient)


@pytest.mark.parametrize("name", ["brentq", "jac", "BFGS", "nnls"])
def test_second_derivatives(name: str) -> None:
    gradient = daad.grad(PROGRAMS[name])
    hessian = daad.hessian(PROGRAMS[name])(P.copy())
    weights = np.array([1.0, 2.0, -1.0])
    matches(lambda p: gradient(p) @ weights, weights @ hessian, 1e-3)


def collecting(p):
    seen = []

    def f(x):
        seen.append(x)
        return x**3 - p[0]

    return optimize.brentq(f, 0, 3) * len(seen)


def filling(p):
    last = np.zeros(1)

    def f(x):
        last[0] = x
        return x**3 - p[0]

    return optimize.brentq(f, 0, 3) * last[0]


class Counter:
    def __init__(self, p):
        self.p, self.calls = p, 0

    def f(self, x):
        self.calls += 1
        return x**3 - self.p[0]


def counting(p):
    counter = Counter(p)
    return optimize.brentq(counter.f, 0, 3) * counter.calls


def told(p):
    found = optimize.minimize(lambda x: np.sum((x - p) ** 2), np.zeros(3))
    return np.sum(found.x) * (2.0 if "success" in found.message else 1.0)


def of_the_search(p):
    found = optimize.minimize(lambda x: np.sum((x - p) ** 2), np.zeros(3))
    return np.sum(found.x) * (2.0 if hasattr(found, "hess_inv") else 1.0)


def of_the_report(p):
    x, _, report = optimize.fmin_l_bfgs_b(lambda x: np.sum((x - p) ** 2), np.zeros(3), approx_grad=True)
    return np.sum(x) * (2.0 if report.get("grad") is None else 1.0)


def counted(p):
    found = optimize.minimize(lambda x: np.sum((x - p) ** 2), np.zeros(3))
    return np.sum(found.x) * sum(1 for _ in found)


KINDS = (bool, int, float, np.generic, np.ndarray)


def kinds_of(*results):
    total = 0.0
    for number, result in enumerate(results):
        for power, kind in enumerate(KINDS):
            total += (1.0 + number) * 2.0**power * isinstance(result, kind)
    return total


def report_of_a_minimum(p):
    found = optimize.minimize(lambda x: np.sum((x - p) ** 2), np.zeros(3))
    return kinds_of(found.x, found.fun, found.success, found.nit, found.nfev, found.status) * p[0]


def report_of_a_root(p):
    x, _, flag, _ = optimize.fsolve(lambda x: np.cos(x) - p[0] * x, 0.5, full_output=True)
    root, report = optimize.brentq(lambda x: np.cos(x) - p[0] * x, 0, 2, full_output=True)
    return kinds_of(x, flag, root, report.root, report.iterations, report.converged) * p[0]


def report_of_a_flow(p):
    found = integrate.solve_ivp(lambda t, y: -p[0] * y, (0, 1), [1.0])
    value, error = integrate.quad(lambda t: t * p[0], 0, 1)
    return kinds_of(found.success, found.status, found.nfev, found.t, value, error) * p[0]


def report_of_corners(p):
    found = optimize.linprog(-p, A_ub=np.eye(3), b_ub=np.ones(3))
    return kinds_of(found.fun, found.x, *optimize.nnls(np.eye(3), p)) * p[0]


@pytest.mark.parametrize("function", [report_of_a_minimum, report_of_a_root, report_of_a_flow, report_of_corners])
def test_reports_have_the_types_of_scipys(function: Callable[[Any], Any]) -> None:
    case = Case(name="kinds", function=function, arguments=lambda: (P,), wrt=("p",))
    (gradient,) = interpreted(case)(P.copy())
    np.testing.assert_allclose(gradient[0], function(P) / P[0])


REFUSED = {
    counted: "'0' of what SciPy reports of a search is not known",
    told: "A run-time value is turned into text",
    of_the_search: "'hess_inv' of what SciPy reports of a search is not known",
    of_the_report: "'grad' of what SciPy reports of a search is not known",
    collecting: "A function that SciPy calls changes 'seen', which is none of its own variables",
    filling: "A function that SciPy calls changes 'last', which is none of its own variables",
    counting: "A function that SciPy calls changes 'calls', which is none of its own variables",
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_what_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(daad.Unsupported, match=REFUSED[function]):
        daad.grad(function)(P)


def oscillating(p):
    def f(y, t):
        return np.stack((y[1], -p[0] * y[0]))

    return np.sum(integrate.odeint(f, [1.0, 0.0], np.linspace(0, 2, 4), rtol=1e-11, atol=1e-11, mxstep=10000) ** 2)


@pytest.mark.slow
def test_numbers_of_steps_follow_the_data() -> None:
    gradient = daad.grad(oscillating)
    for frequency in (2.0, 1e3, 20.0):
        p, change = np.array([frequency]), np.array([1e-5 * frequency])
        expected = (oscillating(p + change) - oscillating(p - change)) / (2 * change[0])
        np.testing.assert_allclose(gradient(p), [expected], rtol=1e-5)


def raising(p):
    def f(y, t):
        if y[0] < 0:
            raise ValueError("below zero")
        return -p[0] + 0.0 * y

    return np.sum(integrate.odeint(f, [1.0], np.array([0.0, 1.0])))


def test_exceptions_of_equations_are_raised_where_no_value_is_asked_for() -> None:
    case = Case(name="raising", function=raising, arguments=lambda: (np.array([0.5]),), wrt=("p",))
    np.testing.assert_allclose(interpreted(case)(np.array([0.5])), [[-1.0]], rtol=1e-6)
    with pytest.raises(daad.Unsupported, match="The program raises 'ValueError' here: below zero"):
        interpreted(case)(np.array([3.0]))


@pytest.mark.slow
def test_solutions_that_end_before_the_last_time_are_refused() -> None:
    def pole(p):
        return integrate.odeint(lambda y, t: p[0] * y**2, [p[2]], np.array([0.0, 10.0]))[-1, 0]

    with pytest.raises(daad.Unsupported, match="too stiff for the steps of its derivative, or it jumps"):
        daad.grad(pole)(P)


def test_steps_grow_where_the_solution_gets_smooth() -> None:
    trial = partial(implicit_steps.trial, lambda t, y: -np.array([1.0, 100.0]) * y)
    _, _, widths, count, last = steps(trial, implicit_steps.ORDER, 1 << 12, np.ones(2), np.array([0.0, 300.0]))
    assert last == 1
    assert np.sum(widths[:count]) == pytest.approx(1.0)
    assert count < 1000


@pytest.mark.slow
def test_second_derivatives_of_a_stiff_equation() -> None:
    def loss(p):
        found = integrate.solve_ivp(
            lambda t, y: [-1e3 * p[0] * (y[0] - p[1] * np.cos(t) * y[0] ** 2)], (0, 1.0), [p[2]], method="BDF"
        )
        return found.y[0, -1]

    direction, step = np.array([0.3, -0.8, 0.5]), 1e-5
    expected = (daad.grad(loss)(P + step * direction) - daad.grad(loss)(P - step * direction)) / (2 * step)
    np.testing.assert_allclose(daad.hvp(loss)(P, tangent=direction), expected, rtol=1e-5, atol=1e-7)


def test_what_scipy_raises_is_the_programs_own() -> None:
    with pytest.raises(ValueError, match="must have different signs"):
        daad.grad(lambda p: optimize.brentq(lambda x: x * x + p[0], 0, 3))(P)


STOPPED: dict[str, Callable[[Any], Any]] = {
    "minimize": lambda p: (
        optimize.minimize(lambda y: np.sum((y - p) ** 4), np.zeros(3), method="CG", options={"maxiter": 1}).fun
    ),
    "minimize_scalar": lambda p: (
        optimize.minimize_scalar(lambda y: y**4 + p[0] * y, bounds=(-5, 5), options={"maxiter": 2}).x
    ),
    "least_squares": lambda p: optimize.least_squares(lambda y: cubic(y, p[0]), [1.0], max_nfev=1).x[0],
    "root": lambda p: optimize.root(lambda y: cubic(y, p[0]), 1.0, options={"maxfev": 3}).x[0],
    "root_scalar": lambda p: optimize.root_scalar(lambda y: cubic(y, p[0]), x0=1.0, x1=2.0, maxiter=2).root,
    "fsolve": lambda p: optimize.fsolve(lambda y: cubic(y, p[0]), 1.0, maxfev=3)[0],
}


@pytest.mark.parametrize("name", STOPPED)
def test_what_a_solver_has_when_it_is_stopped_is_no_solution(name: str) -> None:
    with pytest.raises(daad.Unsupported, match="SciPy's solver stops before it has a solution"):
        daad.grad(STOPPED[name])(P)


def near_a_curve(y, p):
    return np.linalg.norm(np.array([np.sin(y), y * y / 5.0]) - p[:2])


ON_THE_CURVE = np.array([np.sin(1.0), 0.2, 0.0])
KINKED: dict[str, Callable[[Any], Any]] = {
    "minimize": lambda p: optimize.minimize(lambda y: near_a_curve(y[0], p), [0.7], method="Nelder-Mead").x[0],
    "minimize_scalar": lambda p: optimize.minimize_scalar(near_a_curve, args=(p,)).x,
    "fmin": lambda p: optimize.fmin(lambda y: near_a_curve(y[0], p), [0.7], disp=False)[0],
    "fminbound": lambda p: optimize.fminbound(near_a_curve, 0.0, 2.0, args=(p,)),
    "brent": lambda p: optimize.brent(near_a_curve, args=(p,)),
}


def test_beyond_its_bounds_a_function_need_have_no_value() -> None:
    def loss(p):
        return optimize.minimize(
            lambda y: y[0] + math.sqrt(y[0]) + (y[1] - p[0]) ** 2, [1.0, 1.0], bounds=[(0, 2)] * 2
        ).x[1]

    np.testing.assert_allclose(daad.grad(loss)(P), [1.0, 0.0, 0.0], atol=1e-6)


def test_deviations_fitted_by_their_sizes_have_kinks() -> None:
    """The conditions for the minimum do not depend on anything, and nothing needs the value."""
    ways = {"method": "Nelder-Mead", "options": {"xatol": 1e-9, "fatol": 1e-12}}
    with pytest.raises(daad.Unsupported, match="lies in a kink"):
        daad.grad(lambda p: optimize.minimize(lambda y: np.sum(np.abs(p - y[0])), [0.1], **ways).x[0])(P)


@pytest.mark.parametrize("name", KINKED)
def test_minima_in_kinks_have_no_derivative(name: str) -> None:
    """The distance from a curve is least on it, where a norm is zero; beside it, it is smooth there."""
    with pytest.raises(daad.Unsupported, match="lies in a kink") as caught:
        daad.grad(KINKED[name])(ON_THE_CURVE)
    assert caught.value.at is not None
    beside = ON_THE_CURVE + np.array([0.1, -0.1, 0.0])
    found, at = daad.grad(KINKED[name])(beside), 1.0 - 0.11
    for _ in range(20):  # Newton's method for half the square
        curve, slope, bend = (
            np.array([np.sin(at), at * at / 5]),
            np.array([np.cos(at), at / 2.5]),
            np.array([-np.sin(at), 0.4]),
        )
        at -= (curve - beside[:2]) @ slope / (slope @ slope + (curve - beside[:2]) @ bend)
    expected = slope / (slope @ slope + (curve - beside[:2]) @ bend)
    np.testing.assert_allclose(found, [*expected, 0.0], rtol=2e-3)


def test_covariances_of_fits_are_values() -> None:
    """A derivative of them is not known."""

    def loss(p):
        found, spread = optimize.curve_fit(lambda t, a, b: a * t + b, TIMES, p[0] * np.sin(TIMES) + p[1])
        return np.sum(found), np.sqrt(np.diag(spread))

    def of_residuals(p):
        found = optimize.least_squares(lambda y: y[0] * TIMES + y[1] - np.exp(p[1] * TIMES), [1.0, 0.5])
        return np.sum(found.x), np.linalg.inv(found.jac.T @ found.jac)

    for f in (loss, of_residuals):
        _, errors = daad.grad(f, has_aux=True)(P)
        np.testing.assert_allclose(errors, f(P)[1], rtol=1e-12)
        with pytest.raises(daad.Unsupported, match="in which none is known"):
            daad.grad(lambda p, f=f: np.sum(f(p)[1]))(P)
