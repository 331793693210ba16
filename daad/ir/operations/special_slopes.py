"""Slopes of the functions of `scipy.special`, in the notation of rules: `a`, `b`, ... are the operands, `r` the result.

None: there the function is constant, UNKNOWN: no closed form is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, pi, prod, sqrt

UNKNOWN = "?"
DEGREE, ROOT_PI = pi / 180, sqrt(pi)


def _turns(phi: str) -> tuple[str, str, str]:
    """Half turns of an angle, the sine of what is left, the square of its sine."""
    return f"rint({phi} / {pi})", f"sin({phi} - {pi} * rint({phi} / {pi}))", f"(sin({phi}) * sin({phi}))"


def _first_kind_in_m(phi: str, m: str) -> str:
    """The slope of the incomplete elliptic integral in its parameter."""
    turns, sine, square = _turns(phi)
    part = f"{sine} * {square} * elliprd(cos({phi}) * cos({phi}), 1, 1 - {m} * {square})"
    return f"(({turns} * 2 * elliprd(0, 1, 1 - {m}) + {part}) / 6)"


def _second_kind_in_m(phi: str, m: str) -> str:
    turns, sine, square = _turns(phi)
    part = f"{sine} * {square} * elliprd(cos({phi}) * cos({phi}), 1 - {m} * {square}, 1)"
    return f"-(({turns} * 2 * elliprd(0, 1 - {m}, 1) + {part}) / 6)"


def _mean_in(own: str, other: str) -> str:
    """The slope of the arithmetic-geometric mean in one of two numbers."""
    total = f"({own} + {other})"
    share = f"{other} * ({own} - {other}) / ({total} * {total} * {total} * {total})"
    return f"r / {total} - {8 / (3 * pi)} * r * r * elliprd(0, 1, 4 * a * b / ({total} * {total})) * {share}"


def _times(x: str, slope: str) -> str:
    """An operand times the slope in it, which is infinite at 0, where their product is 0."""
    return f"where({x} == 0, 0, {x} * {slope})"


def _of_third_kind(x: str, y: str, z: str, p: str) -> str:
    """The slope of R_J(x, y, z, p) in x, which R_D(y, z, x) tells (Carlson 1995)."""
    return f"0.5 * (elliprd({y}, {z}, {x}) - r) / ({x} - {p})"


def _degenerate(x: str, y: str, z: str) -> str:
    """The slope of R_D(x, y, z) in x. At x = z that in z is three times as large; a third of the degree of `r`, -3/2,
    is what is left to share by Euler's theorem on homogeneous functions."""
    other = f"where({y} == {z}, -0.3 * r / {z}, 0.5 * (elliprd({x}, {z}, {y}) - r) / ({y} - {z}))"
    shared = f"(-1.5 * r - {_times(y, other)}) / (4 * {z})"
    return f"where({x} == {z}, {shared}, 0.5 * (elliprd({y}, {z}, {x}) - r) / ({x} - {z}))"


def _above(degree: str, slope: str) -> str:
    """The slope of a polynomial, none of that of degree 0."""
    return f"where({degree} == 0, 0, {slope})"


def _recurrence(name: str, sign: str) -> str:
    """The slope of a Bessel function by the function of the order below; at 0 by those on both sides."""
    both = f"0.5 * ({name}(a - 1, b) {sign} {name}(a + 1, b))"
    return f"where(b == 0, {both}, {name}(a - 1, b) - a * r / b)"


def _hankel(name: str) -> tuple[tuple[str, ...], ...]:
    """The recurrence of Bessel functions in parts; scaled ones are multiplied by exp(-iz) or exp(iz)."""
    x, y = f"{name}_0(a, b, c)", f"{name}_1(a, b, c)"
    size = "(b * b + c * c)"
    turn = {"1e": (f" + {y}", f" - {x}"), "2e": (f" - {y}", f" + {x}")}.get(name.removeprefix("hankel"), ("", ""))
    real = f"({name}_0(a - 1, b, c) - a * (b * {x} + c * {y}) / {size}{turn[0]})"
    imaginary = f"({name}_1(a - 1, b, c) - a * (b * {y} - c * {x}) / {size}{turn[1]})"
    return (UNKNOWN, real, f"-{imaginary}"), (UNKNOWN, imaginary, real)


