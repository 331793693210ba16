"""A GPU for tests, on which the interpreter runs programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from daad.codegen import device_build
from daad.runtime.gpu import nvcc
from tests.gpu.interpreted import Programs
from tests.runtime.gpu import stand_in


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[stand_in.StandIn]:
    """The stand-in of a driver with one GPU."""
    yield stand_in.taken(monkeypatch)
    stand_in.forget()


@pytest.fixture
def programs(gpu: stand_in.StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Programs:
    """A generator whose programs the interpreter runs."""
    made = Programs(gpu)
    gpu.run_by(made.run)
    monkeypatch.delenv(nvcc.ARCHITECTURES, raising=False)
    monkeypatch.setenv("DAAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(nvcc, "nvcc", lambda: nvcc.Nvcc(Path("nvcc"), (13, 0), (90,)))
    monkeypatch.setattr(nvcc, "compile_for_gpu", made.compile)
    monkeypatch.setattr(device_build, "sources", made)
    return made
