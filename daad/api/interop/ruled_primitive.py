"""Functions of JAX's arrays with rules of their own, as a primitive: JAX drops those of `custom_jvp` where it takes a
scan apart, since they stand for what could be differentiated without them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

Arrays = Sequence[Any]


@dataclass(frozen=True, eq=False)
class Ruled:
    """`run(data)` gives results; `rule(places, data, tangents)` gives them with the tangents of those that are floats,
    for tangents of the data at these places."""

    run: Callable[[Arrays], Arrays]
    rule: Callable[[tuple[int, ...], Arrays, Arrays], tuple[Arrays, Arrays]]
    floats: tuple[bool, ...]

    def __call__(self, data: Arrays) -> list[Any]:
        return list(_RULED.bind(*data, ruled=self))

    def batched(self, axes: Sequence[int | None]) -> Ruled:
        """For a batch along these axes of the data; it is the first axis of the results."""

        def rule(places: tuple[int, ...], data: Arrays, tangents: Arrays) -> tuple[Arrays, Arrays]:
            own = [axes[k] for k in places]
            found = jax.vmap(lambda data, tangents: self.rule(places, data, tangents), ([*axes], own))
            return found([*data], [*tangents])

        return replace(self, run=jax.vmap(self.run, ([*axes],)), rule=rule)


def _run(*data: Any, ruled: Ruled) -> list[Any]:
    return list(ruled.run([*data]))


def _avals(*avals: Any, ruled: Ruled) -> list[Any]:
    likes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
    found = jax.eval_shape(lambda *data: _run(*data, ruled=ruled), *likes)
    return [jax.core.ShapedArray(each.shape, each.dtype) for each in found]


def _pushed(data: Arrays, tangents: Arrays, *, ruled: Ruled) -> tuple[list[Any], list[Any]]:
    places = tuple(k for k, tangent in enumerate(tangents) if type(tangent) is not ad.Zero)
    found, dots = ruled.rule(places, data, [tangents[k] for k in places])
    each = iter(dots)
    whole = [next(each) if f else ad.Zero.from_primal_value(r) for r, f in zip(found, ruled.floats, strict=True)]
    return list(found), whole


def _batched(data: Arrays, axes: Sequence[Any], *, ruled: Ruled) -> tuple[list[Any], list[int]]:
    found = ruled.batched(axes)(data)
    return found, [0] * len(found)


_RULED = Primitive("daad_program")
_RULED.multiple_results = True
_RULED.def_impl(_run)
_RULED.def_abstract_eval(_avals)
ad.primitive_jvps[_RULED] = _pushed
batching.primitive_batchers[_RULED] = _batched
mlir.register_lowering(_RULED, mlir.lower_fun(_run, multiple_results=True))
