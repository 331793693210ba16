"""The Program: a tree of loops and branches whose leaves are parallel assignments (nests).

Every pass of the compiler maps such trees to such trees; the printer shows them, the interpreter runs them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any, ClassVar
from weakref import WeakValueDictionary

import numpy as np

from daad.errors import Location
from daad.ir.affine import Affine
from daad.ir.operations.updates import BY_SIGN, Combine, Sign
from daad.ir.ragged import Extents, layout_of

Number = int | float | bool


class Unsigned(float):
    """A zero of which nobody asks for the sign, as adjoints begin with: to add it does nothing."""


class Single(type):
    """Of a class whose objects are equal only if they are the same: what is made again is what there is already."""

    def __call__(cls, *parts: Any, **named: Any) -> Any:
        if named:
            parts = (*parts, *(named[name] for name in cls.__match_args__[len(parts) :]))  # type: ignore[attr-defined]
        key = (cls, *cls.key(*parts))  # type: ignore[attr-defined]
        found = KNOWN.get(key)
        if found is None:
            made = super().__call__(*parts)
            with MAKING:
                found = KNOWN.setdefault(key, made)
        return found


KNOWN: WeakValueDictionary[tuple[object, ...], Any] = WeakValueDictionary()
MAKING = Lock()
os.register_at_fork(before=MAKING.acquire, after_in_parent=MAKING.release, after_in_child=MAKING.release)


class Expr(metaclass=Single):
    """A scalar value: a DAG of frozen nodes with a dtype name such as 'float64'; equal ones are one object."""

    dtype: str

    @classmethod
    def key(cls, *parts: object) -> tuple[object, ...]:
        """What tells it from others of its class."""
        return parts

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), tuple(getattr(self, part) for part in self.__match_args__)  # type: ignore[attr-defined]

    @cached_property
    def variables(self) -> frozenset[str]:
        """Names of integer variables that the value depends on."""
        own = self.form.names if isinstance(self, IndexValue) else ()
        return frozenset(own).union(*map(variables, children(self)))

    @cached_property
    def operations(self) -> frozenset[str]:
        """Names of all operations, those inside indices included."""
        own = [self.name] if isinstance(self, Op) else []
        return frozenset(own).union(*[c.operations for c in children(self) if isinstance(c, Expr)])

    @cached_property
    def arrays(self) -> frozenset[str]:
        """Names of all arrays that it loads from, those inside indices included."""
        own = [self.array] if isinstance(self, Load) else []
        return frozenset(own).union(*[c.arrays for c in children(self) if isinstance(c, Expr)])

    @cached_property
    def loads(self) -> tuple[Load, ...]:
        """All distinct loads, those inside indices included, each once, operands first."""
        seen: set[Expr] = set()

        def visit(node: Index) -> Iterator[Load]:
            if isinstance(node, Affine) or node in seen:
                return
            seen.add(node)
            for child in children(node):
                yield from visit(child)
            if isinstance(node, Load):
                yield node

        return tuple(visit(self))


@dataclass(frozen=True, eq=False)
class Const(Expr):
    """A literal."""

    value: Number
    dtype: str

    @classmethod
    def key(cls, *parts: object) -> tuple[object, ...]:
        return type(parts[0]), repr(parts[0]), *parts[1:]  # 1, 1.0 and True are not the same, nor 0.0 and -0.0


@dataclass(frozen=True, eq=False)
class IndexValue(Expr):
    """The value of an affine form of loop variables, domain variables and integer parameters, as int64."""

    form: Affine
    dtype: ClassVar[str] = "int64"  # type: ignore[misc]


@dataclass(frozen=True, eq=False)
class Load(Expr):
    """`array[index]`; one index per dimension, each affine or an integer expression (a gather)."""

    array: str
    index: tuple[Index, ...]
    dtype: str


@dataclass(frozen=True, eq=False)
class Op(Expr):
    """A scalar operation, named as NumPy's ufunc ('add', 'exp', 'less', …), or:

    'where' (condition, a, b): only the side taken is evaluated; 'cast' (x): conversion to `dtype`.
    Operands are converted to `dtype` first as NumPy does, except for comparisons, logic, 'where's condition and 'cast'.
    """

    name: str
    args: tuple[Expr, ...]
    dtype: str


Index = Affine | Expr


def variables(index: Index) -> frozenset[str]:
    """Names of integer variables that an index depends on."""
    if isinstance(index, Affine):
        return frozenset(index.names)
    return index.variables


def children(expr: Expr) -> tuple[Index, ...]:
    """Operands of an operation, indices of a load."""
    if isinstance(expr, Op):
        return expr.args
    return expr.index if isinstance(expr, Load) else ()


@dataclass(frozen=True)
class Array:
    """A dense array, C order; a scalar has shape (). Sizes are numbers: Programs are made for given shapes.

    A local array may have rows of different lengths: then `extents` are those of its dimensions, `shape` the largest
    ones, and only elements within `extents` may be written, or have a value when read.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    extents: Extents = ()

    @property
    def size(self) -> int:
        """Elements that memory holds."""
        return math.prod(layout_of(self.extents).shape if self.extents else self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * np.dtype(self.dtype).itemsize


@dataclass(frozen=True)
class Access:
    """A place that a statement writes: `array[index]`."""

    array: str
    index: tuple[Index, ...]


@dataclass(frozen=True)
class Range:
    """`var` runs from `start` up to, not including, `stop`; empty if stop <= start."""

    var: str
    start: Affine
    stop: Affine

    @cached_property
    def width(self) -> Affine:
        """How many values there are, if it is not empty."""
        return self.stop - self.start

    @cached_property
    def last(self) -> Affine:
        return self.stop - 1

    @cached_property
    def bounds(self) -> tuple[Affine, Affine]:
        """Forms that are >= 0 for every value."""
        var = Affine.of(self.var)
        return var - self.start, self.last - var


@dataclass(frozen=True)
class Assign:
    """`target op value`, with op the sign of a `Combine`, which `combine` is."""

    target: Access
    op: Sign
    value: Expr

    @property
    def combine(self) -> Combine:
        """What is known of the operator."""
        return BY_SIGN[self.op]


@dataclass(frozen=True)
class Nest:
    """For every point of the domain, in any order, the assigns one after the other.

    Bounds of the domain name loop variables and integer parameters only, never each other's variables. No point
    reads or overwrites what another point writes, except that '+=', 'max=' and 'min=' may meet at one place (a
    reduction, whose target no assign of the nest reads). A single scalar statement has the domain ().
    """

    domain: tuple[Range, ...]
    assigns: tuple[Assign, ...]
    at: Location | None = field(default=None, compare=False)

    @cached_property
    def loaded(self) -> frozenset[str]:
        """Names of the arrays that it loads, indices of targets included; the update of a target is no load."""
        values = [e for a in self.assigns for e in (a.value, *a.target.index)]
        return frozenset(load.array for e in values if isinstance(e, Expr) for load in e.loads)

    @cached_property
    def read(self) -> frozenset[str]:
        """Names of the arrays that it loads, or updates by '+=', 'max=', 'min='."""
        return self.loaded.union([a.target.array for a in self.assigns if a.op != "="])

    @cached_property
    def written(self) -> frozenset[str]:
        """Names of the arrays that it writes."""
        return frozenset([a.target.array for a in self.assigns])

    @cached_property
    def touched(self) -> frozenset[str]:
        """Names of the arrays that it reads or writes."""
        return self.loaded | self.written


@dataclass(frozen=True)
class Sharing:
    """How a loop runs on several threads: each has the local arrays `own` for itself, all others the threads may have
    in common. `number` tells the loop from other shared ones."""

    number: int
    threads: int
    own: tuple[str, ...]


class Compound:
    """A node with others in it; the names of arrays are those of all of them."""

    @property
    def inside(self) -> tuple[Node, ...]:
        """The nodes right below it."""
        raise NotImplementedError

    @property
    def own(self) -> frozenset[str]:
        """Names of the arrays that it loads itself."""
        raise NotImplementedError

    @cached_property
    def loaded(self) -> frozenset[str]:
        """Names of the arrays that are loaded."""
        return self.own.union(*[node.loaded for node in self.inside])

    @cached_property
    def read(self) -> frozenset[str]:
        """Names of the arrays that are loaded or updated."""
        return self.own.union(*[node.read for node in self.inside])

    @cached_property
    def written(self) -> frozenset[str]:
        """Names of the arrays that are written."""
        return frozenset[str]().union(*[node.written for node in self.inside])

    @cached_property
    def touched(self) -> frozenset[str]:
        """Names of the arrays that are read or written."""
        return self.own.union(*[node.touched for node in self.inside])


@dataclass(frozen=True)
class Ending:
    """How data end a loop that counts upwards: where the scalar `goes_on` does not hold, this iteration and all later
    ones do nothing that anybody looks at, and may be left out; behind the loop, `begun` is the value of the variable
    from which on that is so."""

    goes_on: Expr
    begun: Expr


@dataclass(frozen=True)
class Loop(Compound):
    """`var` = start, start + step, … before `stop`; step is 1 or -1, bounds are read once on entry.

    Sequential, unless there is a `sharing`: then iterations may run in any order, and at the same time. `origin` is the
    variable of the program's loop whose blocks these iterations are. Data may end it before its bounds do (`ending`).
    """

    var: str
    start: Index
    stop: Index
    step: int
    body: tuple[Node, ...]
    at: Location | None = field(default=None, compare=False)
    sharing: Sharing | None = None
    origin: str | None = field(default=None, compare=False)
    ending: Ending | None = None

    @property
    def inside(self) -> tuple[Node, ...]:
        return self.body

    @property
    def header(self) -> tuple[Index, ...]:
        """What it reads itself."""
        ending = () if self.ending is None else (self.ending.goes_on, self.ending.begun)
        return self.start, self.stop, *ending

    @property
    def own(self) -> frozenset[str]:
        return _loaded(*self.header)


@dataclass(frozen=True)
class Branch(Compound):
    """`then` if the scalar `condition` holds, otherwise `orelse`."""

    condition: Expr
    then: tuple[Node, ...]
    orelse: tuple[Node, ...]
    at: Location | None = field(default=None, compare=False)

    @property
    def inside(self) -> tuple[Node, ...]:
        return (*self.then, *self.orelse)

    @property
    def own(self) -> frozenset[str]:
        return _loaded(self.condition)


def _loaded(*values: Index) -> frozenset[str]:
    return frozenset(load.array for value in values if isinstance(value, Expr) for load in value.loads)


Node = Nest | Loop | Branch


@dataclass(frozen=True, kw_only=True)
class Program:
    """A whole program for given shapes and dtypes.

    `parameters` are the arrays (scalars: shape ()) that the caller passes, in order; `integers` the int parameters
    that stayed symbolic: they occur as names in Affine forms, never as arrays; `results` the arrays whose final
    values are the return value. All other arrays are local, their initial content is undefined. Names of arrays,
    integers and loop variables are disjoint; nested loops and domains have distinct variables.
    """

    name: str
    arrays: Mapping[str, Array]
    parameters: tuple[str, ...]
    integers: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    body: tuple[Node, ...] = ()
