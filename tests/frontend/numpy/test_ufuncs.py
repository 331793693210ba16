"""Elementwise functions and operators give NumPy's values and dtypes."""

from __future__ import annotations

import pytest

from tests.frontend.numpy.expressions import check, rows

UNARY = rows(
    """
    np.negative(x); np.positive(x); np.absolute(x); np.abs(x); np.fabs(x); np.sign(x); np.exp(x); np.exp2(x);
    np.expm1(x); np.log(u); np.log2(u); np.log10(u); np.log1p(u); np.sqrt(u); np.cbrt(x); np.square(x);
    np.reciprocal(x); np.sin(x); np.cos(x); np.tan(x); np.arcsin(u); np.arccos(u); np.arctan(x); np.sinh(x);
    np.cosh(x); np.tanh(x); np.arcsinh(x); np.arccosh(u + 1); np.arctanh(u); np.asin(u); np.acos(u); np.atan(x);
    np.asinh(x); np.acosh(u + 1); np.atanh(u); np.deg2rad(x); np.rad2deg(x); np.radians(x); np.degrees(x);
    np.floor(x); np.ceil(x); np.trunc(x); np.rint(x); np.fix(x); np.round(x); np.round(x, 2); np.around(x, 1);
    x.round(); x.round(1); np.isnan(z); np.isinf(z); np.isfinite(z); np.signbit(z); np.logical_not(x);
    np.nan_to_num(z); np.sinc(x); np.conj(x); np.conjugate(x); np.real(x); x.real; np.invert(m); np.bitwise_not(i);
    np.isposinf(z); np.isneginf(z)
    """
)
DTYPES = rows(
    """
    np.exp(f); np.sin(i); np.sqrt(j * j); np.abs(i); -i; +f; np.square(i); np.sign(j); np.floor(f); np.exp(k);
    np.log(g); np.rint(i); np.deg2rad(f); np.reciprocal(f); np.negative(k); ~m; ~i; abs(x); abs(i);
    round(s, 1); np.positive(j); np.exp(s); np.sqrt(n); np.floor(i); np.isnan(f); np.isfinite(i); np.sin(f) + 1;
    np.sin(f) + 1.5; f * s; f * n; i * 1.0; i / 2; i // 2; i % 3; f / 3; f ** 2; f ** 0.5; i ** 2; k * 2; k + i;
    f + j; f + a; m + 1; m * 2.0; m * f; m + m; -j; k / k; f + k[:4]; np.add(f, 1); np.add(k, 1.0); np.add(j, f);
    np.float32(2) * f; np.float64(2) * f; np.int64(2) * k; np.float32(s) * x; np.divide(i, k); np.true_divide(i, 3);
    k ** 2; k - True; np.maximum(f, 1.5); np.maximum(i, 0); np.minimum(k, i); np.where(m, f, 0); np.where(m, f, a);
    np.where(m, 1, 2); np.abs(f)
    """
)
BINARY = rows(
    """
    x + y; x - y; x * y; x / y; x // y; x % y; u ** x; x < y; x <= y; x > y; x >= y; x == y; x != y; np.add(x, y);
    np.subtract(x, y); np.multiply(x, y); np.divide(x, y); np.floor_divide(x, y); np.remainder(x, y); np.mod(x, y);
    np.fmod(x, y); np.power(u, y); np.pow(u, y); np.float_power(u, y); np.maximum(x, y); np.minimum(x, y);
    np.fmax(x, y); np.fmin(x, y); np.hypot(x, y); np.arctan2(x, y); np.atan2(x, y); np.logaddexp(x, y);
    np.logaddexp2(x, y); np.copysign(x, y); np.heaviside(x, 0.5); np.less(x, y); np.less_equal(x, y);
    np.greater(x, y); np.greater_equal(x, y); np.equal(x, y); np.not_equal(x, y); np.logical_and(x, m[0, 0]);
    np.logical_or(x > 0, y > 0); np.logical_xor(x > 0, y > 0); (x > 0) & (y > 0); (x > 0) | (y < 0);
    (x > 0) ^ (y > 0); i & 3; i | 8; i ^ 5; i << 2; i >> 1; np.bitwise_and(i, 6); np.bitwise_or(m, m);
    np.left_shift(i, 1); np.right_shift(i, 1); np.fmax(z, 1.0); np.fmin(z, 1.0); np.maximum(z, 1.0);
    np.true_divide(x, y)
    """
)
POWERS = rows(
    """
    x ** 2; x ** 3; x ** 4; x ** 5; x ** (-1); x ** (-2); x ** 1; x ** 0; u ** 0.5; u ** (-0.5); u ** 1.5; u ** 2.0;
    x ** 2.0; x ** 3.0; i ** 2; i ** 3; i ** 0; 2 ** x; 2.0 ** x; s ** 2; s ** n; x ** n; i ** k; np.power(x, 2);
    np.power(u, 0.5); np.power(x, 3.0); np.float_power(i, 2); np.square(f); f ** 3; np.power(i, 2); np.power(2, k);
    pow(s, 2); pow(x, 2); pow(s, t + 1); u ** s; np.power(u, s)
    """
)
BROADCAST = rows(
    """
    a + o; a * w; o * w; a + v[:, None]; p * a; p + o; p * w; w * v[:, None]; s * a; a - s; a * n; x[0] * a;
    np.add(a, 1); 1 - a; 1 / a; 2 * a; 2.5 - a; 3 % u; 7 // u; np.maximum(a, 0); np.maximum(0.5, a);
    np.multiply(o, w); a > 0.5; 0.5 < a; (a > 0) * w; np.hypot(o, w)
    """
)
SELECTION = rows(
    """
    np.where(a > 0, a, d); np.where(a > 0, a, 0.0); np.where(a > 0, 1.0, d * d); np.where(a > 0, w, o);
    np.where(m, np.log(g), 0.0); np.where(s > 1, a, d); np.where(x > y, s, t); np.clip(a, -0.5, 0.5);
    np.clip(a, None, 0.3); np.clip(a, 0.1, None); np.clip(a, -w * w, o * o); a.clip(-1, 1); a.clip(min=0);
    a.clip(max=0.5); np.clip(i, 0, 2); np.clip(f, 0.1, 0.9); np.clip(s, 0, 1); np.clip(a, a_min=0, a_max=1);
    np.isin(i, [1, 2]); np.isin(i, k, invert=True); np.ldexp(x, 3); np.ldexp(x, k); np.imag(a);
    np.select([x > 1, x > 0], [x, y], 0.0); np.select([x > 1, x > 0], [x * 2, y]);
    np.piecewise(x, [x < 0, x >= 0], [-1.0, 1.0]); np.piecewise(x, [x < 0], [lambda r: r * r, lambda r: r]);
    np.interp(u, np.array([0.0, 0.5, 1.0]), np.array([1.0, 3.0, -2.0])); np.interp(x, np.linspace(-1, 1, 5), y);
    np.interp([1.0, 2.0, 2.5, 4.0], [1.0, 2.0, 3.0, 4.0], z[[0, 1, 4, 0]]); np.add(x, 2**100);
    np.interp(s, [0.0, 1.0, 2.0], v); np.divmod(x, y); divmod(x, y); np.modf(x); np.modf(i);
    np.nan_to_num(z, nan=2.0); np.where(a > 0, np.where(d > 0, a, d), -a); np.isclose(x, y);
    np.isclose(x, x + 1e-09); np.allclose(x, x); np.array_equal(x, y); np.array_equal(i, i); np.isrealobj(x);
    np.maximum(np.minimum(x, 0.5), -0.5); np.where(x > 0, x, y).sum(); np.where(m, j, 0); np.where(True, a, d);
    np.where(m, True, False)
    """
)
UFUNC_METHODS = rows(
    """
    np.add.reduce(a); np.add.reduce(a, axis=1); np.multiply.reduce(a, axis=0); np.maximum.reduce(a, axis=1);
    np.minimum.reduce(x); np.logical_and.reduce(m, axis=0); np.logical_or.reduce(m, axis=1); np.add.outer(x, w);
    np.multiply.outer(x, w); np.subtract.outer(a, w); np.maximum.outer(x, y); np.less.outer(x, y);
    np.add.accumulate(x); np.multiply.accumulate(a, axis=1); np.maximum.accumulate(x);
    np.minimum.accumulate(a, axis=0); np.add.reduce(i); np.hypot.outer(x, w); np.add.reduce([x, y, u]);
    np.maximum.reduce([x, y, u]); np.logical_or.reduce([x > 0, y > 0])
    """
)


@pytest.mark.parametrize("expression", [*UNARY, *DTYPES])
def test_unary(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize("expression", [*BINARY, *POWERS])
def test_binary(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize("expression", BROADCAST)
def test_broadcasting(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize("expression", SELECTION)
def test_selection(expression: str) -> None:
    check(expression)


@pytest.mark.parametrize("expression", UFUNC_METHODS)
def test_ufunc_methods(expression: str) -> None:
    check(expression)
