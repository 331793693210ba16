"""Samples, medians and their intervals."""

from __future__ import annotations

import time

import numpy as np
import pytest

from npbench_runs.times import sample, summarised

SAMPLES = [
    ([0.002], (2.0, 2.0, 2.0, 2.0)),
    ([0.003, 0.001, 0.002], (2.0, 1.0, 1.0, 3.0)),
    ([0.001] * 9 + [1.0], (1.0, 1.0, 1.0, 1.0)),
]


@pytest.mark.parametrize(("seconds", "expected"), SAMPLES, ids=["one", "three", "an outlier"])
def test_summary_in_milliseconds(seconds: list[float], expected: tuple[float, ...]) -> None:
    found = summarised(seconds)
    assert (found.median, found.minimum, found.low, found.high) == pytest.approx(expected)
    assert found.samples == pytest.approx([1e3 * s for s in seconds])


def test_interval_covers_the_median_as_often_as_it_says() -> None:
    random = np.random.default_rng(5)
    found = [summarised(random.lognormal(sigma=0.5, size=15)) for _ in range(200)]
    covered = sum(times.low <= 1e3 <= times.high for times in found)
    assert 0.88 * len(found) <= covered <= len(found)


def test_same_samples_give_the_same_interval() -> None:
    seconds = list(np.random.default_rng(6).random(10))
    assert summarised(seconds) == summarised(seconds)


def test_a_sample_repeats_short_calls_and_leaves_out_resets() -> None:
    calls: list[str] = []

    def reset() -> None:
        calls.append("reset")
        time.sleep(0.003)

    found = sample(lambda: (calls.append("call"), time.sleep(0.001)), reset, shortest=0.004)
    assert calls == ["reset", "call"] * (len(calls) // 2)
    assert 1 < len(calls) // 2 <= 4
    assert found >= 0.001


def test_a_long_call_is_made_once() -> None:
    calls: list[int] = []
    sample(lambda: (calls.append(1), time.sleep(0.002)), lambda: None, shortest=0.001)
    assert calls == [1]
