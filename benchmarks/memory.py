#!/usr/bin/env python3
"""Gradients within memory limits: what the plan says, what the operating system sees, what it costs, as Markdown.

Each row runs in a process of its own. `held` is by how much the resident set of that process grows from before its
arguments exist to the peak of the first call: arguments, gradients, tape and scratch, and the tables of schedules, that
a compiled gradient has before it is called; not what OpenBLAS keeps for the whole process, about 1 MiB for each thread,
since products are computed before. `time` is relative to the plan without a limit, which runs in turn with it in the
same process, and again until it has had a part of the time of a slow one; medians of processor time, so one thread is
to be used, and first calls do not count, which get the pages of the scratch memory. The kernels are at NPBench's size
M, the other programs at those of memory_programs.py.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import memory_programs  # noqa: E402

KERNELS = ("cavity_flow", "gramschmidt", "vadv", "lenet", "resnet", "durbin")
FRACTIONS = (0.75, 0.5, 0.25, 0.1)
MEBIBYTE = 2**20
OWN_PAGES = {"MALLOC_MMAP_THRESHOLD_": "8192"}
"""While memory is measured, arrays get pages of their own instead of such as were used and freed before."""
MMAP_THRESHOLD, LARGEST = -3, 2**25
TRIM_THRESHOLD, NEVER = -1, 2**30
"""Afterwards results get pages that others had before, whatever lies behind them in memory."""
REPEATS, REPEATS_OF_SLOW = 7, 2
SLOW = 10
"""Plans that take that many times as long as the fastest are timed less often."""
PART = 0.1
"""Of the time of a call: so long the other plan runs after it."""


def program(name: str) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """A function, its arguments, and the options of `daad.grad`."""
    if name in memory_programs.PROGRAMS:
        return memory_programs.PROGRAMS[name]()
    from npbench_runs.kernel import load

    kernel = load(name)
    arguments = kernel.arguments("M")
    return kernel.function, arguments, {"wrt": kernel.wrt(arguments), "of": kernel.output, "seed": 1.0}


def _products(tall, wide):  # type: ignore[no-untyped-def]
    total = np.sum((tall[:1024] @ wide) ** 2)
    for rows, columns in ((16, 64), (64, 16), (144, 16), (16, 144), (1024, 64)):
        total += np.sum((tall[:, :rows] @ wide[:rows, :columns]) ** 2)
    return total


def warm_up() -> None:
    """Products of many forms, so that OpenBLAS has the buffers that it keeps for the whole process."""
    import daad
    from daad.runtime.memory import return_free_memory

    for dtype in (np.float32, np.float64):
        daad.grad(_products)(np.ones((8192, 1024), dtype), np.ones((1024, 1024), dtype))
    gc.collect()
    return_free_memory()


def in_turn(slow: Callable[[], object], fast: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Median seconds of a call of each, one after the other; the fast one has been called before."""
    fast()
    times: tuple[list[float], list[float]] = [], []
    for _ in range(repeats):
        taken = timed(slow)
        times[0].append(taken)
        until = time.process_time() + PART * taken
        times[1].append(timed(fast))
        while time.process_time() < until:
            times[1].append(timed(fast))
    return statistics.median(times[0]), statistics.median(times[1])


def timed(call: Callable[[], object]) -> float:
    """Seconds of the processor: what others have of it does not count."""
    start = time.process_time()
    call()
    return time.process_time() - start


def allocate_apart() -> None:
    """From now on no page of the scratch memory of programs is one that something else used before."""
    from daad.runtime.library import Library
    from daad.runtime.memory import return_free_memory

    allocate = Library.allocate

    def of_its_own(library: Library) -> int:
        gc.collect()
        return_free_memory()
        return allocate(library)

    Library.allocate = of_its_own  # type: ignore[assignment,method-assign]


