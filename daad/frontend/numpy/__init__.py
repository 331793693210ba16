"""The tables of NumPy, `math` and the builtins: what each function, method and operator adds to the Program.

A handler is called as `handler(stage, args, kwargs)` with static or staged values; attributes have the array alone
among the arguments. CALLBACKS are told how to call a function of the program, SUBSCRIPTS take `stage` and the key.
What has no line is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from daad.frontend.numpy import (
    array_attributes,
    creation,
    differences,
    einsum,
    fft,
    linear_interpolation,
    nan_reductions,
    norms_and_statistics,
    ranges_and_grids,
    reductions,
    scans,
    sets,
    tensor_products,
    ufunc_methods,
)
from daad.frontend.numpy.callbacks import CALLBACKS as _CALLBACKS
from daad.frontend.numpy.calling import storage_directives
from daad.frontend.numpy.calling.alternatives import hint_for
from daad.frontend.numpy.calling.arrays_without_axes import with_arrays
from daad.frontend.numpy.calling.call_arguments import Handler, public_name
from daad.frontend.numpy.calling.handlers import always, methods, staged
from daad.frontend.numpy.calling.result_order import of_subscripts, tracked
from daad.frontend.numpy.complex import complex_calls
from daad.frontend.numpy.complex.complex_calls import with_complex
from daad.frontend.numpy.elementwise import python_numbers, selection, special_operations, ufuncs
from daad.frontend.numpy.elementwise.operators import COMPARISONS as _COMPARISONS
from daad.frontend.numpy.elementwise.operators import IMPLEMENTATIONS as FUNCTIONS_OF_OPERATORS
from daad.frontend.numpy.elementwise.operators import OPERATORS as _OPERATORS
from daad.frontend.numpy.elementwise.operators import UNARY_OPERATORS as _UNARY_OPERATORS
from daad.frontend.numpy.index_tricks import SUBSCRIPTS as _SUBSCRIPTS
from daad.frontend.numpy.masked_operands import of_whole_arrays
from daad.frontend.numpy.shapes import axes, joining, rearranging, reshape, strided_views, writing
from daad.frontend.numpy.shapes.digit_splitting import split_digits

_STAGED: tuple[ModuleType, ...] = (
    ufuncs,
    reductions,
    tensor_products,
    einsum,
    reshape,
    strided_views,
    axes,
    joining,
    rearranging,
    scans,
    linear_interpolation,
    differences,
    selection,
    norms_and_statistics,
    sets,
    nan_reductions,
)
_STAGED += (ufunc_methods, python_numbers, array_attributes, special_operations)
_ALWAYS = (creation, ranges_and_grids, storage_directives, writing)
_WITH_METHODS = (
    reductions,
    tensor_products,
    reshape,
    axes,
    rearranging,
    scans,
    selection,
    norms_and_statistics,
    writing,
    creation,
    array_attributes,
)


def _checked(rows: dict[Any, Handler]) -> dict[Any, Handler]:
    return tracked(of_whole_arrays(rows))


CALLBACKS = with_arrays(tracked(_CALLBACKS))
ROWS: tuple[tuple[Any, Callable[..., Any]], ...] = (
    *(row for module in (*_STAGED, *_ALWAYS, fft) for row in module.IMPLEMENTATIONS.items()),
    *(row for module in _WITH_METHODS for row in module.METHODS.items()),
    *selection.ATTRIBUTES.items(),
    *array_attributes.ATTRIBUTES.items(),
    *complex_calls.OWN.items(),
    *special_operations.OF_COMPLEX.items(),
)
"""What stands for each function, method and attribute of arrays, and is bound to its signature."""
_FUNCTIONS: dict[Callable[..., Any], Handler] = _checked(
    {
        **{function: handler for module in _STAGED for function, handler in staged(module.IMPLEMENTATIONS).items()},
        **FUNCTIONS_OF_OPERATORS,
        **{function: handler for module in _ALWAYS for function, handler in always(module.IMPLEMENTATIONS).items()},
        **always(special_operations.OF_THE_READING),
    }
)
FUNCTIONS = {**with_complex(_FUNCTIONS), **complex_calls.FUNCTIONS, **tracked(staged(fft.IMPLEMENTATIONS))}
FUNCTIONS = with_arrays({**FUNCTIONS, **tracked(staged(special_operations.OF_COMPLEX))})
ATTRIBUTES = with_arrays(with_complex(tracked(methods({**array_attributes.ATTRIBUTES, **selection.ATTRIBUTES}))))
METHODS = {
    **with_arrays(
        with_complex(
            _checked({name: handler for module in _WITH_METHODS for name, handler in methods(module.METHODS).items()})
        )
    ),
    **ATTRIBUTES,
}
OPERATORS = with_complex(_OPERATORS)
COMPARISONS = with_complex(_COMPARISONS)
SUBSCRIPTS = of_subscripts(_SUBSCRIPTS)
UNARY_OPERATORS = with_complex(_UNARY_OPERATORS)

__all__ = [
    "ATTRIBUTES",
    "CALLBACKS",
    "COMPARISONS",
    "FUNCTIONS",
    "METHODS",
    "OPERATORS",
    "ROWS",
    "SUBSCRIPTS",
    "UNARY_OPERATORS",
    "Handler",
    "hint_for",
    "public_name",
    "split_digits",
]
