"""`python -m tests.fuzz`: many random programs, the figures of docs/reliability.md, failures in build/fuzz/."""

from __future__ import annotations

import json
import math
import multiprocessing
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from tests.fuzz.campaign import SIZE, Every, Failure, Totals, run_batch
from tests.fuzz.examine import Outcome

BATCHES_OF_A_SEED = 10_000_000
COMPILERS = ("g++", "clang++")
BATCHES_OF_A_PROCESS = 100
"""A process never gives back the libraries that it has loaded."""
LOST = 900.0
"""After so many seconds without an answer a process has died, with its batch: the campaign ends."""
FOLDER = Path("build/fuzz")
LINES = 20
"""Reports of progress where no bar can be drawn."""


@click.command()
@click.option("--programs", default=10_000, show_default=True, help="How many programs are examined.")
@click.option("--compiled", type=int, help="How many of them are compiled too, by each compiler.  [all]")
@click.option("--compiler", "wanted", multiple=True, default=COMPILERS, show_default=True, help="May be given again.")
@click.option("--large", default=0, show_default=True, help="How many are also compiled as large programs are.")
@click.option("--wide", default=4, show_default=True, help="Every so many-th batch is over longer arrays.")
@click.option("--structured", default=3, show_default=True, help="Every so many-th batch has objects, the next jumps.")
@click.option("--second", default=0, show_default=True, help="How many are differentiated twice too.")
@click.option("--passes", default=0, show_default=True, help="How many are optimised with passes left out too.")
@click.option("--seed", default=0, show_default=True, help="Other seeds give other programs.")
@click.option("--workers", default=2, show_default=True, help="Processes.")
@click.option("--minutes", type=float, default=math.inf, help="End after so long, with what has been examined.")
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), help="Write the totals here, as JSON.")
@click.option("--no-shrink", is_flag=True, help="Leave failures as they were found.")
def main(report: Path | None, wanted: tuple[str, ...], **chosen: Any) -> None:
    """Examine random programs; exit code 1 if an answer is wrong."""
    console, compilers = Console(), tuple(filter(shutil.which, wanted))
    for name in sorted({*wanted} - {*compilers}):
        console.print(f"There is no {name} here: nothing is compiled by it.", highlight=False)
    campaign = Campaign(**chosen, compilers=compilers)
    totals = _examined(console, campaign, partial(_write, report, campaign))
    for example in totals.refused.values():
        _save(example)
    _show(console, totals)
    sys.exit(1 if totals.failures else 0)


@dataclass(frozen=True)
class Campaign:
    """What the command line asks for."""

    programs: int
    compiled: int | None
    compilers: tuple[str, ...]
    large: int
    wide: int
    structured: int
    second: int
    passes: int
    seed: int
    workers: int
    minutes: float
    no_shrink: bool

    @property
    def batches(self) -> range:
        first = self.seed * BATCHES_OF_A_SEED
        return range(first, first + -(-self.programs // SIZE))

    @property
    def every(self) -> Every:
        compiled = self.programs if self.compiled is None else self.compiled
        return Every(
            compiled=self._step(compiled),
            large=self._step(self.large),
            passes=self._step(self.passes),
            wide=self.wide,
            structured=self.structured,
            elsewhere=1,
            products=1,
            second=self._step(self.second),
            compilers=self.compilers,
        )

    def _step(self, count: int) -> int:
        """Every so many-th, to have so many."""
        return max(1, self.programs // count) if count else 0


def _write(report: Path | None, campaign: Campaign, totals: Totals) -> None:
    """The figures so far."""
    if report is None:
        return
    report.parent.mkdir(parents=True, exist_ok=True)
    told = {name: _told(name) for name in campaign.compilers}
    facts = {
        "seed": campaign.seed,
        "day": date.today().isoformat(),
        **totals.as_json(),
        "versions": {**_versions(), **told},
    }
    report.write_text(json.dumps(facts, indent=2) + "\n")


def _examined(console: Console, campaign: Campaign, write: Callable[[Totals], None]) -> Totals:
    """All batches, with reports of progress; figures are written and failures saved as they are found."""
    totals, programs, end = Totals(), campaign.programs, time.monotonic() + 60.0 * campaign.minutes
    with _progress(console) as progress:
        task = progress.add_task("", total=programs)
        for done in _run(campaign):
            passed = totals.programs * LINES // programs
            totals.add(done)
            if totals.programs * LINES // programs > passed:
                write(totals)
                if not console.is_terminal:
                    console.print(f"{totals.programs} of {programs}: {_state(totals)}")
            progress.update(task, completed=totals.programs, description=_state(totals))
            for failure in done.failures:
                progress.console.print(f"{failure.verdict.cause} in {_save(failure)}", soft_wrap=True, markup=False)
            if time.monotonic() > end:
                break
    write(totals)
    return totals


def _versions() -> dict[str, str]:
    names = ("daad", "dace", "numpy", "hypothesis")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def _told(compiler: str) -> str:
    """The first line of what a compiler says of itself."""
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False).stdout
    return said.partition("\n")[0]


def _progress(console: Console) -> Progress:
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    return Progress(*columns, TimeRemainingColumn(), console=console, refresh_per_second=2)


def _state(totals: Totals) -> str:
    return ", ".join(f"{totals.outcomes[o.value]} {o.value}" for o in Outcome if totals.outcomes[o.value])


def _run(campaign: Campaign) -> Iterator[Totals]:
    """Totals of the batches as they end."""
    ask = partial(run_batch, every=campaign.every, shrink=not campaign.no_shrink)
    if campaign.workers <= 1:
        yield from map(ask, campaign.batches)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(campaign.workers, maxtasksperchild=BATCHES_OF_A_PROCESS) as pool:
        batches = pool.imap_unordered(ask, campaign.batches)
        for _ in campaign.batches:
            try:
                yield batches.next(timeout=LOST)
            except multiprocessing.TimeoutError:
                return


def _save(failure: Failure) -> Path:
    """The program as a module of its own, what is wrong at its top."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{failure.verdict.outcome.value}_{failure.batch}.py"
    text = failure.verdict.details or failure.verdict.cause
    path.write_text("".join(f"# {line}\n" for line in text.splitlines()) + f"\n{failure.program}")
    return path


def _show(console: Console, totals: Totals) -> None:
    table = Table("outcome", "programs", "share", title=f"{totals.programs} random programs", title_justify="left")
    for outcome in Outcome:
        table.add_row(outcome.value, str(totals.outcomes[outcome.value]), f"{totals.share(outcome):.2%}")
    console.print(table)
    if totals.causes:
        causes = Table("programs", "cause", title="Why not right", title_justify="left")
        for cause, count in totals.causes.most_common():
            causes.add_row(str(count), cause)
        console.print(causes)
    covered = Table("programs", "construct", title="Covered", title_justify="left")
    for name, count in totals.features.most_common():
        covered.add_row(str(count), name)
    console.print(covered)
    for name, count in sorted(totals.compiled.items()):
        console.print(f"{count} compiled by {name}")
    console.print(f"{totals.large} compiled as large ones too; {totals.wide} over long arrays")
    console.print(f"{totals.seconds:.0f} s of processor time")


if __name__ == "__main__":
    main()
