"""Large arrays that are written past the caches: what is written once, and read, if at all, when it is no longer there.

A store first reads the line of memory that it changes. Lines that are written whole need not be read: the processor
has stores for them, which leave nothing in the caches. Neighbours along the vector loop are computed into a strip of a
few KiB, which goes to memory as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from daad.analysis.context import Scope
from daad.analysis.cost.machine import LINE
from daad.codegen.schedule.bounds import extent
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import Schedule
from daad.codegen.schedule.strides import position
from daad.ir.nodes import Access, Assign, Branch, Loop, Nest, Node, Program, Range
from daad.ir.walk import variables

LARGE = 2**23  # bytes of an array
FAR = 2**25  # bytes of all arrays; what was touched as many ago, caches no longer have
STRIP = 2**9  # elements
SHORTEST = 2**10  # bytes of a row

INDENT = "    "

Around = tuple[Loop, ...]


def streams_of(program: Program) -> frozenset[Access]:
    """What statements may write past the caches: elements of large arrays, each once, that no loop around reads too."""
    if sum(array.nbytes for array in program.arrays.values()) < FAR:
        return frozenset()
    large = {name for name, array in program.arrays.items() if array.nbytes >= LARGE}
    found = list(_nests(program.body, (), Scope())) if large else []
    kept, refused = set[Access](), set[Access]()
    for nest, around, known in found:
        for assign in (a for a in nest.assigns if a.target.array in large):
            beside = (n for n, loops, _ in found if n is not nest and around and loops[:1] == around[:1])
            is_alone = not any(assign.target.array in n.touched for n in beside)
            is_stream = is_alone and _is_once(nest, assign) and _written(assign, nest, around, known, program) >= LARGE
            (kept if is_stream else refused).add(assign.target)
    return frozenset(kept - refused)


def _nests(body: tuple[Node, ...], around: Around, known: Scope) -> Iterator[tuple[Nest, Around, Scope]]:
    """All nests with the loops around them."""
    for node in body:
        if isinstance(node, Nest):
            yield node, around, known
        elif isinstance(node, Loop):
            yield from _nests(node.body, (*around, node), known.enter(node))
        elif isinstance(node, Branch):
            yield from _nests((*node.then, *node.orelse), around, known)


def _is_once(nest: Nest, assign: Assign) -> bool:
    """Whether the nest writes the array by this statement alone, and does not read it."""
    name = assign.target.array
    is_only = all(other is assign or other.target.array != name for other in nest.assigns)
    return assign.op == "=" and is_only and name not in nest.loaded


def _written(assign: Assign, nest: Nest, around: Around, known: Scope, program: Program) -> int:
    """Bytes that all iterations write, each of them others; 0 if two may write the same."""
    names = frozenset[str]().union(*map(variables, assign.target.index))
    if not names >= {loop.var for loop in around} or not names >= {r.var for r in nest.domain}:
        return 0
    trips = prod(high - low + 1 for low, high in (known.ranges.get(loop.var, (0, 0)) for loop in around))
    inside = known.with_domain(nest.domain)
    points = prod(extent(r, inside) for r in nest.domain)
    return points * trips * np.dtype(program.arrays[assign.target.array].dtype).itemsize


def streamed(nest: Nest, schedule: Schedule, context: Context) -> frozenset[Access]:
    """The targets of a nest that its vector loop writes past the caches: those of which it makes long rows."""
    vector = schedule.vector
    if vector is None or schedule.inner[-1] is not vector or not schedule.independent:
        return frozenset()
    targets = context.streams.intersection([a.target for a in nest.assigns])
    return frozenset(t for t in targets if _makes_rows(vector, t, context))


def _makes_rows(vector: Range, target: Access, context: Context) -> bool:
    array = context.arrays[target.array]
    place = position(target, array)
    is_row = place is not None and place.coefficient(vector.var) == 1
    return is_row and extent(vector, context.known) * np.dtype(array.dtype).itemsize >= SHORTEST


@dataclass(frozen=True)
class Strip:
    """A piece of a row: its name, the type of its elements, and its first place in memory as C++."""

    name: str
    ctype: str
    place: str


def in_strips(
    name: str, start: str, stop: str, strips: Collection[Strip], mark: list[str], body: list[str]
) -> list[str]:
    """The loop over `name`, cut into pieces whose results go to memory together."""
    first, last = f"{name}__first", f"{name}__last"
    return [
        f"for (int64_t {first} = {start}; {first} < {stop}; {first} += {STRIP}) {{",
        f"    const int64_t {last} = {first} + {STRIP} < {stop} ? {first} + {STRIP} : {stop};",
        *(f"    alignas({LINE}) {s.ctype} {s.name}[{STRIP}];" for s in strips),
        *(INDENT + line for line in mark),
        f"    for (int64_t {name} = {first}; {name} < {last}; ++{name}) {{",
        *(2 * INDENT + line for line in body),
        "    }",
        f"    const int64_t {name} = {first};",
        *(f"    daad::stream(&{s.place}, {s.name}, {last} - {first});" for s in strips),
        "}",
    ]
