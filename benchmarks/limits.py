#!/usr/bin/env python3
"""daad's gradients of NPBench kernels against hand-written C adjoints and JAX, on this machine, as a Markdown table.

Each kernel runs in a process of its own with as many cores as threads; opponents alternate, each for a burst of runs,
and the fastest run counts. Arrays are fresh copies before each run, made outside the timed part. With `--without PASS`
the only opponent is daad with this pass of `daad.passes` left out.
"""

from __future__ import annotations

import argparse
import copy
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.enzyme import ENZYME  # noqa: E402

# What the loss of the C harness sums; the softmax there has the sum of squares, here a fixed seed: the same work.
LOSSES: Mapping[str, Any] = {
    "seidel_2d": "A",
    "jacobi_2d": "A",
    "heat_3d": "A",
    "fdtd_2d": "hz",
    "syrk": "C",
    "trmm": "B",
    "gramschmidt": (0, 1),
    "lu": "A",
    "cholesky": "A",
    "durbin": None,
    "cavity_flow": ("u", "v", "p"),
    "vadv": "utens_stage",
    "hdiff": "out_field",
    "adi": "u",
    "deriche": None,
    "softmax": None,
}
BURST_SECONDS = 0.2
MARK = "RESULT "


class Timer:
    """The fastest of bursts of runs; `prepare` makes the arguments outside the timed part."""

    def __init__(self, prepare: Callable[[], Sequence[Any]], call: Callable[..., Any]) -> None:
        self.prepare, self.call, self.best, self.result = prepare, call, float("inf"), None

    def burst(self) -> None:
        """At least three runs, and more while they are short."""
        until = time.perf_counter() + BURST_SECONDS
        runs = 0
        while runs < 3 or (time.perf_counter() < until and runs < 2000):
            arguments = self.prepare()
            start = time.perf_counter()
            self.result = self.call(*arguments)
            self.best = min(self.best, time.perf_counter() - start)
            runs += 1


class HandTimer:
    """One mode of the C harness; a burst is one run of its program."""

    def __init__(self, bench: Path, kernel: str, size: str, mode: str) -> None:
        self.command, self.best = [str(bench), kernel, size, mode], float("inf")

    def burst(self) -> None:
        """Runs the harness, which repeats and resets by itself."""
        words = subprocess.run(self.command, capture_output=True, text=True, check=True, timeout=300).stdout.split()
        if "min_ms" not in words:
            raise RuntimeError(f"'{' '.join(self.command[1:])}' has no time.")
        self.best = min(self.best, float(words[words.index("min_ms") + 1]) / 1e3)


def daad_gradient(case: Any, on_inputs: str) -> Callable[..., Any]:
    """The gradient that a user gets, compiled at its first call."""
    import daad

    return daad.grad(case.function, wrt=case.wrt, of=case.of, seed=case.seed, on_inputs=on_inputs)


def case_of(kernel: str, preset: str) -> Any:
    """NPBench's kernel with the loss of the C harness; softmax in float64, as there."""
    from tests import npbench

    loaded = npbench.load(kernel, preset)
    case = loaded.case(of=LOSSES[kernel]) if kernel in LOSSES else loaded.case()
    if kernel != "softmax":
        return case
    arguments = tuple(a.astype(np.float64) for a in loaded.arguments())
    seed = np.asarray(case.seed, dtype=np.float64)
    return type(case)(**{**vars(case), "arguments": lambda: copy.deepcopy(arguments), "seed": seed})


def daad_timer(case: Any, on_inputs: str) -> Timer:
    """daad on fresh arguments; the first call compiles and is not timed."""
    call = daad_gradient(case, on_inputs)
    call(*case.arguments())
    return Timer(case.arguments, call)


def timer_without(case: Any, left_out: str) -> Timer:
    """daad on arguments that stay as they are, with a pass left out."""
    from tests.passes.leaving_out import without

    with without(left_out):
        return daad_timer(case, "keep")


def jax_timer(kernel: str, case: Any) -> Timer:
    """JAX on arrays that it holds already, waiting for the result."""
    import jax

    jax.config.update("jax_enable_x64", True)
    from benchmarks import jax_kernels
    from tests import npbench
    from tests.oracle import positions

    arguments, wrt = case.arguments(), positions(case.function, case.wrt)
    function = jax_kernels.primal(
        kernel, getattr(npbench.module(kernel, "_jax"), npbench.information(kernel)["func_name"])
    )
    compiled = jax_kernels.gradient(kernel, function, arguments, wrt, case.of, case.seed)
    held = jax_kernels.on_device([arguments[place] for place in wrt])
    jax.block_until_ready(compiled(*held))
    return Timer(lambda: held, lambda *active: jax.block_until_ready(compiled(*active)))


