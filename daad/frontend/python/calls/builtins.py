"""Python's builtins on staged values, where they are about structure rather than numbers."""

from __future__ import annotations

import array
import ast
import builtins
import copy
import dataclasses
import functools
import inspect
import itertools
import json
import operator
import os
import pprint
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

import numpy as np

from daad.errors import DaadError
from daad.frontend.library import iterating
from daad.frontend.library.elementwise import of_elements, vectorized
from daad.frontend.library.solvers.sparse_matrices import Sparse
from daad.frontend.library.solvers.sparse_originals import samples_of
from daad.frontend.numpy import hint_for
from daad.frontend.numpy.calling.call_arguments import extents
from daad.frontend.numpy.calling.signatures import MISSING
from daad.frontend.python import attributes
from daad.frontend.python.calls import object_copies
from daad.frontend.python.calls.lookups import is_read, read_attribute
from daad.frontend.python.calls.sequences import SEQUENCES, Builtin, Implementation, bound
from daad.frontend.python.calls.static_calls import run_now
from daad.frontend.python.control import program_texts
from daad.frontend.python.control.checks import CHECK, run_raise
from daad.frontend.python.control.raise_messages import exiting
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import MISSING as UNBOUND
from daad.frontend.python.reading.scope import Closure, declared
from daad.frontend.python.syntax.compiled_code import code_of
from daad.frontend.python.targets import assign_attribute, set_of
from daad.frontend.python.values import local_classes, objects, shown_types, subarrays, text_files
from daad.frontend.python.values.exception_objects import is_untold
from daad.frontend.python.values.global_names import GlobalNames
from daad.frontend.python.values.iterators import Grid, Once, iterate
from daad.frontend.python.values.over_loops.growing_lists import Growing
from daad.frontend.python.values.over_loops.indexed_lists import Indexed
from daad.frontend.python.values.overloads import as_bool, method, place_of
from daad.frontend.python.values.type_samples import agreed, sample, samples
from daad.frontend.staging import iterables
from daad.frontend.staging.masked_shapes import counted, numpy_axes
from daad.frontend.staging.texts import has_text, text
from daad.frontend.staging.values import ArrayValue, Complex, Subarray, affine_of, is_number, is_staged
from daad.ir.pinning import Needs


def _len(reader: Reader, node: ast.Call, value: Any, /) -> Any:
    stage = reader.stage
    if isinstance(value, Growing | Indexed):
        return value.length(stage)
    if isinstance(value, iterables.Staged):
        return stage.affine(iterables.length(stage, value))
    if not isinstance(value, ArrayValue | Complex):
        found = method(reader, node, "__len__", value)
        if found is NotImplemented and isinstance(value, Subarray):
            return _len(reader, node, value.array)
        return _python(reader, len, [value]) if found is NotImplemented else found
    if not value.ndim:
        error = TypeError("object of a number's type has no len()" if is_number(value) else "len() of unsized object")
        stage.refuse("A number has no length.", "Ask arrays, lists and tuples for theirs.", error)
    return counted(stage, numpy_axes(stage, value.shape)[0])


def _length_hint(reader: Reader, node: ast.Call, obj: Any, default: Any = 0, /) -> Any:
    """`operator.length_hint`."""
    if shown_types.of(obj) is not None:
        reader.stage.refuse("How many items an iterator will give is not known.", "Count them, or use a list.")
    return run_now(reader, node, operator.length_hint, [obj, default], {})


def _python(reader: Reader, function: Callable[..., Any], args: list[Any]) -> Any:
    try:
        return function(*args)
    except DaadError as error:
        reader.stage.refuse(error.message, error.hint)
    except Needs:
        raise
    except Exception as error:
        reader.stage.refuse(f"This call fails: {type(error).__name__}: {error}.", "Check its arguments.", error)


def _globals(reader: Reader, _: ast.Call) -> Any:
    return GlobalNames(reader, reader.scope.source.globals)


def _locals(reader: Reader, _: ast.Call) -> dict[str, Any]:
    """The variables of a function that have a value, those of functions around among them that it names."""
    scope, node = reader.scope, reader.scope.source.node
    names, outer = declared(node)[:2]
    named = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    known = dict.fromkeys((*names, *sorted(named | outer)))
    return {name: reader.lookup(name) for name in known if scope.held(name) is not UNBOUND}


def _dir(reader: Reader, node: ast.Call, *given: Any) -> list[str]:
    if not given:
        return sorted(_locals(reader, node))
    value = reader.twins.get(id(given[0]), given[0])
    if is_staged(value) or shown_types.of(value) is not None:
        reader.stage.refuse("'dir' is asked of what is known while the program runs only.", "Ask 'hasattr'.")
    return dir(value)


def _range(reader: Reader, _: ast.Call, *bounds: Any) -> Any:
    return iterables.make_range(reader.stage, list(bounds))


