"""What names mean while a function is read: its variables, those of the functions around it, globals, builtins."""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar

from daad.errors import Unsupported
from daad.frontend.python.syntax.made_nodes import SCOPES
from daad.frontend.python.syntax.source import FunctionSource
from daad.frontend.staging.values import Composite


class _Missing:
    """No value: a variable that is not bound."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


class Hidden(Unsupported):
    """Something was looked at that is only to be shown; users see an Unsupported."""

    __qualname__ = Unsupported.__qualname__


@dataclass(frozen=True, eq=False)
class OnlyShown:
    """What a program may give to packages that show something, and to nobody else, for this reason; it was `before`."""

    refusal: Hidden
    before: Any = None


@dataclass(frozen=True)
class Unknown:
    """What a variable holds that may not have been bound.

    `pins` are int parameters whose values would tell; `demand` orders storage for the value from before; `mixed`:
    it is one of several things that have no common storage.
    """

    pins: tuple[str, ...] = ()
    demand: Any = field(default=None, compare=False)
    mixed: bool = False


@dataclass(eq=False)
class Scope:
    """The variables of one call of a function; `parent` is the call that its definition stands in."""

    source: FunctionSource
    parent: Scope | None = None
    values: dict[str, Any] = field(default_factory=dict)
    own: frozenset[str] = frozenset()
    outer: frozenset[str] = frozenset()  # declared nonlocal
    shared: frozenset[str] = frozenset()  # declared global
    captured: bool = False
    of_class: bool = False  # the body of a class, whose names its functions do not see
    generator: Any = None  # of which this is the body

    def home(self, name: str) -> Scope | None:
        """The scope that holds a variable: this one, or that of a function around; None for globals."""
        if name in self.shared:
            return None
        if name in self.own and name not in self.outer:
            return self
        scope = self.parent
        while scope is not None:
            if name in scope.shared:
                return None
            if name in scope.own and name not in scope.outer:
                return scope
            scope = scope.parent
        return None

    def held(self, name: str) -> Any:
        """What a variable holds; MISSING where it is unbound, or none of these scopes'."""
        home = self.home(name)
        return MISSING if home is None else home.values.get(name, MISSING)

    def unbound(self, name: str) -> NameError | None:
        """What Python raises where the variable has no value; None where its versions differ."""
        home = self.home(name)
        if home is self and not self.of_class:
            return UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")
        if home is None or home.source is self.source:
            return None
        where = "where it is not associated with a value in enclosing scope"
        return NameError(f"cannot access free variable '{name}' {where}")

    def surroundings(self, name: str) -> Mapping[str, Any]:
        """Those of the live objects around the function that a name belongs to; empty if it belongs to none."""
        for names in (self.source.closure, self.source.globals, vars(builtins)):
            if name in names and not (name in self.shared and names is self.source.closure):
                return names
        return {}


@dataclass(frozen=True, eq=False)
class Closure(Composite):
    """A function that was defined inside the program that is read; `attributes` are those that it has been given."""

    source: FunctionSource
    scope: Scope
    attributes: dict[str, Any] = field(default_factory=dict)
    shown_as: ClassVar[str] = "function"

    @property
    def __name__(self) -> str:
        return self.source.name

    @property
    def parts(self) -> tuple[Any, ...]:
        return *self.source.defaults, *self.source.kwdefaults.values()

    def of(self, parts: tuple[Any, ...]) -> Closure:
        if all(map(operator.is_, parts, self.parts)):
            return self
        count = len(self.source.defaults)
        named = dict(zip(self.source.kwdefaults, parts[count:], strict=True))
        return replace(self, source=replace(self.source, defaults=parts[:count], kwdefaults=named))

    def is_like(self, other: Closure) -> bool:
        is_same = self.source.node is other.source.node and self.scope is other.scope
        return is_same and self.attributes == {} == other.attributes

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("a function of the program can only be called by the program")


CLASS_SCOPE = "__daad_scope__"
"""Where a class that the program has defined keeps its own variables."""


@lru_cache(maxsize=1000)
def declared(
    node: ast.FunctionDef | ast.Lambda | ast.ClassDef,
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Names that a function, or a class, binds, declares nonlocal, declares global."""
    parameters = [] if isinstance(node, ast.ClassDef) else parameter_names(node.args)
    bound, outer, shared = set(parameters), set[str](), set[str]()
    for inner in own_nodes(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store | ast.Del):
            bound.add(inner.id)
        elif isinstance(inner, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            bound |= {inner.name} if inner.name else set()
        elif isinstance(inner, ast.MatchMapping):
            bound |= {inner.rest} if inner.rest else set()
        elif isinstance(inner, ast.Import | ast.ImportFrom):
            bound.update((alias.asname or alias.name).split(".")[0] for alias in inner.names)
        elif isinstance(inner, ast.Nonlocal):
            outer.update(inner.names)
        elif isinstance(inner, ast.Global):
            shared.update(inner.names)
    return frozenset(bound), frozenset(outer), frozenset(shared)


@lru_cache(maxsize=1000)
def returns_early(node: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether a function has a `return` in a branch or a loop."""
    inner = (n for n in own_nodes(node) if isinstance(n, ast.If | ast.For | ast.While | ast.Try | ast.Match))
    return any(isinstance(n, ast.Return) for statement in inner for n in ast.walk(statement))


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def own_nodes(node: ast.FunctionDef | ast.Lambda | ast.ClassDef) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions and comprehensions inside it (but these nodes themselves)."""
    todo: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    while todo:
        current = todo.pop()
        yield current
        if not isinstance(current, SCOPES):
            todo.extend(_children(current))


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Child nodes; the targets of a comprehension are variables of its own, walrus targets inside are not."""
    if not isinstance(node, COMPREHENSIONS):
        yield from ast.iter_child_nodes(node)
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.NamedExpr):
            yield inner.target


def parameter_names(arguments: ast.arguments) -> list[str]:
    """All parameters, starred ones included."""
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [a.arg for a in (*named, arguments.vararg, arguments.kwarg) if a is not None]


def bind_arguments(source: FunctionSource, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Parameter -> value, defaults included, as Python binds them; TypeError where the call does not fit."""
    spec = source.node.args
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    if len(args) > len(positional) and spec.vararg is None:
        raise TypeError(f"{source.name}() takes {len(positional)} positional arguments but {len(args)} were given")
    values = dict(zip(positional, args, strict=False))
    extra = dict(keywords)
    for name in (*positional[len(spec.posonlyargs) :], *(a.arg for a in spec.kwonlyargs)):
        if name in extra and name in values:
            raise TypeError(f"{source.name}() got multiple values for argument '{name}'")
        if name in extra:
            values[name] = extra.pop(name)
    defaults = dict(zip(reversed(positional), reversed(source.defaults), strict=False)) | dict(source.kwdefaults)
    for name in (*positional, *(a.arg for a in spec.kwonlyargs)):
        if name not in values and name not in defaults:
            raise TypeError(f"{source.name}() missing a required argument: '{name}'")
        values.setdefault(name, defaults.get(name))
    if spec.vararg is not None:
        values[spec.vararg.arg] = tuple(args[len(positional) :])
    if extra and spec.kwarg is None:
        raise TypeError(f"{source.name}() got an unexpected keyword argument '{next(iter(extra))}'")
    if spec.kwarg is not None:
        values[spec.kwarg.arg] = extra
    return values
