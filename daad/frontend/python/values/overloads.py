"""Operators on objects of the program's own classes: methods such as `__add__` are read like any other."""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import math
import types
from collections import deque
from typing import Any

import numpy as np

from daad.frontend.installed_code import is_library, is_of_library
from daad.frontend.library.iterating import by_index, by_next
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.syntax.made_nodes import kept
from daad.frontend.python.values import subarrays
from daad.frontend.python.values.global_names import GlobalNames
from daad.frontend.python.values.objects import class_of, in_class, is_generated
from daad.frontend.python.values.over_loops.growing_lists import Growing
from daad.frontend.python.values.over_loops.indexed_lists import Indexed, Items
from daad.frontend.python.values.plotting_packages import Picture
from daad.frontend.python.values.sampled_classes import plain
from daad.frontend.staging.iterables import require_items
from daad.frontend.staging.texts import JOINING, Text, has_text
from daad.frontend.staging.truth import truth
from daad.frontend.staging.unread import Unread, refuse_unread
from daad.frontend.staging.values import ArrayValue, Complex, Subarray
from daad.ir.nodes import Expr
from daad.ir.operations.python_operators import ALL_BINARY, COMPARED, UNARY

ASKING: dict[Any, str] = {
    builtins.abs: "__abs__",
    builtins.round: "__round__",
    builtins.float: "__float__",
    builtins.int: "__int__",
    builtins.complex: "__complex__",
    math.floor: "__floor__",
    math.ceil: "__ceil__",
    math.trunc: "__trunc__",
    builtins.reversed: "__reversed__",
    builtins.hash: "__hash__",
}
"""Functions that ask their first argument for what they give."""
TELLING: dict[Any, tuple[str, ...]] = {builtins.str: ("__str__", "__repr__"), builtins.repr: ("__repr__",)}
"""Functions that make text, and the methods that an object is asked by for it."""
TAKEN_APART = ("__len__", "__getitem__", "__array__", "__array_interface__", "__array_ufunc__", "__array_priority__")
"""What of an object NumPy looks at before it takes it for a number of an unknown kind."""
FIRST, ALL, ALL_BUT_FIRST = slice(1), slice(None), slice(1, None)
ITERATING: dict[Any, slice] = {
    **dict.fromkeys((list, tuple, set, enumerate, iter, sum, min, max, sorted, any, all, deque, dict.fromkeys), FIRST),
    **dict.fromkeys((itertools.accumulate, itertools.chain.from_iterable, itertools.cycle, itertools.islice), FIRST),
    **dict.fromkeys((itertools.pairwise, itertools.tee), FIRST),
    **dict.fromkeys((zip, itertools.zip_longest, itertools.product), ALL),
    **dict.fromkeys((map, filter, itertools.starmap), ALL_BUT_FIRST),
    functools.reduce: slice(1, 2),
}
"""Which arguments a function iterates over; 'min' and 'max' compare them where they are several."""


def binary(reader: Reader, node: ast.AST, op: type[ast.operator], left: Any, right: Any) -> Any:
    """`left op right` by a method that the program wrote; NotImplemented if it has none."""
    if not isinstance(left, str | Text) and not isinstance(right, Text):
        refuse_unread((left, right))
    name = ALL_BINARY[op].method
    if has_method(right, f"__r{name}__") and _is_passed_on(left, right):
        left = reader.stage.lazy((), left.dtype, left.element, weak=True)
    return _either(reader, node, (f"__{name}__", f"__r{name}__"), left, right)


def augmented(reader: Reader, node: ast.AST, op: type[ast.operator], left: Any, right: Any) -> Any:
    """`left op= right` in the same way."""
    result = _one(reader, node, f"__i{ALL_BINARY[op].method}__", left, right)
    return binary(reader, node, op, left, right) if result is NotImplemented else result


def compared(reader: Reader, node: ast.AST, op: type[ast.cmpop], left: Any, right: Any) -> Any:
    """A comparison in the same way."""
    if op not in COMPARED:
        return NotImplemented
    row = COMPARED[op]
    return _either(reader, node, (row.method, COMPARED[row.mirrored].method), left, right)


def unary(reader: Reader, node: ast.AST, op: type[ast.unaryop], value: Any) -> Any:
    """A sign in the same way."""
    name = UNARY[op].method
    return _one(reader, node, name, value) if name else NotImplemented


