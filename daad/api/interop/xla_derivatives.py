"""The derivatives of one call of a program as rules of JAX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from daad.api.call.specialization import Specialised
from daad.api.interop.linear_primitive import Linear
from daad.api.interop.ruled_primitive import Ruled
from daad.api.interop.specialisations import Asked, Specialisations, gradients_of, names_in, outputs_of, tangents_of
from daad.api.interop.xla_programs import XlaProgram, xla_program

Data = Sequence[Any]


class XlaDerivatives:
    """What JAX may ask of a program for data of known shapes and dtypes."""

    def __init__(self, of: Specialisations) -> None:
        self.of, self.call = of, of.call
        self._programs: dict[int, XlaProgram] = {}

    def function(self) -> Callable[..., Any]:
        """The program; of a scalar, the value comes with the gradient where that is asked for."""
        names = self.of.outputs
        made = self._ruled_scalar() if self.of.is_scalar else self._ruled()

        def run(*data: Any) -> Any:
            outputs = dict(zip(names, made(data), strict=True))
            return self.of.structured(outputs, lambda item: None if item is None else jnp.asarray(item))

        return run

    def _ruled(self) -> Ruled:
        names = self.of.outputs

        def rule(places: Asked, data: Data, tangents: Data) -> tuple[Data, Data]:
            asked, moved = self._asked(places, tangents)
            return made(data), self.pushed(asked)(data, moved)

        made = Ruled(self._primal, rule, tuple(name in self.of.float_outputs for name in names))
        return made

    def _ruled_scalar(self) -> Ruled:
        def rule(places: Asked, data: Data, tangents: Data) -> tuple[Data, Data]:
            asked, moved = self._asked(places, tangents)
            value, *gradients = self.value_and_gradients(asked)(data)
            return [value], [_along(value, gradients, moved)]

        return Ruled(self._primal, rule, (True,))

    def _primal(self, data: Data) -> list[Any]:
        found, leaves = self.of.primal, self.call.all_leaves(data)
        outputs = outputs_of(found, self._run(found, leaves), leaves)
        return [jnp.asarray(outputs[name]) for name in self.of.outputs]

    def _run(self, found: Specialised, leaves: Sequence[Any]) -> list[Any]:
        program = self._programs.get(id(found))
        if program is None:
            program = self._programs[id(found)] = xla_program(found, [value for _, value in self.call.leaves])
        return program(leaves)

    def _asked(self, places: Asked, tangents: Data) -> tuple[Asked, list[Any]]:
        """The places of data that derivatives are asked for, with their tangents."""
        pairs = [(k, t) for k, t in zip(places, tangents, strict=True) if t.dtype != jax.dtypes.float0]
        self.call.require_active([k for k, _ in pairs], self.of.active)
        return tuple(k for k, _ in pairs), [t for _, t in pairs]

    def value_and_gradients(self, asked: Asked) -> Ruled:
        """The value of a scalar, and gradients with respect to these data; with a rule of its own."""

        def run(data: Data) -> list[Any]:
            found, leaves = self.of.gradients(asked), self.call.all_leaves(data)
            results = self._run(found, leaves)
            [value] = outputs_of(found, results, leaves).values()
            return [jnp.asarray(value), *gradients_of(found, results, lambda k: jnp.zeros_like(data[asked[k]]))]

        def rule(places: Asked, data: Data, tangents: Data) -> tuple[Data, Data]:
            again, moved = self._asked(places, tangents)
            value, *gradients = made(data)
            first = gradients if again == asked else self.value_and_gradients(again)(data)[1:]
            second = self.hessian_product(asked, again)(data, moved)
            return [value, *gradients], [_along(value, first, moved), *second]

        made = Ruled(run, rule, (True,) * (1 + len(asked)))
        return made

    def pushed(self, asked: Asked) -> Linear:
        """The Jacobian: from tangents of these data to those of the outputs, and from seeds back."""
        names = self.of.float_outputs

        def run(data: Data, tangents: Data) -> list[Any]:
            found = self.of.pushed(asked)
            dots = tangents_of(found, self._run(found, [*self.call.all_leaves(data), *tangents]), _zeros)
            return [dots[name] for name in names]

        def transposed(data: Data, seeds: Data) -> list[Any]:
            found, by_name = self.of.pulled(asked), dict(zip(names, seeds, strict=True))
            whole = [by_name[name] if name in by_name else _zeros(self.of.arrays[name]) for name in self.of.outputs]
            results = self._run(found, [*self.call.all_leaves(data), *whole])
            return gradients_of(found, results, lambda k: jnp.zeros_like(data[asked[k]]))

        return Linear(run, transposed, lambda again: self.curvature(asked, again))

    def curvature(self, asked: Asked, again: Asked) -> Linear:
        """The derivative of what is pulled back to the data `asked` by the data `again`, given data and seeds."""
        self.call.require_active(again, self.of.active)
        everything, count = tuple(sorted({*asked, *again})), len(self.call.places)

        def product(given: Data, tangents: Mapping[int, Any], wanted: Asked) -> list[Any]:
            data, seeds = given[:count], given[count:]
            found = self.of.curved(everything)
            moved = [tangents[k] if k in tangents else jnp.zeros_like(data[k]) for k in everything]
            dots = tangents_of(found, self._run(found, [*seeds, *self.call.all_leaves(data), *moved]), _zeros)
            by_place = dict(zip(everything, names_in(found), strict=True))
            return [dots[by_place[k]] for k in wanted]

        return Linear(
            lambda given, tangents: product(given, dict(zip(again, tangents, strict=True)), asked),
            lambda given, seeds: product(given, dict(zip(asked, seeds, strict=True)), again),
            residuals=count + len(self.of.float_outputs),
        )

    def hessian_product(self, asked: Asked, again: Asked) -> Linear:
        """The rows of the Hessian for the data `asked`, and its columns for those `again`."""
        everything = tuple(sorted({*asked, *again}))

        def product(data: Data, given: Mapping[int, Any], wanted: Asked) -> list[Any]:
            found = self.of.hessian(everything)
            tangents = [given[k] if k in given else jnp.zeros_like(data[k]) for k in everything]
            dots = tangents_of(found, self._run(found, [*self.call.all_leaves(data), *tangents]), _zeros)
            by_place = dict(zip(everything, names_in(found), strict=True))
            return [dots[by_place[k]] for k in wanted]

        return Linear(
            lambda data, tangents: product(data, dict(zip(again, tangents, strict=True)), asked),
            lambda data, seeds: product(data, dict(zip(asked, seeds, strict=True)), again),
        )


def _along(value: Any, gradients: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """What the value changes by."""
    total = sum(jnp.vdot(g, t) for g, t in zip(gradients, tangents, strict=True))
    return jnp.asarray(total, value.dtype).reshape(value.shape)


def _zeros(like: Any) -> Any:
    return jnp.zeros(like.shape, like.dtype)
