"""Generated C++ as a tree: statements with the names that they use, in loops and branches, in functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

Names = frozenset[str]
NONE: Names = frozenset()


@dataclass(frozen=True)
class Variable:
    """What a function may use: its type, and how it gets its value, if it is no parameter."""

    kind: str
    name: str
    start: str = ""

    @property
    def is_pointer(self) -> bool:
        """Whether it points to an array."""
        return self.kind.endswith("*") or self.kind.endswith("__restrict__")


Known = Mapping[str, Variable]


@dataclass(frozen=True)
class Piece:
    """Statements that declare nothing for others.

    `reads` and `writes`: variables from around it. `needs`: environments, by DaCe's names. `trips`: iterations of its
    loops, as far as they are known.
    """

    lines: tuple[str, ...]
    reads: Names
    writes: Names = NONE
    needs: Names = NONE
    trips: tuple[int, ...] = ()
    is_state: bool = True

    @property
    def size(self) -> int:
        """Lines."""
        return len(self.lines)


@dataclass(frozen=True)
class Control:
    """A loop, which declares its `variable`, or a branch: after each line of `heads` comes a body."""

    heads: tuple[str, ...]
    bodies: tuple[tuple[Node, ...], ...]
    tests: Names
    variable: str = ""

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The text."""
        inside = (line for head, body in zip(self.heads, self.bodies, strict=True) for line in (head, *lines_of(body)))
        return (*inside, "}")

    @cached_property
    def size(self) -> int:
        """Lines."""
        return len(self.heads) + 1 + sum(map(size_of, self.bodies))

    @cached_property
    def reads(self) -> Names:
        """As of a piece; those of its bodies, too."""
        return self.tests.union(*(n.reads for n in self._inside)) - {self.variable}

    @cached_property
    def writes(self) -> Names:
        """As of a piece."""
        return NONE.union(*(n.writes for n in self._inside))

    @cached_property
    def needs(self) -> Names:
        """As of a piece."""
        return NONE.union(*(n.needs for n in self._inside))

    @cached_property
    def trips(self) -> tuple[int, ...]:
        """As of a piece."""
        return tuple(chain.from_iterable(n.trips for n in self._inside))

    def known_inside(self, known: Known) -> Known:
        """What bodies may use."""
        return {**known, self.variable: Variable("int64_t", self.variable)} if self.variable else known

    @property
    def _inside(self) -> Iterator[Node]:
        return chain.from_iterable(self.bodies)


Node = Piece | Control


def lines_of(body: Iterable[Node]) -> Iterator[str]:
    """The text of a body."""
    return chain.from_iterable(node.lines for node in body)


def size_of(body: Iterable[Node]) -> int:
    """The lines of a body."""
    return sum(node.size for node in body)


@dataclass(frozen=True)
class Function:
    """A function that does work; `shared`: parameters that are references, of which the body has copies."""

    name: str
    parameters: tuple[Variable, ...]
    body: tuple[Node, ...]
    declared: tuple[Variable, ...] = ()
    shared: tuple[Variable, ...] = field(default=())

    @cached_property
    def known(self) -> Known:
        """What the body may use."""
        return {v.name: v for v in (*self.parameters, *self.shared, *self.declared)}

    @property
    def head(self) -> str:
        """As in a declaration, without attributes."""
        taken = [f"{v.kind} {v.name}" for v in self.parameters] + [f"{v.kind}& {v.name}__shared" for v in self.shared]
        return f"void {self.name}({', '.join(taken)})"

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The text behind the head."""
        used = self.reads | self.writes
        copies = [f"{v.kind} {v.name} = {v.name}__shared;" for v in self.shared]
        own = [f"{v.kind} {v.name} = {v.start};" for v in self.declared if v.name in used]
        back = [f"{v.name}__shared = {v.name};" for v in self.shared]
        return ("{", *copies, *own, *lines_of(self.body), *back, "}")

    @cached_property
    def reads(self) -> Names:
        """Names in the body."""
        return NONE.union(*(node.reads for node in self.body))

    @cached_property
    def writes(self) -> Names:
        """Names in the body that get values."""
        return NONE.union(*(node.writes for node in self.body))

    @cached_property
    def needs(self) -> Names:
        """Environments of the body."""
        return NONE.union(*(node.needs for node in self.body))

    @property
    def size(self) -> int:
        """Lines."""
        return len(self.lines) + 1


def part(name: str, body: Sequence[Node], known: Known) -> tuple[Function, Piece]:
    """Statements as a function, and the call in their place."""
    reads, writes = (NONE.union(*names) for names in ([n.reads for n in body], [n.writes for n in body]))
    used = [v for v in known.values() if v.name in reads | writes]
    return made_of(name, body, used), call(name, used, reads, writes)


def made_of(name: str, body: Sequence[Node], used: Sequence[Variable]) -> Function:
    """A function of statements, which use these variables; what they write has a copy there, which compilers keep in a
    register."""
    given, shared = _given(used, NONE.union(*(n.writes for n in body)))
    return Function(name, given, tuple(body), shared=shared)


def call(name: str, used: Sequence[Variable], reads: Names, writes: Names) -> Piece:
    """A call of such a function, with variables of these types."""
    given, shared = _given(used, writes)
    before = (f"{v.kind} {v.name}__shared = {v.name};" for v in shared)
    after = (f"{v.name} = {v.name}__shared;" for v in shared)
    arguments = ", ".join([*(v.name for v in given), *(f"{v.name}__shared" for v in shared)])
    text = " ".join((*before, f"{name}({arguments});", *after))
    return Piece((f"{{ {text} }}" if shared else text,), reads, writes, is_state=False)


def _given(used: Sequence[Variable], writes: Names) -> tuple[tuple[Variable, ...], tuple[Variable, ...]]:
    """What a function takes as it is, and scalars that it gives values to."""
    bare = [Variable(v.kind, v.name) for v in used]
    given = tuple(v for v in bare if v.name not in writes or v.is_pointer)
    return given, tuple(v for v in bare if v not in given)
