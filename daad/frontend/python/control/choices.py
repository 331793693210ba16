"""`and`, `or` and conditional expressions: one of two values, of which only one may be computed."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from daad.frontend.python.control.checks import raise_on_all_sides, until_raised
from daad.frontend.python.reading.environment import Varying, changes, restore, save
from daad.frontend.python.reading.fixpoint import on_one_side
from daad.frontend.python.reading.reader import Reader, Signal
from daad.frontend.python.values import overloads
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.facts import Block
from daad.frontend.staging.truth import facts_of, truth
from daad.frontend.staging.values import ArrayValue, Complex, View, cast, is_number, is_weak, mixture, promote
from daad.ir.constructors import const
from daad.ir.nodes import Const, Expr, Op
from daad.ir.walk import loads

NUMERIC = ArrayValue | bool | int | float | np.number | np.bool_


def either(reader: Reader, node: ast.BoolOp) -> Any:
    """`a and b`, `a or b`."""
    is_and = isinstance(node.op, ast.And)
    value = reader.eval(node.values[0])
    for right in node.values[1:]:
        known = truth(reader.stage, overloads.truthful(reader, right, value))
        if isinstance(known, bool):
            if known is not is_and:
                return value
            value = reader.eval(right)
            continue
        value = _short_circuit(reader, known, value, right, is_and)
    return value


def _short_circuit(reader: Reader, left: Expr, value: Any, node: ast.expr, is_and: bool) -> Any:
    """`value and node`, `value or node` for a run-time value whose truth is `left`."""
    return on_one_side(
        reader,
        node,
        left,
        both=lambda: _with_right(reader, left, value, node, is_and),
        one=lambda holds: reader.eval(node) if holds is is_and else value,
    )


def _with_right(reader: Reader, left: Expr, value: Any, node: ast.expr, is_and: bool) -> Any:
    """The same: the right side runs only where it decides. The result is one of the two values, not its truth, which
    differ where they are no bools."""
    stage = reader.stage
    with stage.block(facts_of(stage, left, is_and)) as block:
        found = _side(reader, node)
        is_raised = found is Signal.RAISED
        found = _instead(stage, value) if is_raised else found
        is_number = is_raised or (isinstance(found, NUMERIC) and not (_is_bool(value) and _is_bool(found)))
        if not is_number and not _is_bool(value) and not _is_bool(found):
            stage.refuse("'and' or 'or' gives a number or something else, depending on data.", "Use an 'if' statement.")
        right = left if is_number else truth(stage, found)
    if is_number:
        sides = ((found, block), (value, Block()))
        return _chosen(reader, left, *(sides if is_and else sides[::-1]))
    if isinstance(right, bool) and not block.nodes:
        return right if right is not is_and else stage.one_of((value, found), bool, left)
    right = Const(right, "bool") if isinstance(right, bool) else right
    if not block.nodes:
        name = "logical_and" if is_and else "logical_or"
        both = Op(name, (left, right), "bool") if _is_safe(right) else _guarded(left, right, is_and)
        return stage.one_of((value, found), bool, both)
    result = stage.allocate((), bool, "condition")
    result.weak, result.mixed = is_weak(value, found), mixture(value, found)
    stage.store(result, stage.lazy((), bool, lambda _: left))
    with stage.block() as inner:
        inner.nodes.extend(block.nodes)
        stage.store(result, stage.lazy((), bool, lambda _: right))
    blocks = (inner, Block()) if is_and else (Block(), inner)
    stage.branch(left, *blocks)
    return result


def _side(reader: Reader, node: ast.expr) -> Any:
    """The value of a side that data may leave out, `Signal.RAISED` where it raises an exception: nothing else may come
    of it than values and what arrays hold."""
    if not any(isinstance(inner, ast.Call | ast.NamedExpr) for inner in ast.walk(node)):
        return reader.eval(node)
    saved = save(reader.holders())
    value = until_raised(reader, partial(reader.eval, node))
    if value is Signal.RAISED:
        restore(saved, reader.stage)
        return value
    try:
        is_same = not changes(saved)
    except Varying:
        is_same = False
    if not is_same:
        reader.stage.refuse(
            "A side of a conditional expression changes a variable, and data decide whether it runs.",
            "Use an 'if' statement.",
        )
    return value


def _is_bool(value: Any) -> bool:
    return value.dtype.kind == "b" if isinstance(value, ArrayValue | np.bool_) else isinstance(value, bool)


def _guarded(left: Expr, right: Expr, is_and: bool) -> Expr:
    decided = Const(not is_and, "bool")
    return Op("where", (left, right, decided) if is_and else (left, decided, right), "bool")


def _is_safe(expr: Expr) -> bool:
    """Whether the expression may be computed even where it is not asked for: it reads no elements of arrays."""
    return all(not load.index for load in loads(expr))


def conditional(reader: Reader, node: ast.IfExp) -> Any:
    """`a if condition else b`."""
    condition = overloads.condition(reader, node.test)
    if isinstance(condition, bool):
        return reader.eval(node.body if condition else node.orelse)
    return on_one_side(
        reader,
        node,
        condition,
        both=lambda: _both(reader, node, condition),
        one=lambda holds: reader.eval(node.body if holds else node.orelse),
    )


def _both(reader: Reader, node: ast.IfExp, condition: Expr) -> Any:
    stage, older = reader.stage, reader.stage.live.serials()
    with stage.block(facts_of(stage, condition, True)) as then:
        left = _side(reader, node.body)
    apart = stage.put_aside(older)
    with stage.block(facts_of(stage, condition, False)) as orelse:
        right = _side(reader, node.orelse)
    stage.bring_back(apart)
    if left is Signal.RAISED and right is Signal.RAISED:
        stage.branch(condition, then, orelse)
        raise_on_all_sides(reader)
    left, right = (
        _instead(stage, other) if side is Signal.RAISED else side for side, other in ((left, right), (right, left))
    )
    return _chosen(reader, condition, (left, then), (right, orelse))


def _instead(stage: Stage, other: Any) -> Any:
    """What stands for the value of a side that raises an exception, which nobody reads: like that of the other."""
    if isinstance(other, Complex):
        return Complex(*(_instead(stage, part) for part in other.parts))
    if not isinstance(other, ArrayValue):
        return other
    return stage.lazy(other.shape, other.dtype, lambda _: const(0, other.dtype.name), weak=other.weak)


def _chosen(reader: Reader, condition: Expr, first: tuple[Any, Block], second: tuple[Any, Block]) -> Any:
    """The first value where the condition holds, otherwise the second; each with what its side has done."""
    stage, (left, then), (right, orelse) = reader.stage, first, second
    if left is right and not isinstance(left, ArrayValue):
        if then.nodes or orelse.nodes:
            stage.branch(condition, then, orelse)
        return left
    if type(left) is tuple and type(right) is tuple and len(left) == len(right) and not (then.nodes or orelse.nodes):
        pairs = zip(left, right, strict=True)
        return tuple(_chosen(reader, condition, (a, Block()), (b, Block())) for a, b in pairs)
    if any(isinstance(value, Complex | complex | np.complexfloating) for value in (left, right)):
        return _chosen_complex(reader, condition, first, second)
    for value in (left, right):
        if not isinstance(value, NUMERIC):
            stage.refuse("A conditional expression on data gives values that are no numbers.", "Use an 'if' statement.")
    if left is right and not then.nodes and not orelse.nodes:
        return left
    a, b = stage.array(left), stage.array(right)
    if not then.nodes and not orelse.nodes and is_number(a) and is_number(b):
        return _choice(reader, condition, a, b)
    if a.shape != b.shape:
        stage.refuse("The sides of a conditional expression on data have different shapes.", "Use equal shapes.")
    return _filled(stage, condition, [((a,), then), ((b,), orelse)])[0]


def _filled(stage: Stage, condition: Expr, sides: Sequence[tuple[Sequence[ArrayValue], Block]]) -> list[View]:
    """Arrays that get the values of one side, after what it has done."""
    results = []
    for a, b in zip(*(values for values, _ in sides), strict=True):
        result = stage.allocate(a.shape, np.result_type(a.dtype, b.dtype))
        result.mixed = frozenset() if a.shape else mixture(a, b)
        results.append(result if is_number(a) and is_number(b) else stage.boxed(result))
    for values, block in sides:
        with stage.block() as inner:
            inner.nodes.extend(block.nodes)
            for result, value in zip(results, values, strict=True):
                stage.fill(result, value)
        block.nodes = inner.nodes
    stage.branch(condition, sides[0][1], sides[1][1])
    return results


def _chosen_complex(reader: Reader, condition: Expr, first: tuple[Any, Block], second: tuple[Any, Block]) -> Any:
    """The same of complex values."""
    stage, (left, then), (right, orelse) = reader.stage, first, second
    for value in (left, right):
        if not isinstance(value, NUMERIC | Complex | complex | np.complexfloating):
            stage.refuse("A conditional expression on data gives values that are no numbers.", "Use an 'if' statement.")
    if any(isinstance(value, ArrayValue) and value.shape for value in (left, right)):
        stage.refuse("Data decide whether an array is real or complex.", "Make both sides complex.")
    weak = is_weak(left, right)
    a, b = complex_numbers.paired(stage, left), complex_numbers.paired(stage, right)
    if a.shape != b.shape:
        stage.refuse("The sides of a conditional expression on data have different shapes.", "Use equal shapes.")
    if then.nodes or orelse.nodes or a.shape:
        made = Complex(*_filled(stage, condition, [(a.parts, then), (b.parts, orelse)]))
        for part in made.parts:
            part.weak = weak
        return made
    return Complex(*(_choice(reader, condition, *parts) for parts in zip(a.parts, b.parts, strict=True)))


def _choice(reader: Reader, condition: Expr, a: ArrayValue, b: ArrayValue) -> Any:
    dtype = promote(a, b)
    sides = (cast(a.element(()), dtype), cast(b.element(()), dtype))
    return reader.stage.one_of((a, b), dtype, Op("where", (condition, *sides), dtype.name))
