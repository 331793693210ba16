"""The derivatives of one call of a program as rules of JAX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

from daad.api.call.outputs import PushAnswer, mapped, structure_of
from daad.api.call.specialization import Specialised, specialise, specialise_primal
from daad.api.interop.known_leaves import KnownCall
from daad.api.interop.linear_primitive import Linear
from daad.api.interop.xla_programs import XlaProgram, xla_program
from daad.api.jacobian import hessian_products
from daad.api.products import Tangent
from daad.api.subject.request import Request, checked
from daad.api.subject.tangent_arguments import Given
from daad.ccs.question import Product
from daad.errors import NotDifferentiable, Unsupported
from daad.frontend import structures
from daad.frontend.python.return_values import Leaf
from daad.ir.dtypes import is_float
from daad.report.defects import Case, guarded
from daad.runtime.garbage import collected_later

if TYPE_CHECKING:
    from daad.api.gradient import Gradient

Data = Sequence[Any]


class XlaDerivatives:
    """What JAX may ask of a program for data of known shapes and dtypes; each part is compiled when it is asked."""

    def __init__(self, gradient: Gradient, call: KnownCall) -> None:
        self.gradient, self.call = gradient, call
        self.request = gradient._asked.request
        self.active = call.active(self.request.wrt)
        self._made: dict[Any, Any] = {}

    def function(self) -> Callable[..., Any]:
        """The program with its rule; of a scalar, the value comes with the gradient."""
        made = jax.custom_jvp(self.primal)

        def rule(data: Data, tangents: Data) -> tuple[Any, Any]:
            asked = self._asked(tangents)
            moved = [tangents[k] for k in asked]
            if self.is_scalar:
                value, gradients = self.value_and_gradients(asked)(*data)
                dot = _along(value, gradients, moved)
                name = self.structure.array
                return self.structured({name: value}), self.structured({name: dot})
            dots = self.pushed(asked)(data, moved)
            value = made(*data)
            names = [*dict.fromkeys(self._leaves)]
            return value, self._dots(dict(zip(names, dots, strict=True)))

        made.defjvp(rule, symbolic_zeros=True)
        return made

    def _asked(self, tangents: Sequence[Any]) -> tuple[int, ...]:
        """The places of data that derivatives are asked for."""
        asked = tuple(k for k, tangent in enumerate(tangents) if not _is_nothing(tangent))
        self.call.require_active(asked, self.active)
        return tuple(k for k in asked if k in self.active)

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        if key not in self._made:
            gradient = self.gradient
            arguments = {str(k): value for k, (_, value) in enumerate(self.call.leaves)}
            case = Case(gradient._subject.name, gradient._asked.function, arguments, gradient._subject.at)
            with guarded(case), collected_later():
                self._made[key] = make()
        return self._made[key]

    def _wrt(self, asked: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.active[k] for k in asked)

    def _run(self, found: Specialised) -> XlaProgram:
        return xla_program(found, [value for _, value in self.call.leaves])

    @property
    def _primal(self) -> tuple[Specialised, XlaProgram]:
        def make() -> tuple[Specialised, XlaProgram]:
            found = specialise_primal(self.call.subject, self.call.bound, replace(self.request, seed=1.0))
            _require_real(found, self.call)
            return found, self._run(found)

        return self._once("primal", make)

    def primal(self, *data: Any) -> Any:
        """The outputs of the program."""
        found, run = self._primal
        leaves = self.call.all_leaves(data)
        return self.structured(_outputs(found, run(leaves), leaves))

    @cached_property
    def structure(self) -> Any:
        """Of the outputs, with names of arrays as leaves."""
        return structure_of(self._primal[0].planned.read, self.request)

    def structured(self, outputs: Mapping[str, Any]) -> Any:
        """The outputs as the program returns them."""
        return mapped(self.structure, lambda leaf: outputs[leaf.array], lambda item: self._constant(item))

    def _constant(self, item: Any) -> Any:
        if isinstance(item, bool | int | float | np.generic | np.ndarray):
            return jnp.asarray(item)
        if item is None:
            return None
        sentence = f"The program returns an object of type '{type(item).__name__}', which is no array of JAX's."
        raise Unsupported(sentence, at=self.call.subject.at, hint="Choose what is differentiated with 'of'.")

    @cached_property
    def is_scalar(self) -> bool:
        """Whether the program has one real number as its output."""
        structure = self.structure
        if not isinstance(structure, Leaf):
            return False
        array = self._primal[0].planned.read.program.arrays[structure.array]
        return prod(array.shape) == 1 and np.dtype(array.dtype).kind == "f"

    @property
    def _leaves(self) -> list[str]:
        """The arrays of the outputs that have derivatives, in order."""
        arrays = self._primal[0].planned.read.program.arrays
        found = [leaf.array for _, leaf in structures.leaves("", self.structure) if isinstance(leaf, Leaf)]
        return [name for name in found if is_float(arrays[name].dtype)]

    def _dots(self, dots: Mapping[str, Any]) -> Any:
        """Tangents in the structure of the outputs; those of whole numbers are none."""
        arrays = self._primal[0].planned.read.program.arrays

        def dot(leaf: Leaf) -> Any:
            found = dots.get(leaf.array)
            return np.zeros(arrays[leaf.array].shape, jax.dtypes.float0) if found is None else found

        return mapped(self.structure, dot, lambda item: _still(self._constant(item)))

    def value_and_gradients(self, asked: tuple[int, ...]) -> Callable[..., tuple[Any, list[Any]]]:
        """The value of a scalar, and gradients with respect to these data; with a rule of its own."""

        def make() -> tuple[Specialised, XlaProgram]:
            request = checked(replace(self.request, wrt=self._wrt(asked), value=True))
            found = specialise(self.call.subject, self.call.bound, request)
            return found, self._run(found)

        def run(*data: Any) -> tuple[Any, list[Any]]:
            found, call = self._once(("gradient", asked), make)
            leaves = self.call.all_leaves(data)
            results = call(leaves)
            [value] = _outputs(found, results, leaves).values()
            return value, self._gradients(found, results, asked, data)

        def rule(data: Data, tangents: Data) -> tuple[Any, Any]:
            again = self._asked(tangents)
            moved = [tangents[k] for k in again]
            value, gradients = made(*data)
            first = gradients if again == asked else self.value_and_gradients(again)(*data)[1]
            return (value, gradients), (_along(value, first, moved), self.hessian_product(asked, again)(data, moved))

        made = jax.custom_jvp(run)
        made.defjvp(rule, symbolic_zeros=True)
        return made

    def _gradients(self, found: Specialised, results: Sequence[Any], asked: Sequence[int], data: Data) -> list[Any]:
        places = [place for place, _ in found.answer.gradients]
        pairs = zip(asked, places, strict=True)
        return [jnp.zeros_like(data[k]) if place is None else results[place] for k, place in pairs]

    def pushed(self, asked: tuple[int, ...]) -> Linear:
        """The Jacobian: from tangents of these data to those of the outputs, and from seeds back."""

        def make_tangent() -> tuple[Specialised, XlaProgram]:
            wanted = Request(wrt=self._wrt(asked), of=self.request.of, value=False, product=Product.TANGENT)
            return self._tangent(Tangent(self.gradient._asked.function, replace(wanted, on_decision="refuse")), asked)

        def make_gradient() -> tuple[Specialised, XlaProgram]:
            read = self._primal[0].planned.read
            likes = [np.zeros(read.program.arrays[name].shape) for name in read.outputs]
            seed = likes[0] if len(likes) == 1 else likes
            request = replace(self.request, wrt=self._wrt(asked), seed=seed, seed_at_call=True)
            found = specialise(self.call.subject, self.call.bound, checked(request))
            return found, self._run(found)

        names = [*dict.fromkeys(self._leaves)]

        def run(data: Data, tangents: Data) -> list[Any]:
            found, call = self._once(("pushed", asked), make_tangent)
            results = call([*self.call.all_leaves(data), *tangents])
            return [_dot(found.answer, name, results) for name in names]

        def transposed(data: Data, seeds: Data) -> list[Any]:
            found, call = self._once(("pulled", asked), make_gradient)
            arrays, by_name = found.planned.read.program.arrays, dict(zip(names, seeds, strict=True))
            whole = [by_name.get(n, jnp.zeros(arrays[n].shape, arrays[n].dtype)) for n in found.planned.read.outputs]
            results = call([*self.call.all_leaves(data), *whole])
            return self._gradients(found, results, asked, data)

        return Linear(run, transposed)

    def hessian_product(self, asked: tuple[int, ...], again: tuple[int, ...]) -> Linear:
        """The rows of the Hessian for the data `asked`, and its columns for those `again`."""
        everything = tuple(sorted({*asked, *again}))

        def make() -> tuple[Specialised, XlaProgram]:
            return self._tangent(hessian_products(self.gradient._with(wrt=self._wrt(everything))), everything)

        def product(data: Data, given: Mapping[int, Any], wanted: Sequence[int]) -> list[Any]:
            found, call = self._once(("hessian", everything), make)
            tangents = [given.get(k, jnp.zeros_like(data[k])) for k in everything]
            results = call([*self.call.all_leaves(data), *tangents])
            names = [leaf.array for _, leaf in structures.leaves("", found.answer.structure)]
            dots = dict(zip(everything, names, strict=True))
            return [_dot(found.answer, dots[k], results) for k in wanted]

        return Linear(
            lambda data, tangents: product(data, dict(zip(again, tangents, strict=True)), asked),
            lambda data, seeds: product(data, dict(zip(asked, seeds, strict=True)), again),
        )

    def _tangent(self, tangent: Tangent, asked: Sequence[int]) -> tuple[Specialised, XlaProgram]:
        leaves = [value for _, value in self.call.leaves]
        given = Given(tuple(leaves[self.call.places[k]] for k in asked), at=self.call.subject.at)
        found = specialise(tangent._subject, self.call.bound, tangent._request(given))
        return found, self._run(found)


def _along(value: Any, gradients: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """What the value changes by."""
    total = sum(jnp.vdot(g, t) for g, t in zip(gradients, tangents, strict=True))
    return jnp.asarray(total, value.dtype).reshape(value.shape)


def _outputs(found: Specialised, results: Sequence[Any], leaves: Sequence[Any]) -> dict[str, Any]:
    """The outputs of a program by name."""
    names, values = found.planned.outcome.interface.outputs, found.answer.values

    def value(kind: str, place: int) -> Any:
        if kind == "result":
            return results[place]
        slot = found.slots[place]
        return jnp.asarray(slot.fixed if slot.fixed is not None else leaves[slot.leaf])

    return {name: value(*where) for name, where in zip(names, values, strict=True)}


def _dot(answer: PushAnswer, name: str, results: Sequence[Any]) -> Any:
    place = answer.dots.get(name)
    like = answer.likes[name]
    return jnp.zeros(like.shape, like.dtype) if place is None else results[place]


def _is_nothing(tangent: Any) -> bool:
    return isinstance(tangent, SymbolicZero) or tangent.dtype == jax.dtypes.float0


def _still(value: Any) -> Any:
    """The tangent of what is constant."""
    if value is None:
        return None
    is_real = jnp.issubdtype(value.dtype, jnp.floating)
    return jnp.zeros_like(value) if is_real else np.zeros(value.shape, jax.dtypes.float0)


def _require_real(found: Specialised, call: KnownCall) -> None:
    """Refuses outputs that are complex."""
    name = next((n for n in found.planned.outcome.interface.outputs if n in found.planned.read.pairs), None)
    if name is not None:
        hint = "Return its real and its imaginary part."
        raise NotDifferentiable(f"The output '{name}' is complex.", at=call.subject.at, hint=hint)
