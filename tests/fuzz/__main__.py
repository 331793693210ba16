"""`python -m tests.fuzz`: many random programs, the figures of docs/reliability.md, failures in build/fuzz/."""

from __future__ import annotations

import json
import multiprocessing
import platform
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from .campaign import SIZE, Every, Failure, Totals, run_batch
from .examine import Outcome

BATCHES_OF_A_SEED = 10_000_000
FOLDER = Path("build/fuzz")
LINES = 20
"""Reports of progress where no bar can be drawn."""


@click.command()
@click.option("--programs", default=10_000, show_default=True, help="How many programs are examined.")
@click.option("--compiled", default=300, show_default=True, help="How many of them are compiled too.")
@click.option("--passes", default=0, show_default=True, help="How many are optimised with passes left out too.")
@click.option("--seed", default=0, show_default=True, help="Other seeds give other programs.")
@click.option("--workers", default=2, show_default=True, help="Processes.")
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), help="Write the totals here, as JSON.")
@click.option("--no-shrink", is_flag=True, help="Leave failures as they were found.")
def main(report: Path | None, **chosen: Any) -> None:
    """Examine random programs; exit code 1 if an answer is wrong."""
    console, campaign = Console(), Campaign(**chosen)
    totals = _examined(console, campaign)
    for example in totals.refused.values():
        _save(example)
    _show(console, totals)
    if report is not None:
        report.parent.mkdir(parents=True, exist_ok=True)
        facts = {"seed": campaign.seed, **totals.as_json(), "versions": _versions()}
        report.write_text(json.dumps(facts, indent=2) + "\n")
    sys.exit(1 if totals.failures else 0)


@dataclass(frozen=True)
class Campaign:
    """What the command line asks for."""

    programs: int
    compiled: int
    passes: int
    seed: int
    workers: int
    no_shrink: bool

    @property
    def batches(self) -> range:
        first = self.seed * BATCHES_OF_A_SEED
        return range(first, first + -(-self.programs // SIZE))

    @property
    def every(self) -> Every:
        return Every(compiled=self._step(self.compiled), passes=self._step(self.passes))

    def _step(self, count: int) -> int:
        """Every so many-th, to have so many."""
        return max(1, self.programs // count) if count else 0


def _examined(console: Console, campaign: Campaign) -> Totals:
    """All batches, with reports of progress; failures are saved as they are found."""
    totals, programs = Totals(), campaign.programs
    with _progress(console) as progress:
        task = progress.add_task("", total=programs)
        for done in _run(campaign):
            passed = totals.programs * LINES // programs
            totals.add(done)
            if not console.is_terminal and totals.programs * LINES // programs > passed:
                console.print(f"{totals.programs} of {programs}: {_state(totals)}")
            progress.update(task, completed=totals.programs, description=_state(totals))
            for failure in done.failures:
                progress.console.print(f"{failure.verdict.cause} in {_save(failure)}", soft_wrap=True, markup=False)
    return totals


def _versions() -> dict[str, str]:
    names = ("daad", "dace", "numpy", "hypothesis")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


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
    with ProcessPoolExecutor(campaign.workers, mp_context=context) as pool:
        waiting = {pool.submit(ask, number) for number in campaign.batches}
        while waiting:
            ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in ended:
                yield future.result()


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
    console.print(f"{totals.compiled} compiled too; {totals.seconds:.0f} s of processor time.")


if __name__ == "__main__":
    main()
