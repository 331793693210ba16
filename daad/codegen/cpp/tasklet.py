"""The C++ of a nest's tasklet: its connectors, its own loops, its accumulators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from daad.analysis.alias import may_meet_at_a_point
from daad.analysis.coverage import covers
from daad.analysis.regular_sections import Box, whole
from daad.codegen import spelling
from daad.codegen.cpp import plain_arithmetic
from daad.codegen.cpp.expression_code import ZERO, Emitter, Scope, Surroundings
from daad.codegen.cpp.header import sections_of_update
from daad.codegen.cpp.product import Product
from daad.codegen.cpp.reduction_registers import Accumulator
from daad.codegen.cpp.tasklet_code import Connector, Operand, TaskletCode
from daad.codegen.schedule.bounds import extent, inside, is_nonempty, is_within
from daad.codegen.schedule.footprints import Footprint, footprints
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import ONE_POINT, Schedule, is_safe, must_be_lazy
from daad.codegen.schedule.streaming_stores import Strip, in_strips, streamed
from daad.codegen.schedule.strides import offset, position
from daad.codegen.schedule.vector_lanes import in_lanes, is_one_by_one, lanes_of
from daad.ir.affine import Affine
from daad.ir.nodes import Access, Assign, Expr, Load, Nest, Range
from daad.ir.walk import loads, variables

INDENT = "    "


def write_value(value: Expr, dtype: str, context: Context) -> TaskletCode:
    """A tasklet that computes one scalar into the connector `value__out`."""
    writer = Writer(Nest((), (Assign(Access("", ()), "=", value),)), ONE_POINT, context)
    text = spelling.convert(writer.emitter.value(value, writer.scopes[0]), value.dtype, dtype)
    lines = [*writer.scopes[0].lines, f"value__out = {text};"]
    return TaskletCode("\n".join(lines), tuple(writer.inputs.values()), (), "value__out", needs=writer.needs)


def write_product(
    nest: Nest,
    operands: tuple[str, str, str],
    scale: Expr,
    product: Callable[[tuple[Operand, Operand, Operand], str, str, tuple[str, ...]], Product],
    context: Context,
) -> TaskletCode:
    """Two factors and a target of the nest by pointer; the `product` is made from them, the name by which the target is
    read, the scale's text and what stands before it."""
    left, right, target = operands
    marks = footprints(nest, nest.domain, context)
    writer = Writer(Nest((), (Assign(Access(target, ()), "+=", scale),)), ONE_POINT, context, footprints=marks)
    factor = writer.emitter.value(scale, writer.scopes[0])
    pointers = (writer.operand(left), writer.operand(right), writer.operand(target))
    writer.point_out(target)
    made = product(
        pointers, f"{context.names[target]}__in", factor, (*writer.beginnings.values(), *writer.scopes[0].lines)
    )
    needs = writer.needs.union(("products",) if made.is_shared else ())
    return TaskletCode(
        made.text, tuple(writer.inputs.values()), tuple(writer.outputs.values()), product=made, needs=needs
    )


def write_tasklet(
    nest: Nest,
    schedule: Schedule,
    context: Context,
    filled: frozenset[str] = frozenset(),
    footprints: Mapping[str, Footprint] | None = None,
) -> TaskletCode:
    """The tasklet of a nest; nothing of what the `filled` arrays held is left by it. Of arrays without a footprint it
    may touch everything."""
    return Writer(nest, schedule, context, filled, footprints or {}).write()


def filled_arrays(nest: Nest, context: Context) -> frozenset[str]:
    """Arrays of which the nest assigns every element, and updates none."""
    kept = {a.target.array for a in nest.assigns if a.op != "="}
    new = (a for a in nest.assigns if covers(a, nest.domain, context.arrays[a.target.array]))
    return frozenset(a.target.array for a in new).difference(kept)


