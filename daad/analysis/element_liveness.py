"""Which elements are dead at a place: overwritten before anything reads them, or never read and not visible.

Statements whose elements are all dead go on the way. In triangles, whose ranges move with a loop, ends of a range go as
well: the diagonal of what fills both halves of a symmetric matrix is written once, and has one adjoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from daad.analysis.access_regions import Domain, read_boxes, touches
from daad.analysis.alias import reads_of
from daad.analysis.context import Scope
from daad.analysis.regular_sections import (
    Box,
    Known,
    add,
    covers,
    disjoint,
    exact,
    filled,
    forget,
    hull,
    meet,
    over_range,
    overlaps,
    remove,
    swept,
    whole,
)
from daad.analysis.sites import loop_bounds
from daad.analysis.subscripts import subscript
from daad.ir.affine import Affine
from daad.ir.nodes import Array, Assign, Branch, Index, Loop, Nest, Node, Range
from daad.ir.walk import altered, loads

Dead = dict[str, Known]
"""Elements of each array whose content does not matter at some moment."""
ROUNDS = 4


@dataclass(frozen=True)
class Facts:
    """Shapes of the arrays under analysis; all others are left alone. `trims`: ends of triangles go. `swept`: what is
    known of loops already."""

    shapes: dict[str, tuple[int, ...]]
    trims: bool = False
    swept: dict[tuple[object, ...], tuple[Loop, Result]] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True)
class Result:
    """What is left of some nodes, and what is dead before them."""

    body: tuple[Node, ...]
    dead: Dead


def sweep(body: tuple[Node, ...], dead: Mapping[str, Known], facts: Facts, scope: Scope) -> Result:
    """Backwards through a body, from what is dead behind it."""
    now = dict(dead)
    kept = [_without_dead(node, now, facts, scope) for node in reversed(body)]
    return Result(tuple(n for left in reversed(kept) for n in left), now)


def _without_dead(node: Node, dead: Dead, facts: Facts, scope: Scope) -> tuple[Node, ...]:
    """What is left of a node; moves `dead` from behind it to before it."""
    own = {name: dead[name] for name in sorted(node.touched & dead.keys())}
    if not own:
        return (node,)
    if isinstance(node, Nest):
        result = _sweep_nest(node, own, facts, scope)
    elif isinstance(node, Loop):
        result = _sweep_loop(node, own, facts, scope)
    else:
        result = _sweep_branch(node, own, facts, scope)
    dead.update(result.dead)
    return result.body


def written_first(
    body: tuple[Node, ...], names: Iterable[str], arrays: Mapping[str, Array], scope: Scope
) -> frozenset[str]:
    """Arrays of which a body reads nothing that was there before, if nobody wants what it leaves in them."""
    shapes = {name: arrays[name].shape for name in sorted(names)}
    dead = {name: add((), whole(shape), scope) for name, shape in shapes.items()}
    before = sweep(body, dead, Facts(shapes), scope).dead
    return frozenset(name for name, shape in shapes.items() if covers(before[name], whole(shape), scope))


def read_behind(
    body: Sequence[Node], names: Mapping[int, frozenset[str]], arrays: Mapping[str, Array], scope: Scope
) -> dict[int, frozenset[str]]:
    """Of the arrays named for some positions of a body those of which what comes behind it reads what they held there,
    if nobody wants what the body leaves in them."""
    shapes = {name: arrays[name].shape for name in sorted(frozenset[str]().union(*names.values()))}
    dead = {name: add((), whole(shape), scope) for name, shape in shapes.items()}
    facts, found = Facts(shapes), {}
    for at, node in reversed(list(enumerate(body)) if shapes else []):
        asked = names.get(at, ())
        found[at] = frozenset(name for name in asked if not covers(dead[name], whole(shapes[name]), scope))
        _without_dead(node, dead, facts, scope)
    return found


def _sweep_nest(nest: Nest, dead: Dead, facts: Facts, scope: Scope) -> Result:
    nest = _trimmed(nest, dead, facts, scope) if facts.trims else nest
    kept: list[Assign] = []
    for assign in reversed(nest.assigns):
        if not _is_dead(assign, nest.domain, dead, facts, scope):
            kept.insert(0, assign)
            _before(assign, nest.domain, dead, facts, scope)
    return Result((altered(nest, assigns=tuple(kept)),) if kept else (), dead)


def _is_dead(assign: Assign, domain: Domain, dead: Dead, facts: Facts, scope: Scope) -> bool:
    name = assign.target.array
    return bool(dead.get(name)) and covers(dead[name], hull(assign.target.index, domain, facts.shapes[name]), scope)


def _trimmed(nest: Nest, dead: Dead, facts: Facts, scope: Scope) -> Nest:
    """Without the ends of moving ranges where nothing that the nest writes matters."""
    [assign, *others] = nest.assigns
    name, index = assign.target.array, assign.target.index
    box = exact(index, nest.domain, facts.shapes[name]) if dead.get(name) and not others else None
    if box is None or assign.op != "=":
        return nest
    ranges = {r.var: r for r in nest.domain}
    ends = (_end(box, shared) for shared in overlaps(dead[name], box, scope))
    for axis, low, high in (end for end in ends if end is not None):
        found = subscript(index[axis], ranges)
        assert found is not None, "an exact box has one variable an axis"
        assert found.var is not None, "a box ends where a variable does"
        r = ranges[found.var]
        if r.start.is_const and r.stop.is_const:
            continue
        rises = found.sign > 0
        less = Range(r.var, r.start + (low if rises else high), r.stop - (high if rises else low))
        return replace(nest, domain=tuple(less if x is r else x for x in nest.domain))
    return nest


def _end(box: Box, part: Box) -> tuple[int, int, int] | None:
    """The one dimension in which the part is not all of a box but an end of it, and how much that is on each side."""
    different = [d for d, (x, y) in enumerate(zip(box, part, strict=True)) if x != y]
    if len(different) != 1:
        return None
    [axis] = different
    (low, high), (first, last) = box[axis], part[axis]
    size = last - first
    if not size.is_const or size.const <= 0:
        return None
    if first == low:
        return axis, size.const, 0
    return (axis, 0, size.const) if last == high else None


def _before(assign: Assign, domain: Domain, dead: Dead, facts: Facts, scope: Scope) -> None:
    """Moves `dead` from behind an assign to before it."""
    target = assign.target
    if target.array in dead:
        if assign.op == "=":
            box = filled(target.index, domain, facts.shapes[target.array])
            if box is not None:
                dead[target.array] = add(dead[target.array], box, scope)
        else:
            box = hull(target.index, domain, facts.shapes[target.array])
            dead[target.array] = remove(dead[target.array], box, scope)
    if any(dead.get(load.array) for load in reads_of(assign)):
        for array, box in read_boxes(assign, domain, facts.shapes, scope, dead):
            dead[array] = remove(dead[array], box, scope)


def _sweep_loop(loop: Loop, after: Dead, facts: Facts, scope: Scope) -> Result:
    """Loops are asked again and again by the loops around."""
    key = (id(loop), scope.constraints, *after.items())
    if key not in facts.swept:
        facts.swept[key] = loop, _swept_loop(loop, after, facts, scope)
    return facts.swept[key][1]


def _swept_loop(loop: Loop, after: Dead, facts: Facts, scope: Scope) -> Result:
    inner = scope.enter(loop)
    low, high = future(loop)
    end, rounds = dict(after), 0
    while True:
        result = sweep(loop.body, end, facts, inner)
        back = {n: meet(k, forget(result.dead[n], loop.var, low, high), inner) for n, k in end.items()}
        changed = [n for n in end if back[n] != end[n]]
        if not changed:
            break
        rounds += 1
        end = back if rounds < ROUNDS else {n: () if n in changed else k for n, k in end.items()}
    start = _at_entry(loop, result.dead)
    before = start if runs(loop, scope) else {n: meet(k, after[n], scope) for n, k in start.items()}
    if not result.body:
        return Result((), after)
    before = {n: _with_swept(k, result, n, loop, facts, scope) for n, k in before.items()}
    return Result((altered(loop, body=result.body),), _without_reads(before, loop.header, facts, scope))


def _with_swept(known: Known, start: Result, array: str, loop: Loop, facts: Facts, scope: Scope) -> Known:
    """Adds what each iteration overwrites before it, or any iteration before, has read it."""
    low, high = loop_bounds(loop)
    if not isinstance(low, Affine) or not isinstance(high, Affine):
        return known
    inner = scope.enter(loop)
    for box, together in swept(start.dead[array], loop.var, low, high - 1):
        if covers(known, together, scope):
            continue
        reads = [t.box for t in touches(start.body, array, facts.shapes, inner) if t.reads]
        if all(disjoint(box, over_iterations(r, loop.var, past(loop)), inner) for r in reads):
            known = add(known, together, scope)
    return known


def over_iterations(box: Box, var: str, values: tuple[Index, Index]) -> Box:
    """A box that contains those of all iterations from the first to the second value."""
    low, last = values
    assert isinstance(low, Affine), "asked for affine bounds only"
    assert isinstance(last, Affine), "asked for affine bounds only"
    return over_range(box, var, low, last)


def past(loop: Loop) -> tuple[Index, Index]:
    """First and last value of the variable among the iterations before the current one."""
    low, high = loop_bounds(loop)
    var = Affine.of(loop.var)
    if loop.step > 0:
        return low, var - 1
    return var + 1, high - 1 if isinstance(high, Affine) else high


def future(loop: Loop) -> tuple[Index, Index]:
    """First and last value of the variable among the iterations after the current one."""
    low, high = loop_bounds(loop)
    var = Affine.of(loop.var)
    if loop.step > 0:
        return var + 1, high - 1 if isinstance(high, Affine) else high
    return low, var - 1


def runs(loop: Loop, scope: Scope) -> bool:
    """Whether the loop certainly has an iteration."""
    low, high = loop_bounds(loop)
    return isinstance(low, Affine) and isinstance(high, Affine) and scope.proves(high - low - 1)


def _at_entry(loop: Loop, dead: Dead) -> Dead:
    """What is dead before the first iteration."""
    return {name: forget(known, loop.var, loop.start, loop.start) for name, known in dead.items()}


def _sweep_branch(branch: Branch, after: Dead, facts: Facts, scope: Scope) -> Result:
    then, orelse = sweep(branch.then, after, facts, scope), sweep(branch.orelse, after, facts, scope)
    if not then.body and not orelse.body:
        return Result((), after)
    dead = {name: meet(then.dead[name], orelse.dead[name], scope) for name in after}
    node = altered(branch, then=then.body, orelse=orelse.body)
    return Result((node,), _without_reads(dead, (branch.condition,), facts, scope))


def _without_reads(dead: Dead, values: tuple[Index, ...], facts: Facts, scope: Scope) -> Dead:
    dead = dict(dead)
    for value in values:
        for load in loads(value):
            if dead.get(load.array):
                dead[load.array] = remove(dead[load.array], hull(load.index, (), facts.shapes[load.array]), scope)
    return dead
