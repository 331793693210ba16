"""Two products with one matrix that mirror each other become one product with a symmetric matrix.

What a symmetric result such as `A @ A.T` sends back to its two operands is a matrix times the one and, transposed, the
same matrix times the other. The matrix with its mirror image makes one product of the two, with half of the work.
Where results are computed row by row the matrix is a triangle, with its diagonal or without.

    program f(T: float64[300, 300], B: float64[300, 200], X: float64[300, 200])
      loop i = 0 .. 300:
        for j in 0 .. i + 1, k in 0 .. 200:  X[i, k] += T[i, j] * B[j, k]
        for j in 0 .. i + 1, k in 0 .. 200:  X[j, k] += T[i, j] * B[i, k]

becomes

    program f(T: float64[300, 300], B: float64[300, 200], X: float64[300, 200])
      local T_both: float64[300, 300]
      loop i = 0 .. 300:
        for j in 0 .. i + 1:  T_both[i, j] = T[i, j]
        for j in 0 .. i + 1:  T_both[j, i] = T[i, j]
        T_both[i, i] = T[i, i] + T[i, i]
      for i in 0 .. 300, j in 0 .. 300, k in 0 .. 200:  X[j, k] += T_both[i, j] * B[i, k]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from daad.analysis.alias import moves
from daad.analysis.context import Scope, map_scoped_bodies
from daad.analysis.matrix_products import as_products
from daad.analysis.privatization import private_arrays
from daad.analysis.sites import affine_range
from daad.analysis.uses import Usage
from daad.errors import Location
from daad.ir.affine import Affine
from daad.ir.constructors import add, compare, const, where
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Branch, Expr, IndexValue, Load, Loop, Nest, Node, Op, Program, Range
from daad.ir.walk import loaded, map_expr, node_loads, substitute, writes
from daad.passes.definition import Form, Pass, forms
from daad.passes.reductions.mirrored_products import Exchange, mirrored, renamed_like
from daad.passes.reductions.reduction_simplification import points

LEAST_WORK = 30_000  # multiplications: fewer are not worth a call
LEAST_SHARE = 16  # multiplications for each element of the symmetric matrix, which has to be written
MAX_ELEMENTS = 2**24  # of the symmetric matrix
MAX_NESTS = 12

PASS = Pass(
    "symmetric-products",
    lambda program, goal: program if goal.is_spare else multiply_symmetrically(program, goal.live),
    "Two products with one matrix that mirror each other become one product with a symmetric matrix.",
    requires=forms(Form.SPLIT),
    for_caches=True,
)


def multiply_symmetrically(program: Program, live: frozenset[str]) -> Program:
    """The program with pairs of one body, or of an innermost loop, as one product each."""
    making = _Making(Usage(program, live), {}, NameSupply.of(program))
    body = map_scoped_bodies(program.body, making.body, Scope())
    return replace(program, body=body, arrays={**program.arrays, **making.arrays}) if making.arrays else program


@dataclass(frozen=True)
class _Square:
    """A matrix at the points of `column`, for each row of `rows`: all of a square, or a triangle with its diagonal or
    without; the row of a column is `column + shift`."""

    matrix: Load
    rows: Range
    column: Range
    shift: Affine
    has_diagonal: bool = True

    @property
    def columns(self) -> Range:
        """All of the square's."""
        return Range(self.column.var, self.rows.start - self.shift, self.rows.stop - self.shift)

    @property
    def row(self) -> Affine:
        """Where a row stands in the symmetric matrix."""
        return Affine.of(self.rows.var) - self.rows.start

    @property
    def place(self) -> Affine:
        """Where a column stands in the symmetric matrix."""
        return Affine.of(self.column.var) + self.shift - self.rows.start

    def whole(self, name: str, at: Location | None) -> Nest:
        """The symmetric matrix of a matrix that is all there."""
        values = {self.rows.var: Affine.of(self.column.var), self.column.var: Affine.of(self.rows.var)}
        both = add(self.matrix, substitute(self.matrix, values), self.matrix.dtype)
        return Nest((self.rows, self.columns), (self._set(name, self.row, self.place, both),), at=at)

    def before(self, name: str, at: Location | None) -> list[Nest]:
        """What stands in the symmetric matrix before the loop over the rows of a triangle."""
        zero = const(0, self.matrix.dtype)
        return [] if self.has_diagonal else [Nest((self.rows,), (self._set(name, self.row, self.row, zero),), at=at)]

    def inside(self, name: str, at: Location | None) -> list[Nest]:
        """What an iteration adds to it: a row, the column that mirrors it, and where the two meet."""
        sides = [self._set(name, *place, self.matrix) for place in ((self.row, self.place), (self.place, self.row))]
        nests = [Nest((self.column,), (side,), at=at) for side in sides]
        diagonal = substitute(self.matrix, {self.column.var: Affine.of(self.rows.var) - self.shift})
        twice = self._set(name, self.row, self.row, add(diagonal, diagonal, self.matrix.dtype))
        return [*nests, Nest((), (twice,), at=at)] if self.has_diagonal else nests

    def _set(self, name: str, row: Affine, column: Affine, value: Expr) -> Assign:
        return Assign(Access(name, (row, column)), "=", value)


