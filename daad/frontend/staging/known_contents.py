"""What local arrays hold where only indices and constants decide: of all arrays where the length of a mask matters,
else of tables, which are made of numbers in the program, until they are written."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from daad.errors import IndexOutside
from daad.frontend.staging.values import Shape, axis
from daad.ir.interpreter import Evaluation, Execution, run_nest
from daad.ir.nodes import Array, Expr, Index, Nest
from daad.ir.walk import loads, variables

Constants = Mapping[str, np.ndarray]


class Contents:
    """Local arrays whose elements are known here; `relied`: those of which somebody has made use; `lost`: those that
    got elements that are not known; `sources`: constants that others were made from; `kept`: what objects hold."""

    def __init__(self) -> None:
        self.known: dict[str, np.ndarray] = {}
        self.relied: frozenset[str] = frozenset()
        self.lost: frozenset[str] = frozenset()
        self.sources: frozenset[str] = frozenset()
        self.kept: frozenset[str] = frozenset()

    def copy(self) -> Contents:
        """The same; what happens to one does not show in the other."""
        made = Contents()
        made.known, made.relied, made.lost, made.sources = dict(self.known), self.relied, self.lost, self.sources
        made.kept = self.kept
        return made

    def of(self, expr: Expr, shape: Shape, constants: Constants) -> np.ndarray | None:
        """The array with these elements in own axes, if they are known."""
        found = self.evaluated(expr, shape, constants)
        if found is not None:
            used = {load.array for load in loads(expr)}
            self.relied |= used - constants.keys()
            self.sources |= used & constants.keys()
        return found

    def evaluated(self, expr: Expr, shape: Shape, constants: Constants) -> np.ndarray | None:
        """The same, of which nobody makes use yet."""
        names = variables(expr).union(*map(variables, shape))
        if not names <= {axis(k) for k in range(len(shape))}:
            return None
        if not self.knows({load.array for load in loads(expr)}, constants):
            return None
        sizes = tuple(extent.const for extent in shape)
        points = {axis(k): grid.ravel() for k, grid in enumerate(np.indices(sizes))}
        with np.errstate(all="ignore"):
            found = Evaluation({**constants, **self.known}, points).value(expr)
        return np.broadcast_to(found, np.prod(sizes, dtype=int)).reshape(sizes)

    def forget(self, names: set[str]) -> bool:
        """These arrays get elements that are not known; False if somebody has relied on them."""
        for name in names:
            self.known.pop(name, None)
        self.lost |= names
        return not names & self.relied

    def written(self, names: Collection[str], is_ahead: bool) -> np.ndarray | None:
        """Forgets arrays that are written; one of which somebody has made use, and would do so again, as it
        `is_ahead`, or which somebody keeps."""
        held = {name: self.known.pop(name) for name in names if name in self.known}
        used = self.kept | self.relied if is_ahead else self.kept
        return next((values for name, values in held.items() if name in used), None)

    def knows(self, names: set[str], constants: Constants) -> bool:
        """Whether the elements of all these arrays are known."""
        return names <= {*constants, *self.known}

    def undecided(self, nest: Nest, constants: Constants) -> set[str]:
        """The names that must be numbers for the nest to be followed; none if that is of no use."""
        return _free_names(nest) if self.knows(_reads(nest), constants) else set()

    def run(self, nest: Nest, arrays: Mapping[str, Array], constants: Constants) -> None:
        """Follows a nest that is run once, after all before it."""
        targets = {a.target.array for a in nest.assigns}
        if targets & self.lost or _free_names(nest) or not self.knows(_reads(nest), constants):
            self.forget(targets)
            return
        self.sources |= _reads(nest) & constants.keys()
        for name in targets:
            blank = np.zeros(arrays[name].shape, arrays[name].dtype)
            self.known[name] = self.known.get(name, blank).copy()
        try:
            run_nest(Execution(nest, {}, nest.at), {**constants, **self.known})
        except IndexOutside:
            self.forget(targets)


def _reads(nest: Nest) -> set[str]:
    """Arrays that a nest loads, and those of which it updates elements."""
    found = {load.array for a in nest.assigns for i in (a.value, *a.target.index) for load in loads(i)}
    return found | {a.target.array for a in nest.assigns if a.op != "="}


def _free_names(nest: Nest) -> set[str]:
    """Loop variables and int parameters that a nest uses."""
    indices: list[Index] = [form for r in nest.domain for form in (r.start, r.stop)]
    for assign in nest.assigns:
        indices += [assign.value, *assign.target.index]
    return {name for index in indices for name in variables(index)} - {r.var for r in nest.domain}
