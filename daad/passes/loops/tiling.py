"""Loops in which each row is multiplied by a matrix become loops over tiles of rows: products of two matrices.

    program f(A: float64[900, 400], B: float64[400, 500], C: float64[900, 500])
      loop i = 0 .. 900:
        for j in 0 .. 500, k in 0 .. 400:  C[i, j] += A[i, k] * B[k, j]

becomes

    program f(A: float64[900, 400], B: float64[400, 500], C: float64[900, 500])
      loop i_tile = 0 .. 4:
        for i in 225*i_tile .. 225*i_tile + 225, j in 0 .. 500, k in 0 .. 400:  C[i, j] += A[i, k] * B[k, j]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

from daad.analysis.alias import is_valid
from daad.analysis.context import Scope, map_scoped_bodies
from daad.analysis.matrix_products import Part, as_products, parts
from daad.analysis.own_intervals import own_axis
from daad.analysis.privatization import Copies, private_arrays, with_copies
from daad.analysis.sites import affine_range
from daad.analysis.uses import Usage
from daad.ir.affine import Affine
from daad.ir.indices.index_maps import without
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Array, Loop, Nest, Node, Program, Range
from daad.passes.definition import Form, Pass, forms
from daad.passes.loops.distribution import distributed

ROWS = 32  # of a tile, at least: enough for a fast product, and the triangle that is left over stays in the cache
FEW_ROWS = 8  # of a tile of a small product, such as the triangle that is left over
TILES = 4  # of a large product: each adds to all that is left, which has to come from memory; triangles are tiled again
LEAST_ROWS = 16
LEAST_WORK = 30_000  # multiplications of a product over all rows: fewer are not worth a call
MUCH_WORK = 2_000_000
MAX_NESTS = 12  # the order is asked for each pair
MAX_COPIES = 2**24  # elements of all copies of an array


PASS = Pass(
    "tiling",
    lambda program, goal: tile_products(program, goal.live),
    "Rows that are each multiplied by a matrix go through it in tiles.",
    source="Wolf and Lam 1991",
    requires=forms(Form.SPLIT),
    establishes=forms(Form.TILED),
    for_caches=True,
)


def tile_products(program: Program, live: frozenset[str]) -> Program:
    """Tiles every innermost loop that computes a product row by row, triangular ones too."""
    tiler = _Tiler(program, Usage(program, live), {}, NameSupply.of(program))
    body = map_scoped_bodies(program.body, tiler.body, Scope())
    return replace(program, body=body, arrays={**program.arrays, **tiler.copies})


@dataclass(frozen=True)
class _Rows:
    """A loop of nests; `products` holds for each nest what it is as products, if it is that."""

    loop: Loop
    nests: tuple[Nest, ...]
    products: tuple[list[Nest], ...]
    private: tuple[str, ...]
    low: Affine
    count: int
    work: int

    @property
    def size(self) -> int:
        """Rows of a tile, a divisor of their number if there is one near."""
        wanted = FEW_ROWS if self.work < MUCH_WORK else max(ROWS, self.count // TILES)
        near = sorted(range(2 * wanted // 3, 4 * wanted // 3 + 1), key=lambda size: abs(size - wanted))
        return next((n for n in near if self.count % n == 0 and n < self.count), min(wanted, self.count // 2))

    def over(self, first: Affine, count: int) -> Range:
        return Range(self.loop.var, first, first + count)


def _rows_of(loop: Loop, usage: Usage | None, scope: Scope) -> _Rows | None:
    """None where rows gain nothing from each other; nothing is private to a row where `usage` is not known."""
    rows = affine_range(loop)
    nests = tuple(n for n in loop.body if isinstance(n, Nest))
    if rows is None or len(nests) < len(loop.body):
        return None
    count = rows.width
    if not count.is_const or count.const < LEAST_ROWS or len(nests) > MAX_NESTS:
        return None
    private = tuple(private_arrays(nests, usage, scope.enter(loop))) if usage else ()
    products = tuple(as_products(n, loop.var, private) for n in nests)
    work = max((_work(p, scope.enter(loop)) for found in products for p in found), default=0) * count.const
    return _Rows(loop, nests, products, private, rows.start, count.const, work) if work >= LEAST_WORK else None


def _work(product: Nest, scope: Scope) -> int:
    """Points of a row, on average."""
    points = 1.0
    for r in product.domain:
        middle = scope.middle(r.width)
        points *= 1 if middle is None else max(0, middle)
    return int(points)


@dataclass(frozen=True)
class _Tiler:
    """Rewrites bodies; `copies` are the arrays that it makes, `names` gives new names, `usage` that of the program."""

    program: Program
    usage: Usage | None
    copies: dict[str, Array]
    names: NameSupply

    def body(self, body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        out: list[Node] = []
        for node in body:
            rows = _rows_of(node, self.usage, scope) if isinstance(node, Loop) else None
            tiled = self._tiled(rows, scope) if rows else None
            out.extend((node,) if tiled is None else tiled)
        return tuple(out)

    def _again(self, body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        """A tile with what is left row by row in smaller tiles."""
        return replace(self, usage=None).body(body, scope)

    def _tiled(self, rows: _Rows, scope: Scope) -> list[Node] | None:
        """A loop over whole tiles, and the rows that are left, last in the direction of the loop."""
        size = rows.size
        full, rest = divmod(rows.count, size)
        tiles = Range(self.names.free(f"{rows.loop.var}_tile"), Affine(0), Affine(full))
        first, left = rows.low + Affine.of(tiles.var) * size, rows.low + full * size
        if rows.loop.step < 0:
            first, left = rows.low + rows.count - size - Affine.of(tiles.var) * size, rows.low
        copies = self._copies(rows, size)
        inside = scope.with_domain((tiles,))
        body = _tile(rows, rows.over(first, size), copies, inside)
        if not any(isinstance(node, Nest) for node in body):
            return None
        made = {copy.array.name: copy.array for copy in copies.values()}
        self.names.take(tiles.var, *made)
        self.copies.update(made)
        loop = Loop(tiles.var, tiles.start, tiles.stop, 1, self._again(body, inside), at=rows.loop.at)
        others = _tile(rows, rows.over(left, rest), copies, scope) if rest else ()
        return [loop, *self._again(others, scope)]

    def _copies(self, rows: _Rows, size: int) -> dict[str, Copies]:
        """Arrays that only serve one row, with one copy for each row of a tile."""
        found: dict[str, Copies] = {}
        for name in rows.private:
            array = self.program.arrays[name]
            axis = own_axis(rows.nests, name, rows.loop.var)
            shape = (size, *(array.shape if axis is None else without(array.shape, (axis,))))
            if prod(shape) <= MAX_COPIES:
                copied = self.names.free(f"{name}_rows")
                found[name] = Copies(replace(array, name=copied, shape=shape, extents=()), axis)
        return found


def _tile(rows: _Rows, over: Range, copies: Mapping[str, Copies], scope: Scope) -> tuple[Node, ...]:
    """Products that may as nests over the rows, everything between them in loops over the rows."""
    row = Affine.of(over.var) - over.start
    pieces = [replace(p, nest=with_copies(p.nest, copies, row)) for p in _pieces(rows, over, scope)]
    out: list[Node] = []
    waiting: list[int] = []
    whole = [n for n, piece in enumerate(pieces) if piece.whole]
    for group in distributed([p.nest for p in pieces], over, rows.loop.step, scope, early=whole):
        piece = pieces[group[0]]
        nest = replace(piece.nest, domain=(over, *piece.nest.domain))
        if len(group) == 1 and piece.whole and is_valid(nest, scope):
            out += [*_loop(pieces, waiting, rows.loop, over), nest]
            waiting = []
        else:
            waiting += group
    return (*out, *_loop(pieces, waiting, rows.loop, over))


def _pieces(rows: _Rows, over: Range, scope: Scope) -> list[Part]:
    """The statements of a row, products cut where they differ from row to row."""
    pieces: list[Part] = []
    for nest, products in zip(rows.nests, rows.products, strict=True):
        pieces.extend(part for product in products for part in parts(product, over, scope))
        pieces.extend([] if products else [Part(nest, False)])
    return pieces


def _loop(pieces: list[Part], chosen: list[int], loop: Loop, over: Range) -> list[Loop]:
    """The chosen statements row by row, as in the loop."""
    if not chosen:
        return []
    start, stop = (over.start, over.stop) if loop.step > 0 else (over.last, over.start - 1)
    return [replace(loop, start=start, stop=stop, body=tuple(pieces[n].nest for n in sorted(chosen)))]
