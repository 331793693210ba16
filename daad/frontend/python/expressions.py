"""How each kind of expression is read."""

from __future__ import annotations

import ast
import operator
import sys
import types
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import numpy as np

from daad.frontend.numpy import COMPARISONS, OPERATORS, SUBSCRIPTS, UNARY_OPERATORS
from daad.frontend.numpy.calling.numpy_errors import as_by_numpy
from daad.frontend.python import attributes
from daad.frontend.python.calls import subarray_calls
from daad.frontend.python.calls.dispatch import call
from daad.frontend.python.calls.lookups import fill, is_read, read_attribute
from daad.frontend.python.calls.printing import draw, is_shown, save, show
from daad.frontend.python.calls.static_calls import run_now
from daad.frontend.python.control import choices, unset_names
from daad.frontend.python.control.comprehensions import comprehension, dict_comprehension, terms
from daad.frontend.python.control.generator_functions import yielded, yielded_from
from daad.frontend.python.control.number_errors import watch_call, watch_index, watch_operation
from daad.frontend.python.membership import contains
from daad.frontend.python.reading.hidden_state import grows_hidden
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import Closure, Scope, Unknown
from daad.frontend.python.reading.shared_items import apart
from daad.frontend.python.syntax.source import FunctionSource
from daad.frontend.python.targets import (
    as_tuple,
    assign_target,
    decided_places,
    item_at,
    read_key,
    set_of,
    static_key,
)
from daad.frontend.python.values import (
    array_likes,
    dates,
    local_classes,
    ordering,
    overloads,
    sampled_classes,
    subarrays,
    written_files,
)
from daad.frontend.python.values.assigned_shapes import resized
from daad.frontend.python.values.exception_objects import is_untold
from daad.frontend.python.values.identities import another, identical, keeps_identity, small_integer
from daad.frontend.python.values.object_keys import key_in, name_of
from daad.frontend.python.values.over_loops.chosen_numbers import chosen_item
from daad.frontend.python.values.over_loops.growing_lists import Growing
from daad.frontend.python.values.over_loops.indexed_lists import Indexed
from daad.frontend.python.values.plotting_packages import PICTURE, Picture, is_picture
from daad.frontend.python.values.unread_lists import made
from daad.frontend.staging import complex_numbers, iterables
from daad.frontend.staging.facts import Unroll, of_list
from daad.frontend.staging.indexing import item
from daad.frontend.staging.texts import Text, has_text, text
from daad.frontend.staging.unread import refuse_unread_within
from daad.frontend.staging.values import ArrayValue, Complex, Subarray, affine_of, is_number, is_staged, type_name

Read = Callable[[Reader, Any], Any]


def _constant(reader: Reader, node: ast.Constant) -> Any:
    """Of texts that could be names, Python has one object each."""
    text = node.value
    return sys.intern(text) if isinstance(text, str) and text.isascii() and f"_{text}".isidentifier() else text


def _name(reader: Reader, node: ast.Name) -> Any:
    return unset_names.lookup(reader, node.id)


def _tuple(reader: Reader, node: ast.Tuple) -> Any:
    return tuple(_elements(reader, node.elts))


def _list(reader: Reader, node: ast.List) -> Any:
    return made(reader, node, [reader.settled(value, "item") for value in _elements(reader, node.elts)])


def _set(reader: Reader, node: ast.Set) -> Any:
    return set_of(reader, node, _elements(reader, node.elts))


def _elements(reader: Reader, nodes: list[ast.expr]) -> Iterator[Any]:
    for node in nodes:
        if isinstance(node, ast.Starred):
            yield from iterables.static_items(reader.stage, overloads.items(reader, node, reader.eval(node.value)))
        else:
            yield reader.eval(node)


def _dict(reader: Reader, node: ast.Dict) -> Any:
    found: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            given = _mapping(reader, reader.eval(value))
            found.update({key_in(reader, value, found, name): item for name, item in given.items()})
        else:
            name = key_in(reader, key, found, static_key(reader.stage, reader.eval(key)))
            found[name] = reader.settled(reader.eval(value), name_of(name))
    return found


