"""`math` and builtins on run-time scalars."""

from __future__ import annotations

import pytest

from tests.frontend.numpy.expressions import check, rows

MATH = rows(
    """
    math.sin(s); math.cos(s); math.tan(s); math.asin(t); math.acos(t); math.atan(s); math.atan2(s, t); math.sinh(s);
    math.cosh(s); math.tanh(s); math.asinh(s); math.acosh(s); math.atanh(t); math.exp(s); math.expm1(s);
    math.exp2(s); math.log(s); math.log(s, 2); math.log2(s); math.log10(s); math.log1p(s); math.sqrt(s);
    math.cbrt(s); math.pow(s, t); math.hypot(s, t); math.hypot(s, t, 1.0); math.fabs(t); math.floor(s) * t;
    math.ceil(s) * t; math.trunc(s) * t; math.copysign(s, t); math.fmod(s, t); math.degrees(s); math.radians(s);
    math.erf(s); math.erfc(s); math.gamma(s); math.lgamma(s); math.isnan(s) * t; math.isinf(s) * t;
    math.isfinite(s) * t; math.pi * s; math.e * s; math.sin(x[0]) * math.exp(x[1]); math.sqrt(n) * s;
    math.factorial(n) * s; math.comb(5, n) * s; math.inf * s; math.sin(n) * s; math.floor(x[0]);
    math.fsum([s, t, 1.0]); math.prod([s, t]); math.dist([s, t], [1.0, 2.0]); math.isclose(s, t) * s;
    math.remainder(s, t); math.remainder(7 * t, -s)
    """
)
BUILTINS = rows(
    """
    abs(s); abs(t); max(s, t); min(s, t); max(s, t, 2.0); min(1.0, s); pow(s, 2); pow(s, t); round(s); round(s, 1);
    float(s); sum([s, t]); sum((s, t), 1.0); divmod(s, t); max([s, t]); max(x[0], x[1]); s // t; s % t; -s; +s;
    math.floor(s * 3e19) * t; round(s * 3e19) * t; math.ceil(-s * 3e25) * t; int(s * 3e19) * t;
    math.atan2(int(-s / 9.0), t); math.atan2(round(t / 9.0), -1.0); math.atan2(math.ceil(-s / 9.0), -1.0);
    s ** 2; s < t; not s < t; abs(n) * s; max(n, 2) * s; sum([n, 1]) * s
    """
)


@pytest.mark.parametrize("expression", [*MATH, *BUILTINS])
def test_scalars(expression: str) -> None:
    check(expression)
