"""The command `daad bench`: what is asked is refused, or carried out."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

from rich.console import Console

from daad.errors import BadArgument
from daad.runtime.gpu.cards import current_card
from npbench_runs import kernel as suite
from npbench_runs import npbench, pictures
from npbench_runs import results as files
from npbench_runs.asked import Asked, chosen
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


def run(asked: Asked) -> int:
    """Does what is asked; the exit code."""
    console = Console(highlight=False)
    pictures.refuse(asked)
    try:
        with termination_as_interrupt():
            if asked.figure:
                return draw(asked, console)
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
        print(interrupted(plan, asked.fresh), file=sys.stderr)
        return INTERRUPTED
    show(asked, results, console)
    print(f"Results are in '{plan.path}'.")
    return WRONG if is_wrong(results) else DONE


def interrupted(plan: Run, fresh: bool) -> str:
    """What is kept, and how to go on."""
    kept = files.load(plan.path).kernels if plan.path.exists() else ()
    done = len({facts.kernel for facts in kept} & {*plan.kernels})
    same = "the same command without '--fresh'" if fresh else "the same command"
    return f"Interrupted: {done} of {len(plan.kernels)} kernels are in '{plan.path}'; {same} goes on from there."


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
    gpu = current_card().name if asked.device == "gpu" else ""
    now = setting(asked.preset, source.name, threads, asked.repeats, asked.loss, gpu)
    plan = Run(
        kernels=kernels,
        engines=engines,
        source=source,
        setting=now,
        limits=Limits(seconds=asked.seconds, memory=memory, threads=threads, device=asked.device),
        path=asked.path,
    )
    return plan, known_results(asked, now)


def chosen_kernels(asked: Sequence[str], root: Path | None) -> tuple[str, ...]:
    """All by default; `module:attribute` names one of the user's."""
    own = tuple(dict.fromkeys(name for name in asked if ":" in name))
    of_suite = chosen("kernel", [name for name in asked if ":" not in name], suite.names()) if asked else suite.names()
    try:
        for name in of_suite if root is not None else ():
            npbench.information(name, root)
        for name in own:
            Source().kernel(name)
    except npbench.NotNPBench as failure:
        raise BadArgument(str(failure), hint="Give the path of a checkout of NPBench.") from failure
    except (ImportError, AttributeError) as failure:
        raise BadArgument(f"There is no kernel '{name}': {failure}.") from failure
    return of_suite + own


def known_results(asked: Asked, now: Setting) -> Results:
    """What the results file has; rows of another setting are not mixed with new ones."""
    if asked.fresh:
        asked.path.unlink(missing_ok=True)
    if not asked.path.exists():
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
        pictures.plot(results, asked.plot)
    return WRONG if is_wrong(results) else DONE


def draw(asked: Asked, console: Console) -> int:
    """A figure, of the results if there are any."""
    known = loaded(asked.report or asked.path) if asked.report or asked.path.exists() else None
    pictures.draw(asked, known, console)
    return DONE
