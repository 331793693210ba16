"""The Program under construction: what staged operations add to.

NumPy's meaning is kept by three rules: every `store` reads all before it writes (through a temporary unless that is
provably not needed); a write to an array first settles the lazy values that read it; sizes of local arrays are numbers.
Names are chosen at the end (finishing.py): until then arrays and variables have internal ones.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from daad.frontend.array_classes import foreign_sentence, is_foreign_array, number_type
from daad.frontend.staging.aliasing import conflicts
from daad.frontend.staging.aliasing.alias_copies import Aliases
from daad.frontend.staging.boolean_masks import guarded, is_masked
from daad.frontend.staging.draws import Draw
from daad.frontend.staging.facts import Block
from daad.frontend.staging.memory_order import order_in, order_of
from daad.frontend.staging.values import (
    ONE,
    ArrayValue,
    Complex,
    Lazy,
    Order,
    Shape,
    View,
    broadcast_index,
    cast,
    expr_of,
    is_costly,
    is_weak,
    mixture,
    own_axes,
    substitute,
    substitute_index,
    type_name,
)
from daad.ir.affine import Affine, interval
from daad.ir.dtypes import name_of
from daad.ir.nodes import Access, Array, Assign, Branch, Const, Ending, Expr, Index, Loop, Nest, Node
from daad.ir.operations.updates import Sign
from daad.ir.pinning import NeedsOwn, NeedsPlaces
from daad.ir.symbols import Kind, called, symbol
from daad.ir.walk import loads

Write = tuple[View, Sequence[Index], Sign, Expr]


LARGEST_TABLE = 10_000  # elements of what is made of others
MOST_AXES = 64
"""Of an array of NumPy's."""


