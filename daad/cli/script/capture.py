"""The first call of one function of a script: the script runs unchanged until then."""

from __future__ import annotations

import ast
import copy
import functools
import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from daad.cli.script.aliased_copies import own_copies
from daad.cli.script.running import Script, Stop, execute
from daad.cli.script.target import Replaced, Target, require_bound
from daad.errors import BadArgument
from daad.frontend.stand_in import StandIn

HOOK = "__daad_intercept__"


@dataclass(frozen=True)
class Call:
    """A call that was about to happen; the arrays are the callee's own."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Intercepted(StandIn):
    """Stands for the function in the script; its first call leaves the script."""

    def __init__(self, function: Callable[..., Any], calls: list[Call]) -> None:
        super().__init__(function)
        self._calls, self._process = calls, os.getpid()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if os.getpid() != self._process:  # this one could tell nobody
            return self.__wrapped__(*args, **kwargs)
        return self.called(args, kwargs)

    def called(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Also where the script asks daad for a gradient: that is a call, too."""
        self._calls.append(Call(self.__wrapped__, *own_copies(args, dict(kwargs))))
        raise Stop

    def __reduce__(self) -> str:
        """Copies and other processes know it by its name, as they know functions."""
        return str(self.__wrapped__.__qualname__)


def capture(script: Script, function: str, namespace: dict[str, Any]) -> Call:
    """Run the script in `namespace` up to the first call of `function`."""
    target, calls, replaced = Target.of(function), list[Call](), Replaced()
    require_bound(script, target)
    namespace[HOOK] = functools.partial(_intercept, target=target, calls=calls, replaced=replaced)
    ended_itself = False
    try:
        ended_itself = not execute(hooked(script.tree, target), script.path, namespace)
    except Stop:
        pass
    finally:
        replaced.restore()
    del namespace[HOOK]
    bound = namespace.get(function)
    if isinstance(bound, Intercepted):
        namespace[function] = bound.__wrapped__
    if not calls:
        raise replaced.missing or _not_called(function, namespace, "exited" if ended_itself else "ended")
    return calls[0]


def _not_called(function: str, namespace: dict[str, Any], how: str) -> BadArgument:
    if function in namespace and not callable(namespace[function]):
        kind = type(namespace[function]).__name__
        return BadArgument(f"'{function}' is no function but of type '{kind}'.", hint="Name a function of the script.")
    return BadArgument(
        f"The script {how} without a call of '{function}'.",
        hint="Call it in the script, and in its own process: the arguments of that call are the point.",
    )


def _intercept(value: Any, target: Target, calls: list[Call], replaced: Replaced) -> Any:
    """What stands for a function; of another value, the attribute behind which the function stands is replaced."""

    def stand_in(function: Any) -> Any:
        if isinstance(function, (type, Intercepted)) or not callable(function):
            return function
        return Intercepted(function, calls)

    if not target.path:
        return stand_in(value)
    owner, (*path, last) = value, target.path
    for name in path:
        owner = getattr(owner, name, None)
    if not replaced.replace(owner, last, stand_in):
        raise Stop
    return value


def hooked(tree: ast.Module, target: Target) -> ast.Module:
    """The same script with `root = hook(root)` after each statement that binds it."""
    return ast.fix_missing_locations(_Hooking(target).visit(copy.deepcopy(tree)))


class _Hooking(ast.NodeTransformer):
    def __init__(self, target: Target) -> None:
        self.target = target

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, field, list(self._with_hooks(value)))
        return node

    def _with_hooks(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        """A name bound again by the very next statement (`f = jit(f)`) is hooked after that one."""
        for statement, following in itertools.zip_longest(body, body[1:]):
            yield statement
            bound_again = following is not None and self.target.is_bound_by(following)
            if self.target.is_bound_by(statement) and not bound_again:
                yield ast.copy_location(self._hook(statement), statement)

    def _hook(self, statement: ast.stmt) -> ast.stmt:
        root = self.target.root
        hook = f"{root} = {HOOK}({root})"
        star = isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"
        return ast.parse(f"if {root!r} in globals(): {hook}" if star else hook).body[0]
