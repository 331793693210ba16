"""Variables that are called as what daad, C++, DaCe or sympy call something else."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row


def formal(x):
    s = 0.0
    for _0 in range(3):
        a = np.exp(x * _0)
        b = np.exp(x[_0] * np.arange(3))
        s = s + np.sum(a * a) + np.sum(b * b * b) * (_0 + 1.0)
    return s


def of_copies(x):
    s = 0.0
    for _0 in range(3):
        left, right = np.roll(x * x[_0], 1), np.roll(x * x[_0], -1)
        s = s + np.sum(left * right * (_0 + 1.0) - x * left)
    return s


def of_the_adjoint(u, n):
    u_in = np.sin(u)
    for u_bar in range(n):
        for u_in_tape in range(2):
            u_in = u_in * u + u_bar
            u_in[u_in_tape] = np.max(u_in * u_in) * 0.1
        for slot in range(2):
            u[slot] = u[slot] * u_in[u_bar]
    seed_0 = 0.0
    for action in range(2):
        for seed_0_bar in range(n):
            seed_0 = seed_0 + np.exp(u[action]) * u_in[seed_0_bar]
    return seed_0


def of_int_parameters(u, u_bar, u_in):
    for seed_0 in range(u_bar):
        u[seed_0] = np.sin(u[seed_0]) * u[seed_0 + u_in]
    return np.sum(u * u)


def of_sums(x, items, items_sum):
    return sum(items[i] * items_sum * x[i] for i in range(len(x))) + sum(items * x[i] * x[i - 1] for i in range(4))[1]


def of_c(x, double, M_PI):
    new = np.sin(x)
    for INT64_MAX in range(double):
        for errno in range(M_PI):
            new = new * x + INT64_MAX
            new[errno] = np.max(new * new) * 0.1 + x[INT64_MAX]
    std = 0.0
    for y0 in range(double):
        for min in range(2):
            std = std + new[y0] * np.exp(x[min])
    return std


def of_sympy(E, limit, S):
    diff = np.sin(E)
    for plot in range(limit):
        for len in range(S):
            diff = diff * E + plot
            diff[len] = np.max(diff * diff) * 0.1 + E[plot]
    beta = 0.0
    for test in range(limit):
        for I in range(2):
            beta = beta + diff[test] * np.exp(E[I])
    return beta


def of_letters(α, ß, __n__):
    é = np.sin(α)
    for ω in range(ß):
        for _ in range(__n__):
            é = é * α + ω
        é[ω] = np.max(é * é) * 0.1 + α[ω]
    a_name_that_is_so_long_that_it_would_be_a_strange_choice_for_a_file_and_its_program = 0.0
    for x__y in range(ß):
        a_name_that_is_so_long_that_it_would_be_a_strange_choice_for_a_file_and_its_program += é[x__y] * np.exp(α[x__y])
    return a_name_that_is_so_long_that_it_would_be_a_strange_choice_for_a_file_and_its_program


def global_names_of_inner_functions(x):
    global OF_THE_MODULE
    OF_THE_MODULE = x[0]

    def read():
        return OF_THE_MODULE * 2.0

    def hidden():
        OF_THE_MODULE = x[1]
        return (lambda: OF_THE_MODULE**2)()

    first = read() * hidden()
    OF_THE_MODULE = x[2]
    return first * read()


CASES = (
    row(global_names_of_inner_functions, lambda: (normal(1, 3),), "x"),
    row(formal, lambda: (normal(1, 3),), "x"),
    row(of_copies, lambda: (normal(1, 8),), "x"),
    row(of_the_adjoint, lambda: (normal(1, 3), 3), "u"),
    row(of_int_parameters, lambda: (normal(1, 5), 3, 1), "u"),
    row(of_sums, lambda: (normal(1, 30), normal(2, 30), 0.7), "x, items, items_sum"),
    *(
        row(function, lambda: (normal(1, 3), 2, 2), wrt)
        for function, wrt in ((of_c, "x"), (of_sympy, "E"), (of_letters, "α"))
    ),
)
