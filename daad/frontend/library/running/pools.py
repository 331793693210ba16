"""Workers: what they are given is computed by one, in its order. Those in other processes get copies."""

from __future__ import annotations

import copy
import threading
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any


class Done:
    """What a worker has found."""

    def __init__(self, found: Any) -> None:
        self._found = found

    def result(self, timeout: Any = None) -> Any:
        return self._found

    def done(self) -> bool:
        return True

    def wait(self, timeout: Any = None) -> None:
        return None

    get = result
    ready = successful = done


class Workers:
    """Threads, which share what they are given, or processes, which have `copies`."""

    def __init__(self, copies: bool) -> None:
        self._copies = copies

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def _called(self, function: Callable[..., Any], args: Any, keywords: Any) -> Any:
        args, keywords = (copy.deepcopy(tuple(args)), copy.deepcopy(keywords)) if self._copies else (args, keywords)
        return function(*args, **keywords)

    def _left(self, *_: Any, **__: Any) -> None:
        return None

    close = terminate = join = shutdown = _left


class Executor(Workers):
    """As those of `concurrent.futures`."""

    def map(self, fn: Callable[..., Any], *iterables: Any, timeout: Any = None, chunksize: int = 1) -> Any:
        return iter([self._called(fn, args, {}) for args in zip(*iterables, strict=False)])

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Done:
        return Done(self._called(fn, args, kwargs))


class Pool(Workers):
    """As those of `multiprocessing`."""

    def map(self, func: Callable[..., Any], iterable: Any, chunksize: Any = None) -> list[Any]:
        return [self._called(func, (item,), {}) for item in iterable]

    def starmap(self, func: Callable[..., Any], iterable: Any, chunksize: Any = None) -> list[Any]:
        return [self._called(func, items, {}) for items in iterable]

    def imap(self, func: Callable[..., Any], iterable: Any, chunksize: Any = 1) -> Any:
        return iter(self.map(func, iterable))

    def apply(self, func: Callable[..., Any], args: Any = (), kwds: Any = None) -> Any:
        return self._called(func, args, kwds or {})

    def apply_async(
        self,
        func: Callable[..., Any],
        args: Any = (),
        kwds: Any = None,
        callback: Any = None,
        error_callback: Any = None,
    ) -> Done:
        found = self._called(func, args, kwds or {})
        if callback is not None:
            callback(found)
        return Done(found)

    def map_async(self, func: Callable[..., Any], iterable: Any, chunksize: Any = None) -> Done:
        return Done(self.map(func, iterable))

    def starmap_async(self, func: Callable[..., Any], iterable: Any, chunksize: Any = None) -> Done:
        return Done(self.starmap(func, iterable))


class Parallel:
    """As joblib's: it is called with what `delayed` gives. Its workers are taken for processes."""

    def __init__(self) -> None:
        self._workers = Workers(True)

    def __enter__(self) -> Parallel:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def __call__(self, iterable: Any) -> list[Any]:
        return [self._workers._called(function, args, keywords) for function, args, keywords in iterable]


class Thread:
    """One that does all when it is started."""

    def __init__(self, target: Any, args: Any, keywords: Any) -> None:
        self._target, self._args, self._keywords = target, args, keywords

    def start(self) -> None:
        if self._target is not None:
            self._target(*self._args, **self._keywords)

    def join(self, timeout: Any = None) -> None:
        return None

    def is_alive(self) -> bool:
        return False


def of_threads(*_: Any, **__: Any) -> Executor:
    return Executor(False)


def of_processes(*_: Any, **__: Any) -> Executor:
    return Executor(True)


def pool(processes: Any = None, initializer: Any = None, initargs: Sequence[Any] = (), *_: Any) -> Pool:
    if initializer is not None:
        raise ValueError("A pool with an initializer is not supported")
    return Pool(True)


def thread_pool(processes: Any = None, initializer: Any = None, initargs: Sequence[Any] = ()) -> Pool:
    if initializer is not None:
        initializer(*initargs)
    return Pool(False)


def parallel(n_jobs: Any = None, *_: Any, return_as: str = "list", **__: Any) -> Parallel:
    if return_as != "list":
        raise ValueError("Results of 'joblib.Parallel' are supported as a list")
    return Parallel()


def delayed(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*args: Any, **kwargs: Any) -> Any:
        return function, args, kwargs

    return called


def thread(
    group: Any = None, target: Any = None, name: Any = None, args: Any = (), kwargs: Any = None, *, daemon: Any = None
) -> Thread:
    return Thread(target, args, kwargs or {})


def as_completed(fs: Any, timeout: Any = None) -> list[Any]:
    return list(fs)


def of_thread(function: Any) -> Any:
    """What a method of a class that is derived from Python's threads does for one that does all when it is started;
    None for other functions."""
    inner = getattr(function, "__func__", None)
    if inner is threading.Thread.start:
        return function.__self__.run
    return _nothing if inner is threading.Thread.join else None


def _nothing(timeout: Any = None) -> None:
    return None


THREADS = {"ThreadPoolExecutor": of_threads}
PROCESSES = {"ProcessPoolExecutor": of_processes}
WAITING = {"as_completed": as_completed}
POOLS = {"Pool": pool}
THREAD_POOLS = {"ThreadPool": thread_pool}
JOBLIB: Mapping[str, Callable[..., Any]] = {"Parallel": parallel, "delayed": delayed}
STARTED: Mapping[str, Callable[..., Any]] = {"Thread": thread}
MADE: Mapping[Any, type] = {
    **dict.fromkeys((of_threads, of_processes), Executor),
    **dict.fromkeys((pool, thread_pool), Pool),
    parallel: Parallel,
    as_completed: list,
    delayed: types.FunctionType,
    thread: Thread,
}
