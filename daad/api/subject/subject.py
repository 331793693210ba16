"""What is differentiated: a Python function, a DaCe program or an SDFG, behind one face."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from daad.api.subject import arguments as calls
from daad.api.subject import complex_views
from daad.errors import Location
from daad.frontend.python.read import Asked, Read
from daad.frontend.python.reading.trip_counts import Trips
from daad.ir.nodes import Program
from daad.ir.walk import nests


def arguments_of(read: Read, bound: Mapping[str, Any]) -> dict[str, Any]:
    """What the Program takes for the arguments of a call, by its own names."""
    leaves = {name: complex_views.taken(value) for name, value in calls.leaves(bound)}
    return {**read.constants, **{place: leaves[user] for user, place in read.places.items() if user in leaves}}


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A program before its arguments are known; `read` specialises it.

    `call(function, bound)` runs the user's own function; None where only the interpreter can run it. `trips` bounds the
    loops that data end. `is_current` tells whether the function's definition is still the one that was looked at.
    `changes_outside` tells whether what has been read changes more than its arguments when NumPy runs it.
    `receiver`: the object of a method, and the parameter that it is. `partial`: what a `functools.partial` passes.
    `variables`: the local variables of a function without parameters; `first_values` tells the values that those begin
    with, in a call, that the function takes as parameters (`daad.api.subject.local_variables`).
    """

    name: str
    signature: inspect.Signature
    at: Location | None
    call: Callable[[Any, Mapping[str, Any]], Any] | None
    read: Callable[[Mapping[str, Any], Asked], Read]
    trips: Trips = field(default_factory=Trips)
    is_current: Callable[[], bool] = field(default=lambda: True)
    receiver: tuple[str, Any] | None = None
    changes_outside: Callable[[], bool] = lambda: False
    variables: tuple[str, ...] = ()
    first_values: Callable[[Sequence[Any], Mapping[str, Any]], Mapping[str, Any]] = lambda args, keywords: {}
    partial: Callable[[], tuple[tuple[Any, ...], Mapping[str, Any]]] = field(default=lambda: ((), {}))

    def takes(self, name: str) -> bool:
        """Whether the program has such an argument, or takes any."""
        return self._takes_any or name in self.signature.parameters

    @cached_property
    def _takes_any(self) -> bool:
        return any(p.kind is inspect.Parameter.VAR_KEYWORD for p in self.signature.parameters.values())


def reading(name: str, at: Location | None, static: frozenset[str]) -> str:
    """What is being done, for whoever waits."""
    place = f" ({at})" if at else ""
    constants = f" with {', '.join(sorted(static))} as constants" if static else ""
    return f"reading '{name}'{place}{constants}"


def statements(program: Program) -> str:
    """How large a program is."""
    count = sum(1 for _ in nests(program.body))
    return f"{count} statement{'' if count == 1 else 's'} on arrays"


def as_call(signature: inspect.Signature, bound: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    arguments = inspect.BoundArguments(signature, OrderedDict(bound))
    return arguments.args, arguments.kwargs
