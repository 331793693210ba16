"""Systems of `scipy.sparse.linalg`: SciPy factorises the matrix at run time; its transpose has the derivative.

The method of conjugate gradients (M. R. Hestenes, E. Stiefel, Methods of conjugate gradients for solving linear
systems, 1952) is a NumPy program where the matrix is dense.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from daad.frontend.custom_derivatives import CustomRule
from daad.frontend.library.anchored import held, python_function
from daad.frontend.library.solvers.primitives import opaque, solution
from daad.frontend.library.solvers.sparse_matrices import SMALL, Sparse, as_sparse
from daad.frontend.library.solvers.sparse_originals import scipys
from daad.frontend.library.spectral.eigen import expm

Array = Any  # staged while the program is read
_of_scipy = partial(python_function, "scipy.sparse.linalg")


def _solve(n: int, data: Array, rows: Array, cols: Array, b: Array) -> Array:
    return np.reshape(_of_scipy("spsolve")(scipys((n, n), rows, cols, data), b), np.shape(b))


def _adjoint(args: Any, x: Array, x_bar: Array) -> Any:
    """Of `A x = b`: that of `b` solves the transposed system, and `A` gets its products with `x`."""
    n, data, rows, cols, _ = args
    b_bar = _solve(n, data, cols, rows, x_bar)
    i, j = rows.astype(int), cols.astype(int)
    return None, -(b_bar[i] * x[j] if x.ndim == 1 else np.sum(b_bar[i] * x[j], axis=1)), None, None, b_bar


def solved(A: Any, b: Any) -> Array:
    a = as_sparse(A)
    right = (b.toarray() if isinstance(b, Sparse) else np.asarray(b)) * 1.0
    if a.shape[0] <= SMALL:
        return np.linalg.solve(a.toarray(), right)
    rows, cols, data = a.coordinates()
    if np.iscomplexobj(data) or np.iscomplexobj(right):
        return _of_parts(a.shape[0], data + 0j, rows, cols, right + 0j)
    return opaque(_solve, _adjoint, np.zeros(right.shape), a.shape[0], data * 1.0, rows, cols, right)


def _of_parts(n: int, *system: Array) -> Array:
    """The system for real and imaginary parts."""
    parts = _in_parts(n, *system)
    x = opaque(_solve, _adjoint, np.zeros(parts[-1].shape), 2 * n, *parts)
    return x[:n] + 1j * x[n:]


def _in_parts(n: int, data: Array, rows: Array, cols: Array, b: Array) -> tuple[Array, ...]:
    """Matrix and right-hand side of the system for real and imaginary parts."""
    real, imag = data.real, data.imag
    rows, cols = np.concatenate((rows, rows, rows + n, rows + n)), np.concatenate((cols, cols + n, cols, cols + n))
    return np.concatenate((real, -imag, imag, real)), rows, cols, np.concatenate((b.real, b.imag))


def _whatever(*_: Any) -> None:
    """Takes note of how SciPy is to order an elimination, on which nothing depends but rounding."""


def spsolve(A: Any, b: Any, **rest: Any) -> Any:
    _whatever(rest)
    if isinstance(b, Sparse) and b.shape[1] > 1:
        return b.of(solved(A, b))
    found = solved(A, b)
    return found.ravel() if np.ndim(found) == 2 and found.shape[1] == 1 else found


def spsolve_triangular(
    A: Any,
    b: Array,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> Array:
    """The other triangle must be empty; a diagonal of ones need not be there."""
    _whatever(overwrite_A, overwrite_b)
    a = as_sparse(A)
    rows, cols, data = a.coordinates()
    kept = (rows > cols if lower else rows < cols) if unit_diagonal else (rows >= cols if lower else rows <= cols)
    data = np.where(kept, data, 0.0)
    if unit_diagonal:
        n = np.arange(a.shape[0])
        rows, cols = np.concatenate((rows, n)), np.concatenate((cols, n))
        data = np.concatenate((data, np.ones(a.shape[0])))
    return solved(Sparse(a.shape, rows, cols, data, None, a.product), b)


class Factors:
    """What `splu` gives: the matrix, whose systems are solved."""

    def __init__(self, matrix: Any) -> None:
        self.matrix, self.shape = as_sparse(matrix), matrix.shape

    def solve(self, rhs: Array, trans: str = "N") -> Array:
        return solved(self.matrix if trans == "N" else self.matrix.T, rhs)

    def __call__(self, rhs: Array) -> Array:
        return self.solve(rhs)


def splu(A: Any, **rest: Any) -> Factors:
    _whatever(rest)
    return Factors(A)


def factorized(A: Any) -> Factors:
    return Factors(A)


def inv(A: Any) -> Any:
    a = as_sparse(A)
    return a.of(solved(a, np.eye(a.shape[0])))


def _searched(name: str, ways: Any, n: int, data: Array, rows: Array, cols: Array, b: Array) -> Array:
    return np.asarray(_converged(name, scipys((n, n), rows, cols, data), b, ways))


def _converged(name: str, system: Any, b: Array, ways: Any) -> Array:
    """What SciPy's search ends at."""
    found, flag = _of_scipy(name)(system, b, **ways)
    if flag:
        raise ValueError(f"'{name}' has not converged: there is no derivative")
    return found


