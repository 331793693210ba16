"""The operations that NumPy has no function for: SciPy's and daad's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.library.anchored import anchored, derivatives, fixed, has_adjoint, known_elements, of_one_memory
from daad.frontend.library.special import ELEMENTWISE
from daad.frontend.library.special_functions import OPERATIONS, OPERATIONS_OF_COMPLEX, OfScipy
from daad.frontend.numpy.elementwise.scalar_expressions import op
from daad.frontend.numpy.elementwise.ufuncs import at, loop_types, operand, repeated_into, weak_kind
from daad.frontend.staging import complex_numbers
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.values import ArrayValue, Complex, Lazy, View, cast
from daad.ir.affine import Affine
from daad.ir.dtypes import name_of
from daad.ir.nodes import Expr
from daad.ir.operations.of_scipy import SPECIAL
from daad.runtime.c_functions import exists, ufunc_of


def _of(name: str) -> Callable[..., Any]:
    def call(stage: Stage, x: Any) -> Any:
        value = stage.array(x)
        return stage.lazy(value.shape, value.dtype, lambda point: op(name, value.dtype, value.element(point)))

    return call


def _anchored(stage: Stage, formula: Any, value: Any) -> Any:
    sides = stage.array(formula), stage.array(value)
    kind = sides[1].dtype
    return stage.lazy(sides[1].shape, kind, lambda point: op("anchored", kind, *(at(side, point) for side in sides)))


def _fixed(stage: Stage, a: Any) -> Any:
    value = stage.array(a)
    if value.dtype.kind != "f":
        return value
    return stage.lazy(value.shape, value.dtype, lambda point: op("fixed", value.dtype, at(value, point)))


def _of_one_memory(stage: Stage, copied: Any, array: Any) -> Any:
    if isinstance(copied, Complex) and isinstance(array, Complex):
        return Complex(*(_of_one_memory(stage, *pair) for pair in zip(copied.parts, array.parts, strict=True)))
    made = stage.place(copied)
    if isinstance(array, View):
        stage.links |= {(made.base, array.base)}
    return made


def _has_adjoint(stage: Stage, seed: Any) -> Any:
    value = stage.array(seed)
    assert isinstance(value, View), "adjoints and arguments lie in arrays of their own"
    output = stage.met_by[value.base]
    first = output.element(tuple(Affine(0) for _ in output.shape))
    return stage.lazy((), np.dtype(bool), lambda _: op("has_adjoint", "bool", first))


def _of_scipy(function: OfScipy) -> Callable[..., Any]:
    def call(stage: Stage, operands: tuple[Any, ...], out: Any, where: Any, casting: Any, dtype: Any) -> Any:
        _require(stage, function)
        count = ufunc_of(function.ufunc).nin
        taken, places = operands[:count], [place for place in (*operands[count:], out) if place is not None]
        if len(taken) < count:
            stage.refuse(f"'{function.shown}' takes {count} arguments.", "Give all of them.")
        made = _results(stage, function, [operand(stage, x) for x in taken], dtype, casting)
        if places:
            return repeated_into(stage, made[0], places[0], where, casting)
        if where is not True:
            stage.refuse(f"'{function.shown}' with 'where' leaves elements undefined.", "Give 'out' too.")
        return made[0] if len(made) == 1 else tuple(made)

    return call


def _require(stage: Stage, function: OfScipy) -> None:
    if not all(exists(SPECIAL[name].function) for name in function.operations):
        stage.refuse(f"The installed SciPy has no function '{function.ufunc}'.", "Install a newer one.")


def _results(stage: Stage, function: OfScipy, arrays: list[ArrayValue], dtype: Any, casting: Any) -> list[Lazy]:
    kind = loop_types(stage, ufunc_of(function.ufunc), arrays, dtype, casting)[-1]
    return [_elements(stage, name, arrays, kind) for name in function.operations]


def _elements(stage: Stage, name: str, arrays: Sequence[ArrayValue], kind: np.dtype[Any]) -> Lazy:
    """An operation of broadcast operands, not yet written anywhere."""
    shape = stage.broadcast(*(a.shape for a in arrays))
    spread = [stage.spread(a, shape) for a in arrays]

    def build(point: Sequence[Any]) -> Expr:
        return op(name, name_of(kind), *[cast(at(a, point), kind) for a in spread])

    return stage.lazy(shape, kind, build)


def _of_complex(function: OfScipy) -> Callable[..., Any]:
    """SciPy's functions of complex numbers."""

    def call(stage: Stage, operands: tuple[Any, ...], out: Any, where: Any, casting: Any, dtype: Any) -> Any:
        _require(stage, function)
        is_given = out is not None or len(operands) > ufunc_of(function.ufunc).nin
        if is_given or where is not True or dtype is not None or casting != "same_kind":
            stage.refuse(f"'{function.shown}' takes no options here.", "Leave them out.")
        given = [complex_numbers.staged(stage, value) for value in operands]
        result = _part_type(ufunc_of(function.ufunc), given)
        arrays: list[ArrayValue] = []
        for kind, value in zip(SPECIAL[function.operations[0]].function.types, given, strict=False):
            pair = complex_numbers.paired(stage, value) if kind == "D" else None
            arrays += [operand(stage, value)] if pair is None else [pair.real, pair.imag]
        parts = [_elements(stage, name, arrays, result) for name in function.operations]
        made = [Complex(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
        return made[0] if len(made) == 1 else tuple(made)

    return call


def _part_type(ufunc: np.ufunc, operands: Sequence[ArrayValue | Complex]) -> np.dtype[Any]:
    """The type of the results' parts."""
    kinds = [weak_kind(value) for value in operands]
    found: np.dtype[Any] = ufunc.resolve_dtypes((*kinds, *(None,) * ufunc.nout))[-1]
    return np.empty(0, found).real.dtype


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    **{operation: _of(operation.name) for operation in ELEMENTWISE.values()},
    **{operation: _of_scipy(operation) for operation in OPERATIONS.values()},
    anchored: _anchored,
    fixed: _fixed,
    of_one_memory: _of_one_memory,
    has_adjoint: _has_adjoint,
    known_elements: lambda stage, a: stage.known_elements(stage.array(a)),
}
OF_COMPLEX: dict[Callable[..., Any], Callable[..., Any]] = {
    operation: _of_complex(operation) for operation in OPERATIONS_OF_COMPLEX.values()
}
"""Functions that are about complex numbers alone."""
OF_THE_READING: dict[Callable[..., Any], Callable[..., Any]] = {derivatives: lambda stage: stage.derivatives}
"""What a program of the library asks; no argument is staged."""
