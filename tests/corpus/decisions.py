"""Programs of which data decide something: keys, sizes, orders, the side of a branch that is possible."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import Case, normal, row, spread, uniform


def key_of_a_list(x):
    parts = [x[:1], x[:2], x]
    return np.sum(parts[int(np.argmax(x))]) * np.sum(x * x)


def key_of_a_dict(x):
    rules = {0: np.sin, 1: np.cos, 2: np.tanh}
    total = 0.0
    for k in range(x.size):
        total += rules[int(x[k] > 0) + int(x[k] > 0.5)](x[k])
    return total


def cheapest(x):
    costs = [np.sum((x - c) ** 2) for c in (0.1, 0.6, 1.1)]
    best = costs.index(min(costs))
    return (best + 1) * np.sum(x**3) + costs[best]


def nonzero_places(x):
    places = np.nonzero(x > 0.2)[0]
    total = 0.0
    for k in range(len(places)):
        total += (k + 1) * x[places[k]] ** 2
    return total


def first_beyond(x):
    return x[np.where(x > 0.3)[0][0]] * np.sum(x)


def length_of_a_selection(x):
    chosen = x[x > 0]
    weights = np.linspace(1.0, 2.0, len(chosen))
    return np.sum(weights * np.sort(chosen))


def size_from_data(x):
    count = int(np.sum(np.abs(x)))
    grid = np.zeros(count + 2)
    grid[: count + 1] = x[0] * np.arange(count + 1)
    return np.sum(grid**2) / count


def number_or_array(x):
    offset = x if x[0] > 0 else x[1] * 2.0
    return np.sum(np.exp(0.1 * offset)) + np.sum(offset)


def placed_in_turn(x):
    hit, total = x > 0.2, np.zeros(x.shape)
    inner = np.extract(hit, x)
    part = np.zeros(inner.shape)
    np.place(part, inner > 0.5, np.cumsum(inner))
    np.place(total, hit, part)
    np.place(total, x < 0, x[:2] * 3.0)
    return np.sum(total**2 * x)


def exchanged_as_often_as_data_say(x, w):
    for _ in range(1 + int(x[0] > 0.1)):
        x[0] *= w[1]
        x, w = w, x
    for _ in range(int(w[2]) - 5):
        x, w = w, x
    return np.sum(x * x * w)


def basis_until_it_fits(x):
    """Krylov vectors, with sizes that follow from the iteration in which data end the loop."""
    vectors, weights = np.zeros((4, 5)), np.ones(1)
    vectors[:, 0] = x / np.linalg.norm(x)
    for i in range(4):
        new = np.roll(vectors[:, i], 1) * (1.0 + x)
        vectors[:, i + 1] = new / np.linalg.norm(new)
        fits, is_last = np.linalg.norm(new) < 1.2, i == 3
        if fits or is_last:
            found = vectors[:, :i] @ weights[:i]
            break
        weights = np.linspace(1.0, 2.0, i + 1) * new[0]
    return np.sum(found**2 * x)


def bound_on_one_side(x):
    if np.sum(x) > 0:
        scale = x[0] * 2.0
    else:
        shift = x[1]
    if np.sum(x) > 0:
        return np.sum(x * scale)
    return np.sum(x * x) + shift


def returns_of_two_shapes(x):
    def normalised(v):
        if np.max(np.abs(v)) > 1.0:
            return v / np.max(np.abs(v))
        return 0.0

    return np.sum((x + normalised(x)) ** 2)


def appended_in_a_branch(x):
    found = []
    for k in range(x.size):
        if x[k] > 0:
            found.append(np.sin(x[k]))
    return sum(v * (k + 1) for k, v in enumerate(found))


def string_flag(x):
    mode = "large" if np.sum(x * x) > 2.0 else "small"
    powers = {"large": 2, "small": 3}
    return np.sum(x ** powers[mode])


def best_so_far(x):
    best = None
    for k in range(x.size):
        candidate = (x[k] - 0.3) ** 2
        if best is None or candidate < best[0]:
            best = (candidate, k)
    return best[0] + x[best[1]] * x[0]


def shrinking(x):
    total = 0.0
    while len(x) > 1:
        total = total + np.sum(x**2)
        x = x[x > np.mean(x)] * 0.9
    return total


def simpson(f, a, b, tolerance):
    middle = 0.5 * (a + b)
    coarse = (b - a) / 6 * (f(a) + 4 * f(middle) + f(b))
    halves = [(a, middle), (middle, b)]
    fine = sum((r - l) / 6 * (f(l) + 4 * f(0.5 * (l + r)) + f(r)) for l, r in halves)
    if abs(fine - coarse) < tolerance:
        return fine
    return sum(simpson(f, l, r, tolerance / 2) for l, r in halves)


def adaptive_quadrature(p):
    return simpson(lambda t: np.exp(-p[0] * t) * np.sin(p[1] * t), 0.0, 2.0, 1e-2)


def rejected_steps(y, rate):
    t, step, history = 0.0, 0.4, [y]
    while t < 1.0:
        step = min(step, 1.0 - t)
        whole = history[-1] + step * rate * np.cos(history[-1])
        half = history[-1] + 0.5 * step * rate * np.cos(history[-1])
        halves = half + 0.5 * step * rate * np.cos(half)
        if np.max(np.abs(whole - halves)) > 0.02:
            step = 0.5 * step
            continue
        history.append(halves)
        t, step = t + step, 1.5 * step
    return np.sum(np.array(history)[-1] ** 2) + 0.1 * len(history) * history[1][0]


def visited(x, links):
    seen, at, total = set(), 0, 0.0
    while at not in seen:
        seen.add(at)
        total = total + x[at] ** 2 * len(seen)
        at = int(links[at] + (1 if x[at] > 0 else 0)) % x.size
    return total


def sorted_pairs(x, w):
    pairs = sorted(zip([float(v) for v in x], range(len(x)), strict=True))
    return sum(value * w[k] * (n + 1) for n, (value, k) in enumerate(pairs))


def compacted(x, w):
    keep = np.flatnonzero(x > 0)
    y = x[keep]
    y[1:] += y[:-1] * w[keep][1:]
    return np.sum(y**2)


def stored_at_places(x, w):
    y = w.copy()
    rows = np.nonzero(x > 0)[0]
    y[rows] = x[rows] ** 2
    return np.sum(y * np.arange(1.0, len(y) + 1))


def slice_to_a_place(x):
    last = int(np.argmax(x))
    return np.sum(x[: last + 1] ** 2) + np.sum(np.sin(x[last:]))


def trips_by_data(x):
    rows = []
    for k in range(int(1 + abs(x[0]) * 3)):
        rows.append(x * (k + 1))
    return np.sum(np.array(rows) ** 2)


def function_by_data(x):
    step = np.sin if x[1] > 0 else np.cos
    return np.sum(step(x))


def _kind(v):
    if v > 0.1:
        return "warm"
    return "cold"


def text_compared_at_once(x, w):
    total = 0.0
    for a, b in zip(x, w, strict=True):
        total += a * b if _kind(a) == "warm" else a * a * b
    return total


def _labelled(v):
    if v > 0.1:
        return "warm", 2.0
    return "cold", 3.0


def tuples_with_texts_compared(x, w):
    total = 0.0
    for a, b in zip(x, w, strict=True):
        found = _labelled(a)
        if found == ("warm", 2.0):
            total += a * b
        if "cold" in found and _labelled(a)[0] == "cold":
            total += a * a * b * found[1]
    return total


def _if_warm(v):
    if v > 0.1:
        return v * v
    return None


def none_on_one_side(x):
    total = 0.0
    for a in x:
        total += 3.0 * a if _if_warm(a) is None else a**3
    return total


def nothing_yet_on_a_side(x, w):
    before, total = None, 0.0
    for k in range(x.size):
        if x[k] < 0.1 and k >= 0:
            total += before[0] * x[k]
        before = x[k:] * w[k:]
    return total


def range_between_data(x):
    grid = np.arange(x[0], x[1] + 1.0, 0.25)
    spaced = np.arange(0.0, 2.0, x[2])
    total = np.sum(grid**2 * np.cos(np.arange(grid.size)))
    for point in np.arange(x[1], x[0], -x[2]):
        total += point**3
    whole = np.arange(np.floor(9 * x[0]) + 0.7, 12 * x[1], 1.5, dtype=int)
    return total + np.sum(np.sin(spaced)) + np.sum(x[1] ** whole * np.arange(whole.size))


def raised_where_data_say(x, w):
    """A handler catches what the program raises in the first or in a later iteration, or never."""
    total = w[0]
    for k in range(x.size):
        try:
            if x[k] > 0.5:
                raise ValueError("too steep")
            w[k] = 0.5 * x[k] ** 2
        except ValueError:
            w[k] *= x[k]
        total += w[k]
    return total


def items_of_which_data_choose(x):
    """Comprehensions and `filter`, in a loop and on one side of a branch."""
    above = [v * v for v in x if v > 0.2]
    table = {k: x[k] ** 3 for k in range(x.size) if x[k] < 0.5}
    total = sum(above) + sum(table.values()) * len(above)
    for k in range(2):
        total += sum([x[k] * v for v in x if v > x[k]])
    if x[0] > 0.1:
        total += sum(filter(lambda v: v > x[1], x))
    return total


def items_from_many_sequences(x, w):
    """Items of rows, of pairs and of ranges; rows are views."""
    rows = np.outer(x, w)
    above = [r for r in rows if r[0] > 0.1]
    rows[0, 0] = w[1]
    for row_of in above:
        row_of[1] *= 2.0
    pairs = [s * t + k for k, (s, t) in enumerate(zip(x, w[::-1], strict=False)) if s * t > 0.1]
    back = [k * t for k, t in zip(range(7, 0, -2), x, strict=False) if t > 0.1]
    return np.sum(rows) + sum(pairs) + sum(back) + len(above) * x[0]


def items_chosen_by_what_others_did(x):
    """Each item changes the array, and so which are the next ones."""

    def taken(v):
        x[0] += v
        return v * x[0]

    return sum([taken(v) for v in x if v > x[0]]) + np.sum(x)


def exchanged_and_written(x, w):
    """On one side of a branch names stand for the other array; then one is written, in a loop and behind it."""
    for k in range(3):
        if x[k] > w[k]:
            x, w = w, x
        x[k + 1] += 0.5 * w[k]
    y = w if x[0] > 0.2 else x
    y[1] *= 3.0
    return np.sum(x**2) + np.sum(w**3)


def bound_to_a_choice_in_a_loop(x, w):
    """Behind a loop a name may stand for any of the arrays that it was bound to."""
    u, v = 2.0 * x, 3.0 * w
    for k in range(3):
        if x[k] > 0.1:
            u = v
        v = v * w
    u[0] = x[1] * w[1]
    return np.sum(u) + np.sum(v)


def places_then_masks(x, w):
    """A name is an array of places at first, and a mask afterwards."""
    chosen = np.argsort(x)
    for _ in range(3):
        x[chosen] = x[chosen] * np.sin(w[chosen])
        chosen = x > 0.1
    return np.sum(x**2)


def places_or_mask(x, w):
    """A mask on one side only, of as many elements as there are places."""
    chosen = np.argsort(w)
    if x[0] > 0:
        chosen = x > 0.1
    return np.sum(w[chosen] ** 2 * np.cos(w[chosen])) + x[1] * w[chosen][0]


def until_none_is_chosen(x, w):
    """Places before a loop that data end, masks in it."""
    roots = x + w
    chosen = np.where(np.abs(roots) > 0)[0]
    left = len(chosen)
    while left > 0:
        near = roots[chosen]
        roots[chosen] = near - (near**2 - w[chosen] ** 2 - 1.0) / (2.0 * near)
        chosen = np.abs(roots**2 - w**2 - 1.0) > 1e-9
        left = np.sum(chosen)
    return np.sum(roots * x)


def sets_of_what_data_choose(x, w):
    labels = (x > 0.0).astype(int)
    total = 0.0
    for label in sorted(set(labels)):
        total += np.mean(w[labels == label]) * (label + 1)
    order = np.argsort(x)
    return total + sum(w[i] ** 2 for i in sorted({order[0], order[1]}))


def sets_of_pairs(x, w):
    order, places = np.argsort(x), np.arange(3)
    table = np.stack(np.meshgrid(places, places), -1)
    pairs = list(set([(p, q) for p, q in (table[:, None] - table).reshape(-1, 2)]))
    chosen = {(k, int(w[k] > 0)) for k in order}
    return len(pairs) * np.sum(x[order[:3]] * w[:3]) + sum(x[k] * (1 + side) for k, side in sorted(chosen))


LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def trips_by_data_of_each_iteration(x, w):
    total = 0.0
    for value, weight in zip(x, w, strict=True):
        carried = weight
        if value > -2.0:
            for k in range(int(abs(value) * 3)):
                carried = np.cos(carried * value + k)
        total += carried * value
    return total


def trips_by_a_table(x):
    day, means = 1, []
    for length in LENGTHS:
        hours = 0.0
        for _ in range(1, length + 1):
            low = min(max(-np.tan(0.1 * x[0]) * np.tan(0.4 * np.sin(0.3 * day)), -1.0), 1.0)
            hours += np.arccos(low) * x[1]
            day += 1
        means.append(hours / length)
    return sum(means) * means[-1]


def another_kind_on_the_way(x, w):
    """On the side that data do not take the name stands for a number first."""
    bounds = np.array([np.inf, 1.0]) * w[0]
    if np.isinf(bounds[0]):
        start = np.full_like(x, w[1])
    else:
        start = bounds[0]
        if np.size(start) == 1:
            start = np.full_like(x, start)
    return np.sum(x * start**2)


def real_where_data_say(x):
    z = np.exp(1j * x)
    if x[0] > 0:
        z = z.real.copy()
    weight = 3.0 if np.iscomplexobj(z) else 2.0
    return weight * np.sum(np.abs(z + x) ** 2)


def items_deleted_where_data_say(x, w):
    held = [x[0] * w[k] for k in range(5)]
    largest = int(np.argmax(x))
    del held[largest]
    last = held.pop(int(np.argmin(x)))
    held.insert(int(np.argmin(x)), 3.0 * x[1])
    known = {k: x[k] ** 2 for k in range(4)}
    del known[largest]
    return sum(held) * last + sum(known.values())


def selected_behind_a_side_of_its_own_selections(x, w):
    if np.sum(x) < 0:
        z = x[:3] * np.sum(x[x > 0.1]) + np.sum(x[x < -0.2])
    else:
        z = x[:2]
    chosen = w[w > 0.5]
    if np.sum(w) > 1:
        kept = chosen * 2
    else:
        kept = chosen * 3
    return np.sum(kept * kept) + np.sum(z * z)


CASES: list[Case] = [
    row(selected_behind_a_side_of_its_own_selections, lambda: (uniform(1, 5), uniform(2, 6)), "x, w"),
    row(selected_behind_a_side_of_its_own_selections, lambda: (-uniform(1, 5), uniform(2, 6)), "x, w", tag="other"),
    row(sets_of_what_data_choose, lambda: (spread(38, 5), normal(39, 5)), "x, w"),
    row(sets_of_pairs, lambda: (spread(38, 5), normal(39, 5)), "x, w"),
    row(key_of_a_list, lambda: (spread(1, 3),), "x"),
    row(key_of_a_dict, lambda: (spread(2, 5, step=0.3),), "x"),
    row(cheapest, lambda: (uniform(3, 4),), "x"),
    row(nonzero_places, lambda: (spread(4, 7),), "x"),
    row(first_beyond, lambda: (spread(5, 8),), "x"),
    row(length_of_a_selection, lambda: (spread(6, 7),), "x"),
    row(size_from_data, lambda: (normal(7, 6),), "x"),
    row(number_or_array, lambda: (normal(8, 4),), "x"),
    row(placed_in_turn, lambda: (spread(1, 9),), "x"),
    row(basis_until_it_fits, lambda: (uniform(1, 4),), "x"),
    row(bound_on_one_side, lambda: (normal(9, 4),), "x"),
    row(returns_of_two_shapes, lambda: (spread(10, 5, step=0.6),), "x"),
    row(appended_in_a_branch, lambda: (normal(11, 6),), "x"),
    row(string_flag, lambda: (normal(12, 4),), "x"),
    row(best_so_far, lambda: (spread(13, 5),), "x"),
    row(shrinking, lambda: (normal(14, 9),), "x"),
    row(adaptive_quadrature, lambda: (np.array([0.7, 5.0]),), "p"),
    row(rejected_steps, lambda: (uniform(15, 3), np.array([1.0, 2.0, 0.5])), "y, rate"),
    row(visited, lambda: (normal(16, 6), np.array([3, 0, 4, 2, 1, 1])), "x"),
    row(sorted_pairs, lambda: (spread(17, 4), normal(18, 4)), "x, w"),
    row(compacted, lambda: (normal(19, 8), normal(20, 8)), "x, w"),
    row(stored_at_places, lambda: (normal(21, 6), normal(22, 6)), "x, w"),
    row(slice_to_a_place, lambda: (spread(23, 6),), "x"),
    row(trips_by_data, lambda: (normal(24, 3),), "x"),
    row(function_by_data, lambda: (normal(25, 3),), "x"),
    row(text_compared_at_once, lambda: (normal(26, 5), normal(27, 5)), "x, w"),
    row(tuples_with_texts_compared, lambda: (normal(26, 5), normal(27, 5)), "x, w"),
    row(none_on_one_side, lambda: (normal(26, 5),), "x"),
    row(range_between_data, lambda: (np.array([0.13, 0.71, 0.31]),), "x"),
    row(places_then_masks, lambda: (spread(31, 4), uniform(32, 4)), "x, w"),
    row(places_or_mask, lambda: (np.array([0.5, -0.3, 0.8, 1.2]), uniform(33, 4)), "x, w"),
    row(until_none_is_chosen, lambda: (uniform(34, 4), uniform(35, 4)), "x, w"),
    row(raised_where_data_say, lambda: (normal(29, 4), normal(30, 4)), "x, w"),
    row(items_of_which_data_choose, lambda: (spread(31, 4),), "x"),
    row(items_from_many_sequences, lambda: (normal(36, 4), normal(37, 4)), "x, w"),
    row(items_chosen_by_what_others_did, lambda: (np.array([0.03, 1.17, -0.92]),), "x"),
    row(exchanged_and_written, lambda: (normal(32, 5), normal(33, 5)), "x, w"),
    row(bound_to_a_choice_in_a_loop, lambda: (normal(34, 4), normal(35, 4)), "x, w"),
    row(exchanged_as_often_as_data_say, lambda: (np.array([0.7, -0.4, 1.2]), normal(28, 3)), "x, w"),
    row(exchanged_as_often_as_data_say, lambda: (np.array([-0.7, -0.4, 7.2]), normal(28, 3)), "x, w", tag="once"),
    row(nothing_yet_on_a_side, lambda: (np.array([0.7, -0.4, 1.2, 0.05]), normal(28, 4)), "x, w"),
    row(trips_by_data_of_each_iteration, lambda: (np.array([0.5, -1.2, 0.9, -0.1]), normal(28, 4)), "x, w"),
    row(trips_by_a_table, lambda: (normal(28, 2),), "x"),
    row(items_deleted_where_data_say, lambda: (spread(40, 4), normal(41, 5)), "x, w"),
    row(another_kind_on_the_way, lambda: (normal(42, 4), uniform(43, 4)), "x, w"),
    row(real_where_data_say, lambda: (np.array([0.4, -0.3, 0.9]),), "x"),
]
