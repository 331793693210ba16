"""Two matrix products in a row: D becomes alpha A B C + beta D."""

import numpy as np

SIZES = {
    "tiny": {"NI": 3, "NJ": 4, "NK": 5, "NL": 2},
    "S": {"NI": 800, "NJ": 850, "NK": 900, "NL": 950},
    "M": {"NI": 2000, "NJ": 2250, "NK": 2500, "NL": 2750},
    "L": {"NI": 6000, "NJ": 6500, "NK": 7000, "NL": 7500},
    "paper": {"NI": 3200, "NJ": 3600, "NK": 4400, "NL": 4800},
}
OUTPUT = "D"


def initialise(NI, NJ, NK, NL):
    rng = np.random.default_rng(42)
    return 1.5, 1.2, rng.random((NI, NK)), rng.random((NK, NJ)), rng.random((NJ, NL)), rng.random((NI, NL))


def kernel(alpha, beta, A, B, C, D):
    AB = alpha * (A @ B)
    D[:] = AB @ C + beta * D
