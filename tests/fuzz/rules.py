"""One small program for each derivative rule: the operation on arrays, in a loop that reads what it has written."""

from __future__ import annotations

from daad.rules.scalar import DERIVATIVES
from tests.fuzz.programs import RandomProgram

DOMAINS = {
    "arccosh": "3.0 + {}",
    "log": "2.5 + {}",
    "log2": "2.5 + {}",
    "log10": "2.5 + {}",
    "log1p": "1.5 + {}",
    "sqrt": "2.5 + {}",
    "power": "1.3 + 0.3 * {}",
}
"""Where an operation does not take all numbers."""
ELSEWHERE = "0.7 * {}"
BESIDE = {"heaviside": "np.floor({})"}
"""What the other operand is, where few numbers ask for the rule."""
OUTSIDE_NUMPY = {name: f"math.{name}" for name in ("erf", "erfc", "lgamma", "gamma")}
WITHIN = {"anchored": "np.linalg.eigvalsh(np.array([[{}, 0.2], [0.2, 1.0]]))[0]"}
"""What makes an operation that has no name of its own, of one operand."""

RULES = [
    (name, place) for name, row in DERIVATIVES.items() for place, rule in enumerate(row) if rule not in (None, "?")
]


def program_of(name: str, place: int) -> RandomProgram:
    """A program whose gradient asks for the rule, at points on both sides of its branches."""
    domain = DOMAINS.get(name, ELSEWHERE)
    own, other = domain.format("(a[i] + 0.3 * a[i - 1])"), BESIDE.get(name, domain).format("b[i]")
    operands = [own] if len(DERIVATIVES[name]) == 1 else [own, other] if place == 0 else [other, own]
    named = f"{OUTSIDE_NUMPY.get(name, f'np.{name}')}({', '.join(operands)})"
    call = WITHIN[name].format(own) if name in WITHIN else named
    loop = f"for i in range(1, 6):\n        a[i] = 0.5 * {call}"
    return RandomProgram(
        source=f"def program(a, b):\n    {loop}\n    return np.sum(a * b)\n",
        arguments=(("a", "data(3, 6)"), ("b", "data(4, 6)")),
        wrt=("a",),
    )


def mutated(name: str, place: int) -> tuple[str | None, ...]:
    """The row of the table with one derivative wrong by a thousandth."""
    return tuple(f"({rule}) * 1.001" if k == place else rule for k, rule in enumerate(DERIVATIVES[name]))
