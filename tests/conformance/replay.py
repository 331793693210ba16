"""One recorded call as a gradient: values against NumPy, derivatives against differences."""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
import scipy
from scipy.optimize import OptimizeResult

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.errors import DaadError, InternalError, Unsupported
from daad.frontend.staging.speculation import NOTHING
from daad.ir.interpreter import run
from tests.conformance.calls import Call
from tests.frontend.python.running import built, flat, leaves_of, values_of
from tests.fuzz.programs import NAME, function_of
from tests.oracle import Estimate, extrapolated

SHAKE = 1e-3
FIRST_STEPS = (1e-5, 1e-3, 1e-7)
"""Relative to each element."""
DIRECTIONS = 2
SETTLED = 1e-5
"""Differences whose extrapolations are further apart, relative to the derivative's terms, say nothing."""
LARGEST = 1e8
UNBOUNDED = 1e200
FARTHEST = 1e150
"""Arguments beyond this have slopes below what numbers of 64 bits hold."""
MOST = 400
"""Elements of all results."""
SINGLE = (np.dtype(np.float32), np.dtype(np.complex64), np.dtype(np.float16))

SINGLE_NAMES = re.compile(r"float16|float32|complex64|'<?[fFe]\d?'|<f[24]|<c8|single")
ROUGH_STEPS = (1e-3, 1e-2)
"""Where results are rounded to 32 bits."""

SOLVED = ("x", "fun")
"""What programs read of a solver's result."""
HEAD = "import numpy as np\nfrom numpy import inf, nan\n{modules}\nimport daad"
SCIPY = re.compile(r"\bscipy\.[\w.]+(?=\.\w+\()")


class Outcome(Enum):
    """What became of a call; UNUSABLE says that there is nothing to ask of it, VALUE that its results are integers
    or truth values, which are NumPy's."""

    RIGHT = "right"
    VALUE = "right, with no derivative"
    WRONG = "wrong"
    REFUSED = "refused"
    INCONCLUSIVE = "inconclusive"
    UNUSABLE = "unusable"


@dataclass(frozen=True)
class Verdict:
    """The outcome, and why; `program` shows it."""

    function: str
    outcome: Outcome
    cause: str = ""
    details: str = ""
    program: str = ""


class Wrong(Exception):
    """An answer that differs from NumPy's or from differences."""


class Whole(Exception):
    """No result is a float."""


class Inconclusive(Exception):
    """Differences cannot judge here."""


class Unusable(Exception):
    """The call has no numbers for a result, or fails at the shaken point."""


@dataclass(frozen=True)
class Subject:
    """A program around a call, the values it takes, and which of them move."""

    source: str
    values: tuple[Any, ...]
    moving: tuple[int, ...]
    rounds: bool = False
    """Numbers of 32 bits or fewer take part."""

    @property
    def function(self) -> Callable[..., Any]:
        return function_of(self.source, scipy=scipy)

    def fresh(self) -> list[Any]:
        return [value.copy(order="K") if isinstance(value, np.ndarray) else value for value in self.values]

    def __str__(self) -> str:
        given = "".join(f"    {_shown(value)},\n" for value in self.values)
        check = f"print(daad.check({NAME}, ARGUMENTS, wrt={self.moving!r}))"
        modules = "".join(f"import {name}\n" for name in sorted(set(SCIPY.findall(self.source))))
        return f"{HEAD.format(modules=modules)}\n\n\n{self.source}\n\nARGUMENTS = (\n{given})\n\n{check}\n"


def _shown(value: Any) -> str:
    return f"np.array({value.tolist()!r}, {value.dtype.str!r})" if isinstance(value, np.ndarray) else repr(value)


