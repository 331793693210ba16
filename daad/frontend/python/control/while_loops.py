"""`while` on what is known while the program is read is written out iteration by iteration; what data end, or what gets
too long, is a loop with a bound (see trip_counts.py)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

import numpy as np

from daad.frontend import unsupported
from daad.frontend.python.control import early_exits, replaced_loops
from daad.frontend.python.control.for_loops import MAX_NODES
from daad.frontend.python.reading.reader import Reader, Signal
from daad.frontend.python.reading.trip_counts import FAILED
from daad.frontend.python.values import overloads
from daad.frontend.staging.speculation import assumed
from daad.ir.nodes import Op

MAX_ITERATIONS = 100_000
MANY, LONG = 32, 500
"""Iterations, and statements of theirs, beyond which a loop is no more written out if it can be one with a bound."""


def run_while(reader: Reader, node: ast.While, rest: Sequence[ast.stmt]) -> Signal | None:
    """The statement; gives the signal that leaves the function, if any."""
    instead = partial(run_bounded, reader, node, rest)
    if id(node) in reader.bounded:
        return instead()
    return replaced_loops.read(reader, node, partial(_run, reader, node, rest), instead)


def _run(reader: Reader, node: ast.While, rest: Sequence[ast.stmt]) -> Signal | None:
    before = reader.stage.emitted
    for number in range(MAX_ITERATIONS):
        if number >= MANY and reader.stage.emitted - before > LONG and reader.trips.rolls:
            reader.trips.has_rolled = True
            early_exits.bound(reader, node)
        if not _holds(reader, node):
            return reader.execute([*node.orelse, *rest]) or Signal.END
        reader.path.append(number)
        reader.courses.append((reader.scope, node))
        try:
            signal = reader.execute(node.body)
        finally:
            reader.courses.pop()
        reader.path.pop()
        if signal is Signal.BREAK:
            return None
        if signal is Signal.RETURN:
            return signal
        if reader.stage.emitted > MAX_NODES:
            break
    early_exits.bound(reader, node)
    reader.stage.refuse(
        "This loop has to be written out iteration by iteration, and that is too long.", "Use 'for' with a bound."
    )
    return None


def _holds(reader: Reader, node: ast.While) -> bool:
    stage = reader.stage
    condition = overloads.condition(reader, node.test)
    if isinstance(condition, bool):
        return condition
    number = Op("where", (condition, *(stage.scalar(n, np.int64).expr for n in (1, 0))), "int64")
    asked = stage.lazy((), np.int64, lambda _: number)
    decided = stage.decided(asked, "A 'while' loop changes from iteration to iteration.")
    if decided is None:
        early_exits.bound(reader, node)
        decided = assumed(stage, stage.array(asked), "The condition of a 'while' loop")
    if decided is None:
        raise unsupported.refusal(node, stage.at)
    return bool(decided)


def run_bounded(reader: Reader, node: ast.stmt, rest: Sequence[ast.stmt]) -> Signal | None:
    """What stands for a loop with a bound."""
    statements, names = reader.bounded[id(node)]
    reader.scope.own |= frozenset(names)
    reader.bind(FAILED, 0 if reader.failed is None else reader.failed)
    return reader.execute([*statements, *rest]) or Signal.END
