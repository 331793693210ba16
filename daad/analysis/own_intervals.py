"""Do iterations of a loop stay apart in an array? They do where each has an interval of its own along some axis.

Whether two statements meet in different iterations is asked of `alias.may_conflict`, with an order of iterations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from operator import attrgetter

from daad.analysis.access_regions import domains_where
from daad.analysis.alias import Place
from daad.analysis.context import Scope
from daad.analysis.sites import loop_bounds
from daad.ir.affine import Affine
from daad.ir.nodes import Index, Loop, Nest, Node, Range
from daad.ir.walk import node_loads, walk

Touched = tuple[tuple[Index, ...], tuple[Range, ...]]
"""The indices of an access, and the ranges that its variables run over, outermost first."""


Part = tuple[int, Affine, int]
"""An axis, and `low`, `reach`: all that an iteration touches lies at `low .. low + reach` along it, both included."""


def are_apart(loop: Loop, name: str) -> bool:
    """Whether no two iterations of a loop touch the same element of an array."""
    return any(reach < abs(low.coefficient(loop.var)) for _, low, reach in _parts(loop.body, name))


def own_axis(body: Sequence[Node], name: str, var: str) -> int | None:
    """The axis along which an iteration over a variable touches nothing but one place, which moves with the variable.

    No two iterations then touch the same element.
    """
    found = (axis for axis, low, reach in _parts(tuple(body), name) if reach == 0 and low.coefficient(var) == 1)
    return next(found, None)


def _parts(body: tuple[Node, ...], name: str) -> Iterator[Part]:
    """Along each axis where what stands still in an iteration tells."""
    places = list(_places(body, name, ()))
    inner = {node.var for node in walk(body) if isinstance(node, Loop)}
    for axis in range(len(places[0][0])) if places else ():
        sides = [_side(index[axis], around, inner) for index, around in places]
        known = [side for side in sides if side is not None]
        if len(known) == len(sides) and len({form.terms for side in known for form in side}) == 1:
            low = min((low for low, _ in known), key=attrgetter("const"))
            yield axis, low, max(high.const for _, high in known) - low.const


def _places(body: Sequence[Node], name: str, around: tuple[Range, ...]) -> Iterator[Touched]:
    """Where an array is touched."""
    for node in body:
        if name not in node.touched:
            continue
        if isinstance(node, Nest):
            here = (*around, *node.domain)
            accesses: list[Place] = [*(a.target for a in node.assigns), *node_loads(node)]
            yield from ((p.index, here) for p in accesses if p.array == name)
            continue
        yield from ((load.index, around) for load in node_loads(node) if load.array == name)
        if isinstance(node, Loop):
            low, high = loop_bounds(node)
            own = (Range(node.var, low, high),) if isinstance(low, Affine) and isinstance(high, Affine) else ()
            yield from _places(node.body, name, (*around, *own))
        else:
            for side, truth in ((node.then, True), (node.orelse, False)):
                for narrower in domains_where(node.condition, around, truth, Scope()) if side else ():
                    yield from _places(side, name, narrower)


def _side(index: Index, around: Sequence[Range], inner: Set[str]) -> tuple[Affine, Affine] | None:
    """The smallest and the largest value, by what stands still; None where a variable `inner` has no known bounds."""
    if not isinstance(index, Affine):
        return None
    low = high = index
    for r in reversed(around):
        first, last = r.start, r.last
        low = low.substitute({r.var: first if low.coefficient(r.var) > 0 else last})
        high = high.substitute({r.var: last if high.coefficient(r.var) > 0 else first})
    return (low, high) if inner.isdisjoint({*low.names, *high.names}) else None
