"""Derivatives of the scalar operations, one operation a line.

`a`, `b` are the operands, `r` the result; None: that operand carries no derivative. At kinks: ties of `maximum` and
`minimum` split evenly, `absolute` has slope 0 at 0, otherwise as JAX. Where the condition of a rule `where(c, w, 0)`
does not hold, the operand gets nothing, however large the adjoint of the result is.
"""

from __future__ import annotations

from math import pi

RAISED = "(where(a < 0.5, 1 - a, a) + 7)"
SQUARED = f"(1 / ({RAISED} * {RAISED}))"
VERTICAL = frozenset({"sqrt", "cbrt", "power", "arcsin", "arccos", "arccosh", "hypot", "arctan2"})
"""Operations whose slope is infinite, or none, at points where their value is finite."""
BERNOULLI = ("1 / 12", "1 / 120", "1 / 252", "1 / 240", "1 / 132", "691 / 32760", "1 / 12")
SERIES = "".join(f"{SQUARED} * ({term} - " for term in BERNOULLI) + "0" + ")" * len(BERNOULLI)
STEPS = "".join(f" - 1 / ({RAISED} - {k})" for k in range(1, 8))
DIGAMMA = f"(log({RAISED}) - 0.5 / {RAISED} - {SERIES}{STEPS} - where(a < 0.5, {pi} / tan({pi} * a), 0))"
"""Reflected to a >= 1/2, raised by recurrence to 7.5 and above, there the asymptotic series, to rounding."""

DERIVATIVES: dict[str, tuple[str | None, ...]] = {
    "add": ("1", "1"),
    "subtract": ("1", "-1"),
    "multiply": ("b", "a"),
    "divide": ("1 / b", "-(r / b)"),
    "reciprocal": ("-(r * r)",),
    "negative": ("-1",),
    "power": ("where(b < 0, b * r / a, b * a ** where(b == 0, 1, b - 1))", "r * log(where(a == 0, 1, a))"),
    "absolute": ("sign(a)",),
    "exp": ("r",),
    "exp2": ("r * 0.6931471805599453",),
    "expm1": ("exp(a)",),
    "log": ("1 / a",),
    "log2": ("1 / (a * 0.6931471805599453)",),
    "log10": ("1 / (a * 2.302585092994046)",),
    "log1p": ("1 / (1 + a)",),
    "sqrt": ("0.5 / r",),
    "cbrt": ("1 / (3 * r * r)",),
    "sin": ("cos(a)",),
    "cos": ("-sin(a)",),
    "tan": ("1 + r * r",),
    "arcsin": ("1 / sqrt(1 - a * a)",),
    "arccos": ("-1 / sqrt(1 - a * a)",),
    "arctan": ("1 / (1 + a * a)",),
    "sinh": ("cosh(a)",),
    "cosh": ("sinh(a)",),
    "tanh": ("1 - r * r",),
    "arcsinh": ("1 / sqrt(a * a + 1)",),
    "arccosh": ("1 / sqrt(a * a - 1)",),
    "arctanh": ("1 / (1 - a * a)",),
    "erf": ("1.1283791670955126 * exp(-(a * a))",),
    "erfc": ("-1.1283791670955126 * exp(-(a * a))",),
    "lgamma": (DIGAMMA,),
    "gamma": (f"r * {DIGAMMA}",),
    "maximum": ("where(a >= b, where(a == b, 0.5, 1), 0)", "where(b >= a, where(a == b, 0.5, 1), 0)"),
    "minimum": ("where(a <= b, where(a == b, 0.5, 1), 0)", "where(b <= a, where(a == b, 0.5, 1), 0)"),
    "fmax": (
        "where(a >= b or isnan(b), where(a == b, 0.5, 1), 0)",
        "where(b >= a or isnan(a), where(a == b, 0.5, 1), 0)",
    ),
    "fmin": (
        "where(a <= b or isnan(b), where(a == b, 0.5, 1), 0)",
        "where(b <= a or isnan(a), where(a == b, 0.5, 1), 0)",
    ),
    "hypot": ("a / r", "b / r"),
    "arctan2": ("b / (a * a + b * b)", "-(a / (a * a + b * b))"),
    "logaddexp": ("where(a == inf, 1, exp(a - r))", "where(b == inf, 1, exp(b - r))"),
    "logaddexp2": ("where(a == inf, 1, exp2(a - r))", "where(b == inf, 1, exp2(b - r))"),
    "copysign": ("sign(a) * copysign(1, b)", None),
    "nextafter": ("1", None),
    "anchored": ("1", None),
    "fixed": ("?",),
    "remainder": ("1", "-floor(a / b)"),
    "fmod": ("1", "-trunc(a / b)"),
    "sign": (None,),
    "floor": (None,),
    "ceil": (None,),
    "trunc": (None,),
    "rint": (None,),
    "floor_divide": (None, None),
    "heaviside": (None, "where(a == 0, 1, 0)"),
}
"""A quotient of 1 has the row 'reciprocal'. 'where' and 'cast' are part of the pullback itself; logic and comparisons
have no derivative by their dtype."""
