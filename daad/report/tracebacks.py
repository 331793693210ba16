"""Tracebacks end at the user's own call: frames of daad are left out, unless the variable DAAD_TRACEBACK is 'full'."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from types import FrameType, FunctionType, TracebackType
from typing import ParamSpec, TypeVar

from daad.errors import DaadError, InternalError
from daad.report.defects import LIBRARIES
from daad.runtime.packages import HOME

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Class = TypeVar("Class", bound=type)


def ends_at_the_call(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """What the function raises is raised by its caller, as far as tracebacks tell."""

    @functools.wraps(function)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            shorten(error)
            raise  # adds no frame, unlike `raise error`

    return call


def end_at_the_call(owner: Class) -> Class:
    """The same for the public methods and properties of a class."""
    for name, member in list(vars(owner).items()):
        if name.startswith("_"):
            continue
        if isinstance(member, FunctionType):
            setattr(owner, name, ends_at_the_call(member))
        elif isinstance(member, property) and member.fget:
            setattr(owner, name, property(ends_at_the_call(member.fget)))
    return owner


def shorten(error: Exception) -> None:
    """Leaves the user's own frames in the traceback of an error that the function has caught which calls this.

    Behind daad's last frame everything stays. A defect of daad keeps all, and so does what daad itself will see.
    """
    if not _is_of_daad(sys._getframe(2)):
        leave_out_daad(error)


def leave_out_daad(error: Exception) -> None:
    """The same, whoever asks."""
    if os.environ.get("DAAD_TRACEBACK", "") == "full" or isinstance(error, InternalError):
        return
    error.__traceback__ = _of_the_user(error.__traceback__)
    if isinstance(error, DaadError):
        error.__cause__ = None
    elif error.__suppress_context__:
        return
    error.__context__ = _context(error)
    error.__suppress_context__ = error.__context__ is None


def _of_the_user(trace: TracebackType | None) -> TracebackType | None:
    steps: list[TracebackType] = []
    while trace is not None:
        steps.append(trace)
        trace = trace.tb_next
    last = max((n for n, step in enumerate(steps) if _is_of_daad(step.tb_frame)), default=-1)
    found = None
    for number, step in reversed([*enumerate(steps)]):
        if number > last or not _is_installed(step.tb_frame):
            found = TracebackType(found, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return found


def _context(error: BaseException) -> BaseException | None:
    """What the user's own code was handling."""
    seen, context = {id(error)}, error.__context__
    while context is not None and id(context) not in seen:
        trace = context.__traceback__
        if trace is not None and not _is_installed(trace.tb_frame):
            return context
        seen.add(id(context))
        context = context.__context__
    return None


def _is_of_daad(frame: FrameType) -> bool:
    """Also where dataclasses wrote the function."""
    module = str(frame.f_globals.get("__name__", ""))
    return module.startswith("daad.") or os.path.abspath(frame.f_code.co_filename).startswith(HOME + os.sep)


def _is_installed(frame: FrameType) -> bool:
    """Whether the code is daad's or of a library."""
    return _is_of_daad(frame) or os.path.abspath(frame.f_code.co_filename).startswith(LIBRARIES)
