"""What of the models of flight, light, climate, motion and learning in reality.toml is differentiated."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, bare_package, normal, stand_in, uniform


def reflectivity(code: Any) -> Case:
    bare_package("bruges", code)
    rocks = code.named("bruges.reflection.reflection")

    def program(vp, vs, rho):  # type: ignore[no-untyped-def]
        exact = rocks.reflectivity(vp, vs, rho, theta=15.0)
        near = rocks.shuey(vp[0], vs[0], rho[0], vp[1], vs[1], rho[1], theta1=np.array([0.0, 10.0, 20.0]))
        return np.sum(np.abs(exact) ** 2) + np.sum(np.real(near))

    layers = [2300.0, 2500.0, 2900.0], [900.0, 1200.0, 1500.0], [2.1, 2.2, 2.4]
    return Case(program, lambda: tuple(map(np.array, layers)), "vp, vs, rho")


def topology(code: Any) -> Case:
    stand_in("mmapy", mmasub=None, subsolv=None)
    structure = code.load()

    def program(volume, penalty):  # type: ignore[no-untyped-def]
        x = volume * np.linspace(0.5, 1.5, 12)
        new, excess = structure.oc(4, 3, x, volume, -2.0 * penalty * x ** (penalty - 1), np.ones(12), 0.0)
        return np.sum(new**2) + excess + np.sum(structure.lk())

    return Case(program, lambda: (0.4, 3.0), "volume, penalty")


def climate(code: Any) -> Case:
    for name in ("tqdm", "xarray", "pandas"):
        stand_in(name)
    bare_package("fair", code)
    balance = code.named("fair.energy_balance_model")

    def program(capacity, transfer, forcing, efficacy):  # type: ignore[no-untyped-def]
        model = balance.EnergyBalanceModel(capacity, transfer, deep_ocean_efficacy=efficacy)
        model.add_forcing(forcing, 1)
        model.run()
        return np.sum(model.temperature**2) + np.sum(model.ocean_heat_content_change) * 1e-24

    oceans = np.array([5.0, 20.0, 100.0]), np.array([1.3, 2.0, 0.6])
    return Case(program, lambda: (*oceans, np.linspace(0, 4, 15), 1.2), "capacity, transfer, forcing, efficacy")


def diffraction(code: Any) -> Case:
    stand_in("progressbar")
    stand_in("PIL", Image=None)
    light = code.named("diffractsim.monochromatic_simulator")

    def program(wavelength, distance, aperture):  # type: ignore[no-untyped-def]
        field = light.MonochromaticField(wavelength, 2e-3, 2e-3, 24, 24, intensity=2.0)
        field.E = field.E * np.exp(-(field.xx**2 + field.yy**2) / aperture**2)
        field.propagate(distance)
        seen = field.get_intensity()
        return np.sum(seen**2) + np.sum(seen * (field.xx > 0))

    return Case(program, lambda: (6.3e-7, 0.5, 4e-4), "wavelength, distance, aperture")


def vortex_lattice(code: Any) -> Case:
    wings = code.named("vlm.vlm")

    def program(chord, sweep, alpha):  # type: ignore[no-untyped-def]
        wing = wings.PyVLM()
        wing.add_wing([np.array([0.0, 0.0]), np.array([sweep, 3.0])], [chord, 0.8], 1, 2)
        wing.vlm(alpha)
        return np.sum(wing.AIC**2) / 10 + sum(panel.l for panel in wing.Panels)

    return Case(program, lambda: (1.2, 0.4, 5.0), "chord, sweep, alpha")


def poses(code: Any) -> Case:
    stand_in("future")
    stand_in("future.utils", with_metaclass=lambda kind, *bases: kind("Base", bases or (object,), {}))
    bare_package("liegroups", code)
    bare_package("liegroups.numpy", code).__path__ = [str(code.folder / "liegroups/numpy")]
    motion = code.named("liegroups.numpy.se3").SE3Matrix

    def program(twists, points):  # type: ignore[no-untyped-def]
        pose = motion.exp(twists[0]).dot(motion.exp(twists[1])).inv()
        moved = np.sum(pose.dot(points) ** 2) + np.sum(pose.log() ** 2)
        return moved + np.sum(pose.adjoint()) + np.sum(motion.left_jacobian(twists[0]))

    return Case(program, lambda: (0.4 * normal(1, 2, 6), normal(2, 5, 3)), "twists, points")


def pendulum(code: Any) -> Case:
    mechanics = code.named("pyro.dynamic.pendulum")

    def program(x, u, mass):  # type: ignore[no-untyped-def]
        system = mechanics.DoublePendulum()
        system.m1 = mass
        for _ in range(5):
            x = x + 0.02 * system.f(x, u, 0)
        return np.sum(x**2) + np.sum(system.H(x[:2]))

    return Case(program, lambda: (np.array([0.3, -0.2, 0.5, 0.1]), np.array([0.4, 0.2]), 1.3), "x, u, mass")


def projection(code: Any) -> Case:
    vars(code.named("mpl_toolkits.axes_grid1")).setdefault("AxesGrid", None)  # Matplotlib has it no more
    flow = code.load(until="nx = 128")

    def program(u, v):  # type: ignore[no-untyped-def]
        grid = flow.Grid(6, 6)
        fields = grid.scratch_array(), grid.scratch_array()
        for field, inside in zip(fields, (u, v), strict=True):
            field[1:-1, 1:-1] = inside
            grid.fill_BC(field)
        source = flow.divU(grid, *fields)
        flow.smooth(grid, source - np.mean(source[1:-1, 1:-1]), 0.05)
        return sum(np.sum((f - g) ** 2) for f, g in zip(fields, flow.gradphi(grid, grid.phi), strict=True))

    return Case(program, lambda: (normal(1, 6, 6), normal(2, 6, 6)), "u, v")


def boltzmann_machine(code: Any) -> Case:
    machines = code.named("mla.rbm")

    def program(x, rate):  # type: ignore[no-untyped-def]
        np.random.seed(1)
        machine = machines.RBM(n_hidden=3, learning_rate=rate, batch_size=4, max_epochs=2)
        machine.fit(x)
        return np.sum(machine.W**2) + np.sum(machine.bias_v)

    return Case(program, lambda: (uniform(1, 8, 5), 0.1), "x, rate", tolerance=1e-3)  # biases of 32 bits


def attitude(code: Any) -> Case:
    bare_package("ahrs", code)
    bare_package("ahrs.filters", code).__path__ = [str(code.folder / "ahrs/filters")]
    filters = code.named("ahrs.filters.ekf")

    def program(gyr, acc, mag):  # type: ignore[no-untyped-def]
        return np.sum(filters.EKF(gyr=gyr, acc=acc, mag=mag, magnetic_ref=60.0).Q[-1] * np.arange(1.0, 5.0))

    return Case(program, lambda: (0.3 * normal(1, 4, 3), normal(2, 4, 3), normal(3, 4, 3)), "gyr, acc, mag")


def reaction(code: Any) -> Case:
    flame = code.load(until="kappa = 0.1\ntau")

    def program(start, kappa):  # type: ignore[no-untyped-def]
        grid = flame.Grid(12, ng=1, xmax=1.0, vars=["phi"])
        phi = grid.data["phi"]
        phi[grid.ilo : grid.ihi + 1] = start
        for _ in range(3):
            grid.fillBC("phi")
            phi[grid.ilo : grid.ihi + 1] = flame.diffuse(grid, phi, kappa, 1e-2)[grid.ilo : grid.ihi + 1]
        return np.sum(phi**2) + flame.interpolate(grid.x, phi, 0.55)

    return Case(program, lambda: (np.linspace(1, 0.1, 12) + 0.01 * uniform(1, 12), 0.1), "start, kappa")


def regulator(code: Any) -> Case:
    control = code.load(until="if __name__")

    def program(a, q):  # type: ignore[no-untyped-def]
        gain = control.dlqr_with_iteration(np.matrix(a), np.matrix([0.0, 1]).T, np.matrix(q), np.matrix([[1.0]]))
        return np.sum(np.asarray(gain) ** 2)

    return Case(program, lambda: (np.array([[1.0, 1], [0, 1]]), np.array([[1.0, 0], [0, 0.3]])), "a, q")


def exoplanet(code: Any) -> Case:
    package = bare_package("radvel", code)
    package.orbit, package.kepler = code.named("radvel.orbit"), sys.modules["radvel.kepler"]
    times = np.linspace(0, 30, 25)

    def program(period, start, eccentricity, angle, amplitude):  # type: ignore[no-untyped-def]
        elements = [period, start, eccentricity, angle, amplitude]
        return np.sum(package.kepler.rv_drive(times, elements, use_c_kepler_solver=False) ** 2)

    return Case(program, lambda: (9.3, 1.2, 0.4, 0.7, 5.0), "period, start, eccentricity, angle, amplitude")


DRIVERS: dict[str, Callable[[Any], Case]] = {
    driver.__name__: driver
    for driver in (
        reflectivity,
        topology,
        climate,
        diffraction,
        vortex_lattice,
        poses,
        pendulum,
        projection,
        boltzmann_machine,
        attitude,
        reaction,
        regulator,
        exoplanet,
    )
}
