"""The public functions: what daad can be asked of a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from daad.errors import BadArgument
from daad.gradient import Gradient
from daad.specialise import Request

Names = str | int | Sequence[str | int] | None
OPTIONS = ("seed", "on_inputs", "verbose")


def grad(f: Any, wrt: Names = None, of: Names = None, **options: Any) -> Gradient:
    """The gradient of a program: `grad(f, wrt="k")(*args)` is an array of the shape and dtype of the argument `k`.

    `f` is a plain function, a `@dace.program` or an SDFG. `wrt` names arguments (None: the first; a sequence gives a
    tuple); `of` names arguments that the program writes, local variables, or positions of a tuple of results (None:
    the return value, a real scalar). Options: `seed` (a number, an array or a dict by name) for outputs that are no
    scalars; `on_inputs`: "primal" (arguments end as the program leaves them) or "keep" (arguments stay as they are).
    Raises `daad.DaadError` subclasses; see docs/api.md.
    """
    return _gradient(f, wrt, of, False, options)


def value_and_grad(f: Any, wrt: Names = None, of: Names = None, **options: Any) -> Gradient:
    """As `grad`, but a call returns `(value, gradients)`; the primal runs once."""
    return _gradient(f, wrt, of, True, options)


def _gradient(f: Any, wrt: Names, of: Names, value: bool, options: dict[str, Any]) -> Gradient:
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        raise BadArgument(f"There is no option '{unknown[0]}'.", hint=f"The options are {', '.join(OPTIONS)}.")
    on_inputs = options.get("on_inputs", "primal")
    if on_inputs not in ("primal", "keep"):
        raise BadArgument(f"The option 'on_inputs' is '{on_inputs}'.", hint="Use 'primal' or 'keep'.")
    wrt = tuple(wrt) if isinstance(wrt, list) else wrt
    request = Request(wrt=wrt, of=of, seed=options.get("seed"), value=value, on_inputs=on_inputs)
    return Gradient(f, request, verbose=options.get("verbose", 0))
