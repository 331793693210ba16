"""What the functions of an exported library take: the arguments of a call that vary, values, gradients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from math import prod
from typing import Any

import numpy as np

from daad.api.call.specialization import Specialised
from daad.api.subject import arguments as calls
from daad.codegen.chosen_names import cleaned
from daad.codegen.safe_names import CPP_WORDS, identifier
from daad.codegen.spelling import ctype
from daad.ir.nodes import Array

LONGEST = 40
"""The letters of a library's name: Fortran has names of 63, and some are longer by an ending."""
OWN_WORDS = ("work", "code", "memory", "slots", "results", "integers")
"""Other names in the functions."""
WORDS = frozenset(CPP_WORDS.split())


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """An array or a number, `name` in C; `label` is what the user calls it.

    `place` is where compiled code takes or leaves it: among its array parameters, its `is_integer` ones, or its results
    (None: a gradient that is zero, or an argument that does not matter). `is_number`: it is passed by value.
    """

    name: str
    label: str
    dtype: str
    shape: tuple[int, ...]
    place: int | None
    is_number: bool = False
    is_integer: bool = False
    is_written: bool = False
    is_complex: bool = False
    is_parameter: bool = False

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * np.dtype(self.dtype).itemsize

    @property
    def ctype(self) -> str:
        return ctype(self.dtype)

    @property
    def is_float(self) -> bool:
        return np.dtype(self.dtype).kind == "f"


@dataclass(frozen=True, kw_only=True)
class Signature:
    """Of one program: `inputs` in the order of a call, `values` and `gradients` that it leaves, and what is `fixed`.

    `active[k]` is the place in `gradients` of the gradient with respect to the input k.
    """

    name: str
    inputs: tuple[Parameter, ...]
    values: tuple[Parameter, ...]
    gradients: tuple[Parameter, ...]
    active: Mapping[int, int]
    fixed: tuple[tuple[str, str], ...]

    @property
    def outputs(self) -> tuple[Parameter, ...]:
        return (*self.values, *self.gradients)

    def shadows(self) -> Iterator[tuple[Parameter, Parameter | None]]:
        """Each input, with a parameter for its shadow if it is of floats; that of an inactive one has no place."""
        taken = {p.name for p in (*self.inputs, *self.outputs)}
        for number, given in enumerate(self.inputs):
            if number in self.active:
                yield given, self.gradients[self.active[number]]
            elif given.is_float:
                yield given, _gradient(given, None, taken)
            else:
                yield given, None


def signature_of(found: Specialised, leaves: Sequence[calls.Leaf], name: str) -> Signature:
    """Of a specialised gradient with its value, for the leaves of the call that it is made for."""
    taken = {*OWN_WORDS, name.lower()}
    slots = {slot.leaf: number for number, slot in enumerate(found.slots) if slot.fixed is None}
    by_leaf = {
        number: made
        for number, (label, value) in enumerate(leaves)
        if (made := _input(found, number, label, value, slots.get(number), taken)) is not None
    }
    seeds = [
        _array(_free("seed", taken), "the seed", found.slots[slots[leaf]].array, slots[leaf])
        for leaf in sorted(slots)
        if leaf >= len(leaves)
    ]
    values = _values(found, taken)
    gradients = [_gradient(by_leaf[leaf], place, taken) for place, leaf in found.answer.gradients]
    positions = {leaf: number for number, leaf in enumerate(by_leaf)}
    return Signature(
        name=name,
        inputs=(*by_leaf.values(), *seeds),
        values=values,
        gradients=tuple(gradients),
        active={positions[leaf]: number for number, (_, leaf) in enumerate(found.answer.gradients)},
        fixed=tuple((label, _shown(value)) for k, (label, value) in enumerate(leaves) if k not in by_leaf),
    )


def _values(found: Specialised, taken: set[str]) -> tuple[Parameter, ...]:
    interface, values = found.planned.outcome.interface, []
    for output, (kind, place) in zip(interface.outputs, found.answer.values or (), strict=True):
        is_result = kind == "result"
        array = (interface.results if is_result else interface.parameters)[place]
        name = _free("value" if len(interface.outputs) == 1 else f"{cleaned(output)}_value", taken)
        values.append(replace(_array(name, "the value", array, place), is_parameter=not is_result))
    return tuple(values)


def _gradient(of: Parameter, place: int | None, taken: set[str]) -> Parameter:
    name = _free(f"{of.name}_bar", taken)
    label = f"the gradient of {of.label}"
    return replace(of, name=name, label=label, place=place, is_number=False, is_written=False)


def library_name(program: str) -> str:
    """The name that files and functions begin with."""
    return identifier(program)[:LONGEST].rstrip("_")


def _input(
    found: Specialised, number: int, label: str, value: Any, slot: int | None, taken: set[str]
) -> Parameter | None:
    """One leaf of a call; None for what is compiled in."""
    if any(number == place for place, _ in found.pinned):
        return None
    if number in found.integers:
        place, name = found.integers.index(number), _free(label, taken)
        return Parameter(name=name, label=label, dtype="int64", shape=(), place=place, is_number=True, is_integer=True)
    if slot is not None:
        its = found.slots[slot]
        return Parameter(
            name=_free(label, taken),
            label=label,
            dtype=its.array.dtype,
            shape=its.array.shape,
            place=slot,
            is_number=not isinstance(value, np.ndarray) and its.array.shape == (),
            is_written=its.written,
            is_complex=its.paired,
        )
    if calls.is_float(value):  # whatever it is, the result is the same
        array = np.asarray(value)
        is_complex = array.dtype.kind == "c"
        shape = (*array.shape, 2) if is_complex else array.shape
        return Parameter(
            name=_free(label, taken),
            label=label,
            dtype=array.real.dtype.newbyteorder("=").name,
            shape=shape,
            place=None,
            is_number=not isinstance(value, np.ndarray) and shape == (),
            is_complex=is_complex,
        )
    return None


def _array(name: str, label: str, array: Array, place: int | None) -> Parameter:
    return Parameter(name=name, label=label, dtype=array.dtype, shape=array.shape, place=place)


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    text = repr(value)
    return text if len(text) <= 60 and "\n" not in text and "*/" not in text else f"of type {type(value).__name__}"


def _free(wanted: str, taken: set[str]) -> str:
    """A name that nothing else has, in capitals either: Fortran makes no difference."""
    word = cleaned(wanted)[:LONGEST]
    word = f"{word}_" if word in WORDS else word
    own = next(w for w in chain((word,), (f"{word}_{n}" for n in count(2))) if w.lower() not in taken)
    taken.add(own.lower())
    return own
