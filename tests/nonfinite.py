"""Programs at zeros, infinities and NaN: expressions elementwise, of vectors, and sides that are not taken."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

nan, inf = np.nan, np.inf
POINTS = np.array([nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -2.5, 1e200, -1e200, 800.0, -800.0, 1e-200])
AT_ZERO = frozenset((3, 4))
AT_NAN = frozenset((0,))
EVERYWHERE = frozenset(range(len(POINTS)))


@dataclass(frozen=True)
class Row:
    """An expression of `x`; `own` are the points where its derivative is another than JAX's, see docs/numpy.md."""

    text: str
    own: frozenset[int] = frozenset()


def _rows(*texts: str, own: frozenset[int] = frozenset()) -> list[Row]:
    return [Row(text, own) for text in texts]


ELEMENTWISE = [
    *_rows("np.sqrt(x)", "np.log(x)", "np.log2(x)", "np.log10(x)", "np.log1p(x)", "np.exp(x)", "np.exp2(x)"),
    *_rows("np.expm1(x)", "np.sin(x)", "np.cos(x)", "np.tan(x)", "np.arcsin(x)", "np.arccos(x)", "np.arctan(x)"),
    *_rows("np.sinh(x)", "np.cosh(x)", "np.tanh(x)", "np.arcsinh(x)", "np.arccosh(x)", "np.arctanh(x)", "np.cbrt(x)"),
    *_rows("np.square(x)", "np.reciprocal(x)", "1.0 / x", "1.0 / (1.0 + np.exp(-x))", "np.log(1.0 + np.exp(x))"),
    *_rows("x**2", "x**3", "x**-1", "x**-2", "x**-3", "x**0", "x**1", "x**2.5", "x**0.3", "2.0**x", "0.0**x"),
    *_rows("np.power(x, 3.0)", "np.power(3.0, x)", "np.float_power(x, 2.0)", "x * 0.0", "x - x", "x + np.inf"),
    *_rows("x * np.inf", "np.sign(x)", "np.floor(x)", "np.ceil(x)", "np.rint(x)", "np.trunc(x)", "np.nan_to_num(x)"),
    *_rows("np.clip(x, -1.0, 1.0)", "np.maximum(x, 0.0)", "np.minimum(x, 0.0)", "np.maximum(x, -x)"),
    *_rows("np.where(x > 0, x, 0.0)", "np.where(np.isnan(x), 0.0, x)", "np.where(x == 0, 1.0, x)", "(x > 0) * x"),
    *_rows("np.arctan2(x, 0.0)", "np.arctan2(0.0, x)", "np.arctan2(x, x)", "np.logaddexp(x, 0.0)"),
    *_rows("np.logaddexp(x, x)", "np.logaddexp(x, -np.inf)", "np.logaddexp2(x, 1.0)", "np.copysign(1.0, x)"),
    *_rows("np.fmod(x, 1.0)", "np.remainder(x, 0.75)", "x // 0.75", "np.deg2rad(x)", "-x", "np.isfinite(x) * 1.0"),
    *_rows("np.abs(x)", "np.copysign(x, -1.0)", "np.abs(x) * x", own=AT_NAN | AT_ZERO),
    *_rows("np.fmax(x, 0.0)", "np.fmin(x, 0.0)", "np.hypot(x, 0.0)", "np.hypot(x, x)", own=AT_ZERO | {11, 12, 15}),
    *_rows("np.heaviside(x, 0.5)", own=AT_NAN),
    *_rows("x**1.5", own=frozenset((2,))),
    *_rows("x**0.5", "x**-0.5", own=frozenset((2, 4))),
    *_rows("x / x", own=frozenset((11, 12, 15))),
    *_rows(
        "np.sqrt(np.maximum(x, 0.5) - 0.5)",
        "np.sqrt(2.0 - np.clip(x, 0.0, 2.0))",
        "np.sqrt((x > 0.5) * x)",
        own=EVERYWHERE,
    ),
    *_rows("np.maximum(np.sqrt(x), 0.5)", "np.minimum(np.exp(x), 2.0)", "np.log(np.fmax(x, 0.0))", own=EVERYWHERE),
]

