"""The loop that runs groups of statements that repeat, with what comes before and behind it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from daad.analysis.skeletons import Filling, Kind, Skeleton
from daad.ir.affine import Affine
from daad.ir.indices.domains import all_points
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Const, Expr, Index, Load, Loop, Nest, Node
from daad.ir.walk import relocated
from daad.passes.loops.rolled_storage import Storage


@dataclass
class Builder:
    """Makes it for arrays in their places; `arrays` are those of the program, with the new ones."""

    places: Storage
    arrays: dict[str, Array]
    supply: NameSupply
    tables: dict[tuple[str, ...], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.var = self.supply.new("t")
        pattern = self.places.pattern
        for leaf, name in self.places.carried.items():
            self._add(name, self.arrays[pattern.names(leaf)[0]])
        for leaf, name in (*self.places.stacked.items(), *self.places.history.items()):
            self._add(name, self.arrays[pattern.names(leaf)[0]], pattern.repeat.count)

    def _add(self, name: str, like: Array, *more: int) -> None:
        self.arrays[name] = Array(name, (*more, *like.shape), like.dtype)

    def before(self) -> Iterator[Node]:
        """Stacks, tables, and what the first group reads of others."""
        for leaf, stack in self.places.stacked.items():
            for group, name in enumerate(self.places.pattern.names(leaf)):
                yield self._copy((stack, group), (name, None))
        for number, kind in enumerate(self.places.pattern.leaves[0]):
            if kind.kind is Kind.NUMBER:
                yield from self._table(self._values(number))
        for name, first in self.places.firsts().items():
            yield self._copy((name, None), (first, None))

    def loop(self, body: tuple[Node, ...]) -> Loop:
        """The last group stands for all of them."""
        repeat = self.places.pattern.repeat
        filled = Skeleton(self.arrays, Filling(self._access, self._form, self._number))
        nodes: list[Node] = []
        for position in repeat.group(repeat.count - 1):
            nodes.append(filled.again(body[position]))
        for leaf, stack in self.places.history.items():
            nodes.append(self._copy((stack, self.var), (self.places.own[leaf], None)))
        for leaf, name in self.places.carried.items():
            place, group = self.places.place(leaf, 0)
            nodes.append(self._copy((name, None), (place, None if group is None else self.var)))
        return Loop(self.var, Affine(0), Affine(repeat.count), 1, tuple(nodes), body[repeat.start].at)

    def behind(self, seen: Collection[str]) -> Iterator[Node]:
        """What is kept for each group, as arrays that others see."""
        for name, place in self.places.kept().items():
            if name in seen:
                yield self._copy((name, None), place)

    def moved(self, node: Node) -> Node:
        """A node behind the loop."""
        kept = self.places.kept()
        if kept.keys().isdisjoint(node.touched):
            return node
        return relocated(node, lambda name, index: _at(kept[name], index) if name in kept else None)

    def _copy(self, target: tuple[str, int | str | None], source: tuple[str, int | str | None]) -> Nest:
        array = self.arrays[source[0]]
        shape = array.shape if source[1] is None else array.shape[1:]
        domain, index = all_points(Array("", shape, array.dtype), self.supply)
        value = Load(*_at(source, index), array.dtype)
        return Nest(domain, (Assign(Access(*_at(target, index)), "=", value),))

    def _values(self, leaf: int) -> tuple[str, ...]:
        return tuple(str(group[leaf].value) for group in self.places.pattern.leaves)

    def _table(self, values: tuple[str, ...]) -> Iterator[Node]:
        if values in self.tables or len(set(values)) == 1:
            return
        name = self.tables[values] = self.supply.new("numbers")
        self.arrays[name] = Array(name, (len(values),), "float64")
        writes = [(Access(name, (Affine(n),)), Const(float(value), "float64")) for n, value in enumerate(values)]
        yield Nest((), tuple(Assign(access, "=", number) for access, number in writes))

    def _access(self, leaf: int, name: str, index: tuple[Index, ...]) -> tuple[str, tuple[Index, ...]]:
        place, group = self.places.place(leaf, 0)
        return _at((place, None if group is None else self.var), index)

    def _form(self, leaf: int, form: Affine) -> Affine:
        pattern = self.places.pattern
        step, first = pattern.step[leaf], pattern.leaves[0][leaf].value
        assert isinstance(step, int), "places go on by a number"
        return form - form.const + first + Affine.of(self.var) * step if step else form

    def _number(self, leaf: int, number: Const) -> Expr:
        table = self.tables.get(self._values(leaf))
        return number if table is None else Load(table, (Affine.of(self.var),), number.dtype)


def _at(place: tuple[str, int | str | None], index: tuple[Index, ...]) -> tuple[str, tuple[Index, ...]]:
    name, group = place
    return (name, index) if group is None else (name, (Affine.of(group), *index))
