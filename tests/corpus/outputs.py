"""What is differentiated: returns, positions in tuples, written arguments, locals; seeds; what is inactive."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, uniform


def array_return(x, w):
    return np.sin(x) * w


def two_returns(x, w):
    y = x * w
    return np.sum(y * y), np.exp(-y)


def three_returns(x, w):
    return x * w, w[1:] ** 2 * x[:-1], np.sum(x)


def dictionary_free_tuple(x, w):
    result = (np.sum(x * w), x + w)
    return result


def writes_an_argument(x, w, out):
    out[:] = x * w
    out[1:] += x[:-1] ** 2


def writes_two_arguments(x, w, out, other):
    for i in range(len(x)):
        out[i] = x[i] * w[i]
        other[i] = out[i] ** 2 + x[i]


def writes_and_returns(x, w, out):
    out[:] = np.sqrt(w) * x
    return np.sum(out * x)


def reads_and_writes_the_output(x, w):
    x[1:] = x[1:] * w[1:] + x[:-1]
    x *= 2.0


def output_is_overwritten_again(x, w, out):
    out[:] = x * x
    out[2:] = w[2:]
    out[0] = 0.0


def local_scalar(x, w):
    misfit = np.sum((x - w) ** 2)
    misfit = misfit * x[0]
    print_me = misfit + 1.0
    return print_me * 0.0


def local_array(x, w):
    state = x.copy()
    for _ in range(3):
        state = state * w + 0.1
    return np.sum(state)


def returns_a_view(x, w):
    x *= w
    return x[1:4]


def returns_an_input(x, w):
    x[1:] *= w[1:]
    return x


def same_value_twice(x, w):
    y = x * w
    return y, y


def matrix_return(a, b):
    return a @ b


def inactive_argument(x, w):
    return np.sum(w * 2.0)


def partly_inactive(x, w):
    y = np.floor(x)
    return np.sum(y * w)


def constant_result(x, w):
    return 3.0 * len(x)


def loss_through_indices_only(x, w):
    i = int(w[0] * 3)
    return x[i] ** 2


def vectors():
    return normal(1, 5), uniform(2, 5)


def with_out():
    return *vectors(), normal(3, 5)


WEIGHTS = np.array([0.5, -1.0, 2.0, 0.25, 1.5])

CASES = (
    row(array_return, vectors, "x, w", seed=1.0),
    row(array_return, vectors, "x, w", seed=WEIGHTS, tag="array_seed"),
    row(array_return, vectors, "w", seed=-2.5, tag="one_argument"),
    row(two_returns, vectors, "x, w", of=0),
    row(two_returns, vectors, "x, w", of=1, seed=WEIGHTS, tag="second"),
    row(two_returns, vectors, "x, w", of=(0, 1), seed={0: 2.0, 1: WEIGHTS}, tag="both"),
    row(three_returns, vectors, "x, w", of=1, seed=WEIGHTS[:4]),
    row(dictionary_free_tuple, vectors, "x, w", of=0),
    row(writes_an_argument, with_out, "x, w", of="out", seed=1.0),
    row(writes_an_argument, with_out, "x, w, out", of="out", seed=WEIGHTS, tag="with_its_entry_value"),
    row(writes_two_arguments, lambda: (*with_out(), normal(4, 5)), "x, w", of="other", seed=1.0),
    row(
        writes_two_arguments,
        lambda: (*with_out(), normal(4, 5)),
        "x, w",
        of=("out", "other"),
        seed={"out": WEIGHTS, "other": 0.5},
        tag="both",
    ),
    row(writes_and_returns, with_out, "x, w"),
    row(writes_and_returns, with_out, "x, w", of="out", seed=WEIGHTS, tag="argument"),
    row(reads_and_writes_the_output, vectors, "x, w", of="x", seed=WEIGHTS),
    row(output_is_overwritten_again, with_out, "x, w, out", of="out", seed=WEIGHTS),
    row(local_scalar, vectors, "x, w", of="misfit"),
    row(local_array, vectors, "x, w", of="state", seed=WEIGHTS),
    row(returns_a_view, vectors, "x, w", seed=WEIGHTS[:3]),
    row(returns_an_input, vectors, "x, w", seed=WEIGHTS),
    row(same_value_twice, vectors, "x, w", of=(0, 1), seed={0: 1.0, 1: WEIGHTS}),
    row(matrix_return, lambda: (normal(1, 3, 4), normal(2, 4, 2)), "a, b", seed=normal(3, 3, 2)),
    row(inactive_argument, vectors, "x, w"),
    row(partly_inactive, lambda: (np.array([0.4, 1.7, -0.6, 2.3, 0.2]), uniform(2, 5)), "x, w"),
    row(constant_result, vectors, "x"),
    row(loss_through_indices_only, lambda: (normal(1, 5), uniform(2, 5, low=0.4, high=0.6)), "x, w"),
)
