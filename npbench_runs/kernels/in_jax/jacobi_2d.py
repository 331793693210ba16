"""Jacobi's relaxation: the pair of arrays is the carry of a scan."""

from jax import lax


def relax(into, out_of):
    beside = out_of[1:-1, :-2] + out_of[1:-1, 2:]
    above_and_below = out_of[:-2, 1:-1] + out_of[2:, 1:-1]
    return into.at[1:-1, 1:-1].set(0.2 * (out_of[1:-1, 1:-1] + beside + above_and_below))


def kernel(TSTEPS, A, B):
    def step(carry, _):
        A, B = carry
        B = relax(B, A)
        A = relax(A, B)
        return (A, B), None

    (A, _), _ = lax.scan(step, (A, B), None, length=TSTEPS - 1)
    return A
