"""What SciPy computes at run time, with functions of the program: values from Python, derivatives from equations."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial, reduce
from math import prod
from typing import Any

import numpy as np

from daad.errors import Location, Unsupported, mark_programs
from daad.frontend.custom_derivatives import Ruled
from daad.frontend.library.anchored import held
from daad.frontend.library.solvers import primitives
from daad.frontend.python.calls.opaque_calls import CallOfPython, Known, Slot
from daad.frontend.python.calls.rule_structures import is_active, mapped, zipped
from daad.frontend.python.calls.ruled_calls import Call, Caller, dot, never_taken, output, placed, primal, reverse
from daad.frontend.python.calls.ruled_functions import implicit_result, slopes
from daad.frontend.python.calls.run_time_values import Forms
from daad.frontend.python.reading.environment import restore, save
from daad.frontend.python.reading.hidden_state import all_changes
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import OnlyShown
from daad.frontend.staging.boolean_masks import is_masked
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, View, is_python_number, is_staged
from daad.ir.affine import Affine

Row = Callable[..., Any]
MOST_SLOPES = 2**22
"""Elements of a Jacobian that is made for tangents."""


def _without_derivative(reader: Reader, node: ast.Call, call: Call, run: Any, like: Any) -> Any:
    """Numbers of Python's stay such."""
    stage, found = reader.stage, _by_python(reader, node, call, run, like)

    def alone(leaf: Any, one: Any) -> Any:
        if is_active(leaf):
            leaf = stage.copy(call(reader, node, held, [leaf], {}), "found")
        is_pythons = is_python_number(one) and isinstance(leaf, ArrayValue)
        return stage.lazy((), leaf.dtype, leaf.element, weak=True) if is_pythons else leaf

    return zipped(found, like, alone)


def _has_place(leaf: Any) -> bool:
    return isinstance(leaf, bool | int | float) or hasattr(leaf, "dtype")


def _by_python(reader: Reader, node: ast.Call, call: Call, run: Any, like: Any) -> Any:
    forms = Forms(reader)
    form = forms.of(run)
    forms.hide_changed()

    def function(values: Any) -> Any:
        return form(values, {})()

    return CallOfPython(
        ast.unparse(node.func), _marking(function, reader.stage.at), like=_places(reader.stage, like)
    ).read(reader.stage, [forms.leaves])


def _places(stage: Stage, like: Any) -> Any:
    """The places of a result that is like something, which may be staged."""

    def staged(leaf: ArrayValue) -> Slot:
        return Slot(tuple(stage.known(extent) for extent in leaf.shape), leaf.dtype)

    def place(leaf: Any) -> Any:
        if isinstance(leaf, ArrayValue):
            return staged(leaf)
        array = stage.array(leaf) if _has_place(leaf) else None
        return Known(leaf) if array is None else staged(array)

    return mapped(like, place, place)


def _solution(reader: Reader, node: ast.Call, call: Call, run: Any, like: Any, residual: Any) -> Any:
    caller = Caller(reader, node, Ruled(primitives.solution), call, reader.stage.ruled + 1)
    if caller.level > reader.stage.derivatives:
        return _by_python(reader, node, call, run, like)
    with caller.inside():
        value = _solution(reader, node, call, run, like, residual)

    def residual_at(point: Any) -> Any:
        return _evaluated(reader, node, call, residual, point)

    return implicit_result(caller, value, residual_at)


def _evaluated(reader: Reader, node: ast.Call, call: Call, function: Any, *args: Any, is_alone: bool = False) -> Any:
    """The function's result, read in place; how often SciPy calls it is SciPy's affair. What it changes is what SciPy's
    last call has left, which is not known: it is read again with that hidden."""
    forms, stage = Forms(reader), reader.stage
    forms.of(function)
    forms.hide_changed()
    bases = {leaf.base for leaf in forms.leaves if isinstance(leaf, View)}
    while True:
        saved, nodes = save(reader.holders()), stage.blocks[-1].nodes
        count, outer, reader.left_out = len(nodes), reader.left_out, []
        with nullcontext() if is_alone else _unchecked(reader):
            found = call(reader, node, function, list(args), {})
        left_out, reader.left_out = reader.left_out, outer
        if any(one.written & bases for one in nodes[count:]):
            forms.cannot("changes an array that is none of its own variables")
        changed, varied = all_changes(saved)
        new = [change for change in changed if not isinstance(change.before, OnlyShown)]
        forms.variables, forms.containers = [(change.holder, change.key) for change in new], varied
        for scope, statement in left_out:
            forms.note_left_out(scope, statement, bases)
        restore(saved, stage)
        if not forms.hide_changed():
            return found


@contextmanager
def _unchecked(reader: Reader) -> Iterator[None]:
    """What raises an exception has raised it while SciPy called it; no handler of the program waits for one here."""
    before = reader.attempts, reader.unchecked
    reader.attempts, reader.unchecked = [], True
    try:
        yield
    finally:
        reader.attempts, reader.unchecked = before


