"""Programs of 15 to 40 lines from physics: fluids, waves, diffusion, lattices."""

# ruff: noqa: B007 (programs as their authors write them)
from __future__ import annotations

import math

import numpy as np

from tests.corpus.case import normal, row, spread, uniform


def laplacian(field, dx):
    """Five-point Laplacian with periodic boundaries."""
    return (
        np.roll(field, 1, axis=0)
        + np.roll(field, -1, axis=0)
        + np.roll(field, 1, axis=1)
        + np.roll(field, -1, axis=1)
        - 4.0 * field
    ) / dx**2


def gray_scott(u, v, feed, kill, steps=8):
    """Reaction and diffusion of two species."""
    Du, Dv, dt = 0.16, 0.08, 0.5
    for _ in range(steps):
        reaction = u * v**2
        u = u + dt * (Du * laplacian(u, 1.0) - reaction + feed * (1 - u))
        v = v + dt * (Dv * laplacian(v, 1.0) + reaction - (feed + kill) * v)
    return np.mean((v - 0.25) ** 2) + np.mean(u)


def shallow_water(h, u, v, steps):
    """Linearised momentum, nonlinear continuity, on a staggered grid with closed walls."""
    g, dx, dy, dt = 9.81, 1.0, 1.0, 0.02
    H = 1.0
    n, m = h.shape
    for t in range(steps):
        u[1:-1, :] -= dt * g * (h[1:, :] - h[:-1, :]) / dx
        v[:, 1:-1] -= dt * g * (h[:, 1:] - h[:, :-1]) / dy
        u[0, :] = 0.0
        u[-1, :] = 0.0
        v[:, 0] = 0.0
        v[:, -1] = 0.0
        east = np.zeros((n + 1, m))
        east[1:-1] = u[1:-1] * (H + 0.5 * (h[1:] + h[:-1]))
        north = np.zeros((n, m + 1))
        north[:, 1:-1] = v[:, 1:-1] * (H + 0.5 * (h[:, 1:] + h[:, :-1]))
        h -= dt * (np.diff(east, axis=0) / dx + np.diff(north, axis=1) / dy)
    potential = 0.5 * g * np.sum(h**2)
    kinetic = 0.5 * H * (np.sum(u**2) + np.sum(v**2))
    return potential + kinetic


