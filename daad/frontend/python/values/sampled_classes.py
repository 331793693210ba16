"""What NumPy makes of arrays of a class of their own: it is asked, with small arrays of such a class in their place.

`np.dot` of matrices is one, `np.where` of them is not: no table says so, NumPy does.
"""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from daad.frontend.installed_code import is_of_library
from daad.frontend.staging.values import ArrayValue, Complex, Subarray, affine_of

Function = Callable[[Any], Any]
MAKING = {"__new__", "__init__", "__array_finalize__", "__array_wrap__", "__array_ufunc__", "__array_function__"}
MAKING |= {"__repr__", "__str__", "__reduce__", "__setstate__"}
"""What a class may write without changing what NumPy's functions do with arrays of it; the calls are looked at."""
AS_BEFORE = {"shape", "dtype", "__setattr__"}
"""What masked arrays write anew, and read as it is."""
UNKNOWN = 3
"""Stands for an extent that is no number."""


def is_itself(cls: type) -> bool:
    """Whether arrays of the class are asked as they are: NumPy's matrices, of which all functions make the same."""
    return is_of_library(cls) and not issubclass(cls, np.ma.MaskedArray)


@functools.cache
def plain_class(cls: Any) -> Any:
    """A class that has a class's place among others, and none of its code; NumPy's own are what they are."""
    if cls is np.ndarray or is_itself(cls):
        return cls
    bases = tuple(plain_class(base) for base in cls.__bases__ if issubclass(base, np.ndarray))
    written = {name for name, held in vars(cls).items() if isinstance(held, types.FunctionType | property)}
    written -= AS_BEFORE if is_of_library(cls) else set()
    traps = {name: _trap(name) for name in written - MAKING if hasattr(np.ndarray, name)}
    names = {"__array_priority__": cls.__array_priority__, "__array_finalize__": _noted, "__array_wrap__": _wrapped}
    return type(cls.__name__, bases, {**traps, **names})


class Touched(Exception):
    """NumPy's own code has asked for something that the class has written itself."""


def _trap(name: str) -> property:
    def touched(_: Any) -> Any:
        raise Touched(name)

    return property(touched)


def _noted(self: Any, parent: Any) -> None:
    self.origin = getattr(parent, "origin", None)


def _wrapped(self: Any, made: np.ndarray, *_: Any) -> Any:
    found: Any = np.ndarray.view(made, type(self))
    found.origin, found.is_wrapped = self.origin, True
    return found


@dataclass
class Samples:
    """Small arrays in the place of those of the program; `given` are the arrays of a class of their own among these."""

    given: list[Subarray] = field(default_factory=list)

    def of(self, value: Any) -> Any:
        """What stands for a value; containers are looked into."""
        if isinstance(value, Subarray):
            self.given.append(value)
            cls: Any = value.cls
            made: Any = _array(value.array).view(plain_class(cls))
            made.origin = len(self.given) - 1
            return made
        if isinstance(value, ArrayValue | Complex):
            return _array(value) if value.ndim else _number(value)
        if isinstance(value, dict):
            return {key: self.of(item) for key, item in value.items()}
        if isinstance(value, slice):
            return slice(*(None if isinstance(part, ArrayValue) else part for part in _parts(value)))
        return type(value)(map(self.of, value)) if type(value) in (list, tuple) else value

    def class_of(self, made: np.ndarray) -> type[np.ndarray]:
        """The class that an array has which NumPy has made of these."""
        classes: list[Any] = [one.cls for one in self.given]
        return next((cls for cls in classes if plain_class(cls) is type(made)), type(made))

    def parent(self, made: np.ndarray) -> Subarray | None:
        """The array that NumPy has made an array of a class after; None: after none."""
        if is_itself(type(made)):
            return next((one for one in self.given if one.cls is type(made)), None)
        origin = getattr(made, "origin", None)
        return None if origin is None else self.given[origin]


def plain(value: Any) -> Any:
    """The value without classes; containers are looked into, and are the same ones where there is nothing to do."""
    return _plain(value) if has_subarray(value) else value


def _plain(value: Any) -> Any:
    if isinstance(value, Subarray):
        return value.array
    if isinstance(value, np.ndarray):
        return value.view(np.ndarray)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, slice):
        return slice(*map(_plain, _parts(value)))
    return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value


def has_subarray(value: Any) -> bool:
    """Whether there is an array of a class of its own; containers are looked into."""
    if isinstance(value, dict):
        return any(map(has_subarray, value.values()))
    if isinstance(value, list | tuple | slice):
        return any(map(has_subarray, _parts(value) if isinstance(value, slice) else value))
    return isinstance(value, Subarray)


def asked(function: Function, value: Any) -> tuple[Any, Samples]:
    """What NumPy gives for samples; an exception of NumPy's where that fails, or where the class changes numbers."""
    samples = Samples()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = function(samples.of(value))
        if any(is_itself(one.cls) for one in samples.given):
            _require_equal(found, function(_plain(Samples().of(value))))
    return found, samples


def is_touched(function: Function, value: Any) -> bool:
    """Whether NumPy's function, written in Python, goes through methods that the class of an array has written."""
    try:
        asked(function, value)
    except Touched:
        return True
    except Exception:
        return False
    return False


def _require_equal(found: Any, expected: Any) -> None:
    """NumPy's own classes have operators of their own, which NumPy's functions may call."""
    if isinstance(found, tuple | list):
        for one, other in zip(found, expected, strict=True):
            _require_equal(one, other)
    elif isinstance(found, np.ndarray | np.generic) and not np.array_equal(
        np.ravel(np.asarray(found)), np.ravel(expected), equal_nan=found.dtype.kind in "fc"
    ):
        raise TypeError("the class makes a difference")


def _parts(value: slice) -> tuple[Any, Any, Any]:
    return value.start, value.stop, value.step


def _array(value: ArrayValue | Complex) -> np.ndarray:
    """One with an inverse, where it is a matrix that may have one."""
    shape = tuple(extent.const if extent.is_const else UNKNOWN for extent in value.shape)
    made = np.full(shape, 1, value.dtype)
    if len(shape) > 1 and made.dtype.kind != "b":
        rows = np.arange(min(shape[-2:]))
        made[..., rows, rows] += rows.astype(value.dtype) + 1
    return made


def _number(value: ArrayValue | Complex) -> Any:
    form = affine_of(value)
    number = form.const if form is not None and form.is_const else 0 if value.dtype.kind in "iu" else 1
    return value.dtype.type(number).item() if value.weak else value.dtype.type(number)
