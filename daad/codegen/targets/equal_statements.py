"""Statements that are equal but for the variables become one function: a compiler reads it once, and programs repeat
themselves (layers, stages, products of complex numbers, calls that were written out)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from daad.codegen.targets.code_splitting import LONG_IN_LOOPS, SMALL, is_long
from daad.codegen.targets.code_tree import Control, Function, Known, Node, Piece, Variable, call, made_of

FEWEST = 64  # statements of a program that is worth a look
WORD = re.compile(r"[A-Za-z_]\w*")
CONNECTOR = re.compile(r"(\w+?)(__\w+)")
COUNTED = re.compile(r"\bfor \(int(?:64_t)? (\w+) =")


@dataclass(frozen=True)
class Form:
    """The text of a statement with numbers in the place of variables, and what each of these is: its type, and whether
    it gets a value."""

    text: str
    kinds: tuple[tuple[str, bool], ...]


def shared(functions: Sequence[Function]) -> list[Function]:
    """The functions, after those that statements have become which they repeat."""
    pieces = [piece for f in functions for piece in _pieces(f.body, f.known)]
    if len(pieces) < FEWEST:
        return [*functions]
    found = {id(piece): form for piece, known in pieces if (form := _form(piece, known))}
    counts = Counter(form for form, _ in found.values())
    repeated = _Repeated({piece: form for piece, form in found.items() if counts[form[0]] > 1})
    rest = [replace(f, body=tuple(repeated.rest(f.body))) for f in functions]
    return [*repeated.made.values(), *rest]


@dataclass
class _Repeated:
    """Functions that are made of statements, told by their ids, with the first of each form as its body."""

    forms: Mapping[int, tuple[Form, tuple[Variable, ...]]]
    made: dict[Form, Function] = field(default_factory=dict)

    def rest(self, body: Sequence[Node]) -> Iterator[Node]:
        """The body with calls in the place of statements."""
        for node in body:
            if isinstance(node, Control):
                yield replace(node, bodies=tuple(tuple(self.rest(side)) for side in node.bodies))
            else:
                yield self._called(node) if id(node) in self.forms else node

    def _called(self, piece: Piece) -> Piece:
        form, used = self.forms[id(piece)]
        if form not in self.made:
            self.made[form] = made_of(f"__repeated_{len(self.made)}", [piece], used)
        return call(self.made[form].name, used, piece.reads, piece.writes)


def _pieces(body: Sequence[Node], known: Known, is_repeated: bool = False) -> Iterator[tuple[Piece, Known]]:
    """The statements that may become functions: loops of several lines, long ones where they run several times."""
    for node in body:
        if isinstance(node, Control):
            within, again = node.known_inside(known), is_repeated or bool(node.variable)
            yield from (found for side in node.bodies for found in _pieces(side, within, again))
        elif _is_worth(node, is_repeated):
            yield node, known


def _is_worth(piece: Piece, is_repeated: bool) -> bool:
    is_loop = piece.is_state and bool(piece.trips) and piece.size >= SMALL
    return is_loop and (not is_repeated or is_long([piece], LONG_IN_LOOPS))


def _form(piece: Piece, known: Known) -> tuple[Form, tuple[Variable, ...]] | None:
    """The form, and the variables in the order of their numbers."""
    used = {name: known[name] for name in piece.reads | piece.writes if name in known}
    text = "\n".join(piece.lines)
    counters = {name: f"${number}i" for number, name in enumerate(dict.fromkeys(COUNTED.findall(text)))}
    if counters.keys() & used.keys():
        return None
    numbers: dict[str, str] = {}

    def numbered(found: re.Match[str]) -> str:
        word, behind = found.group(), ""
        if word not in used and (connector := CONNECTOR.fullmatch(word)):
            word, behind = connector.groups()
        if word in used:
            return numbers.setdefault(word, f"${len(numbers)}") + behind
        return counters.get(found.group(), found.group())

    text = WORD.sub(numbered, text)
    variables = tuple(used[name] for name in numbers)
    return Form(text, tuple((v.kind, v.name in piece.writes) for v in variables)), variables
