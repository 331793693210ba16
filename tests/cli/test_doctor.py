"""`daad doctor`: what it tells, and how it exits."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from daad.cli import main
from daad.codegen import compiler_trust
from daad.codegen.compiler_probes import PROBES

FIRST = next(iter(PROBES))


def examined(monkeypatch: pytest.MonkeyPatch, *wrong: tuple[str, ...]) -> None:
    monkeypatch.setattr(compiler_trust, "examined", lambda: compiler_trust.Examined(wrong))


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


def test_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    ended = CliRunner().invoke(main, ["doctor"])
    assert ended.exit_code == 5
    assert "problem    The C++ compiler 'no-such-compiler' was not found." in ended.stdout
