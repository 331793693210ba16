"""What of the programs in reality.toml is differentiated whose arrays are of classes of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, stand_in, uniform


def horizon(code: Any) -> Case:
    control = code.load(until="if __name__")

    def program(start, weight):  # type: ignore[no-untyped-def]
        a, b = np.matrix([[0.77, -0.35], [0.49, 0.91]]), np.matrix([0.04, 0.15]).T
        x, q, p = np.matrix(start).T, np.matrix([[500 * weight, 0.0], [0.0, 100]]), np.matrix([[1500, 0.0], [0.0, 100]])
        cost = 0.0
        for u in control.CalcFiniteHorizonOptimalInput(a, b, q, np.matrix([1.0]), p, 5, x):
            x = a * x + b * u
            cost += x[0, 0] ** 2 + 0.1 * u[0, 0] ** 2
        return cost

    return Case(program, lambda: (np.array([1.0, -1.0]), 1.0), "start, weight")


def sound(code: Any) -> Case:
    package = bare_package("acoustics", code)
    package.standards = bare_package("acoustics.standards", code)
    package.standards.__path__ = [str(code.folder / "acoustics/standards")]
    tables = ("WEIGHTING_SYSTEMS", "NOMINAL_OCTAVE_CENTER_FREQUENCIES", "NOMINAL_THIRD_OCTAVE_CENTER_FREQUENCIES")
    stand_in("acoustics.standards.iec_61672_1_2013", **dict.fromkeys(tables))
    stand_in("pandas")
    for name in ("acoustics.signal", "acoustics.cepstrum", "acoustics.standards.iso_tr_25417_2007"):
        code.named(name)
    recorded = code.named("acoustics._signal")

    def program(x, level):  # type: ignore[no-untyped-def]
        part = recorded.Signal(x, 1000.0).calibrate_to(level).pick(0.004, 0.06)
        louder = part.gain(3.0) + 0.5 * part
        frequencies, spectrum = louder.power_spectrum()
        _, cepstrum = louder.real_cepstrum()
        levels = louder.leq() + louder.peak_level() + np.sum(cepstrum[1:5])
        return levels + louder.energy() / 1e3 + np.sum(spectrum * frequencies) / 1e3

    return Case(program, lambda: (normal(1, 64), 60.0), "x, level")


def filterbank(code: Any) -> Case:
    bare_package("madmom", code)
    bare_package("madmom.audio", code).__path__ = [str(code.folder / "madmom/audio")]
    filters = code.named("madmom.audio.filters")
    bins = np.linspace(0, 4000.0, 65)

    def program(spectrum):  # type: ignore[no-untyped-def]
        bank = filters.MelFilterbank(bins, num_bands=8, fmin=50.0, fmax=3500.0, unique_filters=False)
        return np.sum(np.log(np.dot(spectrum, bank) + 1.0) ** 2) + bank.num_bands

    return Case(program, lambda: (uniform(1, 3, 65),), "spectrum")


DRIVERS: dict[str, Callable[[Any], Case]] = {one.__name__: one for one in (horizon, sound, filterbank)}
