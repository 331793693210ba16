"""`Gradient.as_torch`: a program as a function of torch, with its derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from daad.api.interop.known_leaves import Kind, KnownCall, form, require_hashable
from daad.api.interop.specialisations import Specialisations, for_library
from daad.api.interop.torch_operators import call, primal, value_and_gradients
from daad.api.interop.torch_programs import TorchProgram
from daad.api.subject import arguments as calls
from daad.errors import BadArgument, Location
from daad.runtime.forks import fresh_rlock

if TYPE_CHECKING:
    from daad.api.gradient import Gradient


class TorchFunction:
    """A program as a function of tensors; `Gradient.as_torch` makes it."""

    def __init__(self, gradient: Gradient) -> None:
        self._gradient = for_library(gradient, "torch")
        self._known: dict[Any, TorchProgram] = {}
        self._shortly: dict[Any, TorchProgram] = {}  # by the arguments themselves, where these are the leaves
        self._lock = fresh_rlock()
        self.__name__ = gradient._subject.name
        self._call = torch._dynamo.nonstrict_trace(self._run)

    def __repr__(self) -> str:
        return f"{self.__name__} as a function of torch"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_compiling():
            return self._call(*args, **kwargs)
        known = None if kwargs else self._shortly.get(_key(args))
        if known is None or not self._gradient._subject.is_current() or not known.of.holds():
            return self._run(*args, **kwargs)
        return _outputs(known, [_tensor(value) for value in args if is_data(value)])

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        bound = self._gradient._bound(args, kwargs)
        data = [value for _, value in calls.leaves(bound) if is_data(value)]
        key = tuple(map(_kind_of, data)), form(bound, is_data)
        try:
            known = self._known.get(key)
        except TypeError:
            require_hashable(bound, is_data, self._gradient._subject.at)
            raise
        if known is None or not known.of.holds():
            with self._lock:
                known = self._known[key] = self._made(bound, data)
        if not kwargs and [*map(id, args)] == [id(value) for _, value in calls.leaves(bound)]:
            self._shortly[_key(args)] = known
        return _outputs(known, [*map(_tensor, data)])

    def _made(self, bound: dict[str, Any], data: Sequence[Any]) -> TorchProgram:
        at = self._gradient._subject.at
        known = KnownCall.of(self._gradient._subject, bound, is_data, [_kind(value, at) for value in data])
        return TorchProgram(Specialisations(self._gradient, known, "torch"))


def _outputs(known: TorchProgram, tensors: list[torch.Tensor]) -> Any:
    of = known.of
    asked = [k for k, t in enumerate(tensors) if t.requires_grad] if torch.is_grad_enabled() else []
    if asked and of.is_scalar:
        known.call.require_active(asked, of.active)
        value = call(value_and_gradients, tensors, known.number, asked)[0]
        return of.structured({of.structure.array: value}, _number)
    found = call(primal, tensors, known.number)
    return of.structured(dict(zip(of.outputs, found, strict=True)), _number)


def is_data(value: Any) -> bool:
    """Tensors, arrays, and numbers that may have derivatives."""
    return isinstance(value, torch.Tensor | np.ndarray | float | complex | np.inexact)


def _kind_of(value: Any) -> Any:
    """What of data is compiled in."""
    if isinstance(value, torch.Tensor):
        return value.dtype, value.shape, value.device
    return type(value), value.dtype if isinstance(value, np.ndarray | np.generic) else None, np.shape(value)


def _key(args: tuple[Any, ...]) -> Any:
    """The kinds of data, and all else by value; None where that cannot be looked up."""
    key = tuple([_kind_of(value) if is_data(value) else (type(value), value) for value in args])
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _tensor(value: Any) -> torch.Tensor:
    if isinstance(value, torch.Tensor):
        return value
    return torch.as_tensor(value, dtype=torch.float64 if type(value) is float else None)


def _number(item: Any) -> Any:
    return torch.as_tensor(item) if isinstance(item, np.ndarray | np.generic) else item


def _kind(value: Any, at: Location | None) -> Kind:
    if not isinstance(value, torch.Tensor):
        return Kind(np.shape(value), np.asarray(value).dtype, type(value) is float)
    if value.device.type not in ("cpu", "meta"):
        raise BadArgument(f"A tensor is on the device '{value.device}'.", at=at, hint="Move it by .cpu().")
    name = str(value.dtype).removeprefix("torch.")
    try:
        return Kind(tuple(map(int, value.shape)), np.dtype(name))
    except TypeError:
        sentence = f"A tensor is of {name}, which cannot be compiled."
        raise BadArgument(sentence, at=at, hint="Use float64 or float32.") from None
