"""A side of `and`, `or` or a conditional expression writes where data choose it, and not elsewhere."""

from __future__ import annotations

import pytest

from tests.fuzz.examine import Outcome, examine
from tests.fuzz.programs import RandomProgram

# Expressions over `a` and a limit that decides the side.
ROWS = (
    "a.fill(2.0 * a[1]) if a[0] > {0} else None",
    "None if a[0] > {0} else np.copyto(a, 2.0 * a)",
    "np.copyto(a, 2.0 * a) if a[0] > {0} else np.copyto(a, 3.0 * a)",
    "a[0] > {0} and np.copyto(a, 2.0 * a)",
    "a[0] > {0} or np.copyto(a, 2.0 * a)",
    "a[0] > {0} and a.fill(-10.0 * a[1]) is None",
    "a += a[np.argsort(a)] if a[0] > {0} else np.copyto(a, 2.0 * a) or 3.0 * a",
)


@pytest.mark.parametrize("limit", [-9.0, 9.0])
@pytest.mark.parametrize("row", ROWS)
def test_a_side_writes_where_it_is_chosen(row: str, limit: float) -> None:
    source = f"def program(a):\n    {row.format(limit)}\n    return np.sum(a)\n"
    verdict = examine(RandomProgram(source=source, arguments=(("a", "data(1, 3)"),), wrt=("a",)))
    assert verdict.outcome is Outcome.RIGHT, verdict.details
