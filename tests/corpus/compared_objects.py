"""Objects that are compared, sorted, looked for and added as their classes say."""

from __future__ import annotations

import collections
import dataclasses
import functools
import heapq
import operator

import numpy as np

from tests.corpus.case import row, spread, uniform


@dataclasses.dataclass(order=True)
class Item:
    key: float
    name: str = dataclasses.field(compare=False, default="a")
    total: float = dataclasses.field(init=False, compare=False, default=0.0)
    scale: dataclasses.InitVar[float] = 1.0

    def __post_init__(self, scale):
        self.total = self.key * scale


Pair = collections.namedtuple("Pair", "a b")


@functools.total_ordering
class Cost:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value

    def __eq__(self, other):
        return self.value == other.value

    def __add__(self, other):
        return Cost(self.value + (other.value if isinstance(other, Cost) else other))

    __radd__ = __add__


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, other):
        return Slotted(self.a + other.a, self.b * other.b)

    def __contains__(self, value):
        return bool(np.any(np.array([self.a, self.b]) == value))


class Near:
    """Any two are equal, as where positions are compared with a tolerance."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Near) and abs(self.value - other.value) < 100.0

    __hash__ = None


def objects_taken_for_equal(x, w):
    last, product = Near(w[0] * 1.0), Near(w[1] * 1.0)
    for k in range(4):
        product = Near(product.value * x[k])
        if x[k] > 0.5:
            last = Near(x[k] * w[k])
    return last.value * (2.0 if last == product else 3.0) + product.value


class Stage:
    """Forgets at the end what it only needs while it runs, so that it can be run again."""

    def __init__(self, w):
        self.w, self.total = w, 0.0

    def run(self, x):
        self.rate, self.steps = x[0] * self.w[0], 0
        for k in range(3):
            self.total = self.total + self.rate * x[k]
            self.steps += 1
        del self.rate, self.steps
        return hasattr(self, "rate")


def attributes_deleted(x, w):
    stage = Stage(w)
    was_there = [stage.run(x * s) for s in (1.0, 2.0)]
    return stage.total * (5.0 if any(was_there) else 1.0)


def equal_objects_in_lists(x, w):
    same = x[0] * 1.0
    total = 2.0 * x[0] if Item(same) in [Item(x[1]), Item(x[0])] else 3.0 * x[0]
    total += [Cost(x[1]), Cost(x[0])].index(Cost(same)) * w[1] + [Item(x[0]), Item(x[0])].count(Item(same)) * w[2]
    total *= 2.0 if [Pair(x[0], 1)] == [Pair(same, 1)] and (Cost(x[0]), 1) == (Cost(same), 1) else 5.0
    costs = [Cost(x[1]), Cost(x[2])]
    costs.remove(Cost(x[1] * 1.0))
    return total + costs[0].value * (2.0 if Item(x[0]) != Item(same) or x[2] in Slotted(x[2], w[0]) else 7.0)


class Corner:
    """Found by what an array holds, which has a text of its own."""

    def __init__(self, *place):
        self.place = np.array(place)

    def __hash__(self):
        return hash(str(self.place))

    def __eq__(self, other):
        return isinstance(other, Corner) and self.place[0] == other.place[0] and self.place[1] == other.place[1]


class Sized:
    def __init__(self, values):
        self.values = values

    def __hash__(self):
        return 3 * len(self.values)

    def __eq__(self, other):
        return len(self.values) == len(other.values)


def hashes_of_objects(x, w):
    return hash(Sized(x[:2])) * x[0] + hash((Sized(x), 1)[0]) * w[1] + {Sized(x): x[1]}[Sized(w * x)]


def objects_as_keys(x, w):
    sums = {Corner(0.0, 1.0): x[0]}
    for k, corner in enumerate((Corner(1.0, 2.0), Corner(0.0, 1.0), Corner(1.0, 2.0), Corner(x[0], w[0]))):
        sums[corner] = sums.get(corner, 0.0) + x[k] * len(sums)
    found = {(Corner(*pair), 1) for pair in ((1.0, 2.0), (1.0, 2.0), (2.0, 1.0))}
    names = {corner: k for k, corner in enumerate([*sums, Corner(x[0] * 1.0, w[0])])}
    sums[Corner(1.0, 2.0)] *= 2.0
    del sums[Corner(0.0, 1.0)]
    is_there = (Corner(0.0, 1.0) in sums, Corner(x[0], w[0]) in sums, (Corner(2.0, 1.0), 1) in found)
    total = sum(sums.values()) * len(found) + names[Corner(x[0], w[0])] * x[1]
    return (total + sums.pop(Corner(1.0, 2.0)) ** 2) * (2.0 if is_there == (False, True, True) else 5.0)


def objects_in_order(x, w):
    items, costs = sorted([Item(v, scale=2.0) for v in x]), [Cost(v) for v in x]
    total = items[0].total ** 2 + max(items).key + min(Pair(w[0], 1), Pair(w[1], 0)).a + sorted(costs)[1].value * 3.0
    heapq.heapify(costs)
    total += heapq.heappop(costs).value * 2.0 + costs[0].value ** 2
    costs.sort(reverse=True)
    return total + costs[0].value * (Cost(x[0]) <= Cost(x[1])) + (Cost(x[2]) >= Cost(x[3])) * w[3]


def objects_added(x, w):
    costs = [Cost(v) for v in x]
    total = sum(costs).value + functools.reduce(operator.add, costs[:3]).value + operator.add(*costs[:2]).value
    slotted = sum([Slotted(x[0], w[0]), Slotted(x[1], w[1])], Slotted(w[2], x[2]))
    return total + slotted.a * slotted.b


class Ground:
    def __init__(self, weight, damping, curve=None):
        self.weight, self.damping, self.curve = weight, damping, curve

    def __eq__(self, other):
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self):
        return 1


def dicts_by_their_items(x, w):
    one, two, other = Ground(x[0], w[0]), Ground(x[0] * 1.0, w[0]), Ground(x[0], w[1], {"a": [x[1]]})
    total = x[1] * (2.0 if one == two else 3.0) + x[2] ** 2 * (5.0 if one == other else 7.0)
    total += w[0] * (11.0 if {"a": x[0], "b": w[1]} == {"b": w[1], "a": x[0]} else 13.0)
    total += w[1] * (17.0 if {"a": x[0]} != {"b": x[0]} else 19.0)
    for k in range(3):
        held = {"v": x[k], "u": {"w": x[0]}}
        total += w[2] ** 2 if held == {"v": x[0], "u": {"w": x[k]}} else x[k] * w[k]
        other.weight, other.damping = x[1], held["v"]
        total += x[3] * (
            23.0 if [other.__dict__] == [{"weight": x[1], "damping": x[1], "curve": {"a": [x[1]]}}] else 29.0
        )
    return total


def one_object_that_equals_nothing(x, w):
    none, held, z = x[0] * np.nan, [x[1]], x[1] + 1j * w[0]
    held.append(none)
    is_there = (none in held, {1: none} == {1: none}, [none] == [none * 1.0], [z, none] == [z, none], z + 1 in [1j, z])
    copied, none = none, w[0]
    factors = zip((2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0), (*is_there, [copied] == held[1:], none in held), strict=True)
    return sum(x[k % 6] * (factor if is_it else 1.0) ** 2 for k, (factor, is_it) in enumerate(factors))


def numbers():
    return spread(1, 6), uniform(2, 6)


KINDS = (
    equal_objects_in_lists,
    objects_as_keys,
    objects_in_order,
    objects_added,
    dicts_by_their_items,
    one_object_that_equals_nothing,
    objects_taken_for_equal,
    attributes_deleted,
)
CASES = (*(row(f, numbers, "x, w") for f in KINDS),)
