"""What of the programs in reality.toml is differentiated that measure, listen, look and model what is measured."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, stand_in, uniform


def interpreted() -> None:
    """Numba, whose functions stay Python's."""

    def plain(*given: Any, **options: Any) -> Any:
        return given[0] if given and isinstance(given[0], FunctionType) else lambda function: function

    def over_elements(*given: Any, **options: Any) -> Any:
        is_bare = bool(given) and isinstance(given[0], FunctionType)
        return np.vectorize(given[0]) if is_bare else np.vectorize

    kind = lambda *shapes: shapes  # noqa: E731
    stand_in("numba", njit=plain, jit=plain, vectorize=over_elements, float64=kind, prange=range)


def shaped_pulse(code: Any) -> Case:
    package = bare_package("sigpy", code)
    package.config, package.backend = code.named("sigpy.config"), code.named("sigpy.backend")
    magnet, shapes = code.load(), code.load("sigpy/mri/rf/adiabatic.py")
    places = np.linspace(-2, 2, 9)

    def program(pulse, width):  # type: ignore[no-untyped-def]
        a, b = magnet.abrm(pulse, places, balanced=True)
        strength, _ = shapes.hypsec(32, width, 4.9, 0.012)
        return np.sum(np.abs(2 * np.conj(a) * b)) + np.sum(strength**2)

    return Case(program, lambda: (0.3 * normal(1, 16), 800.0), "pulse, width")


def noisy_motion(code: Any) -> Case:
    integrators = importlib.import_module("sdeint")
    times, noise = np.linspace(0.0, 1.0, 11), 0.3 * normal(2, 10, 2)

    def program(start, rates):  # type: ignore[no-untyped-def]
        drift, spread = lambda x, t: rates.dot(x), lambda x, t: np.diag([0.5, 0.5]) * x
        path = integrators.itoEuler(drift, spread, start, times, noise)
        other = integrators.itoSRI2(drift, lambda x, t: np.eye(2), start, times, generator=np.random.default_rng(3))
        return np.sum(path**2) + np.sum(other[-1])

    return Case(program, lambda: (np.array([3.0, 3.0]), np.array([[-0.5, -2.0], [2.0, -1.0]])), "start, rates")


def wavelet_power(code: Any) -> Case:
    waves = code.load()

    def program(series, step):  # type: ignore[no-untyped-def]
        wave, _, scale, _ = waves.wavelet(series, step, 1, 0.25, 2 * step, 16, "MORLET")
        return np.sum(np.sum(np.abs(wave) ** 2, axis=1) / scale)

    return Case(program, lambda: (normal(1, 50), 0.25), "series, step")


def matrix_products(code: Any) -> Case:
    states = code.named("tenpy_toycodes.a_mps")

    def program(first, second, third, weights):  # type: ignore[no-untyped-def]
        weights, spin = weights / np.linalg.norm(weights), np.diag([1.0, -1.0])
        state = states.SimpleMPS([first, second, third], [np.ones(1), weights, weights])
        entropy = np.sum(state.entanglement_entropy()) + np.sum(state.site_expectation_value(spin))
        return state.correlation_function(spin, 0, spin, 2) + entropy

    tensors = (normal(1, 1, 2, 2), normal(2, 2, 2, 2), normal(3, 2, 2, 1))
    return Case(program, lambda: (*(t.copy() for t in tensors), np.array([0.8, 0.6])), "first, second, third, weights")


def multiplets(code: Any) -> Case:
    stand_in("sparse", load_npz=None)
    bare_package("nmrsim", code)
    stand_in("nmrsim.bin")
    spins, exchange = code.named("nmrsim._classes"), code.named("nmrsim.dnmr")

    def program(frequency, coupling, rate):  # type: ignore[no-untyped-def]
        couplings = np.array([[0, coupling, 2.0], [coupling, 0, 1.0], [2.0, 1.0, 0]])
        peaks = spins.Multiplet(frequency, 2, [(coupling, 2), (3.1, 1)]).peaklist()
        peaks += spins.SpinSystem([frequency, frequency + 300.0, 230.0], couplings, second_order=False).peaklist()
        _, shape = exchange.DnmrTwoSinglets(165.0, 135.0, rate, 0.5, 0.6, 0.4, points=60).lineshape()
        return sum([place * height**2 for place, height in peaks]) + np.sum(shape**2)

    return Case(program, lambda: (430.0, 7.0, 3.3), "frequency, coupling, rate")