def _mathieu(kind: str, value: str) -> tuple[tuple[str, ...], ...]:
    """Angles are in degrees; the second result is the slope in radians."""
    ends = f"({2 * DEGREE} * b * cos({2 * DEGREE} * c) - {DEGREE} * mathieu_{value}(a, b)) * mathieu_{kind}_0(a, b, c)"
    return (UNKNOWN, UNKNOWN, f"{DEGREE} * mathieu_{kind}_1(a, b, c)"), (UNKNOWN, UNKNOWN, ends)


def _radial_mathieu(kind: str, value: str) -> tuple[tuple[str, ...], ...]:
    ends = f"(mathieu_{value}(a, b) - 2 * b * cosh(2 * c)) * mathieu_{kind}_0(a, b, c)"
    return (UNKNOWN, UNKNOWN, f"mathieu_{kind}_1(a, b, c)"), (UNKNOWN, UNKNOWN, ends)


RC_IN_A = "where(b > 0, -elliprd(maximum(b, 0), maximum(b, 0), a) / 6, 0.5 * (r - 1 / sqrt(a)) / (b - a))"
RD_IN_A, RD_IN_B = _degenerate("a", "b", "c"), _degenerate("b", "a", "c")
RJ_IN = tuple(_of_third_kind(x, y, z, "d") for x, y, z in ("abc", "bac", "cab"))
SN, CN, DN, PH = (f"ellipj_{k}(a, b)" for k in range(4))
PH_IN_M = f"-({DN} * {_first_kind_in_m(PH, 'b')})"
U, V = "lambertw_0(a, b, c, d)", "lambertw_1(a, b, c, d)"
L_SIZE = f"((1 + {U}) * (1 + {U}) + {V} * {V})"
L_X = f"(exp(-{U}) * (cos({V}) * (1 + {U}) - sin({V}) * {V}) / {L_SIZE})"
L_Y = f"-(exp(-{U}) * (cos({V}) * {V} + sin({V}) * (1 + {U})) / {L_SIZE})"
"""exp(-w) / (1 + w), the slope of Lambert's function w = u + iv, in its parts."""
W_X = "(2 * (b * wofz_1(a, b) - a * wofz_0(a, b)))"
W_Y = f"({2 / ROOT_PI} - 2 * (a * wofz_1(a, b) + b * wofz_0(a, b)))"
"""-2 z w + 2i / sqrt(pi), the slope of the Faddeeva function, in its parts."""

UPPER = "where(a < 0.5, 1 - a, a)"


def _horner(x: str, coefficients: Sequence[float]) -> str:
    return "".join(f"({c!r} + {x} * " for c in coefficients) + "0" + ")" * len(coefficients)


NEAR = 20
"""Up to here the power series of modified Bessel functions, from here on the series for large arguments."""


def _scaled_decay() -> str:
    """The slope of `i0e`: power series of positive terms, or that for large arguments, each to rounding."""
    size, far = f"minimum(absolute(a), {NEAR})", f"maximum(absolute(a), {NEAR})"
    square, orders = f"(0.25 * {size} * {size})", range(2 * NEAR + 9)
    zeroth, first = ([1 / (factorial(k) * factorial(k + n)) for k in orders] for n in (0, 1))
    near = f"exp(-{size}) * (0.5 * {size} * {_horner(square, first)} - {_horner(square, zeroth)})"
    terms = [prod(range(1, 2 * k, 2)) ** 2 / (factorial(k) * 8**k) * (k + 0.5) for k in range(30)]
    beyond = f"-{_horner(f'(1 / {far})', terms)} / (sqrt({2 * pi} * {far}) * {far})"
    return f"sign(a) * where(absolute(a) < {NEAR}, {near}, {beyond})"


