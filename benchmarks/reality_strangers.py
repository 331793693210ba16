"""Drivers of programs about ratings, disks, wavelets, entropies, soils, pictures, roads and spins; see `reality.py`."""

from __future__ import annotations

import datetime
import sys
from typing import Any

import numpy as np
import scipy.ndimage

from benchmarks.reality_case import Case, bare_package, normal, stand_in, uniform
from benchmarks.reality_unseen import made


def history_of_ratings(code: Any) -> Case:
    base = code.named("whr.whole_history_rating").WHR
    games = [("shusaku", "shusai", "B", 1), ("shusaku", "shusai", "W", 2), ("shusaku", "shusai", "W", 3)]
    games += [("shusaku", "nobody", "D", 3), ("shusai", "nobody", "B", 4)]

    def program(w2, damping, prior, start):  # type: ignore[no-untyped-def]
        whole = base({"w2": w2})
        for black, white, winner, day in games:
            whole.create_game(black, white, winner, day, 0)
        for name, rating in zip(("shusaku", "shusai", "nobody"), start, strict=True):
            player = whole.player_by_name(name)
            player.hessian_damping, player.initial_prior_wins = damping, prior
            for day in player.days:
                day.r = rating
        whole.iterate(4)
        return whole.log_likelihood() + sum(1e-2 * day.elo for one in whole.players.values() for day in one.days)

    return Case(program, lambda: (30.0, 0.001, 1.2, np.array([0.1, -0.2, 0.3])), "w2, damping, prior, start")


def dust_of_a_disk(code: Any) -> Case:
    bare_package("twopoppy", code)
    model, units = code.named("twopoppy.model"), code.named("twopoppy.const")
    model.progress_bar = lambda *_: None
    x, times = np.logspace(np.log10(5), 2, 12) * units.AU, np.array([0.0, 2e3, 8e3]) * units.year

    def program(gas, dust, warm, alpha, speed, star):  # type: ignore[no-untyped-def]
        still, mixed = -1e2 * np.ones(12), alpha * np.ones(12)
        found = model.run(x, 1e-5, times, gas, dust, still, warm, mixed, star, speed, 1.6, 1.0, gasevol=False)
        return np.sum(found[1][-1] * np.arange(12)) + np.sum(found[10][-1])

    gas = 200 * (x / units.AU) ** -1 * np.exp(-x / (60 * units.AU))
    arguments = (gas, 0.01 * gas, 200 * (x / units.AU) ** -0.5, 1e-3, 1000.0, units.M_sun)
    return Case(program, lambda: arguments, "gas, dust, warm, alpha, speed, star")


def choices_between_pairs(code: Any) -> Case:
    made("choix.typing", PairwiseData=None, RankingData=None, Top1Data=None)
    choices = bare_package("choix", code, "ep", "lsr", "mm")
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3), (1, 0)]

    def program(alpha, weights):  # type: ignore[no-untyped-def]
        np.random.seed(3)
        mean, spread = choices.ep.ep_pairwise(4, pairs, alpha, model="logit")
        ranked = choices.lsr.ilsr_pairwise(4, pairs, alpha)
        climbed = choices.mm.mm_pairwise(4, pairs, alpha=alpha)
        return np.sum(mean * weights) + np.sum(spread**2) + np.sum(ranked * weights**2) + np.sum(climbed * weights)

    return Case(program, lambda: (0.7, np.array([1.0, 2.0, -0.5, 0.3])), "alpha, weights")


def wavelets_of_the_data(code: Any) -> Case:
    sys.modules["scipy.ndimage.filters"] = scipy.ndimage
    wavelets, t = code.load(), np.arange(80) / 80

    def program(f):  # type: ignore[no-untyped-def]
        bands, _, ends = wavelets.EWT1D(f, N=4)
        options = {"detect": "locmaxmin", "reg": "gaussian", "lengthFilter": 5, "sigmaFilter": 1}
        others, _, _ = wavelets.EWT1D(f, N=3, **options)
        return np.sum(bands**2 * np.arange(1, bands.shape[1] + 1)) + np.sum(np.abs(others[:, 1])) + np.sum(ends)

    waves = np.cos(2 * np.pi * 4 * t) + np.cos(2 * np.pi * 13 * t) + 0.5 * np.cos(2 * np.pi * 25 * t)
    return Case(program, lambda: (waves + 0.05 * normal(0, 80),), "f")


