"""docs/features.md says what tests/features.py does, and each test that it names is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.features import PAGE, ROWS, Row, file_of, page

HOME = Path(__file__).parents[1]
NAMED = {f"{system} {k}": row for system, rows in ROWS.items() for k, row in enumerate(rows, 1)}
LINES = {
    "Enoki": 25,
    "Dr.Jit": 14,
    "Enzyme": 11,
    "DaCe AD": 10,
    "Variables-and-Blocks": 13,
    "Further": 15,
}


def test_the_page_is_written_from_the_rows() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.features"


def test_each_system_has_all_its_lines() -> None:
    assert {system: len(rows) for system, rows in ROWS.items()} == LINES


@pytest.mark.parametrize("row", NAMED.values(), ids=NAMED.keys())
def test_a_line_names_a_test_that_is_there_or_says_later(row: Row) -> None:
    file = file_of(row)
    if file is None:
        assert row[1].startswith("*later*")
        return
    text = (HOME / file).read_text(encoding="utf-8")
    assert (f"def test_{row[3]}(" if row[3] else "def test_") in text
