"""Reductions, scans and contractions give NumPy's values, shapes and dtypes."""

from __future__ import annotations

import pytest

from tests.frontend.numpy.expressions import check, rows

SUMS = rows(
    """
    np.sum(a); np.sum(a, axis=0); np.sum(a, axis=1); np.sum(a, axis=-1); np.sum(a, 1, keepdims=True);
    np.sum(a, keepdims=True); np.sum(p, axis=(0, 2)); np.sum(p, axis=(0, -1), keepdims=True); np.sum(a * d);
    np.sum(a * d, axis=0); a.sum(); a.sum(0); a.sum(axis=1, keepdims=True); (a * a).sum(); np.sum(f); np.sum(i);
    np.sum(k); np.sum(m); np.sum(m, axis=0); np.sum(f, axis=0); np.sum(f, dtype=np.float64); np.sum(a, where=m);
    np.sum(a, axis=0, where=a > 0); np.sum(a, initial=2.0); np.sum(s); np.sum([x, y]); np.sum([s, t, 1.0]);
    np.sum(np.sum(a, axis=0)); np.nansum(z); np.mean(a); np.mean(a, axis=0); np.mean(a, axis=1, keepdims=True);
    a.mean(); a.mean(axis=(0, 1)); np.mean(f); np.mean(f, axis=0); np.mean(i); np.mean(m); np.mean(m, axis=1);
    np.nanmean(x); np.sum(a[1:, :2]); np.sum(a[0]); sum(x); sum([x[0], x[1]], s); sum(a); np.sum(a, axis=None);
    np.sum(a, axis=()); np.mean(x > 0); np.count_nonzero(m); np.count_nonzero(x > 0); np.count_nonzero(m, axis=0);
    np.sum(np.zeros(0)); np.sum(a, dtype=np.float32); np.average(a); np.average(a, axis=0);
    np.average(a, axis=1, weights=w); np.average(x, weights=u); np.average(a, weights=d * d);
    np.add.reduce(a, axis=(0, 1)); np.sum(p, 0).sum(0); np.mean(a, dtype=np.float64); np.mean(a, where=m)
    """
)
EXTREMES = rows(
    """
    np.max(a); np.max(a, axis=0); np.max(a, axis=1, keepdims=True); a.max(); a.max(-1); np.amax(a); np.min(a);
    np.amin(a, axis=0); a.min(axis=1); a.min(); np.max(i); np.max(f, axis=0); np.min(k); np.max(np.abs(a));
    np.max(a * d, axis=0); np.ptp(a); np.ptp(a, axis=1); np.max(p, axis=(0, 2)); max(x); min(x); max(s, t);
    min(s, t, 0.5); max(x[0], x[1], 1); min([s, t]); max(2, n); np.argmax(x); np.argmin(x); np.argmax(a);
    np.unravel_index(np.argmax(a), a.shape)[1]; np.unravel_index(a.argmin(), (a.shape[1], len(a)))[0];
    np.ravel_multi_index(np.unravel_index(np.argmax(x), (len(x), 1)), (len(x), 2));
    np.unravel_index(np.argmax(a, axis=1), (2, 2, 2))[2];
    np.argmax(a, axis=0); a.argmin(axis=1); x.argmax(); np.nanmax(x); np.nanmin(x); np.max(x, initial=0.5);
    np.min(x, initial=5); np.max(m); np.max(a - d)
    """
)
OTHER = rows(
    """
    np.nanprod(z[:4]); np.nanvar(x); np.nanmean(a, axis=0); np.nanstd(z[:4], ddof=1); np.nansum(z[:4] * s);
    np.nanargmax(x); np.nanmax(a, axis=1, keepdims=True); np.polyval([1.0, s, -2.0], x); np.polyval(v, 2.0);
    np.bincount([0, 1, 1, 3], u[:4]); np.bincount(k, weights=x, minlength=6);
    np.linalg.vector_norm(a, axis=0); np.linalg.matrix_norm(a); np.linalg.vector_norm(x, ord=1);
    np.prod(a); np.prod(a, axis=0); np.prod(a, axis=1, keepdims=True); a.prod(); x.prod(); np.prod(i);
    np.prod(f, axis=1); np.prod(p, axis=(0, 1)); np.prod(a * d); np.std(a); np.std(a, axis=0);
    a.std(axis=1, keepdims=True); np.std(f); np.std(i); np.var(a); np.var(a, axis=1, ddof=1); a.var();
    np.var(a, axis=0, keepdims=True); np.std(x, ddof=1); np.var(f, axis=0); np.any(m); np.all(m); np.any(m, axis=0);
    np.all(m, axis=1); m.any(); m.all(axis=0); np.any(a > 0, axis=1, keepdims=True); np.all(x); np.any(i);
    np.any(x[:0]); np.all(a[:, :0]); np.any(a[:0], axis=0);
    any([s > 1, t > 1]); all([s > 1, t > 1]); np.linalg.norm(x); np.linalg.norm(a); np.linalg.norm(a, axis=1);
    np.linalg.norm(a, axis=0, keepdims=True); np.linalg.norm(x, 1); np.linalg.norm(x, np.inf);
    np.linalg.norm(x, ord=3); np.linalg.norm(a, 'fro'); np.linalg.norm(x, 2); np.linalg.norm(f);
    np.linalg.norm(x - y); np.trace(c); c.trace(); np.trace(c, offset=1); np.trace(a); np.linalg.norm(a, ord=1);
    np.linalg.norm(x, -np.inf); np.linalg.norm(x, 0); np.cov(a); np.corrcoef(a); np.linalg.norm(i);
    np.cov(x, y); np.corrcoef(x, y); np.cov(a, x[:4]); np.corrcoef(a, x[:4]);
    np.cov(a, bias=True); np.cov(a, rowvar=False); np.nanstd(x); np.linalg.norm(a, np.inf)
    """
)
SCANS = rows(
    """
    np.cumulative_sum(x); np.cumulative_prod(a, axis=1); np.nancumsum(z); np.nancumprod(x);
    np.cumsum(x); np.cumsum(a); np.cumsum(a, axis=0); np.cumsum(a, axis=1); a.cumsum(1); x.cumsum(); np.cumsum(i);
    np.cumsum(f, axis=0); np.cumsum(m); np.cumprod(x); np.cumprod(a, axis=0); np.cumprod(a); x.cumprod();
    np.trapezoid(x); np.trapezoid(x, y); np.trapezoid(x, dx=0.1); np.trapezoid(a, axis=0); np.trapezoid(a, w);
    np.trapezoid(a, dx=s); np.cumsum(x * y); np.cumsum([s, t])
    """
)
PRODUCTS = rows(
    """
    np.dot(x, y); np.dot(a, b); np.dot(a, w); np.dot(v, a); np.dot(s, a); np.dot(a, 2); x.dot(y); a.dot(b); x @ y;
    a @ b; a @ w; v @ a; p @ q; p @ e; a @ q; p @ w; v @ p; np.matmul(a, b); np.matmul(p, q); np.dot(p, w);
    np.dot(p, b); np.dot(p, q); np.inner(x, y); np.inner(a, d); np.inner(s, x); np.inner(p, a); np.vdot(a, d);
    np.vdot(x, y); np.outer(x, w); np.outer(a, x); np.outer([1, 2], x); a.T @ d; a @ d.T; (a + d) @ b; a @ np.sin(b);
    a[1:] @ b[:, ::2]; f @ b; f @ f.T; i @ i; j @ b; j @ w; np.dot(i, x); np.tensordot(a, b, axes=1);
    np.tensordot(a, d); np.tensordot(a, b, axes=([1], [0])); np.tensordot(p, q, axes=([1, 2], [2, 1]));
    np.tensordot(p, a, axes=((1,), (0,))); np.tensordot(x, w, axes=0); np.einsum('ij,jk->ik', a, b);
    np.einsum('ij,jk', a, b); np.einsum('ij->ji', a); np.einsum('ii', c); np.einsum('ii->i', c);
    np.einsum('ij->', a); np.einsum('ij->j', a); np.einsum('i,i', x, y); np.einsum('i,j->ij', x, w);
    np.einsum('bij,bjk->bik', p, q); np.einsum('ij,ij->i', a, d); np.einsum('ij,j,i->', a, w, v); np.einsum('ba', a);
    np.einsum('i j, j k -> i k', a, b); np.kron(x, w);
    np.einsum('...j,...j->...', a, d); np.einsum('...', a); np.einsum('i...->...', p); np.einsum('i...->...i', p);
    np.einsum('...ij,...jk', p, q); np.einsum('...ij,...jk->i...k', p, q[:1]); np.einsum('...,...', a, 2.0);
    np.einsum('...i,i', a, w); np.einsum('...i,...i->...', p, p[:, :1]); np.einsum(a, [0, 1], d, [0, 1]);
    np.einsum(a, [0, 1], b, [1, 2], [2, 0]); np.einsum(p, [..., 1], p, [..., 1], [...]); np.einsum(c, [0, 0]);
    np.linalg.cross(e, q[0]); np.cross(v, e); np.cross(e, v); np.linalg.tensordot(a, b, axes=1);
    np.linalg.matmul(a, b); np.einsum('bij,bjk,kl->il', p, q, b[:3]); np.einsum('i,i,i->', x, y, u);
    np.kron(a, o); np.kron(np.eye(2), a); np.cross(v, d[:, 0]);
    np.cross(e, q[0]); a @ b @ x; np.linalg.multi_dot([a, b, x]); np.linalg.matrix_power(c, 3);
    np.linalg.matrix_power(c, 0); m @ w; np.vecdot(a, d); np.dot(m, w); np.multiply(a, d).sum();
    np.dot([1.0, 2.0], [s, t]); np.linalg.outer(x, y); np.convolve(x, v); np.convolve(x, v, 'same');
    np.convolve(x, v, mode='valid'); np.convolve(v, x, 'same'); np.convolve(x, [0.25, 0.5, 0.25], 'same');
    np.correlate(x, v); np.correlate(x, v, 'full'); np.correlate(x, v, 'same'); np.correlate(v, x, 'full');
    np.dot(a, b, out=np.zeros((3, 5))); np.linalg.vecdot(a, d); np.matvec(a, w); np.vecmat(v, a); np.linalg.trace(c)
    """
)


@pytest.mark.parametrize("expression", SUMS)
def test_sums(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize("expression", EXTREMES)
def test_extremes(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize("expression", OTHER)
def test_other_reductions(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize("expression", SCANS)
def test_scans(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize("expression", PRODUCTS)
def test_products(expression: str) -> None:
    check(expression)
