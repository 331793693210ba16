"""The page: whole HTML without network, source and adjoint that belong together, stages from first to last."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

import daad
from daad.ir.printer import program_text
from daad.report.memory_plan import Plan
from daad.report.page.page import SECTIONS, page
from daad.report.page.pass_texts import SHORT, Stage, changes, stages

VOID = {"meta", "input", "br", "link", "img", "hr"}


def heat(u, k, steps):
    for t in range(steps):
        u = u.copy()
        u[1:-1] = u[1:-1] + k[1:-1] * u[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        if t < 3 and "<&>":
            u[0] = u[1] * k[0]
    return np.sum(u * u)


@pytest.fixture(scope="module")
def plan() -> Plan:
    return daad.plan(heat, (np.linspace(0.1, 0.9, 100), np.full(100, 0.1), 30), wrt="k", memory_limit="12KiB")


@pytest.fixture(scope="module")
def text(plan: Plan) -> str:
    return page(plan, plan.pareto(3), "The gradient is right: 1 < 2 & all.", {"the gradient": "1 ms"})


class Reader(HTMLParser):
    """Whether tags are closed in their order, what elements there are, and the text of each."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    return reader


def test_every_element_is_closed_and_ids_are_unique(read: Reader) -> None:
    assert not read.open
    ids = [attributes["id"] for _, attributes in read.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {attributes["href"] for tag, attributes in read.found if tag == "a"}
    assert targets == {f"#{name}" for name in SECTIONS} and {f"{name}" for name in SECTIONS} <= set(ids)


def test_nothing_is_loaded_from_anywhere(text: str, read: Reader) -> None:
    assert set(re.findall(r"https?://[^\s\"'<]+", text)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\((?!#)", text)
    assert not [a for tag, a in read.found if "src" in a or tag == "link"]


def test_what_can_be_used_has_a_name(read: Reader) -> None:
    for tag, attributes in read.found:
        if attributes.get("role") in ("region", "img") or tag == "input":
            assert attributes.get("aria-label"), (tag, attributes)
    html = next(attributes for tag, attributes in read.found if tag == "html")
    assert html["lang"] == "en"


def test_each_line_of_the_adjoint_belongs_to_one_of_the_source(read: Reader) -> None:
    rows = {a["data-line"] for tag, a in read.found if tag == "tr" and "data-line" in a}
    spans = {a["data-line"] for tag, a in read.found if tag == "span" and "data-line" in a}
    hits = {a["data-line"] for tag, a in read.found if tag == "rect" and "data-line" in a}
    assert spans and spans <= rows and hits and hits <= rows


def test_texts_are_escaped(text: str) -> None:
    assert "1 &lt; 2 &amp; all" in text and "&quot;&lt;&amp;&gt;&quot;" in text


@pytest.fixture(scope="module")
def road(plan: Plan) -> tuple[Stage, ...]:
    return stages(plan.program, plan.derivation)


def test_stages_lead_from_what_was_read_to_what_is_compiled(plan: Plan, road: tuple[Stage, ...]) -> None:
    texts = [stage.text for stage in road]
    assert texts[0] == program_text(plan.program) and texts[-1] == program_text(plan.derivation.joint)
    assert program_text(plan.derivation.joined) in texts
    assert len({*texts}) == len(texts)


def test_differences_make_one_text_of_the_other(road: tuple[Stage, ...]) -> None:
    for before, after in pairwise(road):
        found = changes(before.text, after.text)
        assert [line for sign, line in found if sign in " +"] == after.text.splitlines()
        assert [line for sign, line in found if sign in " -"] == before.text.splitlines()


def test_of_long_texts_the_surroundings_of_changes_are_shown() -> None:
    lines = [f"line {n}" for n in range(2 * SHORT)]
    other = [*lines[:100], "new", *lines[101:]]
    found = changes("\n".join(lines), "\n".join(other))
    assert ("+", "new") in found and ("-", "line 100") in found and len(found) == 2 + 6 + 2
    assert found[0] == ("…", "97 lines")


def test_memory_over_the_program_has_the_peak_of_the_plan(plan: Plan) -> None:
    found = plan._events()
    joint = plan.derivation.joint
    assert abs(max(found.totals) - plan.nbytes) <= 64 * len(joint.arrays)
    assert found.limit == 12 * 2**10 and found.store_all > found.limit
    assert {event.is_backward for event in found.events} == {False, True}
    assert any("u: 800 B" in found.told(n) for n in range(len(found.events)))


def test_of_few_sections_those_that_have_something() -> None:
    small = daad.plan(lambda x: np.sum(x * x), (np.ones(3),))
    assert 'id="check"' not in page(small)


def test_regions_are_told_apart(text: str) -> None:
    reader = Reader()
    reader.feed(text)
    labels = [attributes["aria-label"] for _, attributes in reader.found if attributes.get("role") == "region"]
    assert len(labels) == len(set(labels))


def twice(x, k, steps):
    for _ in range(steps):
        x[1:] = np.sin(x[1:]) * k * x[:-1]
        x[:-1] = np.exp(-x[:-1] * x[1:])
    return np.sum(x * x)


def test_what_holds_values_of_one_variable_is_one_band() -> None:
    bands = daad.plan(twice, (np.linspace(0.1, 0.9, 50), 0.5, 10), wrt="k")._events().bands
    assert [band.name for band in bands].count("kept x") == 1
    assert len({band.name for band in bands}) == len(bands)
