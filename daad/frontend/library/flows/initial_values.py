"""`scipy.integrate.solve_ivp`: values, and their derivatives, at given times, at those that SciPy chooses, where events
happen, and anywhere between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from daad.frontend.library.anchored import anchored, derivatives, held
from daad.frontend.library.flows import explicit_steps
from daad.frontend.library.flows.trajectories import Way, followed_flow, odeint, of_scipy
from daad.frontend.library.solvers.primitives import by_python, evaluated
from daad.frontend.library.solvers.roots import Found, decided, told

Array = Any  # staged while the program is read
Function = Callable[..., Array]
WAYS = {"RK45": Way.EXPLICIT, "RK23": Way.EXPLICIT, "DOP853": Way.EXPLICIT, "Radau": Way.IMPLICIT, "BDF": Way.IMPLICIT}
"""By SciPy's method; others change between rules of their own."""
MOVED = 1e-5
"""By which part of its time an event is moved for a difference."""


def pairs(z: Array) -> Array:
    """Real and imaginary parts, one behind the other along the last axis."""
    return np.concatenate((np.real(z), np.imag(z)), axis=-1)


class Problem:
    """An equation with its start and end, and SciPy's search for its solution. Derivatives of complex numbers follow
    their real and imaginary parts."""

    def __init__(self, f: Function, start: Array, span: Any, way: Way, search: Function) -> None:
        self.f, self.start, self.span, self.way, self.search = f, start, span, way, search

    def at(self, times: Array, rows: Callable[[Any], Array]) -> Array:
        """The values at times, one after the other, a row each, which `rows` takes from SciPy's report."""
        size, is_complex = len(self.start), np.iscomplexobj(self.start)

        def found() -> Array:
            report = self.search()
            if not report.success:
                raise RuntimeError(report.message)
            values = np.concatenate((np.reshape(self.start, (1, -1)), np.asarray(rows(report)) * 1.0))
            return pairs(values) if is_complex else values

        def parts(t: Array, y: Array) -> Array:
            return pairs(self.f(t, y[:size] + 1j * y[size:]))

        every = np.concatenate((np.reshape(self.span[0] * 1.0, (1,)), times))
        if not is_complex:
            return followed_flow(self.f, self.start, every, found, self.way)[1:]
        values = followed_flow(parts, pairs(self.start), every, found, self.way)[1:]
        return values[:, :size] + 1j * values[:, size:]


class Chosen:
    """Values at the times that SciPy chooses, along the last axis: how many there are is asked only where one is wanted
    that is not the last."""

    def __init__(self, last: Array, whole: Callable[[], Array]) -> None:
        self._last, self._whole = last, whole

    def __array__(self) -> Array:
        return self._whole()

    def __getitem__(self, key: Any) -> Array:
        parts = key if isinstance(key, tuple) else (key,)
        if isinstance(parts[-1], int) and parts[-1] == -1 and len(parts) == np.ndim(self._last) + 1:
            return self._last[parts[:-1]] if len(parts) > 1 else self._last
        return self._whole()[key]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole(), name)

    def __len__(self) -> int:
        return len(self._whole())

    def __iter__(self) -> Any:
        return iter(self._whole())


