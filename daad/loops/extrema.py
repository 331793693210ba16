"""Before differentiation: what enters a maximum or minimum becomes an array.

The adjoint asks which elements equal the result. Asked of an expression that is computed a second time, the answer
could be none: compilers may round the same expression differently in two places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from daad.analysis.sites import loop_bounds
from daad.ccs.forwarded import has_same_bits
from daad.errors import Unsupported
from daad.ir.affine import Affine
from daad.ir.intervals import index_interval
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Branch, Index, Load, Loop, Nest, Node, Program
from daad.ir.pinning import NeedsConstant
from daad.ir.walk import assigns, loads, variables

Around = Mapping[str, Loop]
"""The loops around, by their variables."""


def compared(program: Program) -> frozenset[str]:
    """Arrays that are made by functions, and that what enters a maximum or minimum is made of.

    They are no expressions that are computed again where the adjoint asks: functions of one number and of several at
    once differ in the last bit.
    """
    made = assigns(program.body)
    extrema = [assign for its in made.values() for assign in its if assign.combine.is_extremum]
    pending = [load.array for assign in extrema for load in loads(assign.value)]
    found: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += [load.array for assign in made.get(name, ()) for load in loads(assign.value)]
    return frozenset(name for name in found if not all(has_same_bits(assign.value) for assign in made.get(name, ())))


def hold_operands(program: Program) -> Program:
    """Each `T max= e` with a computed `e` becomes `o = e; T max= o`."""
    holding = _Holding(dict(program.arrays), NameSupply.of(program))
    body = holding.body(program.body, {})
    return replace(program, body=body, arrays=holding.arrays)


@dataclass(frozen=True)
class _Holding:
    """Rewrites bodies; `arrays` grows by those that hold operands, `names` gives them theirs."""

    arrays: dict[str, Array]
    names: NameSupply

    def body(self, body: tuple[Node, ...], around: Around) -> tuple[Node, ...]:
        out: list[Node] = []
        for node in body:
            if isinstance(node, Loop):
                out.append(replace(node, body=self.body(node.body, {**around, node.var: node})))
            elif isinstance(node, Branch):
                then, orelse = self.body(node.then, around), self.body(node.orelse, around)
                out.append(replace(node, then=then, orelse=orelse))
            else:
                out.extend(self.nest(node, around))
        return tuple(out)

    def nest(self, nest: Nest, around: Around) -> list[Node]:
        if not _is_computed(nest):
            return [nest]
        out: list[Node] = []
        for assign in nest.assigns:
            lows = [_bounds(r.start, around, nest)[0] for r in nest.domain]
            highs = [_bounds(r.stop, around, nest)[1] for r in nest.domain]
            shape = tuple(max(high - low, 0) for low, high in zip(lows, highs, strict=True))
            name = self.names.new(f"{assign.target.array}_of")
            held = self.arrays[name] = Array(name, shape, assign.value.dtype)
            index: tuple[Index, ...] = tuple(Affine.of(r.var) - low for r, low in zip(nest.domain, lows, strict=True))
            out.append(Nest(nest.domain, (Assign(Access(name, index), "=", assign.value),), nest.at))
            out.append(Nest(nest.domain, (replace(assign, value=Load(name, index, held.dtype)),), nest.at))
        return out


def _is_computed(nest: Nest) -> bool:
    """Whether some extremum is taken of more than a plain load."""
    return any(a.combine.is_extremum and not isinstance(a.value, Load) for a in nest.assigns)


def _bounds(index: Index, around: Around, node: Node) -> tuple[int, int]:
    """The smallest and the largest value of what a loop or a domain ends at."""
    found = index_interval(index, {name: _range(name, around) for name in variables(index)})
    if found is None:
        raise Unsupported(
            "Data decide of how many elements a maximum or minimum is taken here.",
            at=node.at,
            hint="Take it of all elements, with 'np.where' for those that do not count.",
        )
    return found


def _range(name: str, around: Around) -> tuple[int, int]:
    """Of a variable of the loops around; all others are int parameters."""
    if name not in around:
        raise NeedsConstant(name)
    low, high = (_bounds(end, around, around[name]) for end in loop_bounds(around[name]))
    return low[0], max(low[0], high[1] - 1)
