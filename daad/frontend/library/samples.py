"""Python's `statistics` of numbers that are known at run time only, as NumPy programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = Any  # staged while the program is read


class LinearRegression(NamedTuple):
    """As Python's."""

    slope: Array
    intercept: Array


def mean(data: Any) -> Array:
    return np.mean(_numbers(data, "mean", 1))


def fmean(data: Any, weights: Any = None) -> Array:
    values = _numbers(data, "fmean", 1)
    if weights is None:
        return float(np.mean(values))
    given = _paired(weights, values, "data and weights must be the same length")
    return float(np.sum(values * given) / np.sum(given))


def geometric_mean(data: Any) -> Array:
    return float(np.exp(np.mean(np.log(_numbers(data, "geometric_mean", 1)))))


def harmonic_mean(data: Any, weights: Any = None) -> Array:
    values = _numbers(data, "harmonic_mean", 1)
    if weights is None:
        return len(values) / np.sum(1.0 / values)
    given = _paired(weights, values, "Number of weights does not match data size")
    return np.sum(given) / np.sum(given / values)


def median(data: Any) -> Array:
    return np.median(_numbers(data, "median", 1))


def median_low(data: Any) -> Array:
    values = np.sort(_numbers(data, "median_low", 1))
    return values[(len(values) - 1) // 2]


def median_high(data: Any) -> Array:
    values = np.sort(_numbers(data, "median_high", 1))
    return values[len(values) // 2]


def pvariance(data: Any, mu: Any = None) -> Array:
    values = _numbers(data, "pvariance", 1)
    return _squares(values, mu) / len(values)


def variance(data: Any, xbar: Any = None) -> Array:
    values = _numbers(data, "variance", 2)
    return _squares(values, xbar) / (len(values) - 1)


def pstdev(data: Any, mu: Any = None) -> Array:
    values = _numbers(data, "pstdev", 1)
    return float(np.sqrt(_squares(values, mu) / len(values)))


def stdev(data: Any, xbar: Any = None) -> Array:
    values = _numbers(data, "stdev", 2)
    return float(np.sqrt(_squares(values, xbar) / (len(values) - 1)))


def covariance(x: Any, y: Any, /) -> Array:
    first, second = _pair(x, y, "covariance")
    return float(np.sum(first * second) / (len(first) - 1))


def correlation(x: Any, y: Any, /) -> Array:
    first, second = _pair(x, y, "correlation")
    return float(np.sum(first * second) / np.sqrt(np.sum(first * first) * np.sum(second * second)))


def linear_regression(x: Any, y: Any, /, *, proportional: bool = False) -> Any:
    if proportional:
        first = _numbers(x, "linear_regression", 2)
        second = _paired(y, first, "linear regression requires that both inputs have same number of data points")
        return LinearRegression(float(np.sum(first * second) / np.sum(first * first)), 0.0)
    first, second = _pair(x, y, "linear regression")
    slope = np.sum(first * second) / np.sum(first * first)
    return LinearRegression(float(slope), float(np.mean(_floats(y)) - slope * np.mean(_floats(x))))


def _floats(data: Any) -> Array:
    return np.asarray(data if isinstance(data, np.ndarray) else list(data)) * 1.0


def _numbers(data: Any, name: str, least: int) -> Array:
    values = _floats(data)
    if values.ndim != 1:
        raise ValueError(f"{name} takes a sequence of numbers")
    if len(values) < least:
        raise ValueError(f"{name} requires at least {('one data point', 'two data points')[least - 1]}")
    return values


def _paired(given: Any, values: Array, message: str) -> Array:
    others = _floats(given)
    if len(others) != len(values):
        raise ValueError(message)
    return others


def _pair(x: Any, y: Any, name: str) -> tuple[Array, Array]:
    """Both less their means."""
    first = _numbers(x, name, 2)
    second = _paired(y, first, f"{name} requires that both inputs have same number of data points")
    return first - np.mean(first), second - np.mean(second)


def _squares(values: Array, centre: Any) -> Array:
    apart = values - (np.mean(values) if centre is None else centre)
    return np.sum(apart * apart)


PYTHON: dict[str, Callable[..., Any]] = {
    program.__name__: program
    for program in (
        *(mean, fmean, geometric_mean, harmonic_mean, median, median_low, median_high, pvariance, variance, pstdev),
        *(stdev, covariance, correlation, linear_regression),
    )
}
