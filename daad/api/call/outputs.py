"""The outputs of a program in the structure in which it returns them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import methodcaller
from typing import Any

import numpy as np

from daad.api.call.calling_convention import Interface
from daad.api.subject import complex_views
from daad.api.subject.request import Request
from daad.api.subject.tangent_arguments import AsGiven, Given, as_given
from daad.errors import BadArgument
from daad.frontend import structures
from daad.frontend.python.read import Read
from daad.frontend.python.return_values import Leaf
from daad.ir.dtypes import is_float


def structure_of(read: Read, request: Request) -> Any:
    """The structure of what is asked for, with names of arrays as leaves."""
    leaves = tuple(map(Leaf, read.outputs))
    if request.of is None and read.value is not None:
        return read.value
    return leaves if isinstance(request.of, tuple) or len(leaves) != 1 else leaves[0]


def no_floats(read: Read, request: Request) -> list[str]:
    """The arrays in what the program returns that have no derivatives, if it returns others, too."""
    found = [name for name in read.outputs if not is_float(read.program.arrays[name].dtype)]
    return found if request.of is None and len(found) < len(read.outputs) else []


def used_once(structure: Any) -> frozenset[str]:
    """The arrays that stand in one place of the structure: a caller gets them, and no copies."""
    counted = Counter(leaf.array for _, leaf in structures.leaves("", structure) if isinstance(leaf, Leaf))
    return frozenset(name for name, count in counted.items() if count == 1)


def mapped(structure: Any, change: Callable[[Leaf], Any], other: Callable[[Any], Any] = lambda item: item) -> Any:
    """The structure with its leaves changed; what is no array is `other`."""
    if isinstance(structure, Leaf):
        return change(structure)
    if type(structure) is tuple:
        return tuple([mapped(item, change, other) for item in structure])
    if structures.parts(structure) is None:
        return other(structure)
    made = structures.rebuilt(structure, lambda _, item: mapped(item, change, other))
    return made.closed() if isinstance(made, structures.Opened) else made


@dataclass(frozen=True, kw_only=True)
class Arrays:
    """Where arrays of a program are found after a run: among the results of compiled code, or its parameters."""

    places: Mapping[str, tuple[bool, int]]
    pairs: frozenset[str]

    @staticmethod
    def of(interface: Interface, pairs: frozenset[str]) -> Arrays:
        results = {array.name: (True, number) for number, array in enumerate(interface.results)}
        parameters = {array.name: (False, number) for number, array in enumerate(interface.parameters)}
        originals = {name: (False, number) for number, name in enumerate(interface.originals)}
        return Arrays(places={**originals, **parameters, **results}, pairs=pairs)

    def find(
        self,
        name: str,
        arrays: Sequence[np.ndarray],
        results: Sequence[np.ndarray],
        is_ours: bool = False,
        copied: Callable[[np.ndarray], np.ndarray] = methodcaller("copy"),
    ) -> np.ndarray:
        """A copy that nobody else has; what `is_ours` may be a result itself."""
        is_result, place = self.places[name]
        found = (results if is_result else arrays)[place]
        return found if is_ours and is_result else copied(found)

    def value(
        self, name: str, arrays: Sequence[np.ndarray], results: Sequence[np.ndarray], is_ours: bool = False
    ) -> Any:
        """The same as the user's arrays and numbers."""
        return plain(self.find(name, arrays, results, is_ours), name in self.pairs)


def plain(array: np.ndarray, is_complex: bool) -> Any:
    """As the user's arrays are; a number where there is no axis."""
    array = complex_views.joined(array) if is_complex else array
    return array[()] if array.ndim == 0 else array


