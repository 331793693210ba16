"""`for` loops over as many numbers as data say, in other loops: with a bound there is memory for each iteration.

for k in range(first, last):     →     start, stop = first, last
    work                               while start + trip < stop:    (trip counts the iterations, trip_counts.py)
                                           k = start + trip
                                           work
"""

from __future__ import annotations

import ast

from daad.frontend.python.control import early_exits
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.trip_counts import Bounded, trip_of
from daad.frontend.python.syntax.made_nodes import assign, kept, load
from daad.frontend.staging.iterables import Range, Staged
from daad.ir.affine import Affine
from daad.ir.symbols import Kind, symbol


def bound(reader: Reader, node: ast.For, items: Staged) -> None:
    """The loop gets a bound if loops like it are to have one, and all is read again; returns where it has none."""
    if not (reader.trips.ranges and reader.stage.loop_variables and isinstance(items, Range)):
        return
    is_counted = isinstance(items.start, Affine) and isinstance(items.stop, Affine)
    call = node.iter
    if is_counted or isinstance(node, Bounded) or not isinstance(call, ast.Call) or call.keywords:
        return
    if len(call.args) in (1, 2, 3) and not any(isinstance(arg, ast.Starred) for arg in call.args):
        first, loop = kept(node, f"counted by {items.step}", lambda: _as_while(node, call.args, items.step))
        early_exits.bound(reader, node, loop, first)


def _as_while(node: ast.For, args: list[ast.expr], step: int) -> tuple[list[ast.stmt], ast.While]:
    """What comes first, and the loop."""
    place = f"{node.lineno}:{node.col_offset}"
    start, stop = symbol(Kind.HIDDEN, "start", place), symbol(Kind.HIDDEN, "stop", place)
    bounds = [ast.Constant(0), *args] if len(args) == 1 else args
    first = [assign(start, bounds[0]), assign(stop, bounds[1])]
    gone = ast.BinOp(load(trip_of(node)), ast.Mult(), ast.Constant(step))
    number = ast.BinOp(load(start), ast.Add(), gone)
    goes_on = ast.Compare(number, [ast.Lt() if step > 0 else ast.Gt()], [load(stop)])
    loop = ast.While(goes_on, [ast.Assign([node.target], number), *node.body], node.orelse)
    made = [ast.fix_missing_locations(ast.copy_location(one, node)) for one in (*first, loop.body[0], loop)]
    return made[:2], loop
