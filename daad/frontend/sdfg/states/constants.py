"""Arrays whose content is part of the program: literals, and arrays of the surrounding module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from daad.errors import Unsupported
from daad.frontend.sdfg.dace_names import readable_name
from daad.frontend.sdfg.states.copies import copy
from daad.frontend.sdfg.symbol_table import Scope
from daad.frontend.sdfg.values.arithmetic import cast, constant
from daad.frontend.sdfg.values.containers import Place, whole
from daad.ir.affine import Affine
from daad.ir.nodes import Assign, Nest, Node

MAX_WRITTEN_OUT = 64
Declared = tuple[Scope, dict[str, np.ndarray], tuple[Node, ...]]


def declare_constants(scope: Scope, surroundings: Mapping[str, np.ndarray]) -> Declared:
    """The scope with the constant arrays, those that become hidden parameters, and assignments for the others."""
    literals = {n: np.asarray(v) for n, v in scope.sdfg.constants.items() if n in scope.sdfg.arrays}
    body: list[Node] = []
    hidden: dict[str, np.ndarray] = {}
    for name, content in literals.items():
        place = scope.declare(name)
        scope = scope.with_places({name: place})
        if content.size <= MAX_WRITTEN_OUT:
            body.extend(_written_out(place, content))
            continue
        array = scope.arrays.add(f"{readable_name(name)}_values", content.shape, place.array.dtype)
        hidden[array.name] = content.astype(array.dtype)
        region = scope.full_region(name)
        body.extend(copy(replace(region, place=whole(array)), region, None, scope, None))
    written = written_containers(scope)
    for name, content in surroundings.items():
        if name in written:
            message = f"The program writes to the array '{readable_name(name)}' of its module."
            raise Unsupported(message, hint="Pass it as an argument.")
        array = scope.arrays.add(readable_name(name), content.shape, str(content.dtype))
        hidden[array.name] = content
        scope = scope.with_places({name: whole(array)})
    return scope, hidden, tuple(body)


def _written_out(place: Place, content: np.ndarray) -> list[Node]:
    """One assignment for each element."""
    dtype = place.array.dtype
    return [
        Nest((), (Assign(place.access(tuple(map(Affine, i))), "=", cast(constant(content[i].item()), dtype)),))
        for i in np.ndindex(content.shape)
    ]


def written_containers(scope: Scope) -> set[str]:
    """Data containers of the SDFG that some state writes."""
    return {n.data for state in scope.sdfg.states() for n in state.data_nodes() if state.in_degree(n)}
