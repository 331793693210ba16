"""NumPy's polynomials where data decide how many coefficients they have: the usual number, or an error at run time; and
where one is put into another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any  # staged while the program is read
SHORTER = "There is a zero at an end, where NumPy makes the array shorter: this has no derivative"


def trimseq(seq: Array) -> Array:
    if len(seq) > 1 and seq[-1] == 0:
        raise ValueError(SHORTER)
    return seq


def trim_zeros(filt: Array, trim: str = "fb", axis: None = None) -> Array:
    if np.ndim(filt) != 1 or axis is not None:
        raise ValueError("'np.trim_zeros' of several axes is not supported")
    if len(filt) == 0:
        return filt
    if "f" in trim.lower() and filt[0] == 0:
        raise ValueError(SHORTER)
    if "b" in trim.lower() and filt[-1] == 0:
        raise ValueError(SHORTER)
    return filt


def mapdomain(x: Any, old: Array, new: Array) -> Any:
    """Of numbers, or of a polynomial in whose place another one is put."""
    off, scl = np.polynomial.polyutils.mapparms(old, new)
    return off + scl * (x if hasattr(x, "coef") else np.asarray(x))


NUMPY: dict[str, Callable[..., Any]] = {"trim_zeros": trim_zeros}
POLYUTILS: dict[str, Callable[..., Any]] = {"trimseq": trimseq, "mapdomain": mapdomain}
