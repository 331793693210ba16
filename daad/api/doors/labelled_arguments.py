"""Calls with arguments of other libraries' types.

The program gets their values. That this is the program that the caller means is no matter of course: operators of
Series align labels, those of DataArrays dimensions, and some of their methods compute something else than NumPy's. So
the program itself is run with the arguments as they come, once for each combination of labels and units, and must give
what it gives for the values.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.api.doors.array_types import ArrayType, array_type, in_unit, is_number, is_quantity
from daad.errors import BadArgument, Location, Unsupported
from daad.frontend import structures
from daad.frontend.array_classes import library_type

RTOL = 1e-9
"""How far what the program gives for the values may be from what it gives for the arguments, by rounding."""
VALUES = "Pass the values, such as '.to_numpy()' or '.magnitude' gives."
MOST = 64
"""Combinations of labels whose outcome is remembered."""


def is_labelled(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Whether an argument, or a part of one, is of such a type."""
    return any(map(array_type, _leaves((args, kwargs))))


def is_container(value: Any) -> bool:
    """Whether parts are looked at: of lists, tuples and dicts, and of no other objects."""
    return isinstance(value, Mapping | list | tuple) and array_type(value) is None


def _leaves(value: Any) -> Iterator[Any]:
    """What containers hold, down to what is none."""
    if not is_container(value):
        yield value
        return
    for _, item in structures.parts(value) or ():
        yield from _leaves(item)


def _rows(value: Any) -> Iterator[tuple[Any, ArrayType | None]]:
    return ((leaf, array_type(leaf)) for leaf in _leaves(value))


@dataclass(frozen=True)
class Taken:
    """The values of an argument, the argument as it came, and the row of its type."""

    values: Any
    came: Any
    row: ArrayType


@dataclass(frozen=True)
class Stripped:
    """The arguments of a call with values in the place of what was labelled."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    taken: Mapping[int, Taken]
    """By the identity of the values."""

    @staticmethod
    def of(args: tuple[Any, ...], kwargs: Mapping[str, Any], at: Location | None) -> Stripped:
        taken: dict[int, Taken] = {}

        def values(value: Any) -> Any:
            row = array_type(value)
            if row is not None:
                plain = numbers(value, row, at)
                taken[id(plain)] = Taken(plain, value, row)
                return plain
            if is_container(value) and any(map(array_type, _leaves(value))):
                return structures.rebuilt(value, lambda _, item: values(item))
            return value

        return Stripped(tuple(values(value) for value in args), {k: values(v) for k, v in kwargs.items()}, taken)

    def dressed(self, values: Any, gradient: Any, outcome: Any) -> Any:
        """The gradient of the values as one of what the caller passed."""
        found = self.taken.get(id(values))
        if found is not None:
            return found.row.dressed(found.came, gradient, outcome)
        if isinstance(gradient, Mapping):
            return {key: self.dressed(values[key], item, outcome) for key, item in gradient.items()}
        if isinstance(gradient, list | tuple):
            pairs = zip(values, gradient, strict=True)
            return structures.sequence(gradient, [self.dressed(part, item, outcome) for part, item in pairs])
        return in_unit(gradient, outcome) if is_number(gradient) else gradient

    def copied(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """For a run of the program: what may be written is copied, the values may not."""
        return copy.deepcopy((self.args, self.kwargs), {number: found.values for number, found in self.taken.items()})

    @property
    def key(self) -> Hashable:
        """What the outcome's labels and unit depend on."""
        return tuple([(type(found.came), found.row.labels(found.came)) for found in self.taken.values()])

    @property
    def has_units(self) -> bool:
        """Whether an argument is a quantity."""
        return any(is_quantity(found.came) for found in self.taken.values())

    @property
    def types(self) -> str:
        """What was labelled, for a sentence."""
        return ", ".join(sorted({f"'{library_type(found.came)}'" for found in self.taken.values()}))