@dataclass(frozen=True, kw_only=True)
class PushAnswer:
    """How the results of compiled code become outputs and their tangents.

    `dots`: the results that are the tangents of the outputs (None: zero); `likes` have the outputs' shapes and dtypes,
    `count` is how many tangents there are of each; arrays of `own` belong to the caller.
    """

    structure: Any
    arrays: Arrays
    dots: Mapping[str, int | None]
    likes: Mapping[str, np.ndarray]
    is_value_wanted: bool
    count: int | None
    own: frozenset[str]

    @staticmethod
    def of_interface(interface: Interface, read: Read, request: Request, outputs: Sequence[str]) -> PushAnswer:
        place = {array.name: number for number, array in enumerate(interface.results)}
        pairs = zip(interface.outputs, interface.gradients, strict=True)
        structure = structure_of(read, request)
        return PushAnswer(
            structure=structure,
            own=used_once(structure),
            arrays=Arrays.of(interface, read.pairs),
            dots={output: None if dot is None else place[dot] for output, dot in pairs},
            likes={name: output_like(read, name) for name in outputs},
            is_value_wanted=request.value,
            count=request.batch,
        )

    def of(self, leaves: Sequence[Any], arrays: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> Any:
        if self._pair is not None:
            value, dot = self._pair
            return plain(results[value], False), plain(results[dot], False)
        tangent = mapped(self.structure, lambda leaf: self._tangent(leaf.array, results), lambda _: None)
        if not self.is_value_wanted:
            return tangent
        return mapped(self.structure, lambda leaf: self._value(leaf.array, arrays, results)), tangent

    @cached_property
    def _pair(self) -> tuple[int, int] | None:
        """The places of the value and its tangent, if these are all that there is, and results themselves."""
        if not self.is_value_wanted or not isinstance(self.structure, Leaf) or self.arrays.pairs:
            return None
        name = self.structure.array
        (is_result, value), dot = self.arrays.places[name], self.dots.get(name)
        return (value, dot) if is_result and dot is not None else None

    def _value(self, name: str, arrays: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> Any:
        return self.arrays.value(name, arrays, results, name in self.own)

    def _tangent(self, name: str, results: Sequence[np.ndarray]) -> Any:
        if name not in self.dots:  # a whole number
            return None
        place = self.dots[name]
        if place is None:
            like = self.likes[name]
            return np.zeros(like.shape if self.count is None else (self.count, *like.shape), like.dtype)[()]
        found = results[place]
        return plain(found if name in self.own else found.copy(), name in self.arrays.pairs)


def output_like(read: Read, name: str) -> np.ndarray:
    """A stand-in for an output, of its shape and dtype, that holds no memory."""
    array = read.program.arrays[name]
    if name in read.pairs:
        return np.broadcast_to(np.zeros((), np.result_type(array.dtype, np.complex64)), array.shape[:-1])
    return np.broadcast_to(np.zeros((), array.dtype), array.shape)


def seeds_as_given(structure: Any, likes: Mapping[str, np.ndarray], count: int | None) -> AsGiven:
    """A short way to the same, for an array or a tuple of arrays of which each belongs to another output."""
    leaves = structure if type(structure) is tuple else (structure,)
    is_plain = all(isinstance(leaf, Leaf) for leaf in leaves) and [leaf.array for leaf in leaves] == [*likes]
    return as_given(likes.values() if is_plain else [None], count, structure is not leaves)


def seeds_of_structure(structure: Any, given: Given, likes: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """An array for each output, from seeds in the structure of the outputs; `likes` have their shapes and dtypes."""
    found: dict[str, np.ndarray] = {}

    def take(name: str, part: Any, item: Any) -> None:
        if isinstance(part, Leaf):
            if part.array not in likes:  # a whole number
                return
            array = given.array(name, likes[part.array], item)
            found[part.array] = found[part.array] + array if part.array in found else array
            return
        inner = structures.parts(part)
        if inner is None or item is None:
            for step, each in inner or ():
                take(name + step, each, None)
            return
        items = dict(structures.inner(item) or ())
        if items.keys() != dict(inner).keys():
            hint = "Give one with the same keys and lengths, and None where it is zero."
            raise BadArgument(f"The seed of '{name}' has another structure than '{name}'.", at=given.at, hint=hint)
        for step, each in inner:
            take(name + step, each, items[step])

    take("result", structure, given.value)
    return [found[name] for name in likes]
