"""The scalar operations that a Program may hold, named as NumPy's ufuncs (or as functions of `math`)."""

from __future__ import annotations

ROUNDING = ("floor", "ceil", "trunc", "rint", "sign", "heaviside", "floor_divide")
EXPONENTIAL = ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "logaddexp2", "power")
TRIGONOMETRIC = ("sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "hypot")
HYPERBOLIC = ("sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh")
SPECIAL = ("erf", "erfc", "lgamma", "gamma")
ARITHMETIC = ("add", "subtract", "multiply", "divide", "negative", "remainder", "fmod", "sqrt", "cbrt", "absolute")
SELECTION = ("maximum", "minimum", "fmax", "fmin", "copysign", "anchored", "where", "cast")
COMPARISON = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
PREDICATES = ("isnan", "isinf", "isfinite", "signbit")
LOGIC = ("logical_and", "logical_or", "logical_xor", "logical_not", "invert")
BITS = ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")

OPERATIONS = frozenset(
    ROUNDING
    + EXPONENTIAL
    + TRIGONOMETRIC
    + HYPERBOLIC
    + SPECIAL
    + ARITHMETIC
    + SELECTION
    + COMPARISON
    + PREDICATES
    + LOGIC
    + BITS
)
