"""Iterators give each item once, when they are asked for it: they are passed on, kept, and read in parts."""

# ruff: noqa: B007, B905
from __future__ import annotations

import collections.abc
import copy
import heapq
import itertools
import types
from collections import deque

import numpy as np

from tests.corpus.case import normal, row, uniform


def total(items):
    s = 0.0
    for v in items:
        s += v
    return s


def read_twice_where_it_is_passed(x, w):
    it = iter([x[0], x[1], w[2]])
    return total(it) + 2.0 * total(it)


def kept_in_a_dict(x, w):
    kept = {"items": iter([x[0], x[1], x[2], x[3]])}
    s = 0.0
    for k in range(3):
        s = s * 0.5 + next(kept["items"]) * w[k]
    return s + 3.0 * total(kept["items"])


def pairs_of_one(x, w):
    it = iter([*x, w[0]])
    return sum(a * b for a, b in zip(it, it)) + sum(it)


def resumed_after_a_break(x, w):
    it = iter([*x])
    s = 0.0
    for v in it:
        s += v * w[0]
        break
    for k, v in enumerate(it):
        s += k * v**2
    return s


def taken_in_a_loop(x, w):
    items, s = zip([x[0], x[1], x[2]], w), 0.0
    for k in range(3):
        a, b = next(items)
        s = s * 0.5 + a * b * k
    return s + next(items, (1.0, x[3]))[1]


def generator_sees_later_values(x, w):
    k, scale = 2.0, [1.0]
    scaled = (v * k * scale[0] for v in x)
    k, scale[0] = 3.0, w[0]
    return sum(scaled)


def generator_over_a_list_that_grows(x, w):
    values = [x[0], x[1]]
    doubled = (2.0 * v for v in values)
    values.append(w[0])
    values[0] = w[1]
    return sum(doubled)


def generator_between_the_steps_of_a_loop(x, w):
    s = 0.0
    for v in (x[0] * a for a in w):
        x[0] += 0.1 * v
        s += v * v
    return s


def map_between_the_steps_of_a_loop(x, w):
    state = [x[0]]
    for v in map(lambda a, b: a * b + state[0], x, w):
        state[0] = 0.5 * v
    return state[0]


def nested_generator_passed_on(x, w):
    rows = [x[:2], w[1:3]]
    products = (a * b * k for k, r in enumerate(rows) for a in r if k < 2 for b in w[: k + 1])
    return next(products) + 2.0 * next(products) + total(products)


def list_written_while_it_is_read(x, w):
    values = [x[0], x[1], x[2]]
    s = 0.0
    for k, v in enumerate(values):
        values[(k + 1) % 3] = v * w[k]
        s += v
    for v in reversed(values):
        values[0] = s
        s += v * v
    for v in values:
        if len(values) < 5:
            values.append(v * x[3])
        s += v
    return s


def dict_written_while_it_is_read(x, w):
    state = {"a": x[0], "b": x[1], "c": w[0]}
    for key, value in state.items():
        state["c"] = value * w[1]
    s = 0.0
    for value in state.values():
        state["b"] = 2.0
        s += value
    return s * state["a"]


def zipped_lists_written_later(x, w):
    values = [x[0], x[1]]
    pairs = zip(values, w)
    values[1] = w[4]
    return sum(a * b for a, b in pairs)


def branch_in_a_generator(x, w):
    def larger(a, b):
        if a > b:
            b = a * a
        return b

    return total(larger(a, b) for a, b in zip(x, w)) + total(map(larger, x, x[::-1]))


def from_itertools(x, w):
    rows = [x[:2], w[:3]]
    s = sum(itertools.chain(x, [w[0]])) + total(itertools.chain.from_iterable(rows))
    s += sum(a * b for a, b in itertools.pairwise(x)) * total(b - a for a, b in itertools.pairwise([w[0], w[3], w[1]]))
    for k, v, sign in zip(itertools.count(1), x, itertools.cycle([1.0, -1.0])):
        s += k * v * sign
    for (i, a), b in zip(itertools.product(range(2), [w[0], x[1]]), itertools.repeat(x[2])):
        s += i * a * b
    return s + sum(filter(None, [0.0, 2.0])) * sum(v for v in filter(lambda k: k > 2, range(5)))


def several(x, w):
    streams = [iter(r) for r in (x, w)]
    a, b = (next(s) for s in streams)
    return a * b + sum(next(s) * k for k, s in enumerate(streams)) + total(streams[1])


def more_from_itertools(x, w):
    it = iter([*x, *w])
    s = sum(itertools.islice(it, 1, 3)) + next(it) * 2.0 + total(itertools.islice(it, 2))
    for k, v in enumerate(itertools.accumulate(it, lambda a, b: a * b)):
        s += k * v
    return s + total(itertools.accumulate(x)) + list(itertools.accumulate([w[0], w[1]], initial=x[0]))[-1]


