"""Elements in other places: rolled, repeated, tiled, padded, taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import axis_of, known_shape, static
from daad.frontend.numpy.calling.signatures import MISSING
from daad.frontend.numpy.elementwise.selection import truths
from daad.frontend.numpy.elementwise.ufuncs import at, elementwise, into
from daad.frontend.numpy.shapes.joining import joined, place_of, window
from daad.frontend.numpy.shapes.reshape import broadcast, elements, merge_pairs, ravel, reshape_sizes, with_axes
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.indexing import ends_with_an_array, item, position, wrapped
from daad.frontend.staging.iterables import static_items
from daad.frontend.staging.values import ZERO, ArrayValue, cast, index_of, is_one, is_staged, promote
from daad.ir.affine import Affine
from daad.ir.nodes import Expr


def roll(stage: Stage, a: Any, shift: Any, axis: Known = None) -> Any:
    value = stage.array(a)
    moves = static(stage, shift, "shift")
    if axis is None:
        total = np.sum(moves)
        return reshape_sizes(stage, _rolled(stage, ravel(stage, value), int(total), 0), value.shape)
    for step, number in np.broadcast(moves, axis):
        value = _rolled(stage, value, int(step), axis_of(stage, int(number), value.ndim))
    return value


def _rolled(stage: Stage, value: ArrayValue, shift: int, axis: int) -> ArrayValue:
    size = stage.known(value.shape[axis])
    ahead = shift % size if size else 0
    if not ahead:
        return stage.copy(value)
    end = window(stage, value, axis, Affine(size - ahead), Affine(ahead))
    return joined(stage, [end, window(stage, value, axis, ZERO, Affine(size - ahead))], axis)


def tile(stage: Stage, A: Any, reps: Any) -> Any:
    value = stage.array(A)
    times = static(stage, reps, "number of repetitions")
    counts = [int(n) for n in (times if isinstance(times, list | tuple | np.ndarray) else (times,))]
    rank = max(len(counts), value.ndim)
    counts = [1] * (rank - len(counts)) + counts
    grown = with_axes(stage, value, tuple(range(rank - value.ndim)))
    shape = tuple(e for count, extent in zip(counts, grown.shape, strict=True) for e in (Affine(count), extent))
    return merge_pairs(stage, _repeated(stage, grown, shape, lambda point: point[1::2]))


def _repeated(
    stage: Stage, value: ArrayValue, shape: Sequence[Affine], index: Callable[[Sequence[Affine]], Sequence[Affine]]
) -> ArrayValue:
    """The elements in a shape where they repeat, not yet in memory."""
    return stage.lazy(shape, value.dtype, lambda point: value.element(tuple(index(point))))


def repeat(stage: Stage, a: Any, repeats: Any, axis: Known = None) -> Any:
    value = stage.array(a)
    value, axis = (ravel(stage, value), 0) if axis is None else (value, axis_of(stage, axis, value.ndim))
    counts = static(stage, repeats, "number of repetitions")
    if np.any(np.less(counts, 0)):
        raise ValueError("repeats may not contain negative values.")
    if isinstance(counts, list | tuple | np.ndarray) and len(counts) > 1:
        if len(counts) != stage.known(value.shape[axis]):
            stage.refuse("There are not as many repetitions as elements.", "Give one number, or one for each element.")
        parts = [_same(stage, value, axis, k, int(count)) for k, count in enumerate(counts) if count]
        return joined(stage, parts or [window(stage, value, axis, ZERO, ZERO)], axis)
    count = int(counts[0] if isinstance(counts, list | tuple | np.ndarray) else counts)
    shape = (*value.shape[: axis + 1], Affine(count), *value.shape[axis + 1 :])
    spread = _repeated(stage, value, shape, lambda point: (*point[: axis + 1], *point[axis + 2 :]))
    sizes = known_shape(stage, value)
    merged = tuple(Affine(size * count if k == axis else size) for k, size in enumerate(sizes))
    return reshape_sizes(stage, spread, merged)


def _same(stage: Stage, value: ArrayValue, axis: int, place: int, count: int) -> ArrayValue:
    """One slice of an axis, several times."""
    shape = (*value.shape[:axis], Affine(count), *value.shape[axis + 1 :])
    return stage.reindexed(value, shape, lambda point: (*point[:axis], Affine(place), *point[axis + 1 :]))


def pad(stage: Stage, array: Any, pad_width: Any, mode: Known = "constant", *, constant_values: Any = MISSING) -> Any:
    value = stage.array(array)
    if mode not in PADDINGS or (mode != "constant" and constant_values is not MISSING):
        stage.refuse(f"'np.pad' with mode '{mode}' and these options is not supported.", "Write the border by slices.")
    rule = PADDINGS[mode]
    widths = _widths(stage, pad_width, value.ndim)
    fills = _fills(stage, 0 if constant_values is MISSING else constant_values, value.ndim)
    for axis, (before, after) in enumerate(widths):
        if before or after:
            value = _padded(stage, value, axis, (before, after), rule, fills[axis])
    return stage.copy(value) if value is array else value


def _widths(stage: Stage, pad_width: Any, rank: int) -> list[tuple[int, int]]:
    if isinstance(pad_width, dict):
        pad_width = _widths_by_axis(stage, pad_width, rank)
    widths = np.broadcast_to(np.array(static(stage, pad_width, "width of a border")), (rank, 2))
    if widths.dtype.kind not in "iu" or (widths < 0).any():
        stage.refuse("The widths of a border must be integers that are not negative.", "Check the second argument.")
    return [(int(before), int(after)) for before, after in widths]


def _widths_by_axis(stage: Stage, pad_width: dict[Any, Any], rank: int) -> list[Any]:
    """The widths of all axes: none where a dict names no axis, of two names for one axis the last counts."""
    widths: list[Any] = [(0, 0)] * rank
    for axis, width in pad_width.items():
        widths[axis_of(stage, axis, rank)] = width if isinstance(width, tuple) else (width, width)
    return widths


def _fills(stage: Stage, fills: Any, rank: int) -> list[tuple[Any, Any]]:
    """What stands before and after the elements of each axis: numbers of the shape (), (1,), (2,), (1, 2) or (n, 2)."""
    values = stage.array(fills)
    if values.ndim > 2:
        stage.refuse("The values of a border are a number, two, or two for each axis.", "Check 'constant_values'.")
    found = broadcast(stage, values, stage.broadcast(values.shape, (Affine(rank), Affine(2))))
    if found.shape != (Affine(rank), Affine(2)):
        stage.refuse("There are more values than borders.", "Check 'constant_values'.")

    def value(axis: int, end: int) -> ArrayValue:
        return stage.reindexed(found, (), lambda _: (Affine(axis), Affine(end)))

    return [(value(axis, 0), value(axis, 1)) for axis in range(rank)]


def _padded(
    stage: Stage,
    value: ArrayValue,
    axis: int,
    widths: tuple[int, int],
    rule: Callable[[int, int], int] | None,
    fills: tuple[Any, Any],
) -> ArrayValue:
    """One axis with a border: runs of elements that stand in the array's order, or against it, are copied at once."""
    size = stage.known(value.shape[axis])
    before, after = widths
    shape = (*value.shape[:axis], Affine(before + size + after), *value.shape[axis + 1 :])
    result = stage.allocate(shape, value.dtype)
    stage.store(place_of(stage, result, axis, Affine(before), Affine(size)), value)
    source = value if rule is None else place_of(stage, result, axis, Affine(before), Affine(size))
    for start, count, fill in ((0, before, fills[0]), (before + size, after, fills[1])):
        if rule is None and count:
            stage.store(place_of(stage, result, axis, Affine(start), Affine(count)), fill)
        for begin, run in _runs([rule(k - before, size) for k in range(start, start + count)] if rule else []):
            target = place_of(stage, result, axis, Affine(start + begin), Affine(len(run)))
            step = run[1] - run[0] if len(run) > 1 else 1
            stage.store(target, window(stage, source, axis, Affine(run[0]), Affine(len(run)), step))
    return result


