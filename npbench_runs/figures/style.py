"""What all figures share: size, colours that colour-blind people tell apart, the small print, the file."""

from __future__ import annotations

import importlib.util
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from npbench_runs.figures.request import NoFigure, require_writable

# Okabe and Ito's palette.
BLUE, ORANGE, GREEN, PINK = "#0072B2", "#E69F00", "#009E73", "#CC79A7"
VERMILLION, SKY = "#D55E00", "#56B4E9"
GREY, INK = "#8A8A8A", "#333333"
SMALL, TINY = 8.0, 6.5
SETTINGS = {
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "daad",  # the same picture is the same file
}
DPI = 160
CHARACTER = 0.0075  # inches that a character of the small print takes, per point of its size
LINE = 0.11  # inches of a line of it


@contextmanager
def picture(out: Path, width: float, height: float, small_print: Iterable[str]) -> Iterator[Any]:
    """A figure of so many inches to draw on, written at the end; nothing is drawn where it could not be written."""
    require_drawable(out)
    import matplotlib
    from matplotlib.figure import Figure

    letters = int(width / (CHARACTER * TINY)) - 4
    lines = [part for line in small_print for part in textwrap.wrap(line, letters)]
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(width, height + LINE * len(lines)), layout="constrained")
        yield figure
        figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=TINY, color=GREY)
        figure.savefig(out, dpi=DPI, metadata={"Date": None} if out.suffix.lower() == ".svg" else None)


def require_drawable(out: Path) -> None:
    """Raises NoFigure where there is no matplotlib, or no place for the file; asked before anything is measured."""
    require_writable(out)
    if importlib.util.find_spec("matplotlib") is None:
        raise NoFigure("Figures are drawn with matplotlib: install 'daad[bench]'.")
