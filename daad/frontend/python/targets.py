"""What stands left of `=`: names, unpacked sequences, elements and slices, through masks and index arrays too."""

from __future__ import annotations

import ast
import math
import operator as python_operator
from collections import deque
from collections.abc import Iterable
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from daad.errors import DaadError
from daad.frontend import structures
from daad.frontend.numpy import OPERATORS
from daad.frontend.numpy.calling.numpy_errors import as_by_numpy
from daad.frontend.numpy.complex import complex_ufuncs
from daad.frontend.numpy.elementwise.scalar_expressions import op
from daad.frontend.numpy.elementwise.ufuncs import loop_types, operand
from daad.frontend.numpy.shapes.reshape import reshape_to, resize
from daad.frontend.python import attributes
from daad.frontend.python.reading.hidden_state import is_hidden
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import Closure, Unknown
from daad.frontend.python.values import (
    array_likes,
    closed_types,
    local_classes,
    objects,
    outside_containers,
    outside_copies,
    overloads,
    shown_types,
    subarrays,
)
from daad.frontend.python.values.assigned_shapes import require_shape, reshaped, subarray_reshaped
from daad.frontend.python.values.object_keys import is_asked, key_in, name_of
from daad.frontend.python.values.over_loops.indexed_lists import Indexed
from daad.frontend.python.values.plotting_packages import is_picture
from daad.frontend.python.values.sampled_classes import plain
from daad.frontend.staging import complex_numbers, container_items, indexing, iterables
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.facts import of_list
from daad.frontend.staging.scattering import forget_masks, write_at, write_parts
from daad.frontend.staging.values import (
    UNHASHABLE,
    ArrayValue,
    Complex,
    Lazy,
    Subarray,
    View,
    affine_of,
    is_number,
    is_staged,
    type_name,
)
from daad.ir.operations.python_operators import ALL_BINARY, BINARY
from daad.ir.pinning import NeedsOwn

OF_FUNCTIONS = frozenset(("__code__", "__dict__", "__defaults__", "__kwdefaults__", "__class__", "__get__", "__call__"))
"""Attributes of functions that say what they do."""
KEEP_LOCALLY = "Keep what changes in local variables."


