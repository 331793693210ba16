"""Drivers of programs about forest fires, plates of rock, stocks, codes, rooms and lenses; see `reality.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, stand_in, uniform


def fire_weather(code: Any) -> Case:
    fire = code.named("cffdrs.fwi")

    def program(temperature, humidity, wind, rain):  # type: ignore[no-untyped-def]
        fine, duff, drought, total = 85.0, 6.0, 15.0, 0.0
        for k in range(len(temperature)):
            fine = fire.ffmc(fine, temperature[k], humidity[k], wind[k], rain[k])
            duff = fire.dmc(duff, temperature[k], humidity[k], rain[k], 55.0, 4 + k // 30)
            drought = fire.dc(drought, temperature[k], humidity[k], rain[k], 55.0, 4 + k // 30)
            total += fire.fwi(fire.isi(fine, wind[k]), fire.bui(duff, drought))
        return total / len(temperature)

    temperature = 15 + 8 * np.sin(np.arange(120) / 20) + normal(1, 120)
    given = (temperature, 80 * uniform(2, 120), 25 * uniform(3, 120), np.maximum(0.01, 4 * normal(4, 120) - 1))
    return Case(program, lambda: given, "temperature, humidity, wind, rain")


def estimates_of_states(code: Any) -> Case:
    filters = code.named("robust_kalman")

    def program(seen, noise, error):  # type: ignore[no-untyped-def]
        moves, pushes = np.array([[1.0, 0.01], [0.0, 1.0]]), np.array([[0.5e-4], [0.01]])
        spread = noise * (pushes @ pushes.T) + 1e-6 * np.eye(2)
        start, first = np.array([[0.0], [1.0]]), 10 * np.eye(2)
        state = filters.RobustKalman(moves, None, np.array([[1.0, 0.0]]), start, first, spread, np.eye(1) * error)
        total = 0.0
        for one in seen:
            state.time_update()
            state.measurement_update(one)
            total += state.current_estimate[0, 0] ** 2 + state.current_estimate_covariance[0, 0]
        return total

    return Case(program, lambda: (0.1 * np.cumsum(normal(0, 200)), 0.5, 0.8), "seen, noise, error")


def turbo_code(code: Any) -> Case:
    coding = code.named("commpy.channelcoding")
    trellis = coding.Trellis(np.array([2]), np.array([[1, 7]]), feedback=5, code_type="rsc")

    def program(symbols, parities, variance, known):  # type: ignore[no-untyped-def]
        found, _ = code.named("commpy.channelcoding.turbo").map_decode(symbols, parities, trellis, variance, known)
        return np.sum(found**2)

    given = (normal(0, 64), normal(1, 64), 0.8, 0.1 * normal(2, 64))
    return Case(program, lambda: given, "symbols, parities, variance, known")


def coated_spheres(code: Any) -> Case:
    bare_package("PyMieScatt", code)
    spheres = code.named("PyMieScatt.CoreShell")

    def program(index, loss, shell, wavelength, diameter):  # type: ignore[no-untyped-def]
        found = spheres.MieQCoreShell(index + 1j * loss, shell + 0j, wavelength, diameter, 1.4 * diameter)
        return found[0] + found[1] + found[3] + found[5]

    names = "index, loss, shell, wavelength, diameter"
    return Case(program, lambda: (1.5, 0.02, 1.33, 532.0, 500.0), names)


def mixture_by_variations(code: Any) -> Case:
    mixtures = code.named("prml.rv.variational_gaussian_mixture")

    def program(points, beta):  # type: ignore[no-untyped-def]
        np.random.seed(1)
        model = mixtures.VariationalGaussianMixture(n_components=3, alpha0=1.0, beta0=beta)
        model._fit(points, iter_max=20)
        return np.sum(model.mu**2) + np.sum(model.W) + 1e-2 * np.sum(model.alpha**2)

    centres = np.repeat([[0.0, 0.0], [3.0, 1.0], [1.0, -3.0]], 40, axis=0)
    return Case(program, lambda: (centres + 0.5 * normal(0, 120, 2), 1.0), "points, beta")


def bending_plate(code: Any) -> Case:
    plates = code.named("gflex.f2d")

    def program(thickness, load, young):  # type: ignore[no-untyped-def]
        plate = plates.F2D()
        plate.Quiet, plate.Method, plate.Solver, plate.PlateSolutionType = True, "FD", "direct", "vWC1994"
        plate.g, plate.E, plate.nu, plate.rho_m, plate.rho_fill = 9.8, young, 0.25, 3300.0, 0.0
        plate.Te, plate.qs, plate.dx, plate.dy = thickness, load, 5000.0, 5000.0
        plate.BC_W = plate.BC_S = plate.BC_N = "0Displacement0Slope"
        plate.BC_E = "0Moment0Shear"
        plate.initialize()
        plate.run()
        plate.finalize()
        return 1e-3 * np.sum(plate.w**2)

    load = np.zeros((20, 20))
    load[5:15, 5:15] = 1e6
    return Case(program, lambda: (35000.0 + 1000 * normal(0, 20, 20), load, 65e9), "thickness, load, young")


def place_of_the_sun(code: Any) -> Case:
    sys.modules.setdefault("pyorbital.version", ModuleType("pyorbital.version")).__dict__["__version__"] = "0"
    sun = code.named("pyorbital.astronomy")
    times = np.datetime64("2013-04-01T12:00:00") + np.arange(0, 86400, 600).astype("timedelta64[s]")

    def program(longitude, latitude):  # type: ignore[no-untyped-def]
        altitude, azimuth = sun.get_alt_az(times, longitude, latitude)
        position, _ = sun.observer_position(times, longitude, latitude, 0.1)
        rays = sun.cos_zen(times, longitude, latitude)
        return np.sum(rays**2) + np.sum(altitude**2) + np.sum(np.cos(azimuth)) + 1e-3 * np.sum(position[0])

    return Case(program, lambda: (15.0, 52.0), "longitude, latitude")


def orders_of_goods(code: Any) -> Case:
    stocks = code.named("stockpyl.rq")

    def program(holding, stockout, fixed, mean, deviation):  # type: ignore[no-untyped-def]
        point, quantity = stocks.r_q_eoqss_approximation(holding, stockout, fixed, mean, deviation, 1 / 12)
        cost = stocks.r_q_cost(point, quantity, holding, stockout, fixed, mean, deviation, 1 / 12)
        return cost + point + quantity

    names = "holding, stockout, fixed, mean, deviation"
    return Case(program, lambda: (0.225, 7.5, 8.0, 1300.0, 150.0), names)


def lenses_in_a_row(code: Any) -> Case:
    optics = code.named("raytracing")

    def program(first, second, distance, height):  # type: ignore[no-untyped-def]
        path, total = optics.ImagingPath(), 0.0
        for one in (optics.Space(d=first), optics.Lens(f=first, diameter=25.4), optics.Space(d=distance)):
            path.append(one)
        path.append(optics.Lens(f=second, diameter=50.0))
        path.append(optics.Space(d=second))
        path.append(optics.ThickLens(n=1.5, R1=100.0, R2=-80.0, thickness=5.0))
        path.append(optics.Space(d=20.0))
        for angle in (-0.05, 0.0, 0.03):
            seen = path.trace(optics.Ray(y=height, theta=angle))
            total += seen[-1].y ** 2 + seen[-1].theta
        beam = path * optics.GaussianBeam(w=0.5, wavelength=0.001)
        return total + beam.w + 1e-3 * abs(beam.R) + 1e-3 * path.effectiveFocalLengths()[0]

    return Case(program, lambda: (50.0, 80.0, 120.0, 1.3), "first, second, distance, height")


class Bar:
    """Shows nothing."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def start(self) -> Bar:
        return self

    def update(self, _: int) -> None:
        pass

    def finish(self) -> None:
        pass


