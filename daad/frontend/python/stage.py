"""The Program under construction: what staged operations add to.

NumPy's meaning is kept by three rules: every `store` reads all before it writes (through a temporary unless that is
provably not needed); a write to an array first settles the lazy values that read it; sizes of local arrays are numbers.
Names are chosen at the end (finish.py): until then arrays and variables have internal ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn
from weakref import ref

import numpy as np

from daad.errors import Location, Unsupported
from daad.frontend.python import conflict
from daad.frontend.python.values import (
    ZERO,
    ArrayValue,
    Lazy,
    Shape,
    View,
    broadcast_index,
    cast,
    expr_of,
    index_names,
    own_axes,
    substitute,
    substitute_index,
)
from daad.program.affine import Affine, interval
from daad.program.nodes import Access, Array, Assign, Branch, Const, Expr, Index, Loop, Nest, Node
from daad.program.pinning import NeedsConstant
from daad.program.polyhedron import feasible
from daad.program.walk import loads

SMALL = 16
Write = tuple[View, Sequence[Index], str, Expr]


class Unroll(Exception):
    """The body of the loop with this variable needs a number where the variable stands."""

    def __init__(self, variable: str, message: str, at: Location | None) -> None:
        super().__init__(variable)
        self.variable, self.message, self.at = variable, message, at


class Resettle(Exception):
    """Values from before a loop must get memory of their own before it: the loop's body changes what they read."""

    def __init__(self, values: Sequence[ArrayValue], act: Callable[[Sequence[ArrayValue]], None]) -> None:
        super().__init__(values)
        self.values, self.act = values, act
        self.depth = min(value.depth for value in values)


@dataclass
class Block:
    """Nodes being collected; `facts` are affine forms known to be >= 0 inside; `loop` tells loop bodies from others."""

    loop: bool = False
    facts: tuple[Affine, ...] = ()
    variable: str = ""
    nodes: list[Node] = field(default_factory=list)


@dataclass(frozen=True)
class Snapshot:
    """All that a rollback restores."""

    lengths: tuple[int, ...]
    arrays: dict[str, Array]
    preferred: dict[str, str]
    constants: dict[str, np.ndarray]
    intervals: dict[str, tuple[int, int]]
    live: tuple[tuple[ref[ArrayValue], Any], ...]
    emitted: int