def asked(reader: Reader, node: ast.AST, function: Any, args: list[Any]) -> Any:
    """What a builtin such as `abs` gives for an object whose class says it; NotImplemented if it does not."""
    try:
        name = ASKING.get(function)
        names = TELLING.get(function)
    except TypeError:
        return NotImplemented
    if names is not None and len(args) == 1:
        return told(reader, node, names, args[0])
    return _one(reader, node, name, *args) if name is not None and args else NotImplemented


def told(reader: Reader, node: ast.AST, names: tuple[str, ...], value: Any) -> Any:
    """The text of an object that holds data, as its class says it; NotImplemented if it does not."""
    if id(value) not in reader.objects or not has_text(value):
        return NotImplemented
    given = (_one(reader, node, name, value) for name in names)
    return next((found for found in given if found is not NotImplemented), NotImplemented)


def condition(reader: Reader, node: ast.expr) -> bool | Expr:
    """The truth of an expression."""
    return truth(reader.stage, truthful(reader, node, reader.eval(node)))


def truthful(reader: Reader, node: ast.AST, value: Any) -> Any:
    """What has the truth of a value: what its class's `__bool__` or `__len__` gives, or itself."""
    found = _one(reader, node, "__bool__", value)
    found = _one(reader, node, "__len__", value) if found is NotImplemented else found
    return plain(value) if found is NotImplemented else found


def as_bool(reader: Reader, node: ast.AST, value: Any) -> Any:
    """Python's truth value of it."""
    found = truth(reader.stage, truthful(reader, node, value))
    return found if isinstance(found, bool) else reader.stage.lazy((), bool, lambda _: found, weak=True)


def items(reader: Reader, node: ast.AST, value: Any) -> Any:
    """What to iterate over instead of an object: what its class's `__iter__` gives, or itself."""
    found = _iterator(reader, node, value)
    return reader.call(place_of(node, "iterated"), by_next, [found], {}) if is_iterator(reader, found) else found


def gone_through(reader: Reader, node: ast.AST, value: Any) -> Any:
    """What a loop, a comprehension or an unpacking goes through: also a list that lies in an array."""
    return Items(value) if isinstance(value, Indexed) else items(reader, node, value)


def is_iterator(reader: Reader, value: Any) -> bool:
    """Whether it is an object of the program's whose class gives the items one by one."""
    return id(value) in reader.objects and has_method(value, "__next__")


def _iterator(reader: Reader, node: ast.AST, value: Any) -> Any:
    if isinstance(value, Picture) and value.shape:
        return list(value.items())
    found = _one(reader, node, "__iter__", value)
    if found is NotImplemented and isinstance(value, Subarray):
        return [_row(reader, node, value, k) for k in range(reader.stage.known(value.array.shape[0]))]
    if found is NotImplemented and is_by_index(reader, value):
        return reader.call(place_of(node), by_index, [value], {})
    return value if found is NotImplemented else found


def is_by_index(reader: Reader, value: Any) -> bool:
    """Whether Python iterates over an object by its `__getitem__`, of 0 and what follows."""
    if isinstance(value, Unread | Growing | GlobalNames | Subarray) or hasattr(class_of(value), "__iter__"):
        return False
    return has_method(value, "__getitem__") and (id(value) in reader.objects or not is_of_library(class_of(value)))


def has_method(value: Any, name: str) -> bool:
    """Whether the class of an object has a method of that name in Python."""
    if isinstance(value, ArrayValue | Complex):
        return False
    return isinstance(in_class(class_of(value), name), types.FunctionType | property)


def place(reader: Reader, node: ast.AST, holder: Any, key: Any) -> tuple[Any, Any]:
    """What is written, and where, by `holder[key] = …`: NumPy asks `__getitem__` for a part of an array of a class."""
    if not isinstance(holder, Subarray) or not any(
        part is Ellipsis or isinstance(part, slice) for part in (key if isinstance(key, tuple) else (key,))
    ):
        return holder, key
    view = _one(reader, node, "__getitem__", holder, key)
    return (holder, key) if view is NotImplemented else (view, Ellipsis)


def _row(reader: Reader, node: ast.AST, value: Subarray, number: int) -> Any:
    """What an array of a class gives for its index `number`, by a path of its own."""
    reader.path.append(number)
    found = _one(reader, node, "__getitem__", value, number)
    found = subarrays.got(reader, place_of(node), value, number) if found is NotImplemented else found
    reader.path.pop()
    return found


