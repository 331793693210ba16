"""Large programs as several functions: for a function of twice the size a compiler takes more than twice as long.

Works on the C++ that DaCe generates, where each state is a block of its own in the function of the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

FEWEST = 24  # blocks of a function that is worth splitting
LONG = 64  # iterations of a block beside which a call is nothing
LOOP = re.compile(r"for \(int(?:64_t)? (\w+) = (-?\d+); \1 < (-?\d+); ")
DECLARATION = re.compile(r"\s*(\w+(?: ?\*)?(?: __restrict__)?)\s*\b(\w+);?")


@dataclass(frozen=True)
class Variable:
    """A parameter, or what a function declares before its first block."""

    kind: str
    name: str

    def parameter(self, text: str) -> str:
        """Of a function with this text: shared if it is written or pointed to there, otherwise a value that stays."""
        is_shared = re.search(rf"&{self.name}\b|\b{self.name} [-+*/|&]?= ", text)
        return f"{self.kind}& {self.name}" if is_shared and "*" not in self.kind else f"{self.kind} const {self.name}"


def outlined(text: str, function: str) -> str:
    """The text with the long blocks of a function as functions; the line of its definition begins as `function`."""
    lines = text.split("\n")
    start = next(n for n, line in enumerate(lines) if line.startswith(function))
    blocks = list(_blocks(lines, start + 2, lines.index("}", start)))
    if len(blocks) < FEWEST:
        return text
    known = _variables(lines[start], lines[start + 2 : blocks[0].start])
    if known is None:
        return text
    functions: list[str] = []
    kept, position = lines[:start], start
    for block in blocks:
        inside = lines[block.start : block.stop]
        if not _is_long(inside):
            continue
        name, body = f"__daad_part_{block.start}", "\n".join(inside)
        used = [v for v in known if re.search(rf"\b{v.name}\b", body)]
        parameters = ", ".join(v.parameter(body) for v in used)
        functions += [f"__attribute__((noinline)) static void {name}({parameters})", *inside]
        kept += [*lines[position : block.start], f"{name}({', '.join(v.name for v in used)});"]
        position = block.stop
    return "\n".join([*kept[:start], *functions, *kept[start:], *lines[position:]])


def _blocks(lines: Sequence[str], start: int, end: int) -> Iterator[range]:
    """The lines of blocks that belong to no loop or branch and lie in no other."""
    while start < end:
        stop = _closing(lines, start) + 1 if lines[start].strip() == "{" else start + 1
        if stop > start + 1:
            yield range(start, stop)
        start = stop


def _closing(lines: Sequence[str], first: int) -> int:
    """The line that closes the block that begins in a line."""
    depth = 0
    for number in range(first, len(lines)):
        depth += lines[number].count("{") - lines[number].count("}")
        if not depth:
            return number
    raise AssertionError("DaCe's generated code has a block without an end")


def _variables(head: str, body: Sequence[str]) -> list[Variable] | None:
    """All that blocks may use, None if a declaration is of another form."""
    parameters = head[head.rindex("(") + 1 : head.rindex(")")].split(",")
    declared = takewhile(lambda line: line.endswith(";") or not line.strip(), body)
    declarations = [*parameters, *(line for line in declared if line.strip())]
    found = [DECLARATION.fullmatch(text) for text in declarations]
    return None if None in found else [Variable(*match.groups()) for match in found if match]


def _is_long(lines: Sequence[str]) -> bool:
    """Whether two loops have many iterations together, as far as their numbers are known."""
    trips = sorted(int(stop) - int(start) for line in lines for _, start, stop in LOOP.findall(line))
    return len(trips) > 0 and trips[-1] * max(1, sum(trips[-2:-1])) >= LONG
