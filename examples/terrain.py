"""Hillslope erosion of a real landscape: how far is the model from a target surface?

Soil creep moves material downhill, the faster the closer the slope S = |grad z| is to a critical slope Sc (Roering et
al. 1999, Water Resources Research 35(3)):

    dz/dt = -div q,    q = -k grad z / (1 - (S/Sc)^2)

The denominator is kept positive by a smooth floor, so slopes beyond Sc move fast but not infinitely fast. The terrain
is the Jacksboro fault, Tennessee, in three arc seconds (matplotlib's sample data); its rim is the fixed base level.

    python examples/terrain.py --steps 60            # the misfit
    daad grad examples/terrain.py -f misfit --wrt k  # its gradient with respect to the erodibility of every pixel
"""

import argparse

import matplotlib.cbook
import numpy as np

CRITICAL_SLOPE = 1.25  # rise over run
FLOOR = 0.1  # creep is at most 1 / FLOOR times what it is on flat land
ERODIBILITY = 0.004  # m^2 per year, the first guess everywhere
TIME_STEP = 10_000.0  # years; with ERODIBILITY and FLOOR the limit is about 15,000
METRES_PER_DEGREE = 111_320.0


def load_terrain(stride=1):
    """Elevations in metres (row 0 in the north) and the cell sizes dx, dy in metres."""
    dem = np.load(matplotlib.cbook.get_sample_data("jacksboro_fault_dem.npz", asfileobj=False))
    z = dem["elevation"][::stride, ::stride].astype(np.float64)
    latitude = np.deg2rad(0.5 * (dem["ymin"] + dem["ymax"]))
    dx = stride * METRES_PER_DEGREE * float(dem["dx"]) * float(np.cos(latitude))
    dy = stride * METRES_PER_DEGREE * float(dem["dy"])
    return z, dx, dy


def creep(k, slope, across):
    """The flux through cell faces, from the slope along the flux and the one across it."""
    steepness = (slope**2 + across**2) / CRITICAL_SLOPE**2
    room = 1.0 - steepness
    return -k * slope / (FLOOR + 0.5 * (room + np.sqrt(room**2 + FLOOR**2)))


def erode(z, k, steps, dt, dx, dy):
    """`steps` explicit time steps, in place; fluxes live on the faces between the cells."""
    kx = 0.5 * (k[1:-1, 1:] + k[1:-1, :-1])
    ky = 0.5 * (k[1:, 1:-1] + k[:-1, 1:-1])
    for _ in range(steps):
        slope_x = (z[1:-1, 1:] - z[1:-1, :-1]) / dx
        slope_y = (z[1:, 1:-1] - z[:-1, 1:-1]) / dy
        across_x = (z[2:, 1:] + z[2:, :-1] - z[:-2, 1:] - z[:-2, :-1]) / (4.0 * dy)
        across_y = (z[1:, 2:] + z[:-1, 2:] - z[1:, :-2] - z[:-1, :-2]) / (4.0 * dx)
        flux_x = creep(kx, slope_x, across_x)
        flux_y = creep(ky, slope_y, across_y)
        z[1:-1, 1:-1] -= dt * ((flux_x[:, 1:] - flux_x[:, :-1]) / dx + (flux_y[1:, :] - flux_y[:-1, :]) / dy)


def misfit(z, k, target, steps, dt, dx, dy):
    """Mean squared distance in m^2 between the eroded surface and the target; `z` is eroded in place."""
    erode(z, k, steps, dt, dx, dy)
    return np.mean((z - target) ** 2)


def hidden_erodibility(shape):
    """What made the target: bands of soft and hard rock along the strike of the ridges."""
    row, column = np.mgrid[0 : 1 : 1j * shape[0], 0 : 1 : 1j * shape[1]]
    return ERODIBILITY * (1.0 + 0.6 * np.sin(14.0 * (row + 0.8 * column)))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--steps", type=int, default=60, help="time steps of 10,000 years")
    parser.add_argument("--stride", type=int, default=1, help="take every n-th pixel of the terrain")
    options = parser.parse_args(arguments)

    z, dx, dy = load_terrain(options.stride)
    k = np.full(z.shape, ERODIBILITY)
    target = z.copy()
    erode(target, hidden_erodibility(z.shape), options.steps, TIME_STEP, dx, dy)
    distance = misfit(z, k, target, options.steps, TIME_STEP, dx, dy)
    print(f"{z.shape[0]} x {z.shape[1]} cells, {options.steps * TIME_STEP / 1e6:g} million years")
    print(f"misfit with uniform erodibility: {distance:.4f} m^2")
    return distance


if __name__ == "__main__":
    main()
