"""Reading and rebuilding trees: the few traversals that all passes share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from daad.ir.affine import Affine
from daad.ir.nodes import (
    Access,
    Assign,
    Branch,
    Const,
    Ending,
    Expr,
    Index,
    IndexValue,
    Load,
    Loop,
    Nest,
    Node,
    Op,
    Program,
    Range,
)
from daad.ir.nodes import children as children
from daad.ir.nodes import variables as variables
from daad.ir.operations import OPERATIONS

Part = TypeVar("Part", Nest, Loop, Branch, Assign, Access)
DEPTH = f"{__name__}.depth"
"""What values keep their depth as."""


def altered(node: Part, **parts: Any) -> Part:
    """The node with other parts; where none is another it stays the same object, with what is known about it."""
    own = vars(node)
    return node if all(own[name] == part for name, part in parts.items()) else replace(node, **parts)


def nests(body: tuple[Node, ...]) -> Iterator[Nest]:
    """All leaves, in program order."""
    for node in body:
        if isinstance(node, Nest):
            yield node
        elif isinstance(node, Loop):
            yield from nests(node.body)
        else:
            yield from nests(node.then)
            yield from nests(node.orelse)


def assigns(body: tuple[Node, ...]) -> dict[str, list[Assign]]:
    """All assigns by the arrays that they write, in program order."""
    found: dict[str, list[Assign]] = {}
    for nest in nests(body):
        for assign in nest.assigns:
            found.setdefault(assign.target.array, []).append(assign)
    return found


def loads(expr: Index) -> tuple[Load, ...]:
    """All distinct loads of an expression, those inside indices included, each once, operands first."""
    return expr.loads if isinstance(expr, Expr) else ()


def nodes(expr: Expr) -> Iterator[Expr]:
    """All distinct nodes of an expression, those inside indices included."""
    seen: set[Expr] = {expr}
    pending: list[Expr] = [expr]
    while pending:
        node = pending.pop()
        yield node
        fresh = [c for c in children(node) if not isinstance(c, Affine) and c not in seen]
        seen.update(fresh)
        pending += fresh


def node_loads(node: Node) -> Iterator[Load]:
    """Loads of a nest (indices of targets included), or of a loop's header or a branch's condition alone."""
    if isinstance(node, Loop):
        for value in node.header:
            yield from loads(value)
    elif isinstance(node, Branch):
        yield from loads(node.condition)
    else:
        for assign in node.assigns:
            yield from loads(assign.value)
            for index in assign.target.index:
                yield from loads(index)


def depth(value: Expr) -> int:
    """How many operations lie one inside the other at most."""
    pending: list[Expr] = [value]
    while pending:
        node = pending[-1]
        inner = [c for c in children(node) if not isinstance(c, Affine)]
        missing = [c for c in inner if DEPTH not in vars(c)]
        if missing:
            pending += missing
            continue
        vars(node)[DEPTH] = isinstance(node, Op) + max((vars(c)[DEPTH] for c in inner), default=0)
        pending.pop()
    return int(vars(value)[DEPTH])


def map_expr(expr: Expr, leaf: Callable[[Expr], Expr | None], affine: Callable[[Affine], Affine] | None = None) -> Expr:
    """Rebuilds bottom-up: `leaf(node)` may replace a rebuilt node (None keeps it), `affine` maps affine forms."""
    memo: dict[Expr, Expr] = {}

    def visit(node: Expr) -> Expr:
        found = memo.get(node)
        if found is None:
            built = rebuilt(node)
            found = memo[node] = leaf(built) or built
        return found

    def rebuilt(node: Expr) -> Expr:
        if isinstance(node, Op):
            args = tuple([visit(a) for a in node.args])
            return node if args == node.args else Op(node.name, args, node.dtype)
        if isinstance(node, Load):
            index = tuple([visit_index(i) for i in node.index])
            return node if index == node.index else Load(node.array, index, node.dtype)
        if isinstance(node, IndexValue) and affine:
            return IndexValue(affine(node.form))
        return node

    def visit_index(index: Index) -> Index:
        if isinstance(index, Affine):
            return affine(index) if affine else index
        return visit(index)

    return visit(expr)


def substitute(expr: Expr, values: Mapping[str, Affine]) -> Expr:
    """Replaces loop and domain variables by affine forms."""
    return map_expr(expr, lambda e: None, lambda form: form.substitute(values))


def substitute_index(index: Index, values: Mapping[str, Affine]) -> Index:
    if isinstance(index, Affine):
        return index.substitute(values)
    return substitute(index, values)


def substitute_node(node: Node, values: Mapping[str, Affine]) -> Node:
    """Replaces variables of the loops around in a whole tree, which must not bind them itself."""
    if isinstance(node, Nest):
        domain = tuple(Range(r.var, r.start.substitute(values), r.stop.substitute(values)) for r in node.domain)
        return altered(node, domain=domain, assigns=tuple(substitute_assign(a, values) for a in node.assigns))
    if isinstance(node, Loop):
        ends = {"start": substitute_index(node.start, values), "stop": substitute_index(node.stop, values)}
        return altered(node, **ends, body=tuple(substitute_node(n, values) for n in node.body))
    then, orelse = (tuple(substitute_node(n, values) for n in side) for side in (node.then, node.orelse))
    return altered(node, condition=substitute(node.condition, values), then=then, orelse=orelse)


def substitute_assign(assign: Assign, values: Mapping[str, Affine]) -> Assign:
    index = tuple(substitute_index(i, values) for i in assign.target.index)
    return altered(assign, target=altered(assign.target, index=index), value=substitute(assign.value, values))


def map_node(node: Node, value: Callable[[Expr], Expr], access: Callable[[Access], Access] = lambda a: a) -> Node:
    """Rewrites every expression and every target of a tree."""

    def index_of(index: Index) -> Index:
        return index if isinstance(index, Affine) else value(index)

    def target_of(target: Access) -> Access:
        return access(altered(target, index=tuple(index_of(i) for i in target.index)))

    if isinstance(node, Nest):
        assigns = tuple(altered(a, target=target_of(a.target), value=value(a.value)) for a in node.assigns)
        return altered(node, assigns=assigns)
    if isinstance(node, Loop):
        body = tuple(map_node(n, value, access) for n in node.body)
        ending = node.ending and Ending(value(node.ending.goes_on), value(node.ending.begun))
        return altered(node, start=index_of(node.start), stop=index_of(node.stop), body=body, ending=ending)
    then = tuple(map_node(n, value, access) for n in node.then)
    orelse = tuple(map_node(n, value, access) for n in node.orelse)
    return altered(node, condition=value(node.condition), then=then, orelse=orelse)


def relocated(node: Node, where: Callable[[str, tuple[Index, ...]], tuple[str, tuple[Index, ...]] | None]) -> Node:
    """Rewrites all accesses of a tree: `where` gives the array and the index instead, None leaves them as they are."""

    def leaf(expr: Expr) -> Expr | None:
        place = where(expr.array, expr.index) if isinstance(expr, Load) else None
        return None if place is None else Load(*place, expr.dtype)

    def target(access: Access) -> Access:
        place = where(access.array, access.index)
        return access if place is None else Access(*place)

    return map_node(node, lambda value: map_expr(value, leaf), target)


def renamed(node: Node, names: Mapping[str, str]) -> Node:
    """The node with arrays in the places of others."""
    if names.keys().isdisjoint(node.touched):
        return node
    return relocated(node, lambda name, index: (names[name], index) if name in names else None)


def reindexed(node: Node, changes: Mapping[str, Callable[[tuple[Index, ...]], tuple[Index, ...]]]) -> Node:
    """Rewrites the indices of all accesses of some arrays in a tree."""
    return relocated(node, lambda name, index: (name, changes[name](index)) if name in changes else None)


def map_leaves(body: tuple[Node, ...], rewrite: Callable[[Nest], tuple[Node, ...]]) -> tuple[Node, ...]:
    """Replaces every nest by a sequence of nodes; loops and branches left empty disappear."""
    out: list[Node] = []
    for node in body:
        if isinstance(node, Nest):
            out.extend(rewrite(node))
        elif isinstance(node, Loop):
            if inner := map_leaves(node.body, rewrite):
                out.append(altered(node, body=inner))
        else:
            then, orelse = map_leaves(node.then, rewrite), map_leaves(node.orelse, rewrite)
            if then or orelse:
                out.append(altered(node, then=then, orelse=orelse))
    return tuple(out)


def computes(body: tuple[Node, ...], names: Collection[str]) -> bool:
    """Whether a value that is assigned takes one of these operations."""
    return any(not assign.value.operations.isdisjoint(names) for nest in nests(body) for assign in nest.assigns)


def reads(body: tuple[Node, ...]) -> set[str]:
    """Names of all arrays that the body loads, or updates by '+=', 'max=', 'min='."""
    return set[str]().union(*[node.read for node in body])


def loaded(body: tuple[Node, ...]) -> set[str]:
    """Names of all arrays that the body loads; the update of a target is no load."""
    return set[str]().union(*[node.loaded for node in body])


def writes(body: tuple[Node, ...]) -> set[str]:
    """Names of all arrays that the body writes."""
    return set[str]().union(*[node.written for node in body])


def walk(body: tuple[Node, ...]) -> Iterator[Node]:
    """All nodes, parents before children, in program order."""
    for node in body:
        yield node
        if isinstance(node, Loop):
            yield from walk(node.body)
        elif isinstance(node, Branch):
            yield from walk(node.then)
            yield from walk(node.orelse)


def variable_names(body: tuple[Node, ...]) -> Iterator[str]:
    """Loop and domain variables, each as often as it occurs."""
    for node in walk(body):
        if isinstance(node, Loop):
            yield node.var
        elif isinstance(node, Nest):
            yield from (r.var for r in node.domain)


def written_parameters(program: Program) -> tuple[str, ...]:
    """Parameters that the program overwrites, in order."""
    written = writes(program.body)
    return tuple(p for p in program.parameters if p in written)


def runs_once(loop: Loop) -> bool:
    """Whether the loop certainly has one iteration, and only gives its variable a value."""
    if isinstance(loop.start, Affine):
        return isinstance(loop.stop, Affine) and loop.stop - loop.start == Affine(loop.step)
    return loop.stop == Op("add", (loop.start, Const(loop.step, "int64")), "int64")


def has_computed_index(body: tuple[Node, ...]) -> bool:
    """Whether data decide which element of an array is read or written."""
    for node in walk(body):
        places = [load.index for load in node_loads(node)]
        places += [assign.target.index for assign in node.assigns] if isinstance(node, Nest) else []
        if not all(isinstance(index, Affine) for place in places for index in place):
            return True
    return False


def is_single(program: Program) -> bool:
    """Whether something is computed, or rounded on the way, in float32."""
    in_arrays = any(array.dtype == "float32" for array in program.arrays.values())
    return in_arrays or _is_in_values(nests(program.body), lambda expr: expr.dtype == "float32")


def has_choices(program: Program) -> bool:
    """Whether a statement for several points takes one of several values."""
    several = (nest for nest in nests(program.body) if nest.domain)
    return _is_in_values(several, lambda expr: isinstance(expr, Op) and OPERATIONS[expr.name].chooses)


def _is_in_values(leaves: Iterable[Nest], holds: Callable[[Expr], bool]) -> bool:
    """Whether it holds for a part of a value that one of the nests computes."""
    todo: list[Index] = [assign.value for nest in leaves for assign in nest.assigns]
    seen: set[Expr] = set()
    while todo:
        expr = todo.pop()
        if isinstance(expr, Affine) or expr in seen:
            continue
        if holds(expr):
            return True
        seen.add(expr)
        todo += children(expr)
    return False
