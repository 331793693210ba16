"""The staged values that somebody still holds, found by the arrays that they read or are places in."""

from __future__ import annotations

from collections.abc import Container, Iterator
from operator import itemgetter
from weakref import ref

from daad.frontend.staging.values import ArrayValue, View

Reference = ref[ArrayValue]


class Registry:
    """Values in the order of their making; those that nobody holds any more drop out by themselves."""

    def __init__(self) -> None:
        self._values: dict[int, Reference] = {}
        self._by_array: dict[str, dict[int, Reference]] = {}

    def add(self, value: ArrayValue) -> None:
        """Counts a value as live; again when it has changed what it reads."""
        reference = ref(value)
        self._values[value.serial] = reference
        for array in _arrays_of(value):
            self._by_array.setdefault(array, {})[value.serial] = reference

    def discard(self, value: ArrayValue) -> None:
        """The value does not count any more."""
        self._values.pop(value.serial, None)

    def all(self) -> list[ArrayValue]:
        """All live values, oldest first."""
        found = [(serial, value) for serial, kept in self._values.items() if (value := kept()) is not None]
        if len(found) < len(self._values):
            self._values = {serial: self._values[serial] for serial, _ in found}
        found.sort(key=itemgetter(0))
        return [value for _, value in found]

    def noted(self) -> dict[int, Reference]:
        """Which values are live, for `back`."""
        return dict(self._values)

    def back(self, noted: dict[int, Reference], arrays: Container[str]) -> None:
        """Those values are live again, of which each has again what it read then, and no arrays but these exist."""
        self._values = dict(noted)
        self._by_array = {array: known for array, known in self._by_array.items() if array in arrays}

    def serials(self) -> frozenset[int]:
        """The numbers of all live values, which holds none of them."""
        return frozenset(value.serial for value in self.all())

    def readers(self, array: str) -> list[ArrayValue]:
        """Live values that a write to the array would change although they are no places in it."""
        return [value for value in self._of(array) if array in value.reads()]

    def views(self, array: str) -> list[View]:
        """Live places in the array."""
        return [value for value in self._of(array) if isinstance(value, View) and value.base == array]

    def _of(self, array: str) -> Iterator[ArrayValue]:
        known = self._by_array.get(array, {})
        for serial, reference in sorted(known.items()):
            value = reference()
            if value is None:
                del known[serial]
            elif serial in self._values:
                yield value


def _arrays_of(value: ArrayValue) -> set[str]:
    return value.reads() | ({value.base} if isinstance(value, View) else set())
