"""How a nest runs: which dimensions become a map, which are loops within its tasklet, what runs on several threads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log2, prod

from daad.analysis.alias import are_apart, reads_of
from daad.analysis.cost.machine import WORTH_THREADS
from daad.analysis.cost.operation_cost import nest_work
from daad.codegen.schedule.bounds import extent, inside, most_values
from daad.codegen.schedule.lowering_context import Context
from daad.codegen.schedule.strides import injective_variables, position
from daad.ir.affine import Affine
from daad.ir.constructors import choice_of
from daad.ir.nodes import Access, Array, Assign, Const, Expr, Load, Nest, Op, Range
from daad.ir.walk import children, loads, nodes, variables

ENOUGH_FOR_THREADS = 64
MAX_INT = 2**31  # DaCe counts maps with constant bounds by C's int; loops within tasklets count by int64_t
OFTEN = 32  # divisions by one value from which on its reciprocal pays
SHORT = 4  # a loop with so few iterations is unrolled rather than vectorised


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """`mapped` dimensions are independent; `inner` ones are loops of the tasklet, outermost first.

    `vector` is the inner loop that is to be vectorised; those within it are short and unrolled. `independent`: its
    iterations meet at most at accumulators. `in_order`: the tasklet must read and write memory statement by
    statement, so it takes arrays by pointer. `collapse` mapped dimensions share one parallel loop.
    """

    mapped: tuple[Range, ...]
    inner: tuple[Range, ...]
    vector: Range | None = None
    parallel: bool = False
    collapse: int = 1
    independent: bool = True
    in_order: bool = False


ONE_POINT = Schedule(mapped=(), inner=())


def schedule_nest(nest: Nest, context: Context, by_pointer: bool = False) -> Schedule:
    """Reductions within the tasklet, the smallest strides innermost, threads where the work is worth them.

    `by_pointer`: the tasklet must have the vector loop and take arrays by pointer.
    """
    in_order = _writes_what_it_reads(nest)
    if not nest.domain:
        return Schedule(mapped=(), inner=(), in_order=in_order)
    extents = {r.var: extent(r, context.known) for r in nest.domain}
    most = most_values(nest.domain, context.known)
    free = independent_variables(nest, most, context.arrays)
    order, last = _loop_order(nest, context, extents, free)
    split = next((i for i, r in enumerate(order) if r.var not in free), len(order))
    if by_pointer or in_order or _is_crowded(nest):
        split = min(split, order.index(last))
    split = _split_for_divisors(nest, order, split, extents)
    if any(context.arrays[a.array].size >= MAX_INT for a in accesses(nest)):
        split = 0
    mapped, inner = order[:split], order[split:]
    vector = last if last in inner else None
    return Schedule(
        mapped=mapped,
        inner=inner,
        vector=vector,
        parallel=_is_worth_threads(nest, mapped, extents),
        collapse=_collapse([extents[r.var] for r in mapped if r is not last]),
        independent=vector is not None and all(_is_apart(a, inner, vector, most, context.arrays) for a in nest.assigns),
        in_order=in_order,
    )


def _loop_order(
    nest: Nest, context: Context, extents: Mapping[str, int], free: frozenset[str]
) -> tuple[tuple[Range, ...], Range]:
    """Independent dimensions, reduced ones, the one to vectorise, unrolled ones; and the one to vectorise."""
    last = most_contiguous(nest, context, extents)
    rest = [r for r in by_stride(nest, context) if r is not last]
    unrolled = tuple(r for r in rest if _is_unrolled(r, last, nest, context, free))
    long = [r for r in rest if r not in unrolled]
    outer = tuple(r for r in long if r.var in free)
    reduced = tuple(r for r in long if r.var not in free)
    return (*outer, *reduced, last, *unrolled), last


def _is_unrolled(r: Range, last: Range, nest: Nest, context: Context, free: frozenset[str]) -> bool:
    """A few iterations of known number within the vector loop: summed ones, and neighbours as a point's coordinates."""
    count, others = r.width, extent(last, context.known)
    if not count.is_const or not count.const <= SHORT < others:
        return False
    if r.var not in free:
        return True
    steps = [step for step in _steps(nest, context) if step is not None and step.coefficient(r.var)]
    are_neighbours = all(abs(step.coefficient(r.var)) <= abs(step.coefficient(last.var)) for step in steps)
    return last.var in free and are_neighbours


def _split_for_divisors(nest: Nest, order: tuple[Range, ...], split: int, extents: Mapping[str, int]) -> int:
    """So many mapped dimensions that loops of the tasklet go through all that is divided by one value."""
    splits = [split]
    for division in {n for a in nest.assigns for n in nodes(a.value) if isinstance(n, Op) and n.name == "divide"}:
        dividend, divisor = division.args
        at = max((n + 1 for n, r in enumerate(order) if r.var in variables(divisor)), default=0)
        within = [r.var for r in order[at:]]
        if variables(dividend).intersection(within) and divides_often(division, prod(extents[var] for var in within)):
            splits.append(at)
    if not _is_worth_threads(nest, order[:split], extents):
        return min(splits)
    return max(min(splits), min(split, _collapse([extents[r.var] for r in order[:split]])))


