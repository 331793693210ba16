"""Programs for GPUs in emulation: as the interpreter, without races, the same bits in any order of threads."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.codegen.device import Device
from daad.codegen.gpu import host_code, kernel_code, long_sums, scaled_products, spread, step_sizes, waiting
from daad.codegen.interpreted import Interpreted
from daad.errors import DaadError, Unsupported
from daad.ir.nodes import Program
from daad.runtime.at_work import deeper
from npbench_runs import kernel as suite
from tests import npbench
from tests.codegen import programs
from tests.codegen.running import arguments, call
from tests.corpus import ALL
from tests.corpus.case import Case
from tests.fuzz.campaign import generate
from tests.gpu.emulation.emulator import POISON, Emulated, Order
from tests.programs import request_of

FORMS: Mapping[str, Mapping[str, int]] = {
    "one block": {"SMALL": 10**9, "LARGE": 10**9},
    "whole grids": {"SMALL": 0, "LARGE": 10**9},
    "blocks and grids": {"SMALL": 20, "LARGE": 60, "LEAST": 1},
    "launches": {"SMALL": 0, "LARGE": 0, "LEAST": 1},
    "arrays apart": {"SMALL": 20, "LARGE": 60, "LEAST": 1},
}
"""What counts as small, as large, and as a product for cuBLAS: programs of tests would all run in one block."""
ORDERS = (Order(1), Order(2, processors=5), Order(3))
"""Of the last there are two runs, of one opened program."""
EMULATE = {"arrays apart": Emulated.apart}

PROGRAMS = tuple(made for made in programs.ALL if made is not programs.LOCALS)
"""Of that one points of a nest write the same place, if only the same value, which nests must not."""


@dataclass
class Runs:
    """The programs that have been run, each by the interpreter and in emulation: how many were `compared`, what is
    refused, what is wrong."""

    emulate: Callable[[Program], Emulated] = Emulated.of
    compared: int = 0
    refused: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def compiler(self, program: Program) -> Interpreted:
        return Compared(program, runs=self)


@dataclass(frozen=True, kw_only=True)
class Compared(Interpreted):
    """Runs by the interpreter, and compares."""

    runs: Runs

    def call(self, arrays: Sequence[np.ndarray], integers: Sequence[int]) -> None:
        names = [*dict.fromkeys((*self.program.parameters, *self.program.results))]
        given = {name: np.array(array) for name, array in zip(names, arrays, strict=True)}
        given |= {name: np.array([value]) for name, value in zip(self.program.integers, integers, strict=True)}
        for name in set(self.program.results) - set(self.program.parameters):
            given[name][...] = POISON
        super().call(arrays, integers)
        try:
            with deeper():  # as while programs are compiled
                emulated = self.runs.emulate(self.program)
        except Unsupported as refused:
            self.runs.refused.append(str(refused))
            return
        self.runs.compared += 1
        outcomes = [emulated.run(given, order, 1 + (order is ORDERS[-1])) for order in ORDERS]
        expected = dict(zip(names, arrays, strict=True))
        for outcome in outcomes:
            wrong = [name for name in names if not _is_close(outcome.arrays[name], name, expected)]
            self.runs.wrong += [f"{name} differs" for name in wrong] + outcome.found.splitlines()
            self.runs.wrong += ["an index is outside"] if any(outcome.outside) else []
        bits = [{name: outcome.arrays[name].tobytes() for name in names} for outcome in outcomes]
        self.runs.wrong += [f"{name} does not repeat" for name in names if len({b[name] for b in bits}) > 1]


def _is_close(found: np.ndarray, name: str, arrays: Mapping[str, np.ndarray]) -> bool:
    """Beside all arrays of the program: what is zero but for rounding is small."""
    expected = arrays[name]
    if expected.dtype.kind != "f":
        return np.array_equal(found.reshape(expected.shape), expected)
    single = any(array.dtype == np.float32 for array in arrays.values())
    largest = max(map(_largest, arrays.values()))
    rtol = 1e-3 if single else 1e-9
    atol = max(rtol * _largest(expected), (1e-6 if single else 1e-14) * largest)
    return np.allclose(found.reshape(expected.shape), expected, rtol=rtol, atol=atol, equal_nan=True)


def _largest(values: np.ndarray) -> float:
    return float(np.max(np.abs(values), initial=0.0, where=np.isfinite(values))) if values.dtype.kind == "f" else 0.0


@pytest.fixture
def form(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets what is small, with small teams and few threads."""

    def set_form(name: str) -> None:
        settings = {"WARP": 4, "MANY_TERMS": 8, "FEW_SUMS": 8, "FEW_THREADS": 16, "PART": 4, "PARTS": 64}
        for key, value in {**settings, **FORMS[name]}.items():
            (module,) = (m for m in (spread, long_sums, step_sizes, scaled_products) if hasattr(m, key))
            monkeypatch.setattr(module, key, value)
        for module in (kernel_code, host_code):
            monkeypatch.setattr(module, "THREADS", dict.fromkeys(kernel_code.THREADS, 64))

    return set_form


