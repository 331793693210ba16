"""The arguments of a call: bound to names, flattened to leaves, told apart by what a compiled gradient depends on."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.errors import BadArgument, Location, Unsupported
from daad.frontend import structures
from daad.frontend.array_classes import PLAIN, foreign_sentence, is_foreign_array
from daad.frontend.library.solvers.sparse_originals import is_scipys
from daad.frontend.python.syntax.source import FunctionSource
from daad.runtime.gpu.device_array import DeviceArray

Leaf = tuple[str, Any]


def signature_of(source: FunctionSource) -> inspect.Signature:
    """The call signature that the source text states."""
    spec, kinds = source.node.args, inspect.Parameter
    positional = [*spec.posonlyargs, *spec.args][len(source.receiver) :]
    defaults = [inspect.Parameter.empty] * (len(positional) - len(source.defaults)) + list(source.defaults)
    parameters = [kinds(a.arg, _positional_kind(a, spec), default=d) for a, d in zip(positional, defaults, strict=True)]
    if spec.vararg:
        parameters.append(kinds(spec.vararg.arg, kinds.VAR_POSITIONAL))
    for keyword in spec.kwonlyargs:
        default = source.kwdefaults.get(keyword.arg, inspect.Parameter.empty)
        parameters.append(kinds(keyword.arg, kinds.KEYWORD_ONLY, default=default))
    if spec.kwarg:
        parameters.append(kinds(spec.kwarg.arg, kinds.VAR_KEYWORD))
    return inspect.Signature(parameters)


def _positional_kind(argument: ast.arg, spec: ast.arguments) -> Any:
    return (
        inspect.Parameter.POSITIONAL_ONLY if argument in spec.posonlyargs else inspect.Parameter.POSITIONAL_OR_KEYWORD
    )


def bind(signature: inspect.Signature, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Parameter name -> value, as Python itself would bind them; left out defaults stay out."""
    try:
        return dict(signature.bind(*args, **kwargs).arguments)
    except TypeError as error:
        raise BadArgument(
            f"The call does not fit '{name}{signature}': {error}.", hint="Pass the arguments as to the function itself."
        ) from None


flatten = structures.leaves


def leaves(bound: Mapping[str, Any]) -> list[Leaf]:
    """All leaves of a call."""
    return [leaf for name, value in bound.items() for leaf in flatten(name, value)]


def require_plain_arrays(leaves: list[Leaf], at: Location | None) -> None:
    """Raises Unsupported for an array of a subclass with operators of its own; SciPy's sparse matrices are read."""
    for name, value in leaves:
        if is_foreign_array(value) and not is_scipys(value):
            sentence, hint = foreign_sentence(f"The argument '{name}'", value)
            raise Unsupported(sentence, at=at, hint=hint)


# Tuples: a union would be made anew at each call.
BY_VALUE = (bool, str, bytes, type(None))
NUMBERS = (int, float, complex, np.generic)


def kind(value: Any) -> Hashable:
    """What a compiled gradient depends on: dtype, shape and order of arrays, the type of numbers, the rest by value."""
    of = type(value)
    if of in PLAIN:
        return value.dtype, value.shape, value.flags.c_contiguous
    if of is int or of is float:
        return of.__name__
    if of is DeviceArray:  # what is compiled for one of NumPy's serves it
        return value.dtype, value.shape, True
    if isinstance(value, np.ndarray):
        return of, id(value)
    if isinstance(value, BY_VALUE):
        return of, value
    if isinstance(value, NUMBERS):
        return of.__name__
    return id(value)


def form(value: Any, met: list[int] | None = None) -> Hashable:
    """The structure of an argument and the kinds of its leaves; `met` gets the identities of the lists, dicts and
    objects on the way."""
    found = structures.parts(value)
    if found is None:
        return kind(value)
    owner = value.owner if isinstance(value, structures.Opened) else value
    if met is not None and not isinstance(value, tuple):
        met.append(id(owner))
    return type(owner), tuple([(step, form(item, met)) for step, item in found])


def forms(bound: Mapping[str, Any]) -> tuple[Hashable, ...]:
    """Those of all arguments, and what of them is held in several places."""
    met: list[int] = []
    found = [(name, form(value, met)) for name, value in bound.items()]
    numbers: dict[int, int] = {}
    places = [numbers.setdefault(one, len(numbers)) for one in met]
    return *found, () if len(numbers) == len(places) else tuple(places)


def containers(bound: Mapping[str, Any]) -> frozenset[int]:
    """The identities of the lists, dicts and objects that the arguments are made of."""
    met: list[int] = []
    for value in bound.values():
        form(value, met)
    return frozenset(met)


def is_known_by_identity(value: Any) -> bool:
    """Whether the kind of a leaf holds only as long as the leaf lives."""
    return not isinstance(value, (np.ndarray, *BY_VALUE, *NUMBERS))


def is_float(value: Any) -> bool:
    """Whether a leaf has gradients."""
    if isinstance(value, np.ndarray | DeviceArray):
        return value.dtype.kind in "fc"
    return isinstance(value, float | complex | np.inexact)


def floats(chosen: Mapping[str, Any]) -> list[Leaf]:
    """The leaves that have gradients."""
    return [(name, value) for name, value in leaves(chosen) if is_float(value)]


def gradients(name: str, found: Any) -> list[Leaf]:
    """The leaves of a structure of gradients."""
    return floats({name: structures.opened(found, [()], name)})


@dataclass(frozen=True)
class Record:
    """Stands for an object of a class, by its attributes."""

    cls: type
    attributes: Mapping[str, Any]


GAP = object()
"""Stands for what has no gradient: None in sequences and dataclasses, which keep their places."""


def skeleton(value: Any) -> Any:
    """The structure of gradients: 0.0 for each of them; dicts and objects are without all else."""
    found = structures.parts(value)
    if found is None:
        return 0.0 if is_float(value) else GAP
    items = [skeleton(item) for _, item in found]
    if all(item is GAP for item in items):
        return GAP if items else type(value)()
    if isinstance(value, Mapping):
        return {key: item for key, item in zip(value, items, strict=True) if item is not GAP}
    if isinstance(value, list | tuple):
        return structures.sequence(value, items)
    owner = value.owner if isinstance(value, structures.Opened) else value
    keeps = dataclasses.is_dataclass(owner)
    named = {step[1:]: item for (step, _), item in zip(found, items, strict=True) if keeps or item is not GAP}
    return Record(type(owner), named)


def filled(like: Any, values: Iterator[Any]) -> Any:
    """A skeleton with gradients in order."""
    if type(like) is float:
        return next(values)
    if isinstance(like, list | tuple):
        return structures.sequence(like, [filled(item, values) for item in structures.items_of(like)])
    if isinstance(like, dict):
        return {key: filled(item, values) for key, item in like.items()}
    if isinstance(like, Record):
        return structures.made_of(like.cls, {name: filled(item, values) for name, item in like.attributes.items()})
    return None


def unflatten(like: Any, values: Iterator[Any]) -> Any:
    """The structure of `like` with its leaves replaced in order."""
    if structures.parts(like) is None:
        return next(values)
    return structures.rebuilt(like, lambda _, item: unflatten(item, values))
