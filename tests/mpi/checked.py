"""`daad.check` on all ranks: of a gradient that is right, and of one whose adjoint forgets what others have sent."""

from __future__ import annotations

from unittest import mock

from daad.api.check import check_gradient
from daad.runtime.mpi import exchanges
from daad.runtime.mpi.exchanges import KINDS
from tests.mpi.on_ranks import interpreted
from tests.mpi.programs import CASES, rank


def main() -> None:
    heat, ring = CASES["heat"], CASES["ring"]
    reports = [check_gradient(interpreted(heat.function), heat.arguments(), {})]
    right = KINDS["Sendrecv"]
    wrong = right._replace(backward=lambda *given: [0.9 * bar for bar in right.backward(*given)])
    with mock.patch.dict(exchanges.KINDS, {"Sendrecv": wrong}):
        reports.append(check_gradient(interpreted(ring.function), ring.arguments(), {}))
    if rank == 0:
        print(*(report.verdict.name for report in reports))
        print(*reports[0].remarks)


if __name__ == "__main__":
    main()