EXTREME = [0.0, -0.0, inf, -inf, nan, 5e-324, -1e-310, 2.3e-308, 1.7e308, -1e308, 0.5, -0.5, 1.0, -1.0, 1.5, -2.5]
EXTREME += [3.0, -8.0, 710.0, -746.0, 2.0**53 + 2]
PAIRS = np.array([column.ravel() for column in np.meshgrid(EXTREME, EXTREME)])
UNARY = """
    negative positive absolute fabs sign exp exp2 expm1 log log2 log10 log1p sqrt cbrt square reciprocal sin cos tan
    arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg floor ceil trunc rint fix round isnan
    isinf isfinite signbit logical_not nan_to_num sinc conj real isposinf isneginf
"""
BINARY = """
    add subtract multiply divide floor_divide remainder fmod power float_power hypot arctan2 logaddexp logaddexp2
    copysign heaviside less less_equal greater greater_equal equal not_equal logical_and logical_or logical_xor isclose
"""
SIGNED = """
    x + 0.0; 0.0 + x; x + 0; 0 + x; x - 0.0; x - 0; x + (-0.0); x - (-0.0); 0.0 - x; 0 - x; (-0.0) - x; -(0.0 - x);
    0.0 - (0.0 - x); x * 0.0; x * 0 + 0.0; 0.0 * x + y; -(x - y); -(x * y); (-x) + y; (-x) - y; x - (-y); (-x) * (-y);
    (-x) / y; x / -1.0; x * -1; x / 3.0; x / 0.1; 1.0 / (0.0 - x); 1.0 / (x + 0.0); np.copysign(1.0, 0.0 - x);
    np.arctan2(x * 0 + 0.0, -1.0); np.where(x == 0, x + 0.0, x); np.zeros(x.shape) - x; np.zeros(x.shape) + x;
    x**2; x**3; x**-1; x**-2; x**0.5; x**1.5; x**2.5; x**3.5; x**-0.5; x**7; x**np.inf; 2.0**x; 0.0**x; (-8.0)**x;
    x // 0.0; x // -0.5; x % 0.0; x % -1.5; x % np.inf; 3.0 % x; 1.0 // x; np.modf(x)[0]; np.modf(x)[1];
    np.divmod(x, y)[0]; np.divmod(x, y)[1]; np.ldexp(x, 3); np.ldexp(x, 2000); np.ldexp(x, -1060); np.round(x, 1);
    np.ldexp(x, np.arange(x.size) * 16 - 3000); abs(x + 0.0); np.maximum(x, 0.5); np.minimum(y, -0.5);
    x.astype(np.float32).astype(float)
"""

VECTORS = {
    "nan": [1.0, nan, 2.0],
    "infinite": [1.0, inf, 2.0],
    "both infinities": [inf, -inf, 1.0],
    "nothing but nan": [nan, nan, nan],
    "zeros": [0.0, 0.0, 0.0],
    "one zero": [0.0, 2.0, 3.0],
    "two zeros": [0.0, 2.0, 0.0],
    "large": [800.0, 1e200, -800.0],
    "ties": [2.0, 2.0, 1.0],
}
ZEROS = frozenset(("zeros", "one zero", "two zeros"))


@dataclass(frozen=True)
class Reduction:
    """A scalar expression of the vector `x`; `own` are the vectors where its gradient is another than JAX's."""

    text: str
    own: frozenset[str] = frozenset()


def _reductions(*texts: str, own: frozenset[str] = frozenset()) -> list[Reduction]:
    return [Reduction(text, own) for text in texts]


