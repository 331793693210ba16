"""Slopes of `scipy.special`'s functions of complex numbers: of the real and the imaginary part of each result, in the
parts of the operands.

A function that is holomorphic has one slope, a pair of texts in the notation of rules: Cauchy's and Riemann's equations
give the others.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import NamedTuple

from daad.ir.operations.order_slopes import difference
from daad.ir.operations.special_slopes import OF_COMPLEX as NAMED

UNKNOWN = "?"
Rows = tuple[tuple[str | None, ...], ...]


class Pair(NamedTuple):
    """A complex number by the texts of its parts."""

    re: str
    im: str

    def plus(self, other: Pair) -> Pair:
        return Pair(f"({self.re} + {other.re})", f"({self.im} + {other.im})")

    def minus(self, other: Pair) -> Pair:
        return Pair(f"({self.re} - {other.re})", f"({self.im} - {other.im})")

    def times(self, other: Pair) -> Pair:
        re = f"({self.re} * {other.re} - {self.im} * {other.im})"
        return Pair(re, f"({self.re} * {other.im} + {self.im} * {other.re})")

    def by(self, factor: str) -> Pair:
        return Pair(f"({factor} * {self.re})", f"({factor} * {self.im})")

    def over(self, other: Pair) -> Pair:
        size = f"({other.re} * {other.re} + {other.im} * {other.im})"
        re = f"(({self.re} * {other.re} + {self.im} * {other.im}) / {size})"
        return Pair(re, f"(({self.im} * {other.re} - {self.re} * {other.im}) / {size})")


def exp(z: Pair) -> Pair:
    return Pair(f"(exp({z.re}) * cos({z.im}))", f"(exp({z.re}) * sin({z.im}))")


def log(z: Pair) -> Pair:
    return Pair(f"log(hypot({z.re}, {z.im}))", f"arctan2({z.im}, {z.re})")


def sin(z: Pair) -> Pair:
    return Pair(f"(sin({z.re}) * cosh({z.im}))", f"(cos({z.re}) * sinh({z.im}))")


def cos(z: Pair) -> Pair:
    return Pair(f"(cos({z.re}) * cosh({z.im}))", f"(-sin({z.re}) * sinh({z.im}))")


def sinh(z: Pair) -> Pair:
    return Pair(f"(sinh({z.re}) * cos({z.im}))", f"(cosh({z.re}) * sin({z.im}))")


def cosh(z: Pair) -> Pair:
    return Pair(f"(cosh({z.re}) * cos({z.im}))", f"(sinh({z.re}) * sin({z.im}))")


def of(function: str, operands: str, result: int = 0) -> Pair:
    """What SciPy's function gives."""
    return Pair(f"{function}_z_{2 * result}({operands})", f"{function}_z_{2 * result + 1}({operands})")


def _rows(slope: Pair, before: tuple[tuple[str, str], ...] = ()) -> Rows:
    """Of both parts; `before`: the slopes in real operands in front of the complex one."""
    return (
        (*(one for one, _ in before), slope.re, f"-{slope.im}"),
        (*(other for _, other in before), slope.im, slope.re),
    )


def _in_order(function: str, operands: str, place: int = 0, width: str = "1") -> tuple[str, str]:
    one, other = (difference(f"{function}_z_{k}", operands, place, width) for k in (0, 1))
    return one, other


def _of_order(function: str, slope: Pair) -> Rows:
    """Of a function of an order and a complex number."""
    return _rows(slope, (_in_order(function, "a b c"),))


Z, ONE = Pair("a", "b"), Pair("1", "0")
"""The operand of functions of one."""
V = Pair("b", "c")
"""That behind an order."""
Z_SQUARED = Z.times(Z)


def _bessel(name: str) -> Pair:
    return of(name, "a - 1, b, c").minus(of(name, "a, b, c").by("a").over(V))


def _of_one(name: str) -> Pair:
    return of(name, "a, b")


def _above(slope: Pair) -> Pair:
    """The slope of a polynomial, none of that of degree 0."""
    return Pair(f"where(a == 0, 0, {slope.re})", f"where(a == 0, 0, {slope.im})")


K_BELOW = of("kv", "a - 1, b, c").plus(of("kv", "a, b, c").by("a").over(V)).by("-1")
KE_BELOW = of("kve", "a, b, c").minus(of("kve", "a - 1, b, c")).minus(of("kve", "a, b, c").by("a").over(V))


def _spherical(kind: str) -> dict[str, tuple[str, Rows]]:
    """Spherical Bessel functions of whole orders, and their slopes, which SciPy has as well."""
    name, fixed = f"_spherical_{kind}", ((UNKNOWN, UNKNOWN),)
    value, slope = of(name, "a, b, c"), of(f"{name}_d", "a, b, c")
    share = Pair("(a * (a + 1))", "0").over(V.times(V))
    bent = ONE.minus(share) if kind in ("jn", "yn") else ONE.plus(share)
    curved = bent.times(value).by("-1" if kind in ("jn", "yn") else "1").minus(slope.by("2").over(V))
    return {name: ("dD->D", _rows(slope, fixed)), f"{name}_d": ("dD->D", _rows(curved, fixed))}


