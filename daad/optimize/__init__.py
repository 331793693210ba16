"""Passes from Program to Program that change how things are computed, never what."""

from __future__ import annotations

from daad.optimize.dead import remove_dead
from daad.optimize.fuse import fuse
from daad.optimize.gather import gather
from daad.optimize.peel import peel
from daad.optimize.simplify import simplify
from daad.optimize.zeros import zeros
from daad.program.nodes import Program

Names = frozenset[str]


def prepare(program: Program, live: Names) -> Program:
    """Before differentiation."""
    return remove_dead(simplify(fuse(remove_dead(simplify(program), live), live)), live)


def improve(program: Program, live: Names) -> Program:
    """After differentiation: the form that people read."""
    return remove_dead(zeros(simplify(gather(remove_dead(program, live))), live), live)


def finish(program: Program, live: Names) -> Program:
    """The form that is compiled."""
    return remove_dead(peel(simplify(program)), live)


__all__ = ["finish", "fuse", "gather", "improve", "peel", "prepare", "remove_dead", "simplify", "zeros"]
