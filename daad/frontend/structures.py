"""What arguments are made of: containers, dataclasses and objects, each part by the name that Python gives it."""

from __future__ import annotations

import ast
import dataclasses
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from daad.errors import BadArgument
from daad.frontend.installed_code import is_of_library
from daad.runtime.gpu.device_array import DeviceArray

Steps = tuple[str, ...]
"""The way into a structure, such as `("['layers']", "[0]", ".weights")`."""
LEAVES = (
    *(np.ndarray, np.generic, int, float, complex, str, bytes, type),
    *(types.ModuleType, types.FunctionType, DeviceArray),
)

ARRAYS = ("__dlpack_device__", "__cuda_array_interface__", "__jax_array__")
"""What classes of arrays of other libraries have, which are no structures."""

Key = tuple[str, Any]
"""A step as it is spelled: an attribute or an item."""
SPELLED = "Write the way as Python does, such as \"p['w']\", 'model.w' or 'layers[0][1]'."


@dataclass(frozen=True, eq=False)
class Opened:
    """An object with its attributes, which are parts of the arguments as the items of a list are."""

    owner: Any
    attributes: Mapping[str, Any]

    def closed(self) -> Any:
        """An object of the class with these attributes."""
        return record(self.owner, {name: closed(value) for name, value in self.attributes.items()})


def parts(value: Any) -> list[tuple[str, Any]] | None:
    """The parts of a structure, each with its step; None for what is no structure."""
    if isinstance(value, Mapping):
        try:
            return [(f".{key}" if is_report(value) else f"[{key!r}]", item) for key, item in value.items()]
        except Exception:
            return None  # a class that calls itself a mapping, and has no keys
    if isinstance(value, list | tuple):
        fields = getattr(value, "_fields", None)
        names = None if fields is None else (*fields, *extra_fields(value))
        steps = [f"[{k}]" for k in range(len(value))] if names is None else [f".{name}" for name in names]
        return list(zip(steps, items_of(value), strict=True))
    if isinstance(value, Opened):
        return [(f".{name}", item) for name, item in value.attributes.items()]
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and not _holds_itself(value):
        return [(f".{field.name}", getattr(value, field.name)) for field in dataclasses.fields(value)]
    return None


