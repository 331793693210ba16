"""The C++ of a kernel's body: steps, loops and branches that all threads go through alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from daad.codegen.gpu.step_code import step_lines
from daad.codegen.gpu.surroundings import INDEX, Places, Sites, indented, uniform_values
from daad.codegen.gpu.waiting import Choice, Item, Repeat, Solo, Work
from daad.codegen.schedule.lowering_context import Context
from daad.errors import Location
from daad.ir.affine import Affine
from daad.ir.nodes import Nest

IN_BLOCK = "__syncthreads();"


@dataclass(frozen=True)
class CrewCode:
    """`wait`: the statement by which all threads of the kernel meet."""

    sites: Sites
    wait: str = IN_BLOCK

    def body(self, items: Iterable[Item]) -> list[str]:
        """The statements of a body."""
        return [line for item in items for line in self._item(item)]

    def _item(self, item: Item) -> list[str]:
        waits = [self.wait] if item.waits else []
        if isinstance(item, Work):
            return [*waits, *step_lines(item.nest, item.spread, item.context, self.sites)]
        if isinstance(item, Repeat):
            return [*waits, *self._loop(item)]
        if isinstance(item, Choice):
            return [*waits, *self._branch(item)]
        return [*waits, *self._solo(item)]

    def _loop(self, item: Repeat) -> list[str]:
        loop, context = item.loop, item.context
        name = context.names[loop.var]
        lines, texts = uniform_values((loop.start, loop.stop), "int64", self._places(context, loop.at))
        ends = []
        for bound, text, end in zip((loop.start, loop.stop), texts, ("start", "stop"), strict=True):
            is_form = isinstance(bound, Affine)
            lines += [] if is_form else [f"const int64_t {name}__{end} = {text};"]
            ends.append(text if is_form else f"{name}__{end}")
        sign, step = ("<", "++") if loop.step > 0 else (">", "--")
        body = [*self._ending(item), *self.body(item.body)]
        head = f"for ({INDEX} {name} = {ends[0]}; {name} {sign} {ends[1]}; {step}{name}) {{"
        return ["{", *indented([*lines, head, *indented(body), "}"]), "}"]

    def _ending(self, item: Repeat) -> list[str]:
        """Leaves the loop where data end it."""
        if item.loop.ending is None:
            return []
        goes_on = (item.loop.ending.goes_on,)
        lines, (text,) = uniform_values(goes_on, "bool", self._places(item.context, item.loop.at))
        return [*([self.wait] if item.asks else []), *lines, f"if (!({text})) break;"]

    def _branch(self, item: Choice) -> list[str]:
        condition = (item.branch.condition,)
        lines, (text,) = uniform_values(condition, "bool", self._places(item.context, item.branch.at))
        then, orelse = (indented(self.body(side)) for side in (item.then, item.orelse))
        otherwise = ["} else {", *orelse] if orelse else []
        return ["{", *indented([*lines, f"if ({text}) {{", *then, *otherwise, "}"]), "}"]

    def _solo(self, item: Solo) -> list[str]:
        lines = [IN_BLOCK, "const daad::Crew crew = daad::one_block();", *CrewCode(self.sites).body(item.body)]
        return ["if (blockIdx.x == 0) {", *indented(lines), "}"]

    def _places(self, context: Context, at: Location | None) -> Places:
        return Places(context, self.sites, at, Nest((), ()))


def meets_grid(items: Sequence[Item]) -> bool:
    """Whether all threads of the kernel meet at all."""
    inner = [side for item in items for side in _inside(item)]
    return any(item.waits or (isinstance(item, Repeat) and item.asks) for item in items) or any(map(meets_grid, inner))


def _inside(item: Item) -> tuple[tuple[Item, ...], ...]:
    if isinstance(item, Repeat):
        return (item.body,)
    return (item.then, item.orelse) if isinstance(item, Choice) else ()
