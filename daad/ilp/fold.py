"""Values that only serve to make one other value again: they are made on the way to it, and nothing is to decide."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from daad.ilp.model import How, Remake, Value


def folded(remakes: tuple[Remake, ...], values: Mapping[str, Value], demanded: Collection[str]) -> tuple[Remake, ...]:
    """Fewer remakes, each through what only it asks for; values of `demanded` are asked for by adjoints.

    To keep such a value instead of the one made from it would take as much memory, and time.
    """
    found = list(remakes)
    for name in sorted({r.value for r in remakes}, key=lambda n: (-values[n].birth, n)):
        own = next((r for r in found if r.value == name and r.how is How.RERUN), None)
        askers = {r.value for r in found if name in r.parents}
        if own is None or name in demanded or len(askers) != 1 or values[name].nbytes < values[min(askers)].nbytes:
            continue
        if not any(r.how is How.RERUN and name in r.parents for r in found):
            continue
        kept = [r for r in found if r.value != name and not (r.how is How.INLINE and name in r.parents)]
        found = [_through(r, own, values[name]) if name in r.parents else r for r in kept]
    return tuple(found)


def _through(remake: Remake, own: Remake, value: Value) -> Remake:
    return replace(
        remake,
        parents=remake.parents - {own.value} | own.parents,
        seconds=remake.seconds + own.seconds,
        through=remake.through | own.through | {own.value},
        scratch=remake.scratch + own.scratch + value.nbytes,
    )