def products_timer(case: Any) -> Timer:
    """The two products that the gradient of a matrix product is, in NumPy."""
    alpha, _, C, A, B = case.arguments()
    seed = np.full_like(C, alpha)
    return Timer(lambda: (A, B, seed), lambda A, B, G: (A.T @ G, G @ B.T))


def attempt(make: Callable[[], Any]) -> tuple[Any, str]:
    """What `make` gives, or why it failed, in one line."""
    try:
        return make(), ""
    except Exception as failure:
        return None, f"{type(failure).__name__}: {failure}".strip().splitlines()[0][:160]


def opponents(kernel: str, preset: str, bench: Path | None, without: str) -> dict[str, Callable[[], Any]]:
    """How to make each timer of a row."""
    case = case_of(kernel, preset)
    if without:
        return {"keep": lambda: daad_timer(case, "keep"), "without": lambda: timer_without(case, without)}
    makers: dict[str, Callable[[], Any]] = {
        "daad": lambda: daad_timer(case, "primal"),
        "keep": lambda: daad_timer(case, "keep"),
    }
    if kernel == "gemm":
        return {**makers, "products": lambda: products_timer(case)}
    makers["jax"] = lambda: jax_timer(kernel, case)
    if bench is not None:
        makers["hand"] = lambda: HandTimer(bench, kernel, preset, "hand")
        makers["primal"] = lambda: HandTimer(bench, kernel, preset, "primal")
    return makers


def difference(one: Any, other: Any) -> float:
    """The largest difference of two gradients, relative to the largest element."""
    one, other = ([np.asarray(g) for g in (x if isinstance(x, (tuple, list)) else (x,))] for x in (one, other))
    scale = max(float(np.max(np.abs(g))) for g in other)
    worst = max(float(np.max(np.abs(g - h))) for g, h in zip(one, other, strict=True))
    return worst / scale if scale else worst


def measure(kernel: str, options: argparse.Namespace) -> dict[str, Any]:
    """One row: milliseconds and errors of each opponent, and how far daad is from JAX."""
    timers: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name, make in opponents(kernel, options.preset, options.bench, options.without).items():
        timers[name], errors[name] = attempt(make)
    for _ in range(options.repeats):
        for name in [n for n, timer in timers.items() if timer is not None]:
            _, errors[name] = attempt(timers[name].burst)
            timers[name] = None if errors[name] else timers[name]
    ready = {name: timer for name, timer in timers.items() if timer is not None}
    apart = {
        name: difference(ready[name].result, ready["jax"].result)
        for name in ("daad", "keep")
        if name in ready and "jax" in ready
    }
    return {
        "kernel": kernel,
        "milliseconds": {name: 1e3 * timer.best for name, timer in ready.items()},
        "errors": {name: text for name, text in errors.items() if text},
        "apart": apart,
    }


def build_harness(limits: Path, target: Path) -> Path | None:
    """The C harness without Enzyme, by gcc; None where there is none."""
    if not (limits / "Makefile").is_file():
        print(f"No C harness at '{limits}': the hand column stays empty.", file=sys.stderr)
        return None
    command = ["make", "-s", "-C", str(limits), "CLANG=gcc", f"OUT={target}"]
    subprocess.run(command, check=True)
    return target / "bench"


def run_apart(kernel: str, options: argparse.Namespace, bench: Path | None) -> dict[str, Any]:
    """A row measured in a process of its own, so that a crash or a hang costs one row."""
    command = [sys.executable, __file__, "--worker", kernel, "--preset", options.preset]
    command += ["--repeats", str(options.repeats), "--threads", str(options.threads)]
    command += ["--bench", str(bench)] if bench else []
    command += ["--without", options.without] if options.without else []
    environment = {**os.environ, "OMP_NUM_THREADS": str(options.threads), "OPENBLAS_NUM_THREADS": str(options.threads)}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return failed(kernel, f"took more than {options.timeout} s")
    lines = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    if not lines:
        why = (done.stderr.strip().splitlines() or ["no output"])[-1]
        return failed(kernel, f"exit {done.returncode}: {why[:160]}")
    return json.loads(lines[-1][len(MARK) :])


def failed(kernel: str, why: str) -> dict[str, Any]:
    """A row that only says why it is empty."""
    return {"kernel": kernel, "milliseconds": {}, "errors": {"row": why}, "apart": {}}


def cell(value: float | None, digits: int = 3) -> str:
    """A number, or a dash."""
    return "-" if value is None else f"{value:.{digits}f}"


def ratio(times: Mapping[str, float], above: str, below: str) -> float | None:
    """How often the one time goes into the other."""
    return times[above] / times[below] if above in times and below in times else None


