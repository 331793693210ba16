"""Products by BLAS: what threads share, and that the results do not depend on how many there are."""

from __future__ import annotations

import dace
import numpy as np
import pytest

from daad.codegen.safe_names import name_everything
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.sdfg.blas import blas_call
from daad.codegen.sdfg.product_nodes import ProductNode
from daad.codegen.sdfg.whole_program import lower
from daad.ir.interpreter import run
from daad.ir.nodes import Nest
from tests.codegen.running import arguments, assert_agrees, call, team_of
from tests.texts import program

ARRAYS = (
    "A: float64[603, 205], B: float64[205, 199], T: float64[199, 205], C: float64[603, 199], D: float64[603, 199], "
    "S: float32[5, 70], U: float32[70, 6000], V: float32[5, 6000], x: float64[205], y: float64[603], z: float64[205]"
)
IJK = "i in 0 .. 603, j in 0 .. 199, k in 0 .. 205"
WIDE = "i in 0 .. 5, j in 0 .. 6000, k in 0 .. 70"
NARROW = "i in 0 .. 603, j in 0 .. 2, k in 0 .. 205"
PRODUCTS = {
    "rows": (IJK, "C[i, j] += A[i, k] * B[k, j]", "share_matrix(603, 199, 205, "),
    "rows of a transposed factor": (IJK, "D[i, j] += A[i, k] * T[j, k]", "share_matrix(603, 199, 205, "),
    "columns": (WIDE, "V[i, j] += S[i, k] * U[k, j]", "share_matrix(5, 6000, 70, "),
    "vector": ("i in 0 .. 603, k in 0 .. 205", "y[i] += A[i, k] * x[k]", "share_vector(603, 205, "),
    "transposed": ("i in 0 .. 603, k in 0 .. 205", "z[k] += A[i, k] * y[i]", "share_vector(205, 603, "),
    "many rows": (NARROW, "C[i, j] += A[i, k] * B[k, j]", "share_matrix(603, 2, 205, "),
    "small": ("i in 0 .. 30, j in 0 .. 30, k in 0 .. 30", "C[i, j] += A[i, k] * B[k, j]", ""),
}


@pytest.mark.parametrize("row", PRODUCTS.values(), ids=PRODUCTS.keys())
def test_threads_share_what_can_be_large(row: tuple[str, str, str]) -> None:
    domain, statement, shared = row
    made = program("p", ARRAYS, f"for {domain}:\n  {statement}")
    (nest,) = made.body
    assert isinstance(nest, Nest)
    code = blas_call(nest, Context(made, name_everything(made)))
    assert code is not None
    assert shared in code.text
    assert ("share" in code.text) == bool(shared)


SMALL = (
    "E: float64[3, 20, 20], F: float64[3, 20, 20], G: float64[3, 20, 20], s: float64[], t: float64[], "
    "H: float32[9, 11], J: float32[13, 9], K: float32[11, 13], L: float64[43, 103], y: float64[43], x: float64[110], "
    "M: float64[200, 201], v: float64[200], w: float64[201]"
)
BATCHES = "b in 0 .. 3, i in 0 .. 20, j in 0 .. 20, k in 0 .. 20"
BY_DACE = {
    "batches": (BATCHES, "E[b, i, j] += -s * F[b, i, k] * G[b, k, j] / t"),
    "transposed": ("i in 0 .. 9, j in 0 .. 11, k in 0 .. 13", "H[i, j] += J[k, i] * K[j, k]"),
    "shifted": ("i in 1 .. 40, k in 0 .. 100", "y[i + 2] += L[i, k + 3] * x[k + 7]"),
    "vector by columns": ("i in 0 .. 200, k in 0 .. 201", "w[k] += t * M[i, k] * v[i]"),
}


@pytest.mark.parametrize("implementation", ["OpenBLAS", "DaCe"])
def test_library_nodes_are_expanded_and_compiled_by_dace(implementation: str) -> None:
    """Saved and loaded before: calls of OpenBLAS, or DaCe's own library nodes as these are by default."""
    body = "\n".join(f"for {domain}:\n  {statement}" for domain, statement in BY_DACE.values())
    made = program("p", SMALL, body)
    sdfg = dace.SDFG.from_json(lower(made).to_json())
    sdfg.name = f"products_by_{implementation}"
    products = [node for node, _ in sdfg.all_nodes_recursive() if isinstance(node, ProductNode)]
    assert len(products) == len(BY_DACE)
    for node in products:
        node.implementation = implementation
    sdfg.validate()
    values = arguments(made)
    given = {name: np.copy(np.atleast_1d(value)) for name, value in values.items()}
    names = name_everything(made)
    sdfg(**{names[name]: value for name, value in given.items()})
    for name, expected in run(made, values).items():
        tolerance = 1e-5 if expected.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(given[name].reshape(expected.shape), expected, rtol=tolerance, atol=tolerance)


def test_bits_do_not_depend_on_the_number_of_threads() -> None:
    body = "\n".join(f"for {domain}:\n  {statement}" for domain, statement, _ in PRODUCTS.values())
    made = program("p", ARRAYS, body)
    values = arguments(made)
    compiled = assert_agrees(made, values)
    found = []
    with team_of(compiled) as threads:
        for count in (1, 2, 3):
            threads.value = count
            found.append(call(compiled, made, values))
    for name, array in found[0].items():
        for other in found[1:]:
            np.testing.assert_array_equal(array, other[name], err_msg=name)
