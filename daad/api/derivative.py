"""What all derivatives of a program have in common: from the arguments of a call to compiled code and its answer."""

from __future__ import annotations

import contextlib
import operator
import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, Self

from daad.api.call.device_calls import on_host, taken_over
from daad.api.call.equal_objects import KnownObjects
from daad.api.call.fast_call import OTHER, Shortcut, shortcut
from daad.api.call.paths import OffPath, Path
from daad.api.call.paths import most as most_paths
from daad.api.call.specialization import Compiler, Memory, Specialised, Stopped, specialise
from daad.api.doors.labelled_arguments import Outcomes, is_labelled, labels_refused, values_alone
from daad.api.subject import arguments as calls
from daad.api.subject.local_variables import original, with_variables
from daad.api.subject.reading import subject_of
from daad.api.subject.request import Request, checked
from daad.api.subject.subject import Subject
from daad.api.subject.wrt import chosen_arguments, opened_arguments
from daad.codegen.compilation import compile_program
from daad.errors import BadArgument, IndexOutside, Unsupported
from daad.frontend.staging.speculation import NOTHING, Assumptions
from daad.frontend.stand_in import StandIn
from daad.ir.nodes import Program
from daad.ir.printer import declaration
from daad.messages.progress import shown
from daad.messages.sizes import readable
from daad.report.defects import Case, explained, guarded, is_unforeseen
from daad.report.text import Shown
from daad.report.tracebacks import end_at_the_call, shorten
from daad.runtime.at_work import at_work
from daad.runtime.forks import fresh_rlock
from daad.runtime.lazy_import import later
from daad.runtime.mpi.ranks import over_ranks
from daad.runtime.processors import Device

if TYPE_CHECKING:
    from daad.api import sdfg_parts as parts
    from daad.ccs.graph import CCS
    from daad.report import explanation as explanations
    from daad.report import memory_plan as plans
else:
    explanations, plans = later("daad.report.explanation"), later("daad.report.memory_plan")
    parts = later("daad.api.sdfg_parts")

MOST = 32
"""Specialised gradients for the same kinds of arguments that are kept."""


@dataclass(frozen=True)
class Asked:
    """A program, what is asked of it, and how it is compiled; the request is a checked one."""

    function: Any
    request: Request
    verbose: int = 0
    compiler: Compiler = compile_program

    def __post_init__(self) -> None:
        object.__setattr__(self, "request", checked(self.request))
        object.__setattr__(self, "function", with_variables(self.function, self.request.wrt))


