"""What it costs to compute an expression once more."""

from __future__ import annotations

from daad.program.affine import Affine
from daad.program.nodes import Const, Expr, IndexValue, Load, Op
from daad.program.walk import children

EXPONENTIAL = "exp exp2 expm1 log log2 log10 log1p power cbrt logaddexp logaddexp2 erf erfc lgamma gamma"
TRIGONOMETRIC = "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh hypot arctan2"
COSTLY = frozenset(f"{EXPONENTIAL} {TRIGONOMETRIC} remainder floor_divide fmod".split())
SLOW = frozenset(("divide", "sqrt"))
COSTLY_WORK = 20
SLOW_WORK = 4


def work(value: Expr) -> int:
    """Elementary operations, shared ones counted once."""
    return count(value, SLOW_WORK, COSTLY_WORK)


def count(value: Expr, slow: int, costly: int) -> int:
    """The same, with what slow and costly ones count."""
    seen: set[Expr] = set()
    pending: list[Expr] = [value]
    total = 0
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        total += _own_work(node, slow, costly)
        pending.extend(c for c in children(node) if not isinstance(c, Affine))
    return total


def _own_work(node: Expr, slow: int, costly: int) -> int:
    if not isinstance(node, Op):
        return 0
    if node.name in COSTLY and not _is_short_power(node):
        return costly
    return slow if node.name in (*SLOW, "power") else 1


def _is_short_power(node: Op) -> bool:
    """A power that is computed as products, a root and a quotient."""
    exponent = node.args[-1]
    if node.name != "power" or not isinstance(exponent, Const):
        return False
    return abs(exponent.value) <= 8 and not exponent.value % 0.5


def is_trivial(value: Expr) -> bool:
    """Constants and plain reads: nothing to compute."""
    if isinstance(value, Load):
        return all(isinstance(i, Affine) for i in value.index)
    return isinstance(value, Const | IndexValue)
