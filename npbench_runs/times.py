"""From samples to a median, a minimum and how sure the median is."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from npbench_runs.results import Times

RESAMPLES = 2000
COVERAGE = 0.95
SHORTEST_SAMPLE = 2e-3


def summarised(seconds: Sequence[float]) -> Times:
    """Milliseconds; the interval is that of the medians of as many samples, drawn again from these."""
    samples = 1e3 * np.asarray(seconds)
    drawn = np.random.default_rng(7).choice(samples, size=(RESAMPLES, samples.size))
    tail = 100 * (1 - COVERAGE) / 2
    low, high = np.percentile(np.median(drawn, axis=1), (tail, 100 - tail))
    return Times(
        median=float(np.median(samples)),
        minimum=float(samples.min()),
        low=float(low),
        high=float(high),
        samples=tuple(map(float, samples)),
    )


def sample(call: Callable[[], Any], reset: Callable[[], Any], shortest: float = SHORTEST_SAMPLE) -> float:
    """Seconds of one call: the mean over as many as last `shortest`; `reset` before each is not timed."""
    spent, calls = 0.0, 0
    while spent < shortest or calls == 0:
        reset()
        start = time.perf_counter()
        call()
        spent += time.perf_counter() - start
        calls += 1
    return spent / calls
