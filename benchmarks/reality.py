#!/usr/bin/env python3
"""Whole programs of other people: checked out, run, differentiated, compared with differences, and timed.

    python benchmarks/reality.py [NAME ...] [--sources FOLDER] [--page docs/reality.md] [--rows FILE]

`reality.toml` lists the programs, `reality_*.py` say what of each is differentiated.
Checkouts lie in build/reality/, or in FOLDER, as `owner+name`. Each program runs in a process of its own.
What was found is kept in build/reality.jsonl, or FILE, a line each: named programs are run again, of the others
those that have no line there.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import inspect
import io
import json
import os
import resource
import subprocess
import sys
import time
import tomllib
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import daad  # noqa: E402
from benchmarks import (  # noqa: E402
    reality_arrays,
    reality_blind,
    reality_circuits,
    reality_control,
    reality_devices,
    reality_estimates,
    reality_fields,
    reality_finds,
    reality_flows,
    reality_fresh,
    reality_further,
    reality_grounds,
    reality_instruments,
    reality_later,
    reality_maps,
    reality_methods,
    reality_models,
    reality_more,
    reality_nature,
    reality_others,
    reality_pages,
    reality_physics,
    reality_practice,
    reality_sciences,
    reality_series,
    reality_shapes,
    reality_signals,
    reality_steering,
    reality_strangers,
    reality_things,
    reality_trades,
    reality_trials,
    reality_unseen,
    reality_untried,
    reality_waters,
    reality_ways,
    reality_works,
)
from benchmarks.reality_case import Case  # noqa: E402

Row = dict[str, Any]
STEPS = (1e-4, 1e-5, 1e-6, 1e-7)
SECONDS = 600
PRODUCT = 1e-8
FILES = (
    reality_physics,
    reality_methods,
    reality_sciences,
    reality_control,
    reality_fields,
    reality_models,
    reality_more,
    reality_arrays,
    reality_fresh,
    reality_estimates,
    reality_flows,
    reality_maps,
    reality_steering,
    reality_instruments,
    reality_signals,
    reality_series,
    reality_devices,
    reality_waters,
    reality_works,
    reality_trades,
    reality_shapes,
    reality_nature,
    reality_things,
    reality_finds,
    reality_practice,
    reality_ways,
    reality_further,
    reality_others,
    reality_unseen,
    reality_strangers,
    reality_pages,
    reality_circuits,
    reality_grounds,
    reality_blind,
    reality_untried,
    reality_trials,
    reality_later,
)
DRIVERS = {name: driver for file in FILES for name, driver in file.DRIVERS.items()}


class Checkout:
    """A repository at its commit; `load` gives a module of it by its file, `named` by its name in a package."""

    def __init__(self, program: Mapping[str, Any], sources: Path) -> None:
        self.root = sources / program["repository"].replace("/", "+")
        self.folder = self.root / program["folder"]
        self.files = [self.folder / file for file in program["files"]]

    @property
    def lines(self) -> int:
        return sum(len(file.read_text().splitlines()) for file in self.files)

    def load(self, file: str = "", until: str = "", **names: Any) -> ModuleType:
        """The module of a file, of its text before `until`; `names` stand in for what it finds built in."""
        path = self.folder / file if file else self.files[0]
        name = "reality_" + path.stem.replace("-", "_")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None, "a Python file can be imported"
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        vars(module).update(names)
        text = path.read_text()
        exec(compile(text.split(until)[0] if until else text, str(path), "exec", dont_inherit=True), vars(module))
        return module

    def named(self, name: str) -> ModuleType:
        return importlib.import_module(name)


def check_out(program: Mapping[str, Any], sources: Path) -> None:
    """Clones what is not there yet."""
    target = sources / program["repository"].replace("/", "+")
    if target.exists():
        return
    url = f"https://github.com/{program['repository']}"
    subprocess.run(["git", "clone", "-q", "--filter=blob:none", "-n", url, str(target)], check=True)
    subprocess.run(["git", "-C", str(target), "checkout", "-q", program["commit"]], check=True)


def examined(program: Mapping[str, Any], sources: Path) -> Row:
    """Runs one program in this process."""
    checkout = Checkout(program, sources)
    sys.path.insert(0, str(checkout.folder))
    os.chdir(checkout.folder)
    row: Row = {"name": program["name"], "lines": checkout.lines}
    case = DRIVERS[program["name"]](checkout)
    row["primal"] = _fastest(lambda: _quiet(case.program, case.arguments()))
    gradient = daad.grad(case.program, wrt=case.wrt)
    start = _processor()
    try:
        found = _quiet(gradient, case.arguments())
    except daad.Unsupported as error:
        return {**row, "result": "refused", "why": _said(error)}
    row["first"] = _processor() - start
    row["limited"] = _limited(case, gradient.plan.nbytes) - row["first"]
    row["gradient"] = _fastest(lambda: _quiet(gradient, case.arguments()))
    moves = _moves(case)
    slope = sum(float(np.sum(np.asarray(g) * moves[name])) for g, name in zip(found, case.wrt, strict=True))
    row["error"] = _error(case, moves, slope)
    if not row["error"] < case.tolerance:
        return {**row, "result": "WRONG"}
    try:
        row["product"] = _product(case, moves, slope)
    except daad.Unsupported as error:
        return {**row, "result": "right", "forward": _said(error)}
    return {**row, "result": "right" if row["product"] < max(PRODUCT, 1e-3 * case.tolerance) else "forward WRONG"}


def _limited(case: Case, nbytes: int) -> float:
    """Seconds up to the first gradient in half the memory, or in the least that is possible."""
    start = _processor()
    try:
        _quiet(daad.grad(case.program, wrt=case.wrt, memory_limit=nbytes // 2), case.arguments())
    except daad.MemoryLimitTooSmall as error:
        start, least = _processor(), error.minimum
        _quiet(daad.grad(case.program, wrt=case.wrt, memory_limit=least), case.arguments())
    return _processor() - start


def _said(error: daad.Unsupported) -> str:
    return (f"`{error.at.file.rpartition('/')[2]}:{error.at.line}`: " if error.at else "") + error.message


def _processor() -> float:
    """Seconds of processor time that this process and the compilers it has run took."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def _quiet(function: Any, arguments: Sequence[Any]) -> Any:
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments)


