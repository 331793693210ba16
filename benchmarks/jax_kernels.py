"""Reverse-differentiable JAX versions of the kernels: NPBench's own with static loop bounds, or one written here."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def trmm(alpha: Any, A: Any, B: Any) -> Any:
    """Rows of B below the current one still hold their entry values, so the sweep is one product."""
    return alpha * (B + jnp.tril(A, -1).T @ B)


def gramschmidt(A: Any) -> tuple[Any, Any]:
    """Modified Gram-Schmidt; the columns to the right are updated together."""
    columns = jnp.arange(A.shape[1])

    def orthogonalise(A: Any, k: Any) -> tuple[Any, tuple[Any, Any]]:
        column = A[:, k]
        norm = jnp.sqrt(column @ column)
        q = column / norm
        row = jnp.where(columns > k, q @ A, 0.0)
        return A - jnp.outer(q, row), (q, row.at[k].set(norm))

    _, (Q, R) = lax.scan(orthogonalise, A, columns)
    return Q.T, R


def lu(A: Any) -> Any:
    """Right-looking elimination: the same factors as NPBench's row by row order."""
    rows = jnp.arange(A.shape[0])

    def eliminate(A: Any, k: Any) -> tuple[Any, None]:
        below = jnp.where(rows > k, A[:, k] / A[k, k], 0.0)
        A = A - jnp.outer(below, jnp.where(rows > k, A[k], 0.0))
        return A.at[:, k].set(jnp.where(rows > k, below, A[:, k])), None

    return lax.scan(eliminate, A, rows)[0]


def cholesky(A: Any) -> Any:
    """Right-looking factorisation of the lower triangle; the upper one keeps its entry values."""
    rows = jnp.arange(A.shape[0])
    lower = jnp.tril(jnp.ones_like(A))

    def eliminate(L: Any, k: Any) -> tuple[Any, None]:
        diagonal = jnp.sqrt(L[k, k])
        below = jnp.where(rows > k, L[:, k] / diagonal, 0.0)
        L = L - jnp.outer(below, below) * lower
        return L.at[:, k].set(jnp.where(rows > k, below, L[:, k])).at[k, k].set(diagonal), None

    return lax.scan(eliminate, A, rows)[0]


OWN: dict[str, Any] = {"trmm": trmm, "gramschmidt": gramschmidt, "lu": lu, "cholesky": cholesky}

# Where NPBench's JAX kernel returns more than NumPy's kernel gives, the place of each output.
PLACES: dict[str, dict[Any, int]] = {
    "jacobi_1d": {"A": 0, "B": 1},
    "jacobi_2d": {"A": 0, "B": 1},
    "heat_3d": {"A": 0, "B": 1},
    "fdtd_2d": {"ex": 0, "ey": 1, "hz": 2},
    "cavity_flow": {"u": 0, "v": 1, "p": 2},
    "gramschmidt": {0: 0, 1: 1},
    "vadv": {"utens_stage": 3},
}


def origin(name: str) -> str:
    """Whose version is run."""
    return "own" if name in OWN else "NPBench"


def primal(name: str, npbench_function: Callable[..., Any]) -> Callable[..., Any]:
    """The JAX program; NPBench's is unwrapped from `jit` so that its loop bounds are constants."""
    return OWN.get(name) or inspect.unwrap(npbench_function)


def gradient(
    name: str, function: Callable[..., Any], arguments: Sequence[Any], wrt: Sequence[int], of: Any, seed: Any
) -> Callable[..., Any]:
    """A compiled function of the arrays at `wrt` that returns their gradients; all else is constant."""
    outputs = of if isinstance(of, tuple) else (of,)

    def loss(*active: Any) -> Any:
        everything = list(arguments)
        for place, value in zip(wrt, active, strict=True):
            everything[place] = value
        result = function(*everything)
        chosen = [result[PLACES[name][one]] if isinstance(result, tuple) else result for one in outputs]
        return sum(jnp.sum(one * seed) for one in chosen)

    return jax.jit(jax.grad(loss, argnums=tuple(range(len(wrt)))))


def on_device(arrays: Sequence[np.ndarray]) -> list[Any]:
    """The arrays as JAX holds them."""
    return [jax.device_put(array) for array in arrays]
