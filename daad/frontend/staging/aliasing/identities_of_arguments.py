"""Which arrays among the arguments are one object."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from daad.frontend.staging.values import View


class Argument(NamedTuple):
    """An array of the caller's, its name, and what stands for it as long as no view is made."""

    name: str
    array: np.ndarray
    identity: object


@dataclass
class Identities:
    """Whether arrays of the caller's are one object: those at `places`, and what the program has `compared`."""

    places: dict[str, Argument] = field(default_factory=dict)
    compared: dict[tuple[str, str], bool] = field(default_factory=dict)

    def noted(self, name: str, array: np.ndarray, made: View) -> View:
        made.identity = self.places.setdefault(made.base, Argument(name, array, object())).identity
        return made

    def are_one(self, one: View, other: View) -> bool | None:
        """Of the arrays that these places belong to; None if it is not known whether the program has an array itself,
        or a view of it."""
        first, second = self.places.get(one.base), self.places.get(other.base)
        if first is None or second is None or first is second:
            return False
        self.compared[first.name, second.name] = found = first.array is second.array
        are_whole = one.identity is first.identity and other.identity is second.identity
        return found if are_whole or not found else None
