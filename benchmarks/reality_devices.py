"""Whole programs of other people: steam, propellers, the climate's energy balance, rotations."""

from __future__ import annotations

import configparser
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, stand_in


def properties_of_steam(code: Any) -> Case:
    steam = code.named("iapws")

    def program(temperature, pressure):  # type: ignore[no-untyped-def]
        state = steam.IAPWS95(P=pressure, T=temperature)
        return state.h + state.s + state.rho

    return Case(program, lambda: (320.0, 3.0), "temperature, pressure")


def propeller(code: Any) -> Case:
    if not hasattr(configparser, "SafeConfigParser"):
        vars(configparser)["SafeConfigParser"] = configparser.ConfigParser
    solver = code.named("pybemt.solver").Solver(str(code.folder / "examples" / "propeller.ini"))

    def program(speed, turns):  # type: ignore[no-untyped-def]
        thrust, torque, power = solver.solve(solver.rotor, 0.0, turns, speed, solver.rotor.diameter)
        return 10.0 * thrust / power + torque

    return Case(program, lambda: (solver.v_inf + 3.0, solver.rpm), "speed, turns")


def energy_balance(code: Any) -> Case:
    for name in ("netCDF4", "pooch"):
        stand_in(name, Dataset=object)
    stand_in("tqdm")
    stand_in("tqdm.auto", tqdm=iter)
    balance = code.named("fair.energy_balance_model")

    def program(capacity, transfer):  # type: ignore[no-untyped-def]
        model = balance.EnergyBalanceModel(
            ocean_heat_capacity=capacity,
            ocean_heat_transfer=transfer,
            deep_ocean_efficacy=1.2,
            stochastic_run=False,
            n_timesteps=12,
        )
        model.add_forcing(forcing=np.linspace(0, 4, 12), timestep=1)
        model.run()
        return np.sum(model.temperature**2)

    given = (np.array([5.0, 20.0, 100.0]), np.array([1.3, 1.6, 0.9]))
    return Case(program, lambda: given, "capacity, transfer")


def turned_frames(code: Any) -> Case:
    quaternion = code.named("pyquaternion").Quaternion

    def program(given, vector):  # type: ignore[no-untyped-def]
        one, other = quaternion(given).normalised, quaternion(axis=[0.0, 1.0, 0.0], angle=0.4)
        between = quaternion.slerp(one, other, 0.3)
        turned = (one * other * between).rotate(vector)
        return np.sum(turned * np.array([1.0, 2.0, 3.0])) + between.angle + quaternion.distance(one, other)

    given = (np.array([1.0, 0.2, 0.3, 0.4]), np.array([1.0, 2.0, 0.5]))
    return Case(program, lambda: given, "given, vector")


DEVICES: tuple[Callable[[Any], Case], ...] = (
    properties_of_steam,
    propeller,
    energy_balance,
    turned_frames,
)
DRIVERS: dict[str, Callable[[Any], Case]] = {one.__name__: one for one in DEVICES}
