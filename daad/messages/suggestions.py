"""What somebody may have meant, for the hints of messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


def suggest(name: str, candidates: Iterable[str]) -> str | None:
    """The hint after a name that was not found: the close ones, or all when there are few."""
    known = sorted(set(candidates))
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.7)
    if close:
        return f"Did you mean {listed(close, 'or')}?"
    return f"There is {listed(known, 'or')}." if known else None


MOST = 12


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names in quotes; of many the first ones."""
    quoted = [f"'{name}'" for name in names[:MOST]]
    rest = [f"{len(names) - MOST} others"] if len(names) > MOST else []
    *first, end = [*quoted, *rest]
    return f"{', '.join(first)} {last} {end}" if first else end
