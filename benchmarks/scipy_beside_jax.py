#!/usr/bin/env python3
"""Gradients of functions that SciPy and JAX both have, by daad and by JAX, at a small and a large size.

    taskset -c 0 python benchmarks/scipy_beside_jax.py [NAME ...] [--json FILE] [--table]

The loss is the sum of the result, weighted at random. Gradients are compared before they are timed; a difference is
an error. Times are the least processor time of bursts that alternate, with JAX's arguments held by it already. One
expression serves both, with `np` and SciPy's modules, or with `jax.numpy` and those of `jax.scipy`; where JAX spells a
function in another way, it has an expression of its own.
"""

from __future__ import annotations

import argparse
import importlib
import json
import linecache
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("OMP_NUM_THREADS", "1")

import jax  # noqa: E402
import numpy as np  # noqa: E402
import scipy  # noqa: E402

import daad  # noqa: E402
from benchmarks import products  # noqa: E402

products.ENOUGH = 2.0
TOLERANCE = 1e-8
Arrays = dict[str, np.ndarray]
Maker = Callable[[int, np.random.Generator], Arrays]


def pendulum(y: Any, t: Any, damping: Any) -> Any:
    """SciPy's order of arguments, and JAX's."""
    return y[::-1] * SIGNS - damping * y * y * y


SIGNS = np.array([1.0, -1.0])


def spread(n: int, random: np.random.Generator) -> Arrays:
    """Positive numbers."""
    return {"x": random.uniform(0.2, 3.0, n)}


def pair(n: int, random: np.random.Generator) -> Arrays:
    return {"x": random.uniform(0.2, 3.0, n), "y": random.uniform(0.3, 2.0, n)}


def fractions(n: int, random: np.random.Generator) -> Arrays:
    return {"x": random.uniform(0.05, 0.95, n)}


