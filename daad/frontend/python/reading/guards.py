"""What a program took from its surroundings while it was read: the code that was made holds as long as that stays."""

from __future__ import annotations

import array as arrays_of_python
import builtins
import hashlib
import sys
import types
from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any, Protocol

import numpy as np

from daad.frontend.installed_code import is_of_library
from daad.frontend.python.reading.scope import CLASS_SCOPE, MISSING

NUMBERS = (bool, int, float, complex, str, bytes, type(None), np.generic)
CONTAINERS = (list, tuple, set, frozenset, deque, Mapping, partial, arrays_of_python.array, bytearray)
PLAIN = (*NUMBERS, *CONTAINERS, type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, np.ndarray)
"""What has no attributes that decide what it is."""
COMPUTED = (property, types.MemberDescriptorType, types.GetSetDescriptorType)
IMMUTABLE_TYPE = 1 << 8
"""The flag of classes whose attributes cannot be set, by `Py_TPFLAGS_IMMUTABLETYPE`."""
FEW_BYTES = 2**12
CONSTANT_MODULES = frozenset({"numpy", "scipy", "math", "cmath", "builtins"})


@dataclass(frozen=True)
class Range:
    """The least and the largest element of an array: bounds of indices, or one number that stands for all."""

    array: np.ndarray
    least: Any
    largest: Any

    def holds(self) -> bool:
        return bool(self.array.min() == self.least and self.array.max() == self.largest)


@dataclass(frozen=True)
class Content:
    """All elements of an array: an operation that ran while the program was read, or the places that a mask selects."""

    array: np.ndarray
    seen: bytes

    def holds(self) -> bool:
        return fingerprint(self.array) == self.seen


class Witness(Protocol):
    """One thing that was seen."""

    def holds(self) -> bool:
        """Whether it would be seen again."""


@dataclass(frozen=True)
class Named:
    """The value of a global, of a variable around the function, or of an attribute; containers with what they hold.

    `owner` has the attribute: a class whose last user is the program that is read would lose it.
    """

    place: Mapping[str, Any]
    name: str
    seen: Any
    content: Hashable
    owner: Any = None

    def holds(self) -> bool:
        now = self.place.get(self.name, MISSING)
        if now is not self.seen and not _equal(now, self.seen):
            return False
        return self.content is None or content(now) == self.content


@dataclass(frozen=True)
class Element:
    """An element of an array that the program read as a number."""

    array: np.ndarray
    index: Any
    seen: Hashable

    def holds(self) -> bool:
        return element(self.array[self.index]) == self.seen


