"""What the user calls the arrays of a Program: a variable's own name, or the expression that makes the value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from string import ascii_lowercase

from daad.errors import Location
from daad.ir.nodes import Branch, Loop, Nest, Node, Program
from daad.ir.versions import array_of
from daad.ir.walk import node_loads
from daad.loops.reverse import Adjoint
from daad.report.source_text import source_of, written_as

RESULT = re.compile(r"result(_\d+)?")
"""What is returned, where it has no name of its own."""
WORDS = {"_halo": "_padded"}
"""What is said for words that passes add to names."""


@dataclass(frozen=True)
class UserNames:
    """Of the arrays of some Programs of one source, the one that was read first; `places` are the parameters by the
    user's names for them."""

    programs: tuple[Program, ...]
    places: Mapping[str, str]

    @cached_property
    def _made(self) -> Mapping[str, tuple[Location, ...]]:
        """Where each array gets its value, in the program that knows it first."""
        found: dict[str, tuple[Location, ...]] = {}
        for program in self.programs:
            here: dict[str, list[Location]] = {}
            for at, node in located(program.body):
                if at is not None and isinstance(node, Nest):
                    for name in node.written:
                        here.setdefault(name, []).append(at)
            found = {**{name: tuple(places) for name, places in here.items()}, **found}
        return found

    @cached_property
    def _read(self) -> Mapping[str, Location]:
        """Where each array is read first."""
        found: dict[str, Location] = {}
        for program in self.programs:
            for at, node in located(program.body):
                if at is not None:
                    for load in node_loads(node):
                        found.setdefault(array_of(load.array), at)
        return found

    @cached_property
    def _parameters(self) -> Mapping[str, str]:
        return {array: user for user, array in self.places.items()}

    def made_at(self, name: str) -> Location | None:
        """Where the array gets its first value, a constant where it is read; None for arguments."""
        if name in self._parameters:
            return None
        places = self._made.get(name, ())
        return places[0] if places else self._read.get(name)

    @cached_property
    def _known(self) -> dict[str, str]:
        return {}

    def of(self, name: str) -> str:
        """The variable, or the expression, that an array of the primal holds the value of."""
        if name not in self._known:
            self._known[name] = self._name(name)
        return self._known[name]

    def _name(self, name: str) -> str:
        if name in self._parameters:
            return self._parameters[name]
        at = self.made_at(name)
        if at is not None and any(name in program.parameters for program in self.programs):
            return f"constants of line {at.line}"
        return self._variable(name) or ("result" if RESULT.fullmatch(name) else written_as(at)) or name

    def _variable(self, name: str) -> str | None:
        places = self._made.get(name, ())
        for candidate in stems(name):
            if any(source_of(at.file).binds(candidate, at.line) for at in places):
                return candidate
        lettered = re.sub(r"(_[A-Za-z]+)+$", "", name) if re.search(r"_[A-Za-z]+$", name) else ""
        is_bound = lettered and any(source_of(at.file).binds_in_function(lettered, at.line) for at in places)
        return lettered if is_bound else None

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """Short names for formulas: variables by their names, other values by the line that computes them."""
        found: dict[str, str] = {}
        counts: dict[int, int] = {}
        for name in dict.fromkeys(n for program in self.programs for n in program.arrays):
            label, at = self._parameters.get(name) or self._label(name), self.made_at(name)
            if not label and at is not None:
                count = counts[at.line] = counts.get(at.line, 0) + 1
                label = f"line{at.line}" + (ascii_lowercase[min(count, 26) - 1] if count > 1 else "")
            found[name] = label or name
        return found

    def _label(self, name: str) -> str | None:
        """The name without the number that tells it from others; what passes add in words stays, as in 'u_new'."""
        own = self.of(name)
        if name == own or name.startswith(f"{own}_"):
            word = re.sub(r"^_\d+(?=_|$)|_\d+$", "", name[len(own) :])
            return own + WORDS.get(word, word)
        return "result" if own == "result" else None

    def adjoint_labels(self, adjoint: Adjoint) -> Mapping[str, str]:
        """The same for what the adjoint adds to the primal: 'k_bar' is the adjoint of 'k'."""
        bars = {array.name: f"{self.labels.get(name, name)}_bar" for name, array in adjoint.bars.items()}
        extra: dict[str, str] = {}
        for array in adjoint.extra:
            base = max((b for b in (*bars, *self.labels) if array.name.startswith(f"{b}_")), key=len, default=None)
            label = {**self.labels, **bars}.get(base, "") if base else ""
            extra[array.name] = label + array.name[len(base) :] if base else array.name
        return {**self.labels, **bars, **extra}


def stems(name: str) -> Iterator[str]:
    """The name, and what is left of it without the words and numbers behind its underscores."""
    yield name
    while "_" in name:
        name = name.rpartition("_")[0]
        if name:
            yield name


def located(body: tuple[Node, ...], at: Location | None = None) -> Iterator[tuple[Location | None, Node]]:
    """All nodes, each with its place in the source; what daad adds is where what comes before it is."""
    for node in body:
        at = node.at or at
        yield at, node
        if not isinstance(node, Nest):
            for side in sides(node):
                yield from located(side, at)


def sides(node: Loop | Branch) -> tuple[tuple[Node, ...], ...]:
    """What stands inside: the body of a loop, both sides of a branch."""
    return (node.body,) if isinstance(node, Loop) else (node.then, node.orelse)


Place = tuple[str, int]
"""A file and a line of it."""


def place_of(at: Location | None) -> Place | None:
    """The line of a place in the source."""
    return None if at is None else (at.file, at.line)
