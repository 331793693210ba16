"""Programs as functions of one flat vector, as SciPy's optimisers and solvers take them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from daad.api.jacobian import filled_with, float_leaves, hessian_of, hessian_products
from daad.api.subject import arguments as calls
from daad.api.subject.subject import as_call
from daad.api.subject.tangent_arguments import is_one
from daad.errors import BadArgument, NotDifferentiable

if TYPE_CHECKING:
    from daad.api.derivative import Derivative
    from daad.api.gradient import Gradient
    from daad.api.jacobian import Jacobian
    from daad.api.products import Tangent
    from daad.api.sparse import SparseJacobian


@dataclass(frozen=True)
class Packing:
    """The floats of the arguments that a derivative was chosen for, in one vector; `bound` are all arguments."""

    derivative: Derivative
    bound: Mapping[str, Any]

    @staticmethod
    def of(derivative: Derivative, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Packing:
        made = Packing(derivative, derivative._bound(args, kwargs))
        for name, array in made.leaves:
            if array.dtype.kind == "c":
                hint = "Pass its real and its imaginary part as two arguments."
                raise NotDifferentiable(f"'{name}' is complex, and SciPy's vectors are real.", made.at, hint=hint)
        return made

    @property
    def at(self) -> Any:
        return self.derivative._subject.at

    @cached_property
    def chosen(self) -> Mapping[str, Any]:
        return self.derivative._chosen(self.bound)

    @cached_property
    def leaves(self) -> list[tuple[str, np.ndarray]]:
        """The arrays that the vector holds, in order."""
        return [(name, np.asarray(value)) for name, value in calls.floats(self.chosen)]

    @cached_property
    def size(self) -> int:
        return sum(array.size for _, array in self.leaves)

    @property
    def is_single(self) -> bool:
        return is_one(self.derivative._asked.request.wrt)

    @property
    def whole(self) -> Any:
        """The chosen arguments, in the structure of `wrt`."""
        values = tuple(self.chosen.values())
        return values[0] if self.is_single else values

    def pack(self, values: Any) -> np.ndarray:
        """The vector of values in the structure of `wrt`; numbers stand for arrays of them."""
        found = list(float_leaves(values))
        if len(found) != len(self.leaves):
            raise BadArgument(
                f"The values have {len(found)} arrays of floats, 'wrt' has {len(self.leaves)}.",
                at=self.at,
                hint="Pass them in the structure of 'wrt'.",
            )
        pairs = zip(found, self.leaves, strict=True)
        return np.concatenate([np.broadcast_to(v, a.shape).astype(np.float64).ravel() for v, (_, a) in pairs])

    def unpack(self, x: np.ndarray) -> Any:
        """The values of a vector, in the structure that gradients have."""
        parts = self._parts(self._checked(x))
        found = [calls.filled(calls.skeleton(value), parts) for value in self.chosen.values()]
        return found[0] if self.is_single else tuple(found)

    def tangent(self, vectors: np.ndarray) -> Any:
        """A vector as a tangent, or several: arrays with a leading axis."""
        return filled_with(self.whole, self._parts(vectors))

    def matrix(self, jacobian: Any) -> np.ndarray:
        """A dense Jacobian by the arrays of the vector: a column for each number."""
        sizes = [array.size for _, array in self.leaves]
        blocks = [np.asarray(leaf, dtype=np.float64) for leaf in float_leaves(jacobian)]
        rows = [blocks[k : k + len(sizes)] for k in range(0, len(blocks), len(sizes))]
        return np.block([[b.reshape(-1, n) for b, n in zip(row, sizes, strict=True)] for row in rows])

    def call(self, x: np.ndarray) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of the program with the values of a vector."""
        values = dict(zip((name for name, _ in self.leaves), self._parts(self._checked(x)), strict=True))
        bound = {}
        for argument, given in self.bound.items():
            leaves = list(calls.flatten(argument, given))
            is_touched = any(name in values for name, _ in leaves)
            new = (_like(value, values[name]) if name in values else value for name, value in leaves)
            bound[argument] = calls.unflatten(given, new) if is_touched else given
        return as_call(self.derivative._subject.signature, bound)

    def _checked(self, x: np.ndarray) -> np.ndarray:
        vector = np.asarray(x, dtype=np.float64)
        if vector.shape != (self.size,):
            hint = "Begin with the vector that as_scipy returns."
            raise BadArgument(f"The vector has shape {vector.shape}, not ({self.size},).", at=self.at, hint=hint)
        return vector

    def _parts(self, vectors: np.ndarray) -> Iterator[np.ndarray]:
        """The arrays of a vector; of several along a leading axis."""
        place = 0
        for _, array in self.leaves:
            part = vectors[..., place : place + array.size]
            yield part.reshape((*vectors.shape[:-1], *array.shape)).astype(array.dtype)
            place += array.size


