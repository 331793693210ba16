"""Reshapes are views in NumPy only where the order in memory allows: never a view in daad that NumPy copies."""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.errors import Unsupported
from tests.corpus.case import normal

CONTIGUOUS = (
    "np.sin(a)",
    "a[::-1] * 2",
    "a[:, ::2] + 1",
    "a.T.copy()",
    "np.ascontiguousarray(a.T)",
    "a.T.flatten()",
    "a[0] @ a[1].T",
    "np.dot(a[0].T, a[1])",
    "np.outer(a[0], a[1])",
    "a.sum(axis=0)",
    "a[0].T.sum(axis=0)",
    "np.concatenate([a, a], 1)",
    "np.stack([a, a], axis=-1)",
    "np.zeros((3, 4)) * a[0, 0, 0]",
    "a.reshape(6, 10) * 2",
    "a[[0, 1]]",
    "a[:, None] * a[:, :, None]",
    "a[:, :1] + np.ones((4, 1))",
)
ANY = (
    "np.sin(a.T)",
    "np.sin(a.T).T",
    "np.zeros((3, 4), order='F').T + np.sin(a[0]).T.T[0, 0]",
    "np.sin(a.T)[:, 0]",
    "np.sin(a.T).T[:, :, ::2]",
    "-a.T[::-1, :, ::-1]",
    "a.transpose(1, 0, 2) * 2",
    "np.where(a.T > 0, a.T, 0)",
    "np.copy(a.T)",
    "np.array(a.T)",
    "np.array(a, order='F')",
    "a.copy('F')",
    "np.asfortranarray(a[0])",
    "np.asarray(a, order='F')",
    "np.require(a[0].T, requirements='C')",
    "a.T.astype(np.float32)",
    "a.transpose(2, 0, 1).sum(-1)",
    "np.concatenate([a.T, a.T])",
    "np.stack([a.T, a.T])",
    "np.zeros_like(a.T) + a[0, 0, 0]",
    "np.zeros((3, 4)).T + a[0, 0, 0]",
    "np.zeros((3, 4)).T",
    "np.zeros((3, 4), order='F')",
    "np.cumsum(a.T, 0)",
    "np.roll(a.T, 1, 0)",
    "a.T[[0, 1]]",
    "a[:, [0, 1]]",
    "a[:, [0, 1], [0, 2]]",
    "a[:, np.array([[0, 1], [2, 3]]).T]",
    "np.take(a.T, [0, 1], 1)",
    "np.pad(a.T, 1)",
    "np.matmul(a.transpose(1, 0, 2), a.transpose(1, 2, 0))",
    "np.einsum('ij,jk->ki', a[0], a[1].T)",
    "np.einsum('ij->ji', a[0])",
    "np.einsum('iij->ij', a[:, :3])",
    "np.piecewise(a[0].T, [a[0].T > 0], [1.0, 2.0])",
    "np.linspace(a[0].T, a[1].T, 3)",
    "np.exp(a * 1j).imag",
    "np.fmax(a[0, 0] + 1j * a[0, 1], 0).imag",
    "np.sort(a.T, 0)",
    "np.c_[a[0].T, a[1].T]",
    "np.r_[a[0].T, a[1].T]",
    "np.vectorize(lambda v: v + 1)(a[0].T)",
    "linalg.cholesky(np.cov(a[0]), lower=True)",
    "signal.lfilter([0.3], [2.0, 0.5], a[0], axis=0)",
    "signal.filtfilt([0.3], [2.0, 0.5], a.ravel(), padlen=4)",
    "np.linspace(a[0, 0], a[0, 1], 3, axis=1)",
    "np.logspace(a[0, 0], a[0, 1], 3, axis=1)",
    "np.geomspace(np.abs(a[0, 0]) + 1, 5.0, 3, axis=1)",
    "np.copy(np.broadcast_to(a[0, :1], (4, 5)))",
    "np.roll(np.broadcast_to(a[0, :1], (4, 5)), 1)",
    "np.gradient(a.T)[0]",
    "a[0, :, :4].T * 2 if a[0, 0, 0] > 0 else a[0, :, :4] * 1.0",
    "a[::2] if a[0, 0, 0] > 9 else a[::2] * 2",
    "a[0, ::2]",
    "a[0, 0, ::2]",
    "a[0, :, 0]",
    "(a + 1)[0, ::2, 0]",
)
COMPLEX = (
    "np.exp(a.T * 1j)",
    "(a[0] * 1j).T * 2",
    "-(a[0] * 1j).T",
    "np.where(a.T > 0, a.T * 1j, 1)",
    "np.cross(a[0, :, :3] * (1 + 1j), a[1, :, :3] * (2 - 1j), axisc=0)",
)
ENDINGS = (
    "v = b.ravel(); b *= 2; return np.sum(v * np.arange(v.size))",
    "v = b.reshape(-1); v *= 2; return np.sum(b * np.arange(b.size).reshape(b.shape))",
    "v = b.reshape(b.shape[::-1]); b *= 2; return np.sum(v * np.arange(v.size).reshape(v.shape))",
)
LOOP = """
    b = a[0, :, :4] * 2
    for _ in range(3):
        v = b.ravel()
        v[1] += a[0, 0, 0]
        b = b.T * 1.1
    return np.sum(b * np.arange(16).reshape(4, 4))
"""
REFUSALS = ("may or may not share", "may stand for one of several")


