"""A line with a bar below a notebook's cell, which goes when the work is done."""

from __future__ import annotations

import html
import sys
from contextlib import suppress
from typing import Any


class Notebook:
    """A place below the cell that is running; `display` is that of IPython."""

    def __init__(self, display: Any) -> None:
        self._display = display
        self._place: Any = None

    def show(self, line: str, count: tuple[int, int | None] | None) -> None:
        """The line, and a bar of how far it is where that is known."""
        number, total = count or (0, None)
        bar = f'<progress value="{number - 1}" max="{total}"></progress> ' if total else "<progress></progress> "
        self._put({"text/plain": line, "text/html": bar + html.escape(line)})

    def clear(self) -> None:
        """Nothing is left to see."""
        if self._place is not None:
            self._put({"text/plain": "", "text/html": ""})

    def _put(self, content: dict[str, str]) -> None:
        with suppress(Exception):  # whatever the frontend has against it, the work goes on
            if self._place is None:
                self._place = self._display(content, raw=True, display_id=True)
            else:
                self._place.update(content, raw=True)


def notebook_of_this_process() -> Notebook | None:
    """The notebook that runs this process, if one does."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None
    if getattr(shell, "kernel", None) is None:
        return None
    from IPython.display import display  # an optional package, which is there

    return Notebook(display)
