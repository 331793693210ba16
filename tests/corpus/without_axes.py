"""Arrays without axes: changed in place, seen by all who hold them, of another type than numbers."""

from __future__ import annotations

import copy

import numpy as np

from tests.corpus.case import row, uniform

MADE = {
    "an element": lambda a: a[..., 0],
    "an array of a number": lambda a: np.asarray(a[0]),
    "a copy": lambda a: np.array(a[0]),
    "squeezed": lambda a: np.squeeze(a[:1]),
    "reshaped": lambda a: a[:1].reshape(()),
    "copied": lambda a: a[:1].reshape(()).copy(),
    "chosen": lambda a: np.where(a[0] > 0.1, a[0], 1.0),
    "selected": lambda a: np.select([a[0] > 0], [a[0]]),
    "contracted": lambda a: np.tensordot(a, a, 1),
    "by pieces": lambda a: np.piecewise(a[0], [a[0] > 0], [lambda v: v * 2]),
    "of a function": lambda a: np.vectorize(lambda v: v * 2)(a[0]),
    "real": lambda a: np.real(np.asarray(a[0])),
    "converted": lambda a: np.array(a[0]).astype(float),
    "broadcast": lambda a: np.broadcast_to(a[0], ()).copy(),
    "deep": lambda a: copy.deepcopy(np.array(a[0])),
    "no array": lambda a: a[0],
    "no array, a sum": lambda a: np.sum(a),
    "no array, computed": lambda a: np.array(a[0]) * 1.0,
    "no array, a median": lambda a: np.median(a),
    "no array, an item": lambda a: np.array(a[0])[()],
}


def kinds(x):
    """The types of all of these, as digits."""
    total = 0.0
    for number, make in enumerate(MADE.values()):
        value = make(x * 2.0)
        total = total + (number + 1) * isinstance(value, np.ndarray) * x[0]
        total = total + (number + 2) * np.isscalar(value) * x[1]
        total = total + (number + 3) * (type(value) is np.float64) * x[2] + hasattr(value, "__len__") * x[0]
    return total


def weighed(x, change):
    """All of these, which something changes that another name stands for, too."""
    total = 0.0
    for number, make in enumerate(MADE.values()):
        a = x * 2.0
        value = make(a)
        held = [value]
        value = change(value, a)
        total = total + (number + 1) * held[0] * a[1] + a[0] * value + a[2]
    return total


def added_to(value, a):
    value += a[1]
    return value


def changed_in_place(x):
    return weighed(x, added_to)


def multiplied(value, a):
    for k in range(3):
        value *= a[1] + k
        a[2] = a[2] * value
    return value


def changed_in_a_loop(x):
    return weighed(x, multiplied)


def lowered(value, a):
    if a[0] > 0.0:
        value -= a[1]
    return value


def changed_in_a_branch(x):
    return weighed(x, lowered)


def truths(x):
    small, both, listed = x[0] < 1.0, x[0] < 2.0 and x[1] < 2.0, [x[0], 2.0] == [x[0], x[1]]
    total = 0.0
    for number, value in enumerate((small, both, listed, bool(small), not small, float(x[0]) < 1.0)):
        total = total + (number + 1) * isinstance(value, bool) * x[0] + isinstance(value, np.bool_) * x[1]
    return total + (small is np.True_) * x[2] + (small is True) * x[1]


def asked_for_lengths(x):
    total = x[0] * 2.0
    for value in (x[0], np.array(x[1])):
        try:
            total = total + len(value)
        except TypeError:
            total = total + value * 3.0
    return total


def counted(x):
    total = 0
    for k in range(3):
        total = total + x[k]
    return total * 2.0 if isinstance(total, float) else x[0]


def read_only(x):
    for value in (np.broadcast_to(x, (2, 3)), x * 1.0):
        if value.flags.writeable:
            value[0] = value[1] * 2.0
    return np.sum(value * x)


TYPES = (bool, int, float, complex, np.bool_, np.integer, np.floating, np.complexfloating, np.ndarray)


def types_of_results(x):
    """Python's numbers and NumPy's."""
    holds, whole, place = bool(x[0] > 0), int(3 * x[2]), np.argmax(x)
    results = [abs(holds), round(holds), round(holds, 1), abs(x[0] > 0), round(place), round(place, 1)]
    results += [np.round(whole), np.float64(np.array(x[0])), np.int64(np.array(place)), np.array(x[0])[()]]
    results += [1j * x[0], x[0] * 1j, complex(x[0], 1) == x[1], 1j * np.float32(x[1]), holds + holds, holds == whole]
    total = 0.0
    for number, result in enumerate(results):
        for power, kind in enumerate(TYPES):
            total += number * 2.0**power * isinstance(result, kind)
    return total * np.sum(x)


def scalars_of_arrays(x):
    """`np.float64` of an array without axes is a number: what is added to it is not added to the array."""
    whole = np.array(x[0])
    part = np.float64(whole)
    part += 1.0
    return whole * part


def numbers():
    return (uniform(4, 3),)


FUNCTIONS = (
    types_of_results,
    scalars_of_arrays,
    kinds,
    changed_in_place,
    changed_in_a_loop,
    changed_in_a_branch,
    truths,
)
CASES = (*(row(f, numbers, "x") for f in (*FUNCTIONS, asked_for_lengths, counted, read_only)),)
