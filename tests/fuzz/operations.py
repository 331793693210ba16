"""What expressions are made of: NumPy's functions with the shapes of their operands."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from tests.fuzz.expressions import LIMIT, THRESHOLDS, Maker, Term, Writer, size_text
from tests.fuzz.forms import Form, Shape
from tests.fuzz.keywords import kept, reduced

UNARY: tuple[tuple[str, float, Callable[[float], float]], ...] = (
    ("np.sin({})", 9.0, lambda b: 1.0),
    ("-({})", 9.0, lambda b: b),
    ("({}) ** 2", LIMIT, lambda b: b * b),
    ("np.tanh({})", 9.0, lambda b: 1.0),
    ("np.cos({})", 9.0, lambda b: 1.0),
    ("({}) ** 3", 1.5, lambda b: b**3),
    ("np.exp({})", 1.5, lambda b: 4.5),
    ("np.sqrt(2.5 + ({}))", LIMIT, lambda b: 2.2),
    ("np.log(2.5 + ({}))", LIMIT, lambda b: 1.6),
    ("1.0 / (2.5 + ({}))", LIMIT, lambda b: 2.0),
    ("np.arctan({})", 9.0, lambda b: 1.6),
    ("np.abs({} + 0.0371)", 9.0, lambda b: b + 0.04),
    ("abs({} - 0.0173)", 9.0, lambda b: b + 0.04),
    ("np.square({})", LIMIT, lambda b: b * b),
    ("(2.5 + ({})) ** 1.7", LIMIT, lambda b: 13.0),
    ("1.3 ** ({})", LIMIT, lambda b: 1.7),
    ("np.maximum({}, T)", 9.0, lambda b: b),
    ("np.minimum({}, T)", 9.0, lambda b: b),
    ("np.clip({}, -0.917, T)", 9.0, lambda b: 1.0),
    ("np.clip({}, None, T)", 9.0, lambda b: b),
    ("np.sinh({})", 1.5, lambda b: 2.2),
    ("np.log1p(({}) ** 2)", LIMIT, lambda b: 1.7),
    ("np.cbrt(2.5 + ({}))", LIMIT, lambda b: 1.7),
    ("np.arcsin(0.45 * ({}))", LIMIT, lambda b: 1.2),
    ("np.negative({})", 9.0, lambda b: b),
    ("np.reciprocal(2.5 + ({}))", LIMIT, lambda b: 2.0),
    ("np.sign({} + 0.0371)", 9.0, lambda b: 1.0),
    ("np.expm1({})", 1.5, lambda b: 3.5),
    ("+({})", 9.0, lambda b: b),
)
"""Pattern, the largest operand it takes, the bound of its result; T is a number that operands do not meet."""

BINARY: tuple[tuple[int, str, float, Callable[[float, float], float]], ...] = (
    (5, "({}) + ({})", 9.0, lambda a, b: a + b),
    (5, "({}) * ({})", LIMIT, lambda a, b: a * b),
    (4, "({}) - ({})", 9.0, lambda a, b: a + b),
    (2, "({}) / (2.5 + ({}))", LIMIT, lambda a, b: 2 * a),
    (1, "({}) / (1.0 + ({}) ** 2)", LIMIT, lambda a, b: a),
    (1, "np.maximum({}, ({}) + 0.0437)", 9.0, lambda a, b: max(a, b)),
    (1, "np.minimum(({}) - 0.0291, {})", 9.0, lambda a, b: max(a, b)),
    (1, "np.where(({0}) > T, {0}, {1})", 9.0, lambda a, b: max(a, b)),
    (1, "np.where(({0}) < ({1}) + 0.0511, ({0}) * ({1}), 0.0)", LIMIT, lambda a, b: a * b),
    (1, "np.hypot({}, 1.5 + ({}) ** 2)", LIMIT, lambda a, b: 6.0),
    (1, "np.arctan2({}, 2.5 + ({}))", LIMIT, lambda a, b: 3.2),
    (1, "np.logaddexp({}, {})", LIMIT, lambda a, b: 3.0),
    (1, "(2.5 + ({})) ** ({})", LIMIT, lambda a, b: 21.0),
    (1, "np.multiply({}, {})", LIMIT, lambda a, b: a * b),
    (1, "np.add({}, {})", 9.0, lambda a, b: a + b),
    (1, "np.subtract({}, {})", 9.0, lambda a, b: a + b),
    (1, "np.where((({0}) > T) & (({1}) < 0.377), {1}, {0})", 9.0, lambda a, b: max(a, b)),
)


def unary(writer: Writer, shape: Shape, depth: int) -> Term | None:
    pattern, limit, bound = writer.source.choice(UNARY)
    operand = writer.fit(writer.term(shape, depth), limit)
    return Term(_with_threshold(writer, pattern).format(operand.text), bound(operand.bound))


def binary(writer: Writer, shape: Shape, depth: int) -> Term | None:
    pattern, limit, bound = writer.source.weighted([(row[0], row[1:]) for row in BINARY])
    operands = [writer.term(shape, depth), writer.loose(shape, depth)]
    left, right = (writer.fit(operand, limit) for operand in operands)
    if "** (" not in pattern and writer.source.chance(40):
        left, right = right, left
    return Term(_with_threshold(writer, pattern).format(left.text, right.text), bound(left.bound, right.bound))


def _with_threshold(writer: Writer, pattern: str) -> str:
    return pattern.replace("T", str(writer.source.choice(THRESHOLDS))) if "T" in pattern else pattern


SUMS = ("np.sum({}{})", "({}).sum({})", "np.add.reduce({}{})", "np.sum({}{}, initial=0.3)", "np.sum({}{}, dtype='f8')")
EXTREMA = (
    "np.max({}{})",
    "({}).min({})",
    "np.min({}{})",
    "np.amax({}{})",
    "({}).max({})",
    "np.max({}{}, initial=-7.3)",
)
MEANS = ("np.mean({}{})", "({}).mean({})", "np.average({}{})", "np.mean({}{}, dtype=np.float64)")
PRODUCTS = ("np.prod({}{})", "({}).prod({})", "np.prod({}{}, initial=0.9)")


def reduction(writer: Writer, shape: Shape, depth: int) -> Term | None:
    """A reduction over one more axis, or over all of them."""
    kind = writer.source.weighted(((4, SUMS), (2, MEANS), (2, EXTREMA), (1, PRODUCTS)))
    extent = writer.size(0 if kind in (SUMS, PRODUCTS) else 1)
    if extent is None or len(shape) > 2 or (extent.terms and kind in (MEANS,)):
        return None
    axis, inner, options = _reduced_axis(writer, shape, extent)
    operand = writer.term(inner, depth)
    bound = operand.bound
    if kind is PRODUCTS:
        operand, bound = Term(f"1.0 + 0.2 * ({writer.fit(operand).text})", 1.4), 1.4 ** writer.scope.high(extent)
    if kind is SUMS:
        bound *= max([1, *(writer.scope.high(e) for e in (inner if axis is None else (extent,)))])
        bound *= 4 if axis is None and len(inner) > 1 else 1
    patterns = [p for p in kind if axis is not None or "reduce" not in p]  # whose default is the first axis
    if any(writer.scope.low(e) < 1 for e in inner):
        patterns = [p for p in patterns if "average" not in p]  # refuses arrays without elements
    pattern = writer.source.choice(patterns)
    given = options if pattern.startswith("(") or not options else f", {options}"
    return Term(pattern.format(operand.text, given), bound)


def _reduced_axis(writer: Writer, shape: Shape, extent: Form) -> tuple[int | None, Shape, str]:
    """The axis (None: all), the operand's shape, and the arguments after the operand."""
    source = writer.source
    kept = [k for k, e in enumerate(shape) if e.is_const(1)]
    if kept and source.chance(60):
        axis = source.choice(kept)
        return axis, (*shape[:axis], extent, *shape[axis + 1 :]), f"axis={axis}, keepdims=True"
    if not shape:
        second = writer.size(1) if source.chance(30) else None
        return None, (extent,) if second is None else (extent, second), source.choice(("", "axis=None"))
    axis = source.integer(0, len(shape))
    inner = (*shape[:axis], extent, *shape[axis:])
    return axis, inner, f"axis={axis - len(inner) if source.chance(30) else axis}"


