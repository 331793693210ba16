"""Before differentiation: what enters a maximum or minimum becomes an array.

The adjoint asks which elements equal the result. Asked of an expression that is computed a second time, the answer
could be none: compilers may round the same expression differently in two places.
"""

from __future__ import annotations

from dataclasses import replace

from daad.ccs.forwarded import has_same_bits
from daad.program.affine import Affine, interval
from daad.program.names import fresh
from daad.program.nodes import Access, Array, Assign, Branch, Index, Load, Loop, Nest, Node, Program
from daad.program.pinning import NeedsConstant
from daad.program.walk import loads, nests

Ranges = dict[str, tuple[int, int]]


def compared(program: Program) -> frozenset[str]:
    """Arrays that are made by functions, and that what enters a maximum or minimum is made of.

    They are no expressions that are computed again where the adjoint asks: functions of one number and of several at
    once differ in the last bit.
    """
    made: dict[str, list[Assign]] = {}
    pending: list[str] = []
    for assign in (assign for nest in nests(program.body) for assign in nest.assigns):
        made.setdefault(assign.target.array, []).append(assign)
        if assign.op in ("max=", "min="):
            pending += [load.array for load in loads(assign.value)]
    found: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += [load.array for assign in made.get(name, ()) for load in loads(assign.value)]
    return frozenset(name for name in found if not all(has_same_bits(assign.value) for assign in made.get(name, ())))


def hold_operands(program: Program) -> Program:
    """Each `T max= e` with a computed `e` becomes `o = e; T max= o`."""
    arrays = dict(program.arrays)
    return replace(program, body=_body(program.body, arrays, {}), arrays=arrays)


def _body(body: tuple[Node, ...], arrays: dict[str, Array], ranges: Ranges) -> tuple[Node, ...]:
    out: list[Node] = []
    for node in body:
        if isinstance(node, Loop):
            inner = {**ranges, node.var: _loop_range(node, ranges)} if _computed(node.body) else ranges
            out.append(replace(node, body=_body(node.body, arrays, inner)))
        elif isinstance(node, Branch):
            then, orelse = _body(node.then, arrays, ranges), _body(node.orelse, arrays, ranges)
            out.append(replace(node, then=then, orelse=orelse))
        else:
            out.extend(_nest(node, arrays, ranges))
    return tuple(out)


def _nest(nest: Nest, arrays: dict[str, Array], ranges: Ranges) -> list[Node]:
    if not _computed((nest,)):
        return [nest]
    out: list[Node] = []
    for assign in nest.assigns:
        lows = [_bounds(r.start, ranges)[0] for r in nest.domain]
        highs = [_bounds(r.stop, ranges)[1] for r in nest.domain]
        shape = tuple(max(high - low, 0) for low, high in zip(lows, highs, strict=True))
        held = Array(fresh(f"{assign.target.array}_of", arrays), shape, assign.value.dtype)
        arrays[held.name] = held
        index: tuple[Index, ...] = tuple(Affine.of(r.var) - low for r, low in zip(nest.domain, lows, strict=True))
        out.append(Nest(nest.domain, (Assign(Access(held.name, index), "=", assign.value),), nest.at))
        load = Load(held.name, index, held.dtype)
        out.append(Nest(nest.domain, (replace(assign, value=load),), nest.at))
    return out


def _computed(body: tuple[Node, ...]) -> bool:
    """Whether some extremum below is taken of more than a plain load."""
    for node in body:
        if isinstance(node, Nest):
            found = any(a.op in ("max=", "min=") and not isinstance(a.value, Load) for a in node.assigns)
        elif isinstance(node, Loop):
            found = _computed(node.body)
        else:
            found = _computed(node.then) or _computed(node.orelse)
        if found:
            return True
    return False


def _loop_range(loop: Loop, ranges: Ranges) -> tuple[int, int]:
    ends = [_bounds(end, ranges) for end in (loop.start, loop.stop) if isinstance(end, Affine)]
    return min(e[0] for e in ends), max(e[1] for e in ends)


def _bounds(form: Affine, ranges: Ranges) -> tuple[int, int]:
    found = interval(form, ranges)
    if found is None:
        raise NeedsConstant(next(n for n in form.names if n not in ranges))
    return found
