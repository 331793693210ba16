"""Tuples and lists are compared by their first items that differ, dicts by what they hold, which data may decide."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections import deque
from typing import Any

import numpy as np

from daad.frontend.numpy import COMPARISONS
from daad.frontend.python.reading.environment import same
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.values import overloads
from daad.frontend.python.values.objects import class_of, is_generated
from daad.frontend.staging.truth import truth
from daad.frontend.staging.values import ArrayValue, Complex, Subarray, View, is_staged, mixture
from daad.ir.nodes import Expr, Op
from daad.ir.operations.python_operators import COMPARED

KEYS = (str, int, float, bool)
STRICT: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.LtE: ast.Lt, ast.GtE: ast.Gt}


def are_compared(left: Any, right: Any) -> bool:
    """Whether both are tuples, lists or dicts, with numbers that depend on data among their items, and no arrays but
    those that both hold; or objects that their classes compare."""
    if says_how(left) and says_how(right):
        return True
    if _are_dicts(left, right):
        return is_staged((left, right)) and (left.keys() != right.keys() or all(map(_are_plain, *_paired(left, right))))
    return _are_sequences(left, right) and (
        (is_staged((left, right)) and all(map(_is_plain, (*left, *right)))) or any(map(says_how, (*left, *right)))
    )


def says_how(value: Any) -> bool:
    """Whether a value's class, and nothing else, says how it is compared: that of named tuples, a dataclass, a class of
    the program with such a method."""
    if isinstance(value, type | ArrayValue | Complex | Subarray | np.ndarray):
        return False
    is_record = _is_named(value) or dataclasses.is_dataclass(value)
    return is_record or any(overloads.has_method(value, row.method) for row in COMPARED.values())


def compared(reader: Reader, kind: type[ast.cmpop], left: Any, right: Any, node: ast.AST) -> Any:
    """`left < right` and the like, as a value of the program where it is not known."""
    found = before(reader, kind, left, right, node)
    if isinstance(found, bool):
        return found
    made = reader.stage.lazy((), bool, lambda _: found, weak=True)
    if kind not in (ast.Eq, ast.NotEq) and not _are_python(left, right):  # what compares the first items that differ
        made.mixed = mixture(made, reader.stage.scalar(False, bool))
    return made


def _are_python(*values: Any) -> bool:
    """Whether no number is one of NumPy's; containers are looked into."""
    for value in values:
        is_sequence = isinstance(value, tuple | list | deque)
        own = _are_python(*value) if is_sequence else not isinstance(value, np.generic)
        if not (value.weak if isinstance(value, ArrayValue) else own):
            return False
    return True


def equal(reader: Reader, left: Any, right: Any, node: ast.AST) -> bool | Expr:
    """Whether an item of a list is another value, as `in` asks: it is the same object, or equal to it."""
    return left is right or _is_one_number(left, right) or before(reader, ast.Eq, left, right, node)


def _is_one_number(left: Any, right: Any) -> bool:
    """Whether both are what one variable holds: NaN, too, is the object that it is."""
    parts = left.parts if isinstance(left, Complex) else (left,)
    return all(isinstance(part, View) and not part.shape for part in parts) and same(left, right)


def before(reader: Reader, kind: type[ast.cmpop], left: Any, right: Any, node: ast.AST) -> bool | Expr:
    """Whether one is before another, or equal to it, as `kind` asks."""
    asked = overloads.compared(reader, node, kind, left, right)
    if asked is not NotImplemented:
        return truth(reader.stage, asked)
    if kind is ast.NotEq and (says_how(left) or says_how(right)):
        return negated(before(reader, ast.Eq, left, right, node))
    if kind is ast.Eq and _are_dataclasses(left, right) and class_of(left) is not class_of(right):
        return False
    left, right = (_as_items(reader, kind, value) for value in (left, right))
    if _are_dicts(left, right) and kind in (ast.Eq, ast.NotEq):
        if left.keys() != right.keys():
            return kind is ast.NotEq
        left, right = _paired(left, right)
    if not _are_sequences(left, right):
        return truth(reader.stage, COMPARISONS[kind](reader.stage, (left, right), {}))
    if kind is ast.NotEq:
        return negated(before(reader, ast.Eq, left, right, node))
    if kind is ast.Eq and len(left) != len(right):
        return False
    result = _of_lengths(kind, len(left), len(right))  # what decides where no items differ
    shared = min(len(left), len(right))
    for x, y in zip(left[:shared][::-1], right[:shared][::-1], strict=True):
        is_same = equal(reader, x, y, node)
        result = connected("logical_and", is_same, result)
        if kind is not ast.Eq:
            result = connected("logical_or", before(reader, STRICT.get(kind, kind), x, y, node), result)
    return result


def _are_dataclasses(left: Any, right: Any) -> bool:
    return dataclasses.is_dataclass(left) and dataclasses.is_dataclass(right)


def _is_named(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(type(value), "_fields")


def _as_items(reader: Reader, kind: type[ast.cmpop], value: Any) -> Any:
    """What Python compares of a named tuple or a dataclass: a tuple of items."""
    if _is_named(value):
        return tuple(value)
    value = reader.twins.get(id(value), value)
    method = inspect.getattr_static(class_of(value), COMPARED[kind].method, None)
    if not dataclasses.is_dataclass(value) or not is_generated(method):
        return value
    names = [one.name for one in dataclasses.fields(value) if one.compare]
    return tuple(reader.usable(vars(value)[name]) if name in vars(value) else getattr(value, name) for name in names)


def _of_lengths(kind: type[ast.cmpop], left: int, right: int) -> bool | Expr:
    if left == right:
        return kind is ast.Eq or kind in STRICT
    return (left < right) is (kind in (ast.Lt, ast.LtE))


def _are_sequences(left: Any, right: Any) -> bool:
    return type(left) is type(right) and type(left) in (tuple, list)


def _are_dicts(left: Any, right: Any) -> bool:
    """Whether both are dicts with keys that nothing but their values tells apart."""
    return all(type(value) is dict and all(type(key) in KEYS for key in value) for value in (left, right))


def _paired(left: dict[Any, Any], right: dict[Any, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """What two dicts with the same keys hold, in one order."""
    return tuple(left.values()), tuple(right[key] for key in left)


def _are_plain(left: Any, right: Any) -> bool:
    return left is right or (_is_plain(left) and _is_plain(right))


def _is_plain(item: Any) -> bool:
    if type(item) in (tuple, list, dict):
        return all(map(_is_plain, item.values() if isinstance(item, dict) else item))
    return not item.shape if isinstance(item, ArrayValue | Complex) else not is_staged(item)


def connected(name: str, a: bool | Expr, b: bool | Expr) -> bool | Expr:
    """`a or b`, `a and b`."""
    for known, other in ((a, b), (b, a)):
        if isinstance(known, bool):
            return other if known is (name == "logical_and") else known
    return Op(name, (a, b), "bool")  # type: ignore[arg-type]


def negated(a: bool | Expr) -> bool | Expr:
    """`not a`."""
    return not a if isinstance(a, bool) else Op("logical_not", (a,), "bool")
