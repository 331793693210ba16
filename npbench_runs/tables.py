"""The tables of a benchmark report as rows of text, for the console and for Markdown alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from npbench_runs.reasons import REASONS
from npbench_runs.results import Results, Row, Setting, Status, Times
from npbench_runs.summary import Mean, Summary, by_name, engines, ratio

NAMES = {"daad": "daad", "primal": "primal", "jax": "JAX", "dace": "DaCe", "numpy": "NumPy"}
LOSSES = {"sum": "the output's sum", "weighted": "the output's sum with random weights"}
NOTHING = "–"
WORDS = ("kernel", "against", "reason", "sizes")


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A table; every row has a cell for each head."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def holds_words(self, column: int) -> bool:
        """Words stand to the left, numbers to the right."""
        return self.heads[column] in WORDS


@dataclass(frozen=True)
class Column:
    """A column of the comparison; it is shown where all engines that it needs were asked for."""

    head: str
    needs: tuple[str, ...]
    cell: Callable[[Results, str], str]


def number(value: float | None) -> str:
    """Three digits that count, and those before the point."""
    if value is None:
        return NOTHING
    if value == 0.0 or abs(value) < 0.001:
        return f"{value:.2g}"
    exponent = math.floor(math.log10(abs(float(f"{value:.2e}"))))
    return f"{value:.{max(0, 2 - exponent)}f}"


def interval(times: Times) -> str:
    """The median, and the wider side of its interval in percent."""
    width = max(times.high - times.median, times.median - times.low)
    return f"{number(times.median)} ±{100.0 * width / times.median:.0f}%" if times.median else number(times.median)


def time_cell(engine: str, show: Callable[[Times], str]) -> Callable[[Results, str], str]:
    """An engine's median, or the word for why it has none."""

    def cell(results: Results, kernel: str) -> str:
        row = results.row(kernel, engine)
        if row is None:
            return NOTHING
        if row.status is not Status.RIGHT or row.times is None:
            return row.status.value
        return show(row.times)

    return cell


def row_cell(engine: str, show: Callable[[Row], str]) -> Callable[[Results, str], str]:
    """Something of an engine's row."""

    def cell(results: Results, kernel: str) -> str:
        row = results.row(kernel, engine)
        return NOTHING if row is None else show(row)

    return cell


def ratio_cell(engine: str, base: str) -> Callable[[Results, str], str]:
    """`engine`'s median over that of `base`."""
    return lambda results, kernel: number(ratio(results, kernel, engine, base))


def error_cell(row: Row) -> str:
    """The relative error."""
    return NOTHING if row.error is None else f"{row.error:.0e}"


COLUMNS = (
    Column("kernel", (), lambda _, kernel: kernel),
    Column("daad ms", ("daad",), time_cell("daad", interval)),
    Column("primal ms", ("primal",), time_cell("primal", lambda times: number(times.median))),
    Column("JAX ms", ("jax",), time_cell("jax", interval)),
    Column("DaCe ms", ("dace",), time_cell("dace", lambda times: number(times.median))),
    Column("NumPy ms", ("numpy",), time_cell("numpy", lambda times: number(times.median))),
    Column("JAX /daad", ("jax", "daad"), ratio_cell("jax", "daad")),
    Column("DaCe /daad", ("dace", "daad"), ratio_cell("dace", "daad")),
    Column("daad /primal", ("daad", "primal"), ratio_cell("daad", "primal")),
    Column("daad /NumPy", ("daad", "numpy"), ratio_cell("daad", "numpy")),
    Column("daad compile s", ("daad",), row_cell("daad", lambda row: number(row.compile_seconds))),
    Column("JAX compile s", ("jax",), row_cell("jax", lambda row: number(row.compile_seconds))),
    Column("daad peak MiB", ("daad",), row_cell("daad", lambda row: number(row.peak_mib))),
    Column("JAX peak MiB", ("jax",), row_cell("jax", lambda row: number(row.peak_mib))),
    Column("daad error", ("daad",), row_cell("daad", error_cell)),
    Column("against", ("daad",), row_cell("daad", lambda row: row.checked_against or NOTHING)),
)
CAPTION = (
    "daad, JAX, DaCe: the gradient; NumPy: the program itself; primal: the program itself, compiled by daad; medians "
    "in milliseconds, ± the wider side of the median's 95 % interval. Compile: the first call less a later one. Peak: "
    "the growth of the resident set. Error: relative, against finite differences of the program or another engine's "
    "gradient."
)


def comparison(results: Results) -> tuple[Grid, ...]:
    """The engines side by side, programs without loops and with loops apart."""
    asked = set(engines(results))
    columns = [column for column in COLUMNS if asked.issuperset(column.needs)]
    grids = []
    for title, loops in (("Programs without loops", False), ("Programs with loops", True)):
        kernels = [facts.kernel for facts in by_name(results) if facts.loops == loops]
        rows = tuple(tuple(column.cell(results, kernel) for column in columns) for kernel in kernels)
        grids.append(Grid(title=title, heads=tuple(column.head for column in columns), rows=rows))
    return tuple(grid for grid in grids if grid.rows)


