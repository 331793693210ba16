"""Programs of ensembles, with members that can be written down."""

from __future__ import annotations

from typing import Any

import numpy as np

import daad

THETA, TIMES = np.array([1.0, 0.5]), np.linspace(0.0, 1.0, 4)


def misfit(theta, times, observed):
    return np.sum((theta[0] * np.exp(-theta[1] * times) - observed) ** 2)


def slope(theta, times, observed):
    """The gradient of `misfit`, by hand."""
    decay = np.exp(-theta[1] * times)
    apart = 2.0 * (theta[0] * decay - observed)
    return np.array([np.sum(apart * decay), np.sum(-apart * theta[0] * times * decay)])


def members(count: int) -> list[tuple[Any, ...]]:
    """The same parameters, other observations."""
    return [(THETA, TIMES, np.full(4, 0.1 * number)) for number in range(count)]


def in_pairs(results: list[Any]) -> Any:
    """The sum as the tree is defined: a node is the sum of its halves, of which the first one is a power of two."""
    if len(results) == 1:
        return results[0]
    half = 1 << ((len(results) - 1).bit_length() - 1)
    first, second = in_pairs(results[:half]), in_pairs(results[half:])
    return tuple(a + b for a, b in zip(first, second, strict=True)) if isinstance(first, tuple) else first + second


def alone(gradient: Any, given: list[tuple[Any, ...]]) -> Any:
    """The sum over the members without an ensemble."""
    return in_pairs([gradient(*member) for member in given])


def equal(first: Any, second: Any) -> bool:
    """Whether two results have the same bits."""
    return bool(first[0] == second[0]) and np.array_equal(first[1], second[1])


def draws(x):
    return np.sum(x * np.random.rand(3))


def model(p, x):
    return np.sum((p["w"] * x + p["b"]) ** 2)


VALUE_AND_GRADIENT = daad.value_and_grad(misfit)
