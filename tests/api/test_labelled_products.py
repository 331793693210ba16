"""Tangents, pullbacks and Jacobians of programs whose arguments are Series, DataFrames, DataArrays and quantities."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import daad
from daad.codegen.interpreted import Interpreted

pd, xr, pint = (pytest.importorskip(name) for name in ("pandas", "xarray", "pint"))
UNITS = pint.UnitRegistry()
X, T = np.array([0.5, -1.5, 2.0, 0.25]), np.array([1.0, 0.5, -1.0, 2.0])
DAYS = pd.Index(["mon", "tue", "wed", "thu"], name="day")
LOAD, CHANGE = pd.Series(X, DAYS, name="load"), pd.Series(T, DAYS)
GRID = xr.DataArray(X.reshape(2, 2), {"t": [10, 20]}, ("t", "x"))


def cubed(x):
    return x * x * x


def total(x):
    return np.sum(x * x * x)


def ordered(x):
    return x[np.argsort(np.asarray(x))] ** 2


def kinetic(mass, velocity):
    return np.sum(0.5 * mass * velocity**2)


def two(x, y):
    return x * y, x * x


def interpreted(ask: Any, *args: Any, **options: Any) -> Any:
    """What the function of the interface makes, run by the interpreter."""
    found = ask(*args, **options)
    if isinstance(found, daad.api.jacobian.Jacobian):
        found._tangent, found._vjp = _interpreted(found._tangent), _interpreted(found._vjp)
        return found
    return _interpreted(found)


def _interpreted(derivative: Any) -> Any:
    asked = replace(derivative._asked, compiler=Interpreted)
    return type(derivative)(asked.function, asked.request, asked.verbose, asked.compiler)


def test_tangents_of_series() -> None:
    value, change = interpreted(daad.jvp, cubed)(LOAD, tangent=CHANGE)
    pd.testing.assert_series_equal(value, LOAD**3)
    pd.testing.assert_series_equal(change, pd.Series(3 * X**2 * T, DAYS, name="load"))
    pd.testing.assert_series_equal(interpreted(daad.jvp, cubed)(LOAD, tangent=T)[1], change)


def test_labels_that_depend_on_data() -> None:
    tangent = interpreted(daad.jvp, ordered)
    for values in (X, X[::-1]):
        series = pd.Series(values)
        value, change = tangent(series, tangent=pd.Series(T))
        pd.testing.assert_series_equal(value, ordered(series))
        np.testing.assert_allclose(change.sort_index(), 2 * values * T)


def test_pullbacks_of_data_arrays() -> None:
    value, pull = interpreted(daad.vjp, cubed)(GRID)
    xr.testing.assert_allclose(value, GRID**3)
    xr.testing.assert_allclose(pull(GRID), 3 * GRID**3)
    xr.testing.assert_allclose(pull(np.ones((2, 2))), 3 * GRID**2)
    with pytest.raises(daad.BadArgument, match="with other labels"):
        pull(GRID.assign_coords(t=[1, 2]))
    with pytest.raises(daad.Unsupported, match="Several seeds at once"):
        pull.many(np.ones((3, 2, 2)))


def test_tangents_have_units() -> None:
    tangent = interpreted(daad.jvp, kinetic, wrt=("mass", "velocity"))
    mass, velocity = 2.0 * UNITS.kg, X * UNITS.cm / UNITS.s
    value, change = tangent(mass, velocity, tangent=(3.0 * UNITS.g, 0.01 * T * UNITS.m / UNITS.s))
    assert value.units == change.units == kinetic(mass, velocity).units
    right = 0.5 * 3e-3 * np.sum(X**2) * 1e-4 + 2.0 * np.sum(X * T) * 1e-4
    assert change.to("J").magnitude == pytest.approx(right)
    with pytest.raises(daad.BadArgument, match="has no unit"):
        tangent(mass, velocity, tangent=(3.0, None))
    with pytest.raises(daad.BadArgument, match=r"in kilogram is in meter"):
        tangent(mass, velocity, tangent=(3.0 * UNITS.m, None))


def test_seeds_have_units() -> None:
    _, pull = interpreted(daad.vjp, two, wrt=("x", "y"))(X * UNITS.m, T * UNITS.s)
    with pytest.raises(daad.BadArgument, match="cannot be added"):
        pull((np.ones(4), np.ones(4)))
    dx, dy = pull((np.ones(4), None))
    assert (dx.units, dy.units) == (UNITS.s, UNITS.m)
    np.testing.assert_allclose((dx.magnitude, dy.magnitude), (T, X))
    dx, dy = pull((np.ones(4) / UNITS.ms, np.ones(4) / UNITS.m))
    np.testing.assert_allclose(dx.to("").magnitude, 1000 * T + 2 * X)
    np.testing.assert_allclose(dy.to("m/s").magnitude, 1000 * X)


def test_jacobians_of_series_are_frames() -> None:
    found = interpreted(daad.jacobian, cubed)(LOAD)
    pd.testing.assert_frame_equal(found, pd.DataFrame(np.diag(3 * X**2), DAYS, DAYS))
    pd.testing.assert_series_equal(interpreted(daad.jacobian, total)(LOAD), 3 * LOAD**2)


def test_jacobians_of_frames_have_labels_of_two_levels() -> None:
    frame = pd.DataFrame({"a": X, "b": T}, DAYS)
    found = interpreted(daad.jacobian, cubed)(frame)
    assert found.loc[("tue", "a"), ("tue", "a")] == pytest.approx(3 * 1.5**2)
    assert found.loc[("wed", "b"), ("wed", "b")] == pytest.approx(3.0)
    assert found.loc[("wed", "b"), ("wed", "a")] == 0.0


def test_jacobians_of_data_arrays_have_the_dimensions_of_both() -> None:
    found = interpreted(daad.jacobian, cubed, mode="reverse")(GRID)
    assert found.dims == ("t", "x", "t_in", "x_in")
    np.testing.assert_allclose(found.values.reshape(4, 4), np.diag(3 * X**2))
    assert found.sel(t=20, t_in=20, x=0, x_in=0).item() == pytest.approx(12.0)


def test_jacobians_have_units_over_units() -> None:
    first, second = interpreted(daad.jacobian, two, wrt=("x", "y"))(X * UNITS.mm, T * UNITS.s)
    assert [[str(block.units) for block in row] for row in (first, second)] == [
        ["second", "millimeter"],
        ["millimeter", "millimeter ** 2 / second"],
    ]
    np.testing.assert_allclose(first[1].magnitude, np.diag(X), rtol=1e-12)
    np.testing.assert_allclose(second[0].magnitude, np.diag(2 * X), rtol=1e-12)


def test_products_with_hessians() -> None:
    found = interpreted(daad.hvp, total)(LOAD, tangent=CHANGE)
    pd.testing.assert_series_equal(found, pd.Series(6 * X * T, DAYS, name="load"))
    found = interpreted(daad.hvp, total)(X * UNITS.mm, tangent=T * UNITS.um)
    np.testing.assert_allclose(found.to("mm**2").magnitude, 6e-3 * X * T, rtol=1e-12)


def test_what_gives_no_labels_takes_the_values() -> None:
    assert daad.check(total, (LOAD,))
    assert daad.check(cubed, (X * UNITS.mm,), product="jvp")
    assert daad.plan(total, (GRID,)).nbytes == daad.plan(total, (GRID.to_numpy(),)).nbytes
    gradient = interpreted(daad.grad, total).compile(LOAD)
    pd.testing.assert_series_equal(gradient(LOAD), 3 * LOAD**2)


def test_structures_hold_them() -> None:
    def of_dict(p):
        return {"y": p["a"] * p["b"], "n": 3}

    value, change = interpreted(daad.jvp, of_dict)({"a": LOAD, "b": T}, tangent={"a": CHANGE})
    pd.testing.assert_series_equal(value["y"], LOAD * T)
    pd.testing.assert_series_equal(change["y"], CHANGE * T, check_names=False)


REFUSED = [
    (lambda: daad.gauss_newton_product(cubed)(LOAD, tangent=CHANGE), "Gauss-Newton products"),
    (lambda: daad.jvp(cubed)(LOAD, tangent=CHANGE, out=(np.zeros(4), np.zeros(4))), "Calls with 'out'"),
    (lambda: daad.jvp(cubed).many(LOAD, tangents=np.ones((2, 4))), "Several tangents at once"),
    (lambda: daad.jvp(cubed)(LOAD, tangent=CHANGE[::-1]), "with other labels"),
    (lambda: daad.jvp(cubed, of="y")(LOAD, tangent=CHANGE), "Products of outputs by name"),
    (lambda: daad.jacobian(cubed, sparse=True)(LOAD), "Sparse matrices"),
]


@pytest.mark.parametrize(("ask", "sentence"), REFUSED, ids=[sentence for _, sentence in REFUSED])
def test_what_has_no_labels_is_refused(ask: Any, sentence: str) -> None:
    with pytest.raises(daad.DaadError, match=sentence):
        ask()
