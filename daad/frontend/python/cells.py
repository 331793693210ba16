"""Storage of variables that staged control flow changes: the entry value is copied in, every binding writes there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.frontend.python.stage import Stage
from daad.frontend.python.values import ArrayValue, Shape, View, promote

Number = bool | int | float | np.bool_ | np.integer | np.floating


class _Leaf:
    """The place of a number or an array in a structure."""


LEAF = _Leaf()


@dataclass(frozen=True)
class Kind:
    """What a leaf's storage is for."""

    shape: Shape
    dtype: str
    weak: bool


@dataclass(frozen=True)
class Spec:
    """The structure of a variable's value, LEAF for each number or array in it, and the kinds of these."""

    skeleton: Any
    kinds: tuple[Kind, ...]


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

    def value(self) -> Any:
        """The variable's value: the storage itself."""
        return rebuild(self.spec.skeleton, iter(self.storage))

    def holds(self, content: Any) -> bool:
        """Whether a variable's content is the storage already."""
        found = list(leaves(content))
        return len(found) == len(self.storage) and all(a is b for a, b in zip(found, self.storage, strict=True))

    def write(self, stage: Stage, value: Any) -> None:
        """Binds the variable."""
        spec = spec_of(value)
        if spec is None or join(self.spec, spec) != self.spec:
            raise Unfit(self, value)
        items = [stage.array(item) for item in leaves(value)]
        for place, item in zip(self.storage, items, strict=True):
            stage.rebind(place, item)
        self.holder[self.key] = self.value()


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
    return tuple(map(skeleton_of, value)) if type(value) is tuple else value


def _has_leaf(skeleton: Any) -> bool:
    return skeleton is LEAF or (type(skeleton) is tuple and any(map(_has_leaf, skeleton)))


def leaves(value: Any) -> Iterator[Any]:
    """The numbers and arrays of a value, in order."""
    if isinstance(value, ArrayValue | Number):
        yield value
    elif type(value) is tuple:
        for item in value:
            yield from leaves(item)


def rebuild(skeleton: Any, values: Iterator[Any]) -> Any:
    """The structure with its leaves filled in."""
    if skeleton is LEAF:
        return next(values)
    return tuple(rebuild(item, values) for item in skeleton) if type(skeleton) is tuple else skeleton


def kind_of(leaf: Any) -> Kind:
    if isinstance(leaf, ArrayValue):
        return Kind(leaf.shape, leaf.dtype.name, leaf.weak)
    weak = isinstance(leaf, bool | int | float) and not isinstance(leaf, np.generic)
    return Kind((), np.asarray(leaf).dtype.name, weak)


def join(a: Spec, b: Spec) -> Spec | None:
    """The storage that holds both; None if there is none."""
    if not _same_skeleton(a.skeleton, b.skeleton) or len(a.kinds) != len(b.kinds):
        return None
    kinds = [_join_kinds(x, y) for x, y in zip(a.kinds, b.kinds, strict=True)]
    return None if None in kinds else Spec(a.skeleton, tuple(k for k in kinds if k is not None))


def _same_skeleton(a: Any, b: Any) -> bool:
    if type(a) is tuple and type(b) is tuple:
        return len(a) == len(b) and all(map(_same_skeleton, a, b))
    return a is b or (type(a) is type(b) and isinstance(a, str | int | float) and a == b)


def _join_kinds(a: Kind, b: Kind) -> Kind | None:
    if a.shape != b.shape:
        return None
    dtype = promote(*(_sample(kind) for kind in (a, b)))
    return Kind(a.shape, dtype.name, a.weak and b.weak)


def _sample(kind: Kind) -> Any:
    return np.dtype(kind.dtype).type(0).item() if kind.weak else np.zeros((), kind.dtype)


def storage_for(stage: Stage, name: str, spec: Spec) -> list[View]:
    """Fresh local arrays with undefined content."""
    names = [name] if spec.skeleton is LEAF else [f"{name}_{k}" for k in range(len(spec.kinds))]
    storage = []
    for label, kind in zip(names, spec.kinds, strict=True):
        view = stage.allocate(kind.shape, kind.dtype, label)
        view.weak = kind.weak
        storage.append(view)
    return storage


def reusable(stage: Stage, value: Any, spec: Spec) -> bool:
    """Whether a value's own memory can be its storage: a whole local array that nobody else sees."""
    if (
        not isinstance(value, View)
        or spec.kinds != (kind_of(value),)
        or value.base in (*stage.parameters, *stage.constants)
    ):
        return False
    others = [v for v in stage.live.views(value.base) if v is not value]
    return stage.is_whole(value) and not others
