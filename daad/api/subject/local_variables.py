"""Gradients with respect to local variables: `def main(): tau = 0.6; ...`, asked for `wrt="tau"`.

The function becomes one that takes them: where the variable gets its first value, it keeps the one that is passed. A
call passes the values that the program's own beginning gives them, which Python runs.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import io
import random
import re
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from daad.errors import BadArgument, DaadError, Location
from daad.frontend.python.reading.scope import declared, own_nodes, parameter_names
from daad.frontend.python.syntax.source import SOURCE_ATTRIBUTE, FunctionSource, function_source
from daad.frontend.staging.draws import Stream

ATTRIBUTE = "__daad_variables__"
KEPT = "__daad_kept__"
SHARED = Stream((), ((np.random.rand.__self__, None), (random._inst, None)))  # type: ignore[attr-defined]
Edit = Callable[[ast.stmt], list[ast.stmt]]


class Opened:
    """The local variables that a function takes: their names, the function as it was, and its beginning."""

    def __init__(self, names: tuple[str, ...], original: types.FunctionType, beginning: types.FunctionType) -> None:
        self.names, self.original, self._beginning = names, original, beginning

    def values(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        """The variables' first values in such a call, but those that it passes itself."""
        missing = [name for name in self.names if name not in keywords]
        if not missing:
            return {}
        kept: dict[str, Any] = _Kept()
        given = {name: value for name, value in keywords.items() if name not in self.names}
        with SHARED.returned(), contextlib.redirect_stdout(io.StringIO()):
            self._beginning(*copy.deepcopy(args), **copy.deepcopy(given), **{KEPT: kept})
        lost = next((name for name in missing if name not in kept), None)
        if lost is not None:
            message = f"'{self.original.__name__}' ends before '{lost}' has a value."
            raise BadArgument(message, hint="Ask for a variable that this call gives a value.")
        return {name: kept[name] for name in missing}


class _Kept(dict[str, Any]):
    """Values as they were when they were noted first."""

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self:
            super().__setitem__(name, copy.deepcopy(value))


def opened_in(function: Any) -> Opened | None:
    """The local variables that a function takes, if `with_variables` has made it."""
    found: Opened | None = getattr(function, "__dict__", {}).get(ATTRIBUTE)
    return found


def original(function: Any) -> Any:
    """The function as the user wrote it."""
    found = opened_in(function)
    return function if found is None else found.original


def with_variables(function: Any, wrt: Any) -> Any:
    """The function, with those local variables as parameters that `wrt` names; any other as it is."""
    if not isinstance(function, types.FunctionType) or opened_in(function):
        return function
    code, named = function.__code__, [wrt] if isinstance(wrt, str) else wrt if isinstance(wrt, tuple) else []
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    roots = [found[0] for name in named if isinstance(name, str) and (found := re.match(r"\w+", name))]
    missing = tuple(dict.fromkeys(name for name in roots if name not in parameters))
    if not missing or code.co_flags & 0x0C:  # *args and **kwargs may be anything
        return function
    try:
        source = function_source(function)
    except DaadError:
        return function
    if not isinstance(source.node, ast.FunctionDef) or not set(missing) <= {*variables(source)}:
        return function
    return _made(source, function, missing)


def variables(source: FunctionSource) -> list[str]:
    """The names that a function binds beside its parameters, in the order of its text."""
    bound, outer, shared = declared(source.node)
    own = bound - outer - shared - {*parameter_names(source.node.args)}
    names = [node for node in own_nodes(source.node) if isinstance(node, ast.Name) and node.id in own]
    return [*dict.fromkeys(node.id for node in sorted(names, key=lambda node: (node.lineno, node.col_offset)))]


