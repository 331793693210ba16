"""A program compiled for GPUs that can be called: with arrays of NumPy's, which are copied, and those on a GPU."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.errors import BadArgument, IndexOutside, Unsupported
from daad.runtime.forks import fresh_lock
from daad.runtime.gpu.cards import Card, current_card
from daad.runtime.gpu.device_array import DeviceArray
from daad.runtime.gpu.device_library import DeviceLibrary, Opened
from daad.runtime.gpu.device_memory import Block, Releasing, fill, read, reserve, stream_of, wait, with_release

ALIGNED = 256
"""Bytes that arrays are apart at least, as what the driver reserves is."""


@dataclass(frozen=True)
class Copied:
    """An array of NumPy's with its place in the memory that is reserved for copies."""

    array: np.ndarray
    offset: int
    comes_in: bool
    goes_out: bool


class DeviceProgram(Releasing):
    """Runs one program; calls from several threads wait for each other, since they share the scratch memory.

    What it reserves at its first call, for itself and for copies of arrays of NumPy's, it keeps for the next ones.
    """

    def __init__(self, library: DeviceLibrary, is_cached: bool, key: str) -> None:
        super().__init__()
        self.is_cached = is_cached
        self.key = key
        self.scratch_bytes = library.manifest.scratch_bytes
        self._library = library
        self._arguments = library.manifest.arguments
        self._pointers = (ctypes.c_void_p * max(1, len(self._arguments)))()
        self._opened: dict[Card, Opened] = {}
        self._blocks: dict[Card, Block] = {}
        self._lock = fresh_lock()

    @property
    def sdfg(self) -> Any:
        """There is none."""
        raise Unsupported(
            "What runs on a GPU is compiled from no SDFG.", hint='Use to_sdfg(), or ask for it with device="cpu".'
        )

    def call(self, arrays: Sequence[Any], integers: Sequence[int] = ()) -> None:
        """Runs the program on arrays in C order of the right dtypes, on a GPU or of NumPy's: parameters, then the
        other results.

        Raises IndexOutside where an index does not fit; arrays of NumPy's are as they were then.
        """
        card = _card_of(arrays)
        with self._lock:
            opened = self._ready(card)
            copied = self._placed(arrays, integers, card)
            for each in copied:
                if each.comes_in:
                    fill(card, self._address(card, each), each.array)
            outside, index, extent, site = opened.run(self._pointers, stream_of(card))
            if outside:
                raise IndexOutside(index, extent, site)
            written = [each for each in copied if each.goes_out]
            for each in written:
                read(card, self._address(card, each), each.array)
            if written:
                wait(card)

    def measure(self, arrays: Sequence[Any], integers: Sequence[int] = (), only_read: Collection[int] = ()) -> int:
        """As `call`; returns the bytes of the GPU's memory that the call holds: arguments, results, scratch memory."""
        self.call(arrays, integers)
        card = _card_of(arrays)
        there = sum(array.nbytes for array in arrays if isinstance(array, DeviceArray))
        block = self._blocks.get(card)
        return there + self.scratch_bytes + (block.nbytes if block else 0)

    def release(self) -> None:
        """Gives back what is kept, unless a call is running."""
        if self._lock.acquire(blocking=False):
            try:
                self._blocks.clear()
                for opened in self._opened.values():
                    opened.close()
                self._opened.clear()
            finally:
                self._lock.release()

    def _ready(self, card: Card) -> Opened:
        found = self._opened.get(card)
        if found is None:
            found = self._opened[card] = with_release(lambda: Opened(self._library, card))
        return found

    def _placed(self, arrays: Sequence[Any], integers: Sequence[int], card: Card) -> list[Copied]:
        """The arguments that are to be copied; the pointers of all are set."""
        copied: list[tuple[int, Copied]] = []
        size = 0
        for number, argument in enumerate(self._arguments):
            kind, place = argument.place
            value = arrays[place] if kind == "array" else np.array(integers[place], np.int64)
            if isinstance(value, DeviceArray):
                _require_writable(value, argument.goes_out)
                self._pointers[number] = value.address
                continue
            copied.append((number, Copied(value, size, argument.comes_in, argument.goes_out)))
            size += -(-max(1, value.nbytes) // ALIGNED) * ALIGNED
        if copied:
            self._require_block(card, size)
        for number, each in copied:
            self._pointers[number] = self._address(card, each)
        return [each for _, each in copied]

    def _require_block(self, card: Card, size: int) -> None:
        """Enough memory for copies on this GPU."""
        block = self._blocks.pop(card, None)
        if block is None or block.nbytes < size:
            block = None  # freed before the next one is reserved
            block = reserve(card, size)
        self._blocks[card] = block

    def _address(self, card: Card, copied: Copied) -> int:
        return self._blocks[card].address + copied.offset


def _card_of(arrays: Sequence[Any]) -> Card:
    """The GPU on which arrays lie; that which another library has chosen where there are none."""
    cards = {array.card for array in arrays if isinstance(array, DeviceArray)}
    if len(cards) > 1:
        raise BadArgument("Arguments lie on several GPUs.", hint="Move them to one.")
    return next(iter(cards)) if cards else current_card()


def _require_writable(array: DeviceArray, is_written: bool) -> None:
    if is_written and not array.is_writable:
        raise BadArgument(
            "An array on the GPU is read-only, and the program overwrites it.",
            hint="Pass a copy, or use on_inputs='keep'.",
        )
