"""Packages that only show something: what they give is one thing that is looked at by nobody else, and left out."""

from __future__ import annotations

import math
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

PACKAGES = frozenset(("matplotlib", "mpl_toolkits", "pylab", "seaborn", "plotly", "bokeh", "IPython", "pyqtgraph"))


FLAT = ("flat", "flatten", "ravel")


@dataclass(frozen=True)
class Picture:
    """A figure, its axes, their parts: whatever is done with one gives one, and shows something.

    `shape` is that of an array of axes, where it is known."""

    shape: tuple[int, ...] = ()

    def attribute(self, name: str) -> Picture:
        return Picture((math.prod(self.shape),)) if self.shape and name in FLAT else PICTURE

    def item(self, key: Any) -> Picture:
        places = key if isinstance(key, tuple) else (key,)
        known = all(isinstance(place, int) for place in places)
        return Picture(self.shape[len(places) :]) if known else PICTURE

    def items(self) -> Iterator[Picture]:
        return (Picture(self.shape[1:]) for _ in range(self.shape[0]))

    def __repr__(self) -> str:
        return "<picture>"


PICTURE = Picture()


def is_picture(value: Any) -> bool:
    """Whether a value is, or belongs to, a package that shows something."""
    if isinstance(value, Picture):
        return True
    if isinstance(value, types.ModuleType):
        home = value.__name__
    else:
        named = isinstance(value, type | types.FunctionType | types.BuiltinFunctionType | types.MethodType)
        home = getattr(value if named else type(value), "__module__", None) or ""
    return isinstance(home, str) and home.partition(".")[0] in PACKAGES
