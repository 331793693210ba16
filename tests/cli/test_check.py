"""`daad check` from end to end: a right gradient, a wrong one, a kink, all plans, for people and for machines."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from daad.cli import main
from daad.rules.scalar import DERIVATIVES

SCRIPT = """\
import numpy as np

def energy(x, w):
    y = np.zeros(4)
    for t in range(3):
        y = np.tanh(x * w + y)
    return np.sum(y * y)

def ramp(x):
    return np.sum(np.where(x > 0.0, x, 0.1 * x))

print("the script speaks")
energy(np.linspace(0.1, 1.0, 4), np.ones(4))
ramp(np.zeros(1))
"""


@pytest.fixture
def daad(tmp_path, monkeypatch):
    (tmp_path / "script.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    return lambda line: CliRunner().invoke(main, line.split(), prog_name="daad")


def test_a_right_gradient_exits_with_zero(daad):
    result = daad("check script.py -f energy --wrt x,w")
    assert result.exit_code == 0, result.output
    assert "The gradient is right: relative error " in result.stdout
    assert "Calls of the program: " in result.stdout


def test_all_plans_are_listed(daad):
    result = daad("check script.py -f energy --wrt x --plans all")
    assert result.exit_code == 0, result.output
    for plan in ("auto", "store", "recompute"):
        assert f"\n{plan} " in result.stdout


def test_a_wrong_gradient_exits_with_one_and_names_the_line(daad, monkeypatch):
    monkeypatch.setitem(DERIVATIVES, "tanh", ("(1 - r * r) * 1.1",))
    result = daad("check script.py -f energy --wrt x --json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert "the script speaks" in result.stderr
    assert (document["passed"], document["verdict"]) == (False, "wrong")
    assert document["fault"]["at"]["line"] == 6
    assert document["fault"]["iteration"] == {"t": 2}
    assert document["report"].startswith("The gradient is WRONG: relative error ")


def test_a_kink_is_named(daad):
    result = daad("check script.py -f ramp --wrt x")
    assert result.exit_code == 0, result.output
    assert "The gradient is right on a kink" in result.stdout
    assert "script.py:10" in result.stdout


def test_a_real_program_is_right(daad):
    terrain = Path(__file__).parents[2] / "examples" / "terrain.py"
    result = daad(f"check {terrain} -f misfit --wrt k,z --json -- --steps 3 --stride 16")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert [d["along"] for d in document["directions"]] == ["all", "all", "k", "z"]
    assert document["no_complex_step"] is None
    assert document["error"] < 1e-9


def test_a_plan_that_is_none_is_wrong_usage(daad):
    result = daad("check script.py -f energy --plans some")
    assert result.exit_code == 2
    assert "'some' is not one of" in result.stderr