REDUCTIONS = [
    *_reductions("np.sum(x)", "np.mean(x)", "np.max(x)", "np.min(x)", "np.ptp(x)", "np.prod(x)", "np.var(x)"),
    *_reductions("np.nansum(x)", "np.nanmean(x)", "np.nanmax(x)", "np.nanmin(x)", "np.nanprod(x)"),
    *_reductions("np.nanvar(x)", "np.sum(np.nan_to_num(x))", "np.cumsum(x)[1]", "np.cumprod(x)[2]", "x @ np.ones(3)"),
    *_reductions("np.dot(x, x)", "np.sum(np.outer(x, x))", "np.log(np.sum(np.exp(x)))"),
    *_reductions("np.std(x)", "np.linalg.norm(x)", own=ZEROS),
    *_reductions("np.sum(np.exp(x) / np.sum(np.exp(x)) * np.arange(3.0))", "x[0] / x[1]", "x[0] * x[1]"),
    *_reductions("np.log(np.sum(np.exp(x - np.max(x)))) + np.max(x)", "np.maximum(x[0], x[1])", "x[0] - x[1]"),
    *_reductions("np.sum(np.diff(x))", "np.sum(np.clip(x, 0.5, 2.0))", "np.argmax(x) * 1.0", "np.argmin(x) * 1.0"),
    *_reductions("np.sum(x[::-1] * x)", "np.trapezoid(x)", "np.sum(np.tanh(x))"),
    *_reductions("np.sum(np.maximum(x, 0.0) * x)", own=frozenset(("both infinities",))),
    *_reductions("np.logaddexp(x[0], x[1])", own=frozenset(("infinite",))),
    *_reductions("np.interp(1.5, np.arange(3.0), x)", own=frozenset(("infinite", "both infinities"))),
    *_reductions("x[0] ** x[1]", own=frozenset(("zeros",))),
    *_reductions("np.linalg.norm(x, 1)", own=frozenset(("nan", "nothing but nan")) | ZEROS),
    *_reductions("np.hypot(x[0], x[1])", own=frozenset(("infinite", "zeros"))),
    *_reductions("np.fmax(x[0], x[1])", own=frozenset(("zeros", "nothing but nan", "ties"))),
]


def read_back(text: str, name: str, **names: Any) -> Any:
    """The function of a module's text, which daad can read."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {"np": np, **names}
    exec(compile(text, name, "exec"), namespace)
    return namespace["f"]


def scalar_function(expression: str, **names: Any) -> Callable[..., Any]:
    """`lambda x: expression`; `np` may be another module."""
    return read_back(f"def f(x):\n    return {expression}\n", f"<{expression}>.py", **names)


def elementwise_function(expression: str, **names: Any) -> Callable[..., Any]:
    """The expression with a name, and its sum."""
    return read_back(f"def f(x):\n    y = {expression}\n    return np.sum(y)\n", f"<{expression}> each.py", **names)


def rows_function(expressions: Sequence[str]) -> Callable[..., Any]:
    """`y[k]` is the k-th expression of `x[k]`: many questions, one program to compile."""
    return _many([f"    x = all_x[{k}]\n    all_y[{k}] = {text}\n" for k, text in enumerate(expressions)])


def table_function(expressions: Sequence[str], count: int) -> Callable[..., Any]:
    """`y[k, n]` is the k-th expression of the vector `x[k, n]`."""
    loop = f"    for n in range({count}):\n        x = all_x[{{k}}, n]\n        all_y[{{k}}, n] = {{text}}\n"
    return _many([loop.format(k=k, text=text) for k, text in enumerate(expressions)])


def values_function() -> tuple[list[str], Callable[..., Any]]:
    """All expressions of numbers `x` and `y`, whose values must be NumPy's to the sign of zero, and their function."""
    texts = [f"np.{name}(x)" for name in UNARY.split()] + [f"np.{name}(x, y)" for name in BINARY.split()]
    texts += [text.strip() for text in SIGNED.split(";")]
    lines = [f"    x, y = all_x[{k}]\n    all_y[{k}] = {text}\n" for k, text in enumerate(texts)]
    return texts, _many(lines)


def _many(lines: list[str]) -> Callable[..., Any]:
    text = "def f(all_x, all_y):\n" + "".join(lines) + "    return np.sum(all_y)\n"
    return read_back(text, f"<{len(lines)} questions>.py")
