"""What a check gives back: text for people, numbers for programs, and errors for questions without an answer."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import daad
from daad import errors
from daad.api.check import Verdict
from daad.api.check.point import Point
from daad.api.gradient import Gradient
from daad.api.subject.primal import outputs
from daad.api.subject.request import Request
from daad.loops import reverse
from tests.api.check.checking import checked, spoil
from tests.api.check.test_fault import K, U, reverse_nest_without, stepping


def waves(u, k):
    return np.sum(np.sin(u) * k)


def written(u, k):
    u[1:] = np.tanh(u[1:] * k[:-1])
    w = u * 2.0
    return w, np.sum(w * w)


HEAD = ["along", "differences", "complex", "step", "gradient", "error", "step", "Taylor", "rate"]


def test_text_starts_with_the_verdict_and_its_columns_are_aligned():
    lines = str(checked(waves, (U, K), wrt=("u", "k"))).splitlines()
    assert lines[0].startswith("The gradient is right: relative error ")
    assert lines[1].split() == [
        "along",
        "differences",
        "complex",
        "step",
        "gradient",
        "error",
        "step",
        "Taylor",
        "rate",
    ]
    rows = lines[2:-1]
    assert [row.split()[0] for row in rows] == ["all", "all", "u", "k"]
    assert len({len(row) for row in lines[1:-1]}) == 1
    assert lines[-1] == "Calls of the program: 29."


def test_text_of_a_wrong_gradient_names_the_statement(monkeypatch):
    spoil(monkeypatch, "sin", 1.01)
    lines = str(checked(waves, (U, K), wrt="u")).splitlines()
    assert lines[0] == "The gradient is WRONG: relative error 1.0e-02, tolerance 1e-06."
    assert lines[1].startswith("The adjoint of 'u' is wrong (relative error 1.0e-02) at test_report.py:")
    assert lines[2] == "    return np.sum(np.sin(u) * k)"


def test_json_has_every_number(monkeypatch):
    spoil(monkeypatch, "sin", 1.01)
    report = checked(waves, (np.append(U, 0.0), np.append(K, 0.0)), wrt="u")
    document = json.loads(json.dumps(report.as_json(), allow_nan=False))
    assert document["passed"] is False
    assert document["verdict"] == "wrong"
    assert document["error"] == pytest.approx(0.01, rel=1e-3)
    assert document["fault"]["stage"] == "statement"
    assert document["fault"]["array"] == "u"
    assert document["fault"]["at"]["line"] == report.fault.at.line
    assert document["value"] == pytest.approx(document["value_found"])
    assert [d["finding"] for d in document["directions"]] == ["refuted"] * 3
    assert document["calls"] == report.calls > 0


def test_json_of_what_is_not_finite_is_null():
    document = checked(waves, (U * np.inf, K), wrt="u").as_json()
    assert (document["passed"], document["value"], document["origin"]["argument"]) == (False, None, "u")
    json.dumps(document, allow_nan=False)


def test_all_plans_are_tried():
    report = checked(stepping, (U, K, 6), plans="all", wrt=("u", "k"))
    assert report
    assert [p.plan for p in report.plans] == ["auto", "store", "recompute", "784 B: loop 't' from 6 states"]
    assert all(p.is_right and p.distance < 1e-12 for p in report.plans)
    assert "recompute" in str(report)


def test_the_plan_that_was_asked_for_comes_first():
    report = checked(stepping, (U, K, 6), plans="all", wrt="k", plan="store")
    assert [p.plan for p in report.plans][:3] == ["store", "auto", "recompute"]


def test_a_plan_that_is_wrong_makes_the_check_fail(monkeypatch):
    original, without = reverse.reverse_nest, reverse_nest_without("sin", "+=")

    def wrong_if_recomputed(nest, site, bars):
        return (without if bars.versions.hints.recompute else original)(nest, site, bars)

    monkeypatch.setattr(reverse, "reverse_nest", wrong_if_recomputed)
    report = checked(stepping, (U, K, 6), plans="all", wrt="k")
    assert report.verdict is Verdict.WRONG
    assert [p.is_right for p in report.plans][:3] == [True, True, False]
    assert str(report).startswith("The gradient is WRONG under the plan 'recompute': relative error ")


POINTS = [
    ({"wrt": ("u", "k"), "of": 1}, 4),
    ({"wrt": "k", "of": 0, "seed": 1.0}, 3),
    ({"wrt": "k", "of": "u", "seed": np.arange(8.0)}, 3),
    ({"wrt": "k", "of": ("u", 1), "seed": {"u": 2.0, 1: 1.0}}, 3),
    ({"wrt": "k", "of": "w", "seed": 1.0}, 3),
    ({"wrt": "u", "of": 1, "on_inputs": "keep"}, 3),
]


@pytest.mark.parametrize(("request_", "directions"), POINTS, ids=[str(row[0])[:60] for row in POINTS])
def test_outputs_seeds_and_inputs(request_, directions):
    arguments = (U.copy(), K.copy())
    report = checked(written, arguments, **request_)
    assert report, str(report)
    assert len(report.directions) == directions
    np.testing.assert_array_equal(arguments[0], U)


def test_a_local_variable_is_taken_from_the_program_as_daad_reads_it():
    report = checked(written, (U, K), wrt="k", of="w", seed=1.0)
    assert "Python does not run the program, or hides the output" in str(report)
    assert report.no_complex_step == "the program does not run in Python"


def test_structures_of_arrays_are_checked_leaf_by_leaf():
    def layers(p, x):
        return np.sum(np.tanh(p["w"] @ x + p["b"][0]))

    report = checked(layers, ({"w": np.eye(3), "b": [np.ones(3)]}, np.arange(3.0)), wrt="p")
    assert report
    assert [d.along for d in report.directions] == ["all", "all", "p['w']", "p['b'][0]"]


def test_slow_programs_are_announced(monkeypatch):
    monkeypatch.setattr("daad.api.check.point.PATIENCE", 0.0)
    with pytest.warns(UserWarning, match=r"One call of 'waves' takes .* s: checking calls it up to 21 times"):
        checked(waves, (U, K), wrt="u")


def test_very_slow_programs_are_tried_along_one_direction(monkeypatch):
    monkeypatch.setattr("daad.api.check.examination.PATIENCE", 0.0)
    report = checked(waves, (U, K), wrt=("u", "k"))
    assert report
    assert [d.along for d in report.directions] == ["all"]


def rough(x):
    return np.sum(np.sin(1e7 * x))


def test_calls_are_bounded_and_counted(monkeypatch):
    calls = []

    def counted(*args):
        calls.append(args)
        return outputs(*args)

    monkeypatch.setattr("daad.api.check.point.outputs", counted)
    monkeypatch.setattr("daad.api.check.point.MOST_CALLS", 40)
    report = checked(rough, (U,), wrt="x")
    assert report.calls == len(calls) <= 70


REFUSED = [
    ({"plans": "some"}, errors.BadArgument, "The option 'plans' is 'some'."),
    ({"wrt": "q"}, errors.BadArgument, "'waves' has no argument 'q'."),
    ({"plan": "none"}, errors.BadArgument, "The option 'plan' is 'none'."),
    ({"on_inputs": "lose"}, errors.BadArgument, "The option 'on_inputs' is 'lose'."),
    ({"of": "zz"}, errors.BadArgument, "'waves' has no variable 'zz' at its end."),
    ({"steps": 3}, errors.BadArgument, "The call does not fit 'waves"),
]


@pytest.mark.parametrize(("options", "error", "sentence"), REFUSED, ids=[row[2] for row in REFUSED])
def test_bad_questions_are_refused(options, error, sentence):
    with pytest.raises(error) as raised:
        daad.check(waves, (U, K), **options)
    assert sentence in str(raised.value)


def test_check_compiles_and_runs():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert daad.check(waves, (U, K), wrt=("u", "k"))


@pytest.mark.filterwarnings("ignore:The output does not depend")
def test_an_empty_argument_is_right():
    assert checked(waves, (np.zeros(0), np.zeros(0)), wrt="u")


def test_a_point_keeps_what_numbers_are():
    def powers(x, p):
        assert isinstance(x, np.ndarray)
        assert isinstance(p, float)
        return np.sum(x) ** p

    point = Point(Gradient(powers, Request(wrt=(0, 1), value=True)), {"x": np.array(2.0), "p": 3.0})
    assert point.along({"x": np.array(1.0), "p": np.array(1.0)}, 1.0) == 3.0**4.0
