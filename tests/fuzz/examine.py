"""The questions asked of a random program: values, gradient, plans, kept inputs, compiled code, a second call."""

from __future__ import annotations

import copy
import traceback
import warnings
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any
from unittest import mock

import numpy as np

from daad.api.gradient import Gradient
from daad.api.subject.arguments import flatten
from daad.codegen.interpreted import Interpreted
from daad.errors import DaadError, InternalError, Unsupported
from daad.frontend.python import Read
from daad.frontend.staging.speculation import NOTHING
from daad.ir.interpreter import run
from tests import oracle
from tests.corpus.case import Case
from tests.frontend.python.running import built, flat, leaves_of
from tests.fuzz import products
from tests.fuzz.overlaps import reads_overwritten
from tests.fuzz.passes import chosen, without
from tests.fuzz.programs import RandomProgram
from tests.fuzz.thresholds import lowered
from tests.programs import request_of

LARGEST = 1e6
EXACT, SINGLE, UNIT = 1e-10, 2e-4, 1.2e-7
"""How far answers may differ, relative to the largest number, at 64 and at 32 bits; a unit in the last of 32 bits."""
DIRECTIONS = 2
SETTLED = 1e-5
"""Differences whose extrapolations are further apart, relative to the derivative's terms, say nothing."""


class Outcome(Enum):
    """What became of a program; only WRONG is a defect of daad, INVALID one of the generator or the examiner."""

    RIGHT = "right"
    WRONG = "wrong"
    REFUSED = "refused"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"


@dataclass(frozen=True)
class Verdict:
    """The outcome, and why."""

    outcome: Outcome
    cause: str = ""
    details: str = ""


class Wrong(Exception):
    """An answer of daad that differs from NumPy's, from differences, or from another of its answers."""


class Inconclusive(Exception):
    """The point is too close to a kink, or numbers grow too large, for differences to judge."""


@dataclass(frozen=True)
class Questions:
    """What is asked beyond values and gradient: of the code that each of these C++ compilers makes, then also of code
    that is built as for large arrays; of other plans; with optimisation passes left out; a call `elsewhere`, with other
    data; products with the Jacobian, and with the second derivatives."""

    compilers: tuple[str, ...] = ()
    large: bool = False
    plans: bool = True
    passes: bool = False
    elsewhere: bool = False
    products: bool = False
    second: bool = False


FEW = Questions(plans=False)


def examine(program: RandomProgram, questions: Questions = FEW) -> Verdict:
    """Asks the questions."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            case = program.case()
            case.function(*case.arguments())
        except Exception as error:
            return Verdict(Outcome.INVALID, f"{type(error).__name__}: {error}")
        try:
            _ask(case, questions, program)
        except InternalError as error:
            return Verdict(Outcome.WRONG, str(error.__cause__ or error), traceback.format_exc())
        except DaadError as error:
            return _refusal(error)
        except Inconclusive as reason:
            return Verdict(Outcome.INCONCLUSIVE, str(reason))
        except Wrong as reason:
            if reads_overwritten(program):
                return Verdict(Outcome.INCONCLUSIVE, "NumPy reads what it has overwritten")
            if _is_unsteady(case):
                return Verdict(Outcome.INCONCLUSIVE, "rounding decides the result")
            return Verdict(Outcome.WRONG, str(reason).split(":")[0], str(reason))
        except Exception as error:
            return Verdict(Outcome.WRONG, f"{type(error).__name__} {_where(error)}", traceback.format_exc())
    return Verdict(Outcome.RIGHT)


def _refusal(error: DaadError) -> Verdict:
    """A refusal counts as one only if it names the line."""
    cause = f"{type(error).__name__}: {error.message}"
    if error.at is None or not error.at.line:
        return Verdict(Outcome.WRONG, f"no line in {cause}", cause)
    return Verdict(Outcome.REFUSED, cause, str(error))


def _where(error: Exception) -> str:
    """The function and the text that failed."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"in {frame.name}: {str(error).splitlines()[0][:80] if str(error) else frame.line}"


