"""What is compiled for one call of a program, for another library to differentiate: each part when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from daad.api.call.outputs import mapped, structure_of
from daad.api.call.specialization import Specialised, specialise, specialise_primal
from daad.api.interop.known_leaves import KnownCall
from daad.api.interop.weighted_sums import as_weighted, weighted_sum
from daad.api.jacobian import hessian_products
from daad.api.products import Tangent
from daad.api.subject import arguments as calls
from daad.api.subject.request import Request, checked
from daad.api.subject.subject import as_call
from daad.api.subject.tangent_arguments import Given
from daad.ccs.question import Product
from daad.errors import IndexOutside, NotDifferentiable, Unsupported
from daad.frontend import structures
from daad.frontend.python.return_values import Leaf
from daad.ir.dtypes import is_float
from daad.ir.nodes import Array
from daad.report.defects import Case, guarded
from daad.runtime.at_work import at_work
from daad.runtime.forks import fresh_rlock
from daad.runtime.processors import Device

if TYPE_CHECKING:
    from daad.api.gradient import Gradient

LAST = NotDifferentiable(
    "Such a function has first and second derivatives.",
    hint="Differentiate with daad.hessian, daad.jvp and daad.vjp, which nest further.",
)
Asked = tuple[int, ...]
"""Places among the data of a call."""


def for_library(gradient: Gradient, library: str) -> Gradient:
    """The gradient as a library asks for it; refuses what none of its functions can do."""
    request, at = gradient._asked.request, gradient._subject.at
    if request.device is Device.GPU:
        raise Unsupported(f"Programs for GPUs are no functions of {library}.", at=at, hint='Leave out device="gpu".')
    if request.on_inputs != "keep":
        hint = "Leave out on_inputs='primal', and return what is to be seen."
        sentence = f"The program overwrites its arguments, which a function of {library} does not."
        raise Unsupported(sentence, at=at, hint=hint)
    return gradient._with(on_decision="refuse", has_aux=False, seed=None, value=False)


class Specialisations:
    """Of a program for data of known shapes and dtypes. `asked` are data that derivatives are with respect to."""

    def __init__(self, gradient: Gradient, call: KnownCall, library: str) -> None:
        self.gradient, self.call, self.library = gradient, call, library
        self.request = gradient._asked.request
        self.active = call.active(self.request.wrt)
        self._made: dict[Any, Specialised] = {}
        self._lock = fresh_rlock()

    def _once(self, key: Any, make: Callable[[], Specialised]) -> Specialised:
        found = self._made.get(key)
        if found is not None:
            return found
        gradient = self.gradient
        arguments = {str(k): value for k, (_, value) in enumerate(self.call.leaves)}
        case = Case(gradient._subject.name, gradient._asked.function, arguments, gradient._subject.at)
        with self._lock, guarded(case), at_work():
            if key not in self._made:
                self._made[key] = self._checked(make(), len(self.float_outputs) if key[0] == "curved" else 0)
            return self._made[key]

    def _checked(self, found: Specialised, ahead: int) -> Specialised:
        """Refuses what takes more of the arguments than their kinds; so many others stand ahead of the leaves."""
        names = [name for name, _ in self.call.leaves]
        taken = [number - ahead for number, _ in found.pinned if number - ahead in self.call.places]
        if taken:
            raise Unsupported(
                f"What the program does depends on the value of '{names[taken[0]]}', which {self.library} may change.",
                at=self.call.subject.at,
                hint="Make it a constant: a variable outside of the program that it reads.",
            )
        if found.planned.read.drawn:
            hint = "Draw them before, and make them an argument."
            sentence = f"The program draws random numbers with NumPy, which {self.library} would not repeat."
            raise Unsupported(sentence, at=self.call.subject.at, hint=hint)
        if any(slot.written for slot in found.slots):
            sentence = f"The program changes arrays, which a function of {self.library} does not."
            raise Unsupported(sentence, at=self.call.subject.at, hint="Copy them first.")
        return found

    def grow(self, overrun: IndexOutside) -> None:
        """Gives a larger bound to a loop that has not ended within its own."""
        assert overrun.loop is not None, "an index of the program's own is explained where it is found"
        with self._lock:
            self.call.subject.trips.grow(overrun.loop)
            self._made.clear()

    def holds(self) -> bool:
        """Whether what the program takes from its surroundings is as it was."""
        return all(witness.holds() for found in [*self._made.values()] for witness in found.witnesses)

    def _wrt(self, asked: Asked) -> tuple[str, ...]:
        return tuple(self.active[k] for k in asked)

    @property
    def primal(self) -> Specialised:
        """The program itself."""

        def make() -> Specialised:
            request = replace(self.request, seed=1.0)
            found = specialise_primal(self.call.subject, self.call.bound, request)
            for name in found.planned.outcome.interface.outputs:
                if name in found.planned.read.pairs:
                    hint = "Return its real and its imaginary part."
                    raise NotDifferentiable(f"The output '{name}' is complex.", at=self.call.subject.at, hint=hint)
            return found

        return self._once("primal", make)

    def gradients(self, asked: Asked) -> Specialised:
        """The value of a scalar with its gradients."""

        def make() -> Specialised:
            request = checked(replace(self.request, wrt=self._wrt(asked), value=True))
            return specialise(self.call.subject, self.call.bound, request)

        return self._once(("gradients", asked), make)

    def pulled(self, asked: Asked) -> Specialised:
        """Seeds, in the order of the outputs that are read, times the Jacobian."""

        def make() -> Specialised:
            likes = [np.zeros(self.arrays[name].shape) for name in self.outputs]
            seed = likes[0] if len(likes) == 1 else likes
            request = replace(self.request, wrt=self._wrt(asked), seed=seed, seed_at_call=True)
            return specialise(self.call.subject, self.call.bound, checked(request))

        return self._once(("pulled", asked), make)

    def pushed(self, asked: Asked) -> Specialised:
        """The Jacobian times tangents."""

        def make() -> Specialised:
            wanted = Request(wrt=self._wrt(asked), of=self.request.of, value=False, product=Product.TANGENT)
            return self._tangent(Tangent(self.gradient._asked.function, replace(wanted, on_decision="refuse")), asked)

        return self._once(("pushed", asked), make)

    def hessian(self, asked: Asked) -> Specialised:
        """The Hessian of a scalar times tangents."""
        make = lambda: self._tangent(hessian_products(self.gradient._with(wrt=self._wrt(asked))), asked)  # noqa: E731
        return self._once(("hessian", asked), make)

    def curved(self, asked: Asked) -> Specialised:
        """The Hessian of the sum of the outputs with weights, which stand before the leaves, times tangents."""

        def make() -> Specialised:
            args, kwargs = as_call(self.call.subject.signature, self.call.bound)
            if self.request.of is not None or any(isinstance(value, structures.Opened) for value in args):
                raise LAST
            weights = [np.zeros(self.arrays[name].shape, self.arrays[name].dtype) for name in self.float_outputs]
            bound = as_weighted(weights, args, kwargs)
            names = [name for name, _ in calls.leaves(bound)][len(weights) :]
            wrt = tuple(names[self.call.places[k]] for k in asked)
            made = self.gradient._asked
            request = Request(wrt=wrt, on_decision="refuse")
            function = weighted_sum(made.function, [self._way(name) for name in self.float_outputs])
            tangent = hessian_products(type(self.gradient)(function, request, made.verbose, made.compiler))
            leaves = [value for _, value in self.call.leaves]
            given = Given(tuple(leaves[self.call.places[k]] for k in asked), at=self.call.subject.at)
            return specialise(tangent._subject, bound, tangent._request(given))

        return self._once(("curved", asked), make)

    def _way(self, name: str) -> str:
        """Where an output stands in what the program returns."""
        return next(way for way, leaf in structures.leaves("", self.structure) if leaf == Leaf(name))

    def _tangent(self, tangent: Tangent, asked: Asked) -> Specialised:
        leaves = [value for _, value in self.call.leaves]
        given = Given(tuple(leaves[self.call.places[k]] for k in asked), at=self.call.subject.at)
        return specialise(tangent._subject, self.call.bound, tangent._request(given))

    @property
    def outputs(self) -> tuple[str, ...]:
        """The arrays that the program's outputs are, each once."""
        return self.primal.planned.read.outputs

    @property
    def arrays(self) -> Mapping[str, Array]:
        return self.primal.planned.read.program.arrays

    @cached_property
    def structure(self) -> Any:
        """Of the outputs, with names of arrays as leaves."""
        return structure_of(self.primal.planned.read, self.request)

    def structured(self, outputs: Mapping[str, Any], constant: Callable[[Any], Any]) -> Any:
        """The outputs as the program returns them; numbers that it returns by themselves become `constant`."""
        self._refuse_objects(self.structure)
        return mapped(self.structure, lambda leaf: outputs[leaf.array], lambda item: constant(self._number(item)))

    def _refuse_objects(self, value: Any) -> None:
        if isinstance(value, structures.Opened):
            self._number(value.owner)
        for _, item in structures.parts(value) or ():
            self._refuse_objects(item)

    def _number(self, item: Any) -> Any:
        if item is None or isinstance(item, bool | int | float | np.generic | np.ndarray):
            return item
        sentence = f"The program returns an object of type '{type(item).__name__}', which is no array."
        raise Unsupported(sentence, at=self.call.subject.at, hint="Choose what is differentiated with 'of'.")

    @cached_property
    def is_scalar(self) -> bool:
        """Whether the program has one real number as its output."""
        if not isinstance(self.structure, Leaf):
            return False
        array = self.arrays[self.structure.array]
        return prod(array.shape) == 1 and is_float(array.dtype)

    @cached_property
    def float_outputs(self) -> tuple[str, ...]:
        """The arrays of the outputs that have derivatives, each once."""
        found = [leaf.array for _, leaf in structures.leaves("", self.structure) if isinstance(leaf, Leaf)]
        return tuple(dict.fromkeys(name for name in found if is_float(self.arrays[name].dtype)))


