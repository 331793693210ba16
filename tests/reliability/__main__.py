"""`python -m tests.reliability`: runs what docs/reliability.md counts, and writes it."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tests.reliability.collect import DEFECTS, FAILED, HOSTILE, NONFINITE, REFUSALS, campaigns, last, run
from tests.reliability.mutants import count
from tests.reliability.page import page

PAGE = Path("docs/reliability.md")


@click.command()
@click.option("--workers", default=2, show_default=True, help="Processes.")
@click.option("--page-only", is_flag=True, help="Take the results of the last run.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), default=PAGE, show_default=True)
def main(workers: int, page_only: bool, out: Path) -> None:
    """Write the page; exit code 1 if a test fails."""
    paths = [*HOSTILE, *DEFECTS, *NONFINITE, *(path for each in REFUSALS.values() for path in each)]
    results = last() if page_only else run(paths, workers)
    out.write_text(page(results, campaigns(), count()))
    failed = [result.name for result in results if result.outcome == FAILED]
    print(*failed, sep="\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
