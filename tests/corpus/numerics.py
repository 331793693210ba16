"""Numerical methods and finance: splines, quadrature, time steps, options, tables, grids."""

# ruff: noqa: B007 (programs as their authors write them)
from __future__ import annotations

import math

import numpy as np

from tests.corpus.case import normal, row, spread, uniform


def natural_cubic_spline(x, y, query):
    """Second derivatives by a tridiagonal solve, evaluation at sorted queries."""
    n = len(x)
    h = np.diff(x)
    alpha = np.zeros(n)
    l, mu, z = np.ones(n), np.zeros(n), np.zeros(n)
    for i in range(1, n - 1):
        alpha[i] = 3 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
        l[i] = 2 * (x[i + 1] - x[i - 1]) - h[i - 1] * mu[i - 1]
        mu[i] = h[i] / l[i]
        z[i] = (alpha[i] - h[i - 1] * z[i - 1]) / l[i]
    c = np.zeros(n)
    total = 0.0
    for j in range(n - 2, -1, -1):
        c[j] = z[j] - mu[j] * c[j + 1]
        b = (y[j + 1] - y[j]) / h[j] - h[j] * (c[j + 1] + 2 * c[j]) / 3
        d = (c[j + 1] - c[j]) / (3 * h[j])
        for q in query:
            if x[j] <= q and q < x[j + 1]:
                t = q - x[j]
                total += y[j] + b * t + c[j] * t**2 + d * t**3
    return total


def de_casteljau(points, t):
    """A Bezier curve by repeated interpolation in place."""
    work = points.copy()
    n = work.shape[0]
    for r in range(1, n):
        work[: n - r] = (1 - t) * work[: n - r] + t * work[1 : n - r + 1]
    return np.sum(work[0] ** 2)


def polynomial_horner(coefficients, x):
    """Value and derivative at many points."""
    value = np.zeros_like(x)
    slope = np.zeros_like(x)
    for c in coefficients:
        slope = slope * x + value
        value = value * x + c
    return np.sum(value * slope)


def newton_interpolation(x, y, query):
    """Divided differences in place."""
    n = len(x)
    a = y.copy()
    for k in range(1, n):
        a[k:] = (a[k:] - a[k - 1 : -1]) / (x[k:] - x[:-k])
    p = a[n - 1]
    for k in range(1, n):
        p = a[n - 1 - k] + (query - x[n - 1 - k]) * p
    return p * p


def romberg_integration(a, b, parameter):
    """A triangular table of refined trapezoidal sums."""

    def integrand(t):
        return math.exp(-parameter * t * t) * math.cos(t)

    levels = 4
    R = np.zeros((levels, levels))
    R[0, 0] = 0.5 * (b - a) * (integrand(a) + integrand(b))
    for i in range(1, levels):
        h = (b - a) / 2**i
        s = 0.0
        for k in range(1, 2 ** (i - 1) + 1):
            s += integrand(a + (2 * k - 1) * h)
        R[i, 0] = 0.5 * R[i - 1, 0] + h * s
        for j in range(1, i + 1):
            R[i, j] = R[i, j - 1] + (R[i, j - 1] - R[i - 1, j - 1]) / (4**j - 1)
    return R[levels - 1, levels - 1]


def adams_bashforth(y0, rates):
    """A two-step method with a first Euler step, three species."""

    def f(y):
        a, b, c = y[0], y[1], y[2]
        r1, r2, r3 = rates
        return np.array([-r1 * a + r2 * b * c, r1 * a - r2 * b * c - r3 * b**2, r3 * b**2])

    h = 0.05
    previous = f(y0)
    y = y0 + h * previous
    for n in range(8):
        current = f(y)
        y = y + h * (1.5 * current - 0.5 * previous)
        previous = current
    return np.sum(y * np.array([1.0, 2.0, 3.0]))


def implicit_euler_by_newton(u, steps):
    """Stiff scalar equations, a fixed number of Newton steps each."""
    h = 0.2
    for _ in range(steps):
        v = u
        for _ in range(4):
            residual = v - u + h * (v**3 - np.sin(v))
            v = v - residual / (1 + h * (3 * v**2 - np.cos(v)))
        u = v
    return np.sum(u**2)


def black_scholes(spot, strike, rate, volatility, time):
    """Calls and puts with the normal distribution by math.erf, option by option."""
    total = 0.0
    for i in range(len(spot)):
        sd = volatility[i] * math.sqrt(time[i])
        d1 = (math.log(spot[i] / strike[i]) + (rate + 0.5 * volatility[i] ** 2) * time[i]) / sd
        d2 = d1 - sd
        n1 = 0.5 * (1.0 + math.erf(d1 / math.sqrt(2.0)))
        n2 = 0.5 * (1.0 + math.erf(d2 / math.sqrt(2.0)))
        discounted = strike[i] * math.exp(-rate * time[i])
        call = spot[i] * n1 - discounted * n2
        put = call - spot[i] + discounted
        total += call + 0.5 * put
    return total


