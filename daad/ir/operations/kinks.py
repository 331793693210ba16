"""How far operands are from where a derivative jumps or does not exist; the sign does not matter."""

from __future__ import annotations

import numpy as np


def difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a - b


def first(a: np.ndarray, *_: np.ndarray) -> np.ndarray:
    return a


def second(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return b


def to_whole(a: np.ndarray) -> np.ndarray:
    """Smooth, unlike the distance, which jumps half-way."""
    return np.sin(np.pi * a)


def to_half(a: np.ndarray) -> np.ndarray:
    return np.cos(np.pi * a)


def to_multiple(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return to_whole(a / b)


def to_zero_base(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whole powers are smooth."""
    return np.where((b >= 0) & (b == np.rint(b)), np.inf, a)


def to_one(a: np.ndarray) -> np.ndarray:
    return np.abs(a) - 1.0


def hypot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.hypot(a, b)
