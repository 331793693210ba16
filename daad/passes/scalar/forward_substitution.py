"""Replaces reads of a local array by the expression that was assigned to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from daad.analysis.access_regions import read_boxes
from daad.analysis.alias import is_valid
from daad.analysis.context import Scope, map_scoped_bodies
from daad.analysis.cost.operation_cost import is_trivial, work
from daad.analysis.regular_sections import Box, contains, disjoint, exact, hull
from daad.analysis.subscripts import is_injective, subscript
from daad.analysis.uses import Usage, Users
from daad.ir.affine import Affine
from daad.ir.nodes import Assign, Branch, Const, Expr, Index, Load, Loop, Nest, Node, Op, Program
from daad.ir.walk import depth, loads, map_expr, node_loads, substitute, variables

DEEPEST = 24
"""Operations one inside the other of a value that is still inlined; long chains of statements stay statements."""

DEEPEST_READER = 4 * DEEPEST
"""The same of what a value is inlined into, so that short values one behind the other make no endless expression."""

DUPLICATED = 8  # elementary operations that may be done again to save an array
AT_POINTS = 1  # operations that may be done again at other points of one nest

Accept = Callable[["Definition", list["Use"]], bool]
Shapes = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Definition:
    """The only assign to a local array: `array[index] = value` over `box`, one element per point."""

    array: str
    dtype: str
    nest: Nest
    value: Expr
    box: Box

    @property
    def index(self) -> tuple[Index, ...]:
        return self.nest.assigns[0].target.index

    @property
    def is_spread(self) -> bool:
        """Whether many elements have the same value, so that sums with it are products of two sums; in a loop, those of
        many iterations may be a product of matrices."""
        return any(r.var not in variables(self.value) for r in self.nest.domain)

    def at(self, load: Load) -> Expr | None:
        """The value of an element, None where the point that computes it is not affine."""
        values: dict[str, Affine] = {}
        own = {r.var for r in self.nest.domain}
        for target, wanted in zip(self.index, load.index, strict=True):
            axis = subscript(target, own)
            assert axis is not None, "definitions have one variable an axis"
            if axis.var is None:
                continue
            if not isinstance(wanted, Affine):
                return None
            values[axis.var] = axis.value_at(wanted)
        value = substitute(self.value, values) if values else self.value
        return value if value.dtype == self.dtype else Op("cast", (value,), self.dtype)


@dataclass(frozen=True)
class Use:
    """A node that loads the array; `repeated`: within a loop of the definition's body."""

    node: Node
    loads: tuple[Load, ...]
    scope: Scope
    repeated: bool


def inline_definitions(program: Program, live: frozenset[str], accept: Accept) -> Program:
    """Inlines the definitions that `accept`, knowing all uses, finds worth it, until none is left."""
    while True:
        done: set[str] = set()
        usage = Usage(program, live)

        def rewrite(
            body: tuple[Node, ...], scope: Scope, usage: Usage = usage, done: set[str] = done
        ) -> tuple[Node, ...]:
            return _inline_in_body(body, scope, usage, done, accept)

        body = map_scoped_bodies(program.body, rewrite, Scope())
        if not done:
            return program
        program = replace(program, body=body)


def _inline_in_body(
    body: tuple[Node, ...], scope: Scope, usage: Usage, done: set[str], accept: Accept
) -> tuple[Node, ...]:
    inlining = _Inlining(list(body), Users.of(body), scope, usage.shapes)
    for position in range(len(body)):
        definition = _definition(inlining.settle(position), usage, usage.shapes)
        if definition is None or definition.array in done:
            continue
        if inlining.inline(definition, position, usage.readers[definition.array], accept):
            done |= {definition.array} | {load.array for load in loads(definition.value)}
    return tuple(node for node in inlining.body if node is not None)


@dataclass(frozen=True)
class Rest:
    """What stands behind a position of a body, some of which may be gone, and where it uses arrays."""

    body: Sequence[Node | None]
    users: Users
    position: int

    def readers(self, array: str, count: int, scope: Scope) -> dict[int, list[Use]]:
        """The positions of all nodes that read the array, of which there are so many; none if some are elsewhere."""
        found: dict[int, list[Use]] = {}
        for place in self.users.loads(array, self.position + 1):
            found[place] = _uses(self.at(place), array, scope, False)
            count -= len(found[place])
            if count <= 0:
                break
        return {} if count else found

    def writers(self, arrays: Iterable[str], last: int) -> set[int]:
        """Where some arrays are written, up to a position."""
        return {place for name in arrays for place in self.users.writes(name, self.position + 1, last + 1)}

    def at(self, place: int) -> Node:
        node = self.body[place]
        assert node is not None, "users are kept up to date"
        return node


