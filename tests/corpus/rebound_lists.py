"""Lists that each iteration of a loop replaces by others like them: states of small systems, grids of numbers."""

from __future__ import annotations

import math

import numpy as np

from tests.corpus.case import row, uniform


def step(y, p):
    return [y[0] + 0.1 * y[1], y[1] - 0.1 * math.sin(y[0]) * p]


def state_by_a_function(x):
    y = [x[0], x[1]]
    for _ in range(30):
        y = step(y, x[2])
    return y[0] ** 2 + y[1]


def exchanged_items(x):
    y, z = [x[0], x[1], x[2]], [1.0, 2.0, 3.0]
    for k in range(31):
        y = [y[1], y[2] * 1.01, y[0]]
        z = [z[2] + y[0], z[0], z[1] * x[0] / (k + 1)]
    return y[0] + 2 * y[1] ** 2 + 3 * y[2] + z[0] * z[1] * z[2]


def second_order_steps(x):
    y, h = [x[0], x[1]], 0.05
    for _ in range(40):
        k1 = step(y, x[2])
        middle = [a + h / 2 * b for a, b in zip(y, k1, strict=True)]
        k2 = step(middle, x[2])
        y = [a + h * (b - a) for a, b in zip(y, k2, strict=True)]
    return sum(v * v for v in y)


def grid_of_numbers(x):
    grid = [[x[0] * (i + 2 * j) for j in range(4)] for i in range(4)]
    for _ in range(20):
        new = [line[:] for line in grid]
        for i in range(1, 3):
            for j in range(1, 3):
                around = grid[i + 1][j] + grid[i - 1][j] + grid[i][j + 1] + grid[i][j - 1]
                new[i][j] = grid[i][j] + 0.1 * x[1] * (around - 4 * grid[i][j])
        grid = new
    new[1][1] = 2 * x[2]
    return sum(sum(line) * (k + 1) for k, line in enumerate(grid))


def filled_in_a_loop_within(x):
    population = [x[0], x[1], x[2], x[0] * x[1]]
    for _ in range(20):
        new = []
        for k in range(4):
            new.append(population[k] + 0.1 * (population[(k + 1) % 4] - 2 * population[k] + population[k - 1]))
        population = new
    return sum(v**2 for v in population)


def the_old_one_is_kept(x):
    y, change = [x[0], x[1]], 0.0
    for _ in range(20):
        old = y
        y = step(y, x[2])
        change = change + abs(y[0] - old[0]) * old[1]
    return change + old[0] * y[1]


def the_first_one_is_kept(x):
    y = first = [x[0], x[1]]
    for _ in range(20):
        y = step(y, x[2])
    y[0] = 5.0 * x[1]
    return first[0] * y[0] + first[1] * y[1]


def written_and_replaced(x):
    y = [x[0], x[1]]
    seen = y
    for _ in range(20):
        y[0] = y[0] + 0.1 * x[2]
        y = step(y, x[2])
    return seen[0] * y[0] + y[1]


def rows_that_stay(x):
    grid = [[x[0], x[1]], [x[1], x[2]], [x[2], x[0]]]
    for k in range(20):
        new = grid[:]
        new[1] = [grid[1][0] * 0.9 + grid[0][1] * 0.1, grid[2][0] + 0.01 * k]
        grid = new
    return sum(line[0] * line[1] ** 2 for line in grid)


def rows_in_turn(x):
    grid = [[x[0], x[1]], [x[1], x[2]], [x[2], x[0]]]
    for _ in range(20):
        grid = [grid[1], grid[2], [grid[0][0] * 1.01, grid[0][1] + grid[1][0] * 0.1]]
    return sum(line[0] * line[1] ** 2 * (k + 1) for k, line in enumerate(grid))


def of_two_names(x):
    y, z = [x[0], x[1]], [x[1], x[2]]
    for k in range(20):
        y = z = step([a + 0.1 * b for a, b in zip(y, z, strict=True)], x[2])
        if k == 19:
            z[0] = x[0]
    z[1] = 3.0 * x[1]
    return y[0] * y[1] + z[0] + z[1]


class Body:
    def __init__(self, place, speed):
        self.place, self.speed = place, speed

    def move(self, force):
        self.speed = [v + 0.1 * f for v, f in zip(self.speed, force, strict=True)]
        self.place = [p + 0.1 * v for p, v in zip(self.place, self.speed, strict=True)]


def of_objects(x):
    bodies = [Body([x[0], x[1]], [0.1, 0.2]), Body([x[1], -x[2]], [0.0, 0.1])]
    for _ in range(20):
        forces = [[-p for p in body.place] for body in bodies]
        for body, force in zip(bodies, forces, strict=True):
            body.move(force)
    return sum(body.place[0] ** 2 + body.speed[1] for body in bodies)


def over_the_list_itself(x):
    total, y = 0.0, [x[0], x[1], x[2]]
    for v in y:
        for _ in range(12):
            y = [a * 0.9 + 0.1 * v for a in y]
        total = total + v * y[1]
    return total


def appended_to_a_history(x):
    y = [x[0], x[1]]
    history = [y]
    for _ in range(20):
        y = step(y, x[2])
        history.append(y)
    y[0] = x[2]
    return sum(a * b * (k + 1) for k, (a, b) in enumerate(history))


