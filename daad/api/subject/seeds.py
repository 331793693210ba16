"""The weights of outputs: numbers that are compiled in, arrays that are constant, and those that a call brings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from daad.api.subject import complex_views
from daad.api.subject.request import Request, checked, seeds_of
from daad.api.subject.subject import Subject
from daad.errors import BadArgument, NotDifferentiable
from daad.frontend.python.read import Read
from daad.ir.dtypes import is_float
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Array
from daad.ir.seed import Seed


def seeds_for(read: Read, request: Request, subject: Subject) -> tuple[Seed, ...]:
    """The seed of each output; refused where it does not fit."""
    given = seeds_of(request, len(read.outputs), subject.at)
    if len(given) > 1 and request.of is None and request.seed is None:
        raise NotDifferentiable(
            f"'{subject.name}' returns {len(given)} arrays or numbers, and a gradient is that of one scalar.",
            at=subject.at,
            hint="Choose with 'of', such as of=0, or give seeds, such as seed=1.0 for the gradient of the sum of all.",
        )
    arrays = [read.program.arrays[name] for name in read.outputs]
    names = [seed_array(number, read) for number in range(len(arrays))]
    return tuple(
        (_complex_seed if array.name in read.pairs else _seed)(name, array, seed, request, subject)
        for name, array, seed in zip(names, arrays, given, strict=True)
    )


def brought(read: Read, request: Request, subject: Subject) -> Callable[[Any], list[np.ndarray]]:
    """The arrays that compiled code takes for the seed of a call."""
    arrays = [read.program.arrays[name] for name in read.outputs]
    only = arrays[0] if len(arrays) == 1 and arrays[0].name not in read.pairs else None

    def convert(seed: Any) -> list[np.ndarray]:
        if only is not None and _is_plain(seed, only):
            return [_whole(only, seed, False)]
        asked = checked(replace(request, seed=seed))
        seeds_for(read, asked, subject)
        given = seeds_of(asked, len(arrays), subject.at)
        return [_whole(array, one, array.name in read.pairs) for array, one in zip(arrays, given, strict=True)]

    return convert


def _is_plain(seed: Any, array: Array) -> bool:
    """Whether nothing of it needs to be looked at."""
    is_array = type(seed) is np.ndarray and seed.dtype == array.dtype and seed.shape == array.shape
    return type(seed) is float or is_array


def _whole(array: Array, seed: Any, is_complex: bool) -> np.ndarray:
    if is_complex:
        return np.full(array.shape[:-1], seed, complex)
    return np.full(array.shape, seed, array.dtype)


def seed_arrays(read: Read, request: Request) -> dict[str, Any]:
    """Those that are always the same, by the parameter that each is."""
    found: dict[str, Any] = {}
    if request.seed_at_call:
        return found
    for number, seed in enumerate(seeds_of(request, len(read.outputs))):
        array = read.program.arrays[read.outputs[number]]
        if array.name in read.pairs:
            found[seed_array(number, read)] = complex_views.parts(_whole(array, seed, True))
        elif np.ndim(seed):
            found[seed_array(number, read)] = seed
    return found


def _seed(parameter: str, array: Array, seed: Any, request: Request, subject: Subject) -> Seed:
    name = array.name
    what = f"The result of '{subject.name}'" if request.of is None else f"'{name}'"
    if not is_float(array.dtype):
        raise NotDifferentiable(
            f"{what} is of dtype {array.dtype}, and only floats have gradients.",
            at=subject.at,
            hint="Differentiate a float result.",
        )
    if np.iscomplexobj(seed):
        raise BadArgument(
            f"{what} is real, and its seed is complex.", at=subject.at, hint="Give a real number, or an array of them."
        )
    if seed is None and array.size != 1:
        raise NotDifferentiable(
            f"{what} has shape {array.shape}, and a gradient is that of a scalar.",
            at=subject.at,
            hint="Give a seed, such as seed=1.0 for the gradient of the sum, or name a scalar with 'of'.",
        )
    if not request.seed_at_call and (seed is None or np.ndim(seed) == 0):
        return Seed(name, 1.0 if seed is None else float(seed))
    if np.ndim(seed) and np.shape(seed) != array.shape:
        raise BadArgument(
            f"{what} has shape {array.shape}, its seed has shape {np.shape(seed)}.",
            at=subject.at,
            hint="Give a number, or an array of that shape.",
        )
    return Seed(name, None, parameter)


def _complex_seed(parameter: str, array: Array, seed: Any, request: Request, subject: Subject) -> Seed:
    """The seed of a complex output is always an array: of the weights of real and imaginary parts."""
    what = f"The result of '{subject.name}'" if request.of is None else f"'{array.name}'"
    if seed is None:
        raise NotDifferentiable(
            f"{what} is complex, and a gradient is that of a real number.",
            at=subject.at,
            hint="Return a real number, such as 'abs(z)**2', or give a seed: that of real and imaginary parts.",
        )
    if np.ndim(seed) and np.shape(seed) != array.shape[:-1]:
        raise BadArgument(
            f"{what} has shape {array.shape[:-1]}, its seed has shape {np.shape(seed)}.",
            at=subject.at,
            hint="Give a number, or an array of that shape.",
        )
    return Seed(array.name, None, parameter)


def seed_array(number: int, read: Read) -> str:
    return NameSupply.of(read.program).new(f"seed_{number}")