class Dense:
    """The solution as a function of time."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    def __call__(self, t: Array) -> Array:
        times = np.atleast_1d(np.asarray(t) * 1.0)
        order = np.argsort(held(times), kind="stable")
        ahead = times[order]

        def rows(report: Any) -> Array:
            return report.sol(ahead).T

        values = self._problem.at(ahead, rows)[np.argsort(order, kind="stable")]
        return values[0] if np.ndim(t) == 0 else values.T


def _happened(problem: Problem, number: int, event: Function, count: int) -> tuple[Array, Array]:
    """The times of an event and the values then, a row each: they move as the flow does until the event happens."""
    f = problem.f

    times = by_python(lambda: problem.search().t_events[number], np.zeros(count))
    values = problem.at(times, lambda report: np.reshape(report.y_events[number], (count, len(problem.start))))
    found_times, found_values = np.zeros(count), np.zeros((count, len(problem.start)))
    for k in range(count):
        t, y = times[k], values[k]
        small = MOVED * (np.abs(t) + np.abs(held(problem.span[1] * 1.0) - held(problem.span[0] * 1.0)))
        here, slope = held(y), evaluated(f, t, held(y))
        after, before = (evaluated(event, t + d, here + d * slope) for d in (small, -small))
        rate = held((after - before) / (2.0 * small))
        moment = t
        for _ in range(derivatives() + 1):  # once more, for the difference
            state = explicit_steps.step(f, t, y, moment - t)
            moment = anchored(moment - evaluated(event, moment, state) / rate, t)
        found_times[k], found_values[k] = moment, explicit_steps.step(f, t, y, moment - t)
    return found_times, found_values


def marked(event: Function, terminal: Any, direction: Any) -> Function:
    """The event as SciPy expects it."""

    def function(*given: Any) -> Any:
        return event(*given)

    vars(function).update(terminal=terminal, direction=direction)
    return function


def numbers(report: Any, kinds: Sequence[tuple[Any, Any]], forward: bool) -> Any:
    """How the search went, how many times it has, which event has ended it, and how often each has happened."""
    went = bool(report.success), int(report.status), int(report.nfev), int(report.njev), int(report.nlu)
    counts = tuple(len(times) for times in report.t_events or ())
    return went, len(report.t), ending(report, kinds, forward), counts


def ending(report: Any, kinds: Sequence[tuple[Any, Any]], forward: bool) -> int:
    """Which event has ended the search, counted from one; 0 where none did."""
    every = enumerate(report.t_events or ())
    happened = [(times[-1] if forward else -times[-1], k) for k, times in every if len(times)]
    return 1 + max(one for one in happened if kinds[one[1]][0])[1] if report.status == 1 else 0


def solve_ivp(
    fun: Function,
    t_span: Any,
    y0: Any,
    method: Any = "RK45",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: Any = None,
    **rest: Any,
) -> Any:
    further = () if args is None else tuple(args)
    start = np.atleast_1d(np.asarray(y0)) * 1.0
    given = () if events is None else (events,) if callable(events) else tuple(events)
    kinds = tuple((getattr(event, "terminal", False), getattr(event, "direction", 0.0)) for event in given)

    if given and np.iscomplexobj(start):
        raise ValueError("'events' of complex numbers are not supported")

    def f(t: Array, y: Array) -> Array:
        return np.reshape(np.asarray(fun(t, y, *further)) * 1.0, np.shape(start))

    def search() -> Any:
        watched = [marked(event, *kind) for event, kind in zip(given, kinds, strict=True)] or None
        return of_scipy("solve_ivp")(
            fun, (t_span[0], t_span[1]), start, method, t_eval, dense_output, watched, vectorized, args, **rest
        )

    def without_args(event: Function) -> Function:
        return lambda t, y: np.reshape(np.asarray(event(t, y, *further)) * 1.0, ())

    problem = Problem(f, start, t_span, WAYS.get(method, Way.EITHER), search)
    (success, status, nfev, njev, nlu), times, stopping, counts = by_python(
        lambda: numbers(search(), kinds, t_span[1] > t_span[0]), ((True, 0, 0, 0, 0), 0, 0, (0,) * len(given))
    )
    happened = [
        _happened(problem, number, without_args(event), decided(count))
        for number, (event, count) in enumerate(zip(given, counts, strict=True))
    ]
    ended = decided(stopping) if any(kind[0] for kind in kinds) else 0
    at = _at_chosen if t_eval is None else partial(_at_given, np.asarray(t_eval) * 1.0)
    t, y = at(problem, happened, ended, times)
    return Found(
        t=t,
        y=y,
        sol=Dense(problem) if dense_output else None,
        t_events=[times for times, _ in happened] if given else None,
        y_events=[values for _, values in happened] if given else None,
        nfev=nfev,
        njev=njev,
        nlu=nlu,
        status=status,
        message=told(status),
        success=success,
    )


def _at_given(times: Array, problem: Problem, _: Any, ended: int, count: Array) -> tuple[Array, Array]:
    """At the times that are asked for, up to the event that ends the search."""
    if ended:
        times = times[: decided(count)]
    return times, problem.at(times, lambda report: report.y.T).T


def _at_chosen(problem: Problem, happened: Sequence[tuple[Array, Array]], ended: int, count: Array) -> tuple[Any, Any]:
    """At SciPy's own times: the first and the last are the program's, those between stay where they are."""
    if ended:
        end, last = happened[ended - 1][0][-1], happened[ended - 1][1][-1]
    else:
        end = problem.span[1] * 1.0
        last = problem.at(np.reshape(end, (1,)), lambda report: report.y[:, -1:].T)[0]

    def inner() -> Array:
        return by_python(lambda: problem.search().t[1:-1], np.zeros(decided(count) - 2))

    def times() -> Array:
        return np.concatenate((np.reshape(problem.span[0] * 1.0, (1,)), inner(), np.reshape(end, (1,))))

    def values() -> Array:
        inside = problem.at(inner(), lambda report: report.y[:, 1:-1].T)
        return np.concatenate((np.reshape(problem.start, (1, -1)), inside, np.reshape(last, (1, -1)))).T

    return Chosen(end, times), Chosen(last, values)


TRAJECTORIES: dict[str, Function] = {"odeint": odeint, "solve_ivp": solve_ivp}
