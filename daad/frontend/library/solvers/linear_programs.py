"""Linear programs of `scipy.optimize`: SciPy finds the corner, the equations that hold there have the derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daad.errors import Unsupported
from daad.frontend.library.anchored import python_function
from daad.frontend.library.solvers.primitives import opaque
from daad.frontend.library.solvers.roots import Found, told

Array = Any  # staged while the program is read
Bars = tuple[Any, ...]
NEAR = 1e-7
"""What holds, relative to the numbers in it."""


def _corner(ways: Any, c: Array, a: Array, b: Array, a_eq: Array, b_eq: Array, low: Array, high: Array) -> Array:
    found = python_function("scipy.optimize", "linprog")(
        c,
        a if len(a) else None,
        b if len(a) else None,
        a_eq if len(a_eq) else None,
        b_eq if len(a_eq) else None,
        np.stack((low, high), axis=1),
        **ways,
    )
    if found.x is None or not found.success:
        raise Unsupported(f"This linear program has no solution: {found.message}", hint="Check it.")
    return np.asarray(found.x)


def _corner_bars(args: Any, x: Array, bar: Array) -> Bars:
    """By as many equations that hold as there are unknowns."""
    _, c, a, b, a_eq, b_eq, low, high = args
    n = len(x)
    rows = np.concatenate((a_eq, a, np.eye(n), np.eye(n)))
    limits = np.concatenate((b_eq, b, low, high))
    off = np.abs(np.where(np.isfinite(limits), rows @ x - np.where(np.isfinite(limits), limits, 0.0), np.inf))
    scale = 1.0 + np.abs(x) @ np.abs(rows).T
    holds = np.flatnonzero((off <= NEAR * scale) | (np.arange(len(rows)) < len(a_eq)))
    system = rows[holds]
    if len(holds) < n or np.linalg.matrix_rank(system) < n:
        raise Unsupported("The solution of this linear program is not a corner.", hint="It has no derivative.")
    forces = np.linalg.lstsq(system.T, bar, rcond=None)[0]
    if len(holds) > n and np.any(bar):
        raise Unsupported(
            "More equations hold in this linear program than there are unknowns.", hint="Change it a bit."
        )
    limit_bars = np.zeros(len(rows))
    limit_bars[holds] = forces
    parts = np.split(limit_bars, np.cumsum([len(a_eq), len(a), n]))
    return (
        None,
        np.zeros_like(c),
        -np.outer(parts[1], x),
        parts[1],
        -np.outer(parts[0], x),
        parts[0],
        parts[2],
        parts[3],
    )


def linprog(
    c: Array,
    A_ub: Any = None,
    b_ub: Any = None,
    A_eq: Any = None,
    b_eq: Any = None,
    bounds: Any = (0, None),
    **rest: Any,
) -> Any:
    if rest.get("integrality") is not None:
        raise ValueError("'linprog' with 'integrality' is not supported")
    c = np.asarray(c) * 1.0
    n = len(c)
    a, b = _side(A_ub, b_ub, n)
    a_eq, b_of_eq = _side(A_eq, b_eq, n)
    pairs = [bounds] * n if np.ndim(bounds[0]) == 0 and not isinstance(bounds[0], tuple | list) else bounds
    low = np.stack([_end(pair[0], -np.inf) for pair in pairs])
    high = np.stack([_end(pair[1], np.inf) for pair in pairs])
    x = opaque(_corner, _corner_bars, np.zeros(n), rest, c, a, b, a_eq, b_of_eq, low, high)
    found = {"x": x, "fun": float(c @ x), "slack": b - a @ x, "con": b_of_eq - a_eq @ x}
    return Found(**found, success=True, status=0, message=told(x[0]))


def _side(a: Any, b: Any, n: int) -> tuple[Array, Array]:
    if a is None:
        return np.zeros((0, n)), np.zeros(0)
    return np.atleast_2d(np.asarray(a)) * 1.0, np.atleast_1d(np.stack(b) if isinstance(b, list | tuple) else b) * 1.0


def _end(bound: Any, none: float) -> Array:
    return np.asarray(none if bound is None else bound) * 1.0


PROGRAMS: dict[str, Callable[..., Any]] = {"linprog": linprog}
