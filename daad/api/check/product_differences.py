"""Products with the Jacobian compared with differences: of a weighted sum of the outputs, along a direction."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from daad.api.call.device_calls import on_host
from daad.api.check.directions import random_direction
from daad.api.check.examination import ROUNDING, TOLERANCES
from daad.api.check.finite_differences import settled_despite_noise, sweep
from daad.api.check.point import MOST_CALLS, moved, widened
from daad.api.check.report import CheckReport, Verdict
from daad.api.check.verdict import Direction, Evidence, Finding
from daad.api.derivative import Derivative
from daad.api.gradient import Gradient
from daad.api.jacobian import Jacobian
from daad.api.products import Tangent, Vjp
from daad.api.subject import arguments as calls
from daad.api.subject.primal import outputs
from daad.api.subject.request import Request
from daad.api.subject.tangent_arguments import is_one
from daad.ccs.question import Product
from daad.errors import BadArgument, IndexOutside
from daad.frontend import structures
from daad.frontend.staging.draws import held
from daad.messages.progress import counted

DIRECTIONS = 2
ERRORS = (ArithmeticError, ValueError, IndexOutside)
VERDICTS = {Finding.REFUTED: Verdict.WRONG, Finding.UNCLEAR: Verdict.UNCONFIRMED, Finding.BETWEEN: Verdict.SUBGRADIENT}
"""What one direction says, the worst first."""
Blocks = list[np.ndarray]


@dataclass
class Weighted:
    """The weighted sum of a program's outputs as a function of a step along a direction."""

    values: Callable[[dict[str, Any]], Blocks]
    bound: Mapping[str, Any]
    weights: Blocks
    base: float = 0.0
    calls: int = 0

    @property
    def is_exhausted(self) -> bool:
        return self.calls + 2 > MOST_CALLS

    def along(self, direction: Mapping[str, np.ndarray], step: float) -> float:
        """After a step; NaN where the program fails there."""
        self.calls += 1
        try:
            with np.errstate(all="ignore"):
                return inner(self.weights, self.values(moved(self.bound, direction, step)))
        except ERRORS:
            return float("nan")


def inner(weights: Blocks, values: Blocks) -> float:
    """The sum of products; of complex numbers, real and imaginary parts each with those of the weight."""
    return float(sum(np.sum(np.real(np.conj(w) * v)) for w, v in zip(weights, values, strict=True)))


@dataclass(frozen=True)
class Asked:
    """A product of a program at a point: a function of its own, by the product's name."""

    derivative: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    @property
    def bound(self) -> dict[str, Any]:
        return on_host(self.derivative._bound(self.args, self.kwargs))

    def values(self, bound: dict[str, Any]) -> Blocks:
        """The float outputs of the program at other arguments."""
        subject, function = self.derivative._subject, self.derivative._asked.function
        if isinstance(function, Derivative):
            assert subject.call is not None, "gradients are functions"
            return floats(subject.call(function, bound))
        return floats(outputs(subject, bound, self.derivative._asked.request, function))

    def structured(self, chosen: Mapping[str, Any], moves: Mapping[str, np.ndarray]) -> Any:
        """A direction in the structure of `wrt`."""
        pairs = calls.floats(chosen)
        leaves = iter([np.asarray(moves[n]).astype(np.asarray(v).dtype).reshape(np.shape(v)) for n, v in pairs])
        found = [calls.filled(calls.skeleton(value), leaves) for value in chosen.values()]
        return found[0] if is_one(self.derivative._asked.request.wrt) else tuple(found)

    def called(self, **brought: Any) -> Any:
        return self.derivative(*copy.deepcopy(self.args), **copy.deepcopy(dict(self.kwargs)), **brought)


def floats(value: Any) -> Blocks:
    """The float leaves of a structure."""
    found = [leaf for _, leaf in structures.leaves("", structures.all_opened(value)) if leaf is not None]
    return [np.asarray(leaf) for leaf in found if np.asarray(leaf).dtype.kind in "fc"]


def _of_tangent(asked: Asked, direction: Any, moves: Blocks, weights: Blocks) -> float:
    returned = asked.called(tangent=direction)
    return inner(weights, floats(returned[1] if asked.derivative._asked.request.value else returned))


def _of_pullback(asked: Asked, direction: Any, moves: Blocks, weights: Blocks) -> float:
    value, pull = asked.called()
    return inner(floats(pull(_filled(structures.all_opened(value), iter(weights)))), moves)


