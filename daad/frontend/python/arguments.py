"""The arguments of the program: arrays and floats become parameters, ints symbolic, all else static."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from daad.frontend.python.stage import Stage
from daad.program.affine import Affine
from daad.program.names import fresh


@dataclass
class Parameters:
    """What each leaf of the arguments became: `places` in the Program, `pinned` ints, and the arrays themselves."""

    stage: Stage
    static: frozenset[str]
    places: dict[str, str] = field(default_factory=dict)
    pinned: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def staged(self, name: str, value: Any) -> Any:
        """The value that the program works with; leaves of structures are named `name_key`."""
        if isinstance(value, Mapping):
            return {key: self.staged(f"{name}_{key}", item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return self._sequence(name, value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self._record(name, value)
        return self._leaf(name, value)

    def _sequence(self, name: str, value: Any) -> Any:
        keys = getattr(value, "_fields", range(len(value)))
        items = [self.staged(f"{name}_{key}", item) for key, item in zip(keys, value, strict=True)]
        if isinstance(value, list):
            return items
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)

    def _record(self, name: str, value: Any) -> Any:
        made = copy.copy(value)
        for entry in dataclasses.fields(value):
            object.__setattr__(made, entry.name, self.staged(f"{name}_{entry.name}", getattr(value, entry.name)))
        return made

    def _leaf(self, name: str, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return self._array(name, value)
        if isinstance(value, bool | np.bool_ | str) or value is None:
            return value
        if isinstance(value, int | np.integer):
            return self._integer(name, value)
        if isinstance(value, float | np.floating):
            weak = isinstance(value, float) and not isinstance(value, np.generic)
            return self._place(name, np.asarray(value), weak)
        if isinstance(value, complex | np.complexfloating):
            self.stage.refuse("Complex numbers are not supported.", "Pass real and imaginary parts.")
        return value

    def _array(self, name: str, value: np.ndarray) -> Any:
        if value.dtype.kind not in "biuf" or value.dtype.itemsize > 8 or value.dtype == np.float16:
            self.stage.refuse(
                f"The argument '{name}' is an array of dtype '{value.dtype}', which is not supported.",
                "Use floats of 32 or 64 bits, integers or booleans.",
            )
        self.arrays[name] = value
        return self.stage.boxed(self._place(name, value, False))

    def _place(self, name: str, value: np.ndarray, weak: bool) -> Any:
        place = self._fresh(name)
        return self.stage.parameter(place, value.shape, value.dtype, weak, value.flags.c_contiguous)

    def _integer(self, name: str, value: Any) -> Any:
        if name in self.static or isinstance(value, np.integer):
            self.pinned[name] = value
            return value
        place = self._fresh(name)
        self.stage.integers.append(place)
        return self.stage.affine(Affine.of(place))

    def _fresh(self, name: str) -> str:
        legal = name if name.isidentifier() else "".join(c if c.isalnum() else "_" for c in f"a_{name}")
        self.places[name] = fresh(legal, set(self.places.values()))
        return self.places[name]
