"""Dicts that each iteration of a loop, or a side of a branch, replaces by others like them: states, parameters."""

from __future__ import annotations

import math

import numpy as np

from tests.corpus.case import row, uniform

STEPS = 60


def step(state, force):
    speed = state["speed"] + 0.001 * (force - np.sin(state["place"]))
    return {"place": state["place"] + 0.001 * speed, "speed": speed, "name": state["name"], "count": state["count"] + 1}


def state_by_a_function(x):
    state = {"place": x * 1.0, "speed": x[::-1] * 0.1, "name": "body", "count": 0}
    for _ in range(STEPS):
        state = step(state, x[0])
    return np.sum(state["place"] ** 2) + np.sum(state["speed"]) + state["count"] * x[1]


def parameters_of_a_net(x):
    parameters = {"w": np.outer(x, x), "b": x * 0.1}
    for _ in range(STEPS):
        y = np.tanh(parameters["w"] @ x + parameters["b"])
        slopes = {"w": np.outer(y * (1 - y**2), x), "b": y * (1 - y**2)}
        parameters = {name: parameters[name] - 0.001 * slopes[name] for name in parameters}
    return np.sum(parameters["w"] ** 2) + np.sum(parameters["b"])


def dicts_and_lists_in_a_dict(x):
    state = {"inner": {"a": x[0], "b": [x[1], x[2]]}, "rate": 0.001}
    for _ in range(STEPS):
        inner, (b, c) = state["inner"], state["inner"]["b"]
        inner = {"a": inner["a"] + state["rate"] * b, "b": [b - state["rate"] * math.sin(inner["a"]), c * 0.9998]}
        state = {"inner": inner, "rate": state["rate"] * 0.9998}
    return state["inner"]["a"] * state["inner"]["b"][0] + state["inner"]["b"][1] * state["rate"]


def until_data_say(x):
    state, t = {"y": x[0], "v": x[1]}, 0.0
    while t < 3.0:
        h = 0.02 * (1 + 0.1 * state["v"] ** 2)
        state = {"y": state["y"] + h * state["v"], "v": state["v"] - h * math.sin(state["y"]) * x[2]}
        t += h
    return state["y"] ** 2 + state["v"]


def best_so_far(x):
    best = {"place": x * 1.0, "value": 1e9}
    for k in range(STEPS):
        place = x * np.cos(0.001 * k)
        value = np.sum((place - 0.3 * x[0]) ** 2)
        if value < best["value"]:
            best = {"place": place, "value": value}
    return np.sum(best["place"] * np.arange(6)) + best["value"]


def the_old_one_is_kept(x):
    state, change = {"y": x[0], "v": x[1]}, 0.0
    for _ in range(STEPS):
        old = state
        state = {"y": old["y"] + 0.001 * old["v"], "v": old["v"] - 0.001 * math.sin(old["y"]) * x[2]}
        change = change + abs(state["y"] - old["y"]) * old["v"]
    return change + old["y"] * state["v"]


def the_first_one_is_kept(x):
    state = first = {"y": x[0], "v": x[1]}
    for _ in range(STEPS):
        state = {"y": state["y"] + 0.001 * state["v"], "v": state["v"] * 0.9998}
    state["y"] = 5.0 * x[1]
    return first["y"] * state["y"] + first["v"] * state["v"]


def appended_to_a_history(x):
    state, history = {"y": x[0], "v": x[1]}, []
    for _ in range(20):
        state = {"y": state["y"] + 0.1 * state["v"], "v": state["v"] - 0.1 * math.sin(state["y"]) * x[2]}
        history.append(state)
    state["y"] = x[2]
    return sum(one["y"] * one["v"] * (k + 1) for k, one in enumerate(history))


def written_and_replaced(x):
    state = {"y": x[0], "v": x[1]}
    seen = state
    for _ in range(20):
        state["y"] += 0.1 * x[2]
        state = {"y": state["y"] * 0.9, "v": state["v"] + state["y"]}
    return seen["y"] * state["y"] + state["v"]


def keys_in_turn(x):
    state = {"y": x[0], "v": x[1]}
    for _ in range(21):
        state = {key: value * 1.01 for key, value in reversed(state.items())}
    return sum((k + 1) * value**2 for k, value in enumerate(state.values()))


def which_of_two_dicts(x):
    a = {"y": x[0], "v": x[1]}
    c = a
    if x[2] < 0.1:
        c = {"y": x[1], "v": x[2]}
    return (1.0 if c is a else 2.0) * c["y"] * c["v"] + a["y"]


def one_of_two_dicts_written(x):
    a, c = {"y": x[0], "v": x[1]}, {"y": x[1], "v": x[2]}
    if x[0] > 0.5:
        c = a
    c["y"] = c["y"] + 1.0
    return a["y"] * c["y"] + c["v"]


def held_by_a_tuple(x):
    state, pair = {"y": x[0], "v": x[1]}, None
    for k in range(12):
        state = {"y": state["y"] + 0.1 * state["v"], "v": state["v"] * 0.9}
        pair = (state, k)
    pair[0]["y"] = 3.0 * x[2]
    return state["y"] * state["v"] + pair[1]


def words_of_a_step(x):
    state = {"y": x[0], "mood": "calm"}
    for k in range(12):
        state = {"y": state["y"] * 1.1, "mood": "wild" if k % 3 else "calm"}
        if state["mood"] == "wild":
            state = {"y": state["y"] + x[1], "mood": "calm"}
    return state["y"] ** 2


PROGRAMS = (state_by_a_function, parameters_of_a_net, dicts_and_lists_in_a_dict, until_data_say, best_so_far)
PROGRAMS += (the_old_one_is_kept, the_first_one_is_kept, appended_to_a_history, written_and_replaced, keys_in_turn)
PROGRAMS += (which_of_two_dicts, one_of_two_dicts_written, held_by_a_tuple, words_of_a_step)

CASES = tuple(row(function, lambda: (uniform(6, 6),), "x") for function in PROGRAMS)
