"""What of the programs in reality.toml is differentiated that segment, forecast, flow, mix, convect and assign."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
from abc import ABCMeta
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, normal, plain, stand_in, uniform

STREETS = np.array([(1, 2, 6.0, 5.0), (1, 3, 4.0, 4.0), (2, 4, 5.0, 6.0), (3, 4, 4.0, 5.0)])
STREETS = np.concatenate((STREETS, [(3, 2, 2.0, 5.0), (4, 5, 3.0, 6.0), (2, 5, 9.0, 7.0)]))


def _package(name: str, folder: Any = None, **attributes: Any) -> ModuleType:
    """A package of which only modules in its folder are there."""
    made = sys.modules.setdefault(name, ModuleType(name))
    made.__path__ = [] if folder is None else [str(folder)]
    vars(made).update(attributes)
    return made


def segmentation(code: Any) -> Case:
    _package("_skimage2")
    _package("_skimage2._shared")
    _package("_skimage2._shared.utils", _supported_float_type=lambda dtype: np.dtype(float))
    active = code.load()

    def program(image, mu, inside):  # type: ignore[no-untyped-def]
        _, phi, energies = active.chan_vese(
            image, mu=mu, lambda1=inside, tol=1e-9, max_num_iter=3, init_level_set="checkerboard", extended_output=True
        )
        return energies[-1] + np.sum(phi**2)

    return Case(program, lambda: (uniform(1, 12, 10), 0.25, 1.1), "image, mu, inside")


def news_impact(code: Any) -> Case:
    for name in ("arch", "arch.compat", "arch.utility"):
        _package(name)
    _package("arch.compat.numba", jit=lambda function, **options: function)
    _package("arch._typing", **dict.fromkeys(("Float64Array", "Float64Array1D", "Float64Array2D", "Int32Array")))
    _package("arch.utility.array", AbstractDocStringInheritor=ABCMeta)
    recursions = code.load()

    def program(parameters, returns):  # type: ignore[no-untyped-def]
        count = len(returns)
        bounds = np.ones((count, 1)) * np.array([[1e-3, 1e3]])
        first, work = np.zeros(count), [np.zeros(count) for _ in range(3)]
        recursions.egarch_recursion_python(parameters, returns, first, 1, 1, 1, count, 0.1, bounds, *work)
        long = np.array([0.1, 0.2, 0.4, 0.2]) * parameters
        second = recursions.figarch_recursion_python(
            long, np.abs(returns) ** 2, np.zeros(count), 1, 1, count, 20, 0.5, bounds
        )
        third, model = np.zeros(count), recursions.GARCHUpdater(1, 1, 1, 2.0)
        model.initialize_update(parameters, 0.7, count)
        for t in range(count):
            model.update(t, np.abs(parameters), returns, third, bounds)
        return sum(np.sum(np.log(found) + returns**2 / found) for found in (first, second, third))

    return Case(program, lambda: (np.array([0.05, 0.1, -0.05, 0.9]), normal(3, 60)), "parameters, returns")


def two_phase_flow(code: Any) -> Case:
    flow = code.named("fluids.two_phase")

    def program(m, x, rhol, rhog, mul, mug, sigma, D):  # type: ignore[no-untyped-def]
        fluid = {"m": m, "x": x, "rhol": rhol, "rhog": rhog, "mul": mul, "mug": mug, "D": D}
        rough = {"sigma": sigma, "roughness": 1e-5}
        return 1e-3 * (
            flow.Friedel(**fluid, **rough)
            + flow.Chisholm(**fluid)
            + flow.Kim_Mudawar(**fluid, sigma=sigma)
            + flow.Beggs_Brill(**fluid, **rough, P=1e7, angle=10.0)
            + flow.Lockhart_Martinelli(**fluid)
        )

    given = (0.6, 0.1, 915.0, 2.67, 180e-6, 14e-6, 0.0487, 0.05)
    return Case(program, lambda: given, "m, x, rhol, rhog, mul, mug, sigma, D")


def flash(code: Any) -> Case:
    sys.path.insert(0, str(code.root.parent / "CalebBell+fluids"))
    _package("chemicals")
    _package("chemicals.exceptions", PhaseCountReducedError=ValueError)
    marks = dict.fromkeys(("mark_numba_incompatible", "mark_numba_uncacheable"), lambda function: function)
    _package("chemicals.utils", mixing_simple=None, normalize=None, **marks)
    phases = code.load()

    def program(feed, ratios):  # type: ignore[no-untyped-def]
        vapour, _, y = phases.Rachford_Rice_solution(list(feed), list(ratios))
        other, x, _ = phases.Li_Johns_Ahmadi_solution(list(feed), list(ratios))
        return vapour * vapour + sum(one * one for one in y) + 2 * sum(x) * other

    return Case(program, lambda: (np.array([0.5, 0.3, 0.2]), np.array([1.685, 0.742, 0.532])), "feed, ratios")


def convection(code: Any) -> Case:
    _package("climlab")
    _package("climlab.constants", Rd=287.0, g=9.8, ps=1000.0)
    adjustment = code.load()
    pressure = np.array([1000.0, 900.0, 800.0, 650.0, 500.0, 350.0, 200.0, 100.0])
    column = np.array([300.0, 288.0, 284.0, 262.0, 250.0, 221.0, 219.0, 215.0])

    def program(temperature, capacity, lapse):  # type: ignore[no-untyped-def]
        found = adjustment.convective_adjustment_direct(pressure, temperature, capacity, lapserate=lapse)
        return 1e-4 * np.sum(found**2)

    return Case(program, lambda: (column.copy(), 1e5 * uniform(2, 8), 6.5), "temperature, capacity, lapse")


def tracer(code: Any) -> Case:
    numerics, edges = code.load(), np.linspace(-1.0, 1.0, 13)
    middles = 0.5 * (edges[1:] + edges[:-1])

    def program(diffusivity, speed, field):  # type: ignore[no-untyped-def]
        matrix = numerics.advdiff_tridiag(middles, edges, diffusivity, speed)
        source = numerics.compute_source(middles, edges)
        for _ in range(3):
            field = numerics.implicit_step_forward(field, matrix, source, 0.01)
        return np.sum(field**2)

    return Case(program, lambda: (uniform(1, 13), 0.3 * normal(2, 13), normal(3, 12)), "diffusivity, speed, field")


def mantle(code: Any) -> Case:
    _package("burnman", code.folder)
    _package("burnman.eos", code.folder / "eos")
    _package("burnman.utils", code.folder / "utils")
    minerals = importlib.import_module("burnman.eos.slb")

    def program(volume, temperature, v0, k0, slope, debye, gamma, q):  # type: ignore[no-untyped-def]
        one = {"V_0": v0, "K_0": k0, "Kprime_0": slope, "Debye_0": debye, "grueneisen_0": gamma, "q_0": q}
        one |= {"G_0": 130e9, "Gprime_0": 1.8, "eta_s_0": 2.4, "n": 7, "T_0": 300.0, "P_0": 0.0, "F_0": -2e6}
        state = minerals.SLB3()
        pressure = state.pressure(temperature, volume, one)
        stiffness = state.isothermal_bulk_modulus_reuss(0.0, temperature, volume, one)
        return 1e-10 * pressure + 1e-12 * stiffness + 1e-2 * state.entropy(0.0, temperature, volume, one)

    given = (4.2e-5, 1500.0, 4.36e-5, 128e9, 4.2, 809.0, 0.99, 2.1)
    return Case(program, lambda: given, "volume, temperature, v0, k0, slope, debye, gamma, q")


def economics(code: Any) -> None:
    """The package, as far as it needs no compiler."""

    stand_in("numba", njit=plain, jit=plain, objmode=None, prange=range)
    _package("quantecon", code.folder / "quantecon")
    _package("quantecon.markov", code.folder / "quantecon" / "markov")


def inequality(code: Any) -> Case:
    economics(code)
    chains, measures = code.named("quantecon.markov.gth_solve"), code.named("quantecon._inequality")

    def program(rates, incomes):  # type: ignore[no-untyped-def]
        moves = np.abs(rates) / np.sum(np.abs(rates), axis=1).reshape(-1, 1)
        _, shares = measures.lorenz_curve(incomes)
        spread = measures.gini_coefficient(incomes) + measures.shorrocks_index(moves)
        return np.sum(chains.gth_solve(moves) ** 2) + np.sum(shares) + spread

    return Case(program, lambda: (uniform(1, 4, 4), uniform(2, 9)), "rates, incomes")


def assignment(code: Any) -> Case:
    streets = "".join(f"{int(a)}\t{int(b)}\t{c}\t{t}\t{t}\t.15\t4\t60\n" for a, b, t, c in STREETS)
    files = {"demand.dat": "from\tto\tnumber\n1\t4\t3.0\n1\t5\t4.0\n3\t5\t2.0\n", "network.dat": "streets\n" + streets}
    with contextlib.redirect_stdout(io.StringIO()):
        city = code.load(until='\nassignment("', open=lambda name: io.StringIO(files[name.rpartition("/")[2]]))
    links, trips = list(city.linkSet.values()), list(city.tripSet.values())

    def program(times, capacities, demands):  # type: ignore[no-untyped-def]
        total = 0.0
        for k, link in enumerate(links):
            link.fft, link.cost, link.capacity, link.flow = times[k], times[k], capacities[k], 0.0
        for k, trip in enumerate(trips):
            trip.demand = demands[k]
        for step in range(1, 4):
            shortest, flows = city.loadAON()
            for name, link in city.linkSet.items():
                link.flow = link.flow * (1 - 1 / step) + flows[name] / step
            city.updateTravelTime()
            total = total + shortest
        return total + sum([link.flow * link.cost for link in links])

    return Case(program, lambda: (*STREETS[:, 2:].T.copy(), np.array([3.0, 4.0, 2.0])), "times, capacities, demands")


FLOWS = (segmentation, news_impact, two_phase_flow, flash, convection, tracer, mantle, inequality, assignment)
DRIVERS: dict[str, Callable[[Any], Case]] = {one.__name__: one for one in FLOWS}
