"""Runs of statements that are independent along one dimension: which variable of each nest, which axis of each array.

Statements at different coordinates `p` then touch different elements of everything that the run writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from daad.ccs.sites import loop_bounds
from daad.optimize.places import Place, reads_of
from daad.program.affine import Affine, names_of
from daad.program.nodes import Assign, Branch, Load, Loop, Nest, Node, Range
from daad.program.walk import node_loads, reads, writes

MOST_SKIPPED = 8  # statements that move out of the way of a run


@dataclass(frozen=True)
class Leaf:
    """A nest of a run, the loops of the run around it, outermost first, and the position of the node that holds it."""

    nest: Nest
    loops: tuple[Loop, ...]
    node: int

    @cached_property
    def touched(self) -> tuple[tuple[Place, str], ...]:
        """Every access, with the operation of the assign where it is the target, '' where it is read."""
        found: list[tuple[Place, str]] = []
        for assign in self.nest.assigns:
            found.extend((load, "") for load in reads_of(assign))
            found.append((assign.target, assign.op))
        return tuple(dict.fromkeys(found))

    @cached_property
    def variables(self) -> dict[str, tuple[Affine, Affine] | None]:
        """Bounds of each variable of the domain and of the loops, None where they are computed."""
        found: dict[str, tuple[Affine, Affine] | None] = {r.var: (r.start, r.stop) for r in self.nest.domain}
        for loop in self.loops:
            low, high = loop_bounds(loop)
            found[loop.var] = (low, high) if isinstance(low, Affine) and isinstance(high, Affine) else None
        return found


@dataclass(frozen=True)
class Lane:
    """The coordinate of a nest's points: `var + shift`; without a variable `shift` for all of them."""

    var: str | None
    shift: Affine

    @property
    def coordinate(self) -> Affine:
        return self.shift if self.var is None else self.shift + Affine.of(self.var)


@dataclass(frozen=True)
class Seat:
    """Every access of an array has `index[axis] = p + offset`."""

    axis: int
    offset: Affine


@dataclass(frozen=True)
class Run:
    """Nodes that are independent along one dimension; `lanes` and `spans` go with `leaves`.

    A nest's coordinates run from `base + spans[n][0]` up to, not including, `base + spans[n][1]`. All accesses of
    arrays that are written are in `seats`, except those of `sums`, which are only updated, all by one operation.
    """

    nodes: tuple[Node, ...]
    leaves: tuple[Leaf, ...]
    lanes: tuple[Lane, ...]
    spans: tuple[tuple[int, int], ...]
    base: Affine
    seats: dict[str, Seat]
    sums: frozenset[str]


class _Conflict(Exception):
    """The statements depend on each other, or it is not certain that they do not."""


def leaves(body: Sequence[Node], loops: tuple[Loop, ...] = (), node: int | None = None) -> Iterator[Leaf]:
    """All nests of some nodes, in program order."""
    for position, child in enumerate(body):
        place = position if node is None else node
        if isinstance(child, Nest):
            yield Leaf(child, loops, place)
        elif isinstance(child, Loop):
            yield from leaves(child.body, (*loops, child), place)
        else:
            yield from leaves((*child.then, *child.orelse), loops, place)


def starts(node: Node) -> list[str]:
    """Variables along which a run that begins with the node may be independent."""
    first = next(leaves((node,)), None)
    return [] if first is None else [*(loop.var for loop in first.loops), *(r.var for r in first.nest.domain)]


def find_run(body: Sequence[Node], var: str) -> tuple[Run, tuple[int, ...]] | None:
    """The longest run from the first node on along its variable, and the positions of its nodes.

    Nodes between those positions can be moved before the run.
    """
    state, chosen, skipped = _State(), list[int](), 0
    for position, node in enumerate(body):
        extended = state.copy()
        try:
            extended.add(node, len(chosen), var if not chosen else None)
        except _Conflict:
            if not chosen or skipped == MOST_SKIPPED or not state.lets_pass(node):
                break
            skipped += 1
            continue
        state = extended
        chosen.append(position)
    return _settled([body[n] for n in chosen], var, chosen)


