"""Staged values: arrays and run-time scalars while a Python function is read.

A `View` is a place in an array of the Program, so that slices of slices, transposes and writing through views are
exact; a `Lazy` is an elementwise value that is not written anywhere yet. Both are made by the `Stage` only, which
keeps track of them: a write to what a Lazy reads settles it first.
Inside a value the own axes are symbols; extents and indices may also name loop variables.
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from functools import cache, partial
from operator import attrgetter
from typing import Any, NamedTuple, Self

import numpy as np

from daad.ir.affine import Affine
from daad.ir.constructors import const
from daad.ir.dtypes import is_float, name_of
from daad.ir.nodes import Const, Expr, Index, IndexValue, Load, Op
from daad.ir.operations import OPERATIONS
from daad.ir.symbols import Kind, form, parts_of, symbol
from daad.ir.walk import loads

Shape = tuple[Affine, ...]
ZERO, ONE = Affine(0), Affine(1)


def axis(number: int) -> str:
    """The placeholder of a value's own axis."""
    return symbol(Kind.AXIS, number)


def is_axis(name: str) -> bool:
    """Whether a name is such a placeholder."""
    return parts_of(Kind.AXIS, name) is not None


def own_axes(rank: int) -> tuple[Affine, ...]:
    """The placeholders of all axes, as an index."""
    return tuple(form(Kind.AXIS, k) for k in range(rank))


@cache
def _slots(cls: type) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """The names of all that a staged value of this class holds, and what takes it from one."""
    slots = (name for one in cls.__mro__ for name in getattr(one, "__slots__", ()))
    names = tuple(name for name in slots if name != "__weakref__")
    return names, attrgetter(*names)


ROUNDED = ("floor", "ceil", "trunc", "rint")
UNHASHABLE = "what the run decides is no key"


class NumberType(NamedTuple):
    """The type of what has no axes: a Python number (`weak`), NumPy's scalar, or an array (`boxed`)."""

    dtype: str
    weak: bool
    boxed: bool


def only(dtype: str, weak: bool, boxed: bool) -> frozenset[NumberType]:
    """The types of what is of one for sure."""
    return frozenset((NumberType(dtype, weak, boxed),))


def several(*types: frozenset[NumberType]) -> frozenset[NumberType]:
    """All of these types, among which data decide; empty if it is one."""
    found = frozenset[NumberType]().union(*types)
    return found if len(found) > 1 else frozenset()


class ArrayValue:
    """An array, or a scalar of shape (), known at run time.

    `weak`: a Python number (int, float, bool), which takes part in NumPy's promotion as such. `depth` is that of the
    block where it was made; `origin` the serial number of the value that it continues after the reader went back;
    `fixed`: NumPy has an array that must not be written; `boxed`: it has an array although there are no axes, and no
    number; `mixed`: of what types it may be, where data decide that.
    """

    __slots__ = ("__weakref__", "boxed", "depth", "dtype", "fixed", "mixed", "origin", "serial", "shape", "weak")
    shape: Shape
    dtype: np.dtype[Any]
    weak: bool
    serial: int
    origin: int
    depth: int
    fixed: bool
    boxed: bool
    mixed: frozenset[NumberType]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def types(self) -> frozenset[NumberType]:
        """What types a value without axes may have."""
        return self.mixed or only(self.dtype.name, self.weak, self.boxed)

    def __copy__(self) -> Self:
        cls: Any = type(self)
        made: Self = object.__new__(cls)
        names, contents = _slots(cls)
        for name, content in zip(names, contents(self), strict=True):
            setattr(made, name, content)
        return made

    def continuing(self, value: ArrayValue) -> Self:
        """Itself, of the type of another value and to be written only as that."""
        self.fixed, self.boxed, self.mixed = value.fixed, self.boxed or value.boxed, value.mixed
        return self

    def __eq__(self, other: object) -> bool:
        """Code that is not read must not take two values of the run for two things."""
        if self is other or not isinstance(other, ArrayValue | Complex | int | float | complex | np.generic):
            return self is other
        raise TypeError("what the run decides is compared by code that is not read")

    def __hash__(self) -> int:
        raise TypeError(UNHASHABLE)

    def element(self, index: Sequence[Index]) -> Expr:
        """The value at one point; one index per axis, in range and never negative."""
        raise NotImplementedError

    def reads(self) -> set[str]:
        """Arrays whose change would change this value without its being written to."""
        raise NotImplementedError


