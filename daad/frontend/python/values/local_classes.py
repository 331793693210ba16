"""Classes that the program defines while it runs: methods see the variables around the class, what the class itself
holds is a variable as well."""

from __future__ import annotations

import ast
import dataclasses
import types
from typing import Any
from weakref import ref

from daad.errors import DaadError
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import CLASS_SCOPE, MISSING, Closure, Scope, declared
from daad.frontend.python.syntax.source import SOURCE_ATTRIBUTE, FunctionSource

CELL = "__class__"
LEFT_OUT = ("__slots__", "__weakref__")
DESCRIBED = (types.FunctionType, classmethod, staticmethod, property, dataclasses.Field)
"""What Python gives to those who ask an object for it is not what the class holds."""


def made(reader: Reader, node: ast.ClassDef) -> type:
    """The class, its body read."""
    bases = tuple(map(reader.eval, node.bases))
    options = {str(keyword.arg): reader.eval(keyword.value) for keyword in node.keywords}
    outer = reader.scope
    outer.captured = True
    cell = Scope(source=outer.source, parent=around(outer), own=frozenset({CELL}), shared=outer.shared)
    own, _, shared = declared(node)
    body = Scope(source=outer.source, parent=cell, own=own, shared=shared, of_class=True)
    names = {"__module__": outer.source.globals.get("__name__", ""), "__qualname__": node.name}
    body.values.update({**names, "__annotations__": _annotations(node), CLASS_SCOPE: body})
    _read(reader, node, body)
    functions = {name: value for name, value in body.values.items() if isinstance(value, Closure)}
    body.values.update({name: as_method(reader, f.source) for name, f in functions.items() if not f.attributes})
    held = {name: value for name, value in body.values.items() if name not in LEFT_OUT}
    try:
        cls = types.new_class(node.name, bases, options, lambda namespace: namespace.update(held))
    except DaadError:
        raise
    except Exception as error:
        reader.stage.refuse(
            f"This class cannot be made: {type(error).__name__}: {str(error).rstrip('.')}.",
            "Define it outside of the function.",
            error,
        )
    cell.values[CELL] = cls
    for name in [*body.values]:
        if vars(cls).get(name, MISSING) is not body.values[name] or name in (*names, CLASS_SCOPE):
            del body.values[name]
    return cls


def _read(reader: Reader, node: ast.ClassDef, body: Scope) -> None:
    reader.frames.append(body)
    reader.path.append(id(node))
    reader.execute(node.body)
    reader.path.pop()
    reader.frames.pop()


def _annotations(node: ast.ClassDef) -> dict[str, str]:
    """As text, which dataclasses and named tuples take, too."""
    noted = [one for one in node.body if isinstance(one, ast.AnnAssign)]
    return {one.target.id: ast.unparse(one.annotation) for one in noted if isinstance(one.target, ast.Name)}


def around(scope: Scope) -> Scope:
    """The call whose variables a function sees that is defined here: those of a class are none of them."""
    while scope.of_class:
        assert scope.parent is not None, "a class stands in a call"
        scope = scope.parent
    return scope


def as_method(reader: Reader, source: FunctionSource) -> Any:
    """A function that Python takes for one of a class; it is read where it is called."""
    calling = ref(reader)

    def method(*_: Any, **__: Any) -> Any:
        now = calling()
        assert now is not None, "a class is used by who has made it"
        now.stage.refuse(
            f"Python itself calls the method '{source.name}' here, which it cannot while a program is read.",
            "Define the class outside of the function, or do without what calls it.",
        )

    method.__name__ = method.__qualname__ = source.name
    method.__doc__ = None
    setattr(method, SOURCE_ATTRIBUTE, source)
    return method


def holder_of(value: Any, name: str) -> dict[str, Any] | None:
    """Where the class of an object, or the value, a class or function, holds such an attribute as a variable."""
    if isinstance(value, Closure):
        return value.attributes if name in value.attributes else None
    for cls in (value if isinstance(value, type) else type(value)).__mro__:
        scope = vars(cls).get(CLASS_SCOPE)
        if scope is not None and name in scope.values and not isinstance(scope.values[name], DESCRIBED):
            found: dict[str, Any] = scope.values
            return found
        if name in vars(cls) and name != CLASS_SCOPE:
            return None
    return None


def attribute(reader: Reader, value: Any, name: str) -> Any:
    """An attribute of such a class; `MISSING` for any other."""
    holder = holder_of(value, name)
    if holder is None:
        return MISSING
    reader.note_read((id(holder), name))
    found = reader.usable(holder[name])
    return found if isinstance(value, type | Closure) else _bound(reader, value, found, name)


def _bound(reader: Reader, value: Any, found: Any, name: str) -> Any:
    """What an object gives for what its class holds: a function becomes a method."""
    if isinstance(found, Closure):
        return types.MethodType(found, value)
    if hasattr(type(found), "__get__") and not isinstance(found, type):
        reader.stage.refuse(
            f"The attribute '{name}' of type '{type(found).__name__}' runs code where it is looked up.",
            "Write it as a method, or as a property.",
        )
    return found


def is_asked_by_python(name: str) -> bool:
    """Whether Python looks a name up in classes by itself, as for an operator."""
    return name.startswith("__") and name.endswith("__") and name not in TOLD


TOLD = frozenset(("__doc__", "__name__", "__qualname__", "__module__", "__annotations__", "__dict__"))
"""Names of this form that only tell something of a class."""


def assigned(value: Any) -> dict[str, Any] | None:
    """Where attributes of a class or function of the program are assigned; None for what is none."""
    if isinstance(value, Closure):
        return value.attributes
    scope = vars(value).get(CLASS_SCOPE) if isinstance(value, type) else None
    return None if scope is None else scope.values
