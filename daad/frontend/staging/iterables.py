"""What a `for` runs over: staged sequences have a length and an item for each index, known at run time only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.frontend.staging import indexing
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.speculation import assumed_bound
from daad.frontend.staging.values import ArrayValue, Complex, Subarray, cast, count_of, expr_of, index_of
from daad.ir.affine import Affine
from daad.ir.nodes import Const, Index, Op


class Staged:
    """A sequence whose items are staged; `bounds` are start, stop and step of the variable that `item` takes."""

    def bounds(self, stage: Stage) -> tuple[Index, Index, int]:
        raise NotImplementedError

    def item(self, stage: Stage, position: Index) -> Any:
        raise NotImplementedError

    def facts(self, position: Affine) -> tuple[Affine, ...]:
        """Forms that are >= 0 at every position, where the bounds do not say so."""
        return ()


class Given:
    """What gives its items once (iterators.py)."""

    def rest(self, stage: Stage) -> Iterator[Any]:
        """The items that are left, each looked up when it is asked for."""
        raise NotImplementedError

    def is_whole(self) -> bool:
        """Whether all items of a staged sequence are left."""
        raise NotImplementedError

    def whole(self) -> Staged:
        """That sequence; nothing is left."""
        raise NotImplementedError


@dataclass(frozen=True)
class Range(Staged):
    """`range` with bounds that are not all known."""

    start: Index
    stop: Index
    step: int

    def ends(self, stage: Stage) -> tuple[Any, Any]:
        """Where it starts and stops, as numbers of the program."""
        start, stop = (stage.lazy((), "int64", lambda _, n=n: expr_of(n), weak=True) for n in (self.start, self.stop))  # type: ignore[misc]
        return start, stop

    def bounds(self, stage: Stage) -> tuple[Index, Index, int]:
        if abs(self.step) == 1:
            return self.start, self.stop, self.step
        return Affine(0), self.trips(stage), 1

    def facts(self, position: Affine) -> tuple[Affine, ...]:
        if abs(self.step) == 1 or not (isinstance(self.start, Affine) and isinstance(self.stop, Affine)):
            return ()
        left = self.stop - self.start - position * self.step
        return (left - 1 if self.step > 0 else -left - 1,)

    def trips(self, stage: Stage) -> Index:
        """How often a range with another step runs."""
        first, last = (self.start, self.stop) if self.step > 0 else (self.stop, self.start)
        size = abs(self.step)
        if isinstance(first, Affine) and isinstance(last, Affine):
            gap = last - first
            if gap.is_const:
                return Affine(max(0, -(-gap.const // size)))
            stage.pin(gap)
        gap_expr = Op("subtract", (expr_of(last), expr_of(first)), "int64")
        raised = Op("add", (gap_expr, Const(size - 1, "int64")), "int64")
        return Op("floor_divide", (raised, Const(size, "int64")), "int64")

    def item(self, stage: Stage, position: Index) -> Any:
        assert isinstance(position, Affine), "a loop's variable is affine"
        if abs(self.step) == 1:
            return stage.affine(position)
        if isinstance(self.start, Affine):
            return stage.affine(self.start + position * self.step)
        value = Op("add", (expr_of(self.start), expr_of(position * self.step)), "int64")
        return stage.lazy((), "int64", lambda _: value, weak=True)


@dataclass(frozen=True)
class Counted(Range):
    """`np.arange` that a loop runs over: its items are NumPy's integers."""

    def item(self, stage: Stage, position: Index) -> Any:
        found = super().item(stage, position)
        return stage.lazy((), np.int64, lambda _: found.element(()))


@dataclass(frozen=True)
class Rows(Staged):
    """An array's items along its first axis."""

    array: ArrayValue | Complex

    def bounds(self, stage: Stage) -> tuple[Index, Index, int]:
        require_items(stage, self.array)
        return Affine(0), self.array.shape[0], 1

    def item(self, stage: Stage, position: Index) -> Any:
        assert isinstance(position, Affine), "a loop's variable is affine"
        return indexing.item(stage, self.array, (stage.affine(position),))