def queues(x, w):
    window, s = deque([0.0] * 3, maxlen=3), 0.0
    for k in range(5):
        window.append(x[k] * w[k])
        s += sum(window) * window[0]
    rows = deque([x[:2], w[:2]])
    rows.appendleft(x[1:3] * s)
    rows.rotate(1)
    rows[0][:] = rows[1] * 2.0
    window[1] = w[0]
    return np.sum(np.array(rows) ** 2) + sum(v * k for k, v in enumerate(window)) + rows.pop()[0] * len(rows)


def queue_that_a_branch_moves(x, w):
    last = deque([x[0], x[1], x[2]], maxlen=3)
    for a, b in zip(x, w):
        if a > 0:
            last.append(a * b)
        else:
            last[0] = b
    return last[0] + 2.0 * last[1] - last[-1]


def best_by_a_key(x, w):
    pairs = list(zip(x, w))
    best = max(pairs, key=lambda p: p[0] * p[1])
    nearest = min(range(5), key=lambda k: abs(x[k] - 0.1))
    order = sorted(range(5), key=lambda k: (k * 3) % 5, reverse=True)
    longest = max([x[:2], w[:3]], key=len)
    longest[0] = 2.0 * x[0]
    return best[0] * best[1] ** 2 + w[nearest] ** 2 + sum(x[k] * w[n] for n, k in enumerate(order)) + x[nearest]


def best_of_pairs(x, w):
    value, k = max((a * b, i) for i, (a, b) in enumerate(zip(x, w)))
    tied = min([(1.0, x[0]), (1.0, x[1]), (w[2] + 1.0, x[2])])
    low, high = (x[3], w[3]) if x[3] < w[3] else (w[3], x[3])
    return value * x[k] + w[k] + tied[0] * tied[1] * w[0] + low / high


def items_that_earlier_iterations_write(x, w):
    total = 0.0
    for k, u in enumerate(x):
        if k == 4:
            break
        x[k + 1 :] -= u * w[k]
        total += u * u
    for u, v in zip(x, w):
        x[1:] += 0.2 * u * v
        w[2:] *= 0.9
        if k > 7:
            break
    return total + np.sum(x * w)


def items_written_while_buffers_are_exchanged(x, w):
    a, b = w.copy(), 2.0 * w
    for u in x:
        x[1:] -= 0.1 * u * a[0]
        a[1:] = b[1:] * u
        a, b = b, a
    return np.sum(x * a) + np.sum(x * x)


def arranged(x, w):
    s = sum(a * b for a, b in itertools.combinations(x, 2)) + sum(
        a - 2 * c for a, _, c in itertools.permutations(w[:3])
    )
    for a, b in itertools.zip_longest(x, [w[0], w[1]], fillvalue=0.5):
        s += a * b
    s += sum(itertools.starmap(lambda a, b: a * np.sin(b), [(x[0], w[0]), (x[1], w[2])])) + len(
        [*itertools.combinations_with_replacement("ab", 2)]
    )
    first, second = itertools.tee(v * v for v in x)
    next(second)
    return s + sum(a * b for a, b in zip(first, second))


def values_of_polynomials(x, w):
    p = np.poly1d(x)
    return p(0.3) * np.poly1d(w)(p(0.1)) + p.coeffs[0] * p.order


def nearest_first(x, w):
    heap = [(v * v, k) for k, v in enumerate(x)]
    heapq.heapify(heap)
    s = 0.0
    while len(heap) > 1:
        least, k = heapq.heappop(heap)
        s += least * w[k] * len(heap)
        if least < 2.0:
            heapq.heappush(heap, (least + 1.5 * w[k], k))
    largest = heapq.nlargest(2, x)
    return s + heapq.heappushpop(heap, (0.3 * w[0], 9))[0] + largest[0] * largest[1] + heapq.nsmallest(1, w)[0]


class Powers:
    """An object that is its own iterator."""

    def __init__(self, x, count):
        self.x, self.left = x, count

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        self.x = self.x * 1.5
        return self.x


class Rows:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return Powers(self.x, 3)


def objects_as_iterators(x, w):
    once, twice, s = iter(Powers(x[0], 9)), Powers(w[1], 2), 0.0
    for v in once:
        s = s + v * w[0]
        if once.left == 4:
            break
    s = s + next(once) * sum(once) + once.x
    for number, (a, b) in enumerate(zip(Rows(x[1]), Rows(w[1]))):
        s = s + a * b * number
    while True:
        try:
            s = s * 0.5 + next(twice)
        except StopIteration:
            break
    a, *others = Rows(x[2])
    return s + a * others[1] + next(twice, w[2]) + list(Rows(x[3]))[1]


def is_iterable(value):
    try:
        iter(value)
    except TypeError:
        return False
    else:
        return True


def is_summable(value):
    try:
        sum(value)
    except TypeError:
        return False
    return True


def numbers_are_not_iterable(x, w):
    spans, s = np.sort(np.unique(w)), 0.0
    for number, value in enumerate((x, x[0], np.sum(w), spans[1], np.asarray(x[1]), [x[2]], 2.0)):
        s = s + (number + 2.0) * np.sum(value) * (2.0 if is_iterable(value) else w[0])
        s = s * (3.0 if is_summable(value) else w[1])
    for combine in (zip, enumerate, any, all, reversed, max):
        try:
            combine(x[0])
        except TypeError:
            s = s * w[2] + x[3]
    return s


