"""What it costs to compute an expression once more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from daad.ir.affine import Affine
from daad.ir.memo import remembered
from daad.ir.nodes import Const, Expr, IndexValue, Load, Nest, Op
from daad.ir.operations import OPERATIONS
from daad.ir.operations.operation import SLOW_WORK
from daad.ir.walk import nodes


@remembered
def work(value: Expr) -> float:
    """Elementary operations, shared ones counted once."""
    return count((value,), weight)


def count(values: Iterable[Expr], price: Callable[[Op], float]) -> float:
    """The prices of all operations, shared ones counted once."""
    distinct = {node for value in values for node in nodes(value)}
    return sum(price(node) for node in distinct if isinstance(node, Op))


def weight(op: Op) -> int:
    """Elementary operations that one takes as long as, roughly."""
    return SLOW_WORK if is_short_power(op) else OPERATIONS[op.name].work


@remembered
def nest_work(nest: Nest) -> int:
    """Operations, reads and writes at a point of a nest, shared ones counted once."""
    distinct = {node for assign in nest.assigns for node in nodes(assign.value)}
    return len(nest.assigns) + sum(weight(n) if isinstance(n, Op) else isinstance(n, Load) for n in distinct)


def is_function(node: Expr) -> bool:
    """Whether a library computes it, which has functions of vectors for loops."""
    return isinstance(node, Op) and OPERATIONS[node.name].is_function and not is_short_power(node)


def varying_work(value: Expr, names: Collection[str]) -> float:
    """The same at each of many points that differ in the variables `names`: what is the same at all is computed before,
    and so are reciprocals of divisors."""

    def price(op: Op) -> float:
        if op.variables.isdisjoint(names):
            return 0
        return 1 if op.name == "divide" and op.args[1].variables.isdisjoint(names) else weight(op)

    return count((value,), price)


def calls_functions(value: Expr, names: Collection[str]) -> bool:
    """Whether a costly function is computed at each of such points."""
    return any(is_function(node) and not node.variables.isdisjoint(names) for node in nodes(value))


def is_short_power(node: Op) -> bool:
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
