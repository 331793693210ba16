#!/usr/bin/env python3
"""What daad adds to DaCe: gradients as daad compiles them, and as SDFGs that DaCe alone compiles, as Markdown.

A process with daad writes the joint SDFG of a kernel and times its own gradient; a second one, which never imports
daad, loads the SDFG, compiles it by DaCe with DaCe's own flags, and runs it. One thread; the median of some calls.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
LEAST, MOST = 5, 200
"""Calls that are timed."""
ROLE = re.compile(r"^//   (\w+): \w+[^:]*: (argument |the gradient of |weights of )?(?:'(\w+)')?", re.MULTILINE)
"""What an SDFG says of an argument."""


def by_daad(name: str, preset: str, seconds: float, folder: Path) -> dict[str, float]:
    """Writes the SDFG, its arguments and the gradients."""
    sys.path.insert(0, str(ROOT))
    daad = importlib.import_module("daad")
    kernel = importlib.import_module("npbench_runs.kernel").load(name)
    arguments = kernel.arguments(preset)
    wrt = kernel.wrt(arguments)
    seed = kernel.seed(outputs(kernel, preset))
    gradient = daad.grad(kernel.function, wrt=wrt, of=kernel.output, seed=seed, on_inputs="keep")
    found = [np.asarray(g) for g in gradient(*arguments)]
    sdfg = gradient.to_sdfg()
    sdfg.save(str(folder / "joint.sdfg"))
    given = dict(zip(kernel.parameters, arguments, strict=True))
    gradients = dict(zip(wrt, found, strict=True))
    taken = {name: np.zeros(data.shape, data.dtype.type) for name, data in sdfg.arglist().items()}
    right: dict[str, np.ndarray] = {}
    for name, role, word in ROLE.findall(sdfg.global_code["frame"].as_string):
        if role == "the gradient of ":
            right[name] = gradients[word]
        elif role:
            taken[name] = given[word] if role == "argument " else seed
    assert len(right) == len(wrt), f"the gradients are {[*right]}"
    save(folder / "arguments.npz", taken)
    save(folder / "gradients.npz", right)
    return {"daad": median(lambda: gradient(*arguments), lambda: None, seconds)}


def save(path: Path, arrays: Mapping[str, Any]) -> None:
    """By name."""
    np.savez(path, **dict(arrays))


def outputs(kernel: Any, preset: str) -> np.ndarray:
    """What is differentiated."""
    arguments = kernel.arguments(preset)
    selected: np.ndarray = kernel.select(kernel.function(*arguments), arguments)
    return selected


def by_dace(seconds: float, folder: Path) -> dict[str, float]:
    """Compiles and runs; the largest difference to daad's gradients, beside the largest element of each."""
    dace = importlib.import_module("dace")
    dace.Config.set("default_build_folder", value=str(folder / "build"))
    sdfg = dace.SDFG.from_file(str(folder / "joint.sdfg"))
    with np.load(folder / "arguments.npz") as file:
        given = {name: file[name] for name in file.files}
    numbers = {name for name, data in sdfg.arglist().items() if isinstance(data, dace.data.Scalar)}
    arguments: dict[str, Any] = {}

    def reset() -> None:
        arguments.update({name: v.item() if name in numbers else v.copy() for name, v in given.items()})

    start = time.perf_counter()
    compiled = sdfg.compile()
    took = time.perf_counter() - start
    reset()
    compiled(**arguments)
    with np.load(folder / "gradients.npz") as file:
        off = max(distance(arguments[name], file[name]) for name in file.files)
    assert "daad" not in sys.modules
    return {"dace": median(lambda: compiled(**arguments), reset, seconds), "off": off, "compile": took}


def distance(found: np.ndarray, right: np.ndarray) -> float:
    """The largest difference beside the largest element."""
    largest = float(np.max(np.abs(right), initial=0.0))
    return float(np.max(np.abs(found.reshape(right.shape) - right), initial=0.0)) / (largest or 1.0)


def median(call: Callable[[], Any], reset: Callable[[], Any], seconds: float) -> float:
    """Seconds of a call."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < LEAST or (time.perf_counter() < end and len(times) < MOST):
        reset()
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measured(kernel: str, options: argparse.Namespace) -> dict[str, float]:
    """Both processes of a kernel."""
    row: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for step in ("daad", "dace"):
            path = "" if step == "dace" else os.environ.get("PYTHONPATH", "")
            asked = ["--step", step, "--folder", folder, "--preset", options.preset, "--seconds", str(options.seconds)]
            ran = subprocess.run(
                [sys.executable, "-P", __file__, *asked, kernel],
                env={**os.environ, **ENVIRONMENT, "PYTHONPATH": path},
                capture_output=True,
                text=True,
                cwd=folder,
            )
            if ran.returncode:
                raise SystemExit(f"{kernel}: {ran.stderr}")
            row |= json.loads(ran.stdout.splitlines()[-1])
    return row


def main() -> None:
    """Prints as it goes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", help="all if none is given")
    parser.add_argument("--preset", default="S", help="size of the kernels (tiny, S, M, L, paper)")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long each is called")
    parser.add_argument("--step", choices=("daad", "dace"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step == "daad":
        print(json.dumps(by_daad(options.kernels[0], options.preset, options.seconds, options.folder)))
        return
    if options.step == "dace":
        print(json.dumps(by_dace(options.seconds, options.folder)))
        return
    sys.path.insert(0, str(ROOT))
    names = options.kernels or importlib.import_module("npbench_runs.kernel").names()
    print("| kernel | daad, ms | DaCe alone, ms | DaCe / daad | difference | DaCe compiles, s |")
    print("|---|--:|--:|--:|--:|--:|")
    ratios = []
    for name in names:
        row = measured(name, options)
        ratios.append(row["dace"] / row["daad"])
        cells = [f"{1e3 * row['daad']:.3f}", f"{1e3 * row['dace']:.3f}", f"{ratios[-1]:.2f}", f"{row['off']:.1e}"]
        print(f"| {name} | {' | '.join(cells)} | {row['compile']:.1f} |", flush=True)
    print(f"\nGeometric mean of DaCe / daad: {math.exp(statistics.fmean(map(math.log, ratios))):.2f}.")


if __name__ == "__main__":
    main()
