"""Products with Jacobians for arguments of other libraries' types: tangents and seeds go in as values, what comes back
has the labels and units of the outputs, of the arguments, or of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from daad.api.doors.array_types import array_type, in_unit, is_quantity
from daad.api.doors.labelled_arguments import VALUES, Outcomes, Stripped, is_container, labels_refused, numbers
from daad.api.doors.labelled_blocks import joint_block
from daad.api.subject.tangent_arguments import is_one
from daad.errors import BadArgument, Location, Unsupported
from daad.frontend import structures
from daad.frontend.array_classes import library_type


@dataclass(frozen=True)
class Labelled:
    """A call with labelled arguments: their values, those that a derivative is asked with respect to (one, or a tuple),
    and the outputs that the program gives for the arguments as they come."""

    stripped: Stripped
    chosen: Any
    outcome: Any
    at: Location | None

    @staticmethod
    def of(derivative: Any, outcomes: Outcomes, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Labelled:
        asked, at = derivative._asked, derivative._subject.at
        own, of = derivative._own(kwargs), asked.request.of
        stripped = Stripped.of(args, own, at)
        if not (of is None or isinstance(of, int)):
            raise labels_refused("Products of outputs by name", args, kwargs, at)
        whole = outcomes.whole(asked.function, args, own, stripped, at)
        outcome = whole if of is None else whole[of]
        chosen = tuple(derivative._chosen(derivative._bound(stripped.args, stripped.kwargs)).values())
        return Labelled(stripped, chosen[0] if is_one(asked.request.wrt) else chosen, outcome, at)

    def output(self, found: Any) -> Any:
        """A value or a tangent of the outputs with their labels and units."""
        return _along(self.outcome, found, _like)

    def tangent(self, given: Any) -> Any:
        """The values of a tangent, which has the structure and the labels of the arguments."""
        return _along(self.chosen, given, self._tangent_values)

    def _tangent_values(self, value: Any, given: Any) -> Any:
        taken = self.stripped.taken.get(id(value))
        if taken is None or given is None:
            return given
        what, row = library_type(taken.came), array_type(given)
        if not is_quantity(taken.came):
            return _matching(taken.came, given, f"tangent of a '{what}'", self.at)
        if row is None or not is_quantity(given):
            hint = "Multiply it by the unit of the argument."
            raise BadArgument(f"The tangent of a '{what}' has no unit.", at=self.at, hint=hint)
        if not given.is_compatible_with(taken.came):
            said = f"The tangent of a '{what}' in {taken.came.units} is in {given.units}."
            raise BadArgument(said, at=self.at, hint="It has the argument's own unit.")
        return numbers(given, row, self.at)

    def seed(self, given: Any) -> tuple[Any, Any]:
        """The values of a seed, which has the structure of the outputs, and what has the unit of the product of both;
        raises BadArgument where products of several outputs have units that cannot be added."""
        units: list[Any] = []

        def values(like: Any, leaf: Any) -> Any:
            if leaf is None:
                return None
            if is_quantity(like) or is_quantity(leaf):
                units.append(in_unit(1.0, like) * in_unit(1.0, leaf))
                row = array_type(leaf)
                return leaf if row is None else numbers(leaf, row, self.at)
            units.append(None)
            return _matching(like, leaf, "seed of an output", self.at)

        found = _along(self.outcome, given, values)
        first = next(iter(units), None)
        if any((unit is None) != (first is None) for unit in units) or not all(
            unit is None or unit.is_compatible_with(first) for unit in units
        ):
            hint = "Give None for all outputs but one, or seeds with units that make their products alike."
            raise BadArgument("The outputs times their seeds have units that cannot be added.", at=self.at, hint=hint)
        return found, first

    def pulled(self, gradients: Any, unit: Any) -> Any:
        """Gradients of outputs times seeds, which have the unit of `unit`, dressed as the arguments."""
        return self.stripped.dressed(self.chosen, gradients, unit)

    def jacobian(self, found: Any) -> Any:
        """Blocks in the structure of the arguments, within the structure of the outputs."""
        return self._blocks(self.outcome, found)

    def _blocks(self, outcome: Any, found: Any) -> Any:
        if is_container(outcome):
            return structures.rebuilt(outcome, _pairwise(outcome, found, self._blocks))
        return (
            None
            if found is None
            else _along(self.chosen, found, lambda value, block: self._block(outcome, value, block))
        )

    def _block(self, outcome: Any, value: Any, block: Any) -> Any:
        taken = self.stripped.taken.get(id(value))
        if block is None or (taken is None and array_type(outcome) is None):
            return block
        came = value if taken is None else taken.came
        dressed = joint_block(outcome, came, block)
        if dressed is None:
            types = f"a '{library_type(outcome)}' by a '{library_type(came)}'"
            raise Unsupported(f"There is no Jacobian of {types} with the labels of both.", at=self.at, hint=VALUES)
        return dressed


@dataclass(frozen=True)
class LabelledPullback:
    """Seeds times the Jacobian for labelled arguments; `plain` is the pullback for their values."""

    plain: Any
    labelled: Labelled

    @property
    def nbytes(self) -> int:
        """Bytes that it holds between calls."""
        return int(self.plain.nbytes)

    def __call__(self, seed: Any) -> Any:
        values, unit = self.labelled.seed(seed)
        return self.labelled.pulled(self.plain(values), unit)

    def many(self, seeds: Any) -> Any:
        """Several seeds at once have an axis without labels."""
        said = f"Several seeds at once take no argument of type {self.labelled.stripped.types}."
        raise Unsupported(said, at=self.labelled.at, hint=VALUES)

    def __repr__(self) -> str:
        return repr(self.plain)


def _matching(like: Any, given: Any, what: str, at: Location | None) -> Any:
    """The numbers of what is given, which has the labels of `like` if it has any."""
    row = array_type(given)
    if row is None:
        return given
    if row is not array_type(like) or row.labels(given) != row.labels(like):
        said = f"The {what} is a '{library_type(given)}' with other labels."
        raise BadArgument(said, at=at, hint="Give it the same labels, or pass its values.")
    return numbers(given, row, at)


def _like(outcome: Any, found: Any) -> Any:
    row = array_type(outcome)
    return found if row is None or found is None else row.as_output(outcome, found)


def _along(structure: Any, found: Any, change: Callable[[Any, Any], Any]) -> Any:
    """What is found in a structure (None: nothing at all), changed at each of its leaves; what does not have the
    structure stays, for those to refuse who take it."""
    if not is_container(structure) or not is_container(found):
        return found if is_container(structure) or is_container(found) else change(structure, found)
    known = dict(structures.parts(structure) or ())
    return structures.rebuilt(found, lambda step, item: _along(known[step], item, change) if step in known else item)


def _pairwise(structure: Any, found: Any, change: Callable[[Any, Any], Any]) -> Callable[[str, Any], Any]:
    items: Iterator[Any] = iter([item for _, item in structures.parts(found) or ()])
    return lambda _, part: change(part, next(items))
