"""NaN and infinities flow as in NumPy; derivatives at zeros, infinities, NaN are JAX's, or those of docs/numpy.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from tests.jax_oracle import jax_with_float64
from tests.nonfinite import (
    ELEMENTWISE,
    PAIRS,
    POINTS,
    REDUCTIONS,
    VECTORS,
    Reduction,
    Row,
    elementwise_function,
    rows_function,
    scalar_function,
    table_function,
    values_function,
)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
DOCUMENT = Path(__file__).parents[2] / "docs" / "numpy.md"


def interpreted(function: Callable[..., Any], **options: Any) -> Gradient:
    return Gradient(function, Request(value=True, **options), compiler=Interpreted)  # type: ignore[arg-type]


def assert_same(found: Any, wanted: Any, where: Any = slice(None)) -> None:
    """Equal, NaN where the other is NaN."""
    np.testing.assert_allclose(np.asarray(found)[where], np.asarray(wanted)[where], rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("row", ELEMENTWISE, ids=lambda row: row.text)
def test_each_operation_at_special_points(row: Row) -> None:
    jax = jax_with_float64()
    y, gradient = interpreted(elementwise_function(row.text), of="y", seed=1.0)(POINTS.copy())
    assert_same(y, eval(row.text, {"np": np, "x": POINTS}))
    wanted = jax.grad(elementwise_function(row.text, np=jax.numpy))(POINTS)
    assert_same(gradient, wanted, [k for k in range(POINTS.size) if k not in row.own])


@pytest.mark.parametrize("row", REDUCTIONS, ids=lambda row: row.text)
def test_each_reduction_of_special_vectors(row: Reduction) -> None:
    jax = jax_with_float64()
    gradient, reference = interpreted(scalar_function(row.text)), scalar_function(row.text, np=jax.numpy)
    for name, values in VECTORS.items():
        x = np.array(values)
        value, found = gradient(x.copy())
        assert_same(value, eval(row.text, {"np": np, "x": x}), ())
        if name not in row.own:
            assert_same(found, jax.grad(reference)(x))


def test_compiled_code_computes_the_same() -> None:
    texts = [row.text for row in ELEMENTWISE]
    function, x = rows_function(texts), np.tile(POINTS, (len(texts), 1))
    assert_compiled_as_interpreted(function, x, np.zeros_like(x))


def test_compiled_reductions_compute_the_same() -> None:
    function = table_function([row.text for row in REDUCTIONS], len(VECTORS))
    x = np.tile(list(VECTORS.values()), (len(REDUCTIONS), 1, 1))
    assert_compiled_as_interpreted(function, x, np.zeros(x.shape[:2]))


@pytest.mark.parametrize("compiler", [{"compiler": Interpreted}, {}], ids=["interpreted", "compiled"])
def test_values_are_numpys_to_the_sign_of_zero(compiler: dict[str, Any]) -> None:
    texts, function = values_function()
    points = np.tile(PAIRS, (len(texts), 1, 1))
    request = Request(of="all_y", seed=1.0, value=True, on_inputs="keep")
    found, _ = Gradient(function, request, **compiler)(points, np.zeros((len(texts), PAIRS.shape[1])))
    for text, got in zip(texts, found, strict=True):
        wanted = np.asarray(eval(text, {"np": np, "x": PAIRS[0], "y": PAIRS[1]}), dtype=float)
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=0, err_msg=text)
        differ = (np.signbit(got) != np.signbit(wanted)) & ~np.isnan(wanted)
        assert not differ.any(), f"{text} has another sign at {PAIRS[:, differ][:, 0]}"


def assert_compiled_as_interpreted(function: Callable[..., Any], x: np.ndarray, y: np.ndarray) -> None:
    ends = []
    for compiler in ({}, {"compiler": Interpreted}):
        written = y.copy()
        gradient = Gradient(function, Request(of="all_y", seed=1.0), **compiler)  # type: ignore[arg-type]
        ends.append((gradient(x.copy(), written), written))
    for compiled, expected in zip(*ends, strict=True):
        np.testing.assert_allclose(compiled, expected, rtol=1e-9, atol=1e-12)


UNTAKEN = [
    "np.where(x > 0, np.sqrt(x), 0.0)",
    "np.where(x > 1, np.log(x - 1.0), 0.0)",
    "np.where(x > 0, np.where(x > 1, np.log(x - 1.0), np.sqrt(x)), 0.0)",
    "np.where(x > 0, x ** -1.5, x)",
    "np.where(np.isfinite(x), 1.0 / x, 0.0)",
    "np.where(np.isfinite(x), x * x, 0.0)",
    "np.where(x == 0, 0.0, np.sin(x) / x)",
    "np.where(np.abs(x) < 1, np.arcsin(x), np.sign(x))",
    "np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), 0.0)",
    "np.where(np.isnan(x), 0.0, x * np.maximum(x, 0.0))",
    "np.where(np.isnan(x), 0.0, np.exp(x))",
    "np.where(x < 700, np.exp(x), 0.0) * 0.0",
    "np.where(np.isnan(x), 0.0, np.sqrt(np.maximum(x, -1.0) + 1.0))",
    "np.where(np.isnan(x), 0.0, np.minimum(np.exp(x), 2.0))",
    "np.where(np.isnan(x), 0.0, np.sqrt(4.0 - np.minimum(x * x, 4.0)))",
]


def taken_by_element(expression: str, x: np.ndarray) -> np.ndarray:
    """The derivative of what each element takes, by JAX one by one: safe, since `where` on a number is a branch."""
    jax = jax_with_float64()

    class Module:
        def __getattr__(self, name: str) -> Any:
            return getattr(jax.numpy, name)

        def where(self, condition: Any, a: Any, b: Any) -> Any:
            return (a if condition else b)()

        def maximum(self, a: Any, b: Any) -> Any:
            return jax.numpy.maximum(a, b) if a == b else a if a > b or a != a else b

        def minimum(self, a: Any, b: Any) -> Any:
            return -self.maximum(-a, -b)

    lazy = ast.unparse(_Lazily().visit(ast.parse(expression, mode="eval")))
    reference = scalar_function(lazy, np=Module())
    return np.array([jax.grad(reference)(item) for item in x])


class _Lazily(ast.NodeTransformer):
    """The sides of `np.where` become functions without arguments."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "where":
            empty = ast.arguments([], [], None, [], [], None, [])
            node.args[1:] = [ast.Lambda(empty, side) for side in node.args[1:]]
        return node