@end_at_the_call
class Derivative:
    """A derivative of a program as a function: read and compiled at its first call for each combination of dtypes and
    shapes of its arguments."""

    _brings: tuple[str, ...] = ("seed",)
    """The keywords of what a call may bring beside the program's own arguments."""
    _prefix = "grad"

    def __init__(self, *asked: Any, **options: Any) -> None:
        """The functions of the interface make derivatives."""
        self._asked = Asked(*asked, **options)
        self._known: dict[Hashable, list[Specialised]] = {}
        self._objects = KnownObjects()
        self._last: Specialised | None = None
        self._short: Shortcut | None = None  # serves calls such as the last one, if its arguments were its leaves
        with guarded(Case(function=self._asked.function)):
            self._subject: Subject = self._read_subject()
        self.__name__ = f"{self._prefix}_{self._subject.name}"
        self._lock = fresh_rlock()

    def _read_subject(self) -> Subject:
        function = self._asked.function
        return function._as_subject() if isinstance(function, Derivative) else subject_of(function)

    def _as_subject(self) -> Subject:
        """The derivative as a program."""
        raise Unsupported(
            f"{type(self).__name__} objects cannot be differentiated again.",
            hint="Differentiate a gradient, as daad.jvp(daad.grad(f)).",
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, or the other end of a pickle, compiles for itself."""
        asked = self._asked
        return type(self), (original(asked.function), asked.request, asked.verbose, asked.compiler)

    def _with(self, **changes: Any) -> Self:
        """The same of the same program for another request."""
        asked = self._asked
        return type(self)(asked.function, replace(asked.request, **changes), asked.verbose, asked.compiler)

    def __repr__(self) -> str:
        wrt = self._asked.request.wrt
        free = [*self._subject.signature.parameters][len(self._subject.partial()[0]) :]
        chosen = free[:1] if wrt is None else wrt
        names = ", ".join(map(str, chosen if isinstance(chosen, list | tuple) else [chosen]))
        what = f"{self._kind} of {self._subject.name} with respect to {names}"
        if self._last is None:
            return f"{what}: not compiled yet"
        program, held = self._last.planned.read.program, readable(self._last.memory.modelled)
        given = ", ".join(declaration(program.arrays[name]) for name in program.parameters)
        return f"{what}: compiled for {given}; a call holds {held}"

    @property
    def _kind(self) -> str:
        """What it is, in words."""
        raise NotImplementedError

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        short = self._short
        try:  # costs nothing where nothing is raised, unlike a context manager
            try:
                if short is not None:
                    answer = self._shortly(short, args, kwargs) if kwargs else short(args)
                    if answer is not OTHER:
                        return answer
                if not self._is_for_gpu and is_labelled(args, kwargs):
                    return self._of_labelled(args, kwargs)
                found, leaves = self._found(args, kwargs)
                return found.call(leaves, self._seed(kwargs) if kwargs else None)
            except OffPath as left:
                return self._elsewhere(left, args, kwargs)
            except IndexOutside as overrun:
                return self._continued(overrun, args, kwargs)
            except Stopped as stopped:
                self._end_as_numpy(stopped, args, kwargs)
        except Exception as error:
            if is_unforeseen(error):
                raise explained(error, self._case(args, kwargs)) from error
            shorten(error)
            raise

    def _elsewhere(self, left: OffPath, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The answer where a call has `left` the path that was known."""
        try:
            return self._along(left, self._bound(args, kwargs), self._seed(kwargs))
        except Stopped as stopped:
            self._end_as_numpy(stopped, args, kwargs)

    @cached_property
    def _outcomes(self) -> Outcomes:
        """What the program has given for labelled arguments."""
        return Outcomes()

    def _of_labelled(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The answer for arguments of other libraries' types."""
        raise labels_refused(type(self).__name__, args, kwargs, self._subject.at)

    def _shortly(self, short: Shortcut, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The answer, if the call is such as the last one but for what the arrays hold."""
        return short(args, self._seed(kwargs)) if self._are_brought(kwargs) else OTHER

    def _are_brought(self, kwargs: Mapping[str, Any]) -> bool:
        """Whether none of the keywords is an argument of the program's own."""
        return all(map(self._is_brought, kwargs))

    def _is_brought(self, name: str) -> bool:
        return name in self._brings and not self._subject.takes(name)

    def _own(self, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Those keywords that are arguments of the program's own."""
        return {name: value for name, value in kwargs.items() if not self._is_brought(name)}

    def _continued(self, overrun: IndexOutside, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The answer with a larger bound for a loop that has not ended within its own."""
        assert overrun.loop is not None, "an index of the program's own is explained where it is found"
        with self._lock:
            self._subject.trips.grow(overrun.loop)
            self._known.clear()
            self._short = None
        return self(*args, **kwargs)

    def _end_as_numpy(self, stopped: Stopped, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> NoReturn:
        """Runs the program itself up to where an exception ends it: arguments are left as it leaves them."""
        call = self._subject.call
        if call is not None:
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                call(self._asked.function, on_host(self._bound(args, kwargs)))
        raise stopped.error from None

    def compile(self, *args: Any, **kwargs: Any) -> Self:
        """Compiles for these arguments without running."""
        with guarded(self._case(args, kwargs)):
            self._found(*((args, kwargs) if self._is_for_gpu else values_alone(args, kwargs, self._subject.at)))
        return self

    def _case(self, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] = MappingProxyType({})) -> Case:
        arguments = {**{str(number): value for number, value in enumerate(args)}, **kwargs}
        return Case(self._subject.name, self._asked.function, arguments, self._subject.at)

    def _answer(self, bound: dict[str, Any]) -> Any:
        """What a call gives, by the arguments by parameter name."""
        found, values = self._found_for(bound)
        self._last, self._short = found, None
        try:
            return found.call(values)
        except OffPath as left:
            return self._along(left, bound)

    def _along(self, left: OffPath, bound: dict[str, Any], seed: Any = None) -> Any:
        """The answer on the path that a call takes which has `left` another one."""
        key, leaves = self._key(bound, seed), [value for _, value in calls.leaves(bound)]
        tried = list[Path]()
        while True:
            with self._lock:
                fitting = [known for known in self._known.get(key, ()) if known.fits(leaves)]
                found = next(
                    (known for known in fitting if left.leads_to(known.path) and known.path not in tried), None
                )
                if found is None:
                    left.require_few([*tried, *(known.path for known in fitting if known.path not in tried)])
                    found = self._onwards(left, key, bound, seed)
                if left.error is not None and found.path == left.path:
                    raise left.error
                tried.append(found.path)
                known = self._known[key]
                known.insert(0, known.pop(next(k for k, one in enumerate(known) if one is found)))
            self._last, self._short = found, None
            try:
                return found.call(leaves if found.seeds is None else [*leaves, *found.seeds(seed)], seed)
            except OffPath as again:
                left = again

    def _onwards(self, left: OffPath, key: Hashable, bound: dict[str, Any], seed: Any) -> Specialised:
        """The path that a call takes which has `left` another one; where there is none, what that has ended with."""
        try:
            return self._specialised(key, bound, seed, left.onwards)
        except Unsupported as refused:
            if left.error is None or refused.raised is not None:
                raise
            raise left.error from None

    def _found_for(self, bound: dict[str, Any], seed: Any = None) -> tuple[Specialised, list[Any]]:
        values = [value for _, value in calls.leaves(bound)]
        key = self._key(bound, seed)
        found = self._fitting(key, values)
        if found is None and not self._asked.request.has_aux:
            equal = self._objects.instead(bound, lambda one, leaves: self._fitting(self._key(one, seed), leaves))
            if equal is not None:
                return self._found_for(equal, seed)
        if found is None:
            with self._lock:
                found = self._fitting(key, values) or self._specialised(key, bound, seed)
                self._objects.note(bound)
        return found, values if found.seeds is None else [*values, *found.seeds(seed)]

    def _key(self, bound: Mapping[str, Any], seed: Any) -> Hashable:
        return seed is not None, *calls.forms(bound)

    def _found(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Specialised, list[Any]]:
        seed = self._seed(kwargs)
        found, values = self._found_for(self._bound(args, kwargs), seed)
        is_flat = len(args) == len(found.kinds) and all(map(operator.is_, args, values)) and self._are_brought(kwargs)
        if found is not self._last:
            self._last, self._short = found, None
        elif is_flat and self._short is None:
            self._short = shortcut(found, args, seed)
        return found, values

    def _fitting(self, key: Hashable, values: list[Any]) -> Specialised | None:
        return next((known for known in self._known.get(key, ()) if known.fits(values)), None)

    def _specialised(
        self, key: Hashable, bound: dict[str, Any], seed: Any, assumptions: Assumptions = NOTHING
    ) -> Specialised:
        request = self._request(seed)
        bound = on_host(bound) if self._is_for_gpu else bound  # what is read are values
        with at_work(), shown(self._asked.verbose):
            found = specialise(self._subject, bound, request, self._asked.compiler, assumptions)
        known = self._known.setdefault(key, [])
        known.insert(0, found)
        paths = most_paths()  # what a program takes from its surroundings may change before each call
        known[:] = [one for k, one in enumerate(known) if k < (paths if one.path.decisions else MOST)]
        return found

    def _request(self, seed: Any) -> Request:
        """What is asked in a call that brings a seed, or None."""
        request = self._asked.request
        return request if seed is None else checked(replace(request, seed=seed, seed_at_call=True))

    def _seed(self, kwargs: Mapping[str, Any]) -> Any:
        """The seed of a call; an argument of the program's own that has this name is none."""
        return self._given("seed", kwargs)

    def _given(self, name: str, kwargs: Mapping[str, Any]) -> Any:
        """What a call brings by this keyword, which may be an argument of the program's own."""
        found = None if self._subject.takes(name) else kwargs.get(name)
        return on_host(found) if self._is_for_gpu else found

    @property
    def _is_for_gpu(self) -> bool:
        return self._asked.request.device is Device.GPU

    def _bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call by parameter name."""
        if isinstance(self._asked.function, StandIn):
            self._asked.function.called(args, kwargs)
        if not self._subject.is_current():
            self._subject = self._read_subject()
        kwargs = self._own(kwargs)
        first, keywords = self._subject.partial()
        keywords = {**keywords, **self._subject.first_values(args, kwargs)}
        signature, name = self._subject.signature, self._subject.name
        bound = calls.bind(signature, name, (*first, *args), {**keywords, **kwargs})
        if self._is_for_gpu:
            bound = {name: taken_over(name, value) for name, value in bound.items()}
        bound = opened_arguments(self._asked.request.wrt, bound, self._subject)
        return {name: taken_over(name, value) for name, value in bound.items()} if self._is_for_gpu else bound

    def _chosen(self, bound: Mapping[str, Any]) -> dict[str, Any]:
        """Those arguments that the gradient is asked for."""
        return chosen_arguments(self._asked.request.wrt, bound, self._subject)

    @property
    def _current(self) -> Specialised:
        if self._last is None:
            raise BadArgument(
                "The gradient has not been compiled yet.", hint="Call it, or its 'compile' with arguments, first."
            )
        return self._last

    @property
    def _communicates(self) -> bool:
        """Whether the program passes messages to other processes."""
        return self._last is not None and self._last.planned.read.communicates

    def _over_ranks(self, value: float, how: str = "SUM") -> float:
        """The sum, or the largest, of what all ranks have, where the program passes messages between them."""
        return over_ranks(value, how) if self._communicates else value

    def _refuse_ranks(self, what: str) -> None:
        """For what is not the same on one rank and on many."""
        if self._communicates:
            hint = "Ask for 'grad', 'value_and_grad', 'vjp' or 'jvp'."
            raise Unsupported(f"{what} of a program that passes messages.", at=self._subject.at, hint=hint)

    @property
    def ccs(self) -> CCS:
        """The statements and arrays that matter for the gradient."""
        return parts.ccs(self._current)

    @property
    def primal(self) -> Program:
        """The program as it was read; `print` shows its text."""
        return Shown.of(self._current.derivation.primal)

    @property
    def joint(self) -> Program:
        """Primal and adjoint after all passes; `print` shows its text."""
        return Shown.of(self._current.derivation.joint)

    @property
    def sdfg(self) -> Any:
        """The joint SDFG, as it is compiled."""
        return parts.compiled_sdfg(self._current)

    @property
    def is_cached(self) -> bool:
        """Whether the compiled code came from the cache on disk."""
        return self._last is not None and self._last.compiled.is_cached

    @property
    def memory(self) -> Memory:
        """Bytes that a call holds: `modelled` and, after a call, `measured`."""
        return self._current.memory

    @property
    def paths(self) -> tuple[Path, ...]:
        """The ways through the program that are compiled for calls of the last one's kinds, that one's first; each has
        what data decide on it, with the line."""
        last = self._current
        found = [known for group in self._known.values() if last in group for known in group]
        return tuple(known.path for known in found if known.kinds == last.kinds and known.pinned == last.pinned)
