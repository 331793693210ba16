"""What a call needs to know of a derivation: which arrays compiled code takes, and what it leaves in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from daad.ir.nodes import Array
from daad.ir.walk import written_parameters

if TYPE_CHECKING:
    from daad.pipeline import Finished


@dataclass(frozen=True, kw_only=True)
class Interface:
    """Of the program that is compiled: its `parameters`, those that it has `written`, the `results` that are no
    parameters, and its `integers`, each in the order of a call.

    `originals` are the parameters as the primal names them, `open` the primal's integers, `outputs` and `gradients`
    the arrays that answer (None: a gradient that is zero), `tables` the values of parameters that the plan adds.
    """

    parameters: tuple[Array, ...]
    originals: tuple[str, ...]
    written: tuple[str, ...]
    results: tuple[Array, ...]
    integers: tuple[str, ...]
    open: tuple[str, ...]
    outputs: tuple[str, ...]
    gradients: tuple[str | None, ...]
    nbytes: int
    tables: Mapping[str, np.ndarray] = field(default_factory=dict)


ARRAYS, NAMES = ("parameters", "results"), ("originals", "written", "integers", "open", "outputs", "gradients")


def interface_of(derivation: Finished) -> Interface:
    """How the code is called that is compiled from a derivation."""
    joint, primal = derivation.joint, derivation.primal
    return Interface(
        parameters=tuple(joint.arrays[n] for n in joint.parameters),
        originals=(*primal.parameters, *joint.parameters[len(primal.parameters) :]),
        written=tuple(sorted(written_parameters(joint))),
        results=tuple(joint.arrays[n] for n in joint.results if n not in joint.parameters),
        integers=joint.integers,
        open=primal.integers,
        outputs=derivation.ccs.outputs,
        gradients=derivation.gradients,
        nbytes=derivation.nbytes,
        tables=derivation.tables,
    )


def dumped(interface: Interface) -> str:
    """As JSON."""
    content: dict[str, Any] = {name: getattr(interface, name) for name in NAMES}
    for name in ARRAYS:
        content[name] = [(a.name, a.shape, a.dtype) for a in getattr(interface, name)]
    content["tables"] = {name: (str(table.dtype), table.tolist()) for name, table in interface.tables.items()}
    return json.dumps({**content, "nbytes": interface.nbytes})


def parsed(text: str) -> Interface:
    """What `dumped` has written; raises ValueError, KeyError or TypeError for anything else."""
    content = json.loads(text)
    parts: dict[str, Any] = {name: tuple(content[name]) for name in NAMES}
    for name in ARRAYS:
        parts[name] = tuple(Array(own, tuple(shape), dtype) for own, shape, dtype in content[name])
    tables = {name: np.array(rows, dtype) for name, (dtype, rows) in content["tables"].items()}
    return Interface(**parts, nbytes=content["nbytes"], tables=tables)
