"""Images between their elements, and interpolators of SciPy's: values, and gradients against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import interpolate, ndimage, optimize

import daad
from tests.corpus.case import Case
from tests.programs import interpreted

RANDOM = np.random.default_rng(0)
IMAGE, LINE = RANDOM.standard_normal((5, 6)), RANDOM.standard_normal(9)
P = np.array([1.2, 0.7, 0.4])
X, AT = np.arange(9.0), np.array([0.3, 2.2, 5.7, 7.9])
ROWS, COLUMNS = np.indices((5, 6)) * 1.0
PLACES = [ROWS * 1.3 - 1.3, COLUMNS * 1.45 - 2.21]
POINTS = np.array([[0.5, 0.5], [2.2, 3.3]])
GRID = (np.arange(5.0), np.arange(6.0))
SURFACE = interpolate.bisplrep(ROWS, COLUMNS, np.sin(ROWS) + np.cos(COLUMNS), kx=3, ky=4, s=0)


def total(found):
    found = np.asarray(found)
    return np.sum(found * np.cos(np.arange(found.size)).reshape(found.shape))


def image(p):
    return IMAGE * p[0] + np.sin(IMAGE * p[1]) * p[2]


def line(p):
    return LINE * p[0] + np.sin(LINE) * p[1]


def wavy(p):
    return np.sin(X * p[0]) + 0.2 * LINE * p[1]


def shapes_of_results(at):
    """A row is one place, or several."""
    xs, ys, table = np.arange(3.0), np.arange(4.0), np.arange(12.0).reshape(3, 4)
    corners, heights = np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]]), np.arange(4.0)
    of_grid = interpolate.RegularGridInterpolator((xs, ys), table)
    found = [of_grid(at), of_grid([at]), of_grid((at[0], at[1])), of_grid(np.concatenate((at, at)))]
    found += [interpolate.RegularGridInterpolator((xs, ys), np.stack((table, table, table), -1))(at)]
    found += [interpolate.interpn((xs, ys), table, at), interpolate.griddata(corners, heights, at)]
    found += [
        interpolate.LinearNDInterpolator(corners, heights)(at),
        interpolate.NearestNDInterpolator(corners, heights)(at),
    ]
    found += [interpolate.splint(0, at[0], interpolate.splrep(X, LINE))]
    return sum((n + 1.0) * (10 * np.ndim(one) + np.size(one)) for n, one in enumerate(found))


KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 1.7, 3.1, 6.0, 6.0, 6.0, 6.0])
MODES = ("reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-wrap")
SAMPLED: dict[str, Callable[[Any], Any]] = {
    f"order {order}, {mode}": lambda p, order=order, mode=mode: total(
        ndimage.map_coordinates(image(p), PLACES, order=order, mode=mode, cval=0.3)
    )
    for order in (0, 1, 3)
    for mode in MODES
} | {
    "places": lambda p: total(
        ndimage.map_coordinates(image(p), [ROWS * 0.7 + 0.3 * p[1], COLUMNS * 0.7 + 0.3 * p[2]], order=3)
    ),
    "shift": lambda p: total(ndimage.shift(image(p), [p[1], p[2]], order=1, mode="nearest")),
    "zoom": lambda p: total(ndimage.zoom(image(p), 1.5)),
    "rotate": lambda p: total(ndimage.rotate(image(p), 30, order=1)),
    "rotate by data": lambda p: total(ndimage.rotate(image(p), 20 * p[0], (0, 1), False, order=1, mode="nearest")),
    "affine_transform": lambda p: total(
        ndimage.affine_transform(image(p), np.array([[0.9, 0.1], [-0.1, 0.9]]), offset=[0.3, 0.2])
    ),
}
CUBIC, SMOOTH = interpolate.CubicSpline(X, LINE), interpolate.UnivariateSpline(X, LINE, s=0.4)
BETWEEN, THROUGH = interpolate.RegularGridInterpolator(GRID, IMAGE), interpolate.make_interp_spline(X, LINE)
INTERPOLATED: dict[str, Callable[[Any], Any]] = {
    "CubicSpline": lambda p: total(interpolate.CubicSpline(X * p[1], line(p))(AT * p[0])),
    "natural": lambda p: total(interpolate.CubicSpline(X, line(p), bc_type="natural")(AT)),
    "ends": lambda p: total(interpolate.CubicSpline(X, line(p), bc_type=((1, 0.3), (2, -0.4)))(AT)),
    "columns": lambda p: total(interpolate.CubicSpline(X, np.stack((line(p), LINE), 1))(AT)),
    "three points": lambda p: total(interpolate.CubicSpline(X[:3], line(p)[:3])(AT)),
    "two points": lambda p: total(interpolate.CubicSpline(X[:2], line(p)[:2])(AT)),
    "slope": lambda p: total(interpolate.CubicSpline(X, line(p))(AT, 1)),
    "curvature": lambda p: total(interpolate.CubicSpline(X, line(p)).derivative(2)(AT * p[0])),
    "roots": lambda p: total(interpolate.CubicSpline(X, wavy(p)).roots(extrapolate=False) ** 2),
    "solve": lambda p: total(interpolate.PchipInterpolator(X, wavy(p)).solve(0.1 * p[0], extrapolate=False)),
    "roots of columns": lambda p: sum(
        total(found) for found in interpolate.CubicSpline(X, np.stack((wavy(p), wavy(p) - 0.2), 1)).roots()
    ),
    "extrema": lambda p: total(interpolate.CubicSpline(X, wavy(p)).derivative().roots(extrapolate=False)),
    "jump": lambda p: total(
        interpolate.PPoly(np.array([[0.0, 0.0], [p[0] - 2, p[1]]]), np.array([0, p[2], 2])).roots()
    ),
    "no roots": lambda p: total(interpolate.CubicSpline(X, wavy(p) + 9).roots(extrapolate=False)) + p[0],
    "sproot": lambda p: total(interpolate.sproot(interpolate.splrep(X, wavy(p)))),
    "roots of a spline": lambda p: total(interpolate.InterpolatedUnivariateSpline(X, wavy(p)).roots()),
    "from_spline": lambda p: total(interpolate.PPoly.from_spline(interpolate.splrep(X, wavy(p)))(AT)),
    "shapes": lambda p: shapes_of_results(p[:2]) * p[0],
    "integral": lambda p: interpolate.CubicSpline(X, line(p)).integrate(0.5, 7.0 * p[1]),
    "PchipInterpolator": lambda p: total(interpolate.PchipInterpolator(X, line(p))(AT)),
    "Akima1DInterpolator": lambda p: total(interpolate.Akima1DInterpolator(X, line(p))(AT)),
    "CubicHermiteSpline": lambda p: total(interpolate.CubicHermiteSpline(X, line(p), 0.3 * line(p))(AT)),
    "PPoly": lambda p: total(interpolate.PPoly(np.outer(np.ones(4), LINE[:3]) * p[0], X[:4])(AT[:3] * 0.3)),
    "make_interp_spline": lambda p: total(interpolate.make_interp_spline(X, line(p))(AT)),
    "interp1d": lambda p: total(interpolate.interp1d(X, line(p), kind="cubic")(AT)),
    "splrep": lambda p: total(interpolate.splev(AT, interpolate.splrep(X, line(p)), 1)),
    "knots and coefficients": lambda p: total(
        interpolate.splev(AT * p[1], (KNOTS * p[0], line(p)[: len(KNOTS) - 4], 3), 1)
    ),
    "UnivariateSpline": lambda p: total(interpolate.UnivariateSpline(X, line(p), s=0)(AT)),
    "RegularGridInterpolator": lambda p: total(interpolate.RegularGridInterpolator(GRID, image(p))(POINTS * p[1])),
    "interpn": lambda p: total(interpolate.interpn(GRID, image(p), POINTS)),
    "RectBivariateSpline": lambda p: total(interpolate.RectBivariateSpline(*GRID, image(p))(AT[:3] * 0.5, AT * 0.6)),
    "ev": lambda p: total(interpolate.RectBivariateSpline(*GRID, image(p)).ev(AT[:3] * 0.5, AT[:3] * p[1])),
    "splines of all degrees": lambda p: sum(
        total(interpolate.splev(AT * p[1], interpolate.splrep(X * p[0], line(p), k=k), 1)) for k in range(1, 6)
    ),
    "tuple": lambda p: total(interpolate.splantider(interpolate.splrep(X, line(p)), 0)[1]),
    "periodic": lambda p: total(interpolate.splev(AT * 2 * p[1], interpolate.splrep(X * p[0], line(p), per=1, k=4))),
    "knots": lambda p: total(interpolate.splrep(X, line(p), w=2 + np.cos(line(p)), t=[2.0 * p[0], 5.0])[1]),
    "spalde": lambda p: total(interpolate.spalde(AT[:2] * p[1], interpolate.splrep(X, line(p)))),
    "integrals": lambda p: interpolate.splint(0.3, 9.0 * p[1], interpolate.splantider(interpolate.splrep(X, line(p)))),
    "coefficients": lambda p: total(interpolate.make_interp_spline(X, line(p), k=5).derivative(2).c),
    "conditions": lambda p: total(
        interpolate.make_interp_spline(X, line(p), 5, bc_type=([(1, p[0]), (2, 0.0)], [(1, 0.3), (3, p[1])]))(AT)
    ),
    "other axis": lambda p: total(interpolate.make_interp_spline(X, np.stack((line(p), LINE)), axis=1)(AT)),
    "around": lambda p: total(
        interpolate.make_interp_spline(X, np.append(line(p)[:-1], line(p)[0]), bc_type="periodic")(AT * 2)
    ),
    "make_lsq_spline": lambda p: total(
        interpolate.make_lsq_spline(X, line(p), [0, 0, 0, 4.3, 8, 8, 8], k=2)(AT * p[1])
    ),
    "make_smoothing_spline": lambda p: total(interpolate.make_smoothing_spline(X, line(p), lam=p[0])(AT * p[1])),
    "BSpline": lambda p: interpolate.BSpline(KNOTS * p[0], line(p)[:6], 3).integrate(0.2, 5 * p[1]),
    "LSQUnivariateSpline": lambda p: total(interpolate.LSQUnivariateSpline(X, line(p), [2.5, 5.5])(AT * p[1], 1)),
    "ends of a spline": lambda p: total(
        interpolate.InterpolatedUnivariateSpline(X, line(p), bbox=[-1, 10], ext="const").antiderivative()(AT * p[0])
    ),
    "volume": lambda p: interpolate.RectBivariateSpline(*GRID, image(p), kx=2).integral(0.3, 3 * p[1], 0.2, 4.0),
    "slope of a surface": lambda p: total(
        interpolate.RectBivariateSpline(*GRID, image(p), ky=4)(AT[:3] * 0.5, AT[:3] * p[1], 1, 2, grid=False)
    ),
    "bisplev": lambda p: (
        interpolate.bisplev(0.4 * p[0], 0.5 * p[1], SURFACE) * p[2]
        + total(interpolate.bisplev(AT[:3] * 0.5, AT[:2] * p[1], SURFACE, dx=1, dy=2))
        + total(interpolate.bisplev(0.4, AT[:3] * 0.5, (*SURFACE[:2], SURFACE[2] * p[2], 3, 4)))
    ),
    "splprep": lambda p: total(interpolate.splev(AT / 9, interpolate.splprep([line(p), X * p[2]], s=0)[0])[1]),
    "closed": lambda p: total(interpolate.splprep([line(p), X * p[2]], s=0, per=1, k=2)[0][1][0]),
    "Bernstein": lambda p: total(interpolate.BPoly(np.outer(p, LINE[:4]), X[:5])(AT[:3] * p[1], 1)),
    "derivatives given": lambda p: total(
        interpolate.BPoly.from_derivatives(X[:3], [[p[0], 1.0], [2.0, p[1]], [p[2], 0.1]])(AT[:2] * 0.5)
    ),
    "columns first": lambda p: total(interpolate.CubicSpline(X, np.stack((line(p), LINE)), axis=1)(AT, 1)),
    "PCHIP along rows": lambda p: total(interpolate.PchipInterpolator(X, np.stack((line(p), LINE)), axis=1)(AT)),
    "makima": lambda p: total(interpolate.Akima1DInterpolator(X, line(p), method="makima")(AT * p[1])),
    "periodic cubic": lambda p: total(
        interpolate.CubicSpline(X * p[0], np.append(line(p)[:-1], line(p)[0]), bc_type="periodic")(AT * 3)
    ),
    "periodic PPoly": lambda p: total(interpolate.PPoly(np.outer(p, LINE[:4]), X[:5], "periodic")(AT * p[0])),
    "two integrals": lambda p: total(interpolate.PPoly(np.outer(p, LINE[:4]), X[:5]).antiderivative(2)(AT[:3] * p[1])),
    "slinear": lambda p: total(interpolate.interpn(GRID, image(p), POINTS, method="slinear")),
    "made outside": lambda p: total(CUBIC(AT * p[1])) + total(CUBIC(AT * p[0], 1)) + CUBIC.integrate(0.0, p[0]),
    "of numbers": lambda p: total(interpolate.CubicSpline(X, LINE)(AT * p[1])),
    "smooth": lambda p: total(SMOOTH(AT * p[1])),
    "smoothed": lambda p: total(interpolate.UnivariateSpline(X, wavy(p), s=0.4)(AT * p[1])),
    "smoothed by weights": lambda p: total(interpolate.UnivariateSpline(X, wavy(p), 2 + np.cos(X), k=4)(AT, 1)),
    "nearly straight": lambda p: interpolate.UnivariateSpline(X, wavy(p), s=20.0).integral(0.3, 5 * p[1]),
    "slope of what is smoothed": lambda p: total(
        interpolate.UnivariateSpline(X, wavy(p), s=0.1, ext=3).derivative()(AT * p[0])
    ),
    "smoothed tuple": lambda p: (
        total(interpolate.splev(AT, interpolate.splrep(X, wavy(p), s=0.2), 1, 1))
        + total(interpolate.spalde(p[0], interpolate.splrep(X, wavy(p), s=0.5)))
        + interpolate.splint(0.3, 3 * p[0], interpolate.splrep(X, wavy(p), 3 + 0 * X))
    ),
    "grid made outside": lambda p: total(BETWEEN(POINTS * p[0])),
    "spline made outside": lambda p: total(THROUGH(AT * p[1])),
}
VALUED = (
    "ev",
    "zoom",
    "CubicSpline",
    "order 3, nearest",
    "periodic",
    "tuple",
    "splines of all degrees",
    "volume",
    "makima",
)
PROGRAMS = {**SAMPLED, **INTERPOLATED}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_gradients(name: str) -> None:
    function, direction = PROGRAMS[name], np.array([0.3, -0.8, 0.5])
    case = Case(name=name, function=function, arguments=lambda: (P,), wrt=("p",))
    (gradient,) = interpreted(case)(P.copy())
    at = [float(function(P + k * 1e-4 * direction)) for k in (-2, -1, 1, 2)]
    expected = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / 12e-4
    np.testing.assert_allclose(gradient @ direction, expected, rtol=1e-6, atol=1e-6)
    (own,) = [daad.value_and_grad(function)] if name in VALUED else [None]
    if own is not None:
        np.testing.assert_allclose(own(P)[0], function(P), rtol=1e-9)


def test_cubic_surface_has_the_derivative_of_the_spline_that_scipy_approximates() -> None:
    def function(p):
        return total(interpolate.interpn((X, X), np.outer(line(p), LINE), np.stack((AT * p[1], AT), 1), "cubic"))

    expected = [(function(P + h) - function(P - h)) / 2e-4 for h in 1e-4 * np.eye(3)]
    np.testing.assert_allclose(daad.grad(function)(P.copy()), expected, rtol=1e-3, atol=1e-3)


REFUSED = {
    "smoothing": lambda p: interpolate.splrep(X, line(p), s=0.3),
    "smoothing at places that move": lambda p: total(
        interpolate.splev(AT, interpolate.splrep(X * p[0], line(p), s=0.3))
    ),
    "knots of a smoothing spline": lambda p: interpolate.UnivariateSpline(X, line(p), s=0.3).get_coeffs(),
    "weight that moves": lambda p: total(interpolate.UnivariateSpline(X, line(p), s=p[0])(AT)),
    "quintic": lambda p: interpolate.interpn((np.arange(6.0), np.arange(6.0)), np.outer(p, p), POINTS, "quintic"),
    "stand-in": lambda p: interpolate.RegularGridInterpolator(GRID, image(p)),
}
FIXED = "A derivative flows into an argument of this function in which none is known."
SENTENCES = {
    "smoothing": "The function returns an object of the class 'Smooth', which stands for SciPy's.",
    "smoothing at places that move": FIXED,
    "weight that moves": FIXED,
    "knots of a smoothing spline": (
        "How many knots and coefficients a smoothing spline has depends on data: call the spline."
    ),
    "quintic": "SciPy solves for splines by method 'quintic' to a few digits only: take 'cubic'.",
    "stand-in": "The function returns an object of the class 'Grid', which stands for SciPy's.",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_so(name: str) -> None:
    with pytest.raises(daad.Unsupported) as caught:
        daad.grad(REFUSED[name], seed=1.0)(P.copy())
    assert caught.value.message == SENTENCES[name]


def unsorted(p):
    return interpolate.splrep(p, p**2, k=1)[1][0]


def test_points_that_do_not_increase_are_an_error_as_in_scipy() -> None:
    gradient = daad.grad(unsorted)
    gradient(np.array([1.0, 2.0, 3.0]))
    with pytest.raises(daad.Unsupported, match="Error on input data"):
        gradient(P.copy())


def roots_of(p):
    return optimize.root(lambda x: x**3 + x - p, np.zeros(3))


def spline_of(p):
    return np.sum(p), interpolate.make_interp_spline(X, line(p)), interpolate.CubicSpline(X, line(p))


def test_results_of_scipys_are_its_own() -> None:
    found, _ = daad.vjp(roots_of)(P.copy())
    assert isinstance(found, optimize.OptimizeResult)
    np.testing.assert_allclose(found["x"], roots_of(P).x)
    (_, spline, cubic), _ = daad.vjp(spline_of)(P.copy())
    assert isinstance(spline, interpolate.BSpline)
    assert isinstance(cubic, interpolate.CubicSpline)
    np.testing.assert_allclose(spline(AT), spline_of(P)[1](AT))
    np.testing.assert_allclose(cubic(AT), spline_of(P)[2](AT))


BENDS, HEIGHTS = np.array([0.0, 1.0, 2.5, 3.0]), np.array([1.0, -2.0, 0.5, 4.0])
INSIDE_AND_OUT = np.array([-1.0, 0.0, 0.3, 1.0, 2.0, 2.7, 3.0, 5.0, np.nan])


@pytest.mark.parametrize("height", [0.5, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("place", [0, 2, 3])
def test_heights_that_are_not_finite_are_numpys(height: float, place: int) -> None:
    heights = HEIGHTS.copy()
    heights[place] = height
    values, pull = daad.vjp(lambda x, fp: np.interp(x, BENDS, fp), wrt=("x", "fp"))(INSIDE_AND_OUT, heights)
    np.testing.assert_array_equal(values, np.interp(INSIDE_AND_OUT, BENDS, heights))
    x_bar, _ = pull(np.ones(INSIDE_AND_OUT.size))
    assert x_bar[2] == pytest.approx((heights[1] - heights[0]) / 1.0, nan_ok=True)


def test_gradients_of_many_points_between_knots() -> None:
    x, w = np.linspace(-0.52, 3.31, 20), np.cos(np.arange(20.0))
    found = daad.grad(lambda x, fp: np.sum(w * np.interp(x, BENDS, fp) ** 2), wrt=("x", "fp"))(x, HEIGHTS)
    for which, (gradient, at) in enumerate(zip(found, (x, HEIGHTS), strict=True)):
        direction = np.sin(np.arange(at.size) + 1.0)
        ends = [np.sum(w * np.interp(*((x + s, BENDS, HEIGHTS) if which == 0 else (x, BENDS, HEIGHTS + s))) ** 2)
                for s in (1e-6 * direction, -1e-6 * direction)]  # fmt: skip
        assert gradient @ direction == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)


def asked_for_its_class(p):
    found = interpolate.RegularGridInterpolator((X,), line(p))
    return found([0.3])[0] * (2.0 if isinstance(found, interpolate.RegularGridInterpolator) else 1.0)


def asked_for_others(p):
    found = interpolate.RegularGridInterpolator((X,), line(p))
    return found([0.3])[0] * (2.0 if isinstance(found, tuple | dict | np.ndarray) else 1.0)


def test_classes_of_what_stands_for_scipys() -> None:
    with pytest.raises(daad.Unsupported, match="The class of what stands for an object of SciPy's is not known"):
        daad.grad(asked_for_its_class)(P.copy())
    value, _ = daad.value_and_grad(asked_for_others)(P.copy())
    assert value == pytest.approx(asked_for_others(P))
