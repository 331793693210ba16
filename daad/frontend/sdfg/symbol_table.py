"""What names mean at one point of an SDFG, and the arrays that the Program will have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import dace
import numpy as np
import sympy
from dace import data

from daad.analysis import context
from daad.errors import Location
from daad.frontend.sdfg.dace_names import readable_name
from daad.frontend.sdfg.locations import refused
from daad.frontend.sdfg.values.arithmetic import Value, add, apply, constant, literal, subtract
from daad.frontend.sdfg.values.called_functions import numpy_dtype
from daad.frontend.sdfg.values.code import Meaning
from daad.frontend.sdfg.values.containers import Place, Region, whole
from daad.frontend.sdfg.values.symbolic_values import symbolic_value
from daad.ir.affine import Affine
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Array, Range


class Arrays:
    """The arrays declared so far, and the names of variables; no array has the name of a variable."""

    def __init__(self) -> None:
        self.declared: dict[str, Array] = {}
        self.names = NameSupply()
        self.variables = self.names.within(())
        self.growing: dict[tuple[int, str], str] = {}

    def variable(self, hint: str, around: tuple[str, ...]) -> str:
        """A name for a loop or domain variable, other than those of the loops around."""
        name = self.names.within(around).free(hint)
        self.variables.take(name)
        return name

    def add(self, hint: str, shape: tuple[int, ...], dtype: str) -> Array:
        name = self.variables.free(hint)
        self.names.take(name)
        self.declared[name] = Array(name, shape, dtype)
        return self.declared[name]

    def grown(self, sdfg: dace.SDFG, name: str, shape: tuple[int, ...], dtype: str) -> Array:
        """The array of a container whose size changes: as large as the largest of its uses so far."""
        key = (id(sdfg), name)
        if key not in self.growing:
            self.growing[key] = self.add(readable_name(name), shape, dtype).name
        array = self.declared[self.growing[key]]
        largest = tuple(map(max, array.shape, shape))
        self.declared[array.name] = replace(array, shape=largest)
        return self.declared[array.name]


@dataclass(frozen=True)
class Scope:
    """The meaning of an SDFG's names: symbols are values, data are places; `pinned` scalars have a known number.

    `cells` are symbols that live in a scalar array since they change or come from data; `variables` are the
    loops around.
    """

    sdfg: dace.SDFG
    arrays: Arrays
    values: Mapping[str, Value] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)
    pinned: Mapping[str, int] = field(default_factory=dict)
    cells: frozenset[str] = frozenset()
    variables: tuple[str, ...] = ()
    known: context.Scope = field(default_factory=context.Scope)

    def meaning(self, at: Location | None = None) -> Meaning:
        """Symbols by value, data containers by their elements."""
        return Meaning(self.values, self.element, at)

    def element(self, name: str, index: tuple[Value, ...]) -> Value | None:
        """An element of a data container."""
        if name in self.pinned:
            return Affine(self.pinned[name])
        return self.place(name).load(index) if name in self.places or name in self.sdfg.arrays else None

    def evaluate(self, expression: Any, at: Location | None = None) -> Value:
        """The value of a symbolic expression."""
        return symbolic_value(expression, self.meaning(at))

    def number(self, expression: Any, at: Location | None = None) -> int:
        """The value of a size, which must be a number."""
        value = literal(self.evaluate(expression, at))
        if value is None or value != int(value):
            raise refused(f"The size '{expression}' is not known before the program runs.", at)
        return int(value)

    def region(self, name: str, subset: Any, at: Location | None = None) -> Region:
        """A subset of a data container."""
        check_untiled(subset, at)
        starts, steps, sizes = [], [], []
        for begin, end, step in subset.ndrange():
            stride = self.number(step, at)
            starts.append(self.evaluate(begin, at))
            steps.append(stride)
            sizes.append(self.extent(begin, end, stride, at))
        place = self.place(name, at)
        return Region(place, tuple(starts), tuple(steps), tuple(sizes), tuple(range(len(starts))))

    def extent(self, begin: Any, end: Any, step: int, at: Location | None) -> Value:
        """How many of begin, begin + step, … up to and including `end`, which lies beyond `begin`."""
        first, last = self.evaluate(begin, at), self.evaluate(end, at)
        span = subtract(last, first)
        if not isinstance(span, Affine):  # what both read from data may cancel
            span = self.evaluate(sympy.sympify(end) - sympy.sympify(begin), at)
        return _count(span, step)

    def full_region(self, name: str, at: Location | None = None) -> Region:
        """A whole data container."""
        sizes = tuple(self.evaluate(size, at) for size in self.sdfg.arrays[name].shape)
        rank = len(sizes)
        return Region(self.place(name, at), (Affine(0),) * rank, (1,) * rank, sizes, tuple(range(rank)))

    def place(self, name: str, at: Location | None = None) -> Place:
        """What a data container stands for."""
        if name in self.places:
            return self.places[name]
        descriptor = self.sdfg.arrays.get(name)
        if descriptor is None or not descriptor.transient:
            raise refused(f"'{name}' cannot be used here.", at)
        shape = tuple(self._largest(size, at) for size in descriptor.shape)
        return whole(self.arrays.grown(self.sdfg, name, shape, numpy_dtype(descriptor.dtype)))

    def _largest(self, size: Any, at: Location | None) -> int:
        """The largest value of a size that depends on loop variables."""
        value = self.evaluate(size, at)
        span = self.known.range(value) if isinstance(value, Affine) else None
        if span is None:
            raise refused(f"The size '{size}' is not known before the program runs.", at)
        return max(span[1], 0)

    def has_fixed_size(self, name: str) -> bool:
        """Is the container's size a number here already?"""
        descriptor = self.sdfg.arrays[name]
        free = {str(s) for size in descriptor.shape for s in getattr(size, "free_symbols", ())}
        return free <= set(self.values) and all(literal(self.evaluate(size)) is not None for size in descriptor.shape)

    def variable(self, hint: str) -> str:
        """A name for a loop or domain variable below this point."""
        return self.arrays.variable(hint.strip("_") or "i", self.variables)

    def inside(self, variable: str, span: Range | None = None, **values: Value) -> Scope:
        """The scope in a loop over `variable`, which runs over `span`."""
        known = self.known.with_domain((span,)) if span is not None else self.known
        return replace(self, variables=(*self.variables, variable), values={**self.values, **values}, known=known)

    def with_values(self, values: Mapping[str, Value]) -> Scope:
        return replace(self, values={**self.values, **values})

    def with_places(self, places: Mapping[str, Place]) -> Scope:
        return replace(self, places={**self.places, **places})

    def declare(self, name: str, at: Location | None = None) -> Place:
        """A new array for a data container of the SDFG."""
        descriptor = self.sdfg.arrays[name]
        shape, dtype = self.shape_of(name, at), numpy_dtype(descriptor.dtype)
        if descriptor.transient and all(size == 1 for size in shape):
            return Place(self.arrays.add(readable_name(name), (), dtype), len(shape), ())
        return whole(self.arrays.add(readable_name(name), shape, dtype))

    def shape_of(self, name: str, at: Location | None = None) -> tuple[int, ...]:
        descriptor = self.sdfg.arrays[name]
        if isinstance(descriptor, data.Scalar):
            return ()
        return tuple(self.number(size, at) for size in descriptor.shape)


def check_untiled(subset: Any, at: Location | None) -> None:
    """Tiles are what a map's transformation makes, not what a user writes."""
    if any(size != 1 for size in getattr(subset, "tile_sizes", ())):
        raise refused("A range with tiles cannot be differentiated.", at)


def constant_symbols(sdfg: dace.SDFG) -> dict[str, Value]:
    """Symbols that the SDFG was specialised for."""
    return {n: constant(v) for n, v in sdfg.constants.items() if n not in sdfg.arrays and np.ndim(v) == 0}


def _count(span: Value, step: int) -> Value:
    if abs(step) != 1:
        span = apply("floor_divide", span, Affine(step))
    elif step == -1:
        span = apply("negative", span)
    return add(span, Affine(1))
