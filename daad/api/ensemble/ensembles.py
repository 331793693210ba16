"""What `daad.ensemble` does: members here or on workers, reduced in a tree that their number alone decides."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from daad.api.ensemble import dask_workers, forked_processes
from daad.api.ensemble.member_calls import require_independent
from daad.api.ensemble.pairwise_sum import PairwiseSum, scaled
from daad.api.gradient import Gradient
from daad.errors import BadArgument
from daad.runtime.optional_packages import require_installed

REDUCTIONS = ("sum", "mean", None)

_copies: WeakKeyDictionary[Gradient, Gradient] = WeakKeyDictionary()
"""Gradients as members use them, made for one thread; by the user's own."""


def ensemble(gradient: Any, members: Any, client: Any, reduce: Any) -> Any:
    """The answer; what cannot be reduced is refused before anything runs."""
    require_independent(gradient)
    if reduce not in REDUCTIONS:
        raise BadArgument(f"The option 'reduce' is {reduce!r}.", hint="Use 'sum', 'mean' or None.")
    if reduce is not None and gradient._asked.request.has_aux:
        hint = "Use reduce=None, or leave out has_aux=True."
        raise BadArgument("Auxiliary data have no sum.", at=gradient._subject.at, hint=hint)
    if client is not None:
        require_installed("distributed", "ensemble", extra="dask")
        dask_workers.require_client(client)
    own = _copies.get(gradient)
    if own is None:
        own = _copies[gradient] = gradient._with()
    if reduce is None:
        return dask_workers.each(client, own, members) if client is not None else _each(own, members)
    total, count = dask_workers.summed(client, own, members) if client is not None else _summed(own, members)
    if not count:
        raise BadArgument("There are no members.", hint="Give one or more tuples of arguments.")
    return total if reduce == "sum" else scaled(total, count)


def _summed(gradient: Gradient, members: Any) -> tuple[Any, int]:
    found, count = PairwiseSum(), 0
    for batch, part in forked_processes.answers(gradient, members, True):
        found.add(part, batch.level)
        count = batch.stop
    return (found.total() if count else None), count


def _each(gradient: Gradient, members: Any) -> list[Any]:
    return [result for _, part in forked_processes.answers(gradient, members, False) for result in part]
