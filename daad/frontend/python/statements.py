"""How each kind of statement is read; a statement may take the rest of its block with it."""

from __future__ import annotations

import ast
import functools
import importlib
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend import library, unsupported
from daad.frontend.numpy import OPERATORS
from daad.frontend.numpy.calling.signatures import MISSING
from daad.frontend.python.calls import subarray_calls
from daad.frontend.python.calls.dispatch import RESULT, call
from daad.frontend.python.calls.lookups import read_attribute
from daad.frontend.python.control import early_exits, replaced_loops, unset_names
from daad.frontend.python.control.branches import run_if
from daad.frontend.python.control.checks import raise_again, run_assert, run_raise
from daad.frontend.python.control.contexts import run_with
from daad.frontend.python.control.exceptions import run_behind, run_try
from daad.frontend.python.control.for_loops import run_for
from daad.frontend.python.control.number_errors import watch_operation
from daad.frontend.python.control.raise_messages import raising
from daad.frontend.python.control.raised_exceptions import exception_of, refusal
from daad.frontend.python.control.replaced_loops import may_end
from daad.frontend.python.control.while_loops import run_bounded, run_while
from daad.frontend.python.expressions import closure, item_of, subscript
from daad.frontend.python.reading.fixpoint import or_hidden
from daad.frontend.python.reading.hidden_state import is_hidden
from daad.frontend.python.reading.reader import Reader, Signal
from daad.frontend.python.reading.shared_items import apart
from daad.frontend.python.reading.trip_counts import Beyond, Bounded, Endless
from daad.frontend.python.syntax.final_blocks import Behind
from daad.frontend.python.syntax.matching import chosen
from daad.frontend.python.targets import (
    as_tuple,
    assign_attribute,
    assign_item,
    assign_target,
    delete_attribute,
    delete_item,
    read_key,
    require_own,
    update,
    write,
)
from daad.frontend.python.values import local_classes, overloads, subarrays
from daad.frontend.python.values.array_likes import as_array
from daad.frontend.python.values.outside_containers import change
from daad.frontend.python.values.over_loops.growing_lists import Growing
from daad.frontend.python.values.sampled_classes import plain
from daad.frontend.staging import complex_numbers, iterables
from daad.frontend.staging.boolean_masks import is_masked
from daad.frontend.staging.container_items import refill
from daad.frontend.staging.facts import of_list
from daad.frontend.staging.indexing import by_truth_value, parts_of, place
from daad.frontend.staging.scattering import forget_masks
from daad.frontend.staging.values import ArrayValue, Complex, Lazy, Subarray, View
from daad.frontend.staging.variable_storage import duplicated
from daad.ir.operations.python_operators import ALL_BINARY

Run = Callable[[Reader, Any, Sequence[ast.stmt]], Signal | None]


def _expression(reader: Reader, node: ast.Expr, rest: Sequence[ast.stmt]) -> None:
    reader.result(node.value)


def _assign(reader: Reader, node: ast.Assign, rest: Sequence[ast.stmt]) -> None:
    value = or_hidden(reader, node.value, functools.partial(reader.result, node.value))
    if len(node.targets) > 1 and isinstance(value, Lazy):
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        value = reader.settled(value, names[0] if names else "item")
    # A variable with storage may overwrite what the value is a view of, which is still to be seen by the next ones.
    is_seen = isinstance(value, View | Complex) or type(value) is tuple
    further = [duplicated(reader.stage, value) if is_seen else value for _ in node.targets[1:]]
    for target, own in zip(node.targets, (value, *further), strict=True):
        assign_target(reader, target, own)


def _annotated(reader: Reader, node: ast.AnnAssign, rest: Sequence[ast.stmt]) -> None:
    if node.value is not None:
        assign_target(reader, node.target, reader.result(node.value))


