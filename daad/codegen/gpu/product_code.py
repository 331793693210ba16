"""Calls of cuBLAS for products of matrices. It keeps matrices by columns, and so computes the transposed product."""

from __future__ import annotations

from collections.abc import Callable

from daad.codegen.gpu.scaled_products import ScaledProduct
from daad.codegen.gpu.surroundings import indented
from daad.codegen.schedule.contractions import Dimension, is_matrix
from daad.ir.affine import Affine

LETTERS = {"float64": "D", "float32": "S"}


def product_lines(product: ScaledProduct, spell: Callable[[Affine], str], pointer: Callable[[str], str]) -> list[str]:
    """The statements of a product, again for each point of what it is repeated over; one such dimension along which
    targets differ is left to cuBLAS."""
    found = product.contraction
    batch = max((d for d in found.around if d.target), key=lambda d: d.typical, default=None)
    loops = [d for d in found.around if d is not batch]
    places = []
    for side, (array, base) in enumerate(zip((found.left, found.right, found.target), found.bases, strict=True)):
        steps = [f" + {_step(d, side)} * n__v{k}" for k, d in enumerate(loops) if _step(d, side)]
        places.append(f"{pointer(array)} + {spell(base)}{''.join(steps)}")
    call = _call(product, spell, pointer, places, batch)
    lines = [f"if (int code = {call}) return PRODUCT_FAILED + code;"]
    for k, d in reversed(list(enumerate(loops))):
        head = f"for (int64_t n__v{k} = 0; n__v{k} < {spell(d.size)}; ++n__v{k}) {{"
        lines = [head, *indented(lines), "}"]
    tests = [f"{spell(d.size)} > 0" for d in (found.rows, found.columns, found.summed) if not _is_positive(d.size)]
    return [f"if ({' && '.join(tests)}) {{", *indented(lines), "}"] if tests else lines


def _call(
    product: ScaledProduct,
    spell: Callable[[Affine], str],
    pointer: Callable[[str], str],
    places: list[str],
    batch: Dimension | None,
) -> str:
    found = product.contraction
    rows, columns, summed = found.rows, found.columns, found.summed
    is_plain = is_matrix(rows.left, summed.left, summed.most), is_matrix(summed.right, columns.right, columns.most)
    flags = ["CUBLAS_OP_N" if plain else "CUBLAS_OP_T" for plain in is_plain]
    leading = (
        rows.left if is_plain[0] else summed.left,
        summed.right if is_plain[1] else columns.right,
        rows.target,
    )
    steps = [f", {_step(batch, side)}" if batch else "" for side in range(3)]
    left, right, target = (f"{place}, {lead}{step}" for place, lead, step in zip(places, leading, steps, strict=True))
    sizes = ", ".join(spell(d.size) for d in (columns, rows, summed))
    count = f", {spell(batch.size)}" if batch else ""
    return (
        f"cublas{LETTERS[found.dtype]}gemm{'StridedBatched' if batch else ''}(state->products, {flags[1]}, {flags[0]}, "
        f"{sizes}, {pointer(product.scale)}, {right}, {left}, {pointer(product.one)}, {target}{count})"
    )


def _step(dimension: Dimension, side: int) -> int:
    return (dimension.left, dimension.right, dimension.target)[side]


def _is_positive(size: Affine) -> bool:
    return size.is_const and size.const > 0
