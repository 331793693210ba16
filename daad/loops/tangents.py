"""The tangent of a program, statement by statement, forwards: beside each active value its tangent, in place.

Nothing is kept for later: a program and its tangent hold twice the active arrays, however often loops run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeGuard

from daad.ccs.graph import CCS
from daad.ir.affine import Affine
from daad.ir.constructors import compare, const, divide, negation, where
from daad.ir.dtypes import is_float
from daad.ir.indices.domains import all_points
from daad.ir.name_supply import NameSupply, dot
from daad.ir.nodes import Access, Array, Assign, Const, Expr, Load, Nest, Node, Op, Program
from daad.ir.operations.updates import Sign
from daad.ir.walk import loads, map_expr, map_leaves, map_node
from daad.loops.paired_calls import PairedCalls
from daad.loops.statement_adjoints import require_known_places, target_domain
from daad.rules.flatness import flat_arrays
from daad.rules.pullback import reads_result
from daad.rules.pushforward import push_forward


@dataclass(frozen=True, kw_only=True)
class Pushed:
    """The primal with tangents, as one program: `dots` maps each active array to the array of its tangent."""

    program: Program
    dots: Mapping[str, str]


def push(program: Program, ccs: CCS, given: Sequence[str]) -> Pushed:
    """Forward mode for all arrays that the CCS calls active. Behind the primal's parameters stand the tangents of the
    inputs, by the names that are `given`, which it only reads."""
    supply = NameSupply.of(program)
    supply.take(*given)
    dots = {n: replace(a, name=supply.new(dot(n)), extents=()) for n, a in program.arrays.items() if n in ccs.active}
    tangents = Tangents(program, {name: array.name for name, array in dots.items()}, flat_arrays(program), supply)
    body = map_leaves(_with_answers(program.body, ccs.active), tangents.nest)
    seeds = dict(zip(ccs.inputs, given, strict=True))
    outer = {name: dots[name] for name in (*ccs.inputs, *program.parameters) if name in dots}
    starts = tuple(_start(array, seeds.get(name), supply) for name, array in outer.items())
    added = [*dots.values(), *tangents.extra.values(), *(replace(program.arrays[n], name=s) for n, s in seeds.items())]
    whole = replace(
        program,
        name=f"{program.name}_tangent",
        arrays={**program.arrays, **{array.name: array for array in added}},
        parameters=(*program.parameters, *given),
        body=(*starts, *body),
    )
    return Pushed(program=whole, dots=tangents.names)


def _with_answers(body: tuple[Node, ...], active: Collection[str]) -> tuple[Node, ...]:
    """With what the rules of functions ask: whether derivatives flow through an array."""

    def leaf(node: Expr) -> Expr | None:
        if not isinstance(node, Op) or node.name != "has_adjoint":
            return None
        return Const(any(load.array in active for load in node.loads), "bool")

    return tuple(map_node(node, lambda value: map_expr(value, leaf)) for node in body)


def _start(array: Array, seed: str | None, supply: NameSupply) -> Nest:
    """What a tangent is at the beginning: what is given, or zero."""
    domain, index = all_points(array, supply)
    value = const(0, array.dtype) if seed is None else Load(seed, index, array.dtype)
    return Nest(domain, (Assign(Access(array.name, index), "=", value),))


@dataclass
class Tangents:
    """The tangent arrays of a program, by the names of the arrays, and scratch made on the way."""

    program: Program
    names: Mapping[str, str]
    flat: frozenset[str]
    supply: NameSupply
    extra: dict[str, Array] = field(default_factory=dict)

    @cached_property
    def calls(self) -> PairedCalls:
        return PairedCalls(self.program)

    def nest(self, nest: Nest) -> tuple[Node, ...]:
        """The assigns one by one, each beside its tangent: no point of a nest reads what another one writes."""
        if not self.calls.tokens and not any(assign.target.array in self.names for assign in nest.assigns):
            return (nest,)
        out: list[Node] = []
        for each in nest.assigns:
            assign = self.calls.assigned(each, lambda value: self._of(value, None, nest))
            alone = Nest(nest.domain, (assign,), nest.at)
            is_active = assign.target.array in self.names and assign.target.array not in self.calls.tokens
            out += PUSHERS[assign.op](assign, alone, self) if is_active else [alone]
        return tuple(out)

    def of(self, place: Load | Access) -> Load:
        """The tangent at a place."""
        return Load(self.names[place.array], place.index, self.program.arrays[place.array].dtype)

    def of_load(self, load: Load) -> Expr | None:
        return self.of(load) if load.array in self.names else None

    def of_value(self, assign: Assign, nest: Nest, result: Expr | None = None) -> Expr | None:
        return self._of(assign.value, result, nest)

    def _of(self, value: Expr, result: Expr | None, nest: Nest) -> Expr | None:
        return push_forward(value, self.of_load, result, nest.at, self.flat, self.calls.dot_of_result)

    def scratch(self, name: str, like: Array) -> Array:
        """A local array of the shape and dtype of `like`."""
        array = Array(self.supply.new(name), like.shape, like.dtype)
        self.extra[array.name] = array
        return array


def _push_set(assign: Assign, nest: Nest, tangents: Tangents) -> list[Node]:
    """`T = e`: T's tangent is that of e, by the values before; or after, where rules read the result."""
    result = _result(assign, tangents)
    value = tangents.of_value(assign, nest, result)
    place = tangents.of(assign.target)
    pushed = _assigned(place, "=", value or const(0, place.dtype), nest)
    return [pushed, nest] if result is None else [nest, pushed]


