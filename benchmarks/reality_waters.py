"""Drivers of programs about the earth, its waters, and signals; see `reality.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, stand_in, uniform


def geodesics(code: Any) -> Case:
    earth = code.named("geographiclib.geodesic").Geodesic.WGS84

    def program(ends):  # type: ignore[no-untyped-def]
        found = earth.Inverse(ends[0], ends[1], ends[2], ends[3])
        return found["s12"] / 1e6 + found["azi1"]

    return Case(program, lambda: (np.array([40.6, -73.8, 49.0, 2.55]),), "ends")


def spline_fluid(code: Any) -> Case:
    fluid = code.named("fluid")
    places = np.indices((24, 20))
    dye = np.exp(-((places[0] - 12) ** 2 + (places[1] - 10) ** 2) / 20.0)

    def program(velocity):  # type: ignore[no-untyped-def]
        flow = fluid.Fluid((24, 20), "dye")
        flow.velocity = flow.velocity + velocity
        flow.dye = flow.dye + dye
        for _ in range(3):
            curl = flow.step()[1]
        return np.sum(flow.dye**2) + np.sum(curl**2)

    given = np.stack([np.sin(places[1] / 5.0), np.cos(places[0] / 4.0)]) * 0.6
    return Case(program, lambda: (given,), "velocity")


def tides(code: Any) -> Case:
    utide = code.named("utide")
    days = np.arange(0, 24 * 40) / 24.0 + 736000
    waves = ((1.2, 12.42, 0.0), (0.4, 12.0, 0.3), (0.3, 23.93, 0.0))
    height = sum(size * np.cos(2 * np.pi * days / (hours / 24.0) + phase) for size, hours, phase in waves)
    options = {"constit": ["M2", "S2", "K1", "O1"], "conf_int": "none", "method": "ols", "trend": False}

    def program(height):  # type: ignore[no-untyped-def]
        found = utide.solve(days, height, lat=45.0, verbose=False, epoch="1700-01-01", **options)
        return np.sum(found.A**2)

    return Case(program, lambda: (height,), "height")


def reservoirs(code: Any) -> Case:
    stand_in("numba", jit=lambda *_, **__: lambda function: function)
    model = code.named("superflexpy.implementation.models.gr4j").model
    model.set_timestep(1.0)
    evaporation = 2.0 + uniform(2, 60)

    def program(rain):  # type: ignore[no-untyped-def]
        model.reset_states()
        model.set_input([rain, evaporation])
        return np.sum(model.get_output()[0] ** 2)

    return Case(program, lambda: (np.random.default_rng(0).gamma(0.5, 8.0, 60),), "rain")


def autoregression(code: Any) -> Case:
    spectrum = code.named("spectrum")
    steps = np.arange(40)

    def program(samples):  # type: ignore[no-untyped-def]
        poles, zeros, _ = spectrum.arma_estimate(samples, 3, 2, 8)
        burg, noise, _ = spectrum.arburg(samples, 4)
        return np.sum(np.real(poles) ** 2) + np.sum(np.real(zeros) ** 2) + np.sum(np.real(burg) ** 2) + noise

    given = np.sin(steps * 0.7) + 0.3 * np.cos(steps * 1.9) + 0.01 * np.sin(steps**2)
    return Case(program, lambda: (given,), "samples")


def fuzzy_tip(code: Any) -> Case:
    control, fuzzy = code.named("skfuzzy.control"), code.named("skfuzzy")
    quality, service = (control.Antecedent(np.arange(0, 11, 1.0), name) for name in ("quality", "service"))
    tip = control.Consequent(np.arange(0, 26, 1.0), "tip")
    quality.automf(3)
    service.automf(3)
    for name, corners in (("low", [0, 0, 13]), ("medium", [0, 13, 25]), ("high", [13, 25, 25])):
        tip[name] = fuzzy.trimf(tip.universe, corners)
    rules = [
        control.Rule(quality["poor"] | service["poor"], tip["low"]),
        control.Rule(service["average"], tip["medium"]),
        control.Rule(service["good"] | quality["good"], tip["high"]),
    ]
    system = control.ControlSystem(rules)

    def program(marks):  # type: ignore[no-untyped-def]
        simulation = control.ControlSystemSimulation(system)
        simulation.input["quality"] = marks[0]
        simulation.input["service"] = marks[1]
        simulation.compute()
        return simulation.output["tip"]

    return Case(program, lambda: (np.array([6.5, 8.8]),), "marks")


WATERS: tuple[Callable[[Any], Case], ...] = (geodesics, spline_fluid, tides, reservoirs, autoregression, fuzzy_tip)
DRIVERS: dict[str, Callable[[Any], Case]] = {one.__name__: one for one in WATERS}
