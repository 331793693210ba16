"""Slopes of `scipy.special`'s distribution functions, of their inverses and of densities, in the notation of rules.

`a`, `b`, ... are the operands, `r` the result; None: there the function is constant, UNKNOWN: no closed form is known.
"""

from __future__ import annotations

from math import pi, sqrt

UNKNOWN = "?"
ROOT_2PI, ROOT_PI = sqrt(2 * pi), sqrt(pi)


def gamma_density(a: str, x: str) -> str:
    return f"exp(xlogy({a} - 1, {x}) - {x} - lgamma({a}))"


def beta_density(a: str, b: str, x: str) -> str:
    return f"exp(xlogy({a} - 1, {x}) + xlog1py({b} - 1, -({x})) - betaln({a}, {b}))"


def student_density(v: str, t: str) -> str:
    return f"(exp(-0.5 * ({v} + 1) * log1p({t} * {t} / {v}) - betaln(0.5, 0.5 * {v})) / sqrt({v}))"


def _normal_density(z: str) -> str:
    return f"(exp(-0.5 * {z} * {z}) / {ROOT_2PI})"


def skew_density(x: str) -> str:
    return f"(2 / c * {_normal_density(f'(({x} - b) / c)')} * 0.5 * erfc(-d * ({x} - b) / (c * {sqrt(2)})))"


def _inverse_density(x: str) -> str:
    return f"(sqrt(c / ({2 * pi} * {x} * {x} * {x})) * exp(-0.5 * c * ({x} - b) * ({x} - b) / (b * b * {x})))"


def f_density(x: str) -> str:
    density = beta_density("(0.5 * a)", "(0.5 * b)", f"(a * {x} / (a * {x} + b))")
    return f"({density} * a * b / ((a * {x} + b) * (a * {x} + b)))"


V_X, V_Y = f"(a / (b * {sqrt(2)}))", f"(c / (b * {sqrt(2)}))"
V_RE, V_IM = f"wofz_0({V_X}, {V_Y})", f"wofz_1({V_X}, {V_Y})"
V_IN_X = f"(2 * ({V_Y} * {V_IM} - {V_X} * {V_RE}) / (b * b * {2 * ROOT_PI}))"
V_IN_Y = f"((2 * ({V_X} * {V_IM} + {V_Y} * {V_RE}) - {2 / ROOT_PI}) / (b * b * {2 * ROOT_PI}))"
"""Of Voigt's profile, in the point and the Lorentz curve's width."""
V_SUM = "(a * a + c * c)"
V_SECOND = f"{2 / pi} * b * c * (3 * a * a - c * c) / ({V_SUM} * {V_SUM} * {V_SUM})"
V_FOURTH = f"{12 / pi} * b * b * b * c * (5 * a * a * a * a - 10 * a * a * c * c + c * c * c * c) / {V_SUM} ** 5"
"""Of the Lorentz curve's second and fourth derivative, what a small width of the normal curve adds."""


def _voigt(far: str, near: str, ratio: float = 2e5) -> str:
    """The series is taken where the formula is a difference of numbers that are alike."""
    return f"where({V_SUM} > {ratio} * b * b, {far}, {near})"


