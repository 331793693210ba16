"""What SciPy's code calls to be written for arrays of several packages: the programs give what these functions give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy._lib import _array_api

from daad.frontend.library import array_api

ROW, MATRIX, FEW = np.arange(3.0), np.ones((2, 3), dtype=np.float32), [1, 2, 3]
ASKED: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "nothing": ((), {}),
    "one": ((ROW,), {}),
    "two": ((ROW, MATRIX), {}),
    "none among them": ((MATRIX, None), {}),
    "a list": ((FEW, FEW), {}),
    "floats": ((FEW, MATRIX), {"force_floating": True}),
    "one shape": ((ROW, MATRIX), {"broadcast": True}),
    "one shape of one": ((ROW, None), {"broadcast": True}),
}


@pytest.mark.parametrize(("arguments", "options"), ASKED.values(), ids=ASKED)
def test_promotion(arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    expected = _array_api.xp_promote(*arguments, **options, xp=np)
    found = array_api.xp_promote(*arguments, **options, xp=np)
    assert type(found) is type(expected)
    assert _described(found) == _described(expected)


def _described(found: Any) -> list[Any]:
    each = found if isinstance(found, tuple) else (found,)
    return [None if value is None else (np.shape(value), value.dtype, np.asarray(value).tolist()) for value in each]
