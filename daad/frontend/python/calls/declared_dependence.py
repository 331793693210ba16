"""The pattern that a user declares for a function that Python is called for: read, checked, and given a number."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue
from daad.ir.declared_patterns import NOTHING, Declared, number_of

HINT = "Give a matrix of truths with a row for each element of the results, and a column for each of the arguments."


def number_of_pattern(
    stage: Stage, name: str, pattern: Any, arguments: Sequence[ArrayValue], results: Sequence[ArrayValue]
) -> int:
    """The number of what is declared of these arguments and results, all of floats: a matrix, or a function that makes
    it of its shape."""
    if pattern is None:
        return NOTHING
    sizes = [tuple(prod(map(stage.known, leaf.shape)) for leaf in leaves) for leaves in (results, arguments)]
    rows, columns = _entries(stage, name, pattern, (sum(sizes[0]), sum(sizes[1])))
    return number_of(Declared(rows, columns, *sizes))


def _entries(stage: Stage, name: str, pattern: Any, shape: tuple[int, int]) -> tuple[tuple[int, ...], ...]:
    found = pattern(*shape) if callable(pattern) else pattern
    found = found if hasattr(found, "tocoo") else np.asarray(found)
    if found.shape != shape:
        text = f"The pattern of '{name}' has shape {found.shape}, and the function is one from {shape[1]} to {shape[0]}"
        stage.refuse(f"{text} elements.", HINT)
    return tuple(tuple(map(int, places)) for places in found.nonzero())
