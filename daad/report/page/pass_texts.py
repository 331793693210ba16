"""The road from the program that was read to the one that is compiled: its text after each pass that changed it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from daad import passes
from daad.ir.nodes import Program
from daad.ir.printer import program_text
from daad.loops.linearization import linearised
from daad.passes.definition import Pass
from daad.passes.driver import observed
from daad.pipeline import Derivation, inlined, live_at_end, optimize_joint
from daad.rules.own_rules import for_reverse, held_arrays

CONTEXT, SHORT = 3, 150
"""Unchanged lines that stay around changed ones in texts of more than so many lines."""


@dataclass(frozen=True)
class Stage:
    """A name, what was done, the text after it, and the seconds that it took where that is known."""

    name: str
    does: str
    text: str
    seconds: float | None = None


def stages(program: Program, derivation: Derivation) -> tuple[Stage, ...]:
    """All stages of the plan that was made, run once more."""
    found = [Stage("as it was read", "The program for these arguments.", program_text(program))]

    def note(step: Pass, before: Program, after: Program, seconds: float) -> None:
        found.append(Stage(step.name, step.does, program_text(after), seconds))

    with observed(note):
        first = for_reverse(linearised(program))
        passes.prepare(first, live_at_end(first) | derivation.hints.store | held_arrays(first))
        text = program_text(derivation.joined)
        found.append(Stage("differentiated", "Adjoint and tapes are joined to the program.", text))
        optimize_joint(derivation.joined, inlined(derivation.primal, derivation.hints))
        derivation.on_threads(1 if derivation.hints.serial else derivation.threads)
    final = program_text(derivation.joint)
    if final != found[-1].text:
        found.append(Stage("as it is compiled", "The program that C++ is made from.", final))
    return tuple(found)


Change = tuple[str, str]
"""'+', '-', ' ' or '…', and a line."""


def changes(before: str, after: str) -> list[Change]:
    """The lines of a text, with those that are new and those that are gone."""
    one, other = before.splitlines(), after.splitlines()
    found: list[Change] = []
    for tag, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if tag == "equal":
            found += [(" ", line) for line in other[c:d]]
            continue
        found += [("-", line) for line in one[a:b]] + [("+", line) for line in other[c:d]]
    return found if len(found) <= SHORT else [*_folded(found)]


def _folded(found: Sequence[Change]) -> Iterator[Change]:
    """Without what is far from any change."""
    near = {m for n, (sign, _) in enumerate(found) if sign != " " for m in range(n - CONTEXT, n + CONTEXT + 1)}
    hidden = 0
    for n, change in enumerate(found):
        if n not in near:
            hidden += 1
            continue
        if hidden:
            yield "…", f"{hidden} lines"
            hidden = 0
        yield change
    if hidden:
        yield "…", f"{hidden} lines"
