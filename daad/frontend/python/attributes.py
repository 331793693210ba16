"""Attributes: of arrays through the tables, of modules and other static objects by Python."""

from __future__ import annotations

import difflib
import functools
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.errors import DaadError
from daad.frontend import library
from daad.frontend.library import array_methods
from daad.frontend.numpy import ATTRIBUTES, METHODS, hint_for
from daad.frontend.numpy.array_attributes import interface
from daad.frontend.numpy.shapes.reshape import reshape_to
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import MISSING, Closure
from daad.frontend.python.values import exception_objects, local_classes, objects, outside_copies, shown_types
from daad.frontend.python.values.iterators import Items, Once
from daad.frontend.python.values.over_loops.indexed_lists import Indexed
from daad.frontend.python.values.plotting_packages import PICTURE, Picture, is_picture
from daad.frontend.python.values.type_samples import agreed, samples
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.iterables import Flat, Range, Rows
from daad.frontend.staging.values import ArrayValue, Complex, View
from daad.ir.operations.python_operators import ALL_BINARY, COMPARED, UNARY
from daad.ir.pinning import Needs


@dataclass(frozen=True)
class ArrayMethod:
    """A method of a staged array, not called yet."""

    array: ArrayValue | Complex
    name: str


SPELLED_OUT: dict[str, Any] = {
    **array_methods.METHODS,
    **{f"__{row.method}__": row.ufunc for row in ALL_BINARY.values()},
    **{row.method: row.ufunc for row in COMPARED.values()},
    **{row.method: row.ufunc for row in UNARY.values() if row.method},
    "__abs__": np.absolute,
}
"""Operators as methods of arrays."""


UNTOLD = frozenset(("__cause__", "__context__", "__suppress_context__", "__traceback__", "__notes__"))
"""What Python keeps in an exception where it is raised or caught."""


def attribute(reader: Reader, value: Any, name: str, look: Callable[[Any, str], Any] = getattr) -> Any:
    """`value.name`; `look` is how Python looks it up."""
    if isinstance(value, ArrayValue | Complex):
        return _of_array(reader, value, name)
    if isinstance(value, Indexed):
        value.misused()
    if isinstance(value, Flat) and name == "copy":
        return ArrayMethod(value.array, name)
    if is_picture(value):
        return value.attribute(name) if isinstance(value, Picture) else PICTURE
    if name != "__class__" and exception_objects.is_untold(value):
        reader.stage.refuse(*exception_objects.TEXT)
    if isinstance(value, BaseException) and name in UNTOLD:
        reader.stage.refuse(f"'{name}' of an exception is not known before the run.", exception_objects.TEXT[1])
    value = reader.twins.get(id(value), value)
    own = id(value) in reader.objects
    if own and name == "__class__":
        return objects.class_of(value)
    if own and name in vars(value):
        return reader.usable(vars(value)[name])
    if own and name == "__dict__":
        return vars(value)
    held = local_classes.attribute(reader, value, name)
    if held is not MISSING:
        return held
    kind = shown_types.of(value)
    if kind is not None:
        return _of_shown(reader, value, kind, name)
    if reader.shared:
        assigned = outside_copies.shared_attribute(reader, value, name)
        if assigned is not MISSING:
            return assigned
    if isinstance(value, np.ndarray) and not hasattr(value, name):
        refuse_attribute(reader, value, name)
    try:
        found = look(value, name)
    except AttributeError as error:
        refuse_attribute(reader, value, name, error)
    except (DaadError, Needs):
        raise
    except Exception as error:
        reader.stage.refuse(
            f"To look up '{name}' runs code that fails: {type(error).__name__}: {str(error).rstrip('.')}.",
            "Write it as a method, or as a property.",
            error,
        )
    if isinstance(value, super) and isinstance(found, Closure):
        return types.MethodType(found, value.__self__)  # type: ignore[attr-defined]
    if isinstance(found, np.flatiter):
        reader.stage.rely(value)
    reader.witnesses.attribute(value, name, own=own)
    return reader.from_outside(found)


