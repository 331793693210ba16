"""Which statement made an element that is read, where that is certain."""

from __future__ import annotations

from daad.analysis.context import Scope
from daad.analysis.dependence import Need, site_bounds
from daad.analysis.sites import Site, Write
from daad.analysis.subscripts import subscripts
from daad.ir.affine import Affine
from daad.ir.nodes import Nest


def is_written_first(need: Need, writes: tuple[Write, ...]) -> bool:
    """Whether the element was certainly assigned earlier in the same iteration of all loops around the assignment."""
    return any(_assigns(w) and leads(w.site, need) and covering(w, need) is not None for w in writes)


def _assigns(write: Write) -> bool:
    node = write.site.node
    assert isinstance(node, Nest), "only nests write"
    return any(a.op == "=" and a.target == write.target for a in node.assigns)


def leads(site: Site, need: Need) -> bool:
    """Whether the site is executed, in the same iteration of its loops, before every execution of the need's site."""
    own, path = need.site.path, site.path
    last = len(path) - 1
    return own[:last] == path[:last] and len(own) > last and (own[last] > path[last] or (need.after and own == path))


def covering(write: Write, need: Need) -> dict[str, Affine] | None:
    """The point of the write's domain that wrote the element needed; None where that is not certain."""
    node = write.site.node
    assert isinstance(node, Nest), "only nests write"
    own = {r.var for r in node.domain}
    axes = subscripts(write.target.index, own)
    if axes is None or not own <= {axis.var for axis in axes}:
        return None
    values: dict[str, Affine] = {}
    for axis, wanted in zip(axes, need.load.index, strict=True):
        if not isinstance(wanted, Affine) or (axis.var is None and wanted != axis.shift):
            return None
        if axis.var is not None:
            values[axis.var] = axis.value_at(wanted)
    known = Scope(tuple(site_bounds(need.site)))
    inside = (form for r in node.domain for form in (values[r.var] - r.start, r.stop - 1 - values[r.var]))
    return values if all(map(known.proves, inside)) else None