@dataclass
class _Inlining:
    """A body on the way. Reads that are `waiting`, by position, are replaced together: so values that grow in many
    steps are gone through once. Nothing asks for the
    arrays that are read in their place."""

    body: list[Node | None]
    users: Users
    scope: Scope
    shapes: Shapes
    waiting: dict[int, dict[str, Definition]] = field(default_factory=dict)

    def settle(self, place: int) -> Node:
        """The node at a position with nothing waiting."""
        node = Rest(self.body, self.users, place).at(place)
        if place in self.waiting:
            settled = _rewritten(node, self.waiting.pop(place), self.scope)
            assert settled is not None, "only what may be replaced waits"
            self._replace(place, settled)
            return settled
        return node

    def _replace(self, place: int, new: Node | None) -> None:
        self.users.replace(place, Rest(self.body, self.users, place).at(place), new)
        self.body[place] = new

    def inline(self, definition: Definition, position: int, count: int, accept: Accept) -> bool:
        """Replaces all reads of the definition's array, if that is certainly the same and worth it."""
        rest = Rest(self.body, self.users, position)
        readers = rest.readers(definition.array, count, self.scope)
        if not readers or source_changes(definition, rest, max(readers), self.shapes, self.scope):
            return False
        uses = [use for found in readers.values() for use in found]
        if not all(_is_covered(u, definition, self.shapes) for u in uses) or not accept(definition, uses):
            return False
        waiting = {place for place, [use, *_] in readers.items() if _may_wait(use, rest.at(place), definition)}
        own = {definition.array: definition}
        now = {n: _rewritten(self.settle(n), own, self.scope) for n in readers if n not in waiting}
        if not all(now.values()):
            return False
        for place in waiting:
            self.waiting.setdefault(place, {}).update(own)
        for place, new in ((position, None), *now.items()):
            self._replace(place, new)
        return True


def _may_wait(use: Use, node: Node, definition: Definition) -> bool:
    """Whether nothing else that is asked about a reader depends on the value: it can be replaced in any case, and
    decides about no part of a domain."""
    if not isinstance(node, Nest) or isinstance(definition.value, Const):
        return False
    if not definition.dtype.startswith(("float", "complex")):
        return False
    is_plain = all(isinstance(i, Affine) for load in use.loads for i in load.index)
    return is_plain and node.written.isdisjoint(load.array for load in loads(definition.value))


def _definition(node: Node, usage: Usage, shapes: Shapes) -> Definition | None:
    if not isinstance(node, Nest) or len(node.assigns) != 1 or node.assigns[0].op != "=":
        return None
    assign = node.assigns[0]
    name = assign.target.array
    if name not in usage.hidden or usage.writes[name] != 1 or not usage.readers[name]:
        return None
    if any(load.array == name for load in loads(assign.value)):
        return None
    box = exact(assign.target.index, node.domain, shapes[name])
    return None if box is None else Definition(name, usage.program.arrays[name].dtype, node, assign.value, box)


def source_changes(definition: Definition, rest: Rest, last: int, shapes: Shapes, scope: Scope) -> bool:
    """Whether something that the value reads may be overwritten before its last reader has read it."""
    assign, domain = definition.nest.assigns[0], definition.nest.domain
    sources: dict[str, list[Box]] = {}
    for array, box in read_boxes(assign, domain, shapes, scope):
        sources.setdefault(array, []).append(box)
    for place in rest.writers(sources, last):
        node = rest.at(place)
        if place == last and isinstance(node, Nest) and len(node.assigns) == 1:
            continue
        if _overwrites((node,), sources, shapes, scope):
            return True
    return False


def _overwrites(body: tuple[Node, ...], sources: dict[str, list[Box]], shapes: Shapes, scope: Scope) -> bool:
    for node in body:
        if isinstance(node, Nest):
            for assign in node.assigns:
                name = assign.target.array
                written = hull(assign.target.index, node.domain, shapes[name])
                if any(not disjoint(written, box, scope) for box in sources.get(name, ())):
                    return True
        elif isinstance(node, Loop):
            if _overwrites(node.body, sources, shapes, scope.enter(node)):
                return True
        elif _overwrites((*node.then, *node.orelse), sources, shapes, scope):
            return True
    return False


