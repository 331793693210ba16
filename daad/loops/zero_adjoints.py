"""Adjoints to which no statement adds anything: what is made of them alone goes from the reverse sweep.

    for i in 0 .. 9:  t_bar[i] += y_bar[i] * x[i]
    for i in 0 .. 9:  x_bar[i] += 2.0 * z_bar[i]

is `for i in 0 .. 9:  t_bar[i] += y_bar[i] * x[i]` where nothing is ever added to `z_bar`: such as where a rule finds
that its function has no adjoint in an argument.
"""

from __future__ import annotations

from collections.abc import Sequence

from daad.ir.constructors import adds_nothing
from daad.ir.nodes import Const, Expr, Load, Nest, Node, Op
from daad.ir.walk import altered, map_leaves, nests

Groups = Sequence[tuple[Node, ...]]
FIRST, ALL = slice(0, 1), slice(None)
THROUGH = {"negative": FIRST, "cast": FIRST, "divide": FIRST, "where": slice(1, None), "add": ALL, "subtract": ALL}
"""The operands that have to be zero for the operation to be so; a product is with either factor."""


def without_zeros(groups: Groups, adjoints: frozenset[str]) -> list[tuple[Node, ...]]:
    """The sweep without updates by what is zero as none of these `adjoints`, which begin as zeros, gets another
    value."""
    while zeros := adjoints - _changed(groups):
        kept = [map_leaves(group, lambda nest: _without(nest, zeros)) for group in groups]
        if kept == list(groups):
            break
        groups = kept
    return list(groups)


def _changed(groups: Groups) -> frozenset[str]:
    """What is assigned anything but zeros."""
    every = [assign for group in groups for nest in nests(group) for assign in nest.assigns]
    return frozenset(a.target.array for a in every if a.op != "=" or not adds_nothing(a.value))


def _without(nest: Nest, zeros: frozenset[str]) -> tuple[Node, ...]:
    if nest.loaded.isdisjoint(zeros):
        return (nest,)
    kept = tuple(a for a in nest.assigns if a.op != "+=" or not _vanishes(a.value, zeros))
    return (altered(nest, assigns=kept),) if kept else ()


def _vanishes(value: Expr, zeros: frozenset[str]) -> bool:
    if isinstance(value, Load):
        return value.array in zeros
    if isinstance(value, Const):
        return adds_nothing(value)
    if not isinstance(value, Op):
        return False
    if value.name == "multiply":
        return any(_vanishes(arg, zeros) for arg in value.args)
    return value.name in THROUGH and all(_vanishes(arg, zeros) for arg in value.args[THROUGH[value.name]])
