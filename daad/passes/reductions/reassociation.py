"""Sums of a product of matrices without the product: the sum over `i` of `(A @ B)[i, k]` is that of `A`, times `B`.

The product goes into the sums that alone read it, if that leaves far fewer operations: `reduction_simplification` then
takes these apart.

    program f(A: float64[300, 400], B: float64[400, 500], s: float64[500])
      local C: float64[300, 500]
      for i in 0 .. 300, j in 0 .. 500:  C[i, j] = 0
      for i in 0 .. 300, j in 0 .. 500, k in 0 .. 400:  C[i, j] += A[i, k] * B[k, j]
      for j in 0 .. 500, i in 0 .. 300:  s[j] += C[i, j]

becomes

    program f(A: float64[300, 400], B: float64[400, 500], s: float64[500])
      local C: float64[300, 500]
      for j in 0 .. 500, i in 0 .. 300, k in 0 .. 400:  s[j] += A[i, k] * B[k, j]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

from daad.analysis.context import Scope, map_scoped_bodies
from daad.analysis.coverage import covers
from daad.analysis.regular_sections import exact
from daad.analysis.subscripts import is_injective
from daad.analysis.uses import Usage, Users
from daad.ir.affine import Affine
from daad.ir.constructors import is_value
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Assign, Expr, Load, Nest, Node, Program, Range
from daad.ir.walk import loads, substitute, variables
from daad.passes.definition import Form, Pass, forms
from daad.passes.reductions.reduction_simplification import BLAS, Spreader, factors_of, points, product_of
from daad.passes.scalar.forward_substitution import Definition, Rest, source_changes


@dataclass(frozen=True)
class Made:
    """What one nest clears, another fills with sums, at these positions in a body, and nobody else writes."""

    clear: int
    sum: int
    definition: Definition
    summed: tuple[Range, ...]


PASS = Pass(
    "reassociation",
    lambda program, goal: reassociate(program, goal.live),
    "Sums of a product of matrices are taken before the product.",
    source="Gautam and Rajopadhye 2006",
    requires=forms(Form.GATHERED),
)


def reassociate(program: Program, live: frozenset[str]) -> Program:
    """`live` arrays are visible at the end."""
    while True:
        usage, done = Usage(program, live), set[str]()

        def rewrite(
            body: tuple[Node, ...], scope: Scope, usage: Usage = usage, done: set[str] = done
        ) -> tuple[Node, ...]:
            return body if done else _rewritten(body, scope, usage, done)

        body = map_scoped_bodies(program.body, rewrite, Scope())
        if not done:
            return program
        program = replace(program, body=body)


def _rewritten(body: tuple[Node, ...], scope: Scope, usage: Usage, done: set[str]) -> tuple[Node, ...]:
    """The body without one product; `done` then has its name."""
    users = cache(lambda: Users.of(body))
    for position, node in enumerate(body):
        made = _made(body, position, usage)
        if made is None or not isinstance(node, Nest):
            continue
        readers = _readers(body, made, scope, usage, users)
        joined = {n: _joined(made, reader, scope) for n, reader in readers.items()}
        if not joined or not all(joined.values()):
            continue
        nests = {n: nest for n, nest in joined.items() if nest is not None}
        if _is_worth_it(node, [*readers.values()], [*nests.values()], usage):
            done.add(made.definition.array)
            return tuple(nests.get(n, x) for n, x in enumerate(body) if n not in (made.clear, made.sum))
    return body


def _made(body: tuple[Node, ...], position: int, usage: Usage) -> Made | None:
    """What the node at a position fills."""
    node = body[position]
    assign = _single(node)
    if assign is None or not isinstance(node, Nest) or assign.op != "+=":
        return None
    array = usage.program.arrays[assign.target.array]
    if array.name not in usage.hidden or usage.writes[array.name] != 2 or array.extents:
        return None
    if assign.value.dtype != array.dtype or array.name in node.loaded:
        return None
    clear = next((n for n in range(position - 1, -1, -1) if array.name in body[n].touched), None)
    if clear is None or not _clears(body[clear], usage):
        return None
    placed = {name for i in assign.target.index for name in variables(i)}
    kept = tuple(r for r in node.domain if r.var in placed)
    box = exact(assign.target.index, kept, array.shape)
    if box is None or not covers(replace(assign, op="="), kept, array):
        return None
    definition = Definition(array.name, array.dtype, replace(node, domain=kept), assign.value, box)
    return Made(clear, position, definition, tuple(r for r in node.domain if r.var not in placed))


def _single(node: Node) -> Assign | None:
    return node.assigns[0] if isinstance(node, Nest) and len(node.assigns) == 1 else None


def _clears(node: Node, usage: Usage) -> bool:
    assign = _single(node)
    if assign is None or not isinstance(node, Nest):
        return False
    array = usage.program.arrays[assign.target.array]
    return assign.op == "=" and is_value(assign.value, 0) and covers(assign, node.domain, array)


def _readers(
    body: tuple[Node, ...], made: Made, scope: Scope, usage: Usage, users: Callable[[], Users]
) -> dict[int, Nest]:
    """All nests that read the array, by position; none if others do, or what it is made of changes before."""
    name, count = made.definition.array, usage.readers[made.definition.array]
    behind = range(made.sum + 1, len(body))
    found = dict(islice(((n, x) for n in behind if isinstance(x := body[n], Nest) and name in x.loaded), count))
    if not found or len(found) != count:
        return {}
    rest = Rest(body, users(), made.sum)
    return {} if source_changes(made.definition, rest, max(found), usage.shapes, scope) else found


def _joined(made: Made, reader: Nest, scope: Scope) -> Nest | None:
    """The reader as a sum over what the array is a sum of, None if it is no sum of products with it."""
    assign = _single(reader)
    if assign is None or assign.op != "+=" or assign.target.array in {x.array for x in loads(made.definition.value)}:
        return None
    factors = factors_of(assign.value)
    own = [f for f in factors if isinstance(f.value, Load) and f.value.array == made.definition.array]
    reads = [load for load in loads(assign.value) if load.array == made.definition.array]
    if len(own) != 1 or len(reads) != 1 or own[0].divides or assign.value.dtype != made.definition.dtype:
        return None
    [load] = reads
    if not all(isinstance(i, Affine) for i in load.index) or not is_injective(load.index, _named(reader, load)):
        return None
    summed, value = _apart_from(made, reader, scope)
    found = replace(made.definition, value=value).at(load)
    if found is None:
        return None
    others = tuple(f for f in factors if f is not own[0])
    value = product_of(others, found, assign.value.dtype)
    return replace(reader, domain=(*reader.domain, *summed), assigns=(replace(assign, value=value),))


def _named(reader: Nest, load: Load) -> tuple[Range, ...]:
    return tuple(r for r in reader.domain if r.var in variables(load))


def _apart_from(made: Made, reader: Nest, scope: Scope) -> tuple[tuple[Range, ...], Expr]:
    """What the array is a sum over and of, with names that nothing around the reader has."""
    kept = {r.var for r in made.definition.nest.domain}
    supply = NameSupply(
        (*(r.var for r in reader.domain), *kept, *(n for form in scope.constraints for n in form.names))
    )
    names = {r.var: supply.new(r.var) for r in made.summed}
    summed = tuple(replace(r, var=names[r.var]) for r in made.summed)
    return summed, substitute(made.definition.value, {old: Affine.of(new) for old, new in names.items()})


def _is_worth_it(node: Nest, before: Sequence[Nest], after: Sequence[Nest], usage: Usage) -> bool:
    """Whether the sums without the product take less time than the product alone."""
    if not all(r.width.is_const for nest in (node, *after) for r in nest.domain):
        return False
    arrays = usage.program.arrays
    short = [n for nest in after for n in Spreader(dict(arrays), NameSupply(arrays)).nest(nest)]
    more = sum(points(n.domain) for n in short) - sum(points(n.domain) for n in before)
    return more * BLAS <= points(node.domain)
