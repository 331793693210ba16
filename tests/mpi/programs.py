"""Programs with mpi4py, each a part on every rank; their gradients are those of the sum of what all ranks return."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
cart = comm.Create_cart(MPI.Compute_dims(size, 2), periods=[False, True])


def all_sums(x, y):
    total, mine = np.empty(3), np.array([np.dot(x, y), np.sum(x), np.sum(np.sin(y))])
    comm.Allreduce(mine, total)
    comm.Allreduce(MPI.IN_PLACE, y, op=MPI.SUM)
    comm.Barrier()
    return (rank + 1.0) * total[0] * np.cos(total[1]) + total[2] * np.sum(y**2)


def extrema(x, y):
    largest, smallest = np.empty(5), np.zeros(5)
    comm.Allreduce(x * y, largest, op=MPI.MAX)
    comm.Reduce(np.sin(y), smallest if rank == 1 else None, op=MPI.MIN, root=1)
    return np.sum(largest**2) * (1.0 + rank) + np.sum(x * smallest)


def roots(x, y):
    z = x * y
    for root in range(comm.size):
        comm.Bcast(z, root=root)
        z = z * x + root
        sums = np.zeros(5) if rank == root else None
        comm.Reduce([z, MPI.DOUBLE], [sums, MPI.DOUBLE] if rank == root else None, root=root)
        if rank == root:
            z += 0.1 * sums
    return np.sum(z)


def parts(x, y):
    rows = np.empty((comm.size, 5)) if rank == 0 else None
    comm.Gather(x * x, rows, root=0)
    if rank == 0:
        rows = np.sin(rows) * np.arange(1.0, 1.0 + comm.size)[:, None]
    mine = np.empty(5)
    comm.Scatter(rows, mine, root=0)
    every = np.empty((size, 5))
    comm.Allgather(mine * y, every)
    turned = np.empty((size, 2))
    comm.Alltoall(np.ascontiguousarray(every[:, 1:3] ** 2 * x[0]), turned)
    return np.sum(turned * np.cos(turned)) + np.sum(mine)


def uneven_parts(x, y):
    counts = [k + 1 for k in range(size)]
    whole = np.empty(sum(counts))
    comm.Allgatherv(x[: rank + 1] * y[0], [whole, counts])
    starts = np.cumsum([0, *counts[:-1]])
    found = np.zeros(sum(counts))
    comm.Gatherv([whole[: rank + 1] * y[1], MPI.DOUBLE], [found, counts, starts, MPI.DOUBLE] if rank == 0 else None)
    mine = np.empty(rank + 1)
    comm.Scatterv([np.sin(found), (counts, starts), MPI.DOUBLE] if rank == 0 else None, mine)
    return np.sum(mine**2) + whole[-1] * x[1]


def ring(x, y):
    got = np.empty(5)
    for t in range(3):
        comm.Sendrecv(x, (rank + 1) % size, 3, got, (rank - 1) % size, 3)
        x = np.sin(got) * y + 0.1 * t
    return np.sum(x * x)


def master(x, y):
    total = 0.0
    if rank == 0:
        work = np.empty(5)
        for worker in range(1, size):
            comm.Send(x * worker, dest=worker, tag=worker)
        for _ in range(1, size):
            comm.Recv(work, source=MPI.ANY_SOURCE, tag=11)
            total += np.sum(work**2)
    else:
        task = np.zeros(5)
        comm.Recv(task, source=0)
        comm.Send(np.sin(task) * y, dest=0, tag=11)
    return total + 0.0 * x[0]


def waves(x, y):
    z = np.zeros(5, complex)
    comm.Sendrecv(np.exp(1j * x) * y, size - 1 - rank, 0, z, size - 1 - rank, 0)
    return np.sum(np.real(z * z)) + np.sum(np.imag(z))


def on_a_side(x, y):
    total = np.empty(1)
    comm.Allreduce(np.array([np.sum(x)]), total)
    if total[0] > 0.0:
        comm.Allreduce(total * y[0], total)
    else:
        comm.Barrier()
    return total[0] ** 2


def of_one_rank(x, y):
    z = np.arange(5.0)
    if rank == 0:
        comm.Send(x * y, dest=1)
    if rank == 1:
        comm.Recv(z, source=0)
        z *= z
    comm.Bcast(z, root=1)
    return np.sum(z) if rank == size - 1 else 0.0


def heat(u, k):
    below, above = rank - 1 if rank else MPI.PROC_NULL, rank + 1 if rank < size - 1 else MPI.PROC_NULL
    for _ in range(4):
        comm.Sendrecv(u[1:2], below, 0, u[-1:], above, 0)
        comm.Sendrecv(u[-2:-1], above, 1, u[:1], below, 1)
        u[1:-1] = u[1:-1] + k[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u[1:-1] ** 2)


def heat_of_one(u, k):
    for _ in range(4):
        u[1:-1] = u[1:-1] + k[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u[1:-1] ** 2)


def plate(u, k):
    """Heat in two dimensions, on a torus in the second one, with halos that travel while the middle is computed."""
    (north, south), (west, east) = cart.Shift(0, 1), cart.Shift(1, 1)
    for _ in range(3):
        left, right = np.zeros(u.shape[0]), np.zeros(u.shape[0])
        requests = [
            cart.Irecv(u[0], source=north, tag=0),
            cart.Irecv(u[-1], source=south, tag=1),
            cart.Irecv(left, source=west, tag=2),
            cart.Irecv(right, source=east, tag=3),
            cart.Isend(u[-2].copy(), dest=south, tag=0),
            cart.Isend(u[1].copy(), dest=north, tag=1),
        ]
        requests.append(cart.Isend(u[:, -2].copy(), dest=east, tag=2))
        requests.append(cart.Isend(u[:, 1].copy(), dest=west, tag=3))
        MPI.Request.Waitall(requests)
        u[:, 0], u[:, -1] = left, right
        flux = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] += k * flux * (1.0 + 0.1 * u[1:-1, 1:-1])
    return np.sum(u[1:-1, 1:-1] ** 3)


def shallow_water(h, v):
    """Lax and Friedrichs' scheme on a ring of ranks."""
    left, right = (rank - 1) % size, (rank + 1) % size
    for _ in range(3):
        requests = []
        halo = np.zeros((2, 2))
        for side, (to, other) in enumerate(((left, right), (right, left))):
            edge = -2 if side else 1
            requests.append(comm.Irecv(halo[side], source=other, tag=side))
            requests.append(comm.Isend(np.array([h[edge], v[edge]]), dest=to, tag=side))
        for request in requests:
            request.Wait()
        h[-1], v[-1], h[0], v[0] = halo[0, 0], halo[0, 1], halo[1, 0], halo[1, 1]
        mass, momentum = h * v, h * v * v + 4.9 * h * h
        new = 0.5 * (h[2:] + h[:-2]) - 0.05 * (mass[2:] - mass[:-2])
        q = 0.5 * (mass[2:] + mass[:-2]) - 0.05 * (momentum[2:] - momentum[:-2])
        h[1:-1] = new
        v[1:-1] = q / new
    return np.sum(h[1:-1] * v[1:-1] ** 2)