class View(ArrayValue):
    """The place `base[index]`, one index per dimension of the base, in terms of own axes.

    `doubt`: not 0 where NumPy may have a copy instead; places with the same number belong to the same copy. Of two
    values for one place that have the same `identity` Python has one object; of others that is not known.
    """

    __slots__ = ("base", "doubt", "identity", "index")

    def __init__(self, base: str, shape: Shape, dtype: np.dtype[Any], index: tuple[Index, ...], weak: bool) -> None:
        self.base, self.shape, self.dtype, self.index, self.weak = base, shape, dtype, index, weak
        self.doubt, self.fixed, self.boxed, self.mixed = 0, False, False, frozenset()
        self.identity: object | None = None

    def place(self, index: Sequence[Index]) -> tuple[Index, ...]:
        """The index into the base of one point of the view."""
        values = _by_axis(index)
        return tuple(substitute_index(i, values) for i in self.index)

    def element(self, index: Sequence[Index]) -> Expr:
        return Load(self.base, self.place(index), name_of(self.dtype))

    def reads(self) -> set[str]:
        return {load.array for i in self.index for load in loads(i)}

    def __repr__(self) -> str:
        return f"View({self.base}, {', '.join(map(str, self.shape))})"


class Order(IntEnum):
    """What is known of how NumPy has an array in memory; SORTED: a copy of it is contiguous; REPEATED: so is what
    ufuncs compute from it, a copy is not, of which repeated axes run fastest."""

    UNKNOWN = 0
    REPEATED = 1
    SORTED = 2
    CONTIGUOUS = 3


class Lazy(ArrayValue):
    """The elementwise value `expr` of own axes, to be computed where it is used."""

    __slots__ = ("expr", "order")

    def __init__(self, shape: Shape, dtype: np.dtype[Any], expr: Expr, weak: bool) -> None:
        self.shape, self.dtype, self.expr, self.weak = shape, dtype, expr, weak
        self.order, self.fixed, self.boxed, self.mixed = Order.CONTIGUOUS, False, False, frozenset()

    def element(self, index: Sequence[Index]) -> Expr:
        return substitute(self.expr, _by_axis(index))

    def reads(self) -> set[str]:
        return {load.array for load in loads(self.expr)}

    def __repr__(self) -> str:
        return f"Lazy({', '.join(map(str, self.shape))})"


class Complex:
    """A complex array or number: two real ones of one shape and dtype, both weak or neither; the Program sees these."""

    __slots__ = ("imag", "real")

    def __init__(self, real: Any, imag: Any) -> None:
        self.real, self.imag = real, imag

    @property
    def parts(self) -> tuple[Any, Any]:
        return self.real, self.imag

    @property
    def shape(self) -> Shape:
        shape: Shape = self.real.shape
        return shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.result_type(self.real.dtype, np.complex64)

    @property
    def weak(self) -> bool:
        return bool(self.real.weak)

    def __repr__(self) -> str:
        return f"Complex({self.real!r}, {self.imag!r})"


class Subarray:
    """An array of a class derived from NumPy's: what it holds, and `state`, which has its class and attributes."""

    __slots__ = ("array", "state")

    def __init__(self, array: ArrayValue | Complex, state: State) -> None:
        self.array, self.state = array, state

    @property
    def cls(self) -> type[np.ndarray]:
        return self.state.cls

    def __repr__(self) -> str:
        return f"Subarray({self.array!r}, {self.cls.__name__})"


class State:
    """What tells an array of a class of its own from any other; its attributes are variables of the program.

    `merged`: a name may stand for this array or another one with equal attributes; `shape`: the one that the class's
    own code has given the array last.
    """

    __slots__ = ("__dict__", "cls", "merged", "shape")

    def __init__(self, cls: type[np.ndarray]) -> None:
        self.cls, self.merged = cls, False
        self.shape: Any = None

    def merges(self, other: State) -> bool:
        """Whether one name may stand for an array of either: nothing but the elements tells them apart."""
        same = self.cls is other.cls and _equal_constants(vars(self), vars(other))
        if self is not other and same:
            self.merged = other.merged = True
        return self is other or same