def steam(code: Any) -> Case:
    bare_package("iapws", code)
    tables = code.named("iapws.iapws97")

    def program(temperature, pressure):  # type: ignore[no-untyped-def]
        water, vapour = tables.IAPWS97(T=temperature, P=pressure), tables._Region2(temperature + 300, pressure / 4)
        return water.h + water.s + 1e3 * water.mu + water.k + vapour["cp"] + tables._PSat_T(temperature)

    return Case(program, lambda: (300.0, 3.0), "temperature, pressure")


def particle_cell(code: Any) -> Case:
    bare_package("SPPy", code)
    solvers, models = code.named("SPPy.solvers.electrode_surf_conc"), code.named("SPPy.models.battery")

    def program(diffusivity, current):  # type: ignore[no-untyped-def]
        positive, total = solvers.EigenFuncExp(0.5, 5, "p"), 0.0
        negative = solvers.PolynomialApproximation(20000.0, "n", "two")
        for k in range(3):
            given = (0.1, 0.1 * k, current, 8.5e-6, 1.1, 1e-14 * diffusivity, 5e4)
            total = total + positive(*given) + 1e-3 * negative(*given)
        sides = {"k_p": 6e-7, "S_p": 1.1, "c_smax_p": 5e4, "k_n": 2e-7, "S_n": 0.8, "c_smax_n": 3e4, "c_e": 1000.0}
        states = {"SOC_p": 0.5, "SOC_n": 0.7, "T": 298.0, "I_p_i": current, "I_n_i": current}
        return total + models.SPM()(OCP_p=4.1, OCP_n=0.1, R_cell=0.02, **sides, **states)

    return Case(program, lambda: (1.0, -1.65), "diffusivity, current")


def astronomers(code: Any) -> None:
    bare_package("PyAstronomy", code)
    shared = bare_package("PyAstronomy.pyaC", code)
    shared.__path__ = [str(code.folder / "PyAstronomy" / "pyaC")]
    shared.pyaErrors = code.named("PyAstronomy.pyaC.pyaErrors")


def broadened_lines(code: Any) -> Case:
    astronomers(code)
    broadening, lengths = code.load(), np.linspace(5000.0, 5003.0, 40)

    def program(flux, darkening, speed):  # type: ignore[no-untyped-def]
        slow = broadening.rotBroad(lengths, flux, darkening, speed)
        return np.sum(slow**2) + np.sum(broadening.fastRotBroad(lengths, flux, darkening, speed) ** 2)

    return Case(program, lambda: (1 + 0.1 * normal(1, 40), 0.6, 13.3), "flux, darkening, speed")


def comfort(code: Any) -> Case:
    interpreted()
    bare_package("pythermalcomfort", code)
    bare_package("pythermalcomfort.models", code).__path__ = [str(code.folder / "pythermalcomfort" / "models")]
    people = code.named("pythermalcomfort.models.two_nodes_gagge")

    def program(temperature, speed):  # type: ignore[no-untyped-def]
        air = {"tdb": temperature, "tr": temperature, "v": speed, "rh": 50.0}
        found = people.two_nodes_gagge(**air, met=1.2, clo=0.5, round_output=False)
        return found.e_skin + found.t_core + found.set

    return Case(program, lambda: (25.0, 0.1), "temperature, speed")


def response_spectra(code: Any) -> Case:
    ground = code.load()

    def program(motion, periods):  # type: ignore[no-untyped-def]
        moved, speed, force = ground.response_series(motion, 0.01, periods, 0.05)
        _, _, peaks = ground.pseudo_response_spectra(motion, 0.01, periods, 0.05)
        return 1e6 * np.sum(moved**2) + np.sum(speed**2) + np.sum(peaks) + np.sum(force[0] ** 3)

    return Case(program, lambda: (normal(1, 40), np.array([0.1, 0.5, 1.2])), "motion, periods")


def likeness(code: Any) -> Case:
    measures, truth = code.named("sewar.full_ref"), 255 * uniform(1, 24, 24, 3)

    def program(image):  # type: ignore[no-untyped-def]
        errors = measures.rmse(truth, image) + 1e-3 * measures.ergas(truth, image) + measures.sam(truth, image)
        return errors + measures.uqi(truth, image) + measures.ssim(truth, image, MAX=255)[0]

    return Case(program, lambda: (truth + 5 * normal(2, 24, 24, 3),), "image")


def loudness(code: Any) -> Case:
    bare_package("pyloudnorm", code)
    meters = code.named("pyloudnorm.meter")

    def program(sound, gain):  # type: ignore[no-untyped-def]
        return meters.Meter(1000, block_size=0.2).integrated_loudness(sound * gain)

    return Case(program, lambda: (0.3 * normal(1, 600), 1.2), "sound, gain")


