"""Control flow: regions, loops and branches of an SDFG."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from dace.sdfg.state import AbstractControlFlowRegion, ConditionalBlock, ControlFlowBlock, LoopRegion, SDFGState

from daad.errors import Location
from daad.frontend.sdfg.locations import block_location, refused
from daad.frontend.sdfg.states.assigned_symbols import assign_symbols, regions_of, steps_of
from daad.frontend.sdfg.symbol_table import Scope
from daad.frontend.sdfg.values.arithmetic import Value, add, apply, as_expr, literal, multiply
from daad.frontend.sdfg.values.code import condition_of, parsed, value_of
from daad.frontend.sdfg.values.ranges import range_of
from daad.ir.affine import Affine
from daad.ir.nodes import Branch, Loop, Node
from daad.ir.operations.python_operators import COMPARED
from daad.ir.symbols import Kind, form
from daad.ir.walk import loads, writes

StateLift = Callable[[SDFGState, Scope], tuple[Node, ...]]


def lift_region(region: AbstractControlFlowRegion, scope: Scope, lift_state: StateLift) -> tuple[Node, ...]:
    """The blocks of a region one after the other."""
    body: list[Node] = []
    for step in steps_of(region, block_location(region)):
        assigned, scope = assign_symbols(step.assignments, scope, block_location(step.block))
        body.extend(assigned)
        if type(step.block).__name__ in JUMPS:
            raise refused(f"{JUMPS[type(step.block).__name__]} cannot be differentiated.", block_location(region))
        body.extend(_lift_block(step.block, scope, lift_state))
    return tuple(body)


def _lift_block(block: ControlFlowBlock, scope: Scope, lift_state: StateLift) -> tuple[Node, ...]:
    if isinstance(block, SDFGState):
        return lift_state(block, scope)
    if isinstance(block, LoopRegion):
        return _lift_loop(block, scope, lift_state)
    if isinstance(block, ConditionalBlock):
        return _lift_branches(block, scope, lift_state)
    if isinstance(block, AbstractControlFlowRegion):
        return lift_region(block, scope, lift_state)
    raise refused(f"A {type(block).__name__} cannot be differentiated.", block_location(block))


JUMPS = {
    "BreakBlock": "A 'break'",
    "ContinueBlock": "A 'continue'",
    "ReturnBlock": "A 'return' inside a loop or branch",
}


def _lift_branches(block: ConditionalBlock, scope: Scope, lift_state: StateLift) -> tuple[Node, ...]:
    """`if`, `elif`, …, `else` as nested branches."""
    at = block_location(block)
    body: tuple[Node, ...] = ()
    for condition, region in reversed(block.branches):
        then = lift_region(region, scope, lift_state)
        if condition is None:
            body = then
            continue
        value = condition_of(condition, scope.meaning(at))
        known = literal(value)
        if known is not None:
            body = then if known else body
        elif then or body:
            body = (Branch(as_expr(value), then, body, at),)
    return body


def _lift_loop(loop: LoopRegion, scope: Scope, lift_state: StateLift) -> tuple[Node, ...]:
    at = block_location(loop)
    name = loop.loop_variable
    if not name or loop.init_statement is None or loop.update_statement is None or loop.inverted:
        raise refused("A 'while' loop cannot be differentiated.", at, "Use 'for' with a bound.")
    start = _initial(loop, scope, at)
    step = _step(loop, scope, at)
    stop = _stop(loop, step, scope, at)
    variable = scope.variable(name)
    own = Affine.of(variable)
    first, last, sign, value = start, stop, step, own if abs(step) == 1 else add(start, multiply(own, Affine(step)))
    if abs(step) != 1:
        first, last, sign = Affine(0), _trips(start, stop, step), 1
    inner = scope.inside(variable, range_of(variable, first, last, sign), **{name: value})
    _check_untouched(loop, at)
    body = lift_region(loop, replace(inner, cells=inner.cells - {name}), lift_state)
    changed = {load.array for bound in (first, last) for load in loads(bound)} & writes(body)
    if changed:
        raise refused(f"A loop changes '{min(changed)}', on which its own bounds depend.", at)
    return (Loop(variable, first, last, sign, body, at),) if body else ()


def _check_untouched(loop: LoopRegion, at: Location | None) -> None:
    """The loop's variable may be changed by its header alone."""
    for region in regions_of(loop):
        for edge in [] if isinstance(region, ConditionalBlock) else region.edges():
            if loop.loop_variable in edge.data.assignments:
                raise refused(f"A loop assigns its own variable '{loop.loop_variable}'.", at)


def _trips(start: Value, stop: Value, step: int) -> Value:
    """How many of start, start + step, … lie before stop."""
    span = apply("subtract", stop, start)
    return apply("negative", apply("floor_divide", apply("negative", span), Affine(step)))


def _initial(loop: LoopRegion, scope: Scope, at: Location | None) -> Value:
    assign = parsed(loop.init_statement)[0]
    assert isinstance(assign, ast.Assign), "a loop starts with an assignment"
    return value_of(assign.value, scope.meaning(at))


def _step(loop: LoopRegion, scope: Scope, at: Location | None) -> int:
    """The number that the loop's update adds to its variable."""
    assign = parsed(loop.update_statement)[0]
    assert isinstance(assign, ast.Assign), "a loop ends with an assignment"
    before = form(Kind.OPERAND, loop.loop_variable)
    marked = scope.with_values({loop.loop_variable: before})
    value = value_of(assign.value, marked.meaning(at))
    step = literal(apply("subtract", value, before)) if isinstance(value, Affine) else None
    if not step:
        raise refused("The step of a loop is not a constant number.", at)
    return int(step)


BOUNDS: dict[tuple[type[ast.cmpop], int], int] = {
    (ast.Lt, 1): 0,
    (ast.LtE, 1): 1,
    (ast.NotEq, 1): 0,
    (ast.Gt, -1): 0,
    (ast.GtE, -1): -1,
    (ast.NotEq, -1): 0,
}


def _stop(loop: LoopRegion, step: int, scope: Scope, at: Location | None) -> Value:
    """The first value that the variable must not reach."""
    statement = parsed(loop.loop_condition)[0]
    test = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        raise refused("The condition of a loop is not a bound of its variable.", at)
    left, op, right = test.left, type(test.ops[0]), test.comparators[0]
    if isinstance(right, ast.Name) and right.id == loop.loop_variable and op in COMPARED:
        left, op, right = right, COMPARED[op].mirrored, left
    offset = BOUNDS.get((op, 1 if step > 0 else -1))
    if not isinstance(left, ast.Name) or left.id != loop.loop_variable or offset is None:
        raise refused("The condition of a loop is not a bound of its variable.", at)
    if op is ast.NotEq and abs(step) != 1:
        raise refused("The condition of a loop is not a bound of its variable.", at)
    return add(value_of(right, scope.meaning(at)), Affine(offset))