DISTANCE = f"({UPPER} + 9)"
TERMS = ("1 / 6", "1 / 30", "1 / 42", "1 / 30", "5 / 66", "691 / 2730", "7 / 6", "3617 / 510")
BERNOULLI = "".join(f"({term} - " for term in TERMS).replace(" - ", f" - 1 / ({DISTANCE} * {DISTANCE}) * ")
TRIGAMMA_ABOVE = (
    "("
    + " + ".join(f"1 / (({UPPER} + {k}) * ({UPPER} + {k}))" for k in range(9))
    + f" + 1 / {DISTANCE} + 0.5 / ({DISTANCE} * {DISTANCE})"
    + f" + 1 / ({DISTANCE} * {DISTANCE} * {DISTANCE}) * {BERNOULLI}0{')' * len(TERMS)})"
)
REFLECTED = f"({pi} / sin({pi} * (a - rint(a))))"
TRIGAMMA = f"where(a < 0.5, {REFLECTED} * {REFLECTED} - {TRIGAMMA_ABOVE}, {TRIGAMMA_ABOVE})"
"""Reflected to a >= 1/2, raised by recurrence to 9.5 and above, there the asymptotic series, to rounding."""

SLOPES: dict[str, tuple[str | None, ...]] = {
    "agm": (_mean_in("a", "b"), _mean_in("b", "a")),
    "bei": ("beip(a)",),
    "beip": ("ber(a) - where(a == 0, 0.5, r / a)",),
    "ber": ("berp(a)",),
    "berp": ("-bei(a) - where(a == 0, 0, r / a)",),
    "kei": ("keip(a)",),
    "keip": ("ker(a) - r / a",),
    "ker": ("kerp(a)",),
    "kerp": ("-kei(a) - r / a",),
    "besselpoly": ("where(a == 0, 0, (jv(c, 2 * a) - (b + 1) * r) / a)", UNKNOWN, UNKNOWN),
    "beta": ("r * (psi(a) - psi(a + b))", "r * (psi(b) - psi(a + b))"),
    "betaln": ("psi(a) - psi(a + b)", "psi(b) - psi(a + b)"),
    "binom": ("r * (psi(a + 1) - psi(a - b + 1))", "r * (psi(a - b + 1) - psi(b + 1))"),
    "cosdg": (f"{-DEGREE} * sindg(a)",),
    "sindg": (f"{DEGREE} * cosdg(a)",),
    "tandg": (f"{DEGREE} * (1 + r * r)",),
    "cotdg": (f"{-DEGREE} * (1 + r * r)",),
    "radian": (f"{DEGREE}", f"{DEGREE / 60}", f"{DEGREE / 3600}"),
    "cosm1": ("-sin(a)",),
    "dawsn": ("1 - 2 * a * r",),
    "ellipe": (f"{-pi / 8} * hyp2f1(0.5, 1.5, 2, a)",),
    "ellipk": (f"{pi / 8} * hyp2f1(1.5, 1.5, 2, a)",),
    "ellipkm1": ("-elliprd(0, 1, a) / 6",),
    "ellipeinc": ("sqrt(1 - b * (sin(a) * sin(a)))", _second_kind_in_m("a", "b")),
    "ellipkinc": ("1 / sqrt(1 - b * (sin(a) * sin(a)))", _first_kind_in_m("a", "b")),
    "elliprc": (
        RC_IN_A,
        f"where(b > 0, -elliprd(a, maximum(b, 0), maximum(b, 0)) / 3, -(0.5 * r + a * {RC_IN_A}) / b)",
    ),
    "elliprd": (RD_IN_A, RD_IN_B, f"(-1.5 * r - {_times('a', RD_IN_A)} - {_times('b', RD_IN_B)}) / c"),
    "elliprf": ("-elliprd(b, c, a) / 6", "-elliprd(a, c, b) / 6", "-elliprd(a, b, c) / 6"),
    "elliprg": tuple(
        f"0.25 * (elliprf(a, b, c) - {_times(x, f'elliprd({y}, {z}, {x})')} / 3)" for x, y, z in ("abc", "bac", "cab")
    ),
    "elliprj": (
        *RJ_IN,
        "(-1.5 * r - " + " - ".join(_times(x, slope) for x, slope in zip("abc", RJ_IN, strict=True)) + ") / d",
    ),
    "erfinv": (f"{0.5 * ROOT_PI} * exp(r * r)",),
    "erfcinv": (f"{-0.5 * ROOT_PI} * exp(r * r)",),
    "erfcx": (f"2 * a * r - {2 / ROOT_PI}",),
    "erfi": (f"{2 / ROOT_PI} * exp(a * a)",),
    "eval_chebyt": (UNKNOWN, _above("a", "a * eval_chebyu(a - 1, b)")),
    "eval_chebyu": (UNKNOWN, _above("a", "2 * eval_gegenbauer(a - 1, 2, b)")),
    "eval_chebyc": (UNKNOWN, _above("a", "a * eval_chebys(a - 1, b)")),
    "eval_chebys": (UNKNOWN, _above("a", "eval_gegenbauer(a - 1, 2, 0.5 * b)")),
    "eval_sh_chebyt": (UNKNOWN, _above("a", "2 * a * eval_sh_chebyu(a - 1, b)")),
    "eval_sh_chebyu": (UNKNOWN, _above("a", "4 * eval_gegenbauer(a - 1, 2, 2 * b - 1)")),
    "eval_gegenbauer": (UNKNOWN, UNKNOWN, _above("a", "2 * b * eval_gegenbauer(a - 1, b + 1, c)")),
    "eval_genlaguerre": (UNKNOWN, UNKNOWN, _above("a", "-eval_genlaguerre(a - 1, b + 1, c)")),
    "eval_laguerre": (UNKNOWN, _above("a", "-eval_genlaguerre(a - 1, 1, b)")),
    "eval_hermite": (UNKNOWN, _above("a", "2 * a * eval_hermite(a - 1, b)")),
    "eval_hermitenorm": (UNKNOWN, _above("a", "a * eval_hermitenorm(a - 1, b)")),
    "eval_jacobi": (
        UNKNOWN,
        UNKNOWN,
        UNKNOWN,
        _above("a", "0.5 * (a + b + c + 1) * eval_jacobi(a - 1, b + 1, c + 1, d)"),
    ),
    "eval_sh_jacobi": (UNKNOWN, UNKNOWN, UNKNOWN, _above("a", "a * eval_sh_jacobi(a - 1, b + 2, c + 1, d)")),
    "eval_legendre": (UNKNOWN, _above("a", "eval_gegenbauer(a - 1, 1.5, b)")),
    "eval_sh_legendre": (UNKNOWN, _above("a", "2 * eval_gegenbauer(a - 1, 1.5, 2 * b - 1)")),
    "exp1": ("-exp(-a) / a",),
    "expi": ("exp(a) / a",),
    "expn": (UNKNOWN, "where(a < 1, -r * (1 + 1 / b), -expn(maximum(a - 1, 0), b))"),
    "exprel": ("0.5 * hyp1f1(2, 3, a)",),
    "gammasgn": (None,),
    "hyp0f1": (UNKNOWN, "hyp0f1(a + 1, b) / a"),
    "hyp1f1": (UNKNOWN, UNKNOWN, "a / b * hyp1f1(a + 1, b + 1, c)"),
    "hyp2f1": (UNKNOWN, UNKNOWN, UNKNOWN, "a * b / c * hyp2f1(a + 1, b + 1, c + 1, d)"),
    "hyperu": (UNKNOWN, UNKNOWN, "-a * hyperu(a + 1, b + 1, c)"),
    "it2struve0": ("-struve(0, a) / a",),
    "itmodstruve0": ("modstruve(0, a)",),
    "itstruve0": ("struve(0, a)",),
    "i0": ("i1(a)",),
    "i1": ("i0(a) - where(a == 0, 0.5, r / a)",),
    "i0e": (_scaled_decay(),),
    "i1e": ("i0e(a) - where(a == 0, 0.5, r / a) - sign(a) * r",),
    "iv": (UNKNOWN, _recurrence("iv", "+")),
    "ive": (UNKNOWN, _recurrence("ive", "+") + " - sign(b) * r"),
    "j0": ("-j1(a)",),
    "j1": ("j0(a) - where(a == 0, 0.5, r / a)",),
    "jv": (UNKNOWN, _recurrence("jv", "-")),
    "jve": (UNKNOWN, _recurrence("jve", "-")),
    "k0": ("-k1(a)",),
    "k1": ("-k0(a) - r / a",),
    "k0e": ("r - k1e(a)",),
    "k1e": ("r - k0e(a) - r / a",),
    "kn": (UNKNOWN, "-kv(trunc(a) - 1, b) - trunc(a) * r / b"),
    "kv": (UNKNOWN, "-kv(a - 1, b) - a * r / b"),
    "kve": (UNKNOWN, "r - kve(a - 1, b) - a * r / b"),
    "y0": ("-y1(a)",),
    "y1": ("y0(a) - r / a",),
    "yn": (UNKNOWN, "yv(trunc(a) - 1, b) - trunc(a) * r / b"),
    "yv": (UNKNOWN, "yv(a - 1, b) - a * r / b"),
    "yve": (UNKNOWN, "yve(a - 1, b) - a * r / b"),
    "log_wright_bessel": (UNKNOWN, UNKNOWN, "exp(log_wright_bessel(a, a + b, c) - r)"),
    "wright_bessel": (UNKNOWN, UNKNOWN, "wright_bessel(a, a + b, c)"),
    "loggamma": ("psi(a)",),
    "rgamma": (f"where(r == 0, where(a > 0, 0, cos({pi} * a) * gamma(1 - a)), -r * psi(a))",),
    "lpmv": (
        UNKNOWN,
        UNKNOWN,
        "where(a == 0, where(c * c == 1, 0.5 * b * (b + 1) * c ** (b + 1), "
        "b * (c * r - lpmv(a, b - 1, c)) / where(c * c == 1, 1, c * c - 1)), "
        "(b * c * r - (a + b) * lpmv(a, b - 1, c)) / (c * c - 1))",
    ),
    "mathieu_a": (UNKNOWN, UNKNOWN),
    "mathieu_b": (UNKNOWN, UNKNOWN),
    "modstruve": (
        UNKNOWN,
        "where(b == 0, 0.5 * (modstruve(a - 1, b) + modstruve(a + 1, b))"
        f" + 0.5 * (0.5 * b) ** a * rgamma(a + 1.5) / {ROOT_PI}, modstruve(a - 1, b) - a * r / b)",
    ),
    "struve": (
        UNKNOWN,
        "where(b == 0, 0.5 * (struve(a - 1, b) - struve(a + 1, b))"
        f" + 0.5 * (0.5 * b) ** a * rgamma(a + 1.5) / {ROOT_PI}, struve(a - 1, b) - a * r / b)",
    ),
    "obl_cv": (UNKNOWN, UNKNOWN, UNKNOWN),
    "pro_cv": (UNKNOWN, UNKNOWN, UNKNOWN),
    "poch": ("r * (psi(a + b) - psi(a))", "r * psi(a + b)"),
    "powm1": ("where(b == 0, 0, b * a ** (b - 1))", "(1 + r) * log(a)"),
    "psi": (TRIGAMMA,),
    "spence": ("where(a == 1, -1, log1p(a - 1) / where(a == 1, 1, 1 - a))",),
    "wrightomega": ("r / (1 + r)",),
    "xlogy": ("log(b)", "where(a == 0, 0, a / b)"),
    "xlog1py": ("log1p(b)", "where(a == 0, 0, a / (1 + b))"),
    "zetac": (UNKNOWN,),
    "_riemann_zeta": (UNKNOWN,),
    "_zeta": (UNKNOWN, "-a * _zeta(a + 1, b)"),
    "_cospi": (f"{-pi} * _sinpi(a)",),
    "_sinpi": (f"{pi} * _cospi(a)",),
    "_factorial": ("r * psi(1 + a)",),
    "_iv_ratio": (UNKNOWN, "1 - r * r - (2 * a - 1) / b * r"),
    "_iv_ratio_c": (UNKNOWN, "(1 - r) * (1 - r) - 1 + (2 * a - 1) / b * (1 - r)"),
    "_lgam1p": ("psi(1 + a)",),
    "_log1mexp": ("-1 / expm1(-a)",),
    "_log1pmx": ("-a / (1 + a)",),
    "_scaled_exp1": ("r * (1 + 1 / a) - 1",),
    **{f"_spherical_{kind}": (UNKNOWN, f"_spherical_{kind}_d(a, b)") for kind in ("jn", "yn", "in", "kn")},
    **{
        f"_spherical_{kind}_d": (UNKNOWN, f"-(2 * r / b + (1 - a * (a + 1) / (b * b)) * _spherical_{kind}(a, b))")
        for kind in ("jn", "yn")
    },
    **{
        f"_spherical_{kind}_d": (UNKNOWN, f"(1 + a * (a + 1) / (b * b)) * _spherical_{kind}(a, b) - 2 * r / b")
        for kind in ("in", "kn")
    },
}
"""By the ufunc of one result."""

