"""Sparse Jacobians: the pattern from the program's access functions, a colour for each column or row, one product for
each colour."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from daad.api.call.device_calls import on_host
from daad.api.call.specialization import Specialised
from daad.api.doors.labelled_arguments import is_labelled, labels_refused
from daad.api.jacobian import MOST, Jacobian, filled_with, float_leaves
from daad.api.subject import arguments as calls
from daad.api.subject import complex_views
from daad.api.subject.subject import arguments_of
from daad.api.subject.tangent_arguments import is_one
from daad.errors import BadArgument, NotDifferentiable, Unsupported
from daad.frontend import structures
from daad.ir.nodes import Program
from daad.runtime.lazy_import import later
from daad.runtime.result_memory import Results

if TYPE_CHECKING:
    from daad.analysis import sparsity
    from daad.api import scipy_functions
    from daad.products import colouring, derivative_flow
    from daad.rules import own_rules
else:
    sparsity, colouring = later("daad.analysis.sparsity"), later("daad.products.colouring")
    scipy_functions = later("daad.api.scipy_functions")
    derivative_flow, own_rules = later("daad.products.derivative_flow"), later("daad.rules.own_rules")
sparse: Any = later("scipy.sparse")


@dataclass(frozen=True, kw_only=True)
class Compressed:
    """How the entries of a sparse Jacobian lie in products with one vector for each colour.

    `seeds`: the vectors, as blocks for each array; `places`: where each entry is found in all products one behind the
    other. `known`: arrays of integers by which the pattern was found. `memory`: that of earlier matrices' entries and
    indices, which serves again. `blocks`: seeds that are no larger than the matrix stay.
    """

    pattern: Any
    colours: np.ndarray
    is_forward: bool
    places: np.ndarray
    known: dict[str, np.ndarray]
    memory: dict[str, Results] = field(default_factory=dict)
    blocks: list[list[np.ndarray]] = field(default_factory=list)

    @staticmethod
    def of(pattern: Any, shapes: tuple[list[Any], list[Any]], mode: str, known: dict[str, np.ndarray]) -> Compressed:
        """By columns or by rows, whichever takes fewer colours; `shapes` are those of the inputs and of the outputs."""
        pattern = _with_short_indices(pattern)
        transposed = pattern.T.tocsr()
        by_column = np.diff(pattern.indptr).max(initial=0) <= np.diff(transposed.indptr).max(initial=0)
        is_forward = mode == "forward" or (mode == "auto" and bool(by_column))
        found = colouring.colours(pattern, shapes[0]) if is_forward else colouring.colours(transposed, shapes[1])
        rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
        if is_forward:
            places = found[pattern.indices] * pattern.shape[0] + rows
        else:
            places = found[rows] * pattern.shape[1] + pattern.indices
        return Compressed(pattern=pattern, colours=found, is_forward=is_forward, places=places, known=known)

    @property
    def count(self) -> int:
        """How many colours there are."""
        return int(self.colours.max(initial=-1)) + 1

    def seeds(self, sizes: Sequence[int], shapes: Sequence[tuple[int, ...]], dtype: Any) -> Iterator[list[np.ndarray]]:
        """Blocks for some colours at a time, with ones where the colour is."""
        if self.blocks:
            yield from self.blocks
            return
        step = max(1, min(self.count, MOST * 16 // max(self.colours.size, 1)))
        for first in range(0, self.count, step):
            unit = (self.colours[None, :] == np.arange(first, first + step)[:, None]).astype(dtype)
            cut = np.split(unit, np.cumsum(sizes)[:-1], axis=1)
            blocks = [np.ascontiguousarray(block).reshape(step, *s) for block, s in zip(cut, shapes, strict=True)]
            if step == self.count and unit.size <= 2 * self.places.size:
                self.blocks.append(blocks)
            yield blocks

    def matrix(self, products: Sequence[np.ndarray]) -> Any:
        """The matrix with the entries taken from the products."""
        whole = np.concatenate(products).reshape(-1) if len(products) > 1 else products[0].reshape(-1)
        entries = self._fresh("data", self.places.shape, whole.dtype)
        np.take(whole, self.places, out=entries, mode="clip")  # in range: without a copy in between
        indices, starts = self.pattern.indices, self.pattern.indptr
        own = [self._fresh(n, a.shape, a.dtype) for n, a in (("indices", indices), ("indptr", starts))]
        for copy, array in zip(own, (indices, starts), strict=True):
            copy[...] = array
        return sparse.csr_array((entries, *own), shape=self.pattern.shape)

    def _fresh(self, name: str, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        found = self.memory.get(name)
        if found is None or found.dtype != dtype:
            found = self.memory[name] = Results(shape, dtype)
        return found.fresh()


def _with_short_indices(pattern: Any) -> Any:
    """The matrix with indices of 32 bits, where these will do, as SciPy has it."""
    kind = np.int32 if max(*pattern.shape, pattern.nnz) < 2**31 else np.int64
    parts = (pattern.data, pattern.indices.astype(kind), pattern.indptr.astype(kind))
    return sparse.csr_array(parts, shape=pattern.shape)


class SparseJacobian:
    """The Jacobian of a program as a `scipy.sparse.csr_array` of shape `(y.size, x.size)`; `daad.jacobian` makes it.

        >>> import numpy as np, daad
        >>> def residual(x):
        ...     r = 2.0 * x
        ...     r[1:] -= x[:-1] ** 2
        ...     return r
        >>> jacobian = daad.jacobian(residual, sparse=True)
        >>> jacobian(np.array([1.0, 2.0, 3.0])).toarray()
        array([[ 2.,  0.,  0.],
               [-2.,  2.,  0.],
               [ 0., -4.,  2.]])
        >>> int(jacobian.colours.max()) + 1
        2

    The pattern comes from the program's access functions, at the first call for given shapes: the `pattern` is a matrix
    of booleans, `colours` are those of the columns (of the rows, in reverse mode). Outputs, and inputs, follow each
    other.
    """

    def __init__(self, dense: Jacobian) -> None:
        self._tangent, self._vjp, self._mode = dense._tangent, dense._vjp, dense._mode
        self._found: list[tuple[Specialised, Compressed]] = []
        self._last: Compressed | None = None

    def __repr__(self) -> str:
        return repr(self._tangent).replace("Tangent", "Sparse Jacobian", 1)

    def as_scipy(self, *args: Any, **kwargs: Any) -> tuple[scipy_functions.VectorFunction, np.ndarray]:
        """As `Jacobian.as_scipy`; `jac` gives sparse matrices."""
        return scipy_functions.vector_function(self, args, kwargs)

    @property
    def pattern(self) -> Any:
        """Which entries may differ from zero, for the last call's arguments."""
        return self._current.pattern

    @property
    def colours(self) -> np.ndarray:
        """The colour of each column, or of each row, for the last call's arguments."""
        return self._current.colours

    @property
    def _current(self) -> Compressed:
        if self._last is None:
            raise BadArgument("The Jacobian has not been called yet.", hint="Call it with arguments first.")
        return self._last

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._tangent._is_for_gpu:
            args, kwargs = on_host((args, kwargs))
        elif is_labelled(args, kwargs):
            raise labels_refused("Sparse matrices", args, kwargs, self._tangent._subject.at)
        bound = self._tangent._bound(args, kwargs)
        chosen = self._tangent._chosen(bound)
        leaves = [(name, np.asarray(value)) for name, value in calls.floats(chosen)]
        complex_one = next((name for name, value in leaves if complex_views.is_complex(value)), None)
        if complex_one is not None:
            raise NotDifferentiable(
                f"There is no Jacobian with respect to '{complex_one}': it is complex.",
                at=self._tangent._subject.at,
                hint="Use daad.jvp or daad.vjp.",
            )
        found = self._last = self._compressed(bound, args, kwargs)
        dtype = np.result_type(*[value.dtype for _, value in leaves])
        if found.is_forward:
            return found.matrix([*self._pushed(found, chosen, leaves, dtype, args, kwargs)])
        return found.matrix([*self._pulled(found, args, kwargs)])

    def _pushed(
        self, found: Compressed, chosen: Any, leaves: list[Any], dtype: Any, args: Any, kwargs: Any
    ) -> Iterator[np.ndarray]:
        shapes, is_single = [value.shape for _, value in leaves], is_one(self._tangent._asked.request.wrt)
        for blocks in found.seeds([value.size for _, value in leaves], shapes, dtype):
            given = iter(blocks)
            filled = [filled_with(value, given) for value in chosen.values()]
            tangents = filled[0] if is_single else tuple(filled)
            dy = self._tangent.many(*args, **kwargs, tangents=tangents)
            dots = structures.leaves("", structures.all_opened(dy))
            yield _flat([dot for _, dot in dots if dot is not None], len(blocks[0]))

    def _pulled(self, found: Compressed, args: Any, kwargs: Any) -> Iterator[np.ndarray]:
        value, pull = self._vjp(*args, **kwargs)
        value = structures.all_opened(value)
        outputs = [np.asarray(leaf) for leaf in float_leaves(value)]
        dtype = np.result_type(*[output.dtype for output in outputs])
        for blocks in found.seeds([a.size for a in outputs], [a.shape for a in outputs], dtype):
            gradients = pull.many(filled_with(value, iter(blocks)))
            items = calls.gradients("gradient", gradients)
            yield _flat([leaf for _, leaf in items], len(blocks[0]))

    def _compressed(self, bound: dict[str, Any], args: Any, kwargs: Any) -> Compressed:
        """The pattern and its colours: those that are known, if arrays of integers hold what they held."""
        specialised, _ = self._vjp._found_for(self._vjp._bound(args, kwargs))
        self._vjp._refuse_ranks("There is no Jacobian")
        read, program, question = specialised.planned.read, specialised.derivation.primal, specialised.planned.question
        if read.decisions:
            raise Unsupported(
                "Data decide about the program itself, and so about the pattern of its Jacobian.",
                at=read.decisions[0].at,
                hint="Leave out sparse=True.",
            )
        known = _known(program, arguments_of(read, bound))
        for owner, found in self._found:
            if owner is specialised and all(np.array_equal(found.known[name], known[name]) for name in found.known):
                return found
        flow = derivative_flow.flow_of(program)
        pattern = sparsity.pattern(flow.program, question.inputs, question.outputs, {**known, **flow.known})
        mode = "reverse" if self._mode == "auto" and own_rules.is_for_reverse_only(program) else self._mode
        inputs, outputs = ([program.arrays[n].shape for n in names] for names in (question.inputs, question.outputs))
        found = Compressed.of(pattern, (inputs, outputs), mode, known)
        self._found.append((specialised, found))
        return found


def _known(program: Program, arguments: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The integers that the program takes and does not change, which may be indices."""
    written = {name for node in program.body for name in node.written}
    asked = {*program.arrays, *program.integers} - written
    given = {name: np.asarray(value) for name, value in arguments.items() if name in asked}
    return {name: value.copy() for name, value in given.items() if value.dtype.kind in "biu"}


def _flat(arrays: Sequence[Any], count: int) -> np.ndarray:
    """Arrays with a leading axis as one matrix."""
    parts = [np.asarray(array).reshape(count, prod(np.shape(array)[1:])) for array in arrays]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
