"""Sets of numbers that are known before the run: their size decides shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from daad.frontend.numpy.calling.call_arguments import run
from daad.frontend.staging.builder import Stage

FUNCTIONS = (np.unique, np.setdiff1d, np.union1d, np.intersect1d, np.setxor1d)


def _of_known(function: Callable[..., Any], arrays: int) -> Callable[..., Any]:
    """The function of as many arrays, which must be known, and of options."""

    def call(stage: Stage, *args: Any, **options: Any) -> Any:
        known = [stage.known_elements(stage.array(value)) for value in args[:arrays]]
        return run(stage, function, (*known, *args[arrays:]), options)

    return call


def is_decided_by_data(stage: Stage, function: Any, args: Sequence[Any]) -> bool:
    """Whether it is a function of sets, of numbers that are not known: a program of the library, or of NumPy's."""
    arrays = args[: 1 if function is np.unique else 2] if any(function is one for one in FUNCTIONS) else ()
    return any(stage.known_elements(stage.array(array)) is None for array in arrays)


IMPLEMENTATIONS: dict[Callable[..., Any], Callable[..., Any]] = {
    function: _of_known(function, 1 if function is np.unique else 2) for function in FUNCTIONS
}
