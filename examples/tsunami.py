"""Find where a tsunami began from the records of a few tide gauges.

The nonlinear shallow-water equations with bottom friction over a shelf, on Arakawa's C grid, step by step forwards in
time: first the velocities, then the surface (Sielecki 1968). The misfit compares the surface at the gauges with
records, which a hidden source makes here. Its gradient with respect to the surface at the start says where the water
must have stood higher or lower: one run backwards gives it for every point of the sea.

    daad grad examples/tsunami.py -f misfit --wrt surface --check
    daad plan examples/tsunami.py -f misfit --wrt surface --pareto trade.svg --measure
"""

import argparse

import numpy as np

GRAVITY = 9.81  # m/s^2
FRICTION = 2.5e-3  # of the bottom, without a unit
SPACING = 5000.0  # m between grid points


def step(surface, u, v, depth, dt):
    """One time step, in place: the surface (m) in the cells, the velocities (m/s) at their faces."""
    u[:, 1:-1] -= dt * GRAVITY / SPACING * (surface[:, 1:] - surface[:, :-1])
    v[1:-1, :] -= dt * GRAVITY / SPACING * (surface[1:, :] - surface[:-1, :])
    water = depth + surface
    across = 0.5 * (water[:, 1:] + water[:, :-1])
    along = 0.5 * (water[1:, :] + water[:-1, :])
    u[:, 1:-1] /= 1.0 + dt * FRICTION * np.abs(u[:, 1:-1]) / across
    v[1:-1, :] /= 1.0 + dt * FRICTION * np.abs(v[1:-1, :]) / along
    east, north = np.zeros_like(u), np.zeros_like(v)
    east[:, 1:-1] = u[:, 1:-1] * across
    north[1:-1, :] = v[1:-1, :] * along
    surface -= dt / SPACING * (east[:, 1:] - east[:, :-1] + north[1:, :] - north[:-1, :])


def records(surface, depth, gauges, steps, dt):
    """The surface at each gauge after each step: steps x gauges, in m."""
    u = np.zeros((surface.shape[0], surface.shape[1] + 1))
    v = np.zeros((surface.shape[0] + 1, surface.shape[1]))
    heard = np.zeros((steps, len(gauges)))
    for n in range(steps):
        step(surface, u, v, depth, dt)
        for g, (j, i) in enumerate(gauges):
            heard[n, g] = surface[j, i]
    return heard


def misfit(surface, depth, observed, gauges, steps, dt):
    """Mean squared difference from the observed records, in m^2."""
    return np.mean((records(surface, depth, gauges, steps, dt) - observed) ** 2)


def shelf(n):
    """Depth in m: 3 km of ocean that rises to a shelf of 100 m in the east, with a seamount."""
    y, x = np.mgrid[0:n, 0:n] / (n - 1.0)
    slope = 1.0 / (1.0 + np.exp(30.0 * (x - 0.75)))
    return 100.0 + 2900.0 * slope - 1500.0 * np.exp(-150.0 * ((x - 0.5) ** 2 + (y - 0.65) ** 2))


def hidden_source(n):
    """A surface raised by up to 2 m above the ruptured sea floor, lowered beside it."""
    y, x = np.mgrid[0:n, 0:n] / (n - 1.0)
    hump = np.exp(-120.0 * (x - 0.3) ** 2 - 30.0 * (y - 0.4) ** 2)
    trough = np.exp(-120.0 * (x - 0.22) ** 2 - 30.0 * (y - 0.4) ** 2)
    return 2.0 * hump - 1.0 * trough


def point(points=200, steps=300):
    """The arguments of `misfit`: a calm sea, and the records of the hidden source at nine gauges along the coast."""
    depth = shelf(points)
    dt = 0.5 * SPACING / np.sqrt(2.0 * GRAVITY * np.max(depth))
    gauges = [(int(0.1 * k * points), int(0.8 * points)) for k in range(1, 10)]
    observed = records(hidden_source(points), depth, gauges, steps, dt)
    return np.zeros((points, points)), depth, observed, gauges, steps, dt


def main(arguments=None):
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--points", type=int, default=200, help="grid points in each direction")
    parser.add_argument("--steps", type=int, default=300, help="time steps")
    options = parser.parse_args(arguments)

    surface, depth, observed, gauges, steps, dt = point(options.points, options.steps)
    value = misfit(surface, depth, observed, gauges, steps, dt)
    print(f"misfit of a calm sea: {value:.6f} m^2 over {steps * dt / 3600.0:.1f} hours")
    return value


if __name__ == "__main__":
    main()
