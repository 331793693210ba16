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
