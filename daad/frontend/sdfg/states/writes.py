"""Writing values into arrays: plain stores, and DaCe's write-conflict resolutions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from daad.analysis.alias import reads_of
from daad.errors import Location
from daad.frontend.sdfg.symbol_table import Scope
from daad.frontend.sdfg.values.arithmetic import Value, apply, cast
from daad.frontend.sdfg.values.code import Meaning, value_of
from daad.ir.nodes import Access, Assign, Load, Nest, Node
from daad.ir.operations.updates import BY_OPERATION
from daad.ir.symbols import Kind, symbol


@dataclass(frozen=True)
class Update:
    """`target = value`, or combined with what is there by a DaCe `wcr` lambda."""

    target: Access
    dtype: str
    value: Value
    wcr: Any = None


def assign_of(update: Update, at: Location | None) -> Assign:
    """The update as one assignment; a resolution without an operator of its own reads the target."""
    if update.wcr is None:
        return Assign(update.target, "=", cast(update.value, update.dtype))
    parameters, body = _lambda(update.wcr)
    combine = BY_OPERATION.get(_operator(parameters, body))
    if combine is not None:
        return Assign(update.target, combine.sign, cast(update.value, update.dtype))
    old = Load(update.target.array, update.target.index, update.dtype)
    combined = value_of(body, Meaning(dict(zip(parameters, (old, update.value), strict=True)), at=at))
    return Assign(update.target, "=", cast(combined, update.dtype))


def _lambda(wcr: Any) -> tuple[tuple[str, ...], ast.expr]:
    node = ast.parse(wcr, mode="eval").body if isinstance(wcr, str) else wcr
    assert isinstance(node, ast.Lambda), f"a write-conflict resolution is a lambda, not {wcr!r}"
    return tuple(a.arg for a in node.args.args), node.body


def _operator(parameters: tuple[str, ...], body: ast.expr) -> str:
    """'add', 'maximum', … where the lambda is one symmetric operation on both parameters."""
    marks = dict(zip(parameters, [Load(symbol(Kind.OPERAND, n), (), "float64") for n in (0, 1)], strict=True))
    value = value_of(body, Meaning(marks))
    for name in BY_OPERATION:
        if value in (apply(name, *marks.values()), apply(name, *reversed(marks.values()))):
            return name
    return ""


def store(updates: Sequence[Update], scope: Scope, at: Location | None) -> tuple[Node, ...]:
    """Makes all updates; every value is taken before the first write."""
    assigns = [assign_of(update, at) for update in updates]
    if not _read_what_was_written(assigns):
        return tuple(Nest((), (assign,), at) for assign in assigns)
    kept: list[Node] = []
    writes: list[Node] = []
    for assign in assigns:
        old = scope.arrays.add(f"{assign.target.array}_new", (), assign.value.dtype)
        kept.append(Nest((), (Assign(Access(old.name, ()), "=", assign.value),), at))
        writes.append(Nest((), (replace(assign, value=Load(old.name, (), old.dtype)),), at))
    return (*kept, *writes)


def _read_what_was_written(assigns: Sequence[Assign]) -> bool:
    written: set[str] = set()
    for assign in assigns:
        if any(load.array in written for load in reads_of(assign)):
            return True
        written.add(assign.target.array)
    return False
