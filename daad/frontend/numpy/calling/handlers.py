"""Rows of the tables as handlers: called with static or staged arguments, as the program passes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from daad.frontend.numpy.calling.binding import Binding, method_of, named
from daad.frontend.numpy.calling.call_arguments import Handler, Implementation, run
from daad.frontend.numpy.calling.numpy_errors import FAILURES, in_numpys_terms
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import is_staged


def staged(rows: Mapping[Callable[..., Any], Implementation]) -> dict[Callable[..., Any], Handler]:
    """Handlers of functions that simply run when all their arguments are static."""
    return {function: handler(implementation, function, True) for function, implementation in rows.items()}


def always(rows: Mapping[Callable[..., Any], Implementation]) -> dict[Callable[..., Any], Handler]:
    """Handlers of functions that add to the Program whatever their arguments are: they make or write arrays."""
    return {function: handler(implementation, function, False) for function, implementation in rows.items()}


def methods(rows: Mapping[str, Implementation]) -> dict[str, Handler]:
    """Handlers of methods and attributes of arrays; the array is the first argument."""
    return {name: handler(implementation, name, False) for name, implementation in rows.items()}


def handler(implementation: Implementation, function: Callable[..., Any] | str, runs: bool) -> Handler:
    """One row; `runs`: without anything staged the function itself is called."""
    binding = Binding(named(function), function, implementation)
    own = method_of(function) if isinstance(function, str) else function

    def handle(stage: Stage, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if runs and not isinstance(function, str) and not is_staged((args, kwargs)):
            return run(stage, function, args, kwargs)
        try:
            given = binding.given(stage, args, kwargs)
            return implementation(stage, *given.args, **given.kwargs)
        except FAILURES as error:
            raise in_numpys_terms(stage, error, own, args, kwargs) from error.__cause__

    return handle
