"""Every program of the corpus as users get it: compiled, equal to the interpreted one, and equal when called again."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest

from daad.api.subject.arguments import flatten
from tests.corpus import ALL, names
from tests.corpus.case import Case
from tests.corpus.selection import one_in
from tests.fuzz.thresholds import lowered
from tests.programs import compiled, interpreted


def leaves(value: Any) -> list[np.ndarray]:
    return [np.asarray(leaf) for _, leaf in flatten("", value)]


@pytest.mark.parametrize("case", one_in(12, "compiled", always=[c.name for c in names.CASES]))
def test_compiled_equals_interpreted(case: Case) -> None:
    check(case)


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("case", ALL, ids=lambda c: c.name)
def test_code_as_for_large_arrays_equals_interpreted(
    case: Case, compiler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    monkeypatch.setenv("CXX", compiler)
    monkeypatch.setenv("DAAD_CACHE", "off")  # it does not know of thresholds that are lowered
    with lowered():
        check(case)


def check(case: Case) -> None:
    gradient = compiled(case)
    first, second = (leaves(gradient(*case.arguments())) for _ in range(2))
    expected = leaves(interpreted(case)(*case.arguments()))
    for a, b, c in zip(first, second, expected, strict=True):
        assert np.array_equal(a, b, equal_nan=True)
        scale = np.max(np.abs(c), initial=1e-300)
        atol = 1e-13 + scale * (1e-4 if a.dtype == np.float32 else 1e-10)
        np.testing.assert_allclose(a, c, rtol=0, atol=atol)