def _fastest(run: Any) -> float:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def _moves(case: Case) -> dict[str, Any]:
    """A random direction of what is asked for."""
    random, base = np.random.default_rng(0), _named(case)
    return {name: random.normal(size=np.shape(base[name])) * np.maximum(np.abs(base[name]), 1e-3) for name in case.wrt}


def _named(case: Case) -> dict[str, Any]:
    """Fresh arguments by their names."""
    return dict(zip(inspect.signature(case.program).parameters, case.arguments(), strict=True))


def _error(case: Case, moves: Mapping[str, Any], slope: float) -> float:
    """The least relative distance of the slope along `moves` from extrapolated central differences."""

    def value(step: float) -> float:
        moved = [_moved(a, step * moves[name]) if name in moves else a for name, a in _named(case).items()]
        return float(_quiet(case.program, moved))

    def distance(h: float) -> float:
        wide, narrow = ((value(s) - value(-s)) / (2 * s) for s in (h, h / 2))
        difference = (4 * narrow - wide) / 3
        return abs(difference - slope) / max(abs(difference), abs(slope), 1e-300)

    return float(np.nanmin([distance(h) for h in STEPS]))


def _product(case: Case, moves: Mapping[str, Any], slope: float) -> float:
    """The relative distance of the slope from the tangent that forward mode gives along `moves`."""
    base = _named(case)
    tangent = tuple(_like(base[name], moves[name]) for name in case.wrt)
    forward = daad.jvp(case.program, wrt=case.wrt)
    _, found = _quiet(lambda *arguments: forward(*arguments, tangent=tangent), case.arguments())
    return abs(float(found) - slope) / max(abs(slope), 1e-300)


def _like(value: Any, move: Any) -> Any:
    return move.astype(value.dtype) if isinstance(value, np.ndarray) else float(move)


def _moved(value: Any, by: Any) -> Any:
    return (value + by).astype(value.dtype) if isinstance(value, np.ndarray) else value + float(by)