def asked_what_they_are(x, w):
    def square(v):
        """Squares."""
        return v * v

    def several():
        yield from w

    asked = (
        isinstance(square, types.FunctionType) and type(square).__name__ == "function" and hasattr(square, "__code__"),
        isinstance(several(), types.GeneratorType) and isinstance((v for v in x), collections.abc.Generator),
        isinstance(zip(x, w), collections.abc.Iterator) and not isinstance(iter(x), collections.abc.Sequence),
        not any(hasattr(one, "source") for one in (square, several(), zip(x, w))) and not hasattr(several(), "__len__"),
        square.__doc__ == "Squares." and square.__name__ == "square" and type(zip(x)) is zip,
    )
    return sum(v for v, is_so in zip(x, asked, strict=True) if is_so) + next(several()) * zip(x, w).__next__()[0]


def generators_that_are_misused(x, w):
    def echo():
        got = yield x[0]
        yield got * w[0]

    def of_itself():
        yield next(me)

    total, first, me = x[1], echo(), of_itself()
    try:
        first.send(3.0)
    except TypeError:
        total *= 2.0
    try:
        total += next(me)
    except ValueError:
        total *= 3.0
    try:
        total += next(copy.copy(first))
    except TypeError:
        total *= 5.0
    for misused in (slice, lambda: itertools.islice(x)):
        try:
            misused()
        except TypeError:
            total *= 1.5
    return total + next(first) + first.send(x[2])


def items_up_to_the_one_that_decides(x, w):
    asked, left = [], (number for number in (0, 2, 3, 4))

    def noted(number):
        asked.append(x[number])
        return number > 0

    found = any(noted(k) for k in range(4)) and all((last := k) < 2 for k in range(4)) and any(left)
    return sum(asked) * w[last] + next(left) * x[0] * found + any(v > 0.1 for v in x) * w[0]


def exceptions_of_operations(x, w):
    table, named, total, thing = {"a": x[0]}, {"key": "a"}, w[0], Thing()

    def delete(key):
        del table[key]

    def changed():
        thing.__class__ = list

    for raising in (
        lambda: delete("b"),
        changed,
        lambda: float(x[0]) < "a",
        lambda: delete("a", 1),
        lambda: isinstance(x[0], list[int]),
        lambda: {**x[0]},
        lambda: delete(**named, key="b"),
        lambda: [x[0]].count(x[0], x[1]),
    ):
        try:
            raising()
        except (KeyError, TypeError):
            total *= 1.5
    try:
        _first, _second = [x[0]]
    except ValueError:
        total += x[1]
    return total * len(table)


def repeated_steps(x, w):
    y, sums = np.zeros(len(x)), np.zeros(2)
    for _ in itertools.repeat(None, 400):
        sums += 0.01 * np.array([np.sum(x - y), np.dot(x - y, x)])
        y = sums[0] + sums[1] * x
    for scale, k in zip(itertools.repeat(w, times=3), range(5)):
        y = y * 0.5 + k * scale
    for rows in itertools.repeat([w, x], 3):
        rows[1] = rows[1] * rows[0][0]
    return np.sum(y * y) + sums[1] + sum(itertools.repeat(x[0], 3)) + rows[1][2]


def asked_for_items(x, w):
    squares, more = (k * k for k in range(5)), iter([x[0], w[1], x[2]])
    total = x[0] if 4 in squares else x[1]
    total += sum(squares) * w[0]  # 9 and 16 are left
    total += x[3] if w[1] in more else w[2]
    named = [("b", 3), ("c", 1), ("a", 2)]
    named.sort(key=lambda item: item[1])
    pairs = itertools.combinations(x, len(named) - 1)
    return total * named[0][1] + x[len(named[1][0])] * named[2][1] + sum(a * b for a, b in pairs)


class Thing:
    pass


PROGRAMS = (repeated_steps, asked_for_items, items_up_to_the_one_that_decides, exceptions_of_operations)
PROGRAMS += (numbers_are_not_iterable, asked_what_they_are, generators_that_are_misused)
PROGRAMS += (objects_as_iterators, arranged, values_of_polynomials, nearest_first)
PROGRAMS += (read_twice_where_it_is_passed, kept_in_a_dict, pairs_of_one, resumed_after_a_break, taken_in_a_loop)
PROGRAMS += (generator_sees_later_values, generator_over_a_list_that_grows, generator_between_the_steps_of_a_loop)
PROGRAMS += (map_between_the_steps_of_a_loop, nested_generator_passed_on, list_written_while_it_is_read)
PROGRAMS += (dict_written_while_it_is_read, zipped_lists_written_later, branch_in_a_generator, from_itertools)
PROGRAMS += (several, more_from_itertools, queues, queue_that_a_branch_moves, best_by_a_key, best_of_pairs)
PROGRAMS += (items_that_earlier_iterations_write, items_written_while_buffers_are_exchanged)

CASES = tuple(row(f, lambda: (normal(1, 5), uniform(2, 5)), "x, w") for f in PROGRAMS)
