"""The report of a check: numbers for programs, a verdict and tables for people."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

import numpy as np

from daad.api.check.fault_localization import Fault
from daad.api.check.nearby_kinks import Kink
from daad.api.check.nonfinite import Origin
from daad.api.check.text_tables import table
from daad.api.check.verdict import Direction
from daad.report.markup import plain_block, sentence


class Verdict(Enum):
    """RIGHT: confirmed along every direction. SUBGRADIENT: on a kink, between the one-sided derivatives.
    UNCONFIRMED: differences cannot tell. WRONG: refuted."""

    RIGHT = "right"
    SUBGRADIENT = "subgradient"
    UNCONFIRMED = "unconfirmed"
    WRONG = "wrong"


@dataclass(frozen=True, kw_only=True)
class PlanCheck:
    """One plan's gradient: the largest relative error along the directions, and the largest distance of an element to
    the first plan's, relative to the largest element."""

    plan: str
    error: float
    distance: float
    is_right: bool


@dataclass(frozen=True, kw_only=True)
class CheckReport:
    """Truthy if the gradient is right to `tolerance`, relative to the size of the derivative's terms, in every plan.

        >>> import numpy as np, daad
        >>> def energy(x):
        ...     return np.sum(np.abs(x) ** 1.5)
        >>> report = daad.check(energy, (np.linspace(0.1, 0.9, 5),))
        >>> bool(report), report.verdict.value, report.error < report.tolerance
        (True, 'right', True)

    `what` was checked. `value` is the program's own, `value_found` the gradient's, `value_error` their relative
    distance; `calls` counts runs of the program; `no_complex_step` says why there is none; `remarks` are whole
    sentences; `plans` says how far off each plan is, if all were checked. `fault` is looked for where the gradient is
    wrong, `kinks` where differences do not simply confirm it, `origin` where a value or a gradient is not finite.
    """

    verdict: Verdict
    directions: tuple[Direction, ...]
    tolerance: float
    value: float
    value_found: float
    value_error: float
    calls: int
    no_complex_step: str | None = None
    kinks: tuple[Kink, ...] = ()
    fault: Fault | None = None
    origin: Origin | None = None
    plans: tuple[PlanCheck, ...] = ()
    remarks: tuple[str, ...] = ()
    what: str = "gradient"

    def __bool__(self) -> bool:
        return self.verdict in (Verdict.RIGHT, Verdict.SUBGRADIENT)

    @property
    def error(self) -> float:
        """The largest relative error."""
        return max((d.error for d in self.directions), default=float("nan"))

    def as_json(self) -> dict[str, Any]:
        """Everything as plain numbers, strings, lists and dicts; what is not finite is None."""
        document = {"passed": bool(self), "error": self.error, **asdict(self)}
        if self.fault is not None:
            document["fault"]["error"] = self.fault.error
        plain: dict[str, Any] = _plain(document)
        return plain

    def __str__(self) -> str:
        blocks = ["\n".join([self._sentence, *self.remarks]), *map(str, filter(None, (self.origin, self.fault)))]
        blocks += [text for text in (self._directions, self._kinks, self._plans, self._calls) if text]
        return "\n".join(blocks)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        first, _, rest = str(self).partition("\n")
        return sentence(first, "green bold" if self else "red bold") + plain_block(rest)

    @property
    def _sentence(self) -> str:
        error = f"relative error {self.error:.1e}, tolerance {self.tolerance:.0e}"
        return {
            Verdict.RIGHT: f"The {self.what} is right: {error}.",
            Verdict.SUBGRADIENT: f"The {self.what} is right on a kink: it lies between the one-sided derivatives.",
            Verdict.UNCONFIRMED: f"The {self.what} is not confirmed.",
            Verdict.WRONG: self._wrong(error),
        }[self.verdict]

    def _wrong(self, error: str) -> str:
        if self.value_error > self.tolerance and self.error <= self.tolerance:
            return f"The value is WRONG: {self.value_found:.8g}, and the program's is {self.value:.8g}."
        plans = [p for p in self.plans if not p.is_right]
        if plans and self.error <= self.tolerance:
            return f"The gradient is WRONG under the plan '{plans[0].plan}': relative error {plans[0].error:.1e}."
        return f"The {self.what} is WRONG: {error}."

    @property
    def _directions(self) -> str:
        if not self.directions:
            return ""
        exact = any(d.complex_step is not None for d in self.directions)
        sided = self.verdict is Verdict.SUBGRADIENT or any(d.is_kinked for d in self.directions)
        head = ["along", "differences", self.what, "error", "step", "Taylor rate"]
        head[2:2] = ["complex step"] if exact else []
        head[1:1] = ["from the left", "from the right"] if sided else []
        return table([head, *(_row(d, exact, sided) for d in self.directions)])

    @property
    def _kinks(self) -> str:
        if not self.kinks:
            return ""
        rows = [[str(k.at or "-"), k.spelled, str(k.count)] for k in self.kinks]
        return table([["the point is on a kink at", "operation", "elements"], *rows])

    @property
    def _plans(self) -> str:
        if not self.plans:
            return ""
        rows = [[p.plan, f"{p.error:.1e}", f"{p.distance:.1e}"] for p in self.plans]
        return table([["plan", "error", "distance to the first"], *rows])

    @property
    def _calls(self) -> str:
        why = f" No complex step: {self.no_complex_step}." if self.no_complex_step else ""
        return f"Calls of the program: {self.calls}.{why}"


def _row(d: Direction, exact: bool, sided: bool) -> list[str]:
    numbers = [d.left, d.right] * sided + [d.difference] + [d.complex_step] * exact + [d.gradient]
    shown = ["-" if n is None or not np.isfinite(n) else f"{n:.8g}" for n in numbers]
    rate = "-" if d.rate is None else f"{d.rate:.2f}"
    return [d.along, *shown, f"{d.error:.1e}", "-" if np.isnan(d.step) else f"{d.step:.0e}", rate]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return value
