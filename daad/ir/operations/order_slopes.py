"""Slopes of SciPy's functions in orders and parameters, of which no closed form is known: central differences of eighth
order of the function itself, in the notation of rules.

A step is a fixed part of the width within which the function changes: nine to twelve digits are right.
"""

from __future__ import annotations

from math import pi

from daad.ir.operations.distribution_slopes import beta_density, f_density, gamma_density, skew_density, student_density

WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
STEPS = 64
"""Of a width. The formula leaves out about (1 / 64)**8, rounding errors become 64 times as large."""


def difference(function: str, operands: str, place: int, width: str) -> str:
    """The slope of a function of these operands in the one at a place."""
    given = operands.split()
    step = f"({width}) / {STEPS}"

    def at(shift: str) -> str:
        return f"{function}({', '.join(x if k != place else f'{x} {shift}' for k, x in enumerate(given))})"

    terms = [f"{w} * ({at(f'+ {k} * {step}')} - {at(f'- {k} * {step}')})" for k, w in enumerate(WEIGHTS, 1)]
    return f"(({' + '.join(terms)}) / ({step}))"


def _of_power(x: str) -> str:
    """How wide `x ** a` is in `a`."""
    return f"1 / absolute(log(maximum({x}, 1e-30)))"


def of_gamma(a: str, x: str) -> str:
    """How wide a gamma distribution of order `a` is in it."""
    return f"minimum(minimum({a}, sqrt({a})), {_of_power(f'{x} / ({a})')})"


def of_beta(a: str, b: str, x: str) -> str:
    """How wide a beta distribution is in the first of its orders."""
    return f"minimum(minimum({a}, sqrt({a} * ({a} + {b}) / ({b}))), {_of_power(x)})"


def _f(a: str, b: str, x: str) -> str:
    """How wide a distribution of ratios is in the degrees of freedom above, below with 1 / x."""
    return of_beta(a, b, f"({a} * {x} / ({a} * {x} + {b}))")


def of_both(a: str, b: str, x: str) -> tuple[str, str]:
    return of_beta(a, b, x), of_beta(b, a, f"(1 - {x})")


def of_f(a: str, b: str, x: str) -> tuple[str, str]:
    return _f(a, b, x), _f(b, a, f"(1 / {x})")


def _from_poles(c: str) -> str:
    """How far zero and the negative whole numbers are, at most 1."""
    return f"where({c} > 0.5, minimum({c}, 1), absolute({c} - rint({c})))"


def _shifted(x: str, a: str) -> str:
    return f"({x} * {a} / ({a} + 2))"


def _stretched(pdf: str, x: str, a: str) -> str:
    """The density with two degrees of freedom more."""
    return f"{pdf}({_shifted(x, a)}, {a} + 2, c, d) * {a} / ({a} + 2)"


GAMMA, GAMMA_C = (difference(name, "a r", 0, of_gamma("a", "r")) for name in ("gammainc", "gammaincc"))
BETA, BETA_C = (
    [difference(name, "a b r", k, w) for k, w in enumerate(of_both("a", "b", "r"))] for name in ("betainc", "betaincc")
)
F = [difference("fdtr", "a b r", k, w) for k, w in enumerate(of_f("a", "b", "r"))]
NCX2_WIDTH = "minimum(b, sqrt(b + 2 * c))"
NCX2_AT_R = difference("chndtr", "r b c", 1, NCX2_WIDTH)
NCT = [difference("nctdtr", "a b r", k, ("a", "1")[k]) for k in (0, 1)]
NCT_SF = [difference("_nct_sf", "r b c", k, ("b", "1")[k - 1]) for k in (1, 2)]
NCF_AT_R = [difference("ncfdtr", "a b c r", k, w) for k, w in enumerate(of_f("a", "b", "r"))]
NCF_SF_AT_R = [difference("_ncf_sf", "r b c d", k + 1, w) for k, w in enumerate(of_f("b", "c", "r"))]
NCF_IN_NC = "0.5 * (ncfdtr(a + 2, b, c, {x}) - ncfdtr(a, b, c, {y}))"
NCF_SF_IN_NC = "0.5 * (_ncf_sf({x}, b + 2, c, d) - _ncf_sf({y}, b, c, d))"
LANDAU = difference("_landau_pdf", "a b c", 0, "c")
SKEW = f"exp(-0.5 * ({{x}} - b) * ({{x}} - b) * (1 + d * d) / (c * c)) / ({pi} * (1 + d * d))"
TUKEY_PART = "(r ** b * log(r) - (1 - r) ** b * log1p(-r))"
TUKEY = f"where(absolute(b) < 1e-5, 0.5 * (log(r) * log(r) - log1p(-r) * log1p(-r)), ({TUKEY_PART} - a) / b)"
"""How Tukey's lambda distribution's quantile changes with lambda."""

