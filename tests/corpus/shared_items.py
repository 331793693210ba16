"""Lists and dicts made of the items of others, which loops and branches change afterwards: what was copied stays."""

from __future__ import annotations

import collections
import copy

from tests.corpus.case import row, uniform


def copies(items, named):
    taken, back, merged = [], collections.deque(), {}
    taken.extend(items)
    back.extendleft(items)
    merged.update(named)
    slices = [
        items[:],
        items[::-1],
        items.copy(),
        copy.copy(items),
        items + [1.0],  # noqa: RUF005
        items * 2,
    ]
    return [
        *slices,
        sorted(items, key=lambda _: 0),
        sum([items], []),  # noqa: RUF017
        taken,
        back,
        list((named | {}).values()),
        list(merged.values()),
    ]


def changed(items, named, x):
    items[0] = items[1] * x[2] + items[0]
    items[1] = items[0] * 0.5
    named["a"] = named["b"] * x[2] + named["a"]
    named["b"] = named["a"] * 0.3


def weighed(held, items, named):
    total = items[0] * 5 + items[1] * 7 + named["a"] * 11 + named["b"] * 13
    for number, pair in enumerate(held):
        total = total + pair[0] * (number + 1) + pair[1] * (2 * number + 3)
    return total


def before_a_loop(x):
    items, named = [x[0] * 1, x[1] * 2], {"a": x[0] * x[1], "b": x[2] * 1}
    held = copies(items, named)
    for _ in range(3):
        changed(items, named, x)
    return weighed(held, items, named)


def before_a_branch(x):
    items, named = [x[0] * 1, x[1] * 2], {"a": x[0] * x[1], "b": x[2] * 1}
    held = copies(items, named)
    if x[0] > 0.0:
        changed(items, named, x)
    return weighed(held, items, named)


def in_a_loop(x):
    items, named, total = [x[0] * 1, x[1] * 2], {"a": x[0] * x[1], "b": x[2] * 1}, 0.0
    for _ in range(3):
        held = copies(items, named)
        changed(items, named, x)
        total = total + weighed(held, items, named)
    return total


def in_a_branch(x):
    items, named, total = [x[0] * 1, x[1] * 2], {"a": x[0] * x[1], "b": x[2] * 1}, 0.0
    for _ in range(3):
        changed(items, named, x)
    if x[0] > 0.0:
        held = copies(items, named)
        changed(items, named, x)
        total = weighed(held, items, named)
    return total + items[0] * 5 + named["b"] * 3


def of_arrays(x):
    items, named = [x * 1, x * 2.0], {"a": x * 3.0, "b": x * x}
    held = copies(items, named)
    for _ in range(3):
        items[0][1] += items[1][0] * x[2]
        items[1] = items[0] * 0.5
        named["a"][0] = named["b"][1] * x[2]
        named["b"] = named["a"] * 0.3
    held[4].pop()
    return (sum(pair[0] + 2 * pair[1] for pair in held) + items[0] * 5 + named["a"] * 7).sum()


def turned_in_a_branch(x):
    items, last = [x[0], x[1], x[2]], collections.deque([x[2], x[1], x[0]], 3)
    for _ in range(6):
        items[0] = items[1] * x[2] + items[0]
        last.append(last[-1] * x[2] + last[0])
    if x[0] > 0.0:
        items.insert(0, items.pop())
        last.rotate(1)
    return items[0] + 2 * items[1] + 3 * items[2] + 5 * last[0] + 7 * last[1] + 11 * last[2]


class Own(list):
    def __iadd__(self, value):
        self.append(value * 2)
        return self


class Holder:
    """With lists for attributes."""


def changed_in_place(x):
    named, numbers, last, own, holder = {"a": x[0]}, {1, 2, 3}, collections.deque([x[0]]), Own([x[0]]), Holder()
    holder.log, slots = [], {"log": [x[0]]}
    others = named, numbers, last, holder.log, slots["log"]
    named |= {"a": x[1], "b": x[2]}
    numbers -= {1}
    numbers |= {7}
    last += [x[1]]
    own += x[1]
    slots["log"] += (x[1], x[2])
    slots["log"] *= 2
    for k in range(4):
        holder.log += [x[0] * k, x[1]]
    total = (
        others[0]["a"] * 2 + sum(others[1]) * x[2] + others[2][1] * 3 + sum(others[3]) + others[4][-1] * len(others[4])
    )
    return total + own[1] * x[0]


def numbers():
    return (uniform(4, 3),)


SITUATIONS = (before_a_loop, before_a_branch, in_a_loop, in_a_branch, of_arrays, turned_in_a_branch, changed_in_place)
CASES = (*(row(f, numbers, "x") for f in SITUATIONS),)