class Stage(Aliases):
    """Makes every staged value and every node; `at` is where we read."""

    def lazy(
        self, shape: Sequence[Affine], dtype: Any, build: Callable[[tuple[Affine, ...]], Expr], weak: bool = False
    ) -> Lazy:
        """The array whose element at each index is `build(index)`; nothing is emitted."""
        wanted = np.dtype(dtype)
        value = Lazy(tuple(shape), wanted, cast(build(own_axes(len(shape))), wanted), weak)
        self.register(value)
        return value

    def one_of(self, values: Sequence[Any], dtype: Any, expr: Expr) -> Lazy:
        """The number `expr`, which is one of some values and of its type, as data choose."""
        made = self.lazy((), dtype, lambda _: expr, weak=is_weak(*values))
        made.mixed = mixture(*values)
        return made

    def view(
        self,
        base: str,
        shape: Sequence[Affine],
        index: Sequence[Index],
        weak: bool = False,
        doubt: int = 0,
        fixed: bool = False,
    ) -> View:
        """The place `base[index]`, with the index in terms of own axes."""
        value = View(base, tuple(shape), np.dtype(self.arrays[base].dtype), tuple(index), weak)
        value.doubt, value.fixed, value.boxed = doubt, fixed, not shape and base in self.boxes
        self.register(value)
        return value

    def reindexed(
        self, value: ArrayValue, shape: Sequence[Affine], index: Callable[[tuple[Affine, ...]], Sequence[Index]]
    ) -> ArrayValue:
        """The same elements in other places: `index` maps a point of the new shape to one of `value`; views stay so.
        What has axes is no Python number any more, and a number's are those of a new array."""
        is_made = bool(shape) and not value.shape and not value.boxed
        return self.seen_as(self.number(value) if is_made else value, shape, index)

    def seen_as(
        self, value: ArrayValue, shape: Sequence[Affine], index: Callable[[tuple[Affine, ...]], Sequence[Index]]
    ) -> ArrayValue:
        """The same to be read only: a number's axes are seen where it lies."""
        point, weak = index(own_axes(len(shape))), value.weak and not shape
        if isinstance(value, View):
            return self.view(value.base, shape, value.place(point), weak, value.doubt, value.fixed)
        result = self.lazy(shape, value.dtype, lambda _: value.element(point), weak)
        result.order, result.fixed = min(self.order(value), order_in(value, shape, point)), value.fixed
        return result

    def as_array(self, value: ArrayValue, fresh: bool = False) -> ArrayValue:
        """The value, which NumPy has as an array even if there are no axes; `fresh`: as another one."""
        if not value.shape and (fresh or not value.boxed):
            value = self.number(value) if fresh or isinstance(value, Lazy) else value
            value.boxed, value.weak = True, False
        return value

    def number(self, value: ArrayValue) -> ArrayValue:
        """The only element of an array without axes, or a Python number, as a number of NumPy's."""
        return self.lazy((), value.dtype, value.element)

    def read_only(self, value: ArrayValue) -> ArrayValue:
        """The value, which NumPy has as an array that must not be written."""
        value.fixed = True
        return value

    def order(self, value: ArrayValue) -> Order:
        """What is known of how NumPy has the value in memory."""
        return order_of(value, self.unordered, self.arrays)

    def note_order(self, target: View, value: ArrayValue) -> None:
        """The target's array gets the value as NumPy has it."""
        if self.order(value) < Order.CONTIGUOUS:
            self.unordered.add(target.base)

    def scalar(self, value: Any, dtype: Any = None) -> Lazy:
        """A static number as a staged scalar; a Python number stays weak unless a dtype is given."""
        wanted = np.dtype(dtype) if dtype is not None else number_type(value)
        weak = dtype is None and isinstance(value, bool | int | float) and not isinstance(value, np.generic)
        return self.lazy((), wanted, lambda _: Const(wanted.type(value).item(), wanted.name), weak)

    def affine(self, form: Affine) -> Any:
        """An affine int: a Python int when it is known, otherwise staged."""
        self.refuse_mask((form,))
        return form.const if form.is_const else self.lazy((), np.int64, lambda _: expr_of(form), weak=True)

    def array(self, value: Any) -> ArrayValue:
        """Anything that NumPy would take for an array: staged, a number, a constant array, nested lists of these."""
        if isinstance(value, ArrayValue):
            return value
        if isinstance(value, bool | int | float | np.generic) and not isinstance(value, np.complexfloating):
            return self.scalar(value)
        if is_foreign_array(value):
            raise self.refuse(*foreign_sentence("This value", value))
        if isinstance(value, np.ndarray):
            return self.as_array(self.constant(value))
        if isinstance(value, list | tuple):
            return self._stacked([self.array(item) for item in value]) if value else self.constant(np.array([]))
        if isinstance(value, range):
            return self.constant(np.array(value))
        if isinstance(value, complex | np.complexfloating | Complex):
            raise self.refuse("Complex numbers are not supported here.", "Use their real and imaginary parts.")
        raise self.refuse(
            f"A value of type '{type_name(value)}' stands where an array is expected.",
            "Use NumPy arrays and numbers in the part that is differentiated.",
        )

    def _stacked(self, items: list[ArrayValue]) -> ArrayValue:
        shape = items[0].shape
        if any(item.shape != shape for item in items):
            raise self.refuse(
                "A list of arrays of different shapes is not an array.", "Give all of them the same shape."
            )
        kind = np.result_type(*(item.dtype for item in items))  # in a list, Python numbers are as strong as others
        result = self.allocate((Affine(len(items)), *shape), kind)
        start = Affine(0)
        for part in self.runs([self.seen_as(item, (ONE, *shape), lambda point: point[1:]) for item in items], 0):
            place = self.reindexed(result, part.shape, lambda point, start=start: (point[0] + start, *point[1:]))  # type: ignore[misc]
            assert isinstance(place, View), "rows of a local array are views"
            self.store(place, part)
            start = start + part.shape[0]
        return result

    def runs(self, parts: Sequence[ArrayValue], axis: int) -> list[ArrayValue]:
        """What is to be joined along an axis: rows of an array that follow each other there are one part."""
        found: list[ArrayValue] = []
        number = 0
        while number < len(parts):
            count = next((k for k in range(1, len(parts) - number) if not _follow(parts, number, k, axis)), None)
            count = len(parts) - number if count is None else count
            first = parts[number]
            if count > 1:
                assert isinstance(first, View), "a run is of views"
                start, *rest = first.index
                assert isinstance(start, Affine), "the indices of a run are affine"
                shape = (*first.shape[:axis], Affine(count), *first.shape[axis + 1 :])
                own = own_axes(first.ndim)[axis]
                first = self.view(first.base, shape, (start + own, *rest))
            found.append(first)
            number += count
        return found

    def constant(self, values: np.ndarray) -> ArrayValue:
        """An array known now: a literal when all elements are equal, else a hidden parameter; not to be written."""
        if values.dtype.kind not in "biuf":
            raise self.refuse(
                f"Arrays of dtype '{values.dtype}' are not supported.", "Use floats, integers or booleans."
            )
        shape = tuple(map(Affine, values.shape))
        if id(values) in self.own:
            return self.boxed(self.view(self.own[id(values)][1], shape, own_axes(values.ndim)))
        if values.size and (values == values.flat[0]).all():
            literal = values.flat[0]
            self.ranges[id(values)] = values
            return self.lazy(shape, values.dtype, lambda _: Const(literal.item(), values.dtype.name))
        for name, known in self.constants.items():
            if known is values:
                return self.view(name, shape, own_axes(values.ndim))
        name = self._new_array("constant", values.shape, values.dtype)
        self.constants[name] = values
        if not values.flags.c_contiguous:
            self.unordered.add(name)
        return self.view(name, shape, own_axes(values.ndim))

    def draw(self, draw: Draw) -> str:
        """The array of numbers that each call draws."""
        name = self._new_array("drawn", draw.array.shape, draw.array.dtype)
        self.drawn.draws, self.drawn.arrays = (*self.drawn.draws, draw), {**self.drawn.arrays, name: draw.array}
        self.contents.forget({name})
        return name

    def allocate(self, shape: Sequence[Affine], dtype: Any, name: str = "tmp") -> View:
        """A fresh local array with undefined content; where extents vary with loops it is large enough for all."""
        base = self._new_array(name, tuple(self.upper_bound(e) for e in shape), dtype)
        return self.view(base, shape, own_axes(len(shape)))

    def place(self, value: Any, name: str = "tmp") -> View:
        """The value in memory: a view is itself, anything else is computed into a fresh local array."""
        value = self.array(value)
        return value if isinstance(value, View) else self.copy(value, name)

    def spread(self, value: ArrayValue, shape: Shape) -> ArrayValue:
        """An operand to be broadcast to a shape: costly elements are computed once before they are repeated."""
        repeats = isinstance(value, Lazy) and value.ndim > 0 and value.shape != shape
        return self.copy(value) if repeats and isinstance(value, Lazy) and is_costly(value.expr) else value

    def copy(self, value: ArrayValue, name: str = "tmp") -> View:
        """A fresh local array with the value's content; a weak scalar stays weak."""
        target = self.allocate(value.shape, value.dtype, name)
        target.weak = value.weak
        self.note_order(target, value)
        if is_masked(value.shape):
            self._copy_masked(self.view(target.base, self.masks.full(value.shape), target.index), value)
        else:
            self._store(target, value, "=", ())
            self._hold(target, value)
        return target

    def table(self, values: np.ndarray) -> View:
        """An array of the program's own with these elements, which are known until it is written."""
        target = self.copy(self.constant(values))
        self._remember(target, values)
        return target

    def _hold(self, target: View, value: ArrayValue) -> None:
        """What is made of tables alone is one."""
        if not self.contents.known or self.places or len(self.blocks) > 1:
            return
        expr = value.expr if isinstance(value, Lazy) else value.element(own_axes(value.ndim))
        used = {load.array for load in loads(expr)}
        if not used or not used <= self.contents.known.keys() or not all(extent.is_const for extent in value.shape):
            return
        if math.prod(extent.const for extent in value.shape) <= LARGEST_TABLE:
            found = self.contents.evaluated(expr, value.shape, self.constants)
            if found is not None:
                self._remember(target, found)

    def _remember(self, target: View, values: np.ndarray) -> None:
        """What the array holds until it is written; where all arrays are followed, these are, too."""
        if not self.places and self.at not in self.written_at:
            self.contents.known[target.base] = values
            self.known_arrays[id(values)] = values, self.at

    def _copy_masked(self, target: View, value: ArrayValue) -> None:
        """Only the points that count are computed."""

        def masked(point: tuple[Affine, ...]) -> Expr:
            condition = self.masks.condition(value.shape, point)
            assert condition is not None, "the shape is masked"
            zero = Const(value.dtype.type(0).item(), value.dtype.name)
            return guarded(condition, value.element(point), "=", zero)

        self._store(target, self.lazy(target.shape, value.dtype, masked), "=", ())

    def name(self, view: View, name: str) -> None:
        """The user's name for a local array that has none yet."""
        if self.preferred.get(view.base) == "tmp":
            self.preferred[view.base] = called(name)

    def store(self, target: View, value: Any, op: Sign = "=") -> None:
        """`target op value` for all elements, with NumPy's broadcasting; the whole right-hand side is read first."""
        if target.fixed:
            error = ValueError("assignment destination is read-only")
            self.refuse("This array must not be written: NumPy raises an error.", "Copy it first.", error)
        self.write_in_place(target.base, value)
        self._store(target, self.array(value), op, ())

    def fill(self, target: View, value: Any) -> None:
        """The first content of a variable's storage."""
        self._store(target, self.array(value), "=", ())
        self.note_order(target, self.array(value))
        if isinstance(value, View):
            self.alias(target, value)

    def deposit(self, target: View, value: ArrayValue) -> None:
        """A row of an array gets the content of a value that Python would only refer to."""
        self._store(target, value, "=", ())
        if isinstance(value, View) and self.is_array(value):
            self.inherit(target.base, value.base)
            self.links |= {(target.base, value.base), (target.base, target.base)}

    def put_behind(self, target: View, value: ArrayValue) -> None:
        """The first content of elements that nothing reads yet."""
        self._store(target, value, "=", tuple(self.live.readers(target.base)))

    def rebind(self, target: View, value: ArrayValue) -> None:
        """A variable's storage gets the content of another value."""
        if isinstance(value, View) and (value.base, value.index) == (target.base, target.index):
            return
        copied = self.vacate(target, value)
        self.note_order(target, value)
        self._store(target, value, "=", ())
        if isinstance(value, View) and value.base == target.base:
            self.links |= {(target.base, copied)} if copied else set()
            return
        self.unlink(target.base)
        if isinstance(value, View):
            self.alias(target, value)

    def _store(self, target: View, value: ArrayValue, op: Sign, consumed: tuple[ArrayValue, ...]) -> None:
        self.require_broadcast(value.shape, target.shape)
        own = own_axes(target.ndim)
        place, element = target.place(own), cast(value.element(broadcast_index(value, own)), target.dtype)
        condition = self.masks.condition(target.shape, own)
        if condition is not None:
            element = guarded(condition, element, op, target.element(own))
        domain, shift = conflicts.domain_of(self.masks.full(target.shape), place)
        place, element = tuple(substitute_index(i, shift) for i in place), substitute(element, shift)
        facts = self.facts()
        if conflicts.meets_itself(target.base, place, domain, facts):
            self.refuse("Elements of the array that is written share memory with each other.", "Write to a copy of it.")
        if conflicts.overlaps(target.base, place, element, domain, facts):
            self.settle_masks(target.shape, target.base)
            copied = self.copy(value, f"{self.preferred[target.base]}_new")
            self._store(target, copied, op, (value,))
            return
        nest = Nest(tuple(domain), (Assign(Access(target.base, place), op, element),), at=self.at)
        self._emit(nest, (*consumed, value))

    def nest(self, extents: Sequence[Affine], build: Callable[[tuple[Affine, ...]], Sequence[Write]]) -> None:
        """One parallel nest over `extents`: `build(point)` gives (target, index into it, op, value) of each assign.

        The caller answers for it: no point reads or overwrites what another point writes; '+=', 'max=' and 'min='
        may meet (a reduction).
        """
        domain, point = conflicts.plain_domain(self.masks.full(extents))
        if any(r.stop == r.start for r in domain):
            return
        condition = self.masks.condition(extents, point)
        writes = build(point)
        for base in sorted({write[0].base for write in writes}):
            self.write_in_place(base)
        assigns = tuple(self._assign(write, condition) for write in writes)
        self._emit(Nest(tuple(domain), assigns, at=self.at))

    def _assign(self, write: Write, condition: Expr | None) -> Assign:
        view, index, op, value = write
        value = cast(value, view.dtype)
        if condition is not None:
            value = guarded(condition, value, op, view.element(index))
        return Assign(Access(view.base, view.place(index)), op, value)

    @contextmanager
    def loop(self, name: str, start: Index, stop: Index, step: int = 1) -> Iterator[Affine]:
        """A sequential loop around what is staged inside; gives its variable."""
        variable = self.open_loop(name, start, stop, step)
        yield Affine.of(variable)
        self.close_loop(variable, start, stop, step)

    def open_loop(self, name: str, start: Index, stop: Index, step: int) -> str:
        """The internal name of the new loop's variable."""
        self._serial += 1
        variable = symbol(Kind.STAGED, name, self._serial)
        self.preferred[variable] = name
        form = Affine.of(variable)
        first, last = (start, stop) if step > 0 else (stop, start)
        facts: list[Affine] = []
        offset = 0 if step > 0 else 1
        if isinstance(first, Affine):
            facts.append(form - first - offset)
        if isinstance(last, Affine):
            facts.append(last - form - (1 - offset))
        low = None if not isinstance(first, Affine) else interval(first, self.intervals)
        high = None if not isinstance(last, Affine) else interval(last, self.intervals)
        if low and high:
            self.intervals[variable] = (low[0] + offset, max(high[1] - (1 - offset), low[0] + offset))
        self.blocks.append(Block(loop=True, facts=tuple(facts), variable=variable, bounds=(start, stop, step)))
        self.masks.forget()
        return variable

    def assume(self, facts: Sequence[Affine]) -> None:
        """More forms that are >= 0 in the loop just opened, whose variable counts from 0."""
        variable = self.blocks[-1].variable
        self.blocks[-1].facts += tuple(facts)
        for fact in facts:
            factor = -fact.coefficient(variable)
            most = interval(fact + Affine.of(variable) * factor, self.intervals) if factor > 0 else None
            if most is not None:
                self.intervals[variable] = (0, max(most[1] // factor, 0))

    def close_loop(self, variable: str, start: Index, stop: Index, step: int, ending: Ending | None = None) -> None:
        """Emits the loop, unless its body is empty."""
        self._leave_block()
        block = self.blocks.pop()
        if block.nodes:
            self._append(Loop(variable, start, stop, step, tuple(block.nodes), at=self.at, ending=ending))

    @contextmanager
    def block(self, facts: Sequence[Affine] = ()) -> Iterator[Block]:
        """A block of nodes that the caller puts into a branch."""
        block = Block(facts=tuple(facts))
        self.blocks.append(block)
        yield block
        self._leave_block()
        self.blocks.pop()

    def branch(self, condition: Expr, then: Block, orelse: Block) -> None:
        """Emits a branch, unless it does nothing."""
        if then.nodes or orelse.nodes:
            self._append(Branch(condition, tuple(then.nodes), tuple(orelse.nodes), at=self.at))

    def _emit(self, nest: Nest, consumed: Sequence[ArrayValue] = ()) -> None:
        if any(r.width.is_const and r.width.const <= 0 for r in nest.domain):
            return
        for target in sorted({a.target.array for a in nest.assigns}):
            self._check_writable(target)
            self.masks.written(target)
            self.settle_readers(target, consumed)
        if self.places:
            self._follow(nest)
        self._append(conflicts.aligned(nest))

    def insert(self, node: Node) -> None:
        """A node like one that has been staged: nothing holds a value that it changes."""
        if isinstance(node, Nest):
            self._emit(node)
            return
        if self.places and not self.contents.forget({*node.written}):
            raise NeedsPlaces
        self._append(node)

    def _follow(self, nest: Nest) -> None:
        """What is known of arrays after the nest; in loops and branches it may be run any number of times."""
        if len(self.blocks) == 1:
            self.pin_names(self.contents.undecided(nest, self.constants))
            self.contents.run(nest, self.arrays, self.constants)
        elif not self.contents.forget({a.target.array for a in nest.assigns}):
            raise NeedsPlaces

    def have_changed(self, arrays: Iterable[str], moment: int) -> bool:
        """Whether one of these arrays has been written since."""
        return any(self.changes.get(name, 0) > moment for name in arrays)

    def _append(self, node: Node) -> None:
        relied = None if self.places else self.contents.written(node.written, is_ahead=len(self.blocks) > 1)
        if relied is not None:
            raise NeedsOwn(relied)
        self.emitted += 1
        self.moment += 1
        self.changes.update(dict.fromkeys(node.written, self.moment))
        self.blocks[-1].nodes.append(node)

    def _check_writable(self, base: str) -> None:
        if base in self.constants:
            raise NeedsOwn(self.constants[base])

    def parameter(self, name: str, shape: Sequence[int], dtype: Any, weak: bool = False, ordered: bool = True) -> View:
        """An array that the caller passes; `ordered`: whether it is contiguous in C order."""
        self.unordered |= set() if ordered else {name}
        self.arrays[name] = Array(name, tuple(shape), name_of(np.dtype(dtype)))
        self.preferred[name] = name
        self.parameters.append(name)
        self.contents.forget({name})
        return self.view(name, tuple(map(Affine, shape)), own_axes(len(shape)), weak)

    def _new_array(self, name: str, shape: Sequence[int], dtype: Any) -> str:
        if len(shape) > MOST_AXES or math.prod(shape) * np.dtype(dtype).itemsize > sys.maxsize:
            self.refuse("No array can be so large, or have so many axes.", "Check its shape.")
        self._serial += 1
        base = symbol(Kind.STAGED, name, self._serial)
        self.arrays[base] = Array(base, tuple(shape), name_of(np.dtype(dtype)))
        self.preferred[base] = name
        return base


def _follow(parts: Sequence[ArrayValue], number: int, count: int, axis: int) -> bool:
    """Whether the part after the next `count` ones is as many rows behind the first of them, in the same array."""
    first, part = parts[number], parts[number + count]
    if not (isinstance(first, View) and isinstance(part, View)) or (part.base, part.shape) != (first.base, first.shape):
        return False
    own = own_axes(first.ndim)[axis]
    plain = all(isinstance(i, Affine) and not set(own.names) & set(i.names) for i in first.index)
    if not plain or not first.index or first.shape[axis] != ONE or first.doubt or part.doubt:
        return False
    return part.index == (first.index[0] + count, *first.index[1:])  # type: ignore[operator]