IN_ORDERS: dict[str, dict[int, str]] = {
    "gammainc": {0: difference("gammainc", "a b", 0, of_gamma("a", "b"))},
    "gammaincc": {0: difference("gammaincc", "a b", 0, of_gamma("a", "b"))},
    "gammaincinv": {0: f"where(r == 0, 0, -{GAMMA} / {gamma_density('a', 'r')})"},
    "gammainccinv": {0: f"where(r == 0, 0, {GAMMA_C} / {gamma_density('a', 'r')})"},
    "chdtr": {0: difference("chdtr", "a b", 0, of_gamma("a", "b"))},
    "chdtrc": {0: difference("chdtrc", "a b", 0, of_gamma("a", "b"))},
    "chdtri": {
        0: f"2 * {difference('chdtrc', 'a r', 0, of_gamma('a', 'r'))} / {gamma_density('(0.5 * a)', '(0.5 * r)')}",
    },
    "gdtr": {1: difference("gdtr", "a b c", 1, of_gamma("b", "a * c"))},
    "gdtrc": {1: difference("gdtrc", "a b c", 1, of_gamma("b", "a * c"))},
    "gdtria": {1: f"-{difference('gdtr', 'r b c', 1, of_gamma('b', 'r * c'))} / (c * {gamma_density('b', '(r * c)')})"},
    "gdtrix": {1: f"-{difference('gdtr', 'a b r', 1, of_gamma('b', 'a * r'))} / (a * {gamma_density('b', '(a * r)')})"},
    "betainc": {k: difference("betainc", "a b c", k, w) for k, w in enumerate(of_both("a", "b", "c"))},
    "betaincc": {k: difference("betaincc", "a b c", k, w) for k, w in enumerate(of_both("a", "b", "c"))},
    "betaincinv": {k: f"where(r * (1 - r) == 0, 0, -{BETA[k]} / {beta_density('a', 'b', 'r')})" for k in (0, 1)},
    "betainccinv": {k: f"where(r * (1 - r) == 0, 0, {BETA_C[k]} / {beta_density('a', 'b', 'r')})" for k in (0, 1)},
    "fdtr": {k: difference("fdtr", "a b c", k, w) for k, w in enumerate(of_f("a", "b", "c"))},
    "fdtrc": {k: difference("fdtrc", "a b c", k, w) for k, w in enumerate(of_f("a", "b", "c"))},
    "fdtri": {k: f"-{F[k]} / {f_density('r')}" for k in (0, 1)},
    "stdtr": {0: difference("stdtr", "a b", 0, "a")},
    "stdtrit": {0: f"-{difference('stdtr', 'a r', 0, 'a')} / {student_density('a', 'r')}"},
    "chndtr": {1: difference("chndtr", "a b c", 1, NCX2_WIDTH)},
    "chndtrix": {1: f"-{NCX2_AT_R} / _ncx2_pdf(r, b, c)"},
    "chndtrinc": {
        1: f"where(r < 1e-290, 0, {difference('chndtr', 'a b r', 1, 'minimum(b, sqrt(b + 2 * r))')}"
        " / _ncx2_pdf(a, b + 2, r))"
    },
    "_ncx2_pdf": {1: difference("_ncx2_pdf", "a b c", 1, NCX2_WIDTH)},
    "_ncx2_sf": {1: difference("_ncx2_sf", "a b c", 1, NCX2_WIDTH)},
    "_ncx2_isf": {1: f"{difference('_ncx2_sf', 'r b c', 1, NCX2_WIDTH)} / _ncx2_pdf(r, b, c)"},
    "nctdtr": {0: difference("nctdtr", "a b c", 0, "a"), 1: difference("nctdtr", "a b c", 1, "1")},
    "nctdtrit": {k: f"-{NCT[k]} / _nct_pdf(r, a, b)" for k in (0, 1)},
    "_nct_pdf": {k: difference("_nct_pdf", "a b c", k, ("1", "b", "1")[k]) for k in range(3)},
    "_nct_sf": {k: difference("_nct_sf", "a b c", k, ("1", "b", "1")[k]) for k in (1, 2)},
    "_nct_isf": {k: f"{NCT_SF[k - 1]} / _nct_pdf(r, b, c)" for k in (1, 2)},
    "ncfdtr": {
        **{k: difference("ncfdtr", "a b c d", k, w) for k, w in enumerate(of_f("a", "b", "d"))},
        2: NCF_IN_NC.format(x=_shifted("d", "a"), y="d"),
    },
    "ncfdtri": {
        **{k: f"-{NCF_AT_R[k]} / _ncf_pdf(r, a, b, c)" for k in (0, 1)},
        2: f"-{NCF_IN_NC.format(x=_shifted('r', 'a'), y='r')} / _ncf_pdf(r, a, b, c)",
    },
    "_ncf_pdf": {
        0: difference("_ncf_pdf", "a b c d", 0, "a * minimum(1, sqrt(1 / b + 1 / c))"),
        **{k + 1: difference("_ncf_pdf", "a b c d", k + 1, w) for k, w in enumerate(of_f("b", "c", "a"))},
        3: f"0.5 * ({_stretched('_ncf_pdf', 'a', 'b')} - r)",
    },
    "_ncf_sf": {
        **{k + 1: difference("_ncf_sf", "a b c d", k + 1, w) for k, w in enumerate(of_f("b", "c", "a"))},
        3: NCF_SF_IN_NC.format(x=_shifted("a", "b"), y="a"),
    },
    "_ncf_isf": {
        **{k + 1: f"{NCF_SF_AT_R[k]} / _ncf_pdf(r, b, c, d)" for k in (0, 1)},
        3: f"{NCF_SF_IN_NC.format(x=_shifted('r', 'b'), y='r')} / _ncf_pdf(r, b, c, d)",
    },
    "_landau_pdf": {0: LANDAU, 1: f"-{LANDAU}", 2: f"-(r + (a - b + {2 / pi} * c) * {LANDAU}) / c"},
    "_skewnorm_cdf": {3: f"-{SKEW.format(x='a')}"},
    **{f"_skewnorm_{kind}": {3: f"{SKEW.format(x='r')} / {skew_density('r')}"} for kind in ("ppf", "isf")},
    "_beta_ppf": {
        k + 1: f"-{difference('betainc', 'b c r', k, w)} / _beta_pdf(r, b, c)"
        for k, w in enumerate(of_both("b", "c", "r"))
    },
    **{
        f"_nbinom_{kind}": {1: difference(f"_nbinom_{kind}", "a b c", 1, of_beta("b", "(a + 1)", "c"))}
        for kind in ("cdf", "sf")
    },
    "tklmbda": {1: f"where(r * (1 - r) == 0, 0, -{TUKEY} / (r ** (b - 1) + (1 - r) ** (b - 1)))"},
    **{
        name: {0: difference(name, "a b", 0, "1")}
        for name in ("jv", "jve", "yv", "yve", "iv", "ive", "kv", "kve", "struve", "modstruve")
    },
    **{
        f"{name}_{k}": {0: difference(f"{name}_{k}", "a b c", 0, "1")}
        for name in ("hankel1", "hankel1e", "hankel2", "hankel2e")
        for k in (0, 1)
    },
    **{name: {1: difference(name, "a b", 1, "1")} for name in ("mathieu_a", "mathieu_b")},
    "hyp0f1": {0: difference("hyp0f1", "a b", 0, _from_poles("a"))},
    "hyp1f1": {
        0: difference("hyp1f1", "a b c", 0, "1"),
        1: difference("hyp1f1", "a b c", 1, _from_poles("b")),
    },
    "hyperu": {k: difference("hyperu", "a b c", k, "1") for k in (0, 1)},
    "hyp2f1": {
        **{k: difference("hyp2f1", "a b c d", k, "1") for k in (0, 1)},
        2: difference("hyp2f1", "a b c d", 2, _from_poles("c")),
    },
    **{name: {1: difference(name, "a b c", 1, "1")} for name in ("eval_gegenbauer", "eval_genlaguerre")},
    **{name: {k: difference(name, "a b c d", k, "1") for k in (1, 2)} for name in ("eval_jacobi", "eval_sh_jacobi")},
}
"""By operation and place of the operand."""
