"""Modules that are imported where something of them is asked for.

All that derives a gradient (the passes, networkx, the solvers), compiles it (DaCe, sympy) or tells of it takes several
times as long to import as a gradient that an earlier process has left in the cache takes to find. So that side of daad
is reached through `later` alone, at the top of a module, for all to see:

    if TYPE_CHECKING:
        from daad import pipeline
    else:
        pipeline = later("daad.pipeline")

and `pipeline.derive` imports it.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import Any

from daad.runtime.sources import unchanged_by


class Later:
    """Stands for a module; what is asked of it is looked up there each time."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if self._name not in sys.modules:
            with unchanged_by(), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what DaCe is warned of does not concern daad's users
                import_module(self._name)
        return getattr(import_module(self._name), attribute)  # waits for a thread that is in the middle of it


def later(name: str) -> Any:
    """The module of that name, imported where something of it is asked for."""
    return Later(name)
