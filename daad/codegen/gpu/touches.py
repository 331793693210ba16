"""What a step touches, and which of the threads does it: where the same thread does both, nothing needs to wait."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from daad.analysis.cost.placement import Placement
from daad.analysis.subscripts import UNBOUNDED, told
from daad.codegen.gpu.spread import Spread, Team
from daad.codegen.schedule.bounds import most_values
from daad.codegen.schedule.lowering_context import Context
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Index, Load, Nest, Program
from daad.ir.walk import loads, node_loads

Key = tuple[object, ...]
"""Equal keys of two accesses of an array: an element that both touch is touched by one thread."""
Overlaps = Mapping[str, frozenset[str]]
FIRST: Key = ("first",)
SOLO: Key = ("solo",)


@dataclass(frozen=True)
class Touch:
    """An array that is read, or written, by threads of which `by` tells; None if any may."""

    array: str
    is_write: bool
    by: Key | None = None


def conflict(first: Collection[Touch], second: Collection[Touch], overlaps: Overlaps) -> bool:
    """Whether something of the second must wait for something of the first."""
    return any(_conflict(a, b, overlaps) for a in first for b in second)


def _conflict(a: Touch, b: Touch, overlaps: Overlaps) -> bool:
    if not (a.is_write or b.is_write):
        return False
    if a.array == b.array:
        return a.by is None or a.by != b.by
    return b.array in overlaps.get(a.array, ()) and not (a.by == b.by and a.by in (FIRST, SOLO))


def overlapping(program: Program, placement: Placement) -> Overlaps:
    """For each local array those that lie in the same memory at another time."""
    ends = {name: start + program.arrays[name].nbytes for name, start in placement.offsets.items()}
    by_place = sorted(placement.offsets, key=lambda name: placement.offsets[name])
    found: dict[str, set[str]] = {name: set() for name in by_place}
    for number, name in enumerate(by_place):
        for other in by_place[number + 1 :]:
            if placement.offsets[other] >= ends[name]:
                break
            found[name].add(other)
            found[other].add(name)
    return {name: frozenset(others) for name, others in found.items()}


def uniform(values: Iterable[Index]) -> frozenset[Touch]:
    """What all threads read for bounds and conditions."""
    return frozenset(Touch(load.array, False) for value in values for load in loads(value))


def touches(nest: Nest, spread: Spread, context: Context) -> frozenset[Touch]:
    """What a step touches."""
    keys = _Keys(nest, spread, context)
    written = (Touch(a.target.array, True, keys.of_target(a.target)) for a in nest.assigns)
    read = (Touch(load.array, False, keys.of_load(load)) for load in node_loads(nest))
    return frozenset((*written, *read))


@dataclass(frozen=True)
class _Keys:
    nest: Nest
    spread: Spread
    context: Context

    def of_target(self, target: Access) -> Key | None:
        if self.spread.team is Team.OWNERS:
            return None
        if not self.spread.points:
            return FIRST
        return self._of_point(target)

    def of_load(self, load: Load) -> Key | None:
        if self.spread.team is not Team.THREAD:
            return None
        if not self.spread.points:
            return FIRST
        return self._of_point(load)

    def _of_point(self, access: Access | Load) -> Key | None:
        """The axes that tell the point, where nothing else moves them."""
        numbers = {r.var: f"#{k}" for k, r in enumerate(self.spread.points)}
        fixed = frozenset((*numbers, *self.context.program.integers))
        axes = [(k, i) for k, i in enumerate(access.index) if not numbers.keys().isdisjoint(_names(i))]
        forms = [i for _, i in axes if isinstance(i, Affine) and fixed.issuperset(i.names)]
        if len(forms) < len(axes) or not self._has_fixed_bounds():
            return None
        most = most_values(self.spread.points, self.context.known)
        if told(forms, {var: most.get(var, UNBOUNDED) for var in numbers}) != numbers.keys():
            return None
        renamed = {var: Affine.of(number) for var, number in numbers.items()}
        bounds = tuple((r.start, r.stop) for r in self.spread.points)
        return (
            self.spread.team,
            bounds,
            *((k, form.substitute(renamed)) for (k, _), form in zip(axes, forms, strict=True)),
        )

    def _has_fixed_bounds(self) -> bool:
        names = frozenset(self.context.program.integers)
        return all(names.issuperset(form.names) for r in self.spread.points for form in (r.start, r.stop))


def _names(index: Index) -> Iterator[str]:
    yield from index.names if isinstance(index, Affine) else index.variables
