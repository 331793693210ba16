"""Names that passes make; all follow from the program, so the same program gives the same text."""

from __future__ import annotations

from collections.abc import Collection


def bar(name: str) -> str:
    """The adjoint of an array."""
    return f"{name}_bar"


def formal(number: int) -> str:
    """Stands for a variable where statements are compared: no program has such a name."""
    return f"?{number}"


def fresh(name: str, taken: Collection[str]) -> str:
    """`name`, or `name_1`, `name_2`, … if that is taken."""
    candidate, number = name, 0
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
