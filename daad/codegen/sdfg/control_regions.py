"""Loops and branches as DaCe's control-flow regions; the body of a Program as a chain of blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import dace
from dace.properties import CodeBlock
from dace.sdfg.state import BreakBlock, ConditionalBlock, ControlFlowRegion, LoopRegion

from daad.codegen.schedule.bounds import is_definition, is_void
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.python_transfers import numbers_put
from daad.codegen.schedule.recurrences import find_recurrence
from daad.codegen.sdfg.conditions import add_scalar, condition_text
from daad.codegen.sdfg.nests import Facts, add_nest, add_numbers, add_recurrence
from daad.codegen.sdfg.shared_loops import add_shared_loop
from daad.codegen.sdfg.symbolic_forms import text
from daad.ir.affine import Affine
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Branch, Expr, Index, Load, Loop, Nest, Node
from daad.ir.walk import variables


@dataclass
class Chain:
    """Appends blocks to a region, one after the other; labels are unique within the SDFG and those nested in it.

    `facts`: of blocks, by label.
    """

    sdfg: Any
    region: Any
    labels: NameSupply
    facts: dict[str, Facts]
    last: Any = field(default=None)

    def append(self, block: Any, assignments: Mapping[str, str] | None = None) -> Any:
        """Adds a block behind the last one; symbols may get values on the way to it."""
        assert self.last is not None or not assignments, "there is no way to the first block of a region"
        self.region.add_node(block, is_start_block=self.last is None, ensure_unique_name=False, reset_cfg_list=False)
        if self.last is not None:
            self.region.add_edge(self.last, block, dace.InterstateEdge(assignments=assignments))
        self.last = block
        return block

    def state(self, label: str, assignments: Mapping[str, str] | None = None) -> Any:
        """Appends an empty state."""
        return self.append(dace.SDFGState(self.labels.new(label)), assignments)

    def inside(self, region: Any) -> Chain:
        """A new chain in a region that has just been appended."""
        return Chain(self.sdfg, region, self.labels, self.facts)

    def declare(self, symbol: str) -> str:
        """The symbol, which the SDFG has."""
        if symbol not in self.sdfg.symbols:
            self.sdfg.add_symbol(symbol, dace.int64)
        return symbol


def add_body(chain: Chain, body: tuple[Node, ...], context: Context) -> None:
    """Appends all nodes; a region is never left without a block."""
    for node in body:
        ADDERS[type(node)](chain, node, context)
    if chain.last is None:
        chain.state("nothing")


def _add_nest(chain: Chain, nest: Nest, context: Context) -> None:
    if is_void(nest.domain, context.known):
        return
    state = chain.state(context.names[nest.assigns[0].target.array])
    chain.facts[state.label] = add_nest(state, nest, context)


def _add_loop(chain: Chain, loop: Loop, context: Context) -> None:
    if is_definition(loop):
        _add_definition(chain, loop, context)
        return
    if loop.sharing is not None and not context.is_portable:
        add_shared_loop(chain, loop, add_body, context)
        return
    recurrence = find_recurrence(loop, context) if loop.sharing is None else None
    if recurrence is not None:
        state = chain.state(chain.labels.new(f"loop_{context.names[loop.var]}"))
        chain.facts[state.label] = add_recurrence(state, recurrence, context)
        return
    if (transfer := numbers_put(loop, context)) is not None:
        state = chain.state(context.names[transfer.token])
        chain.facts[state.label] = add_numbers(state, transfer, context)
        return
    start, stop = _bound(chain, loop.start, "start", context), _bound(chain, loop.stop, "stop", context)
    var = chain.declare(context.names[loop.var])
    region = LoopRegion(
        chain.labels.new(f"loop_{var}"),
        condition_expr=f"{var} {'<' if loop.step > 0 else '>'} {stop}",
        loop_var=var,
        initialize_expr=f"{var} = {start}",
        update_expr=f"{var} = {var} {'+' if loop.step > 0 else '-'} {abs(loop.step)}",
    )
    chain.append(region)
    symbols, flag = _symbols(loop.start, start, context) | _symbols(loop.stop, stop, context), _flag(loop, context)
    chain.facts[region.label] = Facts(symbols | ({flag} if flag else set()), goes_on=flag)
    inner = chain.inside(region)
    if flag and context.is_portable:
        _add_end(inner, flag)
    add_body(inner, loop.body, context.inside_loop(loop))


def _flag(loop: Loop, context: Context) -> str:
    """The scalar that tells whether the loop goes on, where data end it."""
    flag = loop.ending.goes_on if loop.ending else None
    return context.names[flag.array] if isinstance(flag, Load) and not flag.index else ""


def _add_end(chain: Chain, flag: str) -> None:
    """Leaves the loop where nothing is left to do."""
    chain.state(chain.labels.new("ended"))
    block = ConditionalBlock(chain.labels.new("over"), chain.sdfg)
    then = _side(chain, block, CodeBlock(f"not {flag}"))
    chain.append(block)
    then.append(BreakBlock(chain.labels.new("leave")))


def _symbols(index: Index, word: str, context: Context) -> frozenset[str]:
    """What the text of an index names."""
    return frozenset(context.names[n] for n in variables(index)) if isinstance(index, Affine) else frozenset((word,))


def _add_definition(chain: Chain, loop: Loop, context: Context) -> None:
    """The variable gets its value on the way to the body."""
    value = _bound(chain, loop.start, "value", context)
    var = chain.declare(context.names[loop.var])
    state = chain.state(f"with_{var}", {var: value})
    chain.facts[state.label] = Facts(_symbols(loop.start, value, context))
    add_body(chain, loop.body, context.inside_loop(loop))


def _bound(chain: Chain, bound: Index, label: str, context: Context) -> str:
    """Affine bounds stand in the loop itself, others are computed once before it."""
    if isinstance(bound, Affine):
        return text(bound, context.names)
    return _scalar(chain, bound, label, "int64", context)


def _scalar(chain: Chain, value: Expr, label: str, dtype: str, context: Context) -> str:
    state = chain.state(label)
    chain.facts[state.label] = Facts(frozenset(context.names[n] for n in variables(value)))
    return add_scalar(chain.sdfg, state, value, f"{state.label}__value", dtype, context)


def _add_branch(chain: Chain, branch: Branch, context: Context) -> None:
    test = condition_text(branch.condition, context)
    facts = Facts(frozenset(context.names[n] for n in variables(branch.condition)))
    if test is None:
        test = _scalar(chain, branch.condition, "condition", "bool", context)
        facts = Facts(frozenset((test,)))
    block = ConditionalBlock(chain.labels.new("branch"), chain.sdfg)
    then = _side(chain, block, CodeBlock(test))
    orelse = _side(chain, block, None) if branch.orelse else None
    chain.append(block)
    chain.facts[block.label] = facts
    add_body(then, branch.then, context)
    if orelse is not None:
        add_body(orelse, branch.orelse, context)


def _side(chain: Chain, block: Any, test: Any) -> Chain:
    """A side of a block that no region has yet: DaCe numbers all regions again after each of one that is in place."""
    side = ControlFlowRegion(chain.labels.new("then" if test else "otherwise"), sdfg=chain.sdfg)
    block.add_branch(test, side)
    return chain.inside(side)


ADDERS: dict[type, Callable[[Chain, Any, Context], None]] = {Nest: _add_nest, Loop: _add_loop, Branch: _add_branch}
