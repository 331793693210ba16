"""Arrays that hold the program's own things."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row


def layers_of_different_sizes(x):
    weights = np.empty(3, dtype=object)
    for k in range(3):
        weights[k] = np.ones((k + 1, 4)) * x
    weights[0] = weights[0] + 1.0
    weights[1] += x
    total = sum(np.sum(np.tanh(w)) for w in weights) + len(weights) + weights.size
    for w in weights:
        total += np.sum(w**2)
    return total


def cells(x):
    grid = np.zeros((2, 2), dtype=object)
    grid[0, 1], grid[1, 0] = x, x * 2
    grid[1][1] = np.sum(x)
    for i in range(2):
        for j in range(2):
            grid[i, j] = grid[i, j] + 1.0
    return np.sum(grid[0, 1] * grid[1, 0]) + grid[1, 1] * grid[0][0] * isinstance(grid, np.ndarray)


class Node:
    def __init__(self, place):
        self.place = place


def resized_in_a_function(nodes, places):
    nodes.resize(len(places) + 1, refcheck=False)
    for k in range(len(places)):
        nodes[k] = Node(places[k])


def appended_objects(x):
    """Arrays of objects that grow: by `resize`, which leaves zeros behind, and by `append`."""
    nodes, chosen = np.array([], dtype=object), np.array([], dtype=object)
    resized_in_a_function(nodes, x)
    for node in nodes[:4]:
        if abs(node.place) > 0.5:
            chosen = np.append(chosen, node)
    chosen = np.append(chosen, [nodes[0], nodes[1]])
    last, count = nodes[4], nodes.size
    nodes.resize((2, 2))
    return sum(node.place**2 for node in chosen) + nodes[1, 0].place * count + last


def numbers_as_objects(x):
    a = np.array([x[0], x[1] * 2, 3.0], dtype=object)
    a[:2] = [x[2], x[0] * x[1]]
    a *= 2.0
    b = np.array([[x[0], x[1]], [x[2], 1.0]], dtype=object)
    c = np.zeros((2, 2), dtype=object)
    c[0, 0], c[1, 1] = x[3], x[0] * x[1]
    return np.sum(a**2) + np.dot(a, a) + np.sum(b @ b) + np.sum(c * c) - np.sum(2.0 * b.T)


def ragged(x):
    a = np.empty(2, dtype=object)
    a[:] = [x, x[:2]]
    b = np.array([x, [1, 2]], dtype=object)
    c = np.asarray([x, x * 2], dtype=object)
    return np.sum(np.concatenate(a) ** 2) + np.sum((2.0 * a)[1]) + np.sum(b[0]) * b[1][1] + np.sum(c[1, 0] * c[0])


def arrays_of_arrays(x):
    """Some of which agree in their first axis, but not all."""
    a = np.array([np.outer(x, x), x, np.outer(x[:2], x)], dtype=object)
    b = a * 2.0 + np.array([x[0] * np.ones((4, 4)), x**2, np.outer(x[:2], x)], dtype=object)
    return sum(np.sum(item**2) for item in b)


def rows_and_columns(x):
    a = np.zeros((2, 3), dtype=object)
    a[:, 1] = [x[0], x[1]]
    a[0] = [1.0, x[1], x[2]]
    total = sum(v for line in a for v in line) * a[0, 2]
    return total + a[:, 1][0] * a[-1, -2] + a.shape[1] * x[3]


def filled_where_nothing_is(x):
    a = np.empty((1, 1), dtype=np.ndarray)
    a.fill(None)
    if a[0, 0] is None:
        a[0, 0] = [x, x * 2]
    return np.sum(a[0, 0][1] * a.flatten()[0][0])


NAMES = np.array(["a", "b", "c", "d"])
KINDS = np.array(["a", "b", "c", "d"], dtype=object)
WEIGHTS = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}


class Bunch(dict):
    """A dict with its keys as attributes."""

    def __getattr__(self, key):
        return self[key]


def names_in_the_order_of_data(x):
    found = Bunch(name=NAMES, kind=KINDS, size=x * x, own=np.array(["e", "f", "g", "h"], dtype=object))
    order = np.argsort(found["size"])[::-1]
    for key in ("name", "kind", "own", "size"):
        found[key] = found[key][order]
    s = found.size @ np.arange(4.0)
    for k, name in enumerate(found.name):
        s += WEIGHTS[name] * x[k] + (x[0] if found.own[k] == "g" else WEIGHTS[found.kind[k]])
    above = NAMES[x > 0.0]
    return s + len(above) * x[0] + (2.0 * x[1] if "c" in above else 0.0)


FUNCTIONS = (layers_of_different_sizes, cells, numbers_as_objects, ragged, rows_and_columns, filled_where_nothing_is)
FUNCTIONS += (names_in_the_order_of_data, appended_objects, arrays_of_arrays)


def blocks_at_places(x):
    blocks, some = np.zeros((2, 2), dtype=object), np.empty(4, dtype=object)
    blocks[np.triu_indices(2)] = [x[:1, :1], x[:1, :3] * 2, x[:3, :3] ** 2]
    blocks[np.tril_indices(2)] = [np.swapaxes(one, 0, 1) for one in blocks.T[np.tril_indices(2)]]
    whole = np.concatenate([np.concatenate(row, axis=1) for row in blocks], axis=0)
    some[[0, 2]], some[np.array([1, 3])] = [x[0], x[1]], x[2, 2]
    return np.sum(whole * np.arange(16.0).reshape(4, 4)) + np.sum(some[0] * some[2]) * some[3]


def in_another_shape(x):
    cells = np.empty(4, dtype=object)
    for k in range(4):
        cells[k] = x[: k + 1] ** 2
    table = cells.reshape(2, -1)
    return np.sum(table[1, 0]) * table[0][1][1] + table.item(1, 1)[3] * cells.item(0)[0]


FUNCTIONS += (in_another_shape,)
CASES = tuple(row(f, lambda: (normal(1, 4),), "x") for f in FUNCTIONS)
CASES += (row(blocks_at_places, lambda: (normal(2, 3, 3),), "x"),)
