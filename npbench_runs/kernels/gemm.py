"""The general matrix product: C becomes alpha A B + beta C."""

import numpy as np

SIZES = {
    "tiny": {"NI": 3, "NJ": 4, "NK": 5},
    "S": {"NI": 1000, "NJ": 1100, "NK": 1200},
    "M": {"NI": 2500, "NJ": 2750, "NK": 3000},
    "L": {"NI": 7000, "NJ": 7500, "NK": 8000},
    "paper": {"NI": 2000, "NJ": 2300, "NK": 2600},
}
OUTPUT = "C"


def initialise(NI, NJ, NK):
    rng = np.random.default_rng(42)
    return 1.5, 1.2, rng.random((NI, NJ)), rng.random((NI, NK)), rng.random((NK, NJ))


def kernel(alpha, beta, C, A, B):
    C *= beta
    C += alpha * (A @ B)
