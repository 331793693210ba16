"""Which functions of `scipy.special` have gradients: each is asked for the gradient in each of its arguments, which is
compared with central differences. Writes `docs/scipy.md`.

    python -m benchmarks.reference [--only NAME] [--to FILE]
"""

from __future__ import annotations

import argparse
import linecache
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from scipy import special

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.errors import DaadError

PAGE = Path(__file__).parent.parent / "docs" / "scipy.md"
NUMBERS = (0.2, 0.35, 0.45, 0.6, 0.8, 1.3, 1.7, 2.4, 3.0, -0.6, 2.0, 5.0, 4.0, 1.0)
SHAPES: tuple[tuple[int, ...], ...] = ((), (4,), (2, 3))
TRIED = 300
EXACT, SINGLE = 1e-5, 2e-3
ROUNDED = {"itairy": 1e-3}
"""What SciPy computes to fewer digits."""
RIGHT, FIXED, WHOLE, WRONG, REFUSED, UNTRIED = "right", "fixed", "whole", "WRONG", "refused", "untried"
CALLS = {
    "assoc_laguerre": "x, 3, 0.5",
    "assoc_legendre_p": "3, 1, 0.3 * x",
    "comb": "x + 4.0, 2.0",
    "digamma": "x",
    "diric": "x, 5",
    "ellip_harm": "5.0, 8.0, 1, 1, x",
    "factorial": "x",
    "factorial2": "x",
    "h1vp": "1, x",
    "h2vp": "1, x",
    "ivp": "1, x",
    "jvp": "1, x",
    "kvp": "1, x",
    "lambertw": "x",
    "legendre_p": "3, 0.5 * x",
    "log_softmax": "np.stack((x, 0.3 * x * x)), axis=0",
    "logsumexp": "np.stack((x, 0.3 * x * x)), axis=0",
    "multigammaln": "x + 3.0, 2",
    "perm": "x + 4.0, 2",
    "polygamma": "2, x",
    "sinc": "x",
    "softmax": "0.5 * np.stack((x, 0.3 * x * x)), axis=0",
    "softplus": "x",
    "sph_harm_y": "2, 1, x, 2.0 * x",
    "sph_legendre_p": "2, 1, x",
    "spherical_in": "1, x",
    "spherical_jn": "1, x",
    "spherical_kn": "1, x",
    "spherical_yn": "1, x",
    "yvp": "1, x",
    "zeta": "x + 1.5, 2.0 * x",
}
"""Functions in Python, by arguments that are written out; of others nothing is asked."""


@dataclass(frozen=True)
class Row:
    """What is known of a function: its arguments, each with what comes of a gradient in it, and a sentence."""

    name: str
    arguments: tuple[tuple[str, str], ...]
    sentence: str = ""

    @property
    def verdict(self) -> str:
        """Of the whole function: the worst, and right where one argument is."""
        found = [verdict for _, verdict in self.arguments]
        return next((one for one in (WRONG, RIGHT, REFUSED, FIXED, WHOLE) if one in found), UNTRIED)


def program(text: str, names: tuple[str, ...]) -> Callable[..., Any]:
    """A function that returns the expression; its source can be read."""
    source, file = f"def program({', '.join(names)}):\n    return {text}\n", f"<reference {text}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space: dict[str, Any] = {"special": special, "np": np}
    exec(compile(source, file, "exec"), space)
    made: Callable[..., Any] = space["program"]
    return made


def differences(call: Callable[[Any], Any], at: float) -> tuple[float, bool]:
    """The slope, and whether it is one: two steps agree."""

    def along(h: float) -> float:
        values = [float(np.real(call(at + k * h))) for k in (-2, -1, 1, 2)]
        return (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)

    step = 1e-5 * max(1.0, abs(at))
    try:
        one, other = along(step), along(step / 2)
        beside = float(np.real(call(at + 6 * step)) - np.real(call(at + 2 * step))) / (4 * step)
    except (ArithmeticError, TypeError, ValueError):
        return np.nan, False
    is_kink = abs(beside - one) > 0.1 * abs(one)
    is_settled = np.isfinite(one) and abs(one - other) <= 1e-6 * abs(one) and (not one or abs(one) > 1e-10)
    return one, bool(is_settled and not is_kink)


def gradient(function: Callable[..., Any], wrt: str, arguments: list[Any]) -> Any:
    return Gradient(function, Request(wrt=(wrt,), of=None, seed=1.0), compiler=Interpreted)(*arguments)


def points(function: Callable[..., Any], count: int, place: int, whole: set[int]) -> Iterator[tuple[list[Any], float]]:
    random = np.random.default_rng(0)
    for _ in range(TRIED):
        point = [float(x) for x in random.choice(NUMBERS, count, replace=False)]
        point = [int(abs(x)) + 1 if k in whole else x for k, x in enumerate(point)]
        before, after = point[:place], point[place + 1 :]
        slope, is_slope = differences(partial(_at, function, before, after), point[place])
        if is_slope and abs(slope) < 1e6:
            yield point, slope


