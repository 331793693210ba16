"""Jacobi's relaxation on a line: the pair of arrays is the carry of a scan."""

from jax import lax


def relax(into, out_of):
    return into.at[1:-1].set(0.33333 * (out_of[:-2] + out_of[1:-1] + out_of[2:]))


def kernel(TSTEPS, A, B):
    def step(carry, _):
        A, B = carry
        B = relax(B, A)
        A = relax(A, B)
        return (A, B), None

    (A, _), _ = lax.scan(step, (A, B), None, length=TSTEPS - 1)
    return A
