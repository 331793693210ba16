"""Programs as they are published with papers and courses: flows, particles, images, markets, sequences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.corpus.case import normal, row, spread, uniform


def conserved_to_primitive(U, gamma=1.4):
    rho, v = U[0], U[1] / U[0]
    return rho, v, (gamma - 1.0) * (U[2] - 0.5 * rho * v**2)


def euler_flux(U, gamma=1.4):
    rho, v, p = conserved_to_primitive(U, gamma)
    F = np.zeros_like(U)
    F[0], F[1], F[2] = rho * v, rho * v**2 + p, (U[2] + p) * v
    return F


def hll(left, right, gamma=1.4):
    (rl, vl, pl), (rr, vr, pr) = conserved_to_primitive(left), conserved_to_primitive(right)
    cl, cr = np.sqrt(gamma * pl / rl), np.sqrt(gamma * pr / rr)
    sl, sr = np.minimum(vl - cl, vr - cr), np.maximum(vl + cl, vr + cr)
    fl, fr = euler_flux(left), euler_flux(right)
    F = (sr * fl - sl * fr + sl * sr * (right - left)) / (sr - sl)
    F[:, sl >= 0] = fl[:, sl >= 0]
    F[:, sr <= 0] = fr[:, sr <= 0]
    return F


def shock_tube(rho, v, p, end):
    dx, t = 1.0 / len(rho), 0.0
    U = np.array([rho, rho * v, p / 0.4 + 0.5 * rho * v**2])
    while t < end:
        density, speed, pressure = conserved_to_primitive(U)
        if np.any(pressure <= 0.0):
            raise FloatingPointError(f"negative pressure at t={t:.3f}")
        dt = min(0.4 * dx / np.max(np.abs(speed) + np.sqrt(1.4 * pressure / density)), end - t)
        ghosts = np.pad(U, ((0, 0), (1, 1)), mode="edge")
        F = hll(ghosts[:, :-1], ghosts[:, 1:])
        U = U - dt / dx * (F[:, 1:] - F[:, :-1])
        t += dt
    return np.sum(U[0] ** 2)


def linked_cells(x, box, cutoff):
    n, cells = x.shape[0], 3
    head, following = -np.ones(cells * cells, dtype=int), -np.ones(n, dtype=int)
    for i in range(n):
        c = int(x[i, 0] / box * cells) * cells + int(x[i, 1] / box * cells)
        following[i], head[c] = head[c], i
    energy = 0.0
    for c in range(cells * cells):
        for other in range(cells * cells):
            i = head[c]
            while i >= 0:
                j = head[other]
                while j >= 0:
                    d = x[i] - x[j]
                    r2 = d @ d
                    if i < j and r2 < cutoff**2:
                        s6 = 1.0 / (r2 + 0.5) ** 3
                        energy += 4.0 * (s6 * s6 - s6)
                    j = following[j]
                i = following[i]
    return energy


def connectionist_loss(logits, labels, blank=0):
    T = logits.shape[0]
    logp = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    extended = [blank]
    for label in labels:
        extended += [int(label), blank]
    alpha = np.full((T, len(extended)), -1e30)
    alpha[0, 0], alpha[0, 1] = logp[0, blank], logp[0, extended[1]]
    for t in range(1, T):
        for s in range(len(extended)):
            a = alpha[t - 1, s]
            if s > 0:
                a = np.logaddexp(a, alpha[t - 1, s - 1])
            if s > 1 and extended[s] != blank and extended[s] != extended[s - 2]:
                a = np.logaddexp(a, alpha[t - 1, s - 2])
            alpha[t, s] = a + logp[t, extended[s]]
    return -np.logaddexp(alpha[-1, -1], alpha[-1, -2])


def american_put(spot, sigma, draws, strike=40.0, r=0.06):
    n, _ = draws.shape
    dt = 1.0 / n
    S = spot * np.exp(np.cumsum((r - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * draws, axis=0))
    cash = np.maximum(strike - S[-1], 0)
    for t in reversed(range(n - 1)):
        cash = cash * np.exp(-r * dt)
        continuation = np.polyval(np.polyfit(S[t] / strike, cash, 2), S[t] / strike)
        exercise = np.maximum(strike - S[t], 0)
        now = (exercise > continuation) & (exercise > 0)
        cash[now] = exercise[now]
    return np.exp(-r * dt) * cash.mean()


@dataclass
class Household:
    beta: float = 0.95
    sigma: float = 2.0
    tolerance: float = 1e-2


def savings(percent, w, who):
    r = percent / 100.0
    a, z = np.linspace(0, 10, 12), np.array([0.7, 1.3])
    Pi = np.array([[0.8, 0.2], [0.3, 0.7]])
    c, diff = (r * a[None, :] + w * z[:, None]) + 0.1, np.inf
    while diff > who.tolerance:
        old = c.copy()
        implied = (who.beta * (1 + r) * (Pi @ c**-who.sigma)) ** (-1 / who.sigma)
        before = (implied + a[None, :] - w * z[:, None]) / (1 + r)
        for i in range(2):
            c[i] = (1 + r) * a + w * z[i] - np.maximum(np.interp(a, before[i], a), 0)
        diff = np.max(np.abs(c - old))
    policy, D = (1 + r) * a + w * z[:, None] - c, np.ones((2, 12)) / 24
    for _ in range(4):
        new = np.zeros_like(D)
        for i in range(2):
            k = np.clip(np.searchsorted(a, policy[i]) - 1, 0, 10)
            weight = (policy[i] - a[k]) / (a[1] - a[0])
            for j in range(2):
                np.add.at(new[j], k, Pi[i, j] * D[i] * (1 - weight))
                np.add.at(new[j], k + 1, Pi[i, j] * D[i] * weight)
        D = new
    return np.sum(D * a)


def superpixels(image, size=3, compactness=0.03):
    h, w, _ = image.shape
    ys, xs = np.mgrid[size // 2 : h : size, size // 2 : w : size]
    centres = np.stack([*(image[ys.ravel(), xs.ravel()].T), ys.ravel(), xs.ravel()], axis=1)
    yy, xx = np.indices((h, w))
    features = np.dstack([image, yy, xx])
    for _ in range(2):
        D, labels = np.full((h, w), np.inf), -np.ones((h, w), int)
        for k, centre in enumerate(centres):
            d = np.sum((features[..., :3] - centre[:3]) ** 2, -1)
            d = d + compactness * np.sum((features[..., 3:] - centre[3:]) ** 2, -1)
            closer = d < D
            D[closer], labels[closer] = d[closer], k
        for k in range(len(centres)):
            mine = labels == k
            if mine.any():
                centres[k] = features[mine].mean(axis=0)
    return np.sum(D)


def particle_filter(noise, observed, scale):
    n = noise.shape[1]
    x, likelihood = np.zeros(n), 0.0
    for t in range(len(observed)):
        x = 0.9 * x + noise[t]
        weights = np.exp(-0.5 * ((observed[t] - x) / scale) ** 2) / (scale * np.sqrt(2 * np.pi))
        likelihood += np.log(weights.mean())
        weights /= weights.sum()
        drawn = np.searchsorted(np.cumsum(weights), (np.arange(n) + 0.5) / n)
        x = x[np.minimum(drawn, n - 1)]
    return likelihood


def pendulum(angle, params, end=1.0, dt=0.15):
    N = int(np.ceil(end / dt))
    t = np.linspace(0, end, N + 1)
    y = np.zeros((N + 1, 2))
    y[0] = angle, 0.0
    for i in range(N):
        h = t[i + 1] - t[i]
        k1 = np.array([y[i, 1], -params["g"] / params["L"] * np.sin(y[i, 0])])
        mid = y[i] + 0.5 * h * k1
        y[i + 1] = y[i] + h * np.array([mid[1], -params["g"] / params["L"] * np.sin(mid[0])])
    assert np.all(np.isfinite(y)), "diverged"
    return np.trapezoid(y[:, 0] ** 2, t)


def tube():
    step = np.where(np.arange(12) < 6, 1.0, 0.4)
    return step + 0.1 * uniform(1, 12), 0.1 * normal(2, 12), step + 0.1 * uniform(3, 12), 0.05


CASES = (
    row(shock_tube, tube, "rho, v, p"),
    row(linked_cells, lambda: (uniform(4, 7, 2, low=0.1, high=5.9), 6.0, 2.5), "x"),
    row(connectionist_loss, lambda: (normal(5, 6, 4), np.array([1, 2, 2])), "logits"),
    row(american_put, lambda: (36.0, 0.2, normal(6, 4, 20)), "spot, sigma"),
    row(savings, lambda: (3.0, 1.0, Household()), "percent, w"),
    row(superpixels, lambda: (uniform(7, 6, 6, 3),), "image"),
    row(particle_filter, lambda: (normal(8, 4, 10), spread(9, 4), 0.7), "noise, scale"),
    row(pendulum, lambda: (0.8, {"g": 9.81, "L": 1.1}), "angle"),
)