def _of_jacobian(asked: Asked, direction: Any, moves: Blocks, weights: Blocks) -> float:
    blocks, total = iter(floats(asked.called())), 0.0
    for weight in weights:
        for move in moves:
            total += inner([weight], [np.tensordot(next(blocks), move, move.ndim)])
    return total


def _filled(like: Any, blocks: Iterator[np.ndarray]) -> Any:
    if structures.parts(like) is None:
        return next(blocks) if floats(like) else None
    return structures.rebuilt(like, lambda _, item: _filled(item, blocks))


Number = Callable[[Asked, Any, Blocks, Blocks], float]
PRODUCTS: dict[str, tuple[Callable[..., Derivative | Jacobian], Number]] = {
    "jvp": (Tangent, _of_tangent),
    "vjp": (Vjp, _of_pullback),
    "hvp": (Tangent, _of_tangent),
    "jacobian": (Jacobian, _of_jacobian),
}


def require_known_product(product: str) -> None:
    if product not in PRODUCTS:
        raise BadArgument(f"The option 'product' is {product!r}.", hint=f"Use one of {', '.join(map(repr, PRODUCTS))}.")


def check_product(
    product: str,
    derivative: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    tolerance: float | None = None,
) -> CheckReport:
    """Compares a product at the point `args` with differences of the program, along random directions."""
    with held():
        return _checked(product, derivative, tuple(args), kwargs, tolerance)


def _checked(
    product: str, derivative: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], tolerance: float | None
) -> CheckReport:
    own = derivative._tangent if isinstance(derivative, Jacobian) else derivative
    asked = Asked(own, args, kwargs)
    bound, number = asked.bound, PRODUCTS[product][1]
    chosen = own._chosen(bound)
    wide = {name: widened(value) for name, value in bound.items()}
    rng = np.random.default_rng(20)
    at = asked.values(copy.deepcopy(wide))
    weights = [random_direction(rng, np.ones_like(v)) for v in at]
    point = Weighted(asked.values, wide, weights, inner(weights, at))
    single = any(np.asarray(v).dtype in (np.float32, np.complex64) for _, v in calls.floats(chosen))
    allowed = tolerance or TOLERANCES["float32" if single else "float64"]
    called = Asked(derivative, args, kwargs) if isinstance(derivative, Jacobian) else asked
    rounding = ROUNDING * float(np.finfo("float32" if single else "float64").eps) * abs(point.base)
    tried = []
    for number_of_direction in range(1, DIRECTIONS + 1):
        counted("direction", number_of_direction, DIRECTIONS)
        moves = {n: random_direction(rng, v) for n, v in calls.floats(chosen)}
        found = number(called, asked.structured(chosen, moves), list(moves.values()), weights)
        own._refuse_ranks("There is no check of this product")
        tried.append(_judged(point, moves, found, allowed, rounding))
    return CheckReport(
        what=product,
        verdict=_verdict(tried),
        directions=tuple(tried),
        tolerance=allowed,
        value=point.base,
        value_found=point.base,
        value_error=0.0,
        calls=point.calls,
    )


def _judged(point: Weighted, moves: Mapping[str, Any], found: float, tolerance: float, rounding: float) -> Direction:
    along = next(iter(moves)) if len(moves) == 1 else "all"
    swept = sweep(point, moves, tolerance)
    evidence = Evidence(along=along, sweep=swept, exact=None, tolerance=tolerance, rounding=rounding)
    judged = evidence.judge(found, abs(found))
    if judged.finding in (Finding.REFUTED, Finding.UNCLEAR):
        swept = settled_despite_noise(point, moves, tolerance, swept)
        evidence = Evidence(along=along, sweep=swept, exact=None, tolerance=tolerance, rounding=rounding)
        judged = evidence.judge(found, abs(found))
    return judged


def _verdict(tried: Sequence[Direction]) -> Verdict:
    findings = {direction.finding for direction in tried}
    return next((verdict for finding, verdict in VERDICTS.items() if finding in findings), Verdict.RIGHT)


def asked_product(product: str, function: Any, request: Request, **made: Any) -> Any:
    """What is checked: a product of a function, of its gradient for `hvp`."""
    kind = PRODUCTS[product][0]
    if product == "jacobian":
        return kind(function, request, **made)
    if product == "hvp":
        function = Gradient(function, request, **made) if not isinstance(function, Gradient) else function
        request = Request(wrt=request.wrt, device=request.device)
    of = Product.PULLBACK if product == "vjp" else Product.TANGENT
    return kind(function, replace(request, product=of, value=product != "hvp"), **made)
