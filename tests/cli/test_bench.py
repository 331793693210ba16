"""`daad bench` from end to end: what is refused, what is shown, and what is left when it is interrupted."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from daad.cli import main
from npbench_runs import results as files
from npbench_runs.engines import ENGINES
from npbench_runs.results import Results, Status
from tests.npbench_runs import fakes, results

ROOT = Path(__file__).parents[2]
SQUARES, HANGING = f"{fakes.HERE}:SQUARES", f"{fakes.HERE}:HANGING"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.json").write_text("no results")
    files.save(results.ALL_STATUSES, tmp_path / "other.json")
    files.save(Results(setting=results.SETTING), tmp_path / "none.json")
    old = json.loads((tmp_path / "other.json").read_text())
    (tmp_path / "old.json").write_text(json.dumps({**old, "version": 0}))
    return tmp_path


def bench(line):
    return CliRunner().invoke(main, ["bench", *line.split()], prog_name="daad")


REFUSED = [
    ("lux", "There is no kernel 'lux'.\n  Did you mean 'lu'?"),
    ("lu --engines daad,jacks", "There is no engine 'jacks'.\n  There is 'daad', 'dace', 'jax', 'numpy' or 'primal'."),
    ("no_module:KERNEL", "There is no kernel 'no_module:KERNEL': No module named 'no_module'."),
    ("lu --npbench empty", "'empty' is no NPBench checkout"),
    ("lu --npbench nowhere", "'nowhere' is no NPBench checkout"),
    ("lu --json old.json", "has results of version 0; this daad reads version 1."),
    ("lu --json text.json", "'text.json' cannot be read as results"),
    ("lu --json other.json", "measured under another setting: cpu 'A processor' there, "),
    ("lu --json other.json", "or start this one anew with --fresh."),
    ("lu --json no/such.json", "The folder of 'no/such.json' does not exist."),
    ("lu --preset XL", "'XL' is not one of"),
    ("lu --repeats 0", "0 is not in the range x>=1"),
    ("lu --threads 9999", "9999 threads are asked for, there are"),
    ("lu --timeout 0", "0.0 is not in the range x>0"),
    ("lu --memory-limit lots", "'lots' is no size; write it as 12GiB or 500MiB."),
    ("--report old.json", "has results of version 0; this daad reads version 1."),
    ("--report missing.json", "'missing.json' cannot be read as results"),
    ("lu --report other.json", "no kernels are measured"),
    ("--figure lops", "There is no figure 'lops'."),
    ("--figure loops --sizes N=5", "'--sizes' and '--per' belong to '--figure sizes' and one kernel."),
    ("lu --figure sizes --sizes M=5", "'M=5' is no list of sizes, such as N=50,100, of one of N."),
    ("lu --figure sizes --sizes N=5,x", "'N=5,x' is no list of sizes"),
    ("lu --figure sizes --sizes N=5 --per N+N", "'N + N' is no product of N."),
    ("--figure loops --out picture.txt", "'picture.txt' is no picture"),
    ("--figure loops", "The figure 'loops' shows results"),
    ("--out picture.svg", "'--out' names the file of a '--figure'."),
    ("lu --plot no/such.svg", "There is no folder 'no' for the picture."),
]


@pytest.mark.parametrize(("line", "message"), REFUSED, ids=[f"{row[0]} [{row[1][:30]}]" for row in REFUSED])
def test_bad_input_is_refused_before_anything_runs(line, message, folder):
    result = bench(line)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not (folder / "bench-S.json").exists()


def test_a_report_measures_nothing_and_fails_on_a_wrong_gradient(folder):
    assert bench("--report none.json").exit_code == 0
    rows = [dataclasses.replace(row, status=Status.WRONG, times=None) for row in results.ALL_STATUSES.rows]
    files.save(dataclasses.replace(results.ALL_STATUSES, rows=tuple(rows)), folder / "wrong.json")
    result = bench("--report wrong.json")
    assert result.exit_code == 1
    assert "daad bench: preset S" in result.stdout


def test_pictures_are_drawn_from_results(folder):
    pytest.importorskip("matplotlib", reason="matplotlib is in the extra 'bench'")
    assert "The picture is 'all.svg'." in bench("--report other.json --plot all.svg").stdout
    assert "The picture is 'loops.svg'." in bench("--figure loops --report other.json").stdout
    assert (folder / "all.svg").exists()
    assert (folder / "loops.svg").exists()


def test_a_run_is_kept_and_gone_on_from(folder):
    first = bench(f"{SQUARES} --preset tiny --engines numpy --repeats 2 --threads 1")
    assert first.exit_code == 0, first.output
    assert f"{SQUARES} numpy " in first.stdout
    assert "Results are in 'bench-tiny.json'." in first.stdout
    again = bench(f"{SQUARES} --preset tiny --engines numpy --repeats 2 --threads 1")
    assert f"{SQUARES} measured already" in again.stdout
    other = bench(f"{SQUARES} --preset tiny --engines numpy --repeats 3 --threads 1")
    assert (other.exit_code, "repeats '2' there, '3' now" in other.stderr) == (2, True)
    fresh = bench(f"{SQUARES} --preset tiny --engines numpy --repeats 3 --threads 1 --fresh")
    assert "measured already" not in fresh.stdout
    assert files.load(folder / "bench-tiny.json").setting.repeats == 3


def test_an_engine_that_is_not_installed_says_so_and_the_others_go_on(folder, monkeypatch):
    absent = dataclasses.replace(fakes.MISSING, extra="pip install 'daad[bench]'")
    monkeypatch.setattr("npbench_runs.harness.engine_named", lambda name: absent if name == "jax" else ENGINES[name])
    result = bench(f"{SQUARES} --preset tiny --engines jax,numpy --repeats 2 --threads 1")
    assert result.exit_code == 0, result.output
    assert "missing  The package 'no_such_package' is not installed; pip install 'daad[bench]'" in result.stdout
    found = files.load(folder / "bench-tiny.json")
    assert [row.status for row in found.rows] == [Status.MISSING, Status.RIGHT]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "terminated"])
def test_an_interrupted_run_keeps_what_is_done_and_leaves_no_process(how, folder):
    pids = folder / "pid"
    options = ["--preset", "S", "--engines", "numpy", "--repeats", "2", "--threads", "1"]
    run = subprocess.Popen(
        [sys.executable, "-m", "daad", "bench", SQUARES, HANGING, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), fakes.PIDS: str(pids)},
    )
    while not (pids.exists() and (folder / "bench-S.json").exists()):
        assert run.poll() is None, run.stderr.read()
        time.sleep(0.05)
    run.send_signal(how)
    _, err = run.communicate(timeout=30)
    assert run.returncode == 130, err
    assert "Interrupted: 1 of 2 kernels are in 'bench-S.json'; the same command goes on from there." in err
    assert "Traceback" not in err
    assert [facts.kernel for facts in files.load(folder / "bench-S.json").kernels] == [SQUARES]
    assert not Path("/proc", pids.read_text()).exists()
