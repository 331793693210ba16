"""What a command is asked about: a function of a script, or its top level, at a point of differentiation."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from daad.api.subject.reading import subject_of
from daad.cli.options import Question
from daad.cli.script.aliased_copies import own_copies
from daad.cli.script.capture import Call, capture
from daad.cli.script.running import Script, as_main, read_script
from daad.cli.script.streams import stdout_for_machines
from daad.cli.script.target import functions_of
from daad.cli.script.toplevel import top_level_function, variables_of
from daad.errors import BadArgument
from daad.messages.progress import quiet
from daad.messages.suggestions import listed


@dataclass(frozen=True)
class Subject:
    """A function and one call of it; `wrt` and `of` are as `daad.grad` takes them."""

    name: str
    script: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    wrt: tuple[str, ...]
    of: str | int | tuple[str | int, ...] | None

    def fresh(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, in copies that a call may overwrite."""
        return own_copies(self.args, self.kwargs)


@contextlib.contextmanager
def subject(question: Question) -> Iterator[Subject]:
    """Run the script as far as needed; its import path and arguments stay in force inside the `with` block.

    What it prints goes to stderr where stdout is for machines.
    """
    script = read_script(question.script)
    prints = stdout_for_machines() if question.json else contextlib.nullcontext()
    with as_main(script, question.arguments) as namespace, prints, quiet(question.quiet):
        yield _function(question, script, namespace) if question.function else _top(question, script, namespace)


def _function(question: Question, script: Script, namespace: dict[str, Any]) -> Subject:
    assert question.function is not None, "asked for a function without a name"
    call = capture(script, question.function, namespace)
    args, kwargs = _complete(subject_of(call.function).signature, call)
    own = f"{question.function.rpartition('.')[2]}."  # of variables, as in 'main.tau'
    names = tuple(name.removeprefix(own) for name in question.wrt)
    found = subject_of(call.function)
    wrt = names or tuple(found.signature.parameters)[:1]
    if not wrt:
        message = f"'{question.function}' has no parameters, and a gradient is that with respect to one."
        there = f"Name one of its variables, such as --wrt {own}{found.variables[0]}." if found.variables else ""
        raise BadArgument(message, hint=there or "Give it what its value depends on.")
    outputs = tuple(int(n) if n.isdecimal() else n for n in (name.removeprefix(own) for name in question.of))
    of = (outputs[0] if len(outputs) == 1 else outputs) if outputs else None
    return Subject(question.function, script.shown, call.function, args, kwargs, wrt, of)


def _complete(signature: inspect.Signature, call: Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The same call with its defaults, everything positional that can be."""
    try:
        bound = signature.bind(*call.args, **call.kwargs)
    except TypeError as error:
        message = f"The script's call does not fit the function: {error}."
        raise BadArgument(message, hint="Correct the call in the script.") from None
    bound.apply_defaults()
    return bound.args, bound.kwargs


def _choices(script: Script) -> str:
    """What there is to differentiate."""
    variables, functions = sorted(variables_of(script)), sorted(set(functions_of(script)))
    there = f"There is {listed(variables, 'or')}." if variables else "It has none."
    return f"{there} Or differentiate one of its functions, such as -f {functions[0]}." if functions else there


def _top(question: Question, script: Script, namespace: dict[str, Any]) -> Subject:
    for option, names in (("--wrt", question.wrt), ("--of", question.of)):
        if not names:
            raise BadArgument(f"Without -f, {option} must name variables of the script.", hint=_choices(script))
    function, values = top_level_function(script, question.wrt, question.of, namespace)
    of = tuple(range(len(question.of))) if len(question.of) > 1 else None
    return Subject(function.__name__, script.shown, function, values, {}, question.wrt, of)
