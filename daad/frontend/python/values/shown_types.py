"""What a program sees of the functions, iterators and ranges that it has made: the type of Python's that each of them
has when nobody reads the program, and the attributes of that type."""

from __future__ import annotations

import ast
import itertools
import types
import typing
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from daad.frontend.library.flows.initial_values import Chosen
from daad.frontend.library.object_arrays import Objects
from daad.frontend.library.solvers.roots import Found, scipys
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import MISSING, Closure
from daad.frontend.python.values.iterators import Once
from daad.frontend.staging import iterables

STANDING_IN = "daad.frontend.library"
KNOWN_TYPES = ("builtins", "numpy", "collections", "numbers", "abc", "typing", "types", "daad")
"""Packages of types that what stands for an object of SciPy's has, or surely has not."""
GENERIC = type(iter(()))
"""Stands for iterators that have one of several types."""
MADE = (itertools.accumulate, itertools.chain, itertools.count, itertools.cycle, itertools.islice, itertools.pairwise)
NAMED = (enumerate, filter, map, reversed, zip, types.GeneratorType, itertools.repeat, *MADE)


def of(value: Any) -> type | None:
    """The type; None where the value is what the program sees."""
    if isinstance(value, Closure):
        return types.FunctionType
    if isinstance(value, iterables.Range):
        return range
    if isinstance(value, iterables.Flat):
        return np.flatiter
    return value.kind if isinstance(value, Once) else None


def is_standing_in(value: Any) -> bool:
    """Whether an object is one of daad's own, in the place of SciPy's."""
    return type(value).__module__.startswith(STANDING_IN)


def stood_for(value: Any) -> type | None:
    """The type that it has for the program, where that is known."""
    return scipys(value) if isinstance(value, Found) else np.ndarray if isinstance(value, Chosen | Objects) else None


def stands_for_one_of(reader: Reader, value: Any, kinds: Any) -> bool:
    """`isinstance` of such an object: it is none of Python's types, and NumPy's, if not as such."""
    if isinstance(value, kinds):  # asked by a program of daad's own
        return True
    kind = stood_for(value)
    if kind is not None:
        return is_one_of(reader, kind, kinds)
    if not all(getattr(one, "__module__", "").split(".")[0] in KNOWN_TYPES for one in _single(kinds)):
        reader.stage.refuse("The class of what stands for an object of SciPy's is not known.", "Ask what it can do.")
    return False


def is_one_of(reader: Reader, kind: type, kinds: Any) -> bool:
    """`isinstance` of what has the type."""
    if kind is GENERIC and any(one in NAMED for one in _single(kinds)):
        _refuse_generic(reader)
    try:
        return issubclass(kind, kinds)
    except TypeError as error:
        reader.stage.refuse(f"This call fails: {str(error).rstrip('.')}.", "Ask for a class without attributes.")


def asked(reader: Reader, kind: type) -> type:
    """`type` of what has the type."""
    if kind is GENERIC:
        _refuse_generic(reader)
    return kind


def _single(kinds: Any) -> Iterator[Any]:
    for kind in kinds if isinstance(kinds, tuple) else typing.get_args(kinds) or (kinds,):
        yield from _single(kind) if isinstance(kind, tuple) or typing.get_args(kind) else (kind,)


def _refuse_generic(reader: Reader) -> None:
    reader.stage.refuse(
        "The program asks which kind of iterator this is.", "Ask whether it is a 'collections.abc.Iterator'."
    )


def attribute(value: Any, name: str) -> Any:
    """What Python gives for an attribute that the program has not assigned; `MISSING` if it is not known."""
    if isinstance(value, Closure):
        return _of_function(value).get(name, MISSING)
    if isinstance(value, Once) and name in ITERATING:
        return partial(ITERATING[name], value)
    return getattr(value, name) if isinstance(value, Once) and name in value.methods else MISSING


ITERATING: dict[str, Callable[..., Any]] = {"__next__": next, "__iter__": iter}


def _of_function(function: Closure) -> dict[str, Any]:
    node = function.source.node
    return {
        "__name__": function.source.name,
        "__module__": function.source.globals.get("__name__"),
        "__doc__": None if isinstance(node, ast.Lambda) else ast.get_docstring(node, clean=False),
        "__dict__": function.attributes,
        "__call__": function,
    }
