"""`x in container`."""

from __future__ import annotations

import ast
import functools
from collections import deque
from typing import Any

from daad.frontend.numpy import COMPARISONS, METHODS, OPERATORS
from daad.frontend.numpy.reductions import python_truth
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.targets import static_key
from daad.frontend.python.values import ordering, overloads, sampled_classes
from daad.frontend.python.values.iterators import Once
from daad.frontend.python.values.object_keys import key_in
from daad.frontend.staging import iterables
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Complex, affine_of, is_number, is_staged
from daad.ir.nodes import Expr, Op

MAX_COMPARISONS = 64


def contains(reader: Reader, node: ast.expr, value: Any, container: Any) -> Any:
    stage = reader.stage
    asked = overloads.method(reader, node, "__contains__", container, value)
    if asked is not NotImplemented:
        return overloads.as_bool(reader, node, asked)
    value, container = sampled_classes.plain(value), sampled_classes.plain(container)
    reader.require_one(value)
    if overloads.has_method(container, "__iter__") and id(container) in reader.objects:
        container = iterables.static_items(stage, overloads.items(reader, node, container))
    if isinstance(container, Once):
        return _in_items(reader, node, value, container)
    if isinstance(container, ArrayValue | Complex):
        return python_truth(stage, METHODS["any"](stage, (COMPARISONS[ast.Eq](stage, (container, value), {}),), {}))
    if isinstance(container, iterables.Range) and (isinstance(value, int | float) or is_number(value)):
        return _in_range(stage, value, container)
    if isinstance(container, range) and _is_open(stage, value, MAX_COMPARISONS):
        return _in_range(stage, value, container)
    if isinstance(container, list | deque | tuple) and (
        is_staged(container)
        or (is_staged(value) and _is_open(stage, value, len(container)))
        or any(map(ordering.says_how, (value, *container)))
    ):
        return _any(stage, [ordering.equal(reader, item, value, node) for item in container])
    try:
        stage.look_into(container)
        return key_in(reader, node, container, static_key(stage, value)) in container
    except TypeError as error:
        stage.refuse(f"This test fails: {error}.", "Look into lists, tuples, dicts, sets and arrays.", error)


def _in_items(reader: Reader, node: ast.expr, value: Any, once: Once) -> Any:
    """Asks for items until one is the value; for all where data say whether it is, and which are left."""
    conditions: list[bool | Expr] = []
    for item in once.rest(reader.stage):
        conditions.append(ordering.equal(reader, item, value, node))
        if conditions[-1] is True:
            break
    if not all(isinstance(condition, bool) for condition in conditions):
        once.spend()
    return _any(reader.stage, conditions)


def _is_open(stage: Stage, value: Any, count: int) -> bool:
    """Whether data say what a number is, or which iteration it is, where it is compared with few."""
    form = affine_of(value)
    if form is None:
        return isinstance(value, ArrayValue) and is_number(value)
    return count <= MAX_COMPARISONS and any(form.coefficient(name) for name in stage.loop_variables)


def _in_range(stage: Stage, value: Any, numbers: range | iterables.Range) -> Any:
    """The number is none of those before the first and after the last, and lies on a step."""
    start, stop = (numbers.start, numbers.stop) if isinstance(numbers, range) else numbers.ends(stage)
    less, less_equal = (ast.Lt, ast.LtE) if numbers.step > 0 else (ast.Gt, ast.GtE)
    found = [COMPARISONS[less_equal](stage, (start, value), {}), COMPARISONS[less](stage, (value, stop), {})]
    if abs(numbers.step) > 1 or affine_of(value) is None:
        rest = OPERATORS[ast.Mod](stage, (OPERATORS[ast.Sub](stage, (value, start), {}), abs(numbers.step)), {})
        found.append(COMPARISONS[ast.Eq](stage, (rest, 0), {}))
    return python_truth(stage, functools.reduce(lambda a, b: OPERATORS[ast.BitAnd](stage, (a, b), {}), found))


def _any(stage: Stage, conditions: list[bool | Expr]) -> Any:
    """Whether one of the conditions holds."""
    unknown = [condition for condition in conditions if not isinstance(condition, bool)]
    if any(condition is True for condition in conditions):
        return True
    if not unknown:
        return False
    whole = functools.reduce(lambda a, b: Op("logical_or", (a, b), "bool"), unknown)
    return stage.lazy((), bool, lambda _: whole, weak=True)
