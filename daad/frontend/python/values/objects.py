"""Objects of the program's own classes: made by reading `__init__`, their attributes are variables."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import linecache
import types
from abc import ABCMeta
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic

import numpy as np

from daad.frontend.installed_code import is_library, is_of_library
from daad.frontend.python.reading.guards import behind
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import CLASS_SCOPE, Closure
from daad.frontend.python.syntax.kept_texts import SHARED
from daad.frontend.python.syntax.private_names import mangled
from daad.frontend.python.syntax.source import SOURCE_ATTRIBUTE, kept_text
from daad.frontend.staging import container_items
from daad.frontend.staging.values import ArrayValue, Complex, Subarray

Call = Callable[[Any, list[Any], dict[str, Any]], Any]


def is_generated(function: Any) -> bool:
    """A function whose text nobody has written, such as a dataclass's `__init__`."""
    if isinstance(function, types.MethodType):
        function = function.__func__
    if not isinstance(function, types.FunctionType) or hasattr(function, SOURCE_ATTRIBUTE):
        return False
    file = function.__code__.co_filename
    is_known = file not in SHARED and bool(linecache.getlines(file))  # from Python 3.13 on the text of -c lies there
    return file.startswith("<") and not is_known and kept_text(function) is None


def is_forgotten(function: Any, args: Sequence[Any]) -> bool:
    """A function of the program's own whose text is kept nowhere, such as one that `exec` has made; none that is made
    around another one, or that SciPy makes for each of its distributions, which only hand their arguments on."""
    if not is_generated(function) or function.__name__.startswith("__") or hasattr(function, "__wrapped__"):
        return False
    return not args or not any(of_scipy(cls) for cls in type(args[0]).__mro__)


def is_read_class(value: Any) -> bool:
    """A class with an `__init__` that has to be read; what NumPy says about values does not change them."""
    if value is np.errstate or not isinstance(value, type):
        return False
    if all(in_class(value, "__new__") is not in_class(base, "__new__") for base in (object, *container_items.BASES)):
        return False
    init = in_class(value, "__init__")
    return isinstance(init, types.FunctionType) and not is_generated(init)


def is_record(cls: Any) -> bool:
    """A dataclass whose generated `__init__` calls a `__post_init__` of the program, or fills `__slots__`."""
    is_made = isinstance(cls, type) and dataclasses.is_dataclass(cls) and is_generated(cls.__init__)
    return is_made and (hasattr(cls, "__post_init__") or all("__slots__" in vars(base) for base in cls.__mro__[:-1]))


def record_of(reader: Reader, function: Any, args: Sequence[Any]) -> type | None:
    """The dataclass whose generated `__init__` a function is, where it fills an object of the program's."""
    is_init = isinstance(function, types.FunctionType) and function.__name__ == "__init__" and is_generated(function)
    if not is_init or not args or id(args[0]) not in reader.objects:
        return None
    homes = (base for base in class_of(args[0]).__mro__ if vars(base).get("__init__") is function)
    return next(filter(dataclasses.is_dataclass, homes), None)


def maker_of(cls: Any) -> types.FunctionType | None:
    """The `__new__` of a class, if it is written in Python and the program's own or SciPy's."""
    found = in_class(cls, "__new__") if isinstance(cls, type) else None
    maker = _written(found.__func__) if isinstance(found, staticmethod) else None
    if maker is None or issubclass(cls, np.ndarray):
        return None
    if not of_scipy(cls) and is_library(maker.__module__, maker.__code__.co_filename):
        return None
    return maker if object.__new__ is in_class(cls.__mro__[-1], "__new__") and _is_plain(cls) else None


def is_made_empty(cls: Any) -> bool:
    """Whether `object.__new__` of a class gives an object that the program fills."""
    return isinstance(cls, type) and (maker_of(cls) is not None or is_read_class(cls))


def of_scipy(cls: type) -> bool:
    """Whether a class is SciPy's own."""
    return cls.__module__.startswith("scipy.")


def makes_of_scipy(function: types.FunctionType, args: Sequence[Any]) -> bool:
    """Whether a call makes an object of a class of SciPy's."""
    return function.__name__ == "__new__" and bool(args) and isinstance(args[0], type) and of_scipy(args[0])


def _is_plain(cls: type) -> bool:
    """Whether what is made of the class is nothing but an object: no tuple, number or text."""
    return cls.__basicsize__ <= object.__basicsize__ + 16 and not cls.__itemsize__ and type(cls) in (type, ABCMeta)