RESULTS: dict[str, tuple[tuple[str | None, ...], ...]] = {
    "airy": (("airy_1(a)",), ("a * airy_0(a)",), ("airy_3(a)",), ("a * airy_2(a)",)),
    "airye": (
        ("airye_1(a) + sqrt(a) * r",),
        ("a * airye_0(a) + sqrt(a) * r",),
        ("airye_3(a) - where(a > 0, sqrt(a) * r, 0)",),
        ("a * airye_2(a) - where(a > 0, sqrt(a) * r, 0)",),
    ),
    "ellipj": (
        (f"{CN} * {DN}", f"{CN} * {PH_IN_M}"),
        (f"-({SN} * {DN})", f"-({SN} * {PH_IN_M})"),
        (f"-b * {SN} * {CN}", f"-({SN} * {SN} + 2 * b * {SN} * {CN} * {PH_IN_M}) / (2 * r)"),
        (DN, PH_IN_M),
    ),
    "fresnel": ((f"sin({pi / 2} * a * a)",), (f"cos({pi / 2} * a * a)",)),
    "it2i0k0": (("where(a == 0, 0, (i0(a) - 1) / a)",), ("-k0(a) / a",)),
    "it2j0y0": (("where(a == 0, 0, (1 - j0(a)) / a)",), ("-y0(a) / a",)),
    "itairy": (("airy_0(a)",), ("airy_2(a)",), ("airy_0(-a)",), ("airy_2(-a)",)),
    "iti0k0": (("i0(a)",), ("k0(a)",)),
    "itj0y0": (("j0(a)",), ("y0(a)",)),
    "mathieu_cem": _mathieu("cem", "a"),
    "mathieu_sem": _mathieu("sem", "b"),
    "mathieu_modcem1": _radial_mathieu("modcem1", "a"),
    "mathieu_modcem2": _radial_mathieu("modcem2", "a"),
    "mathieu_modsem1": _radial_mathieu("modsem1", "b"),
    "mathieu_modsem2": _radial_mathieu("modsem2", "b"),
    **{
        f"{kind}_{part}": ((UNKNOWN, UNKNOWN, UNKNOWN, f"{kind}_{part}_1(a, b, c, d)"), (UNKNOWN,) * 4)
        for kind in ("obl", "pro")
        for part in ("ang1", "rad1")
    },
    **{
        f"{kind}_{part}_cv": ((UNKNOWN,) * 4 + (f"{kind}_{part}_cv_1(a, b, c, d, e)",), (UNKNOWN,) * 5)
        for kind in ("obl", "pro")
        for part in ("ang1", "rad1")
    },
    "pbdv": ((UNKNOWN, "pbdv_1(a, b)"), (UNKNOWN, "(0.25 * b * b - a - 0.5) * pbdv_0(a, b)")),
    "pbvv": ((UNKNOWN, "pbvv_1(a, b)"), (UNKNOWN, "(0.25 * b * b - a - 0.5) * pbvv_0(a, b)")),
    "pbwa": ((UNKNOWN, "pbwa_1(a, b)"), (UNKNOWN, "(a - 0.25 * b * b) * pbwa_0(a, b)")),
    "shichi": (("where(a == 0, 1, sinh(a) / a)",), ("cosh(a) / a",)),
    "sici": (("where(a == 0, 1, sin(a) / a)",), ("cos(a) / a",)),
}
"""By the ufunc of several results: a row for each, which is an operation with its number behind the name."""

OF_COMPLEX: dict[str, tuple[str, str, tuple[tuple[str | None, ...], ...]]] = {
    "wofz": ("wofz", "D->D", ((W_X, f"-{W_Y}"), (W_Y, W_X))),
    **{f"hankel{kind}": (f"hankel{kind}", "dD->D", _hankel(f"hankel{kind}")) for kind in ("1", "2", "1e", "2e")},
    "lambertw": ("_lambertw", "Ddd->D", ((L_X, f"-{L_Y}", UNKNOWN, None), (L_Y, L_X, UNKNOWN, None))),
}
"""Functions of complex numbers: SciPy's name, the types, and the slopes of the real and the imaginary part."""
