"""Which C++ compiler is called, and how."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import daad
from daad.runtime import compiler_wheel, toolchain

GRADIENT = "import numpy as np, daad; print(daad.grad(lambda x: np.sum(x * x * x))(np.ones(3)))"


@pytest.fixture
def brought(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A machine without a compiler of its own, and with that of the wheel."""
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(compiler_wheel, "wheel", lambda: "zig")
    return "zig"


def test_the_compiler_that_pip_brings_is_found(brought: str) -> None:
    assert toolchain.calling() == ("zig", "c++", "-fno-sanitize=undefined")
    assert not toolchain.is_gcc()


@pytest.mark.skipif(not toolchain.IS_X86, reason="glibc has none")
@pytest.mark.usefixtures("brought")
@pytest.mark.parametrize("library", [None, "/lib/libmvec.so.1"])
def test_it_calls_functions_of_vectors_where_glibc_has_them(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler_wheel, "vector_library", lambda: library)
    assert ("-fveclib=libmvec" in toolchain.flags()) == (library is not None)
    assert "-fno-builtin-sin" not in toolchain.flags()


@pytest.mark.usefixtures("brought")
def test_what_the_user_names_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "my-compiler")
    assert toolchain.calling() == ("my-compiler",)


@pytest.mark.usefixtures("brought")
def test_what_the_machine_has_comes_before(tmp_path: Path) -> None:
    (tmp_path / "c++").write_text("#!/bin/sh\n")
    (tmp_path / "c++").chmod(0o755)
    assert toolchain.calling() == ("c++",)


@pytest.mark.slow
def test_a_gradient_by_the_compiler_that_pip_brings(tmp_path: Path) -> None:
    """Its first call compiles parts of its own."""
    pytest.importorskip("ziglang", reason="it is in the extra 'compiler'; `make compiler` tries it, too")
    surroundings = {**os.environ, "PATH": str(tmp_path), "DAAD_CACHE": "off"}
    command = [sys.executable, "-c", GRADIENT]
    found = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True)
    assert found.stdout == "[3. 3. 3.]\n"


def smallest_of_many(x, c):
    return np.sum(np.array([np.sin(one - c) for one in x.T]).min(axis=0))


def test_long_chains_of_masks_are_compiled() -> None:
    """The tangent of the smallest of 40 numbers: GCC took twice the time for each of them, until it was told not to."""
    x, dx = np.random.default_rng(0).uniform(0.0, 1.0, (2, 3, 40))
    value, tangent = daad.jvp(smallest_of_many, wrt=("x", "c"))(x, 0.4, tangent=(dx, 0.7))
    row = np.argmin(np.sin(x - 0.4), axis=1)[:, None]
    assert value == pytest.approx(np.sin(np.min(x, axis=1) - 0.4).sum())
    slopes = np.cos(np.take_along_axis(x, row, 1) - 0.4) * (np.take_along_axis(dx, row, 1) - 0.7)
    assert tangent == pytest.approx(np.sum(slopes))
