"""A gradient made wrong on purpose: the check names the stage and, of a statement, line, array and iteration."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pytest

from daad import passes
from daad.api.check import Verdict
from daad.api.check.fault_localization import Stage
from daad.api.gradient import Gradient
from daad.api.subject import known_readings, reading
from daad.api.subject.request import Request
from daad.ccs.forwarded import Versions
from daad.ccs.hints import Hints
from daad.codegen.interpreted import Interpreted
from daad.ir.nodes import Const, Expr, Nest, Node, Op
from daad.ir.walk import map_expr, map_node
from daad.loops import reverse, statement_adjoints
from tests.api.check.checking import checked, line_of, spoil
from tests.corpus import ALL
from tests.fuzz.mutants import mutants

U, K = np.linspace(0.1, 1.6, 8), np.linspace(1.0, 2.0, 8)


def straight(u, k):
    a = np.exp(-u) * 0.5
    b = np.tanh(a + k)
    c = np.arctan2(b, k)
    d = np.sqrt(c + 3.0)
    e = np.hypot(d, u)
    f = np.log1p(e)
    return np.sum(f - 0.25 * b)


def stepping(u, k, steps):
    total = 0.0
    for t in range(steps):
        w = np.sin(u[1:-1]) / k[1:-1]
        u[1:-1] = u[1:-1] + 0.1 * w
        v = np.cosh(0.5 * u)
        if t > 2:
            total += np.sum(np.arcsinh(v))
    return total + np.sum(np.cbrt(u + 1.0))


def nested(u, k):
    y = np.zeros(8)
    for i in range(1, 8):
        y[i] = np.cos(u[i])
        for j in range(i):
            y[i] += np.exp2(-u[j]) * y[j] * k[i]
    return np.sum(y * y)


ARGUMENTS = {straight: (U, K), stepping: (U, K, 6), nested: (U, K)}
RULES = [
    (straight, "exp", 0, "np.exp(", ""),
    (straight, "tanh", 0, "np.tanh(", ""),
    (straight, "arctan2", 0, "np.arctan2(", ""),
    (straight, "arctan2", 1, "np.arctan2(", ""),
    (straight, "sqrt", 0, "np.sqrt(", ""),
    (straight, "hypot", 1, "np.hypot(", ""),
    (straight, "log1p", 0, "np.log1p(", ""),
    (stepping, "sin", 0, "np.sin(", "t = 5"),
    (stepping, "divide", 1, "/ k[", "t = 5"),
    (stepping, "cosh", 0, "np.cosh(", "t = 5"),
    (stepping, "arcsinh", 0, "np.arcsinh(", "t = 5"),
    (stepping, "cbrt", 0, "np.cbrt(", ""),
    (nested, "cos", 0, "np.cos(", "i = 7"),
    (nested, "exp2", 0, "np.exp2(", "i = 7, j = 6"),
]


@pytest.mark.parametrize("factor", [1.001, 1.1])
@pytest.mark.parametrize(
    ("function", "rule", "place", "text", "_"), RULES, ids=lambda x: x if isinstance(x, str) else ""
)
def test_a_wrong_rule_is_found_at_its_line(function, rule, place, text, _, factor, monkeypatch):
    spoil(monkeypatch, rule, factor, place)
    report = checked(function, ARGUMENTS[function], wrt=("u", "k"))
    assert report.verdict is Verdict.WRONG
    assert report.fault.stage is Stage.STATEMENT
    assert report.fault.at.line == line_of(function, text), str(report)


IN_LOOPS = [(row[0], row[1], row[3], row[4]) for row in RULES if "=" in row[4]]


@pytest.mark.parametrize(("function", "rule", "text", "iteration"), IN_LOOPS, ids=[row[1] for row in IN_LOOPS])
def test_the_last_wrong_iteration_is_named(function, rule, text, iteration, monkeypatch):
    """The first in the order in which the adjoint runs."""
    spoil(monkeypatch, rule, 1.1)
    fault = checked(function, ARGUMENTS[function], wrt=("u", "k")).fault
    assert ", ".join(f"{name} = {value}" for name, value in fault.iteration.items()) == iteration
    assert f"in iteration {iteration}:" in str(fault)
    assert linecache.getline(__file__, line_of(function, text)).strip() in str(fault)


def test_relative_error_of_the_array_is_that_of_the_rule(monkeypatch):
    spoil(monkeypatch, "tanh", 1.01)
    fault = checked(straight, ARGUMENTS[straight], wrt="u").fault
    assert fault.array == "a"
    assert fault.error == pytest.approx(0.01, rel=1e-3)


def contains(expr: Expr, operation: str) -> bool:
    found = []
    map_expr(expr, lambda node: found.append(node) if isinstance(node, Op) and node.name == operation else None)
    return bool(found)


def reverse_nest_without(operation: str, op: str) -> Any:
    """Reversal that forgets all statements `op` of the adjoint of statements with the operation."""
    original = statement_adjoints.reverse_nest

    def without(nest: Nest, site: Any, bars: Any) -> tuple[Nest, ...]:
        made = original(nest, site, bars)
        if not contains(nest.assigns[0].value, operation):
            return made
        kept = [replace(n, assigns=tuple(a for a in n.assigns if not is_meant(a))) for n in made]
        return tuple(n for n in kept if n.assigns)

    def is_meant(assign: Any) -> bool:
        cleared = isinstance(assign.value, Const) and assign.value.value == 0
        return assign.op == op and (cleared or op != "=")

    return without


def two_uses(u, k, steps):
    w = np.zeros(8)
    for _ in range(steps):
        w[:] = np.sin(u) * w + k
        u[:] = u + 0.1 * np.tanh(w)
    return np.sum(u * u)


def carried(u, k, steps):
    w = np.zeros(8)
    for _ in range(steps):
        w[:] = np.sin(u) * k
        u[1:-1] = u[1:-1] + 0.1 * (w[2:] - w[:-2])
    return np.sum(u * u)


@dataclass(frozen=True)
class Defect:
    """A defect of the reversal, and the text of the line where it shows."""

    name: str
    function: Any
    target: Any
    attribute: str
    value: Any
    text: str


REVERSE_LOOP = reverse._reverse_loop


def shown_forward(loop: Any, site: Any, bars: Any) -> Any:
    (made,) = REVERSE_LOOP(loop, site, bars)
    return [replace(made, start=loop.start, stop=loop.stop, step=loop.step)]


DEFECTS = [
    Defect("dropped accumulation", two_uses, reverse, "reverse_nest", reverse_nest_without("sin", "+="), "np.sin("),
    Defect("missing zeroing", carried, reverse, "reverse_nest", reverse_nest_without("sin", "="), "np.sin("),
    Defect("value overwritten", two_uses, Versions, "_holders", lambda *_: frozenset(), "np."),
    Defect("wrong direction", two_uses, reverse, "_reverse_loop", shown_forward, "np."),
]


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda d: d.name)
def test_a_defect_of_the_reversal_is_found_at_its_line(defect, monkeypatch):
    monkeypatch.setattr(defect.target, defect.attribute, defect.value)
    report = checked(defect.function, (U, K, 4), wrt=("u", "k"))
    assert report.verdict is Verdict.WRONG
    assert report.fault.stage is Stage.STATEMENT
    lines, first = inspect.getsourcelines(defect.function)
    assert defect.text in lines[report.fault.at.line - first], str(report)


class Tilted(Interpreted):
    """Compiled code whose last result is too large by a thousandth."""

    def call(self, arrays: Any, integers: Any) -> None:
        super().call(arrays, integers)
        arrays[-1][...] *= 1.001


def test_code_that_is_compiled_wrongly_is_told_from_a_wrong_adjoint():
    report = checked(straight, (U, K), compiler=Tilted, wrt=("u", "k"))
    assert report.verdict is Verdict.WRONG
    assert report.fault.stage is Stage.COMPILED
    assert "The interpreted gradient is right: the fault is in lowering, or in the compiler." in str(report)


class TiltedValue(Interpreted):
    """Compiled code whose value is too large by a thousandth."""

    def call(self, arrays: Any, integers: Any) -> None:
        super().call(arrays, integers)
        arrays[len(self.program.parameters)][...] *= 1.001


def test_a_wrong_value_is_told_from_a_wrong_gradient():
    report = checked(straight, (U, K), compiler=TiltedValue, wrt="u")
    assert report.verdict is Verdict.WRONG
    assert str(report).startswith("The value is WRONG: ")
    assert report.fault.stage is Stage.COMPILED


def test_an_optimisation_that_goes_wrong_is_told_from_a_wrong_adjoint(monkeypatch):
    original = passes.merge

    def worse(program: Any, *rest: Any) -> Any:
        improved = original(program, *rest)
        bars = [name for name in improved.arrays if name.endswith("_bar")]
        return next(m.program for m in mutants(improved, bars) if m.what.startswith("a dropped accumulation"))

    monkeypatch.setattr(passes, "merge", worse)
    report = checked(stepping, (U, K, 6), wrt=("u", "k"))
    assert report.fault.stage is Stage.OPTIMISATION


def sine_for_cosine(node: Expr) -> Expr | None:
    return Op("cos", node.args, node.dtype) if isinstance(node, Op) and node.name == "sin" else None


def with_cosines(body: Sequence[Node]) -> tuple[Node, ...]:
    return tuple(map_node(node, lambda e: map_expr(e, sine_for_cosine)) for node in body)


def smallest_plan(function: Any, args: Any) -> Hints:
    """The plan that runs loops again, to keep as little as possible."""
    gradient = Gradient(function, Request(wrt=("u", "k"), value=True), compiler=Interpreted)
    hints = gradient._planned(*args).pareto(5)[-1].hints
    assert hints.slots
    return hints


def test_a_wrong_rule_is_found_where_a_loop_is_run_again(monkeypatch):
    plan = smallest_plan(two_uses, (U, K, 9))
    assert checked(two_uses, (U, K, 9), wrt=("u", "k"), plan=plan)
    spoil(monkeypatch, "tanh", 1.001)
    report = checked(two_uses, (U, K, 9), wrt=("u", "k"), plan=plan)
    assert report.fault.at.line == line_of(two_uses, "np.tanh(")


def test_a_loop_that_is_run_again_wrongly_is_told_from_a_wrong_adjoint(monkeypatch):
    plan = smallest_plan(two_uses, (U, K, 9))
    original = reverse._rerun
    monkeypatch.setattr(reverse, "_rerun", lambda *rest: with_cosines(original(*rest)))
    report = checked(two_uses, (U, K, 9), wrt=("u", "k"), plan=plan)
    assert report.fault.stage is Stage.PLAN
    report = checked(two_uses, (U, K, 9), wrt=("u", "k"), plans="all")
    assert report.plans[0].is_right
    assert report.fault.stage is Stage.PLAN


def test_a_program_that_is_read_wrongly_is_told_from_a_wrong_adjoint(monkeypatch):
    original = reading.build_program

    def misread(*args: Any, **options: Any) -> Any:
        built = original(*args, **options)
        return replace(built, program=replace(built.program, body=with_cosines(built.program.body)))

    monkeypatch.setattr(reading, "build_program", misread)
    monkeypatch.setattr(known_readings, "_readings", WeakKeyDictionary())  # those of tests before
    report = checked(stepping, (U, K, 6), wrt=("u", "k"))
    assert report.verdict is Verdict.WRONG
    assert report.fault.stage is Stage.READING


def test_a_program_that_is_too_long_is_not_bisected(monkeypatch):
    monkeypatch.setattr("daad.api.check.reference_program.MOST_EXECUTIONS", 20)
    spoil(monkeypatch, "sin", 1.1)
    report = checked(stepping, (U, K, 6), wrt=("u", "k"))
    assert report.fault.stage is Stage.UNKNOWN


def test_a_long_program_is_bisected_in_a_few_runs(monkeypatch):
    spoil(monkeypatch, "sin", 1.001)
    report = checked(stepping, (U, K, 100), wrt=("u", "k"))
    assert report.fault.at.line == line_of(stepping, "np.sin(")


def test_a_dace_program_has_lines_too(monkeypatch):
    case = next(case for case in ALL if case.name == "dace_kernels.softmax")
    spoil(monkeypatch, "exp", 1.1)
    report = checked(case.function, case.arguments(), wrt=case.wrt, of=case.of, seed=case.seed)
    assert report.fault.stage is Stage.STATEMENT
    assert "np.exp(" in linecache.getline(report.fault.at.file, report.fault.at.line)
    assert report.no_complex_step == "the program does not run in Python"
