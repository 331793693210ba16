"""What NumPy rejects is rejected, in its words where they do not depend on data, and after the call where they do."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.errors import DaadError, InternalError

X = np.array([3.0, 1.0, 4.0, 1.5])
GIVEN: dict[str, Any] = {
    "x": X,
    "a": np.array([[1.0, 2.0, 0.5], [0.3, 4.0, 1.5]]),
    "k": np.array([1, 2, 0, 2]),
    "i": np.array([2, 3]),
    "none": np.full(3, np.nan),
    "low": -0.5,
    "high": 99.0,
}

BY_SHAPE_OR_OPTION = """
np.bincount(k[:, None]); np.bincount(k, x[:3], 5); np.bincount(k, x[0], 5); np.bincount(k, x, -2); np.bincount(x);
np.broadcast_to(x[0], (-1,)); np.cov(a, aweights=a); np.gradient(x[:1]); np.gradient(x[:2], edge_order=2);
np.histogram(x, weights=x[:3]); np.histogram(x, np.array([1.0, 3.0, 2.0]));
np.lib.stride_tricks.sliding_window_view(a, (3, 3)); np.pad(x[:0], 2, "edge"); np.rot90(a, axes=(1, 1));
np.select([k, k > 1], [x, x]); np.vsplit(x, 2); np.clip(x, 0, 1, max=2);
np.concatenate((x, x), dtype="f4", out=np.zeros(8)); np.dot(a, a.T, out=np.zeros((2, 2), np.float32));
np.einsum("ii", a); np.linalg.matrix_power(a, 1); np.linalg.multi_dot([a]); np.linalg.norm(a, "fro", 0);
np.linalg.outer(a, x); np.moveaxis(a, [0, 0], [0, 1]); np.maximum.reduce(x, where=k > 0); np.rollaxis(a, 0, 5);
np.tensordot(a, a, ([1, 1], [0, 0])); a.diagonal(0, 1, 1); np.searchsorted(x, 1.5, sorter=[0, 1]); x.item(7);
np.unravel_index(x[0], (2, 2)); np.repeat(x, [-1, 1, 1, 1]); np.ravel_multi_index((x[0], x[1]), (5, 5));
np.trim_zeros(x, "c"); np.choose(k, []); np.zeros((2**40, 2**40)) + x[0]; np.stack([x, 1.0], axis=1);
x.astype("i4", casting="same_value"); np.lexsort((x,), axis=1); x.argsort(order="heavy")
"""
"""Expressions, separated by semicolons."""

BY_DATA = """
np.quantile(x, low); np.percentile(x, high + 2.0); np.nanquantile(x, high); x[np.nanargmax(none)];
np.nanargmin(none[None], axis=1)[0]; np.max(x[x > high]); x[x > high].min(); max(x[x > high]); np.ptp(x[x > high]);
np.nanmax(x[x > high]); np.histogram(x / (low + 0.5))[1]; np.power(i, (low * i).astype(int) - 1);
(i ** (k[:2] - 1 + (low * i).astype(int))); x[np.where(x > high)[0].min()]; np.histogram(x, 4, (high, low))[0]
"""

ALLOWED = """
np.quantile(x, -2 * low); np.max(x[x < high]); x[np.nanargmin(x)]; np.power(i, (2 - low * i).astype(int));
np.max(x[x > high], initial=low); np.bincount(k, x, 5); x[x < high].max(); np.repeat(x, [0, 1, 2, 1]);
np.max(a[a[:, 0] > high], axis=1); i ** k[:2]; np.percentile(x, [0, 100])
"""


def _expressions(text: str) -> list[str]:
    return [expression.strip() for expression in text.split(";")]


def _asked(expression: str) -> Callable[..., Any]:
    """The sum of what the expression gives, times the first argument."""
    source = f"def total(scale, {', '.join(GIVEN)}):\n    return np.sum(np.asarray({expression}) * scale)\n"
    file = f"<expression {expression}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"np": np}
    exec(compile(source, file, "exec"), scope)
    return scope["total"]  # type: ignore[no-any-return]


def _raises(function: Callable[..., Any]) -> bool:
    try:
        function(1.0, **GIVEN)
    except Exception:
        return True
    return False


@pytest.mark.parametrize("expression", [*_expressions(BY_SHAPE_OR_OPTION), *_expressions(BY_DATA)])
@pytest.mark.filterwarnings("ignore")
def test_what_numpy_rejects_is_rejected(expression: str) -> None:
    function = _asked(expression)
    assert _raises(function)
    with pytest.raises(DaadError) as caught:
        Gradient(function, Request(wrt=("scale",)), compiler=Interpreted)(1.0, **GIVEN)
    assert not isinstance(caught.value, InternalError)
    assert caught.value.at is not None


@pytest.mark.parametrize("expression", _expressions(ALLOWED))
def test_what_numpy_takes_is_taken(expression: str) -> None:
    function = _asked(expression)
    found, _ = Gradient(function, Request(wrt=("scale",), value=True), compiler=Interpreted)(1.0, **GIVEN)
    np.testing.assert_allclose(found, function(1.0, **GIVEN), rtol=1e-12)
