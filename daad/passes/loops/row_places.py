"""Which rows of its arrays a nest touches: one, or some around each of those that it goes through."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from daad.analysis.alias import reads_of
from daad.ir.affine import Affine
from daad.ir.nodes import Index, Nest, Node


@dataclass(frozen=True)
class Rows:
    """How a nest touches an array: at its row plus each of these numbers."""

    written: frozenset[int]
    touched: frozenset[int]


@dataclass(frozen=True)
class Forms:
    """The indices of an array along its axis of rows: those that are affine, whether all are, and their variables."""

    known: tuple[tuple[Affine, bool], ...]
    is_affine: bool
    names: frozenset[str]
    least: int

    @staticmethod
    def of(forms: Collection[tuple[Affine | None, bool]]) -> Forms:
        known = tuple((form, is_target) for form, is_target in forms if form is not None)
        names = frozenset(name for form, _ in known for name in form.names)
        return Forms(known, len(known) == len(forms), names, min((form.const for form, _ in known), default=0))


@dataclass(frozen=True)
class Places:
    """A nest, and by array the indices along the axes of rows, each with whether it is written there; None for one that
    is not affine, or where there is no such axis."""

    nest: Nest
    axes: Mapping[str, int]
    forms: Mapping[str, Forms]
    _rows: dict[Affine, Mapping[str, Rows]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def is_apart(self) -> bool:
        """Whether all points write elements of their own."""
        variables = {r.var for r in self.nest.domain}
        return all(variables <= _variables(a.target.index) for a in self.nest.assigns)

    def rows(self, row: Affine) -> Mapping[str, Rows]:
        """Where the nest touches its arrays, without those that it touches at no distance from its row."""
        if row not in self._rows:
            found = {name: self._rows_of(name, row) for name in self.forms}
            self._rows[row] = {name: each for name, each in found.items() if each is not None}
        return self._rows[row]

    def _rows_of(self, name: str, row: Affine) -> Rows | None:
        forms = self.forms[name]
        offsets = [(form - row, is_target) for form, is_target in forms.known]
        if not forms.is_affine or not all(offset.is_const for offset, _ in offsets):
            return None
        written = frozenset(offset.const for offset, is_target in offsets if is_target)
        return Rows(written, frozenset(offset.const for offset, _ in offsets))


def places_of(body: Sequence[Node]) -> list[Places | None]:
    """The places of each nest of a body, None for other nodes. An array's rows are along the first axis along which a
    nest of the body moves."""
    axes: dict[str, int] = {}
    accesses = [list(_accesses(node)) if isinstance(node, Nest) else [] for node in body]
    for node, places in zip(body, accesses, strict=True):
        own = {r.var for r in node.domain} if isinstance(node, Nest) else set()
        for name, index, _ in places:
            moving = [n for n, form in enumerate(index) if isinstance(form, Affine) and own & {*form.names}]
            axes[name] = min([*moving, axes.get(name, len(index))])
    found: list[Places | None] = []
    for node, places in zip(body, accesses, strict=True):
        forms: dict[str, set[tuple[Affine | None, bool]]] = {}
        for name, index, is_target in places:
            form = index[axes[name]] if axes[name] < len(index) else None
            forms.setdefault(name, set()).add((form if isinstance(form, Affine) else None, is_target))
        known = {name: Forms.of(each) for name, each in forms.items()}
        found.append(Places(node, axes, known) if isinstance(node, Nest) else None)
    return found


def _accesses(nest: Nest) -> Iterator[tuple[str, tuple[Index, ...], bool]]:
    """Arrays, where they are touched, and whether they are written there."""
    for assign in nest.assigns:
        yield assign.target.array, assign.target.index, True
        yield from ((load.array, load.index, False) for load in reads_of(assign))


def _variables(index: tuple[Index, ...]) -> frozenset[str]:
    return frozenset(name for form in index if isinstance(form, Affine) for name in form.names)
