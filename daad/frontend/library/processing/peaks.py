"""What `scipy.signal` does in C to find peaks: places come from there, heights and widths have derivatives."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from daad.frontend.library.anchored import by_python, held, python_function

Array = Any  # staged while the program is read
in_c = partial(python_function, "scipy.signal._peak_finding_utils")


def local_maxima(x: Array) -> tuple[Array, Array, Array]:
    """The middles, the left and the right edges of maxima."""
    line = held(x)

    def run() -> tuple[np.ndarray, np.ndarray]:
        middles, *edges = in_c("_local_maxima_1d")(np.asarray(line))
        found, places = np.zeros(len(line), bool), np.zeros((2, len(line)), np.int64)
        found[middles], places[:, middles] = True, edges
        return found, places

    found, places = by_python(run, (np.zeros(len(x), bool), np.zeros((2, len(x)), np.int64)))
    (middles,) = np.nonzero(found)
    return middles, places[0][middles], places[1][middles]


def select_by_peak_distance(peaks: Array, priority: Array, distance: Any) -> Array:
    heights = held(priority)
    return by_python(
        lambda: np.asarray(
            in_c("_select_by_peak_distance")(np.asarray(peaks, np.intp), np.asarray(heights), float(distance)), bool
        ),
        np.zeros(len(peaks), bool),
    )


def peak_prominences(x: Array, peaks: Array, wlen: Any) -> tuple[Array, Array, Array]:
    """The heights above the higher one of both bases."""
    line = held(x)

    def run() -> tuple[np.ndarray, ...]:
        return tuple(in_c("_peak_prominences")(np.asarray(line), np.asarray(peaks, np.intp), int(wlen))[1:])

    left, right = by_python(run, (np.zeros(len(peaks), np.int64), np.zeros(len(peaks), np.int64)))
    return x[peaks] - np.maximum(x[left], x[right]), left, right


def _crossing(x: Array, places: Array, step: int, height: Array) -> Array:
    """Where a line goes through a height, from a place that lies lower, or on it, towards a peak."""
    low, high = x[places], x[np.clip(places + step, 0, len(x) - 1)]
    is_between = low < height
    rise = np.where(is_between, high - low, 1.0)
    return places + np.where(is_between, step * (height - low) / rise, 0.0)


def peak_widths(
    x: Array, peaks: Array, rel_height: Any, prominences: Array, left_bases: Array, right_bases: Array
) -> tuple[Array, Array, Array, Array]:
    """Between the places at which the line crosses a height below the peak."""
    heights = x[peaks] - prominences * rel_height
    line, levels = held(x), held(heights)

    def run() -> tuple[np.ndarray, np.ndarray]:
        sides = [np.array(peaks, np.int64), np.array(peaks, np.int64)]
        for k, height in enumerate(np.asarray(levels)):
            for side, step, base in zip(sides, (-1, 1), (left_bases[k], right_bases[k]), strict=True):
                while side[k] * step < base * step and height < line[side[k]]:
                    side[k] += step
        return sides[0], sides[1]

    left, right = by_python(run, (np.zeros(len(peaks), np.int64), np.zeros(len(peaks), np.int64)))
    left_ips, right_ips = _crossing(x, left, 1, heights), _crossing(x, right, -1, heights)
    return right_ips - left_ips, heights, left_ips, right_ips


def peaks_as_expected(value: Array) -> Array:
    """Places, of which data may decide how many there are."""
    peaks = np.asarray(value)
    if peaks.dtype.kind not in "iu":
        raise TypeError("cannot safely cast `peaks` to dtype('intp')")
    if peaks.ndim != 1:
        raise ValueError("`peaks` must be a 1-D array")
    return peaks.astype(np.intp)


ARGUMENTS: dict[str, Callable[..., Any]] = {"_arg_peaks_as_expected": peaks_as_expected}
PEAKS: dict[str, Callable[..., Any]] = {
    "_local_maxima_1d": local_maxima,
    "_select_by_peak_distance": select_by_peak_distance,
    "_peak_prominences": peak_prominences,
    "_peak_widths": peak_widths,
}
