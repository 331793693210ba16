"""Which values the adjoint can bring back: updates that it takes back in place, temporaries that it makes again.

`x += g` is taken back by `x -= g`, where g reads nothing that it changes. When the adjoint of a statement runs, an
array of which all later updates are taken back holds again, up to rounding, what it held at the statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from daad.analysis.alias import may_meet_at_a_point
from daad.analysis.dependence import Need, overwritten_later, overwritten_until, site_bounds
from daad.analysis.reaching_definitions import is_written_first
from daad.analysis.sites import Path, Piece, Point, Site, Write, writes_by_array
from daad.ccs.hints import Hints
from daad.ir.affine import Affine
from daad.ir.constructors import add, negative, subtract
from daad.ir.dtypes import is_float
from daad.ir.nodes import Expr, Load, Nest, Op, Program
from daad.ir.operations import OPERATIONS
from daad.ir.operations.updates import Sign
from daad.ir.walk import loads, node_loads


def jumps(expr: Expr) -> bool:
    """Whether an operation turns a rounding error of its operands into another value altogether."""
    if not isinstance(expr, Op):
        return False
    return OPERATIONS[expr.name].jumps or (expr.name == "cast" and not is_float(expr.dtype))


@dataclass(frozen=True)
class Update:
    """`T = sign * T + increment`, with the sign 1 or -1; the increment reads nothing that the statement writes."""

    sign: int
    increment: Expr

    def taken_back(self, old: Expr, increment: Expr) -> tuple[Sign, Expr]:
        """The operator and the value that bring back what was there before; the increment as the adjoint has it."""
        dtype = old.dtype
        return ("+=", negative(increment, dtype)) if self.sign > 0 else ("=", subtract(increment, old, dtype))


def find_update(site: Site, dtype: str) -> Update | str:
    """The statement as an update that can be taken back, or why it cannot."""
    nest = site.node
    assert isinstance(nest, Nest), "only nests write"
    assign = nest.assigns[0]
    if len(nest.assigns) > 1 or assign.op not in ("=", "+=") or np.dtype(dtype).kind == "b":
        return "which this statement overwrites"
    own = Load(assign.target.array, assign.target.index, dtype)
    if assign.op == "+=":
        update = Update(1, assign.value)
    else:
        split = _split(assign.value, own)
        if split is None or split[1] is None:
            read = any(x.array == own.array for x in loads(assign.value))
            return "which this statement changes by more than adding to it" if read else OVERWRITES
        update = Update(split[0], split[1])
    others = [x for part in (update.increment, *_indices(own)) for x in loads(part) if x.array == own.array]
    if any(may_meet_at_a_point(x, own, site_bounds(site)) for x in others):
        return "and what this statement adds to it reads what it changes"
    return update


OVERWRITES = "which this statement overwrites"


def _indices(load: Load) -> Iterator[Expr]:
    return (i for i in load.index if not isinstance(i, Affine))


def _split(expr: Expr, own: Load) -> tuple[int, Expr | None] | None:
    """The sign of `own` in a sum, and the other terms; None where it is no term."""
    if expr == own:
        return 1, None
    if not isinstance(expr, Op) or expr.dtype != own.dtype:
        return None
    if expr.name == "negative":
        found = _split(expr.args[0], own)
        return None if found is None else (-found[0], found[1] and negative(found[1], own.dtype))
    if expr.name not in ("add", "subtract"):
        return None
    join = add if expr.name == "add" else subtract
    left, right = expr.args
    if (found := _split(left, own)) is not None:
        zero = negative(right, own.dtype) if join is subtract else right
        return found[0], zero if found[1] is None else join(found[1], right, own.dtype)
    if (found := _split(right, own)) is not None:
        sign = found[0] if join is add else -found[0]
        return sign, left if found[1] is None else join(left, found[1], own.dtype)
    return None


@dataclass(frozen=True, kw_only=True)
class Restored:
    """What the adjoint brings back as it runs.

    `undone` are arrays by the top-level statement in which all that adds to them is taken back; for those of
    `everywhere` in all statements that is so, else only this statement itself may rely on it. `remade` are arrays
    whose statements, all in one body, are run again there before the adjoint first reads what they make.
    """

    undone: frozenset[Piece] = frozenset()
    everywhere: frozenset[str] = frozenset()
    remade: Mapping[str, Path] = field(default_factory=dict)
    updates: Mapping[Path, Update] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.undone or self.remade)

    @property
    def pieces(self) -> frozenset[Piece]:
        """All that is brought back, by statement and array."""
        return self.undone | {(path[0], name) for name, path in self.remade.items()}

    def without(self, pieces: frozenset[Piece]) -> Restored:
        """Less is brought back."""
        remade = {name: path for name, path in self.remade.items() if (path[0], name) not in pieces}
        return replace(self, undone=self.undone - pieces, remade=remade)

    def takes_back(self, write: Write) -> bool:
        """Whether this write is an update that is taken back."""
        return write.piece in self.undone and write.site.path in self.updates

    def providers(self, need: Need, writes: tuple[Write, ...], first: int) -> frozenset[Piece] | None:
        """What must be brought back such that memory holds the value for the reader; None where that is not enough."""
        reader, name = need.site.reader, need.load.array
        if reader is None or (reader.exact and is_float(need.load.dtype)):
            return None
        if name in self.remade:
            return self._remade(need, writes)
        taken = [w for w in writes if self.takes_back(w) and (name in self.everywhere or _same_statement(w, need))]
        others = tuple(w for w in writes if w not in taken)
        if not taken or overwritten_later(need, others, first) or self._is_changed(need, tuple(taken)):
            return None
        return frozenset(w.piece for w in taken if overwritten_later(need, (w,), first))

    def _is_changed(self, need: Need, taken: tuple[Write, ...]) -> bool:
        """Whether an update between the need's moment and the reader's, not taken back yet, may touch the element."""
        assert need.site.reader is not None, "somebody reads"
        if need.after and any(w.site.path == need.site.path for w in taken):
            return True
        point = _reading(need)
        return point is None or overwritten_until(need, point, taken)

    def _remade(self, need: Need, writes: tuple[Write, ...]) -> frozenset[Piece] | None:
        name, reader = need.load.array, need.site.reader
        container = self.remade[name]
        path, depth = need.site.path, len(container)
        if reader and reader.restores == (container[0], name) and any(w.site.path == path for w in writes):
            return frozenset()  # its own statements read what they have just made
        if path[:depth] != container or _reading(need) is None or len(path) <= depth:
            return None
        if any(w.site.path[depth] >= path[depth] for w in writes):
            return None
        certain = all(_is_same_each_time(w) for w in writes) or is_written_first(need, writes)
        return frozenset({(container[0], name)}) if certain else None


def _same_statement(write: Write, need: Need) -> bool:
    return write.site.path[0] == need.site.path[0]


def _reading(need: Need) -> Point | None:
    """Where, in the body of the need's site, the reader stands in the backward sweep."""
    reader, container = need.site.reader, need.site.path[:-1]
    depth = len(container)
    if reader is None or reader.path[:depth] != container or len(reader.path) <= depth:
        return None
    inside = len(reader.path) > depth + 1
    return Point(container, reader.path[depth] + inside)


