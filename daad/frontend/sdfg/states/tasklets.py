"""A Python tasklet as assignments: connectors are replaced by the elements that their memlets name."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import dace
from dace.sdfg import nodes

from daad.errors import Location
from daad.frontend.sdfg.locations import location_near, refused
from daad.frontend.sdfg.states.writes import Update, store
from daad.frontend.sdfg.symbol_table import Scope
from daad.frontend.sdfg.values.arithmetic import Value, apply, as_condition, literal, where
from daad.frontend.sdfg.values.code import Meaning, indices, value_of
from daad.frontend.sdfg.values.containers import Region
from daad.ir.affine import Affine
from daad.ir.nodes import Node
from daad.ir.operations.python_operators import BINARY

MAX_UNROLLED = 64
Element = tuple[str, tuple[Value, ...], Value]  # connector, index, value


@dataclass(frozen=True)
class State:
    """What a tasklet has computed so far: the values of its names, and elements written to array outputs in order."""

    values: Mapping[str, Value]
    elements: tuple[Element, ...] = ()

    def bound(self, name: str, value: Value) -> State:
        return replace(self, values={**self.values, name: value})


@dataclass(frozen=True)
class Connected:
    """A tasklet's surroundings: its inputs and outputs as regions of arrays."""

    scope: Scope
    inputs: Mapping[str, Region | Value]
    outputs: Mapping[str, tuple[Region, Any]]
    at: Location | None

    def meaning(self, state: State) -> Meaning:
        out_dtype = next((region.place.array.dtype for region, _ in self.outputs.values()), None)
        return Meaning(state.values, self.read, self.at, out_dtype)

    def read(self, name: str, index: tuple[Value, ...]) -> Value | None:
        """An element of an input, or a constant of the SDFG."""
        source = self.inputs.get(name)
        if source is None:
            return self.scope.element(name, index) if name in self.scope.sdfg.constants_prop else None
        return subscripted(source, index, self.at).load(()) if isinstance(source, Region) else source

    def old(self, name: str) -> Value | None:
        """What an output holds before the tasklet, for writes under a condition."""
        if name not in self.outputs:
            return None
        return subscripted(self.outputs[name][0], (), self.at).load(())


def lift_tasklet(node: nodes.Tasklet, state: dace.SDFGState, scope: Scope) -> tuple[Node, ...]:
    """The assignments that a tasklet makes."""
    at = location_near(node, state)
    inputs = {e.dst_conn: _input(e.data, scope, at) for e in state.in_edges(node) if e.dst_conn}
    outputs = {e.src_conn: (_region(e.data, scope, at), e.data.wcr) for e in state.out_edges(node) if e.src_conn}
    connected = Connected(scope, inputs, outputs, at)
    symbols = {name: value for name, value in scope.values.items() if name not in inputs and name not in outputs}
    final = run(node.code.code, connected, State(symbols))
    return store([u for name in outputs for u in _updates(name, connected, final)], scope, at)


def _input(memlet: dace.Memlet, scope: Scope, at: Location | None) -> Region | Value:
    return Affine(scope.pinned[memlet.data]) if memlet.data in scope.pinned else _region(memlet, scope, at)


def _region(memlet: dace.Memlet, scope: Scope, at: Location | None) -> Region:
    return scope.region(memlet.data, memlet.subset, at)


def _updates(name: str, connected: Connected, final: State) -> list[Update]:
    region, wcr = connected.outputs[name]
    dtype = region.place.array.dtype
    writes = [(index, value) for connector, index, value in final.elements if connector == name]
    if name in final.values:
        writes.append(((), final.values[name]))
    return [Update(subscripted(region, i, connected.at).access(()), dtype, value, wcr) for i, value in writes]


def subscripted(region: Region, index: tuple[Value, ...], at: Location | None) -> Region:
    """One element of a connector: its subset's axes of size one need no index."""
    for candidate in (region, region.squeezed(), region.of_rank(len(index))):
        if len(candidate.axes) == len(index):
            starts = candidate.inner(index)
            return replace(candidate, starts=starts, axes=())
    if not index:  # a pointer to the first element
        return replace(region, axes=())
    raise refused(f"A tasklet reads '{region.place.array.name}' with the wrong number of indices.", at)


