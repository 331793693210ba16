"""Boxes of array elements with affine bounds, and sets of elements that are certainly of some kind.

A set is a union of boxes with holes. It is always an underestimate: what it holds is certain, the rest unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from daad.analysis.context import Scope
from daad.analysis.subscripts import Side, subscripts
from daad.ir.affine import Affine
from daad.ir.nodes import Index, Range

Box = tuple[Side, ...]
"""Per dimension `low <= index < high`; a scalar is the box ()."""

MAX_HOLES = 6
MAX_PARTS = 6


def whole(shape: Sequence[int]) -> Box:
    """All elements of an array."""
    return tuple((Affine(0), Affine(extent)) for extent in shape)


def hull(index: Sequence[Index], domain: Sequence[Range], shape: Sequence[int]) -> Box:
    """A box that contains every element that the index names on the domain."""
    over = tuple(domain)
    return tuple(_hull_side(i, over, extent) for i, extent in zip(index, shape, strict=True))


@lru_cache(maxsize=2**14)
def _hull_side(index: Index, domain: tuple[Range, ...], extent: int) -> Side:
    if not isinstance(index, Affine):
        return Affine(0), Affine(extent)
    first = index.substitute({r.var: r.start if index.coefficient(r.var) > 0 else r.last for r in domain})
    last = index.substitute({r.var: r.last if index.coefficient(r.var) > 0 else r.start for r in domain})
    return first, last + 1


def exact(index: Sequence[Index], domain: Sequence[Range], shape: Sequence[int]) -> Box | None:
    """The box of the elements that the index names, each by one point of the domain; None for other sets."""
    own = {r.var for r in domain}
    axes = subscripts(index, own)
    return hull(index, domain, shape) if axes is not None and own <= {axis.var for axis in axes} else None


def filled(index: Sequence[Index], domain: Sequence[Range], shape: Sequence[int]) -> Box | None:
    """The same, of points that are told apart by sums as well, such as `60*i + j` with j in 0 .. 60."""
    sizes = {r.var: r.width for r in domain}
    for form in index:
        own = [(abs(c), n) for n, c in form.terms if n in sizes] if isinstance(form, Affine) else None
        if own is None or not _counts(own, sizes):
            return None
        sizes = {n: size for n, size in sizes.items() if isinstance(form, Affine) and n not in form.names}
    if sizes or any(sum(r.var in i.names for i in index if isinstance(i, Affine)) > 1 for r in domain):
        return None
    return hull(index, domain, shape)


def _counts(terms: Sequence[tuple[int, str]], sizes: Mapping[str, Affine]) -> bool:
    """Whether a sum of such multiples takes every value between its extremes, each once."""
    step = 1
    for coefficient, name in sorted(terms):
        if coefficient != step:
            return False
        size = sizes[name]
        step = coefficient * size.const if size.is_const and size.const > 0 else 0
    return True


def contains(outer: Box, inner: Box, scope: Scope) -> bool:
    pairs = zip(outer, inner, strict=True)
    return all(scope.at_most(a[0], b[0]) and scope.at_most(b[1], a[1]) for a, b in pairs)


def disjoint(a: Box, b: Box, scope: Scope) -> bool:
    return any(scope.at_most(x[1], y[0]) or scope.at_most(y[1], x[0]) for x, y in zip(a, b, strict=True))


def intersection(a: Box, b: Box, scope: Scope) -> Box | None:
    """None where the bounds cannot be compared."""
    sides: list[Side] = []
    for x, y in zip(a, b, strict=True):
        low, high = _larger(x[0], y[0], scope), _larger(-x[1], -y[1], scope)
        if low is None or high is None:
            return None
        sides.append((low, -high))
    return tuple(sides)


def _larger(a: Affine, b: Affine, scope: Scope) -> Affine | None:
    if scope.at_most(a, b):
        return b
    return a if scope.at_most(b, a) else None


def over_range(box: Box, var: str, low: Affine, high: Affine) -> Box:
    """A box that contains those for all values of a variable from `low` to `high`."""
    return tuple((_extreme(a, var, low, high), _extreme(b, var, high, low)) for a, b in box)


def _extreme(form: Affine, var: str, rising: Affine, falling: Affine) -> Affine:
    return form.substitute({var: rising if form.coefficient(var) > 0 else falling})


def depends_on(box: Box, var: str) -> bool:
    return any(form.coefficient(var) for side in box for form in side)


@dataclass(frozen=True)
class Part:
    """A box without the elements of its holes, which may reach out of it."""

    box: Box
    holes: tuple[Box, ...] = ()


Known = tuple[Part, ...]


def covers(known: Known, box: Box, scope: Scope) -> bool:
    """Whether all elements of the box are in the set."""
    return any(contains(p.box, box, scope) and _is_clear(p, box, scope) for p in known)


def overlaps(known: Known, box: Box, scope: Scope) -> Iterable[Box]:
    """Boxes within `box` whose elements are all in the set."""
    for part in known:
        shared = intersection(part.box, box, scope)
        if shared is not None and _is_clear(part, shared, scope):
            yield shared


def _is_clear(part: Part, box: Box, scope: Scope) -> bool:
    return all(disjoint(hole, box, scope) for hole in part.holes)


def add(known: Known, box: Box, scope: Scope) -> Known:
    """With the elements of a box."""
    if covers(known, box, scope):
        return known
    filled = [replace(p, holes=tuple(h for h in p.holes if not contains(box, h, scope))) for p in known]
    kept = [p for p in filled if not contains(box, p.box, scope)]
    if any(contains(p.box, box, scope) and _is_clear(p, box, scope) for p in kept):
        return tuple(kept)
    for position, part in enumerate(kept):
        joined = _joined(part.box, box, scope)
        if joined is not None and _is_clear(part, box, scope):
            others = (*kept[:position], *kept[position + 1 :])
            return (*others, Part(joined, part.holes)) if part.holes else add(others, joined, scope)
    return (*kept, Part(box))[-MAX_PARTS:]


def _joined(a: Box, b: Box, scope: Scope) -> Box | None:
    """The union of two boxes that lie side by side."""
    different = [d for d, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    if len(different) != 1:
        return None
    axis = different[0]
    for x, y in ((a[axis], b[axis]), (b[axis], a[axis])):
        if scope.at_most(x[0], y[0]) and scope.at_most(y[0], x[1]) and scope.at_most(x[1], y[1]):
            return (*a[:axis], (x[0], y[1]), *a[axis + 1 :])
    return None


def remove(known: Known, box: Box, scope: Scope) -> Known:
    """Without the elements of a box."""
    parts = [piece for part in known for piece in _without(part, box, scope)]
    return tuple(parts)[:MAX_PARTS]


def _without(part: Part, box: Box, scope: Scope) -> list[Part]:
    if disjoint(part.box, box, scope) or any(contains(h, box, scope) for h in part.holes):
        return [part]
    if contains(box, part.box, scope):
        return []
    rest = _sliced(part.box, box, scope)
    if rest is not None:
        return [replace(part, box=b) for b in rest]
    holes = (*(h for h in part.holes if not contains(box, h, scope)), box)
    return [Part(part.box, holes)] if len(holes) <= MAX_HOLES else []


def _sliced(box: Box, cut: Box, scope: Scope) -> list[Box] | None:
    """What is left and right of a cut, with bounds that are numbers, through all dimensions but one."""
    pairs = list(zip(box, cut, strict=True))
    partial = [d for d, (x, y) in enumerate(pairs) if not (scope.at_most(y[0], x[0]) and scope.at_most(x[1], y[1]))]
    if len(partial) != 1:
        return None
    axis = partial[0]
    (low, high), (first, last) = pairs[axis]
    if not all(form.is_const for form in (low, high, first, last)):
        return None
    rest: list[Box] = []
    for start, stop in ((low, first), (last, high)):
        if not scope.at_most(low, start) or not scope.at_most(stop, high):
            if scope.at_most(stop, start):
                continue
            return None
        if not scope.at_most(stop, start):
            rest.append((*box[:axis], (start, stop), *box[axis + 1 :]))
    return rest


def meet(a: Known, b: Known, scope: Scope) -> Known:
    """What is in both sets."""
    if a == b:
        return a
    parts: list[Part] = []
    for p in a:
        for q in b:
            shared = intersection(p.box, q.box, scope)
            if shared is None or _is_empty(shared):
                continue
            holes = tuple(h for h in dict.fromkeys((*p.holes, *q.holes)) if not disjoint(h, shared, scope))
            holes = _widest(holes, scope)
            part = Part(shared, holes)
            if len(holes) <= MAX_HOLES and part not in parts:
                parts.append(part)
    kept: list[Part] = []
    for part in parts:
        if not any(_within(part, q, scope) for q in kept):
            kept = [q for q in kept if not _within(q, part, scope)] + [part]
    return tuple(kept)[:MAX_PARTS]


def _widest(holes: tuple[Box, ...], scope: Scope) -> tuple[Box, ...]:
    """Without holes that lie in others."""
    kept: list[Box] = []
    for hole in holes:
        if not any(contains(k, hole, scope) for k in kept):
            kept = [k for k in kept if not contains(hole, k, scope)] + [hole]
    return tuple(kept)


def _within(p: Part, q: Part, scope: Scope) -> bool:
    """Whether `q` says all that `p` says."""
    return (
        p != q and contains(q.box, p.box, scope) and all(any(contains(h, x, scope) for h in p.holes) for x in q.holes)
    )


def _is_empty(box: Box) -> bool:
    return any((b - a).is_const and (b - a).const <= 0 for a, b in box)


def forget(known: Known, var: str, low: Index, high: Index) -> Known:
    """What is certain for all values of a variable from `low` to `high`: its boxes are dropped, its holes widened."""
    parts: list[Part] = []
    for part in known:
        affine = isinstance(low, Affine) and isinstance(high, Affine)
        if depends_on(part.box, var) or (not affine and any(depends_on(h, var) for h in part.holes)):
            continue
        holes = part.holes
        if isinstance(low, Affine) and isinstance(high, Affine):
            holes = tuple(over_range(h, var, low, high) for h in holes)
        parts.append(replace(part, holes=holes))
    return tuple(parts)


def swept(known: Known, var: str, low: Affine, last: Affine) -> Iterator[tuple[Box, Box]]:
    """Boxes of one index that moves with a variable, and what they cover from `low` to `last` together."""
    for part in known:
        moving = [d for d, side in enumerate(part.box) if any(form.coefficient(var) for form in side)]
        if part.holes or len(moving) != 1:
            continue
        axis = moving[0]
        first, stop = part.box[axis]
        if (
            first.coefficient(var) == stop.coefficient(var) == 1
            and (stop - first).is_const
            and (stop - first).const > 0
        ):
            side = (first.substitute({var: low}), stop.substitute({var: last}))
            yield part.box, (*part.box[:axis], side, *part.box[axis + 1 :])