def _augmented(reader: Reader, node: ast.AugAssign, rest: Sequence[ast.stmt]) -> None:
    if is_hidden(reader, node.target):
        reader.eval(node.value)
    elif isinstance(node.target, ast.Name):
        _augmented_name(reader, node.target.id, type(node.op), node.value)
    elif isinstance(node.target, ast.Subscript):
        holder = reader.eval(node.target.value)
        key = read_key(reader, node.target.slice, holder)
        _augmented_item(reader, holder, key, type(node.op), node.value)
    else:
        _augmented_attribute(reader, node.target, type(node.op), node.value)


def _augmented_attribute(reader: Reader, target: ast.Attribute, op: type[ast.operator], node: ast.expr) -> None:
    holder = reader.eval(target.value)
    current, value = read_attribute(reader, target, holder, target.attr), reader.eval(node)
    require_own(reader, current)
    if isinstance(current, Subarray):
        assign_attribute(reader, target, holder, target.attr, _updated(reader, node, op, current, value))
    elif (isinstance(current, View) and current.ndim) or is_complex_array(reader, current):
        update(reader, current, op, plain(as_array(reader, node, value)))
    else:
        assign_attribute(reader, target, holder, target.attr, _changed(reader, node, op, current, value))


def _augmented_name(reader: Reader, name: str, op: type[ast.operator], node: ast.expr) -> None:
    current, value = unset_names.lookup(reader, name), reader.eval(node)
    require_own(reader, current)
    if isinstance(current, Subarray):
        reader.bind(name, _updated(reader, node, op, current, value))
        return
    if reader.stage.is_array(current) or is_complex_array(reader, current):
        update(reader, current, op, plain(as_array(reader, node, value)))
        return
    if isinstance(current, View) and op in (ast.Add, ast.Sub) and _accumulates(reader, name, current, value):
        update(reader, current, op, value)
        return
    reader.bind(name, _changed(reader, node, op, current, value))


def _updated(reader: Reader, node: ast.expr, op: type[ast.operator], current: Subarray, value: Any) -> Any:
    """An array of a class after `op=`: in place, unless a method of the class makes another one."""
    found = overloads.method(reader, node, f"__i{ALL_BINARY[op].method}__", current, value)
    if found is not NotImplemented:
        return found
    if subarrays.written(current.cls, "__array_ufunc__") is not None:
        reader.stage.refuse("An array of a class with '__array_ufunc__' is changed in place.", subarrays.HINT)
    target = current.array
    if not isinstance(target, View | Complex):
        reader.stage.refuse("A value that is no array in memory is written.", "Make an array of it first.")
    update(reader, target, op, plain(value))
    return current


def _changed(reader: Reader, node: ast.expr, op: type[ast.operator], current: Any, value: Any) -> Any:
    """The new value of a variable, which a method of the program may compute."""
    found = overloads.augmented(reader, node, op, current, value)
    if found is not NotImplemented:
        return found
    if _is_changed_in_place(reader, node, op, current, value):
        return current
    return _combined(reader, node, op, current, value)


CHANGING: dict[tuple[type, type[ast.operator]], str] = {
    (list, ast.Add): "extend",
    (deque, ast.Add): "extend",
    (dict, ast.BitOr): "update",
    (set, ast.BitOr): "update",
    (set, ast.BitAnd): "intersection_update",
    (set, ast.Sub): "difference_update",
    (set, ast.BitXor): "symmetric_difference_update",
}
"""Methods that do what `op=` does to a container, which other names may stand for, too."""


def _is_changed_in_place(reader: Reader, node: ast.expr, op: type[ast.operator], current: Any, value: Any) -> bool:
    if isinstance(current, Growing) and op is ast.Add and isinstance(value, list | tuple):
        for item in value:
            current.append(reader, item)
        return True
    if isinstance(value, ArrayValue | Complex | np.ndarray):
        return False  # NumPy makes an array of both
    if isinstance(current, list) and op is ast.Mult:
        change(reader, current)
        refill(current, apart(reader, OPERATORS[op](reader.stage, (list(current), value), {})))
        return True
    method = next((name for (cls, one), name in CHANGING.items() if one is op and isinstance(current, cls)), None)
    if method is None:
        return False
    reader.call(overloads.place_of(node), getattr(current, method), [value], {})
    return True