@dataclass(frozen=True)
class Flat(Rows):
    """`a.flat`: what it is asked for is read from, or written to, a view of all elements in a row. It gives them once,
    by `given`. Slices are of the class of the array `of`, if it has one of its own."""

    array: ArrayValue
    given: Given
    of: Subarray | None = None


@dataclass(frozen=True)
class Zipped(Staged):
    """`zip` of staged sequences."""

    parts: tuple[Staged, ...]

    def bounds(self, stage: Stage) -> tuple[Index, Index, int]:
        lengths = [length(stage, part) for part in self.parts]
        shortest = lengths[0]
        for other in lengths[1:]:
            if not stage.provable(other - shortest):
                if not stage.provable(shortest - other):
                    stage.pin(shortest - other)
                    raise stage.unroll(shortest - other, "The lengths of zipped sequences change.")
                shortest = other
        return Affine(0), shortest, 1

    def item(self, stage: Stage, position: Index) -> Any:
        return tuple(nth(stage, part, position) for part in self.parts)


@dataclass(frozen=True)
class Enumerated(Staged):
    """`enumerate` of a staged sequence."""

    part: Staged
    first: Affine

    def bounds(self, stage: Stage) -> tuple[Index, Index, int]:
        return Affine(0), length(stage, self.part), 1

    def item(self, stage: Stage, position: Index) -> Any:
        assert isinstance(position, Affine), "a loop's variable is affine"
        return stage.affine(position + self.first), nth(stage, self.part, position)


@dataclass(frozen=True)
class Repeated(Staged):
    """The same item so many times."""

    value: Any
    times: Affine

    def bounds(self, stage: Stage) -> tuple[Index, Index, int]:
        return Affine(0), self.times, 1

    def item(self, stage: Stage, position: Index) -> Any:
        return self.value


@dataclass(frozen=True)
class Reversed(Staged):
    """`reversed` of a staged sequence that is no range."""

    part: Staged

    def bounds(self, stage: Stage) -> tuple[Index, Index, int]:
        return Affine(0), length(stage, self.part), 1

    def item(self, stage: Stage, position: Index) -> Any:
        assert isinstance(position, Affine), "a loop's variable is affine"
        return nth(stage, self.part, length(stage, self.part) - 1 - position)


def length(stage: Stage, part: Staged) -> Affine:
    """The number of items."""
    start, stop, step = part.bounds(stage)
    start, stop = assumed_bound(stage, start), assumed_bound(stage, stop)
    if not (isinstance(start, Affine) and isinstance(stop, Affine)):
        stage.refuse("The length of a sequence depends on data.", "Loop over a 'range' instead.")
    return (stop - start) * step


def nth(stage: Stage, part: Staged, position: Index) -> Any:
    """The item at a position counted from 0."""
    start, _, step = part.bounds(stage)
    start = assumed_bound(stage, start)
    if not isinstance(start, Affine):
        stage.refuse("The first item of a sequence depends on data.", "Loop over a 'range' instead.")
    assert isinstance(position, Affine), "positions are affine"
    return part.item(stage, start + position * step)


def item_of(stage: Stage, part: Staged, position: Affine | None) -> Any:
    """`part[position]`; whether that counts from the end must be known."""
    if position is None:
        stage.refuse("An item of a range depends on data.", "Compute it.")
    count = length(stage, part)
    if stage.provable(-position - 1) and stage.provable(count + position):
        position = count + position
    if stage.provable(position) and stage.provable(count - 1 - position):
        return nth(stage, part, position)
    number, known = stage.known(position), stage.known(count)
    if not -known <= number < known:
        stage.refuse("This fails without daad, too: range object index out of range.", "Check the index.")
    return nth(stage, part, Affine(number % known))


def require_items(stage: Stage, value: Any) -> None:
    """Refuses numbers, over which nothing can iterate."""
    if isinstance(value, ArrayValue | Complex) and not value.ndim:
        error = TypeError("iteration over a 0-d array")
        stage.refuse("A number cannot be iterated over.", "Use a list, tuple, range or array.", error)


def giving(value: Any) -> Any:
    """What gives the items of `a.flat`; of any other value the value itself."""
    return value.given if isinstance(value, Flat) else value


