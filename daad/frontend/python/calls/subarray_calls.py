"""Calls that concern arrays of classes of their own: their making, methods that they have from NumPy, functions of
NumPy that are given such arrays."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from daad.frontend.array_classes import is_read_class
from daad.frontend.numpy import COMPARISONS, FUNCTIONS, OPERATORS, UNARY_OPERATORS
from daad.frontend.python.attributes import ArrayMethod
from daad.frontend.python.calls.static_calls import module_of, shown
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.targets import assign_item, assign_target
from daad.frontend.python.values import objects, overloads, subarrays
from daad.frontend.python.values.assigned_shapes import subarray_reshaped
from daad.frontend.python.values.overloads import place_of
from daad.frontend.python.values.sampled_classes import has_subarray, plain
from daad.frontend.staging import complex_numbers, iterables
from daad.frontend.staging.values import ArrayValue, Complex, Subarray, is_number
from daad.ir.operations.python_operators import ALL_BINARY, COMPARED, UNARY

Call = Callable[..., Any]
DESCRIPTORS = (types.MethodDescriptorType, types.WrapperDescriptorType)
ARRAYS = {found: name for name, found in vars(np.ndarray).items() if isinstance(found, DESCRIPTORS)}
"""What NumPy's arrays have, by the function that it is without an array."""
CLIP: Any = np._core.umath.clip  # type: ignore[attr-defined]
"""The ufunc behind `np.clip`."""
REDUCING = frozenset(("sum", "prod", "max", "min", "all", "any", "cumsum", "cumprod", "mean", "var", "std"))
"""Methods of arrays that tell `__array_wrap__` nothing about the call."""
SIGNS_OF: dict[Any, type[ast.operator]] = {row.python: op for op, row in ALL_BINARY.items()}


