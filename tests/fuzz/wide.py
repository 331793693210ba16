"""Random programs over arrays long enough for vectors of the processor, with what is left over."""

from __future__ import annotations

from unittest import mock

from hypothesis import strategies as st

from tests.fuzz import programs as written
from tests.fuzz.programs import RandomProgram, programs
from tests.fuzz.source import Draw

SIZES = ((5, 8), (5, 4), (4, 16), (3, 9), (2, 17), (2, 3), (1, 33), (1, 1), (1, 0))


@st.composite
def wide_programs(draw: Draw) -> RandomProgram:
    """As `programs`, with other sizes."""
    with mock.patch.object(written, "SIZES", SIZES):
        return draw(programs())
