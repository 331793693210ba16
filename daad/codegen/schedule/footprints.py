"""Which elements of each array a nest touches, as boxes: what the memlets of its tasklet say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from daad.analysis.context import Scope
from daad.analysis.regular_sections import Box, hull
from daad.analysis.subscripts import Side
from daad.codegen.schedule.lowering_context import Context
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Assign, Load, Nest, Range
from daad.ir.walk import loads


@dataclass(frozen=True)
class Footprint:
    """Boxes within an array that hold all elements read, and all written; None where there are none."""

    read: Box | None = None
    written: Box | None = None


def footprints(nest: Nest, over: Sequence[Range], context: Context) -> Mapping[str, Footprint]:
    """What a nest touches of each array while the variables `over` run and the others of its domain stay."""
    known = context.known.with_domain((*over, *nest.domain))
    read, written = defaultdict[str, list[Box]](list), defaultdict[str, list[Box]](list)
    for assign in nest.assigns:
        for kind, accesses in ((read, _read(assign)), (written, [assign.target])):
            for access in accesses:
                if access.array in context.arrays:
                    shape = context.arrays[access.array].shape
                    kind[access.array].append(hull(access.index, over, shape))
    return {
        name: Footprint(*(union(kind[name], context.arrays[name].shape, known) for kind in (read, written)))
        for name in {**read, **written}
    }


def _read(assign: Assign) -> Iterable[Access | Load]:
    for value in (assign.value, *assign.target.index):
        yield from loads(value)
    if assign.op != "=":
        yield assign.target


def union(boxes: Sequence[Box], shape: Sequence[int], known: Scope) -> Box | None:
    """A box within the array that holds all of these, None for none; bounds that are not certain are the array's."""
    sides = [[box[d] for box in boxes] for d in range(len(shape))]
    return tuple(_side(side, extent, known) for side, extent in zip(sides, shape, strict=True)) if boxes else None


def _side(sides: Sequence[Side], extent: int, known: Scope) -> Side:
    lows, highs = {low: None for low, _ in sides}, {high: None for _, high in sides}
    low = (a for a in lows if known.proves(a) and all(known.at_most(a, other) for other in lows))
    high = (a for a in highs if known.at_most(a, Affine(extent)) and all(known.at_most(other, a) for other in highs))
    return next(low, Affine(0)), next(high, Affine(extent))