def outputs_of(found: Specialised, results: Sequence[Any], leaves: Sequence[Any]) -> dict[str, Any]:
    """The outputs of a run by name; one that is an argument is that leaf."""
    names, values = found.planned.outcome.interface.outputs, found.answer.values

    def value(kind: str, place: int) -> Any:
        if kind == "result":
            return results[place]
        slot = found.slots[place]
        return slot.fixed if slot.fixed is not None else leaves[slot.leaf]

    return {name: value(*where) for name, where in zip(names, values, strict=True)}


def gradients_of(found: Specialised, results: Sequence[Any], zeros: Callable[[int], Any]) -> list[Any]:
    """The gradients of a run, in the order of what was asked; `zeros` makes those that are zero."""
    places = [place for place, _ in found.answer.gradients]
    return [zeros(number) if place is None else results[place] for number, place in enumerate(places)]


def tangents_of(found: Specialised, results: Sequence[Any], zeros: Callable[[Array], Any]) -> dict[str, Any]:
    """The tangents of the outputs of a run by name."""
    answer = found.answer
    return {
        name: zeros(like) if answer.dots.get(name) is None else results[answer.dots[name]]
        for name, like in answer.likes.items()
    }


def names_in(found: Specialised) -> list[str]:
    """The arrays of a tangent's outputs, in order."""
    return [leaf.array for _, leaf in structures.leaves("", found.answer.structure)]
