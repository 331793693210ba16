"""Functions in nests run on whole vectors."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import numpy as np
import pytest

import daad


def steps(x, y):  # type: ignore[no-untyped-def]
    """Its adjoint needs the sine and the cosine of the same argument."""
    return np.sum(np.sin(x) * y)


@pytest.mark.skipif(platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc", reason="another C library")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sine_and_cosine_of_one_argument(dtype: str) -> None:
    x, y = np.linspace(0.0, 3.0, 100).astype(dtype), np.ones(100, dtype)
    before = set(Path(os.environ["DAAD_CACHE"]).rglob("*.so"))
    for found, expected in zip(daad.grad(steps, wrt=("x", "y"))(x, y), (np.cos(x), np.sin(x)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    (library,) = set(Path(os.environ["DAAD_CACHE"]).rglob("*.so")) - before
    code = library.read_bytes()
    assert b"sincos" not in code
    assert all(f"_{name}{'f' if dtype == 'float32' else ''}\0".encode() in code for name in ("sin", "cos"))
