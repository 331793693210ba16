"""Functions of `scipy.special` that SciPy computes in C, as operations of Programs: a slope for each operand."""

from __future__ import annotations

from dataclasses import dataclass

from daad.ir.operations import distribution_slopes, special_slopes
from daad.ir.operations.complex_slopes import OF_COMPLEX
from daad.ir.operations.inverse_slopes import INVERSES
from daad.ir.operations.order_slopes import IN_ORDERS
from daad.ir.operations.special_slopes import RESULTS
from daad.runtime.c_functions import CFunction

UNKNOWN = special_slopes.UNKNOWN
OPERANDS = "abcdef"
SLOPES = {**special_slopes.SLOPES, **distribution_slopes.SLOPES}


@dataclass(frozen=True)
class Special:
    """A function of SciPy's with its slopes; `name` is that of the operation."""

    name: str
    function: CFunction
    slopes: tuple[str | None, ...]

    @property
    def shown(self) -> str:
        """As programs call it."""
        return f"scipy.special.{self.function.ufunc.lstrip('_')}"


def _rows() -> dict[str, Special]:
    found = [(name, CFunction(name, f"{'d' * len(row)}->d"), row) for name, row in SLOPES.items()]
    for name, rows in RESULTS.items():
        types = f"{'d' * len(rows[0])}->{'d' * len(rows)}"
        found += [(f"{name}_{k}", CFunction(name, types, k), row) for k, row in enumerate(rows)]
    for name, (ufunc, types, rows) in OF_COMPLEX.items():
        found += [(f"{name}_{k}", CFunction(ufunc, types, k), row) for k, row in enumerate(rows)]
    return {name: Special(name, function, _completed(name, row)) for name, function, row in found}


def _completed(name: str, row: tuple[str | None, ...]) -> tuple[str | None, ...]:
    return tuple({**IN_ORDERS, **INVERSES}.get(name, {}).get(k, slope) for k, slope in enumerate(row))


SPECIAL = _rows()
"""By the names of the operations."""
