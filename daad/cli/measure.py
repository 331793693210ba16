"""Calling a gradient as often as its time deserves, and the primal at most for a while."""

from __future__ import annotations

import contextlib
import io
import signal
import time
from collections.abc import Callable
from typing import Any

import daad
from daad.api.subject import arguments as calls
from daad.cli.output import Outcome
from daad.cli.script_subject import Subject

PRIMAL_LIMIT = 20.0  # seconds; loops that take milliseconds when compiled may take minutes in Python
REPEATS = 5
ENOUGH = 1.0  # seconds of repeated calls


def differentiate(subject: Subject, options: dict[str, Any], check: bool) -> Outcome:
    """Value and gradients at the subject's point, with times, memory and, if asked, the check."""
    gradient = daad.value_and_grad(subject.function, wrt=subject.wrt, of=subject.of, **options)
    first_call, (value, gradients) = timed(gradient, subject)
    leaves = [leaf for name, found in zip(subject.wrt, gradients, strict=True) for leaf in calls.gradients(name, found)]
    return Outcome(
        program=f"{subject.name} ({subject.script})",
        value=value,
        gradients=dict(leaves),
        primal_seconds=primal_seconds(subject),
        gradient_seconds=shortest(gradient, subject),
        first_call_seconds=first_call,
        peak_bytes=gradient.memory.measured,
        is_cached=gradient.is_cached,
        check=run_check(subject, options) if check else None,
    )


def run_check(subject: Subject, options: dict[str, Any], plans: str = "default", product: str | None = None) -> Any:
    """The report of `daad.check` at the subject's point."""
    args, kwargs = subject.fresh()
    options = {**options, "plans": plans, "product": product}
    with contextlib.redirect_stdout(io.StringIO()):  # the user's function runs many times, and may print
        return daad.check(subject.function, args, wrt=subject.wrt, of=subject.of, **options, **kwargs)


def timed(function: Callable[..., Any], subject: Subject) -> tuple[float, Any]:
    """Seconds and result of one call on fresh arguments; copying them does not count."""
    args, kwargs = subject.fresh()
    start = time.perf_counter()
    result = function(*args, **kwargs)
    return time.perf_counter() - start, result


def shortest(function: Callable[..., Any], subject: Subject) -> float:
    """The shortest of a few calls."""
    spent = [timed(function, subject)[0]]
    while len(spent) < REPEATS and sum(spent) < ENOUGH:
        spent.append(timed(function, subject)[0])
    return min(spent)


class _TooLong(BaseException):
    pass


def primal_seconds(subject: Subject) -> float | None:
    """The time of the user's own function; None when it takes too long, or runs with another compiler anyway."""
    if type(subject.function).__module__.startswith("dace"):
        return None

    def stop(_signal: int, _frame: Any) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, PRIMAL_LIMIT)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return timed(subject.function, subject)[0]
    except _TooLong:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
