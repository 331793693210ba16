"""Packages that only show something: what they give is one thing that is looked at by nobody else, and left out."""

from __future__ import annotations

import types
from typing import Any

PACKAGES = frozenset(("matplotlib", "mpl_toolkits", "pylab", "seaborn", "plotly", "bokeh", "IPython", "pyqtgraph"))


class Picture:
    """A figure, its axes, their parts: whatever is done with one gives one, and shows something."""

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
