"""An account as text: a table of lines, a table of arrays, totals, and what the words mean; plain or in colours."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING

from daad.messages.sizes import readable
from daad.report.adjoint_lines import Origin
from daad.report.array_rows import short
from daad.report.line_roles import Role
from daad.report.source_text import cut, shortened

if TYPE_CHECKING:
    from rich.text import Text

    from daad.report.explanation import Account
    from daad.report.line_rows import Line, Listing

Piece = tuple[str, str]
"""A text and its style."""
Row = Sequence[Piece]

WIDTH = 160
"""Of a text that goes to no terminal."""
SIDE_BY_SIDE = 110
"""From this width on the adjoint stands beside the source, else below it."""
MANY, FEW, SOME = 60, 3, 5
"""Of programs with more lines only so many statements of each adjoint are shown, and so many names of what it reads."""

MARKS = {Role.CCS: "*", Role.USED: ".", Role.DEAD: "-", Role.NONE: " "}
STYLES = {Role.CCS: "bold", Role.USED: "", Role.DEAD: "dim", Role.NONE: ""}
ORIGIN_STYLES = {
    Origin.IN_PLACE: "green",
    Origin.STORED: "yellow",
    Origin.CHECKPOINT: "yellow",
    Origin.RECOMPUTED: "cyan",
    Origin.RERUN: "cyan",
    Origin.UNDONE: "magenta",
}

LEGEND = {
    "*": "in the CCS, the critical computation subgraph: the derivative flows through this line",
    ".": "used: no derivative, but the adjoint or the value is computed from it",
    "-": "dead: the gradient does not need it, and it is not run",
    "_bar": "the adjoint of a variable: the derivative of the result with respect to it; adjoints run upwards",
    "'": "another value of the variable: of another call, or of before",
    "_new": "what a statement is about to write into a variable",
    "_padded": "a variable with copies of its borders around it, as np.roll and its like read them",
    "line": "'line7' is a value without a name that line 7 computes on its way",
    Origin.IN_PLACE.value: "memory still holds the value when the adjoint reads it",
    Origin.STORED.value: "kept in a tape, an array that is filled on the way forwards, since the program overwrites it",
    Origin.CHECKPOINT.value: "from an iteration that is run again from a checkpoint, a kept state of its loop",
    Origin.RECOMPUTED.value: "computed again where the adjoint reads it",
    Origin.RERUN.value: "made again by its own statements before the adjoint reads it",
    Origin.UNDONE.value: "brought back by taking updates back",
}


def told(account: Account, width: int = WIDTH) -> list[Row]:
    """All rows of the text."""
    rows: list[Row] = [[(f"{account.program}, gradient with respect to {', '.join(account.inputs)}", "bold")]]
    for listing in account.listings:
        rows += [[], [(_title(listing), "bold")], *_listing(listing, width)]
    rows += [[], *_arrays(account, width), [], *_totals(account), *([(note, "")] for note in account.notes)]
    return [*rows, [], *_legend(account)]


def summary(account: Account, width: int = WIDTH) -> list[Row]:
    """The arrays and the totals alone."""
    return [*_arrays(account, width), [], *_totals(account), *([(note, "")] for note in account.notes)]


def plain(rows: Sequence[Row]) -> str:
    """Without styles."""
    return "\n".join("".join(text for text, _ in row).rstrip() for row in rows)


def coloured(rows: Sequence[Row], more: str = "") -> Text:
    """For rich."""
    from rich.text import Text

    text = Text(no_wrap=True, overflow="crop")
    for row in rows:
        for piece, style in row:
            text.append(piece, style)
        text.append("\n")
    return text.append(more)


def _title(listing: Listing) -> str:
    return f"{os.path.basename(listing.file)}, {listing.function or 'top level'}"


def _listing(listing: Listing, width: int) -> Iterator[Row]:
    number = max(4, *(len(str(line.number)) for line in listing.lines))
    indent = min((len(line.text) - len(line.text.lstrip()) for line in listing.lines), default=0)
    is_wide, is_long = width >= SIDE_BY_SIDE, len(listing.lines) > MANY
    numbers = 21
    left = number + 3
    source = max(len("source"), *(len(line.text.rstrip()) - indent for line in listing.lines))
    source = min(source, (width - left - numbers) * (2 if is_wide else 5) // 5) if is_wide else width - left - numbers
    adjoint = width - left - source - numbers - 2 if is_wide else width - left - 4
    head = "adjoint, and what it reads" if is_wide else ""
    counts = f"{'bytes':>10}{'operations':>11}"
    yield [(f"{'line':>{number}}   {'source':<{source}}  {head:<{adjoint if is_wide else 0}}{counts}", "underline")]
    for line in listing.lines:
        yield from _line(line, (number, source, adjoint), indent, is_wide, is_long)


def _line(line: Line, widths: tuple[int, int, int], indent: int, is_wide: bool, is_long: bool) -> Iterator[Row]:
    number, source, adjoint = widths
    head = f"{line.number:>{number}} {MARKS[line.role]} "
    text = cut(line.text.rstrip()[indent:], source)
    beside = [*_beside(line, adjoint, is_long)]
    counts = f"{readable(line.nbytes) if line.nbytes else '':>10}{_operations(line):>11}"
    if not is_wide:
        yield [(f"{head}{text:<{source}}", STYLES[line.role]), (counts, "")]
        yield from ([(" " * (number + 3) + "    ", ""), *row] for row in beside)
        return
    for first, row in zip_longest([(f"{head}{text:<{source}}  ", STYLES[line.role])], beside):
        left = first or (" " * (number + 5 + source), "")
        pad = adjoint - sum(len(piece) for piece, _ in row or ())
        yield [left, *(row or ()), (" " * pad, ""), (counts if first else "", "")]


def _operations(line: Line) -> str:
    number = line.operations + line.adjoint_operations
    return short(number) if number else ""


def _beside(line: Line, width: int, is_long: bool) -> Iterator[Row]:
    """The adjoint, then what it reads."""
    statements = [text for text in line.adjoint if not (is_long and text.endswith("_bar = 0"))]
    shown = statements[:FEW] if is_long and len(statements) > FEW + 1 else statements
    for text in shown:
        inner = " " * (len(text) - len(text.lstrip()) + 4)
        text = cut(text, width) if is_long else text
        yield from ([(part, "")] for part in wrap(text, width, subsequent_indent=inner))
    if len(shown) < len(statements):
        yield [(f"… {len(statements) - len(shown)} more", "dim")]
    if line.reads:
        yield from _reads(line.reads, width, SOME if is_long else len(line.adjoint) + MANY)


def _reads(reads: Mapping[Origin, tuple[str, ...]], width: int, most: int) -> Iterator[Row]:
    words = [("reads", "dim")]
    for n, (origin, names) in enumerate(reads.items()):
        end = "," if n < len(reads) - 1 else ""
        more = f" and {len(names) - most} more" if len(names) > most else ""
        said = f"{', '.join(names[:most])}{more} {origin.value}{end}"
        words += [(word, ORIGIN_STYLES[origin]) for word in said.split(" ")]
    row: list[Piece] = []
    used = 0
    for word, style in words:
        if row and used + 1 + len(word) > width:
            yield row
            row, used = [("      ", "")], 6
        space = " " if row and not row[-1][0].isspace() else ""
        row += [(space + word, style)]
        used += len(space + word)
    yield row


HEAD = ("array", "line", "shape", "bytes", "allocated", "freed", "from where", "why")


def _arrays(account: Account, width: int) -> Iterator[Row]:
    rows = [
        (
            shortened(row.name, 28),
            str(row.line or ""),
            "x".join(map(str, row.shape)) or "number",
            readable(row.nbytes) if row.nbytes else "0",
            row.allocated,
            row.freed,
            ", ".join(origin.value for origin in row.origins),
            "; ".join(row.why),
        )
        for row in account.arrays
    ]
    if rows:
        widths = [max(len(row[column]) for row in (HEAD, *rows)) for column in range(len(HEAD) - 1)]
        yield [(_cells(HEAD, widths), "underline")]
        for cells in rows:
            left = sum(widths) + 2 * len(widths)
            first, *others = wrap(cells[-1], max(30, width - left)) or [""]
            yield [(_cells((*cells[:-1], first), widths), "")]
            yield from ([(" " * left + other, "")] for other in others)
    count = len(account.in_place)
    if count:
        names = wrap(", ".join(account.in_place), width - 4)
        yield [(f"{count} array{'' if count == 1 else 's'} read in place:", ORIGIN_STYLES[Origin.IN_PLACE])]
        yield from ([(f"  {line}", "")] for line in names)


def _cells(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join([*(cell.ljust(w) for cell, w in zip(cells, widths, strict=False)), cells[-1]])


def _totals(account: Account) -> Iterator[Row]:
    saved = account.store_all - account.total
    share = f" ({saved / account.store_all:.0%})" if saved > 0 else ""
    yield [
        (f"Store all: {readable(account.store_all)}; this plan: {readable(account.total)}; ", "bold"),
        (f"saved: {readable(max(saved, 0))}{share}", "bold"),
    ]
    held = f", {readable(account.tape_held)} at a time" if account.tape_held < account.tape else ""
    arrays = "array" if account.tapes == 1 else "arrays"
    yield [(f"Tape: {readable(account.tape)} in {account.tapes} {arrays}{held}", "")]
    parts = ", ".join(f"{name} {readable(nbytes)}" for name, nbytes in account.parts.items())
    yield [(f"Peak: {account.total} bytes ({parts})", "")]


def legend_words(account: Account) -> list[str]:
    """The words of the legend that an account uses."""
    lines = [line for listing in account.listings for line in listing.lines]
    words = {MARKS[line.role] for line in lines} | {origin.value for line in lines for origin in line.reads}
    words |= {origin.value for row in account.arrays for origin in row.origins}
    texts = [text for line in lines for text in line.adjoint]
    words |= {word for word in ("_bar", "'", "_new", "_padded", "line") if any(word in text for text in texts)}
    return [word for word in LEGEND if word in words]


def _legend(account: Account) -> Iterator[Row]:
    shown = legend_words(account)
    width = max(map(len, shown), default=0)
    for word in shown:
        yield [(f"{word:<{width}}  ", "bold"), (LEGEND[word], "dim")]
    if any(row.allocated for row in account.arrays):
        yield [(f"{'↓ ↑':<{width}}  ", "bold"), ("on the way forwards, on the way back", "dim")]