def slower(summary: Summary) -> Grid:
    """Where JAX takes less time, and why, as far as that is written down."""
    rows = tuple((kernel, number(value), REASONS.get(kernel, NOTHING)) for kernel, value in summary.slower)
    return Grid(title="Slower than JAX", heads=("kernel", "JAX/daad", "reason"), rows=rows)


def programs(results: Results) -> Grid:
    """Sizes, and lines of code of the two versions."""
    rows = tuple(
        (
            facts.kernel,
            ", ".join(f"{name} {value}" for name, value in facts.sizes.items()),
            str(facts.numpy_lines),
            NOTHING if facts.jax_lines is None else str(facts.jax_lines),
        )
        for facts in by_name(results)
    )
    return Grid(title="Programs", heads=("kernel", "sizes", "lines in NumPy", "lines in JAX"), rows=rows)


def remarks(results: Results, on_right: bool = False) -> tuple[str, ...]:
    """One line for each thing that is not right, or for each doubt about what is; the same reason is given once."""
    found: dict[tuple[str, Status, str], list[str]] = {}
    for facts in by_name(results):
        for engine in engines(results):
            row = results.row(facts.kernel, engine)
            if row is not None and (row.status is Status.RIGHT) == on_right and (row.reason or not on_right):
                found.setdefault((engine, row.status, reason(row)), []).append(facts.kernel)
    return tuple(
        f"{NAMES.get(engine, engine)} {status.value}: {some(kernels)}" + (f": {why}" if why else "")
        for (engine, status, why), kernels in sorted(found.items(), key=lambda item: remark_order(results, item[0]))
    )


def remark_order(results: Results, key: tuple[str, Status, str]) -> tuple[int, int]:
    """By engine, then by status; among these in the order of the kernels."""
    engine, status, _ = key
    return engines(results).index(engine), list(Status).index(status)


def reason(row: Row) -> str:
    """The reason in one line; a wrong gradient without one says how wrong it is."""
    if row.status is Status.WRONG and not row.reason and row.error is not None:
        return f"error {error_cell(row)} against {row.checked_against}"
    return " ".join(row.reason.split())


def some(kernels: Sequence[str], limit: int = 6) -> str:
    """The names, or how many there are."""
    return ", ".join(kernels) if len(kernels) <= limit else f"{len(kernels)} kernels"


def heading(setting: Setting) -> tuple[str, str]:
    """Under what was measured: the run, then machine and versions."""
    where = f"on {setting.gpu}, " if setting.gpu else ""
    asked = f"{where}preset {setting.preset}, {LOSSES[setting.loss]}, programs of {setting.source}"
    return f"{asked}, {threads(setting)}, {setting.repeats} repeats", machine(setting)


def threads(setting: Setting) -> str:
    """So many threads."""
    return "1 thread" if setting.threads == 1 else f"{setting.threads} threads"


def machine(setting: Setting) -> str:
    """The machine, and the versions of what ran on it."""
    versions = ", ".join(f"{name} {version}" for name, version in setting.versions.items())
    return f"{setting.cpu}, {setting.cores} cores, {setting.memory_gib:.0f} GiB, {setting.platform}; {versions}"


def conclusion(results: Results, summary: Summary) -> tuple[str, ...]:
    """The lines that sum up a run: daad's counts, the others' counts, the mean of JAX/daad."""
    counts = summary.counts
    lines = []
    if "daad" in counts:
        lines.append(f"daad: {tally(counts, 'daad')} of {plural(len(results.kernels))}.")
    others = [f"{NAMES.get(engine, engine)}: {tally(counts, engine)}" for engine in counts if engine != "daad"]
    lines += ["; ".join(others) + "."] if others else []
    if summary.overall.kernels:
        lines.append(
            f"JAX/daad, geometric mean: {mean(summary.overall)}; without loops {mean(summary.without_loops)}; "
            f"with loops {mean(summary.with_loops)}. daad is faster on {summary.faster} of {summary.overall.kernels}."
        )
    if summary.gradient.kernels:
        lines.append(f"daad/primal, geometric mean: {mean(summary.gradient)}.")
    return tuple(lines)


def tally(counts: Mapping[str, Mapping[Status, int]], engine: str) -> str:
    """How many are right, wrong, refused, and what else there is."""
    always = (Status.RIGHT, Status.WRONG, Status.REFUSED) if engine == "daad" else (Status.RIGHT,)
    shown = [status for status in Status if status in always or counts[engine].get(status)]
    return ", ".join(f"{counts[engine].get(status, 0)} {status.value}" for status in shown)


def mean(value: Mean) -> str:
    """A mean and over how many kernels it is."""
    return f"{number(value.value)} over {plural(value.kernels)}" if value.kernels else NOTHING


def plural(kernels: int) -> str:
    """So many kernels."""
    return "1 kernel" if kernels == 1 else f"{kernels} kernels"
