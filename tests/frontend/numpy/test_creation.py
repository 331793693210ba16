"""Constructors, copies, conversions and coordinates give NumPy's values, shapes and dtypes."""

from __future__ import annotations

import pytest

from tests.frontend.numpy.expressions import check, rows

FILLED = rows(
    """
    np.zeros(3) + x[0]; np.zeros((2, 3)); np.zeros(x.shape[0] + 2); np.zeros(n); np.zeros((n, n + 1));
    np.zeros(3, dtype=int); np.zeros((2, 2), np.float32); np.ones(4) * w; np.ones((2, 3), dtype=np.float32);
    np.ones(x.shape); np.full(3, 2.5); np.full((2, 3), s); np.full(3, 7); np.full(len(x), x[0] * 2);
    np.full((3, 4), w); np.full(3, 1, dtype=float); np.zeros_like(a); np.zeros_like(f); np.zeros_like(i);
    np.zeros_like(i, dtype=float); np.ones_like(a); np.full_like(a, 3); np.full_like(i, 2.7);
    np.zeros_like(a, shape=(2, 2)); np.zeros(()) + s; np.zeros([2, 2]); np.ones(()); np.ones_like(s);
    np.ones(np.array([2]) + 1) * s; np.full(np.array([1, 2])[::-1] * 2, s); np.zeros_like(a, shape=np.array([1, n]));
    np.zeros_like(a[0]); np.zeros(3, bool); np.zeros((3, 0)).sum(); np.empty(3).shape[0] * s;
    np.empty_like(a).ndim * s
    """
)
COPIES = rows(
    """
    x.copy(); np.copy(x); np.array(x); np.array(a, dtype=np.float32); np.asarray(x); np.asarray(a, dtype=np.float64);
    np.ascontiguousarray(a.T); np.array([s, t, 2.0]); np.array([x[0], x[1] * x[2]]); np.array([[s, t], [1, 2]]);
    np.array([1.0, 2.0]); np.array([1, 2, 3]); np.array([1, 2, 3]) * w[:3]; np.array([x, y]);
    np.array([x, y * 2, [1, 2, 3, 4, 5]]); np.array((s, 1)); np.array([n, 1]); np.array([s, t], dtype=np.float32);
    np.array(s); np.array([[x[0]]]); np.array(list(x)); np.array([[1, 2], [3, 4]], dtype=float);
    np.array([x > 0, y > 0]); np.array(x, copy=True); np.asarray([s, t]); np.asanyarray(x); np.array([True, False]);
    np.array([f, f]); np.array([f[0, 0], 1.0]); np.array([[0.0, s, -t], [0, 1, 2]]); np.array(x, ndmin=2);
    np.asarray_chkfinite(x); np.require(x); x.__array__(); a.__array__(np.float32); (x * 1j).__array__().real
    """
)
COORDINATES = rows(
    """
    np.arange(5); np.arange(n); np.arange(2, 8); np.arange(0, 10, 3); np.arange(5.0); np.arange(0.0, 1.0, 0.3);
    np.arange(5) * x; np.arange(5, 0, -1); np.arange(3, dtype=float); np.arange(n) * s; np.arange(x.size);
    np.arange(5, dtype=np.float32); np.linspace(0, 1, 5); np.linspace(s, t, 4); np.linspace(0, 1, 5) * x;
    np.linspace(0, s, n); np.linspace(0, 1, 5, endpoint=False); np.linspace(0, 1);
    np.linspace(0, 1, 5, retstep=True); np.linspace(0, s, 5, retstep=True); np.linspace(s, 2, 1);
    np.linspace(0, 1, 3, dtype=np.float32); np.logspace(0, 2, 5); np.logspace(0, s, 4); np.logspace(0, 3, 4, base=2);
    np.geomspace(1, 16, 5); np.geomspace(s, 16, np.uint8(5)); np.linspace(s, 16, np.int8(5));
    np.geomspace(1.0, s, 4); np.eye(3); np.eye(3, 4); np.eye(3, k=1); np.eye(4, 3, -1);
    np.eye(3, dtype=int); np.identity(4) * c; np.eye(n); np.diag(x); np.diag(x, 1); np.diag(x, k=-2); np.diag(c);
    np.diag(c, 1); np.diag(c, -1); np.diag(a); np.diagflat(a); np.diagonal(c); np.diagonal(a, 1);
    np.diagonal(p, axis1=1, axis2=2); c.diagonal(); np.tril(c); np.triu(c); np.tril(c, 1); np.triu(c, k=-1);
    np.tril(a); np.triu(p); np.tri(3); np.tri(3, 4, 1); np.tril(np.ones((3, 3))); np.vander(x); np.vander(x, 3);
    np.vander(x, 3, increasing=True); np.meshgrid(x, w); np.meshgrid(x, w, indexing='ij');
    np.meshgrid(x, w, sparse=True); np.meshgrid(x, w, v, indexing='ij'); np.meshgrid(x, w, v);
    np.ix_([0, 2], np.arange(3)); np.ix_(x); np.meshgrid(np.arange(3), x); np.indices((2, 3));
    np.tril_indices_from(c); c[np.triu_indices_from(c, 1)]; np.mgrid[0:n, 0:2] * s; np.ogrid[0:n, 0:2];
    np.c_[a, v]; np.r_[x, 1.0, 0:3]; np.c_[x[:3], a[:, 1:]]; np.mgrid[0:3, 1:5:2].sum();
    np.fromfunction(lambda r, q: r + q * s, (2, 3));
    np.mgrid[0.0 : 2.0 : n * 1j, 0:1:2j] * s; np.ogrid[0 : 1 : (n + 1) * 1j]; np.r_[0 : 1 : n * 1j, x];
    np.mgrid[[slice(0, n), slice(2)]] * s; np.ogrid[[slice(0, 3), slice(0, 2)]];
    np.mgrid[0:3, 0:2]; np.mgrid[0:1:0.25]; np.ogrid[0:3, 0:2]; np.mgrid[0:n] * s; np.tril_indices(3);
    np.triu_indices(3, 1); np.diag_indices(3); a[np.triu_indices(3)]; np.arange(4)[1] * s; np.r_[x, s, y];
    np.c_[x, y]; np.r_[0:3]; np.linspace(x, y, 3); np.linspace(0, 1, n + 2)[1:-1]
    """
)
CONVERSIONS = rows(
    """
    np.float64(s); np.float32(s); np.float64(n) * s; np.int64(s); np.float64(x); np.float32(x); float(s);
    float(n) * s; float(x[0]); int(s) * t; int(x[0]); bool(s) * t; a.astype(np.float32); a.astype(int);
    a.astype('float64'); (a > 0).astype(float); f.astype(np.float64); i.astype(float); a.astype(bool); x[0].item();
    x[0] * 1; np.int32(3) * x; np.bool_(s); a.item(0); a.item(1, 2); a.astype(a.dtype); np.pi * x; np.e * x;
    np.inf * u; np.finfo(np.float64).eps * x; np.newaxis is None and s; a.astype(np.float64, copy=False); int(n) * s;
    np.ndarray((2, 2)).shape[0] * s; a.dtype.itemsize * s; np.iinfo(np.int32).max + s; np.float64('1.5') * s;
    len(x) * s; len(a) * s; np.ndim(a) * s; np.shape(a)[1] * s; np.size(a) * s; np.size(a, 0) * s; a.nbytes * s;
    a.itemsize * s; isinstance(x, np.ndarray) * s; np.isscalar(s) * t; np.result_type(f, x).itemsize * s;
    np.iterable(x) * s
    """
)


@pytest.mark.parametrize("expression", FILLED)
def test_filled(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize("expression", COPIES)
def test_copies(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize("expression", COORDINATES)
def test_coordinates(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize("expression", CONVERSIONS)
def test_conversions(expression: str) -> None:
    check(expression)
