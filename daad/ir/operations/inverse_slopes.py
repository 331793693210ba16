"""Slopes of the functions of SciPy's that solve a distribution function for one of its parameters: by the rule of
implicit functions, in the notation of rules.

A row names the operand that is the probability, what the distribution function changes by with the result, and with
each operand but the probability. Where nothing solves the equation, the result is a bound, which is constant.
"""

from __future__ import annotations

from daad.ir.operations.distribution_slopes import beta_density, gamma_density, student_density
from daad.ir.operations.order_slopes import IN_ORDERS, difference, of_both, of_f, of_gamma

SOLVED = "(absolute(r) < 1e9) and (absolute(r) > 1e-90)"


def _solved(probability: int, by_result: str, *by_operands: str) -> dict[int, str]:
    places = [k for k in range(len(by_operands) + 1) if k != probability]
    others = {k: f"-({slope}) / ({by_result})" for k, slope in zip(places, by_operands, strict=True)}
    slopes = {probability: f"1 / ({by_result})", **others}
    return {place: f"where({SOLVED}, {slope}, 0)" for place, slope in slopes.items()}


def _below(slopes: dict[int, str], is_inside: str, other: int, edge: str) -> dict[int, str]:
    """Where all trials succeed, the result is the operand at the `other` place, with this slope."""
    return {p: f"where({is_inside}, {slope}, {edge if p == other else 0})" for p, slope in slopes.items()}


def _beta(a: str, b: str, x: str) -> tuple[str, str, str]:
    """The slopes of `betainc`."""
    operands, widths = f"{a} {b} {x}", of_both(a, b, x)
    first, second = (difference("betainc", operands, k, width) for k, width in enumerate(widths))
    return first, second, beta_density(a, b, x)


def _f(a: str, b: str, x: str) -> tuple[str, str, str]:
    """The slopes of `fdtr`."""
    first, second = (difference("fdtr", f"{a} {b} {x}", k, width) for k, width in enumerate(of_f(a, b, x)))
    part = f"({a}*{x}/({a}*{x}+{b}))"
    density = beta_density(f"(0.5*{a})", f"(0.5*{b})", part)
    return (first, second, f"{density} * {a} * {b} / (({a} * {x} + {b}) * ({a} * {x} + {b}))")


def _non_central_t(a: str, b: str, x: str) -> tuple[str, str, str]:
    """The slopes of `nctdtr`."""
    first, second = (difference("nctdtr", f"{a} {b} {x}", k, (a, "1")[k]) for k in (0, 1))
    return first, second, f"_nct_pdf({x}, {a}, {b})"


GAMMA = difference("gdtr", "a r c", 1, of_gamma("r", "a * c"))
GAMMA_DENSITY = gamma_density("r", "(a * c)")
CHI2 = difference("chdtr", "r b", 0, of_gamma("r", "b"))
POISSON = difference("gammaincc", "(r+1) b", 0, of_gamma("(r + 1)", "b"))
STUDENT = difference("stdtr", "r b", 0, "r")
NON_CENTRAL_CHI2 = difference("chndtr", "a r c", 1, "minimum(r, sqrt(r + 2 * c))")
BY_A, BY_B, BY_X = _beta("r", "b", "c")
OF_A, OF_B, OF_X = _beta("a", "r", "c")
BINOMIAL = _beta("(b-r)", "(r+1)", "(1-c)")
TRIALS = _beta("(r-a)", "(a+1)", "(1-c)")
FAILURES = _beta("b", "(r+1)", "c")
SUCCESSES = _beta("r", "(a+1)", "c")
F_BELOW = _f("a", "r", "c")
NCT_FREEDOM, NCT_CENTRE = _non_central_t("r", "b", "c"), _non_central_t("a", "r", "c")

INVERSES: dict[str, dict[int, str]] = {
    "btdtria": _solved(0, BY_A, BY_B, BY_X),
    "btdtrib": _solved(1, OF_B, OF_A, OF_X),
    "bdtrik": _below(_solved(0, f"{BINOMIAL[1]} - {BINOMIAL[0]}", BINOMIAL[0], f"-{BINOMIAL[2]}"), "r < b", 1, "1"),
    "bdtrin": _below(
        _solved(1, TRIALS[0], f"{TRIALS[1]} - {TRIALS[0]}", f"-{TRIALS[2]}"),
        "(a < r) and (c < 1)",
        0,
        "where(absolute(r - a) < 1e-6 * a, 1, 0)",
    ),
    "nbdtrik": _solved(0, FAILURES[1], FAILURES[0], FAILURES[2]),
    "nbdtrin": _solved(1, SUCCESSES[0], SUCCESSES[1], SUCCESSES[2]),
    "chdtriv": _solved(0, CHI2, f"0.5 * {gamma_density('(0.5 * r)', '(0.5 * b)')}"),
    "gdtrib": _solved(1, GAMMA, f"c * {GAMMA_DENSITY}", f"a * {GAMMA_DENSITY}"),
    "pdtrik": _solved(0, POISSON, f"-{gamma_density('(r + 1)', 'b')}"),
    "stdtridf": _solved(0, STUDENT, student_density("r", "b")),
    "chndtridf": _solved(1, NON_CENTRAL_CHI2, "_ncx2_pdf(a, r, c)", "-_ncx2_pdf(a, r + 2, c)"),
    "fdtridfd": _solved(1, F_BELOW[1], F_BELOW[0], F_BELOW[2]),
    "nctdtridf": _solved(0, NCT_FREEDOM[0], *NCT_FREEDOM[1:]),
    "nctdtrinc": _solved(1, NCT_CENTRE[1], NCT_CENTRE[0], NCT_CENTRE[2]),
}
"""By operation and place of the operand."""
DIFFERENCES = frozenset(slope for rows in (IN_ORDERS, INVERSES) for row in rows.values() for slope in row.values())
"""All of the texts with differences in them: numbers of 32 bits have too few digits for them."""