@dataclass(eq=False)
class Same:
    """Equal to what stands for the same object."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Computed:
    """The value of an attribute that a descriptor written in C gives, such as a slot."""

    owner: Any
    name: str
    seen: Any
    content: Hashable

    def holds(self) -> bool:
        now = getattr(self.owner, self.name, MISSING)
        return (now is self.seen or _equal(now, self.seen)) and (self.content is None or content(now) == self.content)


@dataclass(frozen=True)
class Absent:
    """Names that stand for something else as long as they are not here: builtins that a module may hide."""

    place: Mapping[str, Any]
    names: frozenset[str]

    def holds(self) -> bool:
        return self.place.keys().isdisjoint(self.names)


@dataclass(frozen=True)
class Definition:
    """What a function does, and what it takes where the call leaves an argument out."""

    function: types.FunctionType
    code: types.CodeType
    defaults: Hashable
    keywords: Hashable

    @staticmethod
    def of(function: Any) -> Definition:
        return Definition(function, function.__code__, *_defaults(function))

    def holds(self) -> bool:
        return self.function.__code__ is self.code and _defaults(self.function) == (self.defaults, self.keywords)


@dataclass(frozen=True)
class State:
    """All that an object holds: code that is not read has looked into it."""

    value: Any
    seen: Hashable

    def holds(self) -> bool:
        return state(self.value) == self.seen


@dataclass(frozen=True)
class Alike:
    """The classes of objects, or the dtypes and shapes of arrays."""

    values: Sequence[Any]
    seen: Sequence[Any]
    of: Any

    def holds(self) -> bool:
        return [*map(self.of, self.values)] == self.seen


STREAMS = ("stdout", "stderr")
"""What `sys` names them by; what goes there is not looked at."""


class Witnesses:
    """All that was seen, each once; `arrays` are those that the program found outside, `objects` those whose classes
    count."""

    def __init__(self) -> None:
        self.arrays: dict[int, np.ndarray] = {}
        self.objects: dict[int, Any] = {}
        self._seen: dict[Hashable, Witness] = {}
        self._absent: dict[int, tuple[Mapping[str, Any], set[str]]] = {}

    def name(self, place: Mapping[str, Any], name: str, value: Any) -> None:
        """A name has been looked up; what Python and daad call their own stays."""
        if place is not vars(builtins) and not _is_of_daad(place):
            self._name(id(place), place, name, value)

    def absent(self, place: Mapping[str, Any], name: str) -> None:
        """A name has been looked up here in vain, and then found among the builtins."""
        if _is_of_daad(place):
            return
        self._absent.setdefault(id(place), (place, set()))[1].add(name)

    def definition(self, function: Any) -> None:
        """A function of the program has been read."""
        if not isinstance(function, types.FunctionType) or _is_of_daad(function.__globals__):
            return
        if id(function) not in self._seen:
            self._seen[id(function)] = Definition.of(function)

    def state(self, value: Any) -> None:
        """Code that is not read has looked into an object."""
        if not isinstance(value, PLAIN) and is_written(type(value)):
            self._seen.setdefault((id(value), "state"), State(value, state(value)))

    def typed(self, value: Any) -> None:
        """The class of an object has been relied on."""
        if not isinstance(value, PLAIN) and is_written(type(value)):
            self.objects[id(value)] = value

    def attribute(self, owner: Any, name: str, *, own: bool = False) -> None:
        """An attribute has been read, or looked for; of an object that is the program's `own`, the class counts."""
        if isinstance(owner, types.ModuleType) and owner.__name__.partition(".")[0] in CONSTANT_MODULES:
            return
        self.typed(owner)
        for place in _places(owner, own):
            if isinstance(place, type) and CLASS_SCOPE in vars(place):
                continue  # made while the program was read
            held = getattr(place, "__dict__", None)
            found = MISSING if held is None else held.get(name, MISSING)
            if held is not None and not (isinstance(place, type) and place.__flags__ & IMMUTABLE_TYPE):
                self._name(id(place), held, name, found, place)
            if isinstance(found, COMPUTED) and not own:
                self._computed(owner, name, found)
            if found is not MISSING:
                return
        if not own:
            self.state(owner)

    def _name(self, where: int, place: Mapping[str, Any], name: str, value: Any, owner: Any = None) -> None:
        is_shown = place is vars(sys) and name in STREAMS  # it may be another one with each call
        if (where, name) not in self._seen and not is_shown:
            held = content(value) if isinstance(value, CONTAINERS) else None
            self._seen[where, name] = Named(place, name, value, held, owner)

    def _computed(self, owner: Any, name: str, by: Any) -> None:
        """A property that is written in Python is read; what another one looks at is not known."""
        if isinstance(by, property):
            if not isinstance(by.fget, types.FunctionType):
                self.state(owner)
        elif not isinstance(owner, np.ndarray | np.generic | np.dtype):
            value = getattr(owner, name, MISSING)
            held = content(value) if isinstance(value, CONTAINERS) else None
            self._seen.setdefault((id(owner), name, "computed"), Computed(owner, name, value, held))

    def element(self, array: np.ndarray, index: Any, found: Any) -> None:
        """An element of an array has been read as a number."""
        if id(array) not in self.arrays:
            return
        key = (id(array), repr(index))
        self._seen.setdefault(key, Element(array, index, element(found)))

    def range(self, array: np.ndarray) -> None:
        """The least and the largest element have been relied on; only arrays from outside may change."""
        if id(array) in self.arrays:
            self._seen.setdefault((id(array), "range"), Range(array, array.min(), array.max()))

    def content(self, array: np.ndarray) -> None:
        """All elements have been relied on; only arrays from outside, and views of them, may change."""
        base: Any = array
        while isinstance(base, np.ndarray):
            if id(base) in self.arrays:
                self._seen.setdefault((id(base), "content"), Content(base, fingerprint(base)))
                return
            base = base.base

    def file(self, content: Any) -> None:
        """A file has been read."""
        self._seen.setdefault(content, content)

    def all(self) -> tuple[Witness, ...]:
        """In the order in which they were seen."""
        found = [*self._seen.values()]
        found += [Absent(place, frozenset(names)) for place, names in self._absent.values()]
        for values, of in ((self.arrays, FORM), (self.objects, type)):
            if values:
                found.append(Alike([*values.values()], [*map(of, values.values())], of))
        return tuple(found)


FORM = attrgetter("dtype", "shape")


