"""`daad grad --members`: the sum of a gradient over the members in a file."""

from __future__ import annotations

import contextlib
import inspect
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zipfile import BadZipFile

import numpy as np

import daad
from daad.api.subject import arguments as calls
from daad.api.subject.reading import subject_of
from daad.cli.measure import run_check
from daad.cli.output import Outcome
from daad.cli.script_subject import Subject
from daad.errors import BadArgument
from daad.messages.suggestions import listed
from daad.runtime.optional_packages import require_installed


@dataclass(frozen=True)
class Ensemble:
    """A file with arrays by parameter, whose first axes are the members', and the address of a scheduler, or None."""

    file: str
    scheduler: str | None


def of_members(subject: Subject, options: dict[str, Any], ensemble: Ensemble, check: bool) -> Outcome:
    """The sums of value and gradients; what the file does not give is as in the script's call."""
    members = read_members(subject, ensemble.file)
    gradient = daad.value_and_grad(subject.function, wrt=subject.wrt, of=subject.of, **options)
    with client_of(ensemble.scheduler) as client:
        start = time.perf_counter()
        value, gradients = daad.ensemble(gradient, members, client)
        first = time.perf_counter() - start
        start = time.perf_counter()
        daad.ensemble(gradient, members, client)
        second = time.perf_counter() - start
    leaves = [leaf for name, found in zip(subject.wrt, gradients, strict=True) for leaf in calls.gradients(name, found)]
    return Outcome(
        program=f"{subject.name} ({subject.script}), {len(members)} members",
        value=value,
        gradients=dict(leaves),
        primal_seconds=None,
        gradient_seconds=second,
        first_call_seconds=first,
        peak_bytes=None,
        check=run_check(replace(subject, args=members[0]), options) if check else None,
    )


def read_members(subject: Subject, file: str) -> list[tuple[Any, ...]]:
    """The arguments of each member."""
    given = _read(file)
    names = [
        name
        for name, parameter in subject_of(subject.function).signature.parameters.items()
        if parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    ][: len(subject.args)]
    unknown = next((name for name in given if name not in names), None)
    if unknown is not None:
        raise BadArgument(
            f"'{file}' holds '{unknown}', which is no parameter of '{subject.name}' that is passed by position.",
            hint=f"There is {listed(names, 'or')}.",
        )
    counts = {name: len(array) if array.ndim else 0 for name, array in given.items()}
    if len({*counts.values()}) != 1 or 0 in counts.values():
        told = ", ".join(f"{count} of '{name}'" for name, count in counts.items())
        raise BadArgument(
            f"'{file}' holds {told or 'nothing'}.", hint="Give as many as there are members of each array."
        )
    return [tuple(_arguments(subject.args, names, given, k)) for k in range(next(iter(counts.values())))]


def _arguments(args: Sequence[Any], names: Sequence[str], given: dict[str, np.ndarray], number: int) -> Iterator[Any]:
    for value, name in zip(args, names, strict=True):
        own = given[name][number] if name in given else value
        yield own.item() if isinstance(value, bool | int | float) and isinstance(own, np.generic) else own
    yield from args[len(names) :]


def _read(file: str) -> dict[str, np.ndarray]:
    try:
        with np.load(file, allow_pickle=False) as archive:
            if isinstance(archive, np.ndarray):
                raise ValueError("it holds one array without a name")
            return dict(archive.items())
    except (OSError, ValueError, BadZipFile, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        hint = "Give a file of 'numpy.savez', with the arrays named as the parameters."
        raise BadArgument(f"The members in '{file}' cannot be read: {reason.rstrip('.')}.", hint=hint) from None


@contextlib.contextmanager
def client_of(address: str | None) -> Iterator[Any]:
    """A client of the scheduler at an address; None for this machine's cores."""
    if address is None:
        yield None
        return
    require_installed("distributed", "--scheduler", extra="dask")
    from distributed import Client

    try:
        client = Client(address)
    except (OSError, ValueError) as error:
        message = f"The scheduler at '{address}' does not answer: {str(error).splitlines()[0]}."
        raise BadArgument(message, hint="Give its address as Dask prints it, such as tcp://10.0.0.1:8786.") from None
    with client:
        yield client