def _is_same_each_time(write: Write) -> bool:
    """Whether the elements that are written do not depend on the iteration."""
    nest = write.site.node
    assert isinstance(nest, Nest), "only nests write"
    own = {r.var for r in nest.domain}
    bounds = all(form.is_const for r in nest.domain for form in (r.start, r.stop))
    return bounds and all(isinstance(i, Affine) and own.issuperset(i.names) for i in write.target.index)


NOTHING = Restored()


def restorable(program: Program, hints: Hints) -> Restored:
    """All that the hints allow to bring back, as far as statements can be taken back or run again one by one."""
    if not hints.undo and not hints.undo_in:
        return NOTHING
    fixed = hints.store | hints.recompute | hints.rerun
    everywhere = frozenset(n for n in program.arrays if n in hints.undo and n not in fixed)
    writes = writes_by_array(program.body)
    remade = {
        name: path
        for name, all_ in writes.items()
        if name not in fixed and not (hints.strict and name in hints.undo) and (path := _home(all_)) is not None
    }
    updates = {
        w.site.path: update
        for name, all_ in writes.items()
        for w in all_
        if (name in everywhere or w.piece[0] in hints.undo_in)
        and not isinstance(update := find_update(w.site, program.arrays[name].dtype), str)
    }
    undone = frozenset(
        w.piece
        for name, all_ in writes.items()
        if name not in {*fixed, *remade}
        for w in all_
        if w.site.path in updates
    )
    touched = {statement for statement, _ in undone}
    remade = {name: path for name, path in remade.items() if path[0] in touched}
    return Restored(undone=undone, everywhere=everywhere, remade=remade, updates=updates)


def _home(writes: tuple[Write, ...]) -> Path | None:
    """The body inside a loop or a branch in which alone an array is made anew; None if there is no such body."""
    path = writes[0].site.path[:-1]
    if not path or any(w.site.path[:-1] != path or not _is_made_anew(w, writes) for w in writes):
        return None
    return path


def _is_made_anew(write: Write, writes: tuple[Write, ...]) -> bool:
    """Whether the nest writes nothing else, and reads of the array only what it has got in the same iteration."""
    nest, name = write.site.node, write.target.array
    assert isinstance(nest, Nest), "only nests write"
    if len(nest.assigns) > 1:
        return False
    own = [x for x in node_loads(nest) if x.array == name]
    own += [Load(name, write.target.index, "")] if nest.assigns[0].op != "=" else []
    return all(is_written_first(Need(write.site, x), writes) for x in own)
