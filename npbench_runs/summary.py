"""What a benchmark run says in a few numbers: counts by engine, the geometric mean of JAX/daad, who is faster where."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from npbench_runs.results import KernelFacts, Results, Status

ENGINES = ("daad", "primal", "jax", "dace", "numpy")


@dataclass(frozen=True, kw_only=True)
class Mean:
    """A geometric mean over so many kernels; None over none."""

    value: float | None
    kernels: int

    @staticmethod
    def of(ratios: Iterable[float]) -> Mean:
        logs = [math.log(ratio) for ratio in ratios]
        return Mean(value=math.exp(math.fsum(logs) / len(logs)) if logs else None, kernels=len(logs))


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Counts of each engine that was asked for, and JAX/daad (ratio of medians) where both gradients are right.

    `gradient`: the mean of the gradient's time over that of the program itself, both compiled by daad.
    """

    counts: Mapping[str, Mapping[Status, int]]
    ratios: Mapping[str, float]
    overall: Mean
    without_loops: Mean
    with_loops: Mean
    gradient: Mean

    @property
    def faster(self) -> int:
        """Number of kernels on which daad takes less time than JAX."""
        return sum(ratio > 1.0 for ratio in self.ratios.values())

    @property
    def slower(self) -> tuple[tuple[str, float], ...]:
        """Kernels on which daad takes more time than JAX, with JAX/daad, the worst first."""
        below = ((kernel, ratio) for kernel, ratio in self.ratios.items() if ratio < 1.0)
        return tuple(sorted(below, key=lambda pair: (pair[1], pair[0])))


def summarise(results: Results) -> Summary:
    """The numbers of a run."""
    ratios = {facts.kernel: ratio(results, facts.kernel, "jax", "daad") for facts in by_name(results)}
    known = {kernel: value for kernel, value in ratios.items() if value is not None}
    looped = {facts.kernel for facts in results.kernels if facts.loops}
    return Summary(
        counts={e: Counter(r.status for r in results.rows if r.engine == e) for e in engines(results)},
        ratios=known,
        overall=Mean.of(known.values()),
        without_loops=Mean.of(value for kernel, value in known.items() if kernel not in looped),
        with_loops=Mean.of(value for kernel, value in known.items() if kernel in looped),
        gradient=Mean.of(r for f in results.kernels if (r := ratio(results, f.kernel, "daad", "primal")) is not None),
    )


def by_name(results: Results) -> tuple[KernelFacts, ...]:
    """The kernels in the order in which all tables show them."""
    return tuple(sorted(results.kernels, key=lambda facts: facts.kernel))


def engines(results: Results) -> tuple[str, ...]:
    """The engines that have rows, in the order of the columns."""
    found = {row.engine for row in results.rows}
    return (*(e for e in ENGINES if e in found), *sorted(found - set(ENGINES)))


def median(results: Results, kernel: str, engine: str) -> float | None:
    """Milliseconds of an engine's right result."""
    row = results.row(kernel, engine)
    if row is None or row.status is not Status.RIGHT or row.times is None:
        return None
    return row.times.median


def ratio(results: Results, kernel: str, engine: str, base: str) -> float | None:
    """How many times longer `engine` takes than `base`; None unless both are right."""
    one, other = median(results, kernel, engine), median(results, kernel, base)
    return one / other if one is not None and other else None
