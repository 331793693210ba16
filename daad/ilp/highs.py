"""HiGHS behind PuLP: silent, and ended at the same place however fast it is."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import highspy
import pulp


class _Silent(highspy.Highs):
    """Writes who it is to standard output as soon as it is told of callbacks, unless it is silent by then."""

    def enableCallbacks(self) -> None:
        self.silent()
        super().enableCallbacks()


class Solver(pulp.HiGHS):
    """PuLP's, which does not know how HiGHS says that it has seen as many nodes as it may, or was interrupted. It is
    when it has asked for that `most` times: it asks at the same places however fast it is."""

    def __init__(self, most: int, **options: Any) -> None:
        asks = [highspy.cb.HighsCallbackType.kCallbackMipInterrupt]
        super().__init__(msg=False, callbackTuple=(self._count, None), callbacksToActivate=asks, **options)
        self.left = most

    def createAndConfigureSolver(self, problem: Any) -> None:
        problem.solverModel = solver = _Silent()
        solver.setCallback(*self.callbackTuple)
        for kind in self.callbacksToActivate:
            solver.startCallback(kind)
        options = {"output_flag": False, "mip_rel_gap": self.gapRel, "threads": self.threads, **self.optionsDict}
        for name, value in {**options, "time_limit": self.timeLimit}.items():
            solver.setOptionValue(name, value)

    def _count(self, kind: Any, message: str, found: Any, answer: Any, data: Any) -> None:
        self.left -= 1
        answer.user_interrupt = self.left < 0

    def findSolutionValues(self, problem: Any) -> tuple[int, int]:
        with suppress(KeyError):
            found: tuple[int, int] = super().findSolutionValues(problem)
            if found != (pulp.LpStatusOptimal, pulp.LpSolutionIntegerFeasible):
                return found
        if math.isinf(problem.solverModel.getInfo().objective_function_value):
            return pulp.LpStatusNotSolved, pulp.LpSolutionNoSolutionFound
        return pulp.LpStatusOptimal, pulp.LpSolutionIntegerFeasible