def table_of(n: int, random: np.random.Generator) -> Arrays:
    return {"x": random.normal(size=(max(n // 16, 2), 16))}


def system(n: int, random: np.random.Generator) -> Arrays:
    return {"A": random.normal(size=(n, n)) + n * np.eye(n), "b": random.normal(size=n)}


def matrix(n: int, random: np.random.Generator) -> Arrays:
    return {"A": random.normal(size=(n, n)) / n + np.diag(np.linspace(1.0, 2.0, n))}


def symmetric(n: int, random: np.random.Generator) -> Arrays:
    """Positive definite, with eigenvalues apart."""
    q = np.linalg.qr(random.normal(size=(n, n)))[0]
    return {"A": (q * np.linspace(1.0, 4.0, n)) @ q.T, "b": random.normal(size=n)}


def filtered(n: int, random: np.random.Generator) -> Arrays:
    return {"x": random.normal(size=n), "k": random.normal(size=min(n, 33))}


def knots(n: int, random: np.random.Generator) -> Arrays:
    return {"x": random.uniform(0.0, 9.0, n), "xp": np.linspace(0.0, 9.0, 32), "fp": random.normal(size=32)}


def on_grid(n: int, random: np.random.Generator) -> Arrays:
    at = np.stack((random.uniform(0.1, 14.9, n), random.uniform(0.1, 14.9, n)), axis=-1)
    return {"v": random.normal(size=(16, 16)), "g": np.arange(16.0), "p": at}


def sampled(n: int, random: np.random.Generator) -> Arrays:
    return {"x": random.normal(size=(n, 4)), "m": random.normal(size=4), "S": np.eye(4) + 0.2}


def motion(n: int, random: np.random.Generator) -> Arrays:
    return {"y": np.array([1.0, 0.3]), "t": np.linspace(0.0, 0.1 * n, n), "c": np.array(0.1)}


@dataclass(frozen=True)
class Row:
    """A function: the expression, its arguments, those of them with a gradient, both sizes, and JAX's expression."""

    name: str
    text: str
    make: Maker
    wrt: tuple[str, ...] = ("x",)
    sizes: tuple[int, int] = (64, 100_000)
    jax: str = ""
    tolerance: float = TOLERANCE


MATRICES = (8, 200)
ROWS = (
    Row("special.gammaln", "special.gammaln(x)", spread),
    Row("special.digamma", "special.digamma(x)", spread),
    Row("special.erf", "special.erf(x)", spread),
    Row("special.erfc", "special.erfc(x)", spread),
    Row("special.ndtr", "special.ndtr(x)", spread),
    Row("special.log_ndtr", "special.log_ndtr(x)", spread),
    Row("special.ndtri", "special.ndtri(x)", fractions),
    Row("special.expit", "special.expit(x)", spread),
    Row("special.logit", "special.logit(x)", fractions),
    Row("special.betaln", "special.betaln(x, y)", pair, ("x", "y")),
    Row("special.i0e", "special.i0e(x)", spread),
    Row("special.xlogy", "special.xlogy(x, y)", pair, ("x", "y")),
    Row("special.logsumexp", "special.logsumexp(x, axis=1)", table_of),
    Row("linalg.solve", "linalg.solve(A, b)", system, ("A", "b"), MATRICES),
    Row("linalg.lu_solve", "linalg.lu_solve(linalg.lu_factor(A), b)", system, ("A", "b"), MATRICES),
    Row(
        "linalg.cho_solve",
        "linalg.cho_solve(linalg.cho_factor(A + A.T, lower=True), b)",
        symmetric,
        ("A", "b"),
        MATRICES,
    ),
    Row("linalg.solve_triangular", "linalg.solve_triangular(A, b, lower=True)", system, ("A", "b"), MATRICES),
    Row("linalg.inv", "linalg.inv(A)", system, ("A",), MATRICES),
    Row("linalg.expm", "linalg.expm(A)", matrix, ("A",), MATRICES),
    Row("linalg.slogdet", "np.linalg.slogdet(A)[1]", matrix, ("A",), MATRICES),
    Row("linalg.eigh", "linalg.eigh(A + A.T)[0]", symmetric, ("A",), MATRICES),
    Row("linalg.svdvals", "np.linalg.svd(A, compute_uv=False)", matrix, ("A",), MATRICES),
    Row("fft.rfft", "np.abs(np.fft.rfft(x)) ** 2", spread, sizes=(64, 65536)),
    Row("fft.dct", "fft.dct(x)", spread, sizes=(64, 65536)),
    Row("signal.convolve", "signal.convolve(x, k, mode='same', method='direct')", filtered, ("x", "k"), (64, 20_000)),
    Row("signal.fftconvolve", "signal.fftconvolve(x, k)", filtered, ("x", "k")),
    Row("signal.detrend", "signal.detrend(x)", spread),
    Row("signal.welch", "signal.welch(x, nperseg=64)[1]", spread, sizes=(128, 100_000)),
    Row("np.interp", "np.interp(x, xp, fp)", knots, ("x", "fp")),
    Row(
        "interpolate.RegularGridInterpolator",
        "interpolate.RegularGridInterpolator((g, g), v)(p)",
        on_grid,
        ("v",),
        (32, 20_000),
    ),
    Row(
        "ndimage.map_coordinates",
        "ndimage.map_coordinates(v, p.T, order=1)",
        on_grid,
        ("v",),
        (32, 20_000),
        "ndimage.map_coordinates(v, list(p.T), order=1)",
    ),
    Row("stats.norm.logpdf", "stats.norm.logpdf(x, 0.5, 1.5)", spread),
    Row("stats.gamma.logpdf", "stats.gamma.logpdf(x, y)", pair, ("x", "y")),
    Row("stats.multivariate_normal.logpdf", "stats.multivariate_normal.logpdf(x, m, S)", sampled, ("x", "m")),
    Row("integrate.trapezoid", "integrate.trapezoid(x * x, dx=0.1)", spread),
    Row(
        "integrate.odeint",
        "integrate.odeint(pendulum, y, t, (c,), rtol=1e-9, atol=1e-9)",
        motion,
        ("y", "c"),
        (10, 200),
        "odeint(pendulum, y, t, c, rtol=1e-9, atol=1e-9)",
        1e-5,
    ),
    Row(
        "sparse.linalg.cg",
        "cg(A, b, rtol=1e-11)[0]",
        symmetric,
        ("A", "b"),
        MATRICES,
        "cg(A, b, tol=1e-11)[0]",
        1e-6,
    ),
)
MODULES = ("fft", "integrate", "interpolate", "linalg", "ndimage", "signal", "special", "stats")


def space(package: str) -> dict[str, Any]:
    """What the names of the expressions stand for."""
    modules = {name: importlib.import_module(f"{package}.{name}") for name in MODULES}
    names = {**modules, "pendulum": pendulum, "cg": importlib.import_module(f"{package}.sparse.linalg").cg}
    if package == "scipy":
        return {**names, "np": np}
    return {**names, "np": jax.numpy, "odeint": importlib.import_module("jax.experimental.ode").odeint}


def program(text: str, parameters: tuple[str, ...], names: dict[str, Any]) -> Callable[..., Any]:
    """The weighted sum of an expression, as a function whose source can be read."""
    source, file = f"def program({', '.join(parameters)}, w):\n    return np.sum(w * {text})\n", f"<beside JAX {text}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = dict(names)
    exec(compile(source, file, "exec"), names)
    made: Callable[..., Any] = names["program"]
    return made


def calls(row: Row, size: int) -> dict[str, products.Call]:
    """Both gradients; they agree."""
    random = np.random.default_rng(1)
    given = row.make(size, random)
    scipys, jaxs = space("scipy"), space("jax.scipy")
    parameters = tuple(given)
    shape = np.shape(eval(row.text, {**scipys, **given}))
    arguments = [*given.values(), np.asarray(random.uniform(0.5, 1.5, shape))]
    places = tuple(parameters.index(name) for name in row.wrt)
    ours = daad.grad(program(row.text, parameters, scipys), wrt=row.wrt)
    theirs = jax.jit(jax.grad(program(row.jax or row.text, parameters, jaxs), argnums=places))
    held = [jax.device_put(value) for value in arguments]
    found, expected = ours(*arguments), theirs(*held)
    for name, one, other in zip(row.wrt, found if len(places) > 1 else (found,), expected, strict=True):
        error = float(np.max(np.abs(np.asarray(one) - np.asarray(other))) / np.max(np.abs(np.asarray(other))))
        if not error <= row.tolerance:
            raise AssertionError(f"gradients in {name} differ by {error:.1e}")
    return {"daad": lambda: ours(*arguments), "JAX": lambda: jax.block_until_ready(theirs(*held))}


def table(results: dict[str, dict[str, float]]) -> str:
    """Times in microseconds, small and large, with geometric means and the worst."""
    lines = [
        "| function | sizes | daad | JAX | JAX/daad | daad | JAX | JAX/daad |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    ratios: tuple[dict[str, float], dict[str, float]] = ({}, {})
    for row in ROWS:
        cells = []
        for size, found in zip(row.sizes, ratios, strict=True):
            times = results.get(f"{row.name} {size}")
            if times is None:
                cells.append("| | ")
                continue
            found[row.name] = times["JAX"] / times["daad"]
            cells.append(f"{_micro(times['daad'])} | {_micro(times['JAX'])} | {found[row.name]:.2f}")
        lines.append(f"| {row.name} | {row.sizes[0]}, {row.sizes[1]} | {' | '.join(cells)} |")
    means = [f"| | {statistics.geometric_mean(one.values()):.2f}" if one else "| | " for one in ratios]
    lines.append(f"| geometric mean | | {' | '.join(means)} |")
    for label, one in zip(("small", "large"), ratios, strict=True):
        below = sorted((ratio, name) for name, ratio in one.items() if ratio < 1)
        lines.append(f"\n{label}, below 1: {', '.join(f'{name} {ratio:.2f}' for ratio, name in below) or 'none'}")
    return "\n".join(lines)


def _micro(seconds: float) -> str:
    return f"{1e6 * seconds:.3g}" if seconds < 1e-3 else f"{1e6 * seconds:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="functions, as the table names them; all if none is named")
    parser.add_argument("--json", type=Path, help="where times are kept; what it holds is measured again if named")
    parser.add_argument("--table", action="store_true", help="measure nothing")
    given = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    results = json.loads(given.json.read_text()) if given.json and given.json.exists() else {}
    for row in () if given.table else ROWS:
        for size in row.sizes:
            key = f"{row.name} {size}"
            if row.name not in given.names if given.names else key in results:
                continue
            start = time.perf_counter()
            try:
                results[key] = products.measured(calls(row, size))
            except Exception as error:
                print(f"{key}: {type(error).__name__}: {str(error)[:400]}", file=sys.stderr, flush=True)
                continue
            if given.json:
                given.json.write_text(json.dumps(results, indent=1))
            times = results[key]
            print(
                f"{key}: {_micro(times['daad'])} {_micro(times['JAX'])} µs, JAX/daad "
                f"{times['JAX'] / times['daad']:.2f}, {time.perf_counter() - start:.0f} s",
                file=sys.stderr,
                flush=True,
            )
    print(
        f"daad {daad.__version__}, numpy {np.__version__}, scipy {scipy.__version__}, jax {jax.__version__}, "
        f"Python {platform.python_version()}, {len(os.sched_getaffinity(0))} processor(s), float64, microseconds.\n"
    )
    print(table(results))


if __name__ == "__main__":
    main()