class Stage:
    """The arrays and the nested blocks of the Program so far; makes every staged value; `at` is where we read."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        self.preferred: dict[str, str] = {}
        self.parameters: list[str] = []
        self.integers: list[str] = []
        self.constants: dict[str, np.ndarray] = {}
        self.blocks: list[Block] = [Block()]
        self.intervals: dict[str, tuple[int, int]] = {}
        self.at: Location | None = None
        self.emitted = 0
        self._live: dict[int, ref[ArrayValue]] = {}
        self._serial = 0

    # Values

    def lazy(
        self, shape: Sequence[Affine], dtype: Any, build: Callable[[tuple[Affine, ...]], Expr], weak: bool = False
    ) -> Lazy:
        """The array whose element at each index is `build(index)`; nothing is emitted."""
        wanted = np.dtype(dtype)
        value = Lazy(tuple(shape), wanted, cast(build(own_axes(len(shape))), wanted), weak)
        self._register(value)
        return value

    def view(self, base: str, shape: Sequence[Affine], index: Sequence[Index], weak: bool = False) -> View:
        """The place `base[index]`, with the index in terms of own axes."""
        value = View(base, tuple(shape), np.dtype(self.arrays[base].dtype), tuple(index), weak)
        self._register(value)
        return value

    def reindexed(
        self, value: ArrayValue, shape: Sequence[Affine], index: Callable[[tuple[Affine, ...]], Sequence[Index]]
    ) -> ArrayValue:
        """The same elements in other places: `index` maps a point of the new shape to one of `value`; views stay so."""
        point = index(own_axes(len(shape)))
        if isinstance(value, View):
            return self.view(value.base, shape, value.place(point), value.weak)
        return self.lazy(shape, value.dtype, lambda _: value.element(point), value.weak)

    def scalar(self, value: Any, dtype: Any = None) -> Lazy:
        """A static number as a staged scalar; a Python number stays weak unless a dtype is given."""
        wanted = np.dtype(dtype) if dtype is not None else np.asarray(value).dtype
        weak = dtype is None and isinstance(value, bool | int | float)
        return self.lazy((), wanted, lambda _: Const(wanted.type(value).item(), wanted.name), weak)

    def affine(self, form: Affine) -> Any:
        """An affine int: a Python int when it is known, otherwise staged."""
        return form.const if form.is_const else self.lazy((), np.int64, lambda _: expr_of(form), weak=True)

    def array(self, value: Any) -> ArrayValue:
        """Anything that NumPy would take for an array: staged, a number, a constant array, nested lists of these."""
        if isinstance(value, ArrayValue):
            return value
        if isinstance(value, bool | int | float | np.generic) and not isinstance(value, np.complexfloating):
            return self.scalar(value)
        if isinstance(value, np.ndarray):
            return self.constant(value)
        if isinstance(value, list | tuple) and value:
            return self._stacked([self.array(item) for item in value])
        if isinstance(value, range):
            return self.constant(np.array(value))
        raise self.refuse(
            f"A value of type '{type(value).__name__}' stands where an array is expected.",
            "Use NumPy arrays and numbers in the part that is differentiated.",
        )

    def _stacked(self, items: list[ArrayValue]) -> ArrayValue:
        shape = items[0].shape
        if any(item.shape != shape for item in items):
            raise self.refuse(
                "A list of arrays of different shapes is not an array.", "Give all of them the same shape."
            )
        values = [item.dtype.type(0).item() if item.weak else item.dtype for item in items]
        kind = np.result_type(*values) if not all(i.weak for i in items) else np.result_type(*(i.dtype for i in items))
        result = self.allocate((Affine(len(items)), *shape), kind)
        for number, item in enumerate(items):
            position = Affine(number)
            row = self.reindexed(result, shape, lambda point, position=position: (position, *point))  # type: ignore[misc]
            assert isinstance(row, View), "rows of a local array are views"
            self.store(row, item)
        return result

    def constant(self, values: np.ndarray) -> ArrayValue:
        """An array known now: a literal when all elements are equal, else a hidden parameter; not to be written."""
        if values.dtype.kind not in "biuf":
            raise self.refuse(
                f"Arrays of dtype '{values.dtype}' are not supported.", "Use floats, integers or booleans."
            )
        shape = tuple(map(Affine, values.shape))
        if values.size and (values == values.flat[0]).all():
            literal = values.flat[0]
            return self.lazy(shape, values.dtype, lambda _: Const(literal.item(), values.dtype.name))
        for name, known in self.constants.items():
            if known is values:
                return self.view(name, shape, own_axes(values.ndim))
        name = self._new_array("constant", values.shape, values.dtype)
        self.constants[name] = values
        return self.view(name, shape, own_axes(values.ndim))

    def allocate(self, shape: Sequence[Affine], dtype: Any, name: str = "tmp") -> View:
        """A fresh local array with undefined content; where extents vary with loops it is large enough for all."""
        base = self._new_array(name, tuple(self.upper_bound(e) for e in shape), dtype)
        return self.view(base, shape, own_axes(len(shape)))

    def place(self, value: Any, name: str = "tmp") -> View:
        """The value in memory: a view is itself, anything else is computed into a fresh local array."""
        value = self.array(value)
        return value if isinstance(value, View) else self.copy(value, name)

    def copy(self, value: ArrayValue, name: str = "tmp") -> View:
        """A fresh local array with the value's content; a weak scalar stays weak."""
        target = self.allocate(value.shape, value.dtype, name)
        target.weak = value.weak
        self.store(target, value)
        return target

    def name(self, view: View, name: str) -> None:
        """The user's name for a local array that has none yet."""
        if self.preferred.get(view.base) == "tmp":
            self.preferred[view.base] = name

    # Emission

    def store(self, target: View, value: Any, op: str = "=") -> None:
        """`target op value` for all elements, with NumPy's broadcasting; the whole right-hand side is read first."""
        self._store(target, self.array(value), op, ())

    def _store(self, target: View, value: ArrayValue, op: str, consumed: tuple[ArrayValue, ...]) -> None:
        self.require_broadcast(value.shape, target.shape)
        own = own_axes(target.ndim)
        place, element = target.place(own), cast(value.element(broadcast_index(value, own)), target.dtype)
        domain, shift = conflict.domain_of(target.shape, place)
        place, element = tuple(substitute_index(i, shift) for i in place), substitute(element, shift)
        if conflict.overlaps(target.base, place, element, domain, self.facts()):
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
        domain, point = conflict.plain_domain(extents)
        if any(r.stop == r.start for r in domain):
            return
        assigns = tuple(
            Assign(Access(view.base, view.place(index)), op, cast(value, view.dtype))
            for view, index, op, value in build(point)
        )
        self._emit(Nest(tuple(domain), assigns, at=self.at))

    @contextmanager
    def loop(self, name: str, start: Index, stop: Index, step: int = 1) -> Iterator[Affine]:
        """A sequential loop around what is staged inside; gives its variable."""
        variable = self.open_loop(name, start, stop, step)
        yield Affine.of(variable)
        self.close_loop(variable, start, stop, step)

    def open_loop(self, name: str, start: Index, stop: Index, step: int) -> str:
        """The internal name of the new loop's variable."""
        self._serial += 1
        variable = f"{name}#{self._serial}"
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
        self.blocks.append(Block(loop=True, facts=tuple(facts), variable=variable))
        return variable

    @property
    def loop_variables(self) -> list[str]:
        """The variables of the loops around, outermost first."""
        return [block.variable for block in self.blocks if block.variable]

    def close_loop(self, variable: str, start: Index, stop: Index, step: int) -> None:
        """Emits the loop, unless its body is empty."""
        self._leave_block()
        body = tuple(self.blocks.pop().nodes)
        if body:
            self._append(Loop(variable, start, stop, step, body, at=self.at))

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
        if any((r.stop - r.start).is_const and (r.stop - r.start).const <= 0 for r in nest.domain):
            return
        for target in sorted({a.target.array for a in nest.assigns}):
            self._check_writable(target)
            self.settle_readers(target, consumed)
        self._append(nest)

    def _append(self, node: Node) -> None:
        self.emitted += 1
        self.blocks[-1].nodes.append(node)

    def _check_writable(self, base: str) -> None:
        if base in self.constants:
            raise self.refuse("An array from outside the function is written.", "Pass it as an argument, or copy it.")

    # Lazy values that must not see later writes

    def _register(self, value: ArrayValue) -> None:
        self._serial += 1
        value.serial, value.depth = self._serial, len(self.blocks) - 1
        self._live[value.serial] = ref(value)

    def live(self) -> list[ArrayValue]:
        """All staged values that somebody still holds, oldest first."""
        found = [(serial, value()) for serial, value in self._live.items()]
        self._live = {serial: self._live[serial] for serial, value in found if value is not None}
        return [value for _, value in found if value is not None]

    def settle_readers(self, base: str, consumed: Sequence[ArrayValue] = ()) -> None:
        """Writes down the lazy values that read an array before it changes; those consumed are not needed again."""
        for value in self.live():
            if base in value.reads() and not any(value is other for other in consumed):
                self.settle([value])

    def forget(self, value: ArrayValue) -> None:
        """The value is not needed again."""
        self._live.pop(value.serial, None)

    def settle(self, values: Sequence[ArrayValue]) -> None:
        """Writes down what a value reads, in the block where it was made, so that later writes don't show in it."""
        with self._at_depth_of(values, self.settle):
            for value in values:
                if isinstance(value, Lazy):
                    view = self.copy(value)
                    value.expr = view.element(own_axes(value.ndim))
                elif isinstance(value, View):
                    value.index = tuple(i if isinstance(i, Affine) else self._settled_index(i) for i in value.index)

    def rebind(self, target: View, value: ArrayValue) -> None:
        """A variable's storage gets the content of another value: what else stood for the old one moves elsewhere."""
        if isinstance(value, View) and (value.base, value.index) == (target.base, target.index):
            return
        others = [v for v in self.live() if isinstance(v, View) and v.base == target.base]
        others = [v for v in others if v is not target and v is not value]
        if others:
            self.evacuate(others)
        self.store(target, value)

    def evacuate(self, views: Sequence[ArrayValue]) -> None:
        """Moves views of one array to a copy of it, made where the oldest of them was made."""
        with self._at_depth_of(views, self.evacuate):
            assert isinstance(views[0], View), "only views have a base"
            array = self.arrays[views[0].base]
            whole = self.view(array.name, tuple(map(Affine, array.shape)), own_axes(len(array.shape)))
            copied = self.copy(whole, self.preferred[array.name])
        for view in views:
            assert isinstance(view, View), "only views have a base"
            view.base = copied.base

    @contextmanager
    def _at_depth_of(
        self, values: Sequence[ArrayValue], act: Callable[[Sequence[ArrayValue]], None]
    ) -> Iterator[None]:
        """Emission goes to the block where the values were made; Resettle if a loop lies between."""
        depth = min(value.depth for value in values) + 1
        if any(block.loop for block in self.blocks[depth:]):
            raise Resettle(values, act)
        inner, self.blocks = self.blocks[depth:], self.blocks[:depth]
        try:
            yield
        finally:
            self.blocks += inner

    def revived(self, value: ArrayValue) -> ArrayValue:
        """A value that was put aside by a copy counts as live again."""
        depth = value.depth
        self._register(value)
        value.depth = depth
        return value

    def duplicate(self, view: View) -> View:
        """Another value for the same place."""
        return self.view(view.base, view.shape, view.index, view.weak)

    def _settled_index(self, index: Expr) -> Expr:
        return self.copy(self.lazy((), index.dtype, lambda _: index), "index").element(())

    def _leave_block(self) -> None:
        """Values made inside that are still held: what they read may change outside, so they belong there from now."""
        depth = len(self.blocks) - 1
        for value in self.live():
            if value.depth >= depth:
                value.depth = depth - 1

    # Facts

    def facts(self) -> tuple[Affine, ...]:
        """Forms known to be >= 0 here."""
        return tuple(fact for block in self.blocks for fact in block.facts)

    def provable(self, form: Affine) -> bool:
        """Whether `form >= 0` for all values of the loop variables here."""
        return form.const >= 0 if form.is_const else not feasible([], [-form - 1, *self.facts()])

    def range_of(self, form: Affine) -> tuple[int | None, int | None]:
        """Smallest and largest value of the form, where numbers bound them."""
        return interval(form, self.intervals) or (0 if self.provable(form) else None, None)

    def known(self, extent: Affine) -> int:
        """A number where a number is needed: an int parameter becomes a constant, a loop is unrolled."""
        if extent.is_const:
            return extent.const
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

    def require_static(self, value: Any, message: str) -> None:
        """Pins or unrolls what an integer depends on, if that is nothing but int parameters and loop variables."""
        if not isinstance(value, Lazy) or value.shape or any(True for _ in loads(value.expr)):
            return
        names = index_names(value.expr)
        self.pin(Affine.build(0, dict.fromkeys(names, 1)))
        if any(v in names for v in self.loop_variables):
            raise self.unroll(Affine.build(0, dict.fromkeys(names, 1)), message)

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
        if extent.is_const:
            return max(extent.const, 0)
        self.pin(extent)
        bounds = interval(extent, self.intervals)
        if bounds is None:
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
        text = " and ".join(f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})" for shape in shapes)
        self.refuse(f"Arrays of shapes {text} do not fit together.", "Check the shapes of the arguments.")

    def refuse(self, message: str, hint: str | None = None) -> NoReturn:
        """Raises Unsupported, at the place that is being read."""
        raise Unsupported(message, at=self.at, hint=hint)

    # Names and snapshots

    def parameter(self, name: str, shape: Sequence[int], dtype: Any, weak: bool = False) -> View:
        """An array that the caller passes."""
        self.arrays[name] = Array(name, tuple(shape), np.dtype(dtype).name)
        self.preferred[name] = name
        self.parameters.append(name)
        return self.view(name, tuple(map(Affine, shape)), own_axes(len(shape)), weak)

    def _new_array(self, name: str, shape: Sequence[int], dtype: Any) -> str:
        self._serial += 1
        base = f"{name}#{self._serial}"
        self.arrays[base] = Array(base, tuple(shape), np.dtype(dtype).name)
        self.preferred[base] = name
        return base

    def snapshot(self) -> Snapshot:
        """The state now, for `rollback`."""
        return Snapshot(
            lengths=tuple(len(block.nodes) for block in self.blocks),
            arrays=dict(self.arrays),
            preferred=dict(self.preferred),
            constants=dict(self.constants),
            intervals=dict(self.intervals),
            live=tuple((ref(value), _state(value)) for value in self.live()),
            emitted=self.emitted,
        )

    def rollback(self, snapshot: Snapshot) -> None:
        """Forgets all that was staged since."""
        del self.blocks[len(snapshot.lengths) :]
        for block, length in zip(self.blocks, snapshot.lengths, strict=True):
            del block.nodes[length:]
        self.arrays, self.preferred = dict(snapshot.arrays), dict(snapshot.preferred)
        self.constants, self.intervals = dict(snapshot.constants), dict(snapshot.intervals)
        self._live, self.emitted = {}, snapshot.emitted
        for reference, state in snapshot.live:
            value = reference()
            if value is not None:
                _restore(value, state)
                self._live[value.serial] = reference


def _state(value: ArrayValue) -> Mapping[str, Any]:
    names = ("expr", "depth") if isinstance(value, Lazy) else ("base", "index", "depth")
    return {name: getattr(value, name) for name in names}


def _restore(value: ArrayValue, state: Mapping[str, Any]) -> None:
    for name, content in state.items():
        setattr(value, name, content)


def total(extents: Sequence[Affine]) -> Affine | None:
    """The product of extents, where it is affine."""
    product = Affine(1)
    for extent in extents:
        if not (product.is_const or extent.is_const):
            return None
        product = extent * product.const if product.is_const else product * extent.const
    return product


def reads_array(expr: Expr, base: str) -> bool:
    """Whether an expression loads from an array."""
    return any(load.array == base for load in loads(expr))