def _combined(reader: Reader, node: ast.expr, op: type[ast.operator], current: Any, value: Any) -> Any:
    """The new value of a variable; the old one is not needed again."""
    if isinstance(value, Subarray):
        return subarray_calls.binary(reader, node, op, current, value)
    changed = apart(reader, OPERATORS[op](reader.stage, (current, value), {}))
    watch_operation(reader, op, current, value, changed)
    for operand in (current, value):
        if isinstance(operand, View | Lazy) and operand is not changed:
            reader.stage.forget(operand)
    return changed


def _accumulates(reader: Reader, name: str, current: View, value: Any) -> bool:
    """Whether a scalar variable that has storage of its own can take `+= value` there."""
    home = reader.scope.home(name)
    if home is None or (id(home.values), name) not in reader.cells:
        return False
    change = reader.stage.array(value)
    if change.ndim or current.dtype.kind == "b":
        return False
    result = OPERATORS[ast.Add](reader.stage, (current, change), {})
    others = [v for v in reader.stage.live.views(current.base) if v is not current]
    alone = all(v is home.values.get(name) for v in others)
    fits = isinstance(result, ArrayValue) and result.dtype == current.dtype and result.weak == current.weak
    return fits and alone


def _augmented_item(reader: Reader, holder: Any, key: Any, op: type[ast.operator], node: ast.expr) -> None:
    """As Python does, the old value is read before the new one is computed."""
    holder = holder.array if isinstance(holder, iterables.Flat) else holder
    if isinstance(holder, Subarray):
        _augmented_part(reader, holder, key, op, node)
    elif isinstance(holder, Complex):
        _augmented_complex_item(reader, holder, key, op, node)
    elif not isinstance(holder, ArrayValue):
        _augmented_slot(reader, holder, key, op, node)
    else:
        _augmented_real_item(reader, holder, key, op, node)


def _augmented_part(reader: Reader, holder: Subarray, key: Any, op: type[ast.operator], node: ast.expr) -> None:
    """A part of an array of a class, which is a view of it, or an element."""
    if not any(overloads.has_method(holder, name) for name in ("__getitem__", "__setitem__")):
        _augmented_item(reader, holder.array, plain(key), op, node)
        return
    current, value = item_of(reader, node, holder, key), reader.eval(node)
    if isinstance(current, Subarray):
        current = _updated(reader, node, op, current, value)
    elif reader.stage.is_array(current) or is_complex_array(reader, current):
        update(reader, current, op, plain(value))
    else:
        current = _changed(reader, node, op, current, value)
    if overloads.method(reader, node, "__setitem__", holder, key, current) is NotImplemented and not _is_view(
        plain(current), holder.array
    ):
        place, key = overloads.place(reader, node, holder, key)
        assign_item(reader, plain(place), plain(key), plain(current))


def _is_view(value: Any, array: Any) -> bool:
    return isinstance(value, View) and isinstance(array, View) and value.base == array.base


def _augmented_slot(reader: Reader, holder: Any, key: Any, op: type[ast.operator], node: ast.expr) -> None:
    """An item of a list, a dict, or of an object that has such methods."""
    with of_list(holder, is_written=True):
        current = item_of(reader, node, holder, key)
    value = reader.eval(node)
    require_own(reader, current)
    in_place = reader.stage.is_array(current) or is_complex_array(reader, current)
    if in_place:
        update(reader, current, op, plain(value))
    else:
        current = _changed(reader, node, op, current, value)
    if overloads.method(reader, node, "__setitem__", holder, key, current) is NotImplemented and not in_place:
        assign_item(reader, holder, key, current)


