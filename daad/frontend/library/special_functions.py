"""Functions of `scipy.special` that SciPy's C code computes: operations of Programs, with the arguments of ufuncs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.frontend.library.anchored import anchored
from daad.frontend.library.special import SCIPY
from daad.ir.operations.complex_slopes import OF_COMPLEX
from daad.ir.operations.of_scipy import SPECIAL
from daad.ir.operations.special_slopes import RESULTS
from daad.runtime.c_functions import ufunc_of

Array = Any  # staged while the program is read


@dataclass(frozen=True)
class OfScipy:
    """A ufunc of SciPy's, by the operations that its results are."""

    ufunc: str
    operations: tuple[str, ...]

    def __call__(self, operands: tuple[Any, ...], out: Any, where: Any, casting: Any, dtype: Any) -> Any:
        return ufunc_of(self.ufunc)(*operands, out=out, where=where, casting=casting, dtype=dtype)

    @property
    def shown(self) -> str:
        """As programs call it."""
        return SPECIAL[self.operations[0]].shown

    @property
    def is_complex(self) -> bool:
        """Whether numbers go in and out as pairs of operands and operations."""
        return SPECIAL[self.operations[0]].function.types.endswith("D")


def _operations(is_complex: bool) -> dict[str, OfScipy]:
    several = {name: len(rows) for name, rows in RESULTS.items()}
    several |= {name: len(rows) for name, (_, _, rows) in OF_COMPLEX.items()}
    parts = {f"{name}_{k}" for name, count in several.items() for k in range(count)}
    rows: dict[str, tuple[str, ...]] = {name: (name,) for name in SPECIAL if name not in parts}
    rows |= {name: tuple(f"{name}_{k}" for k in range(count)) for name, count in several.items()}
    found = [OfScipy(SPECIAL[names[0]].function.ufunc, names) for names in rows.values()]
    return {function.ufunc: function for function in found if function.is_complex == is_complex}


OPERATIONS, OPERATIONS_OF_COMPLEX = _operations(False), _operations(True)
"""By the ufunc."""


def _program(function: OfScipy) -> Callable[..., Array]:
    def program(
        *operands: Array, out: Any = None, where: Any = True, casting: Any = "same_kind", dtype: Any = None
    ) -> Array:
        return function(operands, out, where, casting, dtype)

    def program_of_several(*operands: Array) -> Array:
        return function(operands, None, True, "same_kind", None)

    return program if len(function.operations) == 1 or function.is_complex else program_of_several


def _of_either(real: Callable[..., Array], of_complex: Callable[..., Array]) -> Callable[..., Array]:
    def program(*operands: Array, **options: Any) -> Array:
        if any(np.iscomplexobj(operand) for operand in operands):
            return of_complex(*operands, **options)
        return real(*operands, **options)

    return program


def _ufuncs() -> dict[str, Callable[..., Any]]:
    """Those of complex numbers know real ones, too, where there is a row for them."""
    real = {name: _program(function) for name, function in OPERATIONS.items() if name not in SCIPY}
    of_complex = {name: _program(function) for name, function in OPERATIONS_OF_COMPLEX.items()}
    either = {**SCIPY, **real}
    found = {name: _of_either(either[name], one) if name in either else one for name, one in of_complex.items()}
    return {**real, **found}


UFUNCS = _ufuncs()
BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600)
"""Bernoulli's numbers of even order by the factorials of their orders."""
TERMS, LEAST = 10, -6.0


def _sum_of_powers(s: Array, q: Array) -> Array:
    """Hurwitz's zeta function by Euler's and Maclaurin's formula."""
    total = q**-s
    for n in range(1, TERMS):
        total = total + (q + n) ** -s
    end = q + TERMS
    term = end**-s
    total = total + term * (end / (s - 1.0) + 0.5)
    term = s * term / end
    for k, number in enumerate(BERNOULLI):
        total = total + number * term
        term = term * (s + (2 * k + 1)) * (s + (2 * k + 2)) / (end * end)
    return total * np.where(s < LEAST, np.nan, 1.0)


def _is_fixed(order: Any) -> bool:
    return isinstance(order, int | float) or np.asarray(order).dtype.kind != "f"


def zeta(x: Array, q: Array = None, out: Any = None) -> Array:
    """The derivative in the order is that of a formula."""
    value = UFUNCS["_riemann_zeta"](x) if q is None else UFUNCS["_zeta"](x, q)
    if not _is_fixed(x):
        value = anchored(_sum_of_powers(x, 1.0 if q is None else q), value)
    if out is not None:
        out[...] = value
    return value


def zetac(x: Array) -> Array:
    return anchored(_sum_of_powers(x, 1.0), UFUNCS["zetac"](x))


def kelvin(x: Array) -> Any:
    pairs = (("ber", "bei"), ("ker", "kei"), ("berp", "beip"), ("kerp", "keip"))
    return tuple(UFUNCS[real](x) + 1j * UFUNCS[imaginary](x) for real, imaginary in pairs)


def exp2(x: Array) -> Array:
    return np.exp2(np.asarray(x) * 1.0)


PUBLIC = {name: program for name, program in UFUNCS.items() if not name.startswith("_")}
FUNCTIONS: dict[str, Callable[..., Any]] = {**PUBLIC, "digamma": UFUNCS["psi"], "zeta": zeta, "zetac": zetac}
FUNCTIONS |= {"kelvin": kelvin, "exp2": exp2}
COMPLEX = tuple(OPERATIONS_OF_COMPLEX)
