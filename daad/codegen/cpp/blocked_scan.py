"""The C++ of a recurrence: blocks of iterations at once, what is left one after the other.

What is left is where indices are largest: blocks begin at the same elements as vectors of nests do that run along the
same row, and processors hand a vector that has just been stored on to a load of just that vector, not of parts of two.

In a block, `s[n] = factor * s[n - 1] + term[n]` takes the logarithm of its length in steps: `s[n] = term[n] +
factor * term[n - 1]`, then two and four iterations back with the powers of the factor. The last number of the block
before comes in by one product for each, so that blocks wait for one product and one sum instead of as many as they have
iterations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from daad.analysis.cost.operation_cost import is_function
from daad.codegen import spelling
from daad.codegen.cpp.expression_code import Emitter, Scope
from daad.codegen.cpp.tasklet import INDENT, Writer, trips
from daad.codegen.cpp.tasklet_code import TaskletCode
from daad.codegen.schedule.footprints import footprints
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.nest_schedule import Schedule
from daad.codegen.schedule.recurrences import STATE, Recurrence
from daad.codegen.schedule.vector_lanes import LANE
from daad.ir.nodes import Access, Expr, Load
from daad.ir.walk import nodes

FIRST, COUNT, SCAN, REST = "first__v", "count__v", "scan__v", "rest__v"
BEFORE, AFTER = "before__v", "after__v"
"""The state on entry of an iteration and behind it, by lane."""


def write_recurrence(recurrence: Recurrence, context: Context) -> TaskletCode:
    """The tasklet of a whole loop."""
    return _Text(recurrence, context).write()


@dataclass(frozen=True)
class _Text:
    recurrence: Recurrence
    context: Context

    @cached_property
    def writer(self) -> Writer:
        """Spells places in memory; values go through an emitter that knows of the state."""
        own = self.recurrence
        marks = footprints(own.nest, (own.range,), self.context)
        schedule = Schedule(mapped=(), inner=(own.range,), in_order=True)
        writer = Writer(own.nest, schedule, self.context, footprints=marks)
        memory = writer.surroundings()
        written = {a.target.array for a in own.nest.assigns} | {STATE}
        surroundings = replace(
            memory,
            spell_load=lambda load, value, condition: (
                f"{BEFORE}[{LANE}]" if load.array == STATE else memory.spell_load(load, value, condition)
            ),
            is_pinned=lambda load: load.array in written,
            is_safe=lambda load: load.array == STATE or memory.is_safe(load),
        )
        writer.emitter = Emitter(surroundings, [own.value, own.factor, own.term, *own.others.values()])
        return writer

    @cached_property
    def kind(self) -> str:
        return spelling.ctype(self.recurrence.dtype)

    @cached_property
    def outside(self) -> Scope:
        """What is computed before the loop."""
        return Scope(0)

    def write(self) -> TaskletCode:
        own, emitter = self.recurrence, self.writer.emitter
        factor = emitter.value(own.factor, self.outside)
        blocks, rest = self._blocks(), self._rest()
        is_worth = f"{SCAN}.is_stable() && {COUNT} >= {own.lanes}"
        lines = [
            *self.writer.beginnings.values(),
            *self.outside.lines,
            f"const daad::Scan<{self.kind}, {'false' if own.step > 0 else 'true'}> {SCAN}{{{factor}}};",
            f"const int64_t {COUNT} = ({emitter.affine(own.range.stop)}) - ({emitter.affine(own.range.start)});",
            f"int64_t {FIRST} = 0;",
        ]
        if own.descends:
            lines.append(f"const int64_t {REST} = {is_worth} ? {COUNT} % {own.lanes} : {COUNT};")
            lines += [*_loop(REST, rest), *_if(f"{FIRST} < {COUNT}", blocks)]
        else:
            lines += [*_if(is_worth, blocks), *_loop(COUNT, rest)]
        outputs = tuple(self.writer.outputs.values())
        variables = (self.context.names[own.range.var],)
        return TaskletCode(
            "\n".join(lines),
            tuple(self.writer.inputs.values()),
            outputs,
            variables=variables,
            needs=frozenset((*self.writer.emitter.needs, "scans")),
            trips=trips((own.range,)),
        )

    def _blocks(self) -> list[str]:
        own = self.recurrence
        kept = {place: f"last{number}__v" for number, place in enumerate(self._results) if place in own.passing}
        last = own.lanes - 1 if own.step > 0 else 0
        body = [
            *self._vector(AFTER, own.term),
            f"decltype({AFTER}) {BEFORE};",
            f"{STATE} = {SCAN}.run({STATE}, {AFTER}, {BEFORE});",
            *(line for name, value in self._names.items() for line in self._vector(name, value)),
        ]
        for place, value in self._results.items():
            if place in kept:
                body.append(f"{kept[place]} = {value}[{last}];")
            else:
                body += self._stored(place, value)
        return [
            f"{self.kind} {', '.join([STATE, *kept.values()])};",
            *_braces([*self._index(f" {self._sign} {FIRST}"), f"{STATE} = {self._found};"]),
            f"for (; {FIRST} + {own.lanes} <= {COUNT}; {FIRST} += {own.lanes}) {{",
            *(INDENT + line for line in body),
            "}",
            *_braces(
                [
                    *self._index(f" {self._sign} ({FIRST} - 1)"),
                    *(f"{self._place(place)} = {name};" for place, name in kept.items()),
                ]
            ),
        ]

    @cached_property
    def _names(self) -> dict[str, Expr]:
        """Registers for what is written besides the state."""
        return {f"other{number}__v": value for number, value in enumerate(self.recurrence.others.values())}

    @cached_property
    def _results(self) -> dict[Access, str]:
        """The register of what goes to each place, in the order in which places are written."""
        return {self.recurrence.target: AFTER, **dict(zip(self.recurrence.others, self._names, strict=True))}

    @property
    def _found(self) -> str:
        """The state in memory."""
        state = self.recurrence.state
        return self.writer.emitter.value(Load(state.array, state.index, self.recurrence.dtype), Scope(1, self.outside))

    def _rest(self) -> list[str]:
        """One iteration, in the way it is written in the program."""
        values = {f"const {self.kind} {AFTER}": self.recurrence.value}
        values |= {f"const {self.kind} {name}": value for name, value in self._names.items()}
        return [
            f"constexpr int64_t {LANE} = 0;",
            *self._index(f" {self._sign} {FIRST}"),
            f"const {self.kind} {BEFORE}[1] = {{{self._found}}};",
            *self._values(values),
            *(f"{self._place(place)} = {value};" for place, value in self._results.items()),
        ]

    def _values(self, wanted: dict[str, Expr]) -> list[str]:
        """Statements that compute values and give them names."""
        scope = Scope(1, self.outside)
        for name, value in wanted.items():
            scope.lines.append(f"{name} = {self.writer.emitter.value(value, scope)};")
        return scope.lines

    def _place(self, place: Access) -> str:
        return self.writer.place(place, Scope(1, self.outside))

    def _vector(self, name: str, value: Expr) -> list[str]:
        """A register of the values of a block's iterations."""
        scope = Scope(1, self.outside)
        text = self.writer.emitter.value(value, scope)
        inside = [*self._in_block, *scope.lines, f"return {text};"]
        of = f"[&](int64_t {LANE}) __attribute__((always_inline)) -> {self.kind} {{"
        how = "loop" if any(map(is_function, nodes(value))) else "each"
        return [f"auto {name} = {SCAN}.{how}({of}", *(INDENT + line for line in inside), "});"]

    def _stored(self, place: Access, value: str) -> list[str]:
        """A loop over the iterations of a block, each of which has its place."""
        lanes = self.recurrence.lanes
        inside = [*self._in_block, f"{self._place(place)} = {value}[{LANE}];"]
        return [
            f"#pragma GCC unroll {lanes}",
            f"for (int64_t {LANE} = 0; {LANE} < {lanes}; ++{LANE}) {{",
            *(INDENT + line for line in inside),
            "}",
        ]

    @property
    def _in_block(self) -> list[str]:
        """The loop's variable in a lane; of a loop that counts down the last lane is the first iteration."""
        back = self.recurrence.lanes - 1
        return self._index(f" + {FIRST} + {LANE}" if self.recurrence.step > 0 else f" - {FIRST} - {back} + {LANE}")

    @property
    def _sign(self) -> str:
        return "+" if self.recurrence.step > 0 else "-"

    def _index(self, count: str) -> list[str]:
        """The loop's variable, so far from its first value."""
        own = self.recurrence
        start = self.writer.emitter.affine(own.range.start if own.step > 0 else own.range.stop - 1)
        return [f"[[maybe_unused]] const int64_t {self.context.names[own.range.var]} = {start}{count};"]


def _loop(stop: str, body: list[str]) -> list[str]:
    """Single iterations up to one."""
    return [f"for (; {FIRST} < {stop}; ++{FIRST}) {{", *(INDENT + line for line in body), "}"]


def _if(condition: str, body: list[str]) -> list[str]:
    return [f"if ({condition}) {{", *(INDENT + line for line in body), "}"]


def _braces(lines: list[str]) -> list[str]:
    return ["{", *(INDENT + line for line in lines), "}"]