def _holds_itself(value: Any) -> bool:
    """Whether a way along attributes and items leads back to an object, as from a parent to its children and back: it
    has no leaves to be named then, and is an object like others."""
    seen, waiting = set[int](), [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            held: Iterable[Any] = one.values()
        elif isinstance(one, list | tuple):
            held = one
        elif dataclasses.is_dataclass(one) and not isinstance(one, type):
            held = (getattr(one, field.name) for field in dataclasses.fields(one))
        else:
            continue
        for item in held:
            if item is value:
                return True
            is_structure = hasattr(item, "__dataclass_fields__") or isinstance(item, Mapping | list | tuple)
            if is_structure and id(item) not in seen:
                seen.add(id(item))
                waiting.append(item)
    return False


def leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The leaves of a structure, each named as Python finds it: `p['w'][0]`."""
    found = parts(value)
    if found is None:
        yield name, value
        return
    for step, item in found:
        yield from leaves(name + step, item)


def rebuilt(value: Any, change: Callable[[str, Any], Any]) -> Any:
    """The same structure of `change(step, item)`."""
    found = parts(value)
    assert found is not None, "only structures are rebuilt"
    items = [change(step, item) for step, item in found]
    if is_report(value):
        return report(type(value), dict(zip(value, items, strict=True)))
    if isinstance(value, Mapping):
        return dict(zip(value, items, strict=True))
    if isinstance(value, list | tuple):
        return sequence(value, items)
    names = [step[1:] for step, _ in found]
    if isinstance(value, Opened):
        return Opened(value.owner, dict(zip(names, items, strict=True)))
    return record(value, dict(zip(names, items, strict=True)))


def is_report(value: Any) -> bool:
    """Whether it is what a solver of SciPy's reports: a dict whose items are its attributes."""
    return isinstance(value, dict) and is_report_class(type(value))


def is_report_class(cls: type) -> bool:
    return cls.__setattr__ is dict.__setitem__ and cls.__module__.startswith("scipy.")  # type: ignore[comparison-overlap]


def report(cls: type, items: Mapping[str, Any]) -> Any:
    """A report of SciPy's."""
    made: Any = dict.__new__(cls)
    made.update(items)
    return made


def sequence(like: Any, items: Iterable[Any]) -> Any:
    """A list or tuple of the same type, also of named tuples, with other items."""
    if not hasattr(like, "_fields"):
        return type(like)(items)
    items = list(items)
    made = tuple.__new__(type(like), items[: len(like)])
    if hasattr(like, "__dict__"):
        vars(made).update({**vars(like), **dict(zip(extra_fields(like), items[len(like) :], strict=False))})
    return made


def extra_fields(value: Any) -> tuple[str, ...]:
    """What a result of SciPy's has beside the items that it is unpacked into."""
    return tuple(getattr(value, "_extra_fields", ()))


def items_of(value: list[Any] | tuple[Any, ...]) -> list[Any]:
    """The items of a list or a tuple, and what it has beside them: `sequence` takes them back."""
    return [*value, *(getattr(value, name) for name in extra_fields(value))]


def record(like: Any, attributes: Mapping[str, Any]) -> Any:
    """An object of the same class with these attributes in the place of its own."""
    return made_of(type(like), {**dict(attributes_of(like)), **attributes})


def made_of(cls: type, attributes: Mapping[str, Any]) -> Any:
    """An object of a class, without its `__init__`, with these attributes."""
    made = blank(cls)
    for name, value in attributes.items():
        object.__setattr__(made, name, value)
    return made


def blank(cls: type) -> Any:
    """An object of a class as Python itself makes it."""
    home: Any = next(base for base in cls.__mro__ if isinstance(vars(base).get("__new__"), types.BuiltinFunctionType))
    return home.__new__(cls)


def attributes_of(value: Any) -> Iterator[tuple[str, Any]]:
    """The attributes that an object holds itself."""
    yield from getattr(value, "__dict__", {}).items()
    for cls in type(value).__mro__:
        for name, found in vars(cls).items():
            if isinstance(found, types.MemberDescriptorType) and name != "__dict__" and hasattr(value, name):
                yield name, getattr(value, name)


def opened(value: Any, wanted: Sequence[Steps], name: str, around: tuple[int, ...] = ()) -> Any:
    """The structure with those objects opened that lie on the ways `wanted`; one that ends asks for all behind it."""
    found = inner(value) if wanted else None
    if found is None:
        return value
    if id(value) in around:
        raise BadArgument(f"'{name}' holds itself.", hint="Name the arrays in it, such as 'model.weights'.")
    around = (*around, id(value))

    def entered(step: str, item: Any) -> Any:
        further = [()] if () in wanted else [steps[1:] for steps in wanted if steps[0] == step]
        return opened(item, further, name + step, around)

    items = {step: entered(step, item) for step, item in found}
    is_same = all(items[step] is item for step, item in found)
    is_object = parts(value) is None
    if is_object or (dataclasses.is_dataclass(value) and not is_same):
        return Opened(value, {step[1:]: item for step, item in items.items()})
    return value if is_same else rebuilt(value, lambda step, _: items[step])


def all_opened(value: Any) -> Any:
    """The structure with all objects in it opened."""
    return opened(value, [()], "result")


def inner(value: Any) -> list[tuple[str, Any]] | None:
    """The same, and the attributes of an object of the program's own classes."""
    found = parts(value)
    if found is not None or value is None or isinstance(value, LEAVES):
        return found
    cls = type(value)
    if any(hasattr(cls, name) for name in ARRAYS):
        return None
    if is_of_library(cls) and cls is not types.SimpleNamespace:
        return None
    return [(f".{name}", item) for name, item in attributes_of(value)] or None


def closed(value: Any) -> Any:
    """The structure with objects again where they have been opened."""
    if isinstance(value, Opened):
        return value.closed()
    found = parts(value)
    if found is None or not any(_has_opened(item) for _, item in found):
        return value
    return rebuilt(value, lambda _, item: closed(item))


def _has_opened(value: Any) -> bool:
    return isinstance(value, Opened) or any(_has_opened(item) for _, item in parts(value) or ())


@lru_cache(maxsize=1024)
def spelled(name: str, option: str) -> tuple[str, tuple[Key, ...]]:
    """`p['w'][0].b` as the argument `p` and the keys behind it."""
    if name.isidentifier():
        return name, ()
    keys: list[Key] = []
    try:
        node: ast.expr | None = ast.parse(name.strip(), mode="eval").body
        while isinstance(node, ast.Subscript | ast.Attribute):
            if isinstance(node, ast.Subscript):
                keys.append(("item", ast.literal_eval(node.slice)))
            else:
                keys.append(("attribute", node.attr))
            node = node.value
    except (SyntaxError, ValueError):
        node = None
    if not isinstance(node, ast.Name):
        raise BadArgument(f"The option '{option}' is {name!r}, which names nothing.", hint=SPELLED)
    return node.id, tuple(reversed(keys))


def step(value: Any, key: Key, steps: Sequence[str]) -> str:
    """The step that a key takes; from the end, and into named tuples, there are two ways to say it."""
    kind, what = key
    if kind == "attribute":
        return f".{what}"
    is_place = isinstance(value, list | tuple) and isinstance(what, int)
    return steps[what] if is_place and -len(steps) <= what < len(steps) else f"[{what!r}]"


def is_way(name: Any) -> bool:
    """Whether a name begins with a step, and not with a variable: `['loss']`, `.loss`, `[0][1]`."""
    return isinstance(name, str) and name.startswith(("[", "."))


def within(value: Any, way: str) -> Any:
    """The part of a result that `['loss'][0]` or `.loss` leads to; KeyError where there is none."""
    for key in spelled(f"result{way}", "of")[1]:
        found = dict(inner(value) or ())
        value = found[step(value, key, list(found))]
    return value
