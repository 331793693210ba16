"""What a random program knows at one place: its variables with shapes, its loop variables with all their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from tests.fuzz.forms import Form, Point, Shape
from tests.fuzz.source import fresh


class Kind(Enum):
    """An array in memory, or a number."""

    ARRAY = "array"
    NUMBER = "number"


class Taste(Enum):
    """What a program has more of than others."""

    BROAD = "expressions of many kinds"
    LOOPS = "loops over elements"
    ALIASES = "views, swaps, functions that write"


@dataclass(frozen=True)
class Variable:
    """A name bound to a value of known shape."""

    name: str
    shape: Shape
    kind: Kind = Kind.ARRAY

    @property
    def is_array(self) -> bool:
        return self.kind is Kind.ARRAY


@dataclass(frozen=True)
class Function:
    """A function of the program: parameters by shape, and the shapes of what it returns."""

    name: str
    parameters: tuple[Variable, ...]
    returns: tuple[Shape, ...]


@dataclass
class Scope:
    """`points` are all iterations in which the place is reached (stand-ins where there is none), `around` those of
    the loops around it, whatever its conditions say.

    `sizes` are the extents that arrays of this program have; `tables` the arrays of integers by name; `rebound` are
    parameters whose name stands for another array now, `shared` names that may stand for several arrays, which must not
    be written (refused), `captured` names that inner functions read, `singles` parameters of 32 bits,
    `plain` the share of expressions, in percent, that are short sums of products.
    """

    sizes: tuple[int, ...]
    variables: dict[str, Variable] = field(default_factory=dict)
    loops: tuple[str, ...] = ()
    points: Sequence[Point] = ({},)
    around: Sequence[Point] = ({},)
    integers: dict[str, int] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    tables: dict[str, tuple[int, ...]] = field(default_factory=dict)
    functions: tuple[Function, ...] = ()
    depth: int = 0
    on_data: bool = False
    names: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    captured: set[str] = field(default_factory=set)
    singles: set[str] = field(default_factory=set)
    taste: Taste = Taste.BROAD
    plain: int = 0

    def inner(self, **changes: object) -> Scope:
        """The scope of a nested block: new names stay inside."""
        return replace(self, variables=dict(self.variables), depth=self.depth + 1, **changes)  # type: ignore[arg-type]

    def looped(self, variable: str, values: Callable[[Point], Sequence[int]]) -> Scope:
        """The scope of a loop's body. Where there is no iteration, two that differ stand for it."""
        points, around = ([{**p, variable: k} for p in old for k in values(p)] for old in (self.points, self.around))
        stand_ins = [{**self.points[0], variable: k} for k in (0, 1)]
        points = points or stand_ins
        return self.inner(points=points, around=around or points, loops=(*self.loops, variable))

    def fresh(self, stem: str) -> str:
        """A name that the program has not used."""
        return fresh(stem, self.names)

    def name_integer(self, form: Form) -> str:
        """A new name for an integer."""
        name = self.fresh("j")
        self.points, self.around = ([{**p, name: form.at(p)} for p in old] for old in (self.points, self.around))
        self.loops = (*self.loops, name)
        return name

    def bind(self, variable: Variable) -> None:
        self.names.add(variable.name)
        self.variables[variable.name] = variable

    def arrays(self) -> list[Variable]:
        return [v for v in self.variables.values() if v.is_array]

    def written(self) -> list[Variable]:
        """Arrays that can be written in place."""
        return [v for v in self.arrays() if v.name not in self.shared]

    def equal(self, left: Shape, right: Shape) -> bool:
        """Whether two shapes are the same in every iteration."""
        return len(left) == len(right) and all(map(self.same, left, right))

    def same(self, left: Form, right: Form) -> bool:
        """Whether two extents are equal, and not by chance: the variables that change must drop out."""
        rest = left - right
        return not any(rest.values(self.around)) and not any(self._varies(name) for name, _ in rest.terms)

    def _varies(self, name: str) -> bool:
        return len({point[name] for point in self.around}) > 1

    def low(self, form: Form) -> int:
        return min(form.values(self.points))

    def high(self, form: Form) -> int:
        return max(form.values(self.points))

    def atoms(self) -> list[Form]:
        """The loop variables."""
        return [Form.of(name) for name in self.loops]
