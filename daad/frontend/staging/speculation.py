"""What data decide about the program itself (a key, a size, a side), taken to be what it is in this call.

The reader knows the arguments of the call, and runs the program that it has read so far to see what comes of them. It
goes on with that number as a constant, and leaves a *guard*, which compares the number with what a call computes: where
a guard fails, the call is another path through the program, which is read (see `daad.api.call.paths`).

Speculation with guards is how just-in-time compilers treat what is not known before a run (Hölzle, Chambers and Ungar,
Debugging optimized code with dynamic deoptimization, 1992).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from daad.errors import IndexOutside, Location
from daad.frontend.staging.values import ZERO, ArrayValue, View, cast, expr_of
from daad.ir.affine import Affine
from daad.ir.interpreter import Evaluation, TooLong, blank, run_at_most
from daad.ir.nodes import Const, Expr, Index, Node, Op

if TYPE_CHECKING:
    from daad.frontend.staging.builder import Stage

EFFORT = 400_000_000
"""Points that are computed to find what data decide."""
SELECTED = "The number of elements that a mask selects"


class Reread(Exception):
    """The program is read again, for something of it is speculated on now: how many places the masks of some line
    select, or the side of a branch."""


@dataclass(frozen=True)
class Decision:
    """What data have decided, in words, where, and how."""

    what: str
    at: Location | None
    value: int

    def __str__(self) -> str:
        return f"{self.at}: {self.what} is {self.value}"


@dataclass(frozen=True)
class Assumptions:
    """What is assumed before a program is read: that the first decisions are the `forced` ones, whatever the data are.

    With `counts`, numbers of iterations are decided, too, although loops could be read without: of loops that stand in
    no other one, and from `DEEPLY` on of those that do, for which the ones around are written out. In the lines that
    are `caught`, so is whether something raises an exception, for which a handler of the program waits."""

    forced: tuple[Decision, ...] = ()
    counts: int = 0
    caught: frozenset[Location] = frozenset()

    def following(self, decisions: tuple[Decision, ...], what: str, at: Location | None) -> int | None:
        """The value that is forced upon the decision after these; None where another one was expected."""
        one = self.forced[len(decisions)] if len(decisions) < len(self.forced) else None
        if one is None or (one.what, one.at) != (what, at) or self.forced[: len(decisions)] != decisions:
            return None
        return one.value


DEEPLY = 2
NOTHING = Assumptions()


@dataclass
class Speculation:
    """What is speculated on while a program is read, again and again.

    `counted`: where masks become lists of places.
    `has_lists`: lists of which data decide the length are followed, too, as they are looked at. `is_wanted`: without
    speculation, something was refused that it might serve. Of one reading: `given`, the arguments
    of the call by the names of parameters; `failed` and `actual`, where the number of the guard stands that has failed
    first, and what it has seen.
    """

    is_on: bool = False
    has_lists: bool = False
    assumptions: Assumptions = NOTHING
    counted: set[Location | None] = field(default_factory=set)
    is_wanted: bool = False
    given: Mapping[str, Any] = field(default_factory=dict)
    failed: View | None = None
    actual: View | None = None
    _arrays: dict[str, np.ndarray] = field(default_factory=dict)
    _done: list[Node] = field(default_factory=list)
    _effort: int = EFFORT

    def begin(self, given: Mapping[str, Any]) -> None:
        """The program is read from its beginning; `given` gets the arguments as they are read."""
        self.given, self.failed, self.actual = given, None, None
        self._arrays, self._done, self._effort = {}, [], EFFORT

    def asked(self) -> bool:
        """Whether it is speculated; if not, it was wanted."""
        self.is_wanted = self.is_wanted or not self.is_on
        return self.is_on

    def value(self, stage: Stage, expr: Expr) -> Any:
        """What an expression is after all that has been read so far."""
        self._follow(stage)
        with np.errstate(all="ignore"):
            return Evaluation(self._all_arrays(stage), self._integers(stage)).value(expr)

    def array(self, stage: Stage, place: View) -> np.ndarray:
        """What an array of the Program holds after all that has been read so far."""
        self._follow(stage)
        return self._all_arrays(stage)[place.base]

    def _all_arrays(self, stage: Stage) -> dict[str, np.ndarray]:
        return {**self._arrays, **stage.constants, **stage.drawn.arrays}

    def _integers(self, stage: Stage) -> dict[str, Any]:
        return {name: int(self.given[name]) for name in stage.integers}

    def _follow(self, stage: Stage) -> None:
        """Runs what has been read since the last time; from the beginning, if some of that has been read anew."""
        nodes = stage.blocks[0].nodes
        stage.drawn.follow()
        if len(self._done) > len(nodes) or (self._done and nodes[len(self._done) - 1] is not self._done[-1]):
            self._done, self._arrays = [], {}
        for name, array in stage.arrays.items():
            if name in self._arrays or name in stage.constants or name in stage.drawn.arrays:
                continue
            if name in self.given:
                self._arrays[name] = np.array(self.given[name], array.dtype, order="C").reshape(array.shape)
            else:
                self._arrays[name] = blank(array.shape, array.dtype)
        later = tuple(nodes[len(self._done) :])
        arrays = self._all_arrays(stage)
        try:
            self._effort -= run_at_most(self._effort, later, arrays, self._integers(stage))
        except IndexOutside as found:
            if found.loop is not None:
                raise
            stage.at = found.at or stage.at
            stage.refuse(
                f"Index {found.index} is out of bounds for an axis of size {found.extent}.", "Check the arguments."
            )
        except TooLong:
            stage.refuse(
                "What data decide here takes too long to find out before the program is compiled.",
                "Compute it outside of the program, and pass it as an int.",
            )
        self._done += later


def assumed(stage: Stage, value: ArrayValue, what: str) -> int | None:
    """What an integer or a truth value that data decide is in this call; None where nothing is speculated.

    A loop around is written out iteration by iteration, a branch around read on the side that is taken; what is there
    for a derivative only is computed before it, too, as far as it decides.
    """
    if value.dtype.kind not in "iub" or not stage.speculation.asked():
        return None
    if stage.loop_variables:
        raise stage.unroll(Affine.of(stage.loop_variables[0]), f"{what} changes from iteration to iteration.")
    with _outermost(stage, what):
        place = stage.copy(stage.lazy((), value.dtype, lambda _: value.element((ZERO,) * value.ndim)), "decided")
        number = len(stage.decisions)
        found = stage.speculation.assumptions.following(stage.decisions, what, stage.at)
        if found is None:
            found = int(stage.speculation.value(stage, place.element(())))
        stage.decisions = (*stage.decisions, Decision(what, stage.at, found))
        _guard(stage, place.element(()), found, -number - 1)
    return found


@contextmanager
def _outermost(stage: Stage, what: str) -> Iterator[None]:
    """Outside of all blocks; refused in one on which something but derivatives depends."""
    if len(stage.blocks) == 1:
        yield
        return
    outer, inner = stage.blocks[0], stage.blocks[-1]
    older = inner.older
    if older is None or len(stage.blocks) > 2 or any(node.written & older for node in inner.nodes):
        stage.refuse(f"{what} depends on data.", "Take it out of the branch.")
    there = set(map(id, outer.nodes))
    outer.nodes += [node for node in inner.nodes if id(node) not in there]
    stage.blocks = [outer]
    try:
        yield
    finally:
        stage.blocks = [outer, inner]


def decided(stage: Stage, condition: Expr) -> bool:
    """The side of a branch that this call takes."""
    found = assumed(stage, stage.lazy((), bool, lambda _: condition), "The side of a branch")
    assert found is not None, "a branch is decided where that is speculated on"
    return bool(found)


def assumed_bound(stage: Stage, bound: Index) -> Index:
    """A bound of a loop, as the number that data give it in this call, if that is speculated on."""
    if isinstance(bound, Affine):
        return bound
    number = assumed(stage, stage.lazy((), np.int64, lambda _: bound), "The bound of a loop")
    return bound if number is None else Affine(number)


def counted_bound(stage: Stage, bound: Index) -> Index:
    """The same, where numbers of iterations are to be decided, and all is read once or may be written out."""
    counts = stage.speculation.assumptions.counts if stage.speculation.is_on else 0
    return assumed_bound(stage, bound) if counts >= DEEPLY or (counts and len(stage.blocks) == 1) else bound


def _guard(stage: Stage, expr: Expr, wanted: int, number: int) -> None:
    """Notes the number and what is there where that is something else, and nothing has failed before."""
    failed, actual = stage.speculation.failed, stage.speculation.actual
    assert failed is not None, "there is a place for what guards find"
    assert actual is not None, "and for what is there instead"
    literal = Const(np.dtype(expr.dtype).type(wanted).item(), expr.dtype)
    is_first = Op("equal", (failed.element(()), Const(0, "int64")), "bool")
    fails = Op("logical_and", (is_first, Op("not_equal", (expr, literal), "bool")), "bool")
    for place, noted in ((actual, cast(expr, "int64")), (failed, Const(number, "int64"))):
        chosen = Op("where", (fails, noted, place.element(())), "int64")
        stage.store(place, stage.lazy((), np.int64, lambda _, chosen=chosen: chosen))  # type: ignore[misc]


def list_places(stage: Stage, mask: ArrayValue) -> tuple[View, ...] | None:
    """Where a mask is True: places along each axis, as many as in this call; None where nothing is speculated."""
    if not stage.speculation.asked():
        return None
    mask = stage.place(mask, "mask")
    count = stage.allocate((), np.int64, "count")
    stage.store(count, 0)
    stage.nest(mask.shape, lambda point: [(count, (), "+=", cast(mask.element(point), "int64"))])
    size = assumed(stage, count, SELECTED)
    assert size is not None, "it is speculated"
    found = [stage.allocate((Affine(size + 1),), np.int64, "place") for _ in mask.shape]
    stage.store(count, 0)
    _collect(stage, mask, (), count, found, size)
    return tuple(stage.view(place.base, (Affine(size),), place.index) for place in found)


def _collect(
    stage: Stage, mask: ArrayValue, point: tuple[Affine, ...], count: View, found: Sequence[View], size: int
) -> None:
    """Each point is written where the next one that counts belongs; behind the last there is room for one more."""
    if len(point) < mask.ndim:
        with stage.loop("i", ZERO, Affine(stage.known(mask.shape[len(point)]))) as position:
            _collect(stage, mask, (*point, position), count, found, size)
        return
    at = Op("minimum", (count.element(()), Const(size, "int64")), "int64")
    stage.nest((), lambda _: [(place, (at,), "=", expr_of(i)) for place, i in zip(found, point, strict=True)])
    stage.nest((), lambda _: [(count, (), "+=", cast(mask.element(point), "int64"))])
