"""Arrays of classes derived from NumPy's, such as `np.matrix`, and of the program's own: the class's code is read like
any other, for the rest NumPy is asked what class a result has (sampled_classes.py)."""

from __future__ import annotations

import ast
import inspect
import operator
import types
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from daad.frontend import structures
from daad.frontend.array_classes import is_read_class
from daad.frontend.installed_code import is_of_library
from daad.frontend.numpy import ATTRIBUTES, METHODS
from daad.frontend.numpy.array_attributes import interface
from daad.frontend.numpy.calling.numpy_errors import as_by_numpy
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import MISSING
from daad.frontend.python.syntax.source import function_source
from daad.frontend.python.values import local_classes
from daad.frontend.python.values.sampled_classes import Function, Samples, asked, is_itself, plain
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.indexing import item
from daad.frontend.staging.values import ArrayValue, Complex, State, Subarray, is_number, is_staged

HINT = "Use plain arrays there, such as 'np.asarray' makes."


def made(reader: Reader, node: ast.Call, array: Any, cls: type[np.ndarray], parent: Any) -> Subarray:
    """An array of a class, made after `parent`, which the class is told."""
    state = State(cls)
    reader.objects[id(state)] = state
    reader.stage.refuse_mask(array.shape)
    value = Subarray(array, state)
    finalize = written(cls, "__array_finalize__")
    value = reader.settled(value, "tmp")
    if finalize is not None:
        reader.call(node, finalize, [value, parent], {})
    return value if state.shape is None else Subarray(reshaped(reader, value.array, state.shape), state)


def reshaped(reader: Reader, array: Any, shape: Any) -> Any:
    """The same elements in another shape."""
    return METHODS["reshape"](reader.stage, (array, shape), {})


def written(cls: type, name: str, after: type | None = None) -> types.FunctionType | None:
    """The method that a class of arrays, or the next one `after` another, has in Python."""
    found = held(cls, name, after)
    return found if isinstance(found, types.FunctionType) else None


def held(cls: type, name: str, after: type | None = None) -> Any:
    """What a class, or one that it is derived from, has under a name; MISSING: NumPy's array has it, or nothing."""
    classes = cls.__mro__ if after is None else cls.__mro__[cls.__mro__.index(after) + 1 :]
    for one in classes:
        if one is np.ndarray:
            return MISSING
        if name in vars(one):
            return vars(one)[name]
    return MISSING


def through(
    reader: Reader, node: ast.Call, run: Function, ask: Function, values: Any, what: str, context: Any = None
) -> Any:
    """What `run` gives for values without classes, of the class that NumPy's results of `ask` have; `context` is what
    NumPy tells `__array_wrap__` about a function, () where it tells nothing, None where that is not known."""
    found = run(plain(values))
    if not is_staged(found) and not isinstance(found, np.ndarray):
        return found
    try:
        seen, samples = asked(ask, values)
    except Exception:
        refuse(reader, what, samples_of(values))
    return _dressed(reader, node, found, seen, samples, context)


def samples_of(values: Any) -> Samples:
    """The arrays of classes among the values."""
    samples = Samples()
    samples.of(values)
    return samples


def refuse(reader: Reader, what: str, samples: Samples) -> NoReturn:
    """Something is asked for arrays of a class that it cannot be had of."""
    names = " or ".join(dict.fromkeys(f"'{one.cls.__name__}'" for one in samples.given))
    reader.stage.refuse(f"{what} of arrays of the class {names} is not supported.", HINT)


def _dressed(reader: Reader, node: ast.Call, found: Any, seen: Any, samples: Samples, context: Any) -> Any:
    if isinstance(found, tuple | list) and isinstance(seen, tuple | list):
        items = [
            _dressed(reader, node, one, other, samples, context and (*context[:-1], k))
            for k, (one, other) in enumerate(zip(found, seen, strict=True))
        ]
        return structures.sequence(found, items)
    if not isinstance(seen, np.ndarray) or type(seen) is np.ndarray:
        return found
    if isinstance(found, np.ndarray):
        found = complex_numbers.of_constant(reader.stage, found)
    if not isinstance(found, ArrayValue | Complex):
        return found
    if is_itself(type(seen)) and found.ndim != seen.ndim:
        found = reshaped(reader, found, seen.shape)
    found = complex_numbers.as_array(reader.stage, found)
    parent = samples.parent(seen)
    wrap = written(parent.cls, "__array_wrap__") if parent is not None and hasattr(seen, "is_wrapped") else None
    if wrap is None:
        return made(reader, node, found, samples.class_of(seen), parent)
    if context is None and _reads_context(wrap):
        refuse(reader, "What '__array_wrap__' is told about a call", samples)
    return reader.call(
        node, wrap, [parent, found, context or None, False][: len(inspect.signature(wrap).parameters)], {}
    )


