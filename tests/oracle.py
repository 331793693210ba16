"""Independent checks of gradients: central differences of the NumPy program, extrapolated over a sweep of steps."""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.corpus.case import Case

FIRST_STEP = 1e-3
STEP_RATIO = 1.6
STEPS = 7
ELEMENTWISE_LIMIT = 48
DIRECTIONS = 6


@dataclass(frozen=True)
class Estimate:
    """A derivative by differences and how far its best two extrapolations are apart."""

    value: float
    error: float


def positions(function: Callable[..., Any], wrt: Sequence[str | int]) -> list[int]:
    """The positions of the arguments that `wrt` names."""
    names = list(inspect.signature(getattr(function, "f", function)).parameters)
    return [names.index(name) if isinstance(name, str) else name for name in wrt]


def widened(value: Any) -> Any:
    """A deep copy in which float32 arrays and scalars are float64."""
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype == np.float32:
        return value.astype(np.float64)
    if isinstance(value, (list, tuple)):
        return type(value)(widened(item) for item in value)
    if isinstance(value, dict):
        return {key: widened(item) for key, item in value.items()}
    return copy.deepcopy(value)


def locals_at_return(function: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Any, dict[str, Any]]:
    """The returned value, and the values of the local variables when the function returned."""
    seen: dict[str, Any] = {}

    def watch(frame: Any, event: str, _: Any) -> None:
        if event == "return" and frame.f_code is function.__code__:
            seen.update(frame.f_locals)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        result = function(*arguments)
    finally:
        sys.setprofile(before)
    return result, seen


def output(function: Callable[..., Any], arguments: Sequence[Any], of: Any) -> Any:
    """The value that `of` names after a run, with fresh storage; the arguments are changed as the program does."""
    if isinstance(of, tuple):
        return tuple(output(function, copy.deepcopy(arguments), one) for one in of)
    if of is None or isinstance(of, int):
        result = function(*arguments)
        return copy.deepcopy(result if of is None else result[of])
    names = list(inspect.signature(function).parameters)
    if of not in names:
        return copy.deepcopy(locals_at_return(function, arguments)[1][of])
    function(*arguments)
    return arguments[names.index(of)]


def weighted(value: Any, seed: Any, of: Any) -> float:
    """The scalar that is differentiated: the outputs' inner product with the seed."""
    if isinstance(of, tuple):
        seeds = [seed[name] if isinstance(seed, dict) else seed for name in of]
        return sum(weighted(one, s, None) for one, s in zip(value, seeds, strict=True))
    value = np.asarray(value, dtype=np.float64)
    if seed is None and value.size != 1:
        raise ValueError(f"The output has shape {value.shape} and no seed.")
    return float(np.sum(value * (1.0 if seed is None else np.asarray(seed, dtype=np.float64))))


def loss(function: Callable[..., Any], arguments: Sequence[Any], of: Any = None, seed: Any = None) -> float:
    """The differentiated scalar at `arguments`, which stay untouched; float32 arguments are widened."""
    with np.errstate(all="ignore"):
        return weighted(output(function, widened(list(arguments)), of), seed, of)


def moved(arguments: Sequence[Any], places: Sequence[int], direction: Sequence[Any], step: float) -> list[Any]:
    """The arguments after a step along `direction`; a float stays a float, an array without axes an array."""
    result = widened(list(arguments))
    for place, along in zip(places, direction, strict=True):
        shifted = result[place] + step * np.asarray(along, dtype=np.float64)
        result[place] = float(shifted) if isinstance(result[place], float) else np.asarray(shifted)
    return result


def estimate(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    wrt: Sequence[str | int],
    direction: Sequence[Any],
    *,
    of: Any = None,
    seed: Any = None,
    first_step: float = FIRST_STEP,
) -> Estimate:
    """The derivative of the seeded output along `direction` by central differences of `function`; its error is
    at least that of rounding at the longest step."""
    places = positions(function, wrt)
    longest = max((float(np.max(np.abs(d), initial=0.0)) for d in direction), default=0.0)
    if longest == 0.0:
        return Estimate(0.0, 0.0)

    sizes = []

    def slope(step: float) -> float:
        ends = [loss(function, moved(arguments, places, direction, sign * step), of, seed) for sign in (1, -1)]
        sizes.append(abs(ends[0]))
        return (ends[0] - ends[1]) / (2 * step)

    found = extrapolated(slope, first_step / longest)
    rounding = np.finfo(float).eps * sizes[0] * longest / first_step
    return Estimate(found.value, max(found.error, float(rounding))) if np.isfinite(rounding) else found


def extrapolated(slope: Callable[[float], float], first_step: float) -> Estimate:
    """Ridders' method: central differences at falling steps, Richardson-extrapolated, the most settled entry wins."""
    best, above = Estimate(np.nan, np.inf), []
    for level in range(STEPS):
        row = [slope(first_step / STEP_RATIO**level)]
        for order, previous in enumerate(above, start=1):
            gain = STEP_RATIO ** (2 * order)
            row.append((gain * row[-1] - previous) / (gain - 1))
            error = max(abs(row[-1] - row[-2]), abs(row[-1] - previous))
            if error < best.error:
                best = Estimate(row[-1], error)
        above = row
    return best