def apart(program: Mapping[str, Any], sources: Path) -> Row:
    """The same in a process of its own, with a cache of its own."""
    with contextlib.suppress(subprocess.CalledProcessError):
        check_out(program, sources)
    if not (sources / program["repository"].replace("/", "+")).exists():
        return {"name": program["name"], "result": "not here"}
    command = [sys.executable, __file__, program["name"], "--sources", str(sources), "--one"]
    environment = {**os.environ, "MPLBACKEND": "Agg", "DAAD_CACHE": "off", "PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=environment, check=False)
        return dict(json.loads(done.stdout.splitlines()[-1]))
    except subprocess.TimeoutExpired:
        return {"name": program["name"], "result": f"more than {SECONDS} s"}
    except (IndexError, json.JSONDecodeError):
        return {"name": program["name"], "result": "fails", "why": done.stderr.strip().splitlines()[-1]}


INTRODUCTION = """# Programs of other people

Does daad take programs as people publish them? `make reality` (`benchmarks/reality.py`) fetches programs from
GitHub, at the commits that `benchmarks/reality.toml` names, changes nothing in them but what today's NumPy no longer
has and packages that are not installed, and differentiates each.

| column | what it is |
| --- | --- |
| result | "right": the gradient agrees with central differences along a random direction |
| first gradient | seconds of processor time: reading, deriving and compiling, with an empty cache |
| limited | seconds that it takes more under a limit: half of the memory, or the least possible |
| gradient / NumPy | time of a later gradient, divided by that of the program in NumPy |
| product | how far `daad.jvp` and the gradient differ along the same direction, relative |
"""


def page(programs: Sequence[Mapping[str, Any]], rows: Sequence[Row]) -> str:
    """docs/reality.md."""
    right = sum(row["result"] == "right" for row in rows)
    lines = [
        INTRODUCTION,
        f"{right} of {len(rows)} are right.\n",
        "| program | field | lines | result | first gradient | limited | gradient / NumPy | product |",
        "| --- | --- | --: | --- | --: | --: | --: | --: |",
    ]
    for program, row in zip(programs, rows, strict=True):
        name = f"[{program['repository']}](https://github.com/{program['repository']}), `{program['files'][0]}`"
        said = row["result"] if "why" not in row else f"{row['result']}: {row['why']}"
        first = f"{row['first']:.1f}" if "first" in row else ""
        ratio = f"{row['gradient'] / row['primal']:.2f}" if "gradient" in row else ""
        limited = f"{row['limited']:+.1f}" if "limited" in row else ""
        product = f"{row['product']:.0e}" if "product" in row else "refused" if "forward" in row else ""
        cells = (name, program["field"], row.get("lines", ""), said, first, limited, ratio, product)
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sources", type=Path, default=ROOT / "build" / "reality")
    parser.add_argument("--page", type=Path)
    parser.add_argument("--rows", type=Path, default=ROOT / "build" / "reality.jsonl")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    listed = tomllib.loads((ROOT / "benchmarks" / "reality.toml").read_text())["program"]
    sources = asked.sources.resolve()
    if asked.one:
        print(json.dumps(examined(next(p for p in listed if p["name"] in asked.names), sources)))
        return
    sources.mkdir(parents=True, exist_ok=True)
    kept = _kept(asked.rows)
    for program in listed:
        name = program["name"]
        if name in asked.names or (not asked.names and name not in kept):
            kept[name] = apart(program, sources)
            print(json.dumps(kept[name]), file=sys.stderr, flush=True)
            with asked.rows.open("a") as file:
                file.write(json.dumps(kept[name]) + "\n")
    shown = [p for p in listed if p["name"] in kept and (not asked.names or p["name"] in asked.names or asked.page)]
    text = page(shown, [kept[p["name"]] for p in shown])
    if asked.page:
        asked.page.write_text(text)
    else:
        print(text)


def _kept(rows: Path) -> dict[str, Row]:
    lines = rows.read_text().splitlines() if rows.exists() else []
    return {row["name"]: row for row in map(json.loads, lines)}


if __name__ == "__main__":
    main()