def replay(call: Call) -> Verdict:
    """Asks for the call's values and gradient."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        subject = Subject("", call.values, ())
        try:
            subject = bare(call)
            _values(subject)
            subject = weighted(subject)
            _gradient(subject)
        except Unusable as reason:
            return Verdict(call.function, Outcome.UNUSABLE, str(reason), "", str(subject))
        except Whole:
            return Verdict(call.function, Outcome.VALUE)
        except Inconclusive as reason:
            return Verdict(call.function, Outcome.INCONCLUSIVE, str(reason), "", str(subject))
        except InternalError as error:
            cause = f"internal error: {error.__cause__ or error}"
            return Verdict(call.function, Outcome.WRONG, cause, traceback.format_exc(), str(subject))
        except DaadError as error:
            return _refusal(call, error, subject)
        except Wrong as reason:
            return Verdict(call.function, Outcome.WRONG, str(reason).split(":")[0], str(reason), str(subject))
        except Exception as error:
            cause = f"{type(error).__name__}: {error}"
            return Verdict(call.function, Outcome.WRONG, cause, traceback.format_exc(), str(subject))
    return Verdict(call.function, Outcome.RIGHT)


def _refusal(call: Call, error: DaadError, subject: Subject) -> Verdict:
    """A refusal counts as one only if it names the line, and does not say that NumPy fails, which has not."""
    cause = error.message
    outcome = Outcome.REFUSED
    if error.at is None or not error.at.line:
        outcome, cause = Outcome.WRONG, f"no line in {cause}"
    if "fails without daad" in cause:
        outcome = Outcome.WRONG
    return Verdict(call.function, outcome, cause, str(error), str(subject))


def bare(call: Call) -> Subject:
    """The program that returns what the call returns, or what it leaves in its arguments, at a shaken point."""
    values = tuple(shaken(value, number) for number, value in enumerate(call.values))
    names = ", ".join(f"x{k}" for k in range(len(values)))
    moving = tuple(k for k, value in enumerate(values) if np.asarray(value).dtype.kind in "fc" and np.size(value))
    line = call.text if call.is_statement else f"y = {call.text}"
    subject = Subject(
        f"def {NAME}({names}):\n    {line}\n    return {'()' if call.is_statement else 'y'}\n", values, moving
    )
    given = subject.fresh()
    returned = _called(subject.function, given)
    if any(np.iscomplexobj(value) and not np.all(np.isfinite(value)) for value in values):
        raise Inconclusive("a complex number is not finite")
    if sum(np.size(leaf) for _, leaf in leaves("y", returned) if isinstance(leaf, np.ndarray)) > MOST:
        raise Unusable("the result is too large")
    if returned is None or call.is_statement:
        written = "".join(f"x{k}, " for k in _changed(subject, given))
        if not written:
            raise Unusable("no numbers for a result")
        source = f"def {NAME}({names}):\n    {call.text}\n    return ({written})\n"
        return replace(subject, source=source)
    return subject


def _changed(subject: Subject, given: Sequence[Any]) -> list[int]:
    """The moving arguments that a call has written."""
    return [k for k in subject.moving if not _same(given[k], subject.values[k])]


def _same(one: Any, other: Any) -> bool:
    return np.array_equal(np.asarray(one), np.asarray(other), equal_nan=True)


def shaken(value: Any, number: int) -> Any:
    """Floats moved by a thousandth at most, equal ones by different amounts and zeros upwards; others as they are."""
    kind = np.asarray(value).dtype.kind
    if kind not in "fc" or not np.size(value):
        return value
    if kind == "c":
        moved = _moved(np.real(value), number) + 1j * _moved(np.imag(value), number + 50)
        moved = np.where(np.isfinite(value), moved, value)
    else:
        moved = _moved(value, number)
    if isinstance(value, np.ndarray):
        result = np.empty_like(value)
        result[...] = moved
        return result
    return type(value)(moved)


def _moved(value: Any, number: int) -> np.ndarray:
    wide = np.asarray(value, dtype=np.result_type(value, np.float64))
    steps = np.linspace(0.5, 1.0, wide.size) if wide.size > 1 else np.array([0.7])
    amounts = SHAKE * np.random.default_rng(number).permutation(steps).reshape(wide.shape)
    return np.where(wide == 0, amounts, wide * (1 + amounts))


def weighted(subject: Subject) -> Subject:
    """The program that adds up all numbers that the call returns or leaves in its arguments, each with its weight."""
    given = subject.fresh()
    returned = _called(subject.function, given)
    *_, line, _ = subject.source.splitlines()
    weights: list[Any] = []
    terms: list[str] = []
    if line.startswith("    y = "):
        terms = [term for path, leaf in leaves("y", returned) for term in _terms(path, leaf, weights)]
    terms += [term for k in _changed(subject, given) for term in _terms(f"x{k}", given[k], weights)]
    if not terms:
        raise Whole
    names = [f"x{k}" for k in range(len(subject.values))] + [f"w{k}" for k in range(len(weights))]
    source = f"def {NAME}({', '.join(names)}):\n{line}\n    return {' + '.join(terms)}\n"
    wide = _called(subject.function, [widened(value) for value in subject.fresh()])
    rounds = any(_is_single(leaf) for _, leaf in leaves("y", wide)) or bool(SINGLE_NAMES.search(line))
    return replace(subject, source=source, values=(*subject.values, *weights), rounds=rounds)


def leaves(path: str, value: Any) -> list[tuple[str, Any]]:
    """The parts of a result with the expressions that reach them."""
    if isinstance(value, list | tuple):
        return [leaf for k, item in enumerate(value) for leaf in leaves(f"{path}[{k}]", item)]
    if isinstance(value, OptimizeResult):
        return [leaf for name in SOLVED if name in value for leaf in leaves(f"{path}.{name}", value[name])]
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in leaves(f"{path}[{key!r}]", item)]
    return [(path, value)]


def _terms(path: str, leaf: Any, weights: list[Any]) -> list[str]:
    if not isinstance(leaf, np.ndarray | np.generic | int | float | complex):
        return []
    value = np.asarray(leaf)
    if value.dtype.kind not in "fc" or not value.size:
        return []
    if not np.all(np.isfinite(value)):
        raise Inconclusive("the value is not finite")
    parts = (path,) if value.dtype.kind == "f" else (f"np.real({path})", f"np.imag({path})")
    terms = []
    for part in parts:
        weight = np.random.default_rng(len(weights)).uniform(0.5, 1.5, value.shape)
        terms.append(f"np.sum({part} * w{len(weights)})")
        weights.append(weight if value.shape else float(weight))
    return terms


def _called(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        raise Unusable(f"NumPy fails at the shaken point: {type(error).__name__}") from None


def _values(subject: Subject) -> None:
    """The Program as read, interpreted: what it returns and what it leaves in its arguments."""
    expected = subject.fresh()
    returned = _called(subject.function, expected)
    found = [leaf for leaf in flat(returned) if isinstance(leaf, np.ndarray | np.generic | int | float | complex)]
    if not any(np.asarray(leaf).dtype.kind in "fciub" for leaf in found) and not _changed(subject, expected):
        raise Unusable("no numbers for a result")
    arguments = tuple(subject.fresh())
    read = _read(subject.function, arguments)
    final = run(read.program, values_of(read, subject.function, arguments))
    for place in read.failed:
        if final[place]:
            raise read.checks[int(final[place]) - 1].error()
    single = any(_is_single(value) for value in subject.values)
    size = max((_size(value) for value in subject.values), default=1.0)
    found, returned = _alike(read.value, returned)
    for place, wanted in zip(flat(found), flat(returned), strict=True):
        if isinstance(wanted, np.ndarray | np.generic | int | float | complex):
            _close(_found(read, final, place), wanted, "the result differs from NumPy's", size, single)
    for name, wanted in leaves_of(subject.function, tuple(expected)).items():
        if isinstance(wanted, np.ndarray) and name in read.places:
            left = _found(read, final, read.places[name])
            _close(left, wanted, "an argument is left different from NumPy's", size, single)


def _alike(found: Any, returned: Any) -> tuple[Any, Any]:
    """What is looked at of results of SciPy's optimizers: of their attributes, daad knows some."""
    if not isinstance(returned, OptimizeResult):
        return found, returned
    known = found if isinstance(found, dict) else found.attributes
    names = [name for name in SOLVED if name in known and name in returned]
    return [known[name] for name in names], [returned[name] for name in names]