def row_text(result: Mapping[str, Any], preset: str) -> str:
    """A line of the table."""
    times = result["milliseconds"]
    cells = [result["kernel"], preset]
    cells += [cell(times.get(name)) for name in ("daad", "keep", "jax", "hand", "primal")]
    cells += [cell(ratio(times, "jax", "daad"), 2), cell(ratio(times, "daad", "hand"), 2)]
    cells += [cell(ratio(times, "keep", "hand"), 2)]
    cells += [cell(ENZYME[result["kernel"]][preset == "M"] if result["kernel"] in ENZYME else None, 2)]
    cells += [f"{max(result['apart'].values()):.0e}" if result["apart"] else "-"]
    return f"| {' | '.join(cells)} |"


def header(options: argparse.Namespace) -> str:
    """Versions, machine, threads, and the table's head."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("daad", "dace", "numpy", "jax", "jaxlib"))
    compiler = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    return "\n".join(
        [
            f"{versions}, gcc {compiler or 'missing'}, Python {platform.python_version()}, {processor()}, "
            f"{options.threads} thread(s), the fastest of {options.repeats} bursts, milliseconds.",
            "",
            "| kernel | size | daad | daad keep | JAX | hand | C primal | JAX/daad | daad/hand | keep/hand "
            "| Enzyme/hand | vs JAX |",
            "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        ]
    )


def version(package: str) -> str:
    """A package's version, or that it is missing."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"


def processor() -> str:
    """The processor's name as Linux gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def notes(results: Sequence[Mapping[str, Any]], preset: str) -> list[str]:
    """Sizes, geometric means, and what failed."""
    from tests import npbench

    lines = []
    for title, above, below in (
        ("JAX/daad", "jax", "daad"),
        ("daad/hand", "daad", "hand"),
        ("keep/hand", "keep", "hand"),
    ):
        found = [ratio(result["milliseconds"], above, below) for result in results]
        values = [value for value in found if value]
        if values:
            lines.append(
                f"Geometric mean of {title}: {np.exp(np.mean(np.log(values))):.2f} over {len(values)} kernels."
            )
    for result in results:
        sizes = npbench.information(result["kernel"])["parameters"][preset]
        lines.append(f"- {result['kernel']}: " + ", ".join(f"{key} = {value}" for key, value in sizes.items()))
        lines += [f"    - {name} failed: {text}" for name, text in result["errors"].items()]
    return lines


def gemm_line(result: Mapping[str, Any]) -> str:
    """daad's gradient of a matrix product against the two products in NumPy."""
    times = result["milliseconds"]
    factor = cell(ratio(times, "daad", "products"), 2)
    return (
        f"gemm: daad {cell(times.get('daad'))} ms, keep {cell(times.get('keep'))} ms, "
        f"A.T @ G and G @ B.T in NumPy {cell(times.get('products'))} ms, daad/NumPy {factor}."
    )


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limits", type=Path, default=ROOT.parent / "shared" / "limits", help="the C harness")
    parser.add_argument("--preset", choices=("S", "M"), default="S")
    parser.add_argument("--kernels", default=",".join([*LOSSES, "gemm"]), help="names, separated by commas")
    parser.add_argument("--repeats", type=int, default=3, help="bursts of each opponent")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=900.0, help="seconds for one kernel")
    parser.add_argument("--json", type=Path, help="write the results here, too")
    parser.add_argument("--without", default="", metavar="PASS", help="compare with daad without a pass")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--bench", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.kernels.split(",")) - {*LOSSES, "gemm"})
    if unknown:
        parser.error(f"unknown kernels: {', '.join(unknown)}")
    return options


def work(options: argparse.Namespace) -> None:
    """Measures one row and prints it as JSON, on as many cores as there are threads."""
    cores = sorted(os.sched_getaffinity(0))[: options.threads]
    os.sched_setaffinity(0, cores)
    print(MARK + json.dumps(measure(options.worker, options)))


def compare_without(options: argparse.Namespace) -> None:
    """A table of daad with and without a pass."""
    print(f"| kernel | size | daad keep | without '{options.without}' | without/with |\n|---|---|--:|--:|--:|")
    for kernel in options.kernels.split(","):
        times = run_apart(kernel, options, None)["milliseconds"]
        cells = [kernel, options.preset, cell(times.get("keep")), cell(times.get("without"))]
        print(f"| {' | '.join([*cells, cell(ratio(times, 'without', 'keep'), 2)])} |", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Builds the harness, measures kernel by kernel, prints as it goes."""
    options = parse(arguments)
    if options.worker:
        work(options)
        return
    if options.without:
        compare_without(options)
        return
    print(header(options), flush=True)
    results = []
    with tempfile.TemporaryDirectory() as build:
        bench = build_harness(options.limits.resolve(), Path(build))
        for kernel in options.kernels.split(","):
            results.append(run_apart(kernel, options, bench))
            if kernel != "gemm":
                print(row_text(results[-1], options.preset), flush=True)
    print()
    print("\n".join(gemm_line(result) for result in results if result["kernel"] == "gemm"))
    print("\n".join(notes(results, options.preset)))
    if options.json:
        options.json.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
