"""Arrays that hold the same values: what a program computes twice, as a mean and then a standard deviation do, once.

    program f(x: float64[9], y: float64[9])
      local s: float64[9], t: float64[9]
      for i in 0 .. 9:  s[i] = sin(x[i])
      for i in 0 .. 9:  t[i] = sin(x[i])
      for i in 0 .. 8:  y[i] = s[i] * t[i + 1]

becomes

    program f(x: float64[9], y: float64[9])
      local s: float64[9]
      for i in 0 .. 9:  s[i] = sin(x[i])
      for i in 0 .. 8:  y[i] = s[i] * s[i + 1]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from daad.analysis.uses import Usage, Users
from daad.ir.nodes import Access, Branch, Loop, Nest, Node, Program
from daad.ir.symbols import Kind, form, symbol
from daad.ir.walk import map_leaves, renamed, substitute_assign, walk
from daad.passes.definition import Pass

Body = tuple[Node, ...]


@dataclass(frozen=True)
class Made:
    """A local array that some nests of a body make and no others write; `at`: their positions in that body.

    The nests have names of their own for it and for the variables of their domains, and load the first of twins.
    """

    array: str
    at: tuple[int, ...]
    nests: tuple[Nest, ...]

    @property
    def reads(self) -> frozenset[str]:
        return frozenset[str]().union(*(nest.loaded for nest in self.nests))


PASS = Pass(
    "value-numbering",
    lambda program, goal: number_values(program, goal.live),
    "Of arrays that are made in the same way from the same values the first is kept.",
    source="Alpern, Wegman and Zadeck 1988",
)


def number_values(program: Program, live: frozenset[str]) -> Program:
    """Of local arrays that are made in the same way from the same values only the first; `live` arrays stay."""
    while names := _twins(program, live):
        program = _replaced(program, names)
    return program


def _twins(program: Program, live: frozenset[str]) -> dict[str, str]:
    """Arrays, each with an earlier one that has the same contents wherever the program reads it."""
    usage = Usage(program, live)
    names: dict[str, str] = {}
    for body in _bodies(program):
        users = Users.of(body)
        known: dict[object, list[Made]] = {}
        for made in _all_made(body, usage, names):
            array = program.arrays[made.array]
            earlier = known.setdefault((array.shape, array.dtype, array.extents, made.nests), [])
            same = next((other for other in earlier if _agree(other, made, users)), None)
            if same is None:
                earlier.append(made)
            else:
                names[made.array] = same.array
    return names


def _bodies(program: Program) -> Iterator[Body]:
    yield program.body
    for node in walk(program.body):
        if isinstance(node, Branch):
            yield from (node.then, node.orelse)
        elif isinstance(node, Loop):
            yield node.body


def _all_made(body: Body, usage: Usage, names: Mapping[str, str]) -> Iterator[Made]:
    """What a body makes, in the order in which it is complete; `names` are those of twins, which become more."""
    places: dict[str, list[int]] = {}
    for n, node in enumerate(body):
        if isinstance(node, Nest) and len(node.assigns) == 1:
            places.setdefault(node.assigns[0].target.array, []).append(n)
    for array, at in sorted(places.items(), key=lambda item: item[1][-1]):
        is_own = array in usage.hidden and len(at) == usage.writes[array]
        if is_own and not any(array in body[n].loaded for n in at):
            yield Made(array, tuple(at), tuple(_formal(renamed(body[n], names), array) for n in at))


def _formal(node: Node, array: str) -> Nest:
    """The nest with other names for the array that it makes, and for the variables of its domain."""
    assert isinstance(node, Nest)
    names = {r.var: form(Kind.FORMAL, n) for n, r in enumerate(node.domain)}
    assign = substitute_assign(node.assigns[0], names)
    domain = tuple(
        replace(r, var=symbol(Kind.FORMAL, n), start=r.start.substitute(names), stop=r.stop.substitute(names))
        for n, r in enumerate(node.domain)
    )
    assign = replace(assign, target=Access(symbol(Kind.FORMAL, "array"), assign.target.index))
    return replace(node, domain=domain, assigns=(assign,))


def _agree(first: Made, second: Made, users: Users) -> bool:
    """Whether both are made from the same values, the first before the second, which nobody reads before it is made."""
    start, middle, end = min(first.at[0], second.at[0]), first.at[-1], second.at[-1]
    if middle >= end or users.loads(second.array, stop=end):
        return False
    return not any(users.writes(name, start, end + 1) for name in second.reads)


def _replaced(program: Program, names: Mapping[str, str]) -> Program:
    """The program with other arrays instead."""

    def kept(nest: Nest) -> Body:
        return () if any(a.target.array in names for a in nest.assigns) else (nest,)

    body = tuple(renamed(n, names) for n in map_leaves(program.body, kept))
    arrays = {name: a for name, a in program.arrays.items() if name not in names}
    return replace(program, body=body, arrays=arrays)
