"""Memory for large results that serves again once the caller has let go of them: its pages are there already.

Results begin where a line of the caches does: vectors that are stored across two lines cost twice as much.
"""

from __future__ import annotations

import contextlib
import sys
from collections import deque
from collections.abc import Callable
from functools import partial

import numpy as np

LARGE = 2**19  # bytes; what the C library keeps of smaller arrays that are freed is enough
ALIGNMENT = 64  # bytes of a line
MOST = 2  # the caller may hold the last result while the next one is made

Kept = deque[np.ndarray]


class Results:
    """Arrays of one shape and dtype; the memory of one is used again when neither it nor a view of it is left.

    `fresh` makes an array of any content that nobody else has.
    """

    def __init__(self, shape: tuple[int, ...], dtype: str, keep: bool = True) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        self.nbytes = int(np.prod(shape)) * self.dtype.itemsize
        self.keep = keep and ALONE > 0 and self.nbytes >= LARGE
        self._kept: Kept = deque()
        self.fresh: Callable[[], np.ndarray] = self._again if self.keep else partial(np.empty, shape, self.dtype)

    def copy_of(self, array: np.ndarray) -> np.ndarray:
        """Such an array with the same content; on the GPU, where that lies there."""
        if not isinstance(array, np.ndarray):
            return array.copy()
        copy = self.fresh()
        copy[...] = array
        return copy

    def _again(self) -> np.ndarray:
        for _ in range(len(self._kept)):
            found = _free(self._kept, ALONE)
            if found is not None:
                return self._within(found)
        memory = np.empty(self.nbytes + ALIGNMENT, np.uint8)
        found = memory[...]
        self._kept.append(memory)
        while len(self._kept) > MOST:
            _drop(self._kept)
        return self._within(found)

    def _within(self, memory: np.ndarray) -> np.ndarray:
        """The result from the first line on that begins in this memory."""
        start = -memory.ctypes.data % ALIGNMENT
        return memory[start : start + self.nbytes].view(self.dtype).reshape(self.shape)


def _free(kept: Kept, alone: int) -> np.ndarray | None:
    """A view of the memory that has waited longest, which goes to the end, None if somebody has one already.

    While it is looked at, no other thread finds it. `alone`: the references to memory that nobody else has.
    """
    try:
        memory = kept.popleft()
    except IndexError:
        return None
    view = memory[...] if sys.getrefcount(memory) == alone else None
    kept.append(memory)
    return view


def _drop(kept: Kept) -> None:
    with contextlib.suppress(IndexError):
        kept.popleft()


def _find_alone() -> int:
    """What Python counts where nobody has a view; 0 if that cannot be told."""
    for alone in range(1, 10):
        kept = deque([np.empty(1)])
        view = _free(kept, alone)
        if view is not None:
            return alone if _free(kept, alone) is None else 0
    return 0


ALONE = _find_alone()
