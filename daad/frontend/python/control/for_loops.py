"""`for`: staged as a Loop where its iterations are alike, otherwise iteration by iteration."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

import numpy as np

from daad.errors import Unsupported
from daad.frontend.python.control import counted_loops, early_exits, last_iteration, loop_links
from daad.frontend.python.control.carried_variables import carry, settled
from daad.frontend.python.control.checks import catches
from daad.frontend.python.control.course import Course, begins, has_a_trip
from daad.frontend.python.control.generator_functions import give_all, gives_all
from daad.frontend.python.control.grid_loops import nested_in, run_grid
from daad.frontend.python.reading.environment import Varying, changes
from daad.frontend.python.reading.fixpoint import Again, install, is_learned_of_lists, remove, repeat
from daad.frontend.python.reading.loop_plans import Plan
from daad.frontend.python.reading.reader import Reader, Signal, Tracker, Unbound
from daad.frontend.python.reading.trip_counts import Bounded
from daad.frontend.python.syntax.made_nodes import place
from daad.frontend.python.targets import assign_target
from daad.frontend.python.values import overloads
from daad.frontend.python.values.iterators import Once, Place, iterate
from daad.frontend.python.values.over_loops import growing_lists, indexed_lists, rebound_lists
from daad.frontend.python.values.over_loops.number_tables import Known, is_long, is_table, known_items, table
from daad.frontend.python.values.over_loops.row_tables import RowTable, is_row_table, row_table
from daad.frontend.python.values.over_loops.stand_ins import StandIns
from daad.frontend.staging import iterables
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.facts import Unroll
from daad.frontend.staging.speculation import assumed, assumed_bound, counted_bound
from daad.frontend.staging.truth import is_static_but_for_loops
from daad.frontend.staging.values import (
    ZERO,
    View,
)
from daad.ir.affine import Affine
from daad.ir.nodes import Ending, Load
from daad.ir.symbols import called

MAX_NODES = 10_000
PLAIN = ("int", "len", "min", "max", "abs", "round")
REST = -1
"""The plan of a loop without its first iteration is known by the loop's key and this."""


def run_for(reader: Reader, node: ast.For, rest: Sequence[ast.stmt]) -> Signal | None:
    """The statement; gives the signal that leaves the block, if any."""
    value = _counted_by_numpy(reader, node.iter) or overloads.gone_through(reader, node.iter, reader.eval(node.iter))
    grid = nested_in(node, value)
    if grid is not None:
        return run_grid(reader, node, grid, rest)
    sequence = iterables.staged(value)
    key = (*reader.path, place(node))
    if sequence is None:
        once = iterate(reader, value)
        known = known_items(once, reader.cells) if reader.rolls else None
        if gives_all(reader, node, once):
            signal = None
            give_all(reader, node, once, partial(_run_body, reader, node, run=reader.execute))
        elif known is not None and (is_table(reader.stage, known.items) or is_row_table(reader.stage, known.items)):
            signal = repeat(reader, key, lambda plan: _attempt_items(reader, node, once, known, plan), loop=True)
        else:
            signal = _run_items(reader, node, once.rest(reader.stage))
    else:
        counted_loops.bound(reader, node, sequence)
        start, stop, step = sequence.bounds(reader.stage)
        course = Course(node, sequence, counted_bound(reader.stage, start), counted_bound(reader.stage, stop), step)
        signal = repeat(reader, key, lambda plan: _attempt(reader, course, plan), loop=True)
    if signal is Signal.BREAK:
        return None
    if signal is None and node.orelse:
        return reader.execute([*node.orelse, *rest]) or Signal.END
    return signal


def _counted_by_numpy(reader: Reader, node: ast.expr) -> iterables.Counted | None:
    """`np.arange` with ends that data decide, of which the loop needs no array."""
    if not (isinstance(node, ast.Call) and 1 <= len(node.args) <= 3 and not node.keywords and _is_name(node.func)):
        return None
    if reader.eval(node.func) is not np.arange or not all(map(_is_plain, node.args)):
        return None
    return iterables.counted(reader.stage, [reader.eval(end) for end in node.args])


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_name(node.value))


def _is_plain(node: ast.expr) -> bool:
    """Whether it may be computed twice."""
    calls = (one for one in ast.walk(node) if isinstance(one, ast.Call | ast.NamedExpr | ast.Await | ast.Yield))
    return all(isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id in PLAIN for one in calls)


