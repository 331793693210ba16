"""`copy.copy` and `copy.deepcopy`: objects of the program's classes, containers, and the arrays in them."""

from __future__ import annotations

import ast
import copy
import logging
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.installed_code import is_of_library
from daad.frontend.numpy import METHODS
from daad.frontend.python.attributes import attribute
from daad.frontend.python.reading.environment import same
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import Closure
from daad.frontend.python.reading.shared_items import apart
from daad.frontend.python.values import objects, overloads, shown_types, subarrays
from daad.frontend.python.values.iterators import Once
from daad.frontend.python.values.object_keys import name_of
from daad.frontend.staging.values import ArrayValue, Complex, Subarray, View, is_number, is_staged, type_name

CALLED = type | types.FunctionType | types.MethodType | types.ModuleType | Closure
NAMED = logging.Logger
"""What Python knows by its name: a copy of it is the same."""


def shallow(reader: Reader, node: ast.Call, x: Any, /) -> Any:
    """`copy.copy`: what the attributes and items are is the same."""
    if isinstance(x, ArrayValue | Complex | Subarray | np.ndarray):
        return _array(reader, node, x)
    if shown_types.of(x) is not None:
        return _shown(reader, x)
    if type(x) is tuple or isinstance(x, NAMED):
        return x
    if not _is_object(x):
        return apart(reader, copy.copy(reader.twins.get(id(x), x)))
    found = overloads.method(reader, node, "__copy__", x)
    _refuse_own_way(reader, x, found)
    return _object(reader, x, lambda value: value, {}) if found is NotImplemented else found


def deep(reader: Reader, node: ast.Call, x: Any, memo: Any = None, /) -> Any:
    """`copy.deepcopy`: what stands at several places is one thing in the copy, too."""
    return _deep(reader, node, x, memo if isinstance(memo, dict) else {})


def _deep(reader: Reader, node: ast.Call, x: Any, made: dict[int, Any]) -> Any:
    x = reader.twins.get(id(x), x)
    if id(x) in made:
        return made[id(x)]
    made.setdefault(id(made), []).append(x)  # while it lives, nothing else has its number

    def inner(value: Any) -> Any:
        return _deep(reader, node, value, made)

    if isinstance(x, ArrayValue | Complex | Subarray | np.ndarray):
        _refuse_twice(reader, x, made[id(made)][:-1])
        made[id(x)] = _array(reader, node, x)
        return made[id(x)]
    if type(x) is dict:
        result = made[id(x)] = {}
        result.update((key, reader.settled(inner(value), name_of(key))) for key, value in x.items())
        return result
    if type(x) is list:
        items: list[Any] = []
        made[id(x)] = items
        items.extend(reader.settled(inner(item), "item") for item in x)
        return items
    if isinstance(x, tuple) and (is_staged(x) or type(x) is tuple):
        return type(x)(*map(inner, x)) if hasattr(x, "_fields") else tuple(map(inner, x))
    if isinstance(x, CALLED | NAMED):
        return x
    if shown_types.of(x) is not None:
        return _shown(reader, x)
    if _is_object(x):
        found = overloads.method(reader, node, "__deepcopy__", x, made)
        _refuse_own_way(reader, x, found)
        made[id(x)] = _object(reader, x, inner, made) if found is NotImplemented else found
        return made[id(x)]
    if is_staged(x):
        reader.stage.refuse(f"A copy of an object of type '{type_name(x)}' is not supported.", "Copy its arrays.")
    return copy.deepcopy(x)


def _shown(reader: Reader, x: Any) -> Any:
    """A function and a range cannot change; an iterator would be taken from twice."""
    if isinstance(x, Once):
        error = TypeError("cannot pickle 'generator' object") if x.kind is types.GeneratorType else None
        reader.stage.refuse("A copy of an iterator is not supported.", "Make a list of its items, 'list(...)'.", error)
    return x


OWN_WAYS = ("__getstate__", "__setstate__", "__reduce__", "__reduce_ex__", "__getnewargs__", "__getnewargs_ex__")


def _refuse_own_way(reader: Reader, x: Any, found: Any) -> None:
    """A class may say otherwise what is copied of its objects."""
    named = (name for name in OWN_WAYS for base in objects.class_of(x).__mro__[:-1] if name in vars(base))
    name = next(named, None)
    if found is NotImplemented and name is not None:
        reader.stage.refuse(f"The class '{type_name(x)}' says by '{name}' what is copied.", "Write '__copy__' instead.")


def _refuse_twice(reader: Reader, x: Any, earlier: list[Any]) -> None:
    """Of two names for one place it is not known whether the second is a view, which gets a copy of its own."""
    if isinstance(x, View) and any(isinstance(one, View) and same(one, x) for one in earlier):
        reader.stage.refuse("A deep copy of what holds an array twice is not supported.", "Copy the array first.")


def _array(reader: Reader, node: ast.Call, x: Any) -> Any:
    """A number is copied by its name."""
    if isinstance(x, Subarray):
        return reader.call(node, subarrays.Plain(x, "copy"), [], {})
    if isinstance(x, ArrayValue) and is_number(x):
        return x
    return METHODS["copy"](reader.stage, (reader.from_outside(x),), {})


def _is_object(x: Any) -> bool:
    """An object whose attributes are all that it is."""
    cls = type(x)
    is_plain = not isinstance(x, CALLED | dict | list | tuple | set | BaseException | np.ndarray)
    of_program = bool(hasattr(x, "__dict__") or objects.attributes_of(x)) and not is_of_library(cls)
    return is_plain and of_program


def _object(reader: Reader, x: Any, inner: Callable[[Any], Any], made: dict[int, Any]) -> Any:
    x = reader.twins.get(id(x), x)
    result = made[id(x)] = objects.make(reader, type(x))
    if id(x) not in reader.objects:
        reader.witnesses.typed(x)
    for name in objects.attributes_of(x):
        reader.assign(vars(result), name, inner(attribute(reader, x, name)), name)
    return result
