"""Programs from templates: text with holes, each of which is filled by a row of a table, a known name or a new one.

A hole is `<kind>` (a row of the kind's table), `<a kind>` (a name of the kind), `<new kind>` (a fresh name, known after
its line, in the block that the line stands in or opens), `<out kind>` (one that is known after the whole template),
`<block>` (statements), `<simple>` (one that contains none) or `<jump>` (one that leaves the block); `<label=…>` gives
what fills a hole a label, and `<label>` is the same text again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain

from tests.fuzz.source import Source, fresh

Rows = Sequence[tuple[int, str]]
Tables = Mapping[str, Rows]

HOLE = re.compile(r"<(?:(\w+)=)?(?:(a|new|out) )?(\w+)>")
NEEDED = re.compile(r"<(?:\w+=)?a (\w+)>")
INDENT = "    "
IN_A_LOOP = "loop"
"""The kind of which names are known in loops only; exits from loops need one."""
CAUGHT = "try"
"""The same for blocks of which exceptions are caught."""


@cache
def needed(template: str) -> frozenset[str]:
    """The kinds of which it takes names."""
    return frozenset(NEEDED.findall(template))


@dataclass
class Filler:
    """Fills templates; `known` are names with their kinds and the depth of the block that they belong to."""

    source: Source
    tables: Tables
    left: list[int]
    parts: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    known: list[tuple[int, str, str]] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    level: int = 0
    deepest: int = 3

    def statements(self, most: int, depth: int = 0) -> list[str]:
        """Lines of at least one statement."""
        lines = list[str]()
        for _ in range(self.source.integer(1, most)):
            if self.left[0] > 0 or not lines:
                self.left[0] -= 1
                lines += self.statement(depth)
        return lines

    def statement(self, depth: int) -> list[str]:
        table = "statement" if depth < self.deepest and self.left[0] > 0 else "simple"
        return self.lines(self.row(table), depth)

    def row(self, table: str) -> str:
        """A row of which all names are there."""
        kinds = {kind for _, kind, _ in self.known}
        return self.source.weighted([row for row in self.tables[table] if needed(row[1]) <= kinds])

    def lines(self, template: str, depth: int) -> list[str]:
        labels, later = dict[str, str](), list[tuple[int, str, str]]()
        catches = "\nexcept " in template
        found = [self.line(line, depth, labels, later, catches) for line in template.splitlines()]
        self.leave(depth)
        self.known += later
        return list(chain.from_iterable(found))

    def line(
        self, text: str, depth: int, labels: dict[str, str], later: list[tuple[int, str, str]], catches: bool
    ) -> list[str]:
        """One line of a template, which is several where it stands for statements."""
        bare = text.lstrip()
        here = depth + (len(text) - len(bare)) // len(INDENT)
        self.leave(here)
        if bare == "<block>":
            return self.statements(2, here)
        if bare in ("<simple>", "<jump>"):
            return self.lines(self.row(bare.strip("<>")), here)
        new, ends = list[tuple[int, str, str]](), bare.endswith(":")
        filled = self.filled(bare, labels, new, later, (here + ends, depth))
        self.known += new
        if ends and bare.startswith(("for ", "while ")):
            self.known.append((here + 1, IN_A_LOOP, ""))
        if catches and bare == "try:":
            self.known.append((here + 1, CAUGHT, ""))
        return [INDENT * here + line for line in filled.splitlines()]

    def leave(self, depth: int) -> None:
        """Forgets what belongs to blocks that have ended."""
        self.known = [name for name in self.known if name[0] <= depth]

    def filled(
        self,
        text: str,
        labels: dict[str, str],
        new: list[tuple[int, str, str]],
        later: list[tuple[int, str, str]],
        depths: tuple[int, int],
    ) -> str:
        def one(match: re.Match[str]) -> str:
            label, way, kind = match.groups()
            if not way and kind in labels:
                return labels[kind]
            found = self.fresh(kind) if way in ("new", "out") else self.name(kind) if way else self.expression(kind)
            if way in ("new", "out"):
                (new if way == "new" else later).extend(self.with_parts(depths[way == "out"], kind, found))
            if label:
                labels[label] = found
            return found

        return HOLE.sub(one, text)

    def with_parts(self, depth: int, kind: str, name: str) -> Sequence[tuple[int, str, str]]:
        """A name, and those of its parts."""
        parts = ((depth, part, pattern.format(name)) for part, pattern in self.parts.get(kind, ()))
        return ((depth, kind, name), *parts)

    def expression(self, kind: str) -> str:
        """A row of the kind's table, a plain one where holes are nested deeply."""
        self.level += 1
        table = kind if self.level < 3 or f"plain {kind}" not in self.tables else f"plain {kind}"
        text = self.filled(self.row(table), {}, [], [], (0, 0))
        self.level -= 1
        return f"({text})"

    def name(self, kind: str) -> str:
        return self.source.choice([name for _, known, name in self.known if known == kind])

    def fresh(self, kind: str) -> str:
        """A new name of the kind's first letters."""
        return fresh(kind[:3], self.used)
