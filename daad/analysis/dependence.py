"""Can a write touch the element that a read has seen, later or in between? Answered by affine constraints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from daad.analysis.alias import coincide, elsewhere, later, there
from daad.analysis.sites import (
    Path,
    Point,
    Site,
    Write,
    behind,
    bounds_of_loop,
    common_loops,
    domain_bounds,
    exclusive,
    within,
)
from daad.ir.affine import Affine
from daad.ir.nodes import Load, Loop


@dataclass(frozen=True)
class Need:
    """The value of `load` as the statement at `site` reads it, or (`after`) as it leaves it."""

    site: Site
    load: Load
    after: bool = False


def overwritten_later(need: Need, writes: Sequence[Write], first: int = 0) -> bool:
    """Whether some write may touch the element after the need's moment, in the same iteration of the `first` loops.

    Here and below, `writes` are in program order: those that cannot come in between are not looked at.
    """
    found = within(writes, _outermost(need, first))
    return any(may_meet(need, w, first=first, is_later=True) for w in found)


def overwritten_since(need: Need, point: Point, writes: Sequence[Write]) -> bool:
    """Whether some write may touch the element between `point` (an ancestor's body) and the need's moment."""
    depth = len(need.site.loops_around(point.container))
    found = within(writes, (*point.container, point.child), behind(_outermost(need, depth)))
    return any(may_meet(need, w, first=depth, is_later=False) for w in reversed(found))


def overwritten_until(need: Need, point: Point, writes: Sequence[Write]) -> bool:
    """Whether some write may touch the element between the need's moment and `point`, behind it in the same body."""
    depth = len(need.site.loops_around(point.container))
    found = within(writes, _outermost(need, depth), (*point.container, point.child))
    return any(may_meet(need, w, first=depth, is_later=True) for w in found)


def touched_last(need: Need, point: Point, writes: Sequence[Write]) -> int | None:
    """The last statement before `point`, an ancestor's body, that may write the element in the same iteration of the
    loops around."""
    container = point.container
    for write in reversed(within(writes, (*container, 0), (*container, point.child))):
        if touches_at_once(need, write, container):
            return write.site.path[len(container)]
    return None


def touches_at_once(need: Need, write: Write, container: Path) -> bool:
    """Whether the write may touch the element in the same iteration of the loops around a body that has both."""
    depth = len(need.site.loops_around(container))
    return _same_element(need, write, [_equal(loop) for loop in _shared(need, write)[:depth]], [])


def _outermost(need: Need, depth: int) -> Path:
    """The path of the outermost loop around the need inside of `depth` others, of the need itself where there is none.

    What is in it may come before the need and after it.
    """
    loops = need.site.loops
    return need.site.path[: loops[depth][0]] if len(loops) > depth else need.site.path


def meet_in_later_iteration(one: Write, other: Write) -> bool:
    """Whether the other write may touch an element of the one in a later iteration of the outermost loop of both."""
    need = Need(one.site, Load(one.target.array, one.target.index, ""))
    equal, unequal = next(_orders(need, other, first=0, is_later=True))
    return _same_element(need, other, equal, unequal)


def _shared(need: Need, write: Write) -> tuple[Loop, ...]:
    return tuple(loop for _, loop in need.site.loops[: common_loops(need.site, write.site)])


def may_meet(need: Need, write: Write, first: int, is_later: bool) -> bool:
    """Any order of iterations with the first loops equal in which the write comes later (or earlier) than the need."""
    return any(_same_element(need, write, equal, unequal) for equal, unequal in _orders(need, write, first, is_later))


def _orders(need: Need, write: Write, first: int, is_later: bool) -> Iterator[tuple[list[Affine], list[Affine]]]:
    shared = _shared(need, write)
    for depth in range(first, len(shared)):
        loop = shared[depth]
        step = loop.step if is_later else -loop.step
        yield [_equal(outer) for outer in shared[:depth]], [later(loop.var, step)]
    if _textually(need, write, is_later):
        yield [_equal(loop) for loop in shared], []


def _textually(need: Need, write: Write, is_later: bool) -> bool:
    own, other = need.site.path, write.site.path
    if own == other:
        return need.after != is_later
    return not exclusive(own, other) and (other > own) == is_later


def _equal(loop: Loop) -> Affine:
    return there(loop.var) - Affine.of(loop.var)


def _same_element(need: Need, write: Write, equal: list[Affine], unequal: list[Affine]) -> bool:
    other = elsewhere([*(loop.var for _, loop in write.site.loops), *(r.var for r in write.site.domain)])
    bounds = site_bounds(need.site) + [form.substitute(other) for form in site_bounds(write.site)]
    return coincide(need.load.index, write.target.index, bounds + unequal, other, equal)


def site_bounds(site: Site) -> list[Affine]:
    """What is >= 0 at every execution of the site: its loops' and its domain's bounds, as far as they are affine."""
    return [*outer_bounds(site), *domain_bounds(site.domain)]


def outer_bounds(site: Site) -> list[Affine]:
    """The same of the loops around alone."""
    return [form for _, loop in site.loops for form in bounds_of_loop(loop)]
