"""The user's program line by line: what became of each line, its adjoint, and what that reads from where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from daad.ccs.question import Question
from daad.errors import Location
from daad.ir.nodes import Program
from daad.pipeline import Derivation
from daad.report.adjoint_lines import AdjointLines, Origin, work_of
from daad.report.joint_arrays import Held
from daad.report.line_roles import Role, carried, needs, roles
from daad.report.source_text import Function, source_of
from daad.report.user_names import Place, UserNames, located, place_of


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of the source. `reads` are the values that its adjoint reads, by the user's names; `operations` those of
    the program and `adjoint_operations` those of its adjoint; `allocated` and `freed` are the arrays of the program
    that is compiled which take memory from here on, and until here."""

    number: int
    text: str
    role: Role = Role.NONE
    adjoint: tuple[str, ...] = ()
    reads: Mapping[Origin, tuple[str, ...]] = field(default_factory=dict)
    operations: float = 0.0
    adjoint_operations: float = 0.0
    allocated: tuple[Held, ...] = ()
    freed: tuple[Held, ...] = ()

    @property
    def nbytes(self) -> int:
        """What is allocated here."""
        return sum(held.nbytes for held in self.allocated)


@dataclass(frozen=True, kw_only=True)
class Listing:
    """The lines of a function, or of the top level of a file (whose name is "")."""

    file: str
    function: str
    lines: tuple[Line, ...]


def listings(
    program: Program, question: Question, derivation: Derivation, names: UserNames, held: tuple[Held, ...]
) -> tuple[Listing, ...]:
    """All functions that statements of the program come from, in the order in which these come."""
    facts = _Facts(program, question, derivation, names, held)
    functions: dict[tuple[str, Function], set[int]] = {}
    for at, _ in located(program.body):
        if at is not None:
            functions.setdefault((at.file, source_of(at.file).function_at(at.line)), set()).add(at.line)
    return tuple(facts.listing(file, function, frozenset(lines)) for (file, function), lines in functions.items())


def _by_place(held: Iterable[tuple[Location | None, Held]]) -> dict[Place, list[Held]]:
    found: dict[Place, list[Held]] = {}
    for at, one in held:
        if (place := place_of(at)) is not None:
            found.setdefault(place, []).append(one)
    return found


class _Facts:
    """What is known of the places of a program."""

    def __init__(
        self, program: Program, question: Question, derivation: Derivation, names: UserNames, held: tuple[Held, ...]
    ) -> None:
        self._names = names
        ccs = carried(program, question)
        self._needs = needs(program, ccs)
        self._roles = roles(program, question, ccs, self._needs)
        self._work = work_of(program.body)
        self._adjoint = AdjointLines(derivation, names)
        self._allocated, self._freed = _by_place((h.first.at, h) for h in held), _by_place((h.last.at, h) for h in held)

    def listing(self, file: str, function: Function, lines: frozenset[int]) -> Listing:
        told = source_of(file).told(function, lines)
        return Listing(file=file, function=function.name, lines=tuple(self._line(file, n, text) for n, text in told))

    def _line(self, file: str, number: int, text: str) -> Line:
        place = file, number
        return Line(
            number=number,
            text=text,
            role=self._roles.get(place, Role.NONE),
            adjoint=tuple(self._adjoint.texts.get(place, ())),
            reads=self._reads(place),
            operations=self._work.get(place, 0.0),
            adjoint_operations=self._adjoint.work.get(place, 0.0),
            allocated=tuple(self._allocated.get(place, ())),
            freed=tuple(self._freed.get(place, ())),
        )

    def _reads(self, place: Place) -> Mapping[Origin, tuple[str, ...]]:
        """What no statement of the adjoint reads, though the derivative is made from it, is computed again in one."""
        found: dict[Origin, dict[str, None]] = {origin: {} for origin in Origin}
        for name, origin in self._adjoint.reads.get(place, {}):
            found[origin][self._names.of(name)] = None
        seen = {name for each in found.values() for name in each} | self._adjoint.users
        for name in self._needs.get(place, ()):
            if self._names.of(name) not in seen:
                found[Origin.RECOMPUTED][self._names.of(name)] = None
        return {origin: tuple(each) for origin, each in found.items() if each}
