"""Series, DataFrames, DataArrays, quantities, and objects that only lend their numbers, as arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import daad
from tests.hostile.subjects import interpreted

pd, xr, pint = (pytest.importorskip(name) for name in ("pandas", "xarray", "pint"))
UNITS = pint.UnitRegistry()
X = np.array([0.5, -1.5, 2.0, 0.25])
DAYS = pd.Index(["mon", "tue", "wed", "thu"], name="day")


def energy(x):
    return np.sum(x * x * x)


def works(x, y):
    return np.sum(x * x * y)


def deviation(x):
    return np.sum((x - x.mean()) ** 2) / x.std()


def spread(x):
    return x.std()


def writes(x):
    x[:2] = 1.0
    return np.sum(x * x)


def kinetic(mass, velocity):
    return np.sum(0.5 * mass * velocity**2)


def of_dict(p):
    return np.sum(p["a"] * p["b"] ** 2)


def two(x):
    return np.sum(x), np.sum(x * x)


def first(x):
    return np.sum(x.iloc[:2])


class Lends:
    """An object with the array interface alone."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    @property
    def __array_interface__(self) -> Any:
        return self.array.__array_interface__


class LendsByDLPack:
    """An object with DLPack alone."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **asked: Any) -> Any:
        return self.array.__dlpack__(**asked)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_series_come_back_with_their_labels() -> None:
    found = interpreted(energy)(pd.Series(X, DAYS, name="load"))
    pd.testing.assert_series_equal(found, pd.Series(3 * X**2, DAYS, name="load"))


@pytest.mark.parametrize("count", [3, 5000])
def test_an_index_may_be_of_dates(count: int) -> None:
    series = pd.Series(np.linspace(0.5, 1.5, count), pd.date_range("2020-01-01", periods=count))
    pd.testing.assert_series_equal(interpreted(energy)(series), 3 * series**2)


def test_frames_come_back_with_their_labels() -> None:
    frame = pd.DataFrame({"a": X, "b": 2 * X}, DAYS)
    value, found = interpreted(lambda x: np.sum(np.asarray(x) ** 3), value=True)(frame)
    pd.testing.assert_frame_equal(found, 3 * frame**2)
    assert value == pytest.approx(np.sum(X**3 + 8 * X**3))


def test_data_arrays_come_back_with_their_coordinates() -> None:
    array = xr.DataArray(X.reshape(2, 2), {"t": [10, 20]}, ("t", "x"), attrs={"units": "K"})
    found = interpreted(energy)(array)
    xr.testing.assert_identical(found, array.copy(data=3 * array.values**2))


def test_a_gradient_has_the_unit_of_the_output_over_the_inputs() -> None:
    mass, velocity = 2.0 * UNITS.kg, X * UNITS.cm / UNITS.s
    value, (by_mass, by_velocity) = interpreted(kinetic, wrt=("mass", "velocity"), value=True)(mass, velocity)
    assert value.units == by_mass.units * UNITS.kg == kinetic(mass, velocity).units
    assert value.to("J").magnitude == pytest.approx(np.sum(X**2) * 1e-4)
    assert by_mass.to("J/kg").magnitude == pytest.approx(np.sum(X**2) * 0.5e-4)
    np.testing.assert_allclose(by_velocity.to("kg * m / s").magnitude, 2.0 * X * 1e-2, rtol=1e-12)


def test_plain_arguments_of_a_quantity_have_its_unit() -> None:
    """The gradient of grams is no number of kilograms."""
    value, found = interpreted(kinetic, wrt="velocity", value=True)(2000.0 * UNITS.g, X)
    np.testing.assert_allclose(found.to("g").magnitude, 2000.0 * X)
    assert value.units == found.units == UNITS.g
    with pytest.raises(daad.Unsupported, match="Calls with 'out'"):
        interpreted(kinetic, wrt="velocity")(2000.0 * UNITS.g, X, out=np.zeros(4))


def test_units_that_differ_are_those_of_the_quantities() -> None:
    """A sum of metres and centimetres is none of their numbers."""
    found = interpreted(works, wrt="y")(X * UNITS.m, X * UNITS.cm)
    np.testing.assert_allclose(found.to("m**2").magnitude, X**2, rtol=1e-12)
    total = interpreted(lambda x, y: np.sum((x + y) ** 2), wrt="y")(X * UNITS.m, X * UNITS.cm)
    np.testing.assert_allclose(total.to("m").magnitude, 2 * X * 1.01, rtol=1e-12)


def test_equal_numbers_are_told_apart() -> None:
    one, other = interpreted(lambda x, y: x * x * y, wrt=("x", "y"))(3.0 * UNITS.m, 3.0 * UNITS.s)
    assert (one.units, other.units) == (UNITS.m * UNITS.s, UNITS.m**2)


def test_structures_may_hold_them() -> None:
    found = interpreted(of_dict)({"a": pd.Series(X, DAYS), "b": X, "name": "run"})
    assert list(found) == ["a", "b"]
    pd.testing.assert_series_equal(found["a"], pd.Series(X**2, DAYS))
    np.testing.assert_allclose(found["b"], 2 * X**2)


def test_objects_that_lend_their_numbers() -> None:
    found = interpreted(lambda x: np.sum(np.sin(x)))(Lends(X))
    np.testing.assert_allclose(found, np.cos(X))
    taken = interpreted(lambda x: np.sum(np.sin(np.from_dlpack(x))))
    with pytest.raises(daad.Unsupported, match="from_dlpack"):
        taken(LendsByDLPack(X))


def test_one_of_several_outputs_has_its_unit() -> None:
    value, found = interpreted(two, of=1, value=True)(X * UNITS.mm)
    assert (value.units, found.units) == (UNITS.mm**2, UNITS.mm)
    np.testing.assert_allclose(found.magnitude, 2 * X, rtol=1e-12)
    with pytest.raises(daad.Unsupported, match="Gradients of an output by name"):
        interpreted(two, of="x")(X * UNITS.mm)


def test_the_generator_is_left_as_the_gradient_leaves_it() -> None:
    def noisy(x):
        return np.sum(x * np.random.rand(4))

    np.random.seed(3)
    right = np.random.rand(4)
    after = np.random.rand()
    np.random.seed(3)
    np.testing.assert_array_equal(interpreted(noisy)(pd.Series(X)), right)
    assert np.random.rand() == after


def test_other_data_need_no_second_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[int] = []

    def counted(x):
        ran.append(1)
        return np.sum(x * x)

    gradient = interpreted(counted)
    gradient(pd.Series(X, DAYS))
    runs = len(ran)
    found = gradient(pd.Series(2 * X, DAYS))
    np.testing.assert_allclose(found.to_numpy(), 4 * X)
    assert len(ran) == runs
    gradient(pd.Series(2 * X))
    assert len(ran) > runs


REFUSED = [
    (spread, (pd.Series(X),), "gives something else than for its values"),
    (deviation, (pd.Series(X),), "gives something else than for its values"),
    (works, (pd.Series(X, DAYS), pd.Series(X, DAYS[::-1])), "gives something else than for its values"),
    (
        works,
        (xr.DataArray(X, dims="t"), xr.DataArray(X, dims="x")),
        "gives something else than for its values",
    ),
    (energy, (pd.Series([1.0, np.nan]),), "has missing values"),
    (energy, (pd.Series([1.0, 2.0], dtype=object),), "are of dtype 'object'"),
    (energy, (UNITS.Quantity(X, "degC"),), "does not give its values"),
    (first, (pd.Series(X),), "fails with the values alone"),
    (lambda x: np.sum(np.exp(x)), (X * UNITS.m,), "DimensionalityError"),
]


@pytest.mark.parametrize(("function", "args", "sentence"), REFUSED, ids=lambda x: getattr(x, "__name__", None))
def test_what_means_something_else_is_refused(function: Any, args: Any, sentence: str) -> None:
    with pytest.raises(daad.DaadError, match=sentence):
        interpreted(function, wrt="x")(*args)


def test_programs_that_write_there_are_refused() -> None:
    series = pd.Series(X.copy(), DAYS)
    with pytest.raises((daad.DaadError, ValueError), match="read-only"):
        interpreted(writes)(series)
    np.testing.assert_array_equal(series.to_numpy(), X)