def _attempt_items(reader: Reader, node: ast.For, once: Once, known: Known, plan: Plan) -> Signal | None:
    """A loop over a list of numbers is written out, unless that gets long and its iterations are alike."""
    stage = reader.stage
    known.give_again()
    is_plain = is_table(stage, known.items)
    if id(node) in reader.written_out or (plan.indexed is None and not is_plain):
        plan.rolled = False
    if not plan.rolled:
        return _run_items(reader, node, once.rest(stage), plan if plan.rolled is None else None, len(known.items))
    rows, held = table(stage, known.items) if is_plain else row_table(reader, plan, known.items), known.held(stage)
    try:
        signal = _attempt(reader, Course(node, rows, *rows.bounds(stage)), plan)
        if isinstance(rows, RowTable):
            rows.leave(reader)
    except (Unroll, Unsupported) as error:
        if isinstance(error, Unroll) and error.variable != plan.variable:
            raise
        if is_learned_of_lists(reader, plan, error):
            raise Again from None
    else:
        known.spend()
        held.clear()
        if known.is_unchanged():
            return signal
    reader.written_out.add(id(node))
    plan.start_over(rolled=False)
    raise Again


def _run_items(
    reader: Reader, node: ast.For, items: Iterable[Any], plan: Plan | None = None, count: int = 0
) -> Signal | None:
    """One after the other; where the plan may still make a loop of them, the first one tells whether that pays."""
    made, nodes = reader.stage.made, len(reader.stage.blocks[-1].nodes)
    for number, item in enumerate(items):
        reader.path.append(number)
        signal = _run_body(reader, node, item, reader.execute)
        reader.path.pop()
        if plan is not None and number == 0:
            values = (reader.stage.made - made) * count
            if plan.is_loop(is_long(values, reader.stage.blocks[-1].nodes[nodes:])):
                raise Again
        if signal in (Signal.BREAK, Signal.RETURN):
            return signal
        if reader.stage.emitted > MAX_NODES:
            reader.stage.refuse(
                "This loop has to be written out iteration by iteration, and that is too long.",
                "Make its iterations alike: the same shapes, the same lists.",
            )
    return None


def _run_body(reader: Reader, node: ast.For, item: Any, run: Callable[..., Signal | None]) -> Signal | None:
    assign_target(reader, node.target, item)
    reader.courses.append((reader.scope, node))
    try:
        signal = run(node.body)
    finally:
        reader.courses.pop()
    return None if signal is Signal.CONTINUE else signal


def _attempt(reader: Reader, course: Course, plan: Plan) -> Signal | None:
    trips = course.trips
    if trips is not None and reader.stage.provable(-trips):
        return None
    if trips == Affine(1):
        return _run_items(reader, course.node, [course.items.item(reader.stage, course.at(0))])
    if plan.trial is not None:
        _try(reader, course, plan, plan.trial)
    if plan.unroll is not None:
        return _unrolled(reader, course, plan, plan.unroll)
    if not plan.peel:
        return _staged(reader, course, plan)
    course = _with_a_trip(reader, course, plan)
    signal = _run_items(reader, course.node, [course.items.item(reader.stage, course.at(0))])
    if signal is not None:
        return signal
    key = (*reader.path, place(course.node), REST)
    return repeat(reader, key, lambda rest: _attempt_rest(reader, course.rest(), rest), loop=True)


def _try(reader: Reader, course: Course, plan: Plan, why: Unroll) -> NoReturn:
    """Reads the first iteration alone to see which lists grow; without any there is another way. What that takes from
    iterators cannot be put back."""
    plan.trial, is_there = None, has_a_trip(reader.stage, course) and isinstance(course.start, Affine)
    yields = any(isinstance(n, ast.Yield | ast.YieldFrom) for s in course.node.body for n in ast.walk(s))
    if yields or any(isinstance(value, Once | Place | Iterator) for _, value in reader.held()):
        raise why
    with suppress(Unsupported):
        signal = _run_items(reader, course.node, [course.items.item(reader.stage, course.at(0))]) if is_there else None
        if signal is None and growing_lists.learn(reader, plan, plan.saved, 1):
            plan.seeded |= plan.grown.keys() if plan.grown else set()
            raise Again
    raise why