def _sequence(kind: type) -> Implementation:
    def make(reader: Reader, _: ast.Call, iterable: Any = (), /) -> Any:
        return kind(reader.settled(item, "item") for item in iterables.static_items(reader.stage, iterable))

    return make


def _set(kind: type) -> Implementation:
    def make(reader: Reader, node: ast.Call, iterable: Any = (), /) -> Any:
        return set_of(reader, node, iterables.static_items(reader.stage, iterable), kind)

    return make


def _isinstance(reader: Reader, _: ast.Call, value: Any, kinds: Any, /) -> Any:
    reader.witnesses.typed(value)
    if isinstance(value, Sparse):
        return _of_all(reader, value, lambda one: isinstance(one, kinds)) or isinstance(value, kinds)
    if isinstance(value, Subarray):
        return issubclass(value.cls, kinds)
    if shown_types.is_standing_in(value):
        return shown_types.stands_for_one_of(reader, value, kinds)
    kind = shown_types.of(value)
    if kind is not None:
        return shown_types.is_one_of(reader, kind, kinds)
    return agreed(reader, {_python(reader, isinstance, [one, kinds]) for one in samples(value)})


def _type(reader: Reader, _: ast.Call, value: Any, /) -> Any:
    reader.witnesses.typed(value)
    if isinstance(value, Subarray):
        return objects.class_of(value)
    kind = shown_types.of(value) or shown_types.stood_for(value)
    if kind is not None:
        return shown_types.asked(reader, kind)
    return agreed(reader, {objects.class_of(one) for one in samples(value)})


def is_type_test(function: Any) -> bool:
    """Whether a function of NumPy's or SciPy's only asks what type its argument has."""
    module, name = (getattr(function, key, None) or "" for key in ("__module__", "__name__"))
    if module == "numpy.ma.core":
        return name in ("isMaskedArray", "isMA", "isarray")
    return module in ("scipy.sparse._base", "scipy._lib._sparse") and name.startswith(("issparse", "isspmatrix"))


def type_test(reader: Reader, function: Any, args: list[Any]) -> Any:
    """What it answers."""
    for value in args:
        reader.witnesses.typed(value)
    if args and isinstance(args[0], Sparse):
        return _of_all(reader, args[0], function)
    if args and isinstance(args[0], Subarray):
        return issubclass(args[0].cls, np.ma.MaskedArray) and function.__module__ == np.ma.core.__name__
    return _python(reader, function, [sample(value) for value in args])


def _of_all(reader: Reader, value: Sparse, asked: Callable[[Any], Any]) -> Any:
    """What is so of a sparse matrix in whatever form SciPy has it."""
    found = [asked(one) for one in samples_of(value)]
    if any(one != found[0] for one in found):
        reader.stage.refuse(
            "The program asks in which form SciPy has a sparse matrix.", "Ask 'scipy.sparse.issparse', or nothing."
        )
    return found[0]


def _getattr(reader: Reader, node: ast.Call, value: Any, name: Any, default: Any = MISSING, /) -> Any:
    if default is not MISSING and _is_asked(reader, value, name):
        return reader.call(place_of(node), iterating.attribute_or, [value, name, default], {})
    if default is not MISSING and not _has(reader, node, value, name):
        return default
    return read_attribute(reader, node, value, name)


def _getattr_plainly(reader: Reader, node: ast.Call, value: Any, name: Any, /) -> Any:
    return read_attribute(reader, node, value, name, plainly=True)


def _getattr_static(reader: Reader, node: ast.Call, obj: Any, attr: Any, default: Any = MISSING) -> Any:
    """What stands in an object or its class, without a look by code of theirs."""
    value = reader.twins.get(id(obj), obj)
    if id(value) in reader.objects and attr in vars(value):
        return reader.usable(vars(value)[attr])
    found = [inspect.getattr_static(one, attr, MISSING) for one in samples(obj)]
    if found[0] is MISSING and default is MISSING:
        reader.stage.refuse(f"There is no attribute '{attr}'.", "Check its spelling.", AttributeError(attr))
    return default if agreed(reader, {one is MISSING for one in found}) else found[0]


def _signature(reader: Reader, node: ast.Call, obj: Any, **options: Any) -> Any:
    """Of a function of the program's, that of its code, with its defaults."""
    if not isinstance(obj, Closure):
        return run_now(reader, node, inspect.signature, [obj], options)
    code = code_of(obj.source)
    if code is None:
        return reader.stage.refuse(f"The signature of '{obj.source.name}' is not known.", "Define it in a file.")
    cells = tuple(types.CellType() for _ in code.co_freevars)
    made = types.FunctionType(code, {}, obj.source.name, tuple(obj.source.defaults), cells)
    made.__kwdefaults__ = dict(obj.source.kwdefaults)
    return inspect.signature(made, **options)


