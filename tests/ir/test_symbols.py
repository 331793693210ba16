"""Symbols: what they stand for is part of them, and no name of a program is like one."""

from __future__ import annotations

import copy
import pickle

import pytest

from daad.ir.affine import Affine
from daad.ir.parser import parse
from daad.ir.printer import program_text
from daad.ir.symbols import Kind, called, form, parts_of, symbol

PARTS = {
    Kind.SELECTED: (0, 1),
    Kind.STAGED: ("x", 3),
    Kind.HALF: (),
    Kind.HIDDEN: ("x", "1:2"),
    Kind.FLAG: ("done", "1:2"),
    Kind.LAST: ("x", "1:2"),
    Kind.ELSEWHERE: ("i",),
}


@pytest.mark.parametrize("kind", Kind)
def test_parts_survive(kind: Kind) -> None:
    made = symbol(kind, *PARTS.get(kind, (2,)))
    assert [parts_of(kind, other) for other in (made, copy.deepcopy(made), pickle.loads(pickle.dumps(made)))] == [
        PARTS.get(kind, (2,))
    ] * 3
    assert all(parts_of(other, made) is None for other in Kind if other is not kind)
    assert not made.isidentifier()


def test_what_looks_like_a_symbol_is_none() -> None:
    assert parts_of(Kind.AXIS, "$2") is None


def test_kinds_differ() -> None:
    made = [symbol(kind, *PARTS.get(kind, (2,))) for kind in Kind]
    assert len(set(made)) == len(Kind)


def test_extents_are_read() -> None:
    text = "program f(n)\n  local x: float64[4, #0 + 1, 2*#0 + 3]"
    read = parse(text)
    assert read.arrays["x"].extents[1:] == (form(Kind.DIMENSION, 0) + 1, form(Kind.DIMENSION, 0) * 2 + 3)
    assert all(parts_of(Kind.DIMENSION, name) == (0,) for e in read.arrays["x"].extents for name in e.names)
    assert program_text(read) == text


def test_elsewhere_twice() -> None:
    assert symbol(Kind.ELSEWHERE, symbol(Kind.ELSEWHERE, "i")) != symbol(Kind.ELSEWHERE, "i")
    assert form(Kind.ELSEWHERE, "i") - Affine.of("i") != Affine(0)


def test_what_a_hidden_variable_is_called() -> None:
    inner = symbol(Kind.HIDDEN, "i0", "3:4")
    names = ("x", inner, symbol(Kind.LAST, inner, "5:6"), symbol(Kind.FLAG, "done", "3:4"), "price of oil")
    assert [called(name) for name in names] == ["x", "i0", "i0", "done", "price of oil"]
