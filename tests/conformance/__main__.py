"""`python -m tests.conformance`: the calls that the own tests of NumPy (or SciPy) make, each as a gradient; a page."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import click
import numpy as np
from rich.console import Console

from tests.conformance.calls import Call
from tests.conformance.packages import PACKAGES, Package
from tests.conformance.page import page
from tests.conformance.replay import Outcome, Verdict, replay

FOLDER = Path("build/conformance")
OF_A_STRUCTURE = 2
"""Calls that differ in extents and dtypes alone."""
FILES = 6
"""Of tests that one process runs."""
STEPS = 20
MOST = 80
"""Calls of each function."""


@click.command()
@click.option("--package", type=click.Choice(sorted(PACKAGES)), default="numpy", show_default=True)
@click.option("--part", "part", multiple=True, help="Record the tests of this sub-package alone, such as 'signal'.")
@click.option("--workers", default=2, show_default=True, help="Processes.")
@click.option("--only", default="", help="Replay the functions with this in their name; no page is written.")
@click.option("--most", default=MOST, show_default=True, help="Calls of each function.")
@click.option("--again", is_flag=True, help="Replay what was recorded before.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Instead of the page in docs/.")
def main(
    package: str, part: tuple[str, ...], workers: int, only: str, most: int, again: bool, out: Path | None
) -> None:
    """Record, replay, and write the page; exit code 1 if an answer is wrong."""
    console = Console()
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not again:
        _record(console, package, part, workers)
    calls = [call for call in chosen(_recorded(package, part), most) if only in call.function]
    if not calls:
        raise click.ClickException("No recorded call is asked for: look at '--only', or record without '--again'.")
    verdicts = _replayed(console, calls, workers)
    wrong = [verdict for verdict in verdicts if verdict.outcome is Outcome.WRONG]
    for number, verdict in enumerate(wrong):
        path = FOLDER / f"wrong_{number}.py"
        path.write_text(f"# {verdict.cause}\n{verdict.program}")
        console.print(f"{path}: {verdict.function}: {verdict.cause}", soft_wrap=True, markup=False)
    (FOLDER / "verdicts.pickle").write_bytes(pickle.dumps((calls, verdicts)))
    console.print(_state(verdicts))
    if not only:
        (out or PACKAGES[package].page).write_text(
            page(PACKAGES[package], verdicts, _parts(package, part), _sample(package, most, calls))
        )
    sys.exit(1 if wrong else 0)


def _sample(package: str, most: int, calls: Sequence[Call]) -> str:
    """What the page says of a replay that asks fewer calls than usual."""
    if most >= MOST:
        return ""
    command = f"`python -m tests.conformance --package {package} --most {most}`"
    return f"This page is a sample, made by {command}: {len(calls)} calls were asked, at most {most} of each function."


def chosen(calls: Iterable[Call], most: int) -> list[Call]:
    """The shortest few of each structure in different dtypes, and at most so many of each function."""
    by_function: dict[str, list[Call]] = {}
    seen: Counter[str] = Counter()
    for call in sorted(calls, key=lambda c: (_is_rare(c), len(c.key), c.key)):
        seen[call.structure] += 1
        if seen[call.structure] <= OF_A_STRUCTURE:
            by_function.setdefault(call.function, []).append(call)
    found = [call for _, several in sorted(by_function.items()) for call in several[:: -(-len(several) // most)]]
    return sorted(found, key=lambda c: c.key)


def _is_rare(call: Call) -> int:
    """Double precision first, what few machines compute with last."""
    dtypes = {np.asarray(value).dtype.str[1:] for value in call.values}
    return 2 if dtypes & {"f2", "f16", "c32"} else 1 if dtypes & {"f4", "c8"} else 0


def _record(console: Console, name: str, parts: Sequence[str], workers: int) -> None:
    """Runs the tests of the package in groups, each in a process of its own."""
    for old in _recordings(name, parts):
        old.unlink()
    groups = _groups(PACKAGES[name], parts)
    with ThreadPoolExecutor(workers) as pool:
        for summary in pool.map(partial(_run_tests, name), groups, groups.values()):
            console.print(summary, soft_wrap=True, markup=False)


def _recordings(name: str, parts: Sequence[str]) -> list[Path]:
    """What was recorded of these sub-packages, or of all."""
    return sorted(file for part in parts or ("*",) for file in FOLDER.glob(f"{name}_{part}_*.pickle"))


def _parts(name: str, parts: Sequence[str]) -> list[str]:
    """The sub-packages of what was recorded."""
    return [file.stem.removeprefix(f"{name}_").rpartition("_")[0] for file in _recordings(name, parts)]


def _groups(package: Package, parts: Sequence[str]) -> dict[str, list[Path]]:
    """The files of tests, in groups of a folder, each with its name."""
    found = {}
    for folder in package.folders:
        part = folder.parent.name
        if parts and part not in parts:
            continue
        files = [file for file in sorted(folder.glob("test_*.py")) if file.stem not in package.left_out]
        for start in range(0, len(files), FILES):
            found[f"{part}_{start // FILES:02}"] = files[start : start + FILES]
    return found


def _run_tests(name: str, group: str, files: Sequence[Path]) -> str:
    out = (FOLDER / f"{name}_{group}.pickle").resolve()
    options = ["-q", "-p", "tests.conformance.record", "--record-to", str(out), "-p", "no:cacheprovider"]
    options += ["--rootdir", str(FOLDER), "-c", os.devnull, "-m", "not slow", "--tb=no", "-W", "ignore"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", *options, *map(str, files)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if not out.exists():
        raise click.ClickException(f"The tests of {files[0].parent} were not recorded:\n{done.stdout}{done.stderr}")
    return f"{group}: {done.stdout.strip().splitlines()[-1]}"


def _recorded(name: str, parts: Sequence[str]) -> Iterable[Call]:
    """The calls of the package's own functions."""
    found: dict[str, Call] = {}
    for file in _recordings(name, parts):
        for call in pickle.loads(file.read_bytes()):
            if call.function.startswith(PACKAGES[name].prefix) and call.function not in PACKAGES[name].not_replayed:
                found.setdefault(call.key, call)
    return found.values()


def _replayed(console: Console, calls: Sequence[Call], workers: int) -> list[Verdict]:
    verdicts: list[Verdict] = []
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        for verdict in pool.map(replay, calls, chunksize=8):
            passed = len(verdicts) * STEPS // len(calls)
            verdicts.append(verdict)
            if len(verdicts) * STEPS // len(calls) > passed:
                console.print(f"{len(verdicts)} of {len(calls)}: {_state(verdicts)}")
    return verdicts


def _state(verdicts: Sequence[Verdict]) -> str:
    counts = Counter(verdict.outcome for verdict in verdicts)
    return ", ".join(f"{counts[o]} {o.value}" for o in Outcome if counts[o])


if __name__ == "__main__":
    main()