def run(statements: list[ast.stmt], connected: Connected, state: State) -> State:
    """Executes statements on symbolic values."""
    for statement in statements:
        execute = STATEMENTS.get(type(statement))
        if execute is None:
            text = ast.unparse(statement).splitlines()[0]
            raise refused(f"The tasklet statement '{text}' cannot be differentiated.", connected.at)
        state = execute(statement, connected, state)
    return state


def _assign(statement: ast.Assign, connected: Connected, state: State) -> State:
    value = value_of(statement.value, connected.meaning(state))
    for target in statement.targets:
        state = _bind(target, value, connected, state)
    return state


def _bind(target: ast.expr, value: Value, connected: Connected, state: State) -> State:
    if isinstance(target, ast.Name):
        return state.bound(target.id, value)
    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        index = indices(target.slice, connected.meaning(state))
        if target.value.id in connected.outputs:
            return replace(state, elements=(*state.elements, (target.value.id, index, value)))
    raise refused(f"The tasklet writes to '{ast.unparse(target)}', which is no output.", connected.at)


def _annotated(statement: ast.AnnAssign, connected: Connected, state: State) -> State:
    if statement.value is None:
        return state
    return _bind(statement.target, value_of(statement.value, connected.meaning(state)), connected, state)


def _augmented(statement: ast.AugAssign, connected: Connected, state: State) -> State:
    row = BINARY.get(type(statement.op))
    if row is None or not isinstance(statement.target, ast.Name):
        raise refused(f"The tasklet statement '{ast.unparse(statement)}' cannot be differentiated.", connected.at)
    meaning = connected.meaning(state)
    value = apply(row.name, value_of(statement.target, meaning), value_of(statement.value, meaning))
    return state.bound(statement.target.id, value)


def _if(statement: ast.If, connected: Connected, state: State) -> State:
    """Both sides are computed, and each name takes the value of the side taken."""
    condition = as_condition(value_of(statement.test, connected.meaning(state)))
    known = literal(condition)
    if known is not None:
        return run(statement.body if known else statement.orelse, connected, state)
    then, orelse = run(statement.body, connected, state), run(statement.orelse, connected, state)
    if then.elements != state.elements or orelse.elements != state.elements:
        raise refused("A tasklet writes elements of an array under a condition.", connected.at, ELEMENTS_HINT)
    values = dict(state.values)
    for name in [*then.values, *(n for n in orelse.values if n not in then.values)]:
        sides = [side.values.get(name, connected.old(name)) for side in (then, orelse)]
        known_sides = [side for side in sides if side is not None]
        values[name] = where(condition, *known_sides) if len(known_sides) == 2 else known_sides[0]
    return replace(state, values=values)


ELEMENTS_HINT = "Write a map over the elements with the condition in its body."


def _for(statement: ast.For, connected: Connected, state: State) -> State:
    """A short loop over a range of numbers is unrolled."""
    bounds = _range(statement, connected, state)
    if bounds is None or len(bounds) > MAX_UNROLLED or not isinstance(statement.target, ast.Name):
        raise refused("A loop inside a tasklet cannot be differentiated.", connected.at, LOOP_HINT)
    for i in bounds:
        state = run(statement.body, connected, state.bound(statement.target.id, Affine(i)))
    return state


LOOP_HINT = "Write the loop around the tasklet."


def _range(statement: ast.For, connected: Connected, state: State) -> range | None:
    call = statement.iter
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != "range":
        return None
    numbers = [literal(value_of(a, connected.meaning(state))) for a in call.args]
    return None if any(n is None for n in numbers) else range(*(int(n) for n in numbers if n is not None))


def _nothing(statement: ast.stmt, connected: Connected, state: State) -> State:
    return state


def _expression(statement: ast.Expr, connected: Connected, state: State) -> State:
    if isinstance(statement.value, ast.Constant):
        return state
    raise refused(f"The tasklet statement '{ast.unparse(statement)}' cannot be differentiated.", connected.at)


STATEMENTS: dict[type[ast.stmt], Callable[[Any, Connected, State], State]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.For: _for,
    ast.Pass: _nothing,
    ast.Expr: _expression,
}
