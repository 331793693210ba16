"""DaCe programs, lifted and interpreted, compute what plain NumPy computes."""

from __future__ import annotations

import pytest

from tests.frontend.sdfg.compare import check_lift
from tests.frontend.sdfg.programs import ROWS, Row


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_lifted_program_computes_what_numpy_computes(row: Row) -> None:
    check_lift(row.program, row.reference, row.arguments(), rtol=row.rtol)
