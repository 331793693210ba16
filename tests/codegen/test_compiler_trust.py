"""Compilers that compile wrong are found out, and daad's programs are right all the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import daad
from daad.codegen import compiler_trust
from daad.codegen.compilation import compile_program
from daad.codegen.compiler_probes import PROBES
from daad.errors import CompileError
from daad.runtime.toolchain import HAZARDS, NO_JUMPS, NO_STATEMENTS, further_flags
from tests.runtime.small import X, scaled


def below_and_above(a, w):  # type: ignore[no-untyped-def]
    return np.where(np.tri(4, dtype=bool), a, a.T) @ w


def mirrored(a, w):  # type: ignore[no-untyped-def]
    b = np.tril(a) + np.tril(a, -1).T
    return b @ b


def eigenvalues(a, w):  # type: ignore[no-untyped-def]
    return np.linalg.eigvalsh(a)


def from_the_other_half(a, w):  # type: ignore[no-untyped-def]
    b = np.zeros((2, 8))
    for i in range(2):
        for k in range(8):
            b[i, k] = 2.0 * a[2 * i : 2 * i + 2].reshape(8)[k + 3 if k == 3 else k]
    return b


def rounded(a, w):  # type: ignore[no-untyped-def]
    return a.reshape(16)[::2].astype(np.float32).astype(np.float64)


def turned(a, w):  # type: ignore[no-untyped-def]
    other = w[::-1, ::-1]
    return a - 0.8 * np.tanh(np.where((a[2] > 1.3) & (other < 2.0), other, a[2]))


A, W = np.cos(np.arange(16.0) ** 2).reshape(4, 4) + 1.3, 0.5 + (np.arange(16.0) * 7.0 % 5.0).reshape(4, 4)
PROGRAMS = (below_and_above, mirrored, eigenvalues, from_the_other_half, rounded, turned)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_programs_that_compilers_get_wrong(program: Callable[..., Any]) -> None:
    expected = program(A, W)
    seed = np.cos(np.arange(expected.size)).reshape(expected.shape)
    value, gradient = daad.value_and_grad(program, seed=seed)(A, W)
    np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-14)
    towards = np.sin(np.arange(16.0)).reshape(4, 4)
    step = 2.0**30 if program is rounded else 1e-4  # so large that roundings to floats are small beside it
    moved = [np.sum(seed * program(A + sign * step * towards, W)) for sign in (1, -1)]
    assert np.sum(gradient * towards) == pytest.approx((moved[0] - moved[1]) / (2 * step), rel=1e-6)


def powers(b, c):  # type: ignore[no-untyped-def]
    if np.sum(c[0] * b) >= 0.071:
        for i in range(2):
            b[6 - i] = np.tanh(np.dot(c[i + 1, 2 * i + 1 : i : -1], b[1 : i + 2]))
    base = 2.5 + np.nan_to_num(np.full((4, 4, 4), c[::-1, 1:-2]))
    exponent = np.arctan2(np.full((4, 4, 4), c[::-1, 2:-1]), 2.5 + np.full((4, 4, 4), c[:, 2:-1]))
    t = 0.1 * base ** (2.0 * np.tanh(exponent))
    return np.sum(c) + np.sum(t * t)


def test_no_call_that_writes_is_left_out() -> None:
    b, c = np.cos(np.arange(7.0)), np.sin(np.arange(28.0)).reshape(4, 7)
    value, _ = daad.value_and_grad(powers, wrt=("b", "c"))(b, c)
    assert value == pytest.approx(powers(b.copy(), c), rel=1e-12)


SIGNS = {
    "\tvpermilpd\t$162, %zmm0, %zmm0\n": HAZARDS[0],
    "\tvpermilpd\t$162, (%rdi), %zmm0{%k1}\n": HAZARDS[0],
    "\tvpermilpd\t$5, %ymm0, %ymm0\n": None,
    "\tvpermilpd\t%zmm1, %zmm2, %zmm0\n": None,
    "\tvfmaddsub231pd\t%ymm1, %ymm2, %ymm0\n": HAZARDS[1],
    "\tvfmadd231pd\t%ymm1, %ymm2, %ymm0\n": None,
    "\tvpermpd\t$27, 64(%rsi), %ymm5\n\tvmovupd\t24(%r14), %ymm2{%k3}{z}\n": HAZARDS[2],
    "\tvblendmpd\t56(%r14), %ymm3, %ymm0{%k3}\n\tvpermilpd\t$5, %ymm0, %ymm0\n": HAZARDS[2],
    "\tvmaskmovpd\t24(%rdi), %ymm1, %ymm1\n\tvpermpd\t$27, %ymm0, %ymm0\n": HAZARDS[2],
    "\tvmovupd\t24(%r14), %ymm2{%k3}{z}\n\tvaddpd\t%ymm0, %ymm1, %ymm2\n": None,
    "\tvmovupd\t(%r14), %ymm2{%k3}{z}\n\tvpermpd\t$27, %ymm0, %ymm0\n": HAZARDS[2],
    "\tvmovapd\t%ymm3, %ymm2{%k2}\n\tvpermpd\t$27, %ymm0, %ymm0\n": None,
    "\tvblendmps\t.LC4(%rip), %zmm2, %zmm1{%k1}\n\tvshufps\t$85, %xmm0, %xmm0, %xmm9\n": None,
    "\tvmovups\t.LC4(%rip), %zmm1{%k1}\n\tvshufps\t$85, %xmm0, %xmm0, %xmm9\n": None,
    "\tvmovups\t(%rdi), %zmm3{%k1}{z}\n\tvshufps\t$85, %xmm0, %xmm0, %xmm9\n": None,
    "\tvmovups\t(%rdi), %zmm3{%k1}{z}\n\tvshufps\t$85, %xmm0, %xmm1, %xmm9\n": HAZARDS[2],
    "\tvmovups\t(%rdi), %zmm3{%k1}{z}\n\tvshufps\t$85, %zmm0, %zmm0, %zmm9\n": HAZARDS[2],
    "\tvmovupd\t24(%r14), %ymm2{%k3}{z}\n\t.cfi_startproc\n\tvpermpd\t$27, %ymm0, %ymm0\n": None,
}


@pytest.mark.parametrize(("line", "hazard"), SIGNS.items(), ids=SIGNS)
def test_signs_of_hazards(line: str, hazard: Any) -> None:
    assert [h for h in HAZARDS if h.is_in(line)] == ([hazard] if hazard else [])


def faulty(folder: Path, unless: str) -> str:
    """GCC with arithmetic that is not that of programs, unless it is told something."""
    path = folder / "g++-faulty"
    path.write_text(
        f'#!/bin/sh\ncase " $* " in *" {unless} "*) ;; *" -S "*) set -- "$@" -ffast-math;; esac\nexec g++ "$@"\n'
    )
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DAAD_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_flags_that_help_are_found_and_remembered(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", faulty(fresh, NO_STATEMENTS[0]))
    first = compiler_trust.examined()
    assert first.wrong[0]
    assert not first.wrong[-1]
    assert set(NO_STATEMENTS) <= set(compiler_trust.trusted())
    compiler_trust._examined.cache_clear()
    monkeypatch.setattr(compiler_trust, "_tried", None)
    assert compiler_trust.examined() == first


def test_a_compiler_that_no_flags_help_is_refused(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", faulty(fresh, "-never"))
    with pytest.raises(CompileError, match=rf"compiles \d+ of {len(PROBES)} probe programs wrong, whatever the flags"):
        compile_program(scaled(11.0))


def test_flags_that_a_program_has_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "g++")
    assert further_flags(with_floats=True, with_choices=False) == NO_STATEMENTS
    assert further_flags(with_floats=False, with_choices=True) == NO_JUMPS
    assert further_flags(with_floats=False, with_choices=False) == ()


def test_other_compilers_are_right_too(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (other := compiler_trust.shutil.which("clang++")):
        pytest.skip("clang++ is not installed")
    monkeypatch.setenv("CXX", other)
    run = compile_program(scaled(12.0))
    y = np.empty(8)
    run.call([X, y], [2])
    np.testing.assert_array_equal(y, X * 24.0)