POLE = "minimum(rint(a), 0)"
PSI = _in_order("psi", "a b", 0, f"minimum(1, hypot(a - {POLE}, b))")

HOLOMORPHIC: dict[str, tuple[str, Rows]] = {
    "erf": ("D->D", _rows(exp(Z_SQUARED.by("-1")).by(f"{2 / sqrt(pi)}"))),
    "erfc": ("D->D", _rows(exp(Z_SQUARED.by("-1")).by(f"{-2 / sqrt(pi)}"))),
    "erfi": ("D->D", _rows(exp(Z_SQUARED).by(f"{2 / sqrt(pi)}"))),
    "erfcx": ("D->D", _rows(Z.times(_of_one("erfcx")).by("2").minus(Pair(f"{2 / sqrt(pi)}", "0")))),
    "dawsn": ("D->D", _rows(ONE.minus(Z.times(_of_one("dawsn")).by("2")))),
    "ndtr": ("D->D", _rows(exp(Z_SQUARED.by("-0.5")).by(f"{1 / sqrt(2 * pi)}"))),
    "log_ndtr": ("D->D", _rows(exp(Z_SQUARED.by("-0.5").minus(_of_one("log_ndtr"))).by(f"{1 / sqrt(2 * pi)}"))),
    "exp1": ("D->D", _rows(exp(Z.by("-1")).over(Z).by("-1"))),
    "expi": ("D->D", _rows(exp(Z).over(Z))),
    "expm1": ("D->D", _rows(exp(Z))),
    "log1p": ("D->D", _rows(ONE.over(ONE.plus(Z)))),
    "gamma": ("D->D", _rows(_of_one("gamma").times(_of_one("psi")))),
    "rgamma": ("D->D", _rows(_of_one("rgamma").times(_of_one("psi")).by("-1"))),
    "loggamma": ("D->D", _rows(_of_one("psi"))),
    "psi": ("D->D", _rows(Pair(*PSI))),
    "spence": ("D->D", _rows(log(Z).over(ONE.minus(Z)))),
    "wrightomega": ("D->D", _rows(_of_one("wrightomega").over(ONE.plus(_of_one("wrightomega"))))),
    "sici": ("D->DD", _rows(sin(Z).over(Z)) + _rows(cos(Z).over(Z))),
    "shichi": ("D->DD", _rows(sinh(Z).over(Z)) + _rows(cosh(Z).over(Z))),
    "fresnel": ("D->DD", _rows(sin(Z_SQUARED.by(f"{pi / 2}"))) + _rows(cos(Z_SQUARED.by(f"{pi / 2}")))),
    "airy": (
        "D->DDDD",
        _rows(of("airy", "a, b", 1))
        + _rows(Z.times(of("airy", "a, b", 0)))
        + _rows(of("airy", "a, b", 3))
        + _rows(Z.times(of("airy", "a, b", 2))),
    ),
    "jv": ("dD->D", _of_order("jv", _bessel("jv"))),
    "yv": ("dD->D", _of_order("yv", _bessel("yv"))),
    "iv": ("dD->D", _of_order("iv", _bessel("iv"))),
    "kv": ("dD->D", _of_order("kv", K_BELOW)),
    "kve": ("dD->D", _of_order("kve", KE_BELOW)),
    "hyp0f1": ("dD->D", _of_order("hyp0f1", of("hyp0f1", "a + 1, b, c").by("1 / a"))),
    "hyp1f1": (
        "ddD->D",
        _rows(
            of("hyp1f1", "a + 1, b + 1, c, d").by("a / b"),
            (_in_order("hyp1f1", "a b c d"), _in_order("hyp1f1", "a b c d", 1, "absolute(b)")),
        ),
    ),
    "hyp2f1": (
        "dddD->D",
        _rows(
            of("hyp2f1", "a + 1, b + 1, c + 1, d, e").by("a * b / c"),
            (
                *(_in_order("hyp2f1", "a b c d e", k) for k in (0, 1)),
                _in_order("hyp2f1", "a b c d e", 2, "absolute(c)"),
            ),
        ),
    ),
    **_spherical("jn"),
    **_spherical("yn"),
    **_spherical("in"),
    **_spherical("kn"),
    **{
        f"eval_{name}": ("dD->D", _rows(_above(slope), ((UNKNOWN, UNKNOWN),)))
        for name, slope in {
            "chebyt": of("eval_chebyu", "a - 1, b, c").by("a"),
            "chebyu": of("eval_gegenbauer", "a - 1, 2, b, c").by("2"),
            "legendre": of("eval_gegenbauer", "a - 1, 1.5, b, c"),
        }.items()
    },
    "eval_gegenbauer": (
        "ddD->D",
        _rows(
            _above(of("eval_gegenbauer", "a - 1, b + 1, c, d").by("2 * b")),
            ((UNKNOWN, UNKNOWN), _in_order("eval_gegenbauer", "a b c d", 1)),
        ),
    ),
}

OF_COMPLEX: dict[str, tuple[str, str, Rows]] = {
    **NAMED,
    **{f"{name}_z": (name, types, rows) for name, (types, rows) in HOLOMORPHIC.items()},
}
"""By what operations are called: SciPy's name, the types, and the slopes of the parts of results."""
