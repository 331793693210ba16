"""Numbers that a side of a branch binds are known there, as keys, sizes and conditions, whatever the other binds."""

# ruff: noqa: B007 (programs as their authors write them)
from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row


class State:
    pass


def nested(x):
    s = 0.0
    for t in range(60):
        if x[t % 7] > 0:
            k = 1
            if x[(t + 1) % 7] > 0.3:
                k = 2
            s = s + x[k] * k
        else:
            k = 3
            s = s - x[k]
        s = s + k * x[0]
    return s


def inner_loop(x):
    s = 0.0
    k = 0
    for t in range(60):
        if x[t % 7] > 0:
            k = 1
            for j in range(4):
                k = k + 1
                s = s + x[k] * 0.1
            k = k - 2
        else:
            k = 5
        s = s + k * x[k]
    return s


def inner_while(x):
    s = 0.0
    k = 0
    for t in range(40):
        if x[t % 7] > 0:
            k = 1
            while k < 5 and x[k] < 0.5:
                k += 1
            s = s + x[k]
        else:
            k = 5
        s = s + k * x[k]
    return s


def sizes(x):
    s = 0.0
    for t in range(40):
        if x[t % 7] > 0:
            n = 3
            s = s + np.sum(x[:n] ** 2)
            n = 2
            s = s + np.sum(np.ones(n)) * x[n]
        else:
            n = 4
            s = s + np.sum(x[n:])
        s = s * 0.9 + n
    return s


def kinds(x):
    s = 0.0
    for t in range(40):
        if x[t % 7] > 0:
            k = 1
            s = s + x[1] * (k / 2) + (k // 2)
            k = 2.5
        else:
            k = 7
            s = s + x[2] * (k // 2)
        s = s + k * x[0]
    return s


def attrs(x):
    o = State()
    o.n = 0
    l = [0, 0]
    d = {"a": 0}
    s = 0.0
    for t in range(40):
        if x[t % 7] > 0:
            o.n = 1
            l[0] = 2
            d["a"] = 3
            s = s + x[o.n] * x[l[0]] + x[d["a"]]
            o.n = o.n + 1
        else:
            o.n = 3
            l[1] = l[0]
            l[0] = 1
            s = s + x[l[0]]
        s = s + x[o.n] * l[0] + l[1] + d["a"] * x[5]
    return s


def closures(x):
    s = 0.0
    k = 0

    def get():
        return k

    def put(v):
        nonlocal k
        k = v

    for t in range(40):
        if x[t % 7] > 0:
            k = 1
            s = s + x[get()]
            put(4)
            s = s + x[k] * get()
        else:
            put(2)
            s = s - x[get()]
        s = s + k * x[0]
    return s


def early(x):
    s = 0.0
    k = 0
    for t in range(40):
        if x[t % 7] > 0:
            k = 1
            if x[(t + 2) % 7] > 0.5:
                k = 3
                continue
            k = k + 1
            if x[(t + 3) % 7] < -1:
                k = 6
                break
        else:
            k = 5
        s = s + x[k] * k
    return s + k * x[0]


def ret(x):
    k = 0
    if x[0] > 0:
        k = 1
        if x[1] > 0:
            return x[k] * 2
        k = 2
    else:
        k = 4
    return x[k] ** 2 * k


def swaps(x):
    a, b = 1, 2
    s = 0.0
    for t in range(40):
        if x[t % 7] > 0:
            a, b = b, a
        else:
            a = 3
            b = a + 1
        s = s + x[a] * b
    return s


def alias(x):
    s = 0.0
    a = 0
    b = 0
    for t in range(40):
        if x[t % 7] > 0:
            a = 1
            b = a
            a = 2
        else:
            b = a
            a = 5
        s = s + x[b] * a + x[a]
    return s


def tryit(x):
    s = 0.0
    k = 0
    for t in range(40):
        if x[t % 7] > 0:
            k = 9
            try:
                s = s + x[k]
            except IndexError:
                k = 2
            s = s + x[k]
        else:
            k = 3
        s = s + k * x[k]
    return s


def elifs(x):
    s = 0.0
    for t in range(40):
        v = x[t % 7] * np.cos(t)
        if v > 0.5:
            k = 0
            w = 0.5
        elif v > 0:
            k = 1
            w = 0.25
        elif v > -0.5:
            k = 2
            w = k * 1.5
        else:
            k = 3
            w = x[0]
            w = 2.0
        for j in range(k):
            s = s + x[j] * w
        s = s + w * x[k]
    return s


def counters(x):
    s = 0.0
    l = [0.0, x[0], x[1], x[2]]
    for t in range(40):
        if s < x[3] * t * 0.1:
            for i in [1, 2, 3]:
                if l[i] < x[i]:
                    l[i] = l[i] + 0.1 * x[4]
                else:
                    s = s + l[i] * 0.1
        else:
            for i in [3, 2, 1]:
                l[i] = l[i] * 0.9
        s = s * 0.95 + i * x[5] * 0.01
    return s + sum(l)


def flags(x):
    s = 0.0
    ok = False
    for t in range(40):
        if x[t % 7] > 0:
            ok = True
            if ok:
                s = s + x[1]
            ok = not ok
        else:
            ok = True
        if ok:
            s = s + x[2] * t
    return s


def bools_np(x):
    s = 0.0
    k = np.int64(0)
    for t in range(40):
        if x[t % 7] > 0:
            k = np.float64(1.5)
            s = s + x[1] * k
        else:
            k = np.float64(2.0)
        s = s + k * x[0]
    return s


def arr_k(x):
    k = np.zeros(2)
    s = 0.0
    for t in range(40):
        if x[t % 7] > 0:
            k = 1.0
            s = s + x[1] * k
            k = x[:2] * k
        else:
            k = x[2:4]
        s = s + np.sum(k)
    return s


def once(x):
    if x[0] > 0:
        k = 1
        k = k + x[1]
        k2 = 3
    else:
        k = 2
        k2 = 4.0
    return k * x[2] + k2 * x[3]


STAGED = (nested, sizes, kinds, attrs, closures, counters, flags)
OTHERS = (inner_loop, inner_while, early, ret, swaps, alias, tryit, elifs, bools_np, arr_k, once)

CASES = tuple(row(function, lambda: (normal(3, 7),), "x") for function in (*STAGED, *OTHERS))
