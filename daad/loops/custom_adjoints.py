"""The reverse sweep through a function with a rule of the user's: the rule's statements, as they are."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from daad.analysis.sites import THEN, Site
from daad.ir.constructors import adds_nothing, const
from daad.ir.indices.domains import all_points
from daad.ir.nodes import Access, Array, Assign, Branch, Const, Expr, Load, Nest, Node, Op
from daad.ir.walk import map_expr, map_node, nodes, writes
from daad.loops.second_run import Again
from daad.loops.statement_adjoints import Bars
from daad.rules.own_rules import operation, outputs_of
from daad.rules.pullback import Guarded, pull_back


def reverse_rule(branch: Branch, site: Site, bars: Bars) -> list[Node]:
    """Takes the adjoints of the outputs, runs the rule, and gives the arguments their shares."""
    outputs = outputs_of(branch)
    own = writes(branch.then) - outputs
    held, before = _taken(branch, outputs, bars)

    def read(at: Site, load: Load) -> Expr | None:
        return None if load.array in own else bars.versions.source(replace(at, reader=site.reader), load)

    def value(at: Site, expr: Expr) -> Expr:
        return map_expr(_with_adjoints(expr, outputs, held), lambda e: read(at, e) if isinstance(e, Load) else None)

    again = Again(read)
    out = list(before)
    for n, node in enumerate(branch.then):
        here = Site(node, (*site.path, THEN, n), site.loops, site.reader)
        if isinstance(node, Nest) and (operation(node.assigns[0].value, "transposed") or node.written & outputs):
            out += _shares(node, here, bars, lambda expr, here=here: value(here, expr))  # type: ignore[misc]
        else:
            out.append(again.node(replace(here, node=map_node(node, lambda e: _with_adjoints(e, outputs, held)))))
    return out


def _taken(branch: Branch, outputs: frozenset[str], bars: Bars) -> tuple[dict[str, Array], list[Node]]:
    """Arrays that hold the adjoints of the outputs, and the statements that move these there."""
    held: dict[str, Array] = {}
    nodes_: list[Node] = []
    for name in sorted(outputs & bars.names.keys()):
        array = bars.program.arrays[name]
        bar = replace(array, name=bars.names[name])
        held[name] = bars.scratch(f"{bar.name}_taken", replace(array, extents=()))
        domain, index = all_points(array, bars.supply)
        moved = Assign(Access(held[name].name, index), "=", Load(bar.name, index, bar.dtype))
        cleared = Assign(Access(bar.name, index), "=", const(0, bar.dtype))
        nodes_ += [Nest(domain, (one,), branch.at) for one in (moved, cleared)]
    return held, nodes_


def _with_adjoints(expr: Expr, outputs: Collection[str], held: dict[str, Array]) -> Expr:
    """The adjoints that were taken, in the place of what stands for them; those of functions that the rule calls
    are for the next derivative."""
    stands_for = [node for node in nodes(expr) if isinstance(node, Op) and node.name in ("cotangent", "has_adjoint")]
    found: dict[Expr, Expr] = {node: _adjoint(node, held) for node in stands_for if _output(node).array in outputs}
    return map_expr(expr, lambda node: found.get(node) or _decided(node)) if found else expr


def _decided(node: Expr) -> Expr | None:
    """The side that is taken whether or not an output has an adjoint."""
    if not isinstance(node, Op) or node.name != "where" or not isinstance(node.args[0], Const):
        return None
    side = node.args[1] if node.args[0].value else node.args[2]
    return side if side.dtype == node.dtype else None


def _output(node: Op) -> Load:
    (load,) = node.args
    assert isinstance(load, Load), f"'{node}' is not of an output"
    return load


def _adjoint(node: Op, held: dict[str, Array]) -> Expr:
    load = _output(node)
    if node.name == "has_adjoint":
        return Const(load.array in held, "bool")
    return Load(held[load.array].name, load.index, load.dtype) if load.array in held else const(0, node.dtype)


def _shares(nest: Nest, site: Site, bars: Bars, value: Callable[[Expr], Expr]) -> list[Node]:
    (assign,) = nest.assigns
    found = operation(assign.value, "transposed")
    if found is None:
        return []
    share, _, operand, _ = found.args
    if adds_nothing(value(share)):
        return []
    parts = pull_back(operand, Guarded(share), bars.is_active, None, nest.at, bars.facts)
    added = [Assign(bars.access(site, part.load), "+=", value(part.value)) for part in parts]
    return [bars.where_it_exists(one, nest, site) or Nest(nest.domain, (one,), nest.at) for one in added]
