"""How hard the compiler tries: less where a program is long and takes no time; what it then makes is tested, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from daad.codegen import compiler_effort, compiler_trust, library_build
from daad.codegen.compiler_effort import LONG, effort
from daad.runtime import toolchain
from daad.runtime.toolchain import FEW_VECTORS, PLAIN
from tests.codegen.running import assert_agrees
from tests.texts import program

LITTLE = program("little", "x: float64[80]", "for i in 0 .. 80:  x[i] = 0.5 * x[i]", results="x")
SOME = program("some", "x: float64[80]", "loop t = 0 .. 500:\n  for i in 0 .. 80:  x[i] = 0.5 * x[i] + t", results="x")
MUCH = program(
    "much", "x: float64[80]", "loop t = 0 .. 90000:\n  for i in 0 .. 80:  x[i] = 0.5 * x[i] + t", results="x"
)
UNKNOWN = program(
    "unknown", "x: float64[80]", "loop t = 0 .. n:\n  for i in 0 .. 80:  x[i] = 0.5 * x[i]", integers="n", results="x"
)


def test_effort() -> None:
    assert effort(LITTLE, LONG) == PLAIN
    assert effort(LITTLE, LONG - 1) == ()
    assert effort(SOME, LONG) == FEW_VECTORS
    assert effort(MUCH, LONG) == ()
    assert effort(UNKNOWN, LONG) == ()


def test_a_compiler_that_tries_less_is_tested_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(compiler_effort, "LONG", 1)
    monkeypatch.setattr(compiler_effort, "LEAST", 0)
    monkeypatch.setattr(compiler_effort, "LITTLE", 1)
    compiler_trust._examined.cache_clear()  # other tests have programs of this kind
    asked: list[tuple[str, ...]] = []
    call = toolchain.compile_library

    def keeping(sources: list[Path], library: Path, environments: object, further: tuple[str, ...] = ()) -> None:
        asked.append(further)
        call(sources, library, environments, further)  # type: ignore[arg-type]

    for module in (compiler_trust, library_build):
        monkeypatch.setattr(module, "compile_library", keeping)
    assert_agrees(LITTLE)
    assert [FEW_VECTORS[0] in further for further in asked] == [True] * 3
