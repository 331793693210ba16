"""Pullbacks: after one run of the primal, seeds times the Jacobian any number of times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from daad.api.call import marshalling
from daad.api.call.buffers import copied_into, summed
from daad.api.call.calling_convention import Interface, interface_of
from daad.api.call.device_calls import Follows, first_on_gpu, returned, taken_over
from daad.api.call.outputs import Arrays, mapped, seeds_as_given, seeds_of_structure
from daad.api.call.planned_call import IN_TURN, ONE_AT_A_TIME
from daad.api.subject import arguments as calls
from daad.api.subject import complex_views
from daad.api.subject.tangent_arguments import AsGiven, Given, leading, stand_in
from daad.codegen.compilation import Executable
from daad.errors import Location, Unsupported
from daad.ir.nodes import Program
from daad.runtime.gpu.device_array import DeviceArray
from daad.runtime.python_calls import last_frame
from daad.runtime.result_memory import Results

if TYPE_CHECKING:
    from daad.products.separate_adjoint import Split


@dataclass(frozen=True, kw_only=True)
class Likes:
    """What gradients look like: stand-ins for the float leaves that are asked for, and their structure (None: one
    array or number)."""

    leaves: tuple[Any, ...]
    structure: Any

    @staticmethod
    def of(chosen: Mapping[str, Any], is_single: bool) -> Likes:
        names = calls.floats(chosen)
        structure = calls.skeleton(next(iter(chosen.values())) if is_single else tuple(chosen.values()))
        is_plain = is_single and len(names) == 1 and names[0][0] in chosen
        return Likes(leaves=tuple(stand_in(value) for _, value in names), structure=None if is_plain else structure)

    def filled(self, found: Sequence[np.ndarray | None], count: int | None) -> Any:
        """Arrays of compiled code, one for each leaf (None: zero), as the user gets them."""
        pairs = zip(self.leaves, found, strict=True)
        gradients = [_gradient(leaf, array, count) for leaf, array in pairs]
        return gradients[0] if self.structure is None else calls.filled(self.structure, iter(gradients))


def _gradient(leaf: Any, array: np.ndarray | None, count: int | None) -> Any:
    whole = np.asarray(leaf)
    if array is None:
        found = np.zeros(whole.shape if count is None else (count, *whole.shape), whole.dtype)
    else:
        found = complex_views.joined(array) if complex_views.is_complex(leaf) else array
    if not isinstance(leaf, np.ndarray) and count is None:
        return found[()]
    return found if whole.dtype.isnative else found.astype(whole.dtype)


@dataclass(frozen=True)
class Half:
    """The adjoint, compiled for so many seeds at once; `taken` are seeds as they are given, where they may be.

    Results lie on the GPU where something of what it reads does.
    """

    interface: Interface
    compiled: Executable
    results: tuple[Results, ...]
    taken: AsGiven

    def run(self, arrays: Sequence[Any], integers: Sequence[int]) -> list[Any]:
        """The gradients of the inputs, None where they are zero."""
        like = first_on_gpu(arrays)
        results: list[Any] = [
            r.fresh() if like is None else DeviceArray.empty(r.shape, r.dtype, like.card) for r in self.results
        ]
        self.compiled.call([*arrays, *results], integers)
        place = {array.name: number for number, array in enumerate(self.interface.results)}
        return [None if name is None else results[place[name]] for name in self.interface.gradients]


@dataclass(frozen=True, kw_only=True)
class PullAnswer:
    """How the results of the primal become outputs and a pullback; `integers` are the leaves passed as ints.

    Arrays of `own` belong to the caller. What the pullback reads of the arguments has `copies`, since the caller may
    overwrite them before it is called. `may_hold`: memory of gradients that the caller has let go of serves again.
    """

    split: Split
    structure: Any
    arrays: Arrays
    own: frozenset[str]
    copies: Mapping[str, Results]
    likes: Likes
    outputs: Mapping[str, np.ndarray]
    integers: tuple[int, ...]
    may_hold: bool
    is_on_gpu: bool
    compiler: Callable[[Program], Executable]
    at: Location | None
    communicates: bool
    halves: dict[int | None, Half] = field(default_factory=dict)

    def of(self, leaves: Sequence[Any], arrays: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> Any:
        own, find = self.own, self.arrays.find
        value = mapped(self.structure, lambda leaf: self.arrays.value(leaf.array, arrays, results, leaf.array in own))
        names = {name: self.split.copies.get(name, name) for name in self.split.kept}
        kept = [find(found, arrays, results, True, self.copies[n].copy_of) for n, found in names.items()]
        return value, Pullback(self, kept, [marshalling.integer(leaves[k]) for k in self.integers])

    def half(self, count: int | None) -> Half:
        """The adjoint for so many seeds at once, compiled at its first use."""
        found = self.halves.get(count)
        if count is not None and self.communicates:
            raise Unsupported(ONE_AT_A_TIME, at=self.at, hint=IN_TURN)
        if found is None:
            program = self.split.pullback(count)
            interface = interface_of(program)
            results = tuple(Results(r.shape, r.dtype, keep=self.may_hold) for r in interface.results)
            taken = seeds_as_given(self.structure, self.outputs, count)
            found = self.halves[count] = Half(interface, self.compiler(program.joint), results, taken)
        return found


class Pullback(Follows):
    """Seeds times the Jacobian at the arguments of a call of `daad.vjp`; it holds what the adjoint reads.

    Called with a seed in the structure of the outputs, it gives the gradients, in the structure of `wrt`; `many` takes
    several along a leading axis. The same seed gives the same bits. `out` are the caller's own arrays for the
    gradients, to which these are added with `accumulate=True`.
    """

    def __init__(self, answer: PullAnswer, kept: Sequence[np.ndarray], integers: Sequence[int]) -> None:
        self._answer, self._kept, self._integers = answer, kept, integers
        self._frame = last_frame()  # what Python has been called for lives on

    @property
    def nbytes(self) -> int:
        """Bytes that it holds between calls."""
        return sum(array.nbytes for array in self._kept)

    def __call__(self, seed: Any, out: Any = None, accumulate: bool = False) -> Any:
        return self._pulled(Given(seed, None, "seed", self._answer.at), out, accumulate)

    def many(self, seeds: Any, out: Any = None, accumulate: bool = False) -> Any:
        """The same for several seeds at once: arrays have a leading axis for them, and so have the gradients."""
        seeds = taken_over("seeds", seeds) if self._answer.is_on_gpu else seeds
        count = leading(seeds, "seeds", self._answer.at)
        return self._pulled(Given(seeds, count, "seed", self._answer.at), out, accumulate)

    def _pulled(self, given: Given, out: Any, is_added: bool) -> Any:
        answer = self._answer
        if answer.is_on_gpu:
            given = replace(given, value=taken_over("seed", given.value))
        known = answer.halves.get(given.count)
        taken = known.taken(given.value) if known else None
        seeds = taken or seeds_of_structure(answer.structure, given, answer.outputs)
        half = known or answer.half(given.count)
        arrays = [*self._kept, *answer.split.tables.values(), *map(complex_views.taken, seeds)]
        found = answer.likes.filled(half.run(arrays, self._integers), given.count)
        found = returned(found, self.like) if answer.is_on_gpu else found
        found = summed(out, found, answer.at) if is_added else found
        return found if out is None else copied_into(out, found, answer.at)

    def __repr__(self) -> str:
        return f"Pullback of {self._answer.split.primal.name}"