def staged(value: Any) -> Staged | None:
    """The staged sequence that the value is or gives; None for what Python iterates over now."""
    value = giving(value)
    if isinstance(value, Given):
        return value.whole() if value.is_whole() else None
    if isinstance(value, Staged):
        return value
    if isinstance(value, ArrayValue | Complex):
        return Rows(value)
    if isinstance(value, range):
        return Range(Affine(value.start), Affine(value.stop), value.step)
    return None


def static_items(stage: Stage, value: Any) -> list[Any]:
    """All items now; the length must be known."""
    value = giving(value)
    if isinstance(value, Given):
        return list(value.rest(stage))
    if isinstance(value, Staged | ArrayValue | Complex) and not isinstance(value, range):
        if isinstance(value, ArrayValue | Complex) and not value.ndim:
            error = TypeError("cannot unpack non-iterable object")
            stage.refuse("A number is not a sequence.", "Unpack arrays, tuples or lists.", error)
        sequence = staged(value)
        assert sequence is not None, "a staged sequence"
        return [nth(stage, sequence, Affine(k)) for k in range(stage.known(length(stage, sequence)))]
    stage.rely(value)
    try:
        return list(value)
    except TypeError as error:
        stage.refuse(f"This cannot be iterated over: {error}.", "Use a list, tuple, range or array.", error)


def has_arrays(value: Any) -> bool:
    """Whether a staged sequence runs over items of an array."""
    if isinstance(value, Zipped):
        return any(map(has_arrays, value.parts))
    return has_arrays(value.part) if isinstance(value, Enumerated | Reversed) else isinstance(value, Rows)


def make_range(stage: Stage, args: Sequence[Any]) -> Any:
    """`range(...)`: Python's own when all is known."""
    if not 1 <= len(args) <= 3:
        stage.refuse("'range' takes one to three arguments.", "Give a start, a stop and a step at most.")
    bounds = [_bound(stage, arg) for arg in args]
    start, stop = (Affine(0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
    step = bounds[2] if len(bounds) == 3 else Affine(1)
    size = stage.known(step) if isinstance(step, Affine) else stage.settled(args[2], "The step of a 'range'")
    if size is None:
        stage.refuse("The step of a 'range' depends on data.", "Use a step that is known before the program runs.")
    if size == 0:
        stage.refuse("The step of a 'range' is zero.", "Use another step.")
    if isinstance(start, Affine) and isinstance(stop, Affine) and start.is_const and stop.is_const:
        return range(start.const, stop.const, size)
    return Range(start, stop, size)


def counted(stage: Stage, args: Sequence[Any]) -> Counted | None:
    """`np.arange(...)` as what a loop counts through, where data decide where that begins or ends."""
    is_known = [count_of(arg) is not None for arg in args]
    is_whole = [isinstance(arg, ArrayValue) and not arg.ndim and arg.dtype == np.int64 for arg in args]
    if all(is_known) or not all(known or whole for known, whole in zip(is_known, is_whole, strict=True)):
        return None
    made = make_range(stage, args)
    return Counted(made.start, made.stop, made.step) if isinstance(made, Range) else None


def _bound(stage: Stage, value: Any) -> Index:
    form = count_of(value)
    if form is not None:
        return form
    if isinstance(value, ArrayValue) and value.dtype.kind in "iu" and all(e == Affine(1) for e in value.shape):
        return index_of(cast(value.element((Affine(0),) * value.ndim), np.int64))
    raise stage.refuse("The bounds of a 'range' are not integers.", "Use 'int(...)', or '//' for a division.")


def reverse(stage: Stage, value: Any) -> Any:
    """`reversed(...)`."""
    require_items(stage, value)
    if isinstance(value, range):
        return value[::-1]
    if (
        isinstance(value, Range)
        and abs(value.step) == 1
        and isinstance(value.start, Affine)
        and isinstance(value.stop, Affine)
    ):
        return Range(value.stop - value.step, value.start - value.step, -value.step)
    sequence = staged(value)
    return Reversed(sequence) if sequence is not None else list(value)[::-1]
