"""Loops whose iterations threads share: maps around nested SDFGs, in which a thread has arrays for itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dace
from dace import subsets
from dace.sdfg import nodes

from daad.codegen.dace_types import BYTE, EACH, FURTHER, TEAM
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.sdfg.arrays import add_array, add_scalar_value, add_scratch
from daad.codegen.sdfg.nests import Facts, line_info
from daad.codegen.sdfg.symbolic_forms import symbolic
from daad.ir.affine import Affine
from daad.ir.nodes import Loop, Node, Sharing

AddBody = Callable[[Any, tuple[Node, ...], Context], None]


def add_shared_loop(chain: Any, loop: Loop, add_body: AddBody, context: Context) -> None:
    """Appends a state with the map; each iteration is a call of one function."""
    assert loop.sharing is not None, f"the loop over '{loop.var}' is no shared one"
    var = context.names[loop.var]
    nested = dace.SDFG(f"iteration_{loop.sharing.number}")
    inputs, outputs = _arrays(nested, loop, loop.sharing, context)
    inside = type(chain)(nested, nested, chain.labels, {})
    add_body(inside, loop.body, context.inside_loop(loop))
    used = {s for facts in inside.facts.values() for s in facts.symbols}
    around = [context.names[n] for n in (*context.program.integers, *context.loops, loop.var)]
    given = sorted(used.intersection(around))
    for symbol in given:
        inside.declare(symbol)
    chain.facts |= inside.facts
    state = chain.state(chain.labels.new(f"shared_{var}"))
    start, last = _ends(loop)
    bounds = frozenset(context.names[n] for n in (*start.names, *last.names))
    chain.facts[state.label] = Facts(bounds.union(given) - {var})
    state.set_default_lineinfo(line_info(loop.at))
    entry, leave = state.add_map(f"{state.label}_map", {var: _range(start, last, context)}, schedule=TEAM)
    entry.map.omp_chunk_size, entry.map.omp_num_threads = 1, loop.sharing.threads
    node = _nested(state, nested, inputs, outputs, given)
    _connect(state, entry, node, leave, inputs, outputs)


def _nested(state: Any, sdfg: Any, inputs: list[str], outputs: list[str], symbols: list[str]) -> Any:
    """The node of an SDFG whose symbols are known: DaCe would look for them in the text of tasklets."""
    ends = (dict.fromkeys(inputs), dict.fromkeys(outputs))
    info = state._default_lineinfo
    node = nodes.NestedSDFG(sdfg.label, sdfg, *ends, symbol_mapping={s: s for s in symbols}, debuginfo=info)
    sdfg.parent, sdfg.parent_sdfg, sdfg.parent_nsdfg_node = state, state.sdfg, node
    sdfg.update_cfg_list([])
    state.add_node(node)
    return node


def _ends(loop: Loop) -> tuple[Affine, Affine]:
    """The smallest and the largest value of the variable."""
    start, stop = loop.start, loop.stop
    assert isinstance(start, Affine), f"threads share the loop over '{loop.var}', which begins where data decide"
    assert isinstance(stop, Affine), f"threads share the loop over '{loop.var}', which ends where data decide"
    return (start, stop - 1) if loop.step > 0 else (stop + 1, start)


def _range(start: Affine, last: Affine, context: Context) -> Any:
    return subsets.Range([(symbolic(start, context.names), symbolic(last, context.names), 1)])


def _arrays(nested: Any, loop: Loop, sharing: Sharing, context: Context) -> tuple[list[str], list[str]]:
    """Adds arrays; returns the names of those that come in, and of those that go out."""
    inputs, outputs = [], []
    frame = context.placement.frames.get(sharing.number)
    for name in sorted(loop.touched):
        array, word = context.arrays[name], context.names[name]
        is_own, is_scalar = name in sharing.own, not array.shape and name not in context.outer
        if is_own and not is_scalar:
            assert frame is not None, f"'{name}' has no place for further threads"
            place = {FURTHER: str(context.placement.shared + frame.offsets[name]), EACH: str(frame.nbytes)}
            add_scratch(nested, array, context, {BYTE: str(context.placement.offsets[name]), **place})
        elif is_scalar:
            add_scalar_value(nested, array, context, is_own)
        else:
            add_array(nested, array, context)
        if not is_own:
            inputs.append(word)
            outputs += [word] if name in loop.written else []
    return inputs, outputs


def _connect(state: Any, entry: Any, node: Any, leave: Any, inputs: list[str], outputs: list[str]) -> None:
    """Whole arrays go in and out."""

    def whole(name: str) -> Any:
        return dace.Memlet.from_array(name, state.sdfg.arrays[name])

    for name in inputs:
        entry.add_in_connector(f"IN_{name}")
        entry.add_out_connector(f"OUT_{name}")
        state.add_edge(state.add_read(name), None, entry, f"IN_{name}", whole(name))
        state.add_edge(entry, f"OUT_{name}", node, name, whole(name))
    for name in outputs:
        leave.add_in_connector(f"IN_{name}")
        leave.add_out_connector(f"OUT_{name}")
        state.add_edge(node, name, leave, f"IN_{name}", whole(name))
        state.add_edge(leave, f"OUT_{name}", state.add_write(name), None, whole(name))
    if not inputs:
        state.add_nedge(entry, node, dace.Memlet())
    if not outputs:
        state.add_nedge(node, leave, dace.Memlet())