def _ask(case: Case, questions: Questions, program: RandomProgram) -> None:
    case = replace(case, rtol=_primal(case))
    gradient = gradient_of(case)
    answer = _called(gradient, case)
    _identical(answer, _called(gradient, case))
    _derivative(case, answer.gradients)
    if questions.elsewhere and _runs(other := replace(program.elsewhere().case(), rtol=case.rtol)):
        _derivative(other, _called(gradient, other).gradients)
        _identical(answer, _called(gradient, case))
    if questions.products:
        _agree(products.tangents_and_pullbacks(case), case)
    if questions.second:
        _agree(products.second_derivatives(case), case)
    for options in ({"on_inputs": "primal", "plan": "store"}, {"plan": "recompute"}) if questions.plans else ():
        _same(answer, _answer(case, **options), f"{options} gives another gradient", case)
    if questions.passes:
        left_out = chosen(program.source)
        with without(left_out):
            _same(answer, _answer(case), f"without the passes {', '.join(left_out)} another gradient", case)
    for compiler in questions.compilers:
        _compiled(case, answer, compiler, nullcontext(), "")
        if questions.large:
            _compiled(case, answer, compiler, lowered(), " as for large arrays")


def _runs(case: Case) -> bool:
    """Whether NumPy raises nothing."""
    try:
        case.function(*case.arguments())
    except Exception:
        return False
    return True


def _agree(found: products.Products, case: Case) -> None:
    if not np.isfinite(found.size) and not _stays_finite(case):
        raise Inconclusive("a value on the way is not finite")
    if found.differ(1e-4 if _reads_single(case) else 1e-9):
        raise Wrong(f"{found.what}: {found.one:.12g} and {found.other:.12g}")


@dataclass(frozen=True)
class Answer:
    """What one call of a gradient returns: leaves of values and gradients."""

    values: list[np.ndarray]
    gradients: list[np.ndarray]


def _primal(case: Case) -> float:
    """The Program as read, interpreted, against NumPy: what it returns and what it leaves in its arguments; gives how
    far answers may differ."""
    read = _read(case)
    given = {read.places[n]: v for n, v in leaves_of(case.function, case.arguments()).items() if n in read.places}
    final = run(read.program, {**given, **read.constants})
    tolerance = _resolved(case, final.values())
    expected = case.arguments()
    returned = case.function(*expected)
    if any(final[place].any() for place in read.failed[:1]):
        raise Wrong("the primal notes an exception that NumPy does not raise")
    for place, wanted in zip(flat(read.value), flat(returned), strict=True):
        if wanted is not None:
            _close(final[place], wanted, "the primal's result differs from NumPy's", tolerance)
    for name, wanted in leaves_of(case.function, expected).items():
        if isinstance(wanted, np.ndarray) and name in read.places:
            _close(final[read.places[name]], wanted, "the primal leaves an argument different from NumPy's", tolerance)
    return tolerance


def _resolved(case: Case, arrays: Iterable[np.ndarray]) -> float:
    """What numbers of 32 bits resolve, relative to the largest: a sum loses up to half a unit for each of its terms,
    of which there are no more than elements in the largest array."""
    if not _reads_single(case):
        return EXACT
    return max(SINGLE, max(array.size for array in arrays) * UNIT / 2)


def _read(case: Case) -> Read:
    """Without speculation where that is possible, as gradients are."""
    try:
        return built(case.function, case.arguments(), case.of)
    except Unsupported:
        return built(case.function, case.arguments(), case.of, NOTHING)


def gradient_of(case: Case, **options: Any) -> Gradient:
    compiler = options.pop("compiler", Interpreted)
    request = request_of(case, value=True, **options)
    return Gradient(case.function, request) if compiler is None else Gradient(case.function, request, compiler=compiler)


def _answer(case: Case, **options: Any) -> Answer:
    return _called(gradient_of(case, **options), case)


