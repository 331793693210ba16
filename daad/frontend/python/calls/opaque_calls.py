"""Functions that compiled code calls Python for: what stands in the Program for such a call.

Arguments are put into a record, number by number, and the results are read from it; see `daad.runtime.python_calls`.
What a function returns is learnt from a call with arguments full of ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from daad.errors import BadArgument
from daad.frontend import structures
from daad.frontend.python.calls.rule_structures import Pair, apart, mapped, whole
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, View, cast, expr_of
from daad.ir.affine import Affine
from daad.ir.nodes import Const, Expr, Op
from daad.runtime.python_calls import MOST, Frame, kept, number_of, residuals_of

TOKEN = "float64"


@dataclass(frozen=True)
class Slot:
    """The place of a number or an array that is known at run time; `weak` is a number of Python's own."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    weak: bool = False

    @cached_property
    def size(self) -> int:
        return prod(self.shape)

    def value(self, numbers: np.ndarray) -> Any:
        """What the user's function gets."""
        found = numbers.reshape(self.shape).astype(self.dtype)
        return found.item() if self.weak and not self.shape else found[()] if not self.shape else found


@dataclass(frozen=True)
class Known:
    """The place of something that is known when the program is read."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


@dataclass(frozen=True)
class Site:
    """A function with the structures of its arguments and of its results, as compiled code calls it."""

    name: str
    function: Callable[..., Any]
    given: Any
    result: Any

    def __call__(self, numbers: np.ndarray, frame: Frame) -> np.ndarray:
        return self._flat(self.function(frame, *self._values(numbers)))

    @property
    def has_tangent(self) -> bool:
        return getattr(self.function, "tangent", None) is not None

    def pushed(self, numbers: np.ndarray, dots: np.ndarray, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
        """The results and their tangents."""
        values = [self._values(each) for each in (numbers, dots)]
        found, tangents = self.function.tangent(frame, *values)  # type: ignore[attr-defined]
        return self._flat(found), self._flat(tangents)

    @cached_property
    def _values(self) -> Callable[[np.ndarray], Any]:
        return _reader(self.given, 0)[0]

    def _flat(self, found: Any) -> np.ndarray:
        flat = list[np.ndarray]()
        try:
            _collect(found, self.result, flat)
        except (ValueError, KeyError, TypeError) as error:
            raise BadArgument(
                f"The function '{self.name}' has returned something else than for arguments full of ones: {error}.",
                hint="Return the same structure, with the same shapes and dtypes, whatever the numbers are.",
            ) from error
        return np.concatenate([np.empty(0), *flat]).astype(np.float64, copy=False)


def python_values(structure: Any, numbers: np.ndarray) -> Any:
    """The structure with values for its places, in their order."""
    return _reader(structure, 0)[0](numbers)


def _reader(structure: Any, first: int) -> tuple[Callable[[np.ndarray], Any], int]:
    """A function that takes the values of a structure out of numbers, from the first one on, and where it ends."""
    if isinstance(structure, Known):
        return lambda numbers: structure.value, first
    if isinstance(structure, Slot):
        last = first + structure.size
        return lambda numbers: structure.value(numbers[first:last]), last
    if not isinstance(structure, dict | list | tuple):
        return lambda numbers: structure, first
    readers, keys = list[Callable[[np.ndarray], Any]](), list(structure)
    for item in structure.values() if isinstance(structure, dict) else structure:
        reader, first = _reader(item, first)
        readers.append(reader)
    if isinstance(structure, dict):
        return lambda numbers: {key: read(numbers) for key, read in zip(keys, readers, strict=True)}, first
    if isinstance(structure, Pair):
        real, imag = readers
        return lambda numbers: real(numbers) + 1j * imag(numbers), first
    return lambda numbers: structures.sequence(structure, [read(numbers) for read in readers]), first


def places_of(found: Any) -> Any:
    """The structure of what a function has returned."""

    def place(leaf: Any) -> Any:
        if not isinstance(leaf, np.ndarray | np.generic | bool | int | float | complex):
            return Known(leaf)
        array = np.asarray(leaf)
        if array.dtype.kind == "c":
            return Pair(*(Slot(part.shape, part.dtype) for part in (array.real, array.imag)))
        return Slot(array.shape, array.dtype) if array.dtype.kind in "biuf" else Known(leaf)

    return mapped(found, place, place)


def _collect(found: Any, places: Any, flat: list[np.ndarray]) -> None:
    """The numbers of a result that has these places."""
    if isinstance(places, Pair):
        array = np.asarray(found)
        _collect(array.real, places.real, flat)
        _collect(array.imag, places.imag, flat)
    elif isinstance(places, Slot):
        array = np.asarray(found)
        if (array.shape, array.dtype) != (places.shape, places.dtype):
            raise ValueError(f"{array.dtype}{list(array.shape)}, not {places.dtype}{list(places.shape)}")
        flat.append(array.ravel())
    elif isinstance(places, dict):
        for key, place in places.items():
            _collect(found[key], place, flat)
    elif isinstance(places, list | tuple):
        for item, place in zip(found, places, strict=True):
            _collect(item, place, flat)


@dataclass
class CallOfPython:
    """A function in a rule that Python is called for; the last trial's result is `trial`.

    `like`: the places in its result, where these are known without a trial.
    A forward pass `keeps` residuals, of any kind, and gives a number for them; a reverse sweep gets those of `source`.
    """

    name: str
    function: Callable[..., Any]
    keeps: bool = False
    source: CallOfPython | None = None
    trial: Any = None
    like: Any = None

    @staticmethod
    def forward(name: str, function: Callable[..., Any]) -> CallOfPython:
        return CallOfPython(name, function, keeps=True)

    @staticmethod
    def backward(name: str, function: Callable[..., Any], source: CallOfPython) -> CallOfPython:
        return CallOfPython(name, function, source=source)

    def __call__(self, frame: Frame, *args: Any) -> Any:
        """What compiled code asks for."""
        if self.source is not None:
            key, bars = args
            return self.function(residuals_of(key), bars)
        if not self.keeps:
            return self.function(*args)
        out, residuals = self.function(*args)
        return out, kept(residuals, frame)

    def __eq__(self, other: object) -> bool:
        mine = self.function, self.keeps, self.source
        return isinstance(other, CallOfPython) and mine == (other.function, other.keeps, other.source)

    def read(self, stage: Stage, args: Sequence[Any]) -> Any:
        """The result, staged."""
        leaves = list[ArrayValue]()
        given = [_staged_places(stage, arg, leaves) for arg in apart(stage, list(args))]
        total = sum(place.size for place in _slots(given))
        if total >= MOST:
            hint = "Give it fewer, in several calls."
            stage.refuse(f"The function '{self.name}' is given {total} numbers, and Python at most {MOST - 1}.", hint)
        result = self._tried(stage, given)
        token = stage.allocate((), TOKEN, "token")
        number = Const(float(number_of(Site(self.name, self, given, result))), TOKEN)
        _note(stage, token, Op("python_start", (number,), TOKEN))
        for leaf in leaves:
            _put(stage, token, leaf)
        return whole(_taken(stage, token, result, self.name))

    def _tried(self, stage: Stage, given: Any) -> Any:
        """The places in the result, by a call with ones."""
        if self.like is not None:
            return self.like
        ones = python_values(given, np.ones(sum(place.size for place in _slots(given))))
        if self.source is not None:
            ones = [self.source.trial[1], *ones[1:]]
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                found = self.function(*ones)
        except Exception as error:
            stage.refuse(
                f"The function '{self.name}' raises {type(error).__name__} for arguments full of ones: {error}.",
                "daad calls it with these once, to learn what it returns.",
                error,
            )
        self.trial = found
        if not self.keeps:
            return places_of(found)
        if not isinstance(found, tuple) or len(found) != 2:
            hint = "Return (out, residuals)."
            stage.refuse(f"The function '{self.name}' has a rule whose 'fwd' returns no pair.", hint)
        return places_of(found[0]), Slot((), np.dtype(TOKEN))


def _staged_places(stage: Stage, value: Any, leaves: list[ArrayValue]) -> Any:
    """The structure of an argument, whose staged leaves are collected."""

    def place(leaf: Any) -> Any:
        if not isinstance(leaf, ArrayValue):
            return Known(leaf)
        leaves.append(leaf)
        return Slot(tuple(stage.known(extent) for extent in leaf.shape), leaf.dtype, leaf.weak)

    return mapped(value, place, place)


def _slots(structure: Any) -> Iterator[Slot]:
    if isinstance(structure, dict):
        structure = list(structure.values())
    if isinstance(structure, list | tuple):
        for item in structure:
            yield from _slots(item)
    elif isinstance(structure, Slot):
        yield structure


def _note(stage: Stage, token: View, value: Expr) -> None:
    stage.nest((), lambda _: [(token, (), "=", value)])


def _put(stage: Stage, token: View, leaf: ArrayValue) -> None:
    """All elements, one after the other."""
    with ExitStack() as loops:
        point = tuple(loops.enter_context(stage.loop("k", Affine(0), extent)) for extent in leaf.shape)
        value = cast(leaf.element(point), TOKEN)
        _note(stage, token, Op("python_put", (token.element(()), value), TOKEN))


def _taken(stage: Stage, token: View, places: Any, name: str) -> Any:
    """The results."""
    first = 0

    def taken(place: Any) -> Any:
        nonlocal first
        if isinstance(place, Known):
            return place.value
        start, strides = first, [prod(place.shape[k + 1 :]) for k in range(len(place.shape))]
        first += place.size

        def build(point: tuple[Affine, ...]) -> Expr:
            at = sum((p * s for p, s in zip(point, strides, strict=True)), Affine(start))
            return cast(Op("python_get", (token.element(()), expr_of(at)), TOKEN), place.dtype)

        return stage.copy(stage.lazy(tuple(map(Affine, place.shape)), place.dtype, build), name)

    return mapped(places, taken, taken)
