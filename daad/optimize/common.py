"""Costly values that several terms of a gather share are computed once, into a local array."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from daad.optimize.cost import work
from daad.optimize.scope import Scope
from daad.optimize.shifts import Term
from daad.program.affine import Affine, interval
from daad.program.names import fresh
from daad.program.nodes import Access, Array, Assign, Expr, Load, Nest, Range
from daad.program.walk import children, map_expr

COSTLY = 12  # elementary operations; less is computed again for every neighbour


def keep_common_work(
    group: list[Term], nest: Nest, scope: Scope, arrays: dict[str, Array]
) -> tuple[list[Nest], list[Term]]:
    """Nests that compute the values, and the terms that read them; adds the local arrays to `arrays`."""
    parts = _common_parts([t.assign.value for t in group])
    shape = _extents(nest.domain, scope)
    if not parts or shape is None:
        return [], group
    index = tuple(Affine.of(r.var) - r.start for r in nest.domain)
    known: dict[Expr, Load] = {}
    kept: list[Nest] = []
    for part in parts:
        name = fresh(f"{group[0].assign.target.array}_part", arrays)
        arrays[name] = Array(name, shape, part.dtype)
        known[part] = Load(name, index, part.dtype)
        kept.append(replace(nest, assigns=(Assign(Access(name, index), "=", part),)))
    return kept, [_with_parts(t, known) for t in group]


def _with_parts(term: Term, known: dict[Expr, Load]) -> Term:
    value = map_expr(term.assign.value, lambda e: known.get(e))
    return replace(term, assign=replace(term.assign, value=value))


def _extents(domain: tuple[Range, ...], scope: Scope) -> tuple[int, ...] | None:
    """How many values each variable takes at most; None where that is not known."""
    widths = [interval(r.stop - r.start, scope.ranges) for r in domain]
    return None if any(w is None for w in widths) else tuple(max(w[1], 0) for w in widths if w)


def _common_parts(values: list[Expr]) -> list[Expr]:
    """The largest costly subexpressions that occur in more than one of the values."""
    counts = Counter(e for v in values for e in _subexpressions(v))
    wanted = {e for e, n in counts.items() if n > 1 and work(e) >= COSTLY}
    found: dict[Expr, None] = {}
    for value in values:
        pending = [value]
        seen: set[Expr] = set()
        while pending:
            node = pending.pop()
            if node in wanted:
                found[node] = None
            elif node not in seen:
                seen.add(node)
                pending.extend(c for c in reversed(children(node)) if not isinstance(c, Affine))
    return list(found)


def _subexpressions(value: Expr) -> list[Expr]:
    seen: dict[Expr, None] = {}
    pending = [value]
    while pending:
        node = pending.pop()
        if node not in seen:
            seen[node] = None
            pending.extend(c for c in children(node) if not isinstance(c, Affine))
    return list(seen)
