"""Functions with the values that their keywords may have, and the calls that are drawn from this table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

from tests.fuzz.expressions import LIMIT, THRESHOLDS, Term, Writer, size_text
from tests.fuzz.forms import Form, Shape

Values = tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """A call of the operand {0} with the keywords {1}.

    `bound` of the result follows from that of the operand, which stays below `limit`, and from the number of its
    elements, of which each axis has `least`. Of each keyword's values one is drawn: "" is none, MASK a condition on
    data, SOME one that holds for two elements at least, OUT an array of the result's shape, AXIS one axis, {2} a number
    that data do not meet.
    """

    text: str
    bound: Callable[[float, int], float]
    keywords: Mapping[str, Values]
    limit: float = LIMIT
    least: int = 1
    rank: int | None = None
    axes: int = 2


def same(bound: float, count: int) -> float:
    return bound


def summed(bound: float, count: int) -> float:
    return bound * count + 1.0


def multiplied(bound: float, count: int) -> float:
    return 1.4**count


KEEP: Mapping[str, Values] = {"keepdims": ("", "True", "False")}
OUT: Mapping[str, Values] = {"out": ("", "", "OUT")}
TYPE: Mapping[str, Values] = {"dtype": ("", "", "'f8'", "np.float64")}
WHERE: Mapping[str, Values] = {"where": ("", "SOME", "True")}
START: Mapping[str, Values] = {"initial": ("", "0.3")}
CHOSEN: Mapping[str, Values] = {"initial": ("-0.7003", "0.4001"), "where": ("MASK",)}
FOLDED = {**KEEP, **OUT, **TYPE, **WHERE}
EXTREME = {**KEEP, **OUT, "initial": ("", "0.1003")}
SPREAD = {**KEEP, **OUT, **WHERE}
AVERAGED = {**KEEP, "weights": ("", "1.0 + ({0}) ** 2")}
RANKED = {**KEEP, "method": ("", "'linear'", "'lower'", "'midpoint'")}
FACTORS = "1.0 + 0.2 * ({0})"

REDUCTIONS = (
    Row("np.sum({0}, {1})", summed, {**FOLDED, **START}),
    Row("({0}).sum({1})", summed, {**FOLDED, **START}),
    Row("np.add.reduce({0}, {1})", summed, {**FOLDED, **START}),
    Row("np.nansum({0}, {1})", summed, {**FOLDED, **START}),
    Row("np.mean({0}, {1})", same, FOLDED),
    Row("({0}).mean({1})", same, FOLDED),
    Row("np.nanmean({0}, {1})", same, FOLDED),
    Row("np.average({0}, {1})", same, AVERAGED),
    Row(f"np.prod({FACTORS}, {{1}})", multiplied, {**FOLDED, **START}),
    Row(f"np.multiply.reduce({FACTORS}, {{1}})", multiplied, {**FOLDED, **START}),
    Row("np.max({0}, {1})", same, EXTREME),
    Row("({0}).min({1})", same, EXTREME),
    Row("np.amin({0}, {1})", same, {**KEEP, **OUT, **CHOSEN}),
    Row("np.nanmax({0}, {1})", same, {**KEEP, **CHOSEN}),
    Row("np.maximum.reduce({0}, {1})", same, {**KEEP, **OUT, **CHOSEN}),
    Row("np.ptp({0}, {1})", summed, {**KEEP, **OUT}),
    Row("np.var({0}, {1})", lambda b, n: 2 * b * b, {**SPREAD, "ddof": ("", "0", "1")}, least=2),
    Row("({0}).var({1})", lambda b, n: 2 * b * b, {**SPREAD, "ddof": ("", "1", "0.5")}, least=2),
    Row("np.var({0}, {1})", lambda b, n: 2 * b * b, {**SPREAD, "correction": ("1", "0")}, least=2),
    Row("np.nanvar({0}, {1})", lambda b, n: 2 * b * b, {**SPREAD, "ddof": ("", "1")}, least=2),
    Row(
        "np.linalg.norm(2.5 + ({0}), {1})",
        lambda b, n: n * (b + 2.5),
        {**KEEP, "ord": ("", "1", "2", "3", "np.inf", "-np.inf")},
        axes=1,
    ),
    Row("np.median({0}, {1})", same, {**KEEP, **OUT}),
    Row("np.quantile({0}, 0.37, {1})", same, RANKED),
    Row("np.percentile({0}, 81, {1})", same, RANKED),
    Row("np.trapezoid({0}, {1})", summed, {"dx": ("", "0.3")}, axes=1),
)
"""The result has one or two axes less, or none: `axis` is given with what fits, as are its spellings."""

TO: Mapping[str, Values] = {"out": ("OUT",), "where": ("MASK", "MASK", "True"), "dtype": ("", "", "'f8'")}
ALONG: Mapping[str, Values] = {"axis": ("AXIS",)}
TURNED: Mapping[str, Values] = {"axis": ("", "AXIS", "None")}
ORDERED: Mapping[str, Values] = {"order": ("", "'C'", "'F'", "'A'", "'K'")}
CYCLIC: Mapping[str, Values] = {"axis": ("0",), "mode": ("'wrap'", "'clip'")}
BEYOND: Mapping[str, Values] = {"mode": ("'edge'", "'wrap'", "'symmetric'", "'reflect'", "'constant'", "'mean'")}

KEEPING = (
    Row("np.add({0}, 0.4, {1})", lambda b, n: b + 1.0, TO),
    Row("np.multiply({0}, {0}, {1})", lambda b, n: b * b + LIMIT, TO),
    Row("np.sin({0}, {1})", lambda b, n: LIMIT, TO, limit=9.0),
    Row("np.exp({0}, {1})", lambda b, n: 4.5, TO, limit=1.5),
    Row("np.log({0} + 2.5, {1})", lambda b, n: LIMIT, TO),
    Row("np.maximum({0}, {2}, {1})", lambda b, n: b + LIMIT, TO),
    Row("np.clip({0}, {1})", same, {"min": ("", "-0.917"), "max": ("{2}",), "out": ("", "OUT")}),
    Row("np.cumsum({0}, {1})", summed, {**ALONG, **OUT, **TYPE}),
    Row(f"np.cumprod({FACTORS}, {{1}})", multiplied, {**ALONG, **OUT}),
    Row("np.flip({0}, {1})", same, TURNED),
    Row("np.roll({0}, 2, {1})", same, TURNED),
    Row("np.sort({0}, {1})", same, {"axis": ("", "AXIS"), "kind": ("", "'stable'")}),
    Row("np.gradient({0}, 0.5, {1})", lambda b, n: 8 * b, {**ALONG, "edge_order": ("", "1", "2")}, least=3),
    Row("np.diff({0}, {1})", lambda b, n: 2 * b + 1.0, {"prepend": ("0.4",), "axis": ("", "AXIS")}),
    Row(
        "np.diff({0}, {1})", lambda b, n: 4 * b + 4.0, {"n": ("2",), "prepend": ("0.4",), "append": ("-0.3",), **ALONG}
    ),
    Row("np.nan_to_num({0}, {1})", same, {"copy": ("", "True", "False"), "nan": ("", "0.3")}),
    Row("np.take({0}, np.arange(2, len({0}) + 2), {1})", same, CYCLIC),
    Row("np.take({0}, np.arange(len({0})) * 3 - 5, {1})", same, CYCLIC),
    Row("np.convolve({0}, [0.3, 0.5, -0.1], {1})", same, {"mode": ("'same'",)}, least=3, rank=1),
    Row("np.pad({0}, (2, 0), {1})[:-2]", same, BEYOND, least=3, rank=1),
    Row("np.pad({0}, (1, 2), {1})[3:, 1:-2]", same, BEYOND, least=3, rank=2),
    Row(
        "np.pad({0}, ((0, 2), (1, 0)), {1})[2:, :-1]",
        same,
        {"constant_values": ("", "0.3", "((0.1, 0.2), (0.3, 0.4))")},
        rank=2,
    ),
    Row(
        "np.interp({0}, [-1.0033, 0.1071, 1.2113], [0.3, -0.5, 0.9], {1})",
        same,
        {"left": ("", "0.7"), "right": ("", "-0.2")},
    ),
    Row("np.array({0}, {1})", same, {**ORDERED, "copy": ("", "True", "None"), "dtype": ("", "'f8'")}),
    Row("np.copy({0}, {1})", same, ORDERED),
    Row("({0}).astype('f8', {1})", same, {**ORDERED, "copy": ("", "True", "False")}),
    Row("np.triu({0}, {1})", same, {"k": ("-1", "1", "0")}, rank=2),
)
"""The result has the operand's shape."""


