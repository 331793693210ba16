"""The second rank gets less than it asks for, and raises; the first one waits for it."""

from __future__ import annotations

import numpy as np

from tests.mpi.on_ranks import interpreted
from tests.mpi.programs import comm, rank


def mismatched(x, y):
    if rank == 0:
        comm.Send(x[:2], dest=1)
        comm.Recv(y, source=1)
    else:
        comm.Recv(y, source=0)
        comm.Send(x, dest=0)
    return np.sum(x * y)


if __name__ == "__main__":
    interpreted(mismatched)(np.ones(3), np.ones(3))
