"""`value.name` where a class says what that gives: properties, descriptors, cached properties, `__getattr__`."""

from __future__ import annotations

import ast
from typing import Any

from daad.frontend.python import attributes
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.targets import assign_attribute
from daad.frontend.python.values import objects, overloads, subarrays
from daad.frontend.staging.values import ArrayValue, Complex, Subarray


def read_attribute(reader: Reader, node: ast.AST, value: Any, name: str) -> Any:
    """`value.name`; the function of a property or a descriptor is read like any other."""
    place = overloads.place_of(node)
    if isinstance(value, Subarray | subarrays.Inherited):
        return subarrays.attribute(reader, place, value, name)
    getter = objects.getter_of(value, name)
    if getter is not None:
        return reader.call(place, getter[0], list(getter[1]), {})
    if name == "__class__" and isinstance(value, ArrayValue | Complex):
        return reader.call(place, type, [value], {})
    cached = objects.cached_of(reader, value, name)
    if cached is not None:
        found = reader.call(place, cached, [value], {})
        assign_attribute(reader, node, value, name, found)
        return found
    return attributes.attribute(reader, value, name)


def is_read(reader: Reader, value: Any, name: str) -> bool:
    """Whether looking the attribute up runs code of the program, or of an array's class."""
    if isinstance(value, Subarray | subarrays.Inherited):
        return True
    return objects.getter_of(value, name) is not None or objects.cached_of(reader, value, name) is not None