def _vars(reader: Reader, node: ast.Call, *args: Any) -> Any:
    return read_attribute(reader, node, args[0], "__dict__") if args else _locals(reader, node)


def _hasattr(reader: Reader, node: ast.Call, value: Any, name: Any, /) -> Any:
    return _has(reader, node, value, name)


def _is_asked(reader: Reader, value: Any, name: str) -> bool:
    """Whether code of the program says if there is such an attribute."""
    return not isinstance(value, Subarray) and is_read(reader, value, name)


def _has(reader: Reader, node: ast.Call, value: Any, name: str) -> Any:
    if isinstance(value, Subarray):
        return subarrays.has(value, name)
    if is_read(reader, value, name):
        return reader.call(place_of(node), iterating.has, [value, name], {})
    if not is_staged(value):
        reader.witnesses.attribute(value, name, own=id(value) in reader.objects)
    kind = shown_types.of(value)
    if kind is not None:
        return local_classes.holder_of(value, name) is not None or hasattr(kind, name)
    is_own = id(value) in reader.objects and name in vars(value)
    try:
        return is_own or agreed(reader, {hasattr(one, name) for one in samples(value)})
    except TypeError as error:
        reader.stage.refuse(
            f"To ask for '{name}' runs code that fails: {str(error).rstrip('.')}.", "Look into '__dict__'.", error
        )


def _callable(_: Reader, __: ast.Call, value: Any, /) -> Any:
    return callable(sample(value)) or isinstance(value, attributes.ArrayMethod)


def _slice(reader: Reader, _: ast.Call, *bounds: Any) -> Any:
    return _python(reader, slice, list(bounds))


def _bool(reader: Reader, node: ast.Call, value: Any = False, /) -> Any:
    return as_bool(reader, node, value)


def _str(reader: Reader, _: ast.Call, object: Any = "") -> Any:
    form = affine_of(object) if is_staged(object) else None
    return str(reader.stage.known(form)) if form is not None else _text_of(reader, str, object)


def _text_of(reader: Reader, function: Callable[..., Any], *args: Any) -> Any:
    if is_staged(args) or has_text(args) or any(map(is_untold, args)):
        return text(reader.stage)
    return _python(reader, function, list(args))


def _text(function: Callable[..., Any]) -> Implementation:
    return lambda reader, _, obj, /: _text_of(reader, function, obj)


def _format(reader: Reader, _: ast.Call, value: Any, format_spec: Any = "", /) -> Any:
    return _text_of(reader, builtins.format, value, format_spec)


