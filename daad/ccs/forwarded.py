"""Values that the adjoint reads: which of them are still in memory at the end, and from where others are kept."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from daad.analysis.dependence import (
    Need,
    may_meet,
    overwritten_later,
    overwritten_since,
    overwritten_until,
    touched_last,
)
from daad.analysis.reaching_definitions import covering, leads
from daad.analysis.sites import (
    Path,
    Piece,
    Point,
    Site,
    Write,
    behind,
    containers,
    exactly,
    within,
    writes_by_array,
)
from daad.ccs.hints import NO_HINTS, Hints
from daad.ccs.restorable_values import NOTHING, Restored, jumps
from daad.errors import BadArgument
from daad.ir.affine import Affine
from daad.ir.nodes import Expr, Load, Loop, Nest, Node, Op
from daad.ir.operations import OPERATIONS
from daad.ir.versions import Version
from daad.ir.walk import depth, loads, map_expr, nodes, substitute


@dataclass(frozen=True)
class Forwarded:
    """One version of an array, the one just before `point`, that statements of the adjoint read as array `name`.

    `loops` enclose the point: the version changes with their iterations. `uses` are the elements read, with the sites
    whose loops and domains bind the variables in their indices. `around` are loops further out, which are reversed one
    iteration at a time: one version serves all of them.
    """

    name: str
    array: str
    dtype: str
    point: Point
    loops: tuple[Loop, ...]
    uses: tuple[Need, ...]
    around: tuple[Loop, ...] = ()


MOST_OPERATIONS = 12
"""Elementary operations that may be done twice instead of keeping their result."""

DEEPEST = 60
"""Operations one inside the other of what is computed again."""

NOWHERE = 1_000_000
"""Path length of a loop that binds variables at a moved site without being around it."""


@dataclass
class Versions:
    """Finds for each value that the adjoint reads where it can come from; remembers what has to be kept.

    A resolved load names `A@end` (the array as the primal leaves it) or a forwarded version such as `A@2.0`.
    With `within`, this is about one iteration of that loop, run again and reversed at once: the end is that of the
    iteration, versions are kept inside of it, and arrays that the loop does not write come from `outer`.
    `restored` is what the adjoint brings back, `relied` who reads what of it.
    """

    arrays: Collection[str]
    body: tuple[Node, ...]
    hints: Hints = NO_HINTS
    within: Site | None = None
    outer: Versions | None = None
    restored: Restored = NOTHING
    relied: set[tuple[Piece | None, Piece]] = field(default_factory=set)
    writes: dict[str, tuple[Write, ...]] = field(init=False)
    forwarded: dict[tuple[str, Point], Forwarded] = field(default_factory=dict)
    _definitions: dict[tuple[object, ...], tuple[Site, Expr] | None] = field(default_factory=dict)
    _known: dict[tuple[object, ...], Expr] = field(default_factory=dict)
    _depth: int = 0

    def __post_init__(self) -> None:
        writes = self.outer.writes if self.outer else writes_by_array(self.body)
        self.writes = {name: found for name, all_ in writes.items() if (found := self._inside(all_))}

    def _inside(self, writes: tuple[Write, ...]) -> tuple[Write, ...]:
        root = self.root
        return tuple(w for w in writes if w.site.path[: len(root)] == root)

    @property
    def root(self) -> Path:
        """The path of the loop that this is about."""
        return self.within.path if self.within else ()

    @property
    def around(self) -> tuple[Loop, ...]:
        """The loops of which one iteration is looked at."""
        return self.within.loops_around(self.root) if self.within else ()

    def in_place(self, site: Site, load: Load, after: bool = False) -> bool:
        """Whether the array still holds the value when the primal has ended, or again when the site's reader reads."""
        return self._holders(site, load, after) is not None

    def is_kept(self, site: Site, load: Load, after: bool = False) -> bool:
        """Whether another reader of the adjoint has asked for the same version, which has to be kept for it."""
        return not self.restored and (load.array, self._point(Need(site, load, after))) in self.forwarded

    def _holders(self, site: Site, load: Load, after: bool) -> frozenset[Piece] | None:
        """What must be brought back such that the array holds the value, often nothing; None where it does not."""
        if self.outer and load.array not in self.writes:
            return self.outer._holders(site, load, after)
        need, writes = Need(site, load, after), self.writes.get(load.array, ())
        if not overwritten_later(need, writes, len(self.around)):
            return frozenset()
        return self.restored.providers(need, writes, len(self.around)) if self.restored else None

    def from_outside(self, site: Site, load: Load) -> Expr | None:
        """Where a value that the loop does not write is when the loop is run again; None for one that it writes.

        It is right to the last bit: what is made of it may be compared with what was kept of the first run.
        """
        return None if self.outer is None or load.array in self.writes else self.outer.source(exactly(site), load)

    def source(self, site: Site, load: Load) -> Expr:
        """What stands for one load; the index stays as it is: statements that run again have made what it names."""
        return self._source(site, load, after=False)

    def resolve(self, site: Site, expr: Expr, after: bool = False) -> Expr:
        """`expr` with each load of a primal array replaced by one that the adjoint can make."""
        if self.restored and site.reader and not site.reader.exact and any(map(jumps, nodes(expr))):
            return self._resolve_exactly(site, expr, after)
        return map_expr(expr, lambda e: self._source(site, e, after) if isinstance(e, Load) else None)

    def _resolve_exactly(self, site: Site, expr: Expr, after: bool) -> Expr:
        """What enters an operation with jumps is read to the last bit, the rest of the expression as usual."""
        exact = exactly(site)
        known: dict[Expr, Expr] = {}

        def visit(node: Expr) -> Expr:
            if node not in known:
                known[node] = built(node)
            return known[node]

        def built(node: Expr) -> Expr:
            if isinstance(node, Load):
                index = tuple(i if isinstance(i, Affine) else visit(i) for i in node.index)
                return self._source(site, Load(node.array, index, node.dtype), after)
            if not isinstance(node, Op) or jumps(node):
                return self.resolve(exact, node, after)
            return Op(node.name, tuple(map(visit, node.args)), node.dtype)

        return visit(expr)

    def _source(self, site: Site, load: Load, after: bool) -> Expr:
        key = (*self._identity(site), load, after)
        if key not in self._known:
            self._known[key] = self._find_source(site, load, after)
        return self._known[key]

    def _identity(self, site: Site) -> tuple[object, ...]:
        """What decides where values of that moment come from; who reads them only where some are brought back."""
        loops = tuple(id(loop) for _, loop in site.loops)
        return site.path, site.domain, loops, site.same_bits, site.reader if self.restored else None

    def _find_source(self, site: Site, load: Load, after: bool) -> Expr:
        if load.array not in self.arrays:
            return load
        if self.outer and load.array not in self.writes:
            return self.outer._source(site, load, after)
        if load.array not in self.hints.recompute and (held := self._held(site, load, after)):
            return held
        need = Need(site, load, after)
        if (definition := self._recomputable(need)) is not None and (again := self._inlined(*definition)) is not None:
            return again
        if self.hints.strict and load.array in self.hints.recompute and not site.same_bits:
            raise BadArgument(
                f"The plan says to compute '{load.array}' again, and there is no expression that would do that.",
                at=site.node.at,
                hint=f"Take '{load.array}' out of the plan, or say 'store'.",
            )
        if held := self._held(site, load, after):
            return held
        point = self._point(need)
        loops = site.loops_around(point.container)[len(self.around) :]
        known = self.forwarded.get((load.array, point))
        name = Version(load.array, (*point.container, point.child))
        uses = (*(known.uses if known else ()), need)
        self.forwarded[load.array, point] = Forwarded(name, load.array, load.dtype, point, loops, uses, self.around)
        return Load(name, load.index, load.dtype)

    def _held(self, site: Site, load: Load, after: bool) -> Load | None:
        holders = self._holders(site, load, after)
        if holders is None:
            return None
        self.relied.update((site.reader.restores if site.reader else None, piece) for piece in holders)
        return Load(Version(load.array), load.index, load.dtype)

    def _inlined(self, site: Site, expr: Expr) -> Expr | None:
        """The expression for the adjoint, unless it would lie too deep inside of others."""
        own = depth(expr)
        if self._depth + own > DEEPEST:
            return None
        self._depth += own
        resolved = self.resolve(site, expr)
        self._depth -= own
        return resolved

    def _point(self, need: Need) -> Point:
        """The outermost point, before the need or behind it, at which the array holds the value."""
        writes = self.writes.get(need.load.array, ())
        for before in containers(need.site.path)[self._first_container(need.site.path) :]:
            after = Point(before.container, before.child + 1)
            if not overwritten_since(need, before, writes):
                last = touched_last(need, before, writes)
                return Point(before.container, 0 if last is None else last + 1)
            if not overwritten_until(need, after, writes):
                return after
        raise AssertionError(f"no point before {need.site.path} holds {need.load}")

    def _first_container(self, path: Path) -> int:
        """How many of the containers of a path lie outside of the loop that this is about."""
        return sum(len(point.container) < len(self.root) for point in containers(path))

    def _recomputable(self, need: Need) -> tuple[Site, Expr] | None:
        """The element's definition, if computing it again is cheap and asks for at most one more tape."""
        key = (*self._identity(need.site), need.load, need.after)
        if key not in self._definitions:
            self._definitions[key] = self._affordable(need, self._definition(need))
        return self._definitions[key]

    def _affordable(self, need: Need, definition: tuple[Site, Expr] | None) -> tuple[Site, Expr] | None:
        if definition is None or need.load.array in self.hints.store:
            return None
        if need.site.same_bits and not has_same_bits(definition[1]):
            return None
        if need.load.array in self.hints.recompute:
            return definition
        tapes, cost = self._price(*definition)
        return definition if cost <= MOST_OPERATIONS and len(tapes - set(self.forwarded)) <= 1 else None

    def _price(self, site: Site, expr: Expr) -> tuple[set[tuple[str, Point]], int]:
        """The versions that computing the expression in the adjoint would read from tapes, and its operations."""
        tapes: set[tuple[str, Point]] = set()
        cost = operations(expr)
        for load in loads(expr):
            if load.array not in self.arrays or cost > MOST_OPERATIONS or self.in_place(site, load):
                continue
            need = Need(site, load)
            if (definition := self._recomputable(need)) is None:
                tapes.add((load.array, self._point(need)))
                continue
            more, extra = self._price(*definition)
            tapes, cost = tapes | more, cost + extra
        return tapes, cost

    def _definition(self, need: Need) -> tuple[Site, Expr] | None:
        """The expression that was certainly assigned to the element, with the site where its loads are read.

        What overwrites a write comes after those before it, too: only the last one that may be it is looked at.
        """
        writes = self.writes.get(need.load.array, ())
        for write in reversed(within(writes, (), behind(need.site.path))):
            if not leads(write.site, need):
                continue
            container = write.site.path[:-1]
            values = covering(write, need) if _is_plain(write) else None
            if values is not None:
                moment = Point(container, write.site.path[-1] + 1)
                value = _nest(write).assigns[0].value
                is_gone = overwritten_since(need, moment, writes)
                return None if is_gone else (_moved(need.site, write.site), substitute(value, values))
            if may_meet(need, write, first=len(need.site.loops_around(container)), is_later=False):
                return None
        return None


def _is_plain(write: Write) -> bool:
    """Whether a nest does nothing else than to give elements a value."""
    assigns = _nest(write).assigns
    return len(assigns) == 1 and assigns[0].op == "="


def _nest(write: Write) -> Nest:
    assert isinstance(write.site.node, Nest), "only nests write"
    return write.site.node


def _moved(site: Site, to: Site) -> Site:
    """A site at the moment of `to` that binds the variables of `site`, whose loops it lies in up to `to`'s own."""
    inner = tuple((NOWHERE, loop) for _, loop in site.loops[len(to.loops) :])
    return Site(Nest(site.domain, ()), to.path, (*to.loops, *inner), site.reader, site.same_bits)


def has_same_bits(expr: Expr) -> bool:
    """Whether it has the same bits wherever it is compiled: functions are not, of one number and of several."""
    return all(not isinstance(node, Op) or OPERATIONS[node.name].exact for node in nodes(expr))


def operations(expr: Expr) -> int:
    """The price of computing an expression again, in additions."""
    if not isinstance(expr, Op):
        return 0
    operation = OPERATIONS[expr.name]
    return (operation.work if operation.repeats else MOST_OPERATIONS + 1) + sum(map(operations, expr.args))
