"""`np.einsum`: operands are contracted pair by pair from the left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.python.numpy.products import Factor, contract
from daad.frontend.python.numpy.ufuncs import into
from daad.frontend.python.stage import Stage
from daad.frontend.python.values import ArrayValue


def einsum(stage: Stage, subscripts: Any, *operands: Any, out: Any = None, optimize: Any = False) -> Any:
    if not isinstance(subscripts, str) or "." in subscripts:
        stage.refuse("'np.einsum' needs its subscripts as a text without an ellipsis.", "Name all axes by letters.")
    inputs, output = _parsed(subscripts.replace(" ", ""))
    arrays = [stage.array(operand) for operand in operands]
    if [len(labels) for labels in inputs] != [array.ndim for array in arrays]:
        stage.refuse(
            f"The subscripts '{subscripts}' do not fit to the operands.", "Give each operand a letter for each axis."
        )
    if len(arrays) == 1 and set(inputs[0]) == set(output) and len(set(output)) == len(output) and out is None:
        return _rearranged(stage, arrays[0], inputs[0], output)
    factors = [_diagonal(stage, array, labels) for array, labels in zip(arrays, inputs, strict=True)]
    result = _contracted(stage, factors, output)
    return result if out is None else into(stage, result, out)


def _parsed(text: str) -> tuple[list[str], str]:
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    if arrow:
        return inputs, right
    counts = Counter(left.replace(",", ""))
    return inputs, "".join(sorted(label for label, count in counts.items() if count == 1))


def _diagonal(stage: Stage, value: ArrayValue, labels: str) -> Factor:
    """A label that occurs twice takes the diagonal."""
    distinct = "".join(dict.fromkeys(labels))
    if distinct == labels:
        return Factor(value, tuple(labels))
    shape = tuple(value.shape[labels.index(label)] for label in distinct)
    part = stage.reindexed(value, shape, lambda point: [point[distinct.index(label)] for label in labels])
    return Factor(part, tuple(distinct))


def _rearranged(stage: Stage, value: ArrayValue, labels: str, output: str) -> ArrayValue:
    """Axes in another order, or diagonals: a view."""
    shape = tuple(value.shape[labels.index(label)] for label in output)
    return stage.reindexed(value, shape, lambda point: [point[output.index(label)] for label in labels])


def _contracted(stage: Stage, factors: Sequence[Factor], output: str) -> ArrayValue:
    dtype = np.result_type(*(factor.value.dtype for factor in factors))
    first, *rest = factors
    for number, other in enumerate(rest[:-1], start=2):
        later = set(output).union(*(factor.labels for factor in factors[number:]))
        kept = tuple(label for label in dict.fromkeys((*first.labels, *other.labels)) if label in later)
        first = Factor(contract(stage, (first, other), kept, dtype), kept)
    return contract(stage, (first, *rest[-1:]), tuple(output), dtype)


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {np.einsum: einsum}
