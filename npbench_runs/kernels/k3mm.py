"""Three matrix products in a row: A B C D."""

import numpy as np

SIZES = {
    "tiny": {"NI": 3, "NJ": 4, "NK": 5, "NL": 2, "NM": 4},
    "S": {"NI": 800, "NJ": 850, "NK": 900, "NL": 950, "NM": 1000},
    "M": {"NI": 2000, "NJ": 2200, "NK": 2400, "NL": 2600, "NM": 2800},
    "L": {"NI": 5500, "NJ": 6000, "NK": 6500, "NL": 7000, "NM": 7500},
    "paper": {"NI": 3200, "NJ": 3600, "NK": 4000, "NL": 4400, "NM": 4800},
}
OUTPUT = None


def initialise(NI, NJ, NK, NL, NM):
    rng = np.random.default_rng(42)
    return rng.random((NI, NK)), rng.random((NK, NJ)), rng.random((NJ, NM)), rng.random((NM, NL))


def kernel(A, B, C, D):
    AB = A @ B
    ABC = AB @ C
    return ABC @ D
