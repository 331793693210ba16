"""The tables of NumPy, `math` and the builtins: what each function, method and operator adds to the Program.

A handler is called as `handler(stage, args, kwargs)` with static or staged values; attributes have the array alone
among the arguments. CALLBACKS are told how to call a function of the program, SUBSCRIPTS take `stage` and the key.
What has no line is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from daad.frontend.python.numpy import (
    attributes,
    axes,
    complex_calls,
    constructors,
    coordinates,
    differences,
    einsum,
    fourier,
    joins,
    keeping,
    measures,
    moves,
    places,
    products,
    reductions,
    reshape,
    scalars,
    scans,
    selection,
    sets,
    special,
    ufunc_methods,
    ufuncs,
    without_nan,
)
from daad.frontend.python.numpy.arguments import Handler, public_name
from daad.frontend.python.numpy.callbacks import CALLBACKS as _CALLBACKS
from daad.frontend.python.numpy.complex_calls import with_complex
from daad.frontend.python.numpy.grids import SUBSCRIPTS
from daad.frontend.python.numpy.handlers import always, methods, staged
from daad.frontend.python.numpy.hints import hint_for
from daad.frontend.python.numpy.operators import COMPARISONS as _COMPARISONS
from daad.frontend.python.numpy.operators import IMPLEMENTATIONS as FUNCTIONS_OF_OPERATORS
from daad.frontend.python.numpy.operators import OPERATORS as _OPERATORS
from daad.frontend.python.numpy.operators import UNARY_OPERATORS as _UNARY_OPERATORS
from daad.frontend.python.numpy.orders import tracked
from daad.frontend.python.numpy.selections import of_whole_arrays
from daad.frontend.python.numpy.split import split_digits

_STAGED: tuple[ModuleType, ...] = (
    ufuncs,
    reductions,
    products,
    einsum,
    reshape,
    axes,
    joins,
    moves,
    scans,
    differences,
    selection,
    measures,
    sets,
    without_nan,
)
_STAGED += (ufunc_methods, scalars, attributes, special)
_ALWAYS = (constructors, coordinates, keeping, places)
_WITH_METHODS = (
    reductions,
    products,
    reshape,
    axes,
    moves,
    scans,
    selection,
    measures,
    places,
    constructors,
    attributes,
)


def _checked(rows: dict[Any, Handler]) -> dict[Any, Handler]:
    return tracked(of_whole_arrays(rows))


CALLBACKS = tracked(_CALLBACKS)
ROWS: tuple[tuple[Any, Callable[..., Any]], ...] = (
    *(row for module in (*_STAGED, *_ALWAYS, fourier) for row in module.IMPLEMENTATIONS.items()),
    *(row for module in _WITH_METHODS for row in module.METHODS.items()),
    *selection.ATTRIBUTES.items(),
    *attributes.ATTRIBUTES.items(),
    *complex_calls.OWN.items(),
)
"""What stands for each function, method and attribute of arrays, and is bound to its signature."""
_FUNCTIONS: dict[Callable[..., Any], Handler] = _checked(
    {
        **{function: handler for module in _STAGED for function, handler in staged(module.IMPLEMENTATIONS).items()},
        **FUNCTIONS_OF_OPERATORS,
        **{function: handler for module in _ALWAYS for function, handler in always(module.IMPLEMENTATIONS).items()},
    }
)
FUNCTIONS = {**with_complex(_FUNCTIONS), **complex_calls.FUNCTIONS, **tracked(staged(fourier.IMPLEMENTATIONS))}
ATTRIBUTES = with_complex(tracked(methods({**attributes.ATTRIBUTES, **selection.ATTRIBUTES})))
METHODS = {
    **with_complex(
        _checked({name: handler for module in _WITH_METHODS for name, handler in methods(module.METHODS).items()})
    ),
    **ATTRIBUTES,
}
OPERATORS = with_complex(_OPERATORS)
COMPARISONS = with_complex(_COMPARISONS)
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
