"""Runs of statements that are independent along one dimension: which variable of each nest, which axis of each array.

Statements at different coordinates `p` then touch different elements of everything that the run writes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from daad.analysis.alias import Place, reads_of
from daad.analysis.matrix_products import multiplies
from daad.analysis.sites import loop_bounds
from daad.analysis.subscripts import subscript
from daad.ir.affine import Affine, names_of
from daad.ir.nodes import Branch, Loop, Nest, Node
from daad.ir.walk import node_loads, reads, writes

MOST_SKIPPED = 8  # statements that move out of the way of a run


@dataclass(frozen=True)
class Leaf:
    """A nest, and the loops of the run around it, outermost first."""

    nest: Nest
    loops: tuple[Loop, ...]

    @cached_property
    def touched(self) -> tuple[tuple[Place, str], ...]:
        """Every access, with the operation of the assign where it is the target, '' where it is read."""
        found: list[tuple[Place, str]] = []
        for assign in self.nest.assigns:
            found.extend((load, "") for load in reads_of(assign))
            found.append((assign.target, assign.op))
        return tuple(dict.fromkeys(found))

    @cached_property
    def operations(self) -> dict[str, frozenset[str]]:
        """What is done with each array."""
        found: dict[str, set[str]] = {}
        for place, op in self.touched:
            found.setdefault(place.array, set()).add(op)
        return {name: frozenset(ops) for name, ops in found.items()}

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


def leaves(body: Sequence[Node], loops: tuple[Loop, ...] = ()) -> Iterator[Leaf]:
    """All nests of some nodes, in program order."""
    for child in body:
        if isinstance(child, Nest):
            yield Leaf(child, loops)
        elif isinstance(child, Loop):
            yield from leaves(child.body, (*loops, child))
        else:
            yield from leaves((*child.then, *child.orelse), loops)


@dataclass(frozen=True)
class Part:
    """A node that may belong to a run, and what is asked of it."""

    node: Node

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        return tuple(leaves((self.node,)))

    @cached_property
    def reads(self) -> frozenset[str]:
        return frozenset(reads((self.node,)))

    @cached_property
    def writes(self) -> frozenset[str]:
        return frozenset(writes((self.node,)))

    @cached_property
    def control(self) -> frozenset[str]:
        """Arrays that bounds and conditions load."""
        return frozenset(_control((self.node,)))

    @property
    def starts(self) -> list[str]:
        """Variables along which a run that begins with the node may be independent."""
        if not self.leaves:
            return []
        first = self.leaves[0]
        return [*(loop.var for loop in first.loops), *(r.var for r in first.nest.domain)]


def find_run(parts: Sequence[Part], var: str) -> tuple[Run, tuple[int, ...]] | None:
    """The longest run from the first node on along its variable, and the positions of its nodes.

    Nodes between those positions can be moved before the run.
    """
    grown, chosen, skipped = [_State()], list[int](), 0
    for position, part in enumerate(parts):
        try:
            grown.append(grown[-1].with_part(part, None if chosen else var))
        except _Conflict:
            if not chosen or skipped == MOST_SKIPPED or not grown[-1].lets_pass(part):
                break
            skipped += 1
            continue
        chosen.append(position)
    return _settled(grown, [parts[n] for n in chosen], chosen)


def _settled(grown: list[_State], parts: list[Part], chosen: list[int]) -> tuple[Run, tuple[int, ...]] | None:
    """The run of some nodes without those that stay open; `grown[n]` knows of the first n."""
    while parts:
        state = grown[-1].copy()
        last = state.settle()
        if last is None:
            return state.run(tuple(part.node for part in parts)), tuple(chosen)
        if last == 0:
            return None
        kept = last + 1 if grown[last].lets_pass(parts[last]) else len(parts)
        parts, chosen = parts[:last] + parts[kept:], chosen[:last] + chosen[kept:]
        del grown[last + 1 :]
        try:
            for part in parts[last:]:
                grown.append(grown[-1].with_part(part, None))
        except _Conflict:
            return None
    return None


Ends = tuple[Affine, Affine]
"""The first coordinate and the one behind the last."""


@dataclass
class _State:
    """What is known about a run while it grows.

    `owners` has the position of the node that holds a nest, `users` the nests that touch an array and `operations` what
    they do with it; `ends` and `beside` belong to `lanes`: where a nest's coordinates begin and end, and all lanes of
    the nests in a loop.
    """

    leaves: list[Leaf] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    users: dict[str, tuple[int, ...]] = field(default_factory=dict)
    operations: dict[str, frozenset[str]] = field(default_factory=dict)
    lanes: dict[int, Lane] = field(default_factory=dict)
    ends: dict[int, Ends] = field(default_factory=dict)
    beside: dict[int, frozenset[Lane]] = field(default_factory=dict)
    seats: dict[str, Seat] = field(default_factory=dict)
    sums: dict[str, str] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    control: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    base: Affine | None = None

    def copy(self) -> _State:
        return _State(
            self.leaves.copy(),
            self.owners.copy(),
            self.users.copy(),
            self.operations.copy(),
            self.lanes.copy(),
            self.ends.copy(),
            self.beside.copy(),
            self.seats.copy(),
            self.sums.copy(),
            self.written.copy(),
            self.control.copy(),
            self.bound.copy(),
            self.base,
        )

    def with_part(self, part: Part, var: str | None) -> _State:
        """With one more node; `var` is the variable of its first nest, for the first node."""
        extended = self.copy()
        extended._add(part, var)
        return extended

    def _add(self, part: Part, var: str | None) -> None:
        old, fresh = len(self.leaves), part.writes - self.written
        self.control |= part.control
        self.written |= fresh
        if self.control & self.written:
            raise _Conflict
        owner = self.owners[-1] + 1 if self.owners else 0
        for number, leaf in enumerate(part.leaves, old):
            self._enter(number, leaf, owner)
        if var is not None:
            self._set_lane(0, Lane(var, Affine(0)))
        concerned = {number for name in fresh for number in self.users[name]}
        self._propagate(sorted(concerned | set(range(old, len(self.leaves)))))

    def _enter(self, number: int, leaf: Leaf, owner: int) -> None:
        self.leaves.append(leaf)
        self.owners.append(owner)
        self.bound |= leaf.variables.keys()
        for name, operations in leaf.operations.items():
            self.users[name] = (*self.users.get(name, ()), number)
            self.operations[name] = self.operations.get(name, frozenset()) | operations
            if name in self.sums:
                self._operation(name)

    def lets_pass(self, part: Part) -> bool:
        """Whether the node may run before what is there already."""
        return not part.reads & self.written and not part.writes & (self.users.keys() | self.control)

    def _propagate(self, numbers: Iterable[int]) -> None:
        """Follows what is new about some nests, from nest to array to nest."""
        pending = deque(numbers)
        while pending:
            number = pending.popleft()
            leaf = self.leaves[number]
            if number not in self.lanes:
                self._find_lane(number, leaf)
            if number in self.lanes:
                for name in self._find_seats(leaf, self.lanes[number]):
                    pending.extend(self.users[name])
                self._check(leaf, self.lanes[number])

    def _find_lane(self, number: int, leaf: Leaf) -> None:
        for place, _ in leaf.touched:
            seat = self.seats.get(place.array)
            if seat is None:
                continue
            form = place.index[seat.axis]
            if not isinstance(form, Affine):
                raise _Conflict
            lane = subscript(form - seat.offset, self.bound)
            if lane is None or (lane.var is not None and (lane.sign < 0 or lane.var not in leaf.variables)):
                raise _Conflict
            return self._set_lane(number, Lane(lane.var, lane.shift))
        return None

    def _set_lane(self, number: int, lane: Lane) -> None:
        leaf = self.leaves[number]
        low, high = self._ends(leaf, lane)
        self.base = low if self.base is None else self.base
        self.lanes[number], self.ends[number] = lane, (low, high)
        if multiplies(leaf.nest, lane.var):
            raise _Conflict
        for loop in leaf.loops:  # along a loop's variable all of its nests go, or none
            beside = self.beside.get(id(loop), frozenset()) | {lane}
            if len(beside) > 1 and any(other.var == loop.var for other in beside):
                raise _Conflict
            self.beside[id(loop)] = beside

    def _ends(self, leaf: Leaf, lane: Lane) -> Ends:
        if lane.var is None:
            ends: Ends | None = (lane.shift, lane.shift + 1)
        else:
            bounds = leaf.variables[lane.var]
            ends = bounds and (bounds[0] + lane.shift, bounds[1] + lane.shift)
        if ends is None or names_of(ends) & self.bound:
            raise _Conflict
        base = ends[0] if self.base is None else self.base
        if not all((end - base).is_const for end in ends):
            raise _Conflict
        return ends

    def _find_seats(self, leaf: Leaf, lane: Lane) -> Iterator[str]:
        """The arrays that get a seat by the nest."""
        for place, _ in leaf.touched:
            name = place.array
            if name not in self.written or name in self.seats or name in self.sums or lane.var is None:
                continue
            seat = next((s for s in self._possible(place, lane)), None)
            if seat is not None:
                self.seats[name] = seat
                yield name
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
        found = self.operations[name]
        if len(found) > 1 or found & {"", "="}:
            raise _Conflict
        return next(iter(found))

    def _check(self, leaf: Leaf, lane: Lane) -> None:
        """All accesses are where the seats say."""
        for place, _ in leaf.touched:
            seat = self.seats.get(place.array)
            if seat is not None and place.index[seat.axis] != lane.coordinate + seat.offset:
                raise _Conflict

    def settle(self) -> int | None:
        """Gives lanes to nests that touch nothing of the others; the position of the first node where none fits."""
        for number, leaf in enumerate(self.leaves):
            if number not in self.lanes and not self._settle(number, leaf):
                return self.owners[number]
        for number, leaf in enumerate(self.leaves):
            unknown = leaf.operations.keys() & self.written
            if not all(name in self.seats or name in self.sums for name in unknown):
                return self.owners[number]
        return None

    def _settle(self, number: int, leaf: Leaf) -> bool:
        known = set(self.ends.values())
        for var, bounds in leaf.variables.items():
            if bounds not in known:
                continue
            trial = self.copy()
            try:
                trial._set_lane(number, Lane(var, Affine(0)))
                trial._propagate((number,))
            except _Conflict:
                continue
            vars(self).update(vars(trial))
            return True
        return False

    def run(self, nodes: tuple[Node, ...]) -> Run:
        assert self.base is not None, "a run has a nest"
        numbers = range(len(self.leaves))
        spans = [((low - self.base).const, (high - self.base).const) for low, high in (self.ends[n] for n in numbers)]
        lanes = tuple(self.lanes[n] for n in numbers)
        return Run(nodes, tuple(self.leaves), lanes, tuple(spans), self.base, self.seats, frozenset(self.sums))


def _control(body: Sequence[Node]) -> set[str]:
    """Arrays that bounds and conditions load."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, Loop | Branch):
            found |= {load.array for load in node_loads(node)}
            inside = node.body if isinstance(node, Loop) else (*node.then, *node.orelse)
            found |= _control(inside)
    return found
