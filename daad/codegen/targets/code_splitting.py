"""Large programs as several functions in several files: for a function of twice the size a compiler takes more than
twice as long, and files it reads at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from daad.codegen.targets.code_tree import Control, Function, Known, Node, part, size_of

FEWEST = 24  # states of a function of which long ones become functions
LONG = 64  # iterations of a state beside which a call is nothing
LEAST = 110  # lines of functions that are worth a second compiler
EACH = 150  # lines for each of more
MOST = 4
BULK = 0.75  # of all lines; where one file has more, a second compiler brings nothing
MOST_LINES = 300  # of a function of several statements: compilers take more than twice as long for twice as many
SMALL = 9  # lines of statements that are not worth a function
LONG_IN_LOOPS = 512  # iterations beside which a call takes no time, with what compilers cannot move out of it


def outlined(functions: Sequence[Function]) -> list[Function]:
    """The functions, and before each those that its long states have become, if it has many."""
    return [f for function in functions for f in _outlined(function)]


def _outlined(function: Function) -> list[Function]:
    if _states(function.body) < FEWEST:
        return [function]
    found: list[Function] = []

    def inside(body: tuple[Node, ...], known: Known) -> Iterator[Node]:
        for node in body:
            if isinstance(node, Control):
                within = node.known_inside(known)
                yield replace(node, bodies=tuple(tuple(inside(b, within)) for b in node.bodies))
            elif node.is_state and is_long([node], LONG):
                made, call = part(f"__state_{len(found)}_of_{function.name.strip('_')}", [node], known)
                found.append(made)
                yield call
            else:
                yield node

    rest = tuple(inside(function.body, function.known))
    return [*found, replace(function, body=rest)]


def _states(body: Sequence[Node]) -> int:
    return sum(sum(map(_states, n.bodies)) if isinstance(n, Control) else n.is_state for n in body)


def is_long(body: Sequence[Node], least: int) -> bool:
    """Whether two loops have so many iterations together, as far as their numbers are known."""
    trips = sorted(count for node in body for count in node.trips)
    return len(trips) > 0 and trips[-1] * max(1, sum(trips[-2:-1])) >= least


def divided(functions: Sequence[Function]) -> list[list[Function]]:
    """The functions in files of about the same length; the last one, which calls the others, in the first file.

    In loops, where functions are called many times, they are only made of programs that a compiler takes long for.
    """
    total = sum(f.size for f in functions)
    if total < LEAST:
        return [[*functions]]
    count = max(2, min(MOST, total // EACH))
    files = _balanced([p for f in functions for p in _parts(f, total, count)], count)
    if max(map(_size, files)) > BULK * total:
        return [[*functions]]
    return files


def _parts(function: Function, total: int, count: int) -> list[Function]:
    """A function, after those that statements of it have become."""
    few = min(MOST_LINES, total // (2 * count))
    if function.size <= few:
        return [function]
    parts = _Parts(function, total // count, few, count == MOST)
    rest = tuple(parts.rest(function.body, function.known))
    return [*parts.found, replace(function, body=rest)]


@dataclass
class _Parts:
    """Functions that statements become, in the order of the text.

    A statement of more than `most` lines stays, or is looked into; neighbours of up to `few` lines become one function.
    """

    function: Function
    most: int
    few: int
    looks_into_loops: bool
    found: list[Function] = field(default_factory=list)

    def rest(self, body: Sequence[Node], known: Known, is_repeated: bool = False) -> Iterator[Node]:
        """The body with calls in the place of statements; `is_repeated`: a loop is around them."""
        group: list[Node] = []
        for node in body:
            stays = node.size > self.most
            if stays or size_of(group) + node.size > self.few:
                yield from self._moved(group, known, is_repeated)
                group = []
            if not stays:
                group.append(node)
            elif self.looks_into_loops and isinstance(node, Control):
                again, within = is_repeated or bool(node.variable), node.known_inside(known)
                yield replace(node, bodies=tuple(tuple(self.rest(b, within, again)) for b in node.bodies))
            else:
                yield node
        yield from self._moved(group, known, is_repeated)

    def _moved(self, group: Sequence[Node], known: Known, is_repeated: bool) -> Iterator[Node]:
        if size_of(group) < SMALL or (is_repeated and not is_long(group, LONG_IN_LOOPS)):
            yield from group
            return
        name = f"__part_{len(self.found)}_of_{self.function.name.strip('_')}"
        made, call = part(name, group, known)
        self.found.append(made)
        yield call


def _balanced(functions: Sequence[Function], count: int) -> list[list[Function]]:
    """The longest first, each to where least is so far."""
    files: list[list[Function]] = [[functions[-1]], *([] for _ in range(count - 1))]
    for function in sorted(functions[:-1], key=lambda f: -f.size):
        min(files, key=_size).append(function)
    return files


def _size(functions: Sequence[Function]) -> int:
    return sum(f.size for f in functions)
