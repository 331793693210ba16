"""Arrays lie in the same place where their contents never matter at the same time, and only there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from daad.analysis.cost import placement
from daad.analysis.cost.placement import place
from daad.codegen.interpreted import Interpreted
from daad.ir.affine import Affine
from daad.ir.interpreter import run
from daad.ir.nodes import Access, Array, Assign, Const, Load, Loop, Nest, Node, Op, Program, Range

N = 8
I = (Affine.of("i"),)
ALL_I = (Range("i", Affine(0), Affine(N)),)


def load(name: str) -> Load:
    return Load(name, I, "float64")


def put(target: str, *sources: str, over: tuple[Range, ...] = ALL_I, op: str = "=") -> Nest:
    """`target op sum of the sources`, element by element."""
    value: Any = Const(1.0, "float64")
    for source in sources:
        value = Op("add", (value, load(source)), "float64")
    return Nest(over, (Assign(Access(target, I), op, value),))


HALF = (Range("i", Affine(0), Affine(N // 2)),)
OTHER_HALF = (Range("i", Affine(N // 2), Affine(N)),)

# A body, and for how many of a, b and c there must be memory.
FIRST_HALF, SECOND_HALF = put("a", "x", over=HALF), put("a", over=OTHER_HALF)
IN_TURNS = (put("a", "x"), put("y", "a"), put("b", "y"), put("y", "b"))
READ_WHERE_WRITTEN = replace(put("a"), assigns=(*put("a", "x").assigns, *put("y", "a", op="+=").assigns))
CARRIED = (put("b", "x"), put("y", "b"), put("a", "a", "y"))
BODIES: dict[str, tuple[list[Node], int]] = {
    "one after the other": ([put("a", "x"), put("y", "a"), put("b", "x"), put("y", "b", op="+=")], 1),
    "both read at once": ([put("a", "x"), put("b", "x"), put("y", "a", "b")], 2),
    "a copy of the other": ([put("a", "x"), put("b", "a"), put("y", "b")], 2),
    "written in halves": ([FIRST_HALF, SECOND_HALF, put("y", "a"), put("b", "x"), put("y", "b")], 1),
    "half written before": ([put("b", "x"), FIRST_HALF, put("y", "b"), SECOND_HALF, put("y", "a")], 2),
    "three in a row": ([put("a", "x"), put("b", "a"), put("c", "b"), put("y", "c")], 2),
    "in turns in a loop": ([Loop("t", Affine(0), Affine(3), 1, IN_TURNS)], 1),
    "read where it was just written": ([*IN_TURNS, READ_WHERE_WRITTEN], 1),
    "carried along": ([put("a", "x"), Loop("t", Affine(0), Affine(3), 1, CARRIED), put("y", "a")], 2),
}


def program(body: list[Node]) -> Program:
    arrays = {name: Array(name, (N,), "float64") for name in "xyabc"}
    return Program(name="p", arrays=arrays, parameters=("x",), results=("y",), body=tuple(body))


def interpreted(program: Program, x: np.ndarray) -> np.ndarray:
    """The result, with the local arrays where they are placed."""
    y = np.empty(N)
    Interpreted(program).call([x, y], ())
    return y


@pytest.mark.parametrize(("body", "places"), BODIES.values(), ids=BODIES)
def test_arrays_share(body: list[Node], places: int) -> None:
    found = program(body)
    used = {a.target.array for n in _nests(found.body) for a in n.assigns}
    found = replace(found, arrays={n: a for n, a in found.arrays.items() if n in {"x", "y", *used}})
    assert place(found).nbytes == places * N * 8
    x = np.arange(N) / 3.0
    np.testing.assert_array_equal(interpreted(found, x), run(found, {"x": x})["y"])


def _nests(body: tuple[Node, ...]) -> list[Nest]:
    return [n for node in body for n in (_nests(node.body) if isinstance(node, Loop) else [node])]  # type: ignore[misc,list-item]


def test_smaller_arrays_lie_in_larger_ones_of_their_type() -> None:
    kinds = {"x": (N, "float64"), "y": (N, "float64"), "a": (N, "float64"), "b": (3, "float64"), "d": (N, "float32")}
    arrays = {name: Array(name, (size,), dtype) for name, (size, dtype) in kinds.items()}
    three = (Range("i", Affine(0), Affine(3)),)
    narrow = Nest(ALL_I, (Assign(Access("d", I), "=", Op("cast", (load("x"),), "float32")),))
    wide = Nest(ALL_I, (Assign(Access("y", I), "+=", Op("cast", (Load("d", I, "float32"),), "float64")),))
    by_b = (put("b", "x", over=three), put("y", "b", over=three, op="+="))
    body = (put("a", "x"), put("y", "a"), *by_b, narrow, wide)
    found = Program(name="p", arrays=arrays, parameters=("x",), results=("y",), body=body)
    assert place(found).offsets == {"a": 0, "b": 0, "d": N * 8}
    x = np.arange(N) / 3.0
    np.testing.assert_array_equal(interpreted(found, x), run(found, {"x": x})["y"])


@pytest.mark.parametrize("body", [body for body, _ in BODIES.values()], ids=BODIES)
def test_no_order_of_arrays_takes_less_than_what_ends_the_search(
    body: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    once, tried = placement._placed, []
    monkeypatch.setattr(placement, "_placed", lambda *given: (tried.append(1), once(*given))[1])
    found = place(program(body))
    assert len(tried) == 1
    monkeypatch.setattr(placement, "_least", lambda *_: 0)
    assert place(program(body)) == found
    assert len(tried) == 4