def _attempt_rest(reader: Reader, course: Course, plan: Plan) -> Signal | None:
    """The iterations after the first, which has been read already; what it made is here before the loop."""
    plan.peel = True
    if course.trips is not None and reader.stage.provable(-course.trips):
        return None
    if course.trips == Affine(1):
        return _run_items(reader, course.node, [course.items.item(reader.stage, course.at(0))])
    return _staged(reader, course, plan) if plan.unroll is None else _unrolled(reader, course, plan, plan.unroll)


def _with_a_trip(reader: Reader, course: Course, plan: Plan) -> Course:
    """The first iteration can stand apart only where there is one, which may be so for what data say in this call."""
    stage, trips = reader.stage, course.trips
    if has_a_trip(stage, course):
        return course
    is_open = trips is None and plan.aliased is None
    if is_open and assumed(stage, stage.lazy((), bool, lambda _: begins(course)), "Whether a loop begins"):
        return replace(course, start=assumed_bound(stage, course.start))
    if trips is not None:
        stage.pin_related(trips)
    if plan.aliased is not None:
        raise plan.aliased
    if trips is not None and stage.loop_variables:
        raise Unbound(stage.at)
    return reader.refuse_unbound()


def _unrolled(reader: Reader, course: Course, plan: Plan, why: Unroll) -> Signal | None:
    stage, trips = reader.stage, course.trips
    if stage.speculation.is_on:
        early_exits.follow(reader, course.node)
    if trips is None:
        course = _assumed(reader, course, why.message)
        trips = course.trips
    if trips is None:
        stage.at = why.at
        stage.refuse(why.message, "Write the loop with arrays of fixed shapes.")
    stage.pin(trips)
    for bound in (course.start, course.stop):
        assert isinstance(bound, Affine), "a loop with known trips has affine bounds"
        stage.pin(bound)
        if not bound.is_const:
            raise stage.unroll(bound, why.message)
    # An item is read when its iteration begins: the iterations before may have written it.
    items = (course.items.item(stage, course.at(k)) for k in range(trips.const))
    return _run_items(reader, course.node, items, plan if plan.wanted is not None else None, trips.const)


def _assumed(reader: Reader, course: Course, message: str) -> Course:
    """With the number of iterations that data say, or that of a loop around says."""
    _unroll_around(reader, course, message)
    start, stop = (assumed_bound(reader.stage, bound) for bound in (course.start, course.stop))
    return replace(course, start=start, stop=stop)


def _staged(reader: Reader, course: Course, plan: Plan) -> Signal | None:
    stage = reader.stage
    is_longer = plan.lengthened or (plan.grown and not plan.counted)
    if (plan.period > 1 or is_longer) and course.trips is None:
        course = _assumed(reader, course, "Arrays change places or lengths in a loop whose length changes.")
    rebound = rebound_lists.enter(reader, plan)
    made = install(reader, plan, enter=True)
    inner = _counted(reader, course, plan)
    bodies = max(plan.period, 1)
    plan.has_loops = plan.has_loops or any(
        isinstance(n, ast.For | ast.While) for s in course.node.body for n in ast.walk(s)
    )
    stand_ins = StandIns(reader, plan, rebound, inner.trips, bodies)
    before, saved = stage.links, stand_ins.saved
    last = last_iteration.last_of(reader, inner) if plan.has_last else None
    entry = loop_links.enter(stage, plan, made, stand_ins.rows)
    tracker, mark = Tracker(plan, plan.reads), len(reader.looked_up)
    reader.trackers.append(tracker)
    plan.variable = stage.open_loop(_name(course), inner.start, inner.stop, inner.step)
    variable = Affine.of(plan.variable)
    stage.assume(course.items.facts(variable) if plan.period <= 1 else ())
    for number in range(bodies):
        position = variable if plan.period <= 1 else course.at(variable * plan.period + number)
        stand_ins.begin(passed := _passed(inner, variable, bodies, number))
        _read_body(reader, course, variable, position)
        stand_ins.end(passed)
    stand_ins.end_all()
    reader.trackers.pop()
    try:
        found = settled(reader, changes(saved))
    except Varying as varying:
        if _may_peel(stage, course, plan) and isinstance(varying.holder, dict | set):
            plan.peel, plan.specs = True, {}  # keys come in the first iteration, as those of a 'defaultdict' do
            raise Again from None
        if plan.grown == {} and reader.grows and growing_lists.learn(reader, plan, saved, bodies):
            raise Again from None
        raise stage.unroll(variable, "A list or dict changes its length in this loop.") from None
    if indexed_lists.spread(reader, plan, found, reader.looked_up[mark:]):
        raise Again
    carry(reader, plan, found, tracker, has_a_trip(stage, inner))
    stage.settle_masks_of_loop(plan.variable)
    loop_links.leave(stage, plan, entry)
    stage.close_loop(plan.variable, inner.start, inner.stop, inner.step, _ending(reader, course, plan))
    stage.links |= frozenset() if has_a_trip(stage, inner) else before
    last_iteration.leave(reader, plan, found, inner, last)
    stand_ins.leave()
    for cell in made if has_a_trip(stage, inner) and plan.period <= 1 else ():
        cell.leave(len(stage.blocks) + 1)
    if plan.period > 1:
        _remainder(reader, course, plan)
    remove(reader, made)
    return None