def binomial_american_put(spot, strike, rate, volatility, steps):
    """Early exercise by a maximum over shrinking slices."""
    dt = 1.0 / steps
    up = np.exp(volatility * np.sqrt(dt))
    down = 1.0 / up
    p = (np.exp(rate * dt) - down) / (up - down)
    discount = np.exp(-rate * dt)
    j = np.arange(steps + 1)
    values = np.maximum(strike - spot * up ** (2.0 * j - steps), 0.0)
    for n in range(steps - 1, -1, -1):
        k = np.arange(n + 1)
        continuation = discount * (p * values[1 : n + 2] + (1 - p) * values[: n + 1])
        exercise = strike - spot * up ** (2.0 * k - n)
        values[: n + 1] = np.maximum(continuation, exercise)
    return values[0]


def crank_nicolson_option(grid, volatility, rate, steps):
    """A diffusion on a price grid with own tridiagonal sweeps, explicit part by slices."""
    n = len(grid)
    value = np.maximum(grid - 1.0, 0.0) ** 2
    dt = 0.02
    i = np.arange(1, n - 1)
    a = 0.25 * dt * (volatility**2 * i**2 - rate * i)
    b = -0.5 * dt * (volatility**2 * i**2 + rate)
    c = 0.25 * dt * (volatility**2 * i**2 + rate * i)
    for _ in range(steps):
        rhs = a * value[:-2] + (1 + b) * value[1:-1] + c * value[2:]
        cp, dp = np.zeros(n - 2), np.zeros(n - 2)
        for k in range(n - 2):
            if k == 0:
                m = 1.0 / (1 - b[k])
                cp[k] = -c[k] * m
                dp[k] = rhs[k] * m
            else:
                m = 1.0 / (1 - b[k] + a[k] * cp[k - 1])
                cp[k] = -c[k] * m
                dp[k] = (rhs[k] + a[k] * dp[k - 1]) * m
        value[n - 2] = dp[-1]
        for k in range(n - 4, -1, -1):
            value[k + 1] = dp[k] - cp[k] * value[k + 2]
    return np.sum(value * grid)


def mandelbrot_smooth(cx, cy, iterations):
    """Points that left the disc stay where they are."""
    total = 0.0
    for i in range(len(cx)):
        x, y = 0.0, 0.0
        for k in range(iterations):
            if x * x + y * y < 4.0:
                x, y = x * x - y * y + cx[i], 2 * x * y + cy[i]
                total += 0.1 * k * x
        total += x * y
    return total


def shortest_paths(weights):
    """Floyd-Warshall: the minimum chooses the path."""
    n = weights.shape[0]
    path = weights.copy()
    for k in range(n):
        for i in range(n):
            path[i, :] = np.minimum(path[i, :], path[i, k] + path[k, :])
    return np.sum(path**2)


def dynamic_time_warping(a, b):
    """A table of minima of three neighbours."""
    n, m = len(a), len(b)
    table = np.full((n + 1, m + 1), 1e3)
    table[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (a[i - 1] - b[j - 1]) ** 2
            table[i, j] = cost + min(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1])
    return table[n, m]


CASES = (
    row(
        natural_cubic_spline,
        lambda: (np.array([0.0, 0.9, 2.1, 3.0, 4.2]), normal(1, 5), np.array([0.4, 1.3, 2.6, 3.9])),
        "x, y, query",
    ),
    row(de_casteljau, lambda: (normal(1, 5, 2), 0.37), "points, t"),
    row(polynomial_horner, lambda: (normal(1, 5), normal(2, 4)), "coefficients, x"),
    row(newton_interpolation, lambda: (spread(1, 5, step=0.6), normal(2, 5), 0.21), "x, y, query"),
    row(romberg_integration, lambda: (0.2, 1.3, 0.8), "a, b, parameter"),
    row(adams_bashforth, lambda: (uniform(1, 3), uniform(2, 3)), "y0, rates"),
    row(implicit_euler_by_newton, lambda: (normal(1, 5), 3), "u"),
    row(
        black_scholes,
        lambda: (uniform(1, 4), uniform(2, 4), 0.05, uniform(3, 4, low=0.2, high=0.5), uniform(4, 4)),
        "spot, strike, rate, volatility, time",
    ),
    row(binomial_american_put, lambda: (1.0137, 1.05, 0.06, 0.3, 6), "spot, strike, rate, volatility"),
    row(
        crank_nicolson_option,
        lambda: (np.linspace(0.03, 2.1, 8), 0.4, 0.05, 3),
        "grid, volatility, rate",
    ),
    row(
        mandelbrot_smooth,
        lambda: (np.array([0.3, -0.7, 0.9, -1.2]), np.array([0.2, 0.4, 0.8, 0.1]), 6),
        "cx, cy",
    ),
    row(shortest_paths, lambda: (uniform(1, 5, 5, low=0.1, high=2.0),), "weights"),
    row(dynamic_time_warping, lambda: (normal(1, 5), normal(2, 6)), "a, b"),
)