def _runs(numbers: Sequence[int]) -> list[tuple[int, list[int]]]:
    """Consecutive numbers in steps of -1, 0 or 1, each run with the place where it starts."""
    runs: list[tuple[int, list[int]]] = []
    for place, number in enumerate(numbers):
        run = runs[-1][1] if runs else []
        fits = bool(run) and abs(number - run[-1]) <= 1
        if fits and (len(run) == 1 or number - run[-1] == run[1] - run[0]):
            run.append(number)
        else:
            runs.append((place, [number]))
    return runs


def _reflected(k: int, size: int) -> int:
    period = max(2 * size - 2, 1)
    return min(k % period, period - k % period) if size > 1 else 0


def _symmetric(k: int, size: int) -> int:
    return min(k % (2 * size), 2 * size - 1 - k % (2 * size))


PADDINGS: dict[str, Callable[[int, int], int] | None] = {
    "constant": None,
    "edge": lambda k, size: min(max(k, 0), size - 1),
    "wrap": lambda k, size: k % size,
    "reflect": _reflected,
    "symmetric": _symmetric,
}


def take(stage: Stage, a: Any, indices: Any, axis: Known = None, out: Any = None, mode: Known = "raise") -> Any:
    value = stage.array(a)
    value, axis = (ravel(stage, value), 0) if axis is None else (value, axis_of(stage, axis, value.ndim))
    found = _taken(stage, value, indices_within(stage, indices, value.shape[axis], mode), axis)
    return found if out is None else into(stage, elements(stage, found), out)


