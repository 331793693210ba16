"""What code of the program gives for an attribute or a key: properties, descriptors, cached properties, `__getattr__`,
the missing keys of a `defaultdict`."""

from __future__ import annotations

import ast
import types
from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np

from daad.frontend.library import iterating
from daad.frontend.python import attributes
from daad.frontend.python.calls.library_python import is_run
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import MISSING
from daad.frontend.python.targets import assign_attribute, assign_item, static_key
from daad.frontend.python.values import objects, outside_copies, overloads, shown_types, subarrays
from daad.frontend.staging.iterables import Flat
from daad.frontend.staging.values import ArrayValue, Complex, Subarray


def of_plain(reader: Reader, asked: subarrays.Plain) -> Any:
    """An attribute that the array has without its class."""
    found = attributes.attribute(reader, asked.array.array, asked.name)
    return replace(found, of=asked.array) if isinstance(found, Flat) else found


def read_attribute(reader: Reader, node: ast.AST, value: Any, name: str, *, plainly: bool = False) -> Any:
    """`value.name`; the function of a property or a descriptor is read like any other. `plainly`: as
    `object.__getattribute__` does it."""
    place = overloads.place_of(node)
    if isinstance(value, Subarray | subarrays.Inherited):
        found = subarrays.attribute(reader, place, value, name)
        return of_plain(reader, found) if isinstance(found, subarrays.Plain) and not found.is_method else found
    if shown_types.of(value) is not None:
        return attributes.attribute(reader, value, name)
    asked = None if plainly else objects.interceptor_of(value)
    if asked is not None:
        missing = objects.fallback_of(value)
        if missing is None:
            return reader.call(place, asked, [value, name], {})
        return reader.call(place, iterating.either, [asked, missing, value, name], {})
    getter = objects.getter_of(value, name)
    if getter is not None:
        return reader.call(place, getter[0], list(getter[1]), {})
    if name == "__class__" and isinstance(value, ArrayValue | Complex):
        return reader.call(place, type, [value], {})
    cached = _cached(reader, value, name)
    if cached is not None:
        found = reader.call(place, cached, [value], {})
        assign_attribute(reader, node, value, name, found)
        return found
    missing = None if plainly else _missing(reader, value, name)
    if missing is not None:
        return reader.call(place, missing, [value, name], {})
    return attributes.attribute(reader, value, name, object.__getattribute__ if plainly else getattr)


def _cached(reader: Reader, value: Any, name: str) -> types.FunctionType | None:
    """The function of a cached property, unless it is a library's, which Python may run."""
    found = objects.cached_of(reader, value, name)
    return None if found is None or is_run(reader, found, [value], {}) else found


def _missing(reader: Reader, value: Any, name: str) -> types.FunctionType | None:
    """The `__getattr__` that is asked, if functions of the program have not assigned the attribute to the class."""
    value = reader.twins.get(id(value), value)
    missing = None if isinstance(value, ArrayValue | Complex | np.ndarray) else objects.missing_of(value, name)
    if missing is None or (reader.shared and outside_copies.shared_attribute(reader, value, name) is not MISSING):
        return None
    return missing


def is_read(reader: Reader, value: Any, name: str) -> bool:
    """Whether looking the attribute up runs code of the program, or of an array's class."""
    if isinstance(value, Subarray | subarrays.Inherited):
        return True
    if shown_types.of(value) is not None:
        return False
    if objects.interceptor_of(value) is not None or objects.getter_of(value, name) is not None:
        return True
    if _cached(reader, value, name) is not None:
        return True
    return _missing(reader, value, name) is not None


def fill(reader: Reader, node: ast.AST, holder: defaultdict[Any, Any], key: Any) -> None:
    """A function of the program gives the value of a key that the dict does not have."""
    key = static_key(reader.stage, key)
    if key not in reader.twins.get(id(holder), holder):
        value = reader.call(overloads.place_of(node), holder.default_factory, [], {})
        assign_item(reader, holder, key, value)
