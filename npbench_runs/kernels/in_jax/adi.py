"""Alternating directions implicit: Thomas's elimination is a scan along the rows, the lines beside each other.

The pivots depend on the sizes alone and are computed once, before the trace.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax


def eliminated(n, beside, diagonal):
    """The weights of the forward and of the backward substitution."""
    p = np.zeros(n)
    inverse = np.zeros(n)
    for j in range(1, n - 1):
        inverse[j] = 1.0 / (diagonal + beside * p[j - 1])
        p[j] = -beside * inverse[j]
    return inverse[1:-1], p[1:-1]


def explicit(rows, weight):
    return (1.0 - 2.0 * weight) * rows[1:-1, 1:-1] + weight * (rows[1:-1, :-2] + rows[1:-1, 2:])


def implicit(right, weights, beside):
    """The inner rows of the solution; the first and last row are one."""

    def forth(q, row):
        right, inverse = row
        q = (right - beside * q) * inverse
        return q, q

    def back(x, row):
        q, p = row
        x = p * x + q
        return x, x

    inverse, p = weights
    edge = jnp.ones_like(right[0])
    _, q = lax.scan(forth, edge, (right, inverse))
    _, x = lax.scan(back, edge, (q, p), reverse=True)
    return jnp.concatenate([edge[None], x, edge[None]])


def kernel(TSTEPS, N, u):
    along_x = N * N / TSTEPS
    along_y = 0.5 * N * N / TSTEPS
    first = eliminated(N, -along_x, 1.0 + 2.0 * along_y)
    second = eliminated(N, -along_y, 1.0 + 2.0 * along_y)

    def step(u, _):
        v = implicit(explicit(u, along_y), first, -along_x)
        inner = implicit(explicit(jnp.pad(v, ((0, 0), (1, 1))).T, along_x), second, -along_y)
        return u.at[1:-1].set(inner.T), None

    return lax.scan(step, u, None, length=TSTEPS)[0]
