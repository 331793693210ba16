"""Shifted copies of an array, such as `np.roll` makes, become one copy with a margin that all are read from.

`left = np.roll(h, 1); right = np.roll(h, -1)` each copy `h` in two pieces. Here one array holds `h` and an element more
at both ends; `left[i]` and `right[i]` are elements of it, and what reads them is one statement over neighbours.

    program f(h: float64[9], y: float64[9])
      local left: float64[9], right: float64[9]
      for i in 1 .. 9:  left[i] = h[i - 1]
      left[0] = h[8]
      for i in 0 .. 8:  right[i] = h[i + 1]
      right[8] = h[0]
      for i in 0 .. 9:  y[i] = left[i] + right[i]

becomes

    program f(h: float64[9], y: float64[9])
      local h_halo: float64[11]
      for i_1 in 1 .. 10:  h_halo[i_1] = h[i_1 - 1]
      h_halo[0] = h_halo[9]
      h_halo[10] = h_halo[1]
      for i in 0 .. 9:  y[i] = h_halo[i] + h_halo[i + 2]
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod

from daad.analysis.context import Scope, map_scoped_bodies
from daad.analysis.subscripts import subscripts
from daad.analysis.uses import Usage, Users, read_arrays, written_arrays
from daad.ir.affine import Affine
from daad.ir.indices.index_maps import shifted
from daad.ir.memo import remembered
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Expr, Load, Nest, Node, Program, Range
from daad.ir.symbols import Kind, symbol
from daad.ir.walk import loads, map_expr, map_node, node_loads, substitute, walk
from daad.passes.definition import Pass

Offset = tuple[int, ...]
Corners = tuple[tuple[int, int], ...]
"""Per dimension the first index and the one behind the last."""

MARGIN = 0.5
"""The part of an array that a margin may take at most."""


PASS = Pass(
    "ghost-cells",
    lambda program, goal: add_ghost_cells(program, goal.live),
    "Shifted copies of an array become one copy with a margin.",
    source="Kjolstad and Snir 2010",
)


def add_ghost_cells(program: Program, live: frozenset[str]) -> Program:
    """`live` arrays are visible at the end."""
    haloed = _Haloing(Usage(program, live), {**program.arrays}, NameSupply.of(program))
    body = map_scoped_bodies(program.body, haloed.body, Scope())
    return replace(program, body=body, arrays=haloed.arrays)


@dataclass(frozen=True)
class _Piece:
    """A nest that writes the elements between two corners of an array, with `value` in terms of an element's own index,
    whose names are those of `coordinates`."""

    position: int
    corners: Corners
    value: Expr
    nest: Nest

    @property
    def size(self) -> int:
        return prod(high - low for low, high in self.corners)


@dataclass(frozen=True)
class _Member:
    """An array whose element `x` is element `x + shift` of what it is copied from."""

    name: str
    shift: Offset
    pieces: tuple[_Piece, ...]


@dataclass
class _Group:
    """Shifted copies of `root`, which stays as it is from the first piece of them on to the last; `margin` holds what
    they have beyond it, at the elements of `root` if it went on."""

    root: Array
    members: dict[str, _Member] = field(default_factory=dict)
    margin: list[_Piece] = field(default_factory=list)

    @cached_property
    def first(self) -> int:
        return min(piece.position for member in self.members.values() for piece in member.pieces)

    @property
    def own(self) -> Corners:
        """Of the source itself."""
        return tuple((0, extent) for extent in self.root.shape)

    def corners(self, more: Sequence[_Piece] = ()) -> Corners:
        """Of the source with its margin, `more` pieces included."""
        sides = zip(self.own, *(piece.corners for piece in (*self.margin, *more)), strict=True)
        return tuple((min(low for low, _ in side), max(high for _, high in side)) for side in sides)

    def take(self, member: _Member) -> bool:
        """Whether the member agrees with those that are there; then it is added."""
        added: list[_Piece] = []
        for piece in member.pieces:
            at = tuple((a + s, b + s) for (a, b), s in zip(piece.corners, member.shift, strict=True))
            value = self._resolved(_shifted(piece.value, [-s for s in member.shift]))
            moved: _Piece | None = replace(piece, corners=at, value=value)
            if _distance(value, self.root.name) == (0,) * len(at):
                continue
            if _meet(at, self.own):
                return False
            for other in (*self.margin, *added):
                if moved is not None and _meet(moved.corners, other.corners):
                    if not _agree(moved, other):
                        return False
                    moved = _without(moved, other.corners)
            added += [moved] if moved is not None else []
        if prod(b - a for a, b in self.corners(added)) > (1 + MARGIN) * self.root.size + 2 ** len(self.own):
            return False
        self.margin += added
        self.members[member.name] = member
        return True

    def _resolved(self, value: Expr) -> Expr:
        """A copy of a member as one of the root: of another group's members, what is beyond its root is only theirs."""

        def leaf(expr: Expr) -> Expr | None:
            if not isinstance(expr, Load) or expr.array not in self.members:
                return None
            return Load(self.root.name, shifted(expr.index, self.members[expr.array].shift), expr.dtype)

        return map_expr(value, leaf)


