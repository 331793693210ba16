"""The members of an ensemble, in batches that are nodes of the tree in which their results are summed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from daad.errors import BadArgument


@dataclass(frozen=True)
class Batch:
    """Members from number `first` on; `level`: there are 2 ** level of them, in the last batch perhaps fewer."""

    first: int
    level: int
    members: tuple[Any, ...]

    @property
    def stop(self) -> int:
        return self.first + len(self.members)

    def __str__(self) -> str:
        many = len(self.members) > 1
        return f"members {self.first} to {self.stop - 1}" if many else f"member {self.first}"


def iterated(members: Any) -> Iterator[Any]:
    """The members one after the other."""
    if isinstance(members, Iterable) and not isinstance(members, str | bytes):
        return iter(members)
    raise BadArgument(f"The members are of type '{type(members).__name__}'.", hint="Give a list or a generator.")


def batch(members: Iterator[Any], first: int, most: int) -> Batch | None:
    """The next batch of at most so many; None where there are no more."""
    level = most.bit_length() - 1
    while first % (1 << level):
        level -= 1
    found = tuple(islice(members, 1 << level))
    return Batch(first, level, found) if found else None


def require_tuple(member: Any, number: int) -> tuple[Any, ...]:
    """The arguments that a member is."""
    if not isinstance(member, tuple):
        message = f"Member {number} is of type '{type(member).__name__}' and no tuple of arguments."
        raise BadArgument(message, hint="Write a single argument as '(x,)'.")
    return member
