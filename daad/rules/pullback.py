"""The pullback of a scalar expression: what each active load receives for a given adjoint of the value."""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeGuard

from daad.errors import Location, Unsupported
from daad.ir.constructors import (
    add,
    both,
    compare,
    conditions,
    const,
    instantiate,
    is_value,
    multiply,
    negation,
    rule_names,
    where,
)
from daad.ir.dtypes import is_float
from daad.ir.memo import remembered
from daad.ir.nodes import Const, Expr, Load, Op
from daad.ir.operations import OPERATIONS, named
from daad.ir.operations.inverse_slopes import DIFFERENCES
from daad.ir.operations.of_scipy import OPERANDS, SPECIAL, UNKNOWN
from daad.ir.operations.operation import Family
from daad.rules import own_rules, scalar
from daad.rules.evenness import smooth
from daad.rules.flatness import is_flat, is_positive
from daad.rules.own_rules import LEVELLED, is_now
from daad.rules.scalar import VERTICAL
from daad.rules.undefined import reads_any

OF_SCIPY = {name: row.slopes for name, row in SPECIAL.items()}
DERIVATIVES = ChainMap(scalar.DERIVATIVES, OF_SCIPY, own_rules.DERIVATIVES)
PYTHON = named(lambda row: row.family is Family.PYTHON)
Active = Callable[[Load], bool]


@dataclass(frozen=True)
class Guarded:
    """The adjoint (or tangent) of a subexpression; it is zero, and not evaluated, where `guard` does not hold (None:
    everywhere)."""

    value: Expr
    guard: Expr | None = None

    def closed(self) -> Expr:
        """As a plain expression: one choice inside the other, as GCC takes branches for `a >= 0 and min(a, 1) <= 1`."""
        value = self.value
        for condition in reversed(conditions(self.guard)):
            value = where(condition, value, const(0, value.dtype), value.dtype)
        return value


@dataclass(frozen=True)
class Facts:
    """What is known of the program around an expression: arrays of `flat` values (flatness.py), `undefined` ones with
    values that do not count (undefined.py), and whether derivatives are taken of the derivative `again`."""

    flat: frozenset[str] = frozenset()
    undefined: frozenset[str] = frozenset()
    again: bool = False


NO_FACTS = Facts()


@dataclass(frozen=True)
class Contribution:
    """`bar(load) += value`."""

    load: Load
    value: Expr


def pull_back(
    expr: Expr,
    seed: Guarded,
    active: Active,
    result: Expr | None = None,
    at: Location | None = None,
    facts: Facts = NO_FACTS,
) -> tuple[Contribution, ...]:
    """Contributions to all active loads of `expr`, one for each distinct load; `result` may replace the value of the
    whole expression where a rule is written on its result."""
    expr = smooth(expr, facts.again)
    order = _active_order(expr, active)
    cotangents: dict[Expr, Guarded] = {expr: seed}
    contributions: list[Contribution] = []
    for node in reversed(order):
        if node not in cotangents:
            continue
        cotangent = cotangents[node]
        if isinstance(node, Load):
            contributions.append(Contribution(node, cotangent.closed()))
            continue
        assert isinstance(node, Op), f"unknown active expression {node!r}"
        value = result if node is expr and result is not None else node
        for operand, part in _partials(node, cotangent, value, set(order), at, facts):
            cotangents[operand] = summed(cotangents[operand], part) if operand in cotangents else part
    return tuple(contributions)


def reads_result(expr: Expr, active: Active) -> bool:
    """Whether the outermost operation has a rule, for an active operand, that reads the operation's result."""
    expr = smooth(expr)
    if not isinstance(expr, Op) or expr.name not in DERIVATIVES:
        return False
    live = set(_active_order(expr, active))
    rules = [rule for arg, rule in _rules(expr) if arg in live and rule != UNKNOWN]
    return any(rule is not None and "r" in rule_names(rule) for rule in rules)


def active_loads(expr: Expr, active: Active) -> tuple[Load, ...]:
    """The distinct loads of `expr` through which a derivative flows."""
    return tuple(node for node in _active_order(expr, active) if isinstance(node, Load))


@remembered
def is_singular(expr: Expr) -> bool:
    """Whether some operation's slope can be infinite at a finite point."""
    if not isinstance(expr, Op):
        return False
    steep = OPERATIONS[expr.name].steep and not (expr.name == "divide" and isinstance(expr.args[1], Const))
    return steep or any(map(is_singular, expr.args))


