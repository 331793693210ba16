"""What is known while the Program is built: bounds of loop variables, sizes, whether shapes fit."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np

from daad.analysis.context import Scope
from daad.errors import Location, Unsupported
from daad.frontend.staging.boolean_masks import Masks, is_masked
from daad.frontend.staging.draws import Drawn
from daad.frontend.staging.known_contents import Contents
from daad.frontend.staging.speculation import Decision, Reread, Speculation, assumed
from daad.frontend.staging.values import ZERO, ArrayValue, Lazy, Shape, View, index_names, own_axes
from daad.ir.affine import Affine, interval
from daad.ir.nodes import Array, Expr, Index, Node
from daad.ir.pinning import NeedsConstant, NeedsPlaces
from daad.ir.walk import loads, variables


class Unroll(Exception):
    """The body of the loop with this variable needs a number where the variable stands; if it is found `late`, it is
    taken for granted when the loop is read in another call. `listed` is the list of which an item is read, or written
    if `is_written`, at that place."""

    def __init__(self, variable: str, message: str, at: Location | None, late: bool = False) -> None:
        super().__init__(variable)
        self.variable, self.message, self.at, self.late = variable, message, at, late
        self.listed: Any = None
        self.is_written = False


@contextmanager
def of_list(holder: Any, is_written: bool = False) -> Iterator[None]:
    """What unrolls a loop here does so for an item of a list."""
    try:
        yield
    except Unroll as unroll:
        unroll.listed, unroll.is_written = holder, is_written
        raise


@dataclass
class Block:
    """Nodes being collected; `facts` are affine forms known to be >= 0 inside; `loop` tells loop bodies from others;
    `bounds` are a loop's start, stop and step; `older`: of what is there for a derivative only, the arrays that were
    there before it."""

    loop: bool = False
    facts: tuple[Affine, ...] = ()
    variable: str = ""
    bounds: tuple[Index, Index, int] = (Affine(0), Affine(0), 1)
    nodes: list[Node] = field(default_factory=list)
    older: frozenset[str] | None = None


class Facts:
    """The arrays and the nested blocks of the Program so far, and what follows from them."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        self.preferred: dict[str, str] = {}
        self.parameters: list[str] = []
        self.boxes: set[str] = set()
        self.integers: list[str] = []
        self.constants: dict[str, np.ndarray] = {}
        self.drawn = Drawn()
        self.interleaved: set[str] = set()  # arrays of pairs: complex arguments and results
        self.halved: set[str] = set()  # arrays that are a part of a complex one, taken as arrays of their own
        self.joint = False  # whether parts of complex arrays are dealt with as those, no arrays of their own
        self.parts: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}  # complex constants, taken apart
        self.ranges: dict[int, np.ndarray] = {}  # arrays whose least and largest elements were relied on
        # Whether masks that are known are lists of places; None: not after all.
        self.places: bool | None = False
        self.contents = Contents()
        self.seen: dict[int, np.ndarray] = {}  # arrays from outside whose elements were relied on
        self.own: dict[
            int, tuple[np.ndarray, str]
        ] = {}  # arrays from outside that the program writes, and its own ones
        self.rows: dict[tuple[str, bytes], np.ndarray] = {}  # numbers of lists from which data choose
        self.written_at: set[Location | None] = set()  # where arrays are made that are known but written later
        self.known_arrays: dict[
            int, tuple[np.ndarray, Location | None]
        ] = {}  # arrays that are known, and where they were made
        self.looked_into: dict[int, Any] = {}  # objects that code has seen which is not read
        self.blocks: list[Block] = [Block()]
        self.intervals: dict[str, tuple[int, int]] = {}
        self.at: Location | None = None
        self.speculation = Speculation()
        self.derivatives = 1
        self.world: Any = None  # the place of the number of the next communication
        self.met_by: dict[str, View] = {}  # in rules: outputs by what holds their adjoints, arguments by their copies
        self.ruled = 0  # how many rules of users lie around
        self.decisions: tuple[Decision, ...] = ()
        self.emitted = 0
        self.moment = 0  # counts what is emitted, even if that is taken back
        self.changes: dict[str, int] = {}  # when arrays have been written last
        self.masks = Masks()
        self.links: frozenset[tuple[str, str]] = frozenset()
        self.unordered: set[str] = set()  # arrays that NumPy may have in another order than C's

    def positions(self, mask: ArrayValue) -> tuple[np.ndarray, ...] | None:
        """Where a mask is True, an array for each axis; None if that depends on data."""
        found = self.known_elements(mask)
        return None if found is None else np.nonzero(found)

    def known_elements(self, value: ArrayValue) -> np.ndarray | None:
        """The elements that an array has whatever the data are; None if they depend on these."""
        if self.places is False:
            raise NeedsPlaces
        return self.content(value.element(own_axes(value.ndim)), value.shape) if self.places else None

    def rely(self, value: Any) -> None:
        """The elements of arrays known now decide what the Program is; containers are looked into."""
        if isinstance(value, np.ndarray):
            self.seen[id(value)] = value
        elif isinstance(value, list | deque | tuple | set | frozenset):
            for item in value:
                self.rely(item)
        elif isinstance(value, dict | MappingProxyType):
            self.rely(list(value.values()))
        else:
            self.look_into(value)

    def look_into(self, value: Any) -> None:
        """Code that is not read looks into an object of the program, or asks it something."""
        if (hasattr(value, "__dict__") or hasattr(value, "__slots__")) and type(value).__module__.partition(".")[
            0
        ] != "daad":
            self.looked_into[id(value)] = value

    def content(self, expr: Expr, shape: Shape) -> np.ndarray | None:
        """The array with these elements in own axes, where nothing but indices, int parameters and constants decide."""
        if self.contents.knows({load.array for load in loads(expr)}, self.constants):
            self.pin_names(variables(expr).union(*map(variables, shape)))
        known = self.contents.of(expr, shape, self.constants)
        if known is not None:
            self.rely([self.constants[name] for name in self.contents.sources])
        return known

    def facts(self) -> tuple[Affine, ...]:
        """Forms known to be >= 0 here."""
        return tuple(fact for block in self.blocks for fact in block.facts)

    @property
    def loop_variables(self) -> list[str]:
        """The variables of the loops around, outermost first."""
        return [block.variable for block in self.blocks if block.variable]

    def provable(self, form: Affine) -> bool:
        """Whether `form >= 0` for all values of the loop variables here."""
        return form.const >= 0 if form.is_const else Scope(self.facts()).proves(form)

    def range_of(self, form: Affine) -> tuple[int | None, int | None]:
        """Smallest and largest value of the form, where numbers bound them."""
        return interval(form, self.intervals) or (0 if self.provable(form) else None, None)

    def known(self, extent: Affine) -> int:
        """A number where a number is needed: an int parameter becomes a constant, a loop is unrolled."""
        if extent.is_const:
            return extent.const
        self.refuse_mask((extent,))
        self.pin(extent)
        raise self.unroll(extent, "A size that changes from iteration to iteration cannot be used here.")

    def unroll(self, form: Affine, message: str) -> Unroll:
        """The exception that unrolls the innermost loop whose variable the form names."""
        variables = [v for v in self.loop_variables if form.coefficient(v)]
        assert variables, f"'{form}' names no loop variable"
        return Unroll(variables[-1], message, self.at)

    def pin(self, form: Affine) -> None:
        """Starts again with a constant if the form names an int parameter."""
        for name in form.names:
            if name in self.integers:
                raise NeedsConstant(name)

    def pin_names(self, names: Collection[str]) -> None:
        """Starts again with a constant if an int parameter is among the names."""
        self.pin(Affine.build(0, dict.fromkeys(names, 1)))

    def decided(self, value: Any, message: str) -> int | None:
        """An integer that nothing but int parameters, loop variables and elements known here decide, which are pinned,
        unrolled and relied on for it; None if data do."""
        if not isinstance(value, Lazy) or value.shape:
            return None
        used = {load.array for load in loads(value.expr)}
        names = set(variables(value.expr)) if used else index_names(value.expr)
        if used and not self.contents.knows(used, self.constants):
            if self.places is False:
                raise NeedsPlaces
            return None
        self.pin_names(names)
        if any(v in names for v in self.loop_variables):
            raise self.unroll(Affine.build(0, dict.fromkeys(names, 1)), message)
        found = self.content(value.expr, ()) if value.dtype.kind in "iu" else None
        return None if found is None else int(found)

    def known_float(self, value: Any, message: str) -> Any:
        """The same of a float; in a loop it is asked for in each iteration."""
        if not isinstance(value, ArrayValue) or value.shape or value.dtype.kind != "f":
            return None
        expr = value.element(())
        used, names = {load.array for load in loads(expr)}, set(variables(expr))
        if used and self.places is False and not self.contents.knows(used, self.constants):
            raise NeedsPlaces
        if any(v in names for v in self.loop_variables):
            raise self.unroll(Affine.build(0, dict.fromkeys(names, 1)), message)
        if not self.contents.knows(used, self.constants):
            if self.loop_variables:
                raise self.unroll(Affine.of(self.loop_variables[-1]), message)
            return None
        found: Any = self.content(expr, ())
        return None if found is None else float(found) if value.weak else found[()]

    def settled(self, value: Any, what: str) -> int | None:
        """The same; where data decide, what it is in this call, if that is speculated on."""
        number = self.decided(value, f"{what} changes from iteration to iteration.")
        if number is not None or not isinstance(value, ArrayValue) or value.shape:
            return number
        return assumed(self, value, what)  # type: ignore[arg-type]

    def related_integers(self, form: Affine) -> list[str]:
        """Int parameters that the form names, or the bounds of the loop variables in it."""
        names, facts = set(form.names), self.facts()
        while True:
            reached = {n for fact in facts if names & set(fact.names) for n in fact.names} | names
            if reached == names:
                return [name for name in self.integers if name in names]
            names = reached

    def pin_related(self, form: Affine) -> None:
        """Starts again with a constant where an int parameter bounds the form."""
        for name in self.related_integers(form):
            raise NeedsConstant(name)

    def upper_bound(self, extent: Affine) -> int:
        """The largest value that the extent takes in the loops around."""
        (extent,) = self.masks.full((extent,))
        if extent.is_const:
            return max(extent.const, 0)
        self.pin(extent)
        bounds = interval(extent, self.intervals)
        if bounds is None:
            self.pin_related(extent)
            raise self.refuse("The shape of an array depends on data.", "Use arrays of a fixed shape.")
        return max(bounds[1], 0)

    def require_broadcast(self, shape: Shape, target: Shape) -> None:
        """Refuses a value that does not fit into a target."""
        surplus = len(shape) - len(target)
        fits = all(e == Affine(1) for e in shape[: max(surplus, 0)])
        for extent, wanted in zip(reversed(shape), reversed(target), strict=False):
            fits = fits and (extent == Affine(1) or self.same_extent(extent, wanted))
        if not fits or surplus > 0:
            raise self._refuse_shapes(shape, target)

    def same_extent(self, a: Affine, b: Affine) -> bool:
        """Whether two extents are equal; a difference that names int parameters pins them."""
        difference = a - b
        if difference == ZERO:
            return True
        if difference.is_const:
            return False
        self.pin(difference)
        return self.provable(difference) and self.provable(-difference)

    def broadcast(self, *shapes: Shape) -> Shape:
        """The common shape of operands."""
        rank = max(map(len, shapes), default=0)
        result = [Affine(1)] * rank
        for shape in shapes:
            for k, extent in enumerate(shape, start=rank - len(shape)):
                if result[k] == Affine(1):
                    result[k] = extent
                elif extent != Affine(1) and not self.same_extent(extent, result[k]):
                    raise self._refuse_shapes(*shapes)
        return tuple(result)

    def _refuse_shapes(self, *shapes: Shape) -> NoReturn:
        for shape in shapes:
            self.refuse_mask(shape)
        text = " and ".join(f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})" for shape in shapes)
        message = f"Arrays of shapes {text} do not fit together."
        for extent in (extent for shape in shapes for extent in shape):
            if any(extent.coefficient(v) for v in self.loop_variables):
                raise self.unroll(extent, message)  # they may do in each iteration
        self.refuse(message, "Check the shapes of the arguments.")

    def refuse_mask(self, shape: Shape) -> None:
        """Refuses what would need the number of elements that a mask selects."""
        if is_masked(shape):
            if self.places is False:
                raise NeedsPlaces
            places = frozenset().union(*(mask.at for mask in self.masks.used(shape)))
            if self.speculation.asked() and places - self.speculation.counted:
                self.speculation.counted |= places
                raise Reread
            self.refuse(
                "The number of elements that a boolean mask selects depends on data.",
                "Use 'np.where(mask, value, 0)', or select with the same mask on both sides.",
            )

    def refuse(self, message: str, hint: str | None = None, raised: BaseException | None = None) -> NoReturn:
        """Raises Unsupported, at the place that is being read; `raised` is what the program itself raises there."""
        raise Unsupported(message, at=self.at, hint=hint, raised=raised)