def _of_shown(reader: Reader, value: Any, kind: type, name: str) -> Any:
    """Of a function, an iterator or a range of the program's."""
    found = shown_types.attribute(value, name)
    if found is not MISSING:
        return reader.from_outside(found)
    if isinstance(value, Range) and name in ("start", "stop", "step"):
        start, stop = value.ends(reader.stage)
        return {"start": start, "stop": stop, "step": value.step}[name]
    if name == "__sizeof__" and getattr(kind, name) is object.__sizeof__ and not kind.__itemsize__:
        return functools.partial(int, kind.__basicsize__)  # that of all objects of the type
    if hasattr(kind, name):
        reader.stage.refuse(
            f"'{name}' of an object of type '{kind.__name__}' is not known while a program is read.",
            "Keep what you ask for in a variable.",
        )
    error = AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
    return refuse_attribute(reader, value, name, error)


def method(reader: Reader, value: Any, name: str) -> Any:
    """`value.name`, to be called."""
    if isinstance(value, np.ndarray) and name not in ATTRIBUTES and value.dtype.kind in "biufc":
        value = complex_numbers.staged(reader.stage, value)
    return attribute(reader, value, name)


SAME_FOR_ALL = {"__array_priority__": 0.0, "__array_ufunc__": np.ndarray.__array_ufunc__}
"""What programs ask of arrays to find out whose operators come first."""


def _of_array(reader: Reader, value: ArrayValue | Complex, name: str) -> Any:
    _require_attribute(reader, value, name)
    if name == "flat" and isinstance(value, ArrayValue):
        return flat(reader, value)
    if name == "__array_interface__":
        return interface(reader.stage, value)
    if name in SAME_FOR_ALL:
        return SAME_FOR_ALL[name]
    if name in SPELLED_OUT:
        return functools.partial(SPELLED_OUT[name], value)
    if name not in METHODS and name not in library.METHODS:
        _refuse_of_array(reader, value, name)
    if name in ATTRIBUTES:
        return ATTRIBUTES[name](reader.stage, (value,), {})
    return ArrayMethod(value, name)


def _require_attribute(reader: Reader, value: ArrayValue | Complex, name: str) -> None:
    """Refuses what the value's type has not; daad's own programs take Python's numbers for arrays."""
    if value.ndim:
        what, kind = "An array", np.ndarray
        has = hasattr(np.ndarray, name)
    else:
        found = samples(value)
        kind = type(found[0])
        what = f"A number of type '{_full_name(kind)}'"
        has = library.is_own(reader.file) or agreed(reader, {hasattr(one, name) for one in found})
    if not has:
        hint = "Make it an array, 'np.asarray(...)'." if hasattr(np.ndarray, name) else _meant(kind, name)
        error = AttributeError(f"'{_full_name(kind)}' object has no attribute '{name}'")
        reader.stage.refuse(f"{what} has no attribute '{name}'.", hint, error)


def _full_name(kind: type) -> str:
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def flat(reader: Reader, value: ArrayValue) -> Flat:
    """`value.flat`."""
    row = reshape_to(reader.stage, value, (-1,))
    if isinstance(value, View) and not (isinstance(row, View) and row.base == value.base):
        reader.stage.refuse(
            "'.flat' of an array whose elements do not lie in a row is not supported.", "Use '.ravel()'."
        )
    return Flat(row, Once(Items(Rows(row))))


def _refuse_of_array(reader: Reader, value: ArrayValue | Complex, name: str) -> None:
    function = getattr(np, name, None)
    hint = hint_for(function) if callable(function) else "Write it with supported operations."
    reader.stage.refuse(f"'.{name}' of {'an array' if value.ndim else 'a number'} is not supported.", hint)


def refuse_attribute(reader: Reader, value: Any, name: str, raised: AttributeError | None = None) -> Any:
    """There is no such attribute."""
    is_module = isinstance(value, types.ModuleType)
    kind = shown_types.of(value) or type(value)
    what = f"The module '{value.__name__}'" if is_module else f"The object of type '{kind.__name__}'"
    reader.stage.refuse(
        f"{what} has no attribute '{name}'.", _meant(value if kind is type(value) else kind, name), raised
    )


def _meant(value: Any, name: str) -> str:
    """The attribute that the user may have meant."""
    close = difflib.get_close_matches(name, dir(value), 1)
    return f"Did you mean '{close[0]}'?" if close else "Check its spelling."
