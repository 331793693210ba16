"""Results written by hand, small enough that every number of a report can be checked on paper."""

from __future__ import annotations

import dataclasses

from npbench_runs.results import KernelFacts, Results, Row, Setting, Status, Times

SETTING = Setting(
    preset="S",
    source="npbench_runs",
    threads=2,
    repeats=10,
    cpu="A processor",
    cores=2,
    memory_gib=15.6,
    platform="Linux-6.1",
    versions={"daad": "0.1.0", "jax": "0.10.2"},
)


def times(median: float) -> Times:
    """One percent below and two above."""
    low, high = 0.99 * median, 1.02 * median
    return Times(median=median, minimum=low, low=low, high=high, samples=(low, median, high))


def right(kernel: str, engine: str, median: float) -> Row:
    return Row(
        kernel=kernel,
        engine=engine,
        status=Status.RIGHT,
        times=times(median),
        compile_seconds=1.25,
        peak_mib=20.5,
        error=2e-12,
        checked_against="differences",
    )


def bad(kernel: str, engine: str, status: Status, reason: str = "") -> Row:
    error = 0.5 if status is Status.WRONG else None
    against = "jax" if status is Status.WRONG else ""
    return Row(kernel=kernel, engine=engine, status=status, reason=reason, error=error, checked_against=against)


def facts(kernel: str, loops: bool = False) -> KernelFacts:
    return KernelFacts(kernel=kernel, sizes={"N": 50, "TSTEPS": 8}, loops=loops, numpy_lines=7, jax_lines=11)


ALL_STATUSES = Results(
    setting=SETTING,
    kernels=(
        facts("seidel_2d", loops=True),
        facts("gemm"),
        facts("atax"),
        facts("lu", loops=True),
        facts("vadv", loops=True),
        facts("adi", loops=True),
        facts("mlp"),
        facts("lenet"),
    ),
    rows=(
        right("seidel_2d", "daad", 1.0),
        right("seidel_2d", "jax", 8.0),
        right("seidel_2d", "dace", 100.0),
        right("seidel_2d", "numpy", 0.4),
        right("gemm", "daad", 2.0),
        right("gemm", "jax", 1.0),
        right("gemm", "numpy", 1.0),
        dataclasses.replace(right("atax", "daad", 0.001), reason="differs from jax; differences cannot tell"),
        right("atax", "jax", 0.027),
        bad("atax", "dace", Status.FAILED, "AssertionError:\n  no | message"),
        bad("lu", "daad", Status.WRONG),
        right("lu", "jax", 1.0),
        bad("vadv", "daad", Status.REFUSED, "A 'while' loop cannot be reversed: see daad[bench]."),
        bad("vadv", "jax", Status.MEMORY, "It went over 8 GiB."),
        bad("adi", "daad", Status.TIMEOUT, "It ran longer than 60 s."),
        right("adi", "jax", 3.0),
        right("mlp", "daad", 3.0),
        bad("mlp", "jax", Status.TIMEOUT, "It ran longer than 60 s."),
        bad("mlp", "dace", Status.MISSING, "Install daad[bench]."),
        bad("lenet", "daad", Status.REFUSED, "A 'while' loop cannot be reversed: see daad[bench]."),
    ),
)
WITHOUT_JAX = Results(
    setting=SETTING, kernels=(facts("gemm"),), rows=(right("gemm", "daad", 2.0), right("gemm", "numpy", 1.0))
)
JAX_MISSING = Results(
    setting=SETTING,
    kernels=(facts("gemm"), facts("lu", loops=True)),
    rows=tuple(
        row
        for kernel in ("gemm", "lu")
        for row in (right(kernel, "daad", 2.0), bad(kernel, "jax", Status.MISSING, "Install daad[bench]."))
    ),
)
ONE_KERNEL = Results(
    setting=SETTING,
    kernels=(facts("lu", loops=True),),
    rows=(
        right("lu", "daad", 2.0),
        right("lu", "primal", 0.8),
        right("lu", "jax", 9.0),
        right("lu", "dace", 40.0),
        right("lu", "numpy", 3.0),
    ),
)
EMPTY = Results(setting=SETTING)
NAMED = {
    "all_statuses": ALL_STATUSES,
    "without_jax": WITHOUT_JAX,
    "jax_missing": JAX_MISSING,
    "one_kernel": ONE_KERNEL,
    "empty": EMPTY,
}
