"""Drivers of programs about circuits, mixing consoles, shocks, options, sand, defects and cells; see `reality.py`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, normal, plain, stand_in, uniform
from benchmarks.reality_pages import bare
from benchmarks.reality_unseen import made


def _without_numba() -> None:
    """Functions that numba would compile, as they are written."""
    stand_in("numba", jit=plain, njit=plain, float64=None)


def _console(code: Any) -> None:
    """The parts of a mixing console, without what their packages import."""
    _without_numba()
    bare(code, *(f"pymixconsole{part}" for part in ("", ".processors", ".components", ".util")))


def clipped_by_diodes(code: Any) -> Case:
    clipper = code.load("examples/diodeclipper.py").DiodeClipper

    def program(signal, cutoff, gain):  # type: ignore[no-untyped-def]
        circuit = clipper(44100, cutoff, gain)
        once = circuit.process_signal(signal)
        circuit.set_cutoff(2 * cutoff)
        twice = circuit.process_signal(once)
        return np.sum(once**2) + np.sum(twice * np.arange(len(twice)))

    return Case(program, lambda: (np.sin(np.arange(24.0)), 1000.0, 5.0), "signal, cutoff, gain")


def hat_of_a_drum_machine(code: Any) -> Case:
    resonator = code.load("examples/tr_808_hatresonator.py").TR_808_HatResonator

    def program(signal, cutoff, resonance):  # type: ignore[no-untyped-def]
        return np.sum(resonator(44100, cutoff, resonance).process_signal(signal) ** 2)

    return Case(program, lambda: (np.sin(np.arange(12.0)), 1000.0, 0.4), "signal, cutoff, resonance")


def shock_in_a_tube(code: Any) -> Case:
    tube = code.named("sodshock")

    def program(left, right, t, gamma):  # type: ignore[no-untyped-def]
        states = {"left_state": left, "right_state": right, "geometry": (0.0, 1.0, 0.5)}
        places, _, found = tube.solve(**states, t=t, gamma=gamma, npts=20, dustFrac=0.1)
        energies = np.sum(found["p"] ** 2) + np.sum(found["energy"]) + np.sum(found["rho_total"] * found["u"])
        return energies + sum(places.values())

    arguments = (np.array([1.0, 1.0, 0.0]), np.array([0.1, 0.125, 0.0]), 0.2, 1.4)
    return Case(program, lambda: arguments, "left, right, t, gamma")


def equalised_and_compressed(code: Any) -> Case:
    _console(code)
    equaliser = code.named("pymixconsole.processors.equaliser").Equaliser
    compressor = code.named("pymixconsole.processors.compressor").Compressor

    def program(x, gain, frequency, threshold, ratio):  # type: ignore[no-untyped-def]
        bands, levels, total = equaliser(block_size=16), compressor(block_size=16), 0.0
        bands.parameters.low_shelf_gain.value = gain
        bands.parameters.first_band_freq.value = frequency
        bands.parameters.second_band_gain.value = -gain
        levels.parameters.threshold.value = threshold
        levels.parameters.ratio.value = ratio
        for block in range(2):
            y = bands.process(x[16 * block : 16 * block + 16])
            total = total + np.sum(levels.process(y[:, 0] + 0.5 * y[:, 1]) ** 2) + np.sum(y[:, 1])
        return total

    return Case(program, lambda: (normal(0, 32, 2), 3.0, 900.0, -20.0, 3.0), "x, gain, frequency, threshold, ratio")


def echoes_that_are_made(code: Any) -> Case:
    _console(code)
    reverb = code.named("pymixconsole.processors.algoreverb").AlgorithmicReverb
    allpass = code.named("pymixconsole.components.allpass").Allpass
    comb = code.named("pymixconsole.components.comb").Comb

    def program(x, room, damping, mix):  # type: ignore[no-untyped-def]
        echoes = reverb(block_size=16)
        echoes.parameters.wet_mix.value = mix
        echoes.parameters.room_size.value = room
        filtered = comb(7, damping, room, 16)
        once = allpass(5, 0.5, 16).process(filtered.process(x[:, 0].copy()))
        return np.sum(echoes.process(x) ** 2) + np.sum(filtered.process(once) ** 2)

    return Case(program, lambda: (normal(0, 16, 2), 0.5, 0.2, 0.3), "x, room, damping, mix")


def options_by_projection(code: Any) -> Case:
    heston = code.named("fypy.model.sv.Heston").Heston
    constant = code.named("fypy.termstructures.DiscountCurve").DiscountCurve_ConstRate
    equity = code.named("fypy.termstructures.EquityForward").EquityForward
    pricer = code.named("fypy.pricing.fourier.ProjEuropeanPricer").ProjEuropeanPricer
    gaussian = code.named("fypy.model.levy.NIG").NIG
    sides = {"K": np.array([90.0, 100.0, 110.0]), "is_calls": np.array([True, False, True])}

    def program(spot, rate, v0, kappa, rho, alpha):  # type: ignore[no-untyped-def]
        discount = constant(rate=rate)
        forward = equity(S0=spot, discount=discount, divDiscount=constant(rate=0.02))
        curves = {"forwardCurve": forward, "discountCurve": discount}
        one = heston(v_0=v0, theta=0.04, kappa=kappa, sigma_v=0.5, rho=rho, **curves)
        other = gaussian(alpha=alpha, beta=-3, delta=0.4, **curves)
        prices = [pricer(model=one, N=2**6, L=10).price_strikes(T=1.0, **sides)]
        prices.append(pricer(model=other, N=2**6, L=10).price_strikes(T=0.5, **sides))
        return np.sum(prices[0]) + np.sum(prices[1])

    return Case(program, lambda: (100.0, 0.03, 0.04, 2.0, -0.5, 10.0), "spot, rate, v0, kappa, rho, alpha")


def sand_that_slides(code: Any) -> Case:
    _without_numba()
    bare(code, "aeolis")
    slides = code.named("aeolis.avalanching")
    rows, columns = 6, 7

    def program(bed, static, dynamic, spacing):  # type: ignore[no-untyped-def]
        grid = np.ones((rows, columns))
        state = {"zb": bed.copy(), "ds": spacing * grid, "dn": 1.0 * grid, "zne": -5 * grid, "SWL": 0 * grid}
        known = {"theta_stat": static, "theta_dyn": dynamic, "process_avalanche": True, "max_iter_ava": 4}
        known |= {"nx": columns - 1, "ny": rows - 1}
        found = slides.avalanche(slides.angele_of_repose(state, known), known)
        return np.sum(found["zb"] ** 2 * np.arange(columns)) + np.sum(found["zs"]) + np.sum(found["gradh"] ** 2)

    return Case(program, lambda: (1.5 * normal(0, rows, columns), 34.0, 33.0, 1.1), "bed, static, dynamic, spacing")


def defects_and_electrons(code: Any) -> Case:
    packages = ("", ".electronic_structure", ".electronic_structure.core", ".io", ".io.vasp", ".core")
    for name in packages:
        made(f"pymatgen{name}", Spin=None, Vasprun=None, Structure=None)
    bare(code, "py_sc_fermi")
    made("py_sc_fermi.inputs", InputSet=None)
    density = code.named("py_sc_fermi.dos").DOS
    species = code.named("py_sc_fermi.defect_species").DefectSpecies
    charged = code.named("py_sc_fermi.defect_charge_state").DefectChargeState
    system = code.named("py_sc_fermi.defect_system").DefectSystem
    energies = np.linspace(-4, 5, 91)
    states = np.where((energies < 0.01) | (energies > 1.99), 1 + energies**2, 0)

    def program(scale, formation, temperature, volume):  # type: ignore[no-untyped-def]
        dos = density(dos=states * scale, edos=energies, bandgap=2.0, nelect=12)
        charges = [charged(charge, max(charge, 1), formation[charge]) for charge in range(3)]
        vacancy = species("V", 2, dict(enumerate(charges)))
        interstitial = species("I", 1, {-1: charged(-1, 1, formation[3]), 0: charged(0, 1, formation[4])})
        both = system(defect_species=[vacancy, interstitial], dos=dos, volume=volume, temperature=temperature)
        level, _ = both.get_sc_fermi()
        found = both.concentration_dict(decomposed=False)
        defects = 1e-18 * (found["V"] + found["I"]) + np.log(found["n0"])
        return level + defects + sum(both.site_percentages().values())

    arguments = (1.0 + 0.1 * np.cos(energies), np.array([1.5, 0.4, 0.1, 1.9, 1.2]), 900.0, 100.0)
    return Case(program, lambda: arguments, "scale, formation, temperature, volume", 1e-4)


def cell_that_gets_warm(code: Any) -> Case:
    circuit = code.load("ecm/cell_ecm.py").CellEcm
    thermal = code.load("ecm/thermal_model.py").ThermalModel
    n = 60
    time = np.cumsum(np.where(np.arange(n) % 5 == 0, 20.0, 10.0))
    current = np.where(np.arange(n) % 12 < 4, -2.0, 0.0)

    class Data:
        def __init__(self, voltage):  # type: ignore[no-untyped-def]
            self.time, self.current, self.voltage = time, current, voltage

        def get_indices_pulse(self):  # type: ignore[no-untyped-def]
            return (np.arange(0, n, 12),)

        def get_indices_discharge(self):  # type: ignore[no-untyped-def]
            first = np.arange(0, n - 12, 12)
            return tuple(first + k for k in (3, 4, 8, 9, 12))

    class Cell:
        eta_chg, eta_dis, q_cell, tinf, m_cell, h_conv, cp_cell, a_surf = 0.98, 1.0, 1.1, 298.0, 0.04, 9.5, 850.0, 4e-3

    def program(voltage, coefficients, h):  # type: ignore[no-untyped-def]
        model = circuit(Data(voltage), Cell)
        open_circuit = model.ocv(model.soc())
        terminal = model.vt(model.soc(), open_circuit, model.rctau_ttc(coefficients))
        cell = Cell()
        cell.h_conv = h
        heat, kelvin = thermal(cell).calc_q_temp(i=current, ocv=open_circuit, time=time, ti=298.0, vt=terminal)
        return np.sum(terminal) + np.sum(heat) + 0.1 * np.sum((kelvin - 298) ** 2)

    voltage, pair = 4.0 - 4e-4 * time + 0.015 * current, np.array([4.0, 0.01, 0.02, 0.01, 0.03])
    return Case(program, lambda: (voltage, np.tile(pair, (4, 1)), 9.5), "voltage, coefficients, h")


def currents_through_a_body(code: Any) -> Case:
    for name in ("shapely", "shapely.geometry", "shapely.geometry.polygon", "trimesh"):
        made(name, Point=None, Polygon=None, LineString=None)
    bare(code, "pyeit", "pyeit.eit", "pyeit.mesh")
    meshes = code.named("pyeit.mesh.wrapper").PyEITMesh
    vars(sys.modules["pyeit.mesh"])["PyEITMesh"] = meshes
    n = 8
    protocol = code.named("pyeit.eit.protocol").create(n, dist_exc=1, step_meas=1, parser_meas="std")
    forward, inverse = code.named("pyeit.eit.fem").EITForward, code.named("pyeit.eit.jac").JAC
    t = 2 * np.pi * np.arange(n) / n
    ring = np.c_[np.cos(t), np.sin(t), 0 * t]
    nodes, after = np.vstack([np.zeros((1, 3)), 0.5 * ring, ring]), (np.arange(n) + 1) % n
    inner, outer, k = 1 + np.arange(n), 1 + n + np.arange(n), np.arange(n)
    sides = [
        np.c_[0 * k, inner, inner[after]],
        np.c_[inner, outer, outer[after]],
        np.c_[inner, outer[after], inner[after]],
    ]
    triangles = np.vstack(sides)

    def program(conductivity, weight, seen):  # type: ignore[no-untyped-def]
        mesh = meshes(node=nodes, element=triangles, perm=np.ones(3 * n), el_pos=outer, ref_node=0)
        solver, found = forward(mesh, protocol), inverse(mesh, protocol)
        slopes, voltages = solver.compute_jac(conductivity)
        found.setup(p=0.5, lamb=weight, method="kotre", perm=conductivity)
        picture = found.solve(seen, voltages)
        return np.sum(solver.solve_eit(conductivity) ** 2) + np.sum(slopes**2) * 0.01 + np.sum(picture**2)

    return Case(program, lambda: (1 + uniform(0, 3 * n), 0.1, 0.3 * normal(1, 40)), "conductivity, weight, seen")


DRIVERS = {
    driver.__name__: driver
    for driver in (
        *(clipped_by_diodes, hat_of_a_drum_machine, shock_in_a_tube, equalised_and_compressed, echoes_that_are_made),
        *(options_by_projection, sand_that_slides, defects_and_electrons, cell_that_gets_warm, currents_through_a_body),
    )
}