def grating(code: Any) -> Case:
    stand_in("progressbar", ProgressBar=Bar, Bar=Bar, Counter=Bar, ETA=Bar)
    stand_in("autograd", numpy=np)
    waves = code.named("rcwa")

    def program(thickness, wavelength):  # type: ignore[no-untyped-def]
        source = waves.Source(wavelength=wavelength, theta=0.3, phi=0.1, pTEM=[1, 1j])
        ridges = waves.RectangularGrating(period=1.0, thickness=thickness, n=3.2, n_void=1.0, groove_width=0.5)
        stack = waves.LayerStack(ridges, incident_layer=waves.Layer(n=1.0), transmission_layer=waves.Layer(n=1.5))
        found = waves.Solver(stack, source, 5).solve()
        return np.sum(found["R"]) + 2 * found["RTot"]

    return Case(program, lambda: (0.4, 1.3), "thickness, wavelength")


def patterns_of_climate(code: Any) -> Case:
    sys.modules.setdefault("dask.array", None)  # type: ignore[arg-type]
    patterns = code.named("eofs.standard")
    weights = np.sqrt(np.cos(np.deg2rad(np.linspace(-60, 60, 8))))[:, None]

    def program(field):  # type: ignore[no-untyped-def]
        solver = patterns.Eof(field, weights=weights)
        found, series = solver.eofs(neofs=2, eofscaling=2), solver.pcs(npcs=2, pcscaling=1)
        shares = np.sum(solver.varianceFraction(neigs=3) ** 2) + 1e-3 * np.sum(solver.reconstructedField(2) ** 2)
        return np.sum(np.abs(found)) + shares + np.sum(series**2 * np.linspace(0, 1, 40)[:, None])

    return Case(program, lambda: (np.cumsum(normal(0, 40, 8, 10), axis=0),), "field")


