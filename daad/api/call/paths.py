"""Paths through a program: readings of it for the same kinds of arguments, between which data decide.

Each path has been read with what data decided in one call (`daad.frontend.staging.speculation`), and its compiled code
compares. Where a call decides otherwise, it has written nothing for good: it goes another path that is known, or reads
one, whose first decisions are those that the compiled code has found.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from daad.errors import BadArgument, Location, Unsupported
from daad.frontend.staging.speculation import Assumptions, Decision

MOST = 64
"""Paths of one gradient for arguments of the same kinds, unless the variable DAAD_PATHS says otherwise."""
HINT = "Let the program do the same whatever the data are, such as with 'np.where', or set DAAD_PATHS to more."


@dataclass(frozen=True)
class Path:
    """What data have decided on one way through the program, in order; with `counts`, numbers of iterations, too, and
    in the lines that are `caught` whether there is an exception."""

    decisions: tuple[Decision, ...] = ()
    counts: int = 0
    caught: frozenset[Location] = frozenset()

    def __str__(self) -> str:
        return "\n".join(map(str, self.decisions)) or "data decide nothing"

    @property
    def values(self) -> tuple[int, ...]:
        return tuple(decision.value for decision in self.decisions)


class OffPath(Exception):
    """A call has left the path that was compiled, with all parameters as they were.

    The decision with this `number` was `actual` instead; where it is None, an index was outside (`error`), perhaps
    because of a decision that nobody has seen, or there was an exception for which a handler waits in the line that is
    `caught`.
    """

    def __init__(
        self,
        path: Path,
        number: int | None,
        actual: int = 0,
        error: Exception | None = None,
        caught: Location | None = None,
    ) -> None:
        super().__init__(f"decision {number} is {actual}")
        self.path, self.number, self.actual, self.error = path, number, actual, error
        self.caught = path.caught | ({caught} if caught is not None else set())

    @property
    def onwards(self) -> Assumptions:
        """The first decisions of the path that the call takes."""
        if self.number is None:
            return Assumptions((), self.path.counts, self.caught)
        other = replace(self.path.decisions[self.number], value=self.actual)
        return Assumptions((*self.path.decisions[: self.number], other), self.path.counts, self.caught)

    def leads_to(self, path: Path) -> bool:
        """Whether the path begins with these decisions, or decides whether there is an exception."""
        if self.number is None:
            return path.caught > self.path.caught and path.caught >= self.caught
        return path.decisions[: self.number + 1] == self.onwards.forced

    def require_few(self, paths: Sequence[Path]) -> None:
        """Refuses a program that takes ever new paths."""
        if len(paths) < most():
            return
        decisions = self.path.decisions or next(path.decisions for path in paths if path.decisions)
        changing = decisions[self.number or 0]
        raise Unsupported(
            f"{changing.what} keeps changing with the data: {len(paths)} paths through the program are compiled.",
            at=changing.at,
            hint=HINT,
        )


def most() -> int:
    """How many paths there may be."""
    wanted = os.environ.get("DAAD_PATHS", "")
    if not wanted:
        return MOST
    if not wanted.isdecimal() or not int(wanted):
        raise BadArgument(f"DAAD_PATHS is {wanted!r}.", hint="Give a number of paths, such as 64.")
    return int(wanted)
