"""Compiled programs on tensors, which share memory with NumPy's arrays: no copy of what is contiguous."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch

from daad.api.call.specialization import Specialised, Stopped
from daad.api.interop.specialisations import Asked, Specialisations, gradients_of, names_in, outputs_of, tangents_of
from daad.errors import BadArgument, IndexOutside

Tensors = Sequence[torch.Tensor]


class TorchProgram:
    """A program for data of known shapes and dtypes; operators know it by its `number`, that of its content."""

    def __init__(self, of: Specialisations) -> None:
        self.of, self.call = of, of.call

    @cached_property
    def number(self) -> int:
        """The same in each process."""
        of, found = self.of, self.of.primal
        integers = [self.call.leaves[k][1] for k in found.integers]
        fixed = [hashlib.sha256(slot.fixed.tobytes()).hexdigest() for slot in found.slots if slot.fixed is not None]
        asked = of.request.of, of.request.plan, of.request.memory_limit, of.request.allow_undo
        content = repr((found.compiled.key, integers, fixed, sorted(of.active.items()), asked))
        number = int.from_bytes(hashlib.sha256(content.encode()).digest()[:7], "little")
        PROGRAMS.setdefault(number, self)
        return number

    def primal(self, data: Tensors) -> list[torch.Tensor]:
        """Each output once, in the order of the names."""
        leaves = self._leaves(data)
        found, results = self._run(lambda: self.of.primal, leaves)
        outputs = outputs_of(found, results, leaves)
        given = {id(leaf) for leaf in leaves}
        return [_tensor(np.array(a) if id(a) in given else a) for a in (outputs[name] for name in self.of.outputs)]

    def value_and_gradients(self, data: Tensors, asked: Asked) -> list[torch.Tensor]:
        """The value of a scalar, then the gradients."""
        leaves = self._leaves(data)
        found, results = self._run(lambda: self.of.gradients(asked), leaves)
        [(kind, place)] = found.answer.values
        value = results[place] if kind == "result" else np.array(leaves[found.slots[place].leaf])
        return [_tensor(value), *map(_tensor, gradients_of(found, results, self._zeros(asked)))]

    def pulled(self, data: Tensors, seeds: Tensors, asked: Asked) -> list[torch.Tensor]:
        """The gradients; a seed for each output."""
        found, results = self._run(lambda: self.of.pulled(asked), [*self._leaves(data), *map(_array, seeds)])
        return [*map(_tensor, gradients_of(found, results, self._zeros(asked)))]

    def pushed(self, data: Tensors, tangents: Tensors, asked: Asked) -> list[torch.Tensor]:
        """The tangents of the outputs that are floats."""
        found, results = self._run(lambda: self.of.pushed(asked), [*self._leaves(data), *map(_array, tangents)])
        dots = tangents_of(found, results, _zeros)
        return [_tensor(dots[name]) for name in self.of.float_outputs]

    def hessian_product(self, data: Tensors, tangents: Tensors, asked: Asked) -> list[torch.Tensor]:
        """The Hessian times tangents."""
        found, results = self._run(lambda: self.of.hessian(asked), [*self._leaves(data), *map(_array, tangents)])
        dots = tangents_of(found, results, _zeros)
        return [_tensor(dots[name]) for name in names_in(found)]

    def curved(self, data: Tensors, further: Tensors, asked: Asked) -> list[torch.Tensor]:
        """What is pulled back, by tangents of data; `further` are seeds of outputs that are floats, then tangents."""
        count = len(self.of.float_outputs)
        seeds, tangents = [*map(_array, further[:count])], [*map(_array, further[count:])]
        found, results = self._run(lambda: self.of.curved(asked), [*seeds, *self._leaves(data), *tangents])
        dots = tangents_of(found, results, _zeros)
        return [_tensor(dots[name]) for name in names_in(found)]

    def _run(self, choose: Callable[[], Specialised], leaves: Sequence[Any]) -> tuple[Specialised, list[np.ndarray]]:
        """What is compiled, and the results of a run; what goes wrong is raised as a call from Python raises it."""
        while True:
            found = choose()
            try:
                return found, found.run(leaves)[1]
            except Stopped as stopped:
                raise stopped.error from None
            except IndexOutside as overrun:
                self.of.grow(overrun)

    def _leaves(self, data: Tensors) -> list[Any]:
        return self.call.all_leaves([*map(_array, data)])

    def _zeros(self, asked: Asked) -> Any:
        return lambda number: np.zeros_like(self.call.leaves[self.call.places[asked[number]]][1])


PROGRAMS: dict[int, TorchProgram] = {}
"""Of this process, by their numbers."""


def program_of(number: int) -> TorchProgram:
    """What an operator is called for."""
    found = PROGRAMS.get(number)
    if found is None:
        raise BadArgument(
            "This process does not know the program of an operator.", hint="Call the function of as_torch first."
        )
    return found


def _array(tensor: torch.Tensor) -> np.ndarray:
    found: np.ndarray = tensor.detach().numpy()
    return found


def _tensor(array: Any) -> torch.Tensor:
    return torch.from_numpy(np.asarray(array))


def _zeros(like: Any) -> np.ndarray:
    return np.zeros(like.shape, like.dtype)