def reduced(writer: Writer, shape: Shape, depth: int) -> Term | None:
    """A reduction over one more axis, or two."""
    source = writer.source
    row = source.choice(REDUCTIONS)
    count = source.integer(1, row.axes) if len(shape) < 2 else 1
    extents = [writer.size(row.least) for _ in range(count)]
    known = [e for e in extents if e is not None and not e.terms]
    if len(shape) > 2 or len(known) < count:
        return None
    rank = len(shape) + count
    gone = source.choice(list(combinations(range(rank), count)))
    rest = iter(shape)
    inner = tuple(known.pop() if k in gone else next(rest) for k in range(rank))
    options = [f"axis={_axes(writer, gone, rank)}"]
    options += [""] if not shape and "reduce" not in row.text else []  # whose default is the first axis
    options += ["axis=None"] if not shape and row.axes > 1 else []
    if any(writer.scope.low(e) < 1 for e in inner):
        return None
    return _called(writer, row, inner, gone, [source.choice(options)], depth)


def kept(writer: Writer, shape: Shape, depth: int) -> Term | None:
    """A call whose result has the operand's shape."""
    row = writer.source.choice([row for row in KEEPING if row.rank in (None, len(shape))])
    if any(e.terms or writer.scope.low(e) < row.least for e in shape):
        return None
    return _called(writer, row, shape, (), [], depth)