def verdict(
    function: Callable[..., Any], names: tuple[str, ...], place: int, whole: set[int], exact: float = EXACT
) -> tuple[str, str]:
    """What a gradient in one argument gives, at some points, in several shapes and in both precisions."""
    tried = False
    for number, (point, slope) in enumerate(points(function, len(names), place, whole)):
        if number == len(SHAPES) + 1:
            break
        tried = True
        single, shape = number == len(SHAPES), SHAPES[number % len(SHAPES)]
        kind: type[Any] = np.float32 if single else np.float64
        given = [np.full(shape or (1,), x, kind) if k == place else x for k, x in enumerate(point)]
        try:
            found = gradient(function, names[place], given if shape or single else [*map(_number, point)])
        except DaadError as error:
            return (FIXED if "no closed form" in error.message else REFUSED), error.message
        if not np.allclose(found, slope, rtol=SINGLE if single else exact, atol=0):
            return WRONG, f"{found} instead of {slope} at {point}"
    return (RIGHT if tried else UNTRIED), ""


def _at(function: Callable[..., Any], before: list[Any], after: list[Any], x: Any) -> Any:
    return function(*before, x, *after)


def _number(x: Any) -> Any:
    return x if isinstance(x, int) else float(x)


def of_ufunc(name: str, ufunc: np.ufunc) -> Row:
    """Each argument in turn; those that no loop takes as floats are whole numbers."""
    said = [found.split(",") for found in re.findall(rf"\b{name}\(([^)]*)\)", ufunc.__doc__ or "") if "x1" not in found]
    words = [word.strip() for word in said[0]] if said else []
    shown = [word for word in words if word.isidentifier() and not word.startswith("out")][: ufunc.nin]
    shown = shown if len(shown) == ufunc.nin else [f"x{k}" for k in range(ufunc.nin)]
    kinds = [loop.partition("->")[0] for loop in ufunc.types]
    whole = {k for k in range(ufunc.nin) if not any(kind[k] in "fdFD" for kind in kinds)}
    names = tuple(f"x{k}" for k in range(ufunc.nin))
    part = ".real" if all(loop[-1] in "FD" for loop in ufunc.types) else ""
    results = f"special.{name}({', '.join(names)})" + ("[0]" if ufunc.nout > 1 else "") + part
    function, found, told = program(results, names), [], ""
    for place, word in enumerate(shown):
        one, sentence = (
            (WHOLE, "") if place in whole else verdict(function, names, place, whole, ROUNDED.get(name, EXACT))
        )
        found.append((word, one))
        told = told or sentence
    return Row(name, tuple(found), told)


def of_python(name: str, text: str) -> Row:
    part = ".real" if name in ("lambertw", "sph_harm_y", "h1vp", "h2vp") else "[0]" if "softmax" in name else ""
    function = program(f"np.sum(special.{name}({text}){part})", ("x",))
    found, told = verdict(function, ("x",), 0, set())
    return Row(name, ((text, found),), told)


def rows(only: str = "") -> Iterator[Row]:
    for name in sorted(
        n for n in special.__all__ if not n.startswith(("roots_", "seterr", "geterr", "errstate", "Special"))
    ):
        value = getattr(special, name)
        if only not in ("", name):
            continue
        if isinstance(value, np.ufunc):
            yield of_ufunc(name, value)
        elif CALLS.get(name):
            yield of_python(name, CALLS[name])
        elif callable(value):
            yield Row(name, ())


def page(found: list[Row]) -> str:
    asked = [row for row in found if row.arguments]
    counts = Counter(row.verdict for row in asked)
    summary = ", ".join(f"{counts[one]} {one}" for one in (RIGHT, FIXED, WHOLE, REFUSED, UNTRIED, WRONG) if counts[one])
    others = " ".join(f"`{row.name}`" for row in found if not row.arguments)
    lines = [
        "# SciPy's special functions",
        "",
        "Written by `make reference`. Each function is asked for its gradient in each argument, with the others fixed,",
        "for numbers, vectors and matrices, in double and in single precision, and compared with central differences:",
        "`right`; `fixed` where no closed form of the slope is known, and the argument must not depend on what is",
        "differentiated; `whole` where it is a whole number; `untried` where no point was found at which it is smooth.",
        "Slopes in orders and parameters that have no closed form are central differences of eighth order of SciPy's",
        "function: nine to twelve digits are right.",
        "",
        f"Of {len(asked)} functions of SciPy {scipy.__version__}: {summary}.",
        "",
        "| function | arguments | |",
        "|---|---|---|",
    ]
    for row in asked:
        told = row.sentence.replace("|", "\\|") if row.verdict in (REFUSED, WRONG) else ""
        arguments = ", ".join(f"`{name}` {verdict}" for name, verdict in row.arguments)
        lines.append(f"| `{row.name}` | {arguments} | {told} |")
    closing = f"Not asked, as they give zeros, coefficients, sequences or objects, or are written otherwise: {others}."
    return "\n".join([*lines, "", closing, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="one function, printed")
    parser.add_argument("--to", type=Path, default=PAGE, help="the page that is written")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with np.errstate(all="ignore"):
        found = list(rows(options.only))
    if options.only:
        print(page(found))
    else:
        options.to.write_text(page(found))
        print(Counter(row.verdict for row in found if row.arguments))


if __name__ == "__main__":
    main()