def _converged_by_products(name: str, matvec: Callable[..., Any], b: Array, ways: Any, dtype: type) -> Array:
    """The same where only products with the matrix are known."""
    n = len(b)
    operator = _of_scipy("LinearOperator")((n, n), matvec=lambda v: np.ravel(matvec(np.ravel(v))), dtype=dtype)
    return np.asarray(_converged(name, operator, b, ways), dtype)


def _adjoint_of_search(args: Any, x: Array, x_bar: Array) -> Any:
    return None, None, *_adjoint(args[2:], x, x_bar)


def _searched_in_parts(name: str, ways: Any, n: int, data: Array, rows: Array, cols: Array, b: Array) -> Array:
    """The same of complex numbers, of which there are real and imaginary parts as `_in_parts` gives them."""
    count, half = len(data) // 4, n // 2
    whole = data[:count] + 1j * data[2 * count : 3 * count]
    found = _searched(name, ways, half, whole, rows[:count], cols[:count], b[:half] + 1j * b[half:])
    return np.concatenate((found.real, found.imag))


class Operator:
    """What stands for a matrix by what it does to vectors."""

    ndim = 2

    def __init__(
        self, shape: Any, matvec: Callable[..., Any], rmatvec: Callable[..., Any] | None = None, dtype: Any = None
    ) -> None:
        self.shape, self.matvec, self.rmatvec = shape, matvec, rmatvec
        self.is_complex = dtype is not None and np.iscomplexobj(np.zeros(0, dtype))

    def __matmul__(self, other: Array) -> Array:
        return self.matvec(other)

    def dot(self, other: Array) -> Array:
        return self.matvec(other)


def linear_operator(*args: Any, **kwargs: Any) -> Operator:
    """What it does to vectors has the derivative; the rest says how that is to be computed."""
    return _operator(*args, **kwargs)


def _operator(
    shape: Any,
    matvec: Callable[..., Any],
    rmatvec: Callable[..., Any] | None = None,
    matmat: Any = None,
    dtype: Any = None,
    **rest: Any,
) -> Operator:
    _whatever(matmat, rest)
    return Operator(shape, matvec, rmatvec, dtype)


def aslinearoperator(A: Any) -> Any:
    return A if isinstance(A, Operator) else as_sparse(A)


def _by_products(name: str, matvec: Callable[..., Any], right: Array, ways: Any) -> Array:
    """The solution of a system of which only products are known."""
    n = len(right)

    def run() -> Array:
        return _converged_by_products(name, matvec, right, ways, float)

    return solution(run, np.zeros(n), lambda x: np.ravel(matvec(x)) - right)


def _by_complex_products(name: str, matvec: Callable[..., Any], right: Array, ways: Any) -> Array:
    """The same of complex numbers: the equations of real and imaginary parts have the derivative."""
    n = len(right)

    def run() -> Array:
        found = _converged_by_products(name, matvec, right + 0j, ways, complex)
        return np.concatenate((found.real, found.imag))

    def residual(x: Array) -> Array:
        rest = np.ravel(matvec(x[:n] + 1j * x[n:])) - right
        return np.concatenate((rest.real, rest.imag))

    x = solution(run, np.zeros(2 * n), residual)
    return x[:n] + 1j * x[n:]


EXACT = 1e-15
"""The relative residual up to which derivatives are found: it goes on to fall where the error does not any more."""
ROUNDS = 10
"""Rounds for each equation, after which SciPy gives up."""


def _by_residuals(a: Array, b: Array, limit: Array, rounds: int) -> tuple[Array, Array]:
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


def _near(a: Array, b: Array, rtol: float, atol: float, rounds: int) -> Any:
    known = held(b)
    return _by_residuals(held(a), known, np.maximum(atol, rtol * np.sqrt(known @ known)), rounds)


def _search(a: Array, b: Array, rtol: float, atol: float, rounds: int) -> Array:
    x, has_converged = _near(a, b, rtol, atol, rounds)
    if not has_converged:
        raise ValueError("'cg' has not converged: there is no derivative")
    return x


def _search_quietly(a: Array, b: Array, rtol: float, atol: float, rounds: int) -> Array:
    """For tangents, beside a search that tells whether it has converged; without tangents nothing is left of it."""
    return _near(a, b, rtol, atol, rounds)[0]


def _exactly(a: Array, b: Array) -> Array:
    """To rounding; by elimination where the search does not come so far."""
    x, has_converged = _by_residuals(a, b, EXACT * np.sqrt(b @ b), ROUNDS * len(b))
    if not has_converged:
        x = np.linalg.solve(a, b)
    return x


searched = CustomRule(_search)
searched_quietly = CustomRule(_search_quietly)
exact_solution = CustomRule(_exactly)


def _with_residuals(rule: CustomRule) -> Callable[..., Any]:
    def run(a: Array, b: Array, *limits: Any) -> Any:
        x = rule(a, b, *limits)
        return x, (a, x)

    return run


