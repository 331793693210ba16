"""The command `daad bench`: what is asked, refused or carried out."""

from __future__ import annotations

import contextlib
import importlib.util
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from rich.console import Console

from daad.cli.script import suggest
from daad.errors import BadArgument
from npbench_runs import kernel as suite
from npbench_runs import npbench
from npbench_runs import results as files
from npbench_runs.engines import ENGINES
from npbench_runs.harness import Run, measure
from npbench_runs.machine import cores, differing, setting
from npbench_runs.processes import Limits
from npbench_runs.progress import listener
from npbench_runs.report import print_report
from npbench_runs.resident import machine_bytes
from npbench_runs.results import Results, Setting, Status
from npbench_runs.sources import Source

DEFAULT_PART = 0.6
DONE, WRONG, INTERRUPTED = 0, 1, 130


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One command line; `memory` in bytes, `threads` None for all cores."""

    kernels: tuple[str, ...]
    preset: str
    npbench: Path | None
    engines: tuple[str, ...]
    repeats: int
    threads: int | None
    timeout: float
    memory: int | None
    json: Path | None
    fresh: bool
    plot: Path | None
    report: Path | None
    figure: str | None
    out: Path | None

    @property
    def path(self) -> Path:
        """Where the results are."""
        return self.json or Path(f"bench-{self.preset}.json")


def run(asked: Asked) -> int:
    """Does what is asked; the exit code."""
    console = Console(highlight=False)
    refuse_pictures(asked)
    try:
        with termination_as_interrupt():
            if asked.figure:
                return draw_figure(asked, console)
            return show(asked, loaded(asked.report), console) if asked.report else bench(asked, console)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return INTERRUPTED


@contextlib.contextmanager
def termination_as_interrupt() -> Iterator[None]:
    """Whoever ends the benchmark politely ends its workers, too."""

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def bench(asked: Asked, console: Console) -> int:
    """Measures what is not known yet, then shows everything."""
    plan, known = planned(asked)
    try:
        with listener(console, len(plan.kernels)) as told:
            results = measure(plan, known, told)
    except KeyboardInterrupt:
        print(interrupted(plan), file=sys.stderr)
        return INTERRUPTED
    show(asked, results, console)
    print(f"Results are in '{plan.path}'.")
    return WRONG if is_wrong(results) else DONE


def interrupted(plan: Run) -> str:
    """What is kept, and how to go on."""
    kept = files.load(plan.path).kernels if plan.path.exists() else ()
    done = len({facts.kernel for facts in kept} & {*plan.kernels})
    return (
        f"Interrupted: {done} of {len(plan.kernels)} kernels are in '{plan.path}'; the same command goes on from there."
    )


def is_wrong(results: Results) -> bool:
    """Whether any gradient of daad is."""
    return any(row.engine == "daad" and row.status is Status.WRONG for row in results.rows)


def planned(asked: Asked) -> tuple[Run, Results]:
    """What is to be measured, and what is known; raises BadArgument for what cannot be."""
    source = Source(npbench=asked.npbench.absolute() if asked.npbench else None)
    if asked.threads is not None and asked.threads > cores():
        raise BadArgument(f"{asked.threads} threads are asked for, there are {cores()} cores.")
    if not asked.path.absolute().parent.is_dir():
        raise BadArgument(f"The folder of '{asked.path}' does not exist.")
    kernels = chosen_kernels(asked.kernels, asked.npbench)
    engines = chosen("engine", asked.engines, ENGINES)
    threads = asked.threads or cores()
    memory = asked.memory or int(DEFAULT_PART * machine_bytes())
    now = setting(asked.preset, source.name, threads, asked.repeats)
    plan = Run(
        kernels=kernels,
        engines=engines,
        source=source,
        setting=now,
        limits=Limits(seconds=asked.timeout, memory=memory, threads=threads),
        path=asked.path,
    )
    return plan, known_results(asked, now)


def chosen_kernels(asked: Sequence[str], root: Path | None) -> tuple[str, ...]:
    """All by default; those of a module of the user's are taken as they are."""
    names = chosen("kernel", [name for name in asked if ":" not in name], suite.names())
    own = tuple(dict.fromkeys(name for name in asked if ":" in name))
    kernels = names + own if asked else suite.names()
    try:
        for name in kernels if root is not None else ():
            npbench.information(name, root)
    except npbench.NotNPBench as failure:
        raise BadArgument(str(failure), hint="Give the path of a checkout of NPBench.") from failure
    return kernels


def chosen(kind: str, asked: Sequence[str], known: Iterable[str]) -> tuple[str, ...]:
    """The names, each once; raises BadArgument for an unknown one."""
    for name in asked:
        if name not in known:
            raise BadArgument(f"There is no {kind} '{name}'.", hint=suggest(name, known))
    return tuple(dict.fromkeys(asked))


def known_results(asked: Asked, now: Setting) -> Results:
    """What the results file has; rows of another setting are not mixed with new ones."""
    if asked.fresh or not asked.path.exists():
        return Results(setting=now)
    known = loaded(asked.path)
    apart = differing(known.setting, now)
    if apart:
        raise BadArgument(
            f"The results in '{asked.path}' were measured under another setting: {'; '.join(apart)}.",
            hint="Name another file with --json, or start this one anew with --fresh.",
        )
    return known


def loaded(path: Path) -> Results:
    """A results file."""
    try:
        return files.load(path)
    except files.BadResults as failure:
        raise BadArgument(str(failure)) from failure


def show(asked: Asked, results: Results, console: Console) -> int:
    """The tables, and the picture if one is asked for."""
    print_report(results, console)
    if asked.plot:
        from npbench_runs.figures import plot_report

        with pictures_refused():
            print(f"The picture is '{plot_report(results, asked.plot)}'.")
    return WRONG if is_wrong(results) else DONE


def draw_figure(asked: Asked, console: Console) -> int:
    """One of the paper's pictures, from results or from a measurement of its own."""
    from npbench_runs.figures import FIGURES, FigureRequest

    (name,) = chosen("figure", [asked.figure or ""], FIGURES)
    known = loaded(asked.report or asked.path) if asked.report or asked.path.exists() else None
    request = FigureRequest(out=picture(asked), results=known, npbench=asked.npbench, say=console.print)
    with pictures_refused():
        print(f"The picture is '{FIGURES[name](request)}'.")
    return DONE


def picture(asked: Asked) -> Path:
    """Where the figure goes."""
    return asked.out or Path(f"{asked.figure}.svg")


def refuse_pictures(asked: Asked) -> None:
    """Before anything is measured: options that do not go together, a picture that cannot be drawn."""
    if asked.out and not asked.figure:
        raise BadArgument("'--out' names the file of a '--figure'.", hint="Use '--plot' for the results of a run.")
    if asked.kernels and (asked.figure or asked.report):
        raise BadArgument("With '--figure' or '--report' no kernels are measured.", hint="Leave out the kernels.")
    if not asked.figure and not asked.plot:
        return
    if importlib.util.find_spec("matplotlib") is None:
        raise BadArgument("Pictures need matplotlib.", hint="pip install 'daad[bench]' installs it.")
    from npbench_runs.figures.request import require_writable

    with pictures_refused():
        require_writable(picture(asked) if asked.figure else asked.plot)


@contextlib.contextmanager
def pictures_refused() -> Iterator[None]:
    """What a figure says of itself, as an error of the command line."""
    from npbench_runs.figures.request import NoFigure

    try:
        yield
    except NoFigure as failure:
        raise BadArgument(str(failure)) from failure
