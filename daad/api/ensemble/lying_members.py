"""Members that lie on workers already, whole or in part: Dask's futures, and what is delayed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from daad.runtime.lazy_import import later

by_value = later("daad.api.ensemble.by_value")
distributed = later("distributed")

HEAVY = 4 * 2**20
"""Bytes of arguments that a task may have: the scheduler keeps them, to replay."""
MOVED = 2**18
"""Bytes that workers may send each other for a task, which take less than what Dask does for another one."""


def as_future(client: Any, member: Any) -> Any:
    """With futures in the place of what is delayed."""
    if hasattr(member, "__dask_graph__"):
        return client.compute(member)
    if isinstance(member, tuple) and any(hasattr(part, "__dask_graph__") for part in member):
        return tuple(as_future(client, part) for part in member)
    return member


def _parts(member: Any) -> tuple[Any, ...]:
    return member if isinstance(member, tuple) else (member,)


def _futures(member: Any) -> Iterator[Any]:
    return (part for part in _parts(member) if isinstance(part, distributed.Future))


def is_of_dask(member: Any) -> bool:
    """Whether workers hold some of it."""
    return any(True for _ in _futures(member))


def light_enough(client: Any, first: Sequence[Any], members: Any) -> int:
    """How many members may be one task, by the bytes of the first ones, or of all in a list that lie on workers.

    What nobody has computed yet has no size, and stays alone.
    """
    if any(hasattr(part, "__dask_graph__") for member in first for part in _parts(member)):
        return 1
    plain = tuple(part for part in _parts(first[0]) if not isinstance(part, distributed.Future))
    light = HEAVY // max(len(by_value.dumps(plain)), 1)
    if not any(map(is_of_dask, first)):
        return light
    most = _heaviest(client, first, members if isinstance(members, list | tuple) else first)
    return 1 if most is None else min(light, MOVED // max(most, 1))


def _heaviest(client: Any, first: Sequence[Any], members: Iterable[Any]) -> int | None:
    """Bytes that must come to where a member is computed; None where the first ones have failed.

    What the first ones have in common is shared by all, and comes once.
    """
    distributed.wait([future for member in first for future in _futures(member)])
    keys = [{future.key for future in _futures(member)} for member in first]
    shared = set.intersection(*keys) if len(keys) > 1 else set()
    lying = [{future.key for future in _futures(member) if future.status == "finished"} - shared for member in members]
    if not set.union(*keys) - shared <= set().union(*lying):
        return None
    sizes = client.nbytes(keys=list(set().union(*lying)), summary=False)
    return max(sum(sizes[key] for key in own) for own in lying)
