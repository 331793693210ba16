"""Forward substitution by the library; what x held before is not read."""

from jax.scipy.linalg import solve_triangular


def kernel(L, x, b):
    return solve_triangular(L, b, lower=True)