def _augmented_complex_item(reader: Reader, holder: Complex, key: Any, op: type[ast.operator], node: ast.expr) -> None:
    """A slice shows what the new value's computation changes, an element does not."""
    current, value = subscript(reader, holder, key), plain(reader.eval(node))
    write(reader.stage, holder, as_tuple(key), OPERATORS[op](reader.stage, (current, value), {}))


def is_complex_array(reader: Reader, value: Any) -> bool:
    """Whether a complex value is an array that can be changed in place."""
    return isinstance(value, Complex) and complex_numbers.is_place(reader.stage, value)


def _augmented_real_item(reader: Reader, holder: ArrayValue, key: Any, op: type[ast.operator], node: ast.expr) -> None:
    stage = reader.stage
    holder, keys = by_truth_value(stage, holder, as_tuple(key))
    parts = parts_of(stage, holder, keys)
    if any(type(part).__name__ == "Gathered" for part in parts):
        before = subscript(reader, holder, key)
        write(stage, holder, keys, OPERATORS[op](stage, (before, plain(reader.eval(node))), {}))
    else:
        _augmented_place(reader, place(stage, holder, parts), keys, op, node)


def _augmented_place(
    reader: Reader, target: View, keys: tuple[Any, ...], op: type[ast.operator], node: ast.expr
) -> None:
    """A slice, or an element by `...`, is a view and shows what the new value's computation changes; an element or a
    selection does not."""
    stage = reader.stage
    is_element = not target.ndim and not any(key is Ellipsis for key in keys)
    is_copy = is_element or is_masked(target.shape)
    before = stage.lazy(target.shape, target.dtype, target.element) if is_copy else None
    seen = None if before is None else before.expr
    value = plain(as_array(reader, node, reader.eval(node)))
    forget_masks(stage, keys)
    if before is not None:
        stage.forget(before)
    if before is None or before.expr is seen:
        update(reader, target, op, value)
    else:
        stage.store(target, OPERATORS[op](stage, (before, value), {}))


def _if(reader: Reader, node: ast.If, rest: Sequence[ast.stmt]) -> Signal | None:
    signal, took_rest = run_if(reader, node, rest)
    return signal or (Signal.END if took_rest else None)


def _for(reader: Reader, node: ast.For, rest: Sequence[ast.stmt]) -> Signal | None:
    def instead() -> Signal | None:
        if id(node) in reader.bounded:
            return run_bounded(reader, node, rest)
        return reader.execute([*early_exits.enter(reader, reader.exits[id(node)]), *rest]) or Signal.END

    if id(node) in reader.exits or id(node) in reader.bounded:
        return instead()
    if not may_end(reader, node):
        return run_for(reader, node, rest)
    return replaced_loops.read(reader, node, functools.partial(run_for, reader, node, rest), instead)


def _return(reader: Reader, node: ast.Return, rest: Sequence[ast.stmt]) -> Signal:
    value = reader.result(node.value) if node.value is not None else None
    values = reader.scope.values
    if (id(values), RESULT) in reader.cells:
        reader.assign(values, RESULT, value, "result")
    else:
        values[RESULT] = value
    return Signal.RETURN


def _break(reader: Reader, node: ast.Break, rest: Sequence[ast.stmt]) -> Signal:
    return Signal.BREAK


def _continue(reader: Reader, node: ast.Continue, rest: Sequence[ast.stmt]) -> Signal:
    return Signal.CONTINUE


def _match(reader: Reader, node: ast.Match, rest: Sequence[ast.stmt]) -> Signal | None:
    """As `if`s, one inside the other."""
    made = chosen(node)
    if made is None:
        raise unsupported.refusal(node, reader.stage.at)
    statements, names = made
    reader.scope.own |= names
    return reader.execute([*statements, *rest]) or Signal.END


def _pass(reader: Reader, node: ast.stmt, rest: Sequence[ast.stmt]) -> None:
    return None


def _define(reader: Reader, node: ast.FunctionDef, rest: Sequence[ast.stmt]) -> None:
    reader.bind(node.name, _decorated(reader, node, closure(reader, node, node.name)))


