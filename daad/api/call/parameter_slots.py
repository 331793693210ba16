"""The array parameters of compiled code: which are arguments of a call, and what the others always are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from daad.api.call import marshalling
from daad.api.call.calling_convention import Interface
from daad.api.call.marshalling import Slot
from daad.api.subject import complex_views
from daad.api.subject.request import Request
from daad.api.subject.seeds import seed_arrays
from daad.frontend.python.read import Read
from daad.frontend.python.reading.guards import outside_arrays
from daad.ir.walk import written_parameters


def slots_of(
    read: Read, interface: Interface, by_array: Mapping[str, int], request: Request, leaves: Sequence[Any]
) -> tuple[Slot, ...]:
    """The array parameters of compiled code; `by_array` tells which leaves of a call some of them are."""
    written, overwritten = set(interface.written), set(written_parameters(read.program))
    names = {place: user for user, place in read.places.items()}
    seeds = seed_arrays(read, request)
    fixed = {**read.constants, **seeds, **interface.tables}
    held = (*seeds.values(), *(read.constants if read.drawn else {}).values())  # draws are written where they are read
    outside = outside_arrays(read.witnesses).union(map(id, held))
    slots = []
    for array, original in zip(interface.parameters, interface.originals, strict=True):
        leaf = by_array.get(original, -1)
        value = None if original in by_array else marshalling.constant(fixed[original], array, outside)
        if value is not None and value is not fixed[original] and array.name not in written:
            value.flags.writeable = False  # a copy that nobody else has: no call has to look at it again
        native = marshalling.is_native(leaves[leaf] if value is None else value)
        is_paired = value is None and complex_views.is_complex(leaves[leaf])
        slots.append(
            Slot(
                leaf=leaf,
                name=names.get(original, original),
                array=array,
                written=array.name in written,
                overwritten=original in overwritten,
                native=native,
                paired=is_paired,
                brought=value is None and original not in names,
                fixed=value,
            )
        )
    return tuple(slots)
