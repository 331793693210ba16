"""Drivers of programs about attitudes, spectra, maps, ratings, glucose, solar cells, antennas and cracks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, stand_in, uniform


def attitude_of_a_body(code: Any) -> Case:
    package = sys.modules.setdefault("madgwick", ModuleType("madgwick"))
    package.__path__ = [str(code.folder)]
    filters, quaternions = code.named("madgwick.madgwickahrs"), code.named("madgwick.quaternion")

    def program(turns, pulls, fields, beta):  # type: ignore[no-untyped-def]
        one, loss = filters.MadgwickAHRS(0.1, quaternions.Quaternion(1, 0, 0, 0), beta), 0.0
        for k in range(len(turns)):
            one.update(turns[k], pulls[k], fields[k])
            roll, pitch, yaw = one.quaternion.to_euler123()
            loss = loss + roll**2 + pitch**2 + yaw**2
        return loss

    given = (normal(1, 12, 3), normal(2, 12, 3) + np.array([0, 0, 3]), normal(3, 12, 3) + np.array([2, 0, 1]), 0.3)
    return Case(program, lambda: given, "turns, pulls, fields, beta")


def baseline(code: Any) -> Case:
    spectra, x = code.load(), np.arange(200.0)
    seen = np.exp(-(((x - 60) / 6) ** 2)) + np.exp(-(((x - 140) / 9) ** 2)) + 5e-3 * x + 0.02 * normal(1, 200)
    return Case(lambda y: np.sum((y - spectra.airPLS(y, 1000, 2, 6)) ** 2), lambda: (seen.copy(),), "y")


def map_grid(code: Any) -> Case:
    utm = code.named("utm")

    def program(latitude, longitude):  # type: ignore[no-untyped-def]
        east, north, zone, letter = utm.from_latlon(latitude, longitude)
        back, other = utm.to_latlon(east + 0.01 * north, north, zone, letter)
        return np.sum((east - 4e5) ** 2) * 1e-9 + np.sum(back * other)

    return Case(program, lambda: (48 + uniform(1, 1000), 7 + uniform(2, 1000)), "latitude, longitude")


def ratings(code: Any) -> Case:
    skills = code.named("trueskill")
    league = skills.TrueSkill(draw_probability=0.1)

    def program(means, spreads):  # type: ignore[no-untyped-def]
        r = [league.create_rating(means[k], spreads[k]) for k in range(5)]
        (a, b), (c,), (d, e) = league.rate([(r[0], r[1]), (r[2],), (r[3], r[4])], ranks=[0, 1, 1])
        x, y = skills.rate_1vs1(a, c, env=league)
        return x.mu + 0.5 * y.sigma + b.mu * d.sigma + e.mu

    return Case(program, lambda: (25 + 3 * normal(1, 5), 4 + 2 * uniform(2, 5)), "means, spreads")


def tournament(code: Any) -> Case:
    glicko = code.load()

    def program(rating, deviation, others, theirs):  # type: ignore[no-untyped-def]
        player = glicko.Player(rating, deviation, 0.06)
        for k in range(3):
            player.update_player([one + 5 * k for one in others], list(theirs), [1, 0, 0.5, 1])
        return player.rating * 1e-2 + player.rd * 0.01 + player.vol * 10

    given = (1500.0, 200.0, np.array([1400.0, 1550.0, 1700.0, 1450.0]), np.array([30.0, 100.0, 300.0, 80.0]))
    return Case(program, lambda: given, "rating, deviation, others, theirs")


def glucose(code: Any) -> Case:
    stand_in("pandas")
    stand_in("pkg_resources")
    sys.modules["pkg_resources"].resource_filename = lambda package, name: name  # type: ignore[attr-defined]
    bare_package("simglucose", code)
    bare_package("simglucose.patient", SimpleNamespace(folder=code.folder))
    sys.modules["simglucose.patient"].__path__ = [str(code.folder / "simglucose" / "patient")]
    patients = code.named("simglucose.patient.t1dpatient")
    names, values = (line.split(",") for line in (code.folder / PARAMETERS).read_text().splitlines()[:2])
    known = {name: float(one) for name, one in zip(names[1:], values[1:], strict=True) if name.isidentifier()}
    start = np.array([float(one) for one in values[2:15]])

    def program(dose, state, absorbed):  # type: ignore[no-untyped-def]
        one = SimpleNamespace(**{**known, "kabs": absorbed})
        x, loss = state, 0.0
        for t in range(200):
            action = patients.Action(insulin=0.02 + (dose if t < 20 else 0), CHO=4.0 if 10 < t < 30 else 0.0)
            x = x + 0.5 * patients.T1DPatient.model(t, x, action, one, state[0] + state[1], 40.0)
            loss = loss + (x[12] / one.Vg - 120) ** 2 * 1e-4
        return loss

    return Case(program, lambda: (0.2, start.copy(), 0.09), "dose, state, absorbed")


PARAMETERS = "simglucose/params/vpatient_params.csv"


def solar_cells(code: Any) -> Case:
    stand_in("future")
    stand_in("future.utils", iteritems=lambda known: iter(known.items()))
    stand_in("past")
    stand_in("past.builtins", xrange=range, range=range, basestring=str, map=map)
    bare_package("pvmismatch", code)
    cells, modules = (code.named(f"pvmismatch.pvmismatch_lib.{name}") for name in ("pvcell", "pvmodule"))

    def program(light, resistance):  # type: ignore[no-untyped-def]
        parts = [cells.PVcell(Ee=light[k], Rs=resistance) for k in range(16)]
        one = modules.PVmodule(cell_pos=modules.standard_cellpos_pat(4, [2, 2]), pvcells=parts)
        return np.max(one.Pmod) + 1e-3 * np.sum(one.Imod * one.Vmod) + parts[0].calcIcell(0.4)

    return Case(program, lambda: (uniform(1, 16), 0.0043), "light, resistance")


def antennas(code: Any) -> Case:
    arrays, sources = code.named("doatools.model.arrays"), code.named("doatools.model.sources")
    bounds, music = code.named("doatools.performance.crb"), code.named("doatools.estimation.music")
    core = code.named("doatools.estimation.core")

    def program(places, angles, powers):  # type: ignore[no-untyped-def]
        array, heard = arrays.ArrayDesign(places, "own"), sources.FarField1DSourcePlacement(angles)
        error = bounds.crb_sto_farfield_1d(array, heard, 1.0, powers, 0.3, 10, "mean_diag")
        steering = array.steering_matrix(heard, 1.0)
        noise = core.get_noise_subspace(steering @ np.diag(powers) @ steering.T.conj() + 0.3 * np.eye(8), 2)
        every = array.steering_matrix(sources.FarField1DSourcePlacement(np.linspace(-1.2, 1.2, 50)), 1.0)
        return error * 1e3 + np.sum(np.log(music.f_music(every, noise)))

    given = (np.arange(8.0)[:, None] * 0.5 + 0.02 * normal(1, 8, 1), np.array([-0.3, 0.25]), np.array([1.0, 1.4]))
    return Case(program, lambda: given, "places, angles, powers")


def cracks(code: Any) -> Case:
    field = code.load()

    def program(young, toughness, height):  # type: ignore[no-untyped-def]
        field.D = young / 0.96 * np.array([[1, 0.2, 0], [0.2, 1, 0], [0, 0, 0.4]])
        nodes, elements, held = (np.array([], dtype=object) for _ in range(3))
        field.createRectangularMesh(nodes, elements, 4, 2, 20.0, height)
        for k in range(len(nodes)):
            if abs(nodes[k].x) < 1e-8 or abs(nodes[k].x - 20.0) < 1e-8:
                held = np.append(held, field.BC(k, int(nodes[k].x > 1), 0.05 * int(nodes[k].x > 1), 0.0))
        n, solid = len(nodes), field.MaterialParameters(young, 0.2, toughness, 10.0)
        stiffness, force, field.Uelas = np.zeros((2 * n, 2 * n)), np.zeros(2 * n), np.zeros(2 * n)
        other, source, field.Upf = np.zeros((n, n)), np.zeros(n), np.zeros(n)
        for step in range(4):
            field.pseudotime = 0.15 * (step + 1)
            field.assembleGlobalStiffness(stiffness, force, elements, nodes, solid, 2)
            field.applyBoundaryConditions(stiffness, force, held)
            field.solveSystem(stiffness, force, field.Uelas)
            field.assembleGlobalStiffness(other, source, elements, nodes, solid, 1)
            field.solveSystem(other, source, field.Upf)
        stress = field.computeSigmaAtCenter(elements[3], nodes, np.zeros(3))
        return stress[0] + 10 * np.sum(field.Upf)

    return Case(program, lambda: (30.0, 0.1, 4.0), "young, toughness, height")


FINDS = (attitude_of_a_body, baseline, map_grid, ratings, tournament, glucose, solar_cells, antennas, cracks)
DRIVERS: dict[str, Callable[[Any], Case]] = {one.__name__: one for one in FINDS}
