"""Copies of large arguments, which a pullback reads when the caller may have overwritten them: made where the primal
reads the arguments anyway.

for i in 0 .. 900, j in 0 .. 900:  s[i] += A[j, i] * r[j]

becomes

for i in 0 .. 900, j in 0 .. 900:
  s[i] += A[j, i] * r[j]
  A_copy[j, i] = A[j, i]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from daad.analysis.matrix_products import is_whole_product
from daad.analysis.subscripts import subscript
from daad.ir.affine import Affine
from daad.ir.indices.domains import all_points
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Load, Nest, Node, Program
from daad.ir.walk import loads, written_parameters

LARGE = 2**20
"""Bytes from which on a pass over memory more takes longer than what else there is to do."""


def names_of_copies(program: Program, kept: Iterable[str]) -> dict[str, str]:
    """Names for the copies of the large parameters among the arrays that are kept, where a nest reads all of one."""
    only_read = {*program.parameters} - {*written_parameters(program)}
    supply = NameSupply.of(program)
    large = [name for name in kept if name in only_read and program.arrays[name].nbytes >= LARGE]
    return {name: supply.new(f"{name}_copy") for name in large if _reader(program.body, program.arrays[name])}


def with_copies(program: Program, copies: Mapping[str, str]) -> Program:
    """The program with these copies of its parameters as results, instead of the parameters themselves."""
    body, supply = program.body, NameSupply.of(program)
    supply.take(*copies.values())
    made = {name: replace(program.arrays[name], name=copy, extents=()) for name, copy in copies.items()}
    for name, copy in made.items():
        body = _copied(body, program.arrays[name], copy, supply)
    results = tuple(dict.fromkeys(copies.get(name, name) for name in program.results))
    arrays = {**program.arrays, **{copy.name: copy for copy in made.values()}}
    return replace(program, arrays=arrays, results=results, body=body)


def _copied(body: tuple[Node, ...], array: Array, copy: Array, supply: NameSupply) -> tuple[Node, ...]:
    found = _reader(body, array)
    if found is not None:
        place, nest, load = found
        return (*body[:place], replace(nest, assigns=(*nest.assigns, _copy_at(load, copy))), *body[place + 1 :])
    domain, index = all_points(array, supply)
    return (Nest(domain, (_copy_at(Load(array.name, index, array.dtype), copy),)), *body)


def _reader(body: tuple[Node, ...], array: Array) -> tuple[int, Nest, Load] | None:
    """The first nest that reads all of the array, its position, and how."""
    for place, node in enumerate(body):
        load = _whole_read(node, array) if isinstance(node, Nest) else None
        if load is not None and isinstance(node, Nest):
            return place, node, load
    return None


def _copy_at(load: Load, copy: Array) -> Assign:
    return Assign(Access(copy.name, load.index), "=", load)


def _whole_read(nest: Nest, array: Array) -> Load | None:
    """How the nest reads the array, if each of its points reads another element, and all of them together all."""
    if array.name not in nest.loaded or is_whole_product(nest):
        return None
    found = {load for assign in nest.assigns for load in loads(assign.value) if load.array == array.name}
    return next((load for load in sorted(found, key=repr) if _is_whole(load, nest, array)), None)


def _is_whole(load: Load, nest: Nest, array: Array) -> bool:
    ranges = {r.var: r for r in nest.domain}
    axes = [subscript(index, ranges) for index in load.index]
    names = {axis.var for axis in axes if axis is not None}
    if len(axes) != len(ranges) or names != ranges.keys():
        return False
    sides = [axis.side(ranges) for axis in axes if axis is not None]
    return all(side == (Affine(0), Affine(size)) for side, size in zip(sides, array.shape, strict=True))
