"""The arguments of the program: arrays and floats become parameters, ints symbolic, all else static; those that
have to be constants are."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from daad.frontend import structures
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.aliasing.identities_of_arguments import Identities
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import Complex
from daad.ir.affine import Affine
from daad.ir.name_supply import NameSupply

LONG = 8
"""In sequences as long as this all items play the same part: where one must be a constant, the others have to be."""


class Exactly(float):
    """A float that equals those alone which no program tells from it: not zero of the other sign."""

    def __eq__(self, other: object) -> bool:
        return float(self) == other and math.copysign(1.0, self) == math.copysign(1.0, other)

    __hash__ = float.__hash__


class Elements:
    """What equals an array of the same dtype, shape, order in memory and elements."""

    __array_ufunc__ = None  # the array leaves the comparison to this

    def __init__(self, array: np.ndarray) -> None:
        self.array = array.copy(order="K")
        if not array.flags.forc:
            axes = np.argsort([-abs(step) for step in array.strides], kind="stable")
            apart = np.empty((*(array.shape[k] for k in axes), 2), array.dtype)[..., 0]
            self.array = np.moveaxis(apart, range(array.ndim), axes)
            self.array[...] = array
        self.array.flags.writeable = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, np.ndarray) or other.dtype != self.array.dtype or other.shape != self.array.shape:
            return False
        one, two = other.flags, self.array.flags
        is_laid_out_so = (one.c_contiguous, one.f_contiguous) == (two.c_contiguous, two.f_contiguous)
        return is_laid_out_so and np.array_equal(other, self.array)

    def __hash__(self) -> int:
        return hash(self.array.tobytes())


@dataclass
class Parameters:
    """What each leaf of the arguments became: `places` in the Program, by `names` of its own, `pinned`
    ints, and the arrays themselves.

    `parts`: the name of each integer without the places in long sequences. `own` gives what the program works with in
    the place of an object, `note_object` is told of what is made for objects, lists and dicts. `values`: by place.
    """

    stage: Stage
    static: frozenset[str]
    places: dict[str, str] = field(default_factory=dict)
    names: NameSupply = field(default_factory=NameSupply)
    pinned: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    identities: Identities = field(default_factory=Identities)
    own: Callable[[Any], Any] = lambda value: value
    note_object: Callable[[Any, Any], None] = lambda made, original: None

    def staged(self, name: str, value: Any) -> Any:
        """The value that the program works with; leaves of structures are named as Python finds them."""
        return self._staged(name, value, name)

    def alike(self, place: str) -> frozenset[str]:
        """The user's names of an integer of the Program, and of those that play the same part."""
        name = next(name for name, found in self.places.items() if found == place)
        return frozenset(other for other, part in self.parts.items() if part == self.parts[name])

    def _staged(self, name: str, value: Any, part: str) -> Any:
        found = structures.parts(value)
        if found is None:
            if isinstance(value, int | np.integer):
                self.parts[name] = part
            return self._leaf(name, value)
        if isinstance(value, structures.Opened):
            return self._object(value.owner, found, name, part)
        if dataclasses.is_dataclass(value):
            return self._object(value, found, name, part)
        alike = isinstance(value, list | tuple) and not hasattr(value, "_fields") and len(value) >= LONG
        made = structures.rebuilt(
            value, lambda step, item: self._staged(name + step, item, part + ("[*]" if alike else step))
        )
        if isinstance(value, list | dict):
            self.note_object(made, value)
        return made

    def _object(self, owner: Any, parts: Sequence[tuple[str, Any]], name: str, part: str) -> Any:
        """What the program works with in the place of an object, also where what it holds leads back to it."""
        made = structures.record(owner, {})
        self.note_object(made, owner)
        for step, item in parts:
            object.__setattr__(made, step[1:], self._staged(name + step, item, part + step))
        return made

    def _leaf(self, name: str, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return self._array(name, value)
        if isinstance(value, bool | np.bool_ | str) or value is None:
            return value
        if isinstance(value, int | np.integer):
            return self._integer(name, value)
        if isinstance(value, np.float16 | np.longdouble | np.clongdouble):
            self.stage.refuse(
                f"The argument '{name}' is a number of dtype '{value.dtype}', which is not supported.",
                "Use floats of 32 or 64 bits.",
            )
        if isinstance(value, float | np.floating):
            if name in self.static:
                self.pinned[name] = Exactly(value)
                return value
            weak = isinstance(value, float) and not isinstance(value, np.generic)
            return self._place(name, np.asarray(value), weak)
        if isinstance(value, complex | np.complexfloating):
            return self._pairs(name, np.asarray(value), not isinstance(value, np.generic))
        return self.own(value)

    def _array(self, name: str, value: np.ndarray) -> Any:
        is_complex = value.dtype.kind == "c" and value.dtype.itemsize <= 16
        if not is_complex and (value.dtype.kind not in "biuf" or value.dtype.itemsize > 8 or value.dtype == np.float16):
            self.stage.refuse(
                f"The argument '{name}' is an array of dtype '{value.dtype}', which is not supported.",
                "Use floats of 32 or 64 bits, integers or booleans.",
            )
        self.arrays[name] = value
        if name in self.static:
            self.pinned[name] = kept = Elements(value)
            return kept.array
        if value.dtype.kind == "c":
            made = self._pairs(name, value, False)
            for part in made.parts:
                self.identities.noted(name, value, self.stage.boxed(part))
            return made
        return self.identities.noted(name, value, self.stage.boxed(self._place(name, value, False)))

    def _pairs(self, name: str, value: np.ndarray, weak: bool) -> Complex:
        """An array of pairs, and both parts as views of it."""
        place = self._fresh(name)
        shape, dtype = (*value.shape, 2), complex_numbers.part_type(value.dtype)
        pairs = self.stage.parameter(place, shape, dtype, weak, value.flags.c_contiguous)
        self.values[place] = np.ascontiguousarray(value).view(dtype)
        self.stage.interleaved.add(place)
        return complex_numbers.of_pairs(self.stage, pairs)

    def _place(self, name: str, value: np.ndarray, weak: bool) -> Any:
        place = self._fresh(name)
        self.values[place] = value
        return self.stage.parameter(place, value.shape, value.dtype, weak, value.flags.c_contiguous)

    def _integer(self, name: str, value: Any) -> Any:
        if name in self.static or isinstance(value, np.integer):
            self.pinned[name] = value
            return value
        place = self._fresh(name)
        self.values[place] = value
        self.stage.integers.append(place)
        return self.stage.affine(Affine.of(place))

    def _fresh(self, name: str) -> str:
        legal = re.sub(r"\W+", "_", name).strip("_")
        legal = legal if legal.isidentifier() else f"a_{legal}"
        self.places[name] = self.names.new(legal)
        return self.places[name]
