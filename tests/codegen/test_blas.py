"""Products by BLAS: what threads share, and that the results do not depend on how many there are."""

from __future__ import annotations

import numpy as np
import pytest

from daad.codegen.safe_names import name_everything
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.sdfg.blas import blas_call
from daad.ir.nodes import Nest
from tests.codegen.running import arguments, assert_agrees, call, team_of
from tests.codegen.text import program

ARRAYS = (
    "A: float64[603, 205]; B: float64[205, 199]; T: float64[199, 205]; C: float64[603, 199]; D: float64[603, 199]; "
    "S: float32[5, 70]; U: float32[70, 6000]; V: float32[5, 6000]; x: float64[205]; y: float64[603]; z: float64[205]"
)
IJK = "i=(0, 603), j=(0, 199), k=(0, 205)"
PRODUCTS = {
    "rows": (IJK, "C[i, j] += A[i, k] * B[k, j]", "share_matrix(603, 199, 205, "),
    "rows of a transposed factor": (IJK, "D[i, j] += A[i, k] * T[j, k]", "share_matrix(603, 199, 205, "),
    "columns": ("i=(0, 5), j=(0, 6000), k=(0, 70)", "V[i, j] += S[i, k] * U[k, j]", "share_matrix(5, 6000, 70, "),
    "vector": ("i=(0, 603), k=(0, 205)", "y[i] += A[i, k] * x[k]", "share_vector(603, 205, "),
    "transposed": ("i=(0, 603), k=(0, 205)", "z[k] += A[i, k] * y[i]", "share_vector(205, 603, "),
    "many rows": ("i=(0, 603), j=(0, 2), k=(0, 205)", "C[i, j] += A[i, k] * B[k, j]", "share_matrix(603, 2, 205, "),
    "small": ("i=(0, 30), j=(0, 30), k=(0, 30)", "C[i, j] += A[i, k] * B[k, j]", ""),
}


@pytest.mark.parametrize("row", PRODUCTS.values(), ids=PRODUCTS.keys())
def test_threads_share_what_can_be_large(row: tuple[str, str, str]) -> None:
    domain, statement, shared = row
    made = program("p", ARRAYS, f"with nest({domain}):\n    {statement}")
    (nest,) = made.body
    assert isinstance(nest, Nest)
    code = blas_call(nest, Context(made, name_everything(made)))
    assert code is not None
    assert shared in code.text
    assert ("share" in code.text) == bool(shared)


def test_bits_do_not_depend_on_the_number_of_threads() -> None:
    body = "\n".join(f"with nest({domain}):\n    {statement}" for domain, statement, _ in PRODUCTS.values())
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
