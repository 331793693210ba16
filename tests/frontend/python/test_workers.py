"""Programs that other processes compute for: they get copies, and give what a call would."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
from typing import Any

import joblib
import numpy as np
import pytest

import daad
from tests.corpus.case import row
from tests.programs import interpreted


def square(v):
    return v * v


def weighted(v, weight):
    return v * weight


def doubled_in_place(values):
    values *= 2.0
    return np.sum(values * values)


def executor(x, w):
    with concurrent.futures.ProcessPoolExecutor(2) as processes:
        total = processes.submit(doubled_in_place, x).result() + sum(processes.map(square, x))
    return total + np.sum(x * w)


def pool(x, w):
    with multiprocessing.Pool(2) as processes:
        total = processes.map(doubled_in_place, [x])[0] + sum(processes.map(square, x))
        total += sum(processes.starmap(weighted, zip(x, w, strict=True))) - sum(processes.imap(weighted_by_itself, w))
    return total


def parallel(x, w):
    jobs = joblib.Parallel(n_jobs=2)
    found = jobs(joblib.delayed(weighted)(v, weight=u) for v, u in zip(x, w, strict=True))
    squares = joblib.Parallel(n_jobs=1)(joblib.delayed(square)(v) for v in x)
    return sum(found) + sum(squares) + 4.0 * np.sum(x * x)


def weighted_by_itself(v):
    return 0.0 * v


def by_one(x, w):
    return np.sum(4.0 * x * x) + np.sum(x * x) + np.sum(x * w)


ARGUMENTS = np.array([0.5, -1.2, 0.8]), np.array([1.5, 0.7, 1.1])


@pytest.mark.parametrize("program", [executor, pool, parallel])
def test_processes_get_copies(program: Any) -> None:
    x, w = ARGUMENTS
    gradients = interpreted(row(program, lambda: (x.copy(), w.copy()), "x, w"))(x.copy(), w.copy())
    np.testing.assert_allclose(gradients[0], 10.0 * x + w, rtol=1e-12)
    np.testing.assert_allclose(gradients[1], x, rtol=1e-12)
    given = x.copy()
    np.testing.assert_allclose(program(given, w), by_one(x, w), rtol=1e-12)
    np.testing.assert_array_equal(given, x)


def own_process(x):
    process = multiprocessing.Process(target=print)
    process.start()
    return np.sum(x)


def test_a_process_of_its_own_is_refused() -> None:
    with pytest.raises(daad.Unsupported, match=r"'process\.start' starts what runs beside"):
        interpreted(row(own_process, lambda: ARGUMENTS[:1], "x"))(ARGUMENTS[0].copy())
