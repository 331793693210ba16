"""Where things happen in a Program: paths of statements, the loops around them, what they write."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from daad.ir.affine import Affine
from daad.ir.nodes import Access, Branch, Const, Index, IndexValue, Loop, Nest, Node, Op, Range

Path = tuple[int, ...]
"""Child positions from the root; below a Branch comes THEN or ORELSE, which are negative, before the position in it."""

THEN, ORELSE = -2, -1


Piece = tuple[int, str]
"""An array in a statement of the program's own body, by its position."""


INSIDE = 0
"""As the last step of a reader's path: it reads before anything of the statement has been taken back."""


@dataclass(frozen=True)
class Reader:
    """Who reads a value in the backward sweep: the adjoint of the statement at `path`, when that has been taken back.

    `restores` is what is brought back by it (None: an adjoint); `exact`: the value must be right to the last bit.
    """

    path: Path
    restores: Piece | None = None
    exact: bool = False


@dataclass(frozen=True)
class Site:
    """A node with its surroundings; `loops` are those around it, outermost first, each with the length of its path.

    `reader` reads what was there at that moment; None where that may be anybody, at any time of the backward sweep.
    `same_bits`: what is read is compared with what was computed then, so that it must not come out a bit different.
    """

    node: Node
    path: Path
    loops: tuple[tuple[int, Loop], ...]
    reader: Reader | None = None
    same_bits: bool = False

    @property
    def domain(self) -> tuple[Range, ...]:
        return self.node.domain if isinstance(self.node, Nest) else ()

    def loops_around(self, container: Path) -> tuple[Loop, ...]:
        """The loops that enclose a body on the way to this site."""
        return tuple(loop for length, loop in self.loops if length <= len(container))


def exactly(site: Site) -> Site:
    """The site for a reader that needs every bit."""
    return replace(site, reader=replace(site.reader, exact=True)) if site.reader else site


@dataclass(frozen=True)
class Write:
    """One assign's target at a site."""

    site: Site
    target: Access

    @property
    def piece(self) -> Piece:
        return self.site.path[0], self.target.array


@dataclass(frozen=True, order=True)
class Point:
    """Just before child number `child` of the body at path `container`."""

    container: Path
    child: int


def sites(body: tuple[Node, ...], path: Path = (), loops: tuple[tuple[int, Loop], ...] = ()) -> Iterator[Site]:
    """All nodes, loops and branches before what they contain."""
    for position, node in enumerate(body):
        here = (*path, position)
        yield Site(node, here, loops)
        if isinstance(node, Loop):
            yield from sites(node.body, here, (*loops, (len(here), node)))
        elif isinstance(node, Branch):
            yield from sites(node.then, (*here, THEN), loops)
            yield from sites(node.orelse, (*here, ORELSE), loops)


def writes_by_array(body: tuple[Node, ...]) -> dict[str, tuple[Write, ...]]:
    """Every write of every array, in program order."""
    found: dict[str, list[Write]] = {}
    for site in sites(body):
        if isinstance(site.node, Nest):
            for assign in site.node.assigns:
                found.setdefault(assign.target.array, []).append(Write(site, assign.target))
    return {name: tuple(writes) for name, writes in found.items()}


def within(writes: Sequence[Write], low: Path, high: Path | None = None) -> Sequence[Write]:
    """Of writes in program order those at paths from `low` up to, not including, `high`."""
    first = bisect_left(writes, low, key=_path_of)
    last = len(writes) if high is None else bisect_left(writes, high, first, key=_path_of)
    return writes[first:last]


def _path_of(write: Write) -> Path:
    return write.site.path


def behind(path: Path) -> Path:
    """The least path after all that lies at or below a node."""
    return (*path[:-1], path[-1] + 1)


def containers(path: Path) -> tuple[Point, ...]:
    """The points just before each ancestor of a site, outermost first; the last is just before the site itself."""
    return tuple(Point(path[:depth], step) for depth, step in enumerate(path) if step >= 0)


def exclusive(a: Path, b: Path) -> bool:
    """Whether the paths lie on different sides of one branch."""
    for x, y in zip(a, b, strict=False):
        if x != y:
            return x < 0 and y < 0
    return False


def common_loops(a: Site, b: Site) -> int:
    """How many loops enclose both sites."""
    shared = 0
    for (length, loop), (_, other) in zip(a.loops, b.loops, strict=False):
        if loop is not other or a.path[:length] != b.path[:length]:
            break
        shared += 1
    return shared


def loop_bounds(loop: Loop) -> tuple[Index, Index]:
    """`low <= var < high`, whatever the direction."""
    if loop.step > 0:
        return loop.start, loop.stop
    return _plus_one(loop.stop), _plus_one(loop.start)


def affine_range(loop: Loop) -> Range | None:
    """The values of a loop's variable, whatever the direction; None where they have no affine bounds."""
    low, high = loop_bounds(loop)
    return Range(loop.var, low, high) if isinstance(low, Affine) and isinstance(high, Affine) else None


def domain_bounds(domain: Iterable[Range]) -> list[Affine]:
    """Forms that are >= 0 at the points of a domain."""
    return [form for r in domain for form in r.bounds]


def bounds_on(var: str, low: Index, high: Index) -> list[Affine]:
    """Forms that are >= 0 where `low <= var < high`, as far as these are affine or the least of such."""
    value = Affine.of(var)
    above = [value - low] if isinstance(low, Affine) else []
    return [*above, *(end - 1 - value for end in least_of(high))]


def bounds_of_loop(loop: Loop) -> list[Affine]:
    """Forms that are >= 0 inside of a loop."""
    return bounds_on(loop.var, *loop_bounds(loop))


def least_of(high: Index) -> list[Affine]:
    """Affine forms that an end is not above: the least of several, as the last block of a loop has, is below each."""
    if isinstance(high, Affine):
        return [high]
    if isinstance(high, IndexValue):
        return [high.form]
    if isinstance(high, Const) and high.dtype == "int64":
        return [Affine(int(high.value))]
    if not isinstance(high, Op) or high.dtype != "int64":
        return []
    if high.name == "add" and isinstance(high.args[1], Const):
        return [end + int(high.args[1].value) for end in least_of(high.args[0])]
    return [end for arg in high.args for end in least_of(arg)] if high.name == "minimum" else []


def _plus_one(index: Index) -> Index:
    return index + 1 if isinstance(index, Affine) else Op("add", (index, Const(1, "int64")), "int64")
