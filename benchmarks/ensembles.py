"""Ensembles on a Dask cluster of two worker processes on this machine: the same bits, memory, and what a member costs.

The epidemic of `examples/epidemic.py` is fitted by L-BFGS-B to synthetic schools, of which each has its own series: the
misfit is the mean over all of them.

    python benchmarks/ensembles.py [--schools 1000] [--members 100000]
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import daad

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from examples.epidemic import epidemic, misfit

TRUTH = np.log([1.66, 0.45, 1.0])
SUBSTEPS, DAYS = 8, 14
LARGER = 1.2


def schools(count: int) -> list[np.ndarray]:
    """The boys in bed on each day, at schools whose rates differ by a few percent, counted with errors."""
    rng = np.random.default_rng(1978)
    series = [epidemic(TRUTH + 0.05 * rng.normal(size=3), DAYS, SUBSTEPS) for _ in range(min(count, 50))]
    return [series[number % len(series)] + rng.normal(scale=5.0, size=DAYS) for number in range(count)]


def tiny(x: np.ndarray, k: float) -> Any:
    return np.sum(x * x) * k


def nothing(number: int) -> int:
    return number


def in_bits(found: Any) -> list[str]:
    return [float(found[0]).hex(), *(float(item).hex() for item in np.ravel(found[1]))]


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = run()
    return time.perf_counter() - start, found


def fit(client: Any, series: list[np.ndarray], say: Callable[[str, Any], None]) -> None:
    """By L-BFGS-B; then the last gradient serially, with a worker killed in the middle, and after a restart."""
    from scipy.optimize import minimize

    gradient = daad.value_and_grad(misfit)
    seconds: list[float] = []

    def members(theta: np.ndarray) -> list[Any]:
        return [(theta, observed, SUBSTEPS) for observed in series]

    def mean(theta: np.ndarray) -> Any:
        spent, found = timed(lambda: daad.ensemble(gradient, members(theta), client, "mean"))
        seconds.append(spent)
        return found

    result = minimize(mean, np.log([1.0, 0.5, 1.0]), jac=True, method="L-BFGS-B")
    rates = ", ".join(f"{rate:.3f}" for rate in np.exp(result.x))
    say(f"fit to {len(series)} schools", f"{result.nit} iterations, {len(seconds)} gradients: {rates}")
    say("first gradient, with compiling", f"{seconds[0]:.2f} s")
    say("a gradient on two workers (median)", f"{1e3 * np.median(seconds[1:]):.0f} ms")
    last = members(result.x)
    on_cores, found = timed(lambda: daad.ensemble(gradient, last, None, "mean"))
    say("on this machine's cores, without Dask, with compiling", f"{on_cores:.2f} s")
    one, serial = timed(lambda: alone(gradient, last))
    say("serially, member by member in one process", f"{1e3 * one:.0f} ms")
    right = in_bits((serial[0] / len(last), serial[1] / len(last)))
    say("bits on the cores equal to the serial sum in the same tree", in_bits(found) == right)
    say("bits on the workers", in_bits(mean(result.x)) == right)
    client.restart()
    spent, found = timed(lambda: daad.ensemble(gradient, last, client, "mean"))
    say("after a restart of the cluster", f"{in_bits(found) == right}, {spent:.2f} s")
    spent, found = timed(lambda: daad.ensemble(gradient, with_a_death(client, last), client, "mean"))
    say("with a worker killed in the middle", f"{in_bits(found) == right}, {spent:.2f} s")
    client.wait_for_workers(2)


def with_a_death(client: Any, members: list[Any]) -> Iterator[Any]:
    """The members; when half of them are asked for, a worker is killed."""
    pids = client.run(os.getpid)
    for number, member in enumerate(members):
        if number == len(members) // 2:
            os.kill(next(iter(pids.values())), signal.SIGKILL)
        yield member


def alone(gradient: Any, members: list[Any]) -> Any:
    """One after the other, added as the tree is defined."""
    if len(members) == 1:
        return gradient(*members[0])
    half = 1 << ((len(members) - 1).bit_length() - 1)
    first, second = alone(gradient, members[:half]), alone(gradient, members[half:])
    return first[0] + second[0], first[1] + second[1]


def resident(pid: int) -> float:
    """MiB that a process holds."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def many(client: Any, count: int, say: Callable[[str, Any], None]) -> None:
    """Tiny members from a generator: does memory grow with their number, and what does one cost beside a task?"""
    gradient = daad.value_and_grad(tiny)

    def members(number: int) -> Iterator[Any]:
        return ((np.full(4, 1.0), float(k)) for k in range(number))

    daad.ensemble(gradient, members(count // 10), client)
    workers = {f"worker {k}": pid for k, pid in enumerate(client.run(os.getpid).values())}
    pids = {"client and scheduler": os.getpid(), **workers}
    before = {name: resident(pid) for name, pid in pids.items()}
    spent, found = timed(lambda: daad.ensemble(gradient, members(count), client))
    assert found[0] == 4.0 * sum(range(count)), "the sum is exact in these numbers"
    for name, pid in pids.items():
        say(f"memory of {name} before and after {count} members", f"{before[name]:.0f}, {resident(pid):.0f} MiB")
    tasks = max(count // 20, 100)
    empty, _ = timed(lambda: client.gather(client.map(nothing, range(tasks))))
    say("a member", f"{1e6 * spent / count:.0f} µs")
    say("a task of `client.map` that does nothing", f"{1e6 * empty / tasks:.0f} µs")
    ratio = spent / count / (empty / tasks)
    say(f"a member relative to that (at most {LARGER})", f"{ratio:.3f}")
    lying = client.map(lying_member, range(tasks // 4), pure=False)
    client.gather(lying)
    spent, _ = timed(lambda: daad.ensemble(gradient, lying, client))
    say("a member that lies on a worker, relative to that", f"{spent / len(lying) / (empty / tasks):.2f}")


def lying_member(number: int) -> Any:
    return np.full(4, 1.0), float(number)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--schools", type=int, default=1000)
    parser.add_argument("--members", type=int, default=100_000, help="tiny ones")
    options = parser.parse_args()

    from distributed import Client, LocalCluster

    print("\n| what | found |\n|---|---|")
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL)
    with cluster, Client(cluster) as client:
        fit(client, schools(options.schools), lambda what, found: print(f"| {what} | {found} |", flush=True))
        many(client, options.members, lambda what, found: print(f"| {what} | {found} |", flush=True))


if __name__ == "__main__":
    main()