def note_class(reader: Reader, cls: type) -> None:
    """How objects of a class of the program are made is relied on."""
    if not is_of_library(cls) and _written(in_class(cls, "__del__")) is not None:
        reader.stage.refuse(
            f"The class '{cls.__name__}' has '__del__', and it is not known when Python runs that.",
            "Call a method that does it, or write a 'with' statement.",
        )
    if is_of_library(cls) or hasattr(cls, CLASS_SCOPE):
        return
    for name in ("__new__", "__init__", "__post_init__"):
        reader.witnesses.attribute(cls, name)
        reader.witnesses.definition(in_class(cls, name))


def make(reader: Reader, cls: type) -> Any:
    """An object without attributes, which the program may give it."""
    try:
        made = _bare(_open(cls))
    except TypeError as error:
        reader.stage.refuse(f"An object of the class '{cls.__name__}' is made: {error}.", "Make it before the call.")
    if not hasattr(made, "__dict__"):
        reader.stage.refuse(f"The class '{cls.__name__}' has '__slots__'.", "Use a class without them.")
    reader.objects[id(made)] = made
    return made


def twin(reader: Reader, value: Any, attributes: dict[str, Any]) -> Any:
    """Another object of the class of one that the program has made, with these attributes."""
    made = _bare(type(value))
    vars(made).update(attributes)
    reader.objects[id(made)] = made
    return made


def fill(reader: Reader, made: Any, cls: Any, args: list[Any], keywords: dict[str, Any], call: Call) -> None:
    """An object gets what the generated `__init__` of a dataclass gives it, and its `__post_init__` is called; `call`
    calls functions with lists of arguments and dicts of keywords."""
    try:
        named = inspect.signature(cls.__init__).parameters
        given = inspect.signature(cls.__init__).bind(made, *args, **keywords).arguments
    except TypeError as error:
        reader.stage.refuse(f"This call fails: {error}.", "Pass what the class asks for.")
    kept = {one.name for one in dataclasses.fields(cls)}
    for one in dataclasses.fields(cls):
        if one.name in given:
            reader.assign(vars(made), one.name, given[one.name], one.name)
        elif one.default is not dataclasses.MISSING:
            reader.assign(vars(made), one.name, reader.from_outside(one.default), one.name)
        elif one.default_factory is not dataclasses.MISSING:
            reader.assign(vars(made), one.name, call(one.default_factory, [], {}), one.name)
    if hasattr(made, "__post_init__"):
        passed = [name for name in cls.__dataclass_fields__ if name not in kept and name in named]
        call(made.__post_init__, [given.get(name, named[name].default) for name in passed], {})


def _open(cls: type) -> type:
    """The class; one with `__slots__`, or with a `__hash__` of its own, as a class of daad's own whose objects have
    attributes as others do."""
    told = [in_class(base, "__init_subclass__") for base in (object, Generic)]
    is_plain = type(cls) in (type, ABCMeta) and in_class(cls, "__init_subclass__") in told
    is_open = hasattr(_bare(cls), "__dict__") and _written(in_class(cls, "__hash__")) is None
    return cls if is_open or not is_plain else _opened(cls)


def attributes_of(value: Any) -> list[str]:
    """The names of what an object itself has, in its `__dict__` or in slots."""
    homes = [base for base in type(value).__mro__[:-1] if isinstance(vars(base).get("__slots__"), str | Iterable)]
    slots = [mangled(name, base.__name__) for base in homes for name in _names(vars(base)["__slots__"])]
    return [*getattr(value, "__dict__", ()), *(name for name in slots if hasattr(value, name))]


def _names(slots: Any) -> Iterable[str]:
    return (name for name in ([slots] if isinstance(slots, str) else slots) if name not in ("__dict__", "__weakref__"))


def _bare(cls: type) -> Any:
    """An object of the class without attributes and items."""
    bases = (*container_items.BASES, types.SimpleNamespace)
    base: Any = next((base for base in bases if issubclass(cls, base)), object)
    return base.__new__(cls)


@functools.cache
def _opened(cls: type) -> type:
    names: dict[str, Any] = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    if _written(in_class(cls, "__hash__")) is not None:
        names |= {"__hash__": _any_hash, "__eq__": _same}
    return type(cls)(cls.__name__, (cls, Opened), names)


class Opened:
    """A base of classes that stand for classes with `__slots__` or with a `__hash__` of their own."""


