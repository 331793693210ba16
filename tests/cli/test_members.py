"""`daad grad --members`: sums over the members in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from daad.cli import main

SCRIPT = """\
import numpy as np

def misfit(theta, times, observed, weight=1.0, *, power=2):
    return weight * np.sum((theta[0] * times - observed) ** power)

misfit(np.array([2.0]), np.array([1.0, 2.0]), np.zeros(2), 3.0)
"""
OBSERVED, WEIGHTS = np.arange(10.0).reshape(5, 2), np.arange(1.0, 6.0)


def run(folder: Path, *options: str, **arrays: Any) -> Result:
    (folder / "fit.py").write_text(SCRIPT)
    members = folder / "members.npz"
    np.savez(members, **arrays)
    command = ["grad", str(folder / "fit.py"), "--wrt", "theta", "--members", str(members), *options]
    return CliRunner().invoke(main, command)


@pytest.mark.parametrize("weights", [WEIGHTS, None], ids=["numbers", "as in the call"])
def test_sums_over_the_members(tmp_path: Path, weights: np.ndarray | None) -> None:
    arrays = {"observed": OBSERVED, **({} if weights is None else {"weight": weights})}
    found = run(tmp_path, "-f", "misfit", "--json", "--check", "--save", str(tmp_path / "out.npz"), **arrays)
    assert found.exit_code == 0, found.output
    said = json.loads(found.stdout)
    each = np.full(5, 3.0) if weights is None else weights
    apart = 2.0 * np.array([1.0, 2.0]) - OBSERVED
    assert said["value"] == pytest.approx(np.sum(each * np.sum(apart**2, axis=1)))
    assert said["check"]
    right = np.sum(each * np.sum(2.0 * apart * np.array([1.0, 2.0]), axis=1))
    np.testing.assert_allclose(np.load(tmp_path / "out.npz")["theta"], [right])


REFUSED: list[tuple[str, tuple[str, ...], dict[str, Any], str]] = [
    ("no function", (), {"observed": OBSERVED}, "Members are those of a function's calls."),
    ("another name", ("-f", "misfit"), {"speed": OBSERVED}, "holds 'speed', which is no parameter of 'misfit'"),
    ("a keyword", ("-f", "misfit"), {"power": WEIGHTS}, "holds 'power', which is no parameter of 'misfit'"),
    (
        "other counts",
        ("-f", "misfit"),
        {"observed": OBSERVED, "weight": WEIGHTS[:2]},
        "holds 5 of 'observed', 2 of 'weight'.",
    ),
    ("no axis", ("-f", "misfit"), {"weight": np.float64(1.0)}, "holds 0 of 'weight'."),
    ("nothing", ("-f", "misfit"), {}, "holds nothing."),
    ("shapes", ("-f", "misfit"), {"times": np.ones((2, 3))}, "Member 0: "),
    (
        "no scheduler",
        ("-f", "misfit", "--scheduler", "nowhere"),
        {"observed": OBSERVED},
        "The scheduler at 'nowhere' does not answer: ",
    ),
]


@pytest.mark.parametrize(
    ("options", "arrays", "sentence"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_what_is_no_ensemble_is_refused(
    tmp_path: Path, options: tuple[str, ...], arrays: dict[str, Any], sentence: str
) -> None:
    if "--scheduler" in options:
        pytest.importorskip("distributed", reason="needs dask.distributed: pip install 'daad[dask]'")
    found = run(tmp_path, *options, **arrays)
    assert found.exit_code in (2, 3)
    assert sentence in found.stderr


def test_a_scheduler_needs_members_and_members_a_file(tmp_path: Path) -> None:
    (tmp_path / "fit.py").write_text(SCRIPT)
    command = ["grad", str(tmp_path / "fit.py"), "-f", "misfit"]
    alone = CliRunner().invoke(main, [*command, "--scheduler", "tcp://127.0.0.1:1"])
    assert "Without --members there is nothing for a scheduler." in alone.stderr
    missing = CliRunner().invoke(main, [*command, "--members", str(tmp_path / "none.npz")])
    assert "cannot be read: No such file or directory." in missing.stderr
    assert (alone.exit_code, missing.exit_code) == (2, 2)