def _opaque(reader: Reader, node: ast.Call, call: Call, value: Any, adjoint: Any, like: Any, *given: Any) -> Any:
    stage = reader.stage
    caller = Caller(reader, node, Ruled(value), call, stage.ruled + 1)
    args = [placed(caller, stage.array(arg)) if is_staged(arg) else arg for arg in given]
    found = CallOfPython(caller.function.name, _marking(value, stage.at), like=_places(stage, like)).read(stage, args)
    if caller.level > stage.derivatives or not is_staged(args):
        return found
    if caller.level < stage.derivatives:
        caller.refuse("is one that Python is called for, and has no second derivative", "Ask for first derivatives.")
    of, at = [k for k, arg in enumerate(args) if is_active(arg)], stage.at
    formula = _formula(caller, partial(_rows, adjoint, of), args, of, found)
    result = output(caller, found, formula)

    def backward(residuals: Any, bar: Any) -> list[Any]:
        *own, out = residuals
        places = [_places(stage, args[k]) for k in of]
        python = CallOfPython(caller.function.name, _marking(partial(_adjoints, adjoint, of), at), like=places)
        bars = dict(zip(of, python.read(stage, [own, out, bar]), strict=True))
        return [bars.get(k) for k in range(len(args))]

    reverse(caller, backward, args, [*args, result], result, formula is not None)
    return result


def _formula(caller: Caller, rows: Callable[..., Any], args: list[Any], of: list[int], found: Any) -> Any:
    """The tangent of a result, by the Jacobian that adjoints of unit seeds make; None if that is nothing, or large."""
    stage = caller.stage
    if is_masked(found.shape):
        return None
    count, *sizes = (prod(stage.known(extent) for extent in one.shape) for one in (found, *(args[k] for k in of)))
    if not 0 < count * sum(sizes) <= MOST_SLOPES:
        return None
    own = [primal(caller, arg) if is_active(arg) else arg for arg in args]
    dots = [dot(caller, args[k]) for k in of]
    places = [Slot((count, size), args[k].dtype) for k, size in zip(of, sizes, strict=True)]
    python = CallOfPython(caller.function.name, _marking(rows, stage.at), like=places)
    with caller.inside():
        slopes = python.read(stage, [own, caller.passive(found, "primal")])
        flat = [caller.read(np.reshape, one, (size,)) for one, size in zip(dots, sizes, strict=True)]
        terms = [caller.read(np.matmul, matrix, one) for matrix, one in zip(slopes, flat, strict=True)]
        total = reduce(lambda a, b: caller.read(np.add, a, b), terms)
        return caller.read(np.reshape, total, tuple(stage.known(extent) for extent in found.shape))


def _rows(adjoint: Any, of: list[int], args: Any, out: Any) -> list[Any]:
    """The Jacobian by each of the arguments in question: a row for each element of the result."""
    seeds = np.eye(out.size, dtype=out.dtype).reshape(out.size, *out.shape)
    found = [_adjoints(adjoint, of, args, out, seed) for seed in seeds]
    return [np.stack([np.ravel(one) for one in column]) for column in zip(*found, strict=True)]


def _adjoints(adjoint: Any, of: list[int], args: Any, out: Any, bar: Any) -> list[Any]:
    """Those of the arguments in question, as they must be."""
    found = adjoint(args, out, bar)
    zeros = (np.zeros_like(args[k]) if found[k] is None else found[k] for k in of)
    return [
        np.asarray(one, np.asarray(args[k]).dtype).reshape(np.shape(args[k]))[()]
        for one, k in zip(zeros, of, strict=True)
    ]


def _marking(function: Callable[..., Any], at: Location | None) -> Callable[..., Any]:
    """The function, whose exceptions are the program's own, and of the line where it calls."""

    def marking(*args: Any) -> Any:
        try:
            return function(*args)
        except Unsupported as error:
            raise error if error.at else Unsupported(error.message, at=at, hint=error.hint) from None
        except Exception as error:
            mark_programs(error)
            raise

    return marking


def _jacobian(reader: Reader, node: ast.Call, call: Call, function: Any, x: Any, rows: Any) -> Any:
    stage = reader.stage
    caller = Caller(reader, node, Ruled(primitives.jacobian), call, stage.ruled + 1)
    value = stage.array(x)
    shape = tuple(stage.known(extent) for extent in value.shape)
    point = stage.copy(caller.read(np.reshape, value, (prod(shape),)), "point")
    matrix = stage.allocate((Affine(rows), Affine(prod(shape))), value.dtype, "slopes")

    def statements() -> None:
        stage.derivatives += 1
        found = _evaluated(reader, node, call, function, caller.read(np.reshape, point, shape))
        stage.derivatives -= 1
        found = stage.copy(caller.read(np.reshape, caller.read(np.multiply, found, 1.0), (rows,)), "value")
        slopes(caller, matrix, found, point)

    never_taken(caller, "is_differentiated", statements)
    return matrix


def _natively(reader: Reader, node: ast.Call, call: Call, module: str, name: str, *args: Any) -> Any:
    known = [reader.stage.known_elements(arg) if isinstance(arg, ArrayValue) else arg for arg in args]
    if any(one is None and arg is not None for one, arg in zip(known, args, strict=True)):
        reader.stage.refuse(f"'{name}' is asked for data.", "Give it what is known while the program is read.")
    found = primitives.natively(module, name, *known)
    return reader.stage.constant(found) if isinstance(found, np.ndarray) else found


def _true_places(reader: Reader, node: ast.Call, call: Call, mask: Any) -> Any:
    known = reader.stage.known_elements(mask) if isinstance(mask, ArrayValue) else mask
    return None if known is None else primitives.true_places(known)


ROWS: dict[Any, Row] = {
    primitives.true_places: _true_places,
    primitives.evaluated: _evaluated,
    primitives.evaluated_alone: partial(_evaluated, is_alone=True),
    primitives.jacobian: _jacobian,
    primitives.natively: _natively,
    primitives.opaque: _opaque,
    primitives.by_python: _without_derivative,
    primitives.solution: _solution,
}


def called(reader: Reader, node: ast.Call, call: Call, function: Any, args: list[Any]) -> Any:
    """What a row stands for."""
    return ROWS[function](reader, node, call, *args)
