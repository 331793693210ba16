"""What SciPy's code calls to be written for arrays of several packages, of which NumPy's are one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # staged while the program is read


def apply_where(cond: Array, args: Any, f1: Any, f2: Any = None, /, *, fill_value: Any = None) -> Array:
    """Both functions of all elements: what is not taken has no derivative."""
    given = args if isinstance(args, list | tuple) else (args,)
    return np.where(cond, f1(*given), fill_value if f2 is None else f2(*given))


def clip(x: Array, min: Any = None, max: Any = None) -> Array:
    return np.clip(x, min, max)


def argsreduce(cond: Array, *args: Any) -> list[Array]:
    """Whether the condition holds everywhere or not: the elements where it holds, in a row."""
    return [np.extract(cond, np.broadcast_to(np.asarray(arg), np.shape(cond))) for arg in args]


def xp_promote(*args: Any, broadcast: bool = False, force_floating: bool = False, xp: Any) -> Any:
    """All of one dtype, and of one shape if asked; None stays None."""
    if not args:
        return args
    each = [np.asarray(arg) if isinstance(arg, list | tuple) else arg for arg in args]
    given = [arg for arg in each if arg is not None]
    kind = xp.result_type(*given, 1.0) if force_floating else xp.result_type(*given)
    found = [None if arg is None else _of_kind(arg, np.dtype(kind)) for arg in each]
    if broadcast:
        shape = np.broadcast_shapes(*[np.shape(arg) for arg in given])
        found = [arg if arg is None else np.broadcast_to(arg, shape) for arg in found]
    return found[0] if len(found) == 1 else tuple(found)


def _of_kind(value: Any, kind: Any) -> Array:
    """Numbers stay known."""
    return kind.type(value) if type(value) in (int, float) else np.asarray(value, dtype=kind)


class Place:
    """Some elements of an array, which are replaced or changed."""

    def __init__(self, array: Array, index: Any) -> None:
        self.array = array
        self.index = index

    def __getitem__(self, index: Any) -> Place:
        return Place(self.array, index)

    def _base(self, copy: Any, xp: Any) -> Array:
        return (np if xp is None else xp).array(self.array) if copy else self.array

    def _of_number(self, changed: Array) -> Array:
        return np.asarray(np.where(self.index, changed, self.array))[()]

    def _changed(self, change: Callable[[Array], Array], copy: Any, xp: Any) -> Array:
        if np.ndim(self.array) == 0:
            return self._of_number(change(self.array))
        base = self._base(copy, xp)
        base[self.index] = change(base[self.index])
        return base

    def set(self, y: Array, /, copy: Any = None, xp: Any = None) -> Array:
        if np.ndim(self.array) == 0:
            return self._of_number(y)
        base = self._base(copy, xp)
        base[self.index] = y
        return base

    def add(self, y: Array, /, copy: Any = None, xp: Any = None) -> Array:
        return self._changed(lambda old: old + y, copy, xp)

    def subtract(self, y: Array, /, copy: Any = None, xp: Any = None) -> Array:
        return self._changed(lambda old: old - y, copy, xp)

    def multiply(self, y: Array, /, copy: Any = None, xp: Any = None) -> Array:
        return self._changed(lambda old: old * y, copy, xp)

    def divide(self, y: Array, /, copy: Any = None, xp: Any = None) -> Array:
        return self._changed(lambda old: old / y, copy, xp)

    def power(self, y: Array, /, copy: Any = None, xp: Any = None) -> Array:
        return self._changed(lambda old: old**y, copy, xp)

    def min(self, y: Array, /, copy: Any = None, xp: Any = None) -> Array:
        return self._changed(lambda old: np.minimum(old, y), copy, xp)

    def max(self, y: Array, /, copy: Any = None, xp: Any = None) -> Array:
        return self._changed(lambda old: np.maximum(old, y), copy, xp)


def at(x: Array, idx: Any = None) -> Place:
    """Changes happen in place unless a copy is asked for, as NumPy's arrays can be written."""
    return Place(x, idx)


def solve(a: Array, b: Array, signature: Any = None) -> Array:
    """LAPACK's, which the array API calls itself; the signature has the letters of dtypes."""
    return np.linalg.solve(a.astype(complex) if signature == "DD->D" else a, b)


def solve_one(a: Array, b: Array, signature: Any = None) -> Array:
    return solve(a, b[..., np.newaxis], signature)[..., 0]


PROMOTED: dict[str, Callable[..., Any]] = {"xp_promote": xp_promote}
EXTRA: dict[str, Callable[..., Any]] = {"apply_where": apply_where, "at": at}
COMPAT: dict[str, Callable[..., Any]] = {"clip": clip}
DISTRIBUTIONS: dict[str, Callable[..., Any]] = {"argsreduce": argsreduce}
GUFUNCS: dict[str, Callable[..., Any]] = {"solve": solve, "solve1": solve_one}