def _made(source: FunctionSource, function: types.FunctionType, names: tuple[str, ...]) -> Any:
    node, beginning = copy.deepcopy(source.node), copy.deepcopy(source.node)
    assert isinstance(node, ast.FunctionDef), "a lambda has no variables"
    assert isinstance(beginning, ast.FunctionDef), "nor a copy of it"
    for name in names:
        node.body = _edited(node.body, name, _renaming(name), source)
        beginning.body = _edited(beginning.body, name, _noting(name), source)
    last = max(k for k, statement in enumerate(beginning.body) if KEPT in map(_name_of, ast.walk(statement)))
    beginning.body = [*beginning.body[: last + 1], ast.Return(None)]
    made = live(source, function, node, names)
    whole = replace(source, node=node, function=function)
    setattr(made, SOURCE_ATTRIBUTE, whole)
    setattr(made, ATTRIBUTE, Opened(names, function, live(source, function, beginning, (KEPT,))))
    return made


def _edited(body: list[ast.stmt], name: str, edit: Edit, source: FunctionSource) -> list[ast.stmt]:
    """The statements with the first that binds the name edited."""
    place = next((k for k, statement in enumerate(body) if _binds(statement, name)), None)
    if place is None:
        return body
    statement = body[place]
    if isinstance(statement, ast.For | ast.While):
        raise BadArgument(
            f"'{name}' gets its first value in a loop.",
            at=Location.of(statement, source.filename),
            hint="Give it a value before the loop, or ask for a variable that has one.",
        )
    blocks = [field for field in ("body", "orelse", "finalbody") if getattr(statement, field, None)]
    if not blocks or (isinstance(statement, ast.With) and any(_binds(item, name) for item in statement.items)):
        made = edit(statement)
        for new in made:
            ast.fix_missing_locations(ast.copy_location(new, statement))
        return [*body[:place], *made, *body[place + 1 :]]
    for field in blocks if isinstance(statement, ast.If) else blocks[:1]:
        setattr(statement, field, _edited(getattr(statement, field), name, edit, source))
    return body


def _binds(node: Any, name: str) -> bool:
    inner = own_nodes(ast.FunctionDef("", _arguments({}), [node], []))
    return any(_name_of(found) == name and isinstance(found.ctx, ast.Store) for found in inner)  # type: ignore[attr-defined]


def _name_of(node: ast.AST) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


class _Renamed(ast.NodeTransformer):
    """What a statement would store under the name goes to a name that nobody reads."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id != self.name or not isinstance(node.ctx, ast.Store):
            return node
        return ast.copy_location(ast.Name(f"{node.id}_at_first", node.ctx), node)


def _renaming(name: str) -> Edit:
    return lambda statement: [_Renamed(name).visit(statement)]


def _noting(name: str) -> Edit:
    return lambda statement: [statement, *ast.parse(f"{KEPT}[{name!r}] = {name}").body]


def live(
    source: FunctionSource, function: types.FunctionType, node: ast.FunctionDef, names: Sequence[str]
) -> types.FunctionType:
    """A function that Python runs, with more parameters, in the surroundings of the one that the user wrote."""
    node.decorator_list = []
    node.args.kwonlyargs = [*node.args.kwonlyargs, *map(ast.arg, names)]
    node.args.kw_defaults = [*node.args.kw_defaults, *[None] * len(names)]
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    outside = ast.FunctionDef("outside", _arguments(cells), [node, ast.Return(ast.Name(node.name, ast.Load()))], [])
    module = ast.fix_missing_locations(ast.Module([ast.copy_location(outside, node)], []))
    scope: dict[str, Any] = {}
    exec(compile(module, source.filename, "exec", dont_inherit=True), dict(source.globals), scope)
    code = scope["outside"](*cells).__code__
    made = types.FunctionType(
        code, function.__globals__, function.__name__, source.defaults, tuple(cells[n] for n in code.co_freevars)
    )
    made.__kwdefaults__ = dict(source.kwdefaults)
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    return made


def _arguments(names: Mapping[str, Any]) -> ast.arguments:
    return ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
