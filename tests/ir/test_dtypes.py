"""Kinds of dtypes by their names."""

from __future__ import annotations

import numpy as np
import pytest

from daad.ir.dtypes import is_float, is_integer

NAMES = ("bool", "int8", "int64", "uint8", "uint64", "float16", "float32", "float64", "complex128")


@pytest.mark.parametrize("name", NAMES)
def test_kinds(name: str) -> None:
    dtype = np.dtype(name)
    assert is_float(name) == np.issubdtype(dtype, np.floating)
    assert is_integer(name) == np.issubdtype(dtype, np.integer)
