#!/usr/bin/env python3
"""How long the first gradient takes, by daad and by JAX, as Markdown.

Each number comes from processes of their own, the fastest of some: imports; the first call with an empty cache and what
it spends it on; the first call in a new process when the cache has the program; the first call of JAX. Imports, from
compiled modules, and what each of them does once (a trivial gradient) are apart from calls; a call includes reading the
program; a later call is taken off, as in `daad bench`. The kernels are those of `npbench_runs`, one thread.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

# Where a first call spends its time: modules, functions, and what that is to the reader.
PHASES = {
    "derive": ("daad.api.call.artifact", "derived"),
    "lower": ("daad.codegen.library_build", "lowered"),
    "generate": ("daad.codegen.library_build", "generate"),
    "compile": ("daad.codegen.library_build", "compile_library"),
}
THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu"}
ENGINES = ("daad", "cached", "jax")
Row = dict[str, float]


@contextmanager
def timed(phases: Mapping[str, tuple[str, str]], spent: Row) -> Iterator[None]:
    """Adds the time of each function to `spent`."""

    def around(phase: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timing(*args: Any, **options: Any) -> Any:
            start = time.perf_counter()
            try:
                return function(*args, **options)
            finally:
                spent[phase] = spent.get(phase, 0.0) + time.perf_counter() - start

        return timing

    with ExitStack() as stack:
        for phase, (module, name) in phases.items():
            function = getattr(importlib.import_module(module), name)
            stack.enter_context(mock.patch(f"{module}.{name}", around(phase, function)))
        yield


def first_call(kernel: str, preset: str, engine: str) -> Row:
    """In a new process: seconds of the imports, of the first call and of its parts."""
    start = time.perf_counter()
    module = importlib.import_module(f"npbench_runs.engines.by_{'jax' if engine == 'jax' else 'daad'}")
    if engine == "cached":
        importlib.import_module("daad.api.functions")
    else:
        module.load()
    row = {"imports": time.perf_counter() - start}
    from npbench_runs.engines.engine import Question
    from npbench_runs.kernel import load

    about = load(kernel)
    arguments = about.arguments(preset)
    prepared = module.prepare(Question(kernel=about, arguments=arguments, wrt=about.wrt(arguments), seed=1.0))
    with timed(PHASES if engine == "daad" else {}, row):
        first = seconds(prepared.call)
    return {**row, "first": first - min(first, seconds(prepared.call), seconds(prepared.call))}


def seconds(call: Callable[[], Any]) -> float:
    """Of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def fastest(kernel: str, options: argparse.Namespace, engine: str, repeats: int, folder: str) -> Row:
    """The run whose first call is shortest."""
    command = [sys.executable, __file__, "--one", engine, "--preset", options.preset, kernel]
    rows = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory(dir=folder) as empty:
            cache = os.path.join(folder, kernel) if engine == "cached" else empty
            environment = {**os.environ, **THREADS, "DAAD_CACHE": cache, "PYTHONPYCACHEPREFIX": folder}
            environment.pop("PYTHONDONTWRITEBYTECODE", None)
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr)
        rows.append(json.loads(done.stdout.splitlines()[-1]))
    return min(rows, key=lambda row: row["first"])


def measured(kernel: str, options: argparse.Namespace, folder: str) -> dict[str, Row]:
    """All that is measured of a kernel; the first run fills the cache."""
    fastest(kernel, options, "cached", 1, folder)
    return {engine: fastest(kernel, options, engine, options.repeats, folder) for engine in ENGINES}


def cached(kernel: str, options: argparse.Namespace, folder: str) -> Row:
    """Imports and the first call in a new process when the cache has the program."""
    fastest(kernel, options, "cached", 1, folder)
    return fastest(kernel, options, "cached", options.repeats, folder)