def _push_add(assign: Assign, nest: Nest, tangents: Tangents) -> list[Node]:
    """`T += e`; of a product of matrices the tangent is two such products."""
    value = tangents.of_value(assign, nest)
    place = tangents.of(assign.target)
    terms = [] if value is None else [*value.args] if _is_contraction(assign, nest) and _is_sum(value) else [value]
    return [*(_assigned(place, "+=", term, nest) for term in terms), nest]


def _is_contraction(assign: Assign, nest: Nest) -> bool:
    """Whether products of elements of two arrays are summed: neither is read twice in two sums."""
    used = {name for index in assign.target.index if isinstance(index, Affine) for name in index.names}
    is_summed = any(axis.var not in used for axis in nest.domain)
    value = assign.value
    return is_summed and isinstance(value, Op) and value.name == "multiply" and _are_loads(value.args)


def _are_loads(args: Sequence[Expr]) -> bool:
    return all(isinstance(arg, Load) for arg in args)


def _is_sum(value: Expr) -> TypeGuard[Op]:
    return isinstance(value, Op) and value.name == "add"


def _result(assign: Assign, tangents: Tangents) -> Load | None:
    """The target after the statement, where a rule reads it and the statement leaves its operands as they are."""
    target = assign.target
    load = Load(target.array, target.index, tangents.program.arrays[target.array].dtype)
    inside = {x.array for e in (assign.value, *target.index) for x in loads(e)}
    if target.array in inside or load.dtype != assign.value.dtype:
        return None
    return load if reads_result(assign.value, lambda x: x.array in tangents.names) else None


def _push_extremum(assign: Assign, nest: Nest, tangents: Tangents) -> list[Node]:
    """`T max= e`: T's tangent is the mean of those of every e, and of the old T, that equal the result; NaN of NaN."""
    require_known_places(assign, nest)
    target, array = assign.target, tangents.program.arrays[assign.target.array]
    outer, dtype = target_domain(target, nest.domain), array.dtype
    result, place = Load(target.array, target.index, dtype), tangents.of(target)
    old, ties = (Load(tangents.scratch(f"{array.name}_{n}", array).name, target.index, dtype) for n in ("old", "ties"))
    zero, beaten = const(0, dtype), assign.combine.beaten

    def hit(value: Expr) -> Expr:
        return negation(compare(beaten, value, result))

    def one_if_hit(value: Expr) -> Expr:
        return where(compare("equal", value, result), const(1, dtype), zero, dtype)

    is_nan = Op("isnan", (result,), "bool")
    first = where(is_nan, const(math.nan, dtype), one_if_hit(old), dtype) if is_float(dtype) else one_if_hit(old)
    around = replace(nest, domain=outer)
    pushed = tangents.of_value(assign, nest)
    added = [] if pushed is None else [_assigned(place, "+=", where(hit(assign.value), pushed, zero, dtype), nest)]
    return [
        _assigned(old, "=", result, around),
        nest,
        _assigned(ties, "=", first, around),
        _assigned(ties, "+=", one_if_hit(assign.value), nest),
        _assigned(place, "=", where(hit(old), place, zero, dtype), around),
        *added,
        _assigned(place, "=", divide(place, ties, dtype), around),
    ]


def _assigned(place: Load, op: Sign, value: Expr, like: Nest) -> Nest:
    return Nest(like.domain, (Assign(Access(place.array, place.index), op, value),), like.at)


Pusher = Callable[[Assign, Nest, Tangents], list[Node]]
PUSHERS: dict[str, Pusher] = {
    "=": _push_set,
    "+=": _push_add,
    "max=": _push_extremum,
    "min=": _push_extremum,
}