INNER = ("np.dot({}, {})", "({}) @ ({})", "np.sum(({}) * ({}))", "np.inner({}, {})", "np.einsum('i,i->', {}, {})")
MATRIX = ("({}) @ ({})", "np.dot({}, {})", "np.matmul({}, {})", "np.einsum('ik,kj->ij', {}, {})")
MATRIX += ("np.tensordot({}, {}, axes=1)",)
OUTER = (
    "np.outer({}, {})",
    "np.multiply.outer({}, {})",
    "({})[:, None] * ({})[None, :]",
    "np.einsum('i,j->ij', {}, {})",
)


def product(writer: Writer, shape: Shape, depth: int) -> Term | None:
    """A sum of products: inner, matrix and outer products."""
    inner = writer.size()
    if inner is None or len(shape) > 2:
        return None
    left, right = (*shape[:1], inner), (inner, *shape[1:])
    patterns = {0: INNER, 1: ("({}) @ ({})", "np.dot({}, {})"), 2: MATRIX}[len(shape)]
    if not shape:
        left, right = (inner,), (inner,)
    elif len(shape) == 1 and writer.source.chance(40):
        left, right = (inner,), (inner, *shape)
    elif len(shape) == 2 and writer.source.chance(30):
        left, right, patterns = shape[:1], shape[1:], OUTER
    a, b = (writer.fit(writer.term(s, min(depth, 1))) for s in (left, right))
    bound = a.bound * b.bound * max(1, writer.scope.high(inner))
    return Term(writer.source.choice(patterns).format(a.text, b.text), bound)


