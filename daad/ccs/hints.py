"""What the user decides about forwarded values: arrays that are kept, and arrays that are computed again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from daad.analysis.sites import Path
from daad.errors import BadArgument
from daad.ir.nodes import Program
from daad.runtime.processors import Device

Names = frozenset[str]
STRATEGIES = ("store", "recompute", "undo")
USE = "Use 'auto', 'store', 'recompute', 'undo', or a dict such as {'B': 'store', 'T': 'recompute', 'x': 'undo'}."


@dataclass(frozen=True)
class Hints:
    """Arrays by decision; with `strict`, one of `recompute` or `undo` for which that cannot be done is an error.

    `slots`: loops, by their path, that are run again from that many kept states. `rerun`: arrays whose statements are
    run again just before the adjoint reads them. `blocks`: loops that are run again in blocks of so many iterations, of
    which `slots` count the states. `free`: what is not said here is decided for the shortest time, also where memory
    would do for everything. `undo`: arrays of which additive updates are taken back in place; `undo_in`: statements of
    the program's own body, by position, in which that is done to all arrays. `apart`: statements over the same elements
    stay loops of their own, since what they read would be in memory at the same time otherwise. `serial`: threads share
    no loops, since each would hold arrays of its own. `spare`: memory is limited, and none taken for speed alone.
    `device`: where the program will run. `again`: the joint program is differentiated again.
    """

    store: Names = frozenset()
    recompute: Names = frozenset()
    strict: bool = False
    slots: Mapping[Path, int] = field(default_factory=dict)
    rerun: Names = frozenset()
    blocks: Mapping[Path, int] = field(default_factory=dict)
    free: bool = False
    undo: Names = frozenset()
    undo_in: frozenset[int] = frozenset()
    apart: bool = False
    serial: bool = False
    spare: bool = False
    device: Device = Device.CPU
    again: bool = False


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
        return {
            "store": Hints(store=local),
            "recompute": Hints(recompute=local),
            "undo": Hints(undo=frozenset(program.arrays)),
        }.get(plan, NO_HINTS)
    _require_known(plan, program, local)
    for name in sorted(marks.keys() & plan.keys()):
        if marks[name] != plan[name]:
            raise BadArgument(
                f"The plan of '{name}' is '{plan[name]}', and the program itself says '{marks[name]}'.",
                hint="Take one of both away.",
            )
    return _by_strategy({**marks, **plan}, strict=True)


def _require_known(plan: Mapping[str, str], program: Program, local: Names) -> None:
    """Local arrays can be stored and computed again; what is taken back in place can be a parameter, too."""
    for name in sorted(plan):
        what, names = ("array", frozenset(program.arrays)) if plan[name] == "undo" else ("local array", local)
        if name not in names:
            known = ", ".join(f"'{n}'" for n in sorted(names))
            raise BadArgument(
                f"The plan names '{name}', which is no {what} of '{program.name}'.",
                hint=f"Its {what}s are {known}." if known else "It has none.",
            )


def _by_strategy(plan: Mapping[str, str], strict: bool) -> Hints:
    by = {strategy: frozenset(name for name, s in plan.items() if s == strategy) for strategy in STRATEGIES}
    return Hints(by["store"], by["recompute"], strict=strict, free=True, undo=by["undo"])