def _mapping(reader: Reader, value: Any) -> Mapping[Any, Any]:
    """What stands behind `**`."""
    if isinstance(value, Mapping):
        return value
    is_known = isinstance(value, ArrayValue | Complex | int | float | list | tuple | str | type(None))
    error = TypeError(f"'{type_name(value)}' object is not a mapping") if is_known else None
    return reader.stage.refuse(
        f"An object of type '{type_name(value)}' stands behind '**'.", "Make it a dict first.", error
    )


LONGEST = 32
"""So many operations in a row become one expression."""


def _binary(reader: Reader, node: ast.BinOp) -> Any:
    """A row of operations, `a + b + c …`, from the left."""
    row = [node]
    while isinstance(row[-1].left, ast.BinOp):
        row.append(row[-1].left)
    value = reader.eval(row[-1].left)
    for number, one in enumerate(reversed(row), 1):
        with reader.at(one):
            value = _operated(reader, one, value, reader.eval(one.right))
        if number % LONGEST == 0 and one is not node:
            value = reader.settled(value, "part")
    return value


def _operated(reader: Reader, node: ast.BinOp, left: Any, right: Any) -> Any:
    left = reader.usable(left) if isinstance(left, Unknown) else left
    found = overloads.binary(reader, node, type(node.op), left, right)
    if found is not NotImplemented:
        return found
    if isinstance(left, Subarray) or isinstance(right, Subarray):
        return subarray_calls.operated(reader, overloads.place_of(node), type(node.op), left, right)
    if dates.concern(left, right):
        return _on_dates(reader, node, node.op, left, right)
    left, right = array_likes.operands(reader, node, left, right)
    result = OPERATORS[type(node.op)](reader.stage, (left, right), {})
    watch_operation(reader, type(node.op), left, right, result)
    return apart(reader, result)


def _on_dates(reader: Reader, node: ast.expr, op: ast.AST, *values: Any) -> Any:
    return run_now(reader, overloads.place_of(node), dates.OPERATIONS[type(op)], list(values), {})


def _unary(reader: Reader, node: ast.UnaryOp) -> Any:
    value = reader.eval(node.operand)
    if isinstance(node.op, ast.Not):
        value = overloads.truthful(reader, node, value)
        if type(value) in (list, tuple, dict):
            return not value
    if dates.concern(value):
        return _on_dates(reader, node, node.op, value)
    found = overloads.unary(reader, node, type(node.op), value)
    if found is NotImplemented and isinstance(value, Subarray):
        return subarray_calls.signed(reader, overloads.place_of(node), type(node.op), value)
    return UNARY_OPERATORS[type(node.op)](reader.stage, (value,), {}) if found is NotImplemented else found


def _compare(reader: Reader, node: ast.Compare) -> Any:
    left = reader.eval(node.left)
    result: Any = None
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = reader.eval(right_node)
        step = overloads.compared(reader, right_node, type(op), left, right)
        if step is NotImplemented and (isinstance(left, Subarray) or isinstance(right, Subarray)):
            step = subarray_calls.compared(reader, overloads.place_of(right_node), type(op), left, right)
        step = _compared(reader, right_node, op, left, right) if step is NotImplemented else step
        result = step if result is None else _both(reader, result, step)
        if isinstance(result, bool | np.bool_) and not result:
            return result
        left = right
    return result


def _both(reader: Reader, left: Any, right: Any) -> Any:
    if isinstance(left, ArrayValue) and isinstance(right, ArrayValue):
        return OPERATORS[ast.BitAnd](reader.stage, (left, right), {})
    return right if not isinstance(left, ArrayValue) else (left if right else right)


def _compared(reader: Reader, node: ast.expr, op: ast.cmpop, left: Any, right: Any) -> Any:
    if isinstance(op, ast.Is | ast.IsNot):
        for value, constant in ((left, right), (right, left)):
            if _is_singleton(value, constant):
                holds = value if bool(constant) is isinstance(op, ast.Is) else None
                return UNARY_OPERATORS[ast.Not](reader.stage, (value,), {}) if holds is None else holds
        small = small_integer(reader, left, right)
        if small is not None:
            return COMPARISONS[ast.Eq if isinstance(op, ast.Is) else ast.NotEq](reader.stage, small, {})
        return identical(reader, left, right) == isinstance(op, ast.Is)
    if isinstance(op, ast.In | ast.NotIn):
        found = contains(reader, node, left, _known_items(reader, right))
        return found if isinstance(op, ast.In) else UNARY_OPERATORS[ast.Not](reader.stage, (found,), {})
    left, right = (side.array if isinstance(side, iterables.Flat) else side for side in (left, right))
    reader.require_one(left)
    reader.require_one(right)
    sides = _known_items(reader, left), _known_items(reader, right)
    if dates.concern(*sides):
        return _on_dates(reader, node, op, *sides)
    if ordering.are_compared(*sides):
        return ordering.compared(reader, type(op), *sides, node)
    return COMPARISONS[type(op)](reader.stage, sides, {})


