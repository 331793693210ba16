"""Programs that show how far they are, and have threads compute for them."""

# ruff: noqa: B905 (programs as their authors write them)
from __future__ import annotations

import concurrent.futures
import multiprocessing.pool
import threading

import numpy as np
import tqdm

from tests.corpus.case import normal, row, uniform


def square(v):
    return v * v


def doubled_in_place(values):
    values *= 2.0
    return np.sum(values * values)


def weighted(v, weight):
    return v * weight


def bars(x, w):
    for _ in tqdm.tqdm(range(300), desc="steps", total=300, leave=False):
        x = x * 0.995
    bar = tqdm.tqdm(total=5)
    for k in range(5):
        x = x + 0.1 * w
        bar.update(1)
        bar.set_description(f"{k}: {x[0]:.3f}")
        bar.set_postfix(loss=x[0])
    x = x * bar.n
    bar.close()
    with tqdm.trange(3) as numbers:
        for k in numbers:
            x = x * (1.0 + 0.1 * k)
    for k, v in enumerate(tqdm.tqdm([1.0, 2.0])):
        x = x + k * v
    for a, b in zip(tqdm.tqdm(x), w):
        x = x + a * b
    return np.sum(x**2)


def executors(x, w):
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as threads:
        total = sum(threads.map(square, x)) + sum(threads.map(lambda a, b: a * b, x, w))
        waiting = [threads.submit(weighted, v, weight=2.0) for v in w]
        total += sum(one.result() for one in concurrent.futures.as_completed(waiting))
    return total + np.sum(x)


def pool_of_threads(x, w):
    threads = multiprocessing.pool.ThreadPool(2)
    total = threads.map(square, w)[0] + threads.apply_async(doubled_in_place, (x,)).get()
    threads.close()
    threads.join()
    return total + np.sum(x)


class Worker(threading.Thread):
    def __init__(self, values, **options):
        super().__init__(**options)
        self.values, self.result = values, None

    def run(self):
        self.result = np.sum(self.values**2)


def threads(x, w):
    found, out = [], np.zeros(2)

    def work(k):
        out[k] = np.sum(x**2) * k

    started = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(2)]
    started += [Worker(w), Worker(x, name="other")]
    for one in started:
        one.start()
    for one in started:
        one.join()
        found.append(one.is_alive())
    return out[1] + started[2].result * started[3].result + sum(found)


PROGRAMS = (bars, executors, pool_of_threads, threads)
CASES = tuple(row(f, lambda: (normal(1, 5), uniform(2, 5)), "x, w") for f in PROGRAMS)
