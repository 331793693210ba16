"""Arrays of which Python has only one, across the iterations of a loop: the body is read with the links it leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from daad.frontend.python.reading.fixpoint import Again
from daad.frontend.python.reading.loop_plans import Plan
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.variable_storage import Cell


@dataclass(frozen=True)
class Entry:
    """The arrays at the beginning of a loop's body, those of variables with their names, and the links between them."""

    arrays: frozenset[str]
    variables: Mapping[str, Any]
    links: frozenset[tuple[str, str]]


def enter(stage: Stage, plan: Plan, made: Sequence[Cell], rows: Mapping[str, Any]) -> Entry:
    """Links that an earlier reading of the body has left hold at its beginning too.

    `rows` are arrays that stand for lists, with names for them.
    """
    arrays = frozenset(stage.arrays)
    variables = {place.base: (cell.path, k) for cell in made for k, place in enumerate(cell.storage)} | dict(rows)
    bases = {variable: base for base, variable in variables.items()}
    carried = ((bases.get(a, a), bases.get(b, b)) for a, b in plan.links)
    stage.links |= {(a, b) for a, b in carried if a in arrays and b in arrays}
    stage.unordered |= {place for place, variable in variables.items() if variable in plan.unordered}
    return Entry(arrays, variables, stage.links)


def leave(stage: Stage, plan: Plan, entry: Entry) -> None:
    """Again if the body leaves links, or arrays in another order, that it was read without."""
    kept = {(a, b) for a, b in stage.links if a in entry.arrays and b in entry.arrays}
    new, names = kept - entry.links, entry.variables
    unordered = {names[a] for a in stage.unordered if a in names} - plan.unordered
    if new or unordered:
        plan.unordered |= unordered
        plan.links |= {(names.get(a, a), names.get(b, b)) for a, b in new}
        raise Again
