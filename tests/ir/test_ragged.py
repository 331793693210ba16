"""Arrays with rows of different lengths: each element has a place of its own, and there are few others."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import pytest

from daad.codegen.ragged_packing import offset_of, pack
from daad.ir.affine import Affine
from daad.ir.interpreter import run
from daad.ir.nodes import Access, Array, Assign, Const, Load, Loop, Nest, Program, Range
from daad.ir.ragged import HALF, Extents, Polynomial, bounding_shape, index_name, layout_of
from daad.ir.validator import validate

I, J, K = (Affine.of(index_name(d)) for d in range(3))

ROWS: dict[str, Extents] = {
    "growing": (Affine(7), I),
    "growing from three": (Affine(7), I + 3),
    "growing by two": (Affine(5), 2 * I + 1),
    "shrinking": (Affine(7), 6 - I),
    "shrinking to one": (Affine(7), 7 - I),
    "within": (Affine(3), Affine(5), J),
    "over one that is even": (Affine(5), Affine(3), I),
    "of rows": (Affine(5), I, Affine(4)),
    "across rows": (Affine(5), Affine(2), 5 - I, Affine(3)),
    "across two that are even": (Affine(6), Affine(2), Affine(3), 2 * I + 1),
    "across rows, behind others": (Affine(2), Affine(6), Affine(3), 5 - J),
    "across one row": (Affine(1), Affine(3), I + 4),
    "across none": (Affine(0), Affine(3), I),
    "across rows of none": (Affine(4), Affine(0), I),
    "pyramid": (Affine(6), I, J),
    "pyramid from the other side": (Affine(6), I, I - J),
    "pyramid of two": (Affine(6), 5 - I, I + J),
    "four deep": (Affine(5), I + 1, J + 1, K + J),
    "one row": (Affine(1), I + 4),
    "empty": (Affine(0), I + 4),
}


def elements(extents: Extents, before: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    if len(before) == len(extents):
        yield before
        return
    values = {index_name(d): value for d, value in enumerate(before)}
    for index in range(extents[len(before)].evaluate(values)):
        yield from elements(extents, (*before, index))


def place(extents: Extents, index: tuple[int, ...]) -> tuple[int, ...]:
    layout = layout_of(extents)
    offset = offset_of(layout, tuple(map(Affine.of, index)))
    assert isinstance(offset, Const)
    values = {index_name(d): i for d, i in enumerate(index)}
    if layout.folded:
        values[HALF] = 2 * index[layout.group[0]] // layout.folded
    assert 0 <= layout.offset.evaluate(values) == offset.value <= layout.most
    offset = int(offset.value) + sum(index[b.dimension] * b.stride for b in layout.between)
    rest = ((d, i) for d, i in enumerate(index) if d not in layout.group[:-1])
    return tuple(i + offset if d == layout.last else i for d, i in rest)


@pytest.mark.parametrize("extents", [pytest.param(e, id=name) for name, e in ROWS.items()])
def test_each_element_has_its_own_place_in_memory(extents: Extents) -> None:
    array, layout = Array("x", bounding_shape(extents), "float64", extents), layout_of(extents)
    found = [place(extents, index) for index in elements(extents)]
    assert len(set(found)) == len(found)
    assert all(i < size for where in found for i, size in zip(where, layout.shape, strict=True))
    assert all(i < size for index in elements(extents) for i, size in zip(index, array.shape, strict=True))
    outside = prod(n for d, n in enumerate(array.shape) if d not in layout.group)
    alone = layout.folded % 2 * prod(array.shape[d] for d in layout.group[1:])  # the row in the middle has no partner
    assert len(found) <= array.size <= len(found) + alone + outside * array.shape[layout.last]


@pytest.mark.parametrize("power", range(6))
def test_sums_of_powers(power: int) -> None:
    term = Polynomial.build([(("x",) * power, 1)])
    total = term.summed("x", Polynomial.of(Affine.of("n")))
    for n in range(6):
        assert total.evaluate({"n": n}) == sum(x**power for x in range(n))


WRONG: dict[str, tuple[Extents, str]] = {
    "a later dimension": ((J + 1, Affine(3)), "name later dimensions"),
    "a row of negative length": ((Affine(4), I - 1), "has -1 elements"),
}


@pytest.mark.parametrize(("extents", "message"), [pytest.param(*row, id=name) for name, row in WRONG.items()])
def test_what_no_rows_are(extents: Extents, message: str) -> None:
    array = Array("x", bounding_shape(extents), "float64", extents)
    with pytest.raises(AssertionError, match=message):
        validate(Program(name="p", arrays={"x": array}, parameters=()))


def test_the_offset_of_a_row_has_one_name_within_and_around_a_loop() -> None:
    x, row = Array("x", (5, 5), "float64", (Affine(5), I)), (Affine.of("i"), Affine.of("j"))
    domain = (Range("j", Affine(0), Affine.of("i")),)
    before = Nest(domain, (Assign(Access("x", row), "=", Const(1.0, "float64")),))
    inside = Nest(domain, (Assign(Access("x", row), "+=", Const(2.0, "float64")),))
    total = Nest(domain, (Assign(Access("total", ()), "+=", Load("x", row, "float64")),))
    body = (before, Loop("k", Affine(0), Affine(2), 1, (inside,)), total)
    program = Program(
        name="p",
        arrays={"x": x, "total": Array("total", (), "float64")},
        parameters=("total",),
        body=(Loop("i", Affine(0), Affine(5), 1, body),),
    )
    assert float(run(validate(pack(program)), {"total": 0.0})["total"]) == 50.0


def test_what_is_seen_from_outside_has_rows_of_one_length() -> None:
    array = Array("x", (4, 3), "float64", (Affine(4), I))
    with pytest.raises(AssertionError, match="seen from outside"):
        validate(Program(name="p", arrays={"x": array}, parameters=("x",)))