def right(case: Case, kind: str = "") -> Runs:
    """Differentiates a case for a GPU, and compares."""
    runs = Runs(EMULATE.get(kind, Emulated.of))
    Gradient(case.function, request_of(case, device=Device.GPU), compiler=runs.compiler)(*case.arguments())  # type: ignore[arg-type]
    assert runs.wrong == []
    assert runs.compared or runs.refused
    return runs


@npbench.needs_npbench
@pytest.mark.parametrize("name", suite.names())
def test_kernels(name: str, form: Callable[[str], None]) -> None:
    form("blocks and grids")
    kernel = npbench.load(name, "tiny")
    assert right(kernel.case(wrt=kernel.float_inputs)).refused == []


@npbench.needs_npbench
@pytest.mark.slow
@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("name", suite.names())
def test_kernels_in_all_forms(name: str, kind: str, form: Callable[[str], None]) -> None:
    form(kind)
    kernel = npbench.load(name, "tiny")
    assert right(kernel.case(wrt=kernel.float_inputs), kind).refused == []


def runs_of(made: Program, kind: str) -> Runs:
    """Runs a program by itself."""
    runs = Runs(EMULATE.get(kind, Emulated.of))
    integers = {name: programs.INTEGERS[name] for name in made.integers}
    call(runs.compiler(made), made, {**arguments(made), **integers})  # type: ignore[arg-type]
    return runs


def right_program(made: Program, kind: str) -> None:
    runs = runs_of(made, kind)
    assert (runs.wrong, runs.refused, runs.compared) == ([], [], 1)


@pytest.mark.parametrize("made", PROGRAMS[::3], ids=lambda made: made.name)
def test_some_programs(made: Program, form: Callable[[str], None]) -> None:
    form("blocks and grids")
    right_program(made, "arrays apart")


@pytest.mark.parametrize("kind", ["one block", "whole grids"])
def test_waits_that_are_left_out_are_found(
    kind: str, form: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    form(kind)
    monkeypatch.setattr(waiting.Order, "_meet", lambda order, found: False)
    wrong = runs_of(programs.JACOBI, kind).wrong
    assert "A differs" in wrong
    assert any("a race: " in text for text in wrong)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("made", PROGRAMS, ids=lambda made: made.name)
def test_programs(made: Program, kind: str, form: Callable[[str], None]) -> None:
    form(kind)
    right_program(made, kind)


@pytest.mark.parametrize("case", ALL[::40], ids=lambda case: case.name)
def test_a_part_of_the_corpus(case: Case, form: Callable[[str], None]) -> None:
    form("blocks and grids")
    right(case)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("case", ALL[::5], ids=lambda case: case.name)
def test_the_corpus(case: Case, kind: str, form: Callable[[str], None]) -> None:
    form(kind)
    right(case, kind)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(100))
def test_fuzzed_programs(number: int, form: Callable[[str], None]) -> None:
    """Those that are taken; what Python itself refuses to run says nothing."""
    kind = [*FORMS][number % len(FORMS)]
    form(kind)
    taken = 0
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for program in generate(number):
            try:
                case = program.case()
                case.function(*case.arguments())
            except Exception:
                continue
            with contextlib.suppress(DaadError):
                right(case, kind)
                taken += 1
    assert taken > 0