def transposed(writer: Writer, shape: Shape, depth: int) -> Term | None:
    operand = writer.term(shape[::-1], depth)
    text = writer.source.choice(("({}).T", "np.transpose({})", "({}).transpose()", "np.swapaxes({}, 0, 1)"))
    return Term(text.format(operand.text), operand.bound)


def flattened(writer: Writer, shape: Shape, depth: int) -> Term | None:
    """A matrix as a vector."""
    pairs = [(m, n) for m in writer.scope.sizes for n in writer.scope.sizes if shape[0].is_const(m * n)]
    if not pairs:
        return None
    m, n = writer.source.choice(pairs)
    operand = writer.term((Form(m), Form(n)), depth)
    ways = ("({}).ravel()", "({}).reshape(-1)", "({}).flatten()", f"np.reshape({{}}, {m * n})", *IN_ORDER)
    text = writer.source.choice(ways)
    return Term((text if m * n else "({}).ravel()").format(operand.text), operand.bound)


IN_ORDER = ("({}).ravel(order='F')", "np.ravel({}, 'K')", "({}).flatten('A')", "np.reshape({}, -1, order='F')")


def folded(writer: Writer, shape: Shape, depth: int) -> Term | None:
    """A vector as a matrix."""
    if shape[0].terms or shape[1].terms:
        return None
    size = shape[0].const * shape[1].const
    operand = writer.term((Form(size),), depth)
    order = writer.source.weighted(((4, ""), (1, ", order='F'")))
    return Term(f"np.reshape({operand.text}, {size_text(shape)}{order})", operand.bound)


MOVES = (
    (1, "({})[::-1]"),
    (1, "np.flip({})"),
    (1, "np.roll({}, 1)"),
    (1, "np.roll({}, -2)"),
    (1, "np.cumsum({})"),
    (1, "({}).copy()"),
    (2, "np.triu({})"),
    (2, "np.tril({}, -1)"),
    (2, "np.cumsum({}, axis=1)"),
    (2, "np.cumsum({}, axis=-2)"),
    (2, "np.flip({}, axis=(0, -1))"),
    (2, "np.roll({}, (1, -1), axis=(0, 1))"),
    (2, "np.flip({}, axis=0)"),
    (2, "np.roll({}, 1, axis=1)"),
)
"""Rank of the operand (1: any), pattern: the result has the operand's shape."""


