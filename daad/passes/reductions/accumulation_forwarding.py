"""Sums into a local array that is then only added to another one are summed there at once.

`s = 0; for k: s += e[k]; A[i] = A[i] - s` becomes `for k: A[i] += -e[k]` where no `e[k]` reads `A[i]`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice

from daad.analysis.alias import may_meet, reads_of
from daad.analysis.context import Scope, map_scoped_bodies
from daad.analysis.coverage import covers
from daad.analysis.regular_sections import exact
from daad.analysis.uses import Usage
from daad.ir.affine import Affine
from daad.ir.constructors import const, is_value, negative
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Assign, Expr, Load, Nest, Node, Op, Program, Range
from daad.ir.operations.updates import Sign
from daad.ir.walk import loads, substitute, writes
from daad.passes.scalar.forward_substitution import Definition


@dataclass(frozen=True)
class Pattern:
    """Positions in a body of `clear` (T = 0), `sum` (T += e) and `use` (X = ±T, or X += ±T), in this order."""

    clear: int
    sum: int
    use: int


@dataclass(frozen=True)
class Target:
    """The use as `X[index] op ±T[load]`."""

    access: Access
    op: Sign
    negated: bool
    load: Load


def accumulate_in_place(program: Program, live: frozenset[str]) -> Program:
    """`live` arrays are visible at the end."""
    while True:
        usage, changed = Usage(program, live), set[str]()

        def rewrite(
            body: tuple[Node, ...], scope: Scope, usage: Usage = usage, changed: set[str] = changed
        ) -> tuple[Node, ...]:
            return _rewrite(body, scope, usage, changed)

        body = map_scoped_bodies(program.body, rewrite, Scope())
        if not changed:
            return program
        program = replace(program, body=body)


def _rewrite(body: tuple[Node, ...], scope: Scope, usage: Usage, changed: set[str]) -> tuple[Node, ...]:
    """`changed` collects the targets of sums, for which `usage` does not hold any more."""
    position = 0
    while position < len(body):
        pattern = _pattern(body, position, usage, changed)
        merged = _merged(body, pattern, scope, usage) if pattern else None
        if pattern is None or merged is None:
            position += 1
            continue
        changed.update(a.target.array for n in merged for a in n.assigns)
        middle = body[pattern.clear + 1 : pattern.sum] + body[pattern.sum + 1 : pattern.use]
        body = (*body[: pattern.clear], *middle, *merged, *body[pattern.use + 1 :])
    return body


def _pattern(body: tuple[Node, ...], position: int, usage: Usage, changed: set[str]) -> Pattern | None:
    """The three statements, if nothing else touches the sum."""
    clear = _single(body[position])
    if clear is None or clear.op != "=" or not is_value(clear.value, 0):
        return None
    name = clear.target.array
    if name in changed or name not in usage.hidden or usage.writes[name] != 2 or usage.readers[name] != 1:
        return None
    # Nothing but the clear, one other assign and one reader touches it anywhere.
    touching = list(islice((n for n in range(position + 1, len(body)) if name in body[n].touched), 2))
    if len(touching) != 2:
        return None
    added = _single(body[touching[0]])
    if added is None or added.op != "+=" or added.target.array != name:
        return None
    return Pattern(position, *touching)


def _single(node: Node) -> Assign | None:
    return node.assigns[0] if isinstance(node, Nest) and len(node.assigns) == 1 else None


def _merged(body: tuple[Node, ...], pattern: Pattern, scope: Scope, usage: Usage) -> tuple[Nest, ...] | None:
    """What replaces the use: the sum straight into its target."""
    clear, summing, use = body[pattern.clear], body[pattern.sum], body[pattern.use]
    if not isinstance(clear, Nest) or not isinstance(summing, Nest) or not isinstance(use, Nest):
        return None
    target = _target(use, clear.assigns[0].target.array)
    if target is None:
        return None
    moved = _moved_sum(summing, use, target, usage)
    if moved is None or not _clears_all(clear, summing, usage):
        return None
    between = body[pattern.clear + 1 : pattern.sum] + body[pattern.sum + 1 : pattern.use]
    if not _may_wait(summing, use, target, between) or _reads_target(moved, scope):
        return None
    if target.op == "+=":
        return (moved,)
    first = Assign(target.access, "=", const(0, usage.program.arrays[target.access.array].dtype))
    return (replace(use, assigns=(first,)), moved)


def _target(use: Node, name: str) -> Target | None:
    assign = _single(use)
    if assign is None or assign.op not in ("=", "+="):
        return None
    own = Load(assign.target.array, assign.target.index, assign.value.dtype)
    op, value, negated = assign.op, assign.value, False
    if op == "=" and isinstance(value, Op) and value.name in ("add", "subtract") and value.args[0] == own:
        op, negated, value = "+=", value.name == "subtract", value.args[1]
    elif op == "=" and isinstance(value, Op) and value.name == "add" and value.args[1] == own:
        op, value = "+=", value.args[0]
    if isinstance(value, Op) and value.name == "negative":
        negated, value = not negated, value.args[0]
    if (
        not isinstance(value, Load)
        or value.array != name
        or any(load.array == name for i in value.index for load in loads(i))
    ):
        return None
    return Target(assign.target, op, negated, value)


def _moved_sum(summing: Nest, use: Nest, target: Target, usage: Usage) -> Nest | None:
    """The sum with its target replaced by that of the use, over the points of the use."""
    assign = summing.assigns[0]
    own = {n for i in assign.target.index if isinstance(i, Affine) for n in i.names}
    kept = tuple(r for r in summing.domain if r.var in own)
    array = usage.program.arrays[assign.target.array]
    if assign.value.dtype != array.dtype or usage.program.arrays[target.access.array].dtype != array.dtype:
        return None
    box = exact(assign.target.index, kept, array.shape)
    used = exact(target.load.index, use.domain, array.shape)
    if box is None or box != used:
        return None
    reduced, summand = _renamed_reduction(summing, kept, use)
    definition = Definition(array.name, array.dtype, replace(summing, domain=kept), summand, box)
    value = definition.at(target.load)
    if value is None:
        return None
    value = negative(value, array.dtype) if target.negated else value
    return Nest((*use.domain, *reduced), (Assign(target.access, "+=", value),), use.at or summing.at)


def _renamed_reduction(summing: Nest, kept: tuple[Range, ...], use: Nest) -> tuple[tuple[Range, ...], Expr]:
    """The ranges summed over, with names that the use does not take, and the summand."""
    supply = NameSupply(r.var for r in (*use.domain, *summing.domain))
    names: dict[str, str] = {}
    for r in summing.domain:
        if r not in kept:
            clashes = any(r.var == u.var for u in use.domain)
            names[r.var] = supply.new(r.var) if clashes else r.var
    reduced = tuple(replace(r, var=names[r.var]) for r in summing.domain if r.var in names)
    return reduced, substitute(summing.assigns[0].value, {old: Affine.of(new) for old, new in names.items()})


def _clears_all(clear: Nest, summing: Nest, usage: Usage) -> bool:
    """Whether every element that is summed into starts at zero."""
    assign = clear.assigns[0]
    array = usage.program.arrays[assign.target.array]
    if covers(assign, clear.domain, array):
        return True
    own = {n for i in summing.assigns[0].target.index if isinstance(i, Affine) for n in i.names}
    kept = tuple(r for r in summing.domain if r.var in own)
    box = exact(assign.target.index, clear.domain, array.shape)
    return box is not None and box == exact(summing.assigns[0].target.index, kept, array.shape)


def _may_wait(summing: Nest, use: Nest, target: Target, between: tuple[Node, ...]) -> bool:
    """Whether the sum may be computed as late as the use."""
    sources = {load.array for load in reads_of(summing.assigns[0])}
    return not any(writes((node,)) & (sources | {target.access.array}) for node in between)


def _reads_target(moved: Nest, scope: Scope) -> bool:
    assign = moved.assigns[0]
    return any(may_meet(assign.target, moved.domain, load, moved.domain, scope) for load in reads_of(assign))
