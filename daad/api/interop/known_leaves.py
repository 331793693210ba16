"""The arguments of a call by another library's arrays: which leaves are data, and the same call with NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from daad.api.subject import arguments as calls
from daad.api.subject.subject import Subject
from daad.api.subject.wrt import chosen_arguments
from daad.errors import BadArgument, Location, NotDifferentiable
from daad.frontend import structures

IsData = Callable[[Any], bool]


def form(value: Any, is_data: IsData) -> Hashable:
    """The structure of an argument, with all that is no data by value."""
    found = structures.parts(value)
    if found is not None:
        return type(value), tuple([(step, form(item, is_data)) for step, item in found])
    return True if is_data(value) else (type(value), value)


def require_hashable(bound: Mapping[str, Any], is_data: IsData, at: Location | None) -> None:
    """Raises BadArgument for what nothing can be compiled for."""
    for name, value in calls.leaves(bound):
        try:
            hash(None if is_data(value) else value)
        except TypeError:
            sentence = f"The argument '{name}' is of type '{type(value).__name__}', for which nothing can be compiled."
            raise BadArgument(sentence, at=at, hint="Pass arrays, numbers, texts, or structures of them.") from None


@dataclass(frozen=True)
class Kind:
    """Of data; `is_number`: a float of Python's."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    is_number: bool = False

    def zeros(self) -> Any:
        return 0.0 if self.is_number else np.zeros(self.shape, self.dtype)


@dataclass(frozen=True)
class KnownCall:
    """A call with zeros in the place of data; `places` are those of data among the leaves."""

    subject: Subject
    bound: Mapping[str, Any]
    places: tuple[int, ...]

    @staticmethod
    def of(subject: Subject, bound: Mapping[str, Any], is_data: IsData, kinds: Sequence[Kind]) -> KnownCall:
        """`kinds`: those of the data, in order."""
        leaves = calls.leaves(bound)
        places = tuple(number for number, (_, value) in enumerate(leaves) if is_data(value))
        for place, kind in zip(places, kinds, strict=True):
            _require_real(leaves[place][0], kind.dtype, subject.at)
        zeros = (kind.zeros() for kind in kinds)
        filled = {
            name: calls.unflatten(value, (next(zeros) if is_data(v) else v for _, v in calls.flatten(name, value)))
            for name, value in bound.items()
        }
        return KnownCall(subject, filled, places)

    @cached_property
    def leaves(self) -> list[calls.Leaf]:
        return calls.leaves(self.bound)

    def all_leaves(self, data: Sequence[Any]) -> list[Any]:
        """All leaves, with these data."""
        found = [value for _, value in self.leaves]
        for place, value in zip(self.places, data, strict=True):
            found[place] = value
        return found

    def active(self, wrt: Any) -> dict[int, str]:
        """The data that a derivative is asked for, by their places among the data, with their names."""
        position = {name: number for number, (name, _) in enumerate(self.leaves)}
        names = [name for name, _ in calls.floats(chosen_arguments(wrt, self.bound, self.subject))]
        return {self.places.index(position[name]): name for name in names}

    def require_active(self, asked: Sequence[int], active: Mapping[int, str]) -> None:
        """Raises NotDifferentiable where a derivative is asked for that the function does not have."""
        for number in asked:
            name, value = self.leaves[self.places[number]]
            if number not in active and calls.is_float(value):
                raise NotDifferentiable(
                    f"The derivative with respect to '{name}' is asked for, and the function has none.",
                    at=self.subject.at,
                    hint=f"Name it in 'wrt' of daad.grad, beside {', '.join(map(repr, active.values()))}.",
                )


def _require_real(name: str, dtype: np.dtype[Any], at: Location | None) -> None:
    if dtype.kind == "c":
        hint = "Pass its real and its imaginary part as two arguments."
        raise NotDifferentiable(
            f"'{name}' is complex, whose derivatives libraries define in two ways.", at=at, hint=hint
        )
    if dtype.kind not in "fiub" or dtype.name == "float16":
        raise BadArgument(f"'{name}' is of {dtype}, which cannot be compiled.", at=at, hint="Use float64 or float32.")