def arrays_in_a_list(x):
    layers = [np.outer(x, x), x * 1.0]
    for k in range(20):
        layers = [0.9 * layers[0] + 0.01 * np.outer(layers[1], x), np.tanh(layers[0] @ layers[1]) + 0.1 * k]
    return np.sum(layers[0] ** 2) + np.sum(layers[1])


def older_list_written_in_turn(x):
    y, other = [x[0], x[1]], [x[1], x[2]]
    total = 0.0
    for k in range(20):
        total = total + y[0] * (k + 1)
        other[0] = other[0] * 1.1
        y = other
    return total + y[0] * y[1]


def written_before_it_is_appended(x):
    history, y = [], [x[0], x[1]]
    for k in range(20):
        y[k % 2] = y[k % 2] * 1.05
        y = step(y, x[2])
        history.append(y)
    return sum(a * b * (k + 1) for k, (a, b) in enumerate(history))


def last_item_written(x):
    history, y = [], [x[0], x[1]]
    for _ in range(20):
        y = step(y, x[2])
        history.append(y)
    history[-1][0] = 3.0 * x[1]
    history[2].append(x[0])
    return y[0] * y[1] + sum(line[0] for line in history) + sum(history[2])


def until_data_say(x):
    y, t = [x[0], x[1]], 0.0
    while t < 2.0:
        h = 0.05 * (1 + 0.1 * y[1] ** 2)
        y = [a + h * b for a, b in zip(y, step(y, x[2]), strict=True)]
        t += h
    return y[0] ** 2 + y[1]


def until_it_converges(x):
    y = [x[0], x[1]]
    for _ in range(300):
        new = [0.5 * (y[0] + x[2] / y[0]), 0.5 * (y[1] + y[0])]
        if abs(new[0] - y[0]) < 1e-9 and abs(new[1] - y[1]) < 1e-9:
            break
        y = new
    return y[0] ** 2 + y[1]


def best_so_far(x):
    y, best = [x[0], x[1]], [0.0, 0.0]
    for _ in range(40):
        y = step(y, x[2])
        if y[0] > best[0]:
            best = [y[0], y[1] * 2]
    return best[0] ** 2 + best[1]


def one_of_two_lists(x):
    a, b = [x[0], x[1]], [x[1], x[2]]
    c = a
    if x[0] > 0.5:
        c = [b[0] * 2, b[1]]
    c[0] = c[0] + 1.0
    return a[0] * c[0] + c[1] * b[0]


def which_of_two_lists(x):
    a = [x[0], x[1]]
    c = a
    if x[2] < 0.1:
        c = [x[1], x[2]]
    return (1.0 if c is a else 2.0) * c[0] * c[1] + a[0]


def one_or_the_other(x):
    total = 0.0
    for k in range(12):
        a, b = [x[0] + k, x[1]], [x[1], x[2] * k]
        c = a if x[1] * k > 3 else b
        if x[2] * k > 5:
            c = b
        total = total + c[0] * c[1]
    return total


def appended_and_held_by_a_tuple(x):
    history = []
    for k in range(12):
        pair = ([x[0] * k, x[1]], k)
        history.append(pair[0])
        pair[0][1] = x[2] * k
    return sum(a * b for a, b in history)


def two_that_swap(c, twice):
    """The list that is returned has become shorter."""
    n, other = len(c), [0.0] * (len(c) - 1)
    for _ in range(2):
        n = n - 1
        if twice > 1.5:
            for j in range(n + 1):
                c[j] *= twice
        other[0] = c[1]
        c, other = other, c
    return c[:n]


def swapped_and_shortened(x):
    return sum(two_that_swap([x[0], x[1] * x[2], 3.0, x[2] ** 2, 2.0], x[1] + 2.0))


def filled_with_nan_elsewhere(x):
    places = np.array([1, 2])
    if x[0] > 9.0:
        places = np.full_like(places, np.nan)
    return np.sum(places * x[:2] ** 2)


def one_array_twice_in_a_list(x):
    pair = [x * 1.0, x * 2.0]
    for _ in range(20):
        new = pair[0] * 0.9 + 0.01
        pair = [new, new]
    pair[0][0] = 7 * x[2]
    return np.sum(pair[0] * pair[1])


def array_in_a_list_and_of_a_name(x):
    pair = [x * 1.0]
    for _ in range(20):
        new = pair[0] * 0.9 + 0.01
        pair = [new]
    new[0] = 7 * x[2]
    return np.sum(pair[0] * x)


PROGRAMS = (state_by_a_function, exchanged_items, second_order_steps, grid_of_numbers, filled_in_a_loop_within)
PROGRAMS += (the_old_one_is_kept, the_first_one_is_kept, written_and_replaced, rows_that_stay, rows_in_turn)
PROGRAMS += (of_two_names, of_objects, over_the_list_itself, appended_to_a_history, arrays_in_a_list)
PROGRAMS += (until_data_say, until_it_converges, best_so_far, one_of_two_lists, one_or_the_other)
PROGRAMS += (swapped_and_shortened, filled_with_nan_elsewhere, which_of_two_lists, appended_and_held_by_a_tuple)
PROGRAMS += (one_array_twice_in_a_list, array_in_a_list_and_of_a_name)
PROGRAMS += (older_list_written_in_turn, written_before_it_is_appended, last_item_written)

CASES = tuple(row(function, lambda: (uniform(6, 3),), "x") for function in PROGRAMS)
