"""What daad writes to standard output and standard error without being asked: nothing."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.hostile.processes import run

# The first plan of a process that an integer program is solved for, a compiled gradient, and a check.
ASKED = """
import numpy as np, daad

def energy(u, k, steps):
    for t in range(steps):
        u = u + k * np.sin(u)
    return np.sum(u * u)

u, k = np.linspace(0.0, 1.0, 200), np.full(200, 0.1)
most = daad.plan(energy, (u, k, 60), wrt="k").nbytes
gradient = daad.grad(energy, wrt="k", memory_limit=f"{most // 2}B")
print(gradient(u, k, 60).shape, bool(daad.check(energy, (u, k, 60), wrt="k")))
"""
SOLVED = """
from daad.ilp import highs
from pulp import LpInteger, LpMinimize, LpProblem, lpSum
problem = LpProblem("plan", LpMinimize)
x = [problem.add_variable(f"x{n}", 0, 1, LpInteger) for n in range(4)]
problem.setObjective(lpSum(x))
problem += lpSum((n + 2) * v for n, v in enumerate(x)) >= 6
problem.solve(highs.Solver(100, timeLimit=60.0, threads=1, gapRel=0.0))
print(problem.objective.value())
"""


def test_standard_output_holds_what_was_asked_for_alone(tmp_path: Path) -> None:
    script = tmp_path / "asked.py"
    script.write_text(ASKED + SOLVED)
    ended = run([sys.executable, script], cwd=tmp_path, DAAD_CACHE=str(tmp_path / "cache"))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "(200,) True\n2.0\n", "")
