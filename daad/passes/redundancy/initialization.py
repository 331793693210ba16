"""Zero fills and clears are work: a first contribution assigns, a clear that only the end needs moves behind its loop.

Forward through the tree goes what is known to be zero: boxes of elements, a fixpoint at loops.

    program f(x: float64[9], y: float64[9])
      for i in 0 .. 9:  y[i] = 0
      for i in 0 .. 9:  y[i] += sin(x[i])

becomes

    program f(x: float64[9], y: float64[9])
      for i in 0 .. 9:  y[i] = sin(x[i])
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from daad.analysis.access_regions import touches
from daad.analysis.context import Scope
from daad.analysis.element_liveness import ROUNDS, Facts, future, over_iterations, past, runs, sweep
from daad.analysis.regular_sections import (
    Box,
    Known,
    Part,
    add,
    covers,
    depends_on,
    disjoint,
    exact,
    filled,
    forget,
    hull,
    meet,
    overlaps,
    remove,
    swept,
)
from daad.analysis.sites import affine_range, loop_bounds
from daad.analysis.subscripts import is_injective, subscript
from daad.ir.affine import Affine
from daad.ir.constructors import add as add_values
from daad.ir.constructors import adds_nothing, both, compare, const, is_value, where
from daad.ir.nodes import (
    Array,
    Assign,
    Branch,
    Const,
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
from daad.ir.walk import altered, nests
from daad.passes.definition import Pass
from daad.passes.redundancy.dead_stores import remove_overwritten


class Arrays(dict[str, Array]):
    """The arrays by name; a zero that fills one of `signed` is 0.0, not -0.0, and somebody may ask."""

    signed: frozenset[str]

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: array.shape for name, array in self.items()}


Zero = dict[str, Known]
"""Elements of each array that are certainly zero at some moment."""
FRAME = 4  # of each dimension, at most this fraction may still have to be accumulated


@dataclass(frozen=True)
class Result:
    """Rewritten nodes, and what is zero behind them."""

    body: tuple[Node, ...]
    zero: Zero


PASS = Pass(
    "initialization-elimination",
    lambda program, goal: remove_initialization(program, goal.live),
    "A first contribution assigns in place of a fill with zeros and an update.",
)


def remove_initialization(program: Program, live: frozenset[str]) -> Program:
    """`live` arrays are visible at the end."""
    cleared = {a.target.array for n in nests(program.body) for a in n.assigns if _clears(a)}
    start: Zero = {name: () for name in program.arrays if name in cleared}
    arrays = Arrays(program.arrays)
    clears = (a for n in nests(program.body) for a in n.assigns if _clears(a))
    arrays.signed = frozenset(a.target.array for a in clears if not adds_nothing(a.value))
    body = _forward(program.body, start, arrays, Scope()).body
    return remove_overwritten(replace(program, body=body), live)


def _clears(assign: Assign) -> bool:
    return assign.op == "=" and is_value(assign.value, 0)


def _forward(body: tuple[Node, ...], zero: Zero, arrays: Arrays, scope: Scope) -> Result:
    out: list[Node] = []
    known = dict(zero)
    for node in body:
        own = {name: known[name] for name in sorted(node.touched & known.keys())}
        if not own:
            out.append(node)
            continue
        if isinstance(node, Nest):
            result = _nest(node, own, arrays, scope)
        elif isinstance(node, Loop):
            result = _loop(node, own, arrays, scope)
        else:
            result = _branch(node, own, arrays, scope)
        out.extend(result.body)
        known.update(result.zero)
    return Result(tuple(out), known)


def _branch(branch: Branch, zero: Zero, arrays: Arrays, scope: Scope) -> Result:
    then, orelse = _forward(branch.then, zero, arrays, scope), _forward(branch.orelse, zero, arrays, scope)
    after = {name: meet(then.zero[name], orelse.zero[name], scope) for name in zero}
    return Result((altered(branch, then=then.body, orelse=orelse.body),), after)


def _loop(loop: Loop, entry: Zero, arrays: Arrays, scope: Scope) -> Result:
    inner = scope.enter(loop)
    first, last = past(loop)
    head, rounds = dict(entry), 0
    while True:
        result = _forward(loop.body, head, arrays, inner)
        back = {n: meet(k, forget(result.zero[n], loop.var, first, last), inner) for n, k in head.items()}
        changed = [n for n in head if back[n] != head[n]]
        if not changed:
            break
        rounds += 1
        head = back if rounds < ROUNDS else {n: () if n in changed else k for n, k in head.items()}
    low, high = loop_bounds(loop)
    end = high - 1 if isinstance(high, Affine) else high
    after = {n: meet(k, forget(result.zero[n], loop.var, low, end), scope) for n, k in entry.items()}
    after = {n: _with_swept(k, result, arrays[n], loop, arrays, scope) for n, k in after.items()}
    rewritten = altered(loop, body=result.body)
    return Result(_with_clears_behind(rewritten, entry, arrays, scope), after)


def _with_swept(known: Known, result: Result, array: Array, loop: Loop, arrays: Arrays, scope: Scope) -> Known:
    """Adds what each iteration clears and no later one writes."""
    over = affine_range(loop)
    if over is None:
        return known
    inner = scope.enter(loop)
    for box, together in swept(result.zero[array.name], loop.var, over.start, over.last):
        if covers(known, together, scope):
            continue
        written = [t.box for t in touches(result.body, array.name, arrays.shapes, inner) if t.assign and not t.clears]
        if all(disjoint(box, over_iterations(w, loop.var, future(loop)), inner) for w in written):
            known = add(known, together, scope)
    return known


def _nest(nest: Nest, zero: Zero, arrays: Arrays, scope: Scope) -> Result:
    zero, out = dict(zero), list[Assign]()
    for assign in nest.assigns:
        name, index = assign.target.array, assign.target.index
        if name not in zero:
            out.append(assign)
        elif _clears(assign):
            box = filled(index, nest.domain, arrays[name].shape)
            zero[name] = zero[name] if box is None else add(zero[name], box, scope)
            out.append(assign)
        else:
            out.append(_first(assign, nest, zero[name], arrays, scope))
            zero[name] = remove(zero[name], hull(index, nest.domain, arrays[name].shape), scope)
    return Result((altered(nest, assigns=tuple(out)),), zero)


def _first(assign: Assign, nest: Nest, zero: Known, arrays: Arrays, scope: Scope) -> Assign:
    """An update of what is zero as a plain assignment; of what is zero but for a thin frame, with a guarded read."""
    if assign.op != "+=" or not zero or not is_injective(assign.target.index, nest.domain):
        return assign
    array = arrays[assign.target.array]
    own = hull(assign.target.index, nest.domain, array.shape)
    others = [a.target.index for a in nest.assigns if a.target.array == array.name]
    apart = (disjoint(own, hull(index, nest.domain, array.shape), scope) for index in others)
    if not all(index == assign.target.index or is_apart for index, is_apart in zip(others, apart, strict=True)):
        return assign
    nothing = Const(0.0, array.dtype) if array.name in arrays.signed else const(0, array.dtype)
    same = assign.value.dtype == array.dtype
    value = assign.value if same else Op("cast", (assign.value,), array.dtype)
    if covers(zero, own, scope):
        return replace(assign, op="=", value=add_values(nothing, value, array.dtype))
    box = exact(assign.target.index, nest.domain, array.shape)
    inside = None if box is None else next((b for b in overlaps(zero, box, scope) if _is_most(b, box)), None)
    if box is None or inside is None:
        return assign
    guard = _guard(assign.target.index, nest.domain, inside, box)
    load = Load(array.name, assign.target.index, array.dtype)
    old = where(guard, nothing, load, array.dtype)
    return replace(assign, op="=", value=add_values(old, value, array.dtype))


def _is_most(inside: Box, box: Box) -> bool:
    """Whether what is left of the box is a thin frame."""
    for (low, high), (first, last) in zip(inside, box, strict=True):
        extent, left = last - first, (low - first) + (last - high)
        if not left.is_const or left.const > (extent.const // FRAME if extent.is_const else 2):
            return False
    return True


def _guard(index: tuple[Index, ...], domain: tuple[Range, ...], inside: Box, box: Box) -> Expr:
    """That an element lies inside."""
    guard: Expr | None = None
    own = {r.var for r in domain}
    for form, (low, high), (first, last) in zip(index, inside, box, strict=True):
        axis = subscript(form, own)
        assert axis is not None, "an exact box has one variable an axis"
        if axis.var is None:
            continue
        name, (start, stop) = axis.var, axis.values_within(low, high)
        cut_start, cut_stop = (low != first, high != last)[:: axis.sign]
        if cut_start:
            guard = both(guard, compare("greater_equal", IndexValue(Affine.of(name)), _number(start)))
        if cut_stop:
            guard = both(guard, compare("less", IndexValue(Affine.of(name)), _number(stop)))
    assert guard is not None, "a box that is not all zero differs somewhere"
    return guard


def _number(form: Affine) -> Expr:
    return Const(form.const, "int64") if form.is_const else IndexValue(form)


def _with_clears_behind(loop: Loop, entry: Zero, arrays: Arrays, scope: Scope) -> tuple[Node, ...]:
    """The loop, and behind it the clears of its body that no iteration needs."""
    moved: list[Nest] = []
    needed: dict[str, set[int]] = {}
    while (found := _movable_clear(loop, entry, needed, arrays, scope)) is not None:
        loop, clear = found
        moved.insert(0, clear)
        needed.pop(clear.assigns[0].target.array, None)  # others of this array may be free to move now
    return (loop, *moved) if loop.body else tuple(moved)


def _movable_clear(
    loop: Loop, entry: Zero, needed: dict[str, set[int]], arrays: Arrays, scope: Scope
) -> tuple[Loop, Nest] | None:
    """The loop without a clear, and the clear: it may wait if all later iterations overwrite what they read.

    Assigns that have to stay are added to `needed`, by array; those that are in it are not examined.
    """
    for position, node in reversed(list(enumerate(loop.body))):
        if not isinstance(node, Nest):
            continue
        for number, assign in reversed(list(enumerate(node.assigns))):
            name = assign.target.array
            if not _clears(assign) or name not in entry or id(assign) in needed.get(name, ()):
                continue
            rest = _without(loop, position, number, entry, arrays, scope)
            if rest is not None:
                return rest, replace(node, assigns=(assign,))
            needed.setdefault(name, set()).add(id(assign))
    return None


def _without(loop: Loop, position: int, number: int, entry: Zero, arrays: Arrays, scope: Scope) -> Loop | None:
    """The loop without a clear in its body, None if an iteration needs it."""
    shapes, inner = arrays.shapes, scope.enter(loop)
    node = loop.body[position]
    assert isinstance(node, Nest), "asked for the assigns of nests only"
    assign = node.assigns[number]
    name = assign.target.array
    box = exact(assign.target.index, node.domain, shapes[name])
    if box is None or depends_on(box, loop.var):
        return None
    if not (covers(entry[name], box, scope) or runs(loop, scope)):
        return None
    later = (*_nest_of(node, node.assigns[number + 1 :]), *loop.body[position + 1 :])
    if not all(disjoint(box, t.box, inner) for t in touches(later, name, shapes, inner)):
        return None
    others = _nest_of(node, (*node.assigns[:number], *node.assigns[number + 1 :]))
    rest = replace(loop, body=(*loop.body[:position], *others, *loop.body[position + 1 :]))
    start = sweep(rest.body, {name: (Part(box),)}, Facts(shapes), inner).dead[name]
    return rest if covers(start, box, inner) else None


def _nest_of(nest: Nest, assigns: tuple[Assign, ...]) -> tuple[Nest, ...]:
    return (replace(nest, assigns=assigns),) if assigns else ()