def _read_body(reader: Reader, course: Course, variable: Affine, position: Affine) -> None:
    """One body, in which the loop does not end."""
    stage = reader.stage
    try:
        signal = _run_body(reader, course.node, course.items.item(stage, position), reader.until_raised)
    except Unsupported as error:
        if error.raised is not None and catches(reader, type(error.raised)):
            raise stage.unroll(variable, error.message) from None
        raise
    if signal not in (None, Signal.RAISED):
        raise stage.unroll(variable, "A loop that ends early cannot be differentiated yet.")


def _passed(course: Course, variable: Affine, bodies: int, number: int) -> Affine:
    """The bodies before, where they are known."""
    start = course.start
    return (variable - start) * course.step * bodies + number if isinstance(start, Affine) else ZERO


def _may_peel(stage: Stage, course: Course, plan: Plan) -> bool:
    """Whether the first iteration does not stand apart, and could."""
    return not plan.peel and plan.rolled is None and has_a_trip(stage, course)


def _ending(reader: Reader, course: Course, plan: Plan) -> Ending | None:
    """What ends the loop before its bounds do, where its flag and its count are in memory."""
    node = course.node
    if plan.period > 1 or not isinstance(node, Bounded) or not hasattr(node, "running"):
        return None
    running, begun = (reader.lookup(name) for name in (node.running, node.begun))
    if not isinstance(running, View) or not isinstance(begun, View):
        return None
    flag, count = running.element(()), begun.element((Affine(0),))
    return Ending(flag, count) if isinstance(flag, Load) and isinstance(count, Load) else None


def _name(course: Course) -> str:
    """The user's name of what counts, where there is one."""
    target = course.node.target
    if isinstance(course.items, iterables.Enumerated) and isinstance(target, ast.Tuple):
        target = target.elts[0]
    if isinstance(course.items, iterables.Range | iterables.Enumerated) and isinstance(target, ast.Name):
        name = called(target.id)
        return name if name.strip("_") else "t"
    return "i"


def _counted(reader: Reader, course: Course, plan: Plan) -> Course:
    """The loop over whole periods."""
    if plan.period <= 1:
        return course
    trips = _known_trips(reader, course)
    return Course(course.node, course.items, Affine(0), Affine(trips // plan.period), 1)


def _known_trips(reader: Reader, course: Course) -> int:
    if course.trips is None:
        reader.stage.refuse("Arrays are exchanged in a loop whose length depends on data.", "Use a known length.")
    return max(0, reader.stage.known(course.trips))


def _unroll_around(reader: Reader, course: Course, message: str) -> None:
    """Unrolls the loop around that the bounds of this one depend on, if they depend on nothing else."""
    for bound in (course.start, course.stop):
        form = None if isinstance(bound, Affine) else is_static_but_for_loops(reader.stage, bound)
        if form is not None:
            raise reader.stage.unroll(form, message)


def _remainder(reader: Reader, course: Course, plan: Plan) -> None:
    """The iterations after the last whole period."""
    trips = _known_trips(reader, course)
    items = (course.items.item(reader.stage, course.at(k)) for k in range(trips - trips % plan.period, trips))
    _run_items(reader, course.node, items)
