"""Loops in blocks: the same iterations in the same order, and fewer of them run again for the same memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import daad
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Array, Assign, Const, Index, IndexValue, Loop, Nest, Node, Op, Program
from daad.loops.blocked_loops import in_blocks
from daad.loops.schedule import fewest_advances
from daad.report.array_rows import short
from tests.corpus.case import uniform
from tests.passes.leaving_out import without

BOUNDS = ((0, 12, 1), (3, 10, 1), (9, -1, -1), (5, -3, -1), (0, 1, 1), (2, 2, 1))


def grow(x, c, steps):  # type: ignore[no-untyped-def]
    for _ in range(steps):
        x = x + 0.01 * c * x * (1.0 - x)
    return np.sum(x * x)


def counting(start: int, stop: int, step: int) -> Program:
    """A loop whose body names its variable in an index and in a value."""
    t = Affine.of("t")
    nest = Nest((), (Assign(Access("x", (t + 5,)), "=", IndexValue(t * 2)),))
    loop = Loop("t", Affine(start), Affine(stop), step, (nest,))
    return Program(name="p", arrays={"x": Array("x", (40,), "int64")}, parameters=("x",), body=(loop,))


def values(body: tuple[Node, ...], at: dict[str, int]) -> Iterator[tuple[int, int]]:
    """Index and value of each assignment that is run, in order."""
    for node in body:
        if isinstance(node, Loop):
            for k in range(number(node.start, at), number(node.stop, at), node.step):
                yield from values(node.body, {**at, node.var: k})
        else:
            assert isinstance(node, Nest)
            (assign,) = node.assigns
            yield number(assign.target.index[0], at), number(assign.value, at)


def number(index: Index, at: dict[str, int]) -> int:
    if isinstance(index, Affine):
        return index.evaluate(at)
    if isinstance(index, IndexValue):
        return index.form.evaluate(at)
    if isinstance(index, Const):
        return int(index.value)
    assert isinstance(index, Op)
    assert index.name == "minimum"
    return min(number(arg, at) for arg in index.args)


@pytest.mark.parametrize("length", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("bounds", BOUNDS)
def test_the_same_iterations(bounds: tuple[int, int, int], length: int) -> None:
    program = counting(*bounds)
    wanted, found = (list(values(p.body, {})) for p in (program, in_blocks(program, {(0,): length})))
    assert found == wanted
    assert len(wanted) == len(range(*bounds))


@pytest.mark.parametrize(("arrays", "trips"), [(15, 1000), (40, 1000), (90, 997)])
def test_no_more_iterations_than_binomial_checkpointing(
    arrays: int, trips: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrays that fit: two of them hold arguments, one the gradient, and some are scratch. As if points were not
    independent: in slabs nothing would be run again."""
    size = 2**12
    given = (uniform(1, size), uniform(2, size), trips)
    with without("strip-mining"):
        plan = daad.plan(grow, given, wrt="c", memory_limit=f"{8 * size * arrays // 1024 + 40}KiB")
    (snapshots,) = plan.derivation.plan.snapshots.values()
    lengths = plan.derivation.hints.blocks
    again = snapshots.replay.schedule.steps * max([1, *lengths.values()])
    assert again <= trips + fewest_advances(trips, arrays - 5)


@pytest.mark.parametrize("kib", [12, 24])
def test_operations_are_counted(kib: int) -> None:
    """Five for each element: two products with x, one with the constant, a difference and a sum."""
    size, trips = 100, 60
    plan = daad.plan(grow, (uniform(1, size), uniform(2, size), trips), wrt="c", memory_limit=f"{kib}KiB")
    (snapshots,) = plan.derivation.plan.snapshots.values()
    length = max([1, *plan.derivation.hints.blocks.values()])
    assert trips % length == 0, "the last block is as long as the others"
    assert f", {short(snapshots.replay.schedule.steps * length * 5 * size)} operations" in str(
        plan.explain().account.arrays
    )