def wave_equation(u0, speed, source, steps):
    """Leapfrog in time with a point source and a recorded trace."""
    dx, dt = 1.0, 0.4
    n = u0.shape[0]
    previous = u0.copy()
    current = u0.copy()
    trace = np.zeros(steps)
    courant = (speed * dt / dx) ** 2
    for t in range(steps):
        following = np.zeros(n)
        following[1:-1] = (
            2 * current[1:-1] - previous[1:-1] + courant[1:-1] * (current[2:] - 2 * current[1:-1] + current[:-2])
        )
        following[n // 2] += dt**2 * source[t]
        trace[t] = following[2]
        previous, current = current, following
    return np.sum(trace**2) + np.sum(current**2)


def wave_equation_2d(u, c, steps):
    """Three time levels in one array, index modulo three."""
    n, m = u.shape
    levels = np.zeros((3, n, m))
    levels[0] = u
    levels[1] = u
    for t in range(1, steps):
        old, now, new = (t - 1) % 3, t % 3, (t + 1) % 3
        lap = (
            levels[now, 2:, 1:-1]
            + levels[now, :-2, 1:-1]
            + levels[now, 1:-1, 2:]
            + levels[now, 1:-1, :-2]
            - 4 * levels[now, 1:-1, 1:-1]
        )
        levels[new, 1:-1, 1:-1] = 2 * levels[now, 1:-1, 1:-1] - levels[old, 1:-1, 1:-1] + 0.1 * c[1:-1, 1:-1] ** 2 * lap
    return np.sum(levels[steps % 3] ** 2)


def burgers_upwind(u, nu, steps):
    """Viscous Burgers equation, upwinded by the sign of the velocity."""
    dx, dt = 0.5, 0.05
    for n in range(steps):
        un = u.copy()
        backward = (un[1:-1] - un[:-2]) / dx
        forward = (un[2:] - un[1:-1]) / dx
        slope = np.where(un[1:-1] > 0, backward, forward)
        diffusion = nu * (un[2:] - 2 * un[1:-1] + un[:-2]) / dx**2
        u[1:-1] = un[1:-1] - dt * un[1:-1] * slope + dt * diffusion
        u[0] = u[-2]
        u[-1] = u[1]
    return np.sum(u**2) * dx


def burgers_by_loops(u, nu, steps):
    """The same equation, central differences, element by element."""
    n = len(u)
    un = np.empty(n)
    for t in range(steps):
        for i in range(n):
            un[i] = u[i]
        for i in range(1, n - 1):
            u[i] = un[i] - 0.1 * un[i] * (un[i] - un[i - 1]) + nu * 0.2 * (un[i + 1] - 2 * un[i] + un[i - 1])
    energy = 0.0
    for i in range(n):
        energy += u[i] ** 2
    return energy


def lattice_boltzmann(f, tau, steps):
    """D2Q9 collisions and periodic streaming."""
    cx = [0, 1, 0, -1, 0, 1, -1, -1, 1]
    cy = [0, 0, 1, 0, -1, 1, 1, -1, -1]
    weights = np.array([4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36])
    for _ in range(steps):
        rho = np.sum(f, axis=0)
        ux = sum(cx[k] * f[k] for k in range(9)) / rho
        uy = sum(cy[k] * f[k] for k in range(9)) / rho
        feq = np.zeros_like(f)
        for k in range(9):
            cu = cx[k] * ux + cy[k] * uy
            feq[k] = weights[k] * rho * (1 + 3 * cu + 4.5 * cu**2 - 1.5 * (ux**2 + uy**2))
        f = f - (f - feq) / tau
        for k in range(9):
            f[k] = np.roll(np.roll(f[k], cx[k], axis=0), cy[k], axis=1)
    return np.sum((ux**2 + uy**2) * rho)


def ising_mean_field(m, coupling, field, beta):
    """Self-consistent magnetisation on a periodic lattice, damped iteration."""
    for sweep in range(6):
        neighbours = np.roll(m, 1, 0) + np.roll(m, -1, 0) + np.roll(m, 1, 1) + np.roll(m, -1, 1)
        m = 0.5 * m + 0.5 * np.tanh(beta * (coupling * neighbours + field))
    return np.mean(m)


def heat_with_robin_boundary(T, conductivity, steps):
    """Fourth-order interior, one-sided borders, a conductivity that depends on temperature."""
    dx, dt = 0.1, 0.001
    for it in range(steps):
        k = conductivity * (1.0 + 0.1 * T)
        flux = 0.5 * (k[1:] + k[:-1]) * (T[1:] - T[:-1]) / dx
        dTdt = np.zeros(len(T))
        dTdt[1:-1] = (flux[1:] - flux[:-1]) / dx
        dTdt[0] = 2.0 * (flux[0] - 0.5 * (T[0] - 1.0)) / dx
        dTdt[-1] = -2.0 * (flux[-1] + 0.5 * (T[-1] - 0.2) ** 3) / dx
        T = T + dt * dTdt
    return T[-1] + dx * np.sum(0.5 * (T[1:] + T[:-1]))


def poisson_jacobi(p, b, iterations):
    """Pressure Poisson iterations with Neumann walls, swapping copies."""
    pn = np.empty_like(p)
    for _ in range(iterations):
        pn[:] = p[:]
        p[1:-1, 1:-1] = 0.25 * (pn[1:-1, 2:] + pn[1:-1, 0:-2] + pn[2:, 1:-1] + pn[0:-2, 1:-1] - 0.1 * b[1:-1, 1:-1])
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0.0
    return np.sum(p * p)


def red_black_sor(u, f, omega, sweeps):
    """Successive over-relaxation on a checkerboard, by strided slices."""
    for sweep in range(sweeps):
        for i0, j0 in ((1, 1), (2, 2), (1, 2), (2, 1)):
            residual = (
                u[i0 - 1 : -2 : 2, j0:-1:2]
                + u[i0 + 1 :: 2, j0:-1:2]
                + u[i0:-1:2, j0 - 1 : -2 : 2]
                + u[i0:-1:2, j0 + 1 :: 2]
                - 4.0 * u[i0:-1:2, j0:-1:2]
                - f[i0:-1:2, j0:-1:2]
            )
            u[i0:-1:2, j0:-1:2] += omega / 4.0 * residual
    return np.sum(u**2)


def maxwell_1d(ez, hy, permittivity, steps):
    """Yee's scheme with a hard source and a simple absorbing border."""
    size = len(ez)
    left = 0.0
    for t in range(steps):
        for m in range(size - 1):
            hy[m] = hy[m] + (ez[m + 1] - ez[m]) * 0.5
        boundary = ez[1]
        for m in range(1, size):
            ez[m] = ez[m] + (hy[m] - hy[m - 1]) * 0.5 / permittivity[m]
        ez[0] = left
        left = boundary
        ez[size // 2] += math.exp(-((t - 3.0) ** 2) / 4.0)
    return np.sum(ez**2)


def limited_advection(q, velocity, steps):
    """Finite volumes with van Leer's limiter, periodic."""
    dt_dx = 0.3
    for _ in range(steps):
        dq = np.roll(q, -1) - q
        upwind = np.roll(dq, 1)
        product = dq * upwind
        slope = np.where(product > 0, 2.0 * product / np.where(product > 0, dq + upwind, 1.0), 0.0)
        face = q + 0.5 * (1 - velocity * dt_dx) * slope
        flux = velocity * face
        q = q - dt_dx * (flux - np.roll(flux, 1))
    return np.sum(q**2)


def coast_of_nan(h, gravity, steps):
    """What lies outside of the sea is NaN, and what is computed from it is overwritten."""
    u, v, h = np.zeros(h.shape), np.zeros(h.shape), h.copy()
    h[0, :] = h[-1, :] = h[:, 0] = h[:, -1] = np.nan
    for _ in range(steps):
        u[1:-1, 1:-1] -= 0.1 * gravity * (h[1:-1, 2:] ** 2 - h[1:-1, 1:-1] ** 2)
        u[:, -2] = 0
        v[1:-1, 1:-1] -= 0.1 * gravity * (h[2:, 1:-1] - h[1:-1, 1:-1]) * h[1:-1, 1:-1]
        v[-2, :] = 0
        h[1:-1, 1:-1] -= 0.2 * (u[1:-1, 1:-1] - u[1:-1, :-2] + v[1:-1, 1:-1] - v[:-2, 1:-1])
    return np.nansum(h**3) + np.sum(u**2 + v**2)


def walls_at_infinity(x, strength):
    """The distance of a point to itself is infinite."""
    distances = (x[:, np.newaxis] - x) ** 2
    np.fill_diagonal(distances, np.inf)
    weighted = strength * distances
    return np.sum(np.where(np.isfinite(distances), np.exp(-weighted) * distances, 0.0)) + np.sum(1.0 / distances)


CASES = (
    row(coast_of_nan, lambda: (uniform(1, 5, 6), 0.8, 4), "h, gravity"),
    row(walls_at_infinity, lambda: (spread(1, 5), 0.7), "x, strength"),
    row(gray_scott, lambda: (uniform(1, 5, 5), uniform(2, 5, 5, low=0.1, high=0.4), 0.04, 0.06), "u, v, feed, kill"),
    row(shallow_water, lambda: (0.1 * normal(1, 5, 4), normal(2, 6, 4), normal(3, 5, 5), 6), "h, u, v"),
    row(wave_equation, lambda: (normal(1, 9), uniform(2, 9), normal(3, 7), 7), "u0, speed, source"),
    row(wave_equation_2d, lambda: (normal(1, 5, 6), uniform(2, 5, 6), 6), "u, c"),
    row(burgers_upwind, lambda: (uniform(1, 10), 0.07, 6), "u, nu"),
    row(burgers_upwind, lambda: (-uniform(1, 10), 0.07, 6), "u, nu", tag="backwards"),
    row(burgers_by_loops, lambda: (uniform(1, 9), 0.2, 5), "u, nu"),
    row(lattice_boltzmann, lambda: (uniform(1, 9, 3, 4), 0.8, 3), "f, tau"),
    row(
        ising_mean_field,
        lambda: (0.3 * normal(1, 4, 4), 0.4, 0.1 * normal(2, 4, 4), 0.9),
        "m, coupling, field, beta",
    ),
    row(heat_with_robin_boundary, lambda: (uniform(1, 8), uniform(2, 8), 5), "T, conductivity"),
    row(poisson_jacobi, lambda: (normal(1, 5, 6), normal(2, 5, 6), 4), "p, b"),
    row(red_black_sor, lambda: (normal(1, 6, 8), normal(2, 6, 8), 1.4, 3), "u, f, omega"),
    row(maxwell_1d, lambda: (normal(1, 9), normal(2, 9), uniform(3, 9), 6), "ez, hy, permittivity"),
    row(limited_advection, lambda: (normal(1, 9), 0.7, 3), "q, velocity"),
)
