"""docs/conformance.md as text."""

from __future__ import annotations

import platform
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.conformance.packages import Package
from tests.conformance.replay import Outcome, Verdict

TEXT = Path(__file__).parent / "page.txt"
NAMES = re.compile(r"'[xwy]_?\d*'")
NUMBERS = re.compile(r"\(-?\d[\d, ]*\)")
SHOWN = (Outcome.RIGHT, Outcome.VALUE, Outcome.WRONG, Outcome.REFUSED, Outcome.INCONCLUSIVE)


FEW = 3
"""Reasons that are told of a sub-package."""


def page(package: Package, verdicts: Sequence[Verdict], parts: Sequence[str] = (), sample: str = "") -> str:
    """The whole page, of all sub-packages or of `parts`; the same for the same verdicts. `sample` says what was
    asked, where that is not all."""
    usable = [verdict for verdict in verdicts if verdict.outcome is not Outcome.UNUSABLE]
    counts = Counter(verdict.outcome for verdict in usable)
    refused = [verdict for verdict in usable if verdict.outcome is Outcome.REFUSED]
    places = {
        "title": package.title,
        "command": package.command,
        "folders": ", ".join(
            f"`{folder.parent.parent.name}.{folder.parent.name}`"
            for folder in package.folders
            if not parts or folder.parent.name in parts
        ),
        "versions": f"{package.title} {version(package.title.lower())}, Python {platform.python_version()}",
        "functions": len({verdict.function for verdict in usable}),
        "totals": table(("outcome", "calls"), [(o.value, counts[o]) for o in SHOWN] + [("all", len(usable))]),
        "sample": f"\n\n{sample}" if sample else "",
        "parts": _parts(usable) if package.prefix else "",
        "inconclusive": _causes(usable, Outcome.INCONCLUSIVE),
        "unusable": _causes(verdicts, Outcome.UNUSABLE),
        "reasons": table(("reason", "calls"), _counted(reason(verdict) for verdict in refused)),
        "refused": table(("function", "reason", "calls"), _refusals(refused)),
    }
    return TEXT.read_text().format(**places)


def reason(verdict: Verdict) -> str:
    """A refusal's sentence without the call's own names and extents."""
    sentence = NAMES.sub("'x'", verdict.cause.replace(f"'{verdict.function}'", "'f'"))
    return NUMBERS.sub("(n)", sentence)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """In Markdown; bars in cells would end them."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def _parts(usable: Sequence[Verdict]) -> str:
    """A table of sub-packages, between empty lines."""
    head = ("sub-package", "calls", *(outcome.value for outcome in SHOWN), "most often refused because")
    return "\n" + table(head, [_part(name, usable) for name in sorted({_home(v) for v in usable})]) + "\n"


def _part(name: str, usable: Iterable[Verdict]) -> tuple[Any, ...]:
    own = [verdict for verdict in usable if _home(verdict) == name]
    counts = Counter(verdict.outcome for verdict in own)
    most = _counted(reason(verdict) for verdict in own if verdict.outcome is Outcome.REFUSED)[:FEW]
    told = " ".join(f"{sentence} ({number})" for sentence, number in most)
    return (f"`{name}`", len(own), *(counts[outcome] for outcome in SHOWN), told)


def _home(verdict: Verdict) -> str:
    """`scipy.signal` of one of its functions."""
    return ".".join(verdict.function.split(".")[:2])


def _causes(verdicts: Iterable[Verdict], outcome: Outcome) -> str:
    return table(("reason", "calls"), _counted(v.cause for v in verdicts if v.outcome is outcome))


def _counted(texts: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(texts).items(), key=lambda item: (-item[1], item[0]))


def _refusals(refused: Iterable[Verdict]) -> list[tuple[str, str, int]]:
    counts = Counter((f"`{verdict.function}`", reason(verdict)) for verdict in refused)
    return [(function, sentence, number) for (function, sentence), number in sorted(counts.items())]