def _called(gradient: Gradient, case: Case) -> Answer:
    """One call; its values must be NumPy's, and the arguments it leaves those that were given, or NumPy's."""
    arguments, expected = case.arguments(), case.arguments()
    values, gradients = gradient(*arguments)
    wanted = oracle.output(case.function, copy.deepcopy(expected), case.of)
    if gradient._asked.request.on_inputs == "primal":
        case.function(*expected)
    answer = Answer(_leaves(values), _leaves(gradients))
    for got, value in zip(answer.values, _leaves(wanted), strict=True):
        _close(got, value, "the value differs from NumPy's", case.rtol)
    for got, value in zip(arguments, expected, strict=True):
        if isinstance(value, np.ndarray):
            _close(got, value, "an argument is left different", case.rtol)
    return answer


def _identical(first: Answer, second: Answer) -> None:
    pairs = zip(first.values + first.gradients, second.values + second.gradients, strict=True)
    if not all(np.array_equal(a, b, equal_nan=True) for a, b in pairs):
        raise Wrong("a second call differs from the first")


def _leaves(value: Any) -> list[np.ndarray]:
    return [np.asarray(leaf) for _, leaf in flatten("", value)]


def _close(got: np.ndarray, wanted: Any, what: str, tolerance: float) -> None:
    wanted = np.asarray(wanted)
    if got.shape != wanted.shape:
        raise Wrong(f"{what}: shapes {got.shape} and {wanted.shape}")
    tolerance = max(tolerance, SINGLE if np.float32 in (got.dtype, wanted.dtype) else EXACT)
    scale = np.max(np.abs(wanted[np.isfinite(wanted)]), initial=1.0)
    if not np.allclose(got, wanted, rtol=0, atol=scale * tolerance, equal_nan=True):
        raise Wrong(f"{what}: {wanted.tolist()} expected, got {got.tolist()}")


def _same(first: Answer, second: Answer, what: str, case: Case) -> None:
    for a, b in zip(first.gradients, second.gradients, strict=True):
        if a.dtype != b.dtype:
            raise Wrong(f"{what}: dtypes {a.dtype} and {b.dtype}")
        _close(b, a, what, case.rtol)


def _derivative(case: Case, gradients: list[np.ndarray]) -> None:
    """The gradient against differences; float32 gradients against float64 ones, which are compared themselves."""
    _form(case, gradients)
    if any(g.dtype == np.float32 for g in gradients) or _reads_single(case):
        wide = replace(case, arguments=_widened(case.arguments), rtol=EXACT)
        exact = _answer(wide).gradients
        _near(wide, exact, gradients)
        case, gradients = wide, exact
    for direction in oracle.dense_directions([g.shape for g in gradients], DIRECTIONS):
        _along(case, gradients, direction)


def _reads_single(case: Case) -> bool:
    return any(getattr(a, "dtype", None) == np.float32 for a in case.arguments())


def _widened(arguments: Callable[[], tuple[Any, ...]]) -> Callable[[], tuple[Any, ...]]:
    return lambda: tuple(oracle.widened(list(arguments())))


def _form(case: Case, gradients: list[np.ndarray]) -> None:
    try:
        oracle.check_form(gradients, case)
    except AssertionError as error:
        value = oracle.output(case.function, copy.deepcopy(case.arguments()), case.of)
        if not all(np.all(np.isfinite(leaf)) for leaf in _leaves(value)):
            raise Inconclusive("the value is not finite") from None
        if not _stays_finite(case):
            raise Inconclusive("a value on the way is not finite") from None
        raise Wrong(f"the form of the gradient: {error}") from None


def _stays_finite(case: Case) -> bool:
    """Whether NumPy meets no invalid operation and no division by zero: what such a result is overwritten by
    hides it from the value, not from the gradient."""
    try:
        with np.errstate(divide="raise", invalid="raise"):
            case.function(*case.arguments())
    except FloatingPointError:
        return False
    return True


def _near(wide: Case, exact: list[np.ndarray], single: list[np.ndarray]) -> None:
    """Rounding to float32 may move a gradient as far as moving the arguments by as much does."""
    scale = max((float(np.max(np.abs(g), initial=0.0)) for g in exact), default=0.0)
    off = max((float(np.max(np.abs(e - s), initial=0.0)) for e, s in zip(exact, single, strict=True)), default=0.0)
    if off <= SINGLE * (scale + 1):
        return
    spread = 0.0
    for number in range(4):
        moved = _answer(replace(wide, arguments=_shaken(wide, number))).gradients
        spread = max(spread, *(float(np.max(np.abs(e - m), initial=0.0)) for e, m in zip(exact, moved, strict=True)))
    if off > 50 * spread:
        raise Wrong(f"the float32 gradient is off by {off:.2e} of {scale:.2e}")
    raise Inconclusive("float32 cannot resolve the gradient")


