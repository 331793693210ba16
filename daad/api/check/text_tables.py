"""Tables of text: the first column to the left, the others to the right."""

from __future__ import annotations

from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]]) -> str:
    """Lines of cells, aligned; the first row is the head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, rest = row[0].ljust(widths[0]), [cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True)]
    return "  ".join([first, *rest]).rstrip()
