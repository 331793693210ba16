"""Flow in a cavity: a scan over time, a scan over the relaxations of the pressure; edges are padded on."""

import jax.numpy as jnp
from jax import lax


def slope_x(f, dx):
    return (f[1:-1, 2:] - f[1:-1, :-2]) / (2.0 * dx)


def slope_y(f, dy):
    return (f[2:, 1:-1] - f[:-2, 1:-1]) / (2.0 * dy)


def pressure_source(u, v, dt, dx, dy, rho):
    u_x, u_y, v_x, v_y = slope_x(u, dx), slope_y(u, dy), slope_x(v, dx), slope_y(v, dy)
    return rho * ((u_x + v_y) / dt - u_x**2 - 2.0 * u_y * v_x - v_y**2)


def relaxed(p, source, dx, dy, nit):
    scale = 0.5 / (dx**2 + dy**2)
    constant = dx**2 * dy**2 * scale * source
    weight_x, weight_y = dy**2 * scale, dx**2 * scale

    def relax(p, _):
        beside = p[1:-1, 2:] + p[1:-1, :-2]
        above_and_below = p[2:, 1:-1] + p[:-2, 1:-1]
        inner = weight_x * beside + weight_y * above_and_below - constant
        return jnp.pad(jnp.pad(inner, ((1, 0), (1, 1)), mode="edge"), ((0, 1), (0, 0))), None

    return lax.scan(relax, p, None, length=nit)[0]


def drift(f, u, v, dt, dx, dy, nu):
    middle = f[1:-1, 1:-1]
    upwind_x = (middle - f[1:-1, :-2]) / dx
    upwind_y = (middle - f[:-2, 1:-1]) / dy
    curvature_x = (f[1:-1, 2:] - 2.0 * middle + f[1:-1, :-2]) / dx**2
    curvature_y = (f[2:, 1:-1] - 2.0 * middle + f[:-2, 1:-1]) / dy**2
    convection = u[1:-1, 1:-1] * upwind_x + v[1:-1, 1:-1] * upwind_y
    return dt * (nu * (curvature_x + curvature_y) - convection)


def kernel(nx, ny, nt, nit, u, v, dt, dx, dy, p, rho, nu):
    def step(carry, _):
        u, v, p = carry
        p = relaxed(p, pressure_source(u, v, dt, dx, dy, rho), dx, dy, nit)
        du = drift(u, u, v, dt, dx, dy, nu) - dt / rho * slope_x(p, dx)
        dv = drift(v, u, v, dt, dx, dy, nu) - dt / rho * slope_y(p, dy)
        u = jnp.pad(u[1:-1, 1:-1] + du, 1).at[-1].set(1.0)
        v = jnp.pad(v[1:-1, 1:-1] + dv, 1)
        return (u, v, p), None

    (u, _, _), _ = lax.scan(step, (u, v, p), None, length=nt)
    return u
