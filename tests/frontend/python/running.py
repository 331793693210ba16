"""Programs built from functions, interpreted, and compared with what NumPy does."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from daad.api.subject import complex_views
from daad.api.subject.arguments import flatten
from daad.errors import Unsupported
from daad.frontend.python import Asked, Read, build_program
from daad.frontend.python.reading.scope import bind_arguments
from daad.frontend.python.reading.trip_counts import Trips
from daad.frontend.python.syntax.source import function_source
from daad.frontend.staging.speculation import NOTHING, Assumptions
from daad.ir.interpreter import run
from daad.ir.validator import validate


def built(
    function: Callable[..., Any], arguments: tuple[Any, ...], of: Any = None, assumptions: Assumptions | None = None
) -> Read:
    """The function's Program for these arguments."""
    trips, asked = Trips(), Asked(of=of, assumptions=assumptions)
    while True:
        result = build_program(function_source(function), arguments, asked=asked, trips=trips)
        validate(result.program)
        if not result.bounded or trips.suffice(result.program, values_of(result, function, arguments), id(arguments)):
            return result


def values_of(built: Read, function: Callable[..., Any], arguments: tuple[Any, ...]) -> dict[str, Any]:
    """What the Program takes."""
    leaves = {name: complex_views.taken(value) for name, value in leaves_of(function, arguments).items()}
    return {**{built.places[n]: value for n, value in leaves.items() if n in built.places}, **built.constants}


def leaves_of(function: Callable[..., Any], arguments: tuple[Any, ...]) -> dict[str, Any]:
    """The arguments' leaves by the user's names."""
    bound = bind_arguments(function_source(function), arguments, {})
    return dict(leaf for name, value in bound.items() for leaf in flatten(name, value))


def flat(value: Any) -> list[Any]:
    """The leaves of a returned structure."""
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in flat(item)]
    return [leaf for item in value for leaf in flat(item)] if isinstance(value, list | tuple) else [value]


def assert_same_as_numpy(
    function: Callable[..., Any], arguments: tuple[Any, ...], of: Any = None, exact_types: bool = True
) -> None:
    """The interpreted Program returns, and leaves in its arguments, what NumPy does."""
    try:
        result = built(function, arguments, of)
    except Unsupported:
        result = built(function, arguments, of, NOTHING)
    assert_program_is_numpys(result, function, arguments, exact_types)


def assert_program_is_numpys(
    result: Read, function: Callable[..., Any], arguments: tuple[Any, ...], exact_types: bool = True
) -> None:
    """What has been read for the arguments returns, and leaves in them, what NumPy does."""
    final = run(result.program, values_of(result, function, arguments))
    expected = copy.deepcopy(arguments)
    with np.errstate(all="ignore"):
        returned = function(*expected)
    for place, wanted in zip(flat(result.value), flat(returned), strict=True):
        if wanted is not None and not isinstance(wanted, str):
            _assert_equal(_found(result, final, place), wanted, "the result", exact_types)
    for name, wanted in leaves_of(function, expected).items():
        if isinstance(wanted, np.ndarray) and name in result.places:
            found = _found(result, final, result.places[name])
            _assert_equal(found, wanted, f"the argument '{name}'", exact_types)


def _found(built: Read, final: Mapping[str, Any], place: str) -> Any:
    return complex_views.joined(final[place]) if place in built.pairs else final[place]


def _assert_equal(got: np.ndarray, wanted: Any, what: str, exact_types: bool) -> None:
    wanted = np.asarray(wanted)
    assert got.shape == wanted.shape, f"{what} has shape {wanted.shape}, got {got.shape}"
    assert got.dtype == wanted.dtype or not exact_types, f"{what} is {wanted.dtype}, got {got.dtype}"
    tolerance = 1e-5 if np.float32 in (got.dtype, wanted.dtype) else 1e-12
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance, err_msg=what)
