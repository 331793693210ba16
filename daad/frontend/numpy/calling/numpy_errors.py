"""What NumPy itself says to an operation that cannot be read: its error for arrays of the same shapes and dtypes."""

from __future__ import annotations

import inspect
import math
import re
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np

from daad.errors import Unsupported
from daad.frontend.staging.boolean_masks import masked_shapes
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Complex, affine_of
from daad.frontend.unsupported import CHECK

LARGEST = 1 << 20
FEW = 1 << 12
"""Numbers in all arguments of a call for which NumPy is asked, too, and in an array of a shape that it is given."""
OF_SHAPES = re.compile(r"\b(shapes?|dimension(s|al)?|length-1)\b")
FAILS_TOO = "This fails without daad, too"

# How an operation of the tables fails: refused, or through arguments that nobody foresaw.
FAILURES = (
    Unsupported,
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    AssertionError,
)


class _Unknown(Exception):
    """There is no stand-in for the value: what NumPy would say depends on data, or on code of the program."""


def in_numpys_terms(
    stage: Stage, error: Exception, function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]
) -> Exception:
    """The error to raise for one of FAILURES: NumPy's own where it refuses the operation, too; else the same."""
    raised = numpy_raises(function, args, kwargs)
    if raised is None:
        found = _of_selection(stage, error, args, kwargs)
        return _own(stage, found, function, args, kwargs) if isinstance(found, Unsupported) else found
    hint = getattr(error, "hint", None) or CHECK
    own = error.raised if isinstance(error, Unsupported) else error
    is_sure = type(own) is type(raised) or OF_SHAPES.search(sentence(raised))
    agreed = raised if is_sure else None  # else what stands in for data may be what NumPy minds
    return Unsupported(f"{FAILS_TOO}: {sentence(raised)}.", at=stage.at, hint=hint, raised=agreed)


def _own(
    stage: Stage, error: Unsupported, function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]
) -> Unsupported:
    """A refusal that does not blame NumPy for what daad's own program for the function tries."""
    if not error.message.startswith(FAILS_TOO) or not numpy_takes(function, args, kwargs):
        return error
    name = getattr(function, "__name__", type(function).__name__)
    return Unsupported(f"'{name}' is not supported with these arguments.", at=stage.at, hint=CHECK)


def _of_selection(stage: Stage, error: Exception, args: Any, kwargs: Mapping[str, Any]) -> Exception:
    """What nobody foresaw is a refusal where elements that a mask selects take part."""
    for shape in masked_shapes((*args, *kwargs.values())):
        try:
            stage.refuse_mask(shape)
        except Unsupported as refusal:
            return refusal
    return error


@contextmanager
def as_by_numpy(
    stage: Stage, function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any] = MappingProxyType({})
) -> Iterator[None]:
    """What fails in the block fails in NumPy's words, where NumPy fails, too."""
    try:
        yield
    except FAILURES as error:
        raise in_numpys_terms(stage, error, function, args, kwargs) from error.__cause__


@contextmanager
def refused_by_numpy(
    stage: Stage, function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]
) -> Iterator[None]:
    """What is read in the block is refused where NumPy refuses it whatever the numbers are: options and shapes that
    no row looks at."""
    given = (*args, *kwargs.values())
    is_asked = not isinstance(function, np.ufunc) and _count(given) <= FEW and not any(map(callable, given))
    raised = numpy_raises(function, args, kwargs) if is_asked else None
    yield
    if raised is not None:
        raise Unsupported(f"{FAILS_TOO}: {sentence(raised)}.", at=stage.at, hint=CHECK, raised=raised)


def _count(values: Iterable[Any]) -> int:
    """How many numbers there are, more than FEW where that is not known."""
    total = 0
    for value in values:
        if isinstance(value, ArrayValue):
            known = all(extent.is_const for extent in value.shape)
            total += math.prod(extent.const for extent in value.shape) if known else FEW + 1
        elif isinstance(value, list | tuple):
            total += math.prod(map(abs, value)) if all(type(one) is int for one in value) else _count(value)
        elif type(value) is int:
            total += abs(value)
        else:
            total += np.size(value) if isinstance(value, np.ndarray) else 1
    return total


