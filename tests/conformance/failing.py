"""`python -m tests.conformance.failing`: calls that NumPy's own tests expect to fail, which daad has to refuse, too.

As a plugin of pytest (`-p tests.conformance.failing`) it records them: calls that raise, and those that are handed to
`pytest.raises` and its like.
"""

from __future__ import annotations

import builtins
import pickle
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import click
import numpy as np
import pytest
from rich.console import Console

from daad.errors import DaadError, IndexOutside, InternalError
from daad.frontend.staging.speculation import NOTHING
from daad.ir.interpreter import run
from tests.conformance.calls import Call, call_of
from tests.conformance.record import KEY, RECORDER, Finder, Recorder
from tests.conformance.record import pytest_addoption as pytest_addoption
from tests.conformance.record import pytest_runtest_setup as pytest_runtest_setup
from tests.conformance.record import pytest_unconfigure as pytest_unconfigure
from tests.conformance.replay import Subject
from tests.frontend.python.running import built, values_of
from tests.fuzz.programs import NAME

EXPECTING = {"assert_raises": 1, "raises": 1, "assertRaises": 1, "assert_raises_regex": 2, "assertRaisesRegex": 2}
"""Functions that are given another one, which is to fail: behind so many arguments."""
MOST = 60
"""Characters of a cause."""


class FailingCalls(Recorder):
    """Keeps what raises, and only that."""

    def call(self, function: Any, /, *arguments: Any, **keywords: Any) -> Any:
        place = EXPECTING.get(getattr(function, "__name__", ""), len(arguments))
        if len(arguments) > place:
            named = {key: value for key, value in keywords.items() if key != "match"}
            self._note(self._written(lambda: call_of(arguments[place], arguments[place + 1 :], named, self.names)))
        return self._tried(lambda: super(FailingCalls, self).call(function, *arguments, **keywords))

    def operate(self, name: str, left: Any, right: Any) -> Any:
        return self._tried(lambda: super(FailingCalls, self).operate(name, left, right))

    def item(self, owner: Any, index: Any) -> Any:
        return self._tried(lambda: super(FailingCalls, self).item(owner, index))

    def set_item(self, value: Any, owner: Any, index: Any) -> None:
        self._tried(lambda: super(FailingCalls, self).set_item(value, owner, index))

    def _written(self, write: Callable[[], Call | None]) -> Call | None:
        self.last = super()._written(write)
        return self.last

    def _kept(self, call: Call | None, result: Any) -> Any:
        return result

    def _tried(self, act: Callable[[], Any]) -> Any:
        self.last = None
        try:
            return act()
        except Exception:
            self._note(self.last)
            raise

    def _note(self, call: Call | None) -> None:
        if call is not None:
            self.calls.setdefault(call.key, call)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[KEY] = recorder = FailingCalls()
    setattr(builtins, RECORDER, recorder)
    sys.meta_path.insert(0, Finder())


def asked(call: Call) -> tuple[str, str]:
    """What becomes of the call, and why."""
    names = [f"x{k}" for k in range(len(call.values))]
    line, back = (call.text, f"({', '.join(names)},)") if call.is_statement else (f"y = {call.text}", "y")
    subject = Subject(f"def {NAME}({', '.join(names)}):\n    {line}\n    return {back}\n", call.values, ())
    function = subject.function
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*subject.fresh())
        except Exception as error:
            raised = f"{type(error).__name__}: {' '.join(str(error).split())}"
        else:
            return "does not fail by itself", call.text
        try:
            given = tuple(subject.fresh())
            read = built(function, given, None, NOTHING)
            final = run(read.program, values_of(read, function, given))
            fails = any(final[place] for place in read.failed)
            return ("refused", "") if fails else ("accepted", f"{call.text[:MOST]} ({raised[:MOST]})")
        except InternalError as error:
            return "internal error", f"{call.text[:MOST]}: {error.message}"
        except (DaadError, IndexOutside):
            return "refused", ""
        except Exception as error:
            return "internal error", f"{call.text[:MOST]}: {type(error).__name__}: {error}"


@click.command()
@click.argument("recordings", nargs=-1, type=click.Path(exists=True))
def main(recordings: tuple[str, ...]) -> None:
    """Asks what was recorded."""
    console, calls = Console(soft_wrap=True), dict[str, Call]()
    for file in recordings:
        with open(file, "rb") as stream:
            calls |= {call.key: call for call in pickle.load(stream)}
    counts: Counter[str] = Counter()
    for call in calls.values():
        outcome, why = asked(call)
        counts[outcome] += 1
        if outcome in ("accepted", "internal error"):
            console.print(f"{outcome}: {why}", markup=False)
    console.print(", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))


if __name__ == "__main__":
    main()
