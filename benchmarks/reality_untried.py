"""Drivers of more such programs: polarised light, options, attitudes, flows in pictures, molecules, gliders, movements,
grains, breaking water, the sea, gates of qubits."""

from __future__ import annotations

import collections
import collections.abc
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.reality_case import Case, normal, plain, uniform
from benchmarks.reality_pages import bare
from benchmarks.reality_unseen import made


def light_that_turns(code: Any) -> Case:
    bare(code, "pypolar")
    parts = ("ellipsometry", "fresnel", "mueller", "jones")
    ellipsometry, fresnel, mueller, jones = (code.named(f"pypolar.{part}") for part in parts)
    phi = np.linspace(0, 2 * np.pi, 13)[:-1]

    def program(n, k, angle, polariser, tanpsi, delta, theta):  # type: ignore[no-untyped-def]
        m = n - 1j * k
        signal = ellipsometry.rotating_analyzer_signal_from_m(phi, m, angle, polariser)
        found, _ = ellipsometry.m_from_rotating_analyzer_data(phi, signal, angle, polariser)
        ratio, phase = ellipsometry.tanpsi_Delta_from_rho(ellipsometry.rho_from_m(m, angle))
        reflected = fresnel.R_unpolarized(m, angle) + fresnel.T_unpolarized(1.5, angle) + fresnel.brewster(1.5)
        turned = mueller.op_retarder(0.3, delta) @ mueller.op_rotation(0.2) @ mueller.stokes_elliptical(0.8, theta, 0.2)
        stokes = mueller.op_linear_polarizer(theta) @ turned
        field = jones.op_half_wave_plate(0.1) @ jones.field_elliptical(theta, tanpsi, 0.1, 1.2)
        field = jones.op_retarder(theta, delta) @ field
        matrix = jones.jones_op_to_mueller_op(jones.op_retarder(theta, delta) @ jones.op_attenuator(0.8))
        other = mueller.stokes_to_jones(mueller.stokes_elliptical(1.0, theta, 0.2))
        optics = np.sum(signal**2) + np.real(found) + 2 * np.imag(found) + ratio + phase + reflected
        ellipses = mueller.ellipse_orientation(stokes) + jones.ellipse_azimuth(field) + jones.ellipticity_angle(field)
        sums = np.sum(matrix**3) + np.sum(stokes**2) + np.sum(np.abs(other) ** 4) + jones.amplitude_ratio(field)
        return optics + ellipses + sums + np.sum(jones.jones_to_stokes(field) * np.arange(4))

    arguments = (1.6, 0.4, 1.1, 0.6, 0.5, 1.3, 0.4)
    return Case(program, lambda: arguments, "n, k, angle, polariser, tanpsi, delta, theta")


def options_of_a_bank(code: Any) -> Case:
    option = code.named("quantsbin.derivativepricing").EqOption

    def program(spot, volatility, rate, strike, dividend):  # type: ignore[no-untyped-def]
        put = option(option_type="Put", expiry_type="American", strike=strike, expiry_date="20181231")
        call = option(option_type="Call", strike=strike, expiry_date="20181231")
        market = {"spot0": spot, "rf_rate": rate, "volatility": volatility, "pricing_date": "20180531"}
        formula = call.engine(model="BSM", yield_div=dividend, **market)
        tree = put.engine(model="Binomial", no_of_steps=6, yield_div=dividend, **market)
        paths = call.engine(model="MC_GBM", no_of_path=20, no_of_steps=4, seed=3, antithetic=True, **market)
        dates = {"div_list": [("20180815", 1.0)], "seed": 3}
        exercised = put.engine(model="MC_GBM", no_of_path=30, no_of_steps=4, **dates, **market)
        values = formula.valuation() + tree.valuation() + paths.valuation() + exercised.valuation()
        return values + 0.1 * sum(value for value in formula.risk_parameters().values() if value is not None)

    return Case(program, lambda: (100.0, 0.25, 0.05, 104.0, 0.02), "spot, volatility, rate, strike, dividend", 1e-4)


