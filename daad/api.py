"""The public functions: what daad can be asked of a program."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from daad.ccs.hints import require_known_strategies
from daad.errors import BadArgument, level_of_the_user
from daad.gradient import Gradient
from daad.request import Request
from daad.runtime.later import later
from daad.runtime.memory import machine_memory
from daad.sizes import read_size, readable
from daad.tracebacks import ends_at_the_call

if TYPE_CHECKING:
    from daad.report import check as checking
    from daad.report.check import CheckReport
    from daad.report.plan import Plan
else:
    checking = later("daad.report.check")

Names = str | int | Sequence[str | int] | None
OPTIONS = ("seed", "on_inputs", "plan", "memory_limit", "allow_undo", "verbose")


@ends_at_the_call
def grad(f: Any, wrt: Names = None, of: Names = None, **options: Any) -> Gradient:
    """The gradient of a program: `grad(f, wrt="k")(*args)` is an array of the shape and dtype of the argument `k`.

    `f` is a plain function, a `@dace.program` or an SDFG. `wrt` names arguments (None: the first; a sequence gives a
    tuple); `of` names arguments that the program writes, local variables, or positions of a tuple of results (None:
    the return value, a real scalar). Options: `seed` (a number, an array or a dict by name) for outputs that are no
    scalars; `on_inputs`: "primal" (arguments end as the program leaves them) or "keep" (arguments stay as they are);
    `plan`: "auto", "store", "recompute", "undo" or a dict by array, how the adjoint gets the values it reads;
    `memory_limit`: what a call may hold; `allow_undo`: whether updates may be taken back in place to keep to it.
    Raises `daad.DaadError` subclasses; see docs/api.md.
    """
    return _gradient(f, wrt, of, False, options)


@ends_at_the_call
def value_and_grad(f: Any, wrt: Names = None, of: Names = None, **options: Any) -> Gradient:
    """As `grad`, but a call returns `(value, gradients)`; the primal runs once."""
    return _gradient(f, wrt, of, True, options)


@ends_at_the_call
def check(
    f: Any, args: Sequence[Any], wrt: Names = None, of: Names = None, plans: str = "default", **options: Any
) -> CheckReport:
    """Compares the gradient at the point `args` with differences of `f` itself along random directions.

    The report is truthy when the gradient is right (1e-6 relative, 1e-3 for float32), prints as a table, and says of a
    wrong gradient which statement made it wrong. `plans`: "default", or "all" to check every plan. Options are those of
    `grad`; other keywords are passed to `f`.
    """
    checking.require_known_plans(plans)
    given = {name: options.pop(name) for name in OPTIONS if name in options}
    return checking.check_gradient(_gradient(f, wrt, of, True, given), args, options, plans)


@ends_at_the_call
def plan(f: Any, args: Sequence[Any], wrt: Names = None, of: Names = None, **options: Any) -> Plan:
    """The plan of the gradient at `args`, without compiling or running: what it keeps, and the bytes of a call.

    Options are those of `grad`, such as `memory_limit`; other keywords are passed to `f`. `Plan.pareto` gives the
    curve of memory against time. Raises `daad.MemoryLimitTooSmall` with the smallest possible limit.
    """
    given = {name: options.pop(name) for name in OPTIONS if name in options}
    return _gradient(f, wrt, of, False, given).planned(*args, **options)


def _gradient(f: Any, wrt: Names, of: Names, value: bool, options: dict[str, Any]) -> Gradient:
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        raise BadArgument(f"There is no option '{unknown[0]}'.", hint=f"The options are {', '.join(OPTIONS)}.")
    on_inputs = options.get("on_inputs", "primal")
    if on_inputs not in ("primal", "keep"):
        raise BadArgument(f"The option 'on_inputs' is '{on_inputs}'.", hint="Use 'primal' or 'keep'.")
    allow_undo = options.get("allow_undo", False)
    if not isinstance(allow_undo, bool | np.bool_):
        raise BadArgument(f"The option 'allow_undo' is {allow_undo!r}.", hint="Use True or False.")
    wrt = tuple(wrt) if isinstance(wrt, list) else wrt
    plan = options.get("plan", "auto")
    require_known_strategies(plan)
    request = Request(
        wrt=wrt,
        of=of,
        seed=options.get("seed"),
        value=value,
        on_inputs=on_inputs,
        plan=plan,
        memory_limit=_limit(options.get("memory_limit")),
        allow_undo=bool(allow_undo),
    )
    return Gradient(f, request, verbose=options.get("verbose", 0))


def _limit(given: Any) -> int | None:
    """In bytes; more than there is may have been meant in another unit."""
    limit, most = read_size(given), machine_memory()
    if limit is not None and limit > most:
        warnings.warn(
            f"The memory limit is {readable(limit)}, and this machine has {readable(most)}.",
            stacklevel=level_of_the_user(),
        )
    return limit