def program(text: str) -> Callable[..., Any]:
    """The function with this body."""
    name = f"<layout {hash(text)}>"
    source = f"import numpy as np\nfrom scipy import linalg, signal\ndef f(a):\n    {text}\n"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space: dict[str, Any] = {}
    exec(compile(source, name, "exec"), space)
    return space["f"]  # type: ignore[no-any-return]


def value(function: Callable[..., Any], *args: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some of these results do not depend on what is differentiated
        return Gradient(function, Request(value=True), compiler=Interpreted)(*args)[0]  # type: ignore[arg-type]


def require_right_or_refused(text: str, argument: np.ndarray) -> None:
    function = program(text)
    expected = function(argument.copy(order="K"))
    found = value_or_refusal(function, argument)
    if isinstance(found, Unsupported):
        assert any(reason in found.message for reason in REFUSALS)
    else:
        assert found == pytest.approx(expected, rel=1e-12 if "float32" not in text else 1e-5)


def value_or_refusal(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return value(function, *args)
    except Unsupported as refused:
        return refused


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("made", CONTIGUOUS)
def test_what_is_contiguous_has_views(made: str, ending: str) -> None:
    function = program(f"a = a * 1.0; b = {made}; {ending}")
    assert value(function, normal(1, 3, 4, 5)) == pytest.approx(function(normal(1, 3, 4, 5)), rel=1e-12)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("made", ANY)
def test_what_may_not_be_is_right_or_refused(made: str, ending: str) -> None:
    require_right_or_refused(f"a = a * 1.0; b = {made}; {ending}", normal(1, 3, 4, 5))


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("made", COMPLEX)
def test_complex_numbers_have_an_order(made: str, ending: str) -> None:
    require_right_or_refused(f"a = a * 1.0; b = {made}; {ending}.real", normal(1, 3, 4, 5))


@pytest.mark.parametrize("text", ["a.reshape(12, 5, order='A')[1]", "a.T.ravel('A')[:7]", "a.T.ravel('K')[:7]"])
def test_the_order_of_a_complex_argument_is_known(text: str) -> None:
    argument = np.asfortranarray(normal(1, 3, 4, 5) + 1j * normal(2, 3, 4, 5))
    function = program(f"a = a.T; return np.sum({text}).real")
    assert value(function, np.ascontiguousarray(argument)) == pytest.approx(function(argument.copy()), rel=1e-12)


@pytest.mark.parametrize("text", ["b = a; " + ENDINGS[1], "b = np.cos(a); " + ENDINGS[0], LOOP.strip()])
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_the_order_of_an_argument_counts(text: str, order: str) -> None:
    argument = normal(1, 3, 4, 10)[:, :, ::2] if order == "strided" else np.asarray(normal(1, 3, 4, 5), order=order)
    require_right_or_refused(text, argument)


def test_one_gradient_takes_both_orders() -> None:
    function = program("v = a.ravel(); v *= 2; return np.sum(a * a)")
    gradient = Gradient(function, Request(value=True), compiler=Interpreted)  # type: ignore[arg-type]
    given = normal(1, 3, 4)
    assert gradient(given.copy())[0] == pytest.approx(4 * np.sum(given * given))
    with pytest.raises(Unsupported, match="may or may not share"):
        gradient(np.asfortranarray(given))
