"""The arguments of a call: bound to names, flattened to leaves, told apart by what a compiled gradient depends on."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from itertools import repeat
from typing import Any

import numpy as np

from daad.errors import BadArgument, Location, Unsupported
from daad.frontend.arrays import PLAIN, foreign_sentence, is_foreign_array
from daad.frontend.python.source import FunctionSource

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


def flatten(name: str, value: Any) -> Iterator[Leaf]:
    """Leaves of nested lists, tuples, dicts and dataclasses, named `name_key`."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from flatten(f"{name}_{key}", item)
    elif isinstance(value, list | tuple):
        for key, item in zip(getattr(value, "_fields", range(len(value))), value, strict=True):
            yield from flatten(f"{name}_{key}", item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from flatten(f"{name}_{field.name}", getattr(value, field.name))
    else:
        yield name, value


def leaves(bound: Mapping[str, Any]) -> list[Leaf]:
    """All leaves of a call."""
    return [leaf for name, value in bound.items() for leaf in flatten(name, value)]


def require_plain_arrays(leaves: list[Leaf], at: Location | None) -> None:
    """Raises Unsupported for an array of a subclass with operators of its own."""
    for name, value in leaves:
        if is_foreign_array(value):
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
    if isinstance(value, np.ndarray):
        return of, id(value)
    if isinstance(value, BY_VALUE):
        return of, value
    if isinstance(value, NUMBERS):
        return of.__name__
    return id(value)


def require_distinct_names(leaves: list[Leaf], at: Location | None) -> None:
    """Raises BadArgument where two leaves flatten to one name."""
    twice = [name for name, count in Counter(name for name, _ in leaves).items() if count > 1]
    if twice:
        raise BadArgument(
            f"Two of the arrays and numbers that are passed go by the name '{twice[0]}'.",
            at=at,
            hint="Rename a parameter or a key: the item 'b' of the argument 'a' is called 'a_b'.",
        )


def form(value: Any) -> Hashable:
    """The structure of an argument and the kinds of its leaves."""
    if isinstance(value, Mapping):
        return type(value), tuple((key, form(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return type(value), tuple(map(form, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return type(value), tuple(form(getattr(value, f.name)) for f in dataclasses.fields(value))
    return kind(value)


def is_known_by_identity(value: Any) -> bool:
    """Whether the kind of a leaf holds only as long as the leaf lives."""
    return not isinstance(value, (np.ndarray, *BY_VALUE, *NUMBERS))


def skeleton(value: Any) -> Any:
    """A value's structure without its arrays."""
    return unflatten(value, repeat(0.0))


def unflatten(like: Any, values: Iterator[Any]) -> Any:
    """The structure of `like` with its leaves replaced in order."""
    if type(like) is float:  # the leaves of a skeleton; asking for an abstract class takes longer
        return next(values)
    if isinstance(like, list | tuple):
        items = [unflatten(item, values) for item in like]
        return type(like)(*items) if hasattr(like, "_fields") else type(like)(items)
    if isinstance(like, Mapping):
        return {key: unflatten(item, values) for key, item in like.items()}
    if dataclasses.is_dataclass(like) and not isinstance(like, type):
        fields = dataclasses.fields(like)
        return dataclasses.replace(like, **{f.name: unflatten(getattr(like, f.name), values) for f in fields})
    return next(values)
