"""Storage of variables that staged control flow changes: the entry value is copied in, every binding writes there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from daad.frontend.staging import container_items
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import (
    ArrayValue,
    Complex,
    NumberType,
    Shape,
    Subarray,
    View,
    are_alike,
    only,
    promote,
    put_together,
    several,
    taken_apart,
)
from daad.ir import symbols
from daad.ir.affine import Affine, names_of
from daad.ir.dtypes import is_float
from daad.ir.nodes import Const
from daad.ir.symbols import parts_of

Number = bool | int | float | np.bool_ | np.integer | np.floating
COMPLEX = complex | np.complexfloating


class _Leaf:
    """The place of a number or an array in a structure."""


LEAF = _Leaf()


@dataclass(frozen=True)
class Kind:
    """What a leaf's storage is for."""

    shape: Shape
    dtype: str
    weak: bool
    boxed: bool = False
    mixed: frozenset[NumberType] = frozenset()

    @property
    def types(self) -> frozenset[NumberType]:
        return self.mixed or only(self.dtype, self.weak, self.boxed)


@dataclass(frozen=True)
class Spec:
    """The structure of a variable's value, LEAF for each number or array in it, and the kinds of these."""

    skeleton: Any
    kinds: tuple[Kind, ...]


def in_loops(spec: Spec, then: Sequence[str], now: Sequence[str]) -> Spec | None:
    """The spec of what was read in loops over other variables; None if its shapes name loops that are not there, or
    masks, which may have other numbers now."""
    moved = {name: Affine.of(other) for name, other in zip(then, now, strict=False)}
    kinds = tuple(replace(k, shape=tuple(e.substitute(moved) for e in k.shape)) for k in spec.kinds)
    named = names_of(e for k in kinds for e in k.shape)
    gone = set(then[len(now) :]).intersection(named) or any(parts_of(symbols.Kind.SELECTED, name) for name in named)
    return None if gone else Spec(spec.skeleton, kinds)


class Unfit(Exception):
    """A variable is bound to something that its storage does not hold."""

    def __init__(self, cell: Cell, value: Any) -> None:
        super().__init__(cell.name)
        self.cell, self.value = cell, value


@dataclass(eq=False)
class Cell:
    """A variable with storage, one local array per leaf; `path` identifies it in every pass of its owner."""

    name: str
    path: tuple[Any, ...]
    owner: Any
    spec: Spec
    storage: list[View]
    holder: Any = None
    key: Any = None
    last: tuple[int, tuple[Kind, ...]] | None = None
    """At what depth of blocks it was bound at last, and to values of what kinds."""
    waits_at: int = 0
    """The depth of blocks of a side of a branch, at whose end it gets what the variable holds then."""

    def value(self) -> Any:
        """The variable's value: the storage itself."""
        return rebuild(self.spec.skeleton, iter(self.storage))

    def holds(self, content: Any) -> bool:
        """Whether a variable's content is the storage already."""
        found = list(leaves(content))
        return len(found) == len(self.storage) and all(a is b for a, b in zip(found, self.storage, strict=True))

    def bind(self, stage: Stage, value: Any) -> None:
        """Binds the variable: to a number itself, which stays known, where the storage waits."""
        if self.waits_at == len(stage.blocks) and isinstance(value, Number):
            container_items.put(self.holder, self.key, value)
        else:
            self.write(stage, value)

    def write(self, stage: Stage, value: Any) -> None:
        """Binds the variable to its storage."""
        spec = spec_of(value)
        if spec is None or join(self.spec, spec) != self.spec:
            raise Unfit(self, value)
        self.last = len(stage.blocks), spec.kinds
        items = [stage.array(item) for item in leaves_as(stage, self.spec, value)]
        for place, item in zip(self.storage, items, strict=True):
            stage.rebind(place, item)
        container_items.put(self.holder, self.key, self.value())

    def leave(self, depth: int) -> None:
        """Behind a loop that has run, whose body stood at this depth, the types are those that the body sets."""
        if self.last is None or self.last[0] != depth or len(self.last[1]) != len(self.storage):
            return
        for place, kind in zip(self.storage, self.last[1], strict=True):
            own = only(place.dtype.name, place.weak, place.boxed)
            place.mixed = frozenset() if kind.types == own else kind.types


def spec_of(value: Any) -> Spec | None:
    """What storage the value needs; None when it holds what has none."""
    skeleton = skeleton_of(value)
    if not _has_leaf(skeleton):
        return None
    return Spec(skeleton, tuple(kind_of(leaf) for leaf in leaves(value)))


def skeleton_of(value: Any) -> Any:
    """The value with LEAF in the place of each number or array; tuples are looked into, all else stays."""
    if isinstance(value, ArrayValue | Number):
        return LEAF
    if isinstance(value, COMPLEX):
        return Complex(LEAF, LEAF)
    parts = taken_apart(value)
    return value if parts is None else put_together(value, map(skeleton_of, parts))


def _has_leaf(skeleton: Any) -> bool:
    return skeleton is LEAF or any(map(_has_leaf, taken_apart(skeleton) or ()))


def leaves(value: Any) -> Iterator[Any]:
    """The numbers and arrays of a value, in order."""
    if isinstance(value, ArrayValue | Number):
        yield value
        return
    for item in (value.real, value.imag) if isinstance(value, COMPLEX) else taken_apart(value) or ():
        yield from leaves(item)


def rebuild(skeleton: Any, values: Iterator[Any]) -> Any:
    """The structure with its leaves filled in."""
    if skeleton is LEAF:
        return next(values)
    parts = taken_apart(skeleton)
    return skeleton if parts is None else put_together(skeleton, [rebuild(item, values) for item in parts])