def outside_arrays(witnesses: Sequence[Witness]) -> frozenset[int]:
    """The identities of the arrays that a program has found outside of itself."""
    forms = [w for w in witnesses if isinstance(w, Alike) and w.of is FORM]
    return frozenset(id(array) for form in forms for array in form.values)


def _is_of_daad(place: Mapping[str, Any]) -> bool:
    """Whether these are the names of one of daad's own modules, which nobody changes."""
    name = place.get("__name__")
    if not isinstance(name, str) or not name.startswith("daad."):
        return False
    return getattr(sys.modules.get(name), "__dict__", None) is place


def behind(value: super) -> tuple[type, ...]:
    """The classes in which `super()` looks a name up, in order."""
    order: tuple[type, ...] = getattr(value, "__self_class__").__mro__  # noqa: B009
    return order[order.index(getattr(value, "__thisclass__")) + 1 :]  # noqa: B009


def _places(owner: Any, own: bool) -> tuple[Any, ...]:
    """Where Python looks for an attribute, in order; without the object itself if it is the program's own."""
    cls: type = type(owner)
    if isinstance(owner, super):
        return behind(owner)
    if isinstance(owner, type):
        return (*owner.__mro__, *cls.__mro__)
    return cls.__mro__ if own else (owner, *cls.__mro__)


def is_written(cls: type) -> bool:
    """Whether a class is of the program, whose objects may change in every way."""
    return cls is types.SimpleNamespace or not (is_of_library(cls) or cls.__module__.startswith("daad."))


def _defaults(function: types.FunctionType) -> tuple[Hashable, Hashable]:
    """In a form that a change does not reach; mostly there are none."""
    positional, named = function.__defaults__, function.__kwdefaults__
    return content(positional) if positional else (), content(named) if named else ()


def fingerprint(array: np.ndarray) -> bytes:
    """What tells its elements from others, small for large arrays too."""
    if array.nbytes <= FEW_BYTES:
        return array.view(np.ndarray).tobytes()
    return hashlib.blake2b(np.ascontiguousarray(array).data).digest()


def element(value: Any) -> Hashable:
    """A number by its bits, so that NaN equals itself; what an array of objects holds by its content."""
    return value.tobytes() if isinstance(value, np.generic) else content(value)


def content(value: Any, around: tuple[int, ...] = ()) -> Any:
    """What containers hold, down to numbers and objects, in a form that a change does not reach; `around` it stand
    those."""
    if isinstance(value, NUMBERS):
        return type(value), value
    if id(value) in around:
        return Same(value)
    if isinstance(value, list | tuple | deque):
        around = (*around, id(value))
        return type(value), tuple([content(item, around) for item in value])
    if isinstance(value, Mapping):
        around = (*around, id(value))
        return type(value), tuple([(key, content(item, around)) for key, item in value.items()])
    if isinstance(value, set | frozenset):
        return type(value), frozenset(value)
    if isinstance(value, partial):
        return type(value), Same(value.func), content(value.args), content(value.keywords)
    if isinstance(value, arrays_of_python.array | bytearray):
        return type(value), bytes(value)
    return Same(value)


def state(value: Any, around: tuple[int, ...] = ()) -> Any:
    """The same, and what objects of the program's own classes hold in their attributes."""
    if id(value) in around:
        return Same(value)
    around = (*around, id(value))
    if isinstance(value, list | tuple | deque):
        return type(value), tuple([state(item, around) for item in value])
    if isinstance(value, Mapping):
        held: Any = tuple([(key, state(item, around)) for key, item in value.items()])
        return type(value), held, _attributes(value, around)
    if isinstance(value, np.ndarray):
        return Same(value), value.shape, fingerprint(value)
    if isinstance(value, PLAIN):
        return content(value)
    return type(value), Same(value), _attributes(value, around)


def _attributes(value: Any, around: tuple[int, ...]) -> tuple[Any, ...]:
    """Names and states of attributes; those of library's objects are taken to stay."""
    if not is_written(type(value)):
        return ()
    return tuple([(name, state(part, around)) for name, part in held(value)])


def held(value: Any) -> Iterator[tuple[str, Any]]:
    """The attributes of an object, and what stands in its slots."""
    yield from getattr(value, "__dict__", {}).items()
    for cls in type(value).__mro__:
        for name, found in vars(cls).items():
            if isinstance(found, types.MemberDescriptorType) and hasattr(value, name):
                yield name, getattr(value, name)


def _equal(now: Any, seen: Any) -> bool:
    if isinstance(seen, CONTAINERS):
        return type(now) is type(seen)  # what they hold is compared anyway
    return type(now) is type(seen) and isinstance(seen, NUMBERS) and bool(now == seen)