def _any_hash(value: Any) -> int:
    """The same for all, so that they are compared."""
    if container_items.RUNNING.for_program:
        raise container_items.Compared
    return id(Opened)


def _same(value: Any, other: object) -> bool:
    if value is not other and container_items.RUNNING.for_program:
        raise container_items.Compared
    return value is other


def is_hashed_by_program(value: Any) -> bool:
    """Whether an object's class has a `__hash__` that somebody has written in Python."""
    return not is_of_library(class_of(value)) and _written(in_class(class_of(value), "__hash__")) is not None


def class_of(value: Any) -> type:
    """The class that an object has for the program."""
    if isinstance(value, Subarray):
        return value.cls
    cls = type(value)
    return cls.__bases__[0] if Opened in cls.__bases__ else cls


def getter_of(value: Any, name: str) -> tuple[types.FunctionType, tuple[Any, ...]] | None:
    """What is called, if it is written in Python, to look an attribute up, and with what: a property's function, or a
    descriptor's `__get__`, which comes after the object's own attributes if the descriptor has no `__set__`."""
    if isinstance(value, super):
        return _inherited_getter(value, name)
    if isinstance(value, ArrayValue | Complex):
        return None
    cls = class_of(value)
    found = in_class(cls, name)
    if isinstance(value, type) and found is None:
        return _getter_of_class(value, name)
    if isinstance(found, property):
        getter = _written(found.fget)
        return None if getter is None else (getter, (value,))
    getter = _of_descriptor(found, "__get__")
    if getter is None or (not hasattr(type(found), "__set__") and name in getattr(value, "__dict__", ())):
        return None
    return getter, (found, value, cls)


def _getter_of_class(cls: type, name: str) -> tuple[Any, tuple[Any, ...]] | None:
    """The same for `cls.name`, where functions of the program have defined the class."""
    home = next((one for one in cls.__mro__ if name in vars(one)), None)
    if home is None or CLASS_SCOPE not in vars(home):
        return None
    getter = _of_descriptor(vars(home)[name], "__get__")
    return None if getter is None else (getter, (vars(home)[name], None, cls))


def _inherited_getter(value: Any, name: str) -> tuple[types.FunctionType, tuple[Any, ...]] | None:
    """The same for `super().name`: by the first class behind the one of the method."""
    found = next((vars(cls)[name] for cls in behind(value) if name in vars(cls)), None)
    getter = _written(found.fget) if isinstance(found, property) else None
    return None if getter is None or isinstance(value.__self__, type) else (getter, (value.__self__,))


def cached_of(reader: Reader, value: Any, name: str) -> Any:
    """The function behind a cached property of an object of the program's, which has not been looked up yet."""
    value = reader.twins.get(id(value), value)
    if id(value) not in reader.objects or name in vars(value):
        return None
    found = in_class(class_of(value), name)
    if not isinstance(found, functools.cached_property):
        return None
    return found.func if isinstance(found.func, Closure) else _written(found.func)


def interceptor_of(value: Any) -> types.FunctionType | None:
    """The `__getattribute__` of the program's that is asked for each attribute of an object."""
    asked = type(value).__getattribute__
    is_others = not isinstance(asked, types.FunctionType) or is_library(asked.__module__, asked.__code__.co_filename)
    return None if is_others or type(value).__module__.partition(".")[0] == "daad" else _written(asked)


def fallback_of(value: Any) -> types.FunctionType | None:
    """The `__getattr__` of the program's that is asked for attributes that are not there."""
    asked = _written(in_class(class_of(value), "__getattr__"))
    return None if asked is None or is_library(asked.__module__, asked.__code__.co_filename) else asked


def missing_of(value: Any, name: str) -> types.FunctionType | None:
    """The same, if an object and its class do not have the attribute."""
    asked = fallback_of(value)
    if asked is None or name == "__getattr__" or name in getattr(value, "__dict__", ()):
        return None
    return asked if all(name not in vars(base) for base in class_of(value).__mro__) else None


def setter_of(value: Any, name: str, plainly: bool) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
    """What is called, if it is written in Python, to assign an attribute, and what comes before the new value: the
    class's `__setattr__`, a property's setter, or a descriptor's `__set__`; `plainly`: not the first."""
    watcher = None if plainly else in_class(class_of(value), "__setattr__")
    watcher = watcher if watcher is dict.__setitem__ else _written(watcher)
    if watcher is not None:
        return watcher, (value, name)
    found = in_class(class_of(value), name)
    if isinstance(found, property):
        setter = _written(found.fset)
        return None if setter is None else (setter, (value,))
    setter = _of_descriptor(found, "__set__")
    return None if setter is None else (setter, (found, value))


