"""What a caller gets: the values and gradients that compiled code leaves in arrays, in the shapes of the arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from daad.api.call.buffers import Buffers, Into, is_plain, left
from daad.api.call.calling_convention import Interface
from daad.api.subject import arguments as calls
from daad.api.subject import complex_views
from daad.api.subject.request import Request
from daad.api.subject.subject import Subject
from daad.errors import BadArgument, Unsupported
from daad.frontend import structures
from daad.frontend.python.read import Read
from daad.frontend.python.return_values import Leaf
from daad.runtime.gpu.device_array import DeviceArray

NOTHING = object()
"""No auxiliary data."""


class Source:
    """Where an array of the auxiliary data is found; no dataclass, which would be a part of their structure."""

    def __init__(self, kind: str, number: int, is_complex: bool) -> None:
        self.kind, self.number, self.is_complex = kind, number, is_complex


@dataclass(frozen=True, kw_only=True)
class Answer:
    """How results become what the caller gets.

    `gradients` holds, for each leaf asked for, its position among the results (None: the gradient is zero) and its
    place among the leaves; `values` the positions of the outputs, negative ones among the parameters. `plain`: the
    results that are the gradients, if these are nothing else.
    """

    values: tuple[tuple[str, int], ...] | None
    complex_values: tuple[bool, ...] = ()
    gradients: tuple[tuple[int | None, int], ...]
    structure: Any
    many_values: bool = False
    aux: Any = NOTHING
    plain: tuple[int, ...] | None = None

    def of(self, leaves: Sequence[Any], arrays: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> Any:
        if self.plain is not None:
            found = [results[place] for place in self.plain]
            if self._is_bare:
                return tuple(found) if self._is_tuple else found[0]
        else:
            found = [self._gradient(leaves[leaf], place, results) for place, leaf in self.gradients]
        return self._whole(found, arrays, results)

    def directly(self, buffers: Buffers) -> dict[int, np.ndarray]:
        """The results of compiled code that the caller's buffers can be."""
        pairs = zip(self.gradients, buffers, strict=True)
        return {place: complex_views.taken(b) for (place, _), b in pairs if place is not None and is_plain(b)}

    def into(
        self,
        buffers: Buffers,
        brought: Into,
        leaves: Sequence[Any],
        arrays: Sequence[np.ndarray],
        results: Sequence[np.ndarray],
    ) -> Any:
        """The same with what the caller's own arrays are for in these."""
        found = [
            buffer if brought.is_added else self._written(buffer, leaves[leaf], place, results)
            for buffer, (place, leaf) in zip(buffers, self.gradients, strict=True)
        ]
        whole = self._whole(found, arrays, results)
        if brought.value is None or self.values is None:
            return whole
        value, gradients = whole
        if self.aux is not NOTHING:
            return (left(brought.value, value[0]), value[1]), gradients
        return left(brought.value, value), gradients

    def _written(self, buffer: np.ndarray | None, leaf: Any, place: int | None, results: Sequence[np.ndarray]) -> Any:
        if buffer is None:
            return self._gradient(leaf, place, results)
        if place is None or not is_plain(buffer):
            buffer[...] = self._gradient(leaf, place, results)
        return buffer

    def _whole(self, found: list[Any], arrays: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> Any:
        """The gradients in their structure, with values and auxiliary data as far as they are asked for."""
        gradients: Any = tuple(found) if self._is_tuple else self._structured(found)
        sources = {"result": results, "parameter": arrays}
        aux = NOTHING if self.aux is NOTHING else _with_arrays(self.aux, sources)
        if self.values is None:
            return gradients if aux is NOTHING else (gradients, aux)
        copies = [sources[kind][place].copy() for kind, place in self.values]
        pairs = zip(copies, self.complex_values, strict=True)
        values = [_plain(complex_views.joined(copy) if is_complex else copy) for copy, is_complex in pairs]
        value = tuple(values) if self.many_values else values[0]
        return (value if aux is NOTHING else (value, aux)), gradients

    def _structured(self, found: list[Any]) -> Any:
        return found[0] if self.structure is None else calls.filled(self.structure, iter(found))

    @cached_property
    def _is_bare(self) -> bool:
        """Whether the caller gets gradients alone, of one argument or in a tuple."""
        return self.values is None and self.aux is NOTHING and (self._is_tuple or self.structure is None)

    @property
    def bare(self) -> int | tuple[int, ...] | None:
        """The results that are all that the caller gets, as they are: one, or a tuple of them."""
        if self.plain is None or not self._is_bare:
            return None
        return self.plain if self._is_tuple else self.plain[0]

    @cached_property
    def _is_tuple(self) -> bool:
        """Whether the gradients are a tuple of arrays and numbers, as they mostly are."""
        return type(self.structure) is tuple and all(type(item) is float for item in self.structure)

    def _gradient(self, leaf: Any, place: int | None, results: Sequence[np.ndarray]) -> Any:
        if place is None:
            is_array = isinstance(leaf, np.ndarray | DeviceArray)
            return np.zeros(leaf.shape, leaf.dtype) if is_array else np.asarray(leaf).dtype.type(0)
        found = complex_views.joined(results[place]) if complex_views.is_complex(leaf) else results[place]
        if not isinstance(leaf, np.ndarray):
            return found[()]
        return found if leaf.dtype.isnative else found.astype(leaf.dtype)


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    if structures.parts(value) is None:
        return change(value)
    return structures.rebuilt(value, lambda _, item: _mapped(item, change))


def _with_arrays(aux: Any, sources: Mapping[str, Sequence[np.ndarray]]) -> Any:
    def found(leaf: Any) -> Any:
        if not isinstance(leaf, Source):
            return leaf
        copy = sources[leaf.kind][leaf.number].copy()
        return _plain(complex_views.joined(copy) if leaf.is_complex else copy)

    return structures.closed(_mapped(aux, found))


def aux_arrays(read: Read, request: Request, subject: Subject) -> list[str]:
    """The arrays that are returned beside what is differentiated."""
    if not request.has_aux:
        return []
    if not isinstance(read.value, tuple) or len(read.value) != 2:
        raise BadArgument(
            f"'{subject.name}' does not return a pair of a value and auxiliary data, as has_aux=True says.",
            at=subject.at,
            hint="Return (value, data), or leave out 'has_aux'.",
        )
    leaves = [leaf for _, leaf in structures.leaves("", read.value[1])]
    for leaf in leaves:
        if not isinstance(leaf, Leaf) and type(leaf).__module__.partition(".")[0] == "daad":
            raise Unsupported("The auxiliary data hold what depends on data.", at=subject.at, hint="Return arrays.")
    return [str(leaf) for leaf in leaves if isinstance(leaf, Leaf)]


def _plain(array: np.ndarray) -> Any:
    return array[()] if array.ndim == 0 else array


def answer_of(
    interface: Interface,
    leaves: Sequence[calls.Leaf],
    chosen: Mapping[str, Any],
    request: Request,
    read: Read,
) -> Answer:
    """How the results of compiled code answer a request for gradients of the `chosen` arguments.

    Some arrays of what has been `read` stand for complex ones.
    """
    position = {name: number for number, (name, _) in enumerate(leaves)}
    place = {array.name: number for number, array in enumerate(interface.results)}
    parameter = {array.name: number for number, array in enumerate(interface.parameters)}
    names = [leaf for leaf, _ in calls.floats(chosen)]
    gradients = tuple(
        (None if g is None else place.get(g), position[n]) for g, n in zip(interface.gradients, names, strict=True)
    )
    single = request.wrt is None or isinstance(request.wrt, str | int)
    structure = calls.skeleton(next(iter(chosen.values())) if single else tuple(chosen.values()))
    plain = single and len(names) == 1 and names[0] in chosen
    values = None
    if request.value:
        values = tuple(("result", place[o]) if o in place else ("parameter", parameter[o]) for o in interface.outputs)

    def source(leaf: Any) -> Any:
        if not isinstance(leaf, Leaf):
            return leaf
        kind, number = ("result", place[leaf]) if leaf in place else ("parameter", parameter[leaf])
        return Source(kind, number, leaf in read.pairs)

    return Answer(
        values=values,
        complex_values=tuple(o in read.pairs for o in interface.outputs),
        gradients=gradients,
        structure=None if plain else structure,
        many_values=request.value and len(interface.outputs) > 1,
        aux=_mapped(read.value[1], source) if request.has_aux else NOTHING,
        plain=_plain_places(gradients, [value for _, value in leaves]),
    )


def _plain_places(gradients: Sequence[tuple[int | None, int]], leaves: Sequence[Any]) -> tuple[int, ...] | None:
    arrays = [
        place
        for place, leaf in gradients
        if isinstance(leaves[leaf], np.ndarray)
        and leaves[leaf].dtype.isnative
        and not complex_views.is_complex(leaves[leaf])
    ]
    places = tuple(place for place in arrays if place is not None)
    return places if len(places) == len(gradients) else None