def numpy_says(function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]) -> str | None:
    """NumPy's sentence without its period; None where it has none, or data decide what it says."""
    raised = numpy_raises(function, args, kwargs)
    return None if raised is None else sentence(raised)


def numpy_raises(function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]) -> Exception | None:
    """NumPy's exception; None where there is none, or data decide what it says."""
    found: list[Exception] = []
    for way in WAYS:
        raised = _raised(function, args, kwargs, *way)
        if not isinstance(raised, Exception):
            return None
        found.append(raised)
    first, second, _, last = found
    return first if sentence(first) == sentence(second) == sentence(last) else None


def sentence(raised: Exception) -> str:
    """What an exception says, without its period."""
    return " ".join(str(raised).split()).rstrip(" .") or type(raised).__name__


def numpy_takes(function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]) -> bool:
    """Whether NumPy takes such arguments, with some numbers at least."""
    return any(_raised(function, args, kwargs, *way) is TAKEN for way in WAYS)


TAKEN = object()
"""What NumPy raises where nothing fails."""


GROWING = 2
WAYS = ((0, False), (1, False), (0, True), (GROWING, False))
"""What stands for the numbers of an array: all are one, or they grow; and whether one without axes is an array."""


def _raised(function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any], number: int, is_array: bool) -> Any:
    """NumPy's exception, TAKEN where nothing fails, None where that is not known."""
    try:
        arguments, named = (_stand_in(given, number, is_array) for given in (tuple(args), dict(kwargs)))
    except _Unknown:
        return None
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*arguments, **named)
    except Exception as error:
        if isinstance(error, np.linalg.LinAlgError) and "must be" not in str(error):
            return None  # depends on the values
        error.__traceback__ = None  # holds the frames
        return error
    return TAKEN


def _stand_in(value: Any, number: int, is_array: bool) -> Any:
    """A value of the same shape and dtype; indices among them are in range, or may be."""
    if isinstance(value, ArrayValue):
        return _array(value, number, is_array)
    if isinstance(value, Complex):
        content = _array(value.real, number, is_array) + 0j
        return complex(content) if value.weak and not value.shape else np.asarray(content, value.dtype)[()]
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return value.copy()
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(_stand_in(item, number, is_array) for item in value)
    if isinstance(value, dict):
        return {key: _stand_in(item, number, is_array) for key, item in value.items()}
    if isinstance(value, slice):
        return slice(*(_stand_in(part, number, is_array) for part in (value.start, value.stop, value.step)))
    if value is None or value is Ellipsis or isinstance(value, bool | int | float | complex | str | np.generic):
        return value
    if isinstance(value, type | np.dtype):
        return value
    if callable(value) and not _has_state(value):
        return lambda *args, **_: args[0] if args else None
    raise _Unknown


def _has_state(value: Any) -> bool:
    """An object of a class with a `__call__` that somebody has written, which may have more to it."""
    written = isinstance(inspect.getattr_static(type(value), "__call__", None), types.FunctionType)
    return written and not type(value).__module__.startswith("daad.")


def _array(value: ArrayValue, number: int, is_array: bool) -> Any:
    form = affine_of(value)
    if form is not None and form.is_const:
        return form.const
    known = all(extent.is_const for extent in value.shape)
    if not known or (not value.ndim and value.dtype.kind in "iu"):
        raise _Unknown
    shape = tuple(extent.const for extent in value.shape)
    if np.prod(shape, dtype=np.int64) > LARGEST:
        raise _Unknown
    if number == GROWING and value.dtype.kind == "f":
        content = np.arange(1, np.prod(shape, dtype=int) + 1, dtype=value.dtype).reshape(shape)
    else:
        content = np.full(shape, 1 - number / 2 if value.dtype.kind == "f" else number % 2, value.dtype)
    return content if is_array else content.item() if value.weak and not shape else content[()]
