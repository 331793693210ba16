"""Calls of OpenBLAS for contractions that are large enough."""

from __future__ import annotations

from daad.codegen.cpp.tasklet import TaskletCode, write_product
from daad.codegen.schedule.contractions import Contraction, Dimension, Kind, find_contraction, is_matrix
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.sdfg.symbolic_forms import text
from daad.ir.affine import Affine
from daad.ir.nodes import Const, Expr, Nest, Op

# Multiplications from which OpenBLAS beats a plain loop, measured against gcc with AVX-512: a row-wise gemv early (gcc
# sums each row alone), a column-wise one where a second thread starts to help.
LEAST_GEMM = 500
LEAST_GEMV_ROWS = 1_000
LEAST_GEMV_COLUMNS = 30_000
# Multiplications from which threads can be worth it, see `daad::share_matrix`.
LEAST_SHARED = 100_000
PREFIX = {"float64": "scipy_cblas_d", "float32": "scipy_cblas_s"}


def blas_call(nest: Nest, context: Context) -> TaskletCode | None:
    """The tasklet that calls BLAS instead of a nest, None if loops are better."""
    found = _worthwhile(nest, context)
    if found is None:
        return None
    return write_product(
        (found.left, found.right, found.target),
        _scale(found),
        lambda scale, pointers: _lines(found, scale, pointers, context),
        frozenset(("products",) if _is_shared(found) else ()),
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


def _scale(call: Contraction) -> Expr:
    """alpha as an expression."""
    value: Expr = Const(-1.0 if call.negative else 1.0, call.dtype)
    for factor in call.factors:
        value = Op("multiply", (value, factor), call.dtype)
    for divisor in call.divisors:
        value = Op("divide", (value, divisor), call.dtype)
    return value


def _lines(call: Contraction, scale: str, pointers: tuple[str, str, str], context: Context) -> list[str]:
    sizes = (call.rows, call.columns, call.summed)
    guard = " && ".join(f"{_form(d.size, context)} > 0" for d in sizes if not (d.size.is_const and d.size.const > 0))
    lines = [
        f"for (int64_t n__v{i} = 0; n__v{i} < {_form(d.size, context)}; ++n__v{i})" for i, d in enumerate(call.around)
    ]
    if guard:
        lines.append(f"if ({guard})")
    places = [
        " + ".join([pointer, _form(base, context), *_offsets(call.around, side)])
        for pointer, base, side in zip(pointers, call.bases, ("left", "right", "target"), strict=True)
    ]
    return [*lines, *SHARED[call.kind](call, scale, places, context)]


def _form(form: Affine, context: Context) -> str:
    return text(form, context.names)


def _offsets(around: tuple[Dimension, ...], side: str) -> list[str]:
    return [f"{getattr(d, side)} * n__v{i}" for i, d in enumerate(around) if getattr(d, side)]


def _is_shared(call: Contraction) -> bool:
    """Can the product become large enough for threads?"""
    return call.rows.most * call.columns.most * call.summed.most >= LEAST_SHARED


def _shared_gemm(call: Contraction, scale: str, places: list[str], context: Context) -> list[str]:
    rows, columns, summed = (_form(d.size, context) for d in (call.rows, call.columns, call.summed))
    if not _is_shared(call):
        return [_gemm(call, scale, places, (rows, columns, summed))]
    left, right, target = places
    block = [
        f"{left} + {call.rows.left} * row__v",
        f"{right} + {call.columns.right} * column__v",
        f"{target} + {call.rows.target} * row__v + column__v",
    ]
    return [
        f"daad::share_matrix({rows}, {columns}, {summed}, "
        "[&](int64_t row__v, int64_t rows__v, int64_t column__v, int64_t columns__v) {",
        f"    {_gemm(call, scale, block, ('rows__v', 'columns__v', summed))}",
        "});",
    ]


def _shared_gemv(call: Contraction, scale: str, places: list[str], context: Context) -> list[str]:
    rows, summed = (_form(d.size, context) for d in (call.rows, call.summed))
    if not _is_shared(call):
        return [_gemv(call, scale, places, (rows, summed))]
    left, right, target = places
    block = [f"{left} + {call.rows.left} * row__v", right, f"{target} + {call.rows.target} * row__v"]
    return [
        f"daad::share_vector({rows}, {summed}, [&](int64_t row__v, int64_t rows__v) {{",
        f"    {_gemv(call, scale, block, ('rows__v', summed))}",
        "});",
    ]


def _gemm(call: Contraction, scale: str, places: list[str], sizes: tuple[str, str, str]) -> str:
    rows, columns, summed = call.rows, call.columns, call.summed
    plain_left = is_matrix(rows.left, summed.left, summed.most)
    plain_right = is_matrix(summed.right, columns.right, columns.most)
    lead_left = rows.left if plain_left else summed.left
    lead_right = summed.right if plain_right else columns.right
    left, right, target = places
    return (
        f"{PREFIX[call.dtype]}gemm(CblasRowMajor, {_flag(plain_left)}, {_flag(plain_right)}, {', '.join(sizes)}, "
        f"{scale}, {left}, {lead_left}, {right}, {lead_right}, 1, {target}, {rows.target});"
    )


def _gemv(call: Contraction, scale: str, places: list[str], sizes: tuple[str, str]) -> str:
    rows, summed = call.rows, call.summed
    plain = is_matrix(rows.left, summed.left, summed.most)
    major, minor = sizes if plain else (sizes[1], sizes[0])
    lead = rows.left if plain else summed.left
    left, right, target = places
    return (
        f"{PREFIX[call.dtype]}gemv(CblasRowMajor, {_flag(plain)}, {major}, {minor}, {scale}, {left}, {lead}, "
        f"{right}, {summed.right}, 1, {target}, {rows.target});"
    )


def _flag(plain: bool) -> str:
    return "CblasNoTrans" if plain else "CblasTrans"


SHARED = {Kind.GEMM: _shared_gemm, Kind.GEMV: _shared_gemv}
