"""What an array held at a point of the primal: the names of array SSA (Knobe and Sarkar, POPL 1998)."""

from __future__ import annotations

Point = tuple[int, ...]


class Version(str):
    """The name of `array` as it was at `point`, or, without one, as the primal leaves it; `A@2.0`, `A@end`."""

    array: str
    point: Point | None

    def __new__(cls, array: str, point: Point | None = None) -> Version:
        self = super().__new__(cls, f"{array}@{'end' if point is None else '.'.join(map(str, point))}")
        self.array, self.point = array, point
        return self

    def __getnewargs__(self) -> tuple[str, Point | None]:  # type: ignore[override]
        return self.array, self.point

    @property
    def is_end(self) -> bool:
        """Whether it is the array as the primal leaves it."""
        return self.point is None


def array_of(name: str) -> str:
    """The array that a version is of; other names are those of arrays."""
    return name.array if isinstance(name, Version) else name


def is_at_end(name: str) -> bool:
    """Whether a name is that of an array as the primal leaves it."""
    return isinstance(name, Version) and name.is_end
