"""Variables that some way to their use gives no value, if not the one that is taken."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, uniform


def first_that_is_large(x, w):
    for k in range(len(x)):
        r = x[k] * w[k]
        if r > 0.1:
            out = r
            place = k
            break
    return out * w[place] + x[place]


def found_by_several(x, w):
    for k in range(len(x)):
        if w[k] > 1.0:
            found = x[k] * w[k]
        if k > 2:
            s = found + 1.0
    return s * found


def told_by_a_flag(x, w):
    def inner(v):
        if v > 0.0:
            r, positive = v * v, True
        else:
            positive = False
        if positive:
            return r
        return -v

    return inner(x[0]) + inner(x[1]) * w[0]


def set_again_in_each_row(x, w):
    s = 0.0
    for i in range(len(x)):
        for j in range(len(w)):
            if w[j] * x[i] > 0.4:
                t = w[j] * x[i]
                break
        else:
            t = 0.1 * x[i]
        s += t
    return s


def hit_in_a_while(x, w):
    i = 0
    while i < len(x):
        if w[i] > 0.8:
            hit = x[i]
            break
        i += 1
    hit *= 2.0
    return hit * w[i]


def set_or_caught(x, w):
    for k in range(len(x)):
        if w[k] > 0.8:
            found = x[k]
            break
    z = found * w[0]
    try:
        y = found * 2.0
    except UnboundLocalError:
        y = x[0] * 3.0
    return y + z


def residual(level, before, rain, rate):
    if level is None:
        level = 0.0
    return level - before - sum([rain, -rate * level**1.5]), 0.0, before + rain


def pegasus(before, rain, rate):
    a, b = residual(None, before, rain, rate)[1:3]
    fa, fb = residual(a, before, rain, rate)[0], residual(b, before, rain, rate)[0]
    needed = True
    if np.abs(fa) < 1e-12:
        output = a
        needed = False
    elif np.abs(fb) < 1e-12:
        output = b
        needed = False
    if fa * fb > 0.0 and needed:
        raise ValueError("no root")
    if needed:
        for j in range(30):
            root = min(max(a - fa / (fb - fa) * (b - a), min(a, b)), max(a, b))
            f_root = residual(root, before, rain, rate)[0]
            if f_root * fa < 0.0:
                b, fb = a, fa
            else:
                fb = fb * (fa / (fa + f_root))
            a, fa = root, f_root
            if np.abs(f_root) < 1e-12:
                output = root
                break
            if j + 1 == 30:
                raise RuntimeError("not converged")
    return output


def implicit_reservoir(x, w):
    level, s = 5.0, 0.0
    for t in range(len(x)):
        level = pegasus(level, w[t], 0.05 * w[0])
        s += level**2 * (1.0 + x[t])
    return s


def never_set(x, w):
    if x.ndim > 1:
        order = 0
    try:
        y = x[order]
    except Exception:
        y = x * w
    gone = 1
    del gone
    total = 0.0
    for i in range(4):
        if i > 1:
            last = x[i] * w[i]
        try:
            total += last + gone
        except NameError:
            total += w[i]
    return np.sum(y**2) + total


def never_set_around(x, w):
    def later():
        return np.sum(x) * factor

    try:
        y = later()
    except UnboundLocalError:
        y = np.sum(x) * 5.0
    except NameError:
        y = np.sum(x * w)
    factor = w[0]
    return y * later()


def not_set_on_this_way(x, w):
    if x[0] > 0:
        factor = w[0]
    elif x[0] < -50.0:
        factor = w[1]
    try:
        return np.sum(x * factor)
    except UnboundLocalError:
        return np.sum(x * w)


PROGRAMS = (first_that_is_large, found_by_several, told_by_a_flag, set_again_in_each_row, hit_in_a_while)
PROGRAMS += (implicit_reservoir, set_or_caught, never_set, never_set_around, not_set_on_this_way)

CASES = tuple(row(f, lambda: (normal(2, 5), uniform(2, 5)), "x, w") for f in PROGRAMS)
