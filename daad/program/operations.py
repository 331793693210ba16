"""The scalar operations that a Program may hold, named as NumPy's ufuncs (or as functions of `math`)."""

from __future__ import annotations

UNARY = frozenset(
    "negative absolute sign exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan arcsin arccos arctan sinh cosh "
    "tanh arcsinh arccosh arctanh floor ceil trunc rint erf erfc lgamma gamma logical_not invert isnan isinf isfinite "
    "signbit".split()
)
BINARY = frozenset(
    "add subtract multiply divide floor_divide remainder fmod power maximum minimum fmax fmin hypot arctan2 logaddexp "
    "logaddexp2 copysign heaviside less less_equal greater greater_equal equal not_equal logical_and logical_or "
    "logical_xor bitwise_and bitwise_or bitwise_xor left_shift right_shift".split()
)
SPECIAL = frozenset({"where", "cast"})
OPERATIONS = UNARY | BINARY | SPECIAL