def divides_often(division: Op, dividends: int) -> bool:
    """Whether to multiply so many values by the divisor's reciprocal: a division takes as long as a dozen products.

    Constants have reciprocals anyway.
    """
    return division.dtype == "float64" and not isinstance(division.args[1], Const) and dividends >= OFTEN


def independent_variables(nest: Nest, most: Mapping[str, int], arrays: Mapping[str, Array]) -> frozenset[str]:
    """Variables whose iterations never update one place twice."""
    free = frozenset(r.var for r in nest.domain)
    for assign in nest.assigns:
        if assign.op != "=":
            free &= injective_variables(assign.target, arrays[assign.target.array], nest.domain, most)
    return free


def accesses(nest: Nest) -> Iterable[Access | Load]:
    """All targets and loads."""
    for assign in nest.assigns:
        yield assign.target
        yield from reads_of(assign)


def must_be_lazy(nest: Nest, context: Context) -> frozenset[Load]:
    """Loads in one side of a choice that are not proven to lie within their arrays."""
    found: set[Load] = set()
    seen: set[Expr] = set()
    pending = [expr for a in nest.assigns for expr in (a.value, *a.target.index) if isinstance(expr, Expr)]
    while pending:
        expr = pending.pop()
        if expr in seen:
            continue
        seen.add(expr)
        if choice := choice_of(expr):
            found |= {load for side in choice[1:] for load in loads(side)}
        pending += [c for c in children(expr) if not isinstance(c, Affine)]
    return frozenset(load for load in found if not is_safe(load, nest.domain, context))


def is_safe(load: Load, domain: tuple[Range, ...], context: Context) -> bool:
    """Whether a nest over the domain may read an element before it knows that the element counts."""
    return inside(load, context.arrays[load.array], domain, context.known)


def _steps(nest: Nest, context: Context) -> list[Affine | None]:
    return [position(access, context.arrays[access.array]) for access in accesses(nest)]


def most_contiguous(nest: Nest, context: Context, extents: Mapping[str, int]) -> Range:
    """The dimension along which most accesses are contiguous or constant; the later one if they tie."""
    steps = _steps(nest, context)

    def score(r: Range) -> float:
        return sum(_contiguity(step, r.var) for step in steps) - (100 if extents[r.var] <= SHORT else 0)

    return max(reversed(nest.domain), key=score)


def _contiguity(step: Affine | None, name: str) -> float:
    if step is None:
        return -0.5
    stride = abs(step.coefficient(name))
    return {0: 0.25, 1: 1.0}.get(stride, -1.0)


def by_stride(nest: Nest, context: Context) -> list[Range]:
    """The dimensions, those first along which accesses go furthest."""
    steps = [step for step in _steps(nest, context) if step is not None]

    def far(r: Range) -> float:
        return -sum(log2(1 + abs(step.coefficient(r.var))) for step in steps)

    return sorted(nest.domain, key=far)


def _writes_what_it_reads(nest: Nest) -> bool:
    """Is an array written that is also read or written at other places, which may be the same now and then?

    Then memory must be read and written in order, and the C++ compiler told that the points are independent.
    """
    targets = [a.target for a in nest.assigns]
    places = {(t.array, t.index) for t in targets}
    loaded = {load for a in nest.assigns for load in reads_of(a)}
    if any(load.array == t.array for load in loaded for t in targets if (load.array, load.index) not in places):
        return True
    return any(not are_apart(a, b) for a in targets for b in targets if a != b)


def _is_crowded(nest: Nest) -> bool:
    """Are there so many arrays that the C++ compiler gives up testing whether they overlap?"""
    written = {(a.target.array, a.target.index) for a in nest.assigns}
    return len(written) > 1 and len(written) * len({a.array for a in accesses(nest)}) > 8


def _is_apart(
    assign: Assign, inner: tuple[Range, ...], vector: Range, most: Mapping[str, int], arrays: Mapping[str, Array]
) -> bool:
    """Do iterations of the vector loop write different places, or an accumulator?"""
    within = inner[inner.index(vector) :]
    names = {n for i in assign.target.index for n in variables(i)}
    if assign.op == "=" or not names & {r.var for r in within}:
        return True
    return vector.var in injective_variables(assign.target, arrays[assign.target.array], within, most)


def _collapse(extents: list[int]) -> int:
    """How many dimensions it takes to have enough iterations for any number of threads to share evenly."""
    for count in range(1, len(extents) + 1):
        if prod(extents[:count]) >= ENOUGH_FOR_THREADS:
            return count
    return max(1, len(extents))


def _is_worth_threads(nest: Nest, mapped: tuple[Range, ...], extents: Mapping[str, int]) -> bool:
    if not mapped or extents[mapped[0].var] < 2:
        return False
    return prod(extents.values()) * nest_work(nest) >= WORTH_THREADS


def is_large(nest: Nest, context: Context) -> bool:
    """Is there so much to do that blocks for threads pay?"""
    points = prod(extent(r, context.known) for r in nest.domain)
    return points * nest_work(nest) >= 2 * WORTH_THREADS