def indices_within(stage: Stage, indices: Any, extent: Affine, mode: Any) -> Any:
    """Indices brought into an axis as `mode` says."""
    if mode == "raise":
        return indices
    if mode not in ("wrap", "clip"):
        stage.refuse(f"There is no mode '{mode}'.", "Use 'raise', 'wrap' or 'clip'.")
    size = stage.known(extent)
    if not is_staged(indices):
        return np.clip(indices, 0, size - 1) if mode == "clip" else np.remainder(indices, size)
    if mode == "wrap":
        return elementwise(stage, np.remainder, (indices, size))
    return elementwise(stage, np.minimum, (elementwise(stage, np.maximum, (indices, 0)), size - 1))


def _taken(stage: Stage, value: ArrayValue, indices: Any, axis: int) -> ArrayValue:
    if isinstance(indices, int | np.integer):
        place = position(stage, Affine(int(indices)), value.shape[axis])
        shape = (*value.shape[:axis], *value.shape[axis + 1 :])
        source = value
        return stage.lazy(shape, value.dtype, lambda p: source.element((*p[:axis], place, *p[axis:])))
    return gathered(stage, value, axis, indices)


def gathered(stage: Stage, value: ArrayValue, axis: int, indices: Any) -> ArrayValue:
    """The elements of one axis that an integer array names."""
    numbers = _integers(stage, indices)
    require_inside(stage, indices, value.shape[axis])
    shape = (*value.shape[:axis], *numbers.shape, *value.shape[axis + 1 :])
    end, within = axis + numbers.ndim, ends_with_an_array(stage, value, axis)

    def build(point: Sequence[Affine]) -> Expr:
        place = wrapped(stage, index_of(numbers.element(point[axis:end])), value.shape[axis], within)
        return value.element((*point[:axis], place, *point[end:]))

    return stage.lazy(shape, value.dtype, build)


def _integers(stage: Stage, indices: Any) -> ArrayValue:
    numbers = stage.array(indices if is_staged(indices) else np.array(indices))
    if numbers.dtype.kind not in "iu":
        stage.refuse("An array is indexed by something else than integers.", "Convert the indices with 'astype(int)'.")
    return numbers


