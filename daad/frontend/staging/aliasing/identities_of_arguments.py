"""Which arrays among the arguments are one object."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from daad.frontend.staging.values import View


@dataclass
class Identities:
    """Whether arrays of the caller's are one object: `names` of them by their places, what stands for them in
    `objects`, and what the program has `compared`."""

    names: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    objects: dict[str, object] = field(default_factory=dict)
    compared: dict[tuple[str, str], bool] = field(default_factory=dict)

    def noted(self, name: str, array: np.ndarray, made: View) -> View:
        self.names[made.base], self.arrays[name] = name, array
        made.identity = self.objects.setdefault(name, object())
        return made

    def are_one(self, one: View, other: View) -> bool | None:
        """Of the arrays that these places belong to; None if it is not known whether the program has an array itself,
        or a view of it."""
        if one.base == other.base or one.base not in self.names or other.base not in self.names:
            return False
        pair = self.names[one.base], self.names[other.base]
        self.compared[pair] = found = self.arrays[pair[0]] is self.arrays[pair[1]]
        are_whole = all(view.identity is self.objects[name] for view, name in zip((one, other), pair, strict=True))
        return found if are_whole or not found else None
