"""Drivers of programs about finite elements, kriging, splines, moist air, radiation, beams and colours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, normal, uniform


def conduction(code: Any) -> Case:
    elements = code.named("skfem")
    helpers = code.named("skfem.helpers")
    line = np.linspace(0.0, 1.0, 5)
    basis = elements.Basis(elements.MeshTri.init_tensor(line, line), elements.ElementTriP1())

    def program(conductivity, heat):  # type: ignore[no-untyped-def]
        @elements.BilinearForm
        def flow(u, v, w):  # type: ignore[no-untyped-def]
            inside = 1.0 + conductivity[0] * w.x[0] + conductivity[1] * w.x[1]
            return inside * helpers.dot(helpers.grad(u), helpers.grad(v))

        @elements.LinearForm
        def source(v, w):  # type: ignore[no-untyped-def]
            return heat * v

        fixed = elements.condense(flow.assemble(basis), source.assemble(basis), D=basis.get_dofs())
        return 100 * np.sum(elements.solve(*fixed) ** 2)

    return Case(program, lambda: (np.array([0.5, 0.3]), 1.0), "conductivity, heat")


def kriging(code: Any) -> Case:
    methods = code.named("pykrige")
    across, along = np.linspace(0.5, 4.0, 4), np.linspace(0.3, 3.5, 3)

    def program(x, y, values, model):  # type: ignore[no-untyped-def]
        known = {"sill": model[0], "range": model[1], "nugget": model[2]}
        found = methods.OrdinaryKriging(x, y, values, "spherical", known, anisotropy_scaling=1.5, anisotropy_angle=20.0)
        between, variance = found.execute("grid", across, along)
        return np.sum(between**2) + np.sum(variance)

    start = (5 * uniform(1, 10), 4 * uniform(2, 10), normal(3, 10), np.array([2.0, 3.0, 0.1]))
    return Case(program, lambda: start, "x, y, values, model")


def smoothing(code: Any) -> Case:
    splines = code.named("csaps")
    x, between = np.linspace(0.0, 5.0, 12), np.linspace(0.1, 4.9, 7)

    def program(y, weights):  # type: ignore[no-untyped-def]
        spline = splines.CubicSmoothingSpline(x, y, weights, smooth=0.85)
        itself, smooth = splines.csaps(x, y, between)
        return np.sum(spline(between) ** 2) + np.sum(spline(between, nu=1) ** 2) + np.sum(itself**2) + smooth

    return Case(program, lambda: (normal(1, 12), uniform(2, 12)), "y, weights")


def moist_air(code: Any) -> Case:
    air = code.named("psychrolib")
    air.SetUnitSystem(air.SI)

    def program(temperature, humidity, pressure):  # type: ignore[no-untyped-def]
        ratio, wet, dew, vapour, enthalpy, volume, saturation = air.CalcPsychrometricsFromRelHum(
            temperature, humidity, pressure
        )
        return 1e3 * ratio + wet + dew + vapour / 1e3 + enthalpy / 1e4 + volume + saturation

    return Case(program, lambda: (25.0, 0.6, 101325.0), "temperature, humidity, pressure")


def layers_of_haze(code: Any) -> Case:
    transfer = code.named("PythonicDISORT")

    def program(depths, albedos, asymmetry):  # type: ignore[no-untyped-def]
        moments = asymmetry[:, None] ** np.arange(8)[None, :]
        _, up, down, mean, intensity = transfer.pydisort(depths, albedos, 8, moments, 0.6, 3.1, 0.9, NFourier=3)
        fluxes = np.sum(up(np.array([0.1, 0.7]))) + down(0.45)[0]
        return fluxes + np.sum(intensity(0.55, 0.3)) + np.sum(mean(0.2) ** 2)

    start = (np.array([0.4, 1.0]), np.array([0.8, 0.9]), np.array([0.7, 0.5]))
    return Case(program, lambda: start, "depths, albedos, asymmetry")


def rational_curve(code: Any) -> Case:
    curves, knots = code.named("geomdl.NURBS"), code.named("geomdl.utilities")

    def program(points, weights):  # type: ignore[no-untyped-def]
        curve = curves.Curve()
        curve.degree = 3
        curve.ctrlpts = points.tolist()
        curve.weights = list(weights)
        curve.knotvector = knots.generate_knot_vector(curve.degree, len(curve.ctrlpts))
        curve.delta = 0.1
        return np.sum(np.array(curve.evalpts) ** 2) + np.sum(np.array(curve.derivatives(0.4, 2)) ** 2) / 10

    return Case(program, lambda: (normal(1, 6, 3), uniform(2, 6)), "points, weights")


def beam_on_supports(code: Any) -> Case:
    beams = code.named("pycba")

    def program(stiffness, loads, spans):  # type: ignore[no-untyped-def]
        beam = beams.BeamAnalysis([spans[0], spans[1], 5.0], stiffness, [-1, 0, -1, 0, -1, 0, -1, 0])
        beam.add_udl(1, loads[0])
        beam.add_pl(2, loads[1], 2.5)
        beam.add_pudl(3, loads[2], 1.0, 2.0)
        beam.analyze(npts=20)
        found = beam.beam_results
        return np.sum(found.R**2) / 1e3 + np.max(found.results.M) + 1e3 * np.sum(found.results.D**2)

    start = (np.array([3e4, 2e4, 1e4]), np.array([10.0, 15.0, 8.0]), np.array([6.0, 7.0]))
    return Case(program, lambda: start, "stiffness, loads, spans")


def colours(code: Any) -> Case:
    vars(np).setdefault("asscalar", lambda a: a.item())  # NumPy 2 has no longer this
    kinds, between = code.named("colormath.color_objects"), code.named("colormath.color_conversions")
    apart = code.named("colormath.color_diff")

    def program(lab, light):  # type: ignore[no-untyped-def]
        first = kinds.LabColor(lab[0], lab[1], lab[2])
        second = between.convert_color(kinds.sRGBColor(light[0], light[1], light[2]), kinds.LabColor)
        return apart.delta_e_cie2000(first, second) + apart.delta_e_cmc(first, second)

    return Case(program, lambda: (np.array([50.0, 20.0, -10.0]), np.array([0.3, 0.5, 0.2])), "lab, light")


DRIVERS: dict[str, Callable[[Any], Case]] = {
    "conduction": conduction,
    "kriging": kriging,
    "smoothing": smoothing,
    "moist_air": moist_air,
    "layers_of_haze": layers_of_haze,
    "rational_curve": rational_curve,
    "beam_on_supports": beam_on_supports,
    "colours": colours,
}
