"""Which nodes of an SDFG are in the CCS."""

from __future__ import annotations

from typing import Any

import dace
import numpy as np
import pytest
from dace.sdfg import nodes

import daad
from daad.api.sdfg_parts import MAKERS
from daad.ccs.graph import find_ccs
from tests.corpus.case import Case, normal
from tests.corpus.selection import chosen
from tests.programs import interpreted


def scaled(x, y):
    seen = np.sum(y * y)  # which x has no part in
    kept = np.exp(x)
    monitor = np.max(kept)
    return np.sum(kept * y) + seen, monitor


def of_names(x, y):
    value, _ = scaled(x, y)
    return value


def gathered(x, which):
    return np.sum(x[which] * 2.0)


@dace.program
def in_dace(x: dace.float64[8], y: dace.float64[8]):
    other = np.exp(y)
    z = x * 2.0
    other[:] = other + 1.0
    return np.sum(z * z)


@dace.program
def inner(a: dace.float64[8], b: dace.float64[8], c: dace.float64[8], d: dace.float64[8]):
    c[:] = a * 2.0
    d[:] = b * 3.0


@dace.program
def nesting(x: dace.float64[8], y: dace.float64[8]):
    c = np.zeros(8)
    d = np.zeros(8)
    inner(x, y, c, d)
    return np.sum(c * c)


def found(gradient: Any, sdfg: Any) -> tuple[set[str], list[str]]:
    """Arrays, and the labels of nodes that compute."""
    pairs = gradient.ccs.nodes(sdfg)
    assert all(node in state.nodes() for node, state in pairs)
    data = {node.data for node, _ in pairs if isinstance(node, nodes.AccessNode)}
    return data, [node.label for node, _ in pairs if isinstance(node, nodes.CodeNode)]


def read(sdfg: Any) -> set[str]:
    """What is handed on between nodes; values may stay in one."""
    return {node.data for state in sdfg.states() for node in state.data_nodes() if state.out_degree(node)}


def test_what_leads_from_inputs_to_outputs() -> None:
    gradient = daad.grad(of_names, wrt="x").compile(normal(0, 6), normal(1, 6))
    data, computing = found(gradient, gradient.to_sdfg("primal"))
    assert {"x", "value"} <= data
    assert "y" not in data and not any("seen" in name for name in data)
    assert computing


def test_integers_carry_no_derivative() -> None:
    gradient = daad.grad(gathered, wrt="x").compile(normal(0, 6), np.array([1, 2]))
    data, _ = found(gradient, gradient.to_sdfg("primal"))
    assert data == {"x", "result"}


def test_maps_around_what_computes_are_in_it() -> None:
    gradient = daad.grad(of_names, wrt="x").compile(normal(0, 600), normal(1, 600))
    sdfg = gradient.to_sdfg("primal")
    pairs = gradient.ccs.nodes(sdfg)
    for node, state in pairs:
        if isinstance(node, nodes.MapEntry):
            assert (state.exit_node(node), state) in pairs
            assert any(inside in (n for n, _ in pairs) for inside in state.scope_children()[node])


@pytest.mark.parametrize(
    ("program", "never"), [(in_dace, {"other", "y"}), (nesting, {"y", "d", "b"})], ids=("flat", "nested")
)
@pytest.mark.parametrize("simplify", [False, True])
def test_sdfg_of_the_user(program: Any, never: set[str], simplify: bool) -> None:
    gradient = daad.grad(program, wrt="x").compile(normal(0, 8), normal(1, 8))
    data, _ = found(gradient, program.to_sdfg(simplify=simplify))
    assert {"x", "__return"} <= data
    assert not data & never


def test_outputs_and_inputs_must_be_there() -> None:
    gradient = daad.grad(of_names, wrt="x").compile(normal(0, 6), normal(1, 6))
    with pytest.raises(daad.BadArgument, match="has no array 'value'"):
        gradient.ccs.nodes(dace.SDFG("empty"))


@pytest.mark.parametrize("case", chosen(80, "nodes"), ids=lambda c: c.name)
def test_no_statement_of_the_ccs_is_left_out(case: Case) -> None:
    """What the Program's own search finds, which looks into values."""
    gradient = interpreted(case).compile(*case.arguments())
    try:
        sdfg = gradient.to_sdfg("primal")
    except daad.Unsupported:
        pytest.skip("raises exceptions of its own")
    data, _ = found(gradient, sdfg)
    lowered, ccs = MAKERS["primal"](gradient._current), gradient.ccs
    there = [name for name in ccs.inputs if name in lowered.program.arrays]
    active = find_ccs(lowered.program, there, ccs.outputs).active
    names = {lowered.names.get(name, name) for name in active}
    assert names & read(sdfg) <= data
