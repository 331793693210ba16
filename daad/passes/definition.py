"""What a pass is: a function from Program to Program under a name, with what it needs and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from daad.ir.nodes import Program
from daad.runtime.processors import Device

Names = frozenset[str]
NONE: Names = frozenset()


class Form(Enum):
    """What holds of a Program at some places of the pipeline, and passes need, give, or end."""

    REVERSIBLE = "each assignment can be reversed on its own: one nest each, unless they are independent"
    SCATTERED = "what a point contributes to several elements is in one nest, as the reverse mode writes it"
    GATHERED = "each element is one sum of what points contribute to it"
    MERGED = "nests over the same elements are one"
    PADDED = "rows have zeros beyond their ends where that spares conditions"
    SPLIT = "inner nests have no conditions on their variables"
    TILED = "products by rows are products of matrices"
    SLABBED = "statements that are far apart go through memory in slabs"
    SERIAL = "loops that threads could share are still to be found"
    SHARED = "loops that threads share are marked"


@dataclass(frozen=True)
class Goal:
    """What a run of passes is for.

    `live` arrays are visible at the end; those of `recomputed` go into their readers at any price. `threads` share
    loops. `is_planned`: what memory holds is decided, results hold nothing else before; `is_spare`: without arrays for
    values that several updates take. `device`: where the program will run.
    """

    live: Names
    recomputed: Names = NONE
    threads: int = 1
    is_planned: bool = False
    is_spare: bool = False
    device: Device = Device.CPU


@dataclass(frozen=True)
class Pass:
    """A pass by name: `does` is one sentence, `source` where the literature has it.

    `requires` are the forms that it works on, `establishes` those that hold after it, `ends` those that hold no more.
    `for_caches`: what it brings is a CPU's, of caches and of loops without conditions; a GPU is better off without it.
    """

    name: str
    run: Callable[[Program, Goal], Program]
    does: str
    source: str = ""
    requires: frozenset[Form] = frozenset()
    establishes: frozenset[Form] = frozenset()
    ends: frozenset[Form] = frozenset()
    for_caches: bool = False

    def runs_for(self, goal: Goal) -> bool:
        """Whether it is run where the program will run."""
        return not (self.for_caches and goal.device is Device.GPU)


def forms(*them: Form) -> frozenset[Form]:
    return frozenset(them)
