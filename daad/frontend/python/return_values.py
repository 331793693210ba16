"""What the program gives back: its return value in arrays of the Program, and the outputs that are asked for."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

from daad.errors import BadArgument, Location
from daad.frontend import structures
from daad.frontend.library.solvers.roots import Found, scipys
from daad.frontend.python.attributes import attribute
from daad.frontend.python.parameters import Parameters
from daad.frontend.python.reading.environment import same
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import MISSING, Scope, Unknown
from daad.frontend.python.values.objects import class_of
from daad.frontend.python.values.sampled_classes import plain
from daad.frontend.python.values.shown_types import is_standing_in
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.unread import Unread, refuse_unread_within
from daad.frontend.staging.values import ArrayValue, Complex, Subarray, View, own_axes, type_name
from daad.ir.affine import Affine
from daad.ir.walk import writes
from daad.messages.suggestions import suggest


class Leaf(str):
    """An array of the Program in the structure of a return value: its name."""

    @property
    def array(self) -> str:
        return str(self)


def settle(reader: Reader, scope: Scope, parameters: Parameters, value: Any, of: Any) -> tuple[Any, tuple[str, ...]]:
    """The return value with Leafs, and the arrays that `of` selects (internal names)."""
    entry, reader.stage.at = reader.stage.at, _end(scope)
    returned = _settled(reader, value, "result", set())
    reader.stage.at = entry
    if of is None:
        refuse_unread_within(returned)
        outputs = tuple(names_in(returned))
        if not outputs:
            raise BadArgument(
                "The function returns nothing to differentiate."
                if value is None
                else f"The function returns a value of type '{type_name(value)}', which holds no array or number.",
                at=reader.stage.at,
                hint="Name what it writes with 'of', or return a value.",
            )
        return returned, outputs
    wanted = of if isinstance(of, tuple | list) else (of,)
    return returned, tuple(_output(reader, scope, parameters, returned, item) for item in wanted)


def _end(scope: Scope) -> Location:
    """The return statement, where there is just one: what is left to compute of the result belongs to it."""
    function = scope.source.node
    found = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    return Location.of(found[0] if len(found) == 1 else function, scope.source.filename)


def _settled(reader: Reader, value: Any, name: str, taken: set[str], around: tuple[int, ...] = ()) -> Any:
    if isinstance(value, Unread):
        return value
    value = reader.usable(value) if isinstance(value, Unknown) else value
    if isinstance(value, Subarray) and value.cls is np.ma.core.MaskedConstant:
        reader.stage.refuse(
            "The function returns 'np.ma.masked', which is no number.", "Check which elements are masked."
        )
    if structures.is_report(value):
        items = {key: _settled(reader, item, f"{name}_{key}", taken, around) for key, item in value.items()}
        return structures.report(type(value), items)
    if isinstance(value, dict):
        return {key: _settled(reader, item, f"{name}_{key}", taken, around) for key, item in value.items()}
    if isinstance(value, list | tuple):
        own = enumerate(structures.items_of(value))
        return structures.sequence(value, [_settled(reader, item, f"{name}_{k}", taken, around) for k, item in own])
    if isinstance(value, ArrayValue | Complex | Subarray | np.ndarray | int | float | complex | np.generic):
        place = whole(reader, value, name, taken)
        taken.add(place)
        return Leaf(place)
    if isinstance(value, Found):
        known = {key: item for key, item in vars(value).items() if not isinstance(item, Unread)}
        items = {key: _settled(reader, item, f"{name}_{key}", taken, around) for key, item in known.items()}
        return structures.report(scipys(value), items)
    if is_standing_in(value):
        what = f"The function returns an object of the class '{class_of(value).__name__}', which stands for SciPy's."
        reader.stage.refuse(what, "Return what is computed with it.")
    held = structures.inner(value) or _made_here(reader, value)
    if held and id(value) in around:
        what = f"The function returns an object of the class '{class_of(value).__name__}' that holds itself."
        reader.stage.refuse(what, "Return the arrays in it.")
    around = (*around, id(value))
    items = {step[1:]: _settled(reader, item, f"{name}_{step[1:]}", taken, around) for step, item in held}
    if not any(_holds_array(item) for item in items.values()):
        return value
    return structures.Opened(structures.blank(class_of(value)), items)


def _made_here(reader: Reader, value: Any) -> list[tuple[str, Any]]:
    """The attributes of an object of a library's class that the program makes."""
    if id(value) not in reader.objects or isinstance(value, type):
        return []
    return [(f".{name}", item) for name, item in structures.attributes_of(value)]


def _holds_array(value: Any) -> bool:
    return isinstance(value, Leaf) or any(_holds_array(item) for _, item in structures.parts(value) or ())


def whole(reader: Reader, value: Any, name: str, taken: set[str]) -> str:
    """The array that holds the value and nothing else; a copy where there is none."""
    stage = reader.stage
    value = complex_numbers.staged(stage, plain(reader.usable(value)))
    if isinstance(value, Complex):
        return _whole_complex(stage, value, name, taken)
    stage.refuse_mask(value.shape)
    own = isinstance(value, View) and value.base not in taken and value.base not in stage.constants
    if isinstance(value, View) and own and stage.is_whole(value):
        stage.name(value, name)
        return value.base
    return stage.copy(value, name).base