def values_alone(
    args: tuple[Any, ...], kwargs: Mapping[str, Any], at: Location | None = None
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """The arguments with values in the place of what is labelled, where nothing comes back that could have labels."""
    if not is_labelled(args, kwargs):
        return args, kwargs
    stripped = Stripped.of(args, kwargs, at)
    return stripped.args, stripped.kwargs


def numbers(came: Any, row: ArrayType, at: Location | None) -> np.ndarray | float:
    """What the program gets: numbers in an array that it can only read; a program that writes there is refused."""
    what = library_type(came)
    try:
        values = row.values(came)
    except Exception as error:
        raise BadArgument(f"A '{what}' does not give its values: {error}.", at=at, hint=VALUES) from error
    if not isinstance(values, np.ndarray):
        return np.array(values).item()  # a number of its own: equal ones are told apart by identity
    if values.dtype.kind not in "fciub":
        raise BadArgument(
            f"The values of a '{what}' are of dtype '{values.dtype}'.", at=at, hint="Convert them to floats."
        )
    if row.skips_nan and values.dtype.kind in "fc" and np.isnan(values).any():
        raise BadArgument(
            f"A '{what}' has missing values, which its methods leave out and NumPy's do not.",
            at=at,
            hint="Drop or fill them, or pass an array of NumPy's.",
        )
    view = values.view()
    view.flags.writeable = False
    return view


class Outcomes:
    """What a program gives for labelled arguments, by their labels: asked of the program itself, the first time."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}

    def of(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        stripped: Stripped,
        of: Any,
        at: Location | None,
    ) -> Any:
        """The output that is differentiated, if it has a unit, else None; raises Unsupported if what the program gives
        is not what it gives for the values alone."""
        key = stripped.key
        if key not in self._known:
            outcome = _compared(function, args, kwargs, stripped, at)
            selected = outcome[of] if isinstance(of, int) else outcome
            self._keep(key, selected if is_quantity(selected) else None)
        return self._known[key]

    def whole(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        stripped: Stripped,
        at: Location | None,
    ) -> Any:
        """All that the program gives. What has labels is asked again in each call: these may depend on data."""
        key = stripped.key
        if key in self._known:
            return self._known[key]
        outcome = _compared(function, args, kwargs, stripped, at)
        if not any(row is not None and not is_quantity(leaf) for leaf, row in _rows(outcome)):
            self._keep(key, outcome)
        return outcome

    def _keep(self, key: Hashable, outcome: Any) -> None:
        if len(self._known) == MOST:
            self._known.clear()
        self._known[key] = outcome


def _compared(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    stripped: Stripped,
    at: Location | None,
) -> Any:
    names = stripped.types
    drawn = np.random.get_state()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            positional, named = stripped.copied()
            plain = function(*positional, **named)
        except Exception as error:
            said = f"The program fails with the values alone of an argument of type {names}: {error}."
            raise Unsupported(said, at=at, hint="Take the values out before the program.") from error
        try:
            np.random.set_state(drawn)
            outcome = function(*copy.deepcopy(args), **copy.deepcopy(dict(kwargs)))
        except Exception as error:
            said = f"The program fails with an argument of type {names}: {type(error).__name__}: {error}."
            raise Unsupported(said, at=at, hint=VALUES) from error
        finally:
            np.random.set_state(drawn)
    if not _agree(outcome, plain):
        said = f"For an argument of type {names} the program gives something else than for its values."
        raise Unsupported(said, at=at, hint=f"Its operators align labels, or its methods count otherwise. {VALUES}")
    return outcome


def labels_refused(what: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], at: Location | None) -> Unsupported:
    """The error of what takes no labelled arguments."""
    value = next(filter(array_type, _leaves((args, kwargs))))
    said = f"{what} take no argument of type '{library_type(value)}'."
    return Unsupported(said, at=at, hint=VALUES)


def _agree(outcome: Any, plain: Any) -> bool:
    """Whether these are the same numbers."""
    if is_container(outcome):
        mine, its = structures.parts(outcome) or [], structures.parts(plain) or []
        return [step for step, _ in mine] == [step for step, _ in its] and all(
            _agree(a, b) for (_, a), (_, b) in zip(mine, its, strict=True)
        )
    row = array_type(outcome)
    found = outcome if row is None else row.values(outcome)
    if found is None or isinstance(found, str):
        return bool(found == plain)
    try:
        found, plain = np.asarray(found), np.asarray(plain)
        return found.shape == plain.shape and np.allclose(found, plain, rtol=RTOL, atol=0.0, equal_nan=True)
    except TypeError:
        return False