def _uses(node: Node, array: str, scope: Scope, repeated: bool) -> list[Use]:
    if array not in node.loaded:
        return []
    own = tuple(load for load in node_loads(node) if load.array == array)
    found = [Use(node, own, scope, repeated)] if own else []
    if isinstance(node, Loop):
        inner = scope.enter(node)
        return found + [u for n in node.body for u in _uses(n, array, inner, True)]
    if isinstance(node, Branch):
        return found + [u for n in (*node.then, *node.orelse) for u in _uses(n, array, scope, repeated)]
    return found


def _is_covered(use: Use, definition: Definition, shapes: Shapes) -> bool:
    """Whether every element that the node reads is one that the definition has assigned."""
    if isinstance(use.node, Nest):
        own, assigns, domain = (definition.array,), use.node.assigns, use.node.domain
        boxes = [box for assign in assigns for _, box in read_boxes(assign, domain, shapes, use.scope, own)]
    else:
        boxes = [hull(load.index, (), shapes[load.array]) for load in use.loads]
    return all(contains(definition.box, box, use.scope) for box in boxes)


def _rewritten(node: Node, definitions: Mapping[str, Definition], scope: Scope) -> Node | None:
    """The node with the loads of some arrays replaced, None where that is not certainly the same."""
    if node.loaded.isdisjoint(definitions):
        return node

    def value(expr: Expr) -> Expr:
        return map_expr(expr, source)

    def source(expr: Expr) -> Expr | None:
        if not isinstance(expr, Load) or expr.array not in definitions:
            return None
        found = definitions[expr.array].at(expr)
        if found is None:
            failed.append(expr)
        return found

    def inside(body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        nodes = [_rewritten(n, definitions, scope) for n in body]
        failed.extend(n for n, new in zip(body, nodes, strict=True) if new is None)
        return tuple(n for n in nodes if n)

    failed: list[object] = []
    if isinstance(node, Nest):
        new: Node = replace(node, assigns=tuple(_with_value(a, value) for a in node.assigns))
    elif isinstance(node, Loop):
        body = inside(node.body, scope.enter(node))
        new = replace(node, start=_index(node.start, value), stop=_index(node.stop, value), body=body)
    else:
        then, orelse = inside(node.then, scope), inside(node.orelse, scope)
        new = replace(node, condition=value(node.condition), then=then, orelse=orelse)
    if failed or (isinstance(new, Nest) and not _stays_valid(node, new, definitions.values(), scope)):
        return None
    return new


def _stays_valid(old: Node, new: Nest, definitions: Iterable[Definition], scope: Scope) -> bool:
    targets = {a.target.array for a in new.assigns}
    sources = {load.array for definition in definitions for load in loads(definition.value)}
    return new == old or not targets & sources or is_valid(new, scope)


def _with_value(assign: Assign, value: Callable[[Expr], Expr]) -> Assign:
    index = tuple(_index(i, value) for i in assign.target.index)
    return Assign(replace(assign.target, index=index), assign.op, value(assign.value))


def _index(index: Index, value: Callable[[Expr], Expr]) -> Index:
    return index if isinstance(index, Affine) else value(index)


def is_deep(definition: Definition, uses: Iterable[Use]) -> bool:
    """Whether too many operations would lie one inside the other."""
    own = depth(definition.value)
    readers = [use.node for use in uses if isinstance(use.node, Nest)]
    return own > DEEPEST or any(own + depth(a.value) > DEEPEST_READER for nest in readers for a in nest.assigns)


def is_worth_it(definition: Definition, uses: list[Use]) -> bool:
    """Plain reads always; other values where little is computed again."""
    if is_trivial(definition.value):
        return True
    if any(u.repeated for u in uses) or is_deep(definition, uses):
        return False
    cost = work(definition.value)
    for use in uses:
        domain = use.node.domain if isinstance(use.node, Nest) else ()
        is_once = all(is_injective(load.index, domain) for load in use.loads)
        if not is_once and not (definition.is_spread and cost <= AT_POINTS and not use.scope.constraints):
            return False
    count = sum(len(u.loads) for u in uses)
    at_points = max(len(u.loads) for u in uses)
    return count == 1 or ((count - 1) * cost <= DUPLICATED and (at_points == 1 or cost <= AT_POINTS))


def is_copy(definition: Definition, uses: list[Use]) -> bool:
    """Plain reads only."""
    return is_trivial(definition.value)
