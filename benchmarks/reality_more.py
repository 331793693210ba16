"""Drivers of programs of instruments, markets, races and texts; see `reality.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, stand_in, uniform


def neutrons(code: Any) -> Case:
    package: Any = bare_package("refnx", code)
    package.reflect = sys.modules["refnx.reflect"] = ModuleType("refnx.reflect")
    layers = [[0, 2.07, 0, 0.1], [100, 3.47, 0.1, 3], [200, -0.5, 0.02, 4], [0, 6.36, 0.05, 3]]
    abeles, momenta = code.load().abeles, np.linspace(0.01, 0.3, 60)

    def program(layers):  # type: ignore[no-untyped-def]
        return np.sum(np.log(abeles(momenta, layers, 1.0, 1e-7)))

    return Case(program, lambda: (np.array(layers),), "layers")


def risk_budgets(code: Any) -> Case:
    stand_in("numba", njit=lambda function: function, jit=lambda *_, **__: lambda function: function)
    stand_in("quadprog")
    portfolios = code.named("pyrb")
    returns = normal(0, 5, 30)

    def program(covariance):  # type: ignore[no-untyped-def]
        portfolio = portfolios.RiskBudgeting(covariance, np.array([0.3, 0.2, 0.2, 0.2, 0.1]))
        portfolio.solve()
        return np.sum(portfolio.x**2 * np.arange(5)) + portfolio.get_risk_contributions(scale=False)[1]

    return Case(program, lambda: (returns @ returns.T / 30,), "covariance")


def impedances(code: Any) -> Case:
    circuit = code.load()
    frequencies = np.logspace(-1, 4, 20)

    def program(values):  # type: ignore[no-untyped-def]
        charge = circuit.s([circuit.R([values[1]], frequencies), circuit.W([values[2]], frequencies)])
        double_layer = circuit.CPE([values[3], values[4]], frequencies)
        pores = circuit.TLMQ([values[5], values[6], values[4]], frequencies)
        whole = circuit.s([circuit.R([values[0]], frequencies), circuit.p([charge, double_layer]), pores])
        return np.sum(np.abs(whole) ** 2)

    return Case(program, lambda: (np.array([0.01, 0.05, 0.5, 0.9, 0.8, 0.02, 3.0]),), "values")


def real_gas(code: Any) -> Case:
    gas = code.load()

    def program(values):  # type: ignore[no-untyped-def]
        methane = gas.Molecule("methane", values[0], values[1], values[2])
        ethane = gas.Molecule("ethane", 305.3, 49.0, 0.099)
        pure = gas.preos(methane, values[3], values[4], plotcubic=False)
        back = gas.preos_reverse(methane, values[3], 20.0)
        mixed = gas.preos_mixture(methane, ethane, 0.01, values[3], values[4], np.array([0.4, 0.6]), plotcubic=False)
        densities = pure["density(mol/m3)"] + back["density(mol/m3)"]
        return densities / 1e3 + pure["fugacity_coefficient"] + np.sum(mixed["fugacity_coefficients"])

    return Case(program, lambda: (np.array([190.6, 46.0, 0.011, 298.0, 65.0]),), "values")


def race_line(code: Any) -> Case:
    package: Any = bare_package("trajectory_planning_helpers", code)
    parts = ("normalize_psi", "calc_spline_lengths", "interp_splines", "calc_splines", "calc_head_curv_an")
    for part in (*parts, "create_raceline"):
        setattr(package, part, code.named(f"trajectory_planning_helpers.{part}"))
    angles = np.linspace(0, 2 * np.pi, 13)[:-1]
    track = np.stack([np.cos(angles) * (20 + 3 * np.sin(3 * angles)), np.sin(angles) * 15], 1)

    def program(track):  # type: ignore[no-untyped-def]
        x, y, _, normals = package.calc_splines.calc_splines(path=np.vstack((track, track[0])))
        line = package.create_raceline.create_raceline(track, normals, np.full(12, 0.4), 5.0)
        bends = package.calc_head_curv_an.calc_head_curv_an(x, y, np.arange(12), np.full(12, 0.3))[1]
        return np.sum(bends**2) + np.sum(line[0] ** 2) / 100 + np.sum(line[7])

    return Case(program, lambda: (track,), "track")


def labels(code: Any) -> Case:
    chains, features = code.named("crf"), code.named("feature")
    words, tags = ["the", "cat", "sat", "on", "the", "mat", "and", "the", "dog", "ran"], list("DNVPDNCDNV")
    texts = [([[word, word[:1]] for word in words[first:]], tags[first:]) for first in (0, 4)]
    known = features.FeatureSet()
    known.scan(texts)
    told = [[known.get_feature_list(text, place) for place in range(len(text))] for text, _ in texts]
    counts, names = known.get_empirical_counts(), known.get_labels()[0]

    def program(weights):  # type: ignore[no-untyped-def]
        return chains._log_likelihood(weights, texts, known, told, counts, names, 10.0)

    return Case(program, lambda: (0.3 * normal(0, len(known)),), "weights")


def parts_of_counts(code: Any) -> Case:
    factors = code.named("nonnegfac.nmf")

    def program(counts, left, right):  # type: ignore[no-untyped-def]
        found = factors.NMF_ANLS_BLOCKPIVOT().run(counts, 3, init=(left, right), max_iter=4)
        return np.sum(found[0] @ found[1].T * np.arange(48.0).reshape(8, 6)) + found[2]["final"]["rel_error"]

    return Case(program, lambda: (uniform(0, 8, 6), uniform(1, 8, 3), uniform(2, 6, 3)), "counts, left, right")


def smile(code: Any) -> Case:
    model = code.named("pysabr.models.hagan_2002_lognormal_sabr").Hagan2002LognormalSABR

    def program(values):  # type: ignore[no-untyped-def]
        rates = model(values[0], 0.01, 2.0, values[1], values[2], values[3], values[4])
        return sum(rates.lognormal_vol(strike) * (k + 1) for k, strike in enumerate((0.01, 0.02, 0.03, 0.045)))

    return Case(program, lambda: (np.array([0.025, 0.006, 0.6, -0.2, 0.4]),), "values")


def lenses(code: Any) -> Case:
    for missing in ("astropy", "astropy.cosmology", "astropy.constants", "astropy.units", "mpmath"):
        stand_in(missing)
    spep, nfw, tnfw, cnfw = (
        code.named(f"lenstronomy.LensModel.Profiles.{name}") for name in ("spep", "nfw_ellipse", "tnfw", "cnfw")
    )
    x, y = np.array([0.5, 1.1, -0.7, 0.3, 1.6]), np.array([0.2, -0.9, 1.3, 0.8, -0.35])

    def program(values):  # type: ignore[no-untyped-def]
        power = spep.SPEP().derivatives(x, y, values[0], values[1], values[2], values[3])
        halo = nfw.NFW_ELLIPSE().derivatives(x, y, values[4], values[5], values[2], values[3])
        cut = tnfw.TNFW().derivatives(x, y, values[4], values[5], 3.0)
        cored = cnfw.CNFW().derivatives(x, y, values[4], values[5], 0.2)
        sideways = np.sum((power[1] - halo[1]) * np.arange(5))
        return np.sum((power[0] + halo[0]) ** 2) + sideways + np.sum(cut[0]) + np.sum(cored[1] ** 2)

    return Case(program, lambda: (np.array([1.2, 1.93, 0.1, -0.07, 1.4, 0.6]),), "values")


MORE: tuple[Callable[[Any], Case], ...] = (
    neutrons,
    risk_budgets,
    impedances,
    real_gas,
    race_line,
    labels,
    parts_of_counts,
    smile,
    lenses,
)
DRIVERS: dict[str, Callable[[Any], Case]] = {one.__name__: one for one in MORE}
