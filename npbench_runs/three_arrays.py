"""Three intermediates of one size that the adjoint needs, each dearer to compute again than the one before.

The first costs one product of the inputs, the second two products and the first, the third the whole chain before it:
the program whose 2**3 ways to store or recompute the figure "memory" shows.
"""

import numpy as np

SIZES = {"tiny": {"N": 6}, "S": {"N": 1000}, "M": {"N": 2000}, "L": {"N": 4000}, "paper": {"N": 8000}}
INTERMEDIATES = ("B", "C", "D")
WRT = ("X", "Y")


def initialise(N):
    rng = np.random.default_rng(42)
    return rng.random((N, N)), rng.random((N, N))


def kernel(X, Y):
    B = X * Y
    C = X * Y * B
    D = B * C * X
    return np.sum(np.sin(B) + np.sin(C) + np.sin(D))


def initialise_wide(N):
    rng = np.random.default_rng(42)
    return *(rng.random((N, N)) / 4 for _ in range(4)), rng.random((N, 4 * N)) / 4


def wide(a, b, c, w, v):
    """The same where storing pays, and where the arrays are in the way of something large: the last product.

    To make the first again takes two inputs and no further array, the second a product of matrices and an array
    between, the third all that comes before it.
    """
    first = np.exp(a) * b
    second = (b @ w) * a
    third = (second @ w + first) * c
    return np.sum(np.sin(first)) + np.sum(np.sin(second)) + np.sum(np.sin(third)) + np.sum(np.sin(third @ v))