@pytest.mark.parametrize("expression", UNTAKEN)
def test_sides_that_are_not_taken_leak_nothing(expression: str) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 800.0])
    y, gradient = interpreted(elementwise_function(expression), of="y", seed=1.0)(x.copy())
    assert_same(y, eval(expression, {"np": np, "x": x}))
    assert_same(gradient, taken_by_element(expression, x))


TABLE = re.compile(
    r"^\| `(?P<call>[^`]+)` \| (?P<point>[^|]+) \| (?P<value>[^|]+) \| (?P<slope>[^|]+) \|$", re.MULTILINE
)


def documented() -> list[tuple[str, Any, Any, Any]]:
    names = {"nan": np.nan, "inf": np.inf}
    rows = []
    for found in TABLE.finditer(DOCUMENT.read_text()):
        point, value, slope = (eval(found[part], names) for part in ("point", "value", "slope"))
        rows.append((found["call"], point, value, slope))
    return rows


@pytest.mark.parametrize(("call", "point", "value", "slope"), documented())
def test_the_documented_table_is_true(call: str, point: Any, value: Any, slope: Any) -> None:
    x = np.array(point, dtype=float)
    found, gradient = interpreted(scalar_function(call.replace("a, b", "x[0], x[1]").replace("a**b", "x[0]**x[1]")))(x)
    np.testing.assert_allclose(found, value, rtol=1e-6)
    np.testing.assert_allclose(gradient, slope, rtol=1e-6)


def test_the_document_has_the_table() -> None:
    assert len(documented()) >= 30
