"""Which values stand for one object of Python's: what `is` compares."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from daad.frontend.installed_code import is_library, is_of_library
from daad.frontend.numpy.calling.call_arguments import is_in
from daad.frontend.python.reading.environment import same
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import Closure
from daad.frontend.python.values.over_loops.indexed_lists import Indexed
from daad.frontend.staging.values import ArrayValue, Complex, Subarray, View, is_number, is_staged, types_of

NUMBERS = (int, float, complex, np.generic)
KEEPING = (np.asarray, np.asanyarray, np.ascontiguousarray, np.atleast_1d)
"""Functions that give an array back as it is, if nothing is to be done."""
KEEPING_KNOWN = (*KEEPING, np.asfortranarray, np.atleast_2d, np.atleast_3d, np.real, np.real_if_close, np.require)
"""Those of known arrays."""
MODES = {np._CopyMode.ALWAYS: True, np._CopyMode.IF_NEEDED: None, np._CopyMode.NEVER: False}
"""NumPy's own names of what `copy` may be."""
SHARING = (None, False, *(name for name, plain in MODES.items() if not plain))
"""What `np.array(a, copy=...)` is told to give an array back."""

SMALL = range(-5, 257)
"""Integers of which Python has one object each."""


def small_integer(reader: Reader, left: Any, right: Any) -> tuple[Any, Any] | None:
    """Both sides of `is`, if they are integers of Python's of which data decide one, and the other is small: then they
    are one object if they are equal. Of other numbers of Python's it is not known; NumPy makes each of its own anew."""
    staged = [value for value in (left, right) if is_number(value)]
    others = [value for value in (left, right) if isinstance(value, NUMBERS) and not isinstance(value, bool)]
    if not staged or len(staged) + len(others) < 2 or left is right:
        return None
    if not any(kind.weak for kind in types_of(left) & types_of(right)):
        return None
    if others and isinstance(others[0], int) and others[0] in SMALL and not staged[0].mixed:
        return left, right
    return reader.stage.refuse("'is' compares numbers that may be one object or two.", "Compare them by '=='.")


def identical(reader: Reader, left: Any, right: Any) -> bool:
    """`left is right`; of two names for one place it may not be known whether the second is a view that was made of
    it."""
    if isinstance(left, Subarray) and isinstance(right, Subarray):
        return left.state is right.state
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Indexed) and one.is_row and isinstance(other, list | Indexed):
            one.misused()
        if isinstance(other, list | dict):
            reader.require_unfrozen(one)
        reader.require_one(one)
        if isinstance(one, View) and isinstance(other, np.ndarray) and reader.stage.constants.get(one.base) is other:
            _refuse(reader)
    if isinstance(left, Complex) and isinstance(right, Complex):
        return identical(reader, left.real, right.real)
    if not isinstance(left, ArrayValue) or not isinstance(right, ArrayValue) or left is right:
        return left is right
    if same(left, right):
        return _is_one_object(reader, left, right)
    bases = [value.base for value in (left, right) if isinstance(value, View)]
    if len(bases) == 2 and {tuple(bases), tuple(bases[::-1])} & reader.stage.links:
        _refuse(reader)
    if isinstance(left, View) and isinstance(right, View):
        found = reader.identities.are_one(left, right)
        return _is_one_object(reader, left, right) if found is None else found
    return False


def _is_one_object(reader: Reader, left: ArrayValue, right: ArrayValue) -> bool:
    if isinstance(left, View) and isinstance(right, View) and left.identity is right.identity is not None:
        return True
    if not is_library(reader.scope.source.globals.get("__name__"), reader.scope.source.filename):
        _refuse(reader)
    return True  # where it only steers what is warned of


def _refuse(reader: Reader) -> None:
    reader.stage.refuse("'is' compares what may be one array or two.", "Compare the values, or use a flag.")


def keeps_identity(function: Any, args: Sequence[Any], keywords: Mapping[str, Any], result: Any) -> bool:
    """Whether a call gives the object that Python gives, if it gives one that is there already."""
    if isinstance(function, np.ufunc):
        out = keywords.get("out", (*args[function.nin :], None)[0])
        return result is (out[0] if isinstance(out, tuple) else out)
    if is_in(KEEPING, function) or (function is np.array and keywords.get("copy", True) in SHARING):
        return bool(args) and isinstance(args[0], View) and isinstance(result, View) and not result.doubt
    return isinstance(function, Closure | types.FunctionType | types.MethodType) and not is_of_library(function)


def given_back(function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> np.ndarray | None:
    """The known array that a function of NumPy's gives back as it is, if it does."""
    if not args or not isinstance(args[0], np.ndarray) or not is_in(KEEPING_KNOWN, function):
        return None
    if is_staged((args, keywords)):
        return None
    try:
        found = function(*args, **keywords)
    except (TypeError, ValueError):
        return None  # which is told where it is called
    return args[0] if found is args[0] else None


def another(reader: Reader, value: Any) -> Any:
    """The value; it is not known whether Python has another object for it."""
    return reader.stage.like(value) if isinstance(value, View) and value.identity is not None else value
