"""Reversal: statements, loops and branches of the adjoint from those of the primal."""

from daad.loops.reverse import Adjoint, differentiate

__all__ = ["Adjoint", "differentiate"]
