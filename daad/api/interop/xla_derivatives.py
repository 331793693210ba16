"""The derivatives of one call of a program as rules of JAX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

from daad.api.call.specialization import Specialised
from daad.api.interop.linear_primitive import Linear
from daad.api.interop.specialisations import Asked, Specialisations, gradients_of, names_in, outputs_of, tangents_of
from daad.api.interop.xla_programs import XlaProgram, xla_program

Data = Sequence[Any]


class XlaDerivatives:
    """What JAX may ask of a program for data of known shapes and dtypes."""

    def __init__(self, of: Specialisations) -> None:
        self.of, self.call = of, of.call
        self._programs: dict[int, XlaProgram] = {}

    def function(self) -> Callable[..., Any]:
        """The program with its rule; of a scalar, the value comes with the gradient."""
        made = jax.custom_jvp(self.primal)

        def rule(data: Data, tangents: Data) -> tuple[Any, Any]:
            asked = self._asked(tangents)
            moved = [tangents[k] for k in asked]
            if self.of.is_scalar:
                value, gradients = self.value_and_gradients(asked)(*data)
                name = self.of.structure.array
                return self._structured({name: value}), self._structured({name: _along(value, gradients, moved)})
            dots = self.pushed(asked)(data, moved)
            return made(*data), self._dots(dict(zip(self.of.float_outputs, dots, strict=True)))

        made.defjvp(rule, symbolic_zeros=True)
        return made

    def primal(self, *data: Any) -> Any:
        """The outputs of the program."""
        found, leaves = self.of.primal, self.call.all_leaves(data)
        return self._structured(outputs_of(found, self._run(found, leaves), leaves))

    def _run(self, found: Specialised, leaves: Sequence[Any]) -> list[Any]:
        program = self._programs.get(id(found))
        if program is None:
            program = self._programs[id(found)] = xla_program(found, [value for _, value in self.call.leaves])
        return program(leaves)

    def _structured(self, outputs: Mapping[str, Any]) -> Any:
        arrays = {name: jnp.asarray(value) for name, value in outputs.items()}
        return self.of.structured(arrays, lambda item: None if item is None else jnp.asarray(item))

    def _dots(self, dots: Mapping[str, Any]) -> Any:
        """Tangents in the structure of the outputs; those of whole numbers are none."""
        arrays = self.of.arrays
        none = {name: np.zeros(arrays[name].shape, jax.dtypes.float0) for name in self.of.outputs}
        return self.of.structured({**none, **dots}, lambda item: None if item is None else _still(jnp.asarray(item)))

    def _asked(self, tangents: Sequence[Any]) -> Asked:
        """The places of data that derivatives are asked for."""
        asked = tuple(k for k, tangent in enumerate(tangents) if not _is_nothing(tangent))
        self.call.require_active(asked, self.of.active)
        return tuple(k for k in asked if k in self.of.active)

    def value_and_gradients(self, asked: Asked) -> Callable[..., tuple[Any, list[Any]]]:
        """The value of a scalar, and gradients with respect to these data; with a rule of its own."""

        def run(*data: Any) -> tuple[Any, list[Any]]:
            found, leaves = self.of.gradients(asked), self.call.all_leaves(data)
            results = self._run(found, leaves)
            [value] = outputs_of(found, results, leaves).values()
            return jnp.asarray(value), gradients_of(found, results, lambda k: jnp.zeros_like(data[asked[k]]))

        def rule(data: Data, tangents: Data) -> tuple[Any, Any]:
            again = self._asked(tangents)
            moved = [tangents[k] for k in again]
            value, gradients = made(*data)
            first = gradients if again == asked else self.value_and_gradients(again)(*data)[1]
            return (value, gradients), (_along(value, first, moved), self.hessian_product(asked, again)(data, moved))

        made = jax.custom_jvp(run)
        made.defjvp(rule, symbolic_zeros=True)
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

        return Linear(run, transposed)

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


def _is_nothing(tangent: Any) -> bool:
    return isinstance(tangent, SymbolicZero) or tangent.dtype == jax.dtypes.float0


def _still(value: Any) -> Any:
    """The tangent of what is constant."""
    is_real = jnp.issubdtype(value.dtype, jnp.floating)
    return jnp.zeros_like(value) if is_real else np.zeros(value.shape, jax.dtypes.float0)
