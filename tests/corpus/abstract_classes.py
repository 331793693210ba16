"""Classes that get most of their methods from Python's abstract ones; graphs of a library whose views are such."""

from __future__ import annotations

import statistics
from collections import UserDict
from collections.abc import Mapping, MutableMapping, Sequence

import networkx
import numpy as np

from tests.corpus.case import row, uniform


class Scaled(Mapping):
    __slots__ = ("inner", "scale")

    def __init__(self, inner, scale=2.0):
        self.inner, self.scale = inner, scale

    def __getitem__(self, key):
        return self.inner[key] * self.scale

    def __iter__(self):
        return iter(self.inner)

    def __len__(self):
        return len(self.inner)


class Squared(MutableMapping):
    def __init__(self):
        self.inner = {}

    def __getitem__(self, key):
        return self.inner[key] ** 2

    def __setitem__(self, key, value):
        self.inner[key] = value

    def __delitem__(self, key):
        del self.inner[key]

    def __iter__(self):
        return iter(self.inner)

    def __len__(self):
        return len(self.inner)


class Row(Sequence):
    __slots__ = ("items",)

    def __init__(self, items):
        self.items = items

    def __getitem__(self, k):
        return self.items[k] * 3.0

    def __len__(self):
        return len(self.items)


class Counted:
    def __init__(self, items):
        self.items = items

    def __getitem__(self, k):
        if k >= len(self.items):
            raise IndexError
        return self.items[k] * 3.0

    def __len__(self):
        return len(self.items)

    def __delitem__(self, k):
        self.items = self.items[:k] + self.items[k + 1 :]


class Filled(UserDict):
    def __missing__(self, key):
        return 2.0


def mappings(x):
    scaled = Scaled({"a": x[0], "b": x[1]})
    total = scaled.get("c", 5.0) + sum(scaled[key] for key in scaled.keys())  # noqa: SIM118
    for key, value in scaled.items():
        total = total + value * (2 if key == "a" else 1)
    squared = Squared()
    for k in range(3):
        squared[k] = x[k]
    squared.update({7: x[0] * 2})
    total = total + squared.pop(1) * squared.setdefault(9, x[2])
    filled = Filled(a=x[0])
    filled["b"] = x[1]
    return total + sum(squared.values()) + filled["a"] * filled["b"] * filled["c"] + sum(v for _, v in filled.items())


def sequences(x):
    row, counted = Row([x[0], x[1]]), Counted([x[0], x[1], x[2]])
    total = sum(v**2 for v in row) + sum(reversed(row)) * row[0]
    for k, v in enumerate(reversed(counted)):
        total = total + v ** (k + 1)
    del counted[1]
    return total + sum(counted) + len(counted) * x[0]


def graphs(w):
    graph = networkx.DiGraph([(0, 1), (1, 2), (0, 2)])
    for k in range(3):
        graph.add_edge(k, k + 1, weight=w[k])
        graph.nodes[k]["value"] = w[k]
    for n in networkx.topological_sort(graph):
        for m in graph.successors(n):
            graph.nodes[m]["value"] = graph.nodes[m].get("value", 1.0) + np.sin(graph.nodes[n]["value"])
    weights = [data["weight"] ** 2 for _, _, data in graph.edges(data=True) if "weight" in data]
    around = sum(sum(data.get("weight", 0.0) for data in beside.values()) for _, beside in graph.adjacency())
    part = graph.subgraph(range(3)).copy()
    part.remove_node(0)
    return sum(weights) + around * graph[1][2]["weight"] + graph.nodes[3]["value"] * part.number_of_edges()


def densities(x):
    normal = statistics.NormalDist(x[0], 1.0 + x[1] ** 2)
    return normal.pdf(x[2]) + normal.mean * normal.stdev


def numbers():
    return (uniform(3, 3),)


CASES = (*(row(f, numbers, "x") for f in (mappings, sequences, densities)), row(graphs, numbers, "w"))
