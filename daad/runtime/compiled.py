"""A compiled program that can be called: the thinnest way from NumPy arrays to C."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Iterable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from daad.program.outside import IndexOutside
from daad.runtime.library import Library
from daad.runtime.memory import make_resident, measure_growth

HEADER_SIZE = object.__basicsize__  # the data pointer is the first field of an array object after Python's own
_word_at = ctypes.c_void_p.from_address


def _addresses_by_layout(arrays: Iterable[np.ndarray]) -> list[int | None]:
    return [_word_at(id(array) + HEADER_SIZE).value for array in arrays]


def _addresses_by_ctypes(arrays: Iterable[np.ndarray]) -> list[int | None]:
    return [array.ctypes.data for array in arrays]


def _probe() -> Callable[[Iterable[np.ndarray]], list[int | None]]:
    """Reading the pointer from the object's layout costs a tenth of `array.ctypes.data`; used where it is right."""
    array = np.empty(3)
    arrays = (array, array[1:])
    is_right = _addresses_by_layout(arrays) == _addresses_by_ctypes(arrays)
    return _addresses_by_layout if is_right else _addresses_by_ctypes


addresses = _probe()


class Compiled:
    """Runs one program without Python's global lock; calls from several threads wait for each other, since they share
    the scratch memory and what the library reports."""

    def __init__(self, library: Library, load_sdfg: Callable[[], Any], is_cached: bool) -> None:
        self.is_cached = is_cached
        self.scratch_bytes = library.manifest.scratch_bytes
        self._library = library
        self._function = library.function
        self._state = library.allocate()
        self._outside = library.outside
        self._pick = _picker(library.manifest.order)
        self._lock = library.lock
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
        arguments = self._pick([*addresses(arrays), *integers])
        with self._lock:
            self._state = self._state or self._library.allocate()
            self._outside[0] = 0  # an interrupt may have kept the last call from doing so
            self._function(self._state, *arguments)
            if self._outside[0]:
                self._raise_outside()

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


def _picker(order: tuple[int, ...]) -> Callable[[list[Any]], Sequence[Any]]:
    """Puts values into the order of the C function."""
    if len(order) > 1:
        return itemgetter(*order)
    return lambda values: [values[p] for p in order]
