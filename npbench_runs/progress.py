"""What is seen while a benchmark runs: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from npbench_runs.results import Row, Status, Times

STYLES = {Status.RIGHT: "", Status.WRONG: "bold red"}
OTHER = "yellow"
KNOWN = "measured already"
REFRESHES = 2  # a second: drawing takes time from what is measured


class Listener(Protocol):
    """Who is told what happens."""

    def skipped(self, kernel: str) -> None:
        """All its rows are known."""

    def started(self, kernel: str) -> None:
        """A kernel's turn."""

    def doing(self, what: str) -> None:
        """A stage of it, with the engine's name."""

    def finished(self, kernel: str, rows: Sequence[Row]) -> None:
        """Its rows are saved."""


class Plain:
    """A line for each row."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def skipped(self, kernel: str) -> None:
        self.say(f"{kernel:<14} {KNOWN}", "dim")

    def started(self, kernel: str) -> None:
        pass

    def doing(self, what: str) -> None:
        pass

    def finished(self, kernel: str, rows: Sequence[Row]) -> None:
        for row in rows:
            self.say(line(row), STYLES.get(row.status, OTHER))

    def say(self, text: str, style: str = "") -> None:
        self.console.print(Text(text, style=style), soft_wrap=True)


class Live(Plain):
    """The same lines, and below them what is running and how much is left."""

    def __init__(self, console: Console, progress: Progress, kernels: int) -> None:
        super().__init__(console)
        self.progress = progress
        self.task = progress.add_task("", total=kernels)
        self.kernel = ""

    def skipped(self, kernel: str) -> None:
        super().skipped(kernel)
        self.progress.advance(self.task)

    def started(self, kernel: str) -> None:
        self.kernel = kernel
        self.doing("starting")

    def doing(self, what: str) -> None:
        self.progress.update(self.task, description=f"{self.kernel}  {what}")

    def finished(self, kernel: str, rows: Sequence[Row]) -> None:
        super().finished(kernel, rows)
        self.progress.advance(self.task)


@contextlib.contextmanager
def listener(console: Console, kernels: int) -> Iterator[Listener]:
    """A live display where there is a terminal."""
    if not console.is_terminal:
        yield Plain(console)
        return
    columns = (
        SpinnerColumn(),
        MofNCompleteColumn(),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=console, transient=True, refresh_per_second=REFRESHES) as progress:
        yield Live(console, progress, kernels)


def line(row: Row) -> str:
    """A row in words."""
    name = f"{row.kernel:<14} {row.engine:<6}"
    if row.status is not Status.RIGHT:
        return f"{name} {row.status.value:>13}  {row.reason}".rstrip()
    notes = [time_notes(row.times) if row.times else "not timed", row.variant, checked(row), row.reason]
    return f"{name} {milliseconds(row):>13}  {', '.join(note for note in notes if note)}"


def milliseconds(row: Row) -> str:
    return f"{row.times.median:.4g} ms" if row.times else "-"


def time_notes(times: Times) -> str:
    return f"median within {times.low:.4g} … {times.high:.4g}"


def checked(row: Row) -> str:
    """How the gradient was found to be right."""
    return f"off by {row.error:.0e} from {row.checked_against}" if row.error is not None else ""
