"""A gradient compiled for given dtypes and shapes, and the short way from a call's arguments to the compiled code."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from daad.api.call import marshalling
from daad.api.call.artifact import outcome_of
from daad.api.call.buffers import Into, Targets, seed_of
from daad.api.call.calling_convention import Interface
from daad.api.call.device_calls import first_on_gpu, returned
from daad.api.call.marshalling import Slot
from daad.api.call.outputs import Arrays, PushAnswer, output_like, structure_of, used_once
from daad.api.call.parameter_slots import slots_of
from daad.api.call.paths import OffPath, Path
from daad.api.call.planned_call import PlannedCall, plan_call
from daad.api.call.pullbacks import Likes, PullAnswer
from daad.api.call.results import NOTHING as NO_AUX
from daad.api.call.results import answer_of
from daad.api.subject import arguments as calls
from daad.api.subject.request import Request
from daad.api.subject.seeds import brought, seed_array
from daad.api.subject.subject import Subject
from daad.api.subject.tangent_arguments import as_given, is_one, stand_in, tangents_of
from daad.api.subject.wrt import chosen_arguments
from daad.ccs.question import Product
from daad.codegen.compilation import COMPILERS, Executable, compile_program
from daad.errors import BadArgument, DaadError, IndexOutside, level_of_the_user
from daad.frontend.python.reading.quick_guards import unchanged
from daad.frontend.staging.draws import is_held, rewind
from daad.frontend.staging.speculation import NOTHING, Assumptions
from daad.ir.indices.index_errors import explained
from daad.ir.nodes import Program
from daad.ir.walk import has_computed_index
from daad.messages.sizes import Bytes
from daad.messages.suggestions import listed
from daad.runtime.gpu.cards import current_card
from daad.runtime.gpu.device_array import DeviceArray
from daad.runtime.gpu.device_program import DeviceProgram
from daad.runtime.lazy_import import later
from daad.runtime.processors import Device
from daad.runtime.result_memory import Results

if TYPE_CHECKING:
    from daad import pipeline
else:
    pipeline = later("daad.pipeline")


NO_ARRAYS: Mapping[int, np.ndarray] = MappingProxyType({})
Before = Sequence[tuple[np.ndarray, np.ndarray]]
"""Parameters that are written, with what they held before."""


@dataclass(kw_only=True)
class Memory:
    """Bytes that a call holds, arguments and gradients included: as modelled, and as measured at the first call."""

    modelled: Bytes
    measured: Bytes | None = None

    def __str__(self) -> str:
        measured = "not measured yet" if self.measured is None else f"measured {self.measured!r}"
        return f"modelled {self.modelled!r}, {measured}"

    __repr__ = __str__


@dataclass(frozen=True, kw_only=True)
class Specialised:
    """One compiled gradient: `slots` are its array parameters in order, `integers` the leaves that are passed as ints.

    `kinds` and `pinned` say which calls it serves: dtypes and shapes, and values that are compiled in. `kept` are the
    leaves that `kinds` knows by their identity: while they live, no other object can have it. `bounded`: a loop may go
    on beyond its bound, which IndexOutside tells with all parameters as they were. `failed`: the places of the
    results, if there are any, that tell which exception of the program's own a call should have raised, or, below 0,
    which decision of the `path` has been another one, and which. `targets`: what arrays of the caller's for gradients
    must look like. `may_stop`: an
    exception may end the program, and Stopped tells that, with all parameters as they were. `follows`: another path is
    read where data decide otherwise. `seeds`: what stands behind
    the leaves for the seed of a call.
    """

    planned: PlannedCall
    compiled: Executable
    kinds: tuple[Any, ...]
    slots: tuple[Slot, ...]
    integers: tuple[int, ...]
    pinned: tuple[tuple[int, Any], ...]
    compared: tuple[tuple[int, int, bool], ...]
    results: tuple[Results, ...]
    answer: Any
    memory: Memory
    kept: tuple[Any, ...] = ()
    witnesses: tuple[Any, ...] = ()
    bounded: bool = False
    failed: tuple[int, ...] = ()
    may_stop: bool = False
    path: Path = field(default_factory=Path)
    follows: bool = True
    seeds: Callable[[Any], list[np.ndarray]] | None = None
    targets: Targets | None = None

    @property
    def derivation(self) -> Any:
        """Every stage from the primal to the program that was compiled."""
        return self.planned.derivation

    def fits(self, leaves: Sequence[Any]) -> bool:
        """Whether the leaves of a call have these kinds and pinned values, and all around is as it was."""
        return (
            tuple(map(calls.kind, leaves)) == self.kinds
            and (not self.pinned or all(leaves[i] == value for i, value in self.pinned))
            and all((leaves[i] is leaves[j]) is same for i, j, same in self.compared)
            and self.surroundings_stay()
        )

    @cached_property
    def surroundings_stay(self) -> Callable[[], bool]:
        """Whether what was taken from outside is as it was."""
        return unchanged(self.witnesses)

    def call(self, leaves: Sequence[Any], brought: Any = None) -> Any:
        """Runs on the leaves of a call, in order, and on what it may have brought beside them."""
        like = first_on_gpu(leaves)
        if like is not None or (isinstance(self.answer, PullAnswer) and isinstance(self.compiled, DeviceProgram)):
            return self._call_on_gpu(leaves, brought, like)
        if not isinstance(brought, Into):
            return self.answer.of(leaves, *self.run(leaves))
        assert self.targets is not None, "gradients alone are written into buffers"
        buffers = self.targets.arrays(brought)
        self.targets.require_apart(buffers, leaves[: len(self.kinds)])
        taken = {} if brought.is_added else self.answer.directly(buffers)
        arrays, results = self.run(leaves, taken)
        return self.answer.into(buffers, brought, leaves, arrays, results)

    def _call_on_gpu(self, leaves: Sequence[Any], brought: Any, like: DeviceArray | None) -> Any:
        """The same with results that stay on the GPU, also those that a pullback reads; `like` says what the caller
        gets, NumPy's arrays where there is none."""
        if isinstance(brought, Into):
            hint = "Leave out 'out', or pass arrays of NumPy's as arguments."
            raise BadArgument("Gradients on a GPU are written into no arrays that are given.", hint=hint)
        card = current_card() if like is None else like.card
        taken = {k: DeviceArray.empty(r.shape, r.dtype, card) for k, r in enumerate(self.results)}
        answer = self.answer.of(leaves, *self.run(leaves, taken))
        return returned(answer, like, getattr(self.answer, "aux", NO_AUX) is NO_AUX)

    def run(
        self, leaves: Sequence[Any], taken: Mapping[int, Any] = NO_ARRAYS
    ) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The arrays of the compiled code after a run: its parameters, and its results, of which some are `taken`."""
        arrays, copies = marshalling.take(self.slots, leaves)
        results = self.start(arrays, leaves, taken)
        for original, copy in copies:
            original[...] = copy
        return arrays, results

    def start(
        self, parameters: Sequence[np.ndarray], leaves: Sequence[Any], taken: Mapping[int, Any] = NO_ARRAYS
    ) -> list[np.ndarray]:
        """The results of the compiled code on its array parameters, and on the leaves that it takes as ints."""
        if not (drawn := self.planned.read.drawn):
            return self._started(parameters, leaves, taken)
        before = drawn.states()
        drawn.make()
        try:
            results = self._started(parameters, leaves, taken)
        except OffPath:
            rewind(before)
            raise
        if is_held():
            rewind(before)
        return results

    def _started(
        self, parameters: Sequence[np.ndarray], leaves: Sequence[Any], taken: Mapping[int, Any]
    ) -> list[np.ndarray]:
        results = [r.fresh() for r in self.results] if not taken else self._fresh_but(taken)
        before = [(parameters[k], parameters[k].copy()) for k in self.restores]
        integers = [marshalling.integer(leaves[i]) for i in self.integers]
        try:
            if self.memory.measured is None:
                only_read = [k for k, slot in enumerate(self.slots) if not slot.written]
                measured = self.compiled.measure([*parameters, *results], integers, only_read)
                self.memory.measured = Bytes(measured)
            else:
                self.compiled.call([*parameters, *results], integers)
        except IndexOutside as found:
            raise self.overrun(found, before) from None
        if self.failed:
            self.settle(results, before)
        return results

    def overrun(self, found: IndexOutside, before: Before = ()) -> Exception:
        """What a call ends with where an index does not fit."""
        error = found if found.loop is not None else explained(found, self.derivation.joint)
        stopped = self._stopped(before, error)
        is_sure = found.loop is not None or not self.path.decisions
        return stopped if is_sure else OffPath(self.path, None, error=stopped)

    def settle(self, results: Sequence[np.ndarray], before: Before = ()) -> None:
        """Raises what the results tell of a run: an exception of the program's own, or that it took another path."""
        number = int(results[self.failed[0]])
        if number > 0:
            check = self.planned.read.checks[number - 1]
            stopped = self._stopped(before, check.error())
            is_followed = check.is_caught and self.follows
            raise OffPath(self.path, None, error=stopped, caught=check.at) if is_followed else stopped
        if number < 0:
            _restore(before)
            raise OffPath(self.path, -number - 1, int(results[self.failed[1]]))

    @cached_property
    def restores(self) -> tuple[int, ...]:
        """The arrays that are as they were where a run has to be given up."""
        restored = self.slots if self.bounded or self.may_stop else ()
        return tuple(k for k, slot in enumerate(restored) if slot.written)

    def _fresh_but(self, taken: Mapping[int, Any]) -> list[np.ndarray]:
        return [taken[k] if k in taken else r.fresh() for k, r in enumerate(self.results)]

    def _stopped(self, before: Before, error: Exception) -> Exception:
        _restore(before)
        return Stopped(error) if before and isinstance(error, DaadError) else error


