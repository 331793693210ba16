"""Programs of 15 to 40 lines from physics: particles, ordinary differential equations, rays."""

# ruff: noqa: B905, B007 (programs as their authors write them)
from __future__ import annotations

import math

import numpy as np

from tests.corpus.case import normal, row, uniform


def accelerations(position, mass, softening):
    """Gravitational accelerations by broadcasting over all pairs."""
    dx = position[:, 0:1].T - position[:, 0:1]
    dy = position[:, 1:2].T - position[:, 1:2]
    dz = position[:, 2:3].T - position[:, 2:3]
    inverse = (dx**2 + dy**2 + dz**2 + softening**2) ** (-1.5)
    ax = (dx * inverse) @ mass
    ay = (dy * inverse) @ mass
    az = (dz * inverse) @ mass
    return np.hstack((ax, ay, az))


def nbody_leapfrog(position, velocity, mass, dt, steps):
    """Kick, drift, kick; the loss is the energy at the end."""
    acc = accelerations(position, mass, 0.1)
    for i in range(steps):
        velocity += acc * dt / 2.0
        position += velocity * dt
        acc = accelerations(position, mass, 0.1)
        velocity += acc * dt / 2.0
    kinetic = 0.5 * np.sum(mass * velocity**2)
    separation = 0.0
    for i in range(position.shape[0]):
        for j in range(i):
            d = position[i] - position[j]
            separation -= mass[i, 0] * mass[j, 0] / np.sqrt(np.sum(d * d) + 0.01)
    return kinetic + separation


def pairwise_forces_by_loops(x, charge):
    """Forces between charges, pair by pair, with Newton's third law."""
    n, dim = x.shape
    force = np.zeros((n, dim))
    for i in range(n - 1):
        for j in range(i + 1, n):
            r2 = 0.0
            for d in range(dim):
                delta = x[i, d] - x[j, d]
                r2 += delta * delta
            r = math.sqrt(r2)
            magnitude = charge[i] * charge[j] / (r * r2)
            for d in range(dim):
                push = magnitude * (x[i, d] - x[j, d])
                force[i, d] += push
                force[j, d] -= push
    return np.sum(force**2)


def lennard_jones(x, epsilon, sigma):
    """Cut-off energy of a few particles in a periodic box."""
    box, energy = 6.0, 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            d = x[i] - x[j]
            d = d - box * np.round(d / box)
            r2 = np.sum(d**2)
            if r2 < 6.25:
                s6 = (sigma**2 / r2) ** 3
                energy += 4 * epsilon * (s6 * s6 - s6)
    return energy


def lorenz_rhs(state, sigma, rho, beta):
    x, y, z = state
    return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])


def lorenz_rk4(state, sigma, rho, beta):
    """Classical Runge-Kutta steps of the Lorenz system."""
    dt = 0.01
    for _ in range(20):
        k1 = lorenz_rhs(state, sigma, rho, beta)
        k2 = lorenz_rhs(state + 0.5 * dt * k1, sigma, rho, beta)
        k3 = lorenz_rhs(state + 0.5 * dt * k2, sigma, rho, beta)
        k4 = lorenz_rhs(state + dt * k3, sigma, rho, beta)
        state = state + dt / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.sum(state**2)


def double_pendulum(theta, omega, lengths):
    """Symplectic Euler with scalar mathematics only."""
    g, dt = 9.81, 0.005
    t1, t2, w1, w2 = theta[0], theta[1], omega[0], omega[1]
    l1, l2 = lengths
    for _ in range(15):
        delta = t2 - t1
        d1 = 2.0 * l1 - l1 * math.cos(delta) ** 2
        a1 = (
            w1**2 * l1 * math.sin(delta) * math.cos(delta)
            + g * math.sin(t2) * math.cos(delta)
            + w2**2 * l2 * math.sin(delta)
            - 2.0 * g * math.sin(t1)
        ) / d1
        a2 = (
            -(w2**2) * l2 * math.sin(delta) * math.cos(delta)
            + 2.0 * (g * math.sin(t1) * math.cos(delta) - l1 * w1**2 * math.sin(delta) - g * math.sin(t2))
        ) / (l2 / l1 * d1)
        w1 += dt * a1
        w2 += dt * a2
        t1 += dt * w1
        t2 += dt * w2
    return math.sin(t1) * l1 + math.sin(t2) * l2


