#!/usr/bin/env python3
"""What bytes, loops and functions take on this machine, as `daad/ilp/statement_times.py` prices them, as Markdown.

Loops over float64 are compiled as gradients are, and run over arrays of several sizes. Each price is the least
processor time of several rounds, beside the one in the model. A piece is a part of a row that lies far from others.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from daad.ilp import statement_times  # noqa: E402
from daad.ir.operations import OPERATIONS  # noqa: E402
from daad.runtime.toolchain import compile_library  # noqa: E402

SOURCE = """
#include <cmath>
#define LOOP(NAME, BEFORE, BODY, AFTER) extern "C" void NAME(double* __restrict x, const double* __restrict y, \\
    long n, long rows, long apart) { BEFORE for (long i = 0; i < rows; ++i) { double* __restrict r = x + i * apart; \\
    BODY asm volatile("" : : "r"(r), "r"(y) : "memory"); } AFTER }
#define EACH(NAME, STATEMENT) LOOP(NAME, , for (long j = 0; j < n; ++j) STATEMENT,)
LOOP(sum, double t[64] = {};, for (long j = 0; j < n; j += 64) for (int k = 0; k < 64; ++k) t[k] += r[j + k];,
     for (int k = 0; k < 64; ++k) x[0] += t[k];)
EACH(fill, r[j] = 0.5;)
EACH(copy, r[j] = y[j];)
EACH(add, r[j] = r[j] - y[j] * 0.5;)
EACH(polynomial, r[j] = ((((r[j] * 0.1 + 0.2) * r[j] + 0.3) * r[j] + 0.4) * r[j] + 0.5) * r[j];)
EACH(divide, r[j] = 0.5 / r[j];)
EACH(root, r[j] = std::sqrt(r[j]);)
"""
BYTES = tuple(2**k for k in range(13, 29))
LARGEST = BYTES[-1] // 8
POINTS = 2**18
"""Points of a loop that is timed, at least."""

SHORT, LONG, ROWS, WIDTH = 16, 176, 220, 180
"""Elements of short and long rows, how many there are, and elements from one to the next one."""

PIECE, APART = 90, 16289
"""Elements of a piece, and from one to the next one."""


class Loops:
    """Compiled loops, the arrays they work on, and the least time of each so far."""

    def __init__(self, folder: Path) -> None:
        (folder / "loops.cpp").write_text(SOURCE)
        compile_library([folder / "loops.cpp"], folder / "loops.so", ())
        self._library = ctypes.CDLL(str(folder / "loops.so"))
        self._arrays = [np.full(LARGEST + 2**12, 0.7) for _ in range(2)]

    def seconds(self, name: str, length: int, rows: int, apart: int = 0, shift: int = 0, calls: int = 1) -> float:
        """Of a call that does `rows` rows of a length, each call so many elements further on than the one before."""
        loop = getattr(self._library, name)
        x, y = (array.ctypes.data for array in self._arrays)
        loop.argtypes = [ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_long] * 3]
        loop(x, y, length, rows, apart)
        start = time.process_time()
        for call in range(calls):
            loop(x + 8 * shift * call, y, length, rows, apart)
        return (time.process_time() - start) / calls


def least(rounds: int, measure: Callable[[], float]) -> float:
    return min(measure() for _ in range(rounds))


def of_bytes(loops: Loops, rounds: int) -> list[list[str]]:
    """Nanoseconds to read and to write a byte, where so many bytes are touched in turn."""

    def timed(name: str, nbytes: int) -> float:
        again = max(1, 8 * POINTS // nbytes)
        return least(rounds, lambda: loops.seconds(name, nbytes // 8, again)) / (again * nbytes)

    rows = [["KiB", "read", "model", "write", "model"]]
    for nbytes in BYTES:
        found = zip([timed("sum", nbytes), timed("fill", nbytes)], statement_times._byte(nbytes), strict=True)
        rows.append([f"{nbytes // 1024}", *(f"{1e9 * price:.4f}" for pair in found for price in pair)])
    return rows


def of_loops(loops: Loops, rounds: int) -> list[list[str]]:
    """Nanoseconds of an operation for each byte, of a loop that begins, and of a piece that is written far away."""

    def timed(name: str, length: int, rows: int, *more: int) -> float:
        return least(rounds, lambda: loops.seconds(name, length, rows, *more))

    points, size = POINTS, 1024
    each = {n: timed(n, size, points // size) / (8 * points) for n in ("fill", "polynomial", "divide", "root")}
    operation = (each["polynomial"] - each["fill"]) / 10
    short, long = (timed("add", length, ROWS, WIDTH, 0, 200) for length in (SHORT, LONG))
    row = (short - SHORT / LONG * long) / (1 - SHORT / LONG) / ROWS
    calls = APART // PIECE
    apart, together = (timed("copy", PIECE, ROWS, *more, calls) for more in ((APART, PIECE), (PIECE, PIECE * ROWS)))
    far = statement_times.AHEAD * statement_times._byte(8 * APART * ROWS)[1]
    return [
        ["price", "measured", "model"],
        ["operation, ns for a byte", f"{1e9 * operation:.4f}", f"{1e9 * statement_times.OPERATION:.4f}"],
        ["loop, ns", f"{1e9 * row:.1f}", f"{1e9 * statement_times.ROW:.1f}"],
        ["piece far away, ns", f"{1e9 * (apart - together) / ROWS:.1f}", f"{1e9 * far:.1f}"],
        ["division, operations", f"{each['divide'] / operation:.0f}", f"{OPERATIONS['divide'].price}"],
        ["square root, operations", f"{each['root'] / operation:.0f}", f"{OPERATIONS['sqrt'].price}"],
    ]


def table(rows: list[list[str]]) -> str:
    head, *rest = rows
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rest))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        loops = Loops(Path(folder))
        print(f"{table(of_bytes(loops, given.rounds))}\n\n{table(of_loops(loops, given.rounds))}")


if __name__ == "__main__":
    main()
