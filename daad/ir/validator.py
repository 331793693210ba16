"""Checks what is always true of a Program; a failure is a defect of daad."""

from __future__ import annotations

from daad.ir.affine import Affine
from daad.ir.nodes import Access, Array, Branch, Index, Load, Loop, Nest, Node, Program
from daad.ir.operations.updates import BY_SIGN
from daad.ir.ragged import bound, bounding_shape, names_earlier
from daad.ir.walk import loads, node_loads


def validate(program: Program) -> Program:
    """The program itself, or an AssertionError that names what is wrong."""
    for name in (*program.parameters, *program.results):
        assert name in program.arrays, f"'{name}' is no array of '{program.name}'"
    scope = frozenset(program.integers)
    for array in program.arrays.values():
        _validate_extents(array, program)
    clash = scope & set(program.arrays)
    assert not clash, f"integers and arrays share names: {clash}"
    _validate_body(program.body, program, scope)
    return program


def _validate_extents(array: Array, program: Program) -> None:
    if not array.extents:
        return
    outer = {*program.parameters, *program.results}
    assert array.name not in outer, f"'{array.name}' is seen from outside, where all rows are of one length"
    assert names_earlier(array.extents), f"extents of '{array.name}' name later dimensions"
    assert array.shape == bounding_shape(array.extents), f"extents of '{array.name}' do not match its shape"
    smallest = min(bound(extent, array.extents, largest=False) for extent in array.extents)
    assert smallest >= 0, f"a row of '{array.name}' has {smallest} elements"


def _validate_body(body: tuple[Node, ...], program: Program, scope: frozenset[str]) -> None:
    for node in body:
        if isinstance(node, Nest):
            _validate_nest(node, program, scope)
            continue
        for load in node_loads(node):
            _validate_access(load, program, scope)
        if isinstance(node, Loop):
            assert node.var not in scope | set(program.arrays), f"loop variable '{node.var}' is taken"
            assert node.step in (1, -1), f"loop '{node.var}' has step {node.step}"
            _validate_body(node.body, program, scope | {node.var})
        else:
            assert isinstance(node, Branch), f"unknown node {node!r}"
            _validate_body(node.then, program, scope)
            _validate_body(node.orelse, program, scope)


def _validate_nest(nest: Nest, program: Program, scope: frozenset[str]) -> None:
    own = [r.var for r in nest.domain]
    assert len({*own, *scope}) == len(own) + len(scope), f"domain variables {own} are taken"
    for r in nest.domain:
        _validate_index(r.start, program, scope)
        _validate_index(r.stop, program, scope)
    inner = scope | set(own)
    reduced = {a.target.array for a in nest.assigns if a.op != "="}
    for assign in nest.assigns:
        assert assign.op in BY_SIGN, f"unknown assignment {assign.op}"
        _validate_access(assign.target, program, inner)
        for load in loads(assign.value):
            _validate_access(load, program, inner)
    assert reduced <= set(program.arrays), f"unknown targets {reduced}"


def _validate_access(access: Access | Load, program: Program, scope: frozenset[str]) -> None:
    assert access.array in program.arrays, f"unknown array '{access.array}'"
    array = program.arrays[access.array]
    assert len(access.index) == len(array.shape), f"'{access.array}' has {len(array.shape)} dimensions"
    if isinstance(access, Load):
        assert access.dtype == array.dtype, f"'{access.array}' is {array.dtype}, loaded as {access.dtype}"
    for index in access.index:
        _validate_index(index, program, scope)


def _validate_index(index: Index, program: Program, scope: frozenset[str]) -> None:
    if isinstance(index, Affine):
        missing = set(index.names) - scope
        assert not missing, f"index '{index}' uses unknown names {missing}"
        return
    for load in loads(index):
        _validate_access(load, program, scope)
