"""Local arrays that each iteration of a loop writes before it reads them: iterations could have one of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from daad.optimize.boxes import Known, add, covers, exact, hull
from daad.optimize.places import reads_of
from daad.optimize.scope import Scope
from daad.optimize.usage import Usage
from daad.program.affine import Affine
from daad.program.nodes import Access, Array, Assign, Expr, Load, Nest, Node
from daad.program.walk import map_expr, nests, node_loads, walk


@dataclass(frozen=True)
class Copies:
    """One copy for each row of a tile of an array that is private to a row."""

    array: Array
    row: Affine

    def access(self, access: Access) -> Access:
        return Access(self.array.name, (self.row, *access.index))

    def load(self, load: Load) -> Load:
        return Load(self.array.name, (self.row, *load.index), load.dtype)


def private_arrays(body: Sequence[Nest], usage: Usage, scope: Scope) -> list[str]:
    """Arrays that nothing but the body touches, and of which it reads nothing that another iteration wrote."""
    inside, outside = _touching(body), _touching(usage.program.body)
    local = sorted(name for name in inside if name in usage.hidden and inside[name] == outside[name])
    return [name for name in local if _is_written_first(name, body, usage.program.arrays[name].shape, scope)]


def _touching(body: Iterable[Node]) -> Counter[str]:
    """How many nodes touch each array."""
    counts: Counter[str] = Counter()
    for node in walk(tuple(body)):
        written = {a.target.array for a in node.assigns} if isinstance(node, Nest) else set()
        counts.update(written | {load.array for load in node_loads(node)})
    return counts


def _is_written_first(name: str, body: Sequence[Nest], shape: tuple[int, ...], scope: Scope) -> bool:
    known: Known = ()
    for nest in nests(tuple(body)):
        for assign in nest.assigns:
            touched = [load.index for load in reads_of(assign) if load.array == name]
            own = assign.target if assign.target.array == name else None
            if own and assign.op != "=":
                touched.append(own.index)
            if not all(covers(known, hull(index, nest.domain, shape), scope) for index in touched):
                return False
            written = exact(own.index, nest.domain, shape) if own and assign.op == "=" else None
            known = add(known, written, scope) if written is not None else known
    return True


def with_copies(nest: Nest, copies: dict[str, Copies]) -> Nest:
    """The nest on the copies of its row."""

    def leaf(node: Expr) -> Expr | None:
        return copies[node.array].load(node) if isinstance(node, Load) and node.array in copies else None

    def assign(a: Assign) -> Assign:
        index = tuple(i if isinstance(i, Affine) else map_expr(i, leaf) for i in a.target.index)
        target = Access(a.target.array, index)
        target = copies[target.array].access(target) if target.array in copies else target
        return replace(a, target=target, value=map_expr(a.value, leaf))

    return replace(nest, assigns=tuple(assign(a) for a in nest.assigns))
