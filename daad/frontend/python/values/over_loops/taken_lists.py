"""Lists that are appended to another one, of which the items lie in arrays."""

from __future__ import annotations

from typing import Any

from daad.frontend.python.reading.loop_plans import Plan
from daad.frontend.python.reading.reader import Reader
from daad.frontend.staging.container_items import parts_within
from daad.frontend.staging.values import Composite


class Taken(Composite):
    """The items of a list that is appended to another one."""

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self._parts = parts

    @property
    def parts(self) -> tuple[Any, ...]:
        return self._parts

    def of(self, parts: tuple[Any, ...]) -> Taken:
        return Taken(parts)

    def is_like(self, other: Any) -> bool:
        return True


def taken(reader: Reader, plan: Plan, value: Any, holds: Any = None) -> Any:
    """The value to be put into rows; `holds`: the list in which it is already. A list that something else holds, too,
    must not be written any more."""
    if type(value) is not list or id(value) in reader.outside:
        return value
    every = (part for holder, item in reader.held() if holder is not holds for part in parts_within(item))
    if any(part is value for part in every):
        reader.freeze(plan, [value])
        plan.shares = True
    return Taken(tuple(value))


def given_back(reader: Reader, plan: Plan, value: Any) -> Any:
    """The value that a row stands for."""
    if not isinstance(value, Taken):
        return value
    made = list(value.parts)
    reader.freeze(plan, [made] if plan.shares else [])
    return made