def _read(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """What data decide is as in this call, where it must be known."""
    try:
        return built(function, arguments)
    except Unsupported:
        return built(function, arguments, None, NOTHING)


def _found(read: Any, final: Any, place: Any) -> Any:
    from daad.api.subject import complex_views

    if not isinstance(place, str):
        return place
    return complex_views.joined(final[place]) if place in read.pairs else final[place]


def _size(value: Any) -> float:
    finite = np.abs(np.asarray(value, dtype=complex if np.iscomplexobj(value) else None)).astype(float)
    finite = finite[np.isfinite(finite)]
    return float(np.max(finite, initial=0.0))


def _close(got: Any, wanted: Any, what: str, size: float, single: bool) -> None:
    """`single`: numbers of 32 bits took part."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    if got.shape != wanted.shape:
        raise Wrong(f"{what}: shapes {wanted.shape} expected, got {got.shape}")
    if got.dtype != wanted.dtype:
        raise Wrong(f"{what} in dtype: {wanted.dtype} expected, got {got.dtype}")
    eps = 2e-5 if single or _is_single(wanted) else 1e-10
    allowed = eps * _size(wanted) + eps * 1e-3 * size + (1e-37 if _is_single(wanted) else 1e-307)
    if not np.allclose(got, wanted, rtol=0, atol=allowed, equal_nan=True):
        raise Wrong(f"{what}: {wanted.tolist()} expected, got {got.tolist()}")


def _gradient(subject: Subject) -> None:
    function = subject.function
    value, gradients = _answer(subject)
    wanted = _called(function, subject.fresh())
    terms = sum(_size(weight) for weight in subject.values)
    single = any(_is_single(subject.values[k]) for k in subject.moving)
    rough = single or subject.rounds
    if not np.allclose(
        value, wanted, rtol=1e-4 if rough else 1e-8, atol=(1e-6 if rough else 1e-10) * terms, equal_nan=True
    ):
        raise Wrong(f"the gradient's value differs from NumPy's: {wanted} expected, got {value}")
    for k, gradient in zip(subject.moving, gradients, strict=True):
        _form(subject.values[k], gradient)
    if single:
        wide = replace(subject, values=tuple(widened(value) for value in subject.values))
        _, exact = _answer(wide)
        _near(exact, gradients, abs(value))
        subject, gradients = wide, exact
    if max(_size(subject.values[k]) for k in subject.moving) > FARTHEST:
        raise Inconclusive("an argument is too large")
    if max(_size(gradient) for gradient in gradients) > UNBOUNDED:
        raise Inconclusive("daad says that there is no derivative")
    for number in range(DIRECTIONS):
        _along(subject, gradients, number)


def _answer(subject: Subject) -> tuple[float, list[np.ndarray]]:
    request = Request(wrt=subject.moving, value=True, on_inputs="primal")
    gradient = Gradient(subject.function, request, compiler=Interpreted)  # type: ignore[arg-type]
    value, gradients = gradient(*subject.fresh())
    return value, [np.asarray(one) for one in gradients]


def _is_single(value: Any) -> bool:
    return getattr(value, "dtype", None) in SINGLE


def widened(value: Any) -> Any:
    if not _is_single(value):
        return value
    wide = np.asarray(value).astype(np.complex128 if np.iscomplexobj(value) else np.float64, order="K")
    return wide if isinstance(value, np.ndarray) else wide[()]


def _form(value: Any, gradient: np.ndarray) -> None:
    wanted = np.asarray(value)
    if wanted.shape != gradient.shape or wanted.dtype != gradient.dtype:
        raise Wrong(
            f"the form of the gradient: {wanted.dtype} {wanted.shape} expected, got {gradient.dtype} {gradient.shape}"
        )


def _near(exact: list[np.ndarray], single: list[np.ndarray], value: float) -> None:
    """In single precision, to rounding; what is further off is too ill-conditioned to tell, or wrong by much."""
    scale = max(_size(one) for one in exact)
    off = max(_size(one - other) for one, other in zip(exact, single, strict=True))
    if off > 0.05 * scale + 1e-4 * (1 + value):
        raise Wrong(f"the gradient in single precision is off: {off} of {scale}")
    if off > 2e-4 * (scale + 1):
        raise Inconclusive("single precision cannot resolve the gradient")


def _along(subject: Subject, gradients: list[np.ndarray], number: int) -> None:
    direction = _direction(subject, number)
    parts = [np.real(np.conj(g) * d)[d != 0] for g, d in zip(gradients, direction, strict=True)]
    got, scale = float(sum(map(np.sum, parts))), float(sum(np.sum(np.abs(part)) for part in parts))
    value = _loss(subject, direction, 0.0)
    settled, close, steps = (3e-2, 3e-2, ROUGH_STEPS) if subject.rounds else (SETTLED, 1e-6, FIRST_STEPS)
    best = Estimate(np.nan, np.inf)
    for step in steps:
        found = extrapolated(lambda h: (_loss(subject, direction, h) - _loss(subject, direction, -h)) / (2 * h), step)
        best = min(best, found, key=lambda one: one.error)
        allowed = max(scale, abs(best.value), 1e-3 * abs(value), 1e-12)
        off = abs(got - best.value) if np.isfinite(got) else np.inf
        if best.error <= settled * allowed and np.isfinite(off) and off <= close * allowed + 10 * best.error:
            return
    if not np.isfinite(got) and abs(best.value) <= LARGEST:
        raise Wrong(f"the gradient is not finite: {[g.tolist() for g in gradients]}")
    if not best.error <= settled * allowed:
        raise Inconclusive("differences do not settle")
    if not abs(best.value) <= LARGEST:
        raise Inconclusive("the derivative is too large")
    if _is_kink(subject, direction):
        raise Inconclusive("the point lies on a kink")
    raise Wrong(f"the gradient differs from differences: {best.value:.10g} expected, got {got:.10g}")


def _direction(subject: Subject, number: int) -> list[np.ndarray]:
    """Moves each element by a part of its size; what is not finite stays."""
    rng, found = np.random.default_rng(number), []
    for k in subject.moving:
        value = np.asarray(subject.values[k])
        way = rng.uniform(-1, 1, value.shape) + (1j * rng.uniform(-1, 1, value.shape) if value.dtype.kind == "c" else 0)
        found.append(np.where(np.isfinite(value), np.abs(value) * way, 0))
    return found


def _loss(subject: Subject, direction: list[np.ndarray], step: float) -> float:
    values = subject.fresh()
    for k, way in zip(subject.moving, direction, strict=True):
        moved = np.where(way == 0, values[k], values[k] + step * way)
        if isinstance(values[k], np.ndarray):
            values[k][...] = moved
        else:
            values[k] = type(values[k])(moved[()])
    try:
        return float(subject.function(*values))
    except Exception:
        return np.nan


def _is_kink(subject: Subject, direction: list[np.ndarray]) -> bool:
    """Whether the slopes to both sides differ."""
    h = 1e-3 if subject.rounds else 1e-6
    here = _loss(subject, direction, 0.0)
    right, left = (
        (-3 * here + 4 * _loss(subject, direction, s * h) - _loss(subject, direction, 2 * s * h)) / (2 * s * h)
        for s in (1, -1)
    )
    return bool(abs(right - left) > 1e-4 * (abs(right) + abs(left) + 1e-3))