def _restore(before: Before) -> None:
    for parameter, copy in before:
        parameter[...] = copy


class Stopped(Exception):
    """An exception has ended the program, with all parameters as they were; NumPy would have written some."""

    def __init__(self, error: DaadError) -> None:
        super().__init__(error.message)
        self.error = error


Compiler = Callable[[Program], Executable]


def specialise(
    subject: Subject,
    bound: Mapping[str, Any],
    request: Request,
    compiler: Compiler = compile_program,
    assumptions: Assumptions = NOTHING,
) -> Specialised:
    """Reads, differentiates and compiles for the arguments of a call; something may be assumed of its path."""
    is_kept = compiler is compile_program and request.product is not Product.PULLBACK  # which is two programs
    compiler = COMPILERS[request.device] if compiler is compile_program else compiler
    planned = plan_call(subject, bound, request, is_kept=is_kept, assumptions=assumptions)
    chosen = chosen_arguments(request.wrt, bound, subject)
    if request.product is Product.GRADIENT:
        _warn_of_zeros(planned.outcome.interface, chosen)
    return _assemble(subject, planned, calls.leaves(bound), chosen, request, compiler)


def specialise_primal(
    subject: Subject, bound: Mapping[str, Any], request: Request, compiler: Compiler = compile_program
) -> Specialised:
    """The same program without a gradient; a call gives the values of the outputs and no gradients."""
    request = replace(request, value=True)
    compiler = COMPILERS[request.device] if compiler is compile_program else compiler
    planned = plan_call(subject, bound, request)
    planned = replace(planned, outcome=outcome_of(pipeline.alone(planned.derivation, planned.question)))
    return _assemble(subject, planned, calls.leaves(bound), {}, replace(request, wrt=()), compiler)


