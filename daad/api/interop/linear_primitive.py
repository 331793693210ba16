"""Linear functions of JAX's arrays with their transposes, as a primitive: JAX's own `linear_call` knows no `vmap`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from daad.errors import NotDifferentiable

Arrays = Sequence[Any]
LAST = NotDifferentiable(
    "A function of as_jax has the second derivatives of a scalar, and first ones of anything else.",
    hint="Differentiate with daad.hessian, daad.jvp and daad.vjp, which nest further.",
)


@dataclass(frozen=True, eq=False)
class Linear:
    """`run(residuals, tangents)` is linear in the tangents, `transposed(residuals, seeds)` its transpose."""

    run: Callable[[Arrays, Arrays], Arrays]
    transposed: Callable[[Arrays, Arrays], Arrays]

    def __call__(self, residuals: Arrays, tangents: Arrays) -> list[Any]:
        return list(_LINEAR.bind(*residuals, *tangents, linear=self, count=len(residuals)))

    def batched(self, axes: Sequence[int | None]) -> Linear:
        """For a batch along these axes of the residuals, and the first ones of all else."""
        where = ([*axes], 0)
        return Linear(jax.vmap(self.run, where), jax.vmap(self.transposed, where))


def _run(*arrays: Any, linear: Linear, count: int) -> list[Any]:
    return list(linear.run([*arrays[:count]], [*arrays[count:]]))


def _avals(*avals: Any, linear: Linear, count: int) -> list[Any]:
    likes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
    found = jax.eval_shape(lambda *arrays: _run(*arrays, linear=linear, count=count), *likes)
    return [jax.core.ShapedArray(each.shape, each.dtype) for each in found]


def _pushed(primals: Arrays, tangents: Arrays, *, linear: Linear, count: int) -> tuple[list[Any], list[Any]]:
    if any(type(tangent) is not ad.Zero for tangent in tangents[:count]):
        raise LAST
    residuals, given = primals[:count], primals[count:]
    moved = [ad.instantiate_zeros(tangent) for tangent in tangents[count:]]
    return linear(residuals, given), linear(residuals, moved)


def _transposed(seeds: Arrays, *arrays: Any, linear: Linear, count: int) -> list[Any]:
    back = Linear(linear.transposed, linear.run)
    found = back(arrays[:count], [ad.instantiate_zeros(seed) for seed in seeds])
    return [None] * count + found


def _batched(arrays: Arrays, axes: Sequence[Any], *, linear: Linear, count: int) -> tuple[list[Any], list[int]]:
    size = next(a.shape[axis] for a, axis in zip(arrays, axes, strict=True) if axis is not None)
    tangents = [
        jnp.broadcast_to(array, (size, *array.shape)) if axis is None else jnp.moveaxis(array, axis, 0)
        for array, axis in zip(arrays[count:], axes[count:], strict=True)
    ]
    found = linear.batched(axes[:count])(arrays[:count], tangents)
    return found, [0] * len(found)


_LINEAR = Primitive("daad_linear")
_LINEAR.multiple_results = True
_LINEAR.def_impl(_run)
_LINEAR.def_abstract_eval(_avals)
ad.primitive_jvps[_LINEAR] = _pushed
ad.primitive_transposes[_LINEAR] = _transposed
batching.primitive_batchers[_LINEAR] = _batched
mlir.register_lowering(_LINEAR, mlir.lower_fun(_run, multiple_results=True))