def _like(value: Any, part: np.ndarray) -> Any:
    """An array, or a number of the same type."""
    return part if isinstance(value, np.ndarray) else type(value)(part)


class ScalarFunction:
    """Value and gradient of a program by one flat vector, for `scipy.optimize.minimize`; `Gradient.as_scipy` makes it.

    value, jac    the value alone, the gradient alone; asked at one point, they are computed once
    hessp, hess   the Hessian times a vector, and whole
    pack, unpack  from the structure of `wrt` to a vector, and back: for bounds, and for the result
    """

    def __init__(self, gradient: Gradient, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self._gradient = gradient._with(value=True)
        self._packing = Packing.of(self._gradient, args, kwargs)
        self._last: tuple[np.ndarray, float, np.ndarray] | None = None
        self.pack, self.unpack = self._packing.pack, self._packing.unpack

    def __repr__(self) -> str:
        return f"{self._gradient._subject.name} as a function of {self._packing.size} numbers"

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """The value, and the gradient as a vector of float64."""
        last = self._last
        if last is None or not np.array_equal(last[0], x, equal_nan=True):
            args, kwargs = self._packing.call(x)
            value, found = self._gradient(*args, **kwargs)
            value = value[0] if self._gradient._asked.request.has_aux else value
            last = np.array(x, dtype=np.float64), float(value), flat(found)
            self._last = last
        return last[1], last[2].copy()

    def value(self, x: np.ndarray) -> float:
        """The value alone."""
        return self(x)[0]

    def jac(self, x: np.ndarray) -> np.ndarray:
        """The gradient alone."""
        return self(x)[1]

    def hessp(self, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        """The Hessian times a vector."""
        args, kwargs = self._packing.call(x)
        return flat(self._products(*args, **kwargs, tangent=self._packing.tangent(np.asarray(p))))

    def hess(self, x: np.ndarray) -> np.ndarray:
        """The Hessian as a matrix."""
        args, kwargs = self._packing.call(x)
        found = self._packing.matrix(self._hessian(*args, **kwargs))
        return 0.5 * (found + found.T)

    @cached_property
    def _of_gradient(self) -> Gradient:
        return self._gradient._with(value=False, has_aux=False)

    @cached_property
    def _products(self) -> Tangent:
        return hessian_products(self._of_gradient)

    @cached_property
    def _hessian(self) -> Jacobian:
        return hessian_of(self._of_gradient)


class VectorFunction:
    """The outputs of a program as a flat vector, by another one, for `scipy.optimize.least_squares` and `root`;
    `Jacobian.as_scipy` makes it.

    jac           the Jacobian as a matrix, sparse if it was asked for so
    pack, unpack  from the structure of `wrt` to a vector, and back
    """

    def __init__(self, jacobian: Jacobian | SparseJacobian, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self._vjp, self._jacobian = jacobian._vjp, jacobian
        self._packing = Packing.of(self._vjp, args, kwargs)
        self.pack, self.unpack = self._packing.pack, self._packing.unpack

    def __repr__(self) -> str:
        return f"{self._vjp._subject.name} as a function of {self._packing.size} numbers"

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """The outputs."""
        args, kwargs = self._packing.call(x)
        return flat(self._vjp(*args, **kwargs)[0])

    def jac(self, x: np.ndarray) -> Any:
        """The Jacobian: a row for each number of the outputs, a column for each of the vector."""
        args, kwargs = self._packing.call(x)
        found = self._jacobian(*args, **kwargs)
        return found if hasattr(found, "tocsr") else self._packing.matrix(found)


def flat(values: Any) -> np.ndarray:
    """All floats of a structure in one vector of float64."""
    found = [np.asarray(leaf, dtype=np.float64).ravel() for leaf in float_leaves(values)]
    return np.concatenate(found) if found else np.zeros(0)


def scalar_function(
    gradient: Gradient, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[ScalarFunction, np.ndarray]:
    """The function, and the vector of the arguments."""
    made = ScalarFunction(gradient, args, kwargs)
    return made, made.pack(made._packing.whole)


def vector_function(
    jacobian: Jacobian | SparseJacobian, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[VectorFunction, np.ndarray]:
    """The function, and the vector of the arguments."""
    made = VectorFunction(jacobian, args, kwargs)
    return made, made.pack(made._packing.whole)
