"""`Gradient.as_jax`: a program as a function of JAX, with its derivatives; XLA calls compiled code, and no Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from daad.api.interop.known_leaves import Kind, KnownCall, form, require_hashable
from daad.api.interop.specialisations import Specialisations, for_library
from daad.api.interop.xla_derivatives import XlaDerivatives
from daad.api.subject import arguments as calls
from daad.errors import Unsupported
from daad.runtime.forks import fresh_rlock

if TYPE_CHECKING:
    from daad.api.gradient import Gradient


class JaxFunction:
    """A program as a function of JAX's arrays; `Gradient.as_jax` makes it."""

    def __init__(self, gradient: Gradient) -> None:
        self._gradient = for_library(gradient, "JAX")
        self._known: dict[Any, tuple[Specialisations, Callable[..., Any]]] = {}
        self._lock = fresh_rlock()
        self.__name__ = gradient._subject.name

    def __repr__(self) -> str:
        return f"{self.__name__} as a function of JAX"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self._gradient._bound(args, kwargs)
        data = [jnp.asarray(value) for value in _data(bound)]
        key = tuple((v.shape, v.dtype, v.weak_type) for v in data), form(bound, is_data)
        try:
            made = self._known.get(key)
        except TypeError:
            require_hashable(bound, is_data, self._gradient._subject.at)
            raise
        if made is None or not made[0].holds():
            with self._lock:
                made = self._known[key] = self._traced(bound, data)
        return made[1](*data)

    def _traced(self, bound: dict[str, Any], data: Sequence[Any]) -> tuple[Specialisations, Callable[..., Any]]:
        for value in data:
            if not all(isinstance(size, int) for size in value.shape):
                raise Unsupported(
                    f"The shape {value.shape} is symbolic, and daad compiles for known ones.",
                    at=self._gradient._subject.at,
                    hint="Export the function for each shape.",
                )
        call = KnownCall.of(self._gradient._subject, bound, is_data, [_kind(value) for value in data])
        of = Specialisations(self._gradient, call, "JAX")
        return of, jax.jit(XlaDerivatives(of).function())


def _kind(value: Any) -> Kind:
    """Python's numbers do not promote NumPy's arrays, as JAX's of weak types do not; that they have 64 bits shows only
    where JAX has such numbers."""
    is_number = value.weak_type and value.shape == () and value.dtype == np.float64
    return Kind(value.shape, np.dtype(value.dtype), is_number)


def is_data(value: Any) -> bool:
    """Arrays, and numbers that may have derivatives."""
    return isinstance(value, jax.Array | np.ndarray | float | complex | np.inexact)


def _data(bound: dict[str, Any]) -> list[Any]:
    return [value for _, value in calls.leaves(bound) if is_data(value)]