@dataclass(frozen=True)
class _Pair:
    """Two products, by their places in a body, and the first of them, which the square is seen in; it multiplies that
    with `operand`."""

    places: tuple[int, int]
    first: Nest
    second: Nest
    square: _Square
    operand: Load

    def product(self, name: str) -> Nest:
        """Both of them, by the symmetric matrix of that name."""
        square, assign = self.square, self.first.assigns[0]
        symmetric = Load(name, (square.row, square.place), square.matrix.dtype)
        value = map_expr(assign.value, lambda e: symmetric if e == square.matrix else None)
        others = {square.column.var: square.columns, square.rows.var: square.rows}
        domain = tuple(others.get(r.var, r) for r in self.first.domain)
        around = () if square.rows in self.first.domain else (square.rows,)
        return replace(self.first, domain=(*around, *domain), assigns=(replace(assign, value=value),))


@dataclass(frozen=True)
class _Making:
    """Rewrites bodies; `arrays` are what it makes."""

    usage: Usage
    arrays: dict[str, Array]
    names: NameSupply

    def body(self, body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        out: list[Node] = []
        for node in self._beside(body):
            out += self._loop(node, scope) if isinstance(node, Loop) else (node,)
        return tuple(out)

    def _beside(self, body: tuple[Node, ...]) -> Iterator[Node]:
        """Pairs of products of whole matrices in the place of the first of them."""
        pairs = {pair.places[0]: pair for pair in _whole_pairs(body)}
        gone = {pair.places[1] for pair in pairs.values()}
        for place, node in enumerate(body):
            if place in pairs:
                pair = pairs[place]
                name = self._new(pair.square)
                yield from (pair.square.whole(name, pair.first.at), pair.product(name))
            elif place not in gone:
                yield node

    def _loop(self, loop: Loop, scope: Scope) -> Iterator[Node]:
        """The loop, and the products of its pairs behind it."""
        nests = tuple(n for n in loop.body if isinstance(n, Nest))
        rows = affine_range(loop)
        if rows is None or not len(nests) == len(loop.body) <= MAX_NESTS or not _has_triangles(nests, loop.var):
            yield loop
            return
        private = private_arrays(nests, self.usage, scope.enter(loop))
        terms = [as_products(nest, loop.var, private) for nest in nests]
        pairs = [pair for pair in _pairs(terms, rows, private) if _may_move(pair, nests)]
        if not pairs:
            yield loop
            return
        taken = {id(term) for pair in pairs for term in (pair.first, pair.second)}
        left = [_left(nest, found, taken) for nest, found in zip(nests, terms, strict=True)]
        products: list[Node] = []
        for own in _by_square(pairs, nests):
            square = own[0].square
            name = self._new(square)
            place = min(min(pair.places) for pair in own)
            left[place] = [*square.inside(name, loop.at), *left[place]]
            yield from square.before(name, loop.at)
            for pair in own:
                products += [pair.product(name)] if square.has_diagonal else self._careful(pair, name)
        yield replace(loop, body=tuple(nest for found in left for nest in found))
        yield from products

    def _careful(self, pair: _Pair, name: str) -> list[Node]:
        """The product where zeros on the diagonal add nothing: what they meet is finite, or they are left out."""
        product, square = pair.product(name), pair.square
        assign = product.assigns[0]
        count = self.names.new(f"{pair.operand.array}_infinite")
        self.arrays[count] = Array(count, (), pair.operand.dtype)
        none, one = const(0, pair.operand.dtype), const(1, pair.operand.dtype)
        finite = Op("isfinite", (pair.operand,), "bool")
        domain = tuple(r for r in product.domain if r.var in pair.operand.variables)
        apart = compare("not_equal", IndexValue(square.row), IndexValue(square.place))
        value = where(apart, assign.value, const(0, assign.value.dtype), assign.value.dtype)
        return [
            Nest((), (Assign(Access(count, ()), "=", none),), at=product.at),
            Nest(domain, (Assign(Access(count, ()), "+=", where(finite, none, one, none.dtype)),), at=product.at),
            Branch(
                compare("equal", Load(count, (), none.dtype), none),
                (product,),
                (replace(product, assigns=(replace(assign, value=value),)),),
                at=product.at,
            ),
        ]

    def _new(self, square: _Square) -> str:
        size = square.rows.width.const
        name = self.names.new(f"{square.matrix.array}_both")
        self.arrays[name] = Array(name, (size, size), square.matrix.dtype)
        return name


def _has_triangles(nests: Sequence[Nest], var: str) -> bool:
    """Whether there may be products with two of them, as can be seen at once."""
    return sum(len(nest.assigns) for nest in nests if any(moves(r, var) for r in nest.domain)) > 1


def _by_square(pairs: Sequence[_Pair], nests: Sequence[Nest]) -> list[list[_Pair]]:
    """The pairs together that have the same symmetric matrix."""
    found: dict[tuple[_Square, int], list[_Pair]] = {}
    for pair in pairs:
        changes = sum(pair.square.matrix.array in writes((nest,)) for nest in nests[: min(pair.places)])
        found.setdefault((pair.square, changes), []).append(pair)
    return list(found.values())


def _left(nest: Nest, terms: Sequence[Nest], taken: set[int]) -> list[Nest]:
    """A nest without the terms that are taken."""
    rest = [term for term in terms if id(term) not in taken]
    return [nest] if len(rest) == len(terms) else rest


def _whole_pairs(body: Sequence[Node]) -> Iterator[_Pair]:
    """Of products of whole matrices with nothing between them that they depend on."""
    products = [(place, node) for place, node in enumerate(body) if isinstance(node, Nest) and _is_product(node)]
    taken: set[int] = set()
    for number, (place, first) in enumerate(products):
        for other, second in products[number + 1 : number + MAX_NESTS]:
            if taken.isdisjoint({place, other}):
                found = _in_square(first, second)
                if found is not None and not _is_touched(first, second, body[place + 1 : other]):
                    taken |= {place, other}
                    yield _Pair((place, other), first, second, *found)


def _is_product(nest: Nest) -> bool:
    return len(nest.domain) > 2 and len(nest.assigns) == 1 and nest.assigns[0].op == "+="


def _in_square(first: Nest, second: Nest) -> tuple[_Square, Load] | None:
    """The matrix of two products, and what the first multiplies it with."""
    if first.assigns[0].target.array != second.assigns[0].target.array:
        return None
    for row, column in permutations(first.domain, 2):
        if (row.start, row.stop) == (column.start, column.stop) and _is_large(first, {row, column}, row):
            exchange = Exchange(row.var, column.var, Affine(0))
            for other in renamed_like(second, first):
                found = mirrored(first, other, exchange)
                if found is not None:
                    return _Square(found.matrix, row, column, Affine(0)), found.operand
    return None


def _is_touched(first: Nest, second: Nest, between: Sequence[Node]) -> bool:
    """Whether something between two updates of an array reads or writes it, or writes what they read."""
    target = first.assigns[0].target.array
    read = {load.array for nest in (first, second) for load in node_loads(nest)}
    return target in read | loaded(tuple(between)) or not ({target} | read).isdisjoint(writes(tuple(between)))


def _pairs(terms: Sequence[Sequence[Nest]], rows: Range, private: Sequence[str]) -> Iterator[_Pair]:
    """Of the terms of a loop, by nest, each in one pair at most."""
    listed = [(place, term) for place, found in enumerate(terms) for term in found]
    taken: set[int] = set()
    for (place, first), (other, second) in permutations(listed, 2):
        if taken.isdisjoint({id(first), id(second)}):
            found = _in_triangle(first, second, rows, private)
            if found is not None:
                taken |= {id(first), id(second)}
                yield _Pair((place, other), first, second, *found)


def _in_triangle(first: Nest, second: Nest, rows: Range, private: Sequence[str]) -> tuple[_Square, Load] | None:
    """The triangle of two products, of which the first adds to the rows that its columns name."""
    column = next((r for r in first.domain if moves(r, rows.var)), None)
    for other in renamed_like(second, first) if column else ():
        assert column is not None, "there are columns"
        shift = _shift(first.assigns[0].target, other.assigns[0].target, rows.var, column.var)
        triangle = _triangle(column, rows, shift) if shift is not None else None
        if shift is None or triangle is None or not _is_large(first, {column}, triangle[0]):
            continue
        found = mirrored(first, other, Exchange(rows.var, column.var, shift, private))
        if found is not None:
            square, has_diagonal = triangle
            return _Square(found.matrix, square, column, shift, has_diagonal), found.operand
    return None


def _shift(first: Access, second: Access, row: str, column: str) -> Affine | None:
    """From a column to the row that the second target has in its place."""
    if first.array != second.array:
        return None
    for a, b in zip(first.index, second.index, strict=True):
        if isinstance(a, Affine) and isinstance(b, Affine) and a.coefficient(column) == b.coefficient(row) == 1:
            shift = (a - Affine.of(column)) - (b - Affine.of(row))
            return shift if shift.is_const else None
    return None


def _triangle(column: Range, rows: Range, shift: Affine) -> tuple[Range, bool] | None:
    """The rows of the square if the columns of each row go from its diagonal to an end of the square, or from there to
    the diagonal, and whether this is among them; without it the last row of the triangle may be left out."""
    start, stop, row = column.start + shift, column.stop + shift, Affine.of(rows.var)
    if (start, stop) in ((row, rows.stop), (rows.start, row + 1)):
        return rows, True
    if start == row + 1 and stop in (rows.stop, rows.stop + 1):
        return replace(rows, stop=stop), False
    if stop == row and start in (rows.start, rows.start - 1):
        return replace(rows, start=start), False
    return None


def _is_large(nest: Nest, square: set[Range], rows: Range) -> bool:
    """Whether it is worth a symmetric matrix; `square` are those ranges of the nest that it has anyway."""
    beside = [r for r in nest.domain if r not in square]
    if not all(r.width.is_const for r in (*beside, rows)):
        return False
    share, elements = points(beside), rows.width.const**2
    return share >= LEAST_SHARE and share * elements >= LEAST_WORK and elements <= MAX_ELEMENTS


def _may_move(pair: _Pair, nests: Sequence[Nest]) -> bool:
    """Whether both products may be computed behind the loop, with the triangle as it was at the first of them."""
    target, triangle = pair.first.assigns[0].target.array, pair.square.matrix.array
    read = {load.array for term in (pair.first, pair.second) for load in node_loads(term)} - {triangle}
    low, high = sorted(pair.places)
    return (
        target not in {load.array for nest in nests for load in node_loads(nest)}
        and all(a.op == "+=" for nest in nests for a in nest.assigns if a.target.array == target)
        and read.isdisjoint(writes(tuple(nests)))
        and triangle not in writes(tuple(nests[low : high + 1]))
    )