def attitude_of_a_sensor(code: Any) -> Case:
    bare(code, "ahrs")
    mahony, madgwick = code.named("ahrs.filters.mahony").Mahony, code.named("ahrs.filters.madgwick").Madgwick
    kalman = code.named("ahrs.filters.ekf").EKF

    def program(gyr, acc, mag, gain, beta, noise):  # type: ignore[no-untyped-def]
        first = mahony(gyr=gyr, acc=acc, mag=mag, frequency=50.0, k_P=gain, k_I=0.2).Q
        second = madgwick(gyr=gyr, acc=acc, frequency=50.0, gain=beta).Q
        noises = [0.09, noise, 0.64]
        third = kalman(gyr=gyr, acc=acc, mag=mag, frequency=50.0, magnetic_ref=60.0, noises=noises).Q
        return np.sum((first + second + third) * np.arange(4.0)) + np.sum(first**3) + np.sum(third[-1] ** 3)

    acc, mag = np.array([0.5, 0.3, 9.6]) + 0.2 * normal(1, 6, 3), np.array([20.0, 3.0, 40.0]) + normal(2, 6, 3)
    arguments = (0.3 * normal(0, 6, 3), acc, mag, 1.0, 0.05, 0.25)
    return Case(program, lambda: arguments, "gyr, acc, mag, gain, beta, noise", 1e-4)


def velocities_in_pictures(code: Any) -> Case:
    bare(code, "openpiv")
    search, smoothn = code.named("openpiv.pyprocess").extended_search_area_piv, code.named("openpiv.smoothn").smoothn
    y, x = np.mgrid[0:32, 0:32]
    spots = np.random.default_rng(0).uniform(0, 32, (60, 2))

    def frame(dx: float, dy: float) -> np.ndarray:
        away = [(x - a - dx) ** 2 + (y - b - dy) ** 2 for a, b in spots]
        return np.sum([np.exp(-one / 3.0) for one in away], axis=0)

    def program(a, b):  # type: ignore[no-untyped-def]
        usual = {"overlap": 8, "dt": 0.5, "search_area_size": 16, "sig2noise_method": None}
        u, v, _ = search(a, b, window_size=16, subpixel_method="gaussian", **usual)
        linear = {"correlation_method": "linear", "normalized_correlation": True, "subpixel_method": "parabolic"}
        other = search(a, b, window_size=12, **linear, **usual)
        return np.sum(u) + np.sum(v**2) + np.sum(other[0] * other[1]) + np.sum(smoothn(u, s=0.5)[0] ** 2)

    return Case(program, lambda: (frame(0, 0), frame(1.3, 0.6)), "a, b", 1e-4)


def heat_of_molecules(code: Any) -> Case:
    made("pygal", XY=object, style=SimpleNamespace())
    made("ase")
    made("ase.thermochemistry")
    molecule, nasa = code.named("pmutt.statmech").StatMech, code.named("pmutt.empirical.nasa").Nasa
    vib, rot, trans, elec = (code.named(f"pmutt.statmech.{part}") for part in ("vib", "rot", "trans", "elec"))

    def program(waves, turns, mass, energy, T, P, a):  # type: ignore[no-untyped-def]
        water = molecule(
            name="H2O",
            vib_model=vib.HarmonicVib(vib_wavenumbers=waves),
            rot_model=rot.RigidRotor(symmetrynumber=2, geometry="nonlinear", rot_temperatures=turns),
            trans_model=trans.FreeTrans(n_degrees=3, molecular_weight=mass),
            elec_model=elec.GroundStateElec(potentialenergy=energy, spin=0),
        )
        soft, crystal = vib.QRRHOVib(vib_wavenumbers=waves, Bav=1e-44), vib.EinsteinVib(einstein_temperature=300.0)
        fit = nasa(name="fit", T_low=200.0, T_mid=1000.0, T_high=3000.0, a_low=a, a_high=a * 1.1)
        known = 1e-2 * water.get_GoRT(T=T, P=P) + water.get_CpoR(T=T) + water.get_SoR(T=T, P=P)
        other = soft.get_SoR(T=T) + crystal.get_CvoR(T=T)
        return known + other + fit.get_GoRT(T=T) + fit.get_CpoR(T=1.5e3 + T)

    waves, turns = np.array([3825.0, 3710.0, 1582.0]), np.array([40.1, 20.9, 13.4])
    fit = np.array([4.0, 1e-3, -2e-6, 3e-9, -1e-12, -300.0, 1.0])
    return Case(program, lambda: (waves, turns, 18.015, -14.2, 400.0, 1.0, fit), "waves, turns, mass, energy, T, P, a")


