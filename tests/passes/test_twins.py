"""Programs of one structure, with other names, sizes and constants, become faster in the same way."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import daad
from daad.ir.nodes import Branch, Loop, Nest, Node


def factorise(A):  # type: ignore[no-untyped-def]
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]


def pivots(matrix):  # type: ignore[no-untyped-def]
    rows, _ = matrix.shape
    for row in range(rows):
        for left in range(row):
            matrix[row, left] -= matrix[row, :left] @ matrix[:left, left]
            matrix[row, left] /= matrix[left, left]
        for right in range(row, rows):
            matrix[row, right] -= matrix[row, :row] @ matrix[:row, right]


def rank_update(C, A):  # type: ignore[no-untyped-def]
    for i in range(C.shape[0]):
        C[i, : i + 1] *= 1.2
        for k in range(A.shape[1]):
            C[i, : i + 1] += 1.5 * A[i, k] * A[: i + 1, k]


def gram(total, points):  # type: ignore[no-untyped-def]
    for first in range(points.shape[0]):
        total[first, : first + 1] *= -0.3
        for axis in range(points.shape[1]):
            total[first, : first + 1] += 7.0 * points[first, axis] * points[: first + 1, axis]


def diffuse(u):  # type: ignore[no-untyped-def]
    for _ in range(9):
        u[1:-1, 1:-1, 1:-1] = 0.3 * (u[2:, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1]) - 0.1 * u[1:-1, 1:-1, :-2]


def blur(density):  # type: ignore[no-untyped-def]
    inside = slice(1, -1)
    for _ in range(4):
        density[inside, inside, inside] = (
            2.0 * (density[2:, inside, inside] + density[inside, 2:, inside]) - 7.0 * density[inside, inside, :-2]
        )


def moments(total, points):  # type: ignore[no-untyped-def]
    for i in range(points.shape[0]):
        total[i:, i] = total[i, i:] = points[i] @ points[i:].T / 3.0


def correlations(R, X):  # type: ignore[no-untyped-def]
    for first in range(X.shape[0]):
        R[first:, first] = R[first, first:] = X[first, :] @ X[first:, :].T / 8.0


def lower_product(B, A):  # type: ignore[no-untyped-def]
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
    B *= 1.5


def mixed(state, weights):  # type: ignore[no-untyped-def]
    rows, columns = state.shape
    for row in range(rows):
        for column in range(columns):
            state[row, column] += weights[row + 1 :, row] @ state[row + 1 :, column]
    state *= -0.2


def sweep(A):  # type: ignore[no-untyped-def]
    for i in range(1, A.shape[0] - 1):
        A[i, 1:-1] += A[i - 1, :-2] + A[i - 1, 1:-1] + A[i + 1, 2:]
        for j in range(1, A.shape[1] - 1):
            A[i, j] += A[i, j - 1]
            A[i, j] /= 5.0


def relax(field):  # type: ignore[no-untyped-def]
    for row in range(1, field.shape[0] - 1):
        field[row, 1:-1] += field[row - 1, :-2] + field[row - 1, 1:-1] + field[row + 1, 2:]
        for column in range(1, field.shape[1] - 1):
            field[row, column] += field[row, column - 1]
            field[row, column] /= 7.0


TWINS = {
    "factors": (factorise, (120, 120), pivots, (150, 150)),
    "stencils": (diffuse, (18, 18, 18), blur, (25, 25, 25)),
    "rank updates": (rank_update, (96, 50), gram, (192, 40)),
    "triangular products": (lower_product, (192, 194), mixed, (200, 210)),
    "rows with recurrences": (sweep, (40, 40), relax, (71, 71)),
    "both halves": (moments, (96, 50), correlations, (192, 40)),
}


def outline(body: tuple[Node, ...]) -> Iterator[Any]:
    """The tree without names, bounds and values."""
    for node in body:
        if isinstance(node, Loop):
            yield "loop", node.step, tuple(outline(node.body))
        elif isinstance(node, Branch):
            yield "branch", tuple(outline(node.then)), tuple(outline(node.orelse))
        else:
            yield "nest", len(node.domain), tuple(a.op for a in node.assigns)


def joint(function: Callable[..., Any], shape: tuple[int, ...], is_sum: bool) -> tuple[Node, ...]:
    matrix = np.random.default_rng(0).random(shape)
    arguments = (matrix,) if shape[0] == shape[1] else (np.zeros((shape[0], shape[0])), matrix)
    names = tuple(inspect.signature(function).parameters)
    seed = 1.0 if is_sum else np.linspace(0.5, 1.5, arguments[0].size).reshape(arguments[0].shape)
    gradient = daad.grad(function, wrt=names[-1], of=names[0], seed=seed, on_inputs="keep")
    return gradient._planned(*arguments).derivation.joint.body


@pytest.mark.parametrize("is_sum", [True, False], ids=["sum", "weighted sum"])
@pytest.mark.parametrize("twins", TWINS.values(), ids=TWINS)
def test_twins_become_the_same(twins: tuple[Any, ...], is_sum: bool) -> None:
    first, shape, second, other = twins
    one, another = joint(first, shape, is_sum), joint(second, other, is_sum)
    assert tuple(outline(one)) == tuple(outline(another))
    assert all(isinstance(node, Nest | Loop) for node in one)
