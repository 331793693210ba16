"""Which statement made an element that is read, where that is certain."""

from __future__ import annotations

from daad.analysis.dependence import Need, site_bounds
from daad.analysis.polyhedra import feasible
from daad.analysis.sites import Site, Write
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
    values: dict[str, Affine] = {}
    own = {r.var for r in node.domain}
    equal = []
    for target, wanted in zip(write.target.index, need.load.index, strict=True):
        if not isinstance(target, Affine) or not isinstance(wanted, Affine):
            return None
        names = [n for n in target.names if n in own]
        if not names:
            equal.append(wanted - target)
            continue
        if len(names) > 1 or names[0] in values or target.coefficient(names[0]) != 1:
            return None
        values[names[0]] = wanted - (target - Affine.of(names[0]))
    if any(form.terms or form.const for form in equal) or set(values) != own:
        return None
    bounds = site_bounds(need.site)
    outside = [form for r in node.domain for form in (r.start - 1 - values[r.var], values[r.var] - r.stop)]
    return None if any(feasible([], [*bounds, form]) for form in outside) else values
