"""Several seeds at once, by whichever way: the gradients of one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from daad.api.call.pullbacks import Pullback
from daad.api.products import Vjp
from daad.api.subject.request import Request
from daad.ccs.question import Product
from daad.codegen.interpreted import Interpreted
from daad.ir.nodes import Loop
from daad.loops.batch import batched, batched_inside, repeated
from daad.pipeline import optimize_joint

COUNT = 5
RANDOM = np.random.default_rng(3)


def diffusion(x: Any, k: Any, steps: int) -> Any:
    for _ in range(steps):
        x[1:-1] = x[1:-1] + k[1:-1] * (x[2:] - 2.0 * x[1:-1] + x[:-2])
    return np.sin(x)


def covariances(x: Any) -> Any:
    x -= np.mean(x, axis=0)
    found = np.zeros((x.shape[1], x.shape[1]))
    for i in range(x.shape[1]):
        found[i:, i] = found[i, i:] = x[:, i] @ x[:, i:]
    return found


def bounded(x: Any, y: Any) -> Any:
    """The second argument's gradient is the same for all seeds."""
    return np.where(x > y, x * x, 1.0) if y[0] > 5.0 else np.where(x > 0.0, x, 0.0 * y)


def distances(x: Any, y: Any) -> Any:
    return np.arctan2(np.sin(x) * np.cos(y), np.cosh(x)) ** 0.5


PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]], Any]] = {
    "a loop": (diffusion, lambda: (np.linspace(0.0, 1.0, 7), np.full(7, 0.2), 3), ("x", "k")),
    "triangular products": (covariances, lambda: (np.cos(np.arange(24.0)).reshape(6, 4),), "x"),
    "a zero gradient": (bounded, lambda: (np.array([1.0, -1.0]), np.ones(2)), ("x", "y")),
    "elementary functions": (distances, lambda: (np.linspace(0.1, 1.0, 6), np.linspace(0.2, 0.9, 6)), ("x", "y")),
}
WAYS = {"leading": batched, "innermost": batched_inside, "one after the other": repeated}


def pulled(function: Any, arguments: tuple[Any, ...], wrt: Any) -> tuple[Any, Pullback]:
    """The value and the pullback."""
    asked = Request(wrt=wrt, value=True, product=Product.PULLBACK)
    found: tuple[Any, Pullback] = Vjp(function, asked, compiler=Interpreted)(*arguments)
    return found


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_seeds_are_pulled_back_as_one_by_one(name: str, way: str) -> None:
    function, arguments, wrt = PROGRAMS[name]
    value, pull = pulled(function, arguments(), wrt)
    seeds = RANDOM.normal(size=(COUNT, *np.shape(value)))
    split = pull._answer.split
    one, names = split.pullback(), [seed.array for seed in split.derivation.seeds]
    joined = WAYS[way](one.joined, names if way == "one after the other" else (*names, *one.joined.results), COUNT)
    program, _ = optimize_joint(joined, one.hints)
    results = [np.empty(program.arrays[n].shape) for n in program.results]
    Interpreted(program).call([*pull._kept, *split.tables.values(), seeds, *results], pull._integers)
    found = dict(zip(program.results, results, strict=True))
    for k, seed in enumerate(seeds):
        expected = pull(seed)
        pairs = zip(one.gradients, expected if isinstance(expected, tuple) else (expected,), strict=True)
        for gradient, array in pairs:
            np.testing.assert_allclose(found[gradient][k] if gradient else 0.0, array, rtol=1e-13, atol=1e-14)


def test_many_seeds_are_pulled_back_as_one_by_one() -> None:
    for function, arguments, wrt in PROGRAMS.values():
        value, pull = pulled(function, arguments(), wrt)
        seeds = RANDOM.normal(size=(COUNT, *np.shape(value)))
        alone = [pull(seed) for seed in seeds]
        expected = [*map(np.stack, zip(*alone, strict=True))] if isinstance(alone[0], tuple) else [np.stack(alone)]
        found = pull.many(seeds)
        for one, other in zip(found if isinstance(found, tuple) else (found,), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(
    ("function", "arguments", "is_loop"),
    [
        (covariances, (np.ones((300, 200)),), True),  # whose rows become products of matrices for one seed alone
        (distances, (np.ones(2**18), np.ones(2**18)), False),  # which have slopes in common
    ],
    ids=["products", "slopes"],
)
def test_large_programs_run_again_for_each_seed_where_they_have_little_in_common(
    function: Any, arguments: tuple[Any, ...], is_loop: bool
) -> None:
    asked = Request(value=True, product=Product.PULLBACK)
    vjp = Vjp(function, asked, compiler=Interpreted)
    split = vjp._found_for(vjp._bound(arguments, {}))[0].derivation
    assert isinstance(split.pullback(16).serial.body[0], Loop) == is_loop


def test_seeds_of_what_is_near_are_the_innermost_dimension() -> None:
    function, arguments, wrt = PROGRAMS["a loop"]
    _, pull = pulled(function, arguments(), wrt)
    split = pull._answer.split
    inner = [a for a in split.pullback(16).joined.arrays.values() if a.shape[-1:] == (16,)]
    assert inner
