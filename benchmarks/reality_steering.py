"""What of the programs in reality.toml is differentiated that plan paths, steer, balance and smooth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, normal
from benchmarks.reality_flows import economics
from benchmarks.reality_maps import robot

PLACES = np.linspace(0.0, 20.0, 41)
HEIGHTS, YAWS = 2 * np.sin(PLACES / 5), np.arctan2(0.4 * np.cos(PLACES / 5), 1.0)


def reversals(code: Any) -> Case:
    planner = robot(code)

    def program(start, goal):  # type: ignore[no-untyped-def]
        xs, ys, _, _, lengths = planner.reeds_shepp_path_planning(*start, *goal, 0.5, 0.8)
        return sum([abs(length) for length in lengths]) + xs[3] ** 2 + ys[2]

    return Case(program, lambda: (np.array([-1.0, -4.0, -0.35]), np.array([5.0, 5.0, 0.43])), "start, goal")


def steering(code: Any) -> Case:
    car = robot(code, show_animation=False)
    course = [list(values) for values in (PLACES, HEIGHTS, YAWS, -0.08 * np.sin(PLACES / 5))]

    def program(start, speed, weights):  # type: ignore[no-untyped-def]
        state, error, turned, total = car.State(*start, speed), 0.0, 0.0, 0.0
        profile = car.calc_speed_profile(course[2], 2.0)
        for _ in range(4):
            found = car.lqr_speed_steering_control(state, *course, error, turned, profile, weights, np.eye(2))
            delta, _, error, turned, acceleration = found
            state = car.update(state, acceleration, delta)
            total = total + state.y**2 + state.v
        return total

    return Case(program, lambda: (np.array([0.3, 1.0, 0.2]), 2.0, np.eye(5)), "start, speed, weights")


def front_axle(code: Any) -> Case:
    car = robot(code)

    def program(start, speed):  # type: ignore[no-untyped-def]
        state, total = car.State(*start, speed), 0.0
        target, _ = car.calc_target_index(state, PLACES, HEIGHTS)
        for _ in range(12):
            delta, target = car.stanley_control(state, PLACES, HEIGHTS, YAWS, target)
            state.update(car.pid_control(5.0, state.v), delta)
            total = total + state.y**2
        return total

    return Case(program, lambda: (np.array([0.3, 1.0, 0.2]), 2.0), "start, speed")


def balance(code: Any) -> Case:
    cart = robot(code)

    def program(state, weights, effort):  # type: ignore[no-untyped-def]
        cart.Q, cart.R = weights, effort
        for _ in range(3):
            state = cart.simulation(state, cart.lqr_control(state))
        return np.sum(state**2)

    start, weights = np.array([[0.0], [0.0], [0.3], [0.0]]), np.diag([1.0, 1.2, 1.0, 0.3])
    return Case(program, lambda: (start.copy(), weights.copy(), np.array([[0.01]])), "state, weights, effort")


def spectra(code: Any) -> Case:
    economics(code)
    estimates, trends = code.named("quantecon._estspec"), code.named("quantecon._filter")

    def program(series):  # type: ignore[no-untyped-def]
        _, power = estimates.periodogram(series, window="hamming", window_len=7)
        _, recoloured = estimates.ar_periodogram(series)
        cycle, _ = trends.hamilton_filter(series, 3, 2)
        return np.sum(power**2) + np.sum(recoloured) + np.nansum(cycle**2)

    return Case(program, lambda: (normal(1, 40),), "series")


STEERING = (reversals, steering, front_axle, balance, spectra)
DRIVERS: dict[str, Callable[[Any], Case]] = {one.__name__: one for one in STEERING}