def _equal_constants(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether attributes are the same constants."""
    return a.keys() == b.keys() and all(
        a[name] is b[name] or (isinstance(a[name], int | float | str) and repr(a[name]) == repr(b[name])) for name in a
    )


class Composite:
    """A value that holds others, which its variable's storage may hold: a function with its defaults."""

    @property
    def parts(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def of(self, parts: tuple[Any, ...]) -> Any:
        """One like this, of other parts."""
        raise NotImplementedError

    def is_like(self, other: Any) -> bool:
        """Whether they differ in their parts only."""
        raise NotImplementedError


def taken_apart(value: Any) -> tuple[Any, ...] | None:
    """What a variable's value is made of, if that are several values: the items of a tuple, a complex one's parts, what
    a function has been given beforehand."""
    if isinstance(value, Complex | Composite):
        return value.parts
    if isinstance(value, Subarray):
        return (value.array,)
    if type(value) is partial:
        return value.func, *value.args, *value.keywords.values()
    return value if type(value) is tuple else None


def put_together(like: Any, items: Iterable[Any]) -> Any:
    """A value like one that was taken apart, of other items."""
    if isinstance(like, Subarray):
        return Subarray(next(iter(items)), like.state)
    if isinstance(like, Complex):
        return Complex(*items)
    if isinstance(like, Composite):
        return like.of(tuple(items))
    if type(like) is not partial:
        return tuple(items)
    function, *given = items
    count = len(like.args)
    return partial(function, *given[:count], **dict(zip(like.keywords, given[count:], strict=True)))


def are_alike(a: Any, b: Any) -> bool:
    """Whether two values that can be taken apart differ in their parts only."""
    if type(a) is not type(b) or len(taken_apart(a) or ()) != len(taken_apart(b) or ()):
        return False
    if isinstance(a, Composite):
        return a.is_like(b)
    return type(a) is not partial or (len(a.args), list(a.keywords)) == (len(b.args), list(b.keywords))


def _by_axis(index: Sequence[Index]) -> dict[str, Index]:
    return {axis(k): i for k, i in enumerate(index)}


def is_staged(value: Any) -> bool:
    """Whether the value is known at run time only; containers are looked into."""
    if isinstance(value, ArrayValue | Complex | Subarray):
        return True
    if isinstance(value, dict | types.MappingProxyType):
        return any(map(is_staged, value.values()))
    return isinstance(value, list | deque | tuple | set | frozenset) and any(map(is_staged, value))


def affine_of(value: Any) -> Affine | None:
    """A Python int, or a staged int that is affine in loop variables and int parameters; None for all else."""
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, int | np.integer) and not isinstance(value, np.timedelta64):
        return Affine(int(value))
    if isinstance(value, Lazy) and not value.shape and isinstance(value.expr, IndexValue):
        return value.expr.form
    return None


def count_of(value: Any) -> Affine | None:
    """The same where Python counts with it: True is 1, False is 0."""
    return affine_of(int(value) if isinstance(value, bool) else value)


def form_of(expr: Index) -> Affine | None:
    """The affine form of an integer expression."""
    if isinstance(expr, Affine):
        return expr
    if isinstance(expr, IndexValue):
        return expr.form
    integral = isinstance(expr, Const) and isinstance(expr.value, int) and not isinstance(expr.value, bool)
    return Affine(int(expr.value)) if isinstance(expr, Const) and integral else None


def index_names(expr: Expr) -> set[str]:
    """Loop variables and int parameters whose values the expression uses, apart from loads."""
    if isinstance(expr, IndexValue):
        return set(expr.form.names)
    return {name for arg in expr.args for name in index_names(arg)} if isinstance(expr, Op) else set()


def is_costly(expr: Expr) -> bool:
    """Whether the expression is worth more than a few loads and additions, or a division."""
    if not isinstance(expr, Op):
        return False
    own = is_float(expr.dtype) and OPERATIONS[expr.name].price > OPERATIONS["divide"].price
    return own or any(map(is_costly, expr.args))


def expr_of(index: Index) -> Expr:
    """An index as a scalar value."""
    if not isinstance(index, Affine):
        return index
    return Const(index.const, "int64") if index.is_const else IndexValue(index)


def index_of(expr: Expr) -> Index:
    """A scalar integer value as an index, affine if possible."""
    form = form_of(expr)
    return expr if form is None else form


def cast(expr: Expr, dtype: Any) -> Expr:
    """`expr` converted to a dtype; literals are converted on the spot."""
    wanted = np.dtype(dtype)
    name = name_of(wanted)
    if expr.dtype == name:
        return expr
    if isinstance(expr, Const):
        with np.errstate(invalid="ignore"):
            is_large = isinstance(expr.value, int) and expr.value > np.iinfo(np.int64).max
            value = wanted.type(expr.value) if is_large else np.asarray(expr.value).astype(wanted)
        return Const(value.item(), name)
    if isinstance(expr, IndexValue) and wanted == np.int64:
        return expr
    if (whole := _whole(expr, name)) is not None:
        return whole
    return Op("cast", (expr,), name)


def _whole(expr: Expr, dtype: str) -> Expr | None:
    """The rounded number that an integer was made of, and that is to be a float again: no integer of 64 bits need hold
    it, as none need in Python. Only -0.0 becomes 0.0."""
    if not isinstance(expr, Op) or expr.name != "cast" or expr.dtype != "int64":
        return None
    rounded = expr.args[0]
    if not isinstance(rounded, Op) or rounded.name not in ROUNDED or rounded.dtype != dtype:
        return None
    return Op("add", (rounded, const(0.0, dtype)), dtype)


def weak_type(value: Any) -> Any:
    """What stands for a value in `np.result_type`: a Python number for a weak scalar, otherwise a dtype."""
    if isinstance(value, ArrayValue | Complex):
        return value.dtype.type(0).item() if value.weak else value.dtype
    if is_python_number(value):
        return value if isinstance(value, complex) else type(value)(0)
    return np.asarray(value).dtype


def promote(*values: Any) -> np.dtype[Any]:
    """NumPy's result type of staged values and Python numbers, weak scalars as in NumPy 2."""
    return np.result_type(*map(weak_type, values))


def is_weak(*values: Any) -> bool:
    """Whether a result of these operands is a Python number again: all are Python numbers."""
    return all(v.weak if isinstance(v, ArrayValue | Complex) else is_python_number(v) for v in values)


def is_python_number(value: Any) -> bool:
    """Whether it is one of Python's own: some of NumPy's scalars are subclasses of these."""
    return isinstance(value, bool | int | float | complex) and not isinstance(value, np.generic)


def is_number(value: Any) -> bool:
    """Whether a staged value is a number of Python's or NumPy's, and no array."""
    first = value.real if isinstance(value, Complex) else value
    return isinstance(first, ArrayValue) and not first.shape and not first.boxed


def types_of(value: Any) -> frozenset[NumberType]:
    """What types a number, or a value without axes, may have."""
    if isinstance(value, ArrayValue | Complex):
        return value.real.types if isinstance(value, Complex) else value.types
    return only(np.asarray(value).dtype.name, is_python_number(value), isinstance(value, np.ndarray))


def mixture(*values: Any) -> frozenset[NumberType]:
    """The types among which data decide if they choose one of the values; empty if there is one."""
    return several(*map(types_of, values))


def is_one(extent: Affine) -> bool:
    return extent == ONE


def broadcast_index(value: ArrayValue, index: Sequence[Index]) -> tuple[Index, ...]:
    """The index of `value` at a point of a shape that it broadcasts to: axes align from the right, extent 1 repeats."""
    own = index[len(index) - value.ndim :]
    return tuple(ZERO if is_one(extent) else i for extent, i in zip(value.shape, own, strict=True))


def substitute(expr: Expr, values: Mapping[str, Index]) -> Expr:
    """Replaces names in all affine forms by affine forms or by integer expressions."""
    if not values:
        return expr
    memo: dict[Expr, Expr] = {}

    def visit(node: Expr) -> Expr:
        if node not in memo:
            memo[node] = rebuilt(node)
        return memo[node]

    def visit_index(index: Index) -> Index:
        return _substitute_form(index, values) if isinstance(index, Affine) else index_of(visit(index))

    def rebuilt(node: Expr) -> Expr:
        if isinstance(node, Op):
            return Op(node.name, tuple(map(visit, node.args)), node.dtype)
        if isinstance(node, Load):
            return Load(node.array, tuple(map(visit_index, node.index)), node.dtype)
        return expr_of(_substitute_form(node.form, values)) if isinstance(node, IndexValue) else node

    return visit(expr)


def substitute_index(index: Index, values: Mapping[str, Index]) -> Index:
    """The same for an index."""
    return _substitute_form(index, values) if isinstance(index, Affine) else index_of(substitute(index, values))


def _substitute_form(form: Affine, values: Mapping[str, Index]) -> Index:
    affine = {name: value for name, value in values.items() if isinstance(value, Affine)}
    other = [(c, name) for name, c in form.terms if name in values and name not in affine]
    rest = Affine(form.const, tuple((n, c) for n, c in form.terms if (c, n) not in other)).substitute(affine)
    if not other:
        return rest
    total: Expr | None = None
    for coefficient, name in other:
        value = values[name]
        assert isinstance(value, Expr), f"'{name}' stands for no expression"
        term = cast(value, "int64")
        term = term if coefficient == 1 else Op("multiply", (Const(coefficient, "int64"), term), "int64")
        total = term if total is None else Op("add", (total, term), "int64")
    assert total is not None, "an affine form without terms"
    return total if rest == ZERO else Op("add", (total, expr_of(rest)), "int64")


def type_name(value: Any) -> str:
    """The type that the value has for the user."""
    kind = value.cls if isinstance(value, Subarray) else type(value)
    return "array" if isinstance(value, ArrayValue | Complex) else getattr(kind, "shown_as", kind.__name__)
