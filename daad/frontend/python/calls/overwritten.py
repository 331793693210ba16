"""Solvers of `scipy.linalg` that may put the solution in the place of the right-hand side: they do where that lies in
memory as LAPACK wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from daad.frontend.numpy.calling.signatures import signature_of
from daad.frontend.numpy.shapes.reshape import transposed
from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging.memory_order import is_contiguous
from daad.frontend.staging.values import ArrayValue, View

SOLVING = ("solve", "solve_triangular", "solve_banded", "solveh_banded", "cho_solve", "cho_solve_banded", "lu_solve")


def put_back(reader: Reader, function: Any, args: Sequence[Any], keywords: Mapping[str, Any], found: Any) -> None:
    """The argument 'b' holds the solution from here on, if it may and does."""
    if getattr(function, "__name__", "") not in SOLVING or not isinstance(found, ArrayValue):
        return
    signature = signature_of(function)
    if signature is None or "overwrite_b" not in signature.parameters:
        return
    given = signature.bind(*args, **keywords).arguments
    b = given.get("b")
    if given.get("overwrite_b") is not True or not isinstance(b, View) or b.dtype != found.dtype:
        return
    if b.ndim != found.ndim or not all(map(reader.stage.same_extent, b.shape, found.shape)):
        return
    if _is_in_columns(reader, b):
        reader.stage.store(b, reader.stage.copy(found, "solution"))


def _is_in_columns(reader: Reader, b: View) -> bool:
    """Whether one column after the other follows in memory."""
    stage = reader.stage
    if b.base in stage.unordered:
        stage.refuse(
            "It is not known whether 'overwrite_b' puts the solution in the place of the right-hand side.",
            "Leave 'overwrite_b' out.",
        )
    turned = b if b.ndim < 2 else transposed(stage, b)
    return isinstance(turned, View) and is_contiguous(turned, stage)
