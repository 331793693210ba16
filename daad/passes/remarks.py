"""Passes that tell what they changed, if somebody asks for that."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

from daad.ir.nodes import Program
from daad.ir.walk import nests
from daad.messages.progress import tell, wants

Pass = Callable[..., Program]
PASSES = 2
"""The level of `verbose`."""


def told(change: Pass) -> Pass:
    """The same pass."""

    @functools.wraps(change)
    def changed(program: Program, *more: Any) -> Program:
        if not wants(PASSES):
            return change(program, *more)
        start = time.perf_counter()
        after = change(program, *more)
        seconds = time.perf_counter() - start
        if after is not program and after != program:
            tell(f"  {change.__name__}: {_count(program)} nests -> {_count(after)}, {seconds:.4f} s", PASSES)
        return after

    return changed


def _count(program: Program) -> int:
    return sum(1 for _ in nests(program.body))