def called(reader: Reader, node: ast.Call, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """`function(*args, **keywords)`; NotImplemented where no class of arrays plays a part."""
    if isinstance(function, subarrays.Plain):
        return method(reader, node, function.array, function.name, args, keywords)
    if isinstance(function, ArrayMethod) and function.name == "view":
        cls = next((one for one in (*args, *keywords.values()) if is_read_class(one)), None)
        if cls is not None and is_number(function.array) and not issubclass(cls, np.matrix):
            return function.array  # what has no axes stays a number
        return NotImplemented if cls is None else _viewed(reader, node, function.array, cls, None)
    if isinstance(function, type) and is_read_class(function):
        return _constructed(reader, node, function, args, keywords)
    if isinstance(function, DESCRIPTORS) and args and function in ARRAYS:
        if isinstance(args[0], Subarray):
            return method(reader, node, args[0], ARRAYS[function], args[1:], keywords)
        if isinstance(args[0], ArrayValue | Complex):
            return reader.call(node, ArrayMethod(args[0], ARRAYS[function]), args[1:], keywords)
    if isinstance(function, ArrayMethod) and has_subarray((args, keywords)):
        return method(reader, node, function.array, function.name, args, keywords)
    if function == np.ndarray.__new__ and args and is_read_class(args[0]):
        return _new(reader, node, *args, **keywords)
    if function is builtins.sum and args and not isinstance(args[0], Subarray):
        return _summed(reader, node, *args, **keywords) if has_subarray((args, keywords)) else NotImplemented
    return _overridden(reader, node, function, args, keywords)


def binary(reader: Reader, node: ast.AST, op: type[ast.operator], left: Any, right: Any) -> Any:
    """`left op right`, of which one is an array of a class; NotImplemented where neither is."""
    if not isinstance(left, Subarray) and not isinstance(right, Subarray):
        return NotImplemented
    found = overloads.binary(reader, node, op, left, right)
    return operated(reader, place_of(node), op, left, right) if found is NotImplemented else found


def _summed(reader: Reader, node: ast.Call, items: Any, start: Any = 0) -> Any:
    """Python's `sum`, by the operator."""
    for number, item in enumerate(iterables.static_items(reader.stage, items)):
        reader.path.append(number)
        found = binary(reader, node, ast.Add, start, item)
        start = OPERATORS[ast.Add](reader.stage, (start, item), {}) if found is NotImplemented else found
        reader.path.pop()
    return start


def _overridden(reader: Reader, node: ast.Call, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """What a class says about operators as functions, and functions of NumPy, which ask for methods of that name."""
    first = next((one for one in (*args, *keywords.values()) if isinstance(one, Subarray)), None)
    if first is None:
        return NotImplemented
    if (module_of(function) or "").startswith("numpy") and subarrays.written(first.cls, "__array_function__"):
        refuse_method(reader, first, "__array_function__")
    if function in SIGNS_OF:
        return binary(reader, node, SIGNS_OF[function], *args)
    if isinstance(function, np.ufunc):
        own = subarrays.written(first.cls, "__array_ufunc__")
        return NotImplemented if own is None else reader.call(node, own, [first, function, "__call__", *args], keywords)
    if not args or args[0] is not first or not _asks_method(function):
        return NotImplemented
    own = subarrays.written(first.cls, function.__name__)
    return NotImplemented if own is None else reader.call(node, own, [first, *args[1:]], keywords)


def _asks_method(function: Any) -> bool:
    inner = getattr(function, "_implementation", None)
    return getattr(inner, "__module__", "") == "numpy._core.fromnumeric"


def refuse_method(reader: Reader, array: Subarray, name: str) -> None:
    """A class has a method that changes what NumPy does."""
    reader.stage.refuse(f"The class '{array.cls.__name__}' has '{name}', which is not supported.", subarrays.HINT)


def of_table(
    reader: Reader, node: ast.Call, function: Any, args: list[Any], keywords: dict[str, Any], run: Call
) -> Any:
    """What a function of the tables, which `run` calls, gives for arrays of classes."""

    def ask(values: Any) -> Any:
        return function(*values[0], **values[1])

    ufunc = CLIP if function is np.clip else function
    context = (ufunc, tuple(args), 0) if isinstance(ufunc, np.ufunc) else None
    return subarrays.through(
        reader, place_of(node), lambda values: run(*values), ask, (args, keywords), f"'{shown(node)}'", context
    )


def _constructed(
    reader: Reader, node: ast.Call, cls: type[np.ndarray], args: list[Any], keywords: dict[str, Any]
) -> Any:
    """`cls(*args, **keywords)`."""
    objects.note_class(reader, cls)
    new = subarrays.held(cls, "__new__")
    if isinstance(new, staticmethod):
        made = reader.call(node, new.__func__, [cls, *args], keywords)
    else:
        made = _new(reader, node, cls, *args, **keywords)
    init = subarrays.written(cls, "__init__")
    if init is not None and isinstance(made, Subarray) and issubclass(made.cls, cls):
        reader.call(place_of(node), init, [made, *args], keywords)
    return made


def _new(
    reader: Reader,
    node: ast.Call,
    cls: type[np.ndarray],
    shape: Any,
    dtype: Any = float,
    buffer: Any = None,
    offset: Any = 0,
    strides: Any = None,
    order: Any = None,
) -> Any:
    """`np.ndarray.__new__`: memory of its own, or that of another array."""
    if offset or strides is not None or order not in (None, "C"):
        reader.stage.refuse("An array is made with an offset, strides or an order.", "Make it with NumPy's functions.")
    if buffer is None:
        array = FUNCTIONS[np.empty](reader.stage, (shape, dtype), {})
    else:
        array = subarrays.reshaped(reader, complex_numbers.staged(reader.stage, plain(buffer)), shape)
        if array.dtype != np.dtype(dtype):
            reader.stage.refuse("An array is made of the bytes of another one.", "Use 'astype'.")
    return subarrays.made(reader, place_of(node), array, cls, None)


def _viewed(reader: Reader, node: ast.Call, array: Any, cls: type[np.ndarray], parent: Any) -> Subarray:
    """`array.view(cls)`, which may be an array of a class already."""
    return subarrays.made(reader, place_of(node), array, cls, array if parent is None else parent)


def method(reader: Reader, node: ast.Call, array: Any, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    """What the method of that name that NumPy's arrays have gives."""
    special = SPECIAL.get(name) if isinstance(array, Subarray) else None
    if special is not None:
        return special(reader, node, array, *args, **keywords)

    def run(values: Any) -> Any:
        return reader.call(node, ArrayMethod(values[0], name), *values[1:])

    def ask(values: Any) -> Any:
        return getattr(np.ndarray, name)(values[0], *values[1], **values[2])

    is_clip = name == "clip" and all(option is None for option in keywords.values())
    context = (CLIP, (array, *args), 0) if is_clip else () if name in REDUCING else None
    return subarrays.through(reader, place_of(node), run, ask, (array, args, keywords), f"'.{name}'", context)


def _set(reader: Reader, node: ast.Call, array: Subarray, key: Any, value: Any) -> None:
    holder, key = overloads.place(reader, node, array, key)
    assign_item(reader, plain(holder), plain(key), plain(value))


def _view(reader: Reader, node: ast.Call, array: Subarray, dtype: Any = None, type: Any = None) -> Any:
    cls = array.cls if dtype is type is None else dtype if type is None else type
    if cls is np.ndarray:
        return array.array
    if not is_read_class(cls):
        reader.stage.refuse("'view' with a type of numbers is not supported.", "Use 'astype'.")
    return _viewed(reader, node, array.array, cls, array)


def _array(reader: Reader, _: ast.Call, array: Subarray, dtype: Any = None) -> Any:
    return array.array if dtype is None else FUNCTIONS[np.array](reader.stage, (array.array, dtype), {})


def _wrapped(reader: Reader, node: ast.Call, array: Subarray, value: Any, *_: Any) -> Any:
    return subarrays.made(reader, place_of(node), plain(value), array.cls, array)


def _nothing(*_: Any, **__: Any) -> None:
    return None


def _by_ufunc(reader: Reader, node: ast.Call, _: Subarray, ufunc: Any, name: Any, *args: Any, **keywords: Any) -> Any:
    """`super().__array_ufunc__(ufunc, "__call__", *args)`, for arrays whose classes say nothing of their own."""
    for one in args:
        if isinstance(one, Subarray) and subarrays.written(one.cls, "__array_ufunc__") is not None:
            refuse_method(reader, one, "__array_ufunc__")
    return reader.call(place_of(node), ufunc if name == "__call__" else getattr(ufunc, name), list(args), keywords)


def _operator(op: type[ast.operator], is_mirrored: bool) -> Call:
    def run(reader: Reader, node: ast.Call, array: Subarray, other: Any) -> Any:
        return operated(reader, node, op, *((other, array) if is_mirrored else (array, other)))

    return run


def operated(reader: Reader, node: ast.Call, op: type[ast.operator], left: Any, right: Any) -> Any:
    """`left op right`, as NumPy's arrays have it."""
    row = ALL_BINARY[op]
    for one in (left, right):
        own = subarrays.written(one.cls, "__array_ufunc__") if isinstance(one, Subarray) else None
        if own is not None:
            return reader.call(node, own, [one, row.ufunc, "__call__", left, right], {})
    return _by_row(reader, node, OPERATORS[op], row.ufunc, (left, right), row.ufunc.__name__)


def _by_row(reader: Reader, node: ast.Call, run: Call, ufunc: np.ufunc, operands: tuple[Any, ...], called: str) -> Any:
    """What a row of the operators gives, of the class that NumPy's function gives."""
    return subarrays.through(
        reader,
        node,
        lambda values: run(reader.stage, values, {}),
        lambda values: ufunc(*values),
        operands,
        f"'{called}'",
        (ufunc, operands, 0),
    )


def compared(reader: Reader, node: ast.Call, op: type[ast.cmpop], left: Any, right: Any) -> Any:
    """A comparison, as NumPy's arrays have it; NotImplemented for others."""
    if op not in COMPARED:
        return NotImplemented
    row = COMPARED[op]
    return _by_row(reader, node, COMPARISONS[op], row.ufunc, (left, right), row.name)


def _sign(op: type[ast.unaryop]) -> Call:
    return lambda reader, node, array: signed(reader, node, op, array)


def signed(reader: Reader, node: ast.Call, op: type[ast.unaryop], array: Subarray) -> Any:
    """A sign before an array, as NumPy's arrays have it."""
    row = UNARY[op]
    own = subarrays.written(array.cls, "__array_ufunc__")
    if own is not None:
        return reader.call(node, own, [array, row.ufunc, "__call__", array], {})
    return _by_row(reader, node, UNARY_OPERATORS[op], row.ufunc, (array,), row.ufunc.__name__)


def _set_shape(reader: Reader, node: ast.Call, array: Subarray, shape: Any) -> None:
    """What `array.shape = shape` does, by the method that NumPy 2.5 has for it."""
    assert isinstance(node.func, ast.Attribute), "a method of an array is called by its name"
    assign_target(reader, node.func.value, subarray_reshaped(reader, array, shape))


SPECIAL: Mapping[str, Call] = {
    **{f"__{row.method}__": _operator(op, False) for op, row in ALL_BINARY.items()},
    **{f"__r{row.method}__": _operator(op, True) for op, row in ALL_BINARY.items()},
    **{row.method: _sign(op) for op, row in UNARY.items() if row.method},
    "__getitem__": lambda reader, node, array, key: subarrays.got(reader, place_of(node), array, key),
    "__setitem__": _set,
    "__array__": _array,
    "__array_wrap__": _wrapped,
    "__array_finalize__": _nothing,
    "__array_ufunc__": _by_ufunc,
    "__init__": _nothing,
    "view": _view,
    "_set_shape": _set_shape,
}
