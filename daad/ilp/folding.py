"""What there is not to decide about values that can be made again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from daad.ccs.forwarded import DEEPEST
from daad.ilp.model import How, Remake, Value
from daad.ir.nodes import Nest, Node, Program
from daad.ir.versions import array_of
from daad.ir.walk import depth, loads, reads, variables, walk, writes


def folded(remakes: tuple[Remake, ...], values: Mapping[str, Value], demanded: Collection[str]) -> tuple[Remake, ...]:
    """Fewer remakes, each through what only it asks for; values of `demanded` are asked for by adjoints.

    What only serves to make one other value again is made on the way to it: to keep it instead of that one would take
    as much memory, and time.
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


def shallow(remakes: Iterable[Remake], primal: Program, values: Mapping[str, Value]) -> Iterator[Remake]:
    """Without expressions that would lie too deep inside of others if all that can be is computed where it is read."""
    deep: dict[str, int] = {}
    made = {name: node for node in primal.body for name in writes((node,))}
    for remake in sorted(remakes, key=lambda r: (values[r.value].birth, r.value, r.how.value)):
        nest = made[remake.value]
        if remake.how is How.INLINE and isinstance(nest, Nest):
            below = max((deep.get(name, 0) for name in reads((nest,))), default=0)
            own = depth(nest.assigns[0].value)
            if below + own > DEEPEST:
                continue
            deep[remake.value] = below + own
        yield remake


def factors_in(body: Iterable[Node]) -> set[str]:
    """Arrays of which products use an element in several sums: computed there, it would be computed for each of them,
    and the sums taken in another order than a library does."""
    found: set[str] = set()
    for nest in (n for n in walk(tuple(body)) if isinstance(n, Nest)):
        for assign in nest.assigns:
            shared = {name for i in assign.target.index for name in variables(i)}
            if assign.op != "=" and not {r.var for r in nest.domain} <= shared:
                read = (load for load in loads(assign.value) if not shared <= variables(load))
                found |= {array_of(load.array) for load in read}
    return found