def fluctuations_of_a_series(code: Any) -> Case:
    stand_in("PyEMD")
    fractal, lag = bare_package("MFDFA", code, "MFDFA").MFDFA, np.array([4, 6, 9, 13])

    def program(x):  # type: ignore[no-untyped-def]
        _, means, spreads = fractal.MFDFA(x, lag=lag, q=np.array([-2.0, 1.0, 2.0, 4.0]), order=1, stat=True)
        _, others, ranges = fractal.MFDFA(x, lag=lag, q=2, order=2, extensions={"eDFA": True, "window": 3})
        return np.sum(np.log(means) * np.arange(4)) + np.sum(spreads) + np.sum(others) + np.sum(ranges)

    return Case(program, lambda: (normal(0, 60),), "x", 1e-4)


def line_through_neighbours(code: Any) -> Case:
    smooth = code.load().Loess

    def program(xx, yy, at):  # type: ignore[no-untyped-def]
        line = smooth(xx, yy)
        bent = sum(line.estimate(x, window=6, use_matrix=True, degree=2) for x in at)
        return bent + sum(line.estimate(x, window=5) ** 2 for x in at)

    xx = np.sort(uniform(0, 15)) * 20
    return Case(program, lambda: (xx, np.sin(xx) + uniform(1, 15), np.array([5.0, 10.3, 18.0])), "xx, yy, at", 1e-4)


def filters_of_many_series(code: Any) -> Case:
    filters = code.named("simdkalman").KalmanFilter

    def program(data, noise, observed):  # type: ignore[no-untyped-def]
        steps = {"state_transition": np.array([[1.0, 1.0], [0.0, 1.0]]), "process_noise": np.diag(noise)}
        one = filters(**steps, observation_model=np.array([[1.0, 0.0]]), observation_noise=observed)
        one = one.em(data, n_iter=2)
        smooth, ahead = one.smooth(data), one.predict(data, 3)
        likely = one.compute(data, 2, log_likelihood=True).log_likelihood
        found = np.sum(smooth.states.mean**2) + np.sum(smooth.observations.cov) + np.sum(likely)
        return found + np.sum(ahead.observations.mean * np.arange(3))

    arguments = (np.cumsum(normal(0, 3, 14), axis=1), np.array([0.3, 0.02]), 0.8)
    return Case(program, lambda: arguments, "data, noise, observed")


def least_known_distribution(code: Any) -> Case:
    entropy, at = code.load(), np.linspace(-0.9, 0.9, 5)

    def program(means, die, scale):  # type: ignore[no-untyped-def]
        chances, _ = entropy.reconstruct(die, rndvar=np.arange(1.0, 7.0))
        density, factors = entropy.reconstruct(means, bnds=[-1, 1])
        moments = entropy.moments(lambda t: np.exp(-scale * t**2), 3, bnds=[-1, 1])
        known = np.sum(chances * np.arange(6)) + np.sum(density(at) * np.arange(5))
        return known + np.sum(factors) + np.sum(moments**2)

    arguments = (np.array([1.0, 0.05, 0.1]), np.array([1.0, 3.7, 16.0]), 0.7)
    return Case(program, lambda: arguments, "means, die, scale", 1e-4)


def quality_of_pictures(code: Any) -> Case:
    package = made("skimage")
    package.transform = made("skimage.transform")  # type: ignore[attr-defined]
    made("scipy.ndimage.filters", gaussian_filter=scipy.ndimage.gaussian_filter)
    made("scipy.misc")
    fidelity, natural = code.load(), code.load("niqe.py")

    def program(true, seen):  # type: ignore[no-untyped-def]
        features = natural.compute_features(natural.normalize_image(seen))
        return 10 * fidelity.vifp_mscale(true, seen) + sum(k * one for k, one in enumerate(features))

    true = 30 * np.cumsum(normal(0, 20, 20), axis=1)
    return Case(program, lambda: (true, true + 5 * normal(10, 20, 20)), "true, seen")


def noise_of_terrain(code: Any) -> Case:
    noise = code.named("perlin_numpy")

    def program(power, fading):  # type: ignore[no-untyped-def]
        np.random.seed(1)
        flat = noise.generate_fractal_noise_2d((16, 16), (2, 2), 3, fading, 2, (True, False))
        options = {"tileable": (False, True, False), "interpolant": lambda t: t**power}
        deep = noise.generate_perlin_noise_3d((8, 8, 8), (2, 2, 2), **options)
        return np.sum(flat * np.arange(256).reshape(16, 16)) + np.sum(deep**2)

    return Case(program, lambda: (2.2, 0.6), "power, fading")


def water_in_six_layers(code: Any) -> Case:
    bare_package("smartpy", code)
    run, days = code.named("smartpy.structure").run, list(range(21))
    before = {"aar": 1200, "r-o_ratio": 0.45, "r-o_split": (0.1, 0.15, 0.15, 0.3, 0.3)}

    def program(rain, drying, parameters):  # type: ignore[no-untyped-def]
        day = datetime.timedelta(days=1)
        flow, deep = run(1e8, day, rain, drying, parameters, before, days, days, "summary", warm_up=5)
        return np.sum(flow**2 * np.arange(20)) + deep

    parameters = np.array([1.0, 0.8, 0.2, 0.2, 0.01, 80.0, 20.0, 150.0, 1500.0, 10.0])
    arguments = (np.maximum(0, 10 * normal(0, 20)), 2 + uniform(1, 20), parameters)
    return Case(program, lambda: arguments, "rain, drying, parameters")


