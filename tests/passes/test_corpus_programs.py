"""Every pass on the program of every case of the corpus and on its naive adjoint, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from daad import pipeline
from daad.api.gradient import Gradient
from daad.codegen.interpreted import Interpreted
from daad.ir.interpreter import run
from daad.ir.nodes import Program
from daad.ir.printer import program_text
from daad.ir.validator import validate
from daad.passes.definition import Goal
from daad.passes.phases import PASSES
from tests.corpus.case import Case
from tests.corpus.selection import PLAIN, one_in
from tests.passes.slabbed import by_rows, in_chunks, in_order, in_slabs, in_sweeps, packed, with_running_sums
from tests.programs import request_of

Names = frozenset[str]

SMALL: dict[str, Callable[[Program, Names], Program]] = {
    "prefix-sums": lambda p, live: with_running_sums(p),
    "strip-mining": in_slabs,
    "packing": packed,
    "data-layout": in_order,
    "shifted-fusion": by_rows,
    "doall": in_chunks,
    "time-skewing": in_sweeps,
}
"""Passes that change nothing where arrays are small, and what does as for large ones."""


def changes() -> Iterator[tuple[str, Callable[[Program, Names], Program]]]:
    """All passes, in the order in which they are run."""
    for step in PASSES.values():
        yield step.name, SMALL.get(step.name) or (lambda p, live, step=step: step.run(p, Goal(live)))


@dataclass(frozen=True)
class Compared(Interpreted):
    """Compares, at each call, the program after each pass with the one before."""

    def call(self, arrays: Sequence[np.ndarray], integers: Sequence[int]) -> None:
        program = self.program
        live = pipeline.live_at_end(program)
        names = [*program.parameters, *(r for r in program.results if r not in program.parameters)]
        given = {**dict(zip(names, arrays, strict=True)), **dict(zip(program.integers, integers, strict=True))}
        expected = run(program, given)
        for name, change in changes():
            program = validate(change(program, live))
            found = run(program, given)
            for array in sorted(live):
                single = expected[array].dtype == np.float32
                finite = np.abs(expected[array][np.isfinite(expected[array])])
                scale = float(finite.max(initial=0.0))
                np.testing.assert_allclose(
                    found[array],
                    expected[array],
                    rtol=1e-4 if single else 1e-9,
                    atol=(1e-5 if single else 1e-10) * scale,
                    err_msg=f"'{array}' after '{name}'\n{program_text(self.program)}\n{program_text(program)}",
                )
        super().call(arrays, integers)


@pytest.mark.parametrize("case", one_in(40, "each pass", PLAIN))
def test_passes_keep_results(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "optimize_primal", lambda p, stored: pipeline.hold_operands(p))
    monkeypatch.setattr(pipeline, "optimize_joint", lambda p, hints: (p, p))
    gradient = Gradient(case.function, request_of(case), compiler=Compared)  # type: ignore[arg-type]
    gradient(*case.arguments())
