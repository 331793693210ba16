"""The pictures of `daad bench`: refused before anything is measured, or drawn."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console

from daad.errors import BadArgument
from npbench_runs.asked import Asked, chosen
from npbench_runs.results import Results
from npbench_runs.sources import Source


def refuse(asked: Asked) -> None:
    """What options that do not go together ask for, and pictures that cannot be written."""
    if asked.out and not asked.figure:
        raise BadArgument("'--out' names the file of a '--figure'.", hint="Use '--plot' for the results of a run.")
    if (asked.sizes or asked.per) and not (grows(asked) and asked.sizes):
        raise BadArgument("'--sizes' and '--per' belong to '--figure sizes' and one kernel.", hint="Name a kernel.")
    if asked.kernels and (asked.figure or asked.report) and not asked.sizes:
        raise BadArgument("With '--figure' or '--report' no kernels are measured.", hint="Leave out the kernels.")
    out = figure_file(asked) if asked.figure else asked.plot
    if out is None:
        return
    if importlib.util.find_spec("matplotlib") is None:
        raise BadArgument("Pictures need matplotlib.", hint="pip install 'daad[bench]' installs it.")
    from npbench_runs.figures.request import require_writable

    with refusals():
        require_writable(out)


def plot(results: Results, out: Path) -> None:
    """The speed-ups of a run."""
    from npbench_runs.figures import plot_report

    with refusals():
        print(f"The picture is '{plot_report(results, out)}'.")


def draw(asked: Asked, known: Results | None, console: Console) -> None:
    """One of the paper's pictures, from results or from a measurement of its own."""
    from npbench_runs.figures import FIGURES, FigureRequest

    (name,) = chosen("figure", [asked.figure or ""], FIGURES)
    with refusals():
        growth = {"growth": growth_of(asked)} if asked.sizes else {}
        request = FigureRequest(
            out=figure_file(asked), results=known, npbench=asked.npbench, say=console.print, **growth
        )
        print(f"The picture is '{FIGURES[name](request)}'.")


def grows(asked: Asked) -> bool:
    """Whether the figure shows how one kernel grows."""
    return asked.figure == "sizes" and len(asked.kernels) == 1


def growth_of(asked: Asked) -> Any:
    """The kernel, its other sizes as in the preset, and the sizes that are asked for."""
    from npbench_runs.figures.request import Growth, NoFigure

    kernel = Source(npbench=asked.npbench).kernel(asked.kernels[0])
    name, _, given = (asked.sizes or "").partition("=")
    numbers = given.split(",")
    if name not in kernel.sizes[asked.preset] or not all(n.strip().isdecimal() and int(n) for n in numbers):
        known = ", ".join(kernel.sizes[asked.preset])
        raise NoFigure(f"'{asked.sizes}' is no list of sizes, such as N=50,100, of one of {known}.")
    sizes = tuple(sorted(map(int, numbers)))
    fixed = kernel.sizes[asked.preset]
    growth = Growth(kernel=asked.kernels[0], parameter=name, sizes=sizes, fixed=fixed, per=asked.per or name)
    growth.points(sizes[0])  # refused before anything is measured
    return growth


def figure_file(asked: Asked) -> Path:
    """Where the figure goes."""
    return asked.out or Path(f"{asked.figure}.svg")


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """What a figure says of itself, as an error of the command line."""
    from npbench_runs.figures.request import NoFigure

    try:
        yield
    except NoFigure as failure:
        raise BadArgument(str(failure)) from failure