SLOPES: dict[str, tuple[str | None, ...]] = {
    "bdtr": (UNKNOWN, UNKNOWN, "-" + beta_density("(trunc(b) - floor(a))", "(floor(a) + 1)", "(1 - c)")),
    "bdtrc": (UNKNOWN, UNKNOWN, beta_density("(trunc(b) - floor(a))", "(floor(a) + 1)", "(1 - c)")),
    "bdtri": (UNKNOWN, UNKNOWN, "-1 / " + beta_density("(trunc(b) - floor(a))", "(floor(a) + 1)", "(1 - r)")),
    "betainc": (UNKNOWN, UNKNOWN, beta_density("a", "b", "c")),
    "betaincc": (UNKNOWN, UNKNOWN, "-" + beta_density("a", "b", "c")),
    "betaincinv": (UNKNOWN, UNKNOWN, "1 / " + beta_density("a", "b", "r")),
    "betainccinv": (UNKNOWN, UNKNOWN, "-1 / " + beta_density("a", "b", "r")),
    "boxcox": ("a ** (b - 1)", "where(a == 0, r * r, 0.5 * log(a) * log(a) * hyp1f1(2, 3, b * log(a)))"),
    "boxcox1p": ("(1 + a) ** (b - 1)", "where(a == -1, r * r, 0.5 * log1p(a) * log1p(a) * hyp1f1(2, 3, b * log1p(a)))"),
    "inv_boxcox": ("r / (1 + a * b)", "-0.5 * a * a * r * hyp2f1(2, 2, 3, -(a * b))"),
    "inv_boxcox1p": ("(1 + r) / (1 + a * b)", "-0.5 * a * a * (1 + r) * hyp2f1(2, 2, 3, -(a * b))"),
    "btdtria": (UNKNOWN, UNKNOWN, UNKNOWN),
    "btdtrib": (UNKNOWN, UNKNOWN, UNKNOWN),
    "bdtrik": (UNKNOWN, UNKNOWN, UNKNOWN),
    "bdtrin": (UNKNOWN, UNKNOWN, UNKNOWN),
    "chdtr": (UNKNOWN, f"0.5 * {gamma_density('(0.5 * a)', '(0.5 * b)')}"),
    "chdtrc": (UNKNOWN, f"-0.5 * {gamma_density('(0.5 * a)', '(0.5 * b)')}"),
    "chdtri": (UNKNOWN, f"-2 / {gamma_density('(0.5 * a)', '(0.5 * r)')}"),
    "chdtriv": (UNKNOWN, UNKNOWN),
    "chndtr": ("_ncx2_pdf(a, b, c)", UNKNOWN, "-_ncx2_pdf(a, b + 2, c)"),
    "chndtrix": ("1 / _ncx2_pdf(r, b, c)", UNKNOWN, "_ncx2_pdf(r, b + 2, c) / _ncx2_pdf(r, b, c)"),
    "chndtrinc": (
        "where(r < 1e-290, 0, _ncx2_pdf(a, b, r) / _ncx2_pdf(a, b + 2, r))",
        UNKNOWN,
        "where(r < 1e-290, 0, -1 / _ncx2_pdf(a, b + 2, r))",
    ),
    "chndtridf": (UNKNOWN, UNKNOWN, UNKNOWN),
    "fdtr": (UNKNOWN, UNKNOWN, f_density("c")),
    "fdtrc": (UNKNOWN, UNKNOWN, "-" + f_density("c")),
    "fdtri": (UNKNOWN, UNKNOWN, "1 / " + f_density("r")),
    "fdtridfd": (UNKNOWN, UNKNOWN, UNKNOWN),
    "gammainc": (UNKNOWN, gamma_density("a", "b")),
    "gammaincc": (UNKNOWN, "-" + gamma_density("a", "b")),
    "gammaincinv": (UNKNOWN, "1 / " + gamma_density("a", "r")),
    "gammainccinv": (UNKNOWN, "-1 / " + gamma_density("a", "r")),
    "gdtr": (f"c * {gamma_density('b', '(a * c)')}", UNKNOWN, f"a * {gamma_density('b', '(a * c)')}"),
    "gdtrc": (f"-c * {gamma_density('b', '(a * c)')}", UNKNOWN, f"-a * {gamma_density('b', '(a * c)')}"),
    "gdtria": (f"1 / (c * {gamma_density('b', '(r * c)')})", UNKNOWN, "-r / c"),
    "gdtrib": (UNKNOWN, UNKNOWN, UNKNOWN),
    "gdtrix": ("-r / a", UNKNOWN, f"1 / (a * {gamma_density('b', '(a * r)')})"),
    "kolmogorov": ("_kolmogp(a)",),
    "kolmogi": ("1 / _kolmogp(r)",),
    "smirnov": (UNKNOWN, "_smirnovp(a, b)"),
    "smirnovi": (UNKNOWN, "1 / _smirnovp(a, r)"),
    "_kolmogp": (UNKNOWN,),
    "_kolmogc": ("-_kolmogp(a)",),
    "_kolmogci": ("-1 / _kolmogp(r)",),
    "_smirnovp": (UNKNOWN, UNKNOWN),
    "_smirnovc": (UNKNOWN, "-_smirnovp(a, b)"),
    "_smirnovci": (UNKNOWN, "-1 / _smirnovp(a, r)"),
    "log_ndtr": (f"exp(-0.5 * a * a - r) / {ROOT_2PI}",),
    "nbdtr": (UNKNOWN, UNKNOWN, beta_density("trunc(b)", "(trunc(a) + 1)", "c")),
    "nbdtrc": (UNKNOWN, UNKNOWN, "-" + beta_density("trunc(b)", "(trunc(a) + 1)", "c")),
    "nbdtri": (UNKNOWN, UNKNOWN, "1 / " + beta_density("trunc(b)", "(trunc(a) + 1)", "r")),
    "nbdtrik": (UNKNOWN, UNKNOWN, UNKNOWN),
    "nbdtrin": (UNKNOWN, UNKNOWN, UNKNOWN),
    "ncfdtr": (UNKNOWN, UNKNOWN, UNKNOWN, "_ncf_pdf(d, a, b, c)"),
    "ncfdtri": (UNKNOWN, UNKNOWN, UNKNOWN, "1 / _ncf_pdf(r, a, b, c)"),
    "ncfdtridfd": (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN),
    "ncfdtridfn": (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN),
    "ncfdtrinc": (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN),
    "nctdtr": (UNKNOWN, UNKNOWN, "_nct_pdf(c, a, b)"),
    "nctdtrit": (UNKNOWN, UNKNOWN, "1 / _nct_pdf(r, a, b)"),
    "nctdtridf": (UNKNOWN, UNKNOWN, UNKNOWN),
    "nctdtrinc": (UNKNOWN, UNKNOWN, UNKNOWN),
    "ndtri": (f"{ROOT_2PI} * exp(0.5 * r * r)",),
    "ndtri_exp": (f"{ROOT_2PI} * exp(0.5 * r * r + a)",),
    "nrdtrimn": (f"-b * {ROOT_2PI} * exp(0.5 * ((c - r) / b) ** 2)", "(r - c) / b", "1"),
    "nrdtrisd": (
        "-1 / ndtri(b)",
        f"(a - c) / (ndtri(b) * ndtri(b)) * {ROOT_2PI} * exp(0.5 * ndtri(b) ** 2)",
        "1 / ndtri(b)",
    ),
    "owens_t": (
        f"-exp(-0.5 * a * a) * erf(a * b / {sqrt(2)}) / {2 * ROOT_2PI}",
        f"exp(-0.5 * a * a * (1 + b * b)) / ({2 * pi} * (1 + b * b))",
    ),
    "pdtr": (UNKNOWN, "-" + gamma_density("(floor(a) + 1)", "b")),
    "pdtrc": (UNKNOWN, gamma_density("(floor(a) + 1)", "b")),
    "pdtri": (UNKNOWN, "-1 / " + gamma_density("(trunc(a) + 1)", "r")),
    "pdtrik": (UNKNOWN, UNKNOWN),
    "stdtr": (UNKNOWN, student_density("a", "b")),
    "stdtrit": (UNKNOWN, "1 / " + student_density("a", "r")),
    "stdtridf": (UNKNOWN, UNKNOWN),
    "tklmbda": ("where(r * (1 - r) == 0, 0, 1 / (r ** (b - 1) + (1 - r) ** (b - 1)))", UNKNOWN),
    "voigt_profile": (
        _voigt(
            f"-{2 / pi} * a * c / ({V_SUM} * {V_SUM}) - {12 / pi} * b * b * a * c * (a * a - c * c) / {V_SUM} ** 4",
            V_IN_X,
        ),
        _voigt(f"{V_SECOND} + {V_FOURTH}", f"-(r + a * {V_IN_X} + c * {V_IN_Y}) / b", 2e4),
        _voigt(
            f"{1 / pi} * (a * a - c * c) / ({V_SUM} * {V_SUM})"
            f" + {3 / pi} * b * b * (a * a * a * a - 6 * a * a * c * c + c * c * c * c) / {V_SUM} ** 4",
            V_IN_Y,
        ),
    ),
    "_beta_pdf": (
        "r * ((b - 1) / a - (c - 1) / (1 - a))",
        "r * (log(a) - psi(b) + psi(b + c))",
        "r * (log1p(-a) - psi(c) + psi(b + c))",
    ),
    "_beta_ppf": ("1 / _beta_pdf(r, b, c)", UNKNOWN, UNKNOWN),
    "_binom_cdf": (UNKNOWN, UNKNOWN, "-" + beta_density("(b - a)", "(a + 1)", "(1 - c)")),
    "_binom_sf": (UNKNOWN, UNKNOWN, beta_density("(b - a)", "(a + 1)", "(1 - c)")),
    "_binom_pmf": (UNKNOWN, UNKNOWN, "r * (a / c - (b - a) / (1 - c))"),
    "_binom_ppf": (None, None, None),
    "_binom_isf": (None, None, None),
    "_nbinom_cdf": (UNKNOWN, UNKNOWN, beta_density("b", "(a + 1)", "c")),
    "_nbinom_sf": (UNKNOWN, UNKNOWN, "-" + beta_density("b", "(a + 1)", "c")),
    "_nbinom_pmf": (UNKNOWN, "r * (log(c) + psi(a + b) - psi(b))", "r * (b / c - a / (1 - c))"),
    "_nbinom_ppf": (None, None, None),
    "_nbinom_isf": (None, None, None),
    "_nbinom_mean": ("(1 - b) / b", "-a / (b * b)"),
    "_nbinom_variance": ("(1 - b) / (b * b)", "a * (b - 2) / (b * b * b)"),
    "_cauchy_ppf": (f"{pi} * c / (sin({pi} * a) * sin({pi} * a))", "1", "(r - b) / c"),
    "_cauchy_isf": (f"{-pi} * c / (sin({pi} * a) * sin({pi} * a))", "1", "(r - b) / c"),
    "_cosine_cdf": (f"where(r * (1 - r) == 0, 0, (1 + cos(a)) / {2 * pi})",),
    "_cosine_invcdf": (f"{2 * pi} / (1 + cos(r))",),
    "_igam_fac": ("r * (log(b) - psi(a))", "r * (a / b - 1)"),
    "_invgauss_ppf": (f"1 / {_inverse_density('r')}", UNKNOWN, UNKNOWN),
    "_invgauss_isf": (f"-1 / {_inverse_density('r')}", UNKNOWN, UNKNOWN),
    "_landau_pdf": (UNKNOWN, UNKNOWN, UNKNOWN),
    "_landau_cdf": (
        "_landau_pdf(a, b, c)",
        "-_landau_pdf(a, b, c)",
        f"-((a - b) / c + {2 / pi}) * _landau_pdf(a, b, c)",
    ),
    "_landau_sf": ("-_landau_pdf(a, b, c)", "_landau_pdf(a, b, c)", f"((a - b) / c + {2 / pi}) * _landau_pdf(a, b, c)"),
    "_landau_ppf": ("1 / _landau_pdf(r, b, c)", "1", f"(r - b) / c + {2 / pi}"),
    "_landau_isf": ("-1 / _landau_pdf(r, b, c)", "1", f"(r - b) / c + {2 / pi}"),
    "_ncf_pdf": (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN),
    "_ncf_sf": ("-_ncf_pdf(a, b, c, d)", UNKNOWN, UNKNOWN, UNKNOWN),
    "_ncf_isf": ("-1 / _ncf_pdf(r, b, c, d)", UNKNOWN, UNKNOWN, UNKNOWN),
    "_nct_pdf": (UNKNOWN, UNKNOWN, UNKNOWN),
    "_nct_sf": ("-_nct_pdf(a, b, c)", UNKNOWN, UNKNOWN),
    "_nct_isf": ("-1 / _nct_pdf(r, b, c)", UNKNOWN, UNKNOWN),
    "_ncx2_pdf": (
        "((0.5 * b - 1) / a - 0.5) * r + 0.5 * c / a * _ncx2_pdf(a, b + 2, c)",
        UNKNOWN,
        "0.5 * (_ncx2_pdf(a, b + 2, c) - r)",
    ),
    "_ncx2_sf": ("-_ncx2_pdf(a, b, c)", UNKNOWN, "_ncx2_pdf(a, b + 2, c)"),
    "_ncx2_isf": ("-1 / _ncx2_pdf(r, b, c)", UNKNOWN, "_ncx2_pdf(r, b + 2, c) / _ncx2_pdf(r, b, c)"),
    "_skewnorm_cdf": (skew_density("a"), "-" + skew_density("a"), f"-(a - b) / c * {skew_density('a')}", UNKNOWN),
    "_skewnorm_ppf": (f"1 / {skew_density('r')}", "1", "(r - b) / c", UNKNOWN),
    "_skewnorm_isf": (f"-1 / {skew_density('r')}", "1", "(r - b) / c", UNKNOWN),
}
"""By the ufunc."""
