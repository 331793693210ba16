"""Functions and methods that write into an array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.elementwise.selection import truths
from daad.frontend.numpy.elementwise.ufuncs import RULES, at, elementwise, loop_types, select
from daad.frontend.numpy.reductions import nested
from daad.frontend.numpy.shapes.axes import diagonal_of
from daad.frontend.numpy.shapes.rearranging import indices_within, require_inside
from daad.frontend.numpy.shapes.reshape import ravel, reshape_to, resize
from daad.frontend.staging import indexing
from daad.frontend.staging.boolean_masks import is_masked
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.overwriting import refuse_overwritten
from daad.frontend.staging.scattering import write_at
from daad.frontend.staging.speculation import list_places
from daad.frontend.staging.values import ZERO, ArrayValue, View, cast, is_staged
from daad.ir.affine import Affine
from daad.ir.nodes import Index
from daad.ir.pinning import NeedsOwn


def target_of(stage: Stage, a: Any) -> View:
    """An array to write to."""
    if isinstance(a, np.ndarray):
        raise NeedsOwn(a)
    target = stage.array(a)
    if not isinstance(target, View):
        stage.refuse("Only an array that has memory of its own can be written.", "Assign it to a name first.")
    return target


def fill(stage: Stage, a: Any, value: Any) -> None:
    stage.store(target_of(stage, a), value)


def copyto(stage: Stage, dst: Any, src: Any, casting: Known = "same_kind", where: Any = True) -> None:
    target, kind = target_of(stage, dst), stage.array(src)
    if not (kind.weak and kind.dtype.kind in "bi") and not np.can_cast(kind.dtype, target.dtype, casting):
        stage.refuse(f"Elements of dtype '{kind.dtype}' do not fit into '{target.dtype}'.", "Convert them.")
    refuse_overwritten(stage, target, src)
    stage.store(target, src if where is True else select(stage, where, src, target, target.dtype))


def putmask(stage: Stage, a: Any, mask: Any, values: Any) -> None:
    target, new = target_of(stage, a), stage.array(values)
    if new.ndim and new.shape != target.shape:
        new = resize(stage, new, tuple(map(stage.known, target.shape)))
    copyto(stage, target, new, "unsafe", mask)


def place(stage: Stage, arr: Any, mask: Any, vals: Any) -> None:
    new = stage.array(vals)
    if is_masked(new.shape):
        _place_selected(stage, arr, mask, new)
        return
    if any(extent != Affine(1) for extent in new.shape):
        _place_in_turn(stage, arr, mask, ravel(stage, new))
        return
    copyto(stage, arr, reshape_to(stage, new, ()), "unsafe", mask)


def _place_selected(stage: Stage, arr: Any, mask: Any, new: ArrayValue) -> None:
    """Elements that the same mask has selected."""
    flat, holds = _in_a_row(stage, arr), ravel(stage, truths(stage, mask))
    stage.store(indexing.place(stage, flat, indexing.parts_of(stage, flat, (holds,))), new)


def _place_in_turn(stage: Stage, arr: Any, mask: Any, new: ArrayValue) -> None:
    """Values from the first on, again and again, at as many places as data decide."""
    flat, places = _in_a_row(stage, arr), list_places(stage, ravel(stage, truths(stage, mask)))
    if places is None:
        stage.refuse("'np.place' with several values is not supported.", "Use 'np.where'.")
    count = stage.known(places[0].shape[0])
    if not count:
        return
    values = stage.copy(indexing.item(stage, new, (np.arange(count) % stage.known(new.shape[0]),)))
    stage.settle_readers(flat.base)  # before the loop in which it changes
    with stage.loop("i", ZERO, Affine(count)) as number:
        at, value = places[0].element((number,)), cast(values.element((number,)), flat.dtype.name)
        stage.nest((), lambda _: [(flat, (at,), "=", value)])


def _in_a_row(stage: Stage, arr: Any) -> View:
    target = target_of(stage, arr)
    flat = reshape_to(stage, target, (-1,))
    if not (isinstance(flat, View) and flat.base == target.base):
        stage.refuse(
            "'np.place' into an array whose elements do not lie in a row is not supported.", "Use 'arr[mask]'."
        )
    return flat


def put(stage: Stage, a: Any, ind: Any, v: Any, mode: Known = "raise") -> None:
    """Values are taken in turn; those behind the last place are left over."""
    flat = target_of(stage, reshape_to(stage, target_of(stage, a), (-1,)))
    new = reshape_to(stage, stage.array(v), (-1,))
    count = stage.known(new.shape[0])
    if not count:
        return
    new = stage.copy(new) if isinstance(new, View) and new.base == flat.base else new
    if is_staged(ind):
        places = ravel(stage, stage.array(indices_within(stage, ind, flat.shape[0], mode)))
        write_at(stage, flat, (places,), resize(stage, new, (stage.known(places.shape[0]),)))
        return
    require_inside(stage, indices_within(stage, ind, flat.shape[0], mode), flat.shape[0])
    for number, position in enumerate(np.ravel(indices_within(stage, ind, flat.shape[0], mode))):
        slot = stage.reindexed(flat, (), lambda _, k=int(position): (flat.shape[0] + k if k < 0 else Affine(k),))  # type: ignore[misc]
        item = stage.reindexed(new, (), lambda _, k=number % count: (Affine(k),))  # type: ignore[misc]
        stage.store(target_of(stage, slot), item)


def put_method(stage: Stage, a: Any, indices: Any, values: Any, mode: Known = "raise") -> None:
    put(stage, a, indices, values, mode)


def fill_diagonal(stage: Stage, a: Any, val: Any, wrap: Known = False) -> None:
    target = target_of(stage, a)
    if target.ndim != 2 or wrap:
        stage.refuse("'np.fill_diagonal' is supported for matrices without 'wrap'.", "Write the diagonal in a loop.")
    stage.store(target_of(stage, diagonal_of(stage, target)), val)


def ufunc_at(ufunc: np.ufunc) -> Callable[..., Any]:
    """`np.add.at(a, indices, b)`: places may repeat."""

    def call(stage: Stage, a: Any, indices: Any, b: Any) -> None:
        target = target_of(stage, a)
        key = indices if isinstance(indices, tuple) else (indices,)
        numbers = tuple(_places(stage, component) for component in key)
        parts = indexing.parts_of(stage, target, numbers)
        for part in parts:
            if isinstance(part, indexing.Gathered):
                own = next(component for component, number in zip(key, numbers, strict=True) if number is part.array)
                require_inside(stage, own, part.extent)
        shape, position = indexing.places(stage, parts)
        value = stage.array(b)
        stage.require_broadcast(value.shape, shape)
        _update(stage, ufunc, target, value, shape, position)

    return call


def _places(stage: Stage, index: Any) -> Any:
    if index is None or index is Ellipsis or isinstance(index, slice | int):
        return index
    number = stage.array(index if is_staged(index) else np.array(index))
    if number.dtype.kind not in "iu":
        stage.refuse("Only places given by integers can be updated so.", "Convert the indices with 'astype(int)'.")
    return number


def _update(
    stage: Stage,
    ufunc: np.ufunc,
    target: View,
    value: ArrayValue,
    shape: Sequence[Affine],
    position: Callable[[Sequence[Affine]], Sequence[Index]],
) -> None:
    """Sums in any order; all else, and what is rounded to the array's dtype each time, one after the other."""
    *inner, result = loop_types(stage, ufunc, (target, value))
    if ufunc is np.subtract and result == target.dtype and result.kind != "u":
        ufunc, value = np.add, elementwise(stage, np.negative, (value,))
    if target.base in value.reads() or (isinstance(value, View) and value.base == target.base):
        value = stage.copy(value)
    if ufunc is np.add and result == target.dtype:
        stage.nest(shape, lambda point: [(target, position(point), "+=", at(value, point))])
        return

    def step(point: tuple[Affine, ...]) -> None:
        operands = target.element(position(point)), at(value, point)
        new = RULES[ufunc]([cast(o, kind) for o, kind in zip(operands, inner, strict=True)], result.name)
        stage.nest((), lambda _: [(target, position(point), "=", new)])

    nested(stage, shape, step)


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.copyto: copyto,
    np.putmask: putmask,
    np.place: place,
    np.put: put,
    np.fill_diagonal: fill_diagonal,
    **{ufunc.at: ufunc_at(ufunc) for ufunc in RULES if ufunc.nin == 2},
}
METHODS: dict[str, Callable[..., Any]] = {"fill": fill, "put": put_method}
