"""The caller's own arrays for gradients, which a call writes or adds to: `out=` and `accumulate=True`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from daad.api.call import marshalling
from daad.api.subject.request import Request
from daad.api.subject.tangent_arguments import Given, is_one, leaves_of
from daad.errors import BadArgument, Location
from daad.frontend import structures
from daad.frontend.array_classes import PLAIN

Buffers = Sequence[np.ndarray | None]
WHAT = "buffer"


@dataclass(frozen=True, eq=False)
class Into:
    """What a call brings beside its arguments: a seed (None: none) and buffers for `value` and `gradients`, to which
    the gradients `is_added`."""

    seed: Any
    value: Any
    gradients: Any
    is_added: bool

    @staticmethod
    def of(seed: Any, out: Any, is_added: bool, request: Request, at: Location | None) -> Into:
        """From `out` in the structure of the result: there may be None for the value and for what is beside it."""
        if not request.value and not request.has_aux:
            return Into(seed, None, out, is_added)
        if not isinstance(out, list | tuple) or len(out) != 2:
            told = "(value, gradients), such as (None, dx)" if request.value else "(gradients, None)"
            raise BadArgument("'out' has another structure than the result.", at=at, hint=f"Pass {told}.")
        value, gradients = out if request.value else (out[1], out[0])
        value = value[0] if request.value and request.has_aux and isinstance(value, list | tuple) else value
        return Into(seed, value if request.value else None, gradients, is_added)


def seed_of(given: Any) -> Any:
    """The seed that a call brings, with buffers or without."""
    return given.seed if isinstance(given, Into) else given


@dataclass(frozen=True, eq=False)
class Targets:
    """What buffers must look like: `likes` stand for what is asked for, by name."""

    likes: Mapping[str, Any]
    is_single: bool
    at: Location | None

    @staticmethod
    def of(likes: Mapping[str, Any], request: Request, at: Location | None) -> Targets:
        return Targets(likes, is_one(request.wrt), at)

    def arrays(self, into: Into) -> list[np.ndarray | None]:
        """The buffer of each gradient; None where there is none."""
        given = Given(into.gradients, None, WHAT, self.at)
        return [self._fitting(name, like, buffer, into.is_added) for name, like, buffer in self._leaves(given)]

    def _leaves(self, given: Given) -> list[tuple[str, Any, Any]]:
        return list(leaves_of(self.likes, given, self.is_single))

    def _fitting(self, name: str, like: Any, buffer: Any, is_added: bool) -> np.ndarray | None:
        whole = np.asarray(like)
        if buffer is None and not is_added:
            return None
        if type(buffer) not in PLAIN or buffer.dtype != whole.dtype or buffer.shape != whole.shape:
            found = f"{buffer.dtype}{list(buffer.shape)}" if isinstance(buffer, np.ndarray) else repr(type(buffer))
            raise BadArgument(
                f"The gradient of '{name}' is {whole.dtype}{list(whole.shape)}, and what is given for it {found}.",
                at=self.at,
                hint=f"Pass an array such as np.zeros({whole.shape}, np.{whole.dtype}).",
            )
        if not buffer.flags.writeable or marshalling.overlaps_itself(buffer):
            hint = "Pass an array of its own memory, such as 'x.copy()'."
            raise BadArgument(f"The array that is given for the gradient of '{name}' cannot be written.", hint=hint)
        return buffer

    def require_apart(self, buffers: Buffers, leaves: Sequence[Any]) -> None:
        """Raises BadArgument where a buffer shares memory with an argument, or with another one."""
        given = [buffer for buffer in buffers if buffer is not None]
        pairs = [*((a, b) for a in given for b in leaves), *combinations(given, 2)]
        if any(marshalling.share(a, b) for a, b in pairs):
            hint = "Pass an array of its own memory for each gradient."
            raise BadArgument("An array of 'out' shares memory with an argument or another one.", at=self.at, hint=hint)


def is_plain(buffer: np.ndarray | None) -> bool:
    """Whether compiled code can write it as it is."""
    return buffer is not None and buffer.dtype.isnative and buffer.flags.carray


def left(buffer: Any, value: Any, at: Location | None = None) -> Any:
    """The value in the buffer, or itself where there is none."""
    if buffer is None or buffer is value:
        return value
    if isinstance(value, tuple):
        return tuple(left(one, item, at) for one, item in zip(buffer, value, strict=True))
    if not isinstance(buffer, np.ndarray) or buffer.shape != np.shape(value):
        hint = "Pass an array of that shape, or None."
        raise BadArgument(f"The value is of shape {np.shape(value)}; 'out' has none for it.", at=at, hint=hint)
    buffer[...] = value
    return buffer


def copied_into(out: Any, found: Any, at: Location | None) -> Any:
    """A result in the caller's own arrays, which are in its structure; None holds the place of what has none."""
    given = [leaf for _, leaf in structures.leaves("", out) if leaf is not None]
    if any(marshalling.share(a, b) for a, b in combinations(given, 2)):
        hint = "Pass an array of its own memory for each."
        raise BadArgument("Two arrays of 'out' share memory.", at=at, hint=hint)
    return _copied(out, found, at)


def summed(out: Any, found: Any, at: Location | None) -> Any:
    """What the caller's arrays hold and a result together, where `copied_into` takes them for it."""
    inner = structures.parts(found)
    if found is None:
        return None
    if out is None:
        hint = "Pass out=... with an array for each part of the result."
        raise BadArgument("There is nothing that the result could be added to.", at=at, hint=hint)
    if inner is None:
        return out + found if isinstance(out, np.ndarray) and out.shape == np.shape(found) else found
    buffers = dict(structures.parts(out) or ())
    return structures.rebuilt(found, lambda step, item: summed(buffers.get(step), item, at))


def _copied(out: Any, found: Any, at: Location | None) -> Any:
    inner = structures.parts(found)
    if out is None or found is None:
        return found
    if inner is None:
        return _copied_array(out, found, at)
    given = structures.parts(out)
    if given is None or [step for step, _ in given] != [step for step, _ in inner]:
        hint = "Pass the same keys and lengths, with None for what has no array."
        raise BadArgument("'out' has another structure than the result.", at=at, hint=hint)
    buffers = dict(given)
    return structures.rebuilt(found, lambda step, item: _copied(buffers[step], item, at))


def _copied_array(out: Any, found: Any, at: Location | None) -> Any:
    like = np.asarray(found)
    fits = type(out) in PLAIN and out.dtype == like.dtype and out.shape == like.shape
    if not fits or not out.flags.writeable or marshalling.overlaps_itself(out):
        raise BadArgument(
            f"'out' has no array for a result of {like.dtype}{list(like.shape)} that can be written.",
            at=at,
            hint=f"Pass an array such as np.zeros({like.shape}, np.{like.dtype}).",
        )
    out[...] = found
    return out
