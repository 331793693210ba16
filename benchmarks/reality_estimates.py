"""What of the programs in reality.toml is differentiated that estimate states, mixtures, factors, games and prices."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, stand_in, uniform


def cubature(code: Any) -> Case:
    filters = code.load()

    def program(x, p, z):  # type: ignore[no-untyped-def]
        for t in range(3):
            x, p = filters.cubature_kalman_filter(x, p, z + 0.1 * t)
        return np.sum(x**2) + np.sum(p**2)

    start = np.array([[0.3], [0.2], [0.1], [1.0], [0.15]])
    seen = np.array([[0.1], [0.2], [1.1], [0.12]])
    return Case(program, lambda: (start, np.diag([0.2, 0.3, 0.4, 0.5, 0.6]) + 0.05, seen), "x, p, z")


def ensemble(code: Any) -> Case:
    filters = code.load()
    filters.NP = 6

    def program(px, z, u):  # type: ignore[no-untyped-def]
        np.random.seed(2)
        loss = 0.0
        for _ in range(3):
            x, covariance, px = filters.enkf_localization(px.copy(), z, u)
            loss += np.sum(x**2) + np.sum(covariance**2)
        return loss

    landmarks = np.array([[5.0, 0.3, 4.8, 1.4], [7.0, -0.5, 6.0, -3.3]])
    return Case(program, lambda: (0.1 * normal(1, 4, 6), landmarks, np.array([[1.0], [0.1]])), "px, z, u")


def registration(code: Any) -> Case:
    matching = code.load()
    matching.show_animation = False

    def program(before, now):  # type: ignore[no-untyped-def]
        rotation, shift = matching.icp_matching(before, now)
        return rotation[0] @ np.array([1.0, 2.0]) + np.sum(shift**2)

    turn = np.array([[np.cos(0.05), -np.sin(0.05)], [np.sin(0.05), np.cos(0.05)]])
    points = 5 * normal(1, 2, 12)
    return Case(program, lambda: (points, turn @ points + 0.1 + 0.01 * normal(2, 2, 12)), "before, now")


def game(code: Any) -> Case:
    nash = bare_package("quantecon", code, "_lqnash")._lqnash
    none, one = np.zeros((2, 1)), np.zeros((1, 1))

    def program(beta, a, b1, b2, r1, r2):  # type: ignore[no-untyped-def]
        f1, f2, p1, p2 = nash.nnash(
            a, b1, b2, r1, r2, [[1.0]], [[1.2]], [[0.0]], [[0.0]], none, none, one, one, beta=beta
        )
        return np.sum(f1**2) + np.sum(f2 * p1[0]) + np.sum(p2)

    growth, costs = np.array([[0.9, 0.1], [0.05, 0.8]]), np.array([[1.0, 0.2], [0.2, 0.8]])
    first, second = np.array([[0.3], [0.5]]), np.array([[0.6], [0.2]])
    return Case(program, lambda: (0.95, growth, first, second, costs, costs[::-1, ::-1].copy()), "beta, a, b1, b2, r1")


def factors(code: Any) -> Case:
    factorization = code.load()

    def program(x, w, h):  # type: ignore[no-untyped-def]
        model = factorization.NMF(2, max_iter=8)
        model.fit(x, w, h)
        return np.sum((model.W @ model.H) ** 2) + np.sum(model.W)

    return Case(program, lambda: (uniform(1, 6, 5), uniform(2, 6, 2), uniform(3, 2, 5)), "x, w, h")


def frames(code: Any) -> Case:
    bare_package("calfem", code)
    elements = code.named("calfem.core")
    freedoms = np.array([[4, 5, 6, 1, 2, 3], [7, 8, 9, 10, 11, 12], [4, 5, 6, 7, 8, 9]])
    x, y = np.array([[0.0, 0.0], [6.0, 6.0], [0.0, 6.0]]), np.array([[4.0, 0.0], [4.0, 0.0], [4.0, 4.0]])

    def program(modulus, area, inertia, push):  # type: ignore[no-untyped-def]
        stiffness, forces = np.zeros((12, 12)), np.zeros((12, 1))
        forces[3] = push
        section = [modulus, area, inertia]
        for bar, spread in enumerate((0.0, 0.0, -1e4)):
            own, load = elements.beam2e(x[bar], y[bar], section, [0.0, spread])
            elements.assem(freedoms[bar], stiffness, own, forces, load)
        moved, _ = elements.solveq(stiffness, forces, np.array([1, 2, 3, 10, 11]))
        ends = elements.extract_eldisp(freedoms, moved)
        inner = elements.beam2s(x[2], y[2], section, ends[2], [0.0, -1e4], 5)[0]
        return 1e4 * np.sum(moved**2) + 1e-8 * np.sum(inner**2)

    return Case(program, lambda: (2e11, 2e-3, 1.6e-5, 2e3), "modulus, area, inertia, push")


class _Type:
    """Stands for a type of numba's: called and indexed to make signatures."""

    def __call__(self, *_: Any) -> _Type:
        return self

    def __getitem__(self, _: Any) -> _Type:
        return self