def left_out(node: Op) -> tuple[Expr, ...]:
    """The operands that the result may not depend on: sides of a choice, the smaller number of a maximum."""
    chosen = tuple(side for side, _ in choices(node))
    if chosen or node.name not in DERIVATIVES or not is_float(node.dtype):
        return chosen
    return tuple(operand for operand, weight in weights(node, node) if selects(weight))


def row_of(node: Op) -> str:
    """The name of the operation's row in the table of rules."""
    if node.name in LEVELLED and not is_now(node):
        return f"{node.name}_later"
    return "reciprocal" if node.name == "divide" and is_value(node.args[0], 1) else node.name


def choices(node: Op) -> tuple[tuple[Expr, Expr], ...]:
    """The operands of which the operation takes one or none, each with the condition on which it does."""
    if node.name == "where":
        condition, then, orelse = node.args
        return (then, condition), (orelse, negation(condition))
    if node.name != "multiply":
        return ()
    return tuple((b, a.args[0]) for a, b in (node.args, node.args[::-1]) if _is_mask(a) and not _is_mask(b))


def _is_mask(expr: Expr) -> TypeGuard[Op]:
    """Whether the number is the truth of a condition."""
    return isinstance(expr, Op) and expr.name == "cast" and expr.args[0].dtype == "bool"


def _rules(node: Op) -> tuple[tuple[Expr, str | None], ...]:
    """The operands that the operation's rules are for, each with its rule."""
    row = DERIVATIVES[row_of(node)]
    return tuple(zip(node.args[-len(row) :], row, strict=True))


def _active_order(expr: Expr, active: Active) -> list[Expr]:
    """Nodes with a differentiable path to an active load, operands before operations."""
    known: dict[Expr, bool] = {}
    order: list[Expr] = []

    def visit(node: Expr) -> bool:
        if node in known:
            return known[node]
        if isinstance(node, Load):
            found = is_float(node.dtype) and active(node)
        elif isinstance(node, Op) and is_float(node.dtype):
            found = sum(visit(a) for a in _differentiable_operands(node)) > 0
        else:
            found = False
        known[node] = found
        if found:
            order.append(node)
        return found

    visit(expr)
    return order


def _differentiable_operands(node: Op) -> tuple[Expr, ...]:
    if node.name == "where":
        return node.args[1:]
    if node.name == "cast":
        return node.args
    if node.name not in DERIVATIVES:
        return node.args
    return tuple(operand for operand, rule in _rules(node) if rule is not None)


def _partials(
    node: Op,
    cotangent: Guarded,
    value: Expr,
    live: set[Expr],
    at: Location | None,
    facts: Facts,
) -> list[tuple[Expr, Guarded]]:
    sides = choices(node)
    if sides:
        return [(s, Guarded(cotangent.value, both(cotangent.guard, c))) for s, c in sides if s in live]
    if node.name == "cast":
        source = node.args[0]
        return [(source, Guarded(Op("cast", (cotangent.value,), source.dtype), cotangent.guard))]
    require_derivative(node, live.__contains__, at)
    parts = []
    for operand, weight in weights(node, value):
        if operand not in live:
            continue
        guard = cotangent.guard
        finite = finite_where(node, operand, cotangent.value, guard, value, facts.flat)
        if selects(weight):
            guard, weight = both(guard, weight.args[0]), weight.args[1]
        if not is_value(weight, 0):
            share = multiplied(cotangent.value, weight, node.dtype)
            if finite is None and facts.undefined and reads_any(weight, facts.undefined):
                finite = _where_it_counts(cotangent)
            if finite is not None:  # a choice of its own: around all that follows it would keep that from being vectors
                share = kept_where(finite, share, facts)
            parts.append((operand, Guarded(share, guard)))
    return parts


def kept_where(counts: Expr, share: Expr, facts: Facts) -> Expr:
    """A share of an adjoint that is zero where nothing `counts`, however steep the operation is there.

    Where the adjoint happens to be zero, its own derivative need not be: one that is taken again is that of the share,
    unless that is not finite.
    """
    if facts.again:
        counts = Op("logical_or", (counts, Op("isfinite", (share,), "bool")), "bool")
    return where(counts, share, const(0, share.dtype), share.dtype)


