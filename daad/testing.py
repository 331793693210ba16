"""Checks of derivatives for the test suites of other projects."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from daad.api.check import CheckReport, Verdict, asked_product, check_product
from daad.api.gradient import Gradient
from daad.api.subject import arguments as calls
from daad.api.subject.request import Request
from daad.codegen.compilation import compile_program
from daad.errors import BadArgument
from daad.frontend import structures

PRODUCTS = {"fwd": "jvp", "rev": "vjp"}


def check_grads(
    f: Any,
    args: Sequence[Any],
    order: int = 2,
    modes: Sequence[str] = ("fwd", "rev"),
    wrt: Any = None,
    rtol: float | None = None,
    compiler: Any = compile_program,
) -> None:
    """Raises AssertionError where a derivative of `f` at `args`, up to the order, is not what differences say.

    Forward ("fwd") and reverse mode ("rev") are tried for each order: of `f` itself, of the gradient of a weighted sum
    of its outputs, of the gradient of that, and so on. `wrt` are all arguments that hold floats, unless it is given;
    `rtol` is 1e-6, or 1e-3 for float32. Arguments may have any structure, and outputs any shape.

        >>> import numpy as np
        >>> from daad.testing import check_grads
        >>> def energy(x, steps):
        ...     for _ in range(steps):
        ...         x = np.sin(x) * x
        ...     return x
        >>> check_grads(energy, (np.linspace(0.5, 1.5, 3), 2), order=2)
    """
    if order < 1 or not set(modes) <= PRODUCTS.keys() or not modes:
        raise BadArgument(f"There are no checks of order {order} in modes {modes!r}.", hint="Use 'fwd' and 'rev'.")
    chosen = _floats(args) if wrt is None else wrt
    function = f
    for level in range(1, order + 1):
        for mode in modes:
            request = Request(wrt=chosen)
            product = asked_product(PRODUCTS[mode], function, request, compiler=compiler)
            _require_right(check_product(PRODUCTS[mode], product, args, {}, rtol), level, mode)
        if level < order:
            function = _scalar(function, args, compiler, chosen)


def _floats(args: Sequence[Any]) -> tuple[int, ...]:
    found = [n for n, value in enumerate(args) if any(calls.is_float(leaf) for _, leaf in calls.flatten("", value))]
    if not found:
        raise BadArgument("No argument holds a float.", hint="Pass what derivatives are taken of as floats.")
    return tuple(found)


def _require_right(report: CheckReport, order: int, mode: str) -> None:
    if report.verdict is Verdict.WRONG or not report:
        raise AssertionError(f"Order {order}, mode '{mode}':\n{report}")


def _scalar(function: Any, args: Sequence[Any], compiler: Any, wrt: Any) -> Gradient:
    """The gradient of a sum of all outputs with random weights."""
    leaves = list(structures.leaves("", function(*copy.deepcopy(tuple(args)))))
    found = [(name, np.asarray(leaf)) for name, leaf in leaves if np.asarray(leaf).dtype.kind in "fc"]
    rng = np.random.default_rng(3)
    seeds = [rng.uniform(0.5, 1.5, leaf.shape) for _, leaf in found]
    is_plain = len(leaves) == 1 or isinstance(function, Gradient)
    of = None if is_plain else tuple(name for name, _ in found)
    seed = seeds[0] if len(seeds) == 1 else seeds
    return Gradient(function, Request(wrt=wrt, of=of, seed=seed), compiler=compiler)