def periods(code: Any) -> Case:
    bare_package("gatspy", code)
    bare_package("gatspy.periodic", code).__path__ = [str(code.folder / "gatspy" / "periodic")]
    slow, fast = code.named("gatspy.periodic.lomb_scargle"), code.named("gatspy.periodic.lomb_scargle_fast")
    times, errors = np.sort(10 * uniform(1, 30)), 0.1 * uniform(2, 30)

    def program(light):  # type: ignore[no-untyped-def]
        model = slow.LombScargle(Nterms=2).fit(times, light, errors)
        _, power = fast.lomb_scargle_fast(times, light, errors, 0.1, 0.05, 16)
        found = model.predict(np.array([0.3, 0.9]), period=1.7)
        return np.sum(model.score(np.array([1.1, 2.3]))) + np.sum(found**2) + np.sum(power**2)

    return Case(program, lambda: (np.sin(times) + 0.2 * normal(3, 30),), "light")


def space_frame(code: Any) -> Case:
    for name in ("prettytable", "vtk", "pyvista"):
        stand_in(name, PrettyTable=None)
    bare_package("PyNite", code)
    frames = code.named("PyNite.FEModel3D")
    corners = ((0.0, 0.0), (0.0, 360.0), (180.0, 480.0), (400.0, 360.0), (400.0, 0.0))

    def program(inertia, area, load):  # type: ignore[no-untyped-def]
        frame = frames.FEModel3D()
        for k, (x, y) in enumerate(corners):
            frame.add_node(f"N{k}", x, y, 0.0)
        for foot in ("N0", "N4"):
            frame.def_support(foot, True, True, True, True, True, True)
        frame.add_material("Steel", 30000.0, 11200.0, 0.5, 2.836e-4)
        for k in range(4):
            frame.add_member(f"M{k}", f"N{k}", f"N{k + 1}", "Steel", 250.0, inertia, 250.0, area)
        frame.add_node_load("N2", "FY", load)
        frame.add_member_dist_load("M1", "Fy", -0.02, -0.03)
        frame.analyze_linear(sparse=False)
        return frame.nodes["N2"].DY["Combo 1"] ** 2 + 1e-3 * frame.nodes["N0"].RxnMZ["Combo 1"]

    return Case(program, lambda: (200.0, 12.0, -30.0), "inertia, area, load")


def soundings(code: Any) -> Case:
    bare_package("sharppy", code)
    bare_package("sharppy.sharptab", code).__path__ = [str(code.folder / "sharppy" / "sharptab")]
    air = code.named("sharppy.sharptab.thermo")

    def program(warm, dew, pressure):  # type: ignore[no-untyped-def]
        parcel = (pressure, warm, dew)
        moist = air.thetae(*parcel) + air.wetbulb(*parcel) + air.relh(*parcel) + air.virtemp(*parcel)
        return moist + air.mixratio(pressure, dew) + air.lcltemp(warm, dew) + air.wetlift(pressure, warm, 500.0)

    return Case(program, lambda: (22.0, 14.0, 950.0), "warm, dew, pressure")


def network_of_lists(code: Any) -> Case:
    stand_in("tqdm", tqdm=lambda items, **rest: items, trange=range)
    deep = importlib.import_module("scratch.deep_learning")
    points = (([0.0, 0.0], [0.0]), ([0.0, 1.0], [1.0]), ([1.0, 0.0], [1.0]))

    def program(weights, rate):  # type: ignore[no-untyped-def]
        random.seed(0)
        first, total = deep.Linear(2, 3), 0.0
        net = deep.Sequential([first, deep.Sigmoid(), deep.Linear(3, 1)])
        first.w = [[weights[i, j] for j in range(2)] for i in range(3)]
        optimizer, loss = deep.Momentum(learning_rate=rate, momentum=0.9), deep.SSE()
        for _ in range(3):
            for x, y in points:
                predicted = net.forward(x)
                total += loss.loss(predicted, y)
                net.backward(loss.gradient(predicted, y))
                optimizer.step(net)
        return total

    return Case(program, lambda: (normal(1, 3, 2), 0.1), "weights, rate")


INSTRUMENTS: tuple[Callable[[Any], Case], ...] = (
    shaped_pulse,
    noisy_motion,
    wavelet_power,
    matrix_products,
    multiplets,
    steam,
    particle_cell,
)
INSTRUMENTS += (broadened_lines, comfort, response_spectra, likeness, loudness, periods, space_frame)
INSTRUMENTS += (soundings, network_of_lists)
DRIVERS: dict[str, Callable[[Any], Case]] = {one.__name__: one for one in INSTRUMENTS}
