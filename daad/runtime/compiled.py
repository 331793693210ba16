"""A compiled program that can be called: the thinnest way from NumPy arrays to C."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from daad.errors import IndexOutside
from daad.runtime.library import Library
from daad.runtime.memory import make_resident, measure_growth

Objects = tuple[int, Sequence[int], Any]
"""How far behind its object an array's pointer to memory is, where the objects are, and what keeps them alive."""


def _arrays_themselves(arrays: Sequence[np.ndarray]) -> Objects:
    """The pointer is the first field of an array object after Python's own."""
    return object.__basicsize__, [*map(id, arrays)], arrays


def _pointers(arrays: Sequence[np.ndarray]) -> Objects:
    cells = (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
    first, size = ctypes.addressof(cells), ctypes.sizeof(ctypes.c_void_p)
    return 0, range(first, first + ctypes.sizeof(cells), size), cells


def memory_of(objects: Objects) -> list[int | None]:
    """Where compiled code will find the memory of arrays."""
    offset, places, _ = objects
    return [ctypes.c_void_p.from_address(place + offset).value for place in places]


def _probe() -> Callable[[Sequence[np.ndarray]], Objects]:
    """To find the pointer by the object's layout costs a tenth of `array.ctypes.data`; used where it is right."""
    array = np.empty(3)
    arrays = (array, array[1:])
    is_right = memory_of(_arrays_themselves(arrays)) == memory_of(_pointers(arrays))
    return _arrays_themselves if is_right else _pointers


objects_of = _probe()


class Compiled:
    """Runs one program without Python's global lock; calls from several threads wait for each other, since they share
    the scratch memory and what the library reports."""

    def __init__(self, library: Library, load_sdfg: Callable[[], Any], is_cached: bool, key: str) -> None:
        self.is_cached = is_cached
        self.key = key
        self.scratch_bytes = library.manifest.scratch_bytes
        self._library = library
        self._enter = library.enter
        words = 2 + library.manifest.arrays + library.manifest.integers
        self._words = (ctypes.c_int64 * words)()
        self._reference = ctypes.byref(self._words)
        self._pack = struct.Struct(f"{words}q").pack_into
        self._state = library.allocate()
        self._outside = library.outside
        self._lock = library.lock
        self._python = library.python
        self._load_sdfg = load_sdfg
        self._sdfg: Any = None

    @property
    def sdfg(self) -> Any:
        """The SDFG that was compiled (read from the cache at the first use)."""
        if self._sdfg is None:
            self._sdfg = self._load_sdfg()
        return self._sdfg

    def call(self, arrays: Sequence[np.ndarray], integers: Sequence[int] = ()) -> None:
        """Runs the program on C-ordered arrays of the right dtypes: parameters, then the other results.

        Raises IndexOutside where a run-time index does not fit; what was written before stays written.
        """
        offset, places, _alive = objects_of(arrays)
        with self._lock:
            self._state = self._state or self._library.allocate()
            self._pack(self._words, 0, offset, self._state, *places, *integers)
            self._outside[0] = 0  # an interrupt may have kept the last call from doing so
            if self._python is not None:
                self._python.begin()
            self._enter(self._reference)
            if self._python is not None:
                self._python.end()
            if self._outside[0]:
                self._raise_outside()

    def runner(self) -> Callable[..., None] | None:
        """`call` for the shortest way: it takes the identities of the arrays, and the integers behind them; None where
        arrays have to be asked for their memory."""
        if objects_of is not _arrays_themselves:
            return None
        lock, words, pack, enter, reference = self._lock, self._words, self._pack, self._enter, self._reference
        outside, python, offset = self._outside, self._python, object.__basicsize__

        def run(*places: int) -> None:
            with lock:
                self._state = state = self._state or self._library.allocate()
                pack(words, 0, offset, state, *places)
                outside[0] = 0
                if python is not None:
                    python.begin()
                enter(reference)
                if python is not None:
                    python.end()
                if outside[0]:
                    self._raise_outside()

        return run

    def _raise_outside(self) -> None:
        _, index, extent, site = self._outside
        raise IndexOutside(index, extent, site)

    def measure(
        self, arrays: Sequence[np.ndarray], integers: Sequence[int] = (), only_read: Collection[int] = ()
    ) -> int:
        """As `call`; returns the peak of all that the call holds in bytes: arguments, results and scratch memory.

        The program does not write the arrays at the positions `only_read`.
        """
        held = make_resident(arrays, only_read)
        with self._lock:
            old, self._state = self._state, 0  # an interrupt must not leave the memory that is freed here
            self._library.free(old)
            self._state = self._library.allocate()
        return held + measure_growth(lambda: self.call(arrays, integers))
