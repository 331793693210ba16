"""What cannot be lifted is refused, at the user's line, before anything is built."""

from __future__ import annotations

import pytest

from daad.errors import DaadError
from daad.frontend.sdfg import lift
from tests.frontend.sdfg import refusals


@pytest.mark.parametrize("row", refusals.ROWS, ids=lambda row: row.name)
def test_refusal_says_what_and_where(row: refusals.Row) -> None:
    program = row.program if hasattr(row.program, "f") else row.program()
    with pytest.raises(row.error) as caught:
        lift(program, row.arguments())
    error = caught.value
    assert isinstance(error, DaadError)
    assert error.hint
    assert error.at is not None or program is not row.program
    assert error.message.startswith(row.text), error.message
    if row.mark:
        assert error.at is not None
        with open(error.at.file, encoding="utf-8") as file:
            line = file.readlines()[error.at.line - 1]
        assert row.mark in line, f"{line!r} does not hold {row.mark!r}"
