"""Where values of given arrays, or what is computed with them, decide what a program does next."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from daad.ir.affine import Affine
from daad.ir.nodes import Branch, Expr, Index, Loop, Node, Op
from daad.ir.walk import nests, nodes, walk


def decision(body: tuple[Node, ...], arrays: Collection[str], exempt: Collection[str] = ()) -> Node | None:
    """The first branch, loop or choice of an element; what is written to `exempt` arrays decides nothing."""
    known = _computed(body, arrays, exempt)
    return next((node for node in walk(body) if known.intersection(_decisive(node, exempt))), None)


def _computed(body: tuple[Node, ...], arrays: Collection[str], exempt: Collection[str]) -> frozenset[str]:
    """The arrays, and those that are computed with them."""
    known, size = set(arrays), -1
    while size != len(known):
        size = len(known)
        for nest in nests(body):
            known.update(a.target.array for a in nest.assigns if _loads(a.value) & known)
        known.difference_update(exempt)
    return frozenset(known)


def _decisive(node: Node, exempt: Collection[str]) -> frozenset[str]:
    if isinstance(node, Branch):
        return _loads(node.condition)
    if isinstance(node, Loop):
        return frozenset().union(*map(_loads, node.header))
    chosen: Iterable[Index] = (
        part
        for assign in node.assigns
        if assign.target.array not in exempt
        for value in (assign.value, *assign.target.index)
        for part in _choices(value)
    )
    return frozenset[str]().union(*map(_loads, chosen))


def _choices(value: Index) -> Iterable[Expr]:
    if isinstance(value, Affine):
        return ()
    return (node.args[0] for node in nodes(value) if isinstance(node, Op) and node.name == "where")


def _loads(value: Index) -> frozenset[str]:
    return frozenset() if isinstance(value, Affine) else frozenset(load.array for load in value.loads)
