"""Matrices of `scipy.sparse` with elements that are data: gradients against differences, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse.linalg as sla
from scipy import sparse
from scipy.sparse import csgraph

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from tests.corpus.case import Case
from tests.frontend.python.running import assert_same_as_numpy
from tests.programs import interpreted

P = np.array([1.2, 0.7, 0.4])
n = 10
x = np.linspace(1, 2, n)
L0 = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(n, n)).tocsr()
HERMITIAN = (3 * sparse.eye(n) - L0 + sparse.diags([0.2j, -0.2j], [-1, 1], shape=(n, n))).tocsr()
H0 = (L0 + 1j * sparse.diags([0.3, 0.5], [-1, 2], shape=(n, n))).tocsr()
i_ = np.array([0, 1, 2, 3, 0, 1, 2, 3, 3])
j_ = np.array([0, 1, 2, 3, 1, 2, 3, 0, 3])


def D(p):
    return np.array([4, 5, 6, 7, 1.0, 1, 1, 1, 0.5]) * p[0] + p[1]


def w(x):
    x = np.asarray(x)
    return np.sum(x * np.cos(np.arange(x.size)).reshape(x.shape))


def fem(p):
    K = sparse.lil_matrix((n, n))
    f = np.zeros(n)
    for e in range(n - 1):
        k = p[0] * (1 + p[1] * e)
        ke = k * np.array([[1, -1], [-1, 1.0]])
        d = [e, e + 1]
        K[np.ix_(d, d)] += ke
        f[e] += p[2] / 2
        f[e + 1] += p[2] / 2
    free = np.arange(1, n)
    u = np.zeros(n)
    u[free] = sla.spsolve(K.tocsr()[free][:, free], f[free])
    return u @ f


def place_by_place(p):
    """What is made of a matrix before it is written again keeps its elements."""
    K = sparse.dok_matrix((n, n))
    for e in range(n - 1):
        for i in range(2):
            for j in range(2):
                K[e + i, e + j] += p[0] * (1 + p[1] * e) * (1.0 if i == j else -0.3)
    before, part, own = K.T, K.real, K.toarray()
    K[0, 1] += p[2]
    K[1, 1] = p[2] * p[0]
    return w(before.toarray()) + w(part.toarray() ** 2) + w(own) + w(K.toarray() ** 2) + w(K.tocsr() @ x)


def fem2(p):
    I = []
    J = []
    V = []
    for e in range(n - 1):
        k = p[0] * (1 + p[1] * e)
        ke = k * np.array([[1, -1], [-1, 1.0]])
        d = [e, e + 1]
        for a in range(2):
            for b in range(2):
                I.append(d[a])
                J.append(d[b])
                V.append(ke[a, b])
    K = sparse.coo_matrix((V, (I, J)), shape=(n, n)).tocsr()
    K = K[1:, 1:]
    return np.sum(sla.spsolve(K, np.ones(n - 1) * p[2]))


def heat(p):
    A = sparse.eye(n) - 0.1 * p[0] * L0
    u = np.sin(x) * p[1]
    lu = sla.splu(A.tocsc())
    for _ in range(4):
        u = lu.solve(u)
    return w(u)


def heat2(p):
    A = sparse.identity(n, format="csc") - 0.1 * p[0] * L0
    u = np.sin(x) * p[1]
    s = sla.factorized(A)
    for _ in range(4):
        u = s(u) + L0 @ u * p[2] * 0.01
    return w(u)


def assemble(p):
    K = np.zeros((n, n))
    A = sparse.csr_matrix(K + np.diag(x) * p[0])
    return w(sla.spsolve(A, x))


def poiss(p):
    m = 4
    I = sparse.eye(m)
    A = sparse.kron(I, sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(m, m))) + sparse.kron(
        sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(m, m)), I
    )
    A = A.tocsr() * p[0] + sparse.diags(np.linspace(1, 2, m * m) * p[1])
    return w(sla.spsolve(A, np.ones(m * m) * p[2]))


ROWS: dict[str, Callable[[Any], Any]] = {
    "static L@u": lambda p: w(L0 @ (x * p[0])),
    "static L.dot": lambda p: w(L0.dot(x * p[0])),
    "static L*u": lambda p: w(L0 * (x * p[0])),
    "u@L": lambda p: w((x * p[0]) @ L0),
    "L@U2": lambda p: w(L0 @ np.outer(x * p[0], p)),
    "L.T@u": lambda p: w(L0.T @ (x * p[0])),
    "diags scalars": lambda p: w(sparse.diags([p[0], -2 * p[1], p[2]], [-1, 0, 1], shape=(n, n)) @ x),
    "diags arrays": lambda p: w(sparse.diags([x[1:] * p[0], x, x[1:] * p[1]], [-1, 0, 1]) @ x),
    "diags one": lambda p: w(sparse.diags(x * p[0]) @ x),
    "spdiags": lambda p: w(sparse.spdiags(np.array([x * p[0], x * p[1], x]), [-1, 0, 1], n, n) @ x),
    "coo": lambda p: w(sparse.coo_matrix((D(p), (i_, j_)), shape=(4, 4)) @ np.arange(4.0)),
    "csr ij toarray": lambda p: w(sparse.csr_matrix((D(p), (i_, j_)), shape=(4, 4)).toarray()),
    "csr array": lambda p: w((sparse.csr_array((D(p), (i_, j_)), shape=(4, 4)) * 2).toarray()),
    "csr todense": lambda p: w(sparse.csr_matrix((D(p), (i_, j_))).todense()),
    "csr indptr": lambda p: w(
        sparse.csr_matrix((np.arange(1.0, 5) * p[0], np.array([0, 2, 1, 0]), np.array([0, 2, 3, 4])), shape=(3, 3)) @ p
    ),
    "csc indptr": lambda p: w(
        sparse.csc_matrix((np.arange(1.0, 5) * p[0], np.array([0, 2, 1, 0]), np.array([0, 2, 3, 4])), shape=(3, 3)) @ p
    ),
    "csr dense": lambda p: w(sparse.csr_matrix(np.outer(p, p)) @ p),
    "A+B": lambda p: w((sparse.diags(x * p[0]) + L0) @ x),
    "A-B scaled": lambda p: w((sparse.eye(n) - 0.1 * p[0] * L0) @ x),
    "A@B": lambda p: w(((sparse.diags(x * p[0]) @ L0) @ L0.T).toarray()),
    "A*B matrix": lambda p: w((sparse.diags(x * p[0]) * L0).toarray()),
    "multiply": lambda p: w((L0.multiply(x * p[0])).toarray()),
    "slice": lambda p: w((sparse.diags(x * p[0]) + L0).tocsr()[2:5, :4].toarray()),
    "item": lambda p: (sparse.diags(x * p[0]) + L0).tocsr()[2, 2] * p[1],
    "diagonal": lambda p: w((sparse.diags(x * p[0]) + L0).diagonal()),
    "sum": lambda p: (sparse.diags(x * p[0]) + L0).sum() + w((sparse.diags(x * p[0]) + L0).sum(axis=1)),
    "sum and mean in a type": lambda p: (
        4.0 * sparse.csr_matrix(np.outer(p, p)).sum(dtype=np.int64) * p[0]
        + w(sparse.csr_array(np.outer(p, p)).sum(axis=0, dtype=np.int64) * p[1])
        + w(sparse.csr_array(np.outer(p, p)).mean(axis=1, dtype=np.int64) * p[2])
    ),
    "sum into an array": lambda p: (
        lambda A, out, into: [A.sum(axis=1, out=out), A.toarray(out=into), A.mean(axis=1, out=out), w(out) + w(into)][3]
    )(sparse.csr_array(np.outer(p, p**2)), np.zeros(3), np.zeros((3, 3))),
    "power in a type": lambda p: w(sparse.csr_array(np.outer(p, p)).power(2, dtype=np.int64).toarray() * p[0]),
    "reshape by columns": lambda p: w(sparse.csr_array(np.outer(p, p[:2])).reshape((2, 3), order="F").toarray()),
    "kron": lambda p: w(sparse.kron(sparse.diags(p), sparse.eye(2)).toarray()),
    "bmat": lambda p: w(sparse.bmat([[sparse.diags(p), None], [sparse.eye(3) * p[0], L0[:3, :3]]]).toarray()),
    "hstack": lambda p: w(sparse.hstack([sparse.diags(p), sparse.eye(3)]).toarray()),
    "vstack": lambda p: w(sparse.vstack([sparse.diags(p), sparse.eye(3)]).toarray()),
    "block_diag": lambda p: w(sparse.block_diag([sparse.diags(p), np.outer(p, p)]).toarray()),
    "spsolve": lambda p: w(sla.spsolve(sparse.csr_matrix((D(p), (i_, j_)), shape=(4, 4)), np.arange(4.0) * p[2])),
    "spsolve big": lambda p: w(sla.spsolve((sparse.diags(x * p[0] + 3) + L0 * p[1]).tocsc(), x * p[2])),
    "spsolve static A": lambda p: w(sla.spsolve(L0.tocsc(), x * p[2])),
    "ordered": lambda p: w(sla.spsolve(sparse.diags(x * p[0] + 3) - L0 * p[1], x, permc_spec="MMD_AT_PLUS_A")),
    "splu": heat,
    "factorized": heat2,
    "elements": fem,
    "place by place": place_by_place,
    "coordinates": fem2,
    "Poisson": poiss,
    "csr of dense": assemble,
    "cg": lambda p: w(sla.cg(sparse.diags(x * p[0] + 3) - L0 * p[1], x * p[2], rtol=1e-12)[0]),
    "gmres": lambda p: w(sla.gmres(sparse.diags(x * p[0] + 3) - L0 * p[1], x * p[2], rtol=1e-12)[0]),
    "bicgstab": lambda p: w(sla.bicgstab(sparse.diags(x * p[0] + 3) - L0 * p[1], x * p[2], rtol=1e-12)[0]),
    "minres": lambda p: w(sla.minres(sparse.diags(x * p[0] + 3) - L0 * p[1], x * p[2], rtol=1e-12)[0]),
    "expm_multiply": lambda p: w(sla.expm_multiply(L0 * p[0], x * p[1])),
    "inv": lambda p: w(sla.inv((sparse.diags(x * p[0] + 3) - L0).tocsc()).toarray()),
    "norm": lambda p: sla.norm(sparse.diags(x * p[0] + 3) - L0),
    "setdiag": lambda p: (lambda A: [A.setdiag(x * p[0]), w(A @ x)][1])(L0.tolil()),
    "issparse": lambda p: (
        w((sparse.diags(x * p[0])).toarray())
        if sparse.issparse(L0) and sparse.issparse(sparse.diags(x * p[0]))
        else 0.0
    ),
    "tril": lambda p: w(sparse.tril(sparse.diags(x * p[0]) + L0).toarray()),
    "power": lambda p: w(((sparse.diags(x * p[0]) + L0) ** 2).toarray()),
    "dense + sparse": lambda p: w(np.outer(x, x) * p[0] + L0),
    "NumPy's functions": lambda p: w(
        np.dot(sparse.diags(p) @ sparse.eye(3), np.transpose(sparse.csr_matrix(np.outer(p, p**2)))).toarray()
        + np.sum(sparse.csr_array(np.outer(p, p**3)), axis=0) * np.mean(sparse.csr_array(np.outer(p, p)))
        + np.dot(sparse.csr_array(np.outer(p, p)), sparse.csr_array(np.outer(p, p**2))).toarray()
    ),
    "conjugate": lambda p: w(abs(H0.conj().T @ (x * p[0] + 1j * x**2 * p[1]))),
    "getH": lambda p: w((H0.getH() @ (x * p[0])).imag) + w((H0.multiply(H0.conj()) @ (x * p[1])).real),
    "complex diags": lambda p: w(abs(sparse.diags((p[0] + 1j * p[1]) * x) @ (x + 2j * p[2]))),
    "complex csr": lambda p: w(abs((sparse.csr_matrix(np.outer(p, p) + 1j) - 2j * sparse.diags(p)) @ (p + 2j))),
    "complex coo": lambda p: w(
        abs(sparse.coo_matrix((D(p) * (1 + 1j * p[2]), (i_, j_)), shape=(4, 4)).tocsr() @ np.arange(4))
    ),
    "diagonals of an array": lambda p: w(sparse.dia_array((np.outer(p, x), [0, 1, -2]), shape=(n, n)) @ x),
    "blocks": lambda p: w(
        sparse.bsr_array((p[:, None, None] * L0.toarray()[:2, :2], [0, 1, 1], [0, 1, 3]), (4, 4)) @ x[:4]
    ),
    "triangular": lambda p: w(sla.spsolve_triangular(sparse.tril(L0) * p[0], x * p[1])),
    "unit triangular": lambda p: w(
        sla.spsolve_triangular(sparse.triu(L0) * p[0], x * p[1], lower=False, unit_diagonal=True)
    ),
    "eigsh": lambda p: w(sla.eigsh(L0 * p[0] + sparse.diags(x**2 * p[1]), k=3, v0=x)[1] ** 2),
    "eigenvalues near a number": lambda p: np.sum(
        sla.eigsh(L0 * p[0] + sparse.diags(x**2 * p[1]), k=2, sigma=0.1, return_eigenvectors=False) ** 2
    ),
    "products": lambda p: w(
        sla.gmres(sla.LinearOperator((n, n), matvec=lambda v: L0 @ v * p[0] - p[1] * v), x * p[2], rtol=1e-13)[0]
    ),
    "least squares": lambda p: w(
        sla.lsqr(L0[:, :3] * p[0] + sparse.eye(n, 3) * p[1], x * p[2], atol=1e-14, btol=1e-14)[0]
    ),
    "least squares by products": lambda p: w(
        sla.lsqr(
            sla.LinearOperator((n, n), lambda v: L0 @ v * p[0] - p[1] * v, lambda v: L0.T @ v * p[0] - p[1] * v),
            x * p[2],
            atol=1e-14,
            btol=1e-14,
        )[0]
    ),
    "eigs": lambda p: sla.eigs(L0 * p[0] + sparse.diags(x[1:] * p[1], 1), k=2, v0=x)[0].real[0],
    "svds": lambda p: np.sum(sla.svds((L0 + sparse.diags(x[1:] * p[1], 1))[:7], k=2)[1]),
    "complex kron": lambda p: w(sparse.kron(sparse.diags(p * 1j), H0[:2, :2]).toarray().imag),
    "complex spsolve": lambda p: w(abs(sla.spsolve((H0 + 3 * sparse.eye(n)) * (p[0] + 1j * p[1]), x * p[2]))),
    "complex cg": lambda p: w(abs(sla.cg(HERMITIAN * p[0], x * p[1] + 1j * p[2], rtol=1e-13)[0])),
    "complex gmres": lambda p: w(sla.gmres(H0.toarray() + (3 + 1j * p[0]) * np.eye(n), x * p[1], rtol=1e-13)[0].imag),
    "complex products": lambda p: w(
        sla.cg(sla.LinearOperator((n, n), lambda v: HERMITIAN @ v * p[0]), x * p[1] + 1j * p[2], rtol=1e-13)[0].imag
    ),
    "complex products of real numbers": lambda p: w(
        sla.bicgstab(
            sla.LinearOperator((n, n), lambda v: HERMITIAN @ v * (2 + 1j * p[0]), dtype=complex), x, rtol=1e-13
        )[0].real
    ),
    "complex expm_multiply": lambda p: w(sla.expm_multiply(-1j * L0 * p[0], x * p[1]).imag),
}


def slope(function: Callable[[Any], Any], direction: np.ndarray, step: float = 1e-3) -> float:
    """By differences of the fourth order."""
    at = [float(function(P + k * step * direction)) for k in (-2, -1, 1, 2)]
    return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step)


@pytest.mark.parametrize("name", ROWS)
def test_gradient_matches_differences(name: str) -> None:
    function = ROWS[name]
    (gradient,) = interpreted(Case(name=name, function=function, arguments=lambda: (P,), wrt=("p",)))(P.copy())
    direction = np.array([0.3, -0.8, 0.5])
    np.testing.assert_allclose(gradient @ direction, slope(function, direction), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["splu", "elements", "Poisson", "cg"])
def test_compiled_code_has_scipys_values(name: str) -> None:
    value, gradient = daad.value_and_grad(ROWS[name])(P.copy())
    np.testing.assert_allclose(value, ROWS[name](P), rtol=1e-9)
    direction = np.array([0.3, -0.8, 0.5])
    np.testing.assert_allclose(gradient @ direction, slope(ROWS[name], direction), rtol=1e-6)


def squares(k, m):
    return np.sum((m @ (k * x)) ** 2)


def test_matrices_are_arguments_whose_elements_may_change() -> None:
    matrix, gradient = L0.copy(), daad.grad(squares)
    expected = 2.0 * np.sum((L0 @ x) ** 2)
    np.testing.assert_allclose(gradient(1.0, matrix), expected)
    np.testing.assert_allclose(gradient(1.0, 2 * matrix), 4 * expected)
    matrix.data *= 3
    np.testing.assert_allclose(gradient(1.0, matrix), 9 * expected)


def test_small_systems_have_second_derivatives() -> None:
    hessian = daad.hessian(lambda k: np.sum(sla.spsolve(sparse.diags(x[:4] * k), x[:4])))(np.array([2.0]))
    np.testing.assert_allclose(hessian, 1.0)


WHOLE = np.array([[1, 2], [3, 4]])


def own_elements(x, make):
    """What becomes of a matrix whose elements were given, and are written afterwards."""
    d = x * 1.0
    A = make(d)
    d[0] = 9.0
    return A.toarray()


def both(x, other, make=sparse.csr_array):
    """A matrix and another one that is made of it and written."""
    A = make(np.outer(x, x))
    B = other(A)
    B[0, 0] = 9.0
    return A.toarray(), B.toarray()


def in_place(x, make):
    A = make(np.outer(x, x))
    B = A
    B *= 3
    C = B
    C /= 2
    D = C
    D += A
    D -= 3 * A
    return A.toarray(), B.toarray(), C.toarray(), D.toarray()


def elements_in_place(x):
    d = x * 1.0
    A = sparse.csr_array((d, [0, 1, 2], [0, 1, 2, 3]), shape=(3, 3))
    A *= 2
    return A.toarray(), d


def filled(x):
    A = sparse.lil_array((3, 3))
    A[:, 2] = x[:, None]
    A[-1, :2] = x[None, :2]
    A[:, 1] = sparse.csr_array(x[:, None])
    return A


AT = ([0, 1, 2], [2, 1, 0])
NORMS = ((1,), (np.inf,), (-1,), (None,), (1, 0), (np.inf, 1), (0, 1), (2, 0))
SAME: dict[str, Callable[[Any], Any]] = {
    "a copy of elements": lambda x: own_elements(
        x, lambda d: sparse.csr_array((d, [0, 1, 2], [0, 1, 2, 3]), shape=(3, 3), copy=True)
    ),
    "elements in their own type": lambda x: own_elements(
        x, lambda d: sparse.csr_array((d, [0, 1, 2], [0, 1, 2, 3]), shape=(3, 3), dtype=float)
    ),
    "elements at places": lambda x: own_elements(x, lambda d: sparse.coo_array((d, AT), shape=(3, 3))),
    "a copy of elements at places": lambda x: own_elements(x, lambda d: sparse.coo_array((d, AT), (3, 3), None, True)),
    "rows of elements at places": lambda x: own_elements(x, lambda d: sparse.csr_array((d, AT), shape=(3, 3))),
    "columns of elements at places": lambda x: own_elements(x, lambda d: sparse.csc_array((d, AT), shape=(3, 3))),
    "elements of a whole": lambda x: own_elements(np.outer(x, x), sparse.csr_array),
    "blocks": lambda x: own_elements(
        x, lambda d: sparse.bsr_array((d.reshape(3, 1, 1), [0, 1, 2], [0, 1, 2, 3]), shape=(3, 3))
    ),
    "the same rows": lambda x: both(x, lambda A: A.tocsr()),
    "a copy of rows": lambda x: both(x, lambda A: A.tocsr(copy=True)),
    "columns of rows": lambda x: both(x, lambda A: A.tocsc()),
    "the same form": lambda x: both(x, lambda A: A.asformat("csr")),
    "the same type": lambda x: both(x, lambda A: A.astype(float, copy=False)),
    "the same conjugate": lambda x: both(x, lambda A: A.conj(copy=False)),
    "the same list": lambda x: both(x, lambda A: A.tolil(), sparse.lil_array),
    "a transposed list": lambda x: both(x, lambda A: A.T, sparse.lil_array),
    "a list of a sum": lambda x: both(x, lambda A: (sparse.eye(3) + sparse.diags(x) + A).tolil()),
    "a sum with zero": lambda x: both(x, lambda A: A + 0),
    "rows in place": lambda x: in_place(x, sparse.csr_array),
    "a list in place": lambda x: in_place(x, sparse.lil_array),
    "keys in place": lambda x: in_place(x, sparse.dok_array),
    "elements in place": elements_in_place,
    "diagonals in a type": lambda x: sparse.diags_array([x * 9], offsets=[0], dtype=np.int32).toarray(),
    "diagonals of an array in a type": lambda x: sparse.dia_array((x * 9, [0]), shape=(3, 3), dtype=int).toarray(),
    "norms of integers": lambda x: tuple(sla.norm(sparse.csr_array((x * 9).astype(int)[None]), *o) for o in NORMS),
    "blocks in a type": lambda x: sparse.bmat([[np.outer(x, x)], [sparse.csr_array(np.eye(3))]], dtype="f4").toarray(),
    "beside each other in a type": lambda x: sparse.hstack([sparse.eye(3), np.outer(x, x) * 9], dtype=int).toarray(),
    "along the diagonal in a type": lambda x: sparse.block_diag([np.outer(x, x) * 9, [1, 2]], dtype=int).toarray(),
    "whole numbers": lambda x: (
        x,
        (-sparse.csr_array(WHOLE)).toarray(),
        sparse.kron(WHOLE, sparse.csr_array(WHOLE)).toarray(),
        sparse.bsr_array((WHOLE.reshape(2, 2, 1), [0, 1], [0, 1, 2]), shape=(4, 2)).toarray(),
        sparse.dia_array((WHOLE, [0, 1]), shape=(2, 2)).toarray(),
    ),
    "diagonals of few elements": lambda x: (
        sparse.dia_array((x[:1], [0]), shape=(3, 3)).toarray(),
        sparse.dia_array(([x, 2 * x], [-1, 1]), shape=(4, 2)).toarray(),
        sparse.spdiags([x, 2 * x], [0, 2], 3, 5).toarray(),
        sparse.diags([x[0], x[1:]], [0, 1], shape=(3, 3)).toarray(),
    ),
    "divided": lambda x: (sparse.csr_array(np.outer(x, x).astype("f4")) / 2).toarray(),
    "divided lists": lambda x: (sparse.lil_array(np.outer(x, x).astype("f4")) / 2).toarray(),
    "a column": lambda x: filled(x).toarray(),
    "blocks of known matrices": lambda x: (x, sparse.vstack([sparse.csr_array(WHOLE), sparse.eye(2)]).toarray()),
}


@pytest.mark.parametrize("name", SAME)
def test_elements_are_scipys(name: str) -> None:
    assert_same_as_numpy(SAME[name], (np.array([0.3, 0.2, -0.4]),))


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "stored elements": (lambda k: sparse.diags(x * k).nnz * k, "'nnz' is how SciPy holds a sparse matrix"),
    "format": (
        lambda k: k if isinstance(sparse.diags(x * k), sparse.csr_matrix) else 2 * k,
        "asks in which form SciPy has a sparse matrix",
    ),
    "shared elements": (lambda k: both(x * k, lambda A: A.T)[0].sum(), "may share its elements with another one"),
    "elements of a matrix": (lambda k: both(x * k, sparse.csr_array)[0].sum(), "may share its elements with another"),
    "an array of diagonals": (lambda k: twice(np.array([x * k, x]))[1].sum(), "may stand for one of several arrays"),
    "shortest paths": (lambda k: csgraph.dijkstra(sparse.csr_array(np.eye(3) * k)).sum(), "is not supported"),
}


def twice(diagonals):
    """A matrix that is written, and what it was made of."""
    matrix = sparse.dia_array((diagonals, [0, 1]), shape=(n, n))
    matrix *= 2.0
    return matrix, diagonals


def test_a_matrix_is_written_in_place() -> None:
    gradient = Gradient(place_by_place, Request(), compiler=Interpreted)
    gradient(P.copy())
    copies = [line for line in str(gradient.primal).splitlines() if line.count("in 0 .. ") == 2]
    assert len(copies) < 14, "\n".join(copies)


@pytest.mark.parametrize("name", REFUSED)
def test_what_depends_on_the_form_is_refused(name: str) -> None:
    function, sentence = REFUSED[name]
    with pytest.raises(daad.Unsupported, match=sentence):
        daad.grad(function)(1.0)