def duplicated(stage: Stage, value: Any) -> Any:
    """The same value by other views of where it lies."""
    return with_leaves(value, lambda leaf: stage.duplicate(leaf) if isinstance(leaf, View) else leaf)


def with_leaves(value: Any, changed: Callable[[Any], Any]) -> Any:
    """The structure with other leaves in the place of its own."""
    return rebuild(skeleton_of(value), map(changed, leaves(value)))


def kind_of(leaf: Any) -> Kind:
    if isinstance(leaf, ArrayValue):
        return Kind(leaf.shape, leaf.dtype.name, leaf.weak, leaf.boxed, leaf.mixed)
    weak = isinstance(leaf, bool | int | float) and not isinstance(leaf, np.generic)
    return Kind((), np.asarray(leaf).dtype.name, weak)


def leaves_as(stage: Stage, spec: Spec, value: Any) -> list[Any]:
    """The leaves of a value that such storage holds; a real one has the imaginary part zero."""
    found = list(leaves(value))
    if len(found) == len(spec.kinds):
        return found
    shape, dtype = spec.kinds[1].shape, spec.kinds[1].dtype
    return [*found, stage.lazy(shape, dtype, lambda _: Const(0.0, dtype))]


def _as_complex(spec: Spec) -> Spec:
    """The storage of a complex value that is like this real one."""
    (kind,) = spec.kinds
    imaginary = kind if is_float(kind.dtype) else replace(kind, dtype="float64")
    return Spec(Complex(LEAF, LEAF), (kind, imaginary))


def join(a: Spec, b: Spec) -> Spec | None:
    """The storage that holds both; None if there is none."""
    if a.skeleton is LEAF and isinstance(b.skeleton, Complex):
        a = _as_complex(a)
    elif b.skeleton is LEAF and isinstance(a.skeleton, Complex):
        b = _as_complex(b)
    if not _same_skeleton(a.skeleton, b.skeleton) or len(a.kinds) != len(b.kinds):
        return None
    kinds = [_join_kinds(x, y) for x, y in zip(a.kinds, b.kinds, strict=True)]
    return None if None in kinds else Spec(a.skeleton, tuple(k for k in kinds if k is not None))


def _same_skeleton(a: Any, b: Any) -> bool:
    first, second = taken_apart(a), taken_apart(b)
    if isinstance(a, Subarray) and isinstance(b, Subarray) and not a.state.merges(b.state):
        return False
    if first is not None and second is not None and type(a) is type(b):
        return are_alike(a, b) and all(map(_same_skeleton, first, second))
    return a is b or (type(a) is type(b) and isinstance(a, str | int | float) and a == b)


def _join_kinds(a: Kind, b: Kind) -> Kind | None:
    if a.shape != b.shape or (a.shape and (a.dtype == "bool") != (b.dtype == "bool")):
        return None  # a mask is no array of numbers: it selects, and sums of masks are masks
    if any(kind.weak and kind.dtype in ("object", "uint64") for kind in (a, b)):
        return None  # a whole number of Python's that 64 bits do not hold
    dtype = promote(*(_sample(kind) for kind in (a, b)))
    mixed = frozenset() if a.shape else several(a.types, b.types)
    return Kind(a.shape, dtype.name, a.weak and b.weak, a.boxed or b.boxed, mixed)


def _sample(kind: Kind) -> Any:
    return np.dtype(kind.dtype).type(0).item() if kind.weak else np.zeros((), kind.dtype)


def storage_for(stage: Stage, name: str, spec: Spec) -> list[View]:
    """Fresh local arrays with undefined content."""
    names = [name] if spec.skeleton is LEAF else [f"{name}_{k}" for k in range(len(spec.kinds))]
    storage = []
    for label, kind in zip(names, spec.kinds, strict=True):
        view = stage.allocate(kind.shape, kind.dtype, label)
        view.weak, view.mixed = kind.weak, kind.mixed
        storage.append(stage.boxed(view) if kind.boxed else view)
    return storage


def reusable(stage: Stage, value: ArrayValue | Complex, spec: Spec) -> bool:
    """Whether a value's own memory can be its storage: whole local arrays that nobody else sees."""
    found = list(leaves(value))
    return spec.kinds == tuple(map(kind_of, found)) and all(_is_alone(stage, leaf) for leaf in found)


def _is_alone(stage: Stage, value: ArrayValue) -> bool:
    if not isinstance(value, View) or value.base in (*stage.parameters, *stage.constants):
        return False
    others = [v for v in stage.live.views(value.base) if v is not value]
    return stage.is_whole(value) and not others


def holds_numbers(value: Any) -> bool:
    """Whether it is a list or tuple of integers and floats."""
    return isinstance(value, list | tuple) and bool(value) and all(map(_is_number, value))


def holds_rows(value: Any) -> bool:
    """Whether it is a list or tuple of tuples of one length: in each place there are integers and floats, or again such
    tuples, or one and the same flag or text."""
    if not isinstance(value, list | tuple) or not value or any(type(item) is not tuple for item in value):
        return False
    is_even = len({len(item) for item in value}) == 1
    return is_even and all(holds_numbers(c) or holds_rows(c) or is_constant(c) for c in columns_of(value))


def is_constant(column: Sequence[Any]) -> bool:
    """Whether all items are the same flag or text."""
    return all(type(item) in (bool, str, type(None)) and item == column[0] for item in column)


def columns_of(rows: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    """What stands in each place of tuples of one length."""
    return [[*column] for column in zip(*rows, strict=True)]


def _is_number(item: Any) -> bool:
    if isinstance(item, ArrayValue):
        return not item.ndim and item.dtype.kind in "iuf"
    return isinstance(item, int | float | np.integer | np.floating) and not isinstance(item, bool)
