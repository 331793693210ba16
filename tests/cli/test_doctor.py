"""`daad doctor`: what it tells, and how it exits."""

from __future__ import annotations

import json
from pathlib import Path

import dace
import pytest
from click.testing import CliRunner

from daad.cli import doctor, main
from daad.codegen import compiler_trust
from daad.codegen.compiler_probes import PROBES
from daad.runtime.gpu import nvcc
from tests.runtime.gpu import stand_in

FIRST = next(iter(PROBES))


def examined(monkeypatch: pytest.MonkeyPatch, *wrong: tuple[str, ...]) -> None:
    monkeypatch.setattr(compiler_trust, "examined", lambda *_: compiler_trust.Examined(wrong))


@pytest.fixture(autouse=True)
def gcc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "g++")


def test_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    examined(monkeypatch, ())
    ended = CliRunner().invoke(main, ["doctor", "--json"])
    assert ended.exit_code == 0
    told = json.loads(ended.stdout)
    assert told["compiler"]["probes"] == dict.fromkeys(PROBES, True)
    assert told["compiler"]["problem"] is None
    assert "-O3" in told["compiler"]["flags"]
    assert {"daad", "Python", "NumPy", "DaCe"} <= set(told["versions"])
    assert told["processor"]["threads"] >= 1
    assert told["processor"]["blas"]


def test_what_is_missing_is_told_with_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    examined(monkeypatch, ())
    monkeypatch.setitem(doctor.OPTIONAL, "no_such_package", ("nothing", "pip install nothing"))
    ended = CliRunner().invoke(main, ["doctor"])
    assert "missing    no_such_package, for nothing: pip install nothing\n" in ended.stdout
    assert "missing    scipy" not in ended.stdout


def test_settings_of_dace_that_were_changed_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    examined(monkeypatch, ())
    with dace.config.set_temporary("compiler", "cpu", "executable", value="g++"):
        told = json.loads(CliRunner().invoke(main, ["doctor", "--json"]).stdout)
    assert told["dace"]["changed"]["compiler.cpu.executable"] == "g++"


def test_flags_that_help_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    examined(monkeypatch, (FIRST,), ())
    ended = CliRunner().invoke(main, ["doctor"])
    assert ended.exit_code == 0
    assert f"probes     {len(PROBES)} of {len(PROBES)} right" in ended.stdout
    assert f"remedy     {' '.join(compiler_trust.remedies()[1])}" in ended.stdout


def test_a_compiler_that_cannot_be_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    examined(monkeypatch, *[(FIRST,)] * len(compiler_trust.remedies()))
    ended = CliRunner().invoke(main, ["doctor"])
    assert ended.exit_code == 5
    assert f"wrong      {FIRST}\n" in ended.stdout
    assert "problem    The C++ compiler 'g++' compiles 1 of" in ended.stdout


GPUS = {
    "one": (
        dict(),
        ("gpu        Stand-in, sm_90, 1 GiB, driver for CUDA 13.0", "nvcc       ", ": CUDA 13.0, without cuBLAS"),
    ),
    "two": (dict(devices=2), ("1 GiB, driver for CUDA 13.0\ngpu        Stand-in, sm_90",)),
    "none": (dict(init=100), ("no gpu     There is no NVIDIA GPU that can be used.\n",)),
    "an old driver": (
        dict(version=12040),
        ("no gpu     The driver of the GPU is for CUDA 12.4, and nvcc for CUDA 13.0.",),
    ),
    "an old one": (
        dict(architecture=70),
        ("no gpu     The GPU 'Stand-in' is too old: sm_70, and programs need sm_75.",),
    ),
}


@pytest.mark.parametrize("which", GPUS)
def test_gpus(which: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    examined(monkeypatch, ())
    settings, lines = GPUS[which]
    monkeypatch.setattr(nvcc, "nvcc", lambda: nvcc.Nvcc(tmp_path / "bin" / "nvcc", (13, 0), (90,)))
    stand_in.taken(monkeypatch).reset(**settings)
    ended = CliRunner().invoke(main, ["doctor"])
    stand_in.forget()
    assert ended.exit_code == 0
    assert [line for line in lines if line not in ended.stdout] == []


def test_no_compiler_for_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    examined(monkeypatch, ())
    stand_in.taken(monkeypatch)
    monkeypatch.setenv(nvcc.CHOSEN, "/no/such/nvcc")
    told = json.loads(CliRunner().invoke(main, ["doctor", "--json"]).stdout)["gpu"]
    stand_in.forget()
    assert told["cards"] == [{"name": "Stand-in", "architecture": "sm_90", "memory": 2**30}]
    assert told["nvcc"] is None and told["problem"].startswith("'/no/such/nvcc', which DAAD_NVCC names, is no nvcc.")


def test_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    ended = CliRunner().invoke(main, ["doctor"])
    assert ended.exit_code == 5
    assert "problem    The C++ compiler 'no-such-compiler' was not found." in ended.stdout
