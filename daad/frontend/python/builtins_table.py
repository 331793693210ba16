"""Python's builtins on staged values, where they are about structure rather than numbers."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import itertools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from daad.frontend.library.elementwise import vectorized
from daad.frontend.python import attributes, iterables
from daad.frontend.python.growing import Growing
from daad.frontend.python.lengths import count, numpy_axes
from daad.frontend.python.numpy import hint_for
from daad.frontend.python.numpy.arguments import extents
from daad.frontend.python.reader import Reader
from daad.frontend.python.sequences import SEQUENCES, Builtin
from daad.frontend.python.targets import assign_attribute
from daad.frontend.python.texts import has_text, text
from daad.frontend.python.values import ArrayValue, Complex, affine_of, is_staged

FORBIDDEN = frozenset((builtins.open, builtins.input, builtins.exec, builtins.eval, builtins.compile, builtins.vars))
FORBIDDEN |= {builtins.locals, builtins.globals, builtins.dir, builtins.breakpoint, builtins.setattr}
STRUCTURAL = frozenset((builtins.dict, itertools.product))


def _len(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    (value,) = args
    stage = reader.stage
    if isinstance(value, Growing):
        return stage.affine(value.length)
    if isinstance(value, iterables.Staged):
        return stage.affine(iterables.length(stage, value))
    if not isinstance(value, ArrayValue | Complex):
        from daad.frontend.python.overloads import method

        found = method(reader, node, "__len__", value)
        return _python(reader, len, args, keywords) if found is NotImplemented else found
    if not value.ndim:
        stage.refuse("A number has no length.", "Ask arrays, lists and tuples for theirs.")
    return count(stage, numpy_axes(stage, value.shape)[0])


def _python(reader: Reader, function: Callable[..., Any], args: list[Any], keywords: dict[str, Any]) -> Any:
    try:
        return function(*args, **keywords)
    except Exception as error:
        reader.stage.refuse(f"This call fails: {type(error).__name__}: {error}.", "Check its arguments.", error)


def _range(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    return iterables.make_range(reader.stage, args)


def _sequence(kind: type) -> Builtin:
    def make(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
        items = iterables.static_items(reader.stage, args[0]) if args else []
        return kind(reader.settled(item, "item") for item in items)

    return make


def _isinstance(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    reader.witnesses.typed(args[0])
    return isinstance(sample(args[0]), args[1])


def _type(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    reader.witnesses.typed(args[0])
    return type(sample(args[0]))


def sample(value: Any) -> Any:
    """A Python object of the type that the value has when NumPy runs the program."""
    if isinstance(value, Growing):
        return []
    if not isinstance(value, ArrayValue | Complex):
        return value
    if value.ndim:
        return np.empty((0,) * value.ndim, value.dtype)
    return value.dtype.type(0).item() if value.weak else value.dtype.type(0)


def _getattr(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    value, name = args[:2]
    if len(args) == 3 and not _has(reader, value, name):
        return args[2]
    return attributes.attribute(reader, value, name)


def _hasattr(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    return _has(reader, *args)


def _has(reader: Reader, value: Any, name: str) -> bool:
    if not is_staged(value):
        reader.witnesses.attribute(value, name, own=id(value) in reader.objects)
    return hasattr(sample(value), name)


def _callable(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    return callable(sample(args[0])) or isinstance(args[0], attributes.ArrayMethod)


def _slice(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    return slice(*args)


def _bool(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    from daad.frontend.python.truth import truth

    value = truth(reader.stage, args[0]) if args else False
    return value if isinstance(value, bool) else reader.stage.lazy((), bool, lambda _: value, weak=True)


def _str(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    if args and affine_of(args[0]) is not None:
        form = affine_of(args[0])
        assert form is not None, "an integer has a form"
        return str(reader.stage.known(form))
    if is_staged(args) or has_text(args):
        return text(reader.stage)
    return _python(reader, str, args, keywords)


def _text(function: Callable[..., Any]) -> Builtin:
    def read(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
        if is_staged(args) or has_text(args):
            return text(reader.stage)
        return _python(reader, function, args, keywords)

    return read


def _replace(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    """`dataclasses.replace`."""
    from daad.frontend.python.calls import call

    (record,) = args
    if not dataclasses.is_dataclass(record):
        reader.stage.refuse("'replace' is given what is no dataclass.", "Make the new object by its class.")
    names = [one.name for one in dataclasses.fields(record) if one.init and one.name not in keywords]
    kept = {name: attributes.attribute(reader, record, name) for name in names}
    return call(reader, node, type(record), [], {**kept, **keywords})


def _ndindex(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    shape = args[0] if len(args) == 1 and isinstance(args[0], tuple | list) else tuple(args)
    return iterables.Grid(extents(reader.stage, shape))


def _ndenumerate(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    array = reader.stage.array(args[0])
    return iterables.Grid(array.shape, array)


def _nditer(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    """Of one array, to be read."""
    if len(args) != 1 or keywords or isinstance(args[0], list | tuple):
        reader.stage.refuse("'np.nditer' with options is not supported.", hint_for(np.nditer))
    return attributes.flat(reader, reader.stage.array(args[0]))


def _namespace(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    made = types.SimpleNamespace()
    reader.objects[id(made)] = made
    for name, value in keywords.items():
        reader.assign(vars(made), name, value, name)
    return made


def _vectorize(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    """`np.vectorize(function)`: what it gives is called like a function."""
    function, *rest = args
    model = _python(reader, np.vectorize, [_model, *rest], keywords)
    return elementwise_of(reader, function, model)


def _model(*_: Any) -> None:
    """Stands for a function of the program, where only the options count."""


def elementwise_of(reader: Reader, function: Any, options: np.vectorize) -> Any:
    """The function of whole arrays."""
    if getattr(options, "signature", None) is not None:
        reader.stage.refuse("'np.vectorize' with a signature is not supported.", "Loop over the vectors.")
    return functools.partial(vectorized, function, options.otypes, frozenset(options.excluded))


def _frompyfunc(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    return functools.partial(vectorized, args[0], None, frozenset())


def _setattr(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    """`object.__setattr__`, as frozen dataclasses use it."""
    holder, name, value = args
    assign_attribute(reader, holder, name, value)


BUILTINS: dict[Any, Builtin] = {
    **SEQUENCES,
    builtins.len: _len,
    dataclasses.replace: _replace,
    object.__setattr__: _setattr,
    types.SimpleNamespace: _namespace,
    np.ndindex: _ndindex,
    np.ndenumerate: _ndenumerate,
    np.nditer: _nditer,
    np.vectorize: _vectorize,
    np.frompyfunc: _frompyfunc,
    builtins.range: _range,
    builtins.list: _sequence(list),
    builtins.tuple: _sequence(tuple),
    builtins.isinstance: _isinstance,
    builtins.type: _type,
    builtins.getattr: _getattr,
    builtins.hasattr: _hasattr,
    builtins.callable: _callable,
    builtins.slice: _slice,
    builtins.bool: _bool,
    builtins.str: _str,
    builtins.repr: _text(builtins.repr),
    builtins.format: _text(builtins.format),
    builtins.ascii: _text(builtins.ascii),
}