def _warn_of_zeros(interface: Interface, chosen: Mapping[str, Any]) -> None:
    """A gradient that is zero whatever the arguments are is rarely what somebody asked for."""
    names = [leaf for leaf, _ in calls.floats(chosen)]
    zero = [n for n, gradient in zip(names, interface.gradients, strict=True) if gradient is None]
    if zero:
        their = "its gradient is" if len(zero) == 1 else "their gradients are"
        warnings.warn(f"The output does not depend on {listed(zero)}: {their} zero.", stacklevel=level_of_the_user())


def _assemble(
    subject: Subject,
    planned: PlannedCall,
    leaves: list[calls.Leaf],
    chosen: Mapping[str, Any],
    request: Request,
    compiler: Compiler,
) -> Specialised:
    read, interface = planned.read, planned.outcome.interface
    position = {name: number for number, (name, _) in enumerate(leaves)}
    by_array = {read.places[name]: position[name] for name in position if name in read.places}
    values, results = [value for _, value in leaves], [array.name for array in interface.results]
    targets = Targets.of({name: stand_in(value) for name, value in chosen.items()}, request, subject.at)
    names, convert = _brought(planned, targets, request, subject)
    # What a call brings stands behind the leaves, arrays that gradients are added to behind all else.
    values += [] if convert is None else convert(request.seed)
    if request.accumulate:
        names = (*names, *(name or "" for name in interface.gradients))
        values += [like for _, like in calls.floats(targets.likes)]
        convert = _with_buffers(convert, targets)
    by_array |= {name: len(leaves) + number for number, name in enumerate(names)}
    return Specialised(
        planned=planned,
        compiled=planned.outcome.compiled(compiler),
        kinds=tuple(calls.kind(value) for _, value in leaves),
        slots=slots_of(read, interface, by_array, request, values),
        integers=tuple(by_array[n] for n in interface.integers),
        pinned=tuple((position[n], value) for n, value in read.pinned.items()),
        compared=tuple((position[a], position[b], same) for (a, b), same in read.compared.items()),
        results=tuple(Results(r.shape, r.dtype, keep=request.memory_limit is None) for r in interface.results),
        answer=_answer(planned, leaves, chosen, request, compiler, subject),
        seeds=convert,
        targets=targets if request.product is Product.GRADIENT else None,
        memory=Memory(modelled=Bytes(interface.nbytes)),
        witnesses=read.witnesses,
        bounded=read.bounded,
        failed=tuple(results.index(name) for name in read.failed if name in results),
        path=Path(read.decisions, read.assumed.counts, read.assumed.caught),
        follows=request.on_decision != "refuse",
        may_stop=bool(read.failed) or has_computed_index(read.program.body),
        kept=tuple(value for _, value in leaves if calls.is_known_by_identity(value)),
    )


