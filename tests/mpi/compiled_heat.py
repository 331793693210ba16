"""Heat on two ranks, compiled, beside the program of one rank: prints the largest difference of gradients."""

from __future__ import annotations

import numpy as np

import daad
from tests.mpi.on_ranks import interpreted
from tests.mpi.programs import comm, heat, heat_of_one, rank, size

EACH = 6


def main() -> None:
    count = EACH * size + 2
    u, k = np.sin(np.linspace(0.0, 3.0, count)), 0.25 + 0.01 * np.arange(count)
    mine = slice(rank * EACH, (rank + 1) * EACH + 2)
    gradient = daad.value_and_grad(heat, wrt=("u", "k"))
    value, own = gradient(u[mine].copy(), k[mine].copy())
    again, _ = gradient(u[mine].copy(), k[mine].copy())
    expected, whole = interpreted(heat_of_one)(u, k)
    errors = [abs(comm.allreduce(value) - expected), abs(again - value)]
    errors += [np.max(np.abs(a[1:-1] - b[mine][1:-1])) for a, b in zip(own, whole, strict=True)]
    worst = comm.allreduce(max(errors))
    if rank == 0:
        print(worst)


if __name__ == "__main__":
    main()
