"""Calibrate an epidemic model to the influenza at an English boarding school in 1978.

The series is the number of boys in bed on each of 14 days, out of 763 (Anonymous, "Influenza in a boarding school",
British Medical Journal 1978; 1:587). The model is Kermack and McKendrick's SIR, integrated with the classical
Runge-Kutta method; infection rate, recovery rate and the infected on the first day are fitted by least squares:
SciPy's L-BFGS-B with daad's gradient.

    python examples/epidemic.py
"""

import argparse

import numpy as np
from scipy.optimize import minimize

import daad

IN_BED = np.array([3, 8, 26, 76, 225, 298, 258, 233, 189, 128, 68, 29, 14, 4], dtype=np.float64)
BOYS = 763.0


def rates_of_change(state, infection, recovery):
    """d/dt of (susceptible, infected, recovered), per day."""
    infected = infection * state[0] * state[1] / BOYS
    recovered = recovery * state[1]
    return np.array([-infected, infected - recovered, recovered])


def epidemic(theta, days, substeps):
    """The number of infected on each day; theta holds the logarithms of what is fitted, so all stay positive."""
    infection, recovery, first = np.exp(theta[0]), np.exp(theta[1]), np.exp(theta[2])
    state = np.array([BOYS - first, first, 0.0])
    step = 1.0 / substeps
    infected = np.zeros(days)
    infected[0] = first
    for day in range(1, days):
        for _ in range(substeps):
            k1 = rates_of_change(state, infection, recovery)
            k2 = rates_of_change(state + 0.5 * step * k1, infection, recovery)
            k3 = rates_of_change(state + 0.5 * step * k2, infection, recovery)
            k4 = rates_of_change(state + step * k3, infection, recovery)
            state = state + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        infected[day] = state[1]
    return infected


def misfit(theta, observed, substeps):
    """Mean squared error, in boys^2."""
    return np.mean((epidemic(theta, observed.size, substeps) - observed) ** 2)


def calibrate(observed, substeps, start):
    """The fitted (infection rate, recovery rate, first infected), the misfit at the start and at the end."""
    theta = np.log(np.array(start))
    fun, x0 = daad.grad(misfit, wrt="theta").as_scipy(theta, observed, substeps)
    result = minimize(fun, x0, jac=True, method="L-BFGS-B")
    return np.exp(result.x), fun.value(x0), result.fun


def plot(observed, fitted, substeps, path):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    days = 1 + np.arange(observed.size)
    axes.plot(days, epidemic(np.log(fitted), observed.size, substeps), label="SIR, fitted")
    axes.plot(days, observed, "o", label="in bed, BMJ 1978; 1:587")
    axes.set(xlabel="day", ylabel="boys")
    axes.legend()
    figure.savefig(path, dpi=150)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--days", type=int, default=IN_BED.size, help="use the first days of the series only")
    parser.add_argument("--substeps", type=int, default=24, help="time steps a day")
    parser.add_argument("--picture", help="write a plot to this file")
    options = parser.parse_args(arguments)

    observed = IN_BED[: options.days].copy()
    fitted, before, after = calibrate(observed, options.substeps, start=(1.0, 0.5, 1.0))
    infection, recovery, first = fitted
    print(f"misfit: {before:.1f} -> {after:.2f} boys^2 (a typical error of {np.sqrt(after):.1f} boys)")
    print(f"beta = {infection:.3f} per day, gamma = {recovery:.3f} per day, infected on day 1: {first:.2f}")
    print(f"R0 = {infection / recovery:.2f}, ill for {1.0 / recovery:.2f} days")
    if options.picture:
        plot(observed, fitted, options.substeps, options.picture)
    return {"beta": infection, "gamma": recovery, "first": first, "before": before, "after": after}


if __name__ == "__main__":
    main()
