"""Programs as functions of one vector, for SciPy's optimisers and solvers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize, sparse
from scipy.sparse.linalg import LinearOperator, splu

import daad

TIMES = np.linspace(0.0, 3.0, 20)
DATA = 2.0 * np.exp(-0.7 * TIMES) + 0.1


def misfit(p: dict[str, Any], data: np.ndarray) -> float:
    found = p["amplitude"] * np.exp(-p["rate"] * TIMES) + p["offset"][0]
    return np.sum((found - data) ** 2)


def residuals(amplitude: float, rate: float, data: np.ndarray) -> np.ndarray:
    return amplitude * np.exp(-rate * TIMES) + 0.1 - data


def rosenbrock(x: np.ndarray) -> float:
    total = 0.0
    for i in range(x.size - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def bratu(u: np.ndarray, force: float) -> np.ndarray:
    r = np.zeros_like(u)
    r[1:-1] = u[2:] - 2.0 * u[1:-1] + u[:-2] + force * np.exp(u[1:-1])
    r[0], r[-1] = u[0], u[-1]
    return r


def two(x: np.ndarray, y: np.ndarray, k: float) -> float:
    x[1:] *= y[:-1]
    return k * np.sum(np.sin(x) * y) + np.sum(x[0] * y**2)


START = {"amplitude": 1.0, "rate": 0.2, "offset": np.zeros(1), "name": "decay"}
METHODS = ("CG", "BFGS", "Newton-CG", "L-BFGS-B", "TNC", "SLSQP", "trust-ncg", "trust-krylov", "trust-constr")


@pytest.mark.parametrize("method", METHODS)
def test_minimize(method: str) -> None:
    fun, x0 = daad.grad(rosenbrock).as_scipy(np.linspace(0.5, 0.9, 4))
    needs = {"hessp": fun.hessp} if "trust" in method or method == "Newton-CG" else {}
    options = {"maxfun": 2000} if method == "TNC" else {}
    found = optimize.minimize(fun, x0, jac=True, method=method, options=options, **needs)
    assert np.allclose(fun.unpack(found.x), 1.0, atol=1e-2)


@pytest.mark.parametrize("method", ["dogleg", "trust-exact", "Newton-CG", "trust-ncg", "trust-krylov", "trust-constr"])
def test_minimize_with_the_hessian(method: str) -> None:
    fun, x0 = daad.grad(rosenbrock).as_scipy(np.full(4, 1.01))
    found = optimize.minimize(fun.value, x0, jac=fun.jac, hess=fun.hess, method=method)
    assert np.allclose(found.x, 1.0, atol=1e-2)


def ring(x: np.ndarray) -> np.ndarray:
    return np.array([np.sum(x * x) - 2.0, x[0] * x[1]])


@pytest.mark.parametrize("is_sparse", [False, True])
def test_constraints_with_jacobian_and_hessian(is_sparse: bool) -> None:
    fun, x0 = daad.grad(rosenbrock).as_scipy(np.linspace(0.5, 0.9, 4))
    held, _ = daad.jacobian(ring, sparse=is_sparse).as_scipy(x0)
    curvature = daad.hessian(lambda x, v: v @ ring(x), wrt="x")
    within = optimize.NonlinearConstraint(held, [0.0, -1.0], [0.0, 1.0], jac=held.jac, hess=curvature)
    found = optimize.minimize(fun, x0, jac=True, hess=fun.hess, method="trust-constr", constraints=[within])
    on_it, _ = daad.grad(lambda x: np.sum(x * x) - 2.0).as_scipy(x0)
    equal = {"type": "eq", "fun": on_it.value, "jac": on_it.jac}
    other = optimize.minimize(fun, x0, jac=True, method="SLSQP", constraints=[equal])
    assert np.allclose(found.x, other.x, atol=1e-4)


def test_structures_and_bounds() -> None:
    fun, x0 = daad.grad(misfit).as_scipy(START, DATA)
    lower, upper = ({"amplitude": a, "rate": r, "offset": o} for a, r, o in ((0.0, 0.0, 0.05), (5.0, 0.6, 5.0)))
    bounds = optimize.Bounds(fun.pack(lower), fun.pack(upper))
    found = optimize.minimize(fun, x0, jac=True, method="L-BFGS-B", bounds=bounds)
    free = optimize.minimize(fun, x0, jac=True, method="BFGS")
    assert fun.unpack(found.x)["rate"] == pytest.approx(0.6)
    assert fun.unpack(free.x)["amplitude"] == pytest.approx(2.0, abs=1e-4)
    assert fun.unpack(free.x)["offset"].shape == (1,)
    assert [*fun.unpack(x0)] == ["amplitude", "rate", "offset"]


def test_derivatives_are_those_of_differences() -> None:
    x, y = np.linspace(0.3, 1.1, 5), np.linspace(-0.5, 0.9, 5)
    fun, x0 = daad.grad(two, wrt=("x", "y")).as_scipy(x, y, 1.5)
    assert optimize.check_grad(fun.value, fun.jac, x0) < 1e-6
    p = np.random.default_rng(0).normal(size=x0.size)
    step = 1e-5
    by_differences = (fun.jac(x0 + step * p) - fun.jac(x0 - step * p)) / (2 * step)
    assert np.allclose(fun.hessp(x0, p), by_differences, rtol=1e-6, atol=1e-8)
    assert np.allclose(fun.hess(x0) @ p, by_differences, rtol=1e-6, atol=1e-8)
    assert np.array_equal(fun.hess(x0), fun.hess(x0).T)
    assert all(np.array_equal(a, b) for a, b in zip(fun.unpack(x0), (x, y), strict=True))
    assert np.array_equal(x, np.linspace(0.3, 1.1, 5)), "arguments stay as they are"


def test_single_precision() -> None:
    fun, x0 = daad.grad(two, wrt="y").as_scipy(np.ones(3, "f4"), np.ones(3, "f4"), np.float32(1.5))
    value, gradient = fun(x0)
    assert type(value) is float
    assert gradient.dtype == x0.dtype == np.float64
    assert fun.unpack(x0).dtype == np.float32


def test_value_and_gradient_at_one_point_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    fun, x0 = daad.grad(rosenbrock).as_scipy(np.linspace(-1.0, 1.0, 4))
    calls: list[int] = []
    original = type(fun._gradient).__call__
    monkeypatch.setattr(
        type(fun._gradient), "__call__", lambda self, *a, **k: calls.append(1) or original(self, *a, **k)
    )
    first = fun.jac(x0)
    first[...] = 7.0  # what the caller does with it changes nothing
    assert fun.value(x0) == fun(x0)[0]
    assert not np.array_equal(fun.jac(x0), first)
    fun.value(x0 + 1.0)
    assert len(calls) == 2


def test_the_hessian_of_many_numbers_comes_in_parts() -> None:
    fun, x0 = daad.grad(rosenbrock).as_scipy(np.linspace(-1.0, 1.0, 150))
    assert np.allclose(fun.hess(x0), optimize.rosen_hess(x0), rtol=1e-12)


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_least_squares(method: str) -> None:
    fun, x0 = daad.jacobian(residuals, wrt=("amplitude", "rate")).as_scipy(1.0, 0.2, DATA)
    found = optimize.least_squares(fun, x0, jac=fun.jac, method=method)
    assert np.allclose(fun.unpack(found.x), (2.0, 0.7))
    assert fun.jac(x0).shape == (20, 2)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_root(is_sparse: bool) -> None:
    fun, x0 = daad.jacobian(bratu, sparse=is_sparse).as_scipy(np.zeros(12), 0.01)
    jac = fun.jac(x0)
    assert sparse.issparse(jac) == is_sparse
    found = optimize.root(fun, x0, jac=lambda x: sparse.csr_array(fun.jac(x)).toarray())
    assert found.success
    assert np.allclose(bratu(found.x, 0.01), 0.0, atol=1e-10)


def tridiagonal(u: np.ndarray) -> np.ndarray:
    r = 3.0 * u + u**3 - 1.0
    r[1:] -= u[:-1]
    r[:-1] -= u[1:]
    return r


def test_sparse_jacobians_solve_large_systems() -> None:
    fun, x0 = daad.jacobian(tridiagonal, sparse=True).as_scipy(np.full(300, 0.5))
    before = LinearOperator((300, 300), splu(fun.jac(x0).tocsc()).solve)
    found = [optimize.root(fun, x0, method="krylov", options={"jac_options": {"inner_M": before}, "maxiter": 20})]
    for method in ("trf", "dogbox"):
        found.append(optimize.least_squares(fun, x0, jac=fun.jac, method=method, tr_solver="lsmr"))
    assert all(each.success and np.abs(fun(each.x)).max() < 1e-4 for each in found)


def reaction(t: float, y: np.ndarray) -> np.ndarray:
    return np.array(
        [-0.04 * y[0] + 1e4 * y[1] * y[2], 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] ** 2, 3e7 * y[1] ** 2]
    )


@pytest.mark.parametrize(("method", "is_sparse"), [("Radau", True), ("BDF", False), ("BDF", True), ("LSODA", False)])
def test_initial_value_problems(method: str, is_sparse: bool) -> None:
    jac, start = daad.jacobian(reaction, wrt="y", sparse=is_sparse), [1.0, 0.0, 0.0]
    found = integrate.solve_ivp(reaction, (0.0, 100.0), start, method=method, jac=jac, rtol=1e-6, atol=1e-10)
    assert found.y[:, -1] == pytest.approx([0.6172349, 6.1536e-6, 0.3827590], rel=1e-4)


def wave(x: np.ndarray, y: np.ndarray, p: np.ndarray) -> np.ndarray:
    return np.vstack((y[1], -(p[0] ** 2) * np.sin(y[0])))


def ends(ya: np.ndarray, yb: np.ndarray, p: np.ndarray) -> np.ndarray:
    return np.array([ya[0], yb[0], ya[1] - p[0]])


def test_boundary_value_problems() -> None:
    by_y, by_p = daad.jacobian(wave, wrt="y"), daad.jacobian(wave, wrt="p")

    def jac(x: np.ndarray, y: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        points = [(x[i : i + 1], y[:, i : i + 1], p) for i in range(x.size)]
        return np.stack([by_y(*q)[:, 0, :, 0] for q in points], -1), np.stack([by_p(*q)[:, 0] for q in points], -1)

    x, y = np.linspace(0.0, 1.0, 5), np.array([[0.0, 1.0, 0.0, -1.0, 0.0], np.zeros(5)])
    of_ends = daad.jacobian(ends, wrt=("ya", "yb", "p"))
    found = integrate.solve_bvp(wave, ends, x, y, p=[6.0], fun_jac=jac, bc_jac=of_ends)
    assert found.status == 0
    assert found.p == pytest.approx(integrate.solve_bvp(wave, ends, x, y, p=[6.0]).p, rel=1e-6)


def test_what_does_not_fit_is_refused() -> None:
    fun, x0 = daad.grad(rosenbrock).as_scipy(np.ones(4))
    with pytest.raises(daad.BadArgument, match=r"The vector has shape \(3,\), not \(4,\)\."):
        fun(x0[:3])
    with pytest.raises(daad.BadArgument, match="The values have 2 arrays of floats, 'wrt' has 1"):
        fun.pack((np.ones(4), np.ones(4)))
    with pytest.raises(daad.NotDifferentiable, match="'z' is complex, and SciPy's vectors are real"):
        daad.grad(lambda z: np.sum(np.abs(z) ** 2)).as_scipy(np.ones(3) + 1j)
