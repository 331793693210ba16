"""Linear functions of JAX's arrays with their transposes, as a primitive: JAX's own `linear_call` knows no `vmap`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from daad.api.interop.specialisations import LAST

Arrays = Sequence[Any]
Curved = Callable[[tuple[int, ...]], "Linear"]


@dataclass(frozen=True, eq=False)
class Linear:
    """`run(residuals, tangents)` is linear in the tangents, `transposed(residuals, seeds)` its transpose.

    `curved(places)` is the derivative of the transpose by residuals at these places: linear in their tangents, with the
    seeds behind the residuals, of which there are so many. None: there is none, as of `run` itself.
    """

    run: Callable[[Arrays, Arrays], Arrays]
    transposed: Callable[[Arrays, Arrays], Arrays]
    curved: Curved | None = None
    is_turned: bool = False
    residuals: int = 0

    def __call__(self, residuals: Arrays, tangents: Arrays) -> list[Any]:
        return list(_LINEAR.bind(*residuals, *tangents, linear=self, count=len(residuals)))

    @property
    def turned(self) -> Linear:
        """The transpose."""
        return replace(self, run=self.transposed, transposed=self.run, is_turned=not self.is_turned)

    def batched(self, axes: Sequence[int | None]) -> Linear:
        """For a batch along these axes of the residuals, and the first ones of all else."""
        where = ([*axes], 0)

        def curved(places: tuple[int, ...]) -> Linear:
            assert self.curved is not None, "what is not there is not asked for"
            given = self.curved(places)
            inner = given.batched([*axes, *[0] * (given.residuals - len(axes))])
            return _of_residuals(inner, [axes[k] for k in places])

        run, transposed = jax.vmap(self.run, where), jax.vmap(self.transposed, where)
        return replace(self, run=run, transposed=transposed, curved=curved if self.curved else None)


def _of_residuals(linear: Linear, axes: Sequence[int | None]) -> Linear:
    """The same for tangents that have the axes of residuals, of which a batch may share some; seeds stand last."""

    def run(residuals: Arrays, tangents: Arrays) -> Arrays:
        return linear.run(
            residuals, [_leading(t, axis, len(residuals[-1])) for t, axis in zip(tangents, axes, strict=True)]
        )

    def transposed(residuals: Arrays, seeds: Arrays) -> Arrays:
        found = linear.transposed(residuals, seeds)
        return [f.sum(0) if axis is None else jnp.moveaxis(f, 0, axis) for f, axis in zip(found, axes, strict=True)]

    return replace(linear, run=run, transposed=transposed)


def _leading(array: Any, axis: int | None, size: int) -> Any:
    """With the batch along the first axis."""
    return jnp.broadcast_to(array, (size, *array.shape)) if axis is None else jnp.moveaxis(array, axis, 0)


def _run(*arrays: Any, linear: Linear, count: int) -> list[Any]:
    return list(linear.run([*arrays[:count]], [*arrays[count:]]))


def _avals(*avals: Any, linear: Linear, count: int) -> list[Any]:
    likes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
    found = jax.eval_shape(lambda *arrays: _run(*arrays, linear=linear, count=count), *likes)
    return [jax.core.ShapedArray(each.shape, each.dtype) for each in found]


def _pushed(primals: Arrays, tangents: Arrays, *, linear: Linear, count: int) -> tuple[list[Any], list[Any]]:
    residuals, given = primals[:count], primals[count:]
    moved = [ad.instantiate_zeros(tangent) for tangent in tangents[count:]]
    dots = linear(residuals, moved)
    places = tuple(k for k, tangent in enumerate(tangents[:count]) if type(tangent) is not ad.Zero)
    if places:
        if linear.curved is None or not linear.is_turned:
            raise LAST
        further = linear.curved(places)([*residuals, *given], [tangents[k] for k in places])
        dots = [a + b for a, b in zip(dots, further, strict=True)]
    return linear(residuals, given), dots


def _transposed(seeds: Arrays, *arrays: Any, linear: Linear, count: int) -> list[Any]:
    found = linear.turned(arrays[:count], [ad.instantiate_zeros(seed) for seed in seeds])
    return [None] * count + found


def _batched(arrays: Arrays, axes: Sequence[Any], *, linear: Linear, count: int) -> tuple[list[Any], list[int]]:
    size = next(a.shape[axis] for a, axis in zip(arrays, axes, strict=True) if axis is not None)
    tangents = [_leading(array, axis, size) for array, axis in zip(arrays[count:], axes[count:], strict=True)]
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
