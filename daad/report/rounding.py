"""How far values that are taken back in place may be from what they were."""

from __future__ import annotations

from math import prod

import numpy as np

from daad.analysis.context import known_at
from daad.analysis.sites import Site, Write, writes_by_array
from daad.ccs.region import Ranges
from daad.ccs.restorable_values import Restored
from daad.ir.affine import Affine
from daad.ir.nodes import Program
from daad.loops.reverse import Adjoint


def explained(adjoint: Adjoint, name: str) -> str:
    """How often an element is updated and taken back, and what rounding that leaves, relative to its largest value."""
    primal, restored = adjoint.primal, adjoint.restored
    dtype = np.dtype(primal.arrays[name].dtype)
    if dtype.kind != "f":
        return "its updates are taken back, exactly"
    step = float(np.finfo(dtype).eps)
    count = most_updates(primal, restored, name)
    grows = any(user is not None and user[1] == name for user, _ in adjoint.relied)
    more = ", carried on by the program" if grows else ""
    if count is None:
        return f"its updates are taken back; each rounds by {step:.1e} of its largest value{more}"
    updates = "1 update is" if count == 1 else f"{count} updates are"
    return f"{updates} taken back; rounding: {count * step:.1e} of its largest value{more}"


def most_updates(program: Program, restored: Restored, name: str) -> int | None:
    """How many updates of one element are taken back at most; None where a trip count is not known."""
    counts = [_most(w) for w in writes_by_array(program.body).get(name, ()) if restored.takes_back(w)]
    known = [c for c in counts if c is not None]
    return sum(known) if len(known) == len(counts) else None


def _most(write: Write) -> int | None:
    """Iterations of the loops around, times the points of the domain that may share an element."""
    ranges = _ranges(write.site)
    if ranges is None:
        return None
    extents = {n: max(0, last - first + 1) for n, (first, last) in ranges.items()}
    for index in write.target.index:
        names = [n for n in index.names if n in extents] if isinstance(index, Affine) else []
        if names:  # the others and the element determine one
            del extents[max(names, key=lambda n: extents[n])]
    return prod(extents.values())


def _ranges(site: Site) -> Ranges | None:
    ranges = known_at(site).ranges
    around = {loop.var for _, loop in site.loops} | {r.var for r in site.domain}
    return ranges if ranges.keys() == around else None
