"""Gradients as programs: the joint program of a gradient, read as any other, so that it can be differentiated again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from daad.api.call.marshalling import constant
from daad.api.call.planned_call import PlannedCall, plan_call, with_constant
from daad.api.subject import arguments as calls
from daad.api.subject import complex_views
from daad.api.subject.request import Request
from daad.api.subject.seeds import seed_arrays
from daad.api.subject.subject import Subject, as_call
from daad.api.subject.tangent_arguments import is_one
from daad.api.subject.wrt import chosen_arguments, opened_arguments
from daad.errors import BadArgument, Unsupported
from daad.frontend import structures
from daad.frontend.python.read import Asked, Read
from daad.frontend.python.return_values import Leaf, names_in
from daad.frontend.staging.speculation import NOTHING
from daad.ir.nodes import Nest, Node, Program
from daad.ir.walk import map_leaves
from daad.runtime.lazy_import import later

if TYPE_CHECKING:
    from daad import pipeline
else:
    pipeline = later("daad.pipeline")


def subject_of_gradient(gradient: Any) -> Subject:
    """The subject whose program is the joint program of a gradient, and whose outputs are what a call of it gives."""
    inner: Subject = gradient._subject
    request: Request = replace(gradient._asked.request, on_inputs="keep", again=True)
    if request.has_aux:
        hint = "Leave out has_aux=True, and choose what is differentiated with 'of'."
        raise Unsupported("A gradient that returns auxiliary data cannot be differentiated.", at=inner.at, hint=hint)

    def read(bound: Mapping[str, Any], asked: Asked) -> Read:
        def read_inner(bound: Mapping[str, Any], its: Asked) -> Read:
            return inner.read(bound, replace(its, derivatives=asked.derivatives + 1))

        opened = opened_arguments(request.wrt, dict(bound), inner)
        planned = plan_call(replace(inner, read=read_inner), opened, request, assumptions=asked.assumptions or NOTHING)
        found = _read(planned, opened, request, inner)
        found = _selected(found, asked.of, inner)
        values = dict(calls.leaves(opened))
        for user in sorted(asked.static & found.places.keys()):
            if found.places[user] in found.program.integers:
                found = with_constant(found, user, int(values[user]))
        return found

    def call(function: Any, bound: Mapping[str, Any]) -> Any:
        args, kwargs = as_call(inner.signature, bound)
        return function(*args, **kwargs)

    return replace(inner, name=f"grad_{inner.name}", read=read, call=call)


def _read(planned: PlannedCall, bound: Mapping[str, Any], request: Request, subject: Subject) -> Read:
    read, derivation = planned.read, planned.derivation
    arrays = derivation.primal.arrays
    inputs = [arrays[name] for name in planned.question.inputs]
    before = _distributed(pipeline.before_another_derivative(derivation))
    program, gradients = pipeline.with_zeros(before, inputs, derivation.gradients)
    renamed = dict(zip(derivation.primal.parameters, program.parameters, strict=False))
    chosen = chosen_arguments(request.wrt, bound, subject)
    is_complex = [complex_views.is_complex(value) for _, value in calls.floats(chosen)]
    pairs = {renamed.get(name, name) for name in read.pairs}
    pairs |= {name for name, its in zip(gradients, is_complex, strict=True) if its}
    fixed = {**read.constants, **seed_arrays(read, request), **derivation.tables}
    constants = {renamed.get(name, name): value for name, value in fixed.items()}
    return replace(
        read,
        program=program,
        places={user: renamed.get(place, place) for user, place in read.places.items()},
        constants={n: constant(v, program.arrays[n]) for n, v in constants.items() if n in program.parameters},
        marks={},
        value=_structure(gradients, chosen, request, derivation.ccs.outputs),
        pairs=frozenset(pairs),
        changes_outside=False,
    )


def _structure(
    gradients: tuple[str, ...], chosen: Mapping[str, Any], request: Request, outputs: tuple[str, ...]
) -> Any:
    """What a call gives, with names of arrays as leaves."""
    leaves = iter(map(Leaf, gradients))
    parts = [calls.filled(calls.skeleton(value), leaves) for value in chosen.values()]
    found = structures.all_opened(parts[0] if is_one(request.wrt) else tuple(parts))
    if not request.value:
        return found
    values = tuple(map(Leaf, outputs))
    return (values if len(values) > 1 else values[0]), found


def _selected(read: Read, of: Any, subject: Subject) -> Read:
    """The same with the outputs that `of` selects: positions in what a call gives."""
    if of is None:
        return replace(read, outputs=tuple(names_in(read.value)))
    items = of if isinstance(of, tuple | list) else (of,)
    value = read.value if isinstance(read.value, tuple | list) else (read.value,)
    for item in items:
        if not isinstance(item, int) or not -len(value) <= item < len(value) or not isinstance(value[item], Leaf):
            raise BadArgument(
                f"The gradient of '{subject.name}' has no output {item!r}.", at=subject.at, hint="Name a position."
            )
    return replace(read, outputs=tuple(str(value[item]) for item in items))


def _distributed(program: Program) -> Program:
    """Each assign in a nest of its own: no point of a nest reads what another one writes."""

    def alone(nest: Nest) -> tuple[Node, ...]:
        return (nest,) if len(nest.assigns) == 1 else tuple(replace(nest, assigns=(a,)) for a in nest.assigns)

    return replace(program, body=map_leaves(program.body, alone))
