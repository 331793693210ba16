"""Drivers of programs about spectra, soils, arms, cells, holes, colours and loops that are closed; see `reality.py`."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import scipy.signal

from benchmarks.reality_case import Case, bare_package, normal, stand_in, uniform
from benchmarks.reality_unseen import made


def bare(code: Any, *names: str) -> ModuleType:
    """Packages of which nothing is imported; the last one."""
    for name in names:
        module: Any = made(name)
        module.__path__ = [str(code.folder.joinpath(*name.split(".")))]
    return module


def spectrum_of_tapers(code: Any) -> Case:
    spectra: Any = bare_package("multitaper", code, "utils", "mtspec").mtspec

    def program(x, dt):  # type: ignore[no-untyped-def]
        _, adaptive = spectra.MTSpec(x, 3.0, 4, dt, iadapt=1).rspec()
        plain = spectra.MTSpec(x, 3.0, 4, dt)
        return np.sum(np.log(adaptive)) + np.sum(plain.spec) + 1e-3 * np.sum(plain.se)

    return Case(program, lambda: (normal(0, 40) + np.sin(np.arange(40.0)), 0.5), "x, dt", 1e-4)


def soil_that_liquefies(code: Any) -> Case:
    bare(code, "liquepy", "liquepy.field", "liquepy.trigger")

    class Sounding:
        def __init__(self, depth, q_c, f_s, u_2, gwl):  # type: ignore[no-untyped-def]
            self.depth, self.q_c, self.f_s, self.u_2, self.gwl, self.a_ratio = depth, q_c, f_s, u_2, gwl, None

    vars(sys.modules["liquepy.field"]).update(CPT=Sounding)
    trigger = code.named("liquepy.trigger.boulanger_and_idriss_2014")
    depth = np.arange(0.1, 6, 0.4)

    def program(cone, friction, water, acceleration, magnitude):  # type: ignore[no-untyped-def]
        sounding = Sounding(depth, cone, friction, 0.1 * cone, water)
        found = trigger.BoulangerIdriss2014CPT(sounding, gwl=water, pga=acceleration, m_w=magnitude)
        return np.sum(found.factor_of_safety) + np.sum(found.q_c1n_cs) * 0.01 + np.sum(found.csr)

    arguments = (5000 + 2000 * uniform(0, 15), 30 + 20 * uniform(1, 15), 1.0, 0.25, 7.0)
    return Case(program, lambda: arguments, "cone, friction, water, acceleration, magnitude")


def smear_around_drains(code: Any) -> Case:
    stand_in("matplotlib")
    stand_in("matplotlib.pyplot")
    bare(code, "geotecha", "geotecha.consolidation")
    zones = code.named("geotecha.consolidation.smear_zones")
    layer = code.named("geotecha.consolidation.terzahi")

    def program(n, s, kap, z, kv):  # type: ignore[no-untyped-def]
        total = zones.mu_ideal(n) + zones.mu_constant(n, s, kap) + zones.mu_linear(n, s, kap)
        total = total + zones.mu_parabolic(n, s, kap) + zones.mu_overlapping_linear(n, 2 * s, kap)
        total = total + zones.mu_piecewise_constant([s, 2 * s, n], [kap, 1.5, 1.0])
        total = total + zones.mu_piecewise_linear([1, s, 2 * s, n], [kap, kap, 1.0, 1.0])
        total = total + np.sum(zones.k_parabolic(n, s, kap, np.array([1.5, 2.5, 4.0])))
        total = total + np.sum(zones.u_linear(n, s, kap, np.array([1.5, 2.5, 9.0])))
        pressure, degree = layer.terzaghi_1d(z, np.array([0.05, 0.2, 1.0]), kv=kv, H=1.5)[:2]
        return np.sum(total) + np.sum(pressure) + np.sum(degree)

    return Case(program, lambda: (12.0, 3.0, 2.5, np.array([0.2, 0.5, 0.9]), 0.7), "n, s, kap, z, kv")


def poses_and_twists(code: Any) -> Case:
    for name in ("ansitable", "spatialgeometry", "matplotlib", "matplotlib.pyplot", "mpl_toolkits"):
        stand_in(name, ANSITable=None, Column=None)
    for name in ("mpl_toolkits.mplot3d", "matplotlib.animation", "typing_extensions"):
        stand_in(name)
    bare_package("spatialmath", code)
    base, turns = code.named("spatialmath.base.transforms3d"), code.named("spatialmath.base.quaternions")
    lines = code.named("spatialmath.base.transformsNd")

    def program(rpy, t, s, w):  # type: ignore[no-untyped-def]
        pose = base.transl(t) @ base.rpy2tr(rpy, order="xyz") @ base.trotx(s)
        other = base.trinterp(pose, base.eul2tr(w), s=0.3)
        back = base.trexp(base.trlog(pose, twist=True))
        rates = base.rpy2jac(rpy) @ w + base.eul2jac(w) @ rpy
        between = turns.qslerp(turns.r2q(pose[:3, :3]), turns.qunit(np.array([1.0, s, 0.2, 0.3])), 0.6)
        total = np.sum(other**2 * np.arange(16).reshape(4, 4)) + np.sum(back) + np.sum(base.tr2delta(pose, other) ** 2)
        total += np.sum(rates) + np.sum(between * np.arange(4)) + np.sum(base.tr2rpy(other, order="zyx") * w)
        return total + lines.det(lines.skew(w) + np.eye(3))

    arguments = (np.array([0.3, 0.4, 0.5]), np.array([1.0, 2.0, 3.0]), 0.2, np.array([0.2, 0.5, 0.1]))
    return Case(program, lambda: arguments, "rpy, t, s, w")


def transport_that_is_blurred(code: Any) -> Case:
    bare(code, "ot", "ot.bregman")
    plans, tools = code.named("ot.bregman._sinkhorn"), code.named("ot.utils")

    def program(x, y, a, reg):  # type: ignore[no-untyped-def]
        costs, weights, others = tools.dist(x, y), a / np.sum(a), np.ones(5) / 5
        plan = plans.sinkhorn_knopp(weights, others, costs, reg, numItermax=50)
        other = plans.sinkhorn_log(weights, others, costs, reg, numItermax=20, warn=False)
        return np.sum(plan * costs) + np.sum(other**2)

    return Case(program, lambda: (normal(0, 4, 2), normal(1, 5, 2), uniform(2, 4), 2.0), "x, y, a, reg")


def tones_that_are_found(code: Any) -> Case:
    bare(code, "waveform_analysis", "waveform_analysis.weighting_filters")
    found = code.named("waveform_analysis.freq_estimation")
    weights = code.named("waveform_analysis.weighting_filters.ABC_weighting")
    times = np.arange(128.0)

    def program(size, phase, noise):  # type: ignore[no-untyped-def]
        sound = size * np.sin(0.6 * times + phase) + noise
        tones = found.freq_from_fft(sound, 100.0) + found.freq_from_autocorr(sound, 100.0)
        return tones + found.freq_from_crossings(sound, 100.0) + np.sum(weights.A_weight(sound, 4800.0) ** 2)

    return Case(program, lambda: (1.0, 0.2, 0.02 * normal(0, 128)), "size, phase, noise")


def fields_at_random(code: Any) -> Case:
    stand_in("matplotlib")
    bare_package("spm1d", code)
    fields = code.named("spm1d.rft1d")

    def program(residuals, z, df):  # type: ignore[no-untyped-def]
        width = np.mean(fields.geom.estimate_fwhm(residuals))
        counts = fields.geom.resel_counts(residuals, width)
        chance = np.sum(fields.prob.rft(1, 0, "T", z, (1.0, df), counts))
        return width + counts[1] + 10 * chance + fields.prob.poisson_cdf(1, z)

    return Case(program, lambda: (normal(0, 6, 40), 3.2, 8.0), "residuals, z, df", 1e-4)


def mirror_of_modes(code: Any) -> Case:
    bare_package("prysm", code)
    modes, light = code.named("prysm.polynomials"), code.named("prysm.propagation")
    shapes, grids = code.named("prysm.geometry"), code.named("prysm.coordinates")
    orders = [(2, 0), (2, 2), (3, 1), (4, 0), (3, -3)]

    def program(weights, width, length):  # type: ignore[no-untyped-def]
        r, t = grids.cart_to_polar(*grids.make_xy_grid(16, diameter=2.2))
        basis = np.array(list(modes.zernike_nm_seq(orders, r, t)))
        phases, pupil = modes.sum_of_2d_modes(basis, weights), shapes.circle(1, r).astype(float)
        wave = light.Wavefront.from_amp_and_phase(pupil, 100 * phases, 0.55, width / 16)
        return np.sum(wave.focus(length, Q=2).intensity.data[14:18, 14:18])

    return Case(program, lambda: (0.3 * normal(0, 5), 10.0, 100.0), "weights, width, length")


def spaces_that_are_bent(code: Any) -> Case:
    spheres = code.named("geomstats.geometry.hypersphere")
    cones = code.named("geomstats.geometry.spd_matrices")

    def program(x, v, a, b):  # type: ignore[no-untyped-def]
        sphere, cone = spheres.Hypersphere(2), cones.SPDMatrices(2)
        p = sphere.projection(x)
        q = sphere.metric.exp(sphere.to_tangent(v, p), p)
        far = cone.metric.squared_dist(a @ a.T + np.eye(2), b @ b.T + np.eye(2))
        return np.sum(q * np.arange(3)) + np.sum(sphere.metric.log(q, p) ** 2) + sphere.metric.dist(p, q) + far

    return Case(program, lambda: (normal(0, 3), 0.3 * normal(1, 3), normal(2, 2, 2), normal(3, 2, 2)), "x, v, a, b")


def cell_that_empties(code: Any) -> Case:
    for name in ("pandas", "matplotlib", "matplotlib.pyplot"):
        stand_in(name, figure=None, DataFrame=object, Series=object)
    bare(code, "progpy", "progpy.utils", "progpy.visualize", "progpy.models")
    package, tools, shown = (sys.modules[name] for name in ("progpy", "progpy.utils", "progpy.visualize"))
    vars(shown).update(plot_timeseries=None)
    vars(tools).update(ProgressBar=code.named("progpy.utils.progress_bar").ProgressBar)
    vars(tools).update({name: code.named("progpy.utils." + name) for name in ("calc_error", "input_validation")})
    vars(package).update(PrognosticsModel=code.named("progpy.prognostics_model").PrognosticsModel)
    cells = code.named("progpy.models.battery_electrochem")
    model = cells.BatteryElectroChemEOD(process_noise=0, measurement_noise=0)

    def program(current, dt, charge):  # type: ignore[no-untyped-def]
        state, total = model.initialize(), 0.0
        state["qnS"] = state["qnS"] * charge
        for i in range(8):
            state = model.next_state(state, model.InputContainer({"i": current[i]}), dt)
            seen = model.output(state)
            total = total + seen["v"] + 1e-3 * seen["t"]
        return np.sum(total) + np.sum(model.event_state(state)["EOD"])

    return Case(program, lambda: (np.linspace(1, 2, 8), 2.0, 1.01), "current, dt, charge")


def learners_that_are_small(code: Any) -> Case:
    names = {"svm": "SVM", "logistic_regression": "LogisticRegression", "pca": "PCA", "lda": "LDA"}
    made_by = [getattr(code.load(f"mlfromscratch/{file}.py"), name) for file, name in names.items()]
    bayes = code.load("mlfromscratch/naivebayes.py").NaiveBayes
    y = np.array([0, 1, 0, 1, 1, 0, 1, 0])

    def program(x, rate, weight):  # type: ignore[no-untyped-def]
        margin, line, axes, split, guess = (
            *(made_by[0](rate, weight, 10), made_by[1](10 * rate, 20), made_by[2](2), made_by[3](1)),
            bayes(),
        )
        axes.fit(x)
        for one in (margin, line, split, guess):
            one.fit(x, y)
        total = np.sum(margin.w**2) + margin.b + np.sum(line.weights) + line.bias + np.sum(axes.transform(x) ** 4)
        return total + np.sum(split.transform(x) ** 2) + np.sum(np.log(guess._pdf(0, x[1])))

    return Case(program, lambda: (normal(0, 8, 3), 0.01, 0.1), "x, rate, weight")


def chaos_of_a_series(code: Any) -> Case:
    made("numba", jit=lambda *_, **__: lambda f: f)
    parts: Any = bare_package("nolitsa", code, "utils", "noise", "delay")

    def program(x, share):  # type: ignore[no-untyped-def]
        y = parts.utils.rescale(x)
        points = parts.utils.reconstruct(y, dim=2, tau=2)
        total = np.sum(parts.delay.acorr(y, maxtau=10)) + np.sum(parts.delay.adfd(x, dim=2, maxtau=5))
        total += np.sum(parts.utils.dist(points[:5], points[5:10], metric="euclidean"))
        total += np.sum(parts.noise.sma(x, hwin=2) ** 2) + np.sum(parts.utils.spectrum(x, dt=0.1)[1])
        return total + share * np.sum(points**2)

    return Case(program, lambda: (np.cumsum(normal(0, 40)), 0.3), "x, share", 1e-4)


def filter_of_samples(code: Any) -> Case:
    filters = code.load()

    def program(x, cut, size):  # type: ignore[no-untyped-def]
        one = filters.IIR_filter(scipy.signal.butter(4, cut, output="sos"))
        out = np.zeros(len(x))
        for i in range(len(x)):
            out[i] = one.filter(x[i])
        return np.sum(out**2) * size

    return Case(program, lambda: (normal(0, 30), 0.3, 1.2), "x, cut, size")


def functions_that_are_likely(code: Any) -> Case:
    for name in ("past", "future"):
        made(name)
    made("past.builtins", cmp=lambda a, b: (a > b) - (a < b))
    made("past.utils", old_div=lambda a, b: a / b)
    package: Any = bare_package("pyGPs", code)
    for name in ("gp", "cov", "mean", "lik", "inf"):
        setattr(package, name, code.named(f"pyGPs.Core.{name}"))

    def program(x, y, places, length, size, noise):  # type: ignore[no-untyped-def]
        model = package.gp.GPR()
        kernel = package.cov.RBF(length, size) + package.cov.Linear() * package.cov.RQ(0.3, size, 0.1)
        model.setPrior(mean=package.mean.Linear(alpha_list=[0.3, 0.2]) + package.mean.Const(0.5), kernel=kernel)
        model.setNoise(noise)
        loss, _ = model.getPosterior(x, y, der=False)
        mean, variance, own, spread, _ = model.predict(places)
        return np.sum(loss) + np.sum(mean) + np.sum(variance) + np.sum(spread * own)

    arguments = (normal(0, 8, 2), normal(1, 8, 1), normal(2, 3, 2), 0.1, 0.2, -1.0)
    return Case(program, lambda: arguments, "x, y, places, length, size, noise")


def orbits_of_a_hole(code: Any) -> Case:
    for name in ("matplotlib", "matplotlib.pyplot", "tqdm"):
        stand_in(name, tqdm=None)
    bare_package("kerrgeopy", code)
    stable, motion = code.named("kerrgeopy.stable"), code.named("kerrgeopy.constants")
    steps = np.linspace(0, 2, 8)

    def program(a, p, e, x, phase):  # type: ignore[no-untyped-def]
        kept = motion.constants_of_motion(a, p, e, x)
        radii, delay, turn = stable.radial_solutions(a, kept, motion.stable_radial_roots(a, p, e, x, kept))
        heights, late, round_ = stable.polar_solutions(a, kept, motion.stable_polar_roots(a, p, e, x, kept))
        at = steps + phase
        total = np.sum(radii(at)) + np.sum(delay(at)) + np.sum(turn(at)) + np.sum(heights(at))
        return total + np.sum(late(at) * round_(at))

    return Case(program, lambda: (0.9, 6.0, 0.3, 0.7, 0.1), "a, p, e, x, phase")


def colours_by_names(code: Any) -> Case:
    colour = code.named("coloraide").Color

    def program(a, b, share):  # type: ignore[no-untyped-def]
        x, y = colour("srgb", [a[0], a[1], a[2]]), colour("oklch", [b[0], b[1], b[2]])
        apart = x.delta_e(y, method="2000") + x.distance(y, space="lab") + 10 * x.contrast(y)
        mixed, aged = x.mix(y, share, space="oklab").convert("jzazbz"), x.filter("sepia", share)
        return apart + sum(mixed.coords()) + sum(aged.coords()) + x.luminance() + y.luminance()

    return Case(program, lambda: (np.array([0.3, 0.5, 0.7]), np.array([0.6, 0.1, 200.0]), 0.4), "a, b, share")


def loop_that_is_closed(code: Any) -> Case:
    for name in ("", ".pyplot", ".patches", ".lines", ".transforms", ".gridspec"):
        stand_in("matplotlib" + name)
    control = code.named("control")
    times = np.linspace(0, 2, 11)

    def program(a, b, u, q):  # type: ignore[no-untyped-def]
        plant = control.ss(a, b, np.array([[1.0, 0.5]]), np.array([[0.0]]))
        gain, cost, _ = control.lqr(a, b, q * np.eye(2), np.eye(1))
        closed = control.ss(a - b @ gain, b, np.array([[1.0, 0.0]]), np.array([[0.0]]))
        both = control.feedback(control.series(plant, closed), control.ss([], [], [], 0.5))
        seen = control.forced_response(closed, times, u)
        return np.sum(seen.outputs**2) + np.sum(cost) + np.abs(both(2.0j)) + np.abs(plant(0.3j))

    arguments = (np.array([[0.0, 1.0], [-2.0, -0.5]]), np.array([[0.0], [1.0]]), np.sin(times), 2.0)
    return Case(program, lambda: arguments, "a, b, u, q")


def solids_by_distances(code: Any) -> Case:
    for name in ("skimage", "skimage.measure", "meshio"):
        made(name)
    vars(sys.modules["skimage"])["measure"] = sys.modules["skimage.measure"]
    sdf: Any = bare_package("sdf", code, "dn", "d2", "d3", "ease")
    d2, d3 = sdf.d2, sdf.d3

    def program(points, radius, size, angle, k):  # type: ignore[no-untyped-def]
        drilled = d3.sphere(radius) & d3.box(size)
        hole = d3.cylinder(0.3 * radius)
        drilled -= hole.orient(d3.X) | hole.orient(d3.Y) | hole.orient(d3.Z)
        turned = d3.rounded_box(size, 0.1).rotate(angle, d3.Z).translate((0.2, 0.1, 0)) | d3.torus(radius, 0.2).k(k)
        screw = d2.hexagon(0.8).extrude(1.2).twist(angle)
        cone = d3.capped_cone(-d3.Z, d3.Z, 0.6 * radius, 0.2)
        blended = cone.blend(d3.ellipsoid(size * np.array((1, 1.2, 0.8))), k=0.4)
        balls = d3.sphere(0.2 * radius).repeat((0.7, 0.7, 0.7), padding=1).shell(0.1)
        smooth = sum(np.sum(solid(points)) for solid in (turned, blended, balls))
        return np.sum(drilled(points) ** 2) + smooth + np.sum(screw(points) ** 2)

    return Case(program, lambda: (normal(0, 20, 3), 1.0, 1.5, 0.4, 0.3), "points, radius, size, angle, k")


DRIVERS = {
    driver.__name__: driver
    for driver in (
        *(spectrum_of_tapers, soil_that_liquefies, smear_around_drains, poses_and_twists, transport_that_is_blurred),
        *(tones_that_are_found, fields_at_random, mirror_of_modes, spaces_that_are_bent, cell_that_empties),
        *(learners_that_are_small, chaos_of_a_series, filter_of_samples, functions_that_are_likely),
        *(orbits_of_a_hole, colours_by_names, loop_that_is_closed, solids_by_distances),
    )
}
