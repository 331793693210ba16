"""Large programs as several functions: for a function of twice the size a compiler takes more than twice as long.

Works on the C++ that DaCe generates, where each state is a block of its own in the function of the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

OWN = "__attribute__((noinline)) static "  # how functions begin that do work
FEWEST = 24  # blocks of a function that is worth splitting
LONG = 64  # iterations of a block beside which a call is nothing
LOOP = re.compile(r"for \(int(?:64_t)? (\w+) = (-?\d+); \1 < (-?\d+); ")
DECLARATION = re.compile(r"\s*(\w+(?: ?\*)?(?: __restrict__)?)(?: const\b)?\s*\b(\w+)(?: = 0)?;?")
UNSET = re.compile(r"( *\w+ \w+);")


@dataclass(frozen=True)
class Variable:
    """A parameter, or what a function declares before its first block."""

    kind: str
    name: str

    def is_shared(self, text: str) -> bool:
        """Whether a function with this text writes it or points to it."""
        return "*" not in self.kind and bool(re.search(rf"&{self.name}\b|\b{self.name} [-+*/|&]?= ", text))


@dataclass(frozen=True)
class Outlined:
    """Lines as a function, and the line that calls it."""

    function: tuple[str, ...]
    call: str

    @staticmethod
    def of(name: str, lines: Sequence[str], known: Sequence[Variable]) -> Outlined:
        """`known`: what the lines may use. What they write has a copy there, which compilers keep in a register."""
        body = "\n".join(lines)
        words = set(re.findall(r"\w+", body))
        used = [v for v in known if v.name in words]
        shared = [v for v in used if v.is_shared(body)]
        parameters = (f"{v.kind}& {v.name}__shared" if v in shared else f"{v.kind} const {v.name}" for v in used)
        arguments = ", ".join(f"{v.name}__shared" if v in shared else v.name for v in used)
        copied = [f"{v.kind} {v.name} = {v.name}__shared;" for v in shared]
        returned = [f"{v.name}__shared = {v.name};" for v in shared]
        before = (f"{v.kind} {v.name}__shared = {v.name};" for v in shared)
        after = (f"{v.name} = {v.name}__shared;" for v in shared)
        function = (f"{OWN}void {name}({', '.join(parameters)})", "{", *copied, *lines, *returned, "}")
        call = " ".join((*before, f"{name}({arguments});", *after))
        return Outlined(function, f"{{ {call} }}" if shared else call)


def outlined(text: str, function: str) -> str:
    """The text with the long blocks of a function as functions; the line of its definition begins as `function`."""
    lines = text.split("\n")
    start = next(n for n, line in enumerate(lines) if line.startswith(function))
    blocks = list(_blocks(lines, start + 2, lines.index("}", start)))
    if len(blocks) < FEWEST:
        return text
    known = variables(lines[start], declarations(lines[start + 2 : blocks[0].start]))
    if known is None:
        return text
    functions: list[str] = []
    kept, position = lines[:start], start
    for block in blocks:
        inside = lines[block.start : block.stop]
        if not is_long(inside):
            continue
        part = Outlined.of(f"__daad_part_{block.start}", inside, known)
        functions += part.function
        kept += [*lines[position : block.start], part.call]
        position = block.stop
    return "\n".join([*kept[:start], *functions, *kept[start:], *lines[position:]])


def initialised(text: str, function: str) -> str:
    """The text with a value for each number that a function declares before its first block.

    Parts of the function are given numbers that one side of a branch has not set and they do not read. To pass what has
    no value is undefined: Clang would take the side for the one that always runs.
    """
    lines = text.split("\n")
    start = next(n for n, line in enumerate(lines) if line.startswith(function)) + 2
    declared = declarations(lines[start:])
    lines[start : start + len(declared)] = (UNSET.sub(r"\1 = 0;", line) for line in declared)
    return "\n".join(lines)


def _blocks(lines: Sequence[str], start: int, end: int) -> Iterator[range]:
    """The lines of blocks that belong to no loop or branch and lie in no other."""
    while start < end:
        stop = closing(lines, start) + 1 if lines[start].strip() == "{" else start + 1
        if stop > start + 1:
            yield range(start, stop)
        start = stop


def closing(lines: Sequence[str], first: int) -> int:
    """The line that closes the block that begins in a line."""
    depth = 0
    for number in range(first, len(lines)):
        depth += lines[number].count("{") - lines[number].count("}")
        if not depth:
            return number
    raise AssertionError("DaCe's generated code has a block without an end")


def variables(head: str, declared: Sequence[str]) -> list[Variable] | None:
    """All that the body of a function may use, None if a declaration is of another form."""
    parameters = head[head.rindex("(") + 1 : head.rindex(")")].split(",")
    found = [DECLARATION.fullmatch(text) for text in (*parameters, *(line for line in declared if line.strip()))]
    return None if None in found else [Variable(*match.groups()) for match in found if match]


def declarations(body: Sequence[str]) -> list[str]:
    """The lines before the first block or call."""
    return [*takewhile(lambda line: (line.endswith(";") and "(" not in line) or not line.strip(), body)]


def is_long(lines: Sequence[str], least: int = LONG) -> bool:
    """Whether two loops have so many iterations together, as far as their numbers are known."""
    trips = sorted(int(stop) - int(start) for line in lines for _, start, stop in LOOP.findall(line))
    return len(trips) > 0 and trips[-1] * max(1, sum(trips[-2:-1])) >= least
