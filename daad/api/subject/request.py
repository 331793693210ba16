"""What the user asks of a gradient: outputs, inputs, seeds; wrong questions are refused before anything is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from daad.ccs.hints import Hints
from daad.ccs.question import Product
from daad.errors import BadArgument, Location
from daad.frontend.array_classes import foreign_sentence, is_foreign_array
from daad.runtime.processors import Device

Names = str | int | Sequence[str | int] | None
MANY = "Use a name, a position, or a list of either."


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the user asks: gradients of `of` with respect to `wrt`; see docs/api.md for the options.

    `seed_at_call`: the seed is that of one call, and may be another one in the next. `product`: what is computed, of
    `batch` tangents or seeds at once (None: of one). `accumulate`: gradients are added to arrays of the caller's.
    `also`: intermediate values whose gradients are wanted, too. `device`: where it is to run. `again`: derivatives are
    taken of what is computed.
    """

    wrt: Names = None
    of: Names = None
    seed: Any = None
    value: bool = False
    has_aux: bool = False
    seed_at_call: bool = False
    on_inputs: str = "keep"
    on_decision: str = "speculate"
    plan: str | Mapping[str, str] | Hints = "auto"
    memory_limit: int | None = None
    allow_undo: bool = False
    product: Product = Product.GRADIENT
    batch: int | None = None
    accumulate: bool = False
    also: Any = None
    device: Device = Device.CPU
    again: bool = False


def checked(request: Request) -> Request:
    """The same with plain ints and tuples; BadArgument for what names nothing."""
    _require_seed(request.seed)
    if request.has_aux and request.of not in (None, 0):
        hint = "Leave out 'of', or return these values without 'has_aux'."
        raise BadArgument("With has_aux=True, the first of the two returned values is differentiated.", hint=hint)
    of = 0 if request.has_aux else _names("of", request.of)
    return replace(request, wrt=_names("wrt", request.wrt), of=of)


def _names(option: str, given: Any) -> Names:
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return int(given)
    if not isinstance(given, list | tuple):
        raise BadArgument(f"The option '{option}' is of type '{type(given).__name__}'.", hint=MANY)
    if not given:
        raise BadArgument(f"The option '{option}' names nothing.", hint=MANY)
    names = [_name(option, item) for item in given]
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        raise BadArgument(f"The option '{option}' names {twice!r} twice.", hint="Name each once.")
    return tuple(names)


def _name(option: str, item: Any) -> str | int:
    if not isinstance(item, str | int | np.integer) or isinstance(item, bool):
        raise BadArgument(f"The option '{option}' holds an item of type '{type(item).__name__}'.", hint=MANY)
    return item if isinstance(item, str) else int(item)


def _require_seed(seed: Any) -> None:
    """Real numbers and arrays of them, by output or not."""
    if isinstance(seed, Mapping):
        for item in seed.values():
            _require_seed(item)
        return
    if seed is None or (isinstance(seed, list | tuple) and any(item is None for item in seed)):
        return
    if is_foreign_array(seed):
        sentence, hint = foreign_sentence("The seed", seed)
        raise BadArgument(sentence, hint=hint)
    if isinstance(seed, list | tuple) and any(isinstance(item, np.ndarray | list | tuple) for item in seed):
        for item in seed:
            _require_seed(item)
        return
    kind = np.asarray(seed).dtype
    if kind.kind not in "biufc":
        what = f"an array of {kind}" if np.ndim(seed) else f"of type '{type(seed).__name__}'"
        raise BadArgument(f"The seed is {what}.", hint="Give a number, an array of them, or a dict by output.")


def seeds_of(request: Request, count: int, at: Location | None = None) -> list[Any]:
    """What the user gave as the seed of each output: one for all, by name or position, or in order."""
    seed, of = request.seed, request.of
    if isinstance(seed, Mapping):
        items = [of] if isinstance(of, str | int) else list(of) if of is not None else list(range(count))
        _require_same(seed, items, at)
        return [seed[item] for item in items]
    if isinstance(seed, list | tuple) and count > 1:
        if len(seed) != count:
            raise BadArgument(f"There are {count} outputs and {len(seed)} seeds.", at=at, hint="Give one for each.")
        return list(seed)
    try:
        np.shape(seed)
    except ValueError:
        hint = "Give a number, or an array of the result's shape."
        raise BadArgument("The seed is no number, and no array of equal rows.", at=at, hint=hint) from None
    return [seed] * count


def _require_same(seed: Mapping[Any, Any], items: list[Any], at: Location | None) -> None:
    hint = f"The outputs are {', '.join(map(repr, items))}."
    for item in items:
        if item not in seed:
            raise BadArgument(f"The seed has no entry for the output {item!r}.", at=at, hint=hint)
    for key in seed:
        if key not in items:
            raise BadArgument(f"The seed has an entry {key!r}, which is no output.", at=at, hint=hint)