def iterated(reader: Reader, node: ast.AST, function: Any, args: list[Any]) -> list[Any]:
    """The arguments of a function with what to iterate over instead of objects."""
    if function in (min, max) and len(args) > 1:
        return args
    places = range(len(args))[ITERATING[function]]
    for k in places:
        require_items(reader.stage, args[k])
    opened = _iterator if function is iter else items
    return [opened(reader, node, arg) if k in places else arg for k, arg in enumerate(args)]


def method(reader: Reader, node: ast.AST, name: str, *args: Any) -> Any:
    """What `args[0].name(*args[1:])` gives, if the program wrote it; else NotImplemented."""
    return _one(reader, node, name, *args)


def _either(reader: Reader, node: ast.AST, names: tuple[str, str], left: Any, right: Any) -> Any:
    """As Python does: the right one's method first if it is of a subclass, or if the left one's does not apply."""
    turns = [(names[0], left, right), (names[1], right, left)]
    if _comes_first(left, right, names[1]):
        turns.reverse()
    is_numpy = isinstance(left, ArrayValue | Complex) and not left.weak
    if is_numpy and has_method(right, names[1]) and not _takes_arrays(right):
        del turns[1:]  # NumPy takes the object apart, or calls its method for each element
    results = (_one(reader, node, name, own, other) for name, own, other in turns)
    return next((result for result in results if result is not NotImplemented), NotImplemented)


MIRRORED = frozenset(row.method for row in COMPARED.values())


def _comes_first(left: Any, right: Any, name: str) -> bool:
    """Whether the right operand's method is asked first: that of a class derived from the left one's, unless it is of
    the left one's."""
    if isinstance(right, Subarray):
        return isinstance(left, ArrayValue | Complex | np.ndarray) or _is_derived(class_of(left), right.cls)
    left, right = class_of(left), class_of(right)
    is_own = in_class(left, name) is not in_class(right, name)
    return _is_derived(left, right) and (is_own or name in MIRRORED)


def _takes_arrays(value: Any) -> bool:
    """Whether an array on the left of an operator leaves it to an object."""
    if isinstance(value, Subarray):
        return True
    cls = class_of(value)
    own = getattr(cls, "__array_ufunc__", NotImplemented)
    return own is None or (own is NotImplemented and getattr(cls, "__array_priority__", 0.0) > 0.0)


def _is_passed_on(left: Any, right: Any) -> bool:
    """Whether NumPy calls an object's method with a number of the run, which Python gets as one of its own."""
    is_number = isinstance(left, ArrayValue) and not left.shape and not left.weak
    return is_number and not any(hasattr(class_of(right), name) for name in TAKEN_APART)


def _is_derived(first: type, second: type) -> bool:
    return first is not second and issubclass(second, first)


def _one(reader: Reader, node: ast.AST, name: str, *args: Any) -> Any:
    if isinstance(args[0], Text) and name in JOINING:
        return args[0]
    if isinstance(args[0], Unread):
        args[0].look()
    if isinstance(args[0], ArrayValue | Complex):
        return NotImplemented
    function = in_class(class_of(args[0]), name)
    if isinstance(function, property) and id(args[0]) in reader.objects:
        return _by_property(reader, node, function, *args)
    if (
        not isinstance(function, types.FunctionType)
        or is_generated(function)
        or isinstance(args[0], Growing | GlobalNames)
    ):
        return NotImplemented
    is_numpys = (function.__module__ or "").partition(".")[0] in ("numpy", "scipy")
    is_read = isinstance(args[0], Subarray) or any(
        id(arg) in reader.objects or (is_numpys and isinstance(arg, ArrayValue | Complex)) for arg in args
    )
    if is_library(function.__module__, function.__code__.co_filename) and not is_read:
        return NotImplemented
    return reader.call(place_of(node), function, list(args), {})


def place_of(node: Any, key: str = "overload") -> ast.Call:
    """The call that an operator or an attribute stands for: the same one whenever the program is read."""
    return kept(node, key, lambda: ast.copy_location(ast.Call(node, [], []), node))


def _by_property(reader: Reader, node: Any, found: property, own: Any, *args: Any) -> Any:
    """What the method gives that a property of the class looks up, which may be that of an array."""
    method = reader.call(place_of(node, "asked"), found.fget, [own], {})
    return reader.call(place_of(node), method, list(args), {})
