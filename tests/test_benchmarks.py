"""Every script in benchmarks/ runs on something small; what it measures is for its reader."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.npbench import ROOT as NPBENCH
from tests.npbench import needs_npbench

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks"
SMALLEST = {
    "ablation.py": "--kernels seidel_2d --repeats 1",
    "calls.py": "--runs 2",
    "compilers.py": "syrk --preset tiny --rounds 1 --json /dev/stderr",
    "derivation.py": "line --sizes 20",
    "doors.py": "numpy",
    "messages.py": "--steps 10",
    "ensembles.py": "--schools 20 --members 2000",
    "extra_memory.py": "--preset S seidel_2d",
    "flags.py": f"--npbench {NPBENCH} --seconds 0.1 syrk",
    "guards.py": "fluxes",
    "last_bits.py": f"--npbench {NPBENCH} seidel_2d",
    "limits.py": "--kernels seidel_2d --repeats 1",
    "memory.py": "branches",
    "newcomer.py": "--first 1",
    "order.py": "--points 2 branches",
    "passes.py": "--only update-joining --repeats 1",
    "plan_measure.py": "branches --rounds 2",
    "planning.py": "seidel_2d --repeats 1",
    "portable.py": "seidel_2d --preset tiny --seconds 0",
    "prices.py": "--rounds 1",
    "products.py": "mvt --preset tiny --no-jax",
    "reality.py": "traffic",
    "reference.py": "--only j0",
    "scipy_beside_jax.py": "--table",
    "sparse.py": "--size 20 --calls 2 --no-jax",
    "startup.py": "seidel_2d --repeats 1",
    "team.py": "--repeats 10",
    "three_arrays.py": "--size 50 --repeats 1",
    "tools.py": "--points 8 --steps 3 --repeats 1",
    "trade.py": "--points 20 --steps 20 --repeats 1",
}
SIDE_BY_SIDE = {"extra_memory.py", "flags.py", "last_bits.py", "limits.py"}
"""These read what lies beside the checkout."""


def run(script: str, *arguments: str) -> str:
    command = [sys.executable, str(FOLDER / script), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def test_all_scripts_are_here() -> None:
    assert {path.name for path in FOLDER.glob("*.py") if "def main(" in path.read_text()} == set(SMALLEST)


@pytest.mark.parametrize("script", SMALLEST)
def test_says_what_it_measures(script: str) -> None:
    assert "--help" in run(script, "--help")


@pytest.mark.slow
@pytest.mark.parametrize(
    "script", [pytest.param(script, marks=[needs_npbench] if script in SIDE_BY_SIDE else []) for script in SMALLEST]
)
def test_prints_a_table(script: str) -> None:
    assert "\n|" in run(script, *SMALLEST[script].split())
