"""A branch on whether a mask holds anywhere is none, if all that it does goes through the mask.

    program f(x: float64[9], m: bool[9], y: float64[9])
      local t: bool[], u: float64[9]
      t = False
      for i in 0 .. 9:  t max= m[i]
      if t:
        for i in 0 .. 9:  u[i] = x[i] if m[i] else 0.0
        for i in 0 .. 9:  y[i] = u[i] * u[i] if m[i] else y[i]

becomes

    program f(x: float64[9], m: bool[9], y: float64[9])
      local t: bool[], u: float64[9]
      t = False
      for i in 0 .. 9:  t max= m[i]
      for i in 0 .. 9:  u[i] = x[i] if m[i] else 0.0
      for i in 0 .. 9:  y[i] = u[i] * u[i] if m[i] else y[i]

where nobody reads `u` later. Statements before and behind it can be one nest with it then, and `t` may be dead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from daad.analysis.context import Scope
from daad.analysis.cost.operation_cost import work
from daad.analysis.coverage import covers
from daad.ir.affine import Affine
from daad.ir.constructors import const, is_value
from daad.ir.nodes import Access, Array, Assign, Branch, Expr, Load, Loop, Nest, Node, Op, Program
from daad.ir.walk import altered, map_expr, walk
from daad.passes.definition import Pass
from daad.passes.scalar.simplification import simplify_nest

PASS = Pass(
    "if-conversion",
    lambda program, goal: convert(program, goal.live),
    "A branch on whether a mask holds anywhere is none, if all that it does goes through the mask.",
    source="Allen, Kennedy, Porterfield and Warren 1983",
)
MOST_WORK = 40
"""For each element: what takes longer is not done in vain where the mask holds nowhere."""
Masks = Mapping[str, str]
"""Of a scalar, the array of which no element is true if it is false."""


@dataclass(frozen=True)
class _Whole:
    """Of the whole program: its arrays, how many statements read each, and those that somebody reads in the end."""

    arrays: Mapping[str, Array]
    readers: Counter[str]
    live: frozenset[str]


def convert(program: Program, live: frozenset[str]) -> Program:
    """The program without such branches."""
    if not any(isinstance(node, Branch) for node in walk(program.body)):
        return program
    seen = live.union(program.parameters, program.results)
    return replace(program, body=_body(program.body, {}, _Whole(program.arrays, _readers(program.body), seen)))


def _readers(body: tuple[Node, ...]) -> Counter[str]:
    return Counter(name for node in walk(body) for name in (node.read if isinstance(node, Nest) else node.own))


def _body(body: tuple[Node, ...], masks: Masks, whole: _Whole) -> tuple[Node, ...]:
    out: list[Node] = []
    cleared: set[str] = set()
    for node in body:
        kept = {flag: mask for flag, mask in masks.items() if not {flag, mask} & node.written}
        if isinstance(node, Loop):
            out.append(altered(node, body=_body(node.body, kept, whole)))
        elif isinstance(node, Branch):
            inner = altered(node, then=_body(node.then, masks, whole), orelse=_body(node.orelse, masks, whole))
            mask = masks.get(node.condition.array) if isinstance(node.condition, Load) else None
            out += inner.then if mask is not None and _goes_through(mask, inner, whole) else (inner,)
        else:
            out.append(node)
            kept |= _found(node, cleared, whole.arrays)
        cleared = {name for name in cleared if name not in node.touched} | _cleared(node)
        masks = kept
    return tuple(out)


def _cleared(node: Node) -> set[str]:
    """The scalar that a statement sets to False."""
    if not isinstance(node, Nest) or len(node.assigns) != 1:
        return set()
    (assign,) = node.assigns
    is_clear = not assign.target.index and assign.op == "=" and is_value(assign.value, 0)
    return {assign.target.array} if is_clear else set()


def _found(node: Nest, cleared: set[str], arrays: Mapping[str, Array]) -> dict[str, str]:
    """The mask of which all elements go into a scalar that was False before."""
    if len(node.assigns) != 1 or node.assigns[0].op != "max=" or node.assigns[0].target.array not in cleared:
        return {}
    value = node.assigns[0].value
    mask = value.args[0] if isinstance(value, Op) and (value.name, value.dtype) == ("cast", "bool") else value
    if not isinstance(mask, Load) or value.dtype != "bool":
        return {}
    read = replace(node.assigns[0], target=Access(mask.array, mask.index), op="=")
    return {node.assigns[0].target.array: mask.array} if covers(read, node.domain, arrays[mask.array]) else {}


def _goes_through(mask: str, branch: Branch, whole: _Whole) -> bool:
    """Whether the branch does nothing where no element of the mask is true: but to arrays that it alone reads, all of
    which it fills before."""
    nests = [node for node in branch.then if isinstance(node, Nest)]
    if branch.orelse or len(nests) != len(branch.then):
        return False
    if sum(work(assign.value) for nest in nests for assign in nest.assigns) > MOST_WORK:
        return False
    inside = _readers(branch.then)
    own = {name for name in branch.written - whole.live if inside[name] == whole.readers[name]}
    to_fill = {*own}
    for nest, assign in [(node, assign) for node in nests for assign in node.assigns]:
        name = assign.target.array
        fills = assign.op == "=" and covers(assign, nest.domain, whole.arrays[name])
        if _is_computed(assign) or to_fill & {load.array for load in assign.value.loads}:
            return False
        is_harmless = fills if name in to_fill else name in own or _is_idle(nest, assign, mask)
        if not is_harmless:
            return False
        to_fill -= {name}
    return mask not in branch.written


def _is_computed(assign: Assign) -> bool:
    """Whether data say where it reads or writes: there may be nothing."""
    places = [assign.target.index, *[load.index for load in assign.value.loads]]
    return not all(isinstance(i, Affine) for index in places for i in index)


def _is_idle(nest: Nest, assign: Assign, mask: str) -> bool:
    return not simplify_nest(_without(nest, assign, mask), Scope())


def _without(nest: Nest, assign: Assign, mask: str) -> Nest:
    """One of its assigns, with no element of the mask."""

    def leaf(node: Expr) -> Expr | None:
        return const(0, node.dtype) if isinstance(node, Load) and node.array == mask else None

    return altered(nest, assigns=(altered(assign, value=map_expr(assign.value, leaf)),))
