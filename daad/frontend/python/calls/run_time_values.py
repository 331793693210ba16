"""Functions, objects and containers of the program as Python has them at run time, with numbers for what is staged.

`Forms.of(value)` makes a function from the values of the `leaves` to the value itself; what nothing staged is within
stays the object that it is. Functions run as the code that Python has compiled from their text.
"""

from __future__ import annotations

import ast
import dis
import functools
import types
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from daad.errors import DaadError
from daad.frontend import structures
from daad.frontend.python.reading.hidden_state import changed_by, hide, hide_container
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import MISSING, Closure, Hidden, OnlyShown, Scope, Unknown
from daad.frontend.python.syntax.compiled_code import code_of
from daad.frontend.python.syntax.source import function_source
from daad.frontend.staging.container_items import entries
from daad.frontend.staging.values import ArrayValue, Complex, Subarray, View
from daad.runtime.mpi.ranks import passes_messages

Made = dict[int, Any]
Form = Callable[[Sequence[Any], Made], Any]
"""Makes a value of those of the leaves, and of what has been made already, by the identity of what it stands for."""
CHANGED = "changes '{}', which is none of its own variables"
CONTAINERS = (dict, list, set, deque)
ITS_OWN = "Give it what it needs by arguments, and let it return what it computes."


@dataclass
class Forms:
    """`leaves`: what is staged within the values asked for. `variables`, as holder and key, and `containers` are what
    functions among them change."""

    reader: Reader
    variables: list[tuple[Any, Any]] = field(default_factory=list)
    containers: list[Any] = field(default_factory=list)
    leaves: list[Any] = field(default_factory=list)
    known: dict[int, tuple[Any, Form]] = field(default_factory=dict)

    def of(self, value: Any) -> Form:
        value = self.reader.twins.get(id(value), value)
        key = id(value)
        if key not in self.known:
            self.known[key] = value, lambda values, made: self.known[key][1](values, made)
            self.known[key] = value, self._remembered(value, self._form(value))
        return self.known[key][1]

    @staticmethod
    def _remembered(value: Any, form: Form) -> Form:
        """An object is made once, whatever it is reached by."""

        def make(values: Sequence[Any], made: Made) -> Any:
            if id(value) not in made:
                made[id(value)] = form(values, made)
            return made[id(value)]

        return make

    def _form(self, value: Any) -> Form:
        if isinstance(value, ArrayValue | Complex):
            place = len(self.leaves)
            self.leaves.append(value)
            return lambda values, made: values[place]
        if passes_messages(value):
            self.cannot("passes messages")
        if isinstance(value, Unknown) or value is MISSING or isinstance(value, Subarray):
            self.cannot("uses a value of which the program does not know what it is")
        if isinstance(value, Closure):
            return self._function(value)
        if isinstance(value, OnlyShown):
            return self.of(value.before)
        if isinstance(value, types.MethodType):
            self._note_methods(value.__self__, value.__func__)
            owner, function = self.of(value.__self__), value.__func__
            return lambda values, made: types.MethodType(function, owner(values, made))
        if isinstance(value, functools.partial):
            parts = self.of((value.func, value.args, value.keywords))
            return lambda values, made: _partial(*parts(values, made))
        if isinstance(value, dict | list | tuple | set):
            return self._container(value)
        if id(value) in self.reader.objects and hasattr(value, "__dict__"):
            return self._object(value)
        return lambda values, made: value

    def hide_changed(self) -> bool:
        """What the functions change is not looked at from now on; gives whether something was before."""
        is_new = bool(self.containers)
        for holder, key in self.variables:
            is_new = hide(self.reader, holder, key, self.refusal(CHANGED.format(key))) or is_new
        for container in self.containers:
            why = CHANGED.format(_name_of(container, self.reader))
            if not hide_container(self.reader, container, self.refusal(why)):
                self.cannot(why)
        return is_new

    def refusal(self, what: str) -> Hidden:
        return Hidden(f"A function that SciPy calls {what}.", at=self.reader.stage.at, hint=ITS_OWN)

    def cannot(self, what: str) -> Any:
        self.reader.stage.refuse(f"A function that SciPy calls {what}.", ITS_OWN)

    def _container(self, value: Any) -> Form:
        if isinstance(value, dict):
            keys, forms = list(value), [self.of(item) for item in value.values()]
            return lambda values, made: dict(zip(keys, (form(values, made) for form in forms), strict=True))
        forms = [self.of(item) for item in value]
        if isinstance(value, set):
            return lambda values, made: {form(values, made) for form in forms}
        return lambda values, made: structures.sequence(value, [form(values, made) for form in forms])

    def _object(self, value: Any) -> Form:
        attributes: dict[str, Form] = {}

        def make(values: Sequence[Any], made: Made) -> Any:
            new = made[id(value)] = structures.blank(type(value))
            for name, form in attributes.items():
                object.__setattr__(new, name, form(values, made))
            return new

        self._note_methods(value, vars(type(value)).get("__call__"))
        for name, held in vars(value).items():
            attributes[name] = self.of(held)
        return make

    def _function(self, function: Closure) -> Form:
        source = function.source
        code = code_of(source)
        if code is None:
            self.cannot(f"has no text that Python compiles ('{source.name}')")
        assert code is not None
        self._note_changes(function)
        around = {name: self.of(value) for name, value in self._around(function, code.co_freevars)}
        shared = {name: self.of(value) for name, value in self._shared(function, code)}
        defaults = [self.of(source.defaults), self.of(dict(source.kwdefaults)), self.of(function.attributes)]
        names = source.globals

        def make(values: Sequence[Any], made: Made) -> Any:
            cells = {name: types.CellType() for name in code.co_freevars}
            held = {**names, **{name: form(values, made) for name, form in shared.items()}} if shared else names
            new = types.FunctionType(code, _plain(held), source.name, None, tuple(cells.values()))
            made[id(function)] = new
            for name, form in around.items():
                cells[name].cell_contents = form(values, made)
            new.__defaults__, new.__kwdefaults__, attributes = (form(values, made) for form in defaults)
            vars(new).update(attributes)
            return new

        return make

    def _around(self, function: Closure, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
        """The variables of the functions around, as they are now."""
        for name in names:
            home = function.scope.home(name)
            values = function.source.closure if home is None else home.values
            if home is not None:
                self.reader.note_read((id(values), name))
            if name in values:
                yield name, values[name]

    def _shared(self, function: Closure, code: types.CodeType) -> Iterator[tuple[str, Any]]:
        """Global names that the program has given values of its own."""
        for name in _names(code):
            home = function.scope.home(name)
            if home is not None:
                yield name, home.values.get(name, MISSING)
            elif (id(function.source.globals), name) in self.reader.shared:
                yield name, self.reader.shared_value(id(function.source.globals), name)

    def _note_changes(self, function: Closure) -> None:
        """What a function of the program changes around it; it may be no array, and no global variable."""
        source, own = function.source, _bound(function.source.node)
        for node in ast.walk(source.node):
            if isinstance(node, ast.Name) and passes_messages(source.globals.get(node.id)):
                self.cannot("passes messages")
            if isinstance(node, ast.Global):
                self.cannot(CHANGED.format(node.names[0]))
            for name in node.names if isinstance(node, ast.Nonlocal) else ():
                own.discard(name)
                home = function.scope.home(name)
                if home is None:
                    self.cannot(CHANGED.format(name))
                else:
                    self.variables.append((home.values, name))
        for target in changed_by(source.node):
            root = _root(target)
            is_module = root is not None and isinstance(source.globals.get(root.id), types.ModuleType)
            if root is not None and root.id not in own and not is_module:
                self._note_change(root.id, function.scope.held(root.id), target)
        self._note_called(source.node, lambda name: MISSING if name in own else function.scope.held(name))

    def note_left_out(self, scope: Scope, statement: ast.stmt, bases: set[str]) -> None:
        """What a statement would change that this call leaves out, and calls of SciPy's may reach."""
        for target in changed_by(statement):
            root = _root(target)
            if root is None:
                continue
            variables, value = self._reached(scope.held(root.id), target)
            parts = value.parts if isinstance(value, Complex) else (value,)
            is_array = any(isinstance(part, View) and part.base in bases for part in parts)
            if variables or is_array or isinstance(value, CONTAINERS):
                self._note(root.id, variables, value)
        self._note_called(statement, scope.held)

    def _note_called(self, node: ast.AST, named: Callable[[str], Any]) -> None:
        """The same for functions and methods of the program that are called."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name):
                self.of(found) if isinstance(found := named(inner.func.id), Closure) else None
            if isinstance(inner, ast.Attribute):
                owner = _object_of(inner.value, named)
                self._note_methods(owner, getattr(type(owner), inner.attr, None))

    def _note_methods(self, owner: Any, function: Any, seen: frozenset[str] = frozenset()) -> None:
        """The same for a method, and those that it calls by `self`."""
        source = _source_of(function) if id(owner) in self.reader.objects else None
        if source is None or not source.args.args:
            return
        receiver = source.args.args[0].arg
        for target in changed_by(source):
            root = _root(target)
            if root is not None and root.id == receiver:
                self._note_change(receiver, owner, target)
        for node in ast.walk(source):
            name = node.attr if isinstance(node, ast.Attribute) and _is_named(node.value, receiver) else ""
            if name and name not in seen:
                self._note_methods(owner, getattr(type(owner), name, None), seen | {name})

    def _note_change(self, name: str, value: Any, target: ast.expr) -> None:
        self._note(name, *self._reached(value, target))

    def _note(self, name: str, variables: list[tuple[Any, str]], value: Any) -> None:
        """Of a container the whole is changed, of an object one attribute."""
        self.variables += variables
        if isinstance(value, CONTAINERS):
            self.containers.append(value)
        elif not isinstance(value, OnlyShown | int | float | str) and id(value) not in self.reader.objects:
            self.cannot(CHANGED.format(name))

    def _reached(self, value: Any, target: ast.expr) -> tuple[list[tuple[Any, str]], Any]:
        """The attributes that a change of `target` changes, and what it goes to, as far as it goes by attributes."""
        path, variables = _path(target), list[tuple[Any, str]]()
        while path and id(value) in self.reader.objects and path[0] in vars(value):
            held, (attribute, *path) = vars(value), path
            value = held[attribute]
            if not path or not hasattr(value, "__dict__"):
                variables.append((held, attribute))
        return variables, value


def _object_of(node: ast.expr, named: Callable[[str], Any]) -> Any:
    """What a name, or attributes of what it stands for, lead to."""
    if isinstance(node, ast.Name):
        return named(node.id)
    if not isinstance(node, ast.Attribute):
        return MISSING
    return getattr(_object_of(node.value, named), "__dict__", {}).get(node.attr, MISSING)


def _name_of(container: Any, reader: Reader) -> str:
    """That of a variable that holds it."""
    for _, holder in reader.holders():
        for key, item in [] if isinstance(holder, set) else entries(holder):
            if item is container and isinstance(key, str):
                return key
    return "a container"


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _source_of(function: Any) -> ast.FunctionDef | ast.Lambda | None:
    """The text of a function of the user's."""
    if not isinstance(function, types.FunctionType):
        return None
    with suppress(DaadError, OSError):
        return function_source(function).node
    return None


def _plain(names: Mapping[str, Any]) -> dict[str, Any]:
    return names if isinstance(names, dict) else dict(names)


def _partial(function: Any, args: Any, keywords: Any) -> Any:
    return functools.partial(function, *args, **keywords)


def _root(target: ast.expr) -> ast.Name | None:
    """The variable whose content an assignment or a method changes."""
    inner = target
    while isinstance(inner, ast.Subscript | ast.Attribute):
        inner = inner.value
    return inner if isinstance(inner, ast.Name) else None


def _path(target: ast.expr) -> list[str]:
    """The attributes behind the variable, up to the first item."""
    names: list[str] = []
    inner = target
    while isinstance(inner, ast.Subscript | ast.Attribute):
        names = [inner.attr, *names] if isinstance(inner, ast.Attribute) else []
        inner = inner.value
    return names


def _bound(node: ast.AST) -> set[str]:
    """All names that are bound anywhere within a function."""
    found = set[str]()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            found.add(inner.id)
        elif isinstance(inner, ast.arg):
            found.add(inner.arg)
    return found


def _names(code: types.CodeType) -> set[str]:
    """Global names that code and the functions within read."""
    inner = (one for one in code.co_consts if isinstance(one, types.CodeType))
    own = {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return own.union(*map(_names, inner))