def whole(text: str, repeats: int, folder: str) -> Row:
    """The fastest process that runs a script, from its start to its end: seconds, and those of a processor."""
    script = Path(folder, "script.py")
    script.write_text(text)
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, **THREADS, "DAAD_CACHE": folder, "PYTHONPYCACHEPREFIX": folder, "PYTHONPATH": path}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    rows = []
    for _ in range(repeats + 1):  # the first one compiles
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([sys.executable, str(script)], env=environment, stdout=subprocess.DEVNULL, check=True)
        spent, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        rows.append({"seconds": spent, "processor": used})
    return {part: min(row[part] for row in rows[1:]) for part in rows[0]}


def processes(repeats: int) -> None:
    """Prints how long a process takes in all that calls a gradient from the cache: the example of the README."""
    example = (ROOT / "README.md").read_text().split("```python\n")[1].split("```")[0]
    scripts = {"README's example": example, "`import numpy`": "import numpy\n", "nothing": ""}
    print("| process | seconds | of a processor |\n|---|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in scripts.items():
            row = whole(text, repeats, folder)
            print(f"| {name} | {row['seconds']:.3f} | {row['processor']:.3f} |", flush=True)


def cells(kernel: str, rows: Mapping[str, Row]) -> list[str]:
    """A line of the table."""
    daad, cached, jax = (rows[name] for name in ENGINES)
    parts = [daad.get(phase, 0.0) for phase in PHASES]
    rest = daad["first"] - sum(parts)
    seconds = [*parts, rest, daad["first"], jax["first"]]
    return [kernel, *(f"{s:.3f}" for s in seconds), f"{daad['first'] / jax['first']:.2f}", f"{cached['first']:.3f}"]


def summary(found: Mapping[str, Mapping[str, Row]]) -> str:
    """Imports, and how many kernels keep to what is wanted."""
    imports = {name: statistics.median(rows[name]["imports"] for rows in found.values()) for name in ENGINES}
    ahead = sum(rows["daad"]["first"] <= rows["jax"]["first"] for rows in found.values())
    longest = {name: max(rows[name]["first"] for rows in found.values()) for name in ENGINES}
    return (
        f"\nFirst call of daad at most as long as JAX's: {ahead} of {len(found)} kernels. "
        f"Longest: daad {longest['daad']:.2f} s, JAX {longest['jax']:.2f} s, "
        f"daad from the cache {longest['cached']:.2f} s. "
        f"Imports: daad {imports['daad']:.2f} s with DaCe, {imports['cached']:.2f} s without (from the cache), "
        f"JAX {imports['jax']:.2f} s."
    )


def main() -> None:
    """Prints as it goes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", help="all if none is given")
    parser.add_argument("--preset", default="S", help="size of the kernels (S, M, L, paper)")
    parser.add_argument("--repeats", type=int, default=3, help="processes for each number")
    parser.add_argument("--cached", action="store_true", help="only what is from the cache: calls, and whole processes")
    parser.add_argument("--one", choices=ENGINES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(first_call(options.kernels[0], options.preset, options.one)))
        return
    from npbench_runs.kernel import names

    if options.cached:
        processes(options.repeats)
        print("\n| kernel | imports | first call | together |\n|---|--:|--:|--:|")
        with tempfile.TemporaryDirectory() as folder:
            for kernel in options.kernels or names():
                row = cached(kernel, options, folder)
                together = row["imports"] + row["first"]
                print(f"| {kernel} | {row['imports']:.3f} | {row['first']:.3f} | {together:.3f} |", flush=True)
        return
    titles = ["kernel", *PHASES, "rest", "first call", "JAX", "daad/JAX", "cached"]
    print(f"| {' | '.join(titles)} |\n|---|{'--:|' * (len(titles) - 1)}")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for kernel in options.kernels or names():
            found[kernel] = measured(kernel, options, folder)
            print(f"| {' | '.join(cells(kernel, found[kernel]))} |", flush=True)
    print(summary(found))


if __name__ == "__main__":
    main()