def product(p, d):
    """A tridiagonal matrix times a vector, whose parts lie on all ranks."""
    q, halo = d * p, np.zeros(2)
    below, above = rank - 1 if rank else MPI.PROC_NULL, rank + 1 if rank < size - 1 else MPI.PROC_NULL
    comm.Sendrecv(p[:1], below, 0, halo[1:], above, 0)
    comm.Sendrecv(p[-1:], above, 1, halo[:1], below, 1)
    q[1:] -= p[:-1]
    q[:-1] -= p[1:]
    q[0] -= halo[0]
    q[-1] -= halo[1]
    return q


def dot(a, b):
    total = np.empty(1)
    comm.Allreduce(np.array([np.dot(a, b)]), total, op=MPI.SUM)
    return total[0]


def conjugate_gradients(b, d):
    """Hestenes and Stiefel's method, until the residual is small."""
    x, r = np.zeros(b.size), b.copy()
    p, rho = r.copy(), dot(r, r)
    trips = 0
    while rho > 1e-22 and trips < 40:
        q = product(p, d)
        alpha = rho / dot(p, q)
        x = x + alpha * p
        r = r - alpha * q
        new = dot(r, r)
        p = r + new / rho * p
        rho = new
        trips += 1
    return np.sum(x**2)


@dataclass(frozen=True)
class Case:
    """A program, how many numbers each argument has on a rank, and what they are near; one that `has_loop` has states
    that may be computed again."""

    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...] = ((5,), (5,))
    near: tuple[float, float] = (0.3, 0.4)
    has_loop: bool = False

    def arguments(self) -> tuple[np.ndarray, ...]:
        rng = np.random.default_rng(17 + rank)
        return tuple(
            near + 0.3 * rng.standard_normal(shape) for shape, near in zip(self.shapes, self.near, strict=True)
        )


CASES = {
    case.function.__name__: case
    for case in (
        Case(all_sums),
        Case(extrema),
        Case(roots),
        Case(parts),
        Case(uneven_parts),
        Case(ring, has_loop=True),
        Case(master),
        Case(waves),
        Case(on_a_side),
        Case(of_one_rank),
        Case(heat, ((6,), (6,))),
        Case(plate, ((5, 6), (3, 4)), (0.3, 0.1)),
        Case(shallow_water, ((6,), (6,)), (3.0, 0.4), has_loop=True),
        Case(conjugate_gradients, ((4,), (4,)), (1.0, 4.0)),
    )
}
