"""Parallel loops become nests; where iterations depend on each other's order they become loops, or are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from daad.analysis.alias import coincide, earlier, elsewhere, later
from daad.analysis.context import Scope
from daad.frontend.sdfg.cleanup.scratch_arrays import Scratch
from daad.frontend.sdfg.locations import refused
from daad.frontend.sdfg.states.maps import ParallelLoop
from daad.frontend.sdfg.values.ranges import range_of
from daad.ir.affine import Affine
from daad.ir.nodes import Branch, Index, IndexValue, Load, Loop, Nest, Node, Op, Range
from daad.ir.operations.updates import Sign
from daad.ir.walk import node_loads

Body = tuple[Node, ...]
NOTHING = Scope()


@dataclass(frozen=True)
class Touch:
    """One access inside of a parallel loop, with the variables around it that the loop itself encloses."""

    array: str
    index: tuple[Index, ...]
    op: Sign | None  # of a write
    inner: Inner


@dataclass(frozen=True)
class Inner:
    """Variables inside of a parallel loop, and what is known of them."""

    known: Scope = field(default_factory=Scope)
    variables: tuple[str, ...] = ()

    def nest(self, nest: Nest) -> Inner:
        return Inner(self.known.with_domain(nest.domain), (*self.variables, *(r.var for r in nest.domain)))

    def loop(self, loop: Loop) -> Inner:
        return Inner(self.known.enter(loop), (*self.variables, loop.var))


def nest_parallel_loops(body: Body, scratch: Scratch, known: Scope = NOTHING, is_inside: bool = False) -> Body:
    """No parallel loop is left in the result; scratch arrays may have grown. `is_inside`: the body is a map's."""
    out: list[Node] = []
    for node in body:
        if isinstance(node, Loop):
            parallel = is_inside or isinstance(node, ParallelLoop)
            inner = nest_parallel_loops(node.body, scratch, known.enter(node), parallel)
            out.extend(_nested_loop(replace(node, body=inner), scratch, known, is_inside))
        elif isinstance(node, Branch):
            then = nest_parallel_loops(node.then, scratch, known, is_inside)
            orelse = nest_parallel_loops(node.orelse, scratch, known, is_inside)
            out.append(replace(node, then=then, orelse=orelse))
        else:
            out.append(node)
    return tuple(out)


def _nested_loop(loop: Loop, scratch: Scratch, known: Scope, is_inside: bool) -> Body:
    """Inside of a map, a loop in order becomes a nest too where its order does not matter."""
    if isinstance(loop, ParallelLoop):
        return _nested(loop, scratch, known)
    span = range_of(loop.var, loop.start, loop.stop, loop.step)
    if not is_inside or span is None:
        return (loop,)
    ascending = ParallelLoop(loop.var, span.start, span.stop, 1, loop.body, loop.at, ordered=True)
    nests = _nested(ascending, scratch, known)
    return nests if all(isinstance(node, Nest) for node in nests) else (loop,)


def _nested(loop: ParallelLoop, scratch: Scratch, known: Scope) -> Body:
    conflicts = list(conflicting_arrays(loop, known))
    shared = [array for array, is_certain in conflicts if is_certain and array not in scratch.local]
    if shared and not loop.ordered:
        raise refused(
            f"Points of a map read or write elements of '{shared[0]}' that other points write.",
            loop.at,
            "Use a sequential loop, or write into another array.",
        )
    if conflicts and not loop.ordered and all(isinstance(node, Nest) for node in loop.body):
        loop = replace(loop, body=scratch.expanded(loop, sorted({array for array, _ in conflicts})))
        conflicts = list(conflicting_arrays(loop, known))
    distributed = None if conflicts else _distributed(loop.body, loop)
    return distributed if distributed is not None else (sequential(loop),)


def sequential(loop: Loop) -> Loop:
    """The same loop in order."""
    return Loop(loop.var, loop.start, loop.stop, loop.step, loop.body, loop.at)