def _is_singleton(value: Any, constant: Any) -> bool:
    """Whether a run-time value is one of Python's two truth values, or of NumPy's, as the constant is."""
    if not isinstance(constant, bool | np.bool_) or not isinstance(value, ArrayValue) or value.dtype.kind != "b":
        return False
    return is_number(value) and value.weak is isinstance(constant, bool) and not value.mixed


def _known_items(reader: Reader, value: Any) -> Any:
    """The value; none of its items is one of several things, depending on data."""
    if isinstance(value, list | tuple):
        for part in value:
            _known_items(reader, reader.usable(part) if isinstance(part, Unknown) else part)
    return value


def _call(reader: Reader, node: ast.Call) -> Any:
    if reader.hides and grows_hidden(reader, node):
        return None
    receiver: Any = None
    if isinstance(node.func, ast.Attribute):
        receiver = reader.eval(node.func.value)
        if node.func.attr == "resize" and isinstance(receiver, ArrayValue | Complex):
            return _resize(reader, node, node.func.value, receiver)
        if written_files.saves(receiver, node.func.attr):
            return save(reader, node, receiver)
        function = _method(reader, node.func, receiver)
    else:
        function = reader.eval(node.func)
    if is_shown(function):
        return show(reader, node)
    if is_picture(function):
        return draw(reader, node, function)
    if written_files.is_saving(function):
        return save(reader, node, receiver)
    if function is sum and node.args and isinstance(node.args[0], ast.GeneratorExp | ast.ListComp):
        rest = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
        first, *others = terms(reader, node.args[0], reader.eval(rest[0]) if rest else 0)
        return call(reader, node, function, [others, first], {}) if others else first
    args = list(_elements(reader, node.args))
    keywords: dict[str, Any] = {}
    for keyword in node.keywords:
        value = reader.eval(keyword.value)
        given = _mapping(reader, value) if keyword.arg is None else {keyword.arg: value}
        if twice := next((name for name in given if name in keywords), None):
            error = TypeError(f"got multiple values for keyword argument '{twice}'")
            reader.stage.refuse(f"The argument '{twice}' is given twice.", "Give it once.", error)
        keywords.update(given)
    result = call(reader, node, function, args, keywords)
    watch_call(reader, function, args, keywords, result)
    return result if keeps_identity(function, args, keywords, result) else another(reader, result)


def _resize(reader: Reader, node: ast.Call, target: ast.expr, array: ArrayValue | Complex) -> None:
    """`array.resize(shape)`."""
    keywords = {str(keyword.arg): reader.eval(keyword.value) for keyword in node.keywords}
    assign_target(reader, target, resized(reader, array, *_elements(reader, node.args), **keywords))


def _attribute(reader: Reader, node: ast.Attribute) -> Any:
    holder = reader.eval(node.value)
    found = read_attribute(reader, node, holder, node.attr)
    return another(reader, found) if isinstance(holder, ArrayValue | Complex | Subarray) else found


def _method(reader: Reader, node: ast.Attribute, value: Any) -> Any:
    """`value.name`, to be called."""
    if is_read(reader, value, node.attr):
        return read_attribute(reader, node, value, node.attr)
    return attributes.method(reader, value, node.attr)


def _subscript(reader: Reader, node: ast.Subscript) -> Any:
    holder = reader.eval(node.value)
    key = read_key(reader, node.slice, holder)
    try:
        found = item_of(reader, node, holder, key)
        return another(reader, found) if isinstance(holder, ArrayValue | Complex | Subarray) else found
    except Unroll as unroll:
        unroll.is_written |= unroll.listed is holder and isinstance(holder, list) and _is_written(reader, node.value)
        raise