def moved(writer: Writer, shape: Shape, depth: int) -> Term | None:
    """Elements at other places, or summed up."""
    rank, text = writer.source.choice(MOVES)
    if (rank == 2 or "cumsum" in text) and len(shape) != rank:
        return None
    operand = writer.term(shape, depth)
    growth = max(1, *(writer.scope.high(e) for e in shape)) if "cumsum" in text else 1
    return Term(text.format(operand.text), operand.bound * growth)


def joined(writer: Writer, shape: Shape, depth: int) -> Term | None:
    """Several arrays joined along their first axis."""
    if shape[0].terms or shape[0].const < 2:
        return None
    size = shape[0].const
    if size == 2 and writer.source.chance(50):
        parts = [writer.term(shape[1:], depth) for _ in range(2)]
        text = "np.array([{}, {}])" if len(shape) == 1 else "np.stack(({}, {}))"
    else:
        first = writer.source.integer(1, size - 1)
        parts = [writer.term((Form(k), *shape[1:]), depth) for k in (first, size - first)]
        text = "np.concatenate(({}, {}))"
    return Term(text.format(*(p.text for p in parts)), max(p.bound for p in parts))


def differenced(writer: Writer, shape: Shape, depth: int) -> Term | None:
    operand = writer.term((shape[0] + 1,), depth)
    return Term(f"np.diff({operand.text})", 2 * operand.bound)


def conditional(writer: Writer, shape: Shape, depth: int) -> Term | None:
    """`a if condition else b`."""
    sides = [writer.term((), depth) for _ in range(2)]
    return Term(f"({sides[0].text}) if {condition(writer)} else ({sides[1].text})", max(s.bound for s in sides))


def condition(writer: Writer) -> str:
    """A test of data."""
    number = writer.term((), 1)
    test = f"({number.text}) {writer.source.choice(('>', '<', '>=', '<='))} {writer.source.choice(THRESHOLDS)}"
    if not writer.source.chance(15):
        return test
    other = writer.leaf(())
    return f"{test} {writer.source.choice(('and', 'or', 'and not'))} ({other.text}) > 0.173"


def called(writer: Writer, shape: Shape, depth: int) -> Term | None:
    """A call of one of the program's functions that returns one value."""
    fitting = [f for f in writer.scope.functions if len(f.returns) == 1 and writer.scope.equal(f.returns[0], shape)]
    if not fitting:
        return None
    function = writer.source.choice(fitting)
    return Term(f"{function.name}({', '.join(writer.argument(p) for p in function.parameters)})", LIMIT)


def listed(writer: Writer, shape: Shape, depth: int) -> Term | None:
    """A comprehension over a few numbers, summed up or made an array."""
    scope, size = writer.scope, shape[0].const if len(shape) == 1 and not shape[0].terms else 2
    if not 1 <= size <= 3 or len(scope.points) > 40:
        return None
    name = scope.fresh("q")
    inner = Writer(writer.source, scope.looped(name, lambda p: range(size)))
    is_array = len(shape) == 1 and not shape[0].terms
    item = inner.term(() if is_array else shape, min(depth, 1))
    head = "np.array" if is_array else "sum"
    return Term(f"{head}([{item.text} for {name} in range({size})])", item.bound * (1 if is_array else size))


@cache
def _makers(rank: int) -> tuple[tuple[int, Maker], ...]:
    makers: list[tuple[int, Maker]] = [(5, binary), (4, unary), (2, reduction), (2, product), (2, called), (2, reduced)]
    if rank == 0:
        makers += [(1, conditional)]
    if rank >= 1:
        makers += [(1, moved), (1, joined), (2, kept)]
    if rank == 1:
        makers += [(1, flattened), (1, differenced), (1, listed)]
    if rank == 2:
        makers += [(2, transposed), (1, folded)]
    return tuple(makers)


def makers(shape: Shape) -> tuple[tuple[int, Maker], ...]:
    """What can make an expression of a shape."""
    return _makers(len(shape))
