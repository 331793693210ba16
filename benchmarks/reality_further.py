"""Drivers of programs about ice, layers, probes, mixtures, oil, frames, ears and nerves; see `reality.py`."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import scipy.integrate

from benchmarks.reality_case import Case, bare_package, normal, stand_in, uniform


def flowing_ice(code: Any) -> Case:
    ice, (x, y) = code.load(), np.meshgrid(np.linspace(-1, 1, 7), np.linspace(-1, 1, 6))

    def program(surface, bed, gamma, exponent):  # type: ignore[no-untyped-def]
        for _ in range(5):
            change, step = ice.diffusion_MUSCL_2D(surface, bed, gamma, exponent, 500.0, 500.0, 0.124)
            surface = np.maximum(surface + change * np.fmin(step, 1.0), bed)
        return np.sum((surface - bed) ** 2) + step

    bed = 100 * uniform(0, 6, 7)
    dome = bed + 300 * np.maximum(1 - x**2 - y**2, 0) + uniform(1, 6, 7)
    return Case(program, lambda: (dome, bed, 2e-16 * (910 * 9.81) ** 3 / 5, 3.0), "surface, bed, gamma, exponent")


def layers_of_fibres(code: Any) -> Case:
    theory, criteria = code.named("clt"), code.named("failurecriteria")

    def program(along, across, shear, thick, load, warmer):  # type: ignore[no-untyped-def]
        fibre = {"E1": along, "E2": across, "n12": 0.354, "G12": shear, "Xt": 47e6, "Xc": 14e6, "Yt": 24e6, "Yc": 18e6}
        fibre.update(S12=75e6, a1=2.1e-6, a2=2.1e-6, b1=0.01, b2=0.35)
        layers = {"thk": [*thick], "ang": [0, 30, -30, 90], "mat_id": [0, 0, 0, 0]}
        found = theory.calc_stressCLT([fibre], layers, load, None, warmer, 0.001)["MCS"]["stress"]
        total = 0.0
        for criterion in (criteria.tsaiwu_2D, criteria.maxstress_2D, criteria.hashin_2D):
            safety = criterion([fibre], layers, found["inf"], found["sup"])
            total += sum(1 / one[0] for one in safety["fs_inf"] + safety["fs_sup"])
        broken = ["fiber" if one[1] == "fiber" else None for one in safety["fs_inf"]]
        after = theory.calc_stressCLT([fibre], layers, load, broken, warmer)["MCS"]["stress"]["sup"]
        return total + 1e-12 * np.sum(after**2)

    load = np.array([1e3, 1e2, 50.0, 0.1, 0.2, 0.05])
    arguments = (69e9, 6e9, 3e9, 0.127e-3 * (1 + 0.1 * uniform(0, 4)), load, -60.0)
    return Case(program, lambda: arguments, "along, across, shear, thick, load, warmer")


def probe_in_a_plasma(code: Any) -> Case:
    probes, volts = code.named("langmuir"), np.linspace(-1.05, 4.1, 6)

    def program(density, warmth, radius, kappa, alpha):  # type: ignore[no-untyped-def]
        electrons = probes.Electron(n=density, eV=warmth, kappa=kappa, alpha=alpha)
        plasma = [electrons, probes.Proton(n=density, eV=warmth)]
        ball = 1e9 * np.sum(probes.OML_current(probes.Sphere(r=1e-3 * radius), plasma, volts))
        wire = 1e6 * np.sum(probes.OML_current(probes.Cylinder(r=1e-3, l=25e-3), plasma, V=volts) ** 2)
        return ball + wire + 1e3 * probes.debye(plasma)

    return Case(program, lambda: (1e11, 0.1, 1.0, 4.5, 0.1), "density, warmth, radius, kappa, alpha")


def joined_margins(code: Any) -> Case:
    copulas, u, v = code.named("pycop"), 0.9 * uniform(0, 20), 0.9 * uniform(1, 20)

    def program(u, v, theta, shares):  # type: ignore[no-untyped-def]
        total = 0.0
        for family in ("clayton", "gumbel", "frank", "joe", "galambos", "plackett", "rgumbel"):
            copula = copulas.archimedean(family=family)
            total += np.sum(np.log(copula.get_pdf(u, v, [theta]))) + np.sum(copula.get_cdf(u, v, [theta]))
        total += np.sum(copulas.student().get_pdf(u, v, [0.2 * theta, 4.0]))
        return total + np.sum(np.log(copulas.mixture(["clayton", "gumbel"]).get_pdf(u, v, shares)))

    return Case(program, lambda: (u, v, 1.7, np.array([0.4, 0.6, 1.2, 1.5])), "u, v, theta, shares")


def separated_sources(code: Any) -> Case:
    sys.modules["numexpr"] = None  # type: ignore[assignment]
    analysis = bare_package("picard", code, "solver").solver

    def program(mixed):  # type: ignore[no-untyped-def]
        whitened, unmixing, sources = analysis.picard(mixed, max_iter=4, w_init=np.eye(3), ortho=False, extended=False)
        return np.sum(np.tanh(sources) ** 2 * np.arange(1, 4)[:, None]) + np.sum(unmixing**3) + np.sum(whitened**2)

    sources = np.random.default_rng(0).laplace(size=(3, 60))
    return Case(program, lambda: (normal(1, 3, 3) @ sources,), "mixed", 1e-4)


def standard_air(code: Any) -> Case:
    air = code.named("ambiance").Atmosphere

    def program(heights, pressures):  # type: ignore[no-untyped-def]
        there, found = air(heights), air.from_pressure(pressures)
        small = np.sum(there.dynamic_viscosity) * 1e4 + np.sum(there.mean_free_path) * 1e3
        return np.sum(there.density) + 1e-3 * np.sum(there.speed_of_sound) + small + 1e-3 * np.sum(found.h)

    heights, pressures = np.array([100.0, 5000.0, 15000.0, 40000.0]), np.array([5e4, 1e4])
    return Case(program, lambda: (heights, pressures), "heights, pressures")


def spectra_of_mixtures(code: Any) -> Case:
    resolution, constraints = code.named("pymcr.mcr"), code.named("pymcr.constraints")

    def program(data, spectra):  # type: ignore[no-untyped-def]
        kept = [constraints.ConstraintNonneg(), constraints.ConstraintNorm()]
        fitted = resolution.McrAR(max_iter=3, c_regr="NNLS", st_regr="OLS", c_constraints=kept)
        fitted.fit(data, ST=spectra)
        return np.sum(fitted.C_opt_**2) + np.sum(fitted.D_opt_ * np.arange(10))

    return Case(program, lambda: (uniform(0, 8, 2) @ uniform(1, 2, 10), uniform(2, 2, 10)), "data, spectra")


def oil_between_wheels(code: Any) -> Case:
    for name in ("cv2", "numexpr"):
        stand_in(name, evaluate=None)
    bare_package("tribology", code)
    hertz, oils, films = (code.named(f"tribology.{one}") for one in ("hertz", "lubrication", "dowson_hamrock"))

    def program(radius, modulus, force, hot, viscosity):  # type: ignore[no-untyped-def]
        reduced, along, across = hertz.reff(radius, 1.3 * radius, 3 * radius, 2 * radius)
        stiff = hertz.eeff(modulus, 0.3, 2e5, 0.28)
        half, other, area = hertz.ahertz(reduced, along, across, stiff, force)
        pressed = hertz.phertz(reduced, along, across, stiff, force, ret="max")
        thin = np.sum(oils.walther(40.0, viscosity, 100.0, 12.5, hot))
        film = films.dowhampoint(1.0, force, 0.02, stiff, reduced, 1e-9 * viscosity)
        return half + 2 * other + area + 1e-3 * pressed + thin + np.sum(film)

    arguments = (10.0, 2.1e5, 50.0, np.array([20.0, 30.0, 60.0]), 90.0)
    return Case(program, lambda: arguments, "radius, modulus, force, hot, viscosity")


def life_under_vibration(code: Any) -> Case:
    for name in ("pyExSi", "rainflow", "fatpack"):
        stand_in(name)
    sys.modules["FLife.visualize"] = ModuleType("FLife.visualize")
    lives, at = code.named("FLife"), np.linspace(1, 100, 40)

    def program(density, strength, slope):  # type: ignore[no-untyped-def]
        spectrum = lives.SpectralData(input={"PSD": density, "f": at})
        total = 0.0
        for method in (lives.Dirlik, lives.TovoBenasciutti, lives.ZhaoBaker, lives.WirschingLight, lives.Park):
            total += np.log10(method(spectrum).get_life(C=strength, k=slope))
        return total

    density = np.exp(-((at - 20) ** 2) / 50) + 0.3 * np.exp(-((at - 70) ** 2) / 30) + 0.01
    return Case(program, lambda: (density, 1.8e22, 7.3), "density, strength, slope")


def frame_in_space(code: Any) -> Case:
    code.named("pystran")
    model, section, beam, rotation = (code.named(f"pystran.{one}") for one in ("model", "section", "beam", "rotation"))

    def program(length, modulus, area, force, moment):  # type: ignore[no-untyped-def]
        frame = model.create(3)
        freedoms = frame["freedoms"]
        places = {3: [0.0, 0.0, 0.0], 1: [0.0, length, 0.0], 2: [2 * length, length, 0.0], 4: [3 * length, 0.0, length]}
        for number, place in places.items():
            model.add_joint(frame, number, place)
        joints = frame["joints"]
        for number in (3, 4):
            model.add_support(joints[number], freedoms.ALL_DOFS)
        given = {"E": modulus, "G": modulus / 2.5, "A": area, "Ix": 83, "Iy": 56, "Iz": 56, "J": 83}
        first = section.beam_3d_section("first", **given, xz_vector=[0, 0, 1])
        turned = rotation.rotate(joints[2], joints[4], [0, 1, 0], 90)
        second = section.beam_3d_section("second", **given, xz_vector=turned)
        for number, ends, kind in ((1, [1, 2], first), (2, [3, 1], first), (3, [2, 4], second)):
            model.add_beam_member(frame, number, ends, kind)
        for joint, freedom, load in ((1, freedoms.U1, force), (2, freedoms.U2, -1), (2, freedoms.UR3, -moment)):
            model.add_load(joints[joint], freedom, load)
        model.number_dofs(frame)
        model.solve_statics(frame)
        model.statics_reactions(frame)
        ends = beam.beam_3d_end_forces(frame["beam_members"][1], joints[1], joints[2])
        moved = sum(np.sum(np.square(joints[one]["displacements"])) for one in (1, 2))
        return moved + ends["Ni"] + 1e-2 * ends["Mzj"] + 1e-2 * sum(joints[3]["reactions"].values())

    return Case(program, lambda: (120.0, 3e4, 11.0, 2.0, 120.0), "length, modulus, area, force, moment")


def ears_under_water(code: Any) -> Case:
    package = bare_package("arlpy", code)
    package.plot = sys.modules["arlpy.plot"] = ModuleType("arlpy.plot")
    arrays, water = code.named("arlpy.bf"), code.named("arlpy.uwa")
    angles = np.linspace(-1, 1, 9)

    def program(heard, places, warmth, salt):  # type: ignore[no-untyped-def]
        speed = water.soundspeed(warmth, salt, 10.0)
        delays = arrays.steering_plane_wave(places, speed, angles)
        beams = arrays.broadband(heard, 8000.0, 16, delays, f0=100)
        loss = water.absorption(50000.0, 100.0, warmth, salt, 10.0)
        still = np.abs(water.reflection_coeff(0.4, 1200, 1600, alpha=0.01, c=speed))
        return 1e-2 * np.sum(beams * np.arange(9)[:, None]) + speed + 100 * loss + 10 * still

    arguments = (normal(0, 4, 64), np.arange(4) * 0.5 + 0.1, 27.0, 35.0)
    return Case(program, lambda: arguments, "heard, places, warmth, salt")


def filters_of_the_ear(code: Any) -> Case:
    bare_package("pyfilterbank", code)
    ear, mel = code.load("pyfilterbank/gammatone.py"), code.load("pyfilterbank/melbank.py")

    def program(sound, centre, width, lowest, power):  # type: ignore[no-untyped-def]
        upper, lower = ear.design_filter(centerfrequency=centre, band_width=width)
        heard, states = ear.fosfilter(upper, lower, 4, sound)
        bands, _ = mel.compute_melmat(6, lowest, 7900.0, 33, 16000)
        return 1e3 * np.sum(np.abs(heard) ** 2) + np.sum(np.abs(states)) + np.sum(np.log(bands @ power))

    arguments = (normal(0, 60), 1000.0, 130.0, 64.0, uniform(0, 33))
    return Case(program, lambda: arguments, "sound, centre, width, lowest, power")


def turning_generator(code: Any) -> Case:
    vars(np).setdefault("complex", complex)
    machines, file = code.load(), str(code.root / "examples/02_SMIB_AVR_Step/smib_round.mach")

    def program(voltage, angle, power, reactive, inertia):  # type: ignore[no-untyped-def]
        machine = machines.sym_order4(file, {"iopt": "runge_kutta", "fn": 50, "speed_volt": True})
        machine.params["H"], terminal = inertia, voltage * np.exp(1j * angle)
        machine.initialise(terminal, power + 1j * reactive)
        machine.signals["Vfd"] = 1.1 * machine.signals["Vfd"]
        for _ in range(4):
            for part in range(4):
                machine.calc_currents(terminal)
                machine.solve_step(0.01, part)
        states = machine.states
        return states["omega"] + states["delta"] + states["Eqp"] ** 2 + machine.signals["P"]

    return Case(program, lambda: (1.02, 0.1, 0.7, 0.2, 3.5), "voltage, angle, power, reactive, inertia")


def nerve_fibre(code: Any) -> Case:
    stand_in("pylab")
    cell = code.load().HodgkinHuxley

    def program(state, sodium, pulse):  # type: ignore[no-untyped-def]
        nerve = cell(gmax_Na=sodium, t_n=4, delta_t=0.1, I_inj_amplitude=pulse, I_inj_delay=1, I_inj_duration=2)
        options = {"tcrit": [1, 3], "rtol": 1e-11, "atol": 1e-11}
        found = scipy.integrate.odeint(nerve.dALLdt, state, nerve.t, args=(nerve,), **options)
        return np.sum(found[:, 0] ** 2) + 1e-3 * np.sum(nerve.I_Na(found[:, 0], found[:, 1], found[:, 2]) ** 2)

    return Case(program, lambda: (np.array([-65.0, 0.053, 0.596, 0.318]), 120.0, 10.0), "state, sodium, pulse", 1e-4)


DRIVERS = {
    driver.__name__: driver
    for driver in (
        *(flowing_ice, layers_of_fibres, probe_in_a_plasma, joined_margins, separated_sources, standard_air),
        *(spectra_of_mixtures, oil_between_wheels, life_under_vibration, frame_in_space, ears_under_water),
        *(filters_of_the_ear, turning_generator, nerve_fibre),
    )
}
