"""Replaces reads of a local array by the expression that was assigned to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from daad.analysis.access_regions import read_boxes
from daad.analysis.alias import is_valid
from daad.analysis.context import Scope, map_scoped_bodies
from daad.analysis.cost.operation_cost import is_trivial, work
from daad.analysis.regular_sections import Box, contains, disjoint, exact, hull
from daad.analysis.subscripts import is_injective, subscript
from daad.analysis.uses import Usage, read_arrays, reader_counts
from daad.ir.affine import Affine
from daad.ir.nodes import Assign, Branch, Expr, Index, Load, Loop, Nest, Node, Op, Program
from daad.ir.walk import depth, loads, map_expr, node_loads, substitute, variables

DEEPEST = 24
"""Operations one inside the other of a value that is still inlined; long chains of statements stay statements."""

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
        value = substitute(self.value, values)
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
    shapes, position = usage.shapes, 0
    while position < len(body):
        definition = _definition(body[position], usage, shapes)
        if definition is not None and definition.array not in done:
            rest = _inlined(definition, body[position + 1 :], scope, usage, shapes, accept)
            if rest is not None:
                done |= {definition.array} | {load.array for load in loads(definition.value)}
                body = (*body[:position], *rest)
                continue
        position += 1
    return body


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


def _inlined(
    definition: Definition, rest: tuple[Node, ...], scope: Scope, usage: Usage, shapes: Shapes, accept: Accept
) -> tuple[Node, ...] | None:
    """The nodes behind the definition without reads of its array; None where that is not certainly the same."""
    readers = _readers(definition.array, rest, usage.readers[definition.array])
    if not readers:
        return None
    if source_changes(definition, rest, readers[-1], shapes, scope):
        return None
    uses = [u for n in readers for u in _uses(rest[n], definition.array, scope, False)]
    if not all(_is_covered(u, definition, shapes) for u in uses) or not accept(definition, uses):
        return None
    out = list(rest)
    for n in readers:
        rewritten = _rewritten(rest[n], definition, scope)
        if rewritten is None:
            return None
        out[n] = rewritten
    return tuple(out)


def _readers(array: str, rest: tuple[Node, ...], count: int) -> list[int]:
    """The positions of all nodes that read the array, of which there are so many; none if some are elsewhere."""
    found: list[int] = []
    for position, node in enumerate(rest):
        if array in read_arrays(node):
            found.append(position)
            count -= reader_counts((node,))[array]
            if count <= 0:
                break
    return [] if count else found


def source_changes(definition: Definition, rest: tuple[Node, ...], last: int, shapes: Shapes, scope: Scope) -> bool:
    """Whether something that the value reads may be overwritten before its last reader has read it."""
    assign, domain = definition.nest.assigns[0], definition.nest.domain
    sources: dict[str, list[Box]] = {}
    for array, box in read_boxes(assign, domain, shapes, scope):
        sources.setdefault(array, []).append(box)
    for node in rest[: last + 1]:
        if node.written.isdisjoint(sources):
            continue
        if node is rest[last] and isinstance(node, Nest) and len(node.assigns) == 1:
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
        boxes = [
            box
            for assign in use.node.assigns
            for array, box in read_boxes(assign, use.node.domain, shapes, use.scope)
            if array == definition.array
        ]
    else:
        boxes = [hull(load.index, (), shapes[load.array]) for load in use.loads]
    return all(contains(definition.box, box, use.scope) for box in boxes)


def _rewritten(node: Node, definition: Definition, scope: Scope) -> Node | None:
    """The node with the array's loads replaced."""

    def value(expr: Expr) -> Expr:
        return map_expr(expr, source)

    def source(expr: Expr) -> Expr | None:
        if not isinstance(expr, Load) or expr.array != definition.array:
            return None
        found = definition.at(expr)
        if found is None:
            failed.append(expr)
        return found

    failed: list[Expr] = []
    if isinstance(node, Nest):
        new: Node = replace(node, assigns=tuple(_with_value(a, value) for a in node.assigns))
    elif isinstance(node, Loop):
        inner = scope.enter(node)
        body = [_rewritten(n, definition, inner) for n in node.body]
        if any(n is None for n in body):
            return None
        new = replace(
            node, start=_index(node.start, value), stop=_index(node.stop, value), body=tuple(n for n in body if n)
        )
    else:
        sides = [[_rewritten(n, definition, scope) for n in side] for side in (node.then, node.orelse)]
        if any(n is None for side in sides for n in side):
            return None
        then, orelse = (tuple(n for n in side if n) for side in sides)
        new = replace(node, condition=value(node.condition), then=then, orelse=orelse)
    if failed or (isinstance(new, Nest) and not _stays_valid(node, new, definition, scope)):
        return None
    return new


def _stays_valid(old: Node, new: Nest, definition: Definition, scope: Scope) -> bool:
    targets = {a.target.array for a in new.assigns}
    return new == old or not targets & {load.array for load in loads(definition.value)} or is_valid(new, scope)


def _with_value(assign: Assign, value: Callable[[Expr], Expr]) -> Assign:
    index = tuple(_index(i, value) for i in assign.target.index)
    return Assign(replace(assign.target, index=index), assign.op, value(assign.value))


def _index(index: Index, value: Callable[[Expr], Expr]) -> Index:
    return index if isinstance(index, Affine) else value(index)


def is_worth_it(definition: Definition, uses: list[Use]) -> bool:
    """Plain reads always; other values where little is computed again."""
    if is_trivial(definition.value):
        return True
    if any(u.repeated for u in uses) or depth(definition.value) > DEEPEST:
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
