"""The shape of an access, axis by axis: which variable counts along it, and from where.

Most subscripts are `variable + shift` or `shift - variable` (separable ones with a single index variable, in the words
of Goff, Kennedy and Tseng 1991): where a point's element lies, and which point has an element, are affine forms then.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from daad.ir.affine import Affine
from daad.ir.nodes import Index, Range

Side = tuple[Affine, Affine]
"""The first index along an axis and the one behind the last."""

UNBOUNDED = sys.maxsize


@dataclass(frozen=True)
class Subscript:
    """`sign * var + shift`, with 1 or -1 as sign; the shift alone where `var` is None."""

    var: str | None
    sign: int
    shift: Affine

    def side(self, ranges: Mapping[str, Range]) -> Side:
        """What the variable's range reaches."""
        if self.var is None:
            return self.shift, self.shift + 1
        r = ranges[self.var]
        if self.sign > 0:
            return r.start + self.shift, r.stop + self.shift
        return self.shift - r.stop + 1, self.shift - r.start + 1

    def value_at(self, index: Affine) -> Affine:
        """The variable where the subscript is `index`."""
        return (index - self.shift) * self.sign

    def values_within(self, low: Affine, high: Affine) -> Side:
        """The variable's range in which the subscript is at least `low` and below `high`."""
        if self.sign > 0:
            return low - self.shift, high - self.shift
        return self.shift - high + 1, self.shift - low + 1


def subscript(index: Index, own: Collection[str]) -> Subscript | None:
    """An index as a form of one of the variables `own`, or of none of them; None for any other index."""
    if not isinstance(index, Affine):
        return None
    moving = [(name, factor) for name, factor in index.terms if name in own]
    if not moving:
        return Subscript(None, 0, index)
    name, sign = moving[0]
    if len(moving) > 1 or abs(sign) != 1:
        return None
    return Subscript(name, sign, index - Affine.of(name) * sign)


def subscripts(index: Sequence[Index], own: Collection[str]) -> tuple[Subscript, ...] | None:
    """Of all axes, if each variable counts along one of them at the most."""
    found = [subscript(form, own) for form in index]
    known = tuple(each for each in found if each is not None)
    used = [each.var for each in known if each.var is not None]
    return known if len(known) == len(found) and len(set(used)) == len(used) else None


def told(index: Iterable[Index], most: Mapping[str, int]) -> frozenset[str]:
    """Variables, of those in `most`, whose values follow from an element's index; `most` values each of them has.

    A form with a single variable not yet known tells its value, one with several all of theirs if their factors leave
    room for each other, as in `4*i + j` with j in 0 .. 4.
    """
    known: set[str] = set()
    pending = [form for form in index if isinstance(form, Affine)]
    while solved := [form for form in pending if _leaves_room(form, most, known)]:
        known.update(name for form in solved for name in form.names if name in most)
        pending = [form for form in pending if form not in solved]
    return frozenset(known)


def _leaves_room(form: Affine, most: Mapping[str, int], known: Collection[str]) -> bool:
    reach = 0
    for factor, name in sorted((abs(c), n) for n, c in form.terms if n in most and n not in known):
        if factor <= reach:
            return False
        reach += factor * (most[name] - 1)
    return True


def is_single(r: Range) -> bool:
    """Whether the range certainly holds at most one value."""
    width = r.width
    return width.is_const and width.const <= 1


def is_injective(index: Sequence[Index], domain: Sequence[Range]) -> bool:
    """Whether different points of the domain certainly have different indices."""
    most = {r.var: r.width.const if r.width.is_const else UNBOUNDED for r in domain if not is_single(r)}
    return told(index, most) == most.keys()
