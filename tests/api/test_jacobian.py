"""Jacobians and Hessians: forward, reverse, sparse, against columns by differences and against each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import daad

X = np.linspace(0.3, 1.1, 9)
U = np.cos(np.arange(42.0)).reshape(6, 7)


def laplacian(u):
    r = np.zeros_like(u)
    r[1:-1, 1:-1] = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1] ** 2
    return r


def tridiagonal(x):
    y = 2 * x
    y[1:] += x[:-1] ** 2
    y[:-1] += np.sin(x[1:])
    return y


def rolled(x):
    return np.roll(x, 1) * x + np.roll(x, -1)


def gathered(x, idx):
    return x[idx] ** 2


def wide(x):
    return x[:3] * np.sum(x[3:6])


def two(x, y):
    return {"a": x[1:4] * y, "b": np.outer(y, y)}


def marching(x, steps):
    for _ in range(steps):
        x[1:-1] = x[1:-1] + 0.1 * (x[2:] - 2.0 * x[1:-1] + x[:-2])
    return x


def chosen(x, k):
    if x[0] > 0.0:
        x[k] = x[k + 1] * 2.0
    return x * x


def triangle(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        for j in range(i):
            y[i] += x[i] * x[j]
    return y


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def heat(u, k, steps):
    for _ in range(steps):
        u[1:-1] = u[1:-1] + k[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...], Any, int]] = [
    (laplacian, (U,), None, 5),
    (tridiagonal, (X,), None, 3),
    (rolled, (X,), None, 3),
    (gathered, (X, np.array([0, 3, 3])), None, 1),
    (gathered, (X, np.array([[1, 2], [8, 0]])), None, 1),
    (wide, (X,), None, 3),
    (two, (X[:4], X[:3]), ("x", "y"), 3),
    (marching, (X, 2), None, 5),
    (chosen, (X, 3), None, 2),
    (triangle, (X[:5],), None, 5),
]
IDS = [f"{f.__name__}-{k}" for k, (f, *_) in enumerate(CASES)]


def differences(function: Callable[..., Any], arguments: tuple[Any, ...], wrt: Any) -> np.ndarray:
    """The matrix of shape (y.size, x.size) by central differences."""
    columns = []
    for place in range(len(wrt or (0,))):
        for k in range(arguments[place].size):
            ends = []
            for sign in (1, -1):
                moved = [np.array(a) if isinstance(a, np.ndarray) else a for a in arguments]
                moved[place].flat[k] += sign * 1e-6
                found = function(*moved)
                ends.append(np.concatenate([np.ravel(v) for v in (found.values() if wrt else [found])]))
            columns.append((ends[0] - ends[1]) / 2e-6)
    return np.stack(columns, axis=1)


def matrix(found: Any, arguments: tuple[Any, ...], wrt: Any) -> np.ndarray:
    """A dense Jacobian as the same matrix."""
    if wrt is None:
        return found.reshape(-1, arguments[0].size)
    rows = [
        np.concatenate([part.reshape(-1, a.size) for part, a in zip(f, arguments, strict=True)], 1)
        for f in found.values()
    ]
    return np.concatenate(rows)


@pytest.mark.parametrize("mode", ["forward", "reverse", "auto"])
@pytest.mark.parametrize(("function", "arguments", "wrt", "colours"), CASES, ids=IDS)
def test_jacobian_is_that_of_differences(function: Any, arguments: Any, wrt: Any, colours: int, mode: str) -> None:
    found = matrix(daad.jacobian(function, wrt=wrt, mode=mode)(*arguments), arguments, wrt)
    np.testing.assert_allclose(found, differences(function, arguments, wrt), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize(("function", "arguments", "wrt", "colours"), CASES, ids=IDS)
def test_sparse_jacobian_holds_all_entries(function: Any, arguments: Any, wrt: Any, colours: int) -> None:
    jacobian = daad.jacobian(function, wrt=wrt, sparse=True)
    found = jacobian(*arguments)
    np.testing.assert_allclose(found.toarray(), differences(function, arguments, wrt), rtol=1e-7, atol=1e-8)
    assert jacobian.colours.max() + 1 <= colours
    assert found.nnz <= jacobian.pattern.nnz


def test_pattern_follows_indices() -> None:
    jacobian = daad.jacobian(gathered, sparse=True)
    first, second = (jacobian(X, np.array(idx)).toarray() for idx in ([0, 1], [2, 2]))
    assert [*map(tuple, np.argwhere(first))] == [(0, 0), (1, 1)]
    assert [*map(tuple, np.argwhere(second))] == [(0, 2), (1, 2)]


@pytest.mark.parametrize("size", [8, 9])
def test_five_point_stencil_needs_five_colours_on_any_grid(size: int) -> None:
    jacobian = daad.jacobian(laplacian, sparse=True)
    jacobian(np.ones((size, 2 * size + 1)))
    assert jacobian.colours.max() + 1 == 5


def test_hessian_of_a_chained_rosenbrock_function_needs_three_colours() -> None:
    hessian = daad.hessian(rosenbrock, sparse=True)
    dense = daad.hessian(rosenbrock)(X)
    np.testing.assert_allclose(hessian(X).toarray(), dense, rtol=1e-13)
    assert hessian.colours.max() + 1 == 3
    gradient = daad.grad(rosenbrock)
    by_differences = [(gradient(X + 1e-6 * e) - gradient(X - 1e-6 * e)) / 2e-6 for e in np.eye(X.size)]
    np.testing.assert_allclose(dense, by_differences, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("limit", [None, "2KiB"])
def test_higher_orders_of_a_loop_and_within_a_limit(limit: str | None) -> None:
    u, k = np.sin(np.linspace(0.0, 3.0, 8)), np.full(8, 0.25)
    inner = daad.grad(heat, wrt="k", memory_limit=limit)
    dense = daad.hessian(heat, wrt="k")(u, k, 20)
    np.testing.assert_allclose(dense, dense.T, rtol=0, atol=1e-12)
    second = daad.grad(inner, wrt=("k", "u"), seed=k)
    np.testing.assert_allclose(second(u, k, 20)[0], dense @ k, rtol=1e-10)
    product = daad.hvp(heat, wrt="k")(u, k, 20, tangent=k)
    np.testing.assert_allclose(product, dense @ k, rtol=1e-12)


def cube(x: float) -> float:
    return x**3


def test_derivatives_of_a_number() -> None:
    assert daad.jacobian(cube)(2.0) == 12.0
    assert daad.jacobian(cube, mode="reverse")(2.0) == 12.0
    assert daad.hessian(cube)(2.0) == 12.0
    assert daad.jacobian(lambda x: x**3)(2.0) == 12.0


def test_gradients_nest_to_any_depth() -> None:
    function = lambda x: x**4
    found, values = function, []
    for _ in range(4):
        found = daad.grad(found)
        values.append(float(found(2.0)))
    assert values == [32.0, 48.0, 48.0, 24.0]


def test_rank_one_hessian_of_two_arguments() -> None:
    def energy(x, y):
        return np.sum(x) * np.sum(y * y)

    (xx, xy), (yx, yy) = daad.hessian(energy, wrt=("x", "y"))(X[:2], X[:3])
    np.testing.assert_array_equal(xx, np.zeros((2, 2)))
    np.testing.assert_allclose(xy, np.tile(2 * X[:3], (2, 1)))
    np.testing.assert_allclose(yx, xy.T)
    np.testing.assert_allclose(yy, 2 * np.sum(X[:2]) * np.eye(3))


REFUSED = [
    (lambda: daad.jvp(laplacian)(U), "brings no tangent"),
    (lambda: daad.jvp(laplacian)(U, tangent=X), "has shape"),
    (lambda: daad.jvp(laplacian)(U, tangent=(X, 1.0)), "items of several shapes"),
    (lambda: daad.jvp(laplacian)(U, tangent=U + 1j), "has dtype complex128"),
    (lambda: daad.jvp(two, wrt=("x", "y"))(X[:4], X[:3], tangent=X), "A tuple of 2 tangents"),
    (lambda: daad.vjp(laplacian)(U)[1](X), "The seed of 'result' has shape"),
    (lambda: daad.vjp(two)(X[:4], X[:3])[1]({"a": X[:3]}), "another structure"),
    (lambda: daad.jacobian(laplacian, mode="sideways"), "The option 'mode'"),
    (lambda: daad.jacobian(laplacian, sparse=True).pattern, "has not been called yet"),
    (lambda: daad.jacobian(lambda z: z * z)(np.ones(2) + 0j), "it is complex"),
    (lambda: daad.grad(daad.jvp(laplacian)), "cannot be differentiated again"),
    (lambda: daad.jvp(laplacian, memory_limit="1MiB"), "There is no option 'memory_limit'"),
]


@pytest.mark.parametrize(("asked", "sentence"), REFUSED, ids=[s for _, s in REFUSED])
def test_wrong_questions_are_told(asked: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(daad.DaadError, match=sentence):
        asked()
