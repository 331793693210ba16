"""Exceptions that data decide (`if np.any(x < 0): raise ...`, `assert x[0] > 0`).

The program goes on without them, and an integer, `failed`, tells after a call which one it should have raised first.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from daad.errors import Location, Unsupported
from daad.frontend.python.control.raise_messages import failing
from daad.frontend.python.control.raised_exceptions import failed_assertion
from daad.frontend.python.reading.reader import Raised, Reader, Restart, Signal
from daad.frontend.python.values import overloads
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import View
from daad.ir.nodes import Const, Expr, Op

CHECK = "Check the arguments."


@dataclass(frozen=True)
class Check:
    """What is told, and where. `is_caught`: a handler of the program waits for it, and the program can be read with
    what it does."""

    message: str
    hint: str
    at: Location | None
    is_caught: bool = False

    def error(self) -> Unsupported:
        return Unsupported(self.message, at=self.at, hint=self.hint)


def begin(stage: Stage, checks: Sequence[Check]) -> View | None:
    """Where the number of the first failure is kept, if there are any checks or guards; 0 stands for none."""
    if not checks and not stage.speculation.is_on:
        return None
    failed = stage.allocate((), np.int64, "failed")
    stage.store(failed, 0)
    if stage.speculation.is_on:
        stage.speculation.failed, stage.speculation.actual = failed, stage.allocate((), np.int64, "actual")
        stage.store(stage.speculation.actual, 0)
    return failed


def run_assert(reader: Reader, node: ast.Assert, rest: Sequence[ast.stmt]) -> None:
    """The statement."""
    holds = overloads.condition(reader, node.test)
    if isinstance(holds, bool):
        if not holds:
            run_raise(reader, failing(reader, node.msg), CHECK, failed_assertion(reader, node.msg))
        return
    note(reader, Check(failing(reader, node.msg), CHECK, reader.stage.at), Op("logical_not", (holds,), "bool"))


def run_raise(reader: Reader, message: str, hint: str, raised: BaseException | None = None) -> NoReturn:
    """A `raise` with this message; refused where no data decide whether it is reached, or a handler waits for it."""
    if len(reader.stage.blocks) == 1 or (raised is not None and catches(reader, type(raised))):
        reader.stage.refuse(message, hint, raised)
    note(reader, Check(message, hint, reader.stage.at), None)
    raise Raised(message, hint)


def raise_again(reader: Reader, error: Unsupported) -> NoReturn:
    """A `raise` of what a handler has caught."""
    if len(reader.stage.blocks) == 1 or (error.raised is not None and catches(reader, type(error.raised))):
        raise error
    note(reader, Check(error.message, error.hint or CHECK, error.at), None)
    raise Raised(error.message, error.hint or CHECK)


def catches(reader: Reader, *kinds: type[BaseException]) -> bool:
    """Whether a `try` in progress waits for one of these exceptions."""
    return any(_catching(reader, kind) is not None for kind in kinds)


def is_caught_alike(reader: Reader, kinds: Iterable[type[BaseException]]) -> bool:
    """Whether one handler waits for all of these exceptions."""
    return len({_catching(reader, kind) for kind in kinds}) == 1


def _catching(reader: Reader, kind: type[BaseException]) -> tuple[int, int] | None:
    """The innermost `try` that waits for the exception, and its handler, by their numbers."""
    for depth, attempt in reversed([*enumerate(reader.attempts)]):
        for number, caught in enumerate(attempt):
            if issubclass(kind, caught):
                return depth, number
    return None


def raise_on_all_sides(reader: Reader) -> NoReturn:
    """Behind a choice of sides all of which raise exceptions."""
    message = "The program raises an exception here, whatever the data are."
    if len(reader.stage.blocks) == 1:
        reader.stage.refuse(message, CHECK)
    raise Raised(message, CHECK)


def until_raised(reader: Reader, run: Callable[[], Any]) -> Any:
    """What `run` gives, on a side that data may leave out; `Signal.RAISED` where it raises an exception, or what it
    does raises one in Python: the data then never come here, or the call fails as the program does."""
    depth = len(reader.stage.blocks)
    try:
        return reader.attempted(run)
    except Unsupported as error:
        if error.raised is None or reader.attempts or len(reader.stage.blocks) != depth:
            raise
        failure = Check(error.message, error.hint or CHECK, error.at)
    note(reader, failure, None)
    return Signal.RAISED


def note(reader: Reader, check: Check, fails: Expr | None) -> None:
    """Where it `fails` (None: here), and nothing has before."""
    if reader.unchecked:
        return
    if check not in reader.checks:
        reader.checks.append(check)
        if reader.failed is None:
            raise Restart
    stage, failed = reader.stage, reader.failed
    assert failed is not None, "there is a place for what checks find"
    first = Op("equal", (failed.element(()), Const(0, "int64")), "bool")
    if fails is not None:
        first = Op("logical_and", (first, fails), "bool")
    number = Op("where", (first, Const(reader.checks.index(check) + 1, "int64"), failed.element(())), "int64")
    stage.store(failed, stage.lazy((), np.int64, lambda _: number))
