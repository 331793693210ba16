"""What is kept of an array, once: windows of it kept one after the other, and what a copy of it holds anyway."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from daad.analysis.dependence import Need, overwritten_since, overwritten_until, touches_at_once
from daad.analysis.reaching_definitions import covering
from daad.analysis.sites import Path, Point, Write, within
from daad.ccs.forwarded import Forwarded
from daad.ccs.region import region
from daad.ir.affine import Affine
from daad.ir.indices.index_maps import shifted
from daad.ir.nodes import Array, Branch, Expr, Load, Nest, Node
from daad.ir.walk import map_expr, map_node
from daad.loops.replay import Replayed

Shift = tuple[int, ...]


@dataclass(frozen=True)
class Served:
    """The version that serves what another one was for: its element `x + shift` is element `x` of that."""

    version: Forwarded
    shift: Shift

    def load(self, load: Load) -> Load:
        return Load(self.version.name, shifted(load.index, self.shift), load.dtype)


def together(
    forwarded: Iterable[Forwarded], writes: Mapping[str, tuple[Write, ...]], arrays: Mapping[str, Array]
) -> dict[str, Served]:
    """What serves each version, by its name: fewer versions, where these take no more than those."""
    found: dict[str, Served] = {}
    groups: dict[tuple[str, Path], list[Forwarded]] = {}
    for version in sorted(forwarded, key=lambda f: f.point, reverse=True):
        found[version.name] = Served(version, (0,) * len(arrays[version.array].shape))
        groups.setdefault((version.array, version.point.container), []).append(version)
    for (name, _), versions in groups.items():
        for last, joined in _joined(versions, writes.get(name, ()), arrays[name]):
            found.update({one: Served(last, found[one].shift) for one in joined})
    return _through_copies(found, writes, arrays)


def _through_copies(
    found: Mapping[str, Served], writes: Mapping[str, tuple[Write, ...]], arrays: Mapping[str, Array]
) -> dict[str, Served]:
    """The same, where copies of other arrays serve what they hold anyway."""
    copies = _copies(writes)
    kept = {version.name: version for version in versions_of(found)}
    serving: dict[str, Served] = {}
    for version in list(kept.values()):
        targets = copies.get(version.array, {})
        others = [other for other in kept.values() if other.array in targets] if targets else []
        copy = _copy(kept[version.name], others, targets, writes, arrays)
        if copy is not None:
            serving[version.name] = copy
            del kept[version.name]
            kept[copy.version.name] = copy.version
    return {name: _final(one, serving, kept) for name, one in found.items()}


def _final(served: Served, serving: Mapping[str, Served], kept: Mapping[str, Forwarded]) -> Served:
    """What serves in the end, through copies of copies."""
    name, shift = served.version.name, served.shift
    while name in serving:
        shift = tuple(a + b for a, b in zip(shift, serving[name].shift, strict=True))
        name = serving[name].version.name
    return Served(kept[name], shift)


def versions_of(served: Mapping[str, Served]) -> tuple[Forwarded, ...]:
    """What is kept, in the order of its points."""
    unique = {one.version.name: one.version for one in served.values()}
    return tuple(sorted(unique.values(), key=lambda f: (f.point, f.array)))


def _joined(
    versions: Sequence[Forwarded], writes: tuple[Write, ...], array: Array
) -> list[tuple[Forwarded, tuple[str, ...]]]:
    """The later ones with what they can serve of the earlier ones, and the names of these; `versions` are sorted, the
    last first."""
    kept: list[tuple[Forwarded, tuple[str, ...]]] = []
    for version in versions:
        for n in _holding(version, [later for later, _ in kept], writes):
            later, names = kept[n]
            both = replace(later, uses=(*later.uses, *version.uses))
            if _size(both, array) <= _size(later, array) + _size(version, array):
                kept[n] = both, (*names, version.name)
                break
        else:
            kept.append((version, (version.name,)))
    return kept


def _holding(version: Forwarded, kept: Sequence[Forwarded], writes: tuple[Write, ...]) -> Iterable[int]:
    """The positions of those at whose points the array has the version's value, too: behind the first at whose point it
    has not, it never has."""
    first = len(kept)
    while first and all(_holds(need, kept[first - 1].point, writes) for need in version.uses):
        first -= 1
    return range(first, len(kept))


def _holds(need: Need, point: Point, writes: tuple[Write, ...]) -> bool:
    """Whether the array has the value at the point, too."""
    if need.site.path[len(point.container)] >= point.child:
        return not overwritten_since(need, point, writes)
    return not overwritten_until(need, point, writes)


def _size(version: Forwarded, array: Array) -> int:
    return prod(max(span.extent, 0) for span in region(version, array))


def _copies(writes: Mapping[str, tuple[Write, ...]]) -> dict[str, dict[str, list[Write]]]:
    """The writes that copy, by what they copy from and to."""
    found: dict[str, dict[str, list[Write]]] = {}
    for target, own in writes.items():
        for write in own:
            source = _source(write)
            if source is not None:
                found.setdefault(source.array, {}).setdefault(target, []).append(write)
    return found


def _source(write: Write) -> Load | None:
    nest = write.site.node
    assigns = nest.assigns if isinstance(nest, Nest) else ()
    value = assigns[0].value if len(assigns) == 1 and assigns[0].op == "=" else None
    return value if isinstance(value, Load) else None


def _copy(
    version: Forwarded,
    kept: Iterable[Forwarded],
    copies: Mapping[str, Sequence[Write]],
    writes: Mapping[str, tuple[Write, ...]],
    arrays: Mapping[str, Array],
) -> Served | None:
    """A version of another array, kept in the same body, that holds this one after a copy and takes less for both."""
    for other in kept:
        if other.array == version.array or other.point.container != version.point.container:
            continue
        for write in copies[other.array]:
            shift = _shift(write)
            if shift is None or not _is_between(write.site.path, version, other, writes[version.array]):
                continue
            needs = tuple(_of_copy(need, other.array, shift) for need in version.uses)
            both = replace(other, uses=(*other.uses, *needs))
            apart = _size(other, arrays[other.array]) + _size(version, arrays[version.array])
            copied = all(_is_copied(need, write, other, writes[other.array]) for need in needs)
            if copied and _size(both, arrays[other.array]) < apart:
                return Served(both, shift)
    return None


def _of_copy(need: Need, array: str, shift: Shift) -> Need:
    return replace(need, load=Load(array, shifted(need.load.index, shift), need.load.dtype))


def _shift(write: Write) -> Shift | None:
    """How much further the elements lie that a write copies, where that is one number along each axis."""
    source = _source(write)
    if source is None or len(source.index) != len(write.target.index):
        return None
    pairs = zip(write.target.index, source.index, strict=True)
    apart = [a - b for a, b in pairs if isinstance(a, Affine) and isinstance(b, Affine)]
    if len(apart) < len(source.index) or not all(form.is_const for form in apart):
        return None
    return tuple(form.const for form in apart)


def _is_between(path: Path, version: Forwarded, other: Forwarded, writes: tuple[Write, ...]) -> bool:
    """Whether a copy comes after the one version, whose array stays as it is until then, and before the other."""
    container, first, last = version.point.container, version.point.child, other.point.child
    depth = len(container)
    if len(path) != depth + 1 or path[:depth] != container or not first <= path[depth] < last:
        return False
    return not within(writes, (*container, first), path)


def _is_copied(need: Need, write: Write, kept: Forwarded, writes: tuple[Write, ...]) -> bool:
    """Whether the copy made the element, and nothing changes it before it is kept."""
    container, last = kept.point.container, kept.point.child
    if covering(write, need) is None:
        return False
    later = within(writes, (*container, write.site.path[len(container)] + 1), (*container, last))
    return not any(touches_at_once(need, w, container) for w in later)


def reading(node: Node, served: Mapping[str, Served]) -> Node:
    """The node with loads of what serves instead."""
    if not served:
        return node

    def leaf(expr: Expr) -> Expr | None:
        return served[expr.array].load(expr) if isinstance(expr, Load) and expr.array in served else None

    def rerun(node: Node) -> Node:
        if isinstance(node, Branch):
            return replace(node, then=tuple(map(rerun, node.then)), orelse=tuple(map(rerun, node.orelse)))
        if isinstance(node, Nest):
            return node
        if isinstance(node, Replayed):
            primal = tuple(reading(n, served) for n in node.replay.primal)
            node = replace(node, replay=replace(node.replay, primal=primal))
        return replace(node, body=tuple(map(rerun, node.body)))

    return rerun(map_node(node, lambda value: map_expr(value, leaf)))
