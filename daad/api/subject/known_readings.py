"""What one derivative of a function has read serves the next one: readings are kept with the function."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from daad.api.subject import arguments as calls
from daad.frontend.python.read import Asked, Read
from daad.frontend.python.reading.guards import Definition

MOST = 4
"""Readings of one function that are kept."""


@dataclass(frozen=True, eq=False)
class _Known:
    """A reading, for arguments of some form, of a function as it was then."""

    definition: Definition
    key: Hashable
    read: Read

    def serves(self, key: Hashable, bound: Mapping[str, Any]) -> bool:
        leaves = dict(calls.leaves(bound))
        return (
            self.key == key
            and self.definition.holds()
            and all(leaves[name] == value for name, value in self.read.pinned.items())
            and all((leaves[a] is leaves[b]) is same for (a, b), same in self.read.compared.items())
            and all(witness.holds() for witness in self.read.witnesses)
        )


_readings: WeakKeyDictionary[Any, deque[_Known]] = WeakKeyDictionary()


def found(definition: Definition, bound: Mapping[str, Any], asked: Asked) -> Read | None:
    """The reading for such arguments, if all that it has seen is as it was."""
    known = _readings.get(definition.function)
    if not known or not _is_plain(bound, asked):
        return None
    key = _key(bound, asked)
    return next((one.read for one in tuple(known) if one.serves(key, bound)), None)


def note(definition: Definition, bound: Mapping[str, Any], asked: Asked, read: Read) -> None:
    """Keeps a reading, unless it depends on more than is looked at here."""
    if read.bounded or read.decisions or read.drawn or read.changes_outside or not _is_plain(bound, asked):
        return
    known = _readings.setdefault(definition.function, deque(maxlen=MOST))
    known.appendleft(_Known(definition, _key(bound, asked), read))


def _is_plain(bound: Mapping[str, Any], asked: Asked) -> bool:
    """Whether nothing is asked but outputs, of arguments that are known by dtype, shape and value."""
    is_asked = replace(asked, of=None, derivatives=1) == Asked()
    return is_asked and not any(calls.is_known_by_identity(value) for _, value in calls.leaves(bound))


def _key(bound: Mapping[str, Any], asked: Asked) -> Hashable:
    of = tuple(asked.of) if isinstance(asked.of, list) else asked.of
    return of, asked.derivatives, *calls.forms(bound)