def directional_derivative(
    function: Callable[..., Any], arguments: Sequence[Any], wrt: Sequence[str | int], of: Any, seed: Any, direction: Any
) -> float:
    """The derivative of the seeded output along `direction`, one array for each of `wrt`."""
    return estimate(function, arguments, wrt, direction, of=of, seed=seed).value


def unit_directions(shapes: Sequence[tuple[int, ...]]) -> list[list[np.ndarray]]:
    """Every unit direction of small arguments, some of large ones."""
    units = [(place, element) for place, shape in enumerate(shapes) for element in range(int(np.prod(shape)))]
    if len(units) > ELEMENTWISE_LIMIT:
        chosen = np.random.default_rng(20).choice(len(units), ELEMENTWISE_LIMIT // 4, replace=False)
        units = [units[k] for k in sorted(chosen)]
    result = []
    for place, element in units:
        direction = [np.zeros(shape) for shape in shapes]
        direction[place].flat[element] = 1.0
        result.append(direction)
    return result


def dense_directions(shapes: Sequence[tuple[int, ...]], count: int = DIRECTIONS) -> list[list[np.ndarray]]:
    """Random directions in all arguments at once."""
    random = np.random.default_rng(21)
    return [[random.uniform(-1, 1, size=shape) for shape in shapes] for _ in range(count)]


def directions(shapes: Sequence[tuple[int, ...]]) -> list[list[np.ndarray]]:
    """Unit directions, a random one in each argument alone, and some in all arguments."""
    dense = dense_directions(shapes)
    alone = [[dense[0][k] * (k == place) for k in range(len(shapes))] for place in range(len(shapes))]
    return unit_directions(shapes) + alone + dense


def expected_gradients(case: Case) -> list[np.ndarray]:
    """The whole gradient by differences, element by element; for small arguments."""
    arguments = case.arguments()
    places = positions(case.numpy_function, case.wrt)
    result = []
    for k, place in enumerate(places):
        gradient = np.zeros(np.shape(arguments[place]))
        for element in range(gradient.size):
            direction = [np.zeros(np.shape(arguments[p])) for p in places]
            direction[k].flat[element] = 1.0
            gradient.flat[element] = estimate(
                case.numpy_function, arguments, case.wrt, direction, of=case.of, seed=case.seed
            ).value
        result.append(gradient)
    return result


def check_form(gradients: Sequence[Any], case: Case) -> None:
    """A gradient has its argument's shape and floating type, and is finite."""
    arguments = case.arguments()
    assert len(gradients) == len(case.wrt), f"{len(gradients)} gradients for {len(case.wrt)} arguments of '{case.name}'"
    for name, place, gradient in zip(case.wrt, positions(case.function, case.wrt), gradients, strict=True):
        wanted = np.asarray(arguments[place])
        got = np.asarray(gradient)
        assert got.shape == wanted.shape, f"{case.name}: '{name}' has shape {wanted.shape}, its gradient {got.shape}"
        assert got.dtype == wanted.dtype, f"{case.name}: '{name}' is {wanted.dtype}, its gradient {got.dtype}"
        assert np.all(np.isfinite(got)), f"{case.name}: the gradient of '{name}' is not finite: {got}"


def check_gradient(
    gradients: Any, case: Case, rtol: float | None = None, count: int | None = None, first_step: float = FIRST_STEP
) -> None:
    """Raises AssertionError unless `gradients` (one, or one for each of `wrt`) agree with differences.

    A difference may be off by `rtol` of the expected value, by rounding, and by what differences cannot resolve.
    With `count`, only so many random directions are tried: for programs that run long. `first_step` is the longest
    of the differences: programs with many kinks need short ones.
    """
    gradients = tuple(gradients) if isinstance(gradients, (tuple, list)) else (gradients,)
    check_form(gradients, case)
    wide = [np.asarray(gradient, dtype=np.float64) for gradient in gradients]
    is_single = any(np.asarray(gradient).dtype == np.float32 for gradient in gradients)
    rtol = max(case.rtol if rtol is None else rtol, 1e-4 if is_single else 0.0)
    noise = max((float(np.max(np.abs(g), initial=0.0)) for g in wide), default=0.0) * (2e-5 if is_single else 1e-10)
    shapes = [g.shape for g in wide]
    arguments = case.arguments()
    for direction in directions(shapes) if count is None else dense_directions(shapes, count):
        expected = estimate(
            case.numpy_function, arguments, case.wrt, direction, of=case.of, seed=case.seed, first_step=first_step
        )
        got = sum(float(np.sum(g * d)) for g, d in zip(wide, direction, strict=True))
        allowed = rtol * abs(expected.value) + noise + 2 * expected.error + 1e-13
        if not abs(got - expected.value) <= allowed:
            raise AssertionError(
                f"{case.name}: along {describe(direction, case)} the gradient gives {got:.12g}, "
                f"differences {expected.value:.12g} (+- {expected.error:.1e}), off by {abs(got - expected.value):.2e}."
            )


def describe(direction: Sequence[np.ndarray], case: Case) -> str:
    """`a[2, 1]` for a unit direction, otherwise the names of the arguments that move."""
    places = [(name, d) for name, d in zip(case.wrt, direction, strict=True) if np.any(d)]
    if len(places) == 1 and np.count_nonzero(places[0][1]) == 1:
        name, d = places[0]
        index = ", ".join(str(int(k)) for k in np.argwhere(d)[0]) if d.ndim else ""
        return f"{name}[{index}]"
    return "a direction in " + ", ".join(str(name) for name, _ in places)
