"""The sum over members does not depend on who adds what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from daad.api.ensemble.members import batch
from daad.api.ensemble.pairwise_sum import PairwiseSum, added, scaled
from daad.errors import BadArgument
from tests.api.ensemble.subjects import in_pairs


def terms(count: int) -> list[Any]:
    rng = np.random.default_rng(count)
    return [*rng.normal(size=count) * 10.0 ** rng.integers(-8, 8, size=count)]


def added_up(values: list[Any], sizes: Any) -> Any:
    """By workers that add up batches, whose sizes are as asked for where the tree allows it."""
    whole, coming, first = PairwiseSum(), iter(values), 0
    while (found := batch(coming, first, int(sizes()))) is not None:
        part = PairwiseSum()
        for value in found.members:
            part.add(value)
        whole.add(part.total(), found.level)
        first = found.stop
    return whole.total()


@pytest.mark.parametrize("count", [*range(1, 34), 100, 1000, 1023, 1024, 1025])
def test_batches_of_any_size_make_the_same_tree(count: int) -> None:
    values, rng = terms(count), np.random.default_rng(0)
    right = in_pairs(values)
    for size in (1, 2, 8, 64, 2048):
        assert added_up(values, lambda size=size: size) == right
    for _ in range(5):
        assert added_up(values, lambda: rng.integers(1, 100)) == right


def test_ten_thousand_workers_make_the_same_tree() -> None:
    """Simulated: each computes one member, sums of 32 neighbours are tasks, whose results come in any order."""
    values, rng = terms(10_000), np.random.default_rng(1)
    parts = {}
    for first in 32 * rng.permutation(-(-len(values) // 32)):
        part = PairwiseSum()
        for value in values[first : first + 32]:
            part.add(value)
        parts[first] = part.total()
    whole = PairwiseSum()
    for first in sorted(parts):
        whole.add(parts[first], 5)
    assert whole.total() == in_pairs(values)


def test_another_order_has_other_bits() -> None:
    values = terms(1000)
    assert in_pairs(values) != in_pairs(values[::-1])


@dataclass
class Parts:
    w: np.ndarray
    name: str | None = None


class Plain:
    def __init__(self, w: Any) -> None:
        self.w = w


def test_structures_are_added_part_by_part() -> None:
    one = {"a": np.ones(2), "b": [1.0, (None, np.float32(2.0))], "c": Parts(np.ones(3)), "d": Plain(np.ones(1))}
    found = scaled(added(added(one, one), one), 2)
    assert found["a"].tolist() == [1.5, 1.5]
    assert found["b"] == [1.5, (None, 3.0)]
    assert found["b"][1][1].dtype == np.float32
    assert isinstance(found["c"], Parts)
    assert found["c"].w.tolist() == [1.5] * 3
    assert isinstance(found["d"], Plain)
    assert found["d"].w.tolist() == [1.5]
    assert one["d"].w.tolist() == [1.0]


APART = [
    (np.ones(2), np.ones(3), "Members have results of shapes (2,) and (3,), which have no sum."),
    ({"a": 1.0}, {"b": 1.0}, "The gradients of the members have different structures."),
    ((1.0, 2.0), (1.0,), "The gradients of the members have different structures."),
]


@pytest.mark.parametrize(("first", "second", "sentence"), APART, ids=["shapes", "keys", "lengths"])
def test_what_has_no_sum_is_refused(first: Any, second: Any, sentence: str) -> None:
    with pytest.raises(BadArgument) as caught:
        added(first, second)
    assert caught.value.message == sentence
