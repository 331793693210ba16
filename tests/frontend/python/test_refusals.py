"""What the Python frontend cannot read is refused at the user's line, with one sentence and a hint."""

from __future__ import annotations

import linecache

import pytest

from daad.errors import DaadError
from tests.frontend.python.refusals import ROWS, Row
from tests.frontend.python.running import built


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_refusal_says_what_and_where(row: Row) -> None:
    with pytest.raises(row.error) as caught:
        built(row.function, row.arguments(), row.of)
    error = caught.value
    assert isinstance(error, DaadError)
    assert error.message == row.message
    assert error.at is not None
    assert row.mark in linecache.getline(error.at.file, error.at.line)
