"""Options of NumPy's and SciPy's functions, and of builtins: honoured, or refused; never accepted and not looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import linalg

from daad.errors import Unsupported
from daad.frontend.python.values.iterators import OF_OTHER_LENGTH
from tests.corpus.case import Case, normal, spread, uniform
from tests.frontend.numpy.expressions import check, function_of, leaves, names_in, rows
from tests.frontend.numpy.expressions import interpreted as run_expression
from tests.frontend.numpy.test_gradients import copies, is_float
from tests.frontend.python.running import assert_same_as_numpy, built
from tests.oracle import check_gradient
from tests.programs import interpreted

HONOURED = rows(
    """
    np.gradient(a, 0.5, s, axis=(1, 0)); np.gradient(a, s, t, axis=(-1, 0)); np.gradient(a, w, v, axis=(1, 0))[0];
    np.gradient(p, s, 2.0, axis=(2, 0)); np.gradient(p, axis=(-1, -2))[1]; np.gradient(a, axis=-1, edge_order=2);
    np.gradient(x, np.cumsum(u), edge_order=2); np.gradient(i, edge_order=2) * s; np.linspace(x, y, 3, axis=1);
    np.linspace(a, d, 3, axis=1); np.linspace(a, d, 4, axis=-1, endpoint=False);
    np.linspace(a, d, 3, axis=-2, dtype=np.float32); np.linspace(x, y, 3, axis=1, dtype=np.float32);
    np.linspace(x, y, 3, axis=1, retstep=True); np.linspace(s, 9 * s, 4, dtype=int) * s; np.linspace(s, t, 1);
    np.linspace(-5.5, -0.5, 4, dtype=int) * s; np.logspace(x, y, 3, axis=1); np.logspace(s, t, 3, base=u[0]);
    np.geomspace(u, u + 1, 3, axis=1); np.geomspace(s, 2.0, 4, endpoint=False);
    np.logspace(x, y, 3, dtype=np.float32); a.T.ravel('K') * np.arange(12); a.T.ravel('A') * np.arange(12);
    a.T.flatten('K') * np.arange(12); h.ravel() * np.arange(12); h.flatten('F') * np.arange(12);
    np.reshape(a.T, (2, 6), order='A') * np.arange(6); np.reshape(h, -1, order='F') * np.arange(12);
    p.transpose(1, 0, 2).ravel('K') * np.arange(24); p[:, ::2].ravel('K') * np.arange(16);
    h.copy().ravel('A') * np.arange(12); p.T.reshape(-1, order='A')[3:9] * s;
    np.take_along_axis(a, np.array([[1, 2]]), 1); np.take_along_axis(a, np.array([[1, 2, 0, 1]]), 0);
    np.take_along_axis(a, np.array([[1], [0], [3]]), 1); np.take_along_axis(a[:1], np.array([[1], [0], [3]]), 1);
    np.take_along_axis(a, np.array([5, 0]), None); np.take_along_axis(x, np.array([1, -1]), -1);
    np.take(x, [7, -9], mode='wrap'); np.take(x, [7, -9], mode='clip'); np.take(a, [5, 1], axis=1, mode='clip');
    np.choose(np.array([0, 7, -1]), [v, 2 * v], mode='wrap'); np.choose([0, 1], [s, f[0, :2]]);
    np.concatenate((f[0, 0], s), axis=None); np.linalg.matrix_power(np.stack((c, c)), 0) * s;
    np.geomspace(2.0, u[:2], 4)[-1] * s; np.geomspace(u[:2], 5.0, 3, axis=1) * s;
    np.choose(np.array([0, 7, -1]), [v, 2 * v], mode='clip'); np.cov(x[None], rowvar=False, bias=True) * s;
    np.cov(a, rowvar=False); np.cov(x, rowvar=False) * s; np.cov(x[:, None], rowvar=False);
    np.corrcoef(a, rowvar=False); np.cov(a, d, rowvar=False); np.cov(a, ddof=0); np.linalg.pinv(c, hermitian=True);
    np.linalg.svd(c, compute_uv=False, hermitian=True);
    np.linalg.matrix_rank(np.tril(np.ones((3, 3))), hermitian=True) * s; np.linalg.pinv(e, rtol=1e-20);
    np.isclose(z, z, equal_nan=True) * s; np.allclose(z, z, equal_nan=True) * s; np.allclose(z, z) * s;
    np.array_equal(z, z, equal_nan=True) * s; np.array_equal(z, z) * s; np.isclose(x, y, 0.1, 1.0) * s;
    np.round(k, -1) * s; np.around(j, -1) * s; np.round(17, -1) * s; k.round(-1) * s; np.round(x, -1) * s;
    round(2.675 * s / s, 2); round(n, -1) * s; round(0.5 * n * s / s) * s; np.nanvar(a, axis=0, ddof=1);
    np.nanstd(a, axis=1, keepdims=True); np.nanvar(f, dtype=np.float64); np.nanvar(a, correction=1);
    np.nanmax(a, initial=0.5); np.nanmin(a, axis=0, initial=-0.5); np.nansum(a, initial=s);
    np.nansum(a, axis=1, where=m); np.nanprod(a, where=m); np.nanmax(a, initial=-9.0, where=m);
    np.nanmean(a, where=m); np.nanmax(a, axis=(0, 1)); np.nanprod(a, dtype=np.float32); np.nanstd(a, where=m, ddof=1);
    np.var(a, where=m); np.std(a, axis=0, where=m); np.var(a, mean=s); np.std(a, axis=0, ddof=1, keepdims=True);
    np.var(a, correction=1); a.std(dtype=np.float32); np.var(f, dtype=np.float64); np.mean(a, where=m, axis=0);
    np.sum(a, dtype=np.float32); np.sum(a, axis=(0, -1)); np.max(a, initial=0.1, where=m); np.prod(a, where=m);
    np.maximum.reduce(a, axis=1, initial=0.3); np.maximum.reduce(a, axis=None, where=m, initial=-9.0);
    np.add.reduce(a, axis=(0, 1), keepdims=True, initial=s); np.add.reduce(a, where=m);
    np.add.reduce(k, dtype=float) * s; np.maximum.reduce(a, dtype=np.float32); np.logical_or.reduce(m, axis=1) * s;
    np.cumulative_sum(x, include_initial=True); np.cumulative_prod(a, axis=1, include_initial=True);
    np.cumsum(a, axis=1, dtype=np.float32); np.maximum.accumulate(a, dtype=np.float32, axis=1);
    np.add.accumulate(a, 1); np.trace(p, 1, 0, 2); np.trace(a, dtype=np.float32); a.trace(1); np.diagonal(p, 0, 1, 2);
    np.rot90(p, 3, (2, 0)); np.cross(e, e[::-1] * s, axisc=0); np.cross(e.T, e[::-1].T * s, axis=0);
    np.cross(e, c[:3] * s, axisb=0); np.linalg.cross(e.T, e[::-1].T, axis=0); np.vecdot(a, d, axis=0);
    np.linalg.vecdot(a, d, axis=0); np.interp(x, np.cumsum(u), y, left=s, right=t);
    np.digitize(x, [0.0, 1.0], True) * s; np.average(a, axis=0, weights=d * d, returned=True);
    np.average(a, weights=w, axis=1, keepdims=True); np.average(p, axis=(0, 2), weights=p[:, 0] ** 2);
    np.average(a, returned=True); np.pad(a, ((1, 0), (0, 2)), constant_values=((s, t), (1, 2))); np.diff(a, 2, 0);
    np.diff(x, prepend=s, append=[s, t]); np.diff(a, axis=0, prepend=d[:1]); np.ediff1d(a, s, [t, 1.0]);
    np.trapezoid(a, dx=s, axis=0); np.trapezoid(a, v, axis=0); np.trapezoid(a, d, axis=0);
    np.trapezoid(p, axis=1, dx=2); np.nan_to_num(z, nan=2.0, posinf=7.0, neginf=-7.0) * s; np.clip(x, None, 0.5);
    np.clip(x, min=t, max=s); x.clip(max=s); np.tri(3, 4, 1) * s; np.eye(3, 4, -1) * s; np.vander(x, 3, True);
    np.vander(x, increasing=True); np.diag(v, -1); np.indices((2, 3), sparse=True)[0] * s;
    np.indices((2, 3), sparse=True)[1] * s; np.indices((2, 3), dtype=float) * s;
    np.meshgrid(x, y, indexing='ij', sparse=True)[0]; np.meshgrid(x, v, w)[2];
    np.tensordot(a, d, axes=((0, 1), (0, 1))); np.tensordot(a, e, 1); np.einsum('ij,ij->i', a, d, optimize=True);
    np.einsum(a, [0, 1], d, [0, 1], [1]); np.matmul(a, e, dtype=np.float32); np.isin(k, [1, 3], invert=True) * s;
    np.isin(k, 1, kind='sort') * s; np.count_nonzero(a > 0, axis=1, keepdims=True) * s;
    np.argmax(a, axis=1, keepdims=True) * s; np.size(p, 1) * s; np.nanargmax(a, axis=1, keepdims=True) * s;
    np.nanargmin(a, axis=0) * s; np.ptp(a, 1, keepdims=True); np.nancumsum(a, 1, np.float32);
    np.any(a > 1, 1, keepdims=True) * s; np.all(a > -9, where=m) * s; m.all(where=~m) * s; np.linalg.norm(a, -np.inf);
    np.linalg.norm(a, axis=0, ord=3); np.linalg.norm(a, 1, (1, 0), True); np.linalg.norm(x, 0) * s;
    np.linalg.vector_norm(p, axis=(0, 2), ord=1, keepdims=True); np.linalg.matrix_norm(p, keepdims=True, ord=1);
    np.linalg.trace(p, offset=1, dtype=np.float32); np.insert(x, 2, s); np.insert(a, 1, w, axis=0);
    np.delete(a, [1], 1); np.full((2, 2), s, np.float32); np.full_like(a, s, np.float32, shape=(2,));
    np.zeros_like(a, shape=2) + s; np.array(x, ndmin=2); np.array([s, t], np.float32); np.array(x, copy=False) * 2;
    np.array([k, k], dtype=float) * s; np.asarray(x, np.float32); np.astype(x, np.float32);
    x.astype(int, casting='unsafe') * s; np.apply_along_axis(np.sum, 0, a);
    np.fromfunction(lambda i, j: i * s + j, (2, 3), dtype=int);
    np.piecewise(x, [x < 0, x > 1], [0.0, lambda r: r * r, lambda r: s * r]);
    np.select([x > 0, x > -1], [x, y], default=s); np.convolve(x, v, 'same'); np.correlate(x, v, 'full');
    np.roll(a, (1, 2), (0, 1)); np.roll(a, 2, axis=(0, 1)); np.repeat(a, 2, axis=1); np.repeat(x, [1, 0, 2, 1, 1]);
    np.tile(a, (2, 1, 2)); np.moveaxis(p, (0, 1), (-1, 0)); np.squeeze(o, 1); np.expand_dims(x, (0, -1));
    np.broadcast_to(x, (2, 5), subok=True) * 2; np.rollaxis(p, 2, 1);
    np.stack((x, y), axis=-1, dtype=np.float32, casting='unsafe'); np.concatenate((a, d), axis=None);
    np.concatenate((x, i), dtype=np.float32, casting='unsafe'); np.hstack((x, y), dtype=np.float32, casting='unsafe');
    np.split(x, [1, 3])[1]; np.array_split(a, 3, axis=1)[0]; np.unstack(p, axis=1)[1];
    np.compress([True, False, True], a, 0); np.bincount(np.abs(i), weights=x, minlength=7); np.kron(a, e);
    np.polyval(v, x); np.resize(x, (2, 4)); np.add(x, y, dtype=np.float32, casting='unsafe');
    np.angle(x, deg=True) * s; np.angle(x + 1j * y, True); np.sqrt(u, dtype=np.float32, casting='same_kind');
    np.fix(x) * s; np.divmod(x, u)[1]; np.modf(x)[0]; np.ldexp(x, i); np.median(a, 1, keepdims=True);
    np.percentile(a, 30, axis=0, method='lower'); np.sort(a, 0, 'stable'); np.argsort(k, stable=True) * s;
    np.sort(a, axis=None, kind='mergesort'); np.partition(x, 2, kind='introselect')[2];
    np.polyfit(x, y, 2, w=u, rcond=1e-30); np.polyfit(x, y, 1, full=True)[1];
    np.polyfit(x, np.stack((y, u), 1), 1, full=True)[3];
    np.polyfit(x, y, 2, w=u, cov=True)[1]; np.polyfit(x, y, 1, cov='unscaled')[1];
    np.histogram(x, 3, (-2.0, 2.0), weights=y)[0];
    np.linalg.qr(e, 'complete').Q; np.histogram(x, 4, density=True)[0] * s; np.linalg.cond(c, 'nuc');
    np.linalg.cholesky(c @ c.T + np.eye(4), upper=True); np.fft.fft(x, 7, norm='ortho').real;
    np.fft.fft(a, axis=0, n=2).imag; np.fft.rfft2(a, (2, 3), (1, 0)).real;
    np.fft.fftn(p, axes=(0, 2), norm='forward').real; np.fft.irfft(x, 6, norm='ortho'); np.fft.fftshift(a, 1);
    np.linalg.eigvalsh(c, 'U'); linalg.norm(a, 1, check_finite=False); linalg.inv(c, check_finite=False);
    linalg.solve(c, w, assume_a='sym', lower=True); linalg.solve(c, w, assume_a='gen', transposed=True);
    linalg.solve_triangular(c, w, trans='T', lower=True, unit_diagonal=True); linalg.cholesky(c @ c.T, lower=True);
    linalg.cho_factor(c @ c.T + np.eye(4))[0]; linalg.cho_factor(c @ c.T + np.eye(4), lower=True)[0];
    linalg.cho_factor(np.triu(c @ c.T + np.eye(4)))[0]; linalg.solve(c, w, overwrite_a=False);
    linalg.svdvals(c, check_finite=False); special.logsumexp(a, 1, keepdims=True, b=d * d); special.softmax(a, 0);
    ndimage.correlate1d(a, v, 0, cval=2); signal.convolve(x, v, 'same', 'direct');
    integrate.trapezoid(a, dx=s, axis=0); integrate.cumulative_trapezoid(a, axis=0, initial=0); np.std(x[:1]);
    np.std(a[:1], axis=0); np.std(x[:1], ddof=1); np.nanstd(x[:1]); np.arctan2(x, y * 0 + 0.0);
    np.arctan2(-u, x * 0 + 0.0); np.arctan2(x * 0 + 0.0, -u); np.arctan2(x * 0, -u); np.sum(x, dtype=int)*s;
    np.prod(x, dtype=int)*s; np.sum(i, dtype=float); np.sum(k)*s; np.cumsum(k)*s; np.prod(k)*s;
    np.min(a, axis=0, where=m, initial=3);
    linalg.inv(c + c.T, assume_a='sym'); linalg.inv(c, assume_a='sym'); linalg.det(c * s, overwrite_a=True);
    ndimage.correlate(a, e[:3], axes=(0, 1)); ndimage.gaussian_filter(b, 0.7, axes=0); ndimage.laplace(a, axes=(0,));
    ndimage.gaussian_filter1d(x, 1.0, order=1); ndimage.uniform_filter(a, 3, axes=1); integrate.simpson(x[:4]);
    integrate.simpson(y, x=[0.0, 1.0, 1.0, 2.0, 3.0]); np.linalg.lstsq(e, w, 1e-20);
    np.std(x + 1j * y); np.std(a + 1j * d, axis=0, ddof=1, keepdims=True); np.var(a + 1j * d, axis=1, where=m);
    np.std(x[:1] + 1j * y[:1]); (a + 1j * d).std(axis=(0, 1)); np.vecdot(a + 1j * d, d, axis=0).real;
    np.sum(a + 1j * d, where=m).imag; np.std(x + 1j * 0.0); np.cross(e + 1j * c[:, :3], e, axis=-1).imag;
    np.nanmax(i, initial=0.5) * s; np.nanmin(j, axis=0, initial=-9.5) * s; np.ediff1d(x[:0], s, [t, 1.0]);
    np.vander(f[0], 3); np.vander(i.astype(np.int8)); np.array_split(a.tolist(), 3, axis=1)[0]; np.polyval([1], s);
    np.where(i.astype(np.uint8) > -9, x, 300); np.where(m, j.astype(np.uint8), -1) * s; np.modf(f)[0]; np.angle(f);
    special.logsumexp(a, 1, keepdims=True, b=p * p); special.logsumexp(x, b=np.ones((2, 1)), axis=0);
    np.linalg.solve(c, f[0]); np.linalg.solve(f[:, :3], v); linalg.solve_triangular(c, f[0], lower=True);
    np.linalg.slogdet(f[:, :3])[0]; linalg.lu_factor(f[:, :3])[0]; linalg.inv(np.eye(3, dtype=np.int8)) * s;
    linalg.cholesky(np.eye(3, dtype=np.int8) * i.astype(np.int8)[0]) * f[0, 0]; spatial.distance.pdist(f);
    stats.siegelslopes(f[0], f[1])[0]; signal.medfilt(i) * s; cluster.vq.vq(j, j[:2])[1] * f[:, 0];
    np.linalg.lstsq(f[:, :2], v)[0]; np.linalg.lstsq(a[:, :2], f[:, 0])[0]; linalg.eigvals_banded([y.tolist(), x]);
    np.fmax.reduce(p[..., :3], axis=(1, 0)); np.fmin.reduce(a, axis=None, keepdims=True); fft.dctn(a, s=[-1], axes=[0]);
    np.add.reduceat(x, [0, 3], axis=None); ndimage.binary_dilation(x > 0.0, output=np.float64) + f[0, 0];
    signal.convolve(i, k) * s; signal.correlate(i, k, 'same') * s; signal.convolve2d(j, j, 'valid') * s;
    np.pad(x, 2, 'linear_ramp', end_values=s); np.pad(x, 2, 'reflect', reflect_type='odd'); np.pad(x, 1, 'mean');
    np.pad(a, 1, 'maximum', stat_length=2); np.quantile(x, 0.3, method='inverted_cdf', weights=u);
    np.cov(a + 1j * d).imag; np.geomspace(x, y + 3j).imag;
    np.linalg.matrix_power(c, -2); np.average(x, weights=u + 1j * y).real; np.nanvar(a, axis=1);
    np.average(a + 1j * d, axis=1, weights=w, returned=True)[1].imag + x[:3];
    np.cumprod(a + 1j * d, axis=1).imag; np.cumulative_prod(x + 1j * y, include_initial=True).real;
    np.max(a + 1j * d, axis=0).imag; np.nanmin(x + 1j * y).imag; np.fmax(x + 1j * y, y).imag;
    np.expm1(x + 1j * y).imag; np.log1p(u + 1j * y).imag; np.interp(x, np.cumsum(u), y + 1j * x, period=2.5).imag;
    np.sum(a, axis=1, dtype='D').real; np.var(x, dtype='D').real; np.prod(x, dtype='D', keepdims=True).real;
    np.subtract.accumulate(x); np.divide.reduce(a, axis=1); np.hypot.reduce(a, axis=(0, 1), keepdims=True);
    np.logaddexp.accumulate(a, axis=1); np.logical_xor.reduce(m, axis=1) * s; np.fmax.reduce(a);
    np.nextafter(x, y); np.spacing(x) + x; np.vecdot(a, e, axes=[1, 0, 0], keepdims=True)[0];
    np.linalg.qr(np.stack((c, c.T)))[1]; np.searchsorted(np.array([3.0, 1.0, 2.0]), x, sorter=[1, 2, 0]) * s;
    np.einsum('ij,j', a, w, dtype='f8'); np.sum(s, axis=0); np.cross(e, e[:, ::-1]);
    np.require(a + 1j * d, None, ['A']).imag; np.diff(x[:0]).cumsum(); np.unwrap(x[:0]); np.diff(x[:2], 3).cumsum();
    stats.shapiro(f[0])[0]; special.xlogy(a, f * f); special.huber(0.5, f); special.entr(m) * f[0, 0];
    special.rel_entr(f * f, a * a); special.hankel2e(1, f[0]).real; special.kv(np.arange(4), f[0] + 1j).real;
    special.hankel1(f[0], 2).imag; np.reciprocal(i + (i == 0)) * s; np.reciprocal(j.astype(np.int8)) * f[0, 0];
    ndimage.sum(i, k, 2) * f[0, 0]; ndimage.variance(a + 1j * d).real; ndimage.correlate(a, np.eye(3) * s)
    """
)
REFUSED = rows(
    """
    np.ravel(h, 'K') * np.arange(12); np.ravel(h, order='A') * np.arange(12); h.flatten('A') * np.arange(12);
    h.flatten('K') * np.arange(12); h.reshape(2, 6, order='A') * np.arange(6); round(1234.5678 * s, -2);
    round(s * 1e-9, 12);
    np.meshgrid(x, y, copy=False)[1]; np.pad(x, 2, 'empty');
    np.matmul(a, b, axes=[(0, 1), (0, 1), (1, 0)]); np.unravel_index(k, (2, 3), order='F')[0] * s;
    np.ravel_multi_index((k, k), (4, 3), mode='wrap') * s; np.ravel_multi_index((k, k), (4, 4), order='F') * s;
    np.array([[s, t]], ndmax=2);
    special.erf(x, dtype=np.float32, casting='unsafe');
    np.sum(x, dtype='e'); np.mean(x, dtype='e');
    np.var(x, dtype='e'); np.std(x, dtype=np.float16); np.prod(x, dtype='e'); np.cumsum(x, dtype='e');
    np.maximum.reduce(x, dtype='e'); np.maximum.accumulate(x, dtype='e'); np.add.reduce(x, dtype='e');
    np.nansum(x, dtype='e'); np.nanmean(x, dtype='e'); np.nanvar(x, dtype='e'); x.sum(dtype='e'); x.mean(dtype='e');
    np.trace(a, dtype='e'); np.cov(a, dtype='e'); np.add(x, y, dtype='e'); np.add.accumulate(x, dtype='e');
    np.cumulative_sum(x, dtype='e'); np.linspace(s, t, 3, dtype='e'); np.concatenate((x,y), dtype='e');
    np.full(3, s, 'e'); x.astype('e'); np.arange(3, dtype='e')*s; np.nancumsum(x, dtype='e'); np.mean(x, dtype=int)*s;
    np.var(x + 1j * y, dtype=float); np.std(x + 1j * y, mean=s); np.linalg.lstsq(c, w, rcond=(0,))[0];
    np.matmul(a + 1j * d, e, dtype=np.float32, casting='unsafe').real; np.sum(a, where=2); np.std(x, correction=(0,))
    """
)


@pytest.mark.parametrize("row", HONOURED)
def test_an_option_counts_as_in_numpy(row: str) -> None:
    check(row)


NOT_A_NUMBER = ("np.std(x[:1], ddof=1)",)


def is_active(row: str) -> bool:
    names = names_in(row)
    return row not in NOT_A_NUMBER and any(map(is_float, names)) and "z" not in names and "float32" not in row


@pytest.mark.parametrize("row", [row for row in HONOURED if is_active(row)])
def test_an_option_counts_in_the_gradient(row: str) -> None:
    function, names = function_of(row)
    with np.errstate(all="ignore"):
        value = function(*copies(names))
    of = 0 if isinstance(value, (tuple, list)) else None
    first = leaves(value)[0]
    seed = uniform(1, *np.shape(first)) if np.ndim(first) else 1.0
    wrt = tuple(filter(is_float, names))
    case = Case(name=row, function=function, arguments=lambda: copies(names), wrt=wrt, of=of, seed=seed)
    check_gradient(interpreted(case)(*case.arguments()), case, count=4)


@pytest.mark.parametrize("row", REFUSED)
def test_an_option_that_does_not_count_is_refused(row: str) -> None:
    function, names = function_of(row)
    with pytest.raises(Unsupported):
        run_expression(function, dict(zip(names, copies(names), strict=True)))


def put_in_turn(x, y):
    np.put(x, [0, 2, 4], y[:2])
    return np.sum(x * x * y)


def put_what_is_read(x, y):
    np.put(x, [1, 2, 3], x[:3])
    return np.sum(x * y)


def put_beyond_the_end(x, y):
    np.put(x, [7, -9], y[:2], mode="clip")
    x.put([6], y[1:2], mode="wrap")
    return np.sum(x * x)


def put_where_data_say(x, y):
    places = np.argsort(np.sin(3.0 * y))[:3] % 4
    np.put(x, np.array([places, places + 1]), y[:4])
    np.put(x, places - 9, y[0], mode="wrap")
    x.put(places[::-1], x[:3] * y[1])
    return np.sum(x * x * np.arange(1.0, len(x) + 1.0))


def grids_that_share_memory(x, y):
    rows, columns = np.meshgrid(x, y, copy=False, sparse=True)
    rows[0, 1] = y[0] * 2.0
    return np.sum(x * x) + np.sum(rows * columns)


def grids_of_their_own(x, y):
    rows, columns = np.meshgrid(x, y)
    x[0] = 0.5
    rows[0, 1] = y[0] * 2.0
    return np.sum(x * x) + np.sum(rows * columns)


def copied_reshape(x, y):
    square = np.reshape(x[:4], (2, 2), copy=True)
    square[0, 0] = y[0]
    method = x[:4].reshape(2, 2, copy=True)
    method[1] = 0.0
    return np.sum(x * y) + np.sum(square * square) + np.sum(method)


def reshape_without_a_copy(x, y):
    square = np.reshape(x[:4], (2, 2), copy=False)
    square[0, 0] = y[0]
    return np.sum(x * x)


def numbers_made_in_place(x, y):
    x[1] = np.inf
    z = np.nan_to_num(x, copy=False, posinf=3.0)
    z[0] = y[0]
    return np.sum(x * x * y)


def into_arrays(x, y):
    a, b, c, d = np.zeros(()), np.zeros(()), np.zeros(2), np.zeros(())
    np.nanvar(x, out=a)
    np.nanstd(x, out=b)
    np.percentile(x, [20, 70], out=c)
    found = np.median(y, out=d)
    return a + 2.0 * b + np.sum(c * y[:2]) + d * found


def taken_into(x, y):
    z = np.zeros(3)
    np.take(x, [1, 5, -7], out=z, mode="wrap")
    np.compress([True, False, True], y, out=z[:2])
    return np.sum(z * z)


def polynomial(p, t):
    return p[0] * t * t + p[1] * t + p[2]


def excluded_by_place(x, y):
    return np.sum(np.vectorize(polynomial, excluded={0})(y, x) * x)


def excluded_by_name(x, y):
    return np.sum(np.vectorize(polynomial, excluded=["p"])(p=y, t=x) * x)


def strictly_zipped(x, y):
    return sum((a * b for a, b in zip(x, y, strict=True)), start=1.0)


def strictly_zipped_iterators(x, y):
    return sum(a * b * c for a, b, c in zip(x, reversed(list(y)), [1.0, 2.0, 3.0, 4.0, 5.0], strict=True))


def of_one_value(x, y):
    return np.std(x[:1]) * y[0] + np.sum(np.nanstd(x[None, :3], axis=0)) + np.sum(x * y)


def scalar_rounded(x, y):
    return round(x[0], 1) + round(float(y[0]), 2) * x[1] + round(-2.675 * float(x[0] / x[0]), 2)


def backwards(x, y):
    return np.sum(np.reshape(x[:4], (2, 2))[::-1].ravel("K") * y[:4])


def repeated(x, y):
    return np.sum(np.broadcast_to(x[:2, None], (2, 3)).ravel("K") * y[0] * np.arange(6))


def solved_in_place(x, y):
    matrix, z, rows = np.outer(x, y) + 9.0 * np.eye(5), y * 1.0, np.stack((x, y))
    linalg.solve_triangular(matrix, z, overwrite_b=True)
    linalg.solve(matrix, rows.T, overwrite_b=True)
    w = x + 1j * y
    linalg.solve_triangular(matrix + 2j, w, overwrite_b=True)
    return np.sum(z * x) + np.sum(rows * rows) + np.sum(w.imag * w.real)


class Pair(NamedTuple):
    """Of a real and a complex number."""

    a: float
    b: complex


def summed_pair(x, y):
    pair = Pair(x[0], 1j * y[0])
    return abs(sum(pair, 9)) * x[1]


def one_coefficient(x, y):
    z = np.polyval(x[:1], y[:1])
    z *= 2.0
    return z[0] * x[0]


def numbers_with_axes(x, y):
    """Arrays of their own."""
    s, t, z = x[0], float(y[0]), x[1] + 1j * y[1]
    made = np.atleast_1d(s), np.reshape(t, (1, 1)), s[None], np.expand_dims(t, 0), s.ravel(), np.ascontiguousarray(s)
    made += np.squeeze(t), np.transpose(t), np.atleast_2d(z), np.ravel(z), np.array(s)[None]
    total = s * t * abs(z)
    for k, array in enumerate(made):
        array[...] = x[k % 5]
        total += np.sum(array * abs(z)) * s * (k + t)
    zero = x[2:3].reshape(())
    free = np.nan_to_num(zero, copy=False)[None]
    free[0] = 7.0
    np.atleast_1d(zero)[0] = y[2]
    return np.real(total * x[2] + np.sum(abs(z) * x))


def extremes_of_their_own(x, y):
    z = np.outer(x, y) + 1j * x
    low = z.min(axis=1)
    low.ravel()[1] = 2.0 * y[0]
    return np.sum(low.real * x + low.imag * y)


BYTES = np.array([0, 2, 0], np.uint8)


def counted_bytes(x, y):
    return np.sum(np.bincount(BYTES, weights=x[:3]) * y[:3])


PROGRAMS = (
    *(solved_in_place, counted_bytes, summed_pair, one_coefficient, numbers_with_axes, extremes_of_their_own),
    *(
        put_in_turn,
        put_what_is_read,
        put_beyond_the_end,
        put_where_data_say,
        grids_that_share_memory,
        grids_of_their_own,
    ),
    *(copied_reshape, reshape_without_a_copy, numbers_made_in_place, into_arrays, taken_into),
    *(excluded_by_place, excluded_by_name, strictly_zipped, of_one_value, scalar_rounded),
    *(backwards, repeated, strictly_zipped_iterators),
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_an_option_counts_for_what_is_written(program: Callable[..., Any]) -> None:
    case = Case(name=program.__name__, function=program, arguments=arguments, wrt=("x", "y"))
    assert_same_as_numpy(program, arguments())
    check_gradient(interpreted(case)(*case.arguments()), case)


def arguments() -> tuple[Any, ...]:
    return spread(3, 5), normal(4, 5)


def unequal(x, y):
    return sum(a * b for a, b in zip(x, y[:3], strict=True))


def unequal_iterators(x, y):
    return sum(a * b for a, b in zip([x[0], x[1]], reversed([y[0], y[1], y[2]]), strict=True))


def turned_in_memory(x, y):
    return np.sum(np.sin(np.outer(x, y).T).ravel("K") * np.arange(25))


def grids_that_repeat(x, y):
    return np.sum(np.meshgrid(x, y, copy=False)[0])


def said_of_nothing() -> str:
    """What this version of Python says of the largest of nothing."""
    with pytest.raises(ValueError) as caught:
        max([])
    return str(caught.value)


def nothing_is_largest(x, y):
    return max([v for v in (1.0, 2.0) if v > 3.0]) * np.sum(x * y)


def overwritten(x, y):
    return np.sum(np.median(np.outer(x, y), axis=0, overwrite_input=True))


def into_what_is_larger(x, y):
    z = np.zeros((2, 5))
    np.median(np.outer(x, y), axis=0, out=z)
    return np.sum(z)


def summed_into_what_is_larger(x, y):
    z = np.zeros((2, 5))
    np.vecdot(np.outer(x, y), y, out=z)
    return np.sum(z)


SENTENCES = {
    into_what_is_larger: "This fails without daad, too: output parameter for reduction operation add has the wrong "
    "number of dimensions: Found 2 but expected 1.",
    summed_into_what_is_larger: "The argument 'out' has another shape than the result.",
    unequal: OF_OTHER_LENGTH[0],
    unequal_iterators: OF_OTHER_LENGTH[0],
    turned_in_memory: "How NumPy has the elements of this array in memory is not known.",
    grids_that_repeat: "Grids whose elements share memory are not supported.",
    nothing_is_largest: f"'max' fails here: {said_of_nothing()}.",
    overwritten: "'np.median' with 'overwrite_input' is not supported.",
}


@pytest.mark.parametrize("program", SENTENCES, ids=lambda program: program.__name__)
def test_a_refusal_names_the_option(program: Callable[..., Any]) -> None:
    with pytest.raises(Unsupported) as caught:
        built(program, arguments())
    assert caught.value.message == SENTENCES[program]


CORRECTLY_ROUNDED = [
    2.675,
    0.125,
    1.005,
    -2.5,
    1e15 + 0.3,
    4503599627370497.5,
    1e300,
    0.045,
    5e-324,
    0.285,
    1234567.125,
]


@pytest.mark.parametrize("digits", [1, 2, 3, 5, 10])
def test_python_rounds_the_decimal_number(digits: int) -> None:
    rounded, _ = function_of(f"round(s, {digits})")
    random = np.random.default_rng(digits).normal(size=40)
    for number in (*CORRECTLY_ROUNDED, *(random * 100).tolist(), *(np.round(random * 100) / 8).tolist()):
        assert run_expression(rounded, {"s": number}) == [round(number, digits)]
