"""Arrays that NumPy makes of constants, and that the program writes."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row

MASK = np.array([[0, 1, 0], [1, 1, 0]])
RECORDS = np.array(
    [(1.0, (0.5, 2.0), 3), (3.0, (4.0, 5.0), 0), (0.2, (-1.0, 1.5), 2)],
    dtype=[("weight", float), ("ends", float, 2), ("place", int)],
)
NAMED = RECORDS.view(np.recarray)


def places_moved(x):
    found = np.argwhere(MASK == 1)
    found[:, 0] -= 1
    rows, columns = np.where(MASK == 1)
    rows[0] += 1
    return np.sum(x[found] ** 2) + np.sum(x[rows] * x[columns])


def places_of_each_round(x):
    total = 0.0
    for start in range(2):
        mask = np.zeros((4, 3), dtype=np.int8)
        mask[start::2, :] = 1
        offsets = np.argwhere(mask == 1)
        offsets[:, 1] -= int(mask.shape[1] / 2)
        total = total + np.sum(np.outer(x, x)[offsets[:, 0], offsets[:, 1]])
    return total


def corners_and_sums(x):
    i, j = np.tril_indices(3)
    i[0] = 2
    running = np.cumsum([1, 0, 1])
    running[0] = 0
    counted = np.bincount([0, 1, 1, 2])
    counted[1] -= 1
    return np.sum(x[i] * x[j]) + np.sum(x[running]) + np.sum(x[:3] * counted)


def tables_of_constants(x):
    table = np.outer([1, 2, 3], [1, 2, 3])
    table[0] = 2
    product = np.dot(np.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]]))
    product[0, 0] = 1
    window = np.hanning(4)
    window[0] = 0.5
    return np.sum(x[:3] * table) + np.sum(x[:2] * product) + np.sum(x * window)


def views_of_one_array(x):
    found = np.diff([0, 1, 3, 4])
    same, turned = found[:2], found[::-1]
    same[0] = 2
    return np.sum(x[turned]) + np.sum(x[found] ** 2) + x[same[0]] ** 3


def nothing_written(x, rest=()):
    out = np.zeros(4)
    out[: len(rest)] = rest
    out[4:] += []
    out[:2] += x[:2]
    return np.sum(out**2) + np.sum(np.append(x, [])) + np.dot([], [])


def fields_of_records(x):
    weights, others = np.array(NAMED.weight), np.array(RECORDS["weight"])
    weights += x[:3]
    others *= NAMED["ends"][:, 1]
    total = np.sum(weights * RECORDS["weight"]) + np.sum(others * x[1:])
    for k in range(3):
        total = total + RECORDS[k]["weight"] * x[RECORDS["place"][k]] ** 2
    for record in RECORDS[1:]:
        total = total + record["weight"] * np.sum(record["ends"] * x[:2])
    return total + np.sum(RECORDS[["weight", "place"]]["weight"][RECORDS["place"] > 1] * x[2:])


PROGRAMS = (places_moved, places_of_each_round, corners_and_sums, tables_of_constants, views_of_one_array)
PROGRAMS += (nothing_written, fields_of_records)

CASES = tuple(row(function, lambda: (normal(3, 4),), "x") for function in PROGRAMS)
