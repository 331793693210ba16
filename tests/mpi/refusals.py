"""Programs with mpi4py that are refused, each with its sentence; run as a module, it tries them in one process."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI
from scipy.optimize import fsolve

import daad
from tests.mpi.on_ranks import interpreted

comm = MPI.COMM_WORLD


def lower_case(x, y):
    return comm.allreduce(np.sum(x))


def made_inside(x, y):
    own = comm.Split(0, 0)
    own.Allreduce(x, y)
    return np.sum(y)


def one_sided(x, y):
    MPI.Win.Create(x, comm=comm)
    return np.sum(x)


def own_operation(x, y):
    comm.Allreduce(x, y, op=MPI.Op.Create(lambda a, b, kind: None))
    return np.sum(y)


def another_operation(x, y):
    comm.Allreduce(x, y, op=MPI.PROD)
    return np.sum(y)


def sizes(x, y):
    comm.Allreduce(x[:2], y)
    return np.sum(y)


def parts(x, y):
    comm.Allgather(x[:2], y)
    return np.sum(y)


def dtypes(x, y):
    comm.Allreduce(x.astype(np.float32), y)
    return np.sum(y)


def anything(x, y):
    comm.Recv(y)
    return np.sum(y)


def status(x, y):
    comm.Recv(y, source=0, status=MPI.Status())
    return np.sum(y)


def gaps(x, y):
    comm.Allgatherv(x[:2], [y, [2], [1]])
    return np.sum(y)


def number(x, y):
    comm.Allreduce(1.0, y)
    return np.sum(y)


def other_arguments(x, y):
    comm.Bcast(x, to=3)
    return np.sum(x)


def another_method(x, y):
    comm.Scan(x, y)
    return np.sum(y)


def never_waited(x, y):
    request = comm.Irecv(y, source=0)
    comm.Isend(x, dest=0)
    request.Wait()
    return np.sum(y)


def asked(x, y):
    request = comm.Irecv(y, source=0)
    request.Test()
    return np.sum(y)


def any_of_them(x, y):
    MPI.Request.Waitany([comm.Irecv(y, source=0)])
    return np.sum(y)


def short_message(x, y):
    comm.Sendrecv(x[:2], 0, 0, y, 0, 0)
    return np.sum(y)


def large_integers(x, y):
    counts = np.array([2**60 + 1]) + np.floor(x[:1]).astype(np.int64)
    comm.Bcast(counts)
    return np.sum(x) * counts[0]


@daad.custom_vjp
def with_a_rule(x):
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y


with_a_rule.defvjp(lambda x: (with_a_rule(x), None), lambda _, bar: (bar,))


def in_a_rule(x, y):
    comm.Allreduce(x, y)
    return np.sum(with_a_rule(y))


def called_by_scipy(x, y):
    def residual(z):
        total = np.empty(3)
        comm.Allreduce(z, total)
        return total - x

    return np.sum(fsolve(residual, y))


def turned(x, y):
    comm.Allreduce(x * x, y)
    return y


def summed(x, y):
    comm.Allreduce(x * x, y)
    return np.sum(y)


REFUSED: list[tuple[Callable[..., Any], str]] = [
    (lower_case, "'allreduce' sends objects of Python."),
    (made_inside, "'Split' makes or ends a communicator."),
    (one_sided, "One-sided communication is not supported."),
    (own_operation, "Operations of MPI that a program defines are not supported."),
    (another_operation, "The operation of 'Allreduce' is not supported."),
    (sizes, "'Allreduce' sends 2 elements and receives 3."),
    (parts, "'Allgather' receives 3 elements, not 2 for 1 ranks."),
    (dtypes, "'Allreduce' sends 'float32' and receives 'float64'."),
    (anything, "'Recv' receives any message from anywhere, an adjoint among them."),
    (status, "The status of 'Recv' is not supported."),
    (gaps, "'Allgatherv' leaves gaps between the parts."),
    (number, "A buffer of 'Allreduce' is no array."),
    (other_arguments, "This call of 'Bcast' fails: it has other arguments."),
    (another_method, "The method 'Scan' of MPI is not supported."),
    (never_waited, "A request has not been waited for."),
    (asked, "A request is asked for 'request.Test'."),
    (any_of_them, "The method 'Waitany' of MPI is not supported."),
    (short_message, "'Sendrecv' fails: a message of 16 bytes has come for a buffer of 24 bytes."),
    (in_a_rule, "A function with a rule of its own passes messages."),
    (called_by_scipy, "A function that SciPy calls passes messages."),
    (large_integers, "'Bcast' fails: integers of 54 bits and more are not supported."),
]
ONE = "A program that passes messages has one derivative at a time."
JACOBIAN = "There is no Jacobian of a program that passes messages."
PLANS = "All plans cannot be checked of a program that passes messages."
PRODUCTS: list[tuple[str, Callable[[Any, Any], Any], str]] = [
    ("hvp", lambda x, y: daad.hvp(summed)(x, y, tangent=x), SECOND := "Communications have first derivatives only."),
    ("hessian", lambda x, y: daad.hessian(summed)(x, y), SECOND),
    ("gauss_newton_product", lambda x, y: daad.gauss_newton_product(turned)(x, y, tangent=x), ONE),
    ("several tangents", lambda x, y: daad.jvp(turned).many(x, y, tangents=np.ones((2, 3))), ONE),
    ("several seeds", lambda x, y: daad.vjp(turned)(x, y)[1].many(np.ones((2, 3))), ONE),
    ("jacobian", lambda x, y: daad.jacobian(turned)(x, y), JACOBIAN),
    ("all plans", lambda x, y: daad.check(summed, (x, y), plans="all"), PLANS),
]


def sentence(run: Callable[[], Any]) -> str:
    try:
        run()
    except daad.DaadError as error:
        return error.message
    return "nothing"


def main() -> None:
    x, y = np.ones(3), np.zeros(3)
    found = [(f.__name__, text, sentence(lambda f=f: interpreted(f)(x.copy(), y.copy()))) for f, text in REFUSED]
    found += [(name, text, sentence(lambda run=run: run(x, y))) for name, run, text in PRODUCTS]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
