"""Functions of the user's for which compiled code calls Python.

Their arguments are put, one number after the other, into a record; a token names a record and how many of its numbers
count. To put a number into a record gives another token, and the same numbers have the same results: so all this is
repeated, left out and moved by passes as other arithmetic is. What a call has made lives as long as its frame.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

ENTRY = "daad_python_calls"
"""The function of a library that takes `Answers`; others have none."""
FETCH, MORE_NUMBERS = -1, -2
MOST = 1 << 24
"""Numbers that a function takes, and one more."""
PAIRED = 1 << 20
"""By a number so much larger a function is named where it takes each number beside its tangent, and gives both."""
NUMBERS = 1024
"""Numbers for records that a library gets at once."""


class Held:
    """Something that lives as long as a frame holds it."""

    def __init__(self, value: Any) -> None:
        self.value = value


@dataclass(eq=False)
class Frame:
    """What the calls of Python in one run have made."""

    held: list[Held] = field(default_factory=list)

    def hold(self, value: Any) -> Held:
        self.held.append(Held(value))
        return self.held[-1]


Called = Callable[[np.ndarray, Frame], np.ndarray]
FUNCTIONS: list[Called] = []
"""By number: each takes all arguments and gives all results as float64."""
_numbers, _chunks = itertools.count(1), itertools.count(1)
_results: WeakValueDictionary[float, Held] = WeakValueDictionary()
_residuals: WeakValueDictionary[float, Held] = WeakValueDictionary()
_here = threading.local()


def number_of(function: Called) -> int:
    """The number by which programs name the function in this process."""
    if function not in FUNCTIONS:
        FUNCTIONS.append(function)
    return FUNCTIONS.index(function)


def has_tangent(number: int) -> bool:
    """Whether the function of this number takes tangents, too."""
    return bool(getattr(FUNCTIONS[number], "has_tangent", False))


def _function(number: int) -> Called:
    if number < PAIRED:
        return FUNCTIONS[number]
    pushed: Any = FUNCTIONS[number - PAIRED]

    def paired(numbers: np.ndarray, frame: Frame) -> np.ndarray:
        return np.stack(pushed.pushed(numbers[::2], numbers[1::2], frame), axis=1).ravel()

    return paired


def kept(residuals: Any, frame: Frame) -> float:
    """A number by which what a forward pass leaves for the reverse sweep is found again."""
    key = float(next(_numbers))
    _residuals[key] = frame.hold(residuals)
    return key


def residuals_of(key: float) -> Any:
    """What `kept` has been given."""
    return _residuals[key].value


def last_frame() -> Frame | None:
    """That of this thread's last run that called Python; whoever holds it may go on from there."""
    return getattr(_here, "frame", None)


def new_frame() -> Frame:
    """For a run that begins now in this thread."""
    _here.frame = Frame()
    return _here.frame


_Function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p, ctypes.c_int64)


class Answers:
    """What a library asks Python for; its runs follow each other."""

    def __init__(self, loaded: ctypes.CDLL) -> None:
        self._enter = getattr(loaded, ENTRY)
        self._enter.restype = None
        self._callback = _Function(self._answer)
        self._frame = Frame()
        self._error: BaseException | None = None

    def begin(self) -> None:
        """Before each run: the library lets go of what it had."""
        self._frame, self._error = new_frame(), None
        self._enter(self._callback)

    def end(self) -> None:
        """After it; raises what a function has raised."""
        self._enter(self._callback)
        error, self._error, _here.frame = self._error, None, self._frame
        if error is not None:
            raise error

    def _answer(self, function: int, token: float, values: int, count: int) -> int | None:
        if self._error is not None:
            return None
        try:
            if function == MORE_NUMBERS:
                return _more_numbers()
            if function == FETCH:
                return int(_results[token].value.ctypes.data)
            given = np.frombuffer(ctypes.string_at(values, 8 * count)) if count else np.empty(0)
            found = _function(function)(given, self._frame)
            _results[token] = self._frame.hold(found)
            return int(found.ctypes.data)
        except BaseException as error:
            self._error = error
            return None


def _more_numbers() -> int:
    first = next(_chunks) * NUMBERS
    if first * MOST >= 2**52:
        raise OverflowError("This process has called Python from compiled code too often.")
    return first


@dataclass(eq=False)
class _Record:
    """Of the interpreter: the numbers of another one, and one more."""

    function: int
    before: _Record | None = None
    number: float = 0.0
    results: np.ndarray | None = None

    def values(self) -> np.ndarray:
        found, record = list[float](), self
        while record.before is not None:
            found.append(record.number)
            record = record.before
        return np.array(found[::-1])


_records: WeakValueDictionary[float, Held] = WeakValueDictionary()


def _recorded(record: _Record) -> float:
    token = float(next(_numbers))
    _records[token] = (last_frame() or new_frame()).hold(record)
    return token


def _get(token: float, place: float) -> float:
    record = _records[token].value
    if record.results is None:
        record.results = _function(record.function)(record.values(), last_frame() or new_frame())
    return float(record.results[int(place)])


start = np.vectorize(lambda function: _recorded(_Record(int(function))), otypes=[float])
put = np.vectorize(
    lambda token, value: _recorded(_Record(_records[token].value.function, _records[token].value, value)),
    otypes=[float],
)
get = np.vectorize(_get, otypes=[float])
"""As compiled code does it, for the interpreter."""