def glider_in_the_sea(code: Any) -> Case:
    glider = code.load("gliderflight/gliderflight.py")
    solved, t = glider.fsolve, np.arange(0, 24, 2.0)
    pressure, still = 2 + 0.3 * t, {"Vg": 70 / 1004, "ah": 3.5}

    def one_root(*given, **options):  # type: ignore[no-untyped-def]
        """NumPy no longer takes an array of one element for a number."""
        roots, *rest = solved(*given, **options)
        return (roots[0], *rest)

    glider.fsolve = one_root

    def program(pitch, density, oil, drag, mass):  # type: ignore[no-untyped-def]
        steady = glider.SteadyStateGliderModel(rho0=1004)
        steady.pitch_i = np.linspace(0.05, 1.0, 8)
        steady.define(mg=mass, Cd0=drag, **still)
        given = {"time": t, "pressure": pressure, "pitch": pitch, "buoyancy_change": oil, "density": density}
        flown = steady.solve(given)
        moving = glider.DynamicGliderModel(rho0=1004, k1=0.2, k2=0.98, dt=2)
        moving.define(mg=mass, Cd0=drag, **still)
        masses = np.array(moving.compute_inverted_mass_matrix(pitch))
        up, down = moving.compute_FB_and_Fg(pressure * 1e5, density, oil * 1e-6)
        u, w = 0.2 * np.ones(12), -0.1 * np.ones(12)
        u, w = moving.RK4(2.0, masses, up - down, pitch, density, pressure < 1, None, u, w)
        return np.sum(flown.U) + np.sum(flown.w**2) + np.sum(u) + np.sum(w**2)

    arguments = (-0.4 - 0.05 * uniform(0, 12), 1004 + 2 * uniform(1, 12), -200 - 30 * uniform(2, 12), 0.16, 70.1)
    return Case(program, lambda: arguments, "pitch, density, oil, drag, mass", 1e-4)


def movements_that_are_shown(code: Any) -> Case:
    bare(code, "movement_primitives", "movement_primitives.dmp")
    dynamic = code.named("movement_primitives.dmp._dmp").DMP
    arriving = code.named("movement_primitives.dmp._dmp_with_final_velocity").DMPWithFinalVelocity
    probable, T = code.named("movement_primitives.promp").ProMP, np.linspace(0, 1, 11)
    sizes = {"n_dims": 2, "execution_time": 1.0, "dt": 0.1, "n_weights_per_dim": 4, "int_dt": 0.05}

    def program(Y, goal, start, place):  # type: ignore[no-untyped-def]
        first = dynamic(**sizes)
        first.imitate(T, Y, regularization_coefficient=1e-2)
        first.configure(start_y=start, goal_y=goal)
        path = first.open_loop(step_function="rk4")[1]
        second = arriving(**sizes)
        second.imitate(T, Y, regularization_coefficient=1e-2)
        second.configure(start_y=start, goal_y=goal, goal_yd=np.array([0.1, 0.2]))
        other = second.open_loop()[1]
        third = probable(n_dims=2, n_weights_per_dim=4)
        third.imitate([T, T, T], [Y, Y * 1.2, Y + 0.3 * np.sin(3 * Y)], n_iter=3)
        through = third.condition_position(place, y_cov=0.01 * np.eye(2), t=0.4)
        found = np.sum(through.mean_trajectory(T) ** 2) + np.sum(through.var_trajectory(T))
        return np.sum(path**2) + np.sum(other * np.arange(2)) + found + np.sum(third.mean_velocities(T) * T[:, None])

    shown = np.stack([np.sin(2 * T), T**2], 1) + 0.02 * normal(0, 11, 2)
    arguments = (shown, np.array([1.0, 1.2]), np.array([0.1, -0.1]), np.array([0.5, 0.3]))
    return Case(program, lambda: arguments, "Y, goal, start, place", 1e-4)


def grains_that_part(code: Any) -> Case:
    steps = code.load("new_integrator.py")

    def program(c, v, D, dt):  # type: ignore[no-untyped-def]
        for _ in range(4):
            c = steps.RK3(c, v, 0.05, dt, 0)
            c = steps.diffusion(c, D, 0.05, dt, 0)
            c = c + steps.RK4(c, v, 0.05, dt, 0) + steps.Euler(c, v, 0.05, dt, 1)
        return np.sum(c**2) + np.sum(c * np.arange(8.0))

    return Case(program, lambda: (0.3 + 0.4 * uniform(0, 20, 8), -uniform(1, 20, 8), 5e-3, 1e-3), "c, v, D, dt")


