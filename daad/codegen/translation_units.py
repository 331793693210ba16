"""Generated C++ as several files, which compilers read at the same time.

Works on the C++ that DaCe generates, as `daad.codegen.outlining` does: statements of large functions become functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from daad.codegen.outlining import OWN, Outlined, Variable, closing, declarations, is_long, variables

LEAST = 150  # lines of functions that are worth a second compiler
EACH = 200  # lines for each of more
MOST = 4
BULK = 0.75  # of all lines; where one file has more, a second compiler brings nothing
HIDDEN = '__attribute__((noinline, visibility("hidden"))) '
SMALL = 12  # lines of a statement that is not worth a function
LONG = 512  # iterations beside which a call takes no time, with what compilers cannot move out of it
CONTROL = re.compile(r"\s*(?:for \(\w+ = |if \()")  # statements that declare nothing
LEAVES = re.compile(r"\b(?:break|continue|goto|return)\b")


@dataclass(frozen=True)
class Function:
    """A function's lines; the first says its parameters, the last closes it."""

    lines: tuple[str, ...]

    @property
    def head(self) -> str:
        return self.lines[0].removesuffix(" {")


@dataclass
class Parts:
    """Functions that statements become, in the order of the text.

    `known`: the variables that they may use. A statement of more than `most` lines stays, or is looked into; neighbours
    of up to `few` lines become one function.
    """

    name: str
    known: Sequence[Variable]
    most: int
    few: int
    looks_into_loops: bool
    functions: list[Function] = field(default_factory=list)

    def rest(self, lines: Sequence[str], is_repeated: bool = False) -> Iterator[str]:
        """The lines with calls in the place of statements; `is_repeated`: a loop is around them."""
        group: list[str] = []
        for statement in _statements(lines):
            inside = lines[statement.start : statement.stop]
            is_else = inside[0].lstrip().startswith("}")
            stays = is_else or _leaves(inside) or len(inside) > self.most
            if stays or len(group) + len(inside) > self.few:
                yield from self._moved(group, is_repeated)
                group = []
            if not stays:
                group += inside
            elif self.looks_into_loops and CONTROL.match(inside[0]):
                yield inside[0]
                yield from self.rest(inside[1:-1], is_repeated or "for (" in inside[0])
                yield inside[-1]
            else:
                yield from inside
        yield from self._moved(group, is_repeated)

    def _moved(self, lines: Sequence[str], is_repeated: bool) -> Iterator[str]:
        if len(lines) < SMALL or (is_repeated and not is_long(lines, LONG)):
            yield from lines
        else:
            part = Outlined.of(f"__part_{len(self.functions)}_of_{self.name}", lines, self.known)
            self.functions.append(Function(part.function))
            yield part.call


def divided(text: str) -> tuple[str, ...]:
    """The text in files of about the same length; the first one has all that is not in functions that do work.

    In loops, where functions are called many times, they are only made of programs that a compiler takes long for.
    """
    lines = text.split("\n")
    found = list(_functions(lines))
    total = sum(map(len, found))
    if total < LEAST:
        return (text,)
    count = max(2, min(MOST, total // EACH))
    functions = [part for r in found for part in _parts(Function(tuple(lines[r.start : r.stop])), total, count)]
    files = _balanced(functions, count)
    if max(map(_lines, files)) > BULK * total:
        return (text,)
    before, after = lines[: found[0].start], lines[found[-1].stop :]
    declared = [f"{_shown(f.head)};" for f in functions]
    first, *others = ([*before, *declared, *(line for f in file for line in _shared(f))] for file in files)
    return tuple("\n".join(file) for file in ([*first, *after], *others))


def _functions(lines: Sequence[str]) -> Iterator[range]:
    """The lines of functions that do work, which stand one after the other."""
    number = 0
    while number < len(lines):
        stop = number + 1
        if lines[number].startswith(OWN):
            stop = closing(lines, number if lines[number].endswith("{") else number + 1) + 1
            yield range(number, stop)
        number = stop


def _parts(function: Function, total: int, count: int) -> list[Function]:
    """A function, after those that statements of it have become."""
    lines = function.lines
    opened = 1 if lines[0].endswith("{") else 2
    begins = opened + len(declarations(lines[opened:-1]))
    is_large = len(lines) > total // (2 * count)
    known = variables(lines[0], lines[opened:begins]) if is_large else None
    name = re.search(r"(\w+)\(", function.head[len(OWN) :])
    if known is None or name is None:
        return [function]
    parts = Parts(name[1].strip("_"), known, total // count, total // (2 * count), count == MOST)
    rest = tuple(parts.rest(lines[begins:-1]))
    return [*parts.functions, Function((*lines[:begins], *rest, lines[-1]))]


def _statements(lines: Sequence[str]) -> Iterator[range]:
    """The lines of statements; what begins with `#` belongs to the next one."""
    start = number = 0
    while number < len(lines):
        line = lines[number].strip()
        opens = line.endswith("{") and not line.startswith("}")
        stop = closing(lines, number) + 1 if opens else number + 1
        if not line.startswith("#"):
            yield range(start, stop)
            start = stop
        number = stop


def _leaves(lines: Sequence[str]) -> bool:
    return any(map(LEAVES.search, lines))


def _balanced(functions: Sequence[Function], count: int) -> list[list[Function]]:
    """The longest first, each to where least is so far; the last one, which calls the others, to the first."""
    files: list[list[Function]] = [[functions[-1]], *([] for _ in range(count - 1))]
    for function in sorted(functions[:-1], key=lambda f: -len(f.lines)):
        min(files, key=_lines).append(function)
    return files


def _lines(functions: Sequence[Function]) -> int:
    return sum(len(f.lines) for f in functions)


def _shown(head: str) -> str:
    return HIDDEN + head.removeprefix(OWN)


def _shared(function: Function) -> Iterator[str]:
    """The lines of a function that other files call."""
    yield _shown(function.lines[0])
    yield from function.lines[1:]
