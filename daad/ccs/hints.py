"""What the user decides about forwarded values: arrays that are kept, and arrays that are computed again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from daad.ccs.sites import Path
from daad.errors import BadArgument
from daad.program.nodes import Program

Names = frozenset[str]
STRATEGIES = ("store", "recompute")
USE = "Use 'auto', 'store', 'recompute', or a dict such as {'B': 'store', 'T': 'recompute'}."


@dataclass(frozen=True)
class Hints:
    """Local arrays by decision; with `strict`, an array of `recompute` that cannot be computed again is an error.

    `slots`: loops, by their path, that are run again from that many kept states. `rerun`: arrays whose statements are
    run again just before the adjoint reads them. `blocks`: loops that are run again in blocks of so many iterations, of
    which `slots` count the states. `free`: what is not said here is decided for the shortest time, also
    where memory would do for everything.
    """

    store: Names = frozenset()
    recompute: Names = frozenset()
    strict: bool = False
    slots: Mapping[Path, int] = field(default_factory=dict)
    rerun: Names = frozenset()
    blocks: Mapping[Path, int] = field(default_factory=dict)
    free: bool = False


NO_HINTS = Hints()


def require_known_strategies(plan: object) -> None:
    """Raises BadArgument for a value of the option 'plan' that means nothing."""
    if isinstance(plan, str) and plan in ("auto", *STRATEGIES):
        return
    if not isinstance(plan, Mapping):
        raise BadArgument(f"The option 'plan' is {plan!r}.", hint=USE)
    for name, strategy in plan.items():
        if strategy not in STRATEGIES:
            raise BadArgument(f"The plan of '{name}' is {strategy!r}.", hint=USE)


def read_hints(plan: str | Mapping[str, str] | Hints, program: Program, marks: Mapping[str, str]) -> Hints:
    """The hints that the option 'plan' gives for a program as it was read; `marks` are those in the program itself."""
    local = frozenset(program.arrays) - {*program.parameters}
    marks = {name: strategy for name, strategy in marks.items() if name in local}
    if isinstance(plan, Hints):
        return plan
    if plan == "auto":
        return _by_strategy(marks, strict=False)
    if isinstance(plan, str):
        return {"store": Hints(store=local), "recompute": Hints(recompute=local)}.get(plan, NO_HINTS)
    unknown = sorted(set(plan) - local)
    if unknown:
        known = ", ".join(f"'{name}'" for name in sorted(local))
        raise BadArgument(
            f"The plan names '{unknown[0]}', which is no local array of '{program.name}'.",
            hint=f"Its local arrays are {known}." if known else "It has none.",
        )
    for name in sorted(marks.keys() & plan.keys()):
        if marks[name] != plan[name]:
            raise BadArgument(
                f"The plan of '{name}' is '{plan[name]}', and the program itself says '{marks[name]}'.",
                hint="Take one of both away.",
            )
    return _by_strategy({**marks, **plan}, strict=True)


def _by_strategy(plan: Mapping[str, str], strict: bool) -> Hints:
    store, recompute = (frozenset(name for name, s in plan.items() if s == strategy) for strategy in STRATEGIES)
    return Hints(store, recompute, strict=strict, free=True)