def _settled(nodes: list[Node], var: str, chosen: list[int]) -> tuple[Run, tuple[int, ...]] | None:
    """The run of some nodes, without those that stay open."""
    while nodes:
        try:
            state = _grown(nodes, var)
        except _Conflict:
            return None
        last = state.settle()
        if last is None:
            return state.run(tuple(nodes)), tuple(chosen)
        kept = last + 1 if last and _grown(nodes[:last], var).lets_pass(nodes[last]) else len(nodes)
        nodes, chosen = nodes[:last] + nodes[kept:], chosen[:last] + chosen[kept:]
    return None


def _grown(nodes: list[Node], var: str) -> _State:
    state = _State()
    for position, node in enumerate(nodes):
        state.add(node, position, None if position else var)
    return state


@dataclass
class _State:
    """What is known about a run while it grows."""

    leaves: list[Leaf] = field(default_factory=list)
    lanes: dict[int, Lane] = field(default_factory=dict)
    seats: dict[str, Seat] = field(default_factory=dict)
    sums: dict[str, str] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    control: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    base: Affine | None = None

    def copy(self) -> _State:
        return replace(
            self,
            leaves=list(self.leaves),
            lanes=dict(self.lanes),
            seats=dict(self.seats),
            sums=dict(self.sums),
            written=set(self.written),
            control=set(self.control),
            bound=set(self.bound),
        )

    def add(self, node: Node, position: int, var: str | None) -> None:
        """One more node; `var` is the variable of its first nest, for the first node."""
        self.control |= _control((node,))
        self.written |= writes((node,))
        if self.control & self.written:
            raise _Conflict
        fresh = [replace(leaf, node=position) for leaf in leaves((node,))]
        self.leaves += fresh
        self.bound |= {name for leaf in fresh for name in leaf.variables}
        if var is not None:
            self._set_lane(0, Lane(var, Affine(0)))
        self._propagate()

    def lets_pass(self, node: Node) -> bool:
        """Whether the node may run before what is there already."""
        own = {place.array for leaf in self.leaves for place, _ in leaf.touched}
        return not reads((node,)) & self.written and not writes((node,)) & (own | self.control)

    def _propagate(self) -> None:
        """Follows what is known from nest to array to nest."""
        known = -1
        while known != len(self.lanes) + len(self.seats) + len(self.sums):
            known = len(self.lanes) + len(self.seats) + len(self.sums)
            for number, leaf in enumerate(self.leaves):
                if number not in self.lanes:
                    self._find_lane(number, leaf)
                if number in self.lanes:
                    self._find_seats(leaf, self.lanes[number])
        self._check()

    def _find_lane(self, number: int, leaf: Leaf) -> None:
        for place, _ in leaf.touched:
            seat = self.seats.get(place.array)
            if seat is None:
                continue
            form = place.index[seat.axis]
            if not isinstance(form, Affine):
                raise _Conflict
            coordinate = form - seat.offset
            own = [n for n in coordinate.names if n in self.bound]
            if not own:
                return self._set_lane(number, Lane(None, coordinate))
            if len(own) > 1 or own[0] not in leaf.variables or coordinate.coefficient(own[0]) != 1:
                raise _Conflict
            return self._set_lane(number, Lane(own[0], coordinate - Affine.of(own[0])))
        return None

    def _set_lane(self, number: int, lane: Lane) -> None:
        low, _ = self._ends(self.leaves[number], lane)
        self.base = low if self.base is None else self.base
        self.lanes[number] = lane
        if is_product(self.leaves[number].nest, lane):
            raise _Conflict

    def _ends(self, leaf: Leaf, lane: Lane) -> tuple[Affine, Affine]:
        """The first coordinate and the one behind the last."""
        if lane.var is None:
            ends: tuple[Affine, Affine] | None = (lane.shift, lane.shift + 1)
        else:
            bounds = leaf.variables[lane.var]
            ends = bounds and (bounds[0] + lane.shift, bounds[1] + lane.shift)
        if ends is None or names_of(ends) & self.bound:
            raise _Conflict
        base = ends[0] if self.base is None else self.base
        if not all((end - base).is_const for end in ends):
            raise _Conflict
        return ends

    def _find_seats(self, leaf: Leaf, lane: Lane) -> None:
        for place, _ in leaf.touched:
            name = place.array
            if name not in self.written or name in self.seats or name in self.sums or lane.var is None:
                continue
            seat = next((s for s in self._possible(place, lane)), None)
            if seat is not None:
                self.seats[name] = seat
            else:
                self.sums[name] = self._operation(name)

    def _possible(self, place: Place, lane: Lane) -> Iterator[Seat]:
        for axis, form in enumerate(place.index):
            if isinstance(form, Affine) and lane.var is not None and form.coefficient(lane.var) == 1:
                offset = form - lane.coordinate
                if not self.bound & set(offset.names):
                    yield Seat(axis, offset)

    def _operation(self, name: str) -> str:
        """The one by which the array is updated; nothing else may be done with it."""
        found = {op for leaf in self.leaves for place, op in leaf.touched if place.array == name}
        if len(found) > 1 or found & {"", "="}:
            raise _Conflict
        return found.pop()

    def _check(self) -> None:
        for name, op in self.sums.items():
            if self._operation(name) != op:
                raise _Conflict
        for number, leaf in enumerate(self.leaves):
            lane = self.lanes.get(number)
            for place, _ in leaf.touched if lane is not None else ():
                seat = self.seats.get(place.array)
                assert lane is not None, "asked of nests with a lane only"
                if seat is not None and place.index[seat.axis] != lane.coordinate + seat.offset:
                    raise _Conflict
        self._check_loops()

    def _check_loops(self) -> None:
        """All nests of a loop along the lanes have the lane of its variable."""
        along: dict[int, Lane] = {}
        for number, lane in sorted(self.lanes.items()):
            along.update({id(loop): lane for loop in self.leaves[number].loops if loop.var == lane.var})
        for number, leaf in enumerate(self.leaves):
            wanted = {along[id(loop)] for loop in leaf.loops if id(loop) in along}
            if wanted and number in self.lanes and {self.lanes[number]} != wanted:
                raise _Conflict

    def settle(self) -> int | None:
        """Gives lanes to nests that touch nothing of the others; the position of the first node where none fits."""
        for number, leaf in enumerate(self.leaves):
            if number not in self.lanes and not self._settle(number, leaf):
                return leaf.node
        for leaf in self.leaves:
            unknown = [place.array for place, _ in leaf.touched if place.array in self.written]
            if not all(name in self.seats or name in self.sums for name in unknown):
                return leaf.node
        return None

    def _settle(self, number: int, leaf: Leaf) -> bool:
        known = {self._ends(self.leaves[n], lane) for n, lane in self.lanes.items()}
        for var, bounds in leaf.variables.items():
            if bounds not in known:
                continue
            trial = self.copy()
            try:
                trial._set_lane(number, Lane(var, Affine(0)))
                trial._propagate()
            except _Conflict:
                continue
            self.lanes, self.seats, self.sums = trial.lanes, trial.seats, trial.sums
            return True
        return False

    def run(self, nodes: tuple[Node, ...]) -> Run:
        assert self.base is not None, "a run has a nest"
        lanes = tuple(self.lanes[n] for n in range(len(self.leaves)))
        ends = [self._ends(leaf, lane) for leaf, lane in zip(self.leaves, lanes, strict=True)]
        spans = tuple(((a - self.base).const, (b - self.base).const) for a, b in ends)
        return Run(nodes, tuple(self.leaves), lanes, spans, self.base, self.seats, frozenset(self.sums))


def _control(body: Sequence[Node]) -> set[str]:
    """Arrays that bounds and conditions load."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, Loop | Branch):
            found |= {load.array for load in node_loads(node)}
            inside = node.body if isinstance(node, Loop) else (*node.then, *node.orelse)
            found |= _control(inside)
    return found


def is_product(nest: Nest, lane: Lane) -> bool:
    """Whether an assign is a product of matrices, which is better left whole, unless each lane has one of its own."""
    return any(_multiplies(assign, nest.domain, lane.var) for assign in nest.assigns if assign.op == "+=")


def _multiplies(assign: Assign, domain: Sequence[Range], var: str | None) -> bool:
    kept = _names(assign.target)
    summed = {r.var for r in domain} - kept
    factors = [_names(load) for load in reads_of(assign) if isinstance(load, Load)]
    factors = [names for names in factors if names & summed]
    own = {r.var for r in domain}
    if len({frozenset(names & own) for names in factors}) < 2:
        return False
    return var not in kept or not all(var in names for names in factors)


def _names(place: Place) -> set[str]:
    return names_of(i for i in place.index if isinstance(i, Affine))