def shortest_of_six_turns(code: Any) -> Case:
    dubins = code.named("dubins").Dubins

    def program(start, end, radius):  # type: ignore[no-untyped-def]
        planner, ends = dubins(radius, 0.4), (tuple(start[k] for k in range(3)), tuple(end[k] for k in range(3)))
        shortest = min(one[0] for one in planner.all_options(*ends))
        return shortest + 0.1 * np.sum(np.array(planner.dubins_path(*ends)) * np.array([1.0, 2.0]))

    arguments = (np.array([0.0, 0.0, 0.3]), np.array([0.7, 0.6, 2.8]), 1.0)
    return Case(program, lambda: arguments, "start, end, radius")


def spins_of_a_growing_chain(code: Any) -> Case:
    chain = code.load()

    def program(coupling, field):  # type: ignore[no-untyped-def]
        spin, raised = np.array([[0.5, 0.0], [0.0, -0.5]]), np.array([[0.0, 1.0], [0.0, 0.0]])
        operators = {"H": field * spin, "conn_Sz": spin * coupling, "conn_Sp": raised}
        block, energy = chain.Block(length=1, basis_size=2, operator_dict=operators), 0.0
        for _ in range(2):
            block, energy = chain.single_dmrg_step(block, block, m=6)
        return energy

    return Case(program, lambda: (1.1, 0.2), "coupling, field")


def net_that_is_trained(code: Any) -> Case:
    nets, steps = code.named("common.multi_layer_net_extend"), code.named("common.optimizer")
    target = np.array([0, 1, 1, 0, 1, 0])

    def program(x, first, rate):  # type: ignore[no-untyped-def]
        np.random.seed(0)
        net = nets.MultiLayerNetExtend(4, [5, 3], 2, weight_decay_lambda=0.1, use_batchnorm=True)
        net.params["W1"][...] = first
        total = 0.0
        for way in (steps.SGD(rate), steps.Momentum(rate), steps.AdaGrad(rate), steps.Adam(rate)):
            for _ in range(2):
                way.update(net.params, net.gradient(x, target))
            total = total + net.loss(x, target, train_flg=True)
        return total

    return Case(program, lambda: (normal(0, 6, 4), normal(1, 4, 5), 0.05), "x, first, rate", 1e-4)


def coils_undersampled(code: Any) -> Case:
    bare_package("pygrappa", code)
    sense, noise = code.named("pygrappa.cgsense").cgsense, code.named("pygrappa.gfactor").gfactor

    def program(waves, coils):  # type: ignore[no-untyped-def]
        taken, maps = waves[0] + 1j * waves[1], coils[0] + 1j * coils[1]
        taken[::2] = 0
        return np.sum(np.abs(sense(taken, maps)) ** 2) + np.sum(noise(maps, 2, 1))

    return Case(program, lambda: (normal(0, 2, 4, 4, 3), normal(1, 2, 4, 4, 3)), "waves, coils", 1e-4)


def stiffness_by_directions(code: Any) -> Case:
    bare_package("ELATE", code)
    elastic = code.named("ELATE.elastic")

    def program(stiff, polar, around):  # type: ignore[no-untyped-def]
        solid, way = elastic.Elastic(stiff + stiff.T), [polar, around, 0.3]
        regular = elastic.ElasticOrtho(solid)
        means = sum(sum(line) for line in solid.averages()) + np.sum(solid.eigenvalues())
        found = solid.Young(way) + solid.LC(way) + solid.shear(way) + solid.Poisson(way)
        return means + found + regular.Young(way) + regular.shear(way) + 10 * sum(solid.Poisson3D(polar, around)[:3])

    stiff = np.diag([50.0, 60.0, 70.0, 20.0, 25.0, 30.0]) + np.triu(8 * uniform(0, 6, 6), 1)
    return Case(program, lambda: (stiff, 0.7, 0.4), "stiff, polar, around")


DRIVERS = {
    driver.__name__: driver
    for driver in (
        *(history_of_ratings, dust_of_a_disk, choices_between_pairs, wavelets_of_the_data, fluctuations_of_a_series),
        *(line_through_neighbours, filters_of_many_series, least_known_distribution, quality_of_pictures),
        *(noise_of_terrain, water_in_six_layers, shortest_of_six_turns, spins_of_a_growing_chain, net_that_is_trained),
        *(coils_undersampled, stiffness_by_directions),
    )
}