def one(name: str, limit: int | None, saved: Path) -> dict[str, Any]:
    """Compiles and runs one plan; the gradient is saved."""
    import daad
    from daad.runtime.memory import peak_since, resident, return_free_memory

    warm_up()
    allocate_apart()
    function, arguments, options = program(name)
    start = time.perf_counter()
    bound = None if limit is None else daad.Bytes(limit)
    gradient = daad.grad(function, on_inputs="keep", memory_limit=bound, **options)
    try:
        gradient.compile(*arguments)
    except daad.MemoryLimitTooSmall as error:
        return {"minimum": error.minimum}
    compiled = time.perf_counter() - start
    own = sum(a.nbytes for a in arguments if isinstance(a, np.ndarray))
    gc.collect()
    return_free_memory()
    before = resident() - own
    found, held = peak_since(lambda: gradient(*arguments))
    plan = gradient.plan
    held += sum(table.nbytes for table in plan.derivation.plan.tables.values())
    for option, value in ((MMAP_THRESHOLD, LARGEST), (TRIM_THRESHOLD, NEVER)):
        ctypes.CDLL(None).mallopt(option, value)
    fastest = daad.grad(function, on_inputs="keep", **options).compile(*arguments)
    repeats = REPEATS if plan.slowdown < SLOW else REPEATS_OF_SLOW
    seconds, least = in_turn(lambda: gradient(*arguments), lambda: fastest(*arguments), repeats)
    flat = found if isinstance(found, tuple) else (found,)
    np.savez(saved, *flat)
    return {
        "modelled": plan.nbytes,
        "held": held - before,
        "seconds": seconds,
        "ratio": seconds / least,
        "slowdown": plan.slowdown,
        "compile": compiled,
        "slots": [s.replay.schedule.slots for s in plan.derivation.plan.snapshots.values()],
        "again": sorted((*plan.derivation.hints.rerun, *plan.derivation.hints.recompute)),
    }


def run(name: str, limit: int | None, folder: Path) -> dict[str, Any]:
    """One row in a process of its own."""
    saved = folder / f"{name}-{limit}.npz"
    command = [sys.executable, __file__, "--one", name, "--saved", str(saved)]
    command += [] if limit is None else ["--limit", str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **OWN_PAGES})
    if done.returncode:
        raise SystemExit(f"{name} within {limit} bytes failed:\n{done.stderr}")
    row = json.loads(done.stdout.splitlines()[-1])
    return {"name": name, "limit": limit, "saved": str(saved), **row}


def rows(name: str, folder: Path) -> list[dict[str, Any]]:
    """The plan without a limit, then within parts of what it holds, then within the smallest limit."""
    first = run(name, None, folder)
    found = [first]
    minimum = run(name, 1, folder)["minimum"]
    for fraction in FRACTIONS:
        limit = int(fraction * first["modelled"])
        found.append(
            run(name, limit, folder) if limit >= minimum else {"name": name, "limit": limit, "minimum": minimum}
        )
    found.append(run(name, minimum, folder))
    for row in found:
        if "saved" in row:
            row["error"] = error(Path(row.pop("saved")), folder / f"{name}-None.npz")
    return found


def error(saved: Path, reference: Path) -> float:
    """The largest difference to the gradient without a limit, relative to the largest element of each array."""
    with np.load(saved) as one, np.load(reference) as other:
        pairs = [(one[k].astype(np.float64), other[k].astype(np.float64)) for k in other.files]
    return max(float(np.max(np.abs(a - b), initial=0.0) / (np.max(np.abs(b), initial=0.0) or 1.0)) for a, b in pairs)


HEAD = ("program", "limit MiB", "model MiB", "held MiB", "model/held", "time", "predicted", "error", "slots", "again")


def cells(row: dict[str, Any]) -> list[str]:
    limit = "none" if row["limit"] is None else f"{row['limit'] / MEBIBYTE:.2f}"
    if "modelled" not in row:
        return [row["name"], limit, f"refused: at least {row['minimum'] / MEBIBYTE:.2f}", *[""] * 7]
    return [
        row["name"],
        limit,
        f"{row['modelled'] / MEBIBYTE:.2f}",
        f"{row['held'] / MEBIBYTE:.2f}",
        f"{row['modelled'] / row['held']:.3f}",
        f"{row['ratio']:.2f}",
        f"{row['slowdown']:.2f}",
        f"{row['error']:.0e}" if row["error"] else "0",
        " ".join(map(str, row["slots"])),
        " ".join(row["again"]),
    ]


def table(found: Sequence[dict[str, Any]]) -> str:
    lines = [HEAD, tuple("---" for _ in HEAD), *(tuple(cells(row)) for row in found)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[*memory_programs.PROGRAMS, *KERNELS])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--saved", type=Path)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(given.one, given.limit, given.saved)))
        return
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in given.names:
            found += rows(name, Path(folder))
            print(table(found[-len(FRACTIONS) - 2 :]), flush=True)
    versions = {name: importlib.metadata.version(name) for name in ("numpy", "dace", "pulp")}
    head = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"
    print(f"\n{head}\n\n{table(found)}")
    if given.json:
        given.json.write_text(json.dumps({"machine": head, "rows": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
