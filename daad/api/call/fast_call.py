"""The short way of a later call: its arguments are compared with those of the last one, all else is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from daad.api.call import marshalling
from daad.api.call.buffers import Into
from daad.api.call.marshalling import Slot
from daad.api.subject.tangent_arguments import Given, traits
from daad.runtime.gpu.device_array import DeviceArray

if TYPE_CHECKING:
    from daad.api.call.specialization import Specialised

OTHER = object()
"""The answer to a call of another kind: the long way serves it, or says what is wrong with it."""

Values = tuple[Any, ...]
"""The arguments of a call, and the arrays that are always the same."""
Shortcut = Callable[..., Any]
"""Of the arguments of a call, and of what it brings beside them, the answer."""


def shortcut(found: Specialised, leaves: Values, brought: Any = None) -> Shortcut | None:
    """A function of the arguments of calls such as this one, which are its leaves, and of what they have brought beside
    them; None where arrays are converted."""
    fixed = tuple(slot.fixed for slot in found.slots if slot.fixed is not None)
    if not all(slot.native and not slot.paired for slot in found.slots) or not all(map(_is_plain, leaves + fixed)):
        return None
    convert = found.seeds
    if (convert is None) != (brought is None) or type(brought) is Into:
        return None
    added = () if convert is None else tuple(convert(brought))
    stays, take = _stays(found, leaves + fixed), _take(found.slots, leaves + added + fixed, len(leaves + added))
    types, answer, start = [*map(type, leaves)], found.answer.of, found.start
    form = form_of(brought)

    def call(args: Values, brought: Any = None) -> Any:
        if brought is not None or [*map(type, args)] != types:
            return OTHER
        values = args + fixed if fixed else args
        if not stays(values):
            return OTHER
        arrays = take(values)
        return answer(args, arrays, start(arrays, args))

    def call_with(args: Values, brought: Any = None) -> Any:
        if [*map(type, args)] != types or form_of(brought) != form:
            return OTHER
        if not stays(args + fixed if fixed else args):
            return OTHER
        assert convert is not None, "what is brought is converted"
        arrays = take((*args, *convert(brought), *fixed))
        return answer(args, arrays, start(arrays, args))

    return call if convert is None else call_with


def form_of(brought: Any) -> Any:
    """What a call must bring beside its arguments to be such as another one."""
    if type(brought) is Given:
        return Given, brought.count
    return Into if type(brought) is Into else brought is None


def _is_plain(value: Any) -> bool:
    """Whether compiled code takes the value as it is, if it is an array."""
    if isinstance(value, DeviceArray):
        return False
    return not isinstance(value, np.ndarray) or (type(value) is np.ndarray and value.flags.carray)


def _stays(found: Specialised, seen: Values) -> Callable[[Values], bool]:
    """Whether values of the same types are of the same kinds, and all around is as it was."""
    arrays = _picker([n for n, value in enumerate(seen) if isinstance(value, np.ndarray)])
    objects = _picker([n for n, value in enumerate(seen) if not _varies(value)])
    pinned = _picker([n for n, _ in found.pinned])
    wanted, numbers = [*map(traits, arrays(seen))], tuple(value for _, value in found.pinned)
    same, witnesses = objects(seen), found.witnesses  # alive, so that no other object has their identity

    def stays(values: Values) -> bool:
        return (
            [*map(traits, arrays(values))] == wanted
            and (not numbers or pinned(values) == numbers)
            and (not same or [*map(id, objects(values))] == [*map(id, same)])
            and (not witnesses or all(witness.holds() for witness in witnesses))
        )

    return stays


def _varies(value: Any) -> bool:
    """Whether the kind of a value leaves open which one it is."""
    return isinstance(value, np.ndarray | np.generic) or type(value) in (int, float)


def _take(slots: Sequence[Slot], seen: Values, leaves: int) -> Callable[[Values], Sequence[np.ndarray]]:
    """As `operands.take`, of values of which no array is converted."""
    behind = iter(range(leaves, len(seen)))
    places = [slot.leaf if slot.fixed is None else next(behind) for slot in slots]
    pick, may_overlap = _picker(places), marshalling.may_overlap(slots)
    if not may_overlap and all(isinstance(seen[place], np.ndarray) for place in places):
        return pick

    def take(values: Values) -> Sequence[np.ndarray]:
        given: Sequence[Any] = pick(values)
        if may_overlap:
            given = marshalling.apart(given, given, slots)
        pairs = zip(given, slots, strict=True)
        return [v if type(v) is np.ndarray else np.array(v, dtype=slot.array.dtype) for v, slot in pairs]

    return take


def _picker(places: Sequence[int]) -> Callable[[Sequence[Any]], Values]:
    """The values at some places."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda values: tuple([values[place] for place in places])