@dataclass
class Writer:
    """Collects connectors while the emitter spells the values."""

    nest: Nest
    schedule: Schedule
    context: Context
    filled: frozenset[str] = frozenset()
    footprints: Mapping[str, Footprint] = field(default_factory=dict)
    inputs: dict[str, Connector] = field(default_factory=dict)
    outputs: dict[str, Connector] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    elements: dict[tuple[str, tuple[object, ...]], str] = field(default_factory=dict)
    beginnings: dict[str, str] = field(default_factory=dict)  # what names the first elements of arrays

    def __post_init__(self) -> None:
        self.known = self.context.known.with_domain(self.nest.domain)
        self.written = frozenset(a.target.array for a in self.nest.assigns)
        self.lazy = must_be_lazy(self.nest, self.context)
        self.pointers = self._pointer_arrays()
        self.origins = {array: self._origin(array) for array in self.footprints}
        self.whole = self._whole_arrays()
        self.scopes = self._open_scopes()
        self.lanes = lanes_of(self.nest, self.schedule, self.context)
        self.streamed = streamed(self.nest, self.schedule, self.context)
        self.emitter = Emitter(self.surroundings(), self._values())
        self.accumulators: list[Accumulator] = []
        self.strips: list[Strip] = []
        self.stores: list[str] = []

    def write(self) -> TaskletCode:
        for number, assign in enumerate(self.nest.assigns):
            self._assign(number, assign)
        lines = assemble(self.scopes, self.schedule.inner, self.accumulators, self._loop)
        ends = ["daad::end_streams();"] if self.strips else []
        return TaskletCode(
            "\n".join([*self.beginnings.values(), *lines, *ends]),
            tuple(self.inputs.values()),
            tuple(self.outputs.values()),
            variables=tuple(self.context.names[r.var] for r in self.schedule.inner),
            needs=self.needs,
            trips=trips(self.schedule.inner),
            python=self._python(),
        )

    def _python(self) -> str:
        connectors = (*self.inputs.values(), *self.outputs.values())
        targets = (self.context.arrays[a.target.array].dtype for a in self.nest.assigns)
        is_on_elements = not self.schedule.inner and not any(c.by_pointer for c in connectors)
        is_plain = all(map(plain_arithmetic.is_plain, self.nest.assigns)) and {"float64"}.issuperset(targets)
        has_names = len(self.scopes[0].lines) > len(self.stores)
        return "\n".join(self.stores) if is_on_elements and is_plain and not has_names else ""

    @property
    def needs(self) -> frozenset[str]:
        """Sections of the header."""
        found = self.emitter.needs.union(*(a.needs for a in self.accumulators))
        updates = (sections_of_update(a.op, self.context.arrays[a.target.array].dtype) for a in self._updates())
        return frozenset(found.union(*updates, ("streams",) if self.strips else ()))

    def _updates(self) -> list[Assign]:
        return [a for a in self.nest.assigns if a.op != "=" and a.target.array]

    def _values(self) -> list[Expr]:
        indices = [i for a in self.nest.assigns for i in a.target.index if not isinstance(i, Affine)]
        return [*(a.value for a in self.nest.assigns), *indices]

    def _pointer_arrays(self) -> frozenset[str]:
        """Arrays taken by pointer: all if the tasklet has loops or an order, else those with gathers or lazy loads."""
        if self.schedule.inner or self.schedule.in_order:
            return frozenset(self.context.arrays)
        everything = [a.target for a in self.nest.assigns] + [load for v in self._values() for load in loads(v)]
        gathered = {a.array for a in everything if not all(isinstance(i, Affine) for i in a.index)}
        return frozenset(gathered | {load.array for load in self.lazy})

    def _open_scopes(self) -> list[Scope]:
        scopes = [Scope(0)]
        for level in range(1, len(self.schedule.inner) + 1):
            scopes.append(Scope(level, scopes[-1]))
        return scopes

    def surroundings(self) -> Surroundings:
        """What the nest's values stand in."""
        return Surroundings(
            spell_load=self._spell_load,
            levels={r.var: level for level, r in enumerate(self.schedule.inner, start=1)},
            trips=tuple(extent(r, self.context.known) for r in self.schedule.inner),
            is_safe=self._is_safe,
            spell_name=self.context.names.__getitem__,
            is_pinned=self._is_pinned,
        )

    def _is_safe(self, load: Load) -> bool:
        return is_safe(load, self.nest.domain, self.context)

    def _is_pinned(self, load: Load) -> bool:
        """No other point writes what a point reads, so only a statement before this one in the same point can."""
        return any(may_meet_at_a_point(load, a.target, self.known.constraints) for a in self.nest.assigns[:-1])

    def _spell_load(self, load: Load, value: Callable[[Expr], str], condition: str) -> str:
        if load.array not in self.pointers:
            return self._element(load)
        if condition and not self.context.arrays[load.array].size:
            return "0"  # which is never taken
        place = self._position(load, value)
        first = self.emitter.affine(self.origins[load.array]) if load.array in self.whole else "0"
        start = self._counted_from(load.array, self.pointer(load.array))
        return f"{start}[{f'{condition} ? {place} : {first}' if condition else place}]"

    def _element(self, access: Access | Load) -> str:
        """The connector that holds one element read."""
        key = (access.array, access.index)
        if key not in self.elements:
            number = self.counts.get(access.array, 0)
            self.counts[access.array] = number + 1
            name = f"{self.context.names[access.array]}__{number}"
            self.elements[key] = name
            index = tuple(i for i in access.index if isinstance(i, Affine))
            self.inputs[name] = Connector.element(name, access.array, index)
        return self.elements[key]

    def pointer(self, array: str) -> str:
        """The connector that points into an array; a written array is read through the pointer for writing."""
        safe = self.context.names[array]
        self.inputs.setdefault(f"{safe}__in", Connector(f"{safe}__in", array, self._box(array, is_written=False)))
        return f"{safe}__out" if array in self.written else f"{safe}__in"

    def point_out(self, array: str) -> str:
        """The connector that points to what is written of an array."""
        name = f"{self.context.names[array]}__out"
        self.outputs[name] = Connector(name, array, self._box(array, is_written=True))
        return name

    def operand(self, array: str) -> Operand:
        """The pointer into an array by which it is read."""
        return Operand(self.pointer(array), self.origins[array])

    def _box(self, array: str, is_written: bool) -> Box:
        found = self.footprints.get(array, Footprint())
        return (found.written if is_written else found.read or found.written) or whole(self.context.arrays[array].shape)

    def _origin(self, array: str) -> Affine:
        """Where the pointer to an array points."""
        box = self._box(array, array in self.written)
        return offset((low for low, _ in box), self.context.arrays[array].shape)

    def _whole_arrays(self) -> frozenset[str]:
        """Arrays of which positions count from the first element, as those from the box's would still have variables
        of where that lies: compilers do not cancel these."""
        moving = {array: origin for array, origin in self.origins.items() if origin.terms}
        everything: list[Access | Load] = [a.target for a in self.nest.assigns]
        everything += [load for v in self._values() for load in loads(v)] if moving else []
        found: set[str] = set()
        for access in everything:
            if access.index and access.array in moving:
                origin, place = moving[access.array], position(access, self.context.arrays[access.array])
                if place is not None and variables(origin) & variables(place - origin):
                    found.add(access.array)
        return frozenset(found)

    def _counted_from(self, array: str, pointer: str) -> str:
        """What positions in an array count from: its pointer, or a name for the first element."""
        if array not in self.whole:
            return pointer
        name = f"{self.context.names[array]}__start"
        self.beginnings[name] = f"auto* const {name} = {pointer} - ({self.emitter.affine(self.origins[array])});"
        return name

    def _position(self, access: Access | Load, value: Callable[[Expr], str]) -> str:
        is_from_box = access.array in self.origins and access.array not in self.whole
        start = self.origins[access.array] if is_from_box else ZERO
        shape = self.context.arrays[access.array].shape
        return self.emitter.position(access, shape, lambda index, size: self._gather(index, size, value), start)

    def _gather(self, index: Expr, extent: int, value: Callable[[Expr], str]) -> str:
        """A run-time index; one that is not certainly inside of the axis is checked."""
        if is_within(index, extent, self.known):
            return f"int64_t({value(index)})"
        return f"daad::checked({value(index)}, {extent}, {self.context.site(self.nest.at)})"

    def _assign(self, number: int, assign: Assign) -> None:
        scope = self.scopes[-1]
        dtype = self.context.arrays[assign.target.array].dtype
        value = spelling.convert(self.emitter.value(assign.value, scope), assign.value.dtype, dtype)
        depth = self._depth(assign.target)
        if assign.op != "=" and depth < len(self.schedule.inner):
            self._accumulate(number, assign, value, depth)
        else:
            self._store(number, assign, value)

    def _depth(self, target: Access) -> int:
        """The loop level at which the place of a target is known."""
        levels = {r.var: level for level, r in enumerate(self.schedule.inner, start=1)}
        return max((levels.get(n, 0) for i in target.index for n in variables(i)), default=0)

    def _store(self, number: int, assign: Assign, value: str) -> None:
        target, scope = assign.target, self.scopes[-1]
        dtype = self.context.arrays[target.array].dtype
        load = Load(target.array, target.index, dtype)
        if assign.op != "=":
            value = spelling.update(assign.op, dtype, self.emitter.value(load, scope), value)
        place = self.place(target, scope)
        later = self.nest.assigns[number + 1 :]
        self.stores.append(self.emitter.store(target, self._in_strip(target, place), value, dtype, later, scope))

    def _in_strip(self, target: Access, place: str) -> str:
        """The place, or where it waits for its neighbours."""
        if target not in self.streamed:
            return place
        array, name = self.context.arrays[target.array], self.context.names[self.schedule.inner[-1].var]
        strip = Strip(f"strip__v{len(self.strips)}", spelling.ctype(array.dtype), place)
        self.strips.append(strip)
        return f"{strip.name}[{name} - {name}__first]"

    def place(self, target: Access, scope: Scope) -> str:
        """What stands left of the equals sign."""
        safe = self.context.names[target.array]
        if target.array in self.pointers:
            if target.array not in self.filled:
                self.pointer(target.array)
            start = self._counted_from(target.array, self.point_out(target.array))
            return f"{start}[{self._position(target, lambda e: self.emitter.value(e, scope))}]"
        own = Connector.element("", target.array, tuple(i for i in target.index if isinstance(i, Affine)))
        known = [c.name for c in self.outputs.values() if (c.array, c.box) == (own.array, own.box)]
        name = known[0] if known else f"{safe}__out{len(self.outputs) or ''}"
        self.outputs[name] = replace(own, name=name)
        return name

    def _accumulate(self, number: int, assign: Assign, value: str, depth: int) -> None:
        target = assign.target
        array, outside = self.context.arrays[target.array], self._outside(depth)
        emptiable = [r for r in self.schedule.inner[depth:] if not is_nonempty(r, self.context.known)]
        accumulator = Accumulator(
            name=f"sum__v{number}",
            op=assign.op,
            dtype=array.dtype,
            place=self.place(target, self.scopes[depth]),
            depth=depth,
            guard=[] if inside(target, array, outside, self.context.known) else [self._bounds(r) for r in emptiable],
            lanes=self.lanes,
        )
        self.accumulators.append(accumulator)
        self.scopes[-1].lines += accumulator.update(value, self.emitter.fresh)

    def _outside(self, depth: int) -> list[Range]:
        outside = (*self.schedule.mapped, *self.schedule.inner[:depth])
        return [r for r in self.nest.domain if r in outside]

    def _bounds(self, r: Range) -> str:
        return f"{self.emitter.affine(r.start)} < {self.emitter.affine(r.stop)}"

    def _loop(self, r: Range, body: list[str]) -> list[str]:
        name = self.context.names[r.var]
        start, stop = self.emitter.affine(r.start), self.emitter.affine(r.stop)
        if self.lanes and r is self.schedule.vector:
            return in_lanes(name, start, stop, self.lanes, body)
        if self.strips and r is self.schedule.vector:
            return in_strips(name, start, stop, self.strips, self._mark(r), body)
        inside = [INDENT + line for line in body]
        return [*self._mark(r), f"for (int64_t {name} = {start}; {name} < {stop}; ++{name}) {{", *inside, "}"]

    def _mark(self, r: Range) -> list[str]:
        """The pragma of a loop: the vector loop is free of conflicts, the ones within it are unrolled."""
        vector = self.schedule.vector
        depth = self.schedule.inner.index(vector) if vector else -1
        if self.schedule.inner.index(r) > depth:
            return [f"#pragma GCC unroll {r.width.const}"] if r.width.is_const else []
        if r is not vector or not self.schedule.independent:
            is_alone = is_one_by_one(self.nest, self.schedule, r, self.context)
            return ["#pragma omp simd if(simd:0)"] if is_alone else []
        across = [a for a in self.accumulators if a.depth <= depth]
        clauses = [c for a in across for c in a.clauses()]
        if not across:
            return ["#pragma GCC ivdep"]
        return [f"#pragma omp simd {' '.join(clauses)}"] if clauses else []


def trips(ranges: Iterable[Range]) -> tuple[int, ...]:
    """The iterations of loops, where their numbers are known."""
    return tuple(r.width.const for r in ranges if r.start.is_const and r.stop.is_const)


def assemble(
    scopes: list[Scope],
    inner: tuple[Range, ...],
    accumulators: list[Accumulator],
    loop: Callable[[Range, list[str]], list[str]],
) -> list[str]:
    """The loops around each other: values, accumulators, the next loop, the accumulators' way back to memory."""

    def level(depth: int) -> list[str]:
        lines = list(scopes[depth].lines)
        here = [a for a in accumulators if a.depth == depth]
        for a in here:
            lines += a.open()
        if depth < len(inner):
            lines += loop(inner[depth], level(depth + 1))
        for a in here:
            lines += a.close()
        return lines

    return level(0)