def _distributed(body: Body, loop: ParallelLoop) -> Body | None:
    """The loop around every statement of its body; None where one does not allow it."""
    if not isinstance(loop.start, Affine) or not isinstance(loop.stop, Affine):
        return None
    out: list[Node] = []
    for node in body:
        inner = _around(node, loop, Range(loop.var, loop.start, loop.stop))
        if inner is None:
            return None
        out.append(inner)
    return tuple(out)


def _around(node: Node, loop: ParallelLoop, span: Range) -> Node | None:
    if isinstance(node, Nest):
        return _widened(node, span)
    if isinstance(node, Loop):
        if _depends(node.start, loop.var) or _depends(node.stop, loop.var):
            return None
        inner = _distributed(node.body, loop)
        return None if inner is None else replace(node, body=inner)
    if _depends(node.condition, loop.var):
        return None
    then, orelse = _distributed(node.then, loop), _distributed(node.orelse, loop)
    return None if then is None or orelse is None else replace(node, then=then, orelse=orelse)


def _widened(nest: Nest, span: Range) -> Nest | None:
    """The nest over one more variable, if its bounds and its reductions allow that."""
    if any(span.var in (*r.start.names, *r.stop.names) for r in nest.domain):
        return None
    wider = replace(nest, domain=(span, *nest.domain))
    return None if _updates_what_it_reads(wider) else wider


def _updates_what_it_reads(nest: Nest) -> bool:
    """A reduction's target may not be read or assigned in the same nest."""
    updated = {a.target.array for a in nest.assigns if a.op != "="}
    others = {load.array for load in node_loads(nest)} | {a.target.array for a in nest.assigns if a.op == "="}
    return bool(updated & others)


def _depends(index: Index, variable: str) -> bool:
    if isinstance(index, Affine):
        return variable in index.names
    return any(variable in form.names for form in _forms(index))


def _forms(index: Index) -> Iterator[Affine]:
    if isinstance(index, Affine):
        yield index
    elif isinstance(index, IndexValue):
        yield index.form
    elif isinstance(index, Op):
        for argument in index.args:
            yield from _forms(argument)
    elif isinstance(index, Load):
        for inner in index.index:
            yield from _forms(inner)


def conflicting_arrays(loop: ParallelLoop, known: Scope) -> Iterator[tuple[str, bool]]:
    """Arrays in which one iteration writes what another one reads or writes, and whether that is certain."""
    touches = list(_touches(loop.body, Inner()))
    for write in touches:
        if write.op is None:
            continue
        for other in touches:
            if other.array == write.array and not _are_one_reduction(write, other):
                verdict = _conflict(write, other, loop, known)
                if verdict is not None:
                    yield write.array, verdict


def _are_one_reduction(write: Touch, other: Touch) -> bool:
    return write.op is not None and write.op != "=" and write.op == other.op


def _touches(body: Body, inner: Inner) -> Iterator[Touch]:
    for node in body:
        around = inner.nest(node) if isinstance(node, Nest) else inner
        for load in node_loads(node):
            yield Touch(load.array, load.index, None, around)
        if isinstance(node, Nest):
            for assign in node.assigns:
                yield Touch(assign.target.array, assign.target.index, assign.op, around)
        elif isinstance(node, Loop):
            yield from _touches(node.body, inner.loop(node))
        else:
            yield from _touches((*node.then, *node.orelse), inner)


def _conflict(write: Touch, other: Touch, loop: ParallelLoop, known: Scope) -> bool | None:
    """None: no conflict; otherwise whether it is certain (all indices and bounds are affine)."""
    renamed = elsewhere((loop.var, *write.inner.variables, *other.inner.variables))
    around = known.enter(loop).constraints
    constraints = [*around, *write.inner.known.constraints]
    beyond = [*around, *other.inner.known.constraints]
    constraints += [form.substitute(renamed) for form in beyond]
    orders = earlier(loop.var), later(loop.var)
    if not any(coincide(write.index, other.index, [*constraints, order], renamed) for order in orders):
        return None
    return all(isinstance(form, Affine) for form in (*write.index, *other.index, loop.start, loop.stop))
