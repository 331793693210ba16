"""What a message costs in a gradient: `python benchmarks/messages.py`, one process that sends to itself.

Processor time, since ranks that share a core wait for each other.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI

import daad

comm = MPI.COMM_WORLD


def messages(u: Any, k: Any, steps: int) -> Any:
    for _ in range(steps):
        comm.Sendrecv(u, 0, 0, k, 0, 0)
        u = 0.5 * (u + k)
    return np.sum(u * u)


def seconds(run: Callable[[], Any], repeats: int = 5) -> float:
    """Of the fastest run."""
    found = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description="Processor time of messages in a program and in its gradient.")
    parser.add_argument("--steps", type=int, default=1000, help="messages of one number; fewer of long ones")
    most = parser.parse_args().steps
    gradient = daad.grad(messages, wrt="u")
    print("numbers  program, a step  gradient, a step")
    for count, steps in ((1, most), (1000, max(1, most // 5)), (100000, max(1, most // 100))):
        u, k = np.ones(count), np.ones(count)
        gradient(u, k, steps)
        own = seconds(lambda u=u, k=k, steps=steps: messages(u, k, steps))  # type: ignore[misc]
        both = seconds(lambda u=u, k=k, steps=steps: gradient(u, k, steps))  # type: ignore[misc]
        print(f"{count:7d}  {own / steps * 1e6:12.1f} µs  {both / steps * 1e6:13.1f} µs")


if __name__ == "__main__":
    main()
