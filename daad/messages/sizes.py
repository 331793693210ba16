"""Numbers of bytes as people write them."""

from __future__ import annotations

import math
import re
from numbers import Real
from typing import Any

from daad.errors import BadArgument

UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
DECIMAL = {"kb": "KiB", "mb": "MiB", "gb": "GiB", "tb": "TiB", "k": "KiB", "m": "MiB", "g": "GiB"}
USE = "Write it as '64MiB' or '1.5GiB'; a bare number counts MiB."


class Bytes(int):
    """A number of bytes, as `plan.nbytes` is one: an int whose sums, products with numbers and halves (by `//`) stay
    bytes, so that `memory_limit=plan.nbytes // 2` means what it says.

        >>> import daad
        >>> daad.Bytes(3_000_000) // 2
        1.43 MiB (1500000 bytes)

    A bare number as a `memory_limit` counts MiB; so what `/` makes of bytes is refused there.
    """

    def __repr__(self) -> str:
        return f"{readable(self)} ({int(self)} bytes)" if self >= UNITS["KiB"] else f"{int(self)} bytes"

    def __str__(self) -> str:
        return int.__repr__(self)

    def __add__(self, other: Any) -> Any:
        return _bytes(int(self) + other)

    def __sub__(self, other: Any) -> Any:
        return _bytes(int(self) - other)

    def __rsub__(self, other: Any) -> Any:
        return _bytes(other - int(self))

    def __mul__(self, other: Any) -> Any:
        return int(self) * other if isinstance(other, Bytes) else _bytes(int(self) * other)

    def __floordiv__(self, other: Any) -> Any:
        return int(self) // int(other) if isinstance(other, Bytes) else _bytes(int(self) // other)

    def __truediv__(self, other: Any) -> Any:
        return int(self) / int(other) if isinstance(other, Bytes) else _part(int(self) / other)

    __radd__, __rmul__ = __add__, __mul__


class Part(float):
    """What `/` makes of bytes: a number of bytes or of MiB, whoever knows."""

    def __mul__(self, other: Any) -> Any:
        return _part(float(self) * other)

    def __truediv__(self, other: Any) -> Any:
        return _part(float(self) / other)

    __rmul__ = __mul__


def _bytes(number: Any) -> Any:
    """Rounded down."""
    return Bytes(math.floor(number)) if isinstance(number, Real) else number


def _part(number: Any) -> Any:
    return Part(number) if isinstance(number, float) else number


def read_size(value: Any, option: str = "memory_limit") -> int | None:
    """Bytes of a size such as '64MiB' or 64 (MiB); None stays None. Raises BadArgument for anything else."""
    if value is None:
        return None
    if isinstance(value, Bytes):
        return _positive(value, UNITS["B"], value, option)
    if isinstance(value, Part):
        sentence = f"The option '{option}' is what '/' makes of bytes, {value!r}: of bytes, or of MiB?"
        raise BadArgument(sentence, hint=f"Use '//' for bytes. {USE}")
    if isinstance(value, str):
        return _of_text(value, option)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadArgument(f"The option '{option}' is {value!r}.", hint=USE)
    return _positive(float(value), UNITS["MiB"], value, option)


def _of_text(text: str, option: str) -> int:
    match = re.fullmatch(r"\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?|nan|inf)\s*([A-Za-z]*)\s*", text)
    if match is None:
        raise BadArgument(f"The option '{option}' is '{text}', which is no size.", hint=USE)
    number, unit = match.groups()
    if unit and unit not in UNITS:
        meant = DECIMAL.get(unit.lower()) or next((u for u in UNITS if u.lower() == unit.lower()), None)
        hint = f"Did you mean '{number}{meant}'? {USE}" if meant else USE
        raise BadArgument(f"The option '{option}' is '{text}', and '{unit}' is no unit.", hint=hint)
    try:
        return _positive(float(number), UNITS[unit or "MiB"], text, option)
    except ValueError:
        raise BadArgument(f"The option '{option}' is '{text}', which is no size.", hint=USE) from None


def _positive(number: float, unit: int, given: Any, option: str) -> int:
    if math.isnan(number) or math.isinf(number) or number <= 0:
        raise BadArgument(f"The option '{option}' is {given!r}: a limit is positive and finite.", hint=USE)
    return int(number * unit)


def readable(nbytes: int) -> str:
    """Three significant digits in the largest unit that leaves at least one."""
    unit = max((u for u in UNITS if nbytes >= UNITS[u]), key=lambda u: UNITS[u], default="B")
    number = nbytes / UNITS[unit]
    return f"{nbytes} B" if unit == "B" else f"{number:.3g} {unit}" if number < 1000 else f"{number:.0f} {unit}"
