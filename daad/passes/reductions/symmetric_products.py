"""Two products with a triangle that mirror each other become one product with a symmetric matrix.

What a symmetric result sends back to its two operands, row by row, is a triangle times the one and, the other way
round, the same triangle times the other. The triangle with its mirror image makes one large product of the two.

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

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from daad.analysis.alias import moves
from daad.analysis.context import Scope, map_scoped_bodies
from daad.analysis.matrix_products import as_products
from daad.analysis.privatization import private_arrays
from daad.analysis.sites import loop_bounds
from daad.analysis.uses import Usage
from daad.errors import Location
from daad.ir.affine import Affine
from daad.ir.constructors import add, compare, const, where
from daad.ir.name_supply import NameSupply
from daad.ir.nodes import Access, Array, Assign, Branch, IndexValue, Load, Loop, Nest, Node, Op, Program, Range
from daad.ir.walk import map_expr, node_loads, substitute, substitute_assign, variables, writes
from daad.passes.definition import Form, Pass, forms
from daad.passes.reductions.reduction_simplification import Factor, factors_of, points

LEAST_WORK = 30_000  # multiplications: fewer are not worth a call
LEAST_SHARE = 16  # multiplications for each element of the symmetric matrix, which has to be written
MAX_ELEMENTS = 2**24  # of the symmetric matrix
MAX_NESTS = 12

PASS = Pass(
    "symmetric-products",
    lambda program, goal: program if goal.is_spare else multiply_symmetrically(program, goal.live),
    "Products with a triangle and with its mirror image become one product with a symmetric matrix.",
    requires=forms(Form.SPLIT),
    for_caches=True,
)


def multiply_symmetrically(program: Program, live: frozenset[str]) -> Program:
    """The program with such pairs in innermost loops as products behind them."""
    making = _Making(Usage(program, live), {}, NameSupply.of(program))
    body = map_scoped_bodies(program.body, making.body, Scope())
    return replace(program, body=body, arrays={**program.arrays, **making.arrays}) if making.arrays else program


@dataclass(frozen=True)
class _Term:
    """One product of a loop, and the place of its nest in the body."""

    place: int
    nest: Nest

    @property
    def assign(self) -> Assign:
        return self.nest.assigns[0]


@dataclass(frozen=True)
class _Square:
    """A triangle `matrix` at the points of `column`, for each row of `rows`, with its diagonal or without; the row of a
    column is `column + shift`."""

    matrix: Load
    rows: Range
    column: Range
    shift: Affine
    has_diagonal: bool

    @property
    def row(self) -> Affine:
        """Where a row stands in the symmetric matrix."""
        return Affine.of(self.rows.var) - self.rows.start

    @property
    def place(self) -> Affine:
        """Where a column stands in the symmetric matrix."""
        return Affine.of(self.column.var) + self.shift - self.rows.start

    def before(self, name: str, at: Location | None) -> list[Nest]:
        """What stands in the symmetric matrix before the loop."""
        zero = Assign(Access(name, (self.row, self.row)), "=", const(0, self.matrix.dtype))
        return [] if self.has_diagonal else [Nest((self.rows,), (zero,), at=at)]

    def inside(self, name: str, at: Location | None) -> list[Nest]:
        """What an iteration adds to it: a row, the column that mirrors it, and where the two meet."""
        places = [(self.row, self.place), (self.place, self.row)]
        sides = [Nest((self.column,), (Assign(Access(name, place), "=", self.matrix),), at=at) for place in places]
        diagonal = substitute(self.matrix, {self.column.var: Affine.of(self.rows.var) - self.shift})
        twice = Assign(Access(name, (self.row, self.row)), "=", add(diagonal, diagonal, self.matrix.dtype))
        return [*sides, Nest((), (twice,), at=at)] if self.has_diagonal else sides


@dataclass(frozen=True)
class _Pair:
    """Two products of which one is the other with rows and columns of the square exchanged; `operand` is what the first
    multiplies the square with."""

    terms: tuple[_Term, _Term]
    square: _Square
    operand: Load

    def product(self, name: str) -> Nest:
        """Both of them, by the symmetric matrix of that name."""
        nest, square = self.terms[0].nest, self.square
        symmetric = Load(name, (square.row, square.place), square.matrix.dtype)
        assign = nest.assigns[0]
        value = map_expr(assign.value, lambda e: symmetric if e == square.matrix else None)
        all_columns = Range(square.column.var, square.rows.start - square.shift, square.rows.stop - square.shift)
        domain = tuple(all_columns if r.var == square.column.var else r for r in nest.domain)
        return replace(nest, domain=(square.rows, *domain), assigns=(replace(assign, value=value),))


@dataclass(frozen=True)
class _Making:
    """Rewrites bodies; `arrays` are the symmetric matrices."""

    usage: Usage
    arrays: dict[str, Array]
    names: NameSupply

    def body(self, body: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
        out: list[Node] = []
        for node in body:
            out += self._loop(node, scope) if isinstance(node, Loop) else (node,)
        return tuple(out)

    def _loop(self, loop: Loop, scope: Scope) -> Iterator[Node]:
        """The loop, and the products of its pairs behind it."""
        nests = tuple(n for n in loop.body if isinstance(n, Nest))
        rows = _rows_of(loop)
        if rows is None or not 1 < len(nests) == len(loop.body) <= MAX_NESTS:
            yield loop
            return
        private = private_arrays(nests, self.usage, scope.enter(loop))
        terms = [as_products(nest, loop.var, private) for nest in nests]
        listed = [_Term(place, term) for place, found in enumerate(terms) for term in found]
        pairs = [pair for pair in _pairs(listed, rows, private) if _may_move(pair, nests)]
        if not pairs:
            yield loop
            return
        taken = {id(term.nest) for pair in pairs for term in pair.terms}
        left = [_left(nest, found, taken) for nest, found in zip(nests, terms, strict=True)]
        products: list[Node] = []
        for own in _by_square(pairs, nests):
            square = own[0].square
            name = self._new(square)
            place = min(term.place for pair in own for term in pair.terms)
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


def _rows_of(loop: Loop) -> Range | None:
    low, high = loop_bounds(loop)
    if not isinstance(low, Affine) or not isinstance(high, Affine) or not (high - low).is_const:
        return None
    return Range(loop.var, low, high) if 1 < (high - low).const ** 2 <= MAX_ELEMENTS else None


def _by_square(pairs: Sequence[_Pair], nests: Sequence[Nest]) -> list[list[_Pair]]:
    """The pairs together that have the same symmetric matrix."""
    found: dict[tuple[_Square, int], list[_Pair]] = {}
    for pair in pairs:
        before = nests[: min(term.place for term in pair.terms)]
        changes = sum(pair.square.matrix.array in writes((nest,)) for nest in before)
        found.setdefault((pair.square, changes), []).append(pair)
    return list(found.values())


def _left(nest: Nest, terms: Sequence[Nest], taken: set[int]) -> list[Nest]:
    """A nest without the terms that are taken."""
    rest = [term for term in terms if id(term) not in taken]
    return [nest] if len(rest) == len(terms) else rest


def _pairs(terms: Sequence[_Term], rows: Range, private: Sequence[str]) -> Iterator[_Pair]:
    """Each term in one pair at most."""
    taken: set[int] = set()
    for first, second in permutations(terms, 2):
        if taken.isdisjoint({id(first), id(second)}):
            found = _pair(first, second, rows, private)
            if found is not None:
                taken |= {id(first), id(second)}
                yield found


def _pair(first: _Term, second: _Term, rows: Range, private: Sequence[str]) -> _Pair | None:
    """Two products if the second is the first with rows and columns exchanged, and the first adds to the rows that its
    columns name."""
    nest, other = first.nest, _like(second.nest, first.nest)
    column = next((r for r in nest.domain if moves(r, rows.var)), None)
    shift = _shift(nest.assigns[0].target, other.assigns[0].target, rows.var, column.var) if other and column else None
    if other is None or column is None or shift is None:
        return None
    triangle = _triangle(column, rows, shift)
    if triangle is None or not _is_large(nest, column, triangle[0]):
        return None
    exchange = {rows.var: Affine.of(column.var) + shift, column.var: Affine.of(rows.var) - shift}
    if substitute_assign(nest.assigns[0], exchange).target != other.assigns[0].target:
        return None
    factors, mirrored = (Counter(factors_of(n.assigns[0].value)) for n in (nest, other))
    own = {rows.var, *(r.var for r in nest.domain)}
    for matrix in factors:
        rest = factors - Counter([matrix])
        operands = [f for f in rest if variables(f.value) & own]
        is_matrix = _is_matrix(matrix, rows.var, column.var, nest, private) and len(operands) == 1
        if is_matrix and mirrored == _exchanged(rest, exchange) + Counter([matrix]):
            operand = operands[0]
            if isinstance(matrix.value, Load) and isinstance(operand.value, Load) and not operand.divides:
                square, has_diagonal = triangle
                found = _Square(matrix.value, square, column, shift, has_diagonal)
                return _Pair((first, second), found, operand.value)
    return None


def _exchanged(factors: Counter[Factor], exchange: Mapping[str, Affine]) -> Counter[Factor]:
    return Counter({replace(f, value=substitute(f.value, exchange)): count for f, count in factors.items()})


def _like(nest: Nest, model: Nest) -> Nest | None:
    """The nest with the variables of another one that goes through the same ranges, in any order."""
    for domain in permutations(nest.domain) if len(nest.domain) == len(model.domain) else ():
        if all((r.start, r.stop) == (m.start, m.stop) for r, m in zip(domain, model.domain, strict=True)):
            names = {r.var: Affine.of(m.var) for r, m in zip(domain, model.domain, strict=True)}
            return replace(nest, domain=model.domain, assigns=tuple(substitute_assign(a, names) for a in nest.assigns))
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


def _is_large(nest: Nest, column: Range, rows: Range) -> bool:
    beside = [r for r in nest.domain if r is not column]
    if not all(r.width.is_const for r in beside):
        return False
    share = points(beside)
    return share >= LEAST_SHARE and share * rows.width.const**2 >= LEAST_WORK


def _is_matrix(factor: Factor, row: str, column: str, nest: Nest, private: Sequence[str]) -> bool:
    """Whether a factor knows rows and columns, and nothing of the other ranges."""
    value = factor.value
    if not isinstance(value, Load) or factor.divides:
        return False
    own = variables(value) | ({row} if value.array in private else set())
    return {row, column} <= own and own.isdisjoint(r.var for r in nest.domain if r.var != column)


def _may_move(pair: _Pair, nests: Sequence[Nest]) -> bool:
    """Whether both products may be computed behind the loop, with the triangle as it was at the first of them."""
    target, triangle = pair.terms[0].assign.target.array, pair.square.matrix.array
    read = {load.array for term in pair.terms for load in node_loads(term.nest)} - {triangle}
    first, last = sorted(term.place for term in pair.terms)
    return (
        target not in {load.array for nest in nests for load in node_loads(nest)}
        and all(a.op == "+=" for nest in nests for a in nest.assigns if a.target.array == target)
        and read.isdisjoint(writes(tuple(nests)))
        and triangle not in writes(tuple(nests[first : last + 1]))
    )