def assign_target(reader: Reader, target: ast.expr, value: Any) -> None:
    """`target = value`."""
    if isinstance(target, ast.Name):
        reader.bind(target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(reader, target, value)
    elif isinstance(target, ast.Subscript) and is_hidden(reader, target.value):
        read_key(reader, target.slice)
    elif isinstance(target, ast.Subscript):
        with reader.at(target):
            holder = reader.eval(target.value)
            key = read_key(reader, target.slice, holder)
        if overloads.method(reader, target, "__setitem__", holder, key, value) is NotImplemented:
            place, key = overloads.place(reader, target, holder, key)
            is_numbers = isinstance(place, Subarray | ArrayValue | Complex | iterables.Flat)
            value = (
                array_likes.as_array(reader, target, value, getattr(plain(place), "dtype", None))
                if is_numbers
                else value
            )
            assign_item(
                reader, *((plain(place), plain(key), plain(value)) if is_numbers else (place, plain(key), value))
            )
    elif isinstance(target, ast.Starred):
        reader.stage.refuse("A starred target stands alone.", "Put it into a list or tuple of targets.")
    else:
        assert isinstance(target, ast.Attribute), f"unknown target {target!r}"
        with reader.at(target):
            holder = reader.eval(target.value)
            if target.attr == "shape" and isinstance(holder, Subarray):
                assign_target(reader, target.value, subarray_reshaped(reader, holder, value))
            elif target.attr == "shape" and isinstance(holder, ArrayValue | Complex):
                assign_target(reader, target.value, reshaped(reader, holder, value))
            elif target.attr == "shape" and isinstance(holder, np.ndarray) and holder.dtype.kind in "biufc":
                require_shape(reader, holder, value)
            else:
                assign_attribute(reader, target, holder, target.attr, value)


def assign_attribute(
    reader: Reader, node: ast.AST, holder: Any, name: str, value: Any, *, plainly: bool = False
) -> None:
    """`holder.name = value` for an object that the program has made, and parts of complex arrays; `plainly`: as
    `object.__setattr__` does it."""
    if isinstance(holder, ArrayValue) and name == "flat":
        assign_item(reader, attributes.flat(reader, holder), slice(None), value)
        return
    if is_picture(holder):
        return
    if isinstance(holder, ArrayValue | Complex) and not is_number(holder) and _is_part(holder, name):
        write(reader.stage, getattr(holder, name, holder), (Ellipsis,), value)
        return
    if closed_types.is_one(holder):
        closed_types.refuse(reader, holder, name)
    if isinstance(holder, Subarray) and (name == "__class__" or objects.setter_of(holder, name, plainly) is None):
        subarrays.assign(reader, holder, name, value)
        return
    if isinstance(holder, type) and local_classes.is_asked_by_python(name):
        reader.stage.refuse(f"'{name}' of a class is assigned.", "Define it in the class.")
    if isinstance(holder, Closure | FunctionType | MethodType) and name in OF_FUNCTIONS:
        reader.stage.refuse(f"'{name}' of a function is assigned.", "Define another function.")
    names = local_classes.assigned(holder)
    if names is not None:
        reader.assign(names, name, value, name)
        return
    kind = shown_types.of(holder)
    if kind is not None:
        reader.stage.refuse(f"An attribute of an object of type '{kind.__name__}' is assigned.", KEEP_LOCALLY)
    place = outside_copies.shared_place(holder)
    if place is not None:
        reader.assign(reader.shared_names(*place, name), name, value, name)
        return
    holder = reader.twins.get(id(holder), holder)
    if id(holder) not in reader.objects and not isinstance(holder, Subarray):
        message = "An attribute of an object is assigned."
        outside_copies.require_twin(reader, holder, message, "Keep what changes in local variables, and return it.")
    if name == "__class__" and isinstance(value, type) and len(reader.stage.blocks) == 1:
        try:
            holder.__class__ = value
        except TypeError as error:
            reader.stage.refuse(f"The class of an object is changed: {error}.", "Make another object.", error)
        return
    if name == "__dict__" and isinstance(holder, dict) and value is holder:
        holder.__dict__ = holder  # as dicts do that have their items for attributes
        return
    setter = objects.setter_of(holder, name, plainly)
    if setter is not None:
        reader.call(overloads.place_of(node), setter[0], [*setter[1], value], {})
        return
    if structures.is_report(holder):
        assign_item(reader, holder, name, value)
        return
    if objects.is_watched(type(holder), name, plainly):
        reader.stage.refuse(
            f"To assign '{name}' runs code of the class '{type_name(holder)}', which is not supported.",
            "Assign another attribute, or call a method that does.",
        )
    reader.require_unfrozen(vars(holder))
    reader.assign(vars(holder), name, value, name)


def _is_part(array: ArrayValue | Complex, name: str) -> bool:
    return name == "real" or (name == "imag" and isinstance(array, Complex))


def delete_attribute(reader: Reader, holder: Any, name: str) -> None:
    """`del holder.name` for an object that the program has made, or works with a twin of."""
    hint = KEEP_LOCALLY
    if closed_types.is_one(holder):
        closed_types.refuse(reader, holder, name)
    if outside_copies.shared_place(holder) is not None or isinstance(holder, Subarray):
        reader.stage.refuse("An attribute of a module, a class, a function or an array is deleted.", hint)
    holder = reader.twins.get(id(holder), holder)
    if id(holder) not in reader.objects:
        outside_copies.require_twin(reader, holder, "An attribute of an object is deleted.", hint)
    if objects.is_deletion_watched(holder, name):
        reader.stage.refuse(f"To delete '{name}' runs code of the class '{type_name(holder)}'.", hint)
    if name not in vars(holder):
        error = AttributeError(f"'{type_name(holder)}' object has no attribute '{name}'")
        attributes.refuse_attribute(reader, holder, name, error)
    reader.require_unfrozen(vars(holder))
    del vars(holder)[name]


def _unpack(reader: Reader, target: ast.Tuple | ast.List, value: Any) -> None:
    items = [value] * len(target.elts)
    if not is_picture(value):
        value = reader.usable(value) if isinstance(value, Unknown) else value
        items = iterables.static_items(reader.stage, overloads.gone_through(reader, target, value))
    starred = [k for k, element in enumerate(target.elts) if isinstance(element, ast.Starred)]
    wanted = len(target.elts)
    if len(items) != wanted and not (starred and len(items) >= wanted - 1):
        reader.stage.refuse(
            f"{len(items)} values are unpacked into {wanted} targets.",
            "Unpack as many values as there are names.",
            ValueError(f"expected {wanted} values to unpack, got {len(items)}"),
        )
    if starred:
        first, after = starred[0], wanted - starred[0] - 1
        middle = items[first : len(items) - after]
        items = [*items[:first], middle, *items[len(items) - after :]]
    # Views of what is written meanwhile are exact in NumPy too, but numbers were read before: they are lazy values.
    for element, item in zip(target.elts, items, strict=True):
        assign_target(reader, element.value if isinstance(element, ast.Starred) else element, item)


def read_key(reader: Reader, node: ast.expr, holder: Any = None) -> Any:
    """The key of a subscript, as the holder has it."""
    return key_in(reader, node, holder, _key(reader, node))


def _key(reader: Reader, node: ast.expr) -> Any:
    if isinstance(node, ast.Slice):
        return slice(*(None if part is None else reader.eval(part) for part in (node.lower, node.upper, node.step)))
    if isinstance(node, ast.Tuple):
        return tuple(_key(reader, element) for element in node.elts)
    value = reader.eval(node)
    return value.copied(reader.stage) if isinstance(value, Indexed) else value


def as_tuple(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def set_of(reader: Reader, node: ast.AST, items: Iterable[Any], kind: type = set) -> Any:
    """A set: whole numbers in it are known, those of data as they are in this call."""
    found = [static_key(reader.stage, item) if _is_of_whole_numbers(item) else item for item in items]
    if is_staged(found):
        reader.stage.refuse("A set of run-time values is not supported.", "Use a list.")
    made: dict[Any, None] = {}
    for item in found:
        require_key(reader.stage, item)
        if kind is frozenset and is_asked(item):
            reader.stage.refuse("A frozenset of objects whose class says how they are compared.", "Use a set.")
        made[key_in(reader, node, made, item)] = None
    return kind(made)


def _is_of_whole_numbers(item: Any) -> bool:
    """Whether it is one, or a tuple in which nothing else is computed."""
    if type(item) is tuple:
        return all(_is_of_whole_numbers(part) or not is_staged(part) for part in item)
    return isinstance(item, ArrayValue) and not item.ndim and item.dtype.kind in "iu"


def static_key(stage: Stage, key: Any) -> Any:
    """A key of a list, tuple, dict or string; int parameters become constants, loops are unrolled."""
    form = affine_of(key)
    if form is not None:
        return stage.known(form)
    if isinstance(key, slice):
        return slice(*(None if part is None else static_key(stage, part) for part in (key.start, key.stop, key.step)))
    if isinstance(key, tuple) and any(isinstance(part, slice) or is_staged(part) for part in key):
        return tuple(static_key(stage, part) for part in key)
    if isinstance(key, list | dict | set | deque) and is_staged(key):
        error = TypeError(f"unhashable type: '{type(key).__name__}'")
        stage.refuse(f"This key is none: {error}.", "Use what does not change, such as a tuple.", error)
    if is_staged(key):
        known = stage.known_float(key, "The key of a list or dict changes from iteration to iteration.")
        if known is not None:
            return known
        number = stage.settled(key, "The key of a list or dict")
        if number is not None:
            return number
        stage.refuse(*NO_KEY)
    require_key(stage, key)
    return key


def decided_places(stage: Stage, part: Any) -> Any:
    """What says which of an array's texts, dates or objects are meant, as it is in this call."""
    if isinstance(part, list):
        return [decided_places(stage, item) for item in part]
    if not isinstance(part, ArrayValue) or not part.ndim:
        return static_key(stage, part)
    found = [decided_places(stage, item) for item in iterables.static_items(stage, part)]
    return np.array(found, bool if part.dtype.kind == "b" else int)


NO_KEY = ("The key of a list or dict depends on data.", "Use an array instead of the list.")


def require_key(stage: Stage, key: Any) -> None:
    """What the run decides is no part of a key: an object is one that has a hash of its own."""
    try:
        hash(key)
    except DaadError:
        raise
    except Exception as error:
        if str(error) == UNHASHABLE or not isinstance(error, TypeError):
            stage.refuse(*NO_KEY)


def require_own(reader: Reader, value: Any) -> None:
    """An array that is known is changed in place: the program works with one of its own."""
    if isinstance(value, np.ndarray) and value.ndim and origins(reader, value):
        raise NeedsOwn(value)


def origins(reader: Reader, value: Any) -> list[np.ndarray]:
    """The array, and those that it is a view of, as far as the program has them from outside, or has made them."""
    found: list[np.ndarray] = []
    while isinstance(value, np.ndarray):
        found += [value] if id(value) in reader.witnesses.arrays or id(value) in reader.stage.known_arrays else []
        value = value.base
    return found


def assign_item(reader: Reader, holder: Any, key: Any, value: Any) -> None:
    """`holder[key] = value`."""
    stage = reader.stage
    if is_picture(holder):
        return
    holder = reader.twins.get(id(holder), holder)
    if isinstance(holder, ArrayValue | Complex):
        write(stage, holder, as_tuple(key), value)
        return
    if isinstance(holder, Indexed):
        items, place = holder.misused() if reader.attempts else holder.target(stage, key, value)
        write(stage, items, (place,), value)
        return
    if isinstance(holder, iterables.Flat):
        write(stage, holder.array, as_tuple(key), _in_turn(stage, holder.array, as_tuple(key), value))
        return
    if isinstance(holder, np.ndarray) and holder.dtype.kind == "O":
        stage.refuse("An array of objects is written.", "Use a list.")
    if isinstance(holder, np.ndarray):
        raise NeedsOwn(holder)
    if not isinstance(holder, list | deque | dict):
        stage.refuse(f"An object of type '{type_name(holder)}' is written.", "Use arrays, lists and dicts.")
    with of_list(holder, is_written=True):
        key = static_key(stage, key)
    outside_containers.require_change(reader, holder, key, value)
    if isinstance(holder, dict):
        reader.assign(holder, key, value, name_of(key))
    elif isinstance(key, slice) and isinstance(holder, list):
        own = [reader.settled(item, "item") for item in iterables.static_items(stage, value)]
        container_items.put(holder, key, own)
    elif not -len(holder) <= key < len(holder):
        stage.refuse(f"Index {key} is out of range for a list of length {len(holder)}.", "Check the list's length.")
    else:
        reader.assign(holder, key % len(holder), value, "item")


def _in_turn(stage: Stage, row: ArrayValue, key: tuple[Any, ...], value: Any) -> ArrayValue:
    """What is written to places of `a.flat`: all elements one after the other, and again from the first one."""
    array = stage.array(value)
    if not array.ndim:
        return array
    array, places = reshape_to(stage, array, (-1,)), stage.array(indexing.item(stage, row, key))
    counts = [extent.const for one in (array, places) for extent in one.shape[:1] if extent.is_const]
    is_known = places.ndim == 1 and len(counts) == 2
    return resize(stage, array, counts[1]) if is_known and 1 != counts[0] != counts[1] else array


def item_at(stage: Stage, holder: Any, key: Any) -> Any:
    """`holder[key]` of a key that is known."""
    try:
        return container_items.item_in(holder, key)
    except DaadError:
        raise
    except Exception as error:
        stage.refuse(
            f"This subscript fails: {type(error).__name__}: {error}.", "Check the key and what it is applied to.", error
        )


def delete_item(reader: Reader, holder: Any, key: Any) -> None:
    """`del holder[key]`."""
    if not isinstance(holder, list | deque | dict):
        reader.stage.refuse("An element of an array is deleted.", "Use a slice without it.")
    outside_containers.change(reader, holder)
    try:
        container_items.base_of(holder).__delitem__(holder, static_key(reader.stage, key))
    except (KeyError, IndexError, TypeError) as error:
        reader.stage.refuse(f"This 'del' fails: {type(error).__name__}: {error}.", "Check the key.", error)


def write(stage: Stage, array: ArrayValue | Complex, key: tuple[Any, ...], value: Any) -> None:
    """`array[key] = value` for arrays; `None` in one of floats is NaN."""
    if value is None and array.dtype.kind == "f":
        value = math.nan
    with as_by_numpy(stage, python_operator.setitem, (array, key, value)):
        if isinstance(value, int | float | np.integer | np.floating):
            np.zeros((), array.dtype)[...] = value  # whether it fits
        if isinstance(array, Complex):
            _write_complex(stage, array, key, value)
            return
        write_at(stage, array, key, value)


def _write_complex(stage: Stage, array: Complex, key: tuple[Any, ...], value: Any) -> None:
    """What is written is held until both parts are."""
    value = complex_numbers.paired(stage, value)
    for part, content in zip(array.parts, value.parts, strict=True):
        own, place = indexing.by_truth_value(stage, part, key)
        write_parts(stage, own, indexing.parts_of(stage, own, place), content)
    forget_masks(stage, key)


def update(reader: Reader, place: View | Complex, operator: type[ast.operator], value: Any) -> None:
    """`place op= value` in place."""
    with as_by_numpy(reader.stage, ALL_BINARY[operator].in_place, (place, value)):
        if isinstance(place, Complex):
            _update_complex(reader.stage, place, operator, value)
            return
        require_kind(reader.stage, place, operator, value)
        _update(reader, place, operator, value)


def _update_complex(stage: Stage, place: Complex, operator: type[ast.operator], value: Any) -> None:
    if operator is ast.Add:
        complex_ufuncs.write(stage, place, value, "+=")
    elif operator is ast.Sub:
        complex_ufuncs.write(stage, place, complex_ufuncs.elementwise(stage, np.negative, (value,)), "+=")
    else:
        complex_ufuncs.write(stage, place, OPERATORS[operator](stage, (place, value), {}))


def require_kind(stage: Stage, place: View, operator: type[ast.operator], value: Any) -> None:
    """Refuses to write floats into an array of integers, and its like, which NumPy allows for single elements only."""
    if not place.ndim or operator not in BINARY or not (isinstance(value, ArrayValue | np.ndarray | int | float)):
        return
    result = loop_types(stage, BINARY[operator].ufunc, (place, operand(stage, value)))[-1]
    if not np.can_cast(result, place.dtype, "same_kind"):
        stage.refuse(
            f"A result of dtype '{result}' cannot be written into an array of dtype '{place.dtype}'.",
            "Convert the array with 'astype' first.",
        )


def _update(reader: Reader, place: View, operator: type[ast.operator], value: Any) -> None:
    stage = reader.stage
    if operator in (ast.Add, ast.Sub) and _sums_up(stage, place, operator, value):
        change = stage.array(value)
        if operator is ast.Sub:
            read, change = change, negated(stage, change)
            stage.forget(read)
        stage.store(place, change, "+=")
        return
    changed = OPERATORS[operator](stage, (place, value), {})
    if isinstance(value, Lazy):
        stage.forget(value)
    stage.store(place, changed)


def _sums_up(stage: Stage, place: View, operator: type[ast.operator], value: Any) -> bool:
    """Whether it makes no difference that the number is converted, and its sign changed, before it is added."""
    if place.dtype.kind == "f":
        return True
    result = loop_types(stage, BINARY[operator].ufunc, (place, operand(stage, value)))[-1]
    if result != place.dtype or result.kind not in "iu":
        return False
    has_negative = result.kind == "i" and not (isinstance(value, int) and value == np.iinfo(result).min)
    return operator is ast.Add or has_negative


def negated(stage: Stage, value: ArrayValue) -> ArrayValue:
    """`-value`, elementwise."""
    if value.dtype.kind == "b":
        value = stage.lazy(value.shape, np.int64, value.element, value.weak)
    result = OPERATORS[ast.Mult](stage, (value, -1), {}) if value.dtype.kind == "u" else None
    if result is None:
        return _negative(stage, value)
    return stage.array(result)


def _negative(stage: Stage, value: ArrayValue) -> Lazy:
    return stage.lazy(value.shape, value.dtype, lambda p: op("negative", value.dtype, value.element(p)), value.weak)
