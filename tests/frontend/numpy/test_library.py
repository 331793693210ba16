"""Functions that are written as NumPy programs: NumPy's and SciPy's values, and gradients against differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg, special

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from tests.corpus.case import Case
from tests.frontend.numpy.expressions import OPERANDS, check, function_of, names_in, rows
from tests.frontend.numpy.test_gradients import copies, is_float
from tests.oracle import check_gradient
from tests.programs import interpreted

READ = rows(
    """
    np.polynomial.chebyshev.chebval(x, y); np.polynomial.legendre.legval(a, v); np.polynomial.hermite.hermval(s, x);
    np.polynomial.polynomial.polyval(a, p); np.polynomial.polynomial.polyval2d(x, y, c);
    np.polynomial.polynomial.polymul(x, v); np.polynomial.chebyshev.chebmul(x, v);
    np.polynomial.polynomial.polyadd(x, v); np.polynomial.polynomial.polysub(v, x);
    np.polynomial.polynomial.polydiv(x, v)[0]; np.polynomial.polynomial.polypow(v, 3);
    np.polynomial.polynomial.polyfromroots(x); np.polynomial.polynomial.polyvalfromroots(x, v);
    np.polynomial.legendre.legint(a, 2, [1.0, 2.0]); np.polynomial.hermite.hermder(a, axis=1);
    np.polynomial.laguerre.lagvander(x, 3); np.polynomial.legendre.legfit(x, y, 2); np.polynomial.hermite.hermint(f);
    np.poly(v); np.polyder(x); np.polysub(x, v); np.unwrap(4 * x); np.resize(a, (5, 3)); np.fft.hfft(x);
    np.fft.ihfft(x).real; np.trim_zeros(x); np.trim_zeros(x, 'b'); np.i0(x)
    """
)
LINEAR = rows(
    """
    np.linalg.solve(c, w); np.linalg.solve(c, e); np.linalg.solve(np.stack((c, c.T)), w);
    np.linalg.solve(np.stack((c, c.T)), e); np.linalg.solve(c, np.stack((e, e * 2))); np.linalg.inv(c);
    np.linalg.inv(np.stack((c, c.T + w))); np.linalg.det(c); np.linalg.det(np.stack((c, c * w)));
    np.linalg.slogdet(c); np.linalg.slogdet(c)[1]; np.linalg.slogdet(-c.T @ c).logabsdet;
    np.linalg.slogdet(np.stack((c, c * w)))[1]; np.linalg.cholesky(c @ c.T + np.eye(4));
    np.linalg.cholesky(np.stack((c @ c.T, c.T @ c))); np.linalg.cholesky(c @ c.T, upper=True);
    np.linalg.cholesky(c * w + 20 * np.eye(4)); np.linalg.solve([[s, 1.0], [0.0, t]], [s, 3]); np.linalg.inv(c[:1, :1]);
    np.linalg.det(c[:1, :1]); np.linalg.det(c[:2, :2] * [0, 1]); np.linalg.inv(j[:, :3]); np.linalg.det(f[:, :3]);
    np.linalg.solve(f[:, 1:], f[:, 0]); np.linalg.inv(c[:2, :2]) @ np.linalg.inv(c[2:, 2:]); np.linalg.solve(c, w) @ w;
    linalg.solve(c, w); linalg.solve(c, w, transposed=True); linalg.solve(c, e, assume_a='sym');
    linalg.solve(c, e, lower=True, assume_a='sym'); linalg.inv(c); linalg.det(c); linalg.cholesky(c @ c.T);
    linalg.cholesky(c @ c.T, lower=True); linalg.cho_solve(linalg.cho_factor(c @ c.T), w);
    linalg.lapack.dpotrf(c @ c.T, lower=1)[0]; linalg.lapack.dpotrs(linalg.lapack.dpotrf(c @ c.T)[0], w)[0];
    linalg.lapack.dpotri(linalg.lapack.dpotrf(c @ c.T, 1)[0], 1)[0]; linalg.lapack.dgesv(c, w)[2];
    linalg.lapack.dpotrf(c @ c.T)[1] + w; linalg.lapack.dpotrf(-c @ c.T)[1] + w; linalg.lapack.dgetrf(0 * c)[2] * w;
    linalg.lapack.dtrtrs(c, w, lower=1, trans=1)[0]; linalg.lapack.dgetrs(*linalg.lapack.dgetrf(c)[:2], e)[0];
    linalg.cho_solve(linalg.cho_factor(c @ c.T, lower=True), e); linalg.solve_triangular(c, w);
    linalg.solve_triangular(c, e, lower=True); linalg.solve_triangular(c, w, trans=1);
    linalg.solve_triangular(c, w, 'T', True); linalg.solve_triangular(c, w, unit_diagonal=True)
    """
)
STRUCTURED = rows(
    """
    linalg.rq(c)[0]; linalg.rq(a)[1] * c; linalg.rq(e, mode='economic')[1]; linalg.rq(b, mode='r'); linalg.schur(c)[0];
    linalg.schur(c)[1] * c; linalg.schur(c @ c.T)[0]; linalg.schur(np.diag(x) + np.triu(np.outer(y, u)))[1];
    linalg.polar(c + 1j * a.T @ a)[0].imag; linalg.polar(e + 1j * a.T)[1].real; linalg.rq(c + 1j * a.T @ a)[0].imag;
    linalg.lu(c)[0] * w; linalg.lu(c)[1] * w; linalg.lu(c)[2] * w; linalg.lu(e, permute_l=True)[0];
    linalg.lu(a, p_indices=True)[2]; linalg.lu(a)[0] * s; linalg.lu_factor(c)[0] * w; linalg.lu_factor(c)[1] * s;
    linalg.lu_solve(linalg.lu_factor(c), w); linalg.lu_solve(linalg.lu_factor(c), e, trans=1);
    linalg.solve_banded((1, 1), [x, 4 + y, u], x); linalg.solve_banded((2, 1), [y, 4 + x, u, y], np.stack((x, u), 1));
    linalg.solveh_banded([x, 5 + y], u); linalg.solveh_banded([5 + y, x], u, lower=True);
    linalg.cholesky_banded([x, 6 + y])[:, 1:]; linalg.cholesky_banded([6 + y, x], lower=True)[:, :-1];
    linalg.cho_solve_banded((linalg.cholesky_banded([x, 6 + y]), False), u); linalg.toeplitz(x); linalg.toeplitz(x, w);
    linalg.cho_solve_banded((linalg.cholesky_banded([6 + y, x], lower=True), True), u); linalg.circulant(x) * y;
    linalg.solve_toeplitz((5 + x, 5 + x[0] + 0 * y), u); linalg.solve_toeplitz(np.cumprod(0.5 * u), x);
    linalg.block_diag(c, x, s); linalg.eigvalsh_tridiagonal(x, w); linalg.eigvals_banded([y, x]);
    linalg.solve_sylvester(c + 5 * np.eye(4), np.diag(u[:3]), e);
    linalg.solve_continuous_lyapunov(c - 4 * np.eye(4), c);
    linalg.solve_discrete_lyapunov(0.2 * c, c * w); linalg.solve_discrete_lyapunov(0.2 * c, c, method='bilinear');
    linalg.solve_continuous_are(c, e, c @ c.T + np.eye(4), np.diag(u[:3]));
    linalg.solve_continuous_are(c, e, c @ c.T + 9 * np.eye(4), np.eye(3), s=0.1 * a.T);
    linalg.solve_continuous_are(c, e[:, :1], c @ c.T + np.eye(4), 1.5);
    linalg.solve_discrete_are(c, e[:, :1], np.eye(4), [u[0]]);
    linalg.solve_discrete_are(0.4 * c, e, c @ c.T + np.eye(4), np.diag(u[:3]));
    linalg.solve_discrete_are(0.4 * c, e, np.eye(4), np.eye(3), e=0.1 * c + 2 * np.eye(4), s=0.1 * a.T);
    linalg.solve_continuous_are(c, e, c @ c.T + 9 * np.eye(4), np.eye(3), 0.1 * c + 2 * np.eye(4), balanced=False);
    linalg.cosm(c) * w; linalg.sinm(c) * w;
    linalg.cosm(f[:, :3]); linalg.tanm(f[:, :3]); linalg.signm(f[:, :3] @ f[:, :3].T - 2 * np.eye(3, dtype=f.dtype));
    linalg.signm(c @ c.T - 2 * np.eye(4)) * w; linalg.lstsq(e, w)[0]; linalg.lstsq(e, w)[1];
    linalg.solve(c, w, assume_a='tridiagonal'); linalg.solve(c, w, assume_a='upper triangular');
    linalg.cholesky_banded([x, 6 + y]); linalg.cholesky_banded([6 + y, x], lower=True);
    linalg.inv(c, assume_a='diagonal');
    linalg.lu(a, p_indices=True)[0] * s; linalg.lstsq(e, w, cond=1e-9)[0];
    linalg.lstsq(e, w, lapack_driver='gelsy')[0];
    linalg.signm(c + c.T) * w; linalg.signm(np.array([[1.0, s], [0.3, -2.0]]));
    linalg.det(c, overwrite_a=True) * w;
    linalg.eigh_tridiagonal(x, w)[1] * y; linalg.eigh_tridiagonal(x, w, select='i', select_range=(1, 2))[1];
    linalg.eig_banded([y, x])[1] * u; linalg.eig_banded([x, y], lower=True)[0]; linalg.polar(a)[0]; linalg.polar(a)[1];
    linalg.hessenberg(c); linalg.hessenberg(c, calc_q=True)[1] * w;
    linalg.eigh(c, subset_by_index=[1, 2])[1]; linalg.pinv(e, return_rank=True)[0]; linalg.block_diag(c, x * 1j).imag
    """
)
STACKED = rows(
    """
    linalg.cholesky(np.stack((c @ c.T, c.T @ c)) + np.eye(4)); linalg.solve(np.stack((c, c.T)), w); linalg.lu(q)[2];
    linalg.inv(np.stack((c, c.T)) + w); linalg.det(np.stack((c, c * w))); linalg.qr(q)[0];
    linalg.lu(q, permute_l=True)[0];
    linalg.eigvalsh(np.stack((c, c.T))); linalg.svdvals(p); linalg.lstsq(q, w)[0];
    linalg.expm(np.stack((c, c.T)) * 0.3);
    linalg.solve_sylvester(np.stack((c, c.T)) + 5 * np.eye(4), np.diag(u[:3]), q)
    """
)
COMPLEX = rows(
    """
    linalg.solve(c + 1j * w, w).imag; linalg.solve(c + 1j * w, e, assume_a='her', lower=True).real;
    linalg.solve(c + 1j * w, e, assume_a='sym').imag; np.linalg.cholesky(np.eye(4) * 20 + c + 1j * c).imag;
    linalg.cholesky(np.eye(4) * 20 + c + 1j * c).imag; linalg.inv(c + 1j * e @ a).real; linalg.det(c + 1j * w).imag;
    linalg.cho_solve(linalg.cho_factor(np.eye(4) * 20 + c + 1j * c), w).imag; np.linalg.qr(e + 1j * a.T)[0].imag;
    linalg.cho_solve(linalg.cho_factor(np.eye(4) * 20 + c + 1j * c, lower=True), w).imag;
    linalg.solve_triangular(c + 1j * w, w, trans='C').imag; linalg.solve_triangular(c + 1j * w, w, trans=1).real;
    linalg.lu(c + 1j * e @ a)[2].imag; linalg.lu_solve(linalg.lu_factor(c + 1j * e @ a), w, trans=2).imag;
    np.linalg.qr(c + 1j * w)[1].imag; linalg.qr(a + 1j * e.T)[1].imag; linalg.lstsq(e + 1j * a.T, w)[0].imag;
    linalg.lstsq(e + 1j * a.T, w)[1].real; np.linalg.pinv(a + 1j * e.T).imag; linalg.svdvals(e + 1j * a.T);
    linalg.norm(c + 1j * w, 2); np.linalg.svd(c + 1j * w, hermitian=True)[2].imag * w;
    np.linalg.svd(c + 1j * w)[0].imag; np.linalg.svd(c + 1j * w)[2].real; linalg.svd(c + 1j * e @ a)[0].real;
    linalg.svd(e + 1j * a.T, full_matrices=False)[0].imag; linalg.svd((a + 1j * e.T)[:2])[2].imag;
    linalg.svd(a + 1j * e.T, full_matrices=False, lapack_driver='gesvd')[0].real; linalg.hessenberg(c + 1j * w).imag;
    np.linalg.svd(np.stack((c + 1j * w, c.T + 2j)), full_matrices=False)[2].imag;
    linalg.hessenberg(c + 1j * w, calc_q=True)[1].imag;
    np.linalg.eigh(c + 1j * e @ a)[0]; np.linalg.eigh(c + 1j * e @ a)[1].imag * w;
    linalg.eigh(c + 1j * w, driver='ev')[1].real * w;
    linalg.eigh(c + 1j * w, lower=False, driver='evd')[1].imag * w; np.linalg.eigvalsh(np.stack((c, c.T)) + 1j * w);
    linalg.eigvalsh(c + 1j * w, np.diag(u[:4]) + 0j); linalg.expm(c + 1j * w).imag; linalg.toeplitz(x + 1j * y).imag;
    linalg.logm(c @ c.T + np.eye(4) + 1j * e @ a).imag; linalg.cosm(c + 1j * w).imag; linalg.sinm(c + 1j * w).real;
    linalg.fractional_matrix_power(c @ c.T + np.eye(4) + 1j * e @ a, 0.3).imag;
    linalg.solve_sylvester(c + 5j * np.eye(4), np.diag(u[:3]), e).imag;
    linalg.solve_discrete_lyapunov(0.2j * c, c).real;
    linalg.solve_continuous_lyapunov(c - (4 + 1j) * np.eye(4), c).real; (f * np.float64(s)).dtype.itemsize * x;
    ((f + 1j) * np.float64(2.0)).real * s
    """
)
SPECIAL = rows(
    """
    special.erf(a); special.erf(f); special.erf(s); special.erf(k); special.erfc(x); special.gammaln(u);
    special.gammaln(x); special.gamma(u); special.beta(u, u[0]); special.betaln(2, u); special.ndtr(a);
    special.expit(100 * a); special.expit(x); special.expit(f); special.expit(s); special.expit(i);
    special.log_expit(a); special.logit(u); special.logit(g); special.xlogy(a, d * d); special.xlogy(0, x * x);
    special.xlogy(m, d * d); special.xlog1py(y, u); special.entr(u); special.rel_entr(u, y * y);
    special.kl_div(u, y * y); special.cbrt(a); special.log1p(u); special.expm1(x); special.huber(0.5, a);
    special.huber(u, 2.0 * u); special.pseudo_huber(0.7, a); special.pseudo_huber(u, y);
    special.huber([1.0, 2.0, 3.0], u[0]); special.pseudo_huber(0, x);
    special.huber(0.0, x); special.pseudo_huber(0.5, 1e-9 * x);
    special.exp10(x); special.logsumexp(a); special.logsumexp(a, axis=1); special.logsumexp(a, axis=0, b=d * d);
    special.logsumexp(a, axis=(0, 1), keepdims=True); special.logsumexp(1000 + a); special.logsumexp(f, 1);
    special.logsumexp(a, b=-(d * d), return_sign=True); special.softmax(a) * d; special.softmax(a, axis=1) * d;
    special.softmax(f, axis=0); special.log_softmax(x); special.log_softmax(a, axis=-1); special.erf(x).sum() + s;
    special.expit(x @ x); special.xlogy(np.where(x > 0, x, 0.0), np.where(x > 0, x, 0.0))
    """
)
SPECIAL_IN_C = rows(
    """
    special.j0(a); special.j1(x); special.jv(2, x); special.jv(0.5, u); special.y0(u); special.y1(u);
    special.yv(3, u); special.i0(f); special.i1(x); special.iv(1, x); special.k0(u); special.k1(u);
    special.kv(np.arange(5), u); special.i0e(x); special.i1e(x); special.ive(2, x); special.k0e(u);
    special.k1e(u); special.kve(1, u); special.psi(u); special.digamma(s); special.zeta(2.5, u);
    special.polygamma(2, u); special.erfinv(np.tanh(x)); special.erfcinv(special.expit(x)); special.erfcx(x);
    special.erfi(0.5 * x); special.dawsn(x); special.ndtri(special.expit(x)); special.log_ndtr(4.0 * x);
    special.exp1(u); special.expi(u); special.expn(2, u); special.expn(0, u); special.exprel(x); special.exprel(0 * x);
    special.gammainc(2.5, u); special.gammaincc(0.5, u); special.gammaincinv(1.5, special.expit(x));
    special.gammainccinv(1.5, special.expit(x)); special.betainc(2.0, 0.5, special.expit(a));
    special.betaincinv(2.0, 1.5, special.expit(x)); special.ellipk(np.tanh(x)); special.ellipk(0 * x);
    u * special.betaincinv(u, 1.5, 0.0); u * special.betainccinv(1.5, u, 0.0); u * special.gammaincinv(u, 0.0);
    u * special.gammainccinv(u, 1.0); u * special.betaincinv(u, 0.5, 1.0);
    special.ellipkm1(special.expit(x)); special.ellipe(np.tanh(x)); special.hyp0f1(1.5, x);
    special.hyp1f1(1.2, 2.5, x); special.hyp2f1(1, 0.5, 2.0, 0.5 * np.tanh(x)); special.owens_t(x, y);
    special.owens_t(x[0], y) * special.j0(s); special.spence(u); special.spence(0 * x + 1.0); special.cosm1(x);
    special.sindg(90 * x); special.cosdg(90 * x); special.tandg(20 * x); special.j0(x) * special.j0(x[::-1]);
    special.yn(2, u); special.kn(1, u); special.betaincc(2.0, 0.5, special.expit(a)); special.chdtr(3, u);
    special.ellipkinc(x, 0.4); special.ellipeinc(x, 0.4); special.ellipkinc(3 * x, special.expit(y));
    special.ellipeinc(3 * x, special.expit(y)); special.rgamma(x); special.stdtr(3, x); special.loggamma(u);
    special.stdtrit(4, special.expit(x)); special.struve(1, x); special.modstruve(0.5, u); special.poch(u, 2.5);
    special.zeta(u + 1.0); special.zeta(u + 1.5, y * y + 0.5); special.zetac(u + 2); special.eval_hermite(3, x);
    special.eval_legendre(np.arange(5), x); special.eval_jacobi(3, 0.5, 1.5, x); special.eval_genlaguerre(2, 0.5, u);
    special.eval_chebyt(4, np.tanh(x)); special.boxcox(u, 0.3); special.boxcox(u, 0.0); special.boxcox1p(u, x);
    special.inv_boxcox(0.3 * u, y); special.inv_boxcox(x, 0.0); special.airy(x)[0] * special.airy(x)[3];
    special.ellipj(x, special.expit(y))[0]; special.ellipj(x, special.expit(y))[3]; special.sici(u)[1];
    special.fresnel(x)[0] + special.shichi(u)[0]; special.beta(u, 200.0); special.betaln(u, y * y + 300);
    special.jv(np.array([0.5, 1.0, 2.5, 3.0, 4.0]), u); special.gammainc(np.array([0.5, 1.0, 2.5, 3.0, 4.0]), u);
    special.lambertw(u).real; special.lambertw(-0.2 - 0.1 * special.expit(x), -1).real; special.wofz(x + 1j * u).imag;
    special.lambertw(x + 1j * u).imag; special.voigt_profile(x, u, y * y + 0.1); special.spherical_jn(2, u);
    special.spherical_yn(1, u, derivative=True); special.owens_t(x, y, out=np.zeros(5)); special.binom(u + 3, y);
    special.multigammaln(s * s + 5, 3); special.jvp(1, u, 2); special.diric(x, 5); special.expi(f + 3);
    special.hankel1(1.5, u).imag; special.hankel2e(1, u).real; special.kelvin(u)[1].imag; special.exp2(f);
    special.elliprj(0.0, 0.4, 1.0, u); special.elliprd(0.0, 0.3, u); special.elliprd(u, 0.3, u);
    special.elliprd(0.3, u, u); special.elliprd(u, u, u); special.elliprg(0.0, u, 1.0);
    special.elliprf(u, y * y, 1.0); special.agm(u, y * y); special.pbdv(1.5, x)[0]; special.wrightomega(x)
    """
)
IN_ORDERS = rows(
    """
    special.gammainc(u, y * y); special.gammaincinv(u, special.expit(x)); special.betainc(u, y * y + 0.1, 0.4);
    special.stdtr(u, x); special.stdtrit(u, special.expit(x)); special.fdtrc(u, y * y + 1, u); special.jv(x, u);
    special.kv(u, y * y + 0.1); special.hyp2f1(x, 0.5, u, 0.3); special.hyp1f1(0.3, u, x);
    special.gammainc(f * f, 1.2); special.jv(x, u + 1j * y).imag; special.hankel1(x, u).real;
    special.tklmbda(x, 0.2 * y); special.eval_jacobi(3, u, y * y, np.tanh(x)); special.nbdtr(2, 3, special.expit(x))
    """
)
OF_COMPLEX = rows(
    """
    special.sph_harm_y(2, 1, x, y).imag; special.sph_harm_y(np.array([0, 1, 2, 2, 3]), [0, 1, -1, 2, 0], s, x).real;
    special.legendre_p(3, x); special.legendre_p_all(2, s); special.assoc_legendre_p(2, 1, 0.3 * x, norm=True);
    special.assoc_legendre_p_all(2, 1, 0.3 * x); special.sph_legendre_p(2, 1, x); special.factorial(u);
    special.logsumexp(x + 1j * y).imag; special.logsumexp(a * 1j, axis=1, b=d * d).imag;
    special.spherical_jn(1, u + 1j * x).imag; special.spherical_yn(1, u + 1j * x, derivative=True).real;
    special.spherical_in(2, u + 1j * x, derivative=True).imag; special.spherical_kn(2, u);
    special.erf(x + 1j * y).imag; special.erfc(x + 0.2j).real; special.erfcx(x - 1j * u).imag;
    special.dawsn(1j * x).imag; special.loggamma(u + 1j * x).imag; special.gamma(u + 1j * x).real;
    special.rgamma(x + 0.3j).real; special.psi(u + 1j * x).imag; special.exp1(u + 1j * y).real;
    special.expi(u - 1j * y).imag; special.jv(1, x + 1j * u).imag; special.yv(0.5, u + 1j * x).real;
    special.iv(2, x + 1j).imag; special.kv(1.5, u + 1j * x).real; special.kve(1.5, u + 1j * x).imag;
    special.airy(x + 1j * y)[3].imag; special.sici(u + 1j * x)[1].real; special.shichi(u + 1j * x)[0].imag;
    special.fresnel(x + 0.5j)[0].real; special.hyp2f1(0.5, 1.2, 2.0, 0.3 * x + 0.2j).imag;
    special.spence(u + 1j * y).imag; special.log1p(u + 1j * x).imag; special.expm1(x + 1j * y).real;
    special.log_ndtr(x + 1j * y).imag; special.wrightomega(x + 1j * y).real; special.eval_chebyt(3, x + 1j * y).imag;
    special.eval_legendre(2, x + 1j * y).real; special.airy(1j * u)[0].real
    """
)
SORTED = rows(
    """
    np.sort(x); np.sort(a) * d; np.sort(a, axis=0) * d; np.sort(p, axis=1)[0]; np.sort(a, axis=None) * 2;
    np.sort(x[:1]); np.sort(f); np.argsort(x); np.argsort(a, axis=0); np.argsort(i); y[x.argsort()] * u;
    a.argsort(0).sum() * s; y[np.argsort(x)] * u; np.sort(x)[::-1] * y; np.sort(i); np.sort(k, kind='stable');
    np.sort(m, axis=1); np.argsort(k, kind='stable'); np.partition(x, 2)[2]; np.sum(np.partition(x, 2)[:2] * y[:2]);
    x[np.argpartition(y, 4)[4]]; sum(sorted(x)[1:3]); sorted([s, t, x[0]])[1]; sorted(x, reverse=True)[0];
    sorted(k)[2]; sorted(x, key=lambda v: -v * v)[1]; max(sorted([s, t])); np.median(x); np.median(a);
    np.median(a, axis=0) * w; np.median(a, axis=1, keepdims=True) * a; np.median(i); np.median(f, axis=0);
    np.median(f, axis=0, out=np.zeros(4)); np.quantile(f, 0.3, axis=1, out=np.zeros(3)).astype(np.float32);
    np.median(p, axis=(0, 2)) * v; np.percentile(x, 30); np.percentile(a, [10, 50, 75], axis=1);
    np.percentile(x, 40, method='lower'); np.percentile(x, 40, method='higher');
    np.percentile(x, 30, method='nearest'); np.percentile(x, 30, method='midpoint'); np.quantile(x, 0.25);
    np.quantile(a, 0.3, axis=(0, 1), keepdims=True); np.quantile(x, u[:2]); np.quantile(x, u[0]);
    np.quantile(x, [0, 1]); np.sort(np.concatenate((x, y, u, w, v)));
    np.argsort(np.concatenate((x, y, u, w, v, z)), kind='stable'); np.quantile(x, [0.1, 0.6], method='weibull');
    np.quantile(a, 0.3, axis=1, method='median_unbiased'); np.percentile(x, 30, method='averaged_inverted_cdf');
    np.quantile(x, 0.4, method='inverted_cdf'); np.quantile(x, u[0], method='hazen');
    np.nanmedian(np.where(a > 0, a, np.nan), 1);
    np.percentile(x, 60, method='closest_observation'); np.nanpercentile(np.where(a > 0, a, np.nan), [20, 60], axis=1);
    np.nanquantile(np.where(x > 0, x, np.nan), 0.3, method='hazen'); np.nanmedian(x, out=np.zeros(())); np.nanmedian(i);
    np.nanquantile(f, 0.3, axis=1); np.nanmedian(f, axis=0);
    np.lexsort((x, np.round(y), np.round(u))) * s;
    x[np.lexsort((x,))] * y; np.lexsort(np.round(a), axis=0) * s;
    np.lexsort((d, np.round(d)), axis=1) * s; np.lexsort((k, np.ones(5)))
    """
)
FILTERED = rows(
    """
    ndimage.generic_filter(a, np.ptp, 2); ndimage.generic_filter(a, lambda b: b @ b, footprint=[[1, 0], [1, 1]]);
    ndimage.generic_filter(a, np.sum, 2, origin=-1); ndimage.generic_filter(x, np.std, 3, mode='constant', cval=0.3);
    ndimage.fourier_shift(a + 0j, x[:2]).imag; ndimage.fourier_gaussian(f, 0.5); ndimage.fourier_ellipsoid(f, 2.0);
    ndimage.fourier_uniform(f + 1j, 2.0).imag; ndimage.map_coordinates(i, u[None], order=1, output=float);
    ndimage.rotate(i[None] * 1.0, 20 * s, order=1, reshape=False, output=np.float32);
    ndimage.zoom(j, 1.7, order=1); ndimage.shift(m, 0.5, order=1) * s; ndimage.shift(f, 0.5, output=float, order=1);
    ndimage.map_coordinates(i, u[None] * 3.0, order=1, cval=-np.inf, output=np.int32) * s;
    ndimage.binary_dilation(x > 0.0, output=np.float64) * x;
    interpolate.interpn(([1], [2, 3]), e[:1, :2], e[:, :2], bounds_error=False, fill_value=None);
    ndimage.fourier_gaussian(np.fft.rfft2(a), s, n=4).real; ndimage.fourier_uniform((1 + 2j) * a, [2, 3.5]).imag;
    ndimage.geometric_transform(a, lambda k: (k[0] * 0.8, k[1] - 0.3 * k[0]), order=1);
    ndimage.correlate(a, e[:3]); ndimage.correlate(c, b[:2, :3], mode='wrap'); ndimage.convolve(c, e);
    ndimage.convolve(a, c[:2, :2], mode='constant', cval=0.5); ndimage.convolve(b, e[:3], mode='nearest', origin=1);
    ndimage.convolve(x, v, mode='mirror'); ndimage.correlate(p, q[:1, :3]); ndimage.correlate1d(a, v, 0);
    ndimage.convolve1d(p, [s, t], 1, mode='wrap'); ndimage.gaussian_filter(b, 0.7); ndimage.gaussian_filter(f, 1);
    ndimage.gaussian_filter(b, (0.3, 0.5), mode='nearest'); ndimage.gaussian_filter1d(x, s, radius=2);
    ndimage.uniform_filter(b, 3); ndimage.uniform_filter(a, (2, 1), mode=('wrap', 'constant'));
    ndimage.uniform_filter1d(x, 3); ndimage.laplace(a) * d; ndimage.laplace(p, mode='wrap') * p; ndimage.sobel(b, 0);
    ndimage.sobel(x); ndimage.prewitt(b, mode='constant');
    ndimage.maximum_filter(b, 3); ndimage.minimum_filter(a, (2, 3), mode='nearest'); ndimage.median_filter(b, 3) * b;
    ndimage.median_filter(x, 4); ndimage.rank_filter(a, 1, (2, 3), mode='wrap');
    ndimage.gaussian_filter(b, 0.8, order=(0, 1)); ndimage.gaussian_laplace(a, 0.7); ndimage.grey_closing(b, (2, 3));
    ndimage.convolve(a + 1j * d, c[:2, :2]).imag; ndimage.correlate1d(f, v, output=np.float64); ndimage.sobel(j) * s;
    ndimage.grey_dilation(b, structure=e[:3]); ndimage.percentile_filter(a, 35, footprint=m[:, :3]) * d;
    ndimage.maximum_filter1d(x, 3, origin=1); ndimage.spline_filter(b, 3); ndimage.uniform_filter(b, 3, axes=(1,));
    ndimage.binary_erosion(m) * a; ndimage.label(m)[0] * a; ndimage.sum_labels(a, m.astype(int), [0, 1]);
    ndimage.variance(a, m.astype(int), [0, 1]); ndimage.mean(f, m);
    ndimage.generic_gradient_magnitude(b, ndimage.sobel);
    ndimage.map_coordinates(j, [x, y], order=0) * s; ndimage.generic_filter(j, np.mean, 3) * s;
    ndimage.gaussian_filter(np.arange(0, 50, 2).reshape(5, 5), 1) * s; ndimage.uniform_filter(j, 3) * s;
    ndimage.gaussian_filter(np.arange(0, 50, 2) * (i[0] - 2), 1) * s; ndimage.correlate(j, np.full((3, 3), 1 / 9)) * s;
    ndimage.geometric_transform(j, lambda k: (k[0] * 0.8, k[1] - 0.3), order=1) * s;
    ndimage.sum_labels(a, m.astype(int), [0.5, 1.2]); ndimage.sum_labels(a, m.astype(int) - 1, [0.5, 0.0, -1.0]);
    ndimage.map_coordinates(b, [x + 1, y + 1], order=4, mode='mirror');
    ndimage.shift(b, s, order=2, mode='grid-constant', cval=0.3);
    ndimage.zoom(b, 2, order=3, grid_mode=True, mode='wrap');
    ndimage.rotate(a, 90, order=2); ndimage.rotate(p, 30, axes=(2, 1), reshape=False);
    signal.convolve(x + 1j * y, v * 1j).real; signal.correlate(x + 1j * y, v * (1 + 2j)).imag;
    signal.lfilter_zi(f[0], f[1]);
    signal.correlate(v * (1 + 1j), x, mode='valid').imag; signal.convolve2d(e[:2, :2], b, 'valid');
    signal.correlate2d(e[:2, :2], b * (2 + 1j), 'valid').imag; np.sort(x + 1j * y).imag;
    np.sort(a * (1 + 1j), axis=0).real;
    integrate.simpson(w); integrate.simpson(a, dx=s); integrate.simpson(w, x=np.cumsum(u[:4]));
    integrate.simpson(w[:2]);
    linalg.qr(c, pivoting=True)[1]; linalg.qr(c + 1j * w, pivoting=True)[0].imag; linalg.issymmetric(c) * a;
    linalg.bandwidth(np.triu(c))[1] * s; np.may_share_memory(a, d) * s;
    ndimage.maximum_filter(a, 2, origin=-1, mode='constant', cval=0.3); signal.convolve2d(b, e);
    signal.convolve2d(b, c, 'same');
    signal.convolve2d(b, e, 'valid'); signal.convolve2d(b, e, 'same', 'symm'); signal.convolve2d(b, e, boundary='wrap');
    signal.correlate2d(b, c, 'same'); signal.correlate2d(b, c, fillvalue=0.3); signal.convolve(x, v, 'same');
    signal.convolve(b, e); signal.correlate(x, w, 'valid'); signal.correlate(x, w, 'same'); signal.fftconvolve(x, v);
    signal.lfilter([s, t], [1.0, 0.5], x); signal.lfilter(v, [2.0, t, u[0]], y); signal.lfilter([0.3], 1, x);
    integrate.trapezoid(a); integrate.trapezoid(a, dx=s, axis=0); integrate.cumulative_trapezoid(x, initial=0);
    integrate.cumulative_trapezoid(a, w); integrate.cumulative_trapezoid(a, axis=0, dx=0.1); integrate.simpson(x);
    integrate.simpson(x, dx=s); integrate.simpson(a, v**2 + i[:3], axis=0); integrate.simpson(x, np.cumsum(u));
    fftpack.dct(x, type=2, norm='ortho'); fftpack.dst(a, 3, axis=0); fftpack.fft(x, 8).real; fftpack.ifftn(a).real;
    fftpack.fft2(a, shape=(4, 2)).real; fftpack.idct(x, 2); fftpack.idst(x, 1, norm='ortho'); fft.dct(x, 4);
    fft.dst(x, 4, norm='ortho'); fft.idct(x, 4); fft.dct(x, 1, norm='ortho'); fft.idst(x, 1, norm='ortho');
    fft.dct(x, 2, norm='ortho', orthogonalize=False); fft.dst(x, 3, orthogonalize=True); fft.dctn(a, s=(3, 6));
    fft.idstn(a, 4, axes=[0]); fft.hfft(x); fft.ihfft(x).imag; fft.hfft2(a); fft.ihfftn(a).real;
    fft.fht(u, 0.1, 0.5); fft.fft(x, overwrite_x=True).real; fft.idct(f, 3, norm='forward')
    """
)
SIGNALS = rows(
    """
    signal.lfilter([0.3, s], [2.0, t], a, axis=0); signal.lfilter([0.3, 0.2], [1.0, t], x, zi=[s])[0];
    signal.lfilter([0.3, 0.2, s], [1.0, t], y[:1], zi=v[:2])[1]; signal.lfilter(v, [1.0, t], y, zi=x[:2])[1];
    signal.lfilter_zi([0.3, s, 0.1], [1.0, t]); signal.lfilter_zi([s], [2.0, t, 0.3]);
    signal.lfiltic([0.3, s, 0.1], [t, 0.2], [s]); signal.lfiltic([s], [2.0, t, 0.3], x, y);
    signal.filtfilt([0.3, 0.2], [1.0, t], p.ravel()); signal.sosfilt([[s, 0.2, 0.1, 1.0, t, 0.1]], c);
    signal.sosfilt([[s, 0.2, 0.1, 1.0, t, 0.1], [1.0, s, 0, 1.0, 0.1, 0.1]], c, axis=0, zi=np.ones((2, 2, 4)))[1];
    signal.upfirdn(v, x, 2, 3); signal.upfirdn(x, v, 3);
    signal.upfirdn(v, a, down=2, axis=0); signal.resample_poly(p.ravel(), 2, 3); signal.medfilt(x, 3);
    signal.medfilt2d(a, 3);
    signal.welch(c.ravel(), nperseg=8)[1];
    signal.resample_poly(p.ravel(), 2, 3, padtype='line'); signal.upfirdn(v, x, 2, 3, mode='symmetric');
    signal.upfirdn(v, x, 3, 2, mode='antisymmetric'); signal.upfirdn(v, x, 2, 1, mode='antireflect');
    signal.upfirdn(v, a, 1, 2, mode='smooth', axis=0); signal.upfirdn(x, x, mode='constant', cval=0.4);
    signal.oaconvolve(p.ravel(), x); signal.fftconvolve(a, d, axes=1); signal.oaconvolve(a, d[:, :2], 'same', axes=1);
    signal.fftconvolve(p, p[:, :2], 'valid', axes=(1, 2)); optimize.isotonic_regression(x).x;
    optimize.isotonic_regression(x, weights=u, increasing=False).x
    """
)
FITTED = rows(
    """
    np.linalg.qr(c)[0] * w; np.linalg.qr(c).R * c; np.linalg.qr(e)[0]; np.linalg.qr(e)[1]; np.linalg.qr(a)[0];
    np.linalg.qr(a)[1]; np.linalg.qr(e, mode='complete')[0]; np.linalg.qr(c, mode='r'); np.linalg.qr(f)[1];
    np.linalg.qr(np.triu(c) + np.eye(4))[1]; np.linalg.qr(c[:1, :1])[1]; np.linalg.lstsq(e, w)[0];
    np.linalg.lstsq(e, w, rcond=None)[1]; np.linalg.lstsq(e, c)[0]; np.linalg.lstsq(a, v)[0]; np.linalg.lstsq(c, w)[0];
    (np.linalg.pinv(c[:2, :0]).sum() + 1) * s; np.linalg.lstsq(e, w)[2] * x; np.linalg.lstsq(e, w)[3] * v;
    np.linalg.pinv(e); np.linalg.pinv(a); np.linalg.pinv(c); np.polyfit(x, y, 2);
    np.polyfit(x, y, 1, w=u); np.polyfit(i, y, 3); np.polyfit(x, np.stack((y, u), 1), 2); np.polyfit(w, e, 0);
    np.logaddexp.reduce(x); np.logaddexp.reduce(a, axis=1); np.logaddexp.reduce(a, 0, keepdims=True);
    np.logaddexp.reduce(p, axis=(0, 2)); np.logaddexp.reduce(f)
    """
)
SPECTRAL = rows(
    """
    np.linalg.eigvalsh(c); np.linalg.eigvalsh(c, 'U') * w; np.linalg.eigvalsh(np.stack((c, c.T))); np.linalg.eigh(c)[0];
    np.linalg.eigh(c)[1] * w; np.linalg.eigh(c + c.T).eigenvectors * c; np.linalg.eigh(c, UPLO='U')[1] * c;
    np.linalg.eigh(np.stack((c, c.T)))[1] * c; np.linalg.eigh(c[:2, :2])[1] * c[:2, :2]; np.linalg.eigh(c[:1, :1])[0];
    np.linalg.eigh(c[:3, :3])[1] * v; np.linalg.eigvalsh(j[:, :3]); np.linalg.eigh(np.diag(w))[1] @ w;
    np.linalg.eigh(np.diag(w) + np.diag(x[:3], 1) + np.diag(x[:3], -1))[1] @ w; np.linalg.eigvalsh(f[:, :3]);
    np.linalg.eigh(np.outer(d, d) + np.diag(np.arange(12)))[1] * np.ravel(d);
    np.linalg.eigvalsh(np.kron(c, np.diag(x)));
    linalg.eigh(c, driver='ev')[1] * w; linalg.eigh(c, lower=False, driver='ev')[1] * w;
    linalg.eigh(c, c @ c.T + np.eye(4))[1] * w; linalg.eigh(c * w, c @ c.T + np.diag(w * w), lower=False)[1] * w;
    linalg.eigvalsh(c, np.diag(u[:4])); linalg.eigh(c, np.eye(4), driver='gv')[1] * w;
    linalg.eigh(c, eigvals_only=True); linalg.eigvalsh(c, lower=False); np.linalg.svd(c, compute_uv=False) * w;
    linalg.eigh(np.diag(s * np.arange(27)) + np.cos(np.arange(27) ** 2), driver='ev')[1][:2] * np.arange(27);
    np.linalg.svd(a, compute_uv=False); np.linalg.svd(e, compute_uv=False); np.linalg.svd(p, compute_uv=False);
    np.linalg.svdvals(c); linalg.svdvals(e); linalg.svd(a, compute_uv=False); np.linalg.svdvals(f);
    np.linalg.svdvals(np.outer(v, w))[:1]; np.linalg.norm(a, 2); np.linalg.norm(a, -2); np.linalg.norm(e, 'nuc');
    np.linalg.norm(p, 2, axis=(0, 2)); np.linalg.norm(p, 'nuc', axis=(2, 1), keepdims=True); np.linalg.norm(p);
    np.linalg.norm(p, 2, axis=1); np.linalg.norm(x, 2); np.linalg.matrix_norm(p, ord='nuc'); np.linalg.matrix_norm(a);
    np.linalg.matrix_norm(a, ord=2, keepdims=True); linalg.norm(a, 2); np.linalg.cond(c); np.linalg.cond(e);
    np.linalg.cond(c, -2); np.linalg.cond(c, 1); np.linalg.cond(c, 'fro'); np.linalg.cond(np.stack((c, c * w)));
    np.linalg.matrix_rank(c) * s; np.linalg.matrix_rank(np.outer(v, w)) * s; np.linalg.matrix_rank(p) * s;
    np.linalg.matrix_rank(a, tol=2.0) * s; np.linalg.matrix_rank(a, rtol=0.9) * s; np.linalg.matrix_rank(x) * s;
    linalg.pinv(e); linalg.pinv(a, rtol=1e-16); linalg.qr(e)[0]; linalg.qr(e)[1];
    linalg.qr(c, mode='r')[0] * w; linalg.qr(e, mode='economic')[0];
    np.linalg.svd(c)[0] * w; linalg.svd(c)[2] * c; np.linalg.svd(e)[2]; np.linalg.svd(e, full_matrices=False).U;
    np.linalg.svd(a)[2]; np.linalg.svd(f)[0]; np.linalg.svd(c[:1, :1])[0] * s; np.linalg.svd(c, hermitian=True)[2] * c;
    np.linalg.svd(c[:2, :3], full_matrices=False)[0]; np.linalg.svd(x[:, None])[0] * y; np.linalg.svd(c).S;
    np.linalg.svd(p)[1]; np.linalg.svd(q, full_matrices=False)[0]; linalg.svd(c, lapack_driver='gesvd')[2] * w;
    np.linalg.svd(np.kron(c, np.eye(7)) + np.diag(np.arange(28.0)))[1]; linalg.norm(f); linalg.norm(f[0]);
    np.linalg.eigh(np.kron(c, np.eye(7)) + np.diag(np.arange(28.0) ** 1.5))[1][0]; linalg.eigh(c, driver='evx')[1] * w;
    linalg.eigh(c @ c.T, np.diag(u[:4]), driver='gvx')[0]; np.linalg.eig(c + 1j * e @ a)[1].real * w; linalg.norm(f, 1);
    linalg.eigvals(c).real; np.abs(linalg.eig(e @ a + c, right=False));
    linalg.polar(c)[0] * w; linalg.polar(e)[0]; linalg.polar(e)[1] * v; linalg.polar(a, side='left')[0];
    linalg.polar(a, side='left')[1]; linalg.polar(np.diag(w[:1]))[0]; linalg.orthogonal_procrustes(c, c.T + 1)[0] * w;
    linalg.orthogonal_procrustes(c, c.T + 1)[1]; linalg.sqrtm(c @ c.T) * w;
    linalg.sqrtm(np.eye(3) * s) * v; linalg.sqrtm(c @ c.T + 0.1 * c) * w; linalg.sqrtm(c @ c.T + 1j * w).real;
    linalg.expm(c); linalg.expm(4 * c) * w; linalg.expm(0.01 * c); linalg.expm(c - c.T)
    """
)
DIGITS = rows(
    """
    np.frexp(x)[0]; np.frexp(x)[1] * s; np.frexp(f)[0]; np.frexp(np.exp2(i))[0] * s; np.frexp(np.exp2(-j))[1] * s;
    np.frexp(j)[0] * s; np.real_if_close(x); np.real_if_close(a, tol=3); a[:, []].sum() + a; x[[]].sum() * s;
    np.add.reduceat(x, [0, 3]); np.add.reduceat(x, [0, 3, 1]); np.multiply.reduceat(a, [0, 2], axis=1);
    np.maximum.reduceat(a, [2, 0]); np.minimum.reduceat(a, (1, 3), -1); np.add.reduceat(f, [0, 1], dtype=np.float64);
    np.fromiter((v * v for v in x), float); np.fromiter(x, np.float64, count=3); np.fromiter([s, t], dtype=float);
    np.fromiter(map(np.sin, x), float, 2)
    """
)
DISTANCES = rows(
    """
    cluster.vq.kmeans2(e, e[:2], minit='matrix')[0]; spatial.ConvexHull(np.stack((x, y), 1)).volume;
    spatial.ConvexHull(np.stack((x, y, u, x * y, y * u), 1)[:, :2]).area;
    spatial.distance.cdist(a, d); spatial.distance.cdist(f, d, 'sqeuclidean'); spatial.distance.cdist(a, d, 'c');
    spatial.distance.cdist(a, d, 'chebyshev'); spatial.distance.cdist(a, d, 'minkowski', p=3);
    spatial.distance.cdist(a, d, 'minkowski', p=1.5, w=w * w); spatial.distance.cdist(a, d, 'cosine');
    spatial.distance.cdist(a, d, 'correlation'); spatial.distance.cdist(a, d, 'canberra');
    spatial.distance.cdist(a * a, d * d, 'braycurtis'); spatial.distance.cdist(a * a, d * d, 'jensenshannon');
    spatial.distance.cdist(a, d, 'mahalanobis', VI=c @ c.T); spatial.distance.cdist(a, d, 'mahalanobis');
    spatial.distance.cdist(a, d, 'seuclidean'); spatial.distance.cdist(a, d, 'seuclidean', V=w * w);
    spatial.distance.cdist(a, d, 'euclidean', w=w * w); spatial.distance.cdist(a, d, lambda p, q: np.sum((p - q) ** 2));
    spatial.distance.cdist(a, d, 'hamming') * s; spatial.distance.pdist(a); spatial.distance.pdist(c, 'cosine');
    spatial.distance.cdist(a, d, 'dice'); ndimage.fourier_ellipsoid(a, [1.5, 2.0]); ndimage.fourier_uniform(a, 1.5);
    signal.sepfir2d(c, x[:3], y[:3]); signal.symiirorder1(np.tile(x, 6), s, 0.3);
    special.lmbda(2.5, s)[1]; special.lqmn(2, 3, np.tanh(s))[1]; special.pbdv_seq(2.3, s)[0];
    special.riccati_yn(3, u[0])[1]; special.round(3 * x) + x; linalg.ldl(c)[1]; linalg.ldl(c, lower=False)[0];
    linalg.matrix_balance(c * [1, 99, 1, 1])[0]; linalg.qr_multiply(e + 1j * a.T, c, 'right')[0].imag;
    spatial.distance.pdist(c, 'seuclidean'); spatial.distance.squareform(spatial.distance.pdist(c));
    spatial.distance.squareform(v); spatial.distance.squareform(c @ c.T * (1 - np.eye(4)));
    spatial.distance.directed_hausdorff(a, d)[0]; spatial.distance.jensenshannon(u, u * u);
    cluster.hierarchy.linkage(c)[:, 2]; cluster.hierarchy.linkage(c, 'ward')[:, 2];
    cluster.hierarchy.linkage(c, 'average'); cluster.hierarchy.linkage(c, 'complete')[:, 2];
    cluster.hierarchy.linkage(spatial.distance.pdist(c), 'weighted')[:, 2];
    cluster.hierarchy.linkage(c, 'centroid')[:, 2];
    cluster.hierarchy.linkage(c, 'median')[:, 2]; cluster.vq.vq(a, d)[1]; cluster.vq.whiten(c);
    cluster.vq.vq(f, f[1:])[1]; x * cluster.vq.vq(a, d)[0].dtype.itemsize
    """
)
STATISTICS = rows(
    """
    stats.kendalltau(x, y)[0] * s; stats.kendalltau(x, y, variant='c').pvalue * s; stats.ks_2samp(x, u).pvalue * s;
    stats.percentileofscore(x, y[:2]) * s;
    stats.shapiro(x).statistic; stats.siegelslopes(x, y)[0]; stats.siegelslopes(x, y, 'separate')[1];
    stats.theilslopes(x, y)[:3]; stats.theilslopes(x, u, 0.9, 'joint')[1]; stats.binned_statistic(x, y, bins=3)[0][0];
    stats.binned_statistic(x, y * u, 'sum', [-9, 0, 9]).statistic; stats.binned_statistic(x, y, 'max', 2)[1];
    stats.binned_statistic_2d(x, y, u * s, 'std', bins=1)[0]; stats.binned_statistic(x, u, 'median', bins=1)[0];
    stats.binned_statistic_dd(x, y, np.max, 2).statistic; stats.binned_statistic_dd(a, v, 'min', [1, 2, 1, 1])[0];
    cluster.hierarchy.maxdists(cluster.hierarchy.linkage(e, 'centroid'));
    cluster.hierarchy.cophenet(cluster.hierarchy.linkage(e, 'average'));
    cluster.hierarchy.fcluster(cluster.hierarchy.linkage(e), 2, 'maxclust') * s;
    stats.norm.ppf(u, s, y * y); stats.norm.logcdf(x, t, s); stats.expon.ppf(u, 0, s); stats.gamma.pdf(u, s, 0, y * y);
    stats.gamma.logpdf(u, x * x, scale=s); stats.gamma.cdf(u, 2.5, 0, s); stats.gamma.ppf(u, 2.5, 0, s);
    stats.beta.logpdf(u, s, y * y); stats.beta.cdf(u, 2, 3); stats.beta.ppf(u, 2, 3); stats.t.logpdf(x, u, t, s);
    stats.t.cdf(x, 3, t, s); stats.t.ppf(u, 3); stats.chi2.ppf(u, 3); stats.f.cdf(u, 3, 5); stats.lognorm.ppf(u, s);
    stats.weibull_min.logpdf(u, s); stats.cauchy.ppf(u, t, s); stats.poisson.logpmf(np.arange(5), u);
    stats.binom.cdf(np.arange(5), 6, u); stats.nbinom.pmf(np.arange(5), 3, u); stats.ncx2.cdf(u, 3, s);
    stats.skewnorm.pdf(x, s); stats.vonmises.logpdf(x, s);
    stats.norm(t, s).logpdf(x);
    stats.dirichlet.logpdf(np.full(5, 0.2), u); stats.boxcox(u, 0.5);
    stats.invgauss.cdf(u, s);
    stats.pearsonr(x, y)[0]; stats.pearsonr(x, y).pvalue;
    stats.gaussian_kde(x)(u); stats.gaussian_kde(a, weights=w * w)(b[:3]);
    stats.false_discovery_control(u); np.cov(a, aweights=w * w); np.cov(x, y, fweights=[1, 2, 0, 1, 3]);
    np.cov(a, fweights=[1, 2, 0, 1], aweights=w * w, ddof=2); np.cov(x, aweights=u, bias=True);
    np.where(x > 9.0, -np.inf * s, s * x); np.where(x > 9.0, s * np.inf, s * x)
    """
)
SCIPYS = rows(
    """
    stats.norm.pdf(x, s, u[0]); stats.norm.logpdf(x, loc=s, scale=0.4); stats.norm.cdf(y); stats.norm.sf(u);
    stats.gamma.logpdf(u, s); stats.beta.logpdf(u, 2.0, s); stats.expon.pdf(u, scale=s); stats.uniform.pdf(u, 0.0, s);
    stats.poisson.logpmf(k, s); stats.binom.logpmf(k, 5, u[0]); stats.weibull_min.logpdf(u, s); stats.laplace.logpdf(x);
    stats.logistic.cdf(x); stats.norm(s, 0.4).pdf(x); stats.dirichlet.logpdf([0.2, 0.3, 0.5], u[:3]);
    stats.zscore(x) * y; stats.skew(x); stats.kurtosis(x); stats.gmean(u); stats.hmean(u); stats.entropy(u);
    stats.trim_mean(x, 0.2); stats.sem(x); stats.variation(u); stats.wasserstein_distance(x, u);
    stats.multivariate_normal.logpdf(a, w, c @ c.T); stats.multivariate_normal(w, c @ c.T + 2 * np.eye(4)).pdf(a);
    stats.multivariate_normal(mean=x[:3], cov=s).logpdf(y[:3]); stats.multivariate_t.logpdf(a, w, c @ c.T, df=3);
    stats.matrix_normal.logpdf(c, rowcov=c @ c.T, colcov=np.diag(u[:4]));
    stats.multivariate_normal.pdf(s, t, u[0], True);
    spatial.distance.euclidean(x, y); spatial.distance.cosine(x, y); spatial.distance.mahalanobis(w, w + 1, c);
    spatial.distance_matrix(a, c); spatial.distance.jensenshannon(u, u[::-1]);
    interpolate.interp1d(np.arange(5.0), x)(3 * u); interpolate.BarycentricInterpolator(np.arange(5.0), x)(3 * u);
    linalg.expm(0.3 * c); linalg.khatri_rao(e, e); signal.windows.gaussian(5, s); signal.sawtooth(u);
    signal.hilbert(x).imag * y; np.abs(signal.freqz(w, [1.0, s, 0.2], 7)[1]);
    np.abs(signal.freqz(w, x[:3], np.linspace(0.1, 2.0, 5))[1]); np.abs(signal.freqz(w, 2.0, 8, True)[1]);
    integrate.fixed_quad(np.cos, 0.0, s, n=5)[0]; integrate.romb(x, dx=0.1)
    """
)
ROTATED = rows(
    """
    spatial.transform.Rotation.from_quat(w).as_matrix(); spatial.transform.Rotation.from_rotvec(e).apply(v);
    spatial.transform.Rotation.from_euler('xyz', v).as_quat(); spatial.transform.Rotation.from_quat(w).as_euler('zyx');
    spatial.transform.Rotation.from_matrix(c[:3, :3] + 3 * np.eye(3)).as_rotvec();
    (spatial.transform.Rotation.from_rotvec(v) * spatial.transform.Rotation.from_quat(w).inv()).magnitude();
    (spatial.transform.Rotation.from_rotvec(v) ** 2.3).as_mrp(); spatial.transform.Rotation.from_rotvec(0 * v).apply(e);
    spatial.transform.Slerp([0, 1.0, 2.0, 3.0], spatial.transform.Rotation.from_rotvec(e))(u).as_quat();
    spatial.transform.Rotation.from_rotvec(e).mean().as_matrix();
    spatial.transform.Rotation.from_rotvec(e)[1].as_quat();
    spatial.transform.RigidTransform.from_exp_coords(a.ravel()[:6]).inv().as_matrix();
    optimize.linear_sum_assignment(a)[1] * s; a[optimize.linear_sum_assignment(a, maximize=True)]
    """
)
ROWS = (
    *ROTATED,
    *SIGNALS,
    *SCIPYS,
    *DISTANCES,
    *STATISTICS,
    *DIGITS,
    *READ,
    *LINEAR,
    *STRUCTURED,
    *STACKED,
    *COMPLEX,
    *FITTED,
    *SPECTRAL,
    *SPECIAL,
    *SPECIAL_IN_C,
    *IN_ORDERS,
    *OF_COMPLEX,
    *SORTED,
    *FILTERED,
)
INFINITE = rows(
    """
    special.entr(x); special.rel_entr(x, y); special.logsumexp(a, axis=0, b=d); special.xlogy(x, z);
    stats.shapiro(x[:2])[0] * s; stats.theilslopes(x, 0 * x)[1]; stats.theilslopes(x, 0 * x)[2];
    ndimage.correlate(z, [0.0, 1.0, 0.0]); signal.convolve(y[:2], z);
    ndimage.convolve(np.where(m, a, np.nan), np.eye(3)); signal.correlate(y[:2], z); np.quantile(-z[[0, 1, 4]], 0.3);
    np.percentile(z[[0, 1, 4]], [30, 60])
    """
)
INFINITE += rows("np.frexp(z)[0]; np.frexp(z)[1] * s")
INFINITE += rows("np.sort(z); np.argsort(z); np.median(z); np.sort(np.stack((x, z)), axis=0)")


@pytest.mark.parametrize("expression", [*ROWS, *INFINITE])
def test_values(expression: str) -> None:
    check(expression)


def has_derivative(row: str) -> bool:
    return any(map(is_float, names_in(row))) and not row.startswith("np.argsort") and "z" not in names_in(row)


GUARDED = rows(
    """
    np.linalg.eig(c).eigenvalues.real; np.linalg.eig(c)[1].imag * w; np.linalg.eigvals(c).imag * w; np.roots(x).real;
    np.linalg.eig(np.diag(w) + c / 9)[1] * w; linalg.logm(c @ c.T + np.eye(4)) * w; linalg.logm(c + 6 * np.eye(4)) * w;
    linalg.fractional_matrix_power(c @ c.T + np.eye(4), s) * w; linalg.logm(c - 6 * np.eye(4)).imag * w;
    np.linalg.eigvals(c @ c.T) * w; linalg.eig(c)[0].imag * w;
    signal.step(([s, 1.0], [1.0, 0.4, 2.0]), N=5)[1]; signal.lsim(([s, 1.0], [1.0, t, 2.0]), x, np.arange(5) * 0.3)[1];
    signal.impulse(([s, 1.0], [1.0, 0.4, 2.0]), T=np.arange(5) * 0.3)[1];
    signal.dlsim(([s, 1.0], [1.0, 0.4, 0.3], 0.1), x)[1]; signal.dimpulse(([s, 1.0], [1.0, 0.4, 0.3], 0.1), n=5)[1][0];
    signal.lti([s, 1.0], [1.0, 0.4, 2.0]).to_ss().A; signal.bode(([s, 1.0], [1.0, 0.4, 2.0]), np.arange(1, 5) * 0.3)[1];
    x[signal.find_peaks(x)[0]]; signal.find_peaks(p.ravel(), prominence=0.1)[1]['prominences'];
    signal.find_peaks(p.ravel(), height=-0.5, width=0.1)[1]['widths']; signal.find_peaks(p.ravel())[0] * s;
    signal.find_peaks(p.ravel(), threshold=0.1, distance=2, plateau_size=1)[1]['right_thresholds'];
    signal.peak_widths(p.ravel(), signal.find_peaks(p.ravel())[0], rel_height=0.3)[3];
    p.ravel()[signal.argrelextrema(p.ravel(), np.less, order=2)[0]]; np.unique(x) * s;
    np.unique(np.round(x), True)[1] * s;
    np.unique(np.round(a), return_inverse=True)[1] * s; np.unique(np.round(x), return_counts=True)[1] * s;
    len(np.unique(np.round(x))) * s; stats.mode(np.round(x))[0] * s; stats.rankdata(x) * s;
    stats.spearmanr(x, y)[0] * s;
    ndimage.median(a, m.astype(int), [0, 1]); stats.wilcoxon(x, y)[0]; signal.unique_roots(x)[0];
    signal.residue(x[:2], [1.0, 2.5, 1.0])[0].real; signal.bilinear([1.0, s], [1.0, 2.0, t]);
    (s * np.polynomial.Polynomial([1.0, 2.0]) + x[0])(t); (np.polynomial.Polynomial([1.0, 2.0]) * s)(t)
    """
)
"""Data decide whether the results are real, how long polynomials are, and how many places there are."""


@pytest.mark.parametrize("row", [*filter(has_derivative, ROWS), *GUARDED])
def test_gradient_matches_differences(row: str) -> None:
    function, names = function_of(row)
    of = 1 if row.endswith("slogdet(c)") else 0 if "return_sign" in row else None
    wrt = tuple(name for name in names if is_float(name))
    case = Case(name=row, function=function, arguments=lambda: copies(names), wrt=wrt, of=of, seed=1.0)
    check_gradient(interpreted(case)(*case.arguments()), case)


def determinant(a):
    return np.linalg.det(a)


SINGULAR = {
    "a zero pivot first": ([[0.0, 1.0], [0.0, 2.0]], [[2.0, 0.0], [-1.0, 0.0]]),
    "rank one of three": (np.ones((3, 3)), np.zeros((3, 3))),
    "rank two of three": (np.diag([1.0, 0.0, 3.0]), np.diag([0.0, 3.0, 0.0])),
    "nothing": (np.zeros((2, 2)), np.zeros((2, 2))),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_determinant_of_a_singular_matrix_has_its_cofactors_as_gradient(name: str) -> None:
    matrix, cofactors = map(np.asarray, SINGULAR[name])
    case = Case(name=name, function=determinant, arguments=lambda: (matrix.copy(),), wrt=("a",))
    (gradient,) = interpreted(case)(matrix.copy())
    np.testing.assert_allclose(gradient, cofactors, atol=1e-12)


def test_operands_are_far_from_singular() -> None:
    assert np.linalg.cond(OPERANDS["c"]) < 50, "differences would not resolve the gradients"


def test_singular_covariances_are_refused_when_called() -> None:
    function, names = function_of("stats.multivariate_normal.logpdf(w, 0 * w, c @ c.T, allow_singular=True)")
    gradient = daad.grad(function, wrt=names)
    c, w = copies(names)
    gradient(c, w)
    with pytest.raises(daad.Unsupported, match="Singular covariance matrices are not supported"):
        gradient(np.ones((4, 4)), w)


@pytest.mark.parametrize("name", ["j0", "k1", "psi", "i0e", "exprel", "erfcx", "log_ndtr"])
def test_slopes_of_special_functions_have_derivatives(name: str) -> None:
    function, _ = function_of(f"special.{name}(u)")
    (u,) = copies(("u",))
    step = 1e-5
    gradient = daad.grad(function, seed=1.0)
    expected = (gradient(u + step) - gradient(u - step)) / (2 * step)
    np.testing.assert_allclose(daad.hvp(function, seed=1.0)(u, tangent=np.ones(5)), expected, rtol=1e-6)


@pytest.mark.parametrize("row", ["special.smirnov(x, 1.0)", "special.wright_bessel(y * x, 1.0, u)"])
def test_argument_without_a_closed_derivative_is_refused(row: str) -> None:
    function, names = function_of(row)
    name = row.partition("(")[0].removeprefix("special.")
    message = f"The derivative of 'scipy.special.{name}' in its argument 1 has no closed form."
    with pytest.raises(daad.Unsupported, match=message) as caught:
        daad.grad(function, wrt=names, seed=1.0)(*copies(names))
    assert caught.value.hint == "Keep that argument fixed: it may be anything that does not depend on 'wrt'."
    tangents = tuple(np.ones_like(value) for value in copies(names))
    with pytest.raises(daad.Unsupported, match=message):
        daad.jvp(function, wrt=names)(*copies(names), tangent=tangents)


DRAWN = rows(
    """
    stats.norm.rvs(t, s, size=5, random_state=3); stats.norm.rvs(loc=t, scale=s * s, size=(2, 3), random_state=4);
    stats.gamma.rvs(2.5, t, s, size=4, random_state=1); stats.norm(t, s).rvs(4, random_state=2);
    stats.lognorm.rvs(0.5, scale=u, random_state=1); stats.cauchy.rvs(x, u, random_state=1);
    stats.expon.rvs(t, s, random_state=np.random.default_rng(1)); stats.poisson.rvs(3.0, size=4, random_state=1) * s
    """
)


GUARDED = rows(
    """
    stats.f_oneway(x, y, u)[0]; stats.skewtest(p.ravel())[0]; stats.pearsonr(x, y).pvalue; stats.bartlett(x, y, u)[0];
    stats.gamma.entropy(u); stats.gamma.stats(u, moments='mvsk')[2]; stats.linregress(x, y).stderr
    """
)
"""What decides by data, which guards check."""


@pytest.mark.parametrize("row", [*DRAWN, *GUARDED])
def test_what_is_read_with_the_arguments_at_hand(row: str) -> None:
    function, names = function_of(row)
    gradient = interpreted(
        Case(name=row, function=function, arguments=lambda: copies(names), wrt=tuple(names), seed=1.0)
    )
    check_gradient(gradient(*copies(names)), Case(name=row, function=function, arguments=lambda: copies(names),
                                                  wrt=tuple(names), seed=1.0))  # fmt: skip


def test_each_call_draws_other_variates() -> None:
    from scipy import stats

    def program(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.sum(x * stats.norm.rvs(size=3, random_state=rng)) + np.sum(
            x * x * stats.gamma.rvs(2.0, random_state=rng)
        )

    x, own, other = np.ones(3), np.random.default_rng(0), np.random.default_rng(0)
    gradient = daad.grad(program)
    for _ in range(2):
        expected = stats.norm.rvs(size=3, random_state=other) + 2 * stats.gamma.rvs(2.0, random_state=other)
        np.testing.assert_allclose(gradient(x, own), expected)


def test_shape_of_a_distribution_that_data_decide_is_refused() -> None:
    function, _ = function_of("stats.gamma.rvs(s, size=4, random_state=1)")
    with pytest.raises(daad.Unsupported, match=r"The shape parameters of random numbers depend on data\."):
        daad.grad(function, seed=1.0)(1.5)


def nearest_rotation(a, b):
    return linalg.orthogonal_procrustes(a, b)[0].sum()


def test_singular_matrices_have_no_nearest_rotation() -> None:
    a, b = OPERANDS["a"], OPERANDS["d"]
    with pytest.raises(daad.Unsupported, match="there is more than one nearest orthogonal one"):
        daad.grad(nearest_rotation)(a, b)


@pytest.mark.parametrize(
    ("point", "degree", "slope"), [(1.0, 3, 6.0), (-1.0, 3, 6.0), (-1.0, 20, -210.0), (1.0, 0, 0.0)]
)
def test_legendre_functions_of_order_zero_have_a_slope_at_both_ends(point, degree, slope):
    def program(x):
        return special.lpmv(0, degree, x)

    assert Gradient(program, Request(), compiler=Interpreted)(point) == pytest.approx(slope)
