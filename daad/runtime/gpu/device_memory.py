"""Memory of a GPU: reserved, filled, read, and kept for the next that asks for as much."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar
from weakref import WeakSet

import numpy as np

from daad.errors import DeviceError
from daad.runtime.gpu.cards import Card

MOST = 2
"""Blocks of one size that are kept when they are let go of: the caller may hold one result while the next is made."""

Result = TypeVar("Result")
_kept: dict[tuple[Card, int], list[int]] = {}  # without a lock: a block may be let go of at any moment


class Block:
    """So many bytes of a GPU's memory, given back with the object."""

    def __init__(self, card: Card, nbytes: int, address: int) -> None:
        self.card, self.nbytes, self.address = card, nbytes, address
        self._process = os.getpid()

    def __del__(self) -> None:
        if self._process != os.getpid():  # a child has none of its parent's memory
            return
        with contextlib.suppress(Exception):  # when Python ends, the driver may have ended before
            waiting = _kept.setdefault((self.card, self.nbytes), [])
            if len(waiting) < MOST:
                waiting.append(self.address)
            else:
                _free(self.card, self.address)


class Releasing:
    """Holds memory that it can do without until it is called again."""

    def __init__(self) -> None:
        _releasing.add(self)

    def release(self) -> None:
        """Gives the memory back, unless it is in use."""
        raise NotImplementedError


_releasing: WeakSet[Releasing] = WeakSet()


def reserve(card: Card, nbytes: int) -> Block:
    """A block of any content; raises DeviceError where no memory is left."""
    nbytes = max(nbytes, 1)
    try:
        address = _kept.get((card, nbytes), []).pop()
    except IndexError:
        return Block(card, nbytes, with_release(lambda: _reserved(card, nbytes)))
    with card.current() as found:
        found("cuCtxSynchronize")  # other libraries may not have finished with what it was
    return Block(card, nbytes, address)


def with_release(attempt: Callable[[], Result]) -> Result:
    """What the attempt gives; where memory is short, once more after everything has been given back that can be."""
    try:
        return attempt()
    except DeviceError:
        give_back()
    return attempt()


def give_back() -> None:
    """Frees all memory that is kept for later."""
    gc.collect()
    for each in list(_releasing):
        each.release()
    for (card, _), waiting in list(_kept.items()):
        with contextlib.suppress(IndexError):
            while True:
                _free(card, waiting.pop())


def _reserved(card: Card, nbytes: int) -> int:
    address = ctypes.c_ulonglong()
    with card.current() as found:
        found("cuMemAlloc_v2", ctypes.byref(address), nbytes, wanted=nbytes)
    return address.value


def _free(card: Card, address: int) -> None:
    with card.current() as found:
        found("cuMemFree_v2", address)


@lru_cache
def stream_of(card: Card) -> int:
    """The stream in which all is done on this GPU; what others do in its default stream is done in turn with it."""
    with card.current() as found:
        return found.number("cuStreamCreate", 0)


def wait(card: Card) -> None:
    """Until all is done that was asked of the GPU."""
    with card.current() as found:
        found("cuStreamSynchronize", stream_of(card))


def wait_for_stream(card: Card, other: int) -> None:
    """Lets what is asked of the GPU from now on begin when what was asked in another stream is done."""
    with card.current() as found:
        event = found.number("cuEventCreate", NO_TIMING)
        try:
            found("cuEventRecord", event, other)
            found("cuStreamWaitEvent", stream_of(card), event, 0)
        finally:
            found("cuEventDestroy_v2", event)


NO_TIMING = 2


def fill(card: Card, address: int, array: np.ndarray) -> None:
    """Copies an array in C order to the GPU; it must not change before the next `wait`."""
    if array.nbytes:
        with card.current() as found:
            found("cuMemcpyHtoDAsync_v2", address, array.ctypes.data, array.nbytes, stream_of(card))


def read(card: Card, address: int, array: np.ndarray) -> None:
    """Copies from the GPU to an array in C order, which holds it after the next `wait`."""
    if array.nbytes:
        with card.current() as found:
            found("cuMemcpyDtoHAsync_v2", array.ctypes.data, address, array.nbytes, stream_of(card))


def copy(card: Card, to: int, address: int, nbytes: int) -> None:
    """Copies on the GPU."""
    if nbytes:
        with card.current() as found:
            found("cuMemcpyDtoDAsync_v2", to, address, nbytes, stream_of(card))
