"""Linear interpolation between knots, with the slopes of all pieces at hand where all is finite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.frontend.numpy.elementwise.scalar_expressions import op, where
from daad.frontend.numpy.scans import COMPILED_INTERP, count_below
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Shape, cast, own_axes
from daad.ir.affine import Affine
from daad.ir.nodes import Const, Expr

Element = Callable[[Sequence[Affine]], Expr]


@dataclass(frozen=True)
class Lines:
    """Pieces between neighbouring knots; `low` and `high` are the values before the first knot and behind the last."""

    knots: ArrayValue
    values: ArrayValue
    low: ArrayValue | None
    high: ArrayValue | None
    last: int
    kind: Any

    def at(self, array: ArrayValue, place: Any) -> Expr:
        return cast(array.element((place,)), self.kind)

    def slope(self, piece: Any, following: Any) -> Expr:
        ends = ((self.at(array, following), self.at(array, piece)) for array in (self.values, self.knots))
        return op("divide", self.kind, *(op("subtract", self.kind, *pair) for pair in ends))

    def on_line(self, x: Expr, slope: Expr, place: Any) -> Expr:
        """Of a line through the value at a knot."""
        rise = op("multiply", self.kind, slope, op("subtract", self.kind, x, self.at(self.knots, place)))
        return op("add", self.kind, rise, self.at(self.values, place))

    def with_infinities(self, x: Expr, piece: Expr) -> Expr:
        """As NumPy where a value at one end of a piece may be infinite."""
        following = op("add", "int64", piece, Const(1, "int64"))
        slope = self.slope(piece, following)
        inside, back = self.on_line(x, slope, piece), self.on_line(x, slope, following)
        for place in (following, piece):
            back = where(op("equal", "bool", x, self.at(self.knots, place)), self.at(self.values, place), back)
        return where(op("isnan", "bool", inside), back, inside)

    def with_ends(self, x: Expr, inside: Expr) -> Expr:
        low, high = (
            self.at(self.values, Affine(k)) if end is None else cast(end.element(()), self.kind)
            for k, end in ((0, self.low), (self.last, self.high))
        )
        inner = where(op("greater", "bool", x, self.at(self.knots, Affine(self.last))), high, inside)
        return where(op("less", "bool", x, self.at(self.knots, Affine(0))), low, inner)


def interp(stage: Stage, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    points, knots, values = stage.array(x), stage.place(xp), stage.place(fp)
    points = stage.place(points) if points.ndim else points
    above, kind = stage.place(count_below(stage, knots, points, "right")), np.result_type(np.float64, points.dtype)
    low, high = (None if end is None else stage.array(end) for end in (left, right))
    lines = Lines(knots, values, low, high, stage.known(knots.shape[0]) - 1, kind)

    def made_of(inside: Callable[[Expr, Expr], Expr]) -> Element:
        def build(point: Sequence[Affine]) -> Expr:
            at = cast(points.element(point), kind)
            return lines.with_ends(at, inside(at, _clamped(above.element(point), lines.last)))

        return build

    build = made_of(lines.with_infinities if lines.last else lambda *_: lines.at(values, Affine(0)))
    known = _slopes(stage, knots, values)
    if not lines.last or (known is None and not points.ndim):
        return stage.lazy(points.shape, kind, build)
    each = stage.lazy((Affine(lines.last),), kind, lambda k: lines.slope(k[0], k[0] + 1))
    slopes = stage.place(each, "slopes") if known is None else stage.constant(known)
    build_finite = made_of(lambda at, piece: lines.on_line(at, slopes.element((piece,)), piece))
    if known is not None:
        return stage.lazy(points.shape, kind, build_finite)
    return _either(stage, (knots, values, slopes), points.shape, kind, build_finite, build)


def _slopes(stage: Stage, knots: ArrayValue, values: ArrayValue) -> np.ndarray | None:
    """Those of all pieces, where constants decide them and all is finite."""
    known = [stage.content(array.element(own_axes(1)), array.shape) for array in (knots, values)]
    if any(one is None or not np.isfinite(one).all() for one in known):
        return None
    width, rise = (np.diff(np.asarray(one, np.float64)) for one in known)
    if not width.all():
        return None
    found = rise / width
    return found if np.isfinite(found).all() else None


def _either(
    stage: Stage, finite: Sequence[ArrayValue], shape: Shape, kind: Any, one: Element, other: Element
) -> ArrayValue:
    """Made by one formula where some arrays hold finite numbers alone, else by the other."""
    is_finite, result = stage.allocate((), np.bool_, "is_finite"), stage.allocate(shape, kind, "interpolated")

    def asked(array: ArrayValue) -> Callable[[Sequence[Affine]], Any]:
        return lambda point: [(is_finite, (), "min=", op("isfinite", "bool", array.element(point)))]

    def made(build: Element) -> Callable[[Sequence[Affine]], Any]:
        return lambda point: [(result, point, "=", build(point))]

    stage.store(is_finite, True)
    for array in finite:
        stage.nest(array.shape, asked(array))
    blocks = []
    for build in (one, other):
        with stage.block() as block:
            stage.nest(shape, made(build))
        blocks.append(block)
    stage.branch(is_finite.element(()), *blocks)
    return result


def _clamped(count: Expr, last: int) -> Expr:
    """The piece that a point lies in, from the number of knots that are not above it."""
    piece = op("subtract", "int64", count, Const(1, "int64"))
    return op("minimum", "int64", op("maximum", "int64", piece, Const(0, "int64")), Const(max(last - 1, 0), "int64"))


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    **dict.fromkeys((np.interp, *COMPILED_INTERP), interp),
}