def predator_prey(prey, predator, alpha, beta, delta, gamma):
    """Heun steps with scalars; the loss is a misfit against a small series."""
    observed = [1.1, 1.2, 1.25, 1.2, 1.1, 1.0]
    dt, misfit = 0.1, 0.0
    for day in range(len(observed)):
        for _ in range(3):
            dx = alpha * prey - beta * prey * predator
            dy = delta * prey * predator - gamma * predator
            px, py = prey + dt * dx, predator + dt * dy
            prey += dt / 2 * (dx + alpha * px - beta * px * py)
            predator += dt / 2 * (dy + delta * px * py - gamma * py)
        misfit += (prey - observed[day]) ** 2
    return misfit / len(observed)


def sir_epidemic(beta, gamma, initial, days):
    """Susceptible, infected, recovered with a time-dependent contact rate."""
    state = np.array([1.0 - initial, initial, 0.0])
    history = np.zeros((days + 1, 3))
    history[0, :] = state
    for day in range(days):
        s, i, r = history[day]
        new = beta[day] * s * i
        out = gamma * i
        history[day + 1, 0] = s - new
        history[day + 1, 1] = i + new - out
        history[day + 1, 2] = r + out
    peak = np.max(history[:, 1])
    return peak + history[-1, 2]


def ray_through_layers(depths, slowness, angle):
    """Travel time of a ray refracted layer by layer (Snell's law)."""
    p = math.sin(angle) * slowness[0]
    time, offset = 0.0, 0.0
    for thickness, s in zip(depths, slowness):
        cosine = math.sqrt(1.0 - (p / s) ** 2)
        time += thickness * s / cosine
        offset += thickness * p / (s * cosine)
    return time + 0.1 * offset


def spring_network(x, rest, stiffness):
    """Velocity-Verlet of masses coupled by springs given as a static list of edges."""
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    v = np.zeros_like(x)
    for _ in range(4):
        force = np.zeros_like(x)
        for k, (i, j) in enumerate(edges):
            d = x[j] - x[i]
            length = np.sqrt(d @ d)
            pull = stiffness[k] * (length - rest[k]) * d / length
            force[i] += pull
            force[j] -= pull
        v += 0.05 * force
        x += 0.05 * v
    return np.sum(v * v)


CASES = (
    row(
        nbody_leapfrog,
        lambda: (normal(1, 4, 3), 0.2 * normal(2, 4, 3), uniform(3, 4, 1), 0.05, 4),
        "position, velocity, mass, dt",
    ),
    row(pairwise_forces_by_loops, lambda: (3 * normal(1, 4, 2), uniform(2, 4)), "x, charge"),
    row(
        lennard_jones,
        lambda: (np.array([[0.2, 0.1, 0.0], [1.3, 0.2, 0.4], [0.1, 1.6, 0.3], [5.4, 0.3, 1.9]]), 0.9, 1.05),
        "x, epsilon, sigma",
    ),
    row(lorenz_rk4, lambda: (np.array([1.0, 1.5, 20.0]), 10.0, 28.0, 8.0 / 3.0), "state, sigma, rho, beta"),
    row(
        double_pendulum,
        lambda: (np.array([1.2, 0.7]), np.array([0.3, -0.4]), np.array([1.0, 0.8])),
        "theta, omega, lengths",
    ),
    row(predator_prey, lambda: (1.0, 0.8, 1.1, 0.9, 0.7, 0.6), "prey, predator, alpha, beta, delta, gamma"),
    row(sir_epidemic, lambda: (uniform(1, 12, low=0.4, high=0.9), 0.2, 0.05, 12), "beta, gamma, initial"),
    row(
        ray_through_layers,
        lambda: (uniform(1, 5), np.array([1.0, 0.9, 0.8, 0.75, 0.7]), 0.3),
        "slowness, depths, angle",
    ),
    row(spring_network, lambda: (normal(1, 4, 2), uniform(2, 5), uniform(3, 5)), "x, rest, stiffness"),
)
