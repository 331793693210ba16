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

from collections.abc import Iterator
from dataclasses import dataclass, replace

from daad.analysis.uses import Usage, read_arrays, written_arrays
from daad.ir.nodes import Access, Branch, Loop, Nest, Node, Program
from daad.ir.symbols import Kind, form, symbol
from daad.ir.walk import map_leaves, substitute_assign, walk
from daad.passes.definition import Pass
from daad.passes.redundancy.copy_propagation import renamed

Body = tuple[Node, ...]


@dataclass(frozen=True)
class Made:
    """A local array that some nests of a body make and no others write; `at`: their positions in that body."""

    array: str
    at: tuple[int, ...]
    reads: frozenset[str]


PASS = Pass(
    "value-numbering",
    lambda program, goal: number_values(program, goal.live),
    "Of arrays that are made in the same way from the same values the first is kept.",
    source="Alpern, Wegman and Zadeck 1988",
)


def number_values(program: Program, live: frozenset[str]) -> Program:
    """Of local arrays that are made in the same way from the same values only the first; `live` arrays stay."""
    while (twin := _twin(program, live)) is not None:
        program = _replaced(program, *twin)
    return program


def _twin(program: Program, live: frozenset[str]) -> tuple[str, str] | None:
    """An array, and an earlier one with the same contents wherever the program reads it."""
    usage = Usage(program, live)
    for body in _bodies(program):
        known: dict[object, list[Made]] = {}
        for made in _all_made(body, usage):
            array = program.arrays[made.array]
            nests = tuple(_formal(body[n], made.array) for n in made.at)
            earlier = known.setdefault((array.shape, array.dtype, array.extents, nests), [])
            for other in earlier:
                if _agree(other, made, body):
                    return made.array, other.array
            earlier.append(made)
    return None


def _bodies(program: Program) -> Iterator[Body]:
    yield program.body
    for node in walk(program.body):
        if isinstance(node, Branch):
            yield from (node.then, node.orelse)
        elif isinstance(node, Loop):
            yield node.body


def _all_made(body: Body, usage: Usage) -> Iterator[Made]:
    """What a body makes, in the order in which it is complete."""
    places: dict[str, list[int]] = {}
    for n, node in enumerate(body):
        if isinstance(node, Nest) and len(node.assigns) == 1:
            places.setdefault(node.assigns[0].target.array, []).append(n)
    for array, at in sorted(places.items(), key=lambda item: item[1][-1]):
        reads = frozenset().union(*(read_arrays(body[n]) for n in at))
        if array in usage.hidden and len(at) == usage.writes[array] and array not in reads:
            yield Made(array, tuple(at), reads)


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


def _agree(first: Made, second: Made, body: Body) -> bool:
    """Whether both are made from the same values, the first before the second, which nobody reads before it is made."""
    start, middle, end = min(first.at[0], second.at[0]), first.at[-1], second.at[-1]
    between = body[start : end + 1]
    changed = {name for node in between for name in written_arrays(node)} - {first.array, second.array}
    early = any(second.array in read_arrays(node) for node in body[:end])
    return middle < end and not changed & second.reads and not early


def _replaced(program: Program, array: str, other: str) -> Program:
    """The program with one array instead of the other."""

    def kept(nest: Nest) -> Body:
        if any(a.target.array == array for a in nest.assigns):
            return ()
        return (nest,)

    body = tuple(renamed(n, array, other) for n in map_leaves(program.body, kept))
    arrays = {name: a for name, a in program.arrays.items() if name != array}
    return replace(program, body=body, arrays=arrays)
