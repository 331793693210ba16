"""What to do instead of functions that have no line in the tables."""

from __future__ import annotations

from typing import Any

from daad.frontend.python.numpy.arguments import public_name

HINTS: tuple[tuple[str, str], ...] = (
    ("np.random", "Draw the random numbers outside and pass them as arguments."),
    ("np.linalg", "Linear solvers and factorisations are not supported yet."),
    ("np.fft", "Fourier transforms are not supported yet."),
    ("np.sort", "Sorting is not supported: sort outside, or use 'np.max' and 'np.min'."),
    ("np.argsort", "Sorting is not supported: sort outside, or use 'np.max' and 'np.min'."),
    ("np.median", "Sorting is not supported: use 'np.mean'."),
    ("np.nonzero", "The result's size would depend on data: use 'np.where' with three arguments."),
    ("np.flatnonzero", "The result's size would depend on data: use 'np.where' with three arguments."),
    ("np.unique", "The result's size would depend on data: compute it outside."),
    ("np.save", "Files cannot be written here: do it outside of the function."),
    ("np.load", "Files cannot be read here: do it outside of the function."),
    ("math", "Only functions of real numbers are supported."),
)


def hint_for(function: Any) -> str:
    """One sentence."""
    name = public_name(function)
    fitting = (text for start, text in HINTS if name == start or name.startswith(start + "."))
    return next(fitting, "Write it with the functions that are listed in docs/numpy.md.")