Convert = Callable[[Any], list[np.ndarray]]


def _with_buffers(seeds: Convert | None, targets: Targets) -> Convert:
    """What a call brings that has its gradients added to arrays."""

    def convert(into: Into) -> list[Any]:
        return [*(seeds(into) if seeds else ()), *targets.arrays(into)]

    return convert


def _brought(
    planned: PlannedCall, targets: Targets, request: Request, subject: Subject
) -> tuple[tuple[str, ...], Convert | None]:
    """The parameters that a call's own seed or tangent is, and how it becomes their arrays."""
    read = planned.read
    if request.product.takes_tangents:
        taken = as_given(targets.likes.values(), request.batch, targets.is_single)
        return planned.question.tangents, lambda g: taken(g.value) or tangents_of(targets.likes, g, targets.is_single)
    if not request.seed_at_call:
        return (), None
    names = tuple(seed_array(number, read) for number in range(len(read.outputs)))
    convert = brought(read, request, subject)
    return names, lambda given: convert(seed_of(given))


def _answer(
    planned: PlannedCall,
    leaves: list[calls.Leaf],
    chosen: Mapping[str, Any],
    request: Request,
    compiler: Compiler,
    subject: Subject,
) -> Any:
    """How the results of compiled code become what the caller gets."""
    read, interface = planned.read, planned.outcome.interface
    if request.product in (Product.GRADIENT, Product.GAUSS_NEWTON):
        return answer_of(interface, leaves, chosen, request, read)
    if request.product is Product.TANGENT:
        return PushAnswer.of_interface(interface, read, request, planned.question.outputs)
    position = {name: number for number, (name, _) in enumerate(leaves)}
    by_array = {place: position[user] for user, place in read.places.items() if user in position}
    split, structure = planned.derivation, structure_of(read, request)
    held = [split.joint.arrays[name] for name in split.kept]
    return PullAnswer(
        split=split,
        structure=structure,
        arrays=Arrays.of(interface, read.pairs),
        own=used_once(structure) - {*split.kept},
        copies={a.name: Results(a.shape, a.dtype, keep=request.memory_limit is None) for a in held},
        likes=Likes.of(chosen, is_one(request.wrt)),
        outputs={name: output_like(read, name) for name in planned.question.outputs},
        integers=tuple(by_array[name] for name in interface.integers),
        may_hold=request.memory_limit is None,
        is_on_gpu=request.device is Device.GPU,
        compiler=compiler,
        at=subject.at,
        communicates=read.communicates,
    )
