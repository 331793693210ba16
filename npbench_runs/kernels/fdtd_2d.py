"""Maxwell's equations in the plane by finite differences in time: electric field ex, ey, magnetic field hz.

The edge ey[0] is driven by the source `_fict_`, one value for each step.
"""

import numpy as np

SIZES = {
    "tiny": {"TMAX": 3, "NX": 5, "NY": 6},
    "S": {"TMAX": 20, "NX": 200, "NY": 220},
    "M": {"TMAX": 60, "NX": 400, "NY": 450},
    "L": {"TMAX": 150, "NX": 800, "NY": 900},
    "paper": {"TMAX": 500, "NX": 1000, "NY": 1200},
}
OUTPUT = "ex"


def initialise(TMAX, NX, NY):
    rng = np.random.default_rng(42)
    return TMAX, rng.random((NX, NY)), rng.random((NX, NY)), rng.random((NX, NY)), rng.random(TMAX)


def kernel(TMAX, ex, ey, hz, _fict_):
    for t in range(TMAX):
        ey[0] = _fict_[t]
        ey[1:] -= 0.5 * np.diff(hz, axis=0)
        ex[:, 1:] -= 0.5 * np.diff(hz, axis=1)
        curl = np.diff(ex[:-1], axis=1) + np.diff(ey[:, :-1], axis=0)
        hz[:-1, :-1] -= 0.7 * curl