def _is_written(reader: Reader, node: ast.expr) -> bool:
    """Whether a loop around writes items of what is spelled so."""
    spelling = ast.dump(node)
    loops = (loop for scope, loop in reader.courses if scope is reader.scope)
    places = (n for loop in loops for n in ast.walk(loop) if isinstance(n, ast.Subscript))
    return any(isinstance(n.ctx, ast.Store) and ast.dump(n.value) == spelling for n in places)


def item_of(reader: Reader, node: ast.AST, holder: Any, key: Any) -> Any:
    """`holder[key]`, which a method of the program may give."""
    found = overloads.method(reader, node, "__getitem__", holder, key)
    if found is NotImplemented and isinstance(holder, Subarray):
        return subarrays.got(reader, overloads.place_of(node), holder, key)
    if found is not NotImplemented:
        return found
    if sampled_classes.has_subarray(key) and any(holder is one for one in SUBSCRIPTS):
        place, run = overloads.place_of(node), SUBSCRIPTS[holder]
        values = as_tuple(key)
        return subarrays.through(reader, place, lambda k: run(reader.stage, k), lambda k: holder[k], values, "This")
    key = sampled_classes.plain(key)
    if isinstance(holder, iterables.Flat) and holder.of is not None:
        found = subscript(reader, holder, key)
        place = overloads.place_of(node)
        return found if is_number(found) else subarrays.made(reader, place, found, holder.of.cls, holder.of)
    if isinstance(holder, defaultdict) and isinstance(holder.default_factory, Closure | types.FunctionType):
        fill(reader, node, holder, key)
    return subscript(reader, holder, key)


def subscript(reader: Reader, holder: Any, key: Any) -> Any:
    """`holder[key]`."""
    stage = reader.stage
    if is_picture(holder):
        return holder.item(key) if isinstance(holder, Picture) else PICTURE
    holder = reader.twins.get(id(holder), holder)
    if isinstance(holder, ArrayValue | Complex):
        watch_index(reader, holder, as_tuple(key))
        with as_by_numpy(stage, operator.getitem, (holder, key)):
            return item(stage, holder, as_tuple(key))
    if isinstance(holder, np.ndarray) and holder.dtype.hasobject:
        return _object_of(reader, holder, tuple(decided_places(stage, part) for part in as_tuple(key)))
    if isinstance(holder, np.ndarray) and holder.dtype.kind in "USmM":
        return _known_item(reader, holder, tuple(decided_places(stage, part) for part in as_tuple(key)))
    if isinstance(holder, np.ndarray) and holder.dtype.names is not None:
        return _of_records(reader, holder, static_key(stage, key))
    if isinstance(holder, np.ndarray):
        with as_by_numpy(stage, operator.getitem, (holder, key)):
            return _constant_item(reader, holder, as_tuple(key))
    if isinstance(holder, Growing):
        return holder.item(stage, key)
    if isinstance(holder, Indexed):
        return holder.misused() if reader.attempts else holder.item(stage, key)
    if isinstance(holder, iterables.Flat):
        with as_by_numpy(stage, operator.getitem, (holder.array, key)):
            found = item(stage, holder.array, as_tuple(key))
            return stage.lazy(found.shape, found.dtype, found.element)  # no view of the array
    if isinstance(holder, iterables.Staged):
        if isinstance(key, slice):
            return iterables.static_items(stage, holder)[static_key(stage, key)]
        return iterables.item_of(stage, holder, affine_of(key))
    special = next((read for known, read in SUBSCRIPTS.items() if known is holder), None)
    if special is not None:
        refuse_unread_within(key)
        return special(stage, key)
    chosen = chosen_item(reader, holder, key)
    if chosen is not None:
        return chosen
    with of_list(holder):
        key = static_key(stage, key)
    found = item_at(stage, holder, key)
    if isinstance(found, np.ndarray) and not isinstance(holder, list | tuple | dict):
        return complex_numbers.of_constant(stage, found)
    if id(holder) not in reader.outside:
        return reader.usable(apart(reader, found) if isinstance(key, slice) else found)
    if isinstance(key, slice) and isinstance(found, list):
        return [reader.from_outside(item) for item in found]
    return reader.usable(reader.from_outside(found))


def _constant_item(reader: Reader, array: np.ndarray, key: tuple[Any, ...]) -> Any:
    """An element of an array from outside is known when the index is; anything else is a view of it."""
    if not is_staged(key) and not any(isinstance(k, slice) for k in key):
        found = _known_item(reader, array, key)
        if not isinstance(found, np.ndarray):
            return found
    return item(reader.stage, complex_numbers.staged(reader.stage, array), key)


