"""Local scalars that are read where their value still holds are replaced by it: one tasklet after another becomes one
expression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from daad.frontend.sdfg.cleanup.liveness import IsLive, Mentions, Touch, never
from daad.ir.affine import Affine
from daad.ir.dtypes import is_integer
from daad.ir.nodes import Access, Branch, Const, Expr, Index, IndexValue, Load, Loop, Nest, Node, Op
from daad.ir.walk import loads, map_expr, map_node, node_loads, reads, walk, writes

Body = tuple[Node, ...]
MAX_SIZE = 200
CHEAP = frozenset({"negative", "cast", "add", "subtract", "multiply"})


def inline_scalars(body: Body, scalars: frozenset[str]) -> Body:
    """Replaces the local `scalars` by their values where that neither changes a result nor repeats work."""
    return _inline(split_nests(body), never, Known(scalars, Mentions()))


@dataclass(frozen=True)
class Known:
    """The scalars in question, and what has been found out about nodes."""

    scalars: frozenset[str]
    mentions: Mentions


def split_nests(body: Body) -> Body:
    """Single statements, one nest each."""
    out: list[Node] = []
    for node in body:
        if isinstance(node, Loop):
            out.append(replace(node, body=split_nests(node.body)))
        elif isinstance(node, Branch):
            out.append(replace(node, then=split_nests(node.then), orelse=split_nests(node.orelse)))
        elif not node.domain and len(node.assigns) > 1:
            out.extend(replace(node, assigns=(assign,)) for assign in node.assigns)
        else:
            out.append(node)
    return tuple(out)


def _inline(body: Body, after: IsLive, known: Known) -> Body:
    """`after(name)`: is the scalar read after the body?"""
    nodes = list(body)
    position = 0
    while position < len(nodes):
        node = nodes[position]
        name = _defined(node, known.scalars) if isinstance(node, Nest) else None
        if isinstance(node, Nest) and name is not None:
            rest = _forwarded(name, node.assigns[0].value, nodes[position + 1 :], after, known)
            if rest is not None:
                nodes[position:] = rest
                continue
        if not isinstance(node, Nest):
            nodes[position] = _inline_inside(node, tuple(nodes[position + 1 :]), after, known)
        position += 1
    return tuple(nodes)


def _inline_inside(node: Loop | Branch, rest: Body, after: IsLive, known: Known) -> Node:
    def beyond(name: str) -> bool:
        return known.mentions.is_live(name, rest, after)

    if isinstance(node, Branch):
        return replace(node, then=_inline(node.then, beyond, known), orelse=_inline(node.orelse, beyond, known))
    body = node.body

    def around(name: str) -> bool:
        return known.mentions.first_touch(name, body) is Touch.READ or beyond(name)

    return replace(node, body=_inline(body, around, known))


def _defined(node: Nest, scalars: frozenset[str]) -> str | None:
    """The scalar that the statement defines anew."""
    if node.domain or len(node.assigns) != 1:
        return None
    assign = node.assigns[0]
    name = assign.target.array
    if assign.op != "=" or name not in scalars:
        return None
    return None if any(load.array == name for load in loads(assign.value)) else name


def _forwarded(name: str, value: Expr, rest: list[Node], after: IsLive, known: Known) -> list[Node] | None:
    """`rest` with the value in the scalar's place; None where the scalar has to stay."""
    extent = _extent(name, rest)
    if extent is None or known.mentions.is_live(name, rest[extent:], after):
        return None
    uses = [k for k in range(extent) if name in known.mentions.of(rest[k]) and name in reads((rest[k],))]
    if uses and not _holds(value, rest[: uses[-1] + 1], uses, name):
        return None
    if not _is_worth(value, [rest[k] for k in uses], name):
        return None
    for k in uses:
        rest[k] = replaced(rest[k], name, value)
    return rest


def _extent(name: str, rest: Sequence[Node]) -> int | None:
    """How many of the next nodes may read the definition: up to the next one, which may read it as well."""
    for position, node in enumerate(rest):
        if name not in writes((node,)):
            continue
        if isinstance(node, Nest) and not node.domain and [a.op for a in node.assigns] == ["="]:
            return position + 1
        return None
    return len(rest)


