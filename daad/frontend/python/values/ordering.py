"""Tuples and lists are compared by their first items that differ, which data may decide."""

from __future__ import annotations

import ast
from typing import Any

from daad.frontend.numpy import COMPARISONS
from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging.truth import truth
from daad.frontend.staging.values import ArrayValue, is_staged
from daad.ir.nodes import Expr, Op

STRICT: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.LtE: ast.Lt, ast.GtE: ast.Gt}


def are_compared(left: Any, right: Any) -> bool:
    """Whether both are tuples, or lists, with numbers that depend on data among their items, and no arrays."""
    return _are_sequences(left, right) and is_staged((left, right)) and all(map(_is_plain, (*left, *right)))


def compared(reader: Reader, kind: type[ast.cmpop], left: Any, right: Any) -> Any:
    """`left < right` and the like, as a value of the program where it is not known."""
    found = before(reader, kind, left, right)
    return found if isinstance(found, bool) else reader.stage.lazy((), bool, lambda _: found)


def before(reader: Reader, kind: type[ast.cmpop], left: Any, right: Any) -> bool | Expr:
    """Whether one is before another, or equal to it, as `kind` asks."""
    if not _are_sequences(left, right):
        return truth(reader.stage, COMPARISONS[kind](reader.stage, (left, right), {}))
    if kind is ast.NotEq:
        return negated(before(reader, ast.Eq, left, right))
    if kind is ast.Eq and len(left) != len(right):
        return False
    result = _of_lengths(kind, len(left), len(right))  # what decides where no items differ
    shared = min(len(left), len(right))
    for x, y in zip(left[:shared][::-1], right[:shared][::-1], strict=True):
        is_same = before(reader, ast.Eq, x, y)
        result = connected("logical_and", is_same, result)
        if kind is not ast.Eq:
            result = connected("logical_or", before(reader, STRICT.get(kind, kind), x, y), result)
    return result


def _of_lengths(kind: type[ast.cmpop], left: int, right: int) -> bool | Expr:
    if left == right:
        return kind is ast.Eq or kind in STRICT
    return (left < right) is (kind in (ast.Lt, ast.LtE))


def _are_sequences(left: Any, right: Any) -> bool:
    return type(left) is type(right) and type(left) in (tuple, list)


def _is_plain(item: Any) -> bool:
    if type(item) in (tuple, list):
        return all(map(_is_plain, item))
    return not item.shape if isinstance(item, ArrayValue) else not is_staged(item)


def connected(name: str, a: bool | Expr, b: bool | Expr) -> bool | Expr:
    """`a or b`, `a and b`."""
    for known, other in ((a, b), (b, a)):
        if isinstance(known, bool):
            return other if known is (name == "logical_and") else known
    return Op(name, (a, b), "bool")  # type: ignore[arg-type]


def negated(a: bool | Expr) -> bool | Expr:
    """`not a`."""
    return not a if isinstance(a, bool) else Op("logical_not", (a,), "bool")
