"""Programs whose loops and branches make arrays that the adjoint reads, in NumPy as people write it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SIZE = 12


def pooled(x, w):
    small = np.empty((SIZE // 2, SIZE // 2))
    for i in range(SIZE // 2):
        for j in range(SIZE // 2):
            small[i, j] = np.max(x[2 * i : 2 * i + 2, 2 * j : 2 * j + 2] * w)
    return np.sum(np.exp(np.sin(small)))


def two_layers(x, w):
    first = np.zeros(SIZE)
    for i in range(1, SIZE):
        first[i] = np.sin(first[i - 1]) * x[0, i] * w
    second = np.empty(SIZE)
    for i in range(SIZE):
        second[i] = np.max(np.exp(first[i] * x[i]))
    return np.sum(np.sin(second))


def filled_row_by_row(x, w):
    table = np.empty((SIZE, SIZE))
    table[0] = x[0] * w
    for k in range(1, SIZE):
        table[k] = np.sin(table[k - 1]) * x[k]
    return np.sum(np.exp(np.sin(table)))


def accumulated(x, w):
    total = np.zeros(SIZE)
    rows = np.empty((SIZE, SIZE))
    for k in range(SIZE):
        total = 0.5 * total + x[k] * w
        rows[k] = np.tanh(total)
    return np.sum(np.exp(np.sin(rows)))


def looped_in_a_branch(x, w):
    table = np.zeros((SIZE, SIZE))
    if x[0, 0] > 0.0:
        for k in range(1, SIZE):
            table[k] = np.sin(table[k - 1]) + x[k] * w
    else:
        table[0] = x[0] * w
    return np.sum(np.exp(np.sin(table)))


def read_from_a_reused_buffer(x, w):
    buffer = x * np.sin(w)
    rows = np.zeros((SIZE, SIZE))
    for k in range(1, SIZE):
        rows[k] = np.sin(rows[k - 1]) * buffer[k]
    for k in range(1, SIZE):
        buffer[k] = np.sin(buffer[k - 1]) + x[k]
    return np.sum(np.exp(np.sin(rows)) * buffer)


def argument_overwritten(x, w):
    table = np.zeros((SIZE, SIZE))
    for k in range(1, SIZE):
        table[k] = np.sin(table[k - 1]) * x[k] * w
    x[:] = 1.0
    return np.sum(np.exp(np.sin(table)))


def trips_given(x, w, steps):
    table = np.zeros((SIZE, SIZE))
    for k in range(1, steps):
        table[k] = np.sin(table[k - 1]) * x[k] * w
    return np.sum(np.exp(np.sin(table)))


@dataclass(frozen=True)
class Remade:
    """A program, and which of its local arrays can be made again by the statements that made them."""

    function: object
    arrays: frozenset[str]
    integers: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return self.function.__name__  # type: ignore[attr-defined, no-any-return]

    @property
    def names(self) -> tuple[str, ...]:
        """Variables of the program."""
        return self.function.__code__.co_varnames  # type: ignore[attr-defined, no-any-return]

    def arguments(self) -> tuple[object, ...]:
        """As large as the program says."""
        dice = np.random.default_rng(7)
        return dice.random((SIZE, SIZE)) + 0.1, 0.7, *self.integers


PROGRAMS = (
    Remade(pooled, frozenset({"small"})),
    Remade(two_layers, frozenset({"first", "second"})),
    Remade(filled_row_by_row, frozenset({"table"})),
    Remade(accumulated, frozenset({"rows"})),
    Remade(looped_in_a_branch, frozenset({"table"})),
    Remade(read_from_a_reused_buffer, frozenset({"buffer", "rows"})),
    Remade(argument_overwritten, frozenset()),
    Remade(trips_given, frozenset({"table"}), (9,)),
)