def _object_of(reader: Reader, array: np.ndarray, key: tuple[Any, ...]) -> Any:
    """An item of an array of objects, which is used as a list is."""
    found = _known_item(reader, array, key)
    if isinstance(found, np.ndarray):
        return found
    return reader.usable(reader.from_outside(found) if id(array) in reader.outside else found)


def _of_records(reader: Reader, array: np.ndarray, key: Any) -> Any:
    """A field of an array of records, or some of them: the same memory."""
    found = _known_item(reader, array, key)
    return reader.from_outside(found) if isinstance(found, np.ndarray) else found


def _known_item(reader: Reader, array: np.ndarray, key: Any) -> Any:
    try:
        found = array[key]
    except (IndexError, ValueError, KeyError) as error:
        reader.stage.refuse(f"This subscript fails: {error}.", "Check the index and the array's shape.", error)
    if not isinstance(found, np.ndarray):
        reader.witnesses.element(array, key, found)
    return found


def _slice(reader: Reader, node: ast.Slice) -> Any:
    return read_key(reader, node)


def _lambda(reader: Reader, node: ast.Lambda) -> Any:
    return closure(reader, node, "<lambda>")


def closure(reader: Reader, node: ast.Lambda | ast.FunctionDef, name: str) -> Any:
    """A function defined here: it sees the variables around it as they are when it is called."""
    scope = reader.scope
    scope.captured = True
    outer = local_classes.around(scope)
    source = FunctionSource(
        node=node,
        filename=reader.file,
        globals=scope.source.globals,
        closure=scope.source.closure,
        defaults=tuple(reader.eval(d) for d in node.args.defaults),
        kwdefaults={
            a.arg: reader.eval(d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d
        },
        name=name,
        scope=outer,
    )
    return local_classes.as_method(reader, source) if scope.of_class else Closure(source, outer)


def _formatted(reader: Reader, node: ast.JoinedStr) -> str | Text:
    parts = [_formatted_part(reader, part) for part in node.values]
    unknown = [part for part in parts if isinstance(part, Text)]
    return unknown[0] if unknown else "".join(map(str, parts))


def _formatted_part(reader: Reader, part: ast.expr) -> str | Text:
    if not isinstance(part, ast.FormattedValue):
        return str(reader.eval(part))
    value = reader.eval(part.value)
    if affine_of(value) is not None:
        value = static_key(reader.stage, value)
    specification = _formatted(reader, part.format_spec) if isinstance(part.format_spec, ast.JoinedStr) else ""
    convert = CONVERSIONS.get(part.conversion, str)
    is_plain = not specification and (part.conversion in CONVERSIONS or not overloads.has_method(value, "__format__"))
    told = overloads.asked(reader, part, convert, [value]) if is_plain else NotImplemented
    if told is not NotImplemented:
        return cast(str | Text, told)
    if is_staged(value) or isinstance(specification, Text) or has_text(value) or is_untold(value):
        return text(reader.stage)
    return format(CONVERSIONS[part.conversion](value) if part.conversion in CONVERSIONS else value, specification)


CONVERSIONS: dict[int, Callable[[Any], str]] = {ord("s"): str, ord("r"): repr, ord("a"): ascii}


def _walrus(reader: Reader, node: ast.NamedExpr) -> Any:
    value = reader.eval(node.value)
    scope = reader.scope
    while scope.parent is not None and node.target.id not in scope.own and _is_comprehension(scope):
        scope = scope.parent
    reader.bind(node.target.id, value)
    return reader.lookup(node.target.id)


def _is_comprehension(scope: Scope) -> bool:
    return scope.parent is not None and scope.source is scope.parent.source


EXPRESSIONS: dict[type[ast.expr], Read] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: choices.either,
    ast.IfExp: choices.conditional,
    ast.Call: _call,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Lambda: _lambda,
    ast.ListComp: comprehension,
    ast.SetComp: comprehension,
    ast.GeneratorExp: comprehension,
    ast.DictComp: dict_comprehension,
    ast.JoinedStr: _formatted,
    ast.NamedExpr: _walrus,
    ast.Yield: yielded,
    ast.YieldFrom: yielded_from,
}
