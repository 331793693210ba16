"""Drivers of programs about waves, orbits, storms, rivers, crystals, spins, drivers and wells; see `reality.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, plain, stand_in, uniform


def _without_numba() -> None:
    stand_in("numba", njit=plain, jit=plain, prange=range)


def steep_waves(code: Any) -> Case:
    waves, places = code.named("raschii"), np.linspace(0, 60, 7)

    def program(height, depth, length):  # type: ignore[no-untyped-def]
        wave = waves.FentonWave(height=height, depth=depth, length=length, N=6)
        moved = wave.velocity(places, np.linspace(5.0, 15.0, 7))
        return np.sum(wave.surface_elevation(places) ** 2) + np.sum(moved**2 * np.arange(1, 3)) + wave.c

    return Case(program, lambda: (5.0, 20.0, 100.0), "height, depth, length")


def transfer_between_orbits(code: Any) -> Case:
    _without_numba()
    solvers = code.named("lamberthub")

    def program(first, last, time):  # type: ignore[no-untyped-def]
        total = 0.0
        for solver in (solvers.izzo2015, solvers.battin1984, solvers.avanzini2008):
            leaving, arriving = solver(3.986004418e5, first, last, time)
            total += np.sum(leaving**2) + np.sum(arriving * np.arange(3))
        return total

    places = (np.array([15945.34, 100.0, 200.0]), np.array([12214.84, 10249.47, 300.0]))
    return Case(program, lambda: (*places, 4560.0), "first, last, time")


def strength_of_storms(code: Any) -> Case:
    _without_numba()
    storms = code.named("tcpyPI")
    levels = np.array(
        [1000, 975, 950, 925, 900, 850, 800, 750, 700, 600, 500, 400, 300, 250, 200, 150, 125, 100, 70, 50, 30.0]
    )

    def program(surface, pressure, temperature, mixing):  # type: ignore[no-untyped-def]
        wind, least, _, outflow, level = storms.pi(surface, pressure, levels, temperature, mixing)
        return wind + 0.1 * least + 0.01 * outflow + 0.01 * level

    height = np.log(1010 / levels)
    sounding = (np.maximum(28 - 49.6 * height, -75.0), 18 * np.exp(-3.52 * height))
    return Case(program, lambda: (29.0, 1012.0, *sounding), "surface, pressure, temperature, mixing")


def speech_in_noise(code: Any) -> Case:
    stand_in("pyuff")
    index = code.named("mosqito.sq_metrics.speech_intelligibility.sii_ansi._main_sii")

    def program(speech, noise):  # type: ignore[no-untyped-def]
        total = 0.0
        for method, bands in (("critical", 21), ("third_octave", 18), ("octave", 6)):
            heard, specific, _ = index._main_sii(method, speech[:bands], noise[:bands], None)
            total += heard + np.sum(specific**2)
        return total

    return Case(program, lambda: (50 + 5 * normal(0, 21), 45 + 8 * normal(1, 21)), "speech, noise")


def meandering_river(code: Any) -> Case:
    _without_numba()
    for missing in ("h5py", "tqdm", "skimage"):
        stand_in(missing, trange=range, measure=None, morphology=None)
    rivers, along = code.named("meanderpy.meanderpy"), np.linspace(0, 6000, 120)

    def program(x, y, rate, friction):  # type: ignore[no-untyped-def]
        for _ in range(5):
            x, y = rivers.migrate_one_step(
                x, y, 10 - 1e-3 * along, 100.0, rate, 3e6, 1.0, friction, 6.0, 40, 5, deltas=50.0
            )
        return np.sum(y**2) / len(y)

    bends = 120 * np.sin(along / 500) * np.exp(-(((along - 3000) / 2000) ** 2))
    return Case(program, lambda: (along.copy(), bends.copy(), 1.9e-6, 0.011), "x, y, rate, friction")


def modes_of_a_fibre(code: Any) -> Case:
    fibres, radii = code.named("ofiber.cylinder_step"), np.linspace(0.1, 2, 12)

    def program(frequency, radius):  # type: ignore[no-untyped-def]
        first, second = fibres.LP_mode_value(frequency, 0, 1), fibres.LP_mode_value(frequency, 1, 1)
        light = np.sum(fibres.LP_radial_irradiance(frequency, first, 0, radii))
        lost = fibres.bending_loss_db(1.465, 0.003, radius, 0.03, 1.55e-6)
        return first + 2 * second + light + fibres.PetermannW(frequency) + lost

    return Case(program, lambda: (3.2, 5e-6), "frequency, radius")


def sparse_signal(code: Any) -> Case:
    pursuit = bare_package("spgl1", code, "spgl1").spgl1

    def program(matrix, seen, size):  # type: ignore[no-untyped-def]
        found, rest, *_ = pursuit.spg_lasso(matrix, seen, size, verbosity=0, iter_lim=20)
        return np.sum(found**2 * np.arange(24)) + np.sum(rest**2)

    hidden, matrix = np.zeros(24), normal(0, 12, 24)
    hidden[[3, 7, 15]] = [2.0, -1.5, 1.0]
    return Case(program, lambda: (matrix, matrix @ hidden + 0.01 * normal(1, 12), 3.0), "matrix, seen, size")


def coherent_series(code: Any) -> Case:
    stand_in("tqdm")
    wavelets = code.named("pycwt")

    def program(one, other):  # type: ignore[no-untyped-def]
        coherence, phase, *_ = wavelets.wct(one, other, 0.25, dj=1 / 4, s0=1.0, J=12, sig=False)
        return np.sum(coherence**2) + np.sum(np.sin(phase))

    return Case(program, lambda: (normal(0, 80), normal(1, 80)), "one, other")


def smoothed_states(code: Any) -> Case:
    _without_numba()
    filters = code.named("particles.kalman")

    def program(moves, sees, noise, data):  # type: ignore[no-untyped-def]
        model = filters.MVLinearGauss(
            F=moves, G=sees, covX=noise * np.eye(2), covY=0.2 * np.eye(1), mu0=np.zeros(2), cov0=np.eye(2)
        )
        states = filters.Kalman(ssm=model, data=list(data))
        states.smoother()
        return np.sum(np.stack([one.mean for one in states.smth]) ** 2) + sum(np.sum(one) for one in states.logpyt)

    moves, sees = np.array([[0.9, 0.1], [-0.2, 0.8]]), np.array([[1.0, 0.5]])
    return Case(program, lambda: (moves, sees, 0.3, normal(0, 20, 1)), "moves, sees, noise, data")


def drivers_on_a_highway(code: Any) -> Case:
    bare_package("highway_env", code)
    drivers, roads = code.named("highway_env.vehicle.behavior"), code.named("highway_env.road.road")
    lane = ("0", "1", 0)

    def program(places, speeds, wanted):  # type: ignore[no-untyped-def]
        network = roads.RoadNetwork.straight_road_network(1, start=0, length=2000)
        road, total = roads.Road(network=network, np_random=np.random.RandomState(0)), 0.0
        for place, speed in zip(places, speeds, strict=True):
            car = drivers.IDMVehicle(
                road, network.get_lane(lane).position(place, 0.0), speed=speed, target_speed=wanted
            )
            car.enable_lane_change = False
            road.vehicles.append(car)
        for _ in range(12):
            road.act()
            road.step(0.1)
            for car in road.vehicles:
                total += car.speed**2 + 0.1 * car.position[0]
        return total

    given = (np.array([0.0, 22.0, 48.0, 70.0]), np.array([25.0, 24.0, 22.0, 21.0]), 28.0)
    return Case(program, lambda: given, "places, speeds, wanted")


def light_through_a_lens(code: Any) -> Case:
    pipes = code.named("LightPipes")

    def program(hole, focal, distance):  # type: ignore[no-untyped-def]
        field = pipes.GaussAperture(hole, 0, 0, 1, pipes.Begin(10e-3, 1e-6, 24))
        field = pipes.Fresnel(distance, pipes.Lens(focal, 0, 0, field))
        return np.sum(pipes.Intensity(0, pipes.Forvard(0.1, field)) ** 2 * np.arange(24))

    return Case(program, lambda: (3e-3, 1.5, 0.4), "hole, focal, distance")


def spins_at_a_distance(code: Any) -> Case:
    for missing in ("dill", "quadprog", "memoization", "numexpr"):
        stand_in(missing, cached=lambda **_: lambda function: function)
    bare_package("deerlab", code)
    kernels, distances = code.named("deerlab.dipolarkernel"), np.linspace(2, 5, 30)

    def program(times, mean, width, depth):  # type: ignore[no-untyped-def]
        among = np.exp(-(((distances - mean) / width) ** 2))
        signal = kernels.dipolarkernel(times, distances, mod=depth) @ (among / np.trapezoid(among, distances))
        return np.sum(signal**2 * np.linspace(1, 2, len(times)))

    return Case(program, lambda: (np.linspace(0.05, 2.0, 25), 3.4, 0.3, 0.4), "times, mean, width, depth")


def picture_of_little_variation(code: Any) -> Case:
    bare_package("pyunlocbox", code)
    functions, solvers = code.named("pyunlocbox.functions"), code.named("pyunlocbox.solvers")

    def program(image, weight):  # type: ignore[no-untyped-def]
        near, smooth = functions.norm_l2(y=image, lambda_=weight), functions.norm_tv(maxit=10, dim=2)
        solver = solvers.douglas_rachford(step=0.5)
        found = solvers.solve([smooth, near], image.copy(), solver, maxit=8, verbosity="NONE")
        return np.sum(found["sol"] ** 3)

    return Case(program, lambda: (1 + normal(0, 10, 12), 3.0), "image, weight")


def water_for_wells(code: Any) -> Case:
    _without_numba()
    models = code.named("pastas.recharge")
    others = (np.array([0.9, 0.2, 2.0, 10.0, 0.05, 1.5, 1.0]), np.array([1.5, 0.5, 1.5, 1.0, 0.5, 0.8]))

    def program(rain, evaporation, temperature, given):  # type: ignore[no-untyped-def]
        total = np.sum(models.FlexModel(snow=True).simulate(rain, evaporation, temperature, given) ** 2)
        total += np.sum(models.Berendrecht().simulate(rain, evaporation, others[0])[30:])
        return total + np.sum(models.Peterson().simulate(rain, evaporation, others[1]))

    weather = (np.maximum(0.01, 4 * normal(0, 90)), 2 * uniform(1, 90), 5 * normal(2, 90))
    given = np.array([250.0, 0.25, 40.0, 2.0, 1.0, 2.0, 0.5, 0.1])
    return Case(program, lambda: (*weather, given), "rain, evaporation, temperature, given")


def phases_of_satellites(code: Any) -> Case:
    search, factor = code.load(), normal(0, 4, 4)

    def program(spread, phases):  # type: ignore[no-untyped-def]
        lower, scale, change = search.reduction(*search.ldldecom(spread))
        _, distances = search.msearch(lower, scale, change.T @ phases)
        return np.sum(distances) + np.sum(scale) + search.sr_boost(scale)

    return Case(program, lambda: (factor @ factor.T + np.eye(4), 3 * normal(1, 4)), "spread, phases")


def reflected_x_rays(code: Any) -> Case:
    for name in ("genx.models", "genx.models.lib", "genx.core", "genx.core.custom_logging"):
        module: Any = sys.modules.setdefault(name, ModuleType(name))
        module.__path__ = [str(code.folder / name.replace(".", "/"))]
        module.USE_NUMBA, module.iprint = False, print
    layers, angles = code.named("genx.models.lib.paratt"), np.linspace(0.2, 3.0, 40)

    def program(refraction, thickness, roughness):  # type: ignore[no-untyped-def]
        sample, wave = ((1 - refraction) + 1e-7j, thickness, roughness), 1.54
        seen = layers.Refl(angles, wave, *sample)
        also = layers.ReflQ(4 * np.pi / wave * np.sin(np.deg2rad(angles)), wave, *sample)
        return np.sum(np.log(seen)) + np.sum(np.log(also) ** 2)

    given = (np.array([7.6e-6, 2e-5, 5e-5, 1e-9]), np.array([0.0, 40.0, 25.0, 0.0]), np.array([3.0, 4.0, 2.0, 0.0]))
    return Case(program, lambda: given, "refraction, thickness, roughness")


def integrals_of_orbitals(code: Any) -> Case:
    shells = code.named("gbasis.contractions").GeneralizedContractionShell
    overlap, kinetic = code.named("gbasis.integrals.overlap"), code.named("gbasis.integrals.kinetic_energy")
    nuclei, weights = code.named("gbasis.integrals.nuclear_electron_attraction"), np.array([0.15, 0.53, 0.44])

    def program(place, other, exponents):  # type: ignore[no-untyped-def]
        basis = [shells(0, place, weights, exponents, "cartesian"), shells(1, other, weights, exponents, "cartesian")]
        near = nuclei.nuclear_electron_attraction_integral(basis, np.stack([place, other]), np.array([1.0, 2.0]))
        moving = kinetic.kinetic_energy_integral(basis)
        return np.sum(overlap.overlap_integral(basis) ** 2) + np.sum((moving + near) * np.arange(4))

    given = (np.array([0.0, 0.1, 0.2]), np.array([1.0, 0.3, -0.2]), np.array([3.4, 0.6, 0.17]))
    return Case(program, lambda: given, "place, other, exponents")


WAYS = (
    *(steep_waves, transfer_between_orbits, strength_of_storms, speech_in_noise, meandering_river, modes_of_a_fibre),
    *(sparse_signal, coherent_series, smoothed_states, drivers_on_a_highway, light_through_a_lens),
    *(spins_at_a_distance, picture_of_little_variation, water_for_wells, phases_of_satellites, reflected_x_rays),
    integrals_of_orbitals,
)
DRIVERS: dict[str, Callable[[Any], Case]] = {one.__name__: one for one in WAYS}
