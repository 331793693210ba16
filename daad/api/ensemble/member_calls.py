"""What members give: one after the other, in the same arithmetic on whatever machine of one kind."""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from typing import Any

from daad.api.ensemble.members import require_tuple
from daad.api.ensemble.pairwise_sum import PairwiseSum
from daad.api.gradient import Gradient
from daad.errors import BadArgument, DaadError, Unsupported
from daad.runtime.processors import Device, made_for

THREADS = 1
"""That members are made for, so that bits do not depend on how many threads there are."""


def require_independent(gradient: Any) -> None:
    """Refuses what members cannot be asked for."""
    if not isinstance(gradient, Gradient):
        message = f"An ensemble is of gradients, and this is of type '{type(gradient).__name__}'."
        raise BadArgument(message, hint="Pass what 'daad.grad' or 'daad.value_and_grad' gives.")
    request, at = gradient._asked.request, gradient._subject.at
    if request.device is Device.GPU:
        raise Unsupported("Ensembles run on CPUs.", at=at, hint='Leave out device="gpu".')
    if request.on_inputs != "keep":
        raise BadArgument("Members stay as they are.", at=at, hint="Leave out on_inputs='primal'.")


def results(gradient: Gradient, members: Sequence[Any], first: int, is_summed: bool) -> Any:
    """The sum of the members' results, or all of them in a list; `first` is the number of the first one."""
    if not is_summed:
        return [result(gradient, member, number) for number, member in enumerate(members, first)]
    found = PairwiseSum()
    for number, member in enumerate(members, first):
        found.add(result(gradient, member, number))
    return found.total()


def result(gradient: Gradient, member: Any, number: int) -> Any:
    """What the gradient gives for a member; an exception says for which."""
    try:
        with made_for(THREADS):
            found = gradient(*require_tuple(member, number))
        if gradient._current.planned.read.drawn:
            hint = "Draw them before, and make them arguments."
            raise Unsupported("Members of an ensemble draw no random numbers.", at=gradient._subject.at, hint=hint)
        return found
    except DaadError as error:
        raise of_member(error, number) from None
    except Exception as error:
        error.add_note(f"This is of member {number} of the ensemble.")
        raise


def of_member(error: DaadError, number: int) -> DaadError:
    """The same error with the number in its sentence."""
    if error.message.startswith(f"Member {number} "):
        return error
    named = copy.copy(error)
    named.message = f"Member {number}: {error.message}"
    named.args = (named.message, *error.args[1:])
    return named


SHORT = 0.01
"""Seconds below which a first call says little: memory is measured in it, and touched for the first time."""


def timed(gradient: Gradient, member: Any) -> tuple[float, Any]:
    """Seconds that the first member takes once its code is compiled, and its result."""
    with made_for(THREADS):
        try:
            gradient.compile(*require_tuple(member, 0))
        except DaadError as error:
            raise of_member(error, 0) from None
    seconds, found = _timed(gradient, member)
    return (seconds, found) if seconds > SHORT else min((_timed(gradient, member) for _ in range(3)), key=_first)


def _timed(gradient: Gradient, member: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    found = result(gradient, member, 0)
    return time.perf_counter() - start, found


def _first(pair: tuple[float, Any]) -> float:
    return pair[0]