def _as_it_is(*_: Any, **__: Any) -> Callable[[Any], Any]:
    return lambda function: function


def volatility(code: Any) -> Case:
    kind = _Type()
    stand_in("numba", njit=_as_it_is, vectorize=_as_it_is, float64=kind, int64=kind, boolean=kind, prange=range)
    for name in ("financepy", "financepy.models", "financepy.utils"):
        bare_package(name, code).__path__ = [str(code.folder / name.replace(".", "/"))]
    models, kinds = code.named("financepy.models.heston"), code.named("financepy.utils.global_types")
    option = SimpleNamespace(expiry_dt=365.0, strike_price=100.0, opt_type=kinds.OptionTypes.EUROPEAN_CALL)

    def program(v0, kappa, theta, sigma, rho, s0):  # type: ignore[no-untyped-def]
        heston, loss = models.Heston(v0, kappa, theta, sigma, rho), 0.0
        for scheme in models.HestonNumericalScheme:
            loss += heston.value_mc(0.0, option, s0, 0.03, 0.01, 20, 12, 7, scheme)
        return loss

    return Case(program, lambda: (0.04, 1.5, 0.05, 0.3, -0.5, 101.0), "v0, kappa, theta, sigma, rho, s0")


def mixture_regression(code: Any) -> Case:
    mixtures = code.named("gmr")

    def program(x, asked):  # type: ignore[no-untyped-def]
        model = mixtures.GMM(2, random_state=0)
        model.from_samples(x, n_iter=5)
        return np.sum(model.predict(np.array([0]), asked) ** 2)

    samples = np.concatenate([normal(1, 10, 2), 3 + normal(2, 10, 2)])
    return Case(program, lambda: (samples, normal(4, 3, 1)), "x, asked")


def orientation(code: Any) -> Case:
    bare_package("ahrs", code)
    bare_package("ahrs.filters", code).__path__ = [str(code.folder / "ahrs/filters")]
    filters = code.named("ahrs.filters.fourati")

    def program(gyr, acc, mag):  # type: ignore[no-untyped-def]
        found = filters.Fourati(gyr=gyr, acc=acc, mag=mag, magnetic_dip=[0.0, 0.5, 0.0, 0.8])
        return found.Q[-1] @ np.arange(1.0, 5.0)

    up, north = np.array([0.0, 0.0, 9.0]), np.array([20.0, 0.0, 40.0])
    return Case(program, lambda: (normal(1, 5, 3), up + normal(2, 5, 3), north + normal(3, 5, 3)), "gyr, acc, mag")


def manoeuvres(code: Any) -> Case:
    kalman = code.named("filterpy.kalman")

    def program(z, noise):  # type: ignore[no-untyped-def]
        filters = []
        for factor in (1.0, 10.0):
            one = kalman.KalmanFilter(2, 1)
            one.x, one.F = np.array([[0.0], [1.0]]), np.array([[1.0, 1.0], [0.0, 1.0]])
            one.H, one.P, one.R, one.Q = np.array([[1.0, 0.0]]), 3.0 * one.P, 2.0 * one.R, factor * noise * np.eye(2)
            filters.append(one)
        bank = kalman.IMMEstimator(filters, np.array([0.6, 0.4]), np.array([[0.9, 0.1], [0.2, 0.8]]))
        for value in z:
            bank.predict()
            bank.update(value)
        return np.sum(bank.x**2) + np.sum(bank.P) + np.sum(bank.mu**2)

    return Case(program, lambda: (2.0 + normal(1, 4), 0.1), "z, noise")


ESTIMATORS = (cubature, ensemble, registration, game, factors, frames, volatility, mixture_regression)
DRIVERS: dict[str, Callable[[Any], Case]] = {one.__name__: one for one in (*ESTIMATORS, orientation, manoeuvres)}