def modes_of_a_signal(code: Any) -> Case:
    bare_package("PyEMD", code)
    modes, times = code.named("PyEMD.EMD"), np.linspace(0, 1, 200)

    def program(signal):  # type: ignore[no-untyped-def]
        found = modes.EMD().emd(signal, times, max_imf=2)
        return np.sum(found**2 * np.arange(1, found.shape[0] + 1)[:, None])

    signal = np.cos(22 * np.pi * times**2) + 6 * times**2 + 0.3 * np.sin(60 * times)
    return Case(program, lambda: (signal,), "signal")


def echoes_of_a_room(code: Any) -> Case:
    for name in ("bottleneck", "soundfile", "click"):
        stand_in(name)
    room = code.named("nara_wpe.wpe")

    def program(real, imaginary):  # type: ignore[no-untyped-def]
        dry = room.wpe_v8(real + 1j * imaginary, taps=3, delay=2, iterations=2)
        return np.sum(np.abs(dry) ** 2 * np.linspace(1, 2, dry.shape[-1]))

    return Case(program, lambda: (normal(0, 5, 2, 40), normal(1, 5, 2, 40)), "real, imaginary")


def poses_along_a_path(code: Any) -> Case:
    paths = code.named("pytransform3d.trajectories")

    def program(poses, screws):  # type: ignore[no-untyped-def]
        moved = paths.transforms_from_pqs(poses)
        angles, pairs = paths.exponential_coordinates_from_transforms(moved), paths.dual_quaternions_from_pqs(poses)
        joined = paths.concat_many_to_many(moved, paths.transforms_from_exponential_coordinates(screws))
        between = paths.dual_quaternions_sclerp(pairs[:-1], pairs[1:], np.linspace(0.1, 0.9, len(pairs) - 1))
        places = paths.pqs_from_transforms(joined)[:, :3]
        return np.sum(angles**2) + np.sum(places**2) + np.sum(between**2 * np.arange(8)) + np.sum(joined**3)

    return Case(program, lambda: (normal(0, 6, 7), 0.5 * normal(1, 6, 6)), "poses, screws")


def thirst_of_a_field(code: Any) -> Case:
    fao, convert = code.named("pyeto.fao"), code.named("pyeto.convert")

    def program(coldest, warmest, wind, latitude):  # type: ignore[no-untyped-def]
        total = 0.0
        for day in range(len(coldest)):
            low, high = coldest[day], warmest[day]
            declination = fao.sol_dec(1 + 3 * day)
            angle = fao.sunset_hour_angle(latitude, declination)
            above = fao.et_rad(latitude, declination, angle, fao.inv_rel_dist_earth_sun(1 + 3 * day))
            clear = fao.cs_rad(100.0, above)
            sun, vapour = fao.sol_rad_from_t(above, clear, low, high, False), fao.avp_from_tmin(low)
            kelvin = (convert.celsius2kelvin(low), convert.celsius2kelvin(high))
            net = fao.net_rad(fao.net_in_sol_rad(sun), fao.net_out_lw_rad(*kelvin, sun, clear, vapour))
            mean, full = fao.daily_mean_t(low, high), fao.mean_svp(low, high)
            slope, constant = fao.delta_svp(mean), fao.psy_const(fao.atm_pressure(100.0))
            kelvins = convert.celsius2kelvin(mean)
            total += fao.fao56_penman_monteith(net, kelvins, wind[day], full, vapour, slope, constant)
            total += 0.1 * fao.hargreaves(low, high, mean, above)
        return total / len(coldest)

    days = 8 * np.sin(np.arange(120) / 20)
    return Case(program, lambda: (10 + days, 20 + days, 2 + uniform(0, 120), 0.6), "coldest, warmest, wind, latitude")


def bands_of_hearing(code: Any) -> Case:
    ears = code.named("gammatone.gtgram")

    def program(wave):  # type: ignore[no-untyped-def]
        heard = ears.gtgram(wave, 8000, 0.025, 0.010, 16, 50)
        return np.sum(np.log(heard + 1e-6)) + np.sum(heard**2)

    return Case(program, lambda: (normal(0, 1600),), "wave")


PRACTICE = (
    *(fire_weather, estimates_of_states, turbo_code, coated_spheres, mixture_by_variations, bending_plate),
    *(
        place_of_the_sun,
        orders_of_goods,
        lenses_in_a_row,
        grating,
        patterns_of_climate,
        modes_of_a_signal,
    ),
    *(echoes_of_a_room, poses_along_a_path, thirst_of_a_field, bands_of_hearing),
)
DRIVERS: dict[str, Callable[[Any], Case]] = {one.__name__: one for one in PRACTICE}
