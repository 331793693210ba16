"""Functions that are read once for all calls with arguments of the same kinds: the statements of one call, with other
arrays, are those of another.

A program of the library asks nothing about the elements of its arguments. Its second call with such arguments is read
for arrays that stand for them, apart from all else, and what that gives is copied there, and for each further call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from daad.errors import Location, Unsupported
from daad.frontend.python.calls import distributions
from daad.frontend.python.reading.fixpoint import Again, Moment
from daad.frontend.python.reading.reader import Misused, Raised, Reader, Restart, Unbound
from daad.frontend.staging.aliasing.alias_copies import Aliased
from daad.frontend.staging.aliasing.alias_tracking import Resettle
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.facts import Block, Unroll
from daad.frontend.staging.memory_order import order_of
from daad.frontend.staging.speculation import Speculation
from daad.frontend.staging.values import ArrayValue, Lazy, Order, View, own_axes
from daad.frontend.staging.variable_storage import Unfit
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Array, Const, Expr, Index, Load, Loop, Nest, Node
from daad.ir.pinning import NeedsConstant, NeedsOwn, NeedsPlaces
from daad.ir.walk import loads, map_expr, map_node, walk


class Decided(Exception):
    """Data decide about the call, each time anew."""


class _Undecided(Speculation):
    """Nothing is taken to be what it is in one call."""

    @staticmethod
    def like(other: Speculation) -> _Undecided:
        return _Undecided(other.is_on, other.has_lists, other.assumptions)

    def asked(self) -> bool:
        raise Decided


Run = Callable[[list[Any], dict[str, Any]], Any]
PLAIN = (bool, int, float, str, type(None))
"""Types of arguments of which nothing but the value counts."""
FIRST = 1
"""Calls that are read as they stand."""
REFUSED = (
    *(Unsupported, Misused, Unbound, Raised, Again, Unfit, Aliased, Resettle, Unroll),
    *(NeedsConstant, NeedsOwn, NeedsPlaces, Decided),
)
"""How the reading of a procedure ends where it cannot be read for all calls."""


@dataclass(frozen=True)
class Procedure:
    """What a call does, for the arrays `formals` as its arguments.

    `arrays` are those that it makes, with how they would be called, as `variables` of loops are; `unordered` those of
    the arrays that NumPy may have in another order, `constants` those that it reads; `at`: where the call stood.
    """

    formals: tuple[str, ...]
    nodes: tuple[Node, ...]
    at: Location | None
    arrays: Mapping[str, tuple[Array, str]]
    variables: Mapping[str, str]
    unordered: frozenset[str]
    constants: Mapping[str, np.ndarray]
    result: Any


def called(reader: Reader, program: Any, args: list[Any], keywords: dict[str, Any], run: Run) -> Any:
    """What `run(args, keywords)` gives, which reads the program."""
    stage = reader.stage
    kinds = _kinds(stage, (*args, *keywords.values()))
    if kinds is None:
        return run(args, keywords)
    key = (program, kinds, tuple(keywords), stage.places, stage.joint, stage.ruled)
    procedure = reader.procedures.get(key, 0)
    if isinstance(procedure, int) and procedure < FIRST:
        reader.procedures[key] = procedure + 1
        return run(args, keywords)
    settled = [reader.settled(value, "argument") for value in (*args, *keywords.values())]
    placed = [stage.copy(value, "argument") if isinstance(value, Lazy) else value for value in settled]
    if isinstance(procedure, int):
        procedure = reader.procedures[key] = _read(reader, placed, tuple(keywords), run) or IMPOSSIBLE
    if procedure is IMPOSSIBLE:
        return run(settled[: len(args)], dict(zip(keywords, settled[len(args) :], strict=True)))
    return _copied(stage, procedure, [value for value in placed if isinstance(value, View)])


def called_again(reader: Reader, program: Any, values: Mapping[Any, Any], run: Callable[[dict[Any, Any]], Any]) -> Any:
    """What `run(values)` gives, which reads a function of the user's, or of NumPy's and SciPy's own Python, that
    computes nothing but its result.

    Where the arguments are those of an earlier call, so is the result, if it is a number.
    """
    stage = reader.stage
    kinds = _kinds(stage, values.values())
    if kinds is None:
        return run(dict(values))
    elements = tuple(_element(value) for value in values.values())
    known = reader.results.get((program, kinds, elements))
    if known is not None and known.holds(stage):
        return known.value(stage)
    begun, state = stage.moment, _state(reader)

    def read(args: list[Any], _: dict[str, Any]) -> Any:
        return run(dict(zip(values, args, strict=True)))

    found = called(reader, program, list(values.values()), {}, read)
    arrays = frozenset(load.array for one in elements if isinstance(one, Expr) for load in loads(one))
    is_number = isinstance(found, ArrayValue) and not (found.shape or found.boxed or found.mixed)
    if is_number and _state(reader) == state and not stage.have_changed(arrays, begun) and stage.blocks[-1].nodes:
        reader.results[program, kinds, elements] = Known.of(stage, found, arrays)
    return found


@dataclass(frozen=True)
class Known:
    """The result of a call, which is that of another one in the same `block` behind its last node so far, as long as
    none of the `arrays` has changed since the moment `at`."""

    block: Block
    count: int
    last: Node
    element: Expr
    weak: bool
    arrays: frozenset[str]
    at: int

    @staticmethod
    def of(stage: Stage, found: ArrayValue, arrays: frozenset[str]) -> Known:
        block, element = stage.blocks[-1], found.element(())
        held = arrays.union(load.array for load in loads(element))
        return Known(block, len(block.nodes), block.nodes[-1], element, found.weak, held, stage.moment)

    def holds(self, stage: Stage) -> bool:
        """Whether that is so here."""
        depth = next((k for k, block in enumerate(stage.blocks) if block is self.block), None)
        if depth is None or any(block.loop for block in stage.blocks[depth + 1 :]):
            return False
        nodes = self.block.nodes
        is_there = len(nodes) >= self.count and nodes[self.count - 1] is self.last
        return is_there and not stage.have_changed(self.arrays, self.at)

    def value(self, stage: Stage) -> ArrayValue:
        """The result, once more."""
        if isinstance(self.element, Load):
            return stage.view(self.element.array, (), self.element.index, self.weak)
        return stage.lazy((), self.element.dtype, lambda _: self.element, self.weak)


def _element(value: Any) -> Any:
    """What tells an argument from others of its kind."""
    return value.element(own_axes(value.ndim)) if isinstance(value, ArrayValue) else None


IMPOSSIBLE = Procedure((), (), None, {}, {}, frozenset(), {}, None)
"""Stands for a program that must be read for each call."""


def _kinds(stage: Stage, values: Iterable[Any]) -> tuple[Any, ...] | None:
    """What of the arguments decides how the program is read; None if that may be more than this says."""
    found = tuple(_kind(stage, value) for value in values)
    return found if None not in found and any(kind[0] is View for kind in found if kind) else None


def _kind(stage: Stage, value: Any) -> tuple[Any, ...] | None:
    if type(value) in PLAIN:
        return type(value), repr(value)
    if distributions.is_standard(value):
        return object, value
    if not isinstance(value, ArrayValue) or value.dtype.kind != "f" or value.boxed or value.mixed:
        return None
    if isinstance(value, Lazy) and isinstance(value.expr, Const) and value.weak:
        return float, repr(value.expr.value)
    order = _order(stage, value)
    is_computed = order in (Order.REPEATED, Order.SORTED)
    if is_computed or (isinstance(value, View) and _is_special(stage, value)):
        return None
    if not all(extent.is_const for extent in value.shape):
        return None
    return View, value.dtype.name, tuple(extent.const for extent in value.shape), value.weak, order


def _order(stage: Stage, value: ArrayValue) -> Order:
    """How NumPy has the value in memory, once it is there."""
    order = order_of(value, stage.unordered, stage.arrays)
    return Order.UNKNOWN if isinstance(value, Lazy) and order < Order.CONTIGUOUS else order


def _is_special(stage: Stage, view: View) -> bool:
    """Whether more than the elements of the array count."""
    return bool(view.doubt) or view.base in stage.interleaved or view.base in stage.halved


def _read(reader: Reader, values: list[Any], names: tuple[str, ...], run: Run) -> Procedure | None:
    """The procedure; None where the call does more than to compute its result."""
    stage, moment = reader.stage, Moment(reader)
    older, kept, held, checks = set(stage.arrays), _Kept.of(stage), reader.entered(), len(reader.checks)
    state = _state(reader)
    try:
        given = [_formal(stage, value) if isinstance(value, View) else value for value in values]
        formals = tuple(value.base for value in given if isinstance(value, View))
        stage.blocks, stage.speculation = [Block()], _Undecided.like(stage.speculation)
        count = len(values) - len(names)
        result = run(given[:count], dict(zip(names, given[count:], strict=True)))
        nodes = tuple(stage.blocks[0].nodes)
        own = {*stage.arrays}.difference(older, stage.constants, formals)
        is_apart = _state(reader) == state and own.isdisjoint({*stage.interleaved, *stage.halved, *stage.chosen})
        if not is_apart or not _is_closed(stage, nodes, own, formals) or not _is_result(stage, result, own, formals):
            return None
        touched = frozenset[str]().union(*(node.touched for node in nodes))
        return Procedure(
            formals=formals,
            nodes=nodes,
            at=stage.at,
            arrays={name: (stage.arrays[name], stage.preferred[name]) for name in stage.arrays if name in own},
            variables={node.var: stage.preferred[node.var] for node in walk(nodes) if isinstance(node, Loop)},
            unordered=frozenset(own & stage.unordered),
            constants={name: array for name, array in stage.constants.items() if name in touched},
            result=result,
        )
    except REFUSED:  # read for this call alone, it says what is wrong
        return None
    except Restart:
        if len(reader.checks) == checks:
            raise
        return None  # it may fail, and then says where it is called
    finally:
        kept.restore(stage)
        reader.leave(held)
        del reader.checks[checks:]
        moment.restore(reader)


@dataclass(frozen=True)
class _Kept:
    """What a stage has set aside while a procedure is read."""

    blocks: list[Block]
    speculation: Speculation

    @staticmethod
    def of(stage: Stage) -> _Kept:
        return _Kept(stage.blocks, stage.speculation)

    def restore(self, stage: Stage) -> None:
        stage.blocks, stage.speculation = self.blocks, self.speculation


def _state(reader: Reader) -> tuple[Any, ...]:
    """What a call changes that does more than to compute its result."""
    stage = reader.stage
    return stage.decisions, stage.drawn.noted(), len(reader.checks), dict(reader.generators), dict(stage.marks)


def _formal(stage: Stage, value: View) -> View:
    """An array that stands for an argument."""
    made = stage.allocate(value.shape, value.dtype, "argument")
    made.weak = value.weak
    if stage.order(value) < Order.CONTIGUOUS:
        stage.unordered.add(made.base)
    return made


def _is_closed(stage: Stage, nodes: tuple[Node, ...], own: set[str], formals: tuple[str, ...]) -> bool:
    """Whether the statements write nothing but the procedure's own arrays, and read nothing but these and what it is
    given."""
    written = frozenset[str]().union(*(node.written for node in nodes))
    touched = frozenset[str]().union(*(node.touched for node in nodes))
    return written <= own and touched <= own.union(formals, stage.constants)


def _is_result(stage: Stage, value: Any, own: set[str], formals: tuple[str, ...]) -> bool:
    """Whether the result, or each item of it, is a number, or an array that nothing else has."""
    if type(value) in PLAIN:
        return True
    if isinstance(value, tuple):
        return all(_is_result(stage, item, own, formals) for item in value)
    if not isinstance(value, ArrayValue) or not all(extent.is_const for extent in value.shape):
        return False
    linked = {name for link in stage.links for name in link}
    if isinstance(value, View):
        return value.base in own - linked and not value.doubt and not value.boxed
    return value.reads() <= own.union(formals)


def _copied(stage: Stage, procedure: Procedure, values: list[View]) -> Any:
    """The result of a call with these arguments, whose statements are added to the Program."""
    given = dict(zip(procedure.formals, values, strict=True))
    names = {name: stage.place(stage.constant(array)).base for name, array in procedure.constants.items()}
    for name, (array, title) in procedure.arrays.items():
        names[name] = stage.allocate(tuple(map(Affine, array.shape)), array.dtype, title).base
    stage.unordered |= {names[name] for name in procedure.unordered}
    stage.preferred.update(procedure.variables)

    def leaf(expr: Expr) -> Expr | None:
        if not isinstance(expr, Load):
            return None
        if expr.array in given:
            return given[expr.array].element(expr.index)
        return Load(names[expr.array], expr.index, expr.dtype)

    def access(target: Access) -> Access:
        return Access(names[target.array], target.index)

    for node in procedure.nodes:
        moved = map_node(node, partial(map_expr, leaf=leaf), access)
        stage.insert(_placed(moved, procedure.at, stage.at))
    result = _result(stage, procedure.result, names, partial(map_expr, leaf=leaf))
    given.clear()  # `map_expr` leaves a cycle of references to it
    return result


def _placed(node: Node, then: Location | None, now: Location | None) -> Node:
    """The node, and those in it, where the call stands `now`; `then` it stood elsewhere."""
    at = now if node.at == then else node.at
    if isinstance(node, Nest):
        return replace(node, at=at)
    if isinstance(node, Loop):
        return replace(node, at=at, body=tuple(_placed(n, then, now) for n in node.body))
    first, last = (tuple(_placed(n, then, now) for n in side) for side in (node.then, node.orelse))
    return replace(node, at=at, then=first, orelse=last)


def _result(stage: Stage, value: Any, names: Mapping[str, str], renamed: Callable[[Expr], Expr]) -> Any:
    if isinstance(value, View):
        index: list[Index] = [i if isinstance(i, Affine) else renamed(i) for i in value.index]
        return stage.view(names[value.base], value.shape, index, value.weak).continuing(value)
    if isinstance(value, Lazy):
        expr = renamed(value.expr)
        made = stage.lazy(value.shape, value.dtype, lambda _: expr, value.weak)
        made.order = value.order
        return made.continuing(value)
    if isinstance(value, tuple):
        items = [_result(stage, item, names, renamed) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value