def require_derivative(node: Op, is_live: Callable[[Expr], bool], at: Location | None) -> None:
    """Refuses an operation that has none, or none in an operand through which one flows."""
    if node.name in PYTHON:
        hint = "Give it a rule with 'daad.custom_vjp', or write it with NumPy."
        raise Unsupported("Python is called here for a function that has no derivative of its own.", at=at, hint=hint)
    if node.name not in DERIVATIVES:
        raise Unsupported(
            f"The derivative of '{node.name}' is not known.", at=at, hint="Write it with functions that have one."
        )
    for k, (operand, rule) in enumerate(_rules(node)):
        if rule == UNKNOWN and is_live(operand):
            known = SPECIAL.get(node.name)
            raise Unsupported(
                f"The derivative of '{known.shown}' in its argument {k + 1} has no closed form."
                if known
                else "A derivative flows into an argument of this function in which none is known.",
                at=at,
                hint="Keep that argument fixed: it may be anything that does not depend on 'wrt'.",
            )


def finite_where(
    node: Op, operand: Expr, seed: Expr, guard: Expr | None, value: Expr, flat: frozenset[str]
) -> Expr | None:
    """Where something flows through an operation that is vertical at a point: not at a distance of zero, and not where
    the adjoint (or tangent) `seed`, which counts where `guard` holds, is zero; None: everywhere."""
    if not _may_be_vertical(node, operand):
        return None
    base = node.args[0]
    if node.name == "hypot" or (node.name in ("sqrt", "power") and is_flat(base, flat.__contains__)):
        known = base if node.name == "power" else value
        return compare("not_equal", known, const(0, known.dtype))
    return _where_it_counts(Guarded(seed, guard))


def _where_it_counts(cotangent: Guarded) -> Expr | None:
    """Where the adjoint (or tangent) is not zero; None: everywhere, as far as can be seen."""
    seed = cotangent.value
    condition = compare("not_equal", seed, const(0, seed.dtype))
    return None if isinstance(condition, Const) or condition in conditions(cotangent.guard) else condition


def _may_be_vertical(node: Op, operand: Expr) -> bool:
    """Whether the slope may be infinite where the result is not."""
    if node.name in SPECIAL:
        return True
    if node.name == "multiply":
        return any(isinstance(factor, Const) and not math.isfinite(factor.value) for factor in node.args)
    if node.name not in VERTICAL or (node.name in ("sqrt", "power") and is_positive(node.args[0])):
        return False
    if node.name != "power":
        return True
    exponent = node.args[1]
    return operand is node.args[0] and not (isinstance(exponent, Const) and not 0 < exponent.value < 1)


def weights(node: Op, value: Expr) -> list[tuple[Expr, Expr]]:
    """The operands that carry a derivative, each with the slope of the operation; `value` is the operation's result."""
    rules = _rules(node)
    operands = dict(zip(OPERANDS, (operand for operand, _ in rules), strict=False)) | {"r": value}
    known = [(operand, rule) for operand, rule in rules if rule is not None and rule != UNKNOWN]
    return [(operand, _slope(rule, operands, node.dtype)) for operand, rule in known]


def _slope(rule: str, operands: Mapping[str, Expr], dtype: str) -> Expr:
    if rule not in DIFFERENCES or dtype == "float64":
        return instantiate(rule, operands, dtype)
    wide = {name: Op("cast", (operand,), "float64") for name, operand in operands.items()}
    return Op("cast", (instantiate(rule, wide, "float64"),), dtype)


def selects(weight: Expr) -> TypeGuard[Op]:
    """Whether the operand receives nothing where some condition does not hold."""
    return isinstance(weight, Op) and weight.name == "where" and is_value(weight.args[2], 0)


def multiplied(seed: Expr, weight: Expr, dtype: str) -> Expr:
    """`seed * weight`; a weight c / b divides the seed."""
    if isinstance(weight, Op) and weight.name == "divide" and is_value(weight.args[0], 1):
        return Op("divide", (seed, weight.args[1]), dtype)
    if isinstance(weight, Op) and weight.name == "where" and all(isinstance(x, Const) for x in weight.args[1:]):
        return multiply(weight, seed, dtype)
    return multiply(seed, weight, dtype)


def summed(a: Guarded, b: Guarded) -> Guarded:
    """The sum, which is not zero where one of the two is not."""
    dtype = a.value.dtype
    if a.guard == b.guard:
        return Guarded(add(a.value, b.value, dtype), a.guard)
    guard = None if a.guard is None or b.guard is None else Op("logical_or", (a.guard, b.guard), "bool")
    return Guarded(add(a.closed(), b.closed(), dtype), guard)
