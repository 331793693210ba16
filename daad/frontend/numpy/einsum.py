"""`np.einsum`: operands are contracted pair by pair from the left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from string import ascii_letters
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.binding import Known
from daad.frontend.numpy.calling.call_arguments import dtype_of, known_shape, static
from daad.frontend.numpy.creation import converted
from daad.frontend.numpy.elementwise.ufuncs import into
from daad.frontend.numpy.tensor_products import Factor, contract
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue
from daad.ir.affine import Affine


def einsum(stage: Stage, *operands: Any, out: Any = None, dtype: Known = None) -> Any:
    if not operands:
        stage.refuse("'np.einsum' needs subscripts and operands.", "Name the axes by letters.")
    subscripts, *operands = operands if isinstance(operands[0], str) else as_text(stage, operands)  # type: ignore[assignment]
    arrays = [stage.array(operand) for operand in operands]
    if dtype is not None:
        arrays = [converted(stage, array, dtype_of(stage, dtype)) for array in arrays]
    text = subscripts.replace(" ", "")
    if "..." in text:
        text, arrays = _without_ellipsis(stage, text, arrays)
    inputs, output = _parsed(text)
    if [len(labels) for labels in inputs] != [array.ndim for array in arrays]:
        stage.refuse(
            f"The subscripts '{subscripts}' do not fit to the operands.", "Give each operand a letter for each axis."
        )
    if len(arrays) == 1 and set(inputs[0]) == set(output) and len(set(output)) == len(output) and out is None:
        return _rearranged(stage, arrays[0], inputs[0], output)
    factors = [_diagonal(stage, array, labels) for array, labels in zip(arrays, inputs, strict=True)]
    result = _contracted(stage, factors, output)
    return result if out is None else into(stage, result, out)


def as_text(stage: Stage, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The other way to call it: each operand is followed by a list of numbers, the output's list stands last."""
    pairs, rest = list(zip(operands[::2], operands[1::2], strict=False)), operands[len(operands) // 2 * 2 :]
    lists = [*(labels for _, labels in pairs), *rest]
    if not all(isinstance(one, list | tuple | range) for one in lists):
        stage.refuse("'np.einsum' needs its subscripts as a text or as lists of numbers.", "Name the axes by letters.")
    terms = ["".join("..." if label is ... else _letter(stage, label) for label in one) for one in lists]
    text = ",".join(terms[: len(pairs)]) + "".join(f"->{term}" for term in terms[len(pairs) :])
    return text, *(operand for operand, _ in pairs)


def _letter(stage: Stage, label: Any) -> str:
    number = static(stage, label, "labels of axes")
    if not isinstance(number, int | np.integer) or not 0 <= number < len(ascii_letters):
        stage.refuse(
            f"{number!r} is no label of an axis for 'np.einsum'.", f"Use integers from 0 to {len(ascii_letters) - 1}."
        )
    return ascii_letters[number]


def _without_ellipsis(stage: Stage, text: str, arrays: Sequence[ArrayValue]) -> tuple[str, list[ArrayValue]]:
    """Letters for the axes that an ellipsis stands for; an operand of length 1 along one has no such axis."""
    left, arrow, output = text.partition("->")
    terms = left.split(",")
    counts = [
        a.ndim - len(term) + 3 if "..." in term else 0
        for term, a in zip(terms, arrays, strict=len(terms) == len(arrays))
    ]
    free = [letter for letter in ascii_letters if letter not in text]
    axes = free[: max(counts)]
    if arrow and "..." not in output and axes:
        stage.refuse("The output of 'np.einsum' lacks the axes of an ellipsis.", "Write '...' there, too.")
    if not arrow:
        singles = Counter(left.replace(",", "").replace("...", ""))
        output = "..." + "".join(sorted(label for label, count in singles.items() if count == 1))
    terms = [term.replace("...", "".join(axes[len(axes) - n :])) for term, n in zip(terms, counts, strict=True)]
    one = Affine(1)
    wide = {
        label for term, a in zip(terms, arrays, strict=True) for label, e in zip(term, a.shape, strict=True) if e != one
    }
    found = [_narrowed(stage, a, term, wide.intersection(axes)) for term, a in zip(terms, arrays, strict=True)]
    inputs = ",".join(term for term, _ in found)
    return f"{inputs}->{output.replace('...', ''.join(axes))}", [array for _, array in found]


def _narrowed(stage: Stage, value: ArrayValue, labels: str, wide: set[str]) -> tuple[str, ArrayValue]:
    """The operand without axes of length 1 along which others are longer."""
    kept = [k for k, label in enumerate(labels) if label not in wide or value.shape[k] != Affine(1)]
    if len(kept) == len(labels):
        return labels, value
    shape = tuple(value.shape[k] for k in kept)
    places = {axis: number for number, axis in enumerate(kept)}
    part = stage.reindexed(
        value, shape, lambda point: [point[places[k]] if k in places else Affine(0) for k in range(len(labels))]
    )
    return "".join(labels[k] for k in kept), part


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


def einsum_path(stage: Stage, *operands: Any, optimize: Known = "greedy") -> Any:
    """An order that NumPy would take, for programs that hand it on; `einsum` goes its own way."""
    models: list[Any] = [np.empty(known_shape(stage, v)) if isinstance(v, ArrayValue) else v for v in operands]
    return np.einsum_path(*models, optimize=optimize)


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {np.einsum: einsum, np.einsum_path: einsum_path}