def _axes(writer: Writer, axes: tuple[int, ...], rank: int) -> str:
    """The axes from either end; several in any order."""
    ends = [axis - rank if writer.source.chance(40) else axis for axis in axes]
    return str(tuple(ends[::-1] if writer.source.chance(30) else ends)) if len(axes) > 1 else str(ends[0])


def _called(writer: Writer, row: Row, inner: Shape, gone: tuple[int, ...], given: list[str], depth: int) -> Term:
    """The call with its keywords; axes that it keeps though they are gone are taken away."""
    source, count = writer.source, 1
    operand = writer.fit(writer.term(inner, depth), row.limit)
    drawn = {name: source.choice(values) for name, values in row.keywords.items()}
    keeps = drawn.get("keepdims") == "True"
    for name, value in drawn.items():
        if value:
            given.append(f"{name}={_value(writer, value, inner, gone, keeps)}")
    text = row.text.replace("{1}", ", ".join(filter(None, given)))
    text = text.format(operand.text, "", source.choice(THRESHOLDS))
    if keeps:
        text += f"[{', '.join('0' if k in gone else ':' for k in range(len(inner)))}]"
    for k, extent in enumerate(inner):
        count *= max(1, writer.scope.high(extent)) if k in gone or not gone else 1
    return Term(text, row.bound(operand.bound, count))


def _value(writer: Writer, value: str, inner: Shape, gone: tuple[int, ...], keeps: bool) -> str:
    source = writer.source
    if value == "AXIS":
        return _axes(writer, (source.integer(0, len(inner) - 1),), len(inner))
    if value == "MASK":
        return writer.mask(inner)
    if value == "SOME":
        behind = "[:, None]" if gone[-1] == len(inner) - 2 else "[:, None, None]" if gone[-1] == len(inner) - 3 else ""
        return f"({writer.mask(inner)}) | (np.arange({inner[gone[-1]]}) % 3 != 2){behind}"
    if value == "OUT" and gone:
        left = [Form(1) if k in gone else e for k, e in enumerate(inner) if keeps or k not in gone]
        return f"np.zeros({size_text(tuple(left))})"
    return f"np.array({writer.leaf(inner).text}, 'f8')" if value == "OUT" else value
