"""The lift: a DaCe program or SDFG, for given arguments, as a Program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import dace
import numpy as np

from daad.analysis import context
from daad.errors import DaadError
from daad.frontend.sdfg import unsupported_sdfgs
from daad.frontend.sdfg.cleanup.parallel_loops import nest_parallel_loops
from daad.frontend.sdfg.cleanup.predication import mask_branches
from daad.frontend.sdfg.cleanup.scalar_forwarding import inline_scalars, local_scalars
from daad.frontend.sdfg.cleanup.scratch_arrays import Scratch, count_uses
from daad.frontend.sdfg.dace_names import returned
from daad.frontend.sdfg.locations import definition
from daad.frontend.sdfg.parse import Bound, bind, parse
from daad.frontend.sdfg.sdfg_arguments import (
    Parameter,
    check_dtype,
    pinned_scalars,
    require_no_structures,
    symbol_values,
)
from daad.frontend.sdfg.states.assigned_symbols import cells_of
from daad.frontend.sdfg.states.constants import declare_constants, written_containers
from daad.frontend.sdfg.states.control_flow import lift_region
from daad.frontend.sdfg.states.dataflow import lift_state
from daad.frontend.sdfg.states.nested_sdfgs import enter
from daad.frontend.sdfg.symbol_table import Arrays, Scope, constant_symbols
from daad.frontend.sdfg.values.arithmetic import cast, constant
from daad.ir.affine import Affine
from daad.ir.nodes import Assign, Nest, Node, Program
from daad.ir.validator import validate
from daad.ir.walk import node_loads, walk

Body = tuple[Node, ...]


@dataclass(frozen=True)
class Lifted:
    """A Program with the parameters in the user's calling order, the returned arrays, and what it is made for.

    `constants` are parameters of the Program after those of the user: arrays that are a part of the program.
    """

    program: Program
    parameters: tuple[Parameter, ...]
    results: tuple[str, ...]
    pinned: Mapping[str, int] = field(default_factory=dict)
    constants: Mapping[str, np.ndarray] = field(default_factory=dict)


def lift(program: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any] | None = None) -> Lifted:
    """The Program that a `@dace.program` or an SDFG computes for arguments of these shapes and integer values."""
    try:
        return _lifted(program, arguments, keywords or {})
    except DaadError as error:  # where DaCe has lost the line, the program's own is shown
        error.at = error.at or (None if isinstance(program, dace.SDFG) else definition(program.f))
        raise


def _lifted(program: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Lifted:
    bound = bind(program, arguments, keywords)
    require_no_structures(bound)
    parsed = parse(program, bound, keywords)
    sdfg = parsed.sdfg
    unsupported_sdfgs.check(sdfg)
    passed = {name: value for name, value in bound.items() if name in sdfg.arrays}
    for name, value in passed.items():
        check_dtype(sdfg, name, value)
    symbols, pinned = symbol_values(sdfg, bound, keywords), pinned_scalars(sdfg, passed)
    scope = Scope(
        sdfg,
        Arrays(),
        {**constant_symbols(sdfg), **{name: Affine(value) for name, value in symbols.items()}},
        pinned=pinned,
        cells=cells_of(sdfg),
    )
    scope, prelude = _declare_parameters(scope, passed)
    scope, constants, literals = declare_constants(scope, parsed.surroundings)
    cells, scope = enter(scope)
    body = (*prelude, *literals, *cells, *lift_region(sdfg, scope, lift_state))
    parameters = tuple(_parameter(name, value, scope, pinned) for name, value in bound.items())
    names = (*(p.array for p in parameters if p.array is not None), *constants)
    results = tuple(scope.place(name).array.name for name in returned(sdfg.arrays))
    body = finished(body, scope.arrays, {*names, *results})
    lifted = Program(
        name=program.name if isinstance(program, dace.SDFG) else program.f.__name__,
        arrays={n: scope.arrays.declared[n] for n in dict.fromkeys((*names, *_touched(body), *results))},
        parameters=names,
        results=results,
        body=body,
    )
    static = {p.name: int(p.value) for p in parameters if p.array is None and isinstance(p.value, int | np.integer)}
    return Lifted(validate(lifted), parameters, results, static | symbols, constants)


def finished(body: Body, arrays: Arrays, kept: set[str]) -> Body:
    """Scalars inlined, branches in maps masked, maps as nests."""
    scalars = local_scalars({name: array.shape for name, array in arrays.declared.items()}, kept)
    body = inline_scalars(body, scalars)
    body = mask_branches(body, arrays.declared, context.Scope())
    body = inline_scalars(body, scalars)
    return nest_parallel_loops(body, Scratch(arrays, frozenset(arrays.declared) - kept, count_uses(body)))


def _touched(body: Body) -> Iterator[str]:
    """Names of arrays in the order in which the program comes to them."""
    for node in walk(body):
        yield from (load.array for load in node_loads(node))
        if isinstance(node, Nest):
            yield from (assign.target.array for assign in node.assigns)


def _declare_parameters(scope: Scope, passed: Bound) -> tuple[Scope, Body]:
    """Arrays for the arguments, under their own names; an integer that the program overwrites is a local."""
    prelude: list[Node] = []
    written = written_containers(scope)
    for name in passed:
        if name in scope.pinned and name not in written:
            continue
        place = scope.declare(name)
        scope = scope.with_places({name: place})
        if name in scope.pinned:
            value = cast(constant(scope.pinned[name]), place.array.dtype)
            prelude.append(Nest((), (Assign(place.access(()), "=", value),)))
    pinned = {name: value for name, value in scope.pinned.items() if name not in written}
    return replace(scope, pinned=pinned), tuple(prelude)


def _parameter(name: str, value: Any, scope: Scope, pinned: Mapping[str, int]) -> Parameter:
    place = scope.places.get(name)
    return Parameter(name, None, value) if place is None or name in pinned else Parameter(name, place.array.name)
