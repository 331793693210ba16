"""What a figure is drawn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from npbench_runs.results import Results

FORMATS = (".svg", ".png", ".pdf")


@dataclass(frozen=True)
class FigureRequest:
    """Where the picture goes, and what it shows: a run's results, or (of NPBench's sources if given) a measurement."""

    out: Path
    results: Results | None = None
    npbench: Path | None = None
    say: Callable[[str], object] = field(default=lambda line: None, repr=False)
    """Told what is being measured."""


class NoFigure(ValueError):
    """A figure that cannot be drawn, with the reason and what to do."""


def require_results(request: FigureRequest, figure: str) -> Results:
    """The results of a request for a figure that shows results."""
    if request.results is None:
        raise NoFigure(f"The figure '{figure}' shows results: run the benchmark first, or name a results file.")
    return request.results


def require_writable(out: Path) -> None:
    """Refuses a path before anything is measured for it."""
    if out.suffix.lower() not in FORMATS:
        raise NoFigure(f"'{out}' is no picture: its name should end in {', '.join(FORMATS)}.")
    if not out.absolute().parent.is_dir():
        raise NoFigure(f"There is no folder '{out.parent}' for the picture.")
