"""The signal that an int parameter must be a compile-time constant; the pipeline starts again with its value."""

from __future__ import annotations


class NeedsPlaces(Exception):
    """Masks that are known must be lists of places, since their length matters; never seen by users."""


class NeedsConstant(Exception):
    """A pass needs the value of the int parameter `name`; never seen by users."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name
