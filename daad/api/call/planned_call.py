"""What a call asks for, as a Program that answers it: read, differentiated, with as few constants as will do."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from daad.api.call.artifact import Outcome, outcome
from daad.api.call.outputs import no_floats
from daad.api.call.results import aux_arrays
from daad.api.subject import arguments as calls
from daad.api.subject import static_arguments
from daad.api.subject.request import Request
from daad.api.subject.seeds import seeds_for
from daad.api.subject.subject import Subject
from daad.api.subject.wrt import chosen_arguments
from daad.ccs.hints import read_hints
from daad.ccs.question import Product, Question
from daad.errors import Unsupported
from daad.frontend.python.read import Asked, Read
from daad.frontend.staging.speculation import DEEPLY, NOTHING, Assumptions
from daad.ir.affine import Affine
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Loop
from daad.ir.pinning import NeedsConstant, pinned
from daad.ir.walk import walk

ONE_AT_A_TIME = "A program that passes messages has one derivative at a time."
IN_TURN = "Take them one after the other."


@dataclass(frozen=True, kw_only=True)
class PlannedCall:
    """The program of a call, what is asked of it, and how it is answered."""

    read: Read
    question: Question
    outcome: Outcome

    @property
    def derivation(self) -> Any:
        """Every stage from the primal to the program that is compiled."""
        return self.outcome.derivation


def plan_call(
    subject: Subject,
    bound: Mapping[str, Any],
    request: Request,
    *,
    is_kept: bool = False,
    assumptions: Assumptions = NOTHING,
) -> PlannedCall:
    """Reads and differentiates for the arguments of a call; ints are pinned one by one where needed.

    What `is_kept` on disk is not derived again.
    """
    leaves = calls.leaves(bound)
    calls.require_plain_arrays(leaves, subject.at)
    chosen = chosen_arguments(request.wrt, bound, subject)
    variable = [name for name, _ in calls.floats(chosen)]
    values, read = dict(leaves), static_arguments.read(subject, bound, request, variable, assumptions)
    if read.changes_outside and request.on_inputs == "primal":
        raise Unsupported(
            "The program changes objects, arrays or globals that are no array arguments of it.",
            at=subject.at,
            hint="Leave out on_inputs='primal': they stay as they are.",
        )
    if read.communicates and (request.batch is not None or request.product is Product.GAUSS_NEWTON):
        raise Unsupported(ONE_AT_A_TIME, at=subject.at, hint=IN_TURN)
    while True:
        question = _question(read, chosen, request, subject)
        users = {read.places[user]: user for user in values if user in read.places}
        numbers = {name: int(values[users[name]]) for name in read.program.integers}
        try:
            found = outcome(read.program, question, request.memory_limit, numbers, is_kept=is_kept)
            break
        except NeedsConstant as needed:  # Python computes with it, and then with what follows from it
            static = frozenset((users[needed.name], *read.pinned))
        except Unsupported as refused:
            read = _counted(subject, bound, request, read, refused)
            continue
        assumed = read.assumptions if read.decisions or read.assumed.counts else None
        read = subject.read(bound, Asked(of=request.of, static=static, assumptions=assumed))
    for name in sorted({*numbers} - {*found.interface.open}):
        read = with_constant(read, users[name], numbers[name])
    return PlannedCall(read=read, question=question, outcome=found)


def _counted(subject: Subject, bound: Mapping[str, Any], request: Request, read: Read, refused: Unsupported) -> Read:
    """The program once more, with bounds of loops in loops whose numbers of iterations data decide, else with these
    numbers as constants; where there are none, it is refused."""
    if not _is_counted_by_data(read):
        raise refused
    if subject.trips.ranges is None:
        found = _bounded(subject, bound, request, read)
        if found is not None:
            return found
    subject.trips.ranges = False
    if request.on_decision == "refuse":
        raise refused
    for deeper in range(read.assumed.counts + 1, DEEPLY + 1):
        try:
            asked = Asked(of=request.of, static=frozenset(read.pinned), assumptions=Assumptions(counts=deeper))
            found = subject.read(bound, asked)
        except Unsupported:
            raise refused from None
        if found.decisions or not _is_counted_by_data(found):
            return found
    raise refused


def _bounded(subject: Subject, bound: Mapping[str, Any], request: Request, read: Read) -> Read | None:
    """The program with such bounds, if that can be."""
    subject.trips.ranges = True
    asked = Asked(of=request.of, static=frozenset(read.pinned), assumptions=read.assumptions)
    with suppress(Unsupported):
        found = subject.read(bound, asked)
        return found if found.bounded else None
    return None


def _is_counted_by_data(read: Read) -> bool:
    loops = (node for node in walk(read.program.body) if isinstance(node, Loop))
    return any(not (isinstance(loop.start, Affine) and isinstance(loop.stop, Affine)) for loop in loops)


def with_constant(read: Read, user: str, value: int) -> Read:
    """The same for this value of an int argument, which the Program takes no more."""
    return replace(
        read,
        program=pinned(read.program, read.places[user], value),
        places={name: place for name, place in read.places.items() if name != user},
        pinned={**read.pinned, user: value},
    )


def _question(read: Read, chosen: Mapping[str, Any], request: Request, subject: Subject) -> Question:
    inputs = tuple(read.places[leaf] for leaf, _ in calls.floats(chosen))
    is_gradient, names = request.product is Product.GRADIENT, NameSupply.of(read.program)
    is_tangent = request.product.takes_tangents
    aux = aux_arrays(read, request, subject)
    if not is_gradient:
        request, others = replace(request, seed=1.0, seed_at_call=True), no_floats(read, request)
        read, aux = replace(read, outputs=tuple(n for n in read.outputs if n not in others)), [*aux, *others]
    return Question(
        inputs=inputs,
        seeds=seeds_for(read, request, subject),
        value=request.value,
        keep=request.on_inputs == "keep",
        hints=replace(read_hints(request.plan, read.program, read.marks), device=request.device, again=request.again),
        allow_undo=request.allow_undo,
        checks=read.failed,
        aux=tuple(aux),
        product=request.product,
        tangents=tuple(names.new(f"tangent_{k}") for k in range(len(inputs))) if is_tangent else (),
        batch=request.batch,
        accumulate=request.accumulate,
    )
