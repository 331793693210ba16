"""What of the models of nature in reality.toml is differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, normal, stand_in, uniform


def nbody(code: Any) -> Case:
    stars = code.load()

    def program(pos, vel, mass, softening):  # type: ignore[no-untyped-def]
        total = 0.0
        for _ in range(20):
            vel = vel + 0.01 * stars.getAcc(pos, mass, 1.0, softening)
            pos = pos + 0.01 * vel
            total += sum(stars.getEnergy(pos, vel, mass, 1.0))
        return total

    return Case(
        program, lambda: (normal(1, 12, 3), normal(2, 12, 3), np.full((12, 1), 1.7), 0.1), "pos, mass, softening"
    )


def sph(code: Any) -> Case:
    gas = code.load()

    def program(pos, vel, h, nu):  # type: ignore[no-untyped-def]
        for _ in range(10):
            vel = vel + 0.04 * gas.getAcc(pos, vel, 0.1, h, 0.1, 1, 2.01, nu)
            pos = pos + 0.04 * vel
        return np.sum(gas.getDensity(pos, pos, 0.1, h))

    return Case(program, lambda: (normal(1, 20, 3), np.zeros((20, 3)), 0.4, 1.0), "pos, h, nu")


def springs(code: Any) -> Case:
    net = code.load()
    one, other = np.array([0, 1, 2, 0, 3, 4]), np.array([1, 2, 3, 3, 4, 0])

    def program(pos, vel, stiffness):  # type: ignore[no-untyped-def]
        for _ in range(10):
            vel = vel + 0.02 * net.getAcc(pos, vel, one, other, 1.0, stiffness, -0.1)
            pos, vel = net.applyBoundary(pos + 0.02 * vel, vel, 3.0)
        return np.sum(pos**2) + np.sum(vel**2)

    return Case(program, lambda: (uniform(2, 5, 2) * 2.5, normal(2, 5, 2), 40.0), "pos, vel, stiffness")


def euler(code: Any) -> Case:
    flow = code.load()
    dx = 1.0 / 16

    def program(rho, vx, gamma):  # type: ignore[no-untyped-def]
        conserved = flow.getConserved(rho, vx, 0.1 * vx.T, 2.5 * np.ones_like(rho), gamma, dx**2)
        for _ in range(2):
            faces = []
            for field in flow.getPrimitive(*conserved, gamma, dx**2):
                slopes = flow.slopeLimit(field, dx, *flow.getGradient(field, dx))
                faces.append(flow.extrapolateInSpaceToFace(field, *slopes, dx))
            d, u, v, p = faces
            along = flow.getFlux(d[0], d[1], u[0], u[1], v[0], v[1], p[0], p[1], gamma)
            mass, second, first, energy = flow.getFlux(d[2], d[3], v[2], v[3], u[2], u[3], p[2], p[3], gamma)
            across = (mass, first, second, energy)
            conserved = [flow.applyFluxes(c, a, b, dx, 0.01) for c, a, b in zip(conserved, along, across, strict=True)]
        return sum(np.sum(c**2) for c in conserved)

    return Case(program, lambda: (1.0 + uniform(1, 16, 16), 0.3 * normal(2, 16, 16), 5 / 3), "rho, vx, gamma")


def spectral_flow(code: Any) -> Case:
    flow = code.load()
    ky, kx = np.meshgrid(*2 * (2 * np.pi * np.fft.fftfreq(16, 1 / 16),), indexing="ij")
    square = kx**2 + ky**2
    inverse = 1.0 / np.where(square == 0, 1.0, square)

    def program(vx, vy, nu):  # type: ignore[no-untyped-def]
        for _ in range(2):
            dx, dy = flow.grad(vx, kx, ky)
            vx = flow.apply_dealias(vx - 0.001 * (vx * dx + vy * dy), square < 3000.0)
            pressure = flow.poisson_solve(flow.div(vx, vy, kx, ky), inverse)
            px, py = flow.grad(pressure, kx, ky)
            vx, vy = flow.diffusion_solve(vx - px, 0.001, nu, square), flow.diffusion_solve(vy - py, 0.001, nu, square)
        return np.sum(flow.curl(vx, vy, kx, ky) ** 2) / 1e4

    return Case(program, lambda: (normal(1, 16, 16), normal(2, 16, 16), 0.001), "vx, vy, nu")


def plasma(code: Any) -> Case:
    from scipy import sparse

    cells = code.load()
    gradient = sparse.csr_matrix(np.roll(np.eye(20), 1, 1) - np.roll(np.eye(20), -1, 1)) / 5.0
    laplace = sparse.csr_matrix(np.roll(np.eye(20), 1, 1) + np.roll(np.eye(20), -1, 1) - 2.01 * np.eye(20)) / 6.25

    def program(pos, vel):  # type: ignore[no-untyped-def]
        vel = vel + cells.getAcc(pos, 20, 50.0, 1.0, gradient, laplace)
        return np.sum(vel**2)

    return Case(program, lambda: (50 * uniform(1, 60, 1), normal(2, 60, 1)), "pos, vel")


def schroedinger(code: Any) -> Case:
    wave = code.load(xrange=range)

    def program(barrier, x0, width):  # type: ignore[no-untyped-def]
        x = 0.4 * (np.arange(64) - 32.0)
        packet = np.exp(-0.5 * ((x - x0) / width) ** 2 + 0.5j * x)
        state = wave.Schrodinger(x, packet, barrier * np.exp(-(x**2) / 4), hbar=1.0, m=1.9, k0=-5.0)
        for _ in range(4):
            state.time_step(0.05, 5)
        return np.sum(np.abs(state.psi_x) ** 2 * x)

    return Case(program, lambda: (1.5, -4.0, 1.3), "barrier, x0, width")


def iceflow(code: Any) -> Case:
    solver, tools = code.named("iceflow.solver").solver, code.named("iceflow.tools")

    def program(slope, height):  # type: ignore[no-untyped-def]
        data = tools.Data(24, 250000.0, 20, 200000.0)
        physics = tools.Physics(height, slope, 2.0, 910.0 * 9.81, data)
        surface, ice = solver(*physics.B.shape, 30, 10, 1e-6, 0.1, physics, data)
        return np.sum(ice) + np.sum(surface) / 1000

    return Case(program, lambda: (0.01, 3500.0), "slope, height")


def stable_fluids(code: Any) -> Case:
    fluid = code.load()

    def program(density, u, v, viscosity):  # type: ignore[no-untyped-def]
        older, forces = np.full((12, 12), 0.1), [np.zeros((12, 12)), np.full((12, 12), 0.05)]
        for _ in range(2):
            fluid.vel_step(10, u, v, *forces, viscosity, 0.1)
            fluid.dens_step(10, density, older, u, v, 0.01, 0.1)
        return np.sum(density**2) + np.sum(u * v)

    start = (uniform(1, 12, 12), 0.1 * normal(2, 12, 12), 0.1 * normal(3, 12, 12))
    return Case(program, lambda: (*(a.copy() for a in start), 0.001), "density, u, v, viscosity")


def boids(code: Any) -> Case:
    flock = code.load(until="\ndef update(").Flock(20)

    def program(position, velocity):  # type: ignore[no-untyped-def]
        flock.position, flock.velocity = position, velocity
        for _ in range(3):
            flock.run()
        return np.sum(flock.position**2) / 1000

    return Case(program, lambda: (100 + 100 * uniform(1, 20, 2), normal(2, 20, 2)), "position, velocity")


def traffic(code: Any) -> Case:
    road = code.load()

    def program(gap, speed):  # type: ignore[no-untyped-def]
        cars = [road.Vehicle({"T": gap, "x": 40.0 - 12.0 * k, "v": speed + k}) for k in range(4)]
        for _ in range(30):
            for k, car in enumerate(cars):
                car.update(cars[k - 1] if k else None, 1 / 6)
        return sum(car.x**2 for car in cars) / 1000

    return Case(program, lambda: (1.0, 8.0), "gap, speed")


def orbit(code: Any) -> Case:
    stand_in("spiceypy", pxform=None, sxform=None)
    numerics, orbits = code.named("numerical_tools"), code.named("orbit_calculations")

    def program(position, velocity):  # type: ignore[no-untyped-def]
        start = np.concatenate((position, velocity))
        _, states = numerics.propagate_ode(orbits.two_body_ode, start, 3000.0, 100.0)
        return numerics.norm(states[10, 3:]) + numerics.vecs2angle(states[0, :3], states[-1, :3])

    return Case(program, lambda: (np.array([7000.0, 100.0, 50.0]), np.array([0.1, 7.5, 1.0])), "position, velocity")


def lennard_jones(code: Any) -> Case:
    stand_in("tqdm", tqdm=None, trange=range)
    stand_in("pandas", read_table=None, read_csv=None)
    grid = 1.15 * np.stack(np.meshgrid(np.arange(3.0), np.arange(2.0), np.arange(2.0)), -1).reshape(-1, 3)
    grid += 0.05 * normal(1, 12, 3)
    solver = code.named("mdsolver").MDSolver(position=lambda: grid.copy(), dt=0.01, info=False)

    def program(r):  # type: ignore[no-untyped-def]
        v, a = 0.0 * r, solver.potential(r)[0]
        for _ in range(5):
            r, _, v, a, _ = solver.integrator(r, v, a)
        return np.sum(r**2) + np.sum(v**2)

    return Case(program, lambda: (grid.copy(),), "r")


def electromagnetics(code: Any) -> Case:
    stand_in("tqdm", tqdm=lambda items, **_: items)
    waves = code.named("fdtd")

    def program(permittivity, amplitude):  # type: ignore[no-untyped-def]
        grid = waves.Grid(shape=(20, 20, 1), permittivity=1.0)
        grid[0, :, :] = waves.PeriodicBoundary(name="left")
        grid[8:12, 8:12, 0] = waves.Object(permittivity=permittivity, name="block")
        grid[5, 5:10, 0] = waves.LineSource(period=10, amplitude=amplitude, name="source")
        for _ in range(12):
            grid.step()
        return np.sum(grid.E**2) + np.sum(grid.H**2)

    return Case(program, lambda: (2.5, 1.0), "permittivity, amplitude")


def seawater(code: Any) -> Case:
    ocean = code.named("seawater")

    def program(salinity, temperature, pressure):  # type: ignore[no-untyped-def]
        total = np.sum(ocean.dens(salinity, temperature, pressure)) / 1e3
        total += np.sum(ocean.svel(salinity, temperature, pressure)) / 1e3
        total += np.sum(ocean.alpha(salinity, temperature, pressure)) * 1e3
        return total + np.sum(ocean.ptmp(salinity, temperature, pressure)) + np.sum(ocean.fp(salinity, pressure))

    sea = (34 + uniform(1, 6), 10 * uniform(2, 6), 1000 * uniform(3, 6))
    return Case(program, lambda: sea, "salinity, temperature, pressure")


def rendering(code: Any) -> Case:
    for module in ("PIL", "PIL.Image"):
        stand_in(module)
    light = code.named("sightpy")

    def program(radius, height, brightness):  # type: ignore[no-untyped-def]
        np.random.seed(3)
        scene = light.Scene(ambient_color=light.rgb(0.05, 0.05, 0.05))
        eye, at = light.vec3(0.0, 0.25, -1.5), light.vec3(0.0, 0.25, -3.0)
        scene.add_Camera(look_from=eye, look_at=at, screen_width=8, screen_height=6)
        scene.add_DirectionalLight(Ldir=light.vec3(0.52, 0.45, 0.5), color=light.rgb(brightness, 0.15, 0.15))
        metal = light.vec3(0.15 + 3.58j, 0.4 + 2.37j, 1.54 + 1.91j)
        gold = light.Glossy(light.rgb(1.0, 0.572, 0.184), n=metal, roughness=0.2, spec_coeff=0.2, diff_coeff=0.8)
        scene.add(light.Sphere(material=gold, center=light.vec3(-0.3, height, -3.0), radius=radius, max_ray_depth=1))
        colour = light.ray.get_raycolor(scene.camera.get_ray(scene.n), scene=scene)
        return np.sum(colour.x) + np.sum(colour.y**2) + np.sum(colour.z)

    return Case(program, lambda: (0.6, 0.1, 0.15), "radius, height, brightness")


DRIVERS: dict[str, Callable[[Any], Case]] = {
    driver.__name__: driver
    for driver in (
        nbody,
        sph,
        springs,
        euler,
        spectral_flow,
        plasma,
        schroedinger,
        iceflow,
        stable_fluids,
        boids,
        traffic,
        orbit,
        lennard_jones,
        electromagnetics,
        seawater,
        rendering,
    )
}
