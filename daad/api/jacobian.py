"""Dense Jacobians: all tangents, or all seeds, at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from daad.api.call.device_calls import through_host
from daad.api.doors.labelled_arguments import is_labelled
from daad.api.doors.labelled_products import Labelled
from daad.api.products import Tangent, Vjp
from daad.api.subject import arguments as calls
from daad.api.subject import complex_views
from daad.api.subject.request import Request
from daad.api.subject.tangent_arguments import is_one
from daad.ccs.question import Product
from daad.errors import BadArgument, NotDifferentiable
from daad.frontend import structures
from daad.runtime.lazy_import import later

if TYPE_CHECKING:
    from daad.api import scipy_functions
    from daad.api.gradient import Gradient
    from daad.rules import own_rules
else:
    own_rules, scipy_functions = later("daad.rules.own_rules"), later("daad.api.scipy_functions")

MODES = ("auto", "forward", "reverse")
MOST = 1 << 22
"""Numbers that the seeds of one run have at most, or the tangents: beyond, there are several runs."""


class Jacobian:
    """The Jacobian of a program, as a function of the program's own arguments; `daad.jacobian` makes it.

        >>> import numpy as np, daad
        >>> def polar(z):
        ...     return np.array([np.sqrt(z[0] ** 2 + z[1] ** 2), np.arctan2(z[1], z[0])])
        >>> daad.jacobian(polar)(np.array([1.0, 1.0])).round(3)
        array([[ 0.707,  0.707],
               [-0.5  ,  0.5  ]])

    For each array of the outputs it gives an array of shape `y.shape + x.shape`, in the structure of `wrt`.
    """

    def __init__(self, function: Any, request: Request, mode: str = "auto", **options: Any) -> None:
        if mode not in MODES:
            raise BadArgument(f"The option 'mode' is {mode!r}.", hint=f"Use one of {', '.join(map(repr, MODES))}.")
        forward = replace(request, product=Product.TANGENT, value=False)
        reverse = replace(request, product=Product.PULLBACK, value=True)
        self._mode = mode
        self._tangent, self._vjp = Tangent(function, forward, **options), Vjp(function, reverse, **options)

    def __repr__(self) -> str:
        return repr(self._tangent).replace("Tangent", "Jacobian", 1)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        is_for_gpu = self._tangent._is_for_gpu
        if not is_for_gpu and is_labelled(args, kwargs):
            labelled = Labelled.of(self._tangent, self._tangent._outcomes, args, kwargs)
            return labelled.jacobian(self._whole(*labelled.stripped.args, **labelled.stripped.kwargs))
        return through_host(self._whole, args, kwargs) if is_for_gpu else self._whole(*args, **kwargs)

    def as_scipy(self, *args: Any, **kwargs: Any) -> tuple[scipy_functions.VectorFunction, np.ndarray]:
        """The outputs as `scipy.optimize.least_squares` and `root` take them: a function of one flat vector of float64,
        with `jac`, and the vector of these arguments; see `Gradient.as_scipy`."""
        return scipy_functions.vector_function(self, args, kwargs)

    def _whole(self, *args: Any, **kwargs: Any) -> Any:
        chosen = self._tangent._chosen(self._tangent._bound(args, kwargs))
        leaves = [(name, np.asarray(value)) for name, value in calls.floats(chosen)]
        for name, value in leaves:
            if complex_views.is_complex(value):
                raise NotDifferentiable(
                    f"There is no Jacobian with respect to '{name}': it is complex.",
                    at=self._tangent._subject.at,
                    hint="Use daad.jvp or daad.vjp.",
                )
        columns = sum(array.size for _, array in leaves)
        if self._mode == "forward":
            return self._forward(chosen, leaves, args, kwargs)
        value, pull = self._vjp(*args, **kwargs)
        value = structures.all_opened(value)
        self._vjp._refuse_ranks("There is no Jacobian")
        outputs = [np.asarray(leaf) for _, leaf in structures.leaves("", value)]
        rows = sum(array.size for array in outputs if array.dtype.kind in "fc")
        if self._mode == "auto" and columns <= rows and not own_rules.is_for_reverse_only(self._vjp.primal):
            return self._forward(chosen, leaves, args, kwargs)
        return self._reverse(value, pull)

    def _forward(self, chosen: Mapping[str, Any], leaves: list[Any], args: Any, kwargs: Any) -> Any:
        """Column by column, many at once."""
        shapes, is_single = [array.shape for _, array in leaves], is_one(self._tangent._asked.request.wrt)

        def push(blocks: Sequence[np.ndarray]) -> Any:
            given = iter(blocks)
            filled = [filled_with(value, given) for value in chosen.values()]
            return self._tangent.many(*args, **kwargs, tangents=filled[0] if is_single else tuple(filled))

        found = _stacked(shapes, push)

        def of_output(rows: np.ndarray) -> Any:
            cut = np.split(rows, np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1])
            parts = [np.moveaxis(p, 0, -1).reshape((*p.shape[1:], *s)) for p, s in zip(cut, shapes, strict=True)]
            return _structured(chosen, iter(parts), is_single)

        return structures.closed(_each(found, of_output))

    def _reverse(self, value: Any, pull: Any) -> Any:
        """Row by row, many at once."""
        outputs = [np.asarray(leaf) for leaf in float_leaves(value)]
        shapes = [array.shape for array in outputs]
        found = _stacked(shapes, lambda blocks: pull.many(filled_with(value, iter(blocks))))
        place = iter(np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)]))
        begins = iter(shapes)

        def of_output(leaf: Any) -> Any:
            if not _is_float(leaf):
                return None
            first, shape = int(next(place)), next(begins)
            rows = slice(first, first + int(np.prod(shape)))
            return _each(found, lambda array: array[rows].reshape((*shape, *array.shape[1:])))

        return structures.closed(_each(value, of_output))


def hessian_products(gradient: Gradient) -> Tangent:
    """The Hessian times a tangent, of the program that has this gradient."""
    asked = gradient._asked
    request = Request(wrt=asked.request.wrt, value=False, product=Product.TANGENT, device=asked.request.device)
    return Tangent(gradient, request, verbose=asked.verbose)


def hessian_of(gradient: Gradient) -> Jacobian:
    """The Hessian of the program that has this gradient."""
    asked = gradient._asked
    request = Request(wrt=asked.request.wrt, device=asked.request.device)
    return Jacobian(gradient, request, "forward", verbose=asked.verbose)


def _stacked(shapes: Sequence[tuple[int, ...]], run: Callable[[Sequence[np.ndarray]], Any]) -> Any:
    """The results for all unit vectors of arrays with these shapes, along a leading axis; in one run of a few."""
    sizes = [int(np.prod(shape)) for shape in shapes]
    count = sum(sizes)
    step = max(1, min(count, MOST // max(count, 1)))
    runs = []
    for first in range(0, count, step):
        unit = np.zeros((step, count))
        for row, column in enumerate(range(first, min(first + step, count))):
            unit[row, column] = 1.0
        cut = np.split(unit, np.cumsum(sizes)[:-1], axis=1)
        made = run([block.reshape(step, *shape) for block, shape in zip(cut, shapes, strict=True)])
        runs.append(structures.all_opened(made))
    return runs[0] if len(runs) == 1 else _joined(runs, count)


def _joined(runs: Sequence[Any], count: int) -> Any:
    """The results of several runs one behind the other, without what fills the last one."""
    if structures.parts(runs[0]) is None:
        return None if runs[0] is None else np.concatenate(runs)[:count]
    inner = [iter([item for _, item in structures.parts(run) or ()]) for run in runs]
    return structures.rebuilt(runs[0], lambda _, __: _joined([next(each) for each in inner], count))


def _each(structure: Any, change: Callable[[Any], Any]) -> Any:
    if structures.parts(structure) is None:
        return None if structure is None else change(structure)
    return structures.rebuilt(structure, lambda _, item: _each(item, change))


def float_leaves(structure: Any) -> Iterator[Any]:
    return (leaf for _, leaf in structures.leaves("", structure) if _is_float(leaf))


def _is_float(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray | np.generic | float) and np.asarray(leaf).dtype.kind in "fc"


def filled_with(like: Any, blocks: Iterator[np.ndarray]) -> Any:
    """The structure with a block for each float in it."""
    if structures.parts(like) is None:
        return next(blocks) if _is_float(like) else None
    return structures.rebuilt(like, lambda _, item: filled_with(item, blocks))


def _structured(chosen: Mapping[str, Any], parts: Iterator[np.ndarray], is_single: bool) -> Any:
    found = [calls.filled(calls.skeleton(value), parts) for value in chosen.values()]
    return found[0] if is_single else tuple(found)