def _whole_complex(stage: Stage, value: Complex, name: str, taken: set[str]) -> str:
    """The same of a complex value: an array of pairs."""
    stage.refuse_mask(value.shape)
    base = value.real.base if isinstance(value.real, View) else ""
    if base in stage.interleaved - taken:
        shape = tuple(map(Affine, stage.arrays[base].shape))
        own = complex_numbers.of_pairs(stage, stage.view(base, shape, own_axes(len(shape))))
        if same(own, value):
            return base
    return complex_numbers.interleaved(stage, value, name).base


def _output(reader: Reader, scope: Scope, parameters: Parameters, returned: Any, item: Any) -> str:
    if isinstance(item, int):
        return _position(reader, returned, item)
    if structures.is_way(item):
        return _part(reader, returned, item)
    if isinstance(returned, dict) and item in returned:
        return _entry(reader, scope, returned, item)
    written = {assign for assign in parameters.places if assign == item}
    value = scope.values.get(item, MISSING) if item.isidentifier() else _inside(reader, scope, item)
    if written and parameters.places[item] in reader.stage.arrays:
        return _parameter_or_local(reader, parameters.places[item], value, item)
    if value is MISSING or isinstance(value, Unknown):
        raise BadArgument(
            f"'{scope.source.name}' has no variable '{item}' at its end.",
            at=reader.stage.at,
            hint=suggest(str(item), _names(scope)) or "Name a parameter that it writes, or a local variable.",
        )
    if not isinstance(value, ArrayValue | Complex | int | float | complex | np.ndarray):
        raise BadArgument(f"The variable '{item}' is no array.", at=reader.stage.at, hint="Name an array or a number.")
    return whole(reader, value, item, set())


def _inside(reader: Reader, scope: Scope, item: str) -> Any:
    """What a way such as `model.u` leads to in the end."""
    root, keys = structures.spelled(item, "of")
    value = scope.values.get(root, MISSING)
    for kind, key in keys:
        if value is MISSING:
            break
        if kind == "attribute":
            value = attribute(reader, value, key)
        else:
            value = value[key] if isinstance(value, list | tuple | dict) else MISSING
    return value


def _names(scope: Scope) -> list[str]:
    """The variables that hold numbers or arrays at the end."""
    values = scope.values.items()
    return [name for name, value in values if isinstance(value, ArrayValue | Complex | float | complex | np.ndarray)]


def _parameter_or_local(reader: Reader, place: str, value: Any, item: str) -> str:
    """A parameter's own array, unless its name stands for another value in the end."""
    stage = reader.stage
    written = any(place in _written(node) for node in stage.blocks[0].nodes)
    one = value.real if isinstance(value, Complex) else value
    rebound = isinstance(one, View) and one.base != place
    return whole(reader, value, item, set()) if rebound and not written else place


def _written(node: Any) -> set[str]:
    return writes((node,))


def _entry(reader: Reader, scope: Scope, returned: dict[Any, Any], key: str) -> str:
    """An entry of the returned dict; if a variable has its name, it must be what the entry was made of."""
    value, entry = scope.values.get(key), returned[key]
    one = value.real if isinstance(value, Complex) else value
    is_same = isinstance(one, View) and isinstance(entry, Leaf) and one.base == entry.array
    if key in scope.values and not is_same:
        raise BadArgument(
            f"Both a variable and an entry of the returned dict are called '{key}'.",
            at=reader.stage.at,
            hint=f"Write of=\"['{key}']\" for the entry, or give the variable another name.",
        )
    return _part(reader, returned, f"[{key!r}]")


def _part(reader: Reader, returned: Any, way: str) -> str:
    """What a way into the result leads to."""
    try:
        found = structures.within(returned, way)
    except KeyError:
        found = None
    if not isinstance(found, Leaf):
        known = [name for name, leaf in structures.leaves("", returned) if isinstance(leaf, Leaf) and name]
        hint = f"It has {', '.join(map(repr, known[:8]))}." if known else "Name a variable instead."
        raise BadArgument(f"The result has no array {way!r}.", at=reader.stage.at, hint=hint)
    return found.array


def _position(reader: Reader, returned: Any, position: int) -> str:
    items = returned if isinstance(returned, tuple | list) else (returned,)
    if not -len(items) <= position < len(items) or not isinstance(items[position], Leaf):
        raise BadArgument(
            f"The function returns no array at position {position}.",
            at=reader.stage.at,
            hint="Count the returned values from 0.",
        )
    leaf = items[position]
    assert isinstance(leaf, Leaf), "checked above"
    return leaf.array


def names_in(returned: Any) -> list[str]:
    """The arrays of a returned structure, in order."""
    if isinstance(returned, Leaf):
        return [returned.array]
    return [name for _, item in structures.parts(returned) or () for name in names_in(item)]


def renamed(returned: Any, names: Mapping[str, str]) -> Any:
    """The structure with final names of arrays as leaves."""
    if isinstance(returned, Leaf):
        return Leaf(names[returned.array])
    if structures.parts(returned) is None:
        return returned
    return structures.rebuilt(returned, lambda _, item: renamed(item, names))
