"""Flow in a cavity with a moving lid: Navier-Stokes on a rectangle by finite differences, explicit in time.

Each step relaxes Poisson's equation for the pressure `nit` times and then moves the velocities.
"""

import numpy as np

SIZES = {
    "tiny": {"ny": 6, "nx": 7, "nt": 3, "nit": 2, "rho": 1.0, "nu": 0.1},
    "S": {"ny": 61, "nx": 61, "nt": 25, "nit": 5, "rho": 1.0, "nu": 0.1},
    "M": {"ny": 121, "nx": 121, "nt": 50, "nit": 10, "rho": 1.0, "nu": 0.1},
    "L": {"ny": 201, "nx": 201, "nt": 100, "nit": 20, "rho": 1.0, "nu": 0.1},
    "paper": {"ny": 101, "nx": 101, "nt": 700, "nit": 50, "rho": 1.0, "nu": 0.1},
}
OUTPUT = "u"


def initialise(ny, nx, nt, nit, rho, nu):
    rng = np.random.default_rng(42)
    u, v, p = (0.01 * rng.random((ny, nx)) for _ in range(3))
    dx, dy = 2.0 / (nx - 1), 2.0 / (ny - 1)
    return nx, ny, nt, nit, u, v, 0.025 * dx * dy, dx, dy, p, rho, nu


def slope_x(f, dx):
    return (f[1:-1, 2:] - f[1:-1, :-2]) / (2.0 * dx)


def slope_y(f, dy):
    return (f[2:, 1:-1] - f[:-2, 1:-1]) / (2.0 * dy)


def pressure_source(u, v, dt, dx, dy, rho):
    u_x, u_y, v_x, v_y = slope_x(u, dx), slope_y(u, dy), slope_x(v, dx), slope_y(v, dy)
    return rho * ((u_x + v_y) / dt - u_x**2 - 2.0 * u_y * v_x - v_y**2)


def relax(p, source, dx, dy):
    old = p.copy()
    beside = (old[1:-1, 2:] + old[1:-1, :-2]) * dy**2
    above_and_below = (old[2:, 1:-1] + old[:-2, 1:-1]) * dx**2
    p[1:-1, 1:-1] = (beside + above_and_below - dx**2 * dy**2 * source) / (2.0 * (dx**2 + dy**2))
    p[:, -1] = p[:, -2]
    p[0, :] = p[1, :]
    p[:, 0] = p[:, 1]
    p[-1, :] = 0.0


def drift(f, u, v, dt, dx, dy, nu):
    middle = f[1:-1, 1:-1]
    upwind_x = (middle - f[1:-1, :-2]) / dx
    upwind_y = (middle - f[:-2, 1:-1]) / dy
    curvature_x = (f[1:-1, 2:] - 2.0 * middle + f[1:-1, :-2]) / dx**2
    curvature_y = (f[2:, 1:-1] - 2.0 * middle + f[:-2, 1:-1]) / dy**2
    convection = u[1:-1, 1:-1] * upwind_x + v[1:-1, 1:-1] * upwind_y
    return dt * (nu * (curvature_x + curvature_y) - convection)


def set_edges(f, lid):
    f[0, :] = 0.0
    f[:, 0] = 0.0
    f[:, -1] = 0.0
    f[-1, :] = lid


def kernel(nx, ny, nt, nit, u, v, dt, dx, dy, p, rho, nu):
    for _ in range(nt):
        source = pressure_source(u, v, dt, dx, dy, rho)
        for _ in range(nit):
            relax(p, source, dx, dy)
        du = drift(u, u, v, dt, dx, dy, nu) - dt / rho * slope_x(p, dx)
        dv = drift(v, u, v, dt, dx, dy, nu) - dt / rho * slope_y(p, dy)
        u[1:-1, 1:-1] += du
        v[1:-1, 1:-1] += dv
        set_edges(u, 1.0)
        set_edges(v, 0.0)
