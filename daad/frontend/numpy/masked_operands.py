"""Which functions take the elements that a boolean mask selects: not those for which positions or a count matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from daad.frontend.numpy import differences, linear_interpolation, newer_functions, ranges_and_grids, scans
from daad.frontend.numpy.calling.call_arguments import Handler
from daad.frontend.numpy.shapes import joining, rearranging, writing
from daad.frontend.staging.boolean_masks import masked_shapes
from daad.frontend.staging.builder import Stage

_MODULES = (scans, linear_interpolation, rearranging, joining, differences, writing, ranges_and_grids)
_FLIPS = (np.flip, np.fliplr, np.flipud, np.rot90, np.diagonal, newer_functions.unstack)
_OF_NAN = (np.nancumsum, np.nancumprod, np.nanargmax, np.nanargmin)
_ORDERED = (np.prod, np.nanprod, np.multiply.reduce, np.kron, np.bincount)
ACCUMULATED = (np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or)

BY_POSITION: frozenset[Any] = frozenset(
    [
        *(name for module in _MODULES for name in (*module.IMPLEMENTATIONS, *getattr(module, "METHODS", ()))),
        *(*_FLIPS, *_OF_NAN, *_ORDERED, "prod", "diagonal"),
        *(ufunc.accumulate for ufunc in ACCUMULATED),
    ]
) - {np.place}


def of_whole_arrays(rows: Mapping[Any, Handler]) -> dict[Any, Handler]:
    """The handlers, which refuse selections where they stand in BY_POSITION."""
    return {key: _refusing(handler) if key in BY_POSITION else handler for key, handler in rows.items()}


def _refusing(handler: Handler) -> Handler:
    def handle(stage: Stage, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        for shape in masked_shapes((*args, *kwargs.values())):
            stage.refuse_mask(shape)
        return handler(stage, args, kwargs)

    return handle
