"""What a program can say to daad; under NumPy alone it says nothing."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def checkpoint(x: T) -> T:
    """`x` itself; the gradient keeps this array rather than computing it again."""
    return x


def recompute(x: T) -> T:
    """`x` itself; the gradient computes this array again, where an expression can, rather than keeping it."""
    return x