def water_that_breaks(code: Any) -> Case:
    made("numba", jit=plain, njit=plain, prange=range)
    made("h5py")
    made("pyro._version", version="4")
    made("pyro.util.io_pyro", read=None, read_bcs=None)
    run = code.named("pyro.pyro_sim").Pyro
    quiet = {"driver.max_steps": 3, "driver.verbose": 0, "io.do_io": 0, "vis.dovis": 0}

    def program(height, gravity):  # type: ignore[no-untyped-def]
        shallow = run("swe")
        given = {"mesh.nx": 10, "mesh.ny": 8, "swe.grav": gravity, **quiet}
        shallow.initialize_problem("dam", inputs_dict=given)
        shallow.sim.cc_data.get_var("height")[4:-4, 4:-4] = height
        for _ in range(3):
            shallow.single_step()
        found = shallow.sim.cc_data
        return np.sum(found.get_var("height").v() ** 2) + np.sum(found.get_var("x-momentum").v() * np.arange(8.0))

    return Case(program, lambda: (1 + 0.3 * uniform(0, 10, 8), 1.0), "height, gravity", 1e-4)


def gates_of_qubits(code: Any) -> Case:
    collections.Sequence = collections.abc.Sequence  # type: ignore[attr-defined]
    names = ("Gate", "Measurement", "UnaryClassicalInstruction", "BinaryClassicalInstruction", "Addr", "DefGate")
    made("pyquil")
    made("pyquil.quilbase", np=np, **{name: type(name, (), {}) for name in names})
    made("pyquil.paulis", PauliSum=type("PauliSum", (), {}))
    bare(code, "referenceqvm")
    unitary, gates = code.named("referenceqvm.unitary_generator"), code.named("referenceqvm.gates").gate_matrix

    def program(angles):  # type: ignore[no-untyped-def]
        state = np.zeros(8, complex)
        state[0] = 1.0
        for layer in angles:
            for qubit in range(3):
                state = unitary.apply_gate(gates["RX"](layer[qubit, 0]), [qubit], 3).dot(state)
                state = unitary.lifted_gate(qubit, gates["RZ"](layer[qubit, 1]), 3).dot(state)
            state = unitary.apply_gate(gates["CNOT"], [0, 2], 3).dot(state)
            state = unitary.apply_gate(gates["CPHASE"](layer[0, 0] * 0.5), [2, 1], 3).dot(state)
        return np.sum(np.abs(state) ** 2 * np.arange(8)) + np.sum(np.angle(state)[1:3])

    return Case(program, lambda: (normal(0, 2, 3, 2),), "angles")


def water_of_the_sea(code: Any) -> Case:
    bare(code, "seawater")
    density, heat, misc, salinity = (code.named(f"seawater.{part}") for part in ("density", "heat", "misc", "salinity"))

    def program(S, T, P, conductivity):  # type: ignore[no-untyped-def]
        slopes = density.alpha(S, T, P) + density.beta(S, T, P)
        weight = density.dens(S, T, P) + density.svan(S, T, P) * 1e-2 + 1e3 * slopes + density.drhodt(S, T, P)
        warmth = heat.heatcap(S, T, P) * 1e-3 + heat.adtgrad(S, T, P) * 1e3 + heat.temppot(S, T, P)
        other = misc.freezept(S, P) + misc.soundvel(S, T, P) * 1e-2 + misc.depth(P, 60.0) * 1e-2
        salt = salinity.salt(conductivity, T, P) + salinity.cond(S, T, P) + heat.temppot0(S, T, P)
        return np.sum(weight) + np.sum(warmth**2) + np.sum(other) + np.sum(salt)

    arguments = (33 + 2 * uniform(0, 5), 5 + 10 * uniform(1, 5), 1000 * uniform(2, 5), 0.9 + 0.3 * uniform(3, 5))
    return Case(program, lambda: arguments, "S, T, P, conductivity")


DRIVERS = {
    "water_of_the_sea": water_of_the_sea,
    "light_that_turns": light_that_turns,
    "options_of_a_bank": options_of_a_bank,
    "attitude_of_a_sensor": attitude_of_a_sensor,
    "velocities_in_pictures": velocities_in_pictures,
    "heat_of_molecules": heat_of_molecules,
    "glider_in_the_sea": glider_in_the_sea,
    "movements_that_are_shown": movements_that_are_shown,
    "grains_that_part": grains_that_part,
    "water_that_breaks": water_that_breaks,
    "gates_of_qubits": gates_of_qubits,
}
