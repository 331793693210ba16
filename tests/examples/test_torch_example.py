"""The example with a network of torch's before a NumPy program; `make interop` runs it."""

import importlib
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="`make interop` installs torch")


def test_adam_finds_the_layers_of_a_wall(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples"))
    wall = importlib.import_module("wall")
    result = wall.main(["--iterations", "320", "--picture", str(tmp_path / "wall.png")])
    assert result["losses"][-1] < 0.05 < 5.0 < result["losses"][0]
    assert result["layers"] == pytest.approx([0.8, 0.15, 1.6], rel=0.25)
    assert (tmp_path / "wall.png").exists()
