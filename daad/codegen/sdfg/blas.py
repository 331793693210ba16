"""Products by BLAS, for contractions that are large enough."""

from __future__ import annotations

from daad.codegen.cpp.product import Axis, Product
from daad.codegen.cpp.tasklet import write_product
from daad.codegen.cpp.tasklet_code import Operand, TaskletCode
from daad.codegen.schedule.contractions import Contraction, Dimension, Kind, find_contraction, is_matrix
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.sdfg.symbolic_forms import text
from daad.ir.nodes import Nest

# Multiplications from which OpenBLAS beats a plain loop, measured against gcc with AVX-512: a row-wise gemv early (gcc
# sums each row alone), a column-wise one where a second thread starts to help.
LEAST_GEMM = 500
LEAST_GEMV_ROWS = 1_000
LEAST_GEMV_COLUMNS = 30_000
# Multiplications from which threads can be worth it, see `daad::share_matrix`.
LEAST_SHARED = 100_000


def blas_call(nest: Nest, context: Context) -> TaskletCode | None:
    """The product that BLAS computes instead of a nest, None if loops are better."""
    found = _worthwhile(nest, context)
    if found is None:
        return None
    return write_product(
        nest,
        (found.left, found.right, found.target),
        found.scale,
        lambda operands, read, scale, before: _product(found, operands, read, scale, before, context),
        context,
    )


def is_left_to_blas(nest: Nest, context: Context) -> bool:
    """Will the nest become a call?"""
    return _worthwhile(nest, context) is not None


def _worthwhile(nest: Nest, context: Context) -> Contraction | None:
    if context.is_portable:
        return None
    found = find_contraction(nest, context.arrays, context.known)
    return found if found and found.work >= _least_work(found) else None


def _least_work(call: Contraction) -> int:
    if call.kind is Kind.GEMM:
        return LEAST_GEMM
    return LEAST_GEMV_ROWS if call.summed.left == 1 else LEAST_GEMV_COLUMNS


def _product(
    call: Contraction,
    operands: tuple[Operand, Operand, Operand],
    read: str,
    scale: str,
    before: tuple[str, ...],
    context: Context,
) -> Product:
    left, right, target = (operand.pointer for operand in operands)
    rows, columns, summed = call.rows, call.columns, call.summed
    sizes = (d.size for d in (rows, columns, summed))
    places = zip(call.bases, operands, strict=True)
    starts = tuple(text(base - operand.start, context.names) for base, operand in places)
    return Product(
        dtype=call.dtype,
        left=left,
        right=right,
        target=target,
        read=read,
        starts=(starts[0], starts[1], starts[2]),
        rows=_axis(rows, context),
        columns=_axis(columns, context) if call.kind is Kind.GEMM else None,
        summed=_axis(summed, context),
        around=tuple(_axis(d, context) for d in call.around),
        is_plain_left=is_matrix(rows.left, summed.left, summed.most),
        is_plain_right=is_matrix(summed.right, columns.right, columns.most),
        scale=scale,
        before=before,
        may_be_empty=tuple(text(n, context.names) for n in sizes if not (n.is_const and n.const > 0)),
        is_shared=rows.most * columns.most * summed.most >= LEAST_SHARED,
    )


def _axis(dimension: Dimension, context: Context) -> Axis:
    return Axis(text(dimension.size, context.names), dimension.left, dimension.right, dimension.target)