def _define_class(reader: Reader, node: ast.ClassDef, rest: Sequence[ast.stmt]) -> None:
    reader.bind(node.name, _decorated(reader, node, local_classes.made(reader, node)))


def _decorated(reader: Reader, node: ast.FunctionDef | ast.ClassDef, made: Any) -> Any:
    for decorator in reversed(node.decorator_list):
        if not _only_names(reader, decorator):
            made = call(
                reader, ast.copy_location(ast.Call(decorator, [], []), decorator), reader.eval(decorator), [made], {}
            )
    return made


def _only_names(reader: Reader, decorator: ast.expr) -> bool:
    """Whether what is decorated computes the same: its name, a cache, another compiler's mark."""
    maker = reader.eval(decorator.func if isinstance(decorator, ast.Call) else decorator)
    root = (getattr(maker, "__module__", None) or "").partition(".")[0]
    return root == "numba" or maker in (functools.wraps, functools.lru_cache, functools.cache)


def _delete(reader: Reader, node: ast.Delete, rest: Sequence[ast.stmt]) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            home = reader.scope.home(target.id)
            if home is not None:
                home.values.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            holder = reader.eval(target.value)
            key = read_key(reader, target.slice, holder)
            if overloads.method(reader, target, "__delitem__", holder, key) is NotImplemented:
                delete_item(reader, holder, key)
        elif isinstance(target, ast.Attribute):
            delete_attribute(reader, reader.eval(target.value), target.attr)


def _import(reader: Reader, node: ast.Import, rest: Sequence[ast.stmt]) -> None:
    for alias in node.names:
        module = _module(reader, alias.name)
        reader.bind(
            alias.asname or alias.name.split(".")[0],
            module if alias.asname else _module(reader, alias.name.split(".")[0]),
        )


def _import_from(reader: Reader, node: ast.ImportFrom, rest: Sequence[ast.stmt]) -> None:
    package = reader.scope.source.globals.get("__package__") or ""
    name = "." * node.level + (node.module or "")
    module = _module(reader, name, package)
    for alias in node.names:
        found = getattr(module, alias.name, MISSING)
        if found is MISSING:
            found = _module(reader, f"{name.rstrip('.')}.{alias.name}", package)
        reader.bind(alias.asname or alias.name, found)


def _module(reader: Reader, name: str, package: str = "") -> Any:
    try:
        return importlib.import_module(name, package or None)
    except ImportError as error:
        reader.stage.refuse(f"This import fails: {error}.", "Install it, or check its name.", error)


def _raise(reader: Reader, node: ast.Raise, rest: Sequence[ast.stmt]) -> None:
    if node.exc is None and reader.handled:
        raise_again(reader, reader.handled[-1])
    message, hint = raising(reader, node.exc), "Check the arguments before the call instead."
    raised = exception_of(reader, node.exc)
    if library.is_own(reader.file) and isinstance(node.exc, ast.Call):
        message, hint = f"{reader.eval(node.exc.args[0])}.", "Check the arguments."
        raised = raised if isinstance(raised, np.linalg.LinAlgError) else refusal(raised)
    run_raise(reader, message, hint, raised)


STATEMENTS: dict[type[ast.stmt], Run] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.For: _for,
    Bounded: _for,
    Endless: _for,
    ast.While: run_while,
    early_exits.Forget: early_exits.forget,
    ast.Return: _return,
    ast.Break: _break,
    Beyond: _break,
    ast.Continue: _continue,
    ast.Match: _match,
    ast.Pass: _pass,
    ast.Try: run_try,
    Behind: run_behind,
    ast.Nonlocal: _pass,
    ast.Global: _pass,
    ast.FunctionDef: _define,
    ast.ClassDef: _define_class,
    ast.Delete: _delete,
    ast.Assert: run_assert,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.With: run_with,
    ast.Raise: _raise,
}
