"""SDFGs built by hand, lifted and interpreted; the user's SDFG stays as it is."""

from __future__ import annotations

import copy

import pytest

from daad.frontend.sdfg import lift
from tests.frontend.sdfg.compare import check_lift
from tests.frontend.sdfg.sdfgs import ROWS, Row, mapped_tasklet, nested_sdfg


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_lifted_sdfg_computes_what_numpy_computes(row: Row) -> None:
    check_lift(row.build(), row.reference, row.arguments())


@pytest.mark.parametrize("build", [mapped_tasklet, nested_sdfg])
def test_sdfg_of_the_user_is_not_modified(build) -> None:  # type: ignore[no-untyped-def]
    row = next(row for row in ROWS if row.build is build)
    sdfg = build()
    before = copy.deepcopy(sdfg.to_json())
    lift(sdfg, row.arguments())
    assert sdfg.to_json() == before