def _of_descriptor(found: Any, name: str) -> types.FunctionType | None:
    """A method of a descriptor of the program's own."""
    module = type(found).__module__
    is_others = is_library(module) or module.partition(".")[0] == "daad"
    return None if is_others else _written(in_class(type(found), name))


def _written(function: Any) -> types.FunctionType | None:
    """A function whose text somebody has written."""
    return function if isinstance(function, types.FunctionType) and not is_generated(function) else None


PLAIN = (None, object.__setattr__, types.SimpleNamespace.__setattr__)
"""What sets an attribute and does nothing else."""


def is_watched(cls: type, name: str, plainly: bool) -> bool:
    """Whether to assign the attribute runs code: a property's setter, another descriptor's, or `__setattr__`."""
    if name not in getattr(cls, "_fields", ()) and hasattr(cls, "_extra_fields"):
        return False  # SciPy's named tuples with more in them
    setter = None if plainly else in_class(cls, "__setattr__")
    is_descriptor = hasattr(type(in_class(cls, name)), "__set__")
    return (is_descriptor and not _is_slot(cls, name)) or setter not in PLAIN


def is_deletion_watched(value: Any, name: str) -> bool:
    """Whether to delete the attribute runs code: a descriptor's, or `__delattr__`."""
    cls = class_of(value)
    if in_class(cls, "__delattr__") not in (object.__delattr__, types.SimpleNamespace.__delattr__):
        return True
    return hasattr(type(in_class(cls, name)), "__delete__") and not _is_slot(cls, name)


def _is_slot(cls: type, name: str) -> bool:
    return isinstance(in_class(cls, name), types.MemberDescriptorType)


IN_C: tuple[type, ...] = (
    *(types.BuiltinFunctionType, np.ufunc),
    *(types.WrapperDescriptorType, types.MethodDescriptorType, types.GetSetDescriptorType),
)
"""What a function that calls it may name as wrapped, and nobody can read."""


def is_of_program(function: Any) -> bool:
    """A function written in Python that is no part of Python's or NumPy's own library, or around one, or around which
    one of these is."""
    if isinstance(function, type):
        return False
    inner = function
    for name in ("py_func", "__wrapped__"):
        wrapped = getattr(inner, name, inner)
        inner = inner if isinstance(wrapped, IN_C) else wrapped
    is_around = inner is not function and isinstance(inner, (*IN_C, types.FunctionType, type(np.sum)))
    return _is_programs(inner) or (is_around and _is_programs(function))


def _is_programs(function: Any) -> bool:
    if not isinstance(function, types.FunctionType):
        return False
    home = function.__globals__.get("__name__")  # decorators give a function the `__module__` of another one
    return not is_library(home, function.__code__.co_filename) and not is_generated(function)


def is_inherited(reader: Reader, function: Any, args: Sequence[Any]) -> bool:
    """Whether it is a method, or a property's, that an object of the program has from a class of Python's, written in
    Python."""
    if not isinstance(function, types.FunctionType) or not args or id(args[0]) not in reader.objects:
        return False
    found = (vars(base).get(function.__name__) for base in class_of(args[0]).__mro__)
    return any((one.fget if isinstance(one, property) else one) is function for one in found)


def caller_of(value: Any) -> types.FunctionType | None:
    """The `__call__` of an object, if it is written in Python."""
    found = in_class(type(value), "__call__")
    known = isinstance(value, type | types.FunctionType | types.MethodType)
    return found if isinstance(found, types.FunctionType) and not known else None


def in_class(cls: type, name: str) -> Any:
    """What objects of the class find there by a name, without a look by code of anybody's; None if there is nothing."""
    for base in cls.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return None


def super_arguments(reader: Reader) -> tuple[type, Any]:
    """What `super()` stands for in a method."""
    scope = reader.scope
    home = scope.home("__class__")
    cls = scope.source.closure.get("__class__") if home is None else home.values["__class__"]
    arguments = scope.source.node.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    if not isinstance(cls, type) or not names:
        reader.stage.refuse("'super()' stands outside of a method.", "Name the class.")
    return cls, scope.values[names[0]]
