"""What a figure is drawn from."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from npbench_runs.results import Results

FORMATS = (".svg", ".png", ".pdf")


@dataclass(frozen=True, kw_only=True)
class Growth:
    """How a kernel grows: `parameter` takes `sizes`, other parameters stay as in `fixed`; `per` says what the time of a
    gradient is divided by, as a product of parameters."""

    kernel: str = "seidel_2d"
    parameter: str = "N"
    sizes: tuple[int, ...] = (50, 100, 200, 400, 800, 1400, 2000)
    fixed: Mapping[str, int] = field(default_factory=lambda: {"TSTEPS": 8})
    per: str = "TSTEPS * N * N"

    def at(self, size: int) -> dict[str, int]:
        """All parameters at a size."""
        return {**self.fixed, self.parameter: size}

    def points(self, size: int) -> int:
        """What the time at a size is divided by."""
        return value(ast.parse(self.per, mode="eval").body, self.at(size))


def value(product: ast.expr, sizes: Mapping[str, int]) -> int:
    """Of a product of names and numbers."""
    if isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult):
        return value(product.left, sizes) * value(product.right, sizes)
    if isinstance(product, ast.Name) and product.id in sizes:
        return sizes[product.id]
    if isinstance(product, ast.Constant) and isinstance(product.value, int):
        return product.value
    raise NoFigure(f"'{ast.unparse(product)}' is no product of {', '.join(sizes)}.")


@dataclass(frozen=True)
class FigureRequest:
    """Where the picture goes, and what it shows: a run's results, or (of NPBench's sources if given) a measurement."""

    out: Path
    results: Results | None = None
    npbench: Path | None = None
    say: Callable[[str], object] = field(default=lambda line: None, repr=False)
    """Told what is being measured."""
    growth: Growth = field(default_factory=Growth)


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
