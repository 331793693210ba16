"""`@dace.program` versions of kernels have the gradients of the plain NumPy functions, at several sizes in a row."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.corpus import dace_kernels
from tests.corpus.case import Case, normal
from tests.programs import compiled, interpreted


def assert_same(found: tuple[np.ndarray, ...], wanted: tuple[np.ndarray, ...]) -> None:
    for one, other in zip(found, wanted, strict=True):
        rtol = 1e-5 if one.dtype == np.float32 else 1e-10
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol * np.max(np.abs(other), initial=0.0))


@pytest.mark.parametrize("case", dace_kernels.CASES, ids=lambda case: case.name)
def test_gradient_is_that_of_the_plain_function(case: Case) -> None:
    plain = dataclasses.replace(case, function=case.reference)
    assert_same(interpreted(case)(*case.arguments()), interpreted(plain)(*case.arguments()))


@pytest.mark.parametrize("name", ["jacobi_2d", "cholesky"])
def test_sizes_change_from_call_to_call(name: str) -> None:
    case = next(case for case in dace_kernels.CASES if case.name.endswith(f".{name}"))
    case = dataclasses.replace(case, seed=1.0)
    gradient, plain = compiled(case), interpreted(dataclasses.replace(case, function=case.reference))
    known = {}
    for size in (6, 9, 6):
        spread = [normal(seed, size, size) + 8 * np.eye(size) for seed in (1, 2)]
        arguments = (3, *spread) if name == "jacobi_2d" else spread[:1]
        assert_same(gradient(*(np.copy(a) if np.ndim(a) else a for a in arguments)), plain(*arguments))
        assert known.setdefault(size, gradient.sdfg) is gradient.sdfg
