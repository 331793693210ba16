"""Drivers of programs about options, wings, arms, graphs, sounds, images and lenses."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, stand_in, uniform


def options_and_what_moves_them(code: Any) -> Case:
    options = code.named("mibian")

    def program(price, rate, days, volatility):  # type: ignore[no-untyped-def]
        one = options.GK([price, 1.45, rate, 2.0, days], volatility=volatility)
        two = options.BS([price, 1.45, rate, days], volatility=volatility)
        three = options.Me([52.0, 50.0, rate, price, days], volatility=32.0)
        moves = one.vega + two.gamma + one.callTheta + three.putDelta
        return 10 * (one.callPrice + two.putPrice) + moves + three.callPrice

    return Case(program, lambda: (1.4565, 1.0, 30.0, 20.0), "price, rate, days, volatility")


def stochastic_volatility(code: Any) -> Case:
    calls = code.named("models.heston.call_option")

    def program(kappa, eta, vol, correlation, spot):  # type: ignore[no-untyped-def]
        dates, strikes = np.array([0.0, 0.7]), (90.0, 100.0, 115.0)
        smile = [calls.Call(0.03, kappa, eta, vol, correlation, strike, 1, dates) for strike in strikes]
        return sum(one.price(spot, 0.06, 0) for one in smile)

    return Case(program, lambda: (2.0, 0.05, 0.4, -0.6, 101.0), "kappa, eta, vol, correlation, spot")


def vortices_of_a_wing(code: Any) -> Case:
    wings = code.named("vlm")

    def program(span, sweep, root, tip, alpha):  # type: ignore[no-untyped-def]
        plane = wings.PyVLM()
        plane.add_wing([np.array([0.0, 0.0]), np.array([sweep, span])], [root, tip], 2, 3)
        lift, drag = plane.vlm(alpha, False)
        return lift + 10 * drag

    return Case(program, lambda: (2.0, 0.3, 1.0, 0.6, 5.0), "span, sweep, root, tip, alpha")


def reaching_arm(code: Any) -> Case:
    sys.modules["arm2base"] = code.named("arms.two_link.arm2base")
    arms = code.named("arms.two_link.arm_python_todorov")
    sys.path.insert(0, str(code.folder / "controllers"))
    controllers = code.named("controllers.osc")

    def program(start, target, gains):  # type: ignore[no-untyped-def]
        one = arms.Arm(init_q=start, init_dq=np.zeros(2), dt=0.005)
        control, total = controllers.Control(kp=gains[0], kv=gains[1]), 0.0
        control.target = target
        for _ in range(100):
            one.apply_torque(control.control(one))
            total = total + np.sum((one.x - target) ** 2)
        return total

    start = (np.array([0.75613, 1.8553]), np.array([0.1, 0.4]), np.array([0.2, 0.05]))
    return Case(program, lambda: tuple(map(np.copy, start)), "start, target, gains")


def graph_layout(code: Any) -> Case:
    stand_in("tqdm", tqdm=iter)
    forces = code.named("fa2.fa2util")
    ends = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 3))

    def program(places, weights, gravity):  # type: ignore[no-untyped-def]
        nodes, edges = [forces.Node(2) for _ in range(6)], [forces.Edge() for _ in ends]
        for k, one in enumerate(nodes):
            one.mass, one.pos = 1.0 + k % 3, [places[k, 0], places[k, 1]]
        for k, edge in enumerate(edges):
            edge.node1, edge.node2, edge.weight = *ends[k], weights[k]
        found = {"speed": 1.0, "speedEfficiency": 1.0}
        for _ in range(5):
            for one in nodes:
                one.old_force, one.force = list(one.force), [0.0, 0.0]
            forces.apply_repulsion(nodes, 2.0)
            forces.apply_gravity(nodes, gravity, 2.0)
            forces.apply_attraction(nodes, edges, False, 1.0, 1.0)
            found = forces.adjustSpeedAndApplyForces(nodes, found["speed"], found["speedEfficiency"], 1.0)
        return sum(one.x * one.y + one.x**2 for one in nodes)

    return Case(program, lambda: (normal(0, 6, 2), uniform(1, 6), 1.0), "places, weights, gravity")


def sounds(code: Any) -> Case:
    for name in ("IPython", "IPython.display"):
        stand_in(name, Audio=None, display=None)
    bare_package("thinkdsp", code)
    sound = code.named("thinkdsp.thinkdsp")

    def program(pitch, loudness, decay, slope):  # type: ignore[no-untyped-def]
        mix = sound.CosSignal(pitch, loudness[0]) + sound.TriangleSignal(2 * pitch, loudness[1])
        wave = (mix + sound.Chirp(300, 500, loudness[2])).make_wave(duration=0.1, framerate=4000)
        wave.apodize()
        wave.ys = wave.ys * np.exp(-decay * wave.ts)
        wave.normalize()
        spectrum = wave.make_spectrum()
        spectrum.pink_filter(beta=slope)
        spectrum.low_pass(900, factor=0.1)
        heard = spectrum.make_wave()
        return np.sum(heard.ys**2) + heard.corr(wave) + spectrum.estimate_slope().slope

    start = np.array([1.0, 0.5, 0.3])
    return Case(program, lambda: (441.37, start.copy(), 12.0, 1.0), "pitch, loudness, decay, slope")


def shifted_images(code: Any) -> Case:
    register = code.named("imreg_dft.imreg")
    y, x = np.mgrid[:24, :24] / 24.0
    first = np.exp(-40 * ((x - 0.5) ** 2 + (y - 0.4) ** 2)) + 0.1 * uniform(0, 24, 24)
    second = np.roll(first, (2, -3), (0, 1)) + 0.05 * uniform(1, 24, 24)

    def program(first, second):  # type: ignore[no-untyped-def]
        found = register.translation(first, second)
        moved = register.transform_img(second, tvec=(1.3, -2.2), angle=12.0, scale=1.1)
        kept = register.utils.imfilter(first, low=(0.3, 0.4))
        return found["success"] + found["tvec"][0] * 1e-3 + (np.sum(moved**2) + np.sum(kept**2)) / 100

    return Case(program, lambda: (first.copy(), second.copy()), "first, second")


def triplet_of_lenses(code: Any) -> Case:
    stand_in("fastcache", clru_cache=lambda *given, **named: lambda function: function)
    bare_package("rayopt", code)
    elements, materials = code.named("rayopt.elements"), code.named("rayopt.material")
    start = np.array([[0.1 * k, 0.2 * k - 0.5, 0.0] for k in range(6)])
    towards = np.tile([0.0, 0.05, np.sqrt(1 - 0.05**2)], (6, 1))

    def program(curvatures, distances, glasses):  # type: ignore[no-untyped-def]
        rays, slopes, index, path = start, towards, 1.0, 0.0
        for k in range(6):
            glass = materials.ModelMaterial(n=1.0 if k % 2 else glasses[k // 2])
            bent = {"curvature": curvatures[k], "distance": distances[k], "angles": (0.01 * k, 0.0, 0.0)}
            face = elements.Spheroid(material=glass, **bent)
            rays, slopes = face.to_normal(rays - face.offset, slopes)
            rays, slopes, index, way = face.propagate(rays, slopes, index, 587e-9)
            rays, slopes = face.from_normal(rays, slopes)
            path = path + np.sum(way)
        return path / 10 + np.sum(slopes**3) + np.sum(rays[:, :2] ** 2)

    faces = np.array([0.047, -0.0063, -0.049, 0.051, 0.0071, -0.058])
    given = (faces, np.array([5.0, 2.0, 6.0, 1.0, 4.0, 2.0]), np.array([1.62, 1.62, 1.6]))
    return Case(program, lambda: tuple(map(np.copy, given)), "curvatures, distances, glasses")


DRIVERS: dict[str, Callable[[Any], Case]] = {
    "options_and_what_moves_them": options_and_what_moves_them,
    "stochastic_volatility": stochastic_volatility,
    "vortices_of_a_wing": vortices_of_a_wing,
    "reaching_arm": reaching_arm,
    "graph_layout": graph_layout,
    "sounds": sounds,
    "shifted_images": shifted_images,
    "triplet_of_lenses": triplet_of_lenses,
}
