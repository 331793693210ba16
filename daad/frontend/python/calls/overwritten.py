"""Solvers of `scipy.linalg` that may put the solution in the place of the right-hand side: they do where that lies in
memory as LAPACK wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from daad.frontend.numpy.calling.signatures import signature_of
from daad.frontend.numpy.complex.complex_lifting import jointly
from daad.frontend.numpy.shapes.reshape import transposed
from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging.memory_order import is_contiguous
from daad.frontend.staging.values import ArrayValue, Complex, View

SOLVING = ("solve", "solve_triangular", "solve_banded", "solveh_banded", "cho_solve", "cho_solve_banded", "lu_solve")


def put_back(reader: Reader, function: Any, args: Sequence[Any], keywords: Mapping[str, Any], found: Any) -> None:
    """The argument 'b' holds the solution from here on, if it may and does."""
    if getattr(function, "__name__", "") not in SOLVING or not isinstance(found, ArrayValue | Complex):
        return
    signature = signature_of(function)
    if signature is None or "overwrite_b" not in signature.parameters:
        return
    given = signature.bind(*args, **keywords).arguments
    b = given.get("b")
    if given.get("overwrite_b") is not True or not isinstance(b, ArrayValue | Complex) or b.dtype != found.dtype:
        return
    if b.ndim != found.ndim or not all(map(reader.stage.same_extent, b.shape, found.shape)):
        reader.stage.refuse(
            "'overwrite_b' with one right-hand side for several matrices is not supported.", "Leave 'overwrite_b' out."
        )
    if isinstance(b, Complex) and isinstance(found, Complex):
        with jointly(reader.stage):
            is_in_columns = _is_in_columns(reader, b.real)
        pairs = [(b.real, found.real), (b.imag, found.imag)] if is_in_columns else []
    else:
        pairs = [(b, found)] if _is_in_columns(reader, b) else []
    for place, solution in pairs:
        reader.stage.store(place, reader.stage.copy(solution, "solution"))


def _is_in_columns(reader: Reader, b: Any) -> TypeGuard[View]:
    """Whether one column after the other follows in memory."""
    stage = reader.stage
    if not isinstance(b, View):
        return False
    if b.base in stage.unordered:
        stage.refuse(
            "It is not known whether 'overwrite_b' puts the solution in the place of the right-hand side.",
            "Leave 'overwrite_b' out.",
        )
    turned = b if b.ndim < 2 else transposed(stage, b)
    return isinstance(turned, View) and is_contiguous(turned, stage)
