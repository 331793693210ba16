"""Loops in blocks: the iterations of a block are run again together, and reversed with a tape for all of them.

With about as many blocks as iterations in a block, all iterations are run again once, and memory grows with the square
root of the trip count (two-level checkpointing).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from daad.analysis.sites import ORELSE, THEN, Path
from daad.ir.affine import Affine
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Branch, Const, Index, IndexValue, Loop, Node, Op, Program
from daad.ir.walk import substitute_node
from daad.loops.replay import first_value, is_constant, trip_count

Lengths = Mapping[Path, int]


def in_blocks(program: Program, lengths: Lengths) -> Program:
    """The same program; each loop at a path of `lengths` is one over blocks of so many iterations, the last shorter.

    Loops whose bounds are no numbers, and those that data end, stay as they are.
    """
    if not lengths:
        return program
    return replace(program, body=_body(program.body, (), lengths, NameSupply.of(program)))


def _body(body: tuple[Node, ...], path: Path, lengths: Lengths, names: NameSupply) -> tuple[Node, ...]:
    return tuple(_node(node, (*path, n), lengths, names) for n, node in enumerate(body))


def _node(node: Node, path: Path, lengths: Lengths, names: NameSupply) -> Node:
    if isinstance(node, Branch):
        then, orelse = (_body(b, (*path, s), lengths, names) for b, s in ((node.then, THEN), (node.orelse, ORELSE)))
        return replace(node, then=then, orelse=orelse)
    if not isinstance(node, Loop):
        return node
    loop = replace(node, body=_body(node.body, path, lengths, names))
    return _in_blocks(loop, lengths[path], names) if path in lengths and can_be_blocked(loop) else loop


def can_be_blocked(loop: Loop) -> bool:
    """Whether it is known how many blocks there are."""
    return is_constant(loop) and loop.ending is None


def _in_blocks(loop: Loop, length: int, names: NameSupply) -> Loop:
    """`for block …: for step …: body` with the variable at `start + direction * (length * block + step)`."""
    trips, direction = trip_count(loop), loop.step
    block, step = names.new(f"{loop.var}_block"), names.new(f"{loop.var}_step")
    done = Affine.of(block) * length
    value = {loop.var: first_value(loop) + (done + Affine.of(step)) * direction}
    body = tuple(substitute_node(node, value) for node in loop.body)
    stop: Index = Affine(length)
    if trips % length:
        stop = Op("minimum", (Const(length, "int64"), IndexValue(trips - done)), "int64")
    inner = Loop(step, Affine(0), stop, 1, body, loop.at)
    return Loop(block, Affine(0), Affine(-(-trips // length)), 1, (inner,), loop.at, origin=loop.var)
