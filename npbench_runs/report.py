"""A benchmark report on the console and in Markdown: `python -m npbench_runs.report results.json --into PAGE`."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from npbench_runs.results import BadResults, Results, Status, load
from npbench_runs.summary import Summary, summarise
from npbench_runs.tables import CAPTION, Grid, comparison, conclusion, heading, programs, remarks, slower

__all__ = ["Summary", "insert_markdown", "markdown", "print_report", "summarise"]

BAD = {status.value for status in Status if status is not Status.RIGHT}
GAP = 2
EMPTY = "No kernel has been measured yet."


class NoPlace(ValueError):
    """A page without the markers between which a report goes."""


def print_report(results: Results, console: Console) -> None:
    """All of a run: comparison, what is not right, where JAX is faster, sizes, summary."""
    summary = summarise(results)
    run, machine = heading(results.setting)
    say(console, f"daad bench: {run}", "bold")
    say(console, machine, "dim")
    if not results.kernels:
        say(console, EMPTY)
        return
    for grid in comparison(results):
        print_grid(grid, console)
    say(console, f"\n{CAPTION}", "dim")
    for title, lines in lists(results):
        print_list(title, lines, console)
    for grid in (slower(summary), programs(results)):
        print_grid(grid, console)
    console.print()
    for line in conclusion(results, summary):
        say(console, line, "bold")


def lists(results: Results) -> list[tuple[str, tuple[str, ...]]]:
    """What is said of single rows beside their numbers."""
    found = [("Not right", remarks(results)), ("Right with a doubt", remarks(results, on_right=True))]
    return [(title, lines) for title, lines in found if lines]


def say(console: Console, line: str, style: str = "") -> None:
    """A line that is no markup: sentences name extras in brackets."""
    console.print(Text(line, style=style), highlight=False)


def print_list(title: str, lines: tuple[str, ...], console: Console) -> None:
    """Lines under a title."""
    say(console, f"\n{title}", "bold")
    for line in lines:
        console.print(Padding(Text(line), (0, 0, 0, 2)), highlight=False)


def print_grid(grid: Grid, console: Console) -> None:
    """The grid as one table, or as several with the names repeated where the console is too narrow."""
    if not grid.rows:
        return
    say(console, f"\n{grid.title}", "bold")
    for k, columns in enumerate(fitting(grid, console.width)):
        if k:
            console.print()
        console.print(rich_table(grid, columns))


def fitting(grid: Grid, width: int) -> list[list[int]]:
    """The columns of each table that the grid becomes; the first column stands in all of them."""
    tables, used = [[0]], width_of(grid, 0)
    for column in range(1, len(grid.heads)):
        wide = GAP + width_of(grid, column)
        if used + wide > width and len(tables[-1]) > 1:
            tables.append([0])
            used = width_of(grid, 0)
        tables[-1].append(column)
        used += wide
    return tables


def width_of(grid: Grid, column: int) -> int:
    """Cells stand on one line, heads break between words."""
    return max(len(text) for text in (*grid.heads[column].split(), *(row[column] for row in grid.rows)))


def rich_table(grid: Grid, columns: list[int]) -> Table:
    """These columns of the grid; only the last one may be folded."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        head = "\n".join(grid.heads[column].split())
        is_word, may_fold = grid.holds_words(column), column == len(grid.heads) - 1
        table.add_column(head, justify="left" if is_word else "right", vertical="top", no_wrap=not may_fold)
    for row in grid.rows:
        table.add_row(*(Text(row[column], style="red" if row[column] in BAD else "") for column in columns))
    return table


def markdown(results: Results) -> str:
    """The same as Markdown."""
    summary = summarise(results)
    run, machine = heading(results.setting)
    parts = [f"`daad bench`: {run}.", f"{machine}."]
    if not results.kernels:
        return "\n\n".join([*parts, EMPTY]) + "\n"
    parts += ["\n".join(f"- {line}" for line in conclusion(results, summary))]
    parts += [f"### {grid.title}\n\n{markdown_table(grid)}" for grid in comparison(results)]
    parts.append(CAPTION)
    parts += [f"### {title}\n\n" + "\n".join(f"- {escaped(line)}" for line in lines) for title, lines in lists(results)]
    parts += [f"### {g.title}\n\n{markdown_table(g)}" for g in (slower(summary), programs(results)) if g.rows]
    return "\n\n".join(parts) + "\n"


def markdown_table(grid: Grid) -> str:
    """Words to the left, numbers to the right; wrong and refused ones in bold."""
    lines = ["| " + " | ".join(head.replace(" /", "/") for head in grid.heads) + " |"]
    lines.append("|" + "|".join("---" if grid.holds_words(k) else "--:" for k in range(len(grid.heads))) + "|")
    for row in grid.rows:
        cells = (f"**{cell}**" if cell in BAD else escaped(cell) for cell in row)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Text whose special characters stand for themselves."""
    return re.sub(r"([\\`*|<>\[\]])", r"\\\1", text)


def insert_markdown(path: Path, text: str, section: str) -> None:
    """Replaces what stands between the markers of a section of a page."""
    start, end = f"<!-- results {section} -->", f"<!-- end of results {section} -->"
    page = path.read_text()
    before, found, rest = page.partition(start)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise NoPlace(f"'{path}' has no lines '{start}' and '{end}' to put the results between.")
    path.write_text(f"{before}{start}\n\n{text.strip()}\n\n{end}{after}")


def main(arguments: list[str] | None = None) -> int:
    """Prints the Markdown of a results file, or puts it into a page."""
    parser = argparse.ArgumentParser(prog="python -m npbench_runs.report", description=__doc__)
    parser.add_argument("results", type=Path, help="a file written by 'daad bench'")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="a page with the markers of a section")
    parser.add_argument("--section", help="the section of the page; the preset of the results by default")
    options = parser.parse_args(arguments)
    try:
        results = load(options.results)
        if options.into is None:
            print(markdown(results), end="")
        else:
            insert_markdown(options.into, markdown(results), options.section or results.setting.preset)
    except (BadResults, NoPlace, OSError) as failure:
        print(failure, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
