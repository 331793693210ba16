"""The method of conjugate gradients for dense matrices as a NumPy program, with the derivative of the solution.

M. R. Hestenes, E. Stiefel, Methods of conjugate gradients for solving linear systems, 1952.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from daad.frontend.custom_derivatives import CustomRule
from daad.frontend.library.anchored import held

Array = Any  # staged while the program is read

EXACT = 1e-15
"""The relative residual up to which derivatives are found: it goes on to fall where the error does not any more."""
ROUNDS = 10
"""Rounds for each equation, after which SciPy gives up."""


def _found(a: Array, b: Array, limit: Array, rounds: int) -> tuple[Array, Array]:
    """The solution, and whether the residual has been seen below the limit; `a` and `b` have no derivative."""
    x, r, p = np.zeros_like(b), b.copy(), b.copy()
    square, has_converged = r @ r, False
    for _ in range(rounds):
        if np.sqrt(square) < limit or square == 0.0:
            has_converged = True
            break
        q = a @ p
        step = square / (p @ q)
        x += step * p
        r -= step * q
        before = square
        square = r @ r
        p = r + square / before * p
    return x, has_converged


def _search(a: Array, b: Array, rtol: float, atol: float, rounds: int) -> Array:
    known = held(b)
    x, has_converged = _found(held(a), known, np.maximum(atol, rtol * np.sqrt(known @ known)), rounds)
    if not has_converged:
        raise ValueError("'cg' has not converged: there is no derivative")
    return x


def _solution(a: Array, b: Array) -> Array:
    """To rounding; by elimination where the search does not come so far."""
    x, has_converged = _found(a, b, EXACT * np.sqrt(b @ b), ROUNDS * len(b))
    if not has_converged:
        x = np.linalg.solve(a, b)
    return x


search = CustomRule(_search)
solution = CustomRule(_solution)


def _with_residuals(a: Array, b: Array, rtol: float, atol: float, rounds: int) -> Any:
    x = search(a, b, rtol, atol, rounds)
    return x, (a, x)


def _adjoint(residuals: Any, x_bar: Array) -> Any:
    """Of `a @ x = b`: that of `b` solves the transposed system, and `a` gets its products with `x`."""
    a, x = residuals
    b_bar = solution(a.T, x_bar)
    return -np.outer(b_bar, x), b_bar


def _tangent(primals: Any, tangents: Any) -> Any:
    """By elimination, which is linear in tangents."""
    a = primals[0]
    a_dot, b_dot = tangents[:2]
    x = search(*primals)
    return x, np.linalg.solve(a, b_dot - a_dot @ x)


def _solution_with_residuals(a: Array, b: Array) -> Any:
    x = solution(a, b)
    return x, (a, x)


def _tangent_of_solution(primals: Any, tangents: Any) -> Any:
    x = solution(*primals)
    return x, np.linalg.solve(primals[0], tangents[1] - tangents[0] @ x)


search.defvjp(_with_residuals, lambda residuals, x_bar: (*_adjoint(residuals, x_bar), 0.0, 0.0, None))
search.defjvp(_tangent)
solution.defvjp(_solution_with_residuals, _adjoint)
solution.defjvp(_tangent_of_solution)


def conjugate_gradients(a: Array, b: Array, rtol: float = 1e-5, atol: float = 0.0, maxiter: int | None = None) -> Array:
    dtype = np.result_type(a.dtype, b.dtype)
    return search(a.astype(dtype), b.astype(dtype), rtol, atol, ROUNDS * len(b) if maxiter is None else maxiter)
