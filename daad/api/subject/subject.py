"""What is differentiated: a Python function, a DaCe program or an SDFG, behind one face."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from daad.api.subject import arguments as calls
from daad.api.subject import complex_views
from daad.errors import Location
from daad.frontend.python.control.checks import Check
from daad.frontend.python.reading.trip_counts import Trips
from daad.frontend.staging.draws import NO_DRAWS, Stream
from daad.frontend.staging.speculation import Assumptions, Decision
from daad.ir.nodes import Program
from daad.ir.walk import nests


@dataclass(frozen=True, kw_only=True)
class Read:
    """A program read for given arguments: `places` maps the user's flat parameter names to arrays and integers of the
    Program, `outputs` are the arrays that `of` selects, `pinned` int parameters that became constants, `constants`
    arrays that the program takes from its surroundings, `witnesses` tell whether all else there is as it was, `marks`
    what the program says about keeping its local arrays; `bounded`: it has loops that data end, with bounds; `failed`:
    the array that tells which of the `checks` has failed first, and, below 0, which of the `decisions` was another one,
    with one for what it was then, if there are any; `pairs`: arrays that stand for complex ones; `changes_outside`: run
    by NumPy, it changes objects or arrays that are no arguments; `drawn`: random numbers that each call draws into some
    of the `constants`."""

    program: Program
    places: Mapping[str, str]
    outputs: tuple[str, ...]
    pinned: Mapping[str, Any]
    constants: Mapping[str, Any]
    marks: Mapping[str, str] = field(default_factory=dict)
    value: Any = None
    witnesses: tuple[Any, ...] = ()
    bounded: bool = False
    checks: tuple[Check, ...] = ()
    failed: tuple[str, ...] = ()
    decisions: tuple[Decision, ...] = ()
    assumptions: Assumptions | None = None
    pairs: frozenset[str] = frozenset()
    changes_outside: bool = False
    drawn: Stream = NO_DRAWS

    def arguments(self, bound: Mapping[str, Any]) -> dict[str, Any]:
        """What the Program takes for the arguments of a call, by its own names."""
        leaves = {name: complex_views.taken(value) for name, value in calls.leaves(bound)}
        return {**self.constants, **{place: leaves[user] for user, place in self.places.items() if user in leaves}}


class Reading(Protocol):
    """Specialises a program; without assumptions, data decide nothing. So many `derivatives` are to be right."""

    def __call__(
        self,
        bound: Mapping[str, Any],
        of: Any,
        static: frozenset[str],
        assumptions: Assumptions | None,
        derivatives: int = 1,
    ) -> Read: ...


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
    read: Reading
    trips: Trips = field(default_factory=Trips)
    is_current: Callable[[], bool] = field(default=lambda: True)
    receiver: tuple[str, Any] | None = None
    changes_outside: Callable[[], bool] = lambda: False
    variables: tuple[str, ...] = ()
    first_values: Callable[[Sequence[Any], Mapping[str, Any]], Mapping[str, Any]] = lambda args, keywords: {}
    partial: Callable[[], tuple[tuple[Any, ...], Mapping[str, Any]]] = field(default=lambda: ((), {}))

    def takes(self, name: str) -> bool:
        """Whether the program has such an argument, or takes any."""
        parameters = self.signature.parameters
        return name in parameters or any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())


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