def _adjoint_of_search_by_residuals(residuals: Any, x_bar: Array) -> Any:
    return *_adjoint_of_exact(residuals, x_bar), 0.0, 0.0, None


def _adjoint_of_exact(residuals: Any, x_bar: Array) -> Any:
    """Of `a @ x = b`: that of `b` solves the transposed system, and `a` gets its products with `x`."""
    a, x = residuals
    b_bar = exact_solution(a.T, x_bar)
    return -np.outer(b_bar, x), b_bar


def _tangent(rule: CustomRule) -> Callable[..., Any]:
    def run(primals: Any, tangents: Any) -> Any:
        """By elimination, which is linear in tangents."""
        a_dot, b_dot = tangents[:2]
        x = rule(*primals)
        return x, np.linalg.solve(primals[0], b_dot - a_dot @ x)

    return run


searched.defvjp(_with_residuals(searched), _adjoint_of_search_by_residuals)
searched.defjvp(_tangent(searched_quietly))
searched_quietly.defvjp(_with_residuals(searched_quietly), _adjoint_of_search_by_residuals)
searched_quietly.defjvp(_tangent(searched_quietly))
exact_solution.defvjp(_with_residuals(exact_solution), _adjoint_of_exact)
exact_solution.defjvp(_tangent(exact_solution))


def conjugate_gradients(a: Array, b: Array, rtol: float = 1e-5, atol: float = 0.0, maxiter: int | None = None) -> Array:
    dtype = np.result_type(a.dtype, b.dtype)
    return searched(a.astype(dtype), b.astype(dtype), rtol, atol, ROUNDS * len(b) if maxiter is None else maxiter)


def _is_plain(A: Any, right: Array, rtol: Any = 0.0, atol: Any = 0.0, maxiter: Any = 0, **others: Any) -> bool:
    """Whether a system is one of numbers in an array, searched from zero with known limits."""
    if isinstance(A, Sparse) or np.ndim(A) != 2 or right.ndim != 1 or len(right) == 0 or others:
        return False
    if np.iscomplexobj(A) or np.iscomplexobj(right) or not (maxiter is None or isinstance(maxiter, int)):
        return False
    return isinstance(rtol, float) and isinstance(atol, int | float) and atol >= 0


def _search_of_parts(name: str, ways: Any, n: int, *system: Array) -> Array:
    parts = _in_parts(n, *system)
    x = opaque(_searched_in_parts, _adjoint_of_search, np.zeros(2 * n), name, ways, 2 * n, *parts)
    return x[:n] + 1j * x[n:]


def _iterative(name: str) -> Callable[..., Any]:
    """A search that ends near the solution; the derivative is that of the solution."""

    def solve(A: Any, b: Array, **rest: Any) -> Any:
        right = np.asarray(b) * 1.0
        if isinstance(A, Operator):
            is_complex = A.is_complex or np.iscomplexobj(right)
            return (_by_complex_products if is_complex else _by_products)(name, A.matvec, right, rest), 0
        if name == "cg" and _is_plain(A, right, **rest):
            return conjugate_gradients(np.asarray(A), right, **rest), 0
        a = as_sparse(A)
        rows, cols, data = a.coordinates()
        if np.iscomplexobj(data) or np.iscomplexobj(right):
            return _search_of_parts(name, rest, a.shape[0], data + 0j, rows, cols, right + 0j), 0
        shape = np.zeros(right.shape)
        x = opaque(_searched, _adjoint_of_search, shape, name, rest, a.shape[0], data * 1.0, rows, cols, right)
        return x, 0

    return solve


def expm_multiply(A: Any, B: Array) -> Array:
    return expm(as_sparse(A).toarray()) @ np.asarray(B)


ENDS: dict[Any, tuple[int, Any]] = {1: (0, np.max), np.inf: (1, np.max), -1: (0, np.min), -np.inf: (1, np.min)}
"""Which sums of sizes are a norm of a matrix: along which axis, and of them which."""


def norm(x: Any, ord: Any = None, axis: Any = None) -> Array:
    """Where SciPy sums integers it has an integer."""
    whole = as_sparse(x).toarray()
    if axis is None and ord in ENDS:
        along, end = ENDS[ord]
        return end(np.sum(np.abs(whole), axis=along))
    if ord in (0, 1, np.inf, -np.inf) and whole.dtype.kind in "iu":
        return np.linalg.norm(whole, ord, axis).astype(whole.dtype if np.isinf(ord) else int)
    return np.linalg.norm(whole, ord, axis)


SEARCHES = ("cg", "cgs", "bicg", "bicgstab", "gmres", "lgmres", "minres", "qmr", "tfqmr", "gcrotmk")
SYSTEMS: dict[str, Callable[..., Any]] = {
    "spsolve": spsolve,
    "spsolve_triangular": spsolve_triangular,
    "splu": splu,
    "factorized": factorized,
    "inv": inv,
    "norm": norm,
    "LinearOperator": linear_operator,
    "aslinearoperator": aslinearoperator,
    "expm_multiply": expm_multiply,
    **{name: _iterative(name) for name in SEARCHES},
}