def _holds(value: Expr, nodes: Sequence[Node], uses: Sequence[int], name: str) -> bool:
    """Does nothing between the definition and the last use write what the value reads?"""
    sources = {load.array for load in loads(value)}
    for position, node in enumerate(nodes):
        if not sources & writes((node,)):
            continue
        if position != uses[-1] or not _reads_before_writing(node, name):
            return False
    return True


def _reads_before_writing(node: Node, name: str) -> bool:
    """Is the scalar read before the node writes anything: in a single statement, a condition, a loop's bounds?"""
    if isinstance(node, Nest):
        return not node.domain
    inner = node.body if isinstance(node, Loop) else (*node.then, *node.orelse)
    return name not in reads(inner)


def _is_worth(value: Expr, users: Sequence[Node], name: str) -> bool:
    """Is the value cheap, or evaluated once for each evaluation of the definition?"""
    if _is_cheap(value):
        return True
    if any(_is_read_deeper(node, name) for node in users):
        return False
    return sum(_count_uses(node, name) for node in users) <= 1 or (_size(value) <= MAX_SIZE and _in_one_level(users))


def _in_one_level(users: Sequence[Node]) -> bool:
    return all(isinstance(node, Nest) and not node.domain for node in users)


def _is_cheap(value: Expr) -> bool:
    if isinstance(value, Op):
        return value.name in CHEAP and len(value.args) == 1 and _is_cheap(value.args[0])
    if isinstance(value, Load):
        return all(isinstance(i, Affine) for i in value.index)
    return True


def _is_read_deeper(node: Node, name: str) -> bool:
    if isinstance(node, Nest):
        return bool(node.domain) and name in reads((node,))
    if isinstance(node, Loop):
        return name in reads(node.body)
    return any(_is_read_deeper(inner, name) for inner in (*node.then, *node.orelse))


def _count_uses(node: Node, name: str) -> int:
    return sum(load.array == name for inner in walk((node,)) for load in node_loads(inner))


def _size(value: Expr) -> int:
    return len({id(e) for e in _parts(value)})


def _parts(value: Index) -> list[Expr]:
    if isinstance(value, Affine):
        return []
    children: Sequence[Index] = value.args if isinstance(value, Op) else getattr(value, "index", ())
    return [value, *(part for child in children for part in _parts(child))]


def replaced(node: Node, name: str, value: Expr) -> Node:
    """The node with `value` for every load of the scalar `name`; indices become affine again where they can."""

    def leaf(expr: Expr) -> Expr | None:
        if isinstance(expr, Load):
            if expr.array == name:
                return value
            return Load(expr.array, tuple(map(as_index, expr.index)), expr.dtype)
        return None

    def access(target: Access) -> Access:
        return Access(target.array, tuple(map(as_index, target.index)))

    node = map_node(node, lambda e: map_expr(e, leaf), access)
    if isinstance(node, Loop):
        return replace(node, start=as_index(node.start), stop=as_index(node.stop))
    return node


def as_index(index: Index) -> Index:
    """An index that turned out to be a number or an index value is affine; no integer needs a cast to a wider type."""
    if isinstance(index, IndexValue):
        return index.form
    if isinstance(index, Const):
        return Affine(int(index.value))
    if isinstance(index, Op) and index.name == "cast" and _widens(index.args[0].dtype, index.dtype):
        return as_index(index.args[0])
    if isinstance(index, Op) and index.name in ("add", "subtract") and index.dtype == "int64":
        left, right = (as_index(a) for a in index.args)
        if isinstance(left, Affine) and isinstance(right, Affine):
            return left + right if index.name == "add" else left - right
    return index


def _widens(source: str, target: str) -> bool:
    return is_integer(source) and np.can_cast(source, target)


def local_scalars(shapes: Mapping[str, tuple[int, ...]], kept: set[str]) -> frozenset[str]:
    """Scalars that are neither parameters nor results."""
    return frozenset(name for name, shape in shapes.items() if shape == () and name not in kept)