@dataclass(frozen=True)
class _Haloing:
    """Goes through bodies, those inside first; `arrays` as they are now, `names` gives new names."""

    usage: Usage
    arrays: dict[str, Array]
    names: NameSupply

    def body(self, body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        while (group := next(self._groups(body), None)) is not None:
            body = self._rewritten(body, group)
        return body

    def _groups(self, body: Sequence[Node]) -> Iterator[_Group]:
        groups: dict[tuple[str, int], _Group] = {}
        home: dict[str, _Group] = {}
        users = Users.of(body)
        for name, pieces in self._candidates(body):
            found = self._source(name, pieces, home)
            if found is None:
                continue
            root, shift = found
            versions = {len(users.writes(root, stop=piece.position)) for piece in pieces}
            group = groups.get((root, min(versions)), _Group(self.arrays[root]))
            if len(versions) == 1 and group.take(_Member(name, shift, pieces)):
                home[name] = groups[root, min(versions)] = group
        yield from (g for g in groups.values() if len(g.members) > 1 or self._moves(g.root.name, body, g))

    def _candidates(self, body: Sequence[Node]) -> Iterator[tuple[str, tuple[_Piece, ...]]]:
        """Local arrays that nests of the body write, each element at most once, and that only later nodes of it read;
        in the order of the last of these nests."""
        found: dict[str, list[_Piece]] = {}
        for position, node in enumerate(body):
            name = node.assigns[0].target.array if isinstance(node, Nest) and len(node.assigns) == 1 else ""
            if isinstance(node, Nest) and name in self.usage.hidden and (piece := _piece(position, node)) is not None:
                found.setdefault(name, []).append(piece)
        whole = {n: p for n, p in found.items() if len(p) == self.usage.writes[n] > 1 and not self.arrays[n].extents}
        readers = _readers(body, whole)
        for name, pieces in sorted(whole.items(), key=lambda item: item[1][-1].position):
            apart = not any(_meet(a.corners, b.corners) for n, a in enumerate(pieces) for b in pieces[:n])
            later = [plain for position, plain in readers[name] if position > pieces[-1].position]
            if apart and len(later) == self.usage.readers[name] and all(later):
                yield name, tuple(pieces)

    def _source(self, name: str, pieces: Sequence[_Piece], home: Mapping[str, _Group]) -> tuple[str, Offset] | None:
        """What the largest piece is copied from, and how far apart."""
        value = max(pieces, key=lambda piece: piece.size).value
        if not isinstance(value, Load) or len(value.index) != len(self.arrays[name].shape):
            return None
        source = self.arrays[value.array]
        shift = _distance(value, value.array)
        if shift is None or source.dtype != self.arrays[name].dtype or source.extents:
            return None
        if value.array in home:
            group = home[value.array]
            inner = group.members[value.array].shift
            return group.root.name, tuple(a + b for a, b in zip(shift, inner, strict=True))
        return value.array, shift

    def _rewritten(self, body: tuple[Node, ...], group: _Group) -> tuple[Node, ...]:
        root, corners = group.root, group.corners()
        low = [a for a, _ in corners]
        name = self.names.new(f"{root.name}_halo")
        for member in group.members:
            del self.arrays[member]
        self.arrays[name] = Array(name, tuple(b - a for a, b in corners), root.dtype)
        members = group.members.values()
        shifts = {member.name: [s - a for s, a in zip(member.shift, low, strict=True)] for member in members}
        own = {root.name: [-a for a in low]} if self._moves(root.name, body, group) else {}
        dropped = {piece.position for member in members for piece in member.pieces}
        margin: dict[int, list[Node]] = {}
        inside = {root.name: [-a for a in low]}
        for piece in group.margin:
            moved = tuple((a - c, b - c) for (a, b), c in zip(piece.corners, low, strict=True))
            value = _redirected(_shifted(piece.value, low), name, inside)
            margin.setdefault(piece.position, []).append(self._nest(name, moved, value, piece.nest))
        main = Load(root.name, tuple(Affine.of(c) for c in coordinates(len(low))), root.dtype)
        centre = tuple((-a, extent - a) for a, extent in zip(low, root.shape, strict=True))
        out: list[Node] = []
        for position, node in enumerate(body):
            if position == group.first:
                out.append(self._nest(name, centre, _shifted(main, low), body[position]))
            if position in dropped:
                out += margin.get(position, [])
                continue
            out.append(_read_from(node, name, {**shifts, **own} if position > group.first else shifts))
            if position > group.first and root.name in written_arrays(node):
                own = {}
        return tuple(out)

    def _moves(self, root: str, body: Sequence[Node], group: _Group) -> bool:
        """Whether what reads the source itself reads the copy, so that the source may go."""
        changes = any(root in written_arrays(node) for node in body)
        later = [load for node in walk(tuple(body[group.first :])) for load in node_loads(node) if load.array == root]
        plain = all(isinstance(form, Affine) for load in later for form in load.index)
        return root in self.usage.hidden and changes and plain and all(_is_simple(node, root) for node in body)

    def _nest(self, name: str, corners: Corners, value: Expr, like: Node) -> Nest:
        """Writes the elements between the corners."""
        names = self.names.axes(len(corners))
        at = [Affine.of(n) if b - a > 1 else Affine(a) for n, (a, b) in zip(names, corners, strict=True)]
        domain = tuple(Range(n, Affine(a), Affine(b)) for n, (a, b) in zip(names, corners, strict=True) if b - a > 1)
        own = dict(zip(coordinates(len(corners)), at, strict=True))
        return Nest(domain, (Assign(Access(name, tuple(at)), "=", substitute(value, own)),), like.at)


def coordinates(rank: int) -> tuple[str, ...]:
    """Names for the index of an element, which no program has."""
    return tuple(symbol(Kind.FORMAL, axis) for axis in range(rank))


def _readers(body: Sequence[Node], names: Collection[str]) -> dict[str, list[tuple[int, bool]]]:
    """All nodes that load each array: the position in the body, and whether all indices are affine."""
    found: dict[str, list[tuple[int, bool]]] = {name: [] for name in names}
    for position, top in enumerate(body):
        for node in walk((top,)) if not found.keys().isdisjoint(top.touched) else ():
            plain: dict[str, bool] = {}
            for load in node_loads(node):
                if load.array in found:
                    affine = all(isinstance(form, Affine) for form in load.index)
                    plain[load.array] = plain.get(load.array, True) and affine
            for name, affine in plain.items():
                found[name].append((position, affine))
    return found


def _piece(position: int, nest: Nest) -> _Piece | None:
    part = _part(nest)
    return None if part is None else _Piece(position, *part, nest)


@remembered
def _part(nest: Nest) -> tuple[Corners, Expr] | None:
    """The corners of what a nest writes, and the value in terms of an element's own index."""
    assign = nest.assigns[0]
    ranges = {r.var: r for r in nest.domain}
    axes = subscripts(assign.target.index, ranges)
    if assign.op != "=" or axes is None or ranges.keys() != {axis.var for axis in axes if axis.var}:
        return None
    sides = [axis.side(ranges) for axis in axes]
    if not all(low.is_const and high.is_const and low.const < high.const for low, high in sides):
        return None
    if any(load.array == assign.target.array for load in loads(assign.value)):
        return None
    corners = tuple((low.const, high.const) for low, high in sides)
    names = coordinates(len(axes))
    own = {axis.var: axis.value_at(Affine.of(name)) for axis, name in zip(axes, names, strict=True) if axis.var}
    return corners, substitute(assign.value, own)


def _distance(value: Expr, array: str) -> Offset | None:
    """How far from the element itself the one lies that it copies from an array."""
    if not isinstance(value, Load) or value.array != array:
        return None
    names = coordinates(len(value.index))
    apart = [form - Affine.of(n) for form, n in zip(value.index, names, strict=True) if isinstance(form, Affine)]
    if len(apart) != len(names) or not all(form.is_const for form in apart):
        return None
    return tuple(form.const for form in apart)


def _shifted(value: Expr, by: Sequence[int]) -> Expr:
    """The value with each coordinate larger by so much."""
    return substitute(value, {n: Affine.of(n) + s for n, s in zip(coordinates(len(by)), by, strict=True)})


def _redirected(value: Expr, name: str, shifts: Mapping[str, Sequence[int]]) -> Expr:
    def leaf(expr: Expr) -> Expr | None:
        if not isinstance(expr, Load) or expr.array not in shifts:
            return None
        if not all(isinstance(form, Affine) for form in expr.index):
            return None  # of the source, which is still what it was
        return Load(name, shifted(expr.index, shifts[expr.array]), expr.dtype)

    return map_expr(value, leaf)


def _read_from(node: Node, name: str, shifts: Mapping[str, Sequence[int]]) -> Node:
    if shifts.keys().isdisjoint(node.touched):
        return node
    return map_node(node, lambda value: _redirected(value, name, shifts))


def _is_simple(node: Node, root: str) -> bool:
    """Whether all that a node reads of an array is as it was before the node."""
    if root not in written_arrays(node) or root not in read_arrays(node):
        return True
    return isinstance(node, Nest) and len(node.assigns) == 1


def _meet(a: Corners, b: Corners) -> bool:
    return all(x[0] < y[1] and y[0] < x[1] for x, y in zip(a, b, strict=True))


def _agree(a: _Piece, b: _Piece) -> bool:
    """Whether the two write the same to the elements that both write."""
    shared = [(max(x[0], y[0]), min(x[1], y[1])) for x, y in zip(a.corners, b.corners, strict=True)]
    single = {n: Affine(x) for n, (x, y) in zip(coordinates(len(shared)), shared, strict=True) if y - x == 1}
    return substitute(a.value, single) == substitute(b.value, single)


def _without(piece: _Piece, corners: Corners) -> _Piece | None:
    """The piece without elements that are there already, as far as one piece is left."""
    reaching = [k for k, (own, there) in enumerate(zip(piece.corners, corners, strict=True))
                if own[0] < there[0] or own[1] > there[1]]  # fmt: skip
    if not reaching:
        return None
    (low, high), (first, last) = piece.corners[reaching[0]], corners[reaching[0]]
    if len(reaching) > 1 or (low < first and high > last):
        return piece
    side = (low, first) if low < first else (last, high)
    return replace(piece, corners=(*piece.corners[: reaching[0]], side, *piece.corners[reaching[0] + 1 :]))
