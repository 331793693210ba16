"""Whole programs of other people: signals taken apart, a network that differentiates itself, geodesy, heat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, normal


def signal_modes(code: Any) -> Case:
    modes = code.load()
    t = np.arange(128) / 128

    def program(signal):  # type: ignore[no-untyped-def]
        parts, _, frequencies = modes.VMD(signal, 2000.0, 0.0, 3, 0, 1, 1e-5)
        return np.sum(parts[1] ** 2) + np.sum(frequencies[-1])

    waves = sum(a * np.cos(2 * np.pi * k * t) for a, k in ((1.0, 2), (0.25, 24), (0.1, 50)))
    return Case(program, lambda: (waves + 0.01 * normal(1, 128),), "signal")


def self_made_gradients(code: Any) -> Case:
    values, networks = code.named("micrograd.engine"), code.named("micrograd.nn")

    def program(weights, x):  # type: ignore[no-untyped-def]
        network = networks.MLP(2, [4, 4, 1])
        for parameter, weight in zip(network.parameters(), weights, strict=True):
            parameter.data = weight
        loss = sum((network([values.Value(a), values.Value(b)]) - k) ** 2 for k, (a, b) in enumerate(x))
        loss.backward()
        for parameter in network.parameters():
            parameter.data -= 0.05 * parameter.grad
        return network([values.Value(x[0, 0]), values.Value(x[0, 1])]).data + 0.1 * loss.data

    return Case(program, lambda: (normal(3, 37), np.array([[0.5, -1.0], [1.0, 0.3], [-0.7, 0.6]])), "weights, x")


def geodetic_points(code: Any) -> Case:
    maps, lines = code.named("pymap3d"), code.named("pymap3d.vincenty")

    def program(latitude, longitude, height):  # type: ignore[no-untyped-def]
        x, y, z = maps.geodetic2ecef(latitude, longitude, height)
        azimuth, elevation, distance = maps.ecef2aer(x, y, z, 42.0, -82.0, 200.0)
        above = maps.ecef2geodetic(1.001 * x, y, z)[2]
        length, direction = lines.vdist(latitude, longitude, latitude + 20.0, longitude + 30.0)
        there = lines.vreckon(latitude, longitude, 0.5 * length, direction)[0]
        seen = np.sum(azimuth) + np.sum(elevation) + 1e-5 * np.sum(distance) + 1e-4 * np.sum(above)
        return seen + 1e-5 * np.sum(length) + np.sum(there)

    given = (np.linspace(41, 45, 5), np.linspace(-83, -80, 5), np.linspace(100, 1e4, 5))
    return Case(program, lambda: given, "latitude, longitude, height")


def heat_stress(code: Any) -> Case:
    heat, globe = code.named("thermofeel.thermofeel"), code.named("thermofeel.liljegren")

    def program(air, dew, wind, radiant):  # type: ignore[no-untyped-def]
        humidity = heat.calculate_relative_humidity_percent(air, dew)
        felt = heat.calculate_utci(air, wind, radiant, td_k=dew)
        other = heat.calculate_heat_index_adjusted(air, dew) + heat.calculate_wind_chill(air, wind)
        sun, here = np.full(8, 500.0), np.full(8, 0.7)
        bulb = globe.wbgt(air, humidity, np.full(8, 1000.0), wind, sun, here, here)
        return np.sum(felt) + np.sum(other) + np.sum(bulb)

    given = (np.linspace(285, 312, 8), np.linspace(280, 295, 8), np.linspace(1, 6, 8), np.linspace(290, 330, 8))
    return Case(program, lambda: given, "air, dew, wind, radiant")


SERIES: tuple[Callable[[Any], Case], ...] = (
    signal_modes,
    self_made_gradients,
    geodetic_points,
    heat_stress,
)
DRIVERS: dict[str, Callable[[Any], Case]] = {one.__name__: one for one in SERIES}
