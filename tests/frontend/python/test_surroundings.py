"""Arrays from around the function that change in place between two calls of a gradient: the second one sees it."""

from __future__ import annotations

import contextlib
import gc
import io
import sys
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import networkx
import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

FLAGS, PLACES, VALUES = np.zeros(4, dtype=bool), np.zeros(2, dtype=int), np.zeros(4)
TABLE = {"values": VALUES}
WEIGHTS = np.array([1.0, 3.0])


def set_up(first: bool) -> None:
    FLAGS[:] = [True, False, True, False] if first else [False, True, True, False]
    PLACES[:] = [0, 2] if first else [1, 3]
    VALUES[:] = [1.0, 2.0, 3.0, 4.0] if first else [4.0, 1.0, 2.0, 3.0]


def unpacked(x):  # type: ignore[no-untyped-def]
    a, b, _, d = VALUES
    return a * x[0] + b * x[1] + d * x[2]


def enumerated(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i, v in enumerate(VALUES):
        total = total + v * x[i]
    for v, w in zip(VALUES, x, strict=True):
        total = total + v * v * w
    return total


def computed_mask(x):  # type: ignore[no-untyped-def]
    larger = VALUES * 1.0 + len(x) > 6.5
    return x[larger][0] ** 2


def shifts_by_index(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(2):
        total = total + np.sum(np.roll(x, PLACES[i])[: PLACES[i] + 1] * VALUES[: PLACES[i] + 1])
    return total


def counted(n):  # type: ignore[no-untyped-def]
    total = 0
    for i in range(2):
        total = total + PLACES[i] * n
    return total


ROWS: dict[str, Callable[..., Any]] = {
    "a function that runs": lambda x: np.sum(x * counted(3)),
    "elements": lambda x: np.sum(VALUES * x),
    "a mask": lambda x: np.sum(x[FLAGS] * WEIGHTS),
    "a mask in two dimensions": lambda x: np.sum(x.reshape(2, 2)[FLAGS.reshape(2, 2)] ** 2),
    "compress": lambda x: np.sum(np.compress(FLAGS, x) ** 2),
    "places": lambda x: np.sum(x[PLACES] ** 2),
    "a comparison": lambda x: np.sum(np.where(VALUES > 2, x, 0.0)),
    "repeat": lambda x: np.sum(np.repeat(x[:2], PLACES) ** 2),
    "split": lambda x: np.sum(np.split(x, PLACES)[1] ** 2),
    "roll": lambda x: np.sum(np.roll(x.reshape(2, 2), tuple(PLACES), axis=(0, 1)) * np.arange(4).reshape(2, 2)),
    "delete": lambda x: np.sum(np.delete(x, PLACES) ** 2),
    "take": lambda x: np.sum(np.take(x, PLACES) ** 2),
    "flatnonzero": lambda x: np.sum(x[np.flatnonzero(FLAGS)] ** 2),
    "nonzero": lambda x: np.sum(x[np.nonzero(FLAGS)] ** 2),
    "where": lambda x: np.sum(x[np.where(FLAGS)] ** 2),
    "argsort": lambda x: np.sum(x[np.argsort(VALUES)] * np.arange(4)),
    "masks that are combined": lambda x: np.sum(x[FLAGS & (VALUES > 0.5)] * 2.0),
    "a copy": lambda x: np.sum(np.array(VALUES) * x),
    "a copy of another type": lambda x: np.sum(np.asarray(VALUES, dtype=np.float32) * x),
    "two copies": lambda x: np.sum(np.array([VALUES, VALUES]) * x),
    "a starred list": lambda x: np.sum(np.array([*VALUES]) * x),
    "a list": lambda x: np.sum(np.asarray(VALUES.tolist()) * x),
    "flat": lambda x: np.sum(x * VALUES.flat[1]),
    "a mask that is computed": computed_mask,
    "unpacked": unpacked,
    "enumerated": enumerated,
    "shifts and bounds by index": shifts_by_index,
    "of a dict": lambda x: np.sum(TABLE["values"] * x),
    "a view": lambda x: np.sum(x[np.argsort(VALUES.T)] * np.arange(4)),
    "least and largest": lambda x: min(VALUES[:2]) * x[0] + sum(VALUES[:2]) * x[1],
}


@pytest.mark.parametrize("function", ROWS.values(), ids=ROWS)
def test_what_changes_around_the_function_is_seen(function: Callable[..., Any]) -> None:
    x = np.arange(4.0) + 1.5
    kept = Gradient(function, Request(wrt="x"), compiler=Interpreted)  # type: ignore[arg-type]
    found = []
    for first in (True, False, True):
        set_up(first)
        found.append(kept(x).copy())
        fresh = Gradient(function, Request(wrt="x"), compiler=Interpreted)  # type: ignore[arg-type]
        np.testing.assert_array_equal(found[-1], fresh(x))
    assert not np.array_equal(found[0], found[1])


class Soundings:
    """What a model reads when it is made."""

    def __init__(self, name):  # type: ignore[no-untyped-def]
        self.rows = []
        with open(name, encoding="utf-8") as file, open(name) as again:
            self.title = next(file).strip()
            for number, line in enumerate(file):
                if not line.startswith("#"):
                    self.rows.append([number, *map(float, line.split())])
            self.table, rest = np.loadtxt(again.readlines()[1:]), again.read()
        with open(name) as parts:
            self.start, self.second = parts.read(3) + parts.readline(), parts.read(1) or "2"
        with open(name) as table:
            self.again = np.loadtxt(table, skiprows=1)
        self.empty = len(rest)


def read_line_by_line(name):  # type: ignore[no-untyped-def]
    total, file = 0, open(name)  # noqa: SIM115
    while True:
        line = file.readline()
        if not line:
            break
        total += len(line)
    file.close()
    return total


def test_a_file_that_changes_is_read_again(tmp_path):  # type: ignore[no-untyped-def]
    path = tmp_path / "soundings.txt"

    def program(x):  # type: ignore[no-untyped-def]
        read, total = Soundings(str(path)), 0.0
        for number, first, second in read.rows:
            total = total + first * x[number] + second * x[0] ** 2
        return (
            total
            + np.sum(read.table @ x[:2])
            + len(read.title) * x[2]
            + read_line_by_line(path) * x[3]
            + read.empty
            + float(read.second) * np.sum(read.again) * x[1] * len(read.start)
        )

    kept, x, found = Gradient(program, Request(wrt="x"), compiler=Interpreted), np.arange(4.0) + 0.5, []  # type: ignore[arg-type]
    for text in ("depth\n1.0 2.0\n# none\n3.0 0.5\n", "a\n1.0 2.5\n", "depth\n1.0 2.0\n# none\n3.0 0.5\n"):
        path.write_text(text)
        differences = [(program(x + h) - program(x - h)) / 2e-5 for h in 1e-5 * np.eye(4)]
        np.testing.assert_allclose(kept(x), differences, rtol=1e-8)
        found.append(kept(x))
    assert not np.array_equal(found[0], found[1])


class Box:
    """What the program makes and puts into a dict from outside."""


BOXES: dict[Any, Any] = {}
COUNTED = [0.0]


def object_in_a_dict(x):  # type: ignore[no-untyped-def]
    if "box" not in BOXES:
        BOXES["box"] = Box()
    BOXES["box"].value = x[0]
    COUNTED[0] = x[1]
    return BOXES["box"].value ** 2 * COUNTED[0]


def object_as_key(x):  # type: ignore[no-untyped-def]
    box = Box()
    BOXES[box] = []
    BOXES[box].append(x[0])
    COUNTED[0] = x[1]
    return BOXES[box][0] ** 2 * COUNTED[0]


def graphs_of_a_library(x):  # type: ignore[no-untyped-def]
    graph = networkx.compose(networkx.path_graph(3, networkx.DiGraph), networkx.DiGraph())
    box = Box()
    graph.add_edge(0, box)
    COUNTED[0] = x[1]
    return len(graph.edges) / 3 * x[0] ** 2 * COUNTED[0]


@pytest.mark.parametrize("function", [object_in_a_dict, object_as_key, graphs_of_a_library])
def test_what_the_program_makes_does_not_stay_in_dicts_from_outside(function: Callable[..., Any]) -> None:
    gradient = Gradient(function, Request(wrt=("x",)), compiler=Interpreted)
    for x in (np.array([3.0, 2.0]), np.array([5.0, 2.0])):
        np.testing.assert_allclose(gradient(x)[0], [2 * x[0] * x[1], x[0] ** 2])
        assert not BOXES and COUNTED == [0.0]


def of_a_class_of_its_own(x):  # type: ignore[no-untyped-def]
    places = namedtuple("places", "first, second")
    return x[places(0, 1).second] ** 2


def that_shows_how_far_it_is(x):  # type: ignore[no-untyped-def]
    sys.stdout.write("half")
    print("way", file=sys.stderr)
    sys.stdout.flush()
    return x[1] ** 2


@pytest.mark.parametrize("function", [of_a_class_of_its_own, that_shows_how_far_it_is], ids=lambda f: f.__name__)
def test_what_stays_as_it_was_is_read_once(function: Callable[..., Any]) -> None:
    gradient = Gradient(function, Request(wrt="x"), compiler=Interpreted)  # type: ignore[arg-type]
    gradient(np.ones(2))
    known = gradient._current
    gc.collect()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        gradient(np.ones(2))
    assert gradient._current is known, "the program was read again"