def require_inside(stage: Stage, indices: Any, extent: Affine) -> None:
    """Refuses indices that are known, and do not fit the axis."""
    if is_staged(indices) or not extent.is_const:
        return
    outside = [int(k) for k in np.ravel(indices) if not -extent.const <= k < extent.const]
    if outside:
        stage.refuse(
            f"Index {outside[0]} is out of bounds for an axis of size {extent.const}.",
            "Check the indices.",
        )


def take_along_axis(stage: Stage, arr: Any, indices: Any, axis: Known = -1) -> Any:
    """Both arrays are repeated along the other axes where one of them has a single element."""
    value, numbers = stage.array(arr), _integers(stage, indices)
    if axis is None:
        value, axis = ravel(stage, value), 0
    place = axis_of(stage, axis, value.ndim)
    if numbers.ndim != value.ndim:
        stage.refuse("'np.take_along_axis' needs as many axes of indices as of the array.", "Reshape the indices.")
    require_inside(stage, indices, value.shape[place])
    others = [(*v.shape[:place], *v.shape[place + 1 :]) for v in (value, numbers)]
    outer = stage.broadcast(*others)
    shape = (*outer[:place], numbers.shape[place], *outer[place:])
    within = ends_with_an_array(stage, value, place)

    def build(point: Sequence[Affine]) -> Expr:
        own = wrapped(stage, index_of(at(numbers, point)), value.shape[place], within)
        rest = [ZERO if is_one(extent) else i for i, extent in zip(point, value.shape, strict=True)]
        return value.element((*rest[:place], own, *rest[place + 1 :]))

    return stage.lazy(shape, value.dtype, build)


def compress(stage: Stage, condition: Any, a: Any, axis: Known = None, out: Any = None) -> Any:
    if not is_staged(condition):
        return take(stage, a, list(map(int, np.flatnonzero(condition))), axis, out)
    if out is not None:
        stage.refuse("With a condition on data, 'out' of 'np.compress' is not supported.", "Assign what it returns.")
    value = stage.array(a)
    value, place = (ravel(stage, value), 0) if axis is None else (value, axis_of(stage, axis, value.ndim))
    mask = truths(stage, condition)
    if mask.ndim != 1 or stage.known(mask.shape[0]) != stage.known(value.shape[place]):
        stage.refuse("The condition is no row of one element for each place of the axis.", "Give it as many elements.")
    return item(stage, value, (*[slice(None)] * place, mask))


def compress_method(stage: Stage, a: Any, condition: Any, axis: Known = None, out: Any = None) -> Any:
    return compress(stage, condition, a, axis, out)


def choose(stage: Stage, a: Any, choices: Any, out: Any = None, mode: Known = "raise") -> Any:
    options = [stage.array(choice) for choice in static_items(stage, choices)]
    if not options:
        stage.refuse("There is nothing to choose from.", "Give one array at least.")
    numbers = _integers(stage, indices_within(stage, a, Affine(len(options)), mode))
    if mode == "raise" and not is_staged(a) and not np.all((np.array(a) >= 0) & (np.array(a) < len(options))):
        stage.refuse("A choice is asked for that is not there.", "Check the indices.")
    shape = stage.broadcast(numbers.shape, *(option.shape for option in options))
    kind = promote(*options)
    rows = [stage.lazy(shape, kind, lambda p, row=row: cast(at(row, p), kind)) for row in options]  # type: ignore[misc]
    whole = stage.array(rows)
    found = stage.lazy(shape, kind, lambda p: whole.element((index_of(cast(at(numbers, p), "int64")), *p)))
    return found if out is None else into(stage, found, out)


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.roll: roll,
    np.tile: tile,
    np.repeat: repeat,
    np.pad: pad,
    np.take: take,
    np.take_along_axis: take_along_axis,
    np.compress: compress,
    np.choose: choose,
}
METHODS: dict[str, Callable[..., Any]] = {
    "take": take,
    "repeat": repeat,
    "choose": choose,
    "compress": compress_method,
}
