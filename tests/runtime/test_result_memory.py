"""The memory of large results serves again, but never while somebody can see it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from daad.runtime.result_memory import LARGE, Results

SHAPE = (LARGE // 8,)


def test_memory_of_a_result_that_is_gone_serves_again() -> None:
    results = Results(SHAPE, "float64")
    first = results.fresh()
    place = first.ctypes.data
    second = results.fresh()
    assert not np.shares_memory(first, second)
    del first
    assert results.fresh().ctypes.data == place


@pytest.mark.parametrize(
    "hold",
    [lambda a: a[3:5], lambda a: a.reshape(2, -1).T, memoryview, lambda a: np.frombuffer(a)[::2], lambda a: [a]],
    ids=["slice", "transpose", "memoryview", "buffer", "list"],
)
def test_nothing_that_shows_a_result_ever_changes(hold) -> None:  # type: ignore[no-untyped-def]
    results = Results(SHAPE, "float64")
    result = results.fresh()
    result[:] = 1.0
    held = hold(result)
    del result
    for _ in range(5):
        other = results.fresh()
        assert not np.shares_memory(np.asarray(held), other)
        other[:] = 2.0
    assert np.all(np.asarray(held) == 1.0)


def test_the_memory_of_many_results_is_not_kept() -> None:
    results = Results(SHAPE, "float64")
    held = [results.fresh() for _ in range(5)]
    places = {a.ctypes.data for a in held}
    assert len(places) == 5
    assert len(results._kept) == 2


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "bool"])
def test_large_results_begin_with_a_line_of_the_caches(dtype: str) -> None:
    made = Results((3, LARGE), dtype)
    for result in (made.fresh(), made.fresh(), made.copy_of(np.ones((3, LARGE), dtype))):
        assert result.ctypes.data % 64 == 0
        assert (result.shape, result.dtype, result.flags.c_contiguous) == ((3, LARGE), dtype, True)


@pytest.mark.parametrize("made", [Results((LARGE // 8 - 1,), "float64"), Results(SHAPE, "float64", keep=False)])
def test_small_results_and_those_under_a_limit_own_their_memory(made: Results) -> None:
    assert made.fresh().flags.owndata


def test_threads_never_get_the_same_memory() -> None:
    results = Results(SHAPE, "float64")

    def use(number: int) -> bool:
        mine = results.fresh()
        mine[:: SHAPE[0] // 50] = number
        return bool(np.all(mine[:: SHAPE[0] // 50] == number))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(use, range(400)))
