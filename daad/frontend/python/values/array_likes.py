"""Objects of the program's classes where NumPy expects an array: it takes what their `__array__` gives."""

from __future__ import annotations

import ast
import inspect
import types
from typing import Any

import numpy as np

from daad.frontend.installed_code import is_library, is_of_library
from daad.frontend.library.object_arrays import Objects
from daad.frontend.numpy import FUNCTIONS
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.values.objects import class_of
from daad.frontend.python.values.over_loops.indexed_lists import Indexed
from daad.frontend.python.values.overloads import place_of
from daad.frontend.staging.values import ArrayValue, Complex, Subarray

NUMPYS = ("numpy", "scipy")
ASKING = frozenset((np.iterable, np.isscalar, np.copy))
"""Functions that do not ask for an array, or that may hand out the object's own."""
JOINING = (np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack)
"""Functions that take the items of an array one by one."""
OWN = ("__array_ufunc__", "__array_function__")
Keywords = dict[str, Any]


def arguments(
    reader: Reader, node: ast.AST, function: Any, args: list[Any], keywords: Keywords
) -> tuple[list[Any], Keywords]:
    """The arguments of a function of NumPy's, with arrays for such objects."""
    if args and isinstance(args[0], Objects) and any(function is one for one in JOINING):
        args = [args[0].items, *args[1:]]
    home = "numpy" if isinstance(function, np.ufunc) else getattr(function, "__module__", None) or ""
    is_numpys = home.partition(".")[0] in NUMPYS and hasattr(function, "__name__")  # and no object of NumPy's
    if is_numpys:
        args = [one.copied(reader.stage) if isinstance(one, Indexed) else one for one in args]
    values = [*args, *keywords.values()]
    if not is_numpys or not any(_has_such(reader, value) for value in values):
        return args, keywords
    if any(function is one for one in ASKING) or (_is_python(function) and any(map(_is_numpys, values))):
        return args, keywords
    if function is np.polyval and isinstance(values[-1], np.poly1d):
        reader.stage.refuse("'np.polyval' at a polynomial is not supported.", "Compute with its coefficients.")
    for value in (one for one in values if _is_such(reader, one)):
        if hasattr(class_of(value), function.__name__):
            reader.stage.refuse(
                f"NumPy's '{function.__name__}' asks an object for its own '{function.__name__}'.",
                f"Write it so: 'value.{function.__name__}'.",
            )
    options: Keywords = {}
    if function in (np.array, np.asarray) and args and _is_such(reader, args[0]):
        options = {name: keywords[name] for name in ("dtype",) if keywords.get(name) is not None}
        if function is np.array and keywords.get("copy", True) is True and _takes(args[0], "copy"):
            options, keywords = {**options, "copy": True}, {**keywords, "copy": None}
    found = [_converted(reader, node, value, k, options) for k, value in enumerate(args)]
    named = (_converted(reader, node, one, len(args) + k, {}) for k, one in enumerate(keywords.values()))
    return found, dict(zip(keywords, named, strict=True))


def operands(reader: Reader, node: ast.AST, *values: Any) -> list[Any]:
    """The operands of an operator, none of which has a method for it: NumPy's own if one of them is an array."""
    is_numpys = any(isinstance(value, ArrayValue | Complex) and not value.weak for value in values)
    is_numpys = is_numpys or any(isinstance(value, np.ndarray | np.generic) for value in values)
    return [_converted(reader, node, one, k, {}) if is_numpys else one for k, one in enumerate(values)]


def as_array(reader: Reader, node: ast.AST, value: Any, dtype: Any = None) -> Any:
    """What is written into an array."""
    return _converted(reader, node, value, 0, {} if dtype is None else {"dtype": dtype})


def _is_python(function: Any) -> bool:
    """Whether a function of NumPy's has no row, and is read: it asks for arrays itself."""
    inner = getattr(function, "_implementation", function)
    return isinstance(inner, types.FunctionType) and function not in FUNCTIONS


def _is_numpys(value: Any) -> bool:
    return is_of_library(type(value)) and not isinstance(value, ArrayValue | np.ndarray | np.generic)


def _is_such(reader: Reader, value: Any) -> bool:
    if isinstance(value, ArrayValue | Complex | Subarray | np.ndarray | np.generic | type):
        return False
    function = _asked_of(value)
    if not isinstance(function, types.FunctionType):
        return False
    is_library_s = is_library(function.__module__, function.__code__.co_filename)
    if is_library_s and id(value) not in reader.objects and type(value) is not np.poly1d:
        return False
    return isinstance(value, Objects) or not any(hasattr(class_of(value), name) for name in OWN)


def _has_such(reader: Reader, value: Any) -> bool:
    return any(_has_such(reader, one) for one in value) if type(value) in (list, tuple) else _is_such(reader, value)


def _converted(reader: Reader, node: ast.AST, value: Any, number: int, options: Keywords) -> Any:
    """The value with arrays for such objects; each is asked by a path of its own."""
    if not _has_such(reader, value):
        return value
    reader.path.append(number)
    if type(value) in (list, tuple):
        found = type(value)(_converted(reader, node, one, k, {}) for k, one in enumerate(value))
    else:
        found = _asked(reader, node, value, options)
    reader.path.pop()
    return found


def _asked(reader: Reader, node: ast.AST, value: Any, options: Keywords) -> Any:
    """What `__array__` gives."""
    given = {name: one for name, one in options.items() if _takes(value, name)}
    found = reader.call(place_of(node), _asked_of(value), [value], given)
    if isinstance(found, np.ndarray | Complex | Subarray) or (isinstance(found, ArrayValue) and found.ndim):
        return found
    if not reader.stage.is_array(found):
        reader.stage.refuse(
            "This fails without daad, too: object __array__ method not producing an array.", "Give an array there."
        )
    return found


def _takes(value: Any, name: str) -> bool:
    return name in inspect.signature(_asked_of(value)).parameters


def _asked_of(value: Any) -> Any:
    return getattr(class_of(value), "__array__", None)