def _told(reader: Reader, _: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    """What makes text of values and options; of known ones it is called as any other function."""
    return text(reader.stage) if is_staged([args, keywords]) or has_text([args, keywords]) else NotImplemented


def _replace(reader: Reader, node: ast.Call, record: Any, /, **changes: Any) -> Any:
    """`dataclasses.replace`."""
    if not dataclasses.is_dataclass(record):
        reader.stage.refuse("'replace' is given what is no dataclass.", "Make the new object by its class.")
    names = [one.name for one in dataclasses.fields(record) if one.init and one.name not in changes]
    kept = {name: attributes.attribute(reader, record, name) for name in names}
    return reader.call(node, type(record), [], {**kept, **changes})


def _ndindex(reader: Reader, _: ast.Call, *shape: Any) -> Any:
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    return Once(Grid(extents(reader.stage, sizes)))


def _ndenumerate(reader: Reader, _: ast.Call, arr: Any) -> Any:
    array = reader.stage.array(arr)
    return Once(Grid(array.shape, array))


def _nditer(reader: Reader, _: ast.Call, op: Any) -> Any:
    """Of one array, to be read."""
    if isinstance(op, list | tuple):
        reader.stage.refuse("'np.nditer' of several arrays is not supported.", hint_for(np.nditer))
    return attributes.flat(reader, reader.stage.array(op)).given


def _namespace(reader: Reader, _: ast.Call, **attributes: Any) -> Any:
    made = types.SimpleNamespace()
    reader.objects[id(made)] = made
    for name, value in attributes.items():
        reader.assign(vars(made), name, value, name)
    return made


def _vectorize(
    reader: Reader, _: ast.Call, pyfunc: Any, otypes: Any = None, excluded: Any = None, signature: Any = None
) -> Any:
    """`np.vectorize(function)`: what it gives is called like a function."""
    model = _python(reader, np.vectorize, [_model, otypes, None, excluded, False, signature])
    return elementwise_of(reader, pyfunc, model)


def _model(*_: Any) -> None:
    """Stands for a function of the program, where only the options count."""


def elementwise_of(reader: Reader, function: Any, options: np.vectorize) -> Any:
    """The function of whole arrays."""
    if getattr(options, "signature", None) is not None:
        reader.stage.refuse("'np.vectorize' with a signature is not supported.", "Loop over the vectors.")
    return functools.partial(vectorized, function, options.otypes, frozenset(options.excluded))


def _fromiter(reader: Reader, node: ast.Call, iter: Any, dtype: Any, count: Any = -1) -> Any:
    items = list(itertools.islice(iterate(reader, iter).rest(reader.stage), count if count >= 0 else None))
    if len(items) < count:
        reader.stage.refuse(f"'np.fromiter' is asked for {count} items, and given {len(items)}.", "Leave out 'count'.")
    return reader.call(node, np.array, [items, dtype], {})


def _frompyfunc(reader: Reader, _: ast.Call, func: Any, nin: Any, nout: Any, /) -> Any:
    _python(reader, np.frompyfunc, [_model, nin, nout])
    return functools.partial(of_elements, func, None, frozenset())


def _index(reader: Reader, node: ast.Call, a: Any, /) -> Any:
    """`operator.index`."""
    return a if affine_of(a) is not None else _python(reader, operator.index, [a])


def _cast(reader: Reader, _: ast.Call, typ: Any, val: Any) -> Any:
    """`typing.cast`."""
    if is_staged(typ):
        reader.stage.refuse("The run decides the type that 'cast' is given.", "Give a type.")
    return val


def _partial(reader: Reader, _: ast.Call, func: Any, /, *args: Any, **keywords: Any) -> Any:
    """`functools.partial`: nothing is called yet."""
    return functools.partial(func, *args, **keywords)


def _assigned(plainly: bool) -> Implementation:
    """`setattr`, and `object.__setattr__`, as frozen dataclasses use it."""

    def assign(reader: Reader, node: ast.Call, holder: Any, name: Any, value: Any, /) -> Any:
        assign_attribute(reader, node, holder, name, value, plainly=plainly)

    return assign


def _array(reader: Reader, node: ast.Call, typecode: Any, initializer: Any = (), /) -> Any:
    """`array.array`."""
    return reader.call(node, iterating.numbers, [typecode, initializer], {})


def _leave(reader: Reader, node: ast.Call, args: list[Any], keywords: dict[str, Any]) -> Any:
    """`sys.exit(...)`, `exit()`: the program's error where data come here."""
    run_raise(reader, exiting(reader, node), CHECK, SystemExit(*args, *keywords.values()))


TELLING = (json.dumps, pprint.pformat, np.array2string, np.array_str, np.array_repr)
LEAVING = (sys.exit, os._exit, *(vars(builtins)[name] for name in ("exit", "quit") if hasattr(builtins, name)))
"""Python has the last two unless it runs without `site`."""

IMPLEMENTATIONS: dict[Any, Implementation] = {
    **SEQUENCES,
    builtins.len: _len,
    array.array: _array,
    builtins.eval: program_texts.evaluated,
    builtins.exec: program_texts.executed,
    builtins.globals: _globals,
    builtins.locals: _locals,
    builtins.dir: _dir,
    copy.copy: object_copies.shallow,
    copy.deepcopy: object_copies.deep,
    dataclasses.replace: _replace,
    object.__setattr__: _assigned(plainly=True),
    builtins.setattr: _assigned(plainly=False),
    object.__getattribute__: _getattr_plainly,
    inspect.getattr_static: _getattr_static,
    inspect.signature: _signature,
    types.SimpleNamespace: _namespace,
    typing.cast: _cast,
    operator.index: _index,
    operator.length_hint: _length_hint,
    functools.partial: _partial,
    np.ndindex: _ndindex,
    np.ndenumerate: _ndenumerate,
    np.nditer: _nditer,
    np.vectorize: _vectorize,
    np.frompyfunc: _frompyfunc,
    np.fromiter: _fromiter,
    builtins.range: _range,
    builtins.list: _sequence(list),
    builtins.tuple: _sequence(tuple),
    builtins.set: _set(set),
    builtins.frozenset: _set(frozenset),
    builtins.isinstance: _isinstance,
    builtins.type: _type,
    builtins.getattr: _getattr,
    builtins.hasattr: _hasattr,
    builtins.vars: _vars,
    builtins.callable: _callable,
    builtins.slice: _slice,
    builtins.bool: _bool,
    builtins.str: _str,
    builtins.repr: _text(builtins.repr),
    builtins.format: _format,
    builtins.ascii: _text(builtins.ascii),
}
BUILTINS: dict[Any, Builtin] = {function: bound(function, row) for function, row in IMPLEMENTATIONS.items()}
BUILTINS.update(dict.fromkeys(LEAVING, _leave))
BUILTINS.update(dict.fromkeys(TELLING, _told))
BUILTINS[builtins.open] = text_files.opened
