"""Lists of lists of numbers in long loops, as programs without arrays have their matrices and tables."""

from __future__ import annotations

from tests.corpus.case import normal, row

N, M = 10, 9


def product(a, b):
    c = [[0.0] * N for _ in range(N)]
    for i in range(N):
        for j in range(N):
            for k in range(N):
                c[i][j] += a[i][k] * b[k][j]
    return c[0][1] + c[2][3] * c[1][1]


def product_of_sums(a, b):
    c = [[0] * N for _ in range(N)]
    for i in range(len(a)):
        for j in range(len(b[0])):
            s = 0
            for k in range(len(b)):
                s += a[i][k] * b[k][j]
            c[i][j] = s
    return sum([v * v for r in c for v in r])


def warped(x, y):
    d = [[float("inf")] * (len(y) + 1) for _ in range(len(x) + 1)]
    d[0][0] = 0.0
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            d[i][j] = abs(x[i - 1] - y[j - 1]) + min(d[i - 1][j], d[i][j - 1], d[i - 1][j - 1])
    return d[-1][-1] + 0.1 * d[N // 2][M // 2]


def forward(pi, a, b):
    alpha = [[0.0] * 3 for _ in range(N)]
    for s in range(3):
        alpha[0][s] = pi[s] * b[s][0]
    for t in range(1, N):
        for s in range(3):
            alpha[t][s] = sum(alpha[t - 1][r] * a[r][s] for r in range(3)) * b[s][t % 4]
    return sum(alpha[-1])


def eliminated(a, rhs):
    n = len(a)
    for k in range(n):
        for i in range(k + 1, n):
            f = a[i][k] / (a[k][k] + 20)
            for j in range(k, n):
                a[i][j] -= f * a[k][j]
            rhs[i] -= f * rhs[k]
    return rhs[-1] + a[n - 1][n - 1] * a[3][5]


def rows_by_name(a, x):
    y = [0.0] * len(a)
    for i in range(len(a)):
        row = a[i]
        for j in range(len(row)):
            y[i] += row[j] * x[j]
            row[j] = row[j] * 0.5 + x[i]
    return sum([v * v for v in y]) + sum([sum(r) for r in a])


def over_rows(a, x):
    s = 0.0
    for i in range(len(a)):
        t = 0.0
        for v in a[i]:
            t += v * v * x[i]
        s += t * t
    return s


def one_row_many_times(x):
    u = [[0.0] * M] * N
    for i in range(N):
        for j in range(M):
            u[i][j] += x[j] * (i + 1)
    return u[0][3] * u[5][4]


def row_of_another_name(x):
    u = [[1.0] * M for _ in range(N)]
    first, kept = u[0], {"last": u[-1]}
    for i in range(N):
        for j in range(M):
            u[i][j] += x[j] * (i + 1)
            first[j] *= 1.1
            kept["last"][j] += first[j]
    return sum(first) + sum(u[-1]) * u[3][2]


def rows_exchanged(x):
    u = [[x[j] * (i + 1) for j in range(M)] for i in range(N)]
    for i in range(1, N):
        u[i], u[i - 1] = u[i - 1], u[i]
        for j in range(M):
            u[i][j] += 0.5 * u[i - 1][j]
    return u[0][1] * u[3][2] + sum(u[-1])


def row_replaced(x):
    u = [[0.0] * M for _ in range(N)]
    for i in range(1, N):
        u[i] = [v * 0.5 + x[i % M] for v in u[i - 1]]
        for j in range(M):
            u[i][j] *= x[j]
    return sum(u[-1]) + u[2][2]


def row_grows(x):
    u = [[x[0]] for _ in range(N)]
    for i in range(N):
        for j in range(M):
            u[i].append(x[j] * u[i][-1])
    return sum([r[-1] for r in u]) * len(u[3])


def is_it_the_row(x):
    u = [[x[j] for j in range(M)] for _ in range(N)]
    s, chosen = 0.0, u[4]
    for i in range(N):
        for j in range(M):
            u[i][j] *= 1.5
            if u[i] is chosen:
                s += u[i][j] ** 2
    return s


def rows_compared(x):
    u = [[x[j] * (1 + i % 2) for j in range(M)] for i in range(N)]
    s = 0.0
    for i in range(1, N):
        for j in range(M):
            s += x[j] * u[i][j] if isinstance(u[i], list) and len(u[i]) == M and u[i] else 0.0
    return s


def row_after_the_loop(x):
    u = [[x[j] for j in range(M)] for _ in range(N)]
    for i in range(N):
        r = u[i]
        for j in range(M):
            r[j] += i * x[j]
    r[0] *= 3
    return u[-1][0] ** 2 + sum(r)


def uneven(x):
    u = [[x[0]] * (k % 3 + 1) for k in range(N)]
    for i in range(N):
        for j in range(len(u[i])):
            u[i][j] *= x[j] + i
    return sum([sum(r) for r in u])


def three_deep(x):
    u = [[[0.0] * 3 for _ in range(M)] for _ in range(N)]
    for i in range(N):
        for j in range(M):
            for k in range(3):
                u[i][j][k] += x[j] * (i + k) + (u[i - 1][j][k] if i else 1.0)
    return u[-1][2][1] * u[3][4][0] + u[-1][-1][-1]


def connected(x):
    faces = [(k, (k * 7 + 3) % M) for k in range(M)] * 8
    ends = [[p, q] for p, q in faces]
    flow = [0.0] * M
    for e in range(len(ends)):
        flow[ends[e][0]] += x[ends[e][1]] ** 2
        flow[ends[e][1]] -= 0.5 * x[ends[e][0]]
    return sum([f * f for f in flow])


def known_weights(x):
    w = [[0.1 * i - 0.3 * j for j in range(M)] for i in range(N)]
    s = 0.0
    for i in range(N):
        for j in range(M):
            s += w[i][j] * x[j] ** 2 * (1.0 if w[i][j] > 0 else 0.5)
    return s * w[2][1] + (1.0 if w[3][1] > 0.05 else 2.0) * x[0]


def read_and_then_written(x):
    u = [[x[j] * (i + 1) for j in range(M)] for i in range(N)]
    s = 0.0
    for _ in range(10):
        for i in range(N):
            for j in range(M):
                s += u[i][j]
    for i in range(1, N):
        for j in range(M):
            u[i][j] += u[i - 1][j] * s
    return u[-1][-1] + u[1][1]


def seen_while_it_is_written(x):
    u = [[x[j] * (i + 1) for j in range(M)] for i in range(N)]
    s = 0.0
    for r in u[::4]:
        for i in range(N):
            for j in range(M):
                u[i][j] = u[i][j] * 0.9 + 0.01 * r[j]
        s += r[0] + sum(r)
    return s


def negative_places(x):
    u = [[x[j] * (i + 1) for j in range(M)] for i in range(N)]
    for i in range(N):
        for j in range(M):
            u[i][j] += 0.1 * u[i - 1][j - 2] * u[-i - 1][-1]
    return sum([sum(r) for r in u])


def sums_of_what_sums_change(x):
    u = [[0] * M for _ in range(N)]
    w = [[0.3 * j - i for j in range(M)] for i in range(N)]
    v = [x[j] ** 2 for j in range(M)]
    s = 0.0
    for e in u:
        for j in range(M):
            e[j] = e[j] * 0.9 + 0.1 * v[j]
    for i in range(N):
        for e in u[i]:
            s += e * 0.1 * x[i % M]
        for j in range(M - 1, -1, -1):
            u[i][j] = 0.3 * x[j] + 0.002 * u[-1][j] * s
            s += 0.01 * max(u[i][j], w[i][j])
    return s + sum([sum([u[i][j] * (0.1 * i + j) for j in range(M)]) for i in range(N)])


class Grid:
    def __init__(self, x):
        self.u = [[v * (i + 1) for v in x] for i in range(N)]

    def step(self):
        new = [[0.0] * M for _ in range(N)]
        for i in range(1, N - 1):
            for j in range(1, M - 1):
                new[i][j] = self.u[i][j] + 0.1 * (self.u[i + 1][j] + self.u[i - 1][j] - 2 * self.u[i][j])
        self.u = new


def of_an_object(x):
    g = Grid(x)
    for _ in range(4):
        g.step()
    return sum([sum([v * v for v in r]) for r in g.u])


def _numbers(seed: int, *shape: int):
    return normal(seed, *shape).tolist()


VECTORS = (one_row_many_times, row_of_another_name, rows_exchanged, row_replaced, row_grows, is_it_the_row)
VECTORS += (rows_compared, row_after_the_loop, uneven, three_deep, connected, known_weights, read_and_then_written)
VECTORS += (seen_while_it_is_written, negative_places, of_an_object, sums_of_what_sums_change)

CASES = (
    *(row(f, lambda: (_numbers(1, N, N), _numbers(2, N, N)), "a, b") for f in (product, product_of_sums)),
    row(warped, lambda: (_numbers(3, N), _numbers(4, M)), "x, y"),
    row(forward, lambda: (_numbers(5, 3), _numbers(6, 3, 3), _numbers(7, 3, 4)), "pi, a, b"),
    row(eliminated, lambda: (_numbers(1, N, N), _numbers(2, N)), "a, rhs"),
    *(row(f, lambda: (_numbers(1, N, N), _numbers(2, N)), "a, x") for f in (rows_by_name, over_rows)),
    *(row(f, lambda: (normal(1, M),), "x") for f in VECTORS),
)
