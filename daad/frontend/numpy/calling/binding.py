"""Calls bound to the signature of what the program calls: a handler gets what it has a parameter of that name for.

All else is refused, but for defaults, and for what changes no value. A parameter annotated as `Known` gets a Python
value. Thus an option is honoured or refused, and never accepted and not looked at.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.call_arguments import public_name, static
from daad.frontend.numpy.calling.numpy_errors import numpy_says
from daad.frontend.numpy.calling.signatures import signature_of
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Complex

Known = Any
"""What must be known when the program is read: an axis, a mode, a flag."""

PLACED = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL)

WITHOUT_EFFECT: Mapping[str, tuple[Any, ...] | None] = {
    **dict.fromkeys(
        ("balanced", "balanced_tree", "cache", "casting", "check_finite", "compact_nodes", "device", "doc", "kind")
    ),
    **dict.fromkeys(("copy_data", "lapack_driver", "leafsize", "maxit", "quiet")),
    **dict.fromkeys(("optimize", "order", "overwrite_x", "stable", "subok", "workers")),
    **dict.fromkeys(("overwrite_a", "overwrite_a_band", "overwrite_ab", "overwrite_b", "overwrite_c")),
    "method": ("auto", "direct", "fft"),
}
"""Options that change no value, nor which arrays share memory: how something is computed, or when it fails. What of
'order' changes values has a parameter, the order of results is followed for all functions (result_order.py)."""


def canonical(
    function: Callable[..., Any] | str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """A call with as many arguments as possible by their places; as it is where it does not fit."""
    asked = signature_of(function)
    try:
        bound = asked.bind(*args, **kwargs) if asked is not None else None
    except TypeError:
        bound = None
    return (args, kwargs) if bound is None else (bound.args, bound.kwargs)


@dataclass(frozen=True)
class Binding:
    """How calls of `function` reach an implementation, whose first `leading` parameters are not the program's."""

    name: str
    function: Callable[..., Any] | str
    implementation: Callable[..., Any]
    leading: int = 1

    @cached_property
    def own(self) -> Signature:
        """What the implementation honours."""
        found = inspect.signature(self.implementation)
        return found.replace(parameters=list(found.parameters.values())[self.leading :])

    @cached_property
    def asked(self) -> Signature:
        """What the function takes; where nothing tells it, what is honoured."""
        return signature_of(self.function) or self.own

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """Parameters whose place alone counts, and those that take any number, by the implementation's names."""
        own = list(self.own.parameters.values())
        pairs = zip(self.asked.parameters.values(), own, strict=False)
        found = {a.name: b.name for a, b in pairs if a.kind is Parameter.POSITIONAL_ONLY}
        for kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
            found |= {a.name: b.name for a in self.asked.parameters.values() for b in own if a.kind is b.kind is kind}
        return found

    @property
    def hands_on(self) -> bool:
        """Whether the function has keywords that it hands on to others."""
        return any(p.kind is Parameter.VAR_KEYWORD for p in self.asked.parameters.values())

    @cached_property
    def rows(self) -> str | None:
        """The implementation's parameter for all arguments that may be given by their places, if there is one."""
        first, *_ = [*self.own.parameters.values(), None]
        is_row = first is not None and first.kind is Parameter.VAR_POSITIONAL
        return first.name if is_row and first is not None else None

    @cached_property
    def others(self) -> str | None:
        """The implementation's parameter for all others that the function has by name, if there is one."""
        *_, last = [None, *self.own.parameters.values()]
        takes = last is not None and last.kind is Parameter.VAR_KEYWORD
        return last.name if takes and last is not None else None

    def given(self, stage: Stage, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
        """The arguments of the implementation; refuses those that it does not honour."""
        try:
            bound = self._bound(args, kwargs)
        except TypeError as error:
            stage.refuse(
                f"'{self.name}' is not supported with these arguments: {error}.", "Leave out what is not listed there."
            )
        found: dict[str, Any] = {}
        if self.rows is not None:
            found[self.rows] = _positional(bound)
        for parameter, value in _passed(bound, self.renamed):
            if value is np._NoValue:
                continue
            if self.rows is not None and parameter.kind in PLACED:
                continue
            name = self.renamed.get(parameter.name, parameter.name)
            if name == self.others and parameter.kind is Parameter.VAR_KEYWORD:
                found[name] = {**found.get(name, {}), **value}
            elif name in self.own.parameters:
                known = self.own.parameters[name].annotation == "Known"
                found[name] = static(stage, value, f"argument '{name}'") if known else value
            elif self.others is not None:
                found.setdefault(self.others, {})[name] = value
            elif not (
                is_default(value, parameter.default) or self._has_no_effect(stage, parameter.name, value, args, kwargs)
            ):
                stage.refuse(
                    f"'{self.name}' with '{parameter.name}' is not supported.", "Leave it out, and write what it does."
                )
        return self._complete(stage, found)

    def _complete(self, stage: Stage, found: dict[str, Any]) -> inspect.BoundArguments:
        result = inspect.BoundArguments(self.own, found)
        result.apply_defaults()
        missing = [name for name in self.own.parameters if name not in result.arguments]
        if missing:
            stage.refuse(f"'{self.name}' without '{missing[0]}' is not supported.", f"Give '{missing[0]}'.")
        return result

    def _bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
        """By the signature; NumPy's own methods take by name what it calls positional, some of them."""
        try:
            return self.asked.bind(*args, **kwargs)
        except TypeError:
            named = [
                p.replace(kind=Parameter.POSITIONAL_OR_KEYWORD) if p.kind is Parameter.POSITIONAL_ONLY else p
                for p in self.asked.parameters.values()
            ]
            bound = self.asked.replace(parameters=named).bind(*args, **kwargs)
            if numpy_says(self.python, args, kwargs) is not None:
                raise
            return bound

    @property
    def python(self) -> Callable[..., Any]:
        """What the program calls, as a function."""
        return method_of(self.function) if isinstance(self.function, str) else self.function

    def _has_no_effect(
        self, stage: Stage, option: str, value: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> bool:
        """Whether an option changes nothing, unless NumPy refuses it."""
        if option == "like":
            is_free = isinstance(value, ArrayValue | Complex) or type(value) is np.ndarray
        else:
            allowed = WITHOUT_EFFECT.get(option, ())
            is_free = allowed is None or any(value is one or value == one for one in allowed)
        if not is_free:
            return False
        said = numpy_says(self.python, args, kwargs)
        if said is not None:
            stage.refuse(f"This fails without daad, too: {said}.", f"Check '{option}'.")
        return True


def _positional(bound: inspect.BoundArguments) -> tuple[Any, ...]:
    """Arguments by their places, those included that are given by name."""
    if any(bound.signature.parameters[name].kind in PLACED for name in bound.kwargs if name in bound.arguments):
        bound.apply_defaults()
    return bound.args


def _passed(bound: inspect.BoundArguments, renamed: Mapping[str, str]) -> Iterator[tuple[Parameter, Any]]:
    """All arguments of a call; keywords that the function hands on are parameters of their own."""
    for name, value in bound.arguments.items():
        parameter = bound.signature.parameters[name]
        if parameter.kind is not Parameter.VAR_KEYWORD or name in renamed:
            yield parameter, value
            continue
        for key, one in value.items():
            yield Parameter(key, Parameter.KEYWORD_ONLY), one


def is_default(value: Any, default: Any) -> bool:
    """Whether an argument says what holds without it."""
    if value is default or value is np._NoValue:
        return True
    plain = isinstance(value, bool | int | float | str | tuple) and type(value) is type(default)
    return plain and bool(value == default)


def method_of(name: str) -> Callable[..., Any]:
    """The method or attribute of an array as a function."""

    def call(array: Any, *args: Any, **kwargs: Any) -> Any:
        found = getattr(np.asarray(array), name)
        return found(*args, **kwargs) if callable(found) else found

    return call


def named(function: Callable[..., Any] | str) -> str:
    """How a program writes the function or method."""
    return f".{function}" if isinstance(function, str) else public_name(function)


@cache
def of_program(function: Callable[..., Any] | str, program: Callable[..., Any]) -> Binding:
    """How calls reach a program of the library."""
    return Binding(named(function), function, program, leading=0)
