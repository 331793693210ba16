"""What to do instead of functions that have no line in the tables."""

from __future__ import annotations

from typing import Any

from daad.frontend.library import PROGRAMS
from daad.frontend.numpy.calling.call_arguments import public_name

_KNOWN = "Call it with arrays of integers that are arguments or written in the program, and that nothing writes."
_ELEMENTS = "Loop over 'range(len(x))', or use whole-array operations."
_MASKED = "Use plain arrays of numbers and masks there."
_SOLVED = "Solvers are not supported: write the iteration out, with NumPy's functions."

HINTS: tuple[tuple[str, str], ...] = (
    ("np.random", "Draw the random numbers outside and pass them as arguments."),
    ("np.fft", "Use 'fft', 'rfft', their inverses, or those in two or more dimensions."),
    ("np.ma", _MASKED),
    ("np.lib.stride_tricks", "Use slices, or 'sliding_window_view'."),
    ("sorted", "Only numbers are sorted by what the run decides: sort the rest outside."),
    *((f"np.{n}", _KNOWN) for n in ("unique", "setdiff1d", "union1d", "intersect1d", "setxor1d")),
    ("np.nditer", _ELEMENTS),
    *((name, _ELEMENTS) for name in ("filter", "itertools.accumulate", "itertools.pairwise")),
    ("np.packbits", "Bits have no derivative: pack them outside of the function."),
    ("np.load", "Files cannot be read here: do it outside of the function."),
    ("np.loadtxt", "Files cannot be read here: do it outside of the function."),
    ("math", "Only functions of real numbers are supported."),
    ("cmath", "Use the functions of this name in NumPy."),
    ("logging", "Log outside of the function."),
    ("warnings", "Warn outside of the function."),
    ("scipy.optimize", _SOLVED),
    ("scipy.sparse", "Use a dense array, such as 'A.toarray()' makes."),
)


MOST = 32
"""Names in a sentence."""
DEFAULT = "Write it with other functions of NumPy, or do it outside of the function."


def hint_for(function: Any) -> str:
    """One sentence."""
    name = public_name(function)
    fitting = (text for start, text in HINTS if name == start or name.startswith(start + "."))
    return next(fitting, None) or _neighbours(name)


def _neighbours(name: str) -> str:
    """What is supported of the module that a function is of."""
    module = next((module for module in PROGRAMS if name.startswith(_written(module) + ".")), None)
    if module is not None and module != "numpy":
        known = sorted(PROGRAMS[module])
        if len(known) > MOST:
            count = f"{len(known)} functions of '{_written(module)}' are supported"
            return f"Write it out with NumPy's functions; {count}, which docs/numpy.md lists."
        names = ", ".join(f"'{other}'" for other in known)
        return f"Write it out with NumPy's functions; of '{_written(module)}' these are supported: {names}."
    if name.startswith("scipy."):
        modules = ", ".join(f"'{module}'" for module in PROGRAMS if module.startswith("scipy.") and "._" not in module)
        return f"Write it out with NumPy's functions; of SciPy some of {modules} are supported."
    return DEFAULT


def _written(module: str) -> str:
    """As programs write it."""
    return module.replace("numpy", "np", 1)