def _shaken(case: Case, number: int, unit: float = UNIT) -> Callable[[], tuple[Any, ...]]:
    """The arguments moved by a unit in the last place of float32, or of another type."""

    def arguments() -> tuple[Any, ...]:
        rng = np.random.default_rng(number)
        return tuple(
            _as_given(a, a * (1 + unit * rng.choice([-1, 1], np.shape(a)))) if np.asarray(a).dtype.kind == "f" else a
            for a in case.arguments()
        )

    return arguments


def _is_unsteady(case: Case) -> bool:
    """Whether arguments that differ in their last places give results that differ as much as wrong ones do."""
    tolerance, unit = (SINGLE, UNIT) if _reads_single(case) else (EXACT, 2.3e-16)
    wanted = _results(case)
    try:
        for number in range(4):
            moved = _results(replace(case, arguments=_shaken(case, number, unit)))
            for got, value in zip(moved, wanted, strict=True):
                _close(got, value, "", tolerance)
    except Wrong:
        return True
    return False


def _results(case: Case) -> list[np.ndarray]:
    """What NumPy returns, and leaves in the arguments."""
    given = case.arguments()
    return [leaf for leaf in _leaves([case.function(*given), *given]) if leaf.dtype != object]


def _as_given(given: Any, moved: Any) -> Any:
    """An array without axes, which becomes a number where something is added, as an array."""
    return np.asarray(moved) if isinstance(given, np.ndarray) else moved


def _along(case: Case, gradients: list[np.ndarray], direction: list[np.ndarray]) -> None:
    terms = [np.sum(g * d) for g, d in zip(gradients, direction, strict=True)]
    got = float(sum(terms))
    scale = max(float(sum(np.sum(np.abs(g * d)) for g, d in zip(gradients, direction, strict=True))), 1e-3)
    expected = oracle.estimate(case.function, case.arguments(), case.wrt, direction, of=case.of, seed=case.seed)
    size = abs(expected.value)
    scale, off = max(scale, size), abs(got - expected.value)
    if expected.error <= SETTLED * scale and off <= 1e-6 * scale + 10 * expected.error:
        return
    if not size <= LARGEST:
        raise Inconclusive("the derivative is too large")
    if not expected.error <= SETTLED * scale:
        raise Inconclusive("differences do not settle")
    if _is_kink(case, direction):
        raise Inconclusive("the point lies on a kink")
    raise Wrong(f"the gradient differs from differences: {expected.value:.10g} expected, got {got:.10g}")


def _is_kink(case: Case, direction: list[np.ndarray]) -> bool:
    """Whether the slopes to both sides differ."""
    places = oracle.positions(case.function, case.wrt)

    def loss(step: float) -> float:
        return oracle.loss(case.function, oracle.moved(case.arguments(), places, direction, step), case.of, case.seed)

    h = 1e-6
    right, left = ((-3 * loss(0) + 4 * loss(s * h) - loss(2 * s * h)) / (2 * s * h) for s in (1, -1))
    return abs(right - left) > 1e-4 * (abs(right) + abs(left) + 1e-3)


def _compiled(case: Case, answer: Answer, compiler: str, way: AbstractContextManager[None], how: str) -> None:
    """Without the cache, which does not know of thresholds that are lowered."""
    with way, mock.patch.dict("os.environ", CXX=compiler, DAAD_CACHE="off"):
        gradient = gradient_of(case, compiler=None)
        try:
            first, second = (_called(gradient, case) for _ in range(2))
            _identical(first, second)
            _same(answer, first, "another gradient than interpreted", case)
        except Wrong as reason:
            raise Wrong(f"compiled by {compiler}{how}, {reason}") from None
