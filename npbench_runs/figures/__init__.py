"""The figures of the benchmark, by name; each draws into the file of a request and returns its path."""

from collections.abc import Callable, Mapping
from pathlib import Path

from npbench_runs.figures.memory import draw_memory
from npbench_runs.figures.request import FigureRequest, NoFigure
from npbench_runs.figures.sizes import draw_sizes
from npbench_runs.figures.speedup import draw_loops, draw_vectorized, plot_report

__all__ = ["FIGURES", "FigureRequest", "NoFigure", "plot_report"]

FIGURES: Mapping[str, Callable[[FigureRequest], Path]] = {
    "vectorized": draw_vectorized,
    "loops": draw_loops,
    "sizes": draw_sizes,
    "memory": draw_memory,
}
