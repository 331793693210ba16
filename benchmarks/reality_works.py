"""Drivers of programs about power grids, moorings, magnets, turbulent air, frames, fuel cells and microwaves."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, stand_in, uniform


def load_flow(code: Any) -> Case:
    vars(np).setdefault("in1d", np.isin)  # NumPy 2 has another name
    grids = code.named("pypower.api")
    options = grids.ppoption(VERBOSE=0, OUT_ALL=0)

    def program(loads, volts):  # type: ignore[no-untyped-def]
        case = grids.case9()
        case["gen"] = case["gen"].astype(float)
        case["bus"][[4, 6, 8], 2] = loads
        case["gen"][:, 5] = volts
        found, _ = grids.runpf(case, options)
        return np.sum(found["branch"][:, 13] + found["branch"][:, 15]) + np.sum(found["bus"][:, 7])

    return Case(program, lambda: (np.array([90.0, 100.0, 125.0]), np.array([1.0, 1.01, 1.02])), "loads, volts")


def mooring(code: Any) -> Case:
    lines = code.named("moorpy.Catenary")

    def program(distance, height, length, weight):  # type: ignore[no-untyped-def]
        below, above, ahead, up, told = lines.catenary(distance, height, length, 7.5e8, weight, CB=0.2)
        taut = lines.catenary(distance, height, 0.95 * length, 7.5e8, weight)
        return (below + above + ahead + 2 * up + taut[2]) / 1e6 + told["LBot"] / 100 + taut[4]["stiffnessB"][0, 0] / 1e6

    return Case(program, lambda: (1600.0, 600.0, 1800.0, 1000.0), "distance, height, length, weight")


def magnet(code: Any) -> Case:
    stand_in("magpylib._version", version="5")
    for name in ("plotly", "plotly.colors", "plotly.graph_objects"):
        stand_in(name, sample_colorscale=None)
    magnets = code.named("magpylib")
    places = np.array([[0.03, 0.01, 0.0], [0.02, 0.02, 0.01], [0.0, 0.05, 0.03]])

    def program(polarization, dimension, position, places):  # type: ignore[no-untyped-def]
        bar = magnets.magnet.Cuboid(polarization=polarization, dimension=dimension, position=position)
        bar.rotate_from_angax(30, "x")
        return 1e3 * np.sum(bar.getB(places) ** 2)

    start = (np.array([0.1, 0.2, 1.0]), np.array([0.01, 0.02, 0.03]), np.array([0.001, 0.0, 0.002]), places)
    return Case(program, lambda: start, "polarization, dimension, position, places")


def turbulence(code: Any) -> Case:
    stand_in("numba", njit=lambda *a, **k: a[0] if a else lambda f: f, jit=lambda *a, **k: a[0] if a else lambda f: f)
    sys.modules["numba"].__dict__.setdefault("prange", range)
    optics = code.named("aotools")
    screens = code.named("aotools.turbulence.infinitephasescreen")
    shapes = optics.zernikeArray(6, 16)

    def program(seeing, scale, aberrations):  # type: ignore[no-untyped-def]
        screen = screens.PhaseScreenVonKarman(16, 0.1, seeing, scale, random_seed=2)
        for _ in range(3):
            screen.add_row()
        phase = 0.05 * screen.scrn + np.sum(aberrations[:, None, None] * shapes, axis=0)
        wave = optics.circle(8, 16) * np.exp(1j * phase)
        far = optics.opticalpropagation.angularSpectrum(wave, 0.5e-6, 1e-3, 1.5e-3, 10.0)
        return np.sum(np.abs(far) ** 4)

    return Case(program, lambda: (0.1, 20.0, uniform(1, 6)), "seeing, scale, aberrations")


def frame(code: Any) -> Case:
    structures = code.named("anastruct")

    def program(forces, bending):  # type: ignore[no-untyped-def]
        system = structures.SystemElements(EA=15000, EI=bending)
        for ends in ([[0, 0], [0, 5]], [[0, 5], [5, 5]], [[5, 5], [5, 0]]):
            system.add_element(location=ends)
        system.add_support_fixed(node_id=1)
        system.add_support_fixed(node_id=4)
        system.point_load(node_id=2, Fx=forces[0], Fy=forces[1])
        system.q_load(element_id=2, q=forces[2])
        system.solve()
        return system.get_node_results_system(node_id=2)["ux"] * 100 + system.get_node_displacements(3)["phi_z"] * 100

    return Case(program, lambda: (np.array([30.0, -5.0, -10.0]), 5000.0), "forces, bending")


def fuel_cell(code: Any) -> Case:
    stand_in("art", text2art=None)
    stand_in("requests")
    cells = code.named("opem.Static.Amphlett")
    known = {"i-start": 1.0, "i-step": 1.0, "i-stop": 15.0, "l": 0.0178, "lambda": 23, "N": 1, "R": 0.0, "JMax": 1.5}

    def program(heat, hydrogen, oxygen, area):  # type: ignore[no-untyped-def]
        given = {**known, "T": heat, "PH2": hydrogen, "PO2": oxygen, "A": area, "Name": "cell"}
        found = cells.Static_Analysis(InputMethod=given, TestMode=True, PrintMode=False, ReportMode=False)
        return sum(found["V"]) + sum(found["P"]) / 10

    return Case(program, lambda: (343.15, 1.0, 1.0, 50.6), "heat, hydrogen, oxygen, area")


def microstrip(code: Any) -> Case:
    waves = code.named("skrf")
    band = waves.Frequency(1, 3, 5, "GHz")

    def program(width, height, permittivity):  # type: ignore[no-untyped-def]
        strip = waves.media.MLine(band, w=width, h=height, t=1e-5, ep_r=permittivity)
        return np.sum(np.abs(strip.z0_characteristic)) + np.sum(np.abs(strip.line(0.01, "m").s[:, 1, 0]))

    return Case(program, lambda: (3e-3, 1.5e-3, 4.4), "width, height, permittivity")


DRIVERS: dict[str, Callable[[Any], Case]] = {
    "load_flow": load_flow,
    "mooring": mooring,
    "magnet": magnet,
    "turbulence": turbulence,
    "frame": frame,
    "fuel_cell": fuel_cell,
    "microstrip": microstrip,
}