def _reads_context(wrap: types.FunctionType) -> bool:
    """Whether the method does more with the context of a call than to hand it on."""
    source = function_source(wrap)
    name = [one.arg for one in source.node.args.args][2:3]
    inner = [node for node in ast.walk(source.node) if isinstance(node, ast.Call)]
    handed = [arg for call in inner if ast.unparse(call.func).endswith(".__array_wrap__") for arg in ast.walk(call)]
    read = (node for node in ast.walk(source.node) if isinstance(node, ast.Name) and node.id in name)
    return any(node not in handed for node in read)


def got(reader: Reader, node: ast.Call, value: Subarray, key: Any) -> Any:
    """`value[key]`, as NumPy's arrays have it."""
    key = plain(key)
    with as_by_numpy(reader.stage, operator.getitem, (value.array, key)):
        found = item(reader.stage, value.array, key if isinstance(key, tuple) else (key,))
    return found if is_number(found) else made(reader, node, found, value.cls, value)


@dataclass(frozen=True)
class Inherited:
    """What `super()` is in a method of such a class: the array, seen from the class after `cls`."""

    array: Subarray
    cls: type


@dataclass(frozen=True)
class Plain:
    """What NumPy's arrays have under a name, of an array of a class of its own: a method, most often."""

    array: Subarray
    name: str

    @property
    def is_method(self) -> bool:
        return not isinstance(getattr(np.ndarray, self.name), types.GetSetDescriptorType)


def attribute(reader: Reader, node: ast.Call, value: Subarray | Inherited, name: str) -> Any:
    """`value.name`."""
    array, after = (value, None) if isinstance(value, Subarray) else (value.array, value.cls)
    if name == "__class__":
        return array.cls
    attributes = vars(array.state)
    if name == "__dict__":
        return attributes
    if after is None and name in attributes:
        return reader.usable(attributes[name])
    found = held(array.cls, name, after)
    if found is MISSING:
        return _numpys(reader, node, array, name)
    if isinstance(found, property):
        return reader.call(node, found.fget, [array], {})
    if isinstance(found, types.FunctionType):
        return types.MethodType(found, array)
    of_class = local_classes.attribute(reader, array.cls, name)
    if of_class is not MISSING:
        return of_class
    reader.witnesses.attribute(array.cls, name)
    return reader.from_outside(getattr(array.cls, name))


def _numpys(reader: Reader, node: ast.Call, value: Subarray, name: str) -> Any:
    if name == "__array_interface__":
        return interface(reader.stage, value.array)
    if name in ATTRIBUTES and not name.startswith("__"):
        handler = ATTRIBUTES[name]
        return through(
            reader, node, lambda a: handler(reader.stage, (a,), {}), lambda a: getattr(a, name), value, f"'.{name}'"
        )
    if not hasattr(np.ndarray, name):
        error = AttributeError(f"'{value.cls.__name__}' object has no attribute '{name}'")
        reader.stage.refuse(
            f"An array of the class '{value.cls.__name__}' has no attribute '{name}'.", "Check its spelling.", error
        )
    return Plain(value, name)


def has(value: Subarray, name: str) -> bool:
    """Whether there is such an attribute."""
    return name in vars(value.state) or hasattr(value.cls, name)


def assign(reader: Reader, value: Subarray, name: str, content: Any) -> None:
    """`value.name = content`."""
    if name == "__class__" and is_read_class(content) and not value.state.merged:
        value.state.cls = content
        return
    if isinstance(held(value.cls, name), property) or (held(value.cls, name) is MISSING and hasattr(np.ndarray, name)):
        reader.stage.refuse(f"'.{name}' of an array is assigned.", "Make a new array with NumPy's functions.")
    own = is_of_library(value.cls) and name.startswith("_")
    if value.state.merged and not own:
        reader.stage.refuse(
            f"'{name}' is assigned to an array that exists before, or that may be one of several.",
            "Assign it where the array is made.",
        )
    reader.assign(vars(value.state), name, content, name)


def of_constant(reader: Reader, node: ast.Call, value: np.ndarray) -> Subarray:
    """A fresh array of the class with the content of one that is known."""
    array = complex_numbers.of_constant(reader.stage, value.view(np.ndarray))
    made_ = Subarray(array, State(type(value)))
    reader.objects[id(made_.state)] = made_.state
    vars(made_.state).update(getattr(value, "__dict__", {}))
    return made_


def is_outside(value: Any) -> bool:
    """Whether it is an actual array of such a class."""
    return isinstance(value, np.ndarray) and is_read_class(type(value))
