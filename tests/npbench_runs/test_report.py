"""The report of a run: golden texts, and the numbers of the summary by hand.

`pytest --update-golden` writes the texts into tests/npbench_runs/golden; the difference is read in review.
"""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from npbench_runs.report import NoPlace, insert_markdown, main, markdown, print_report, summarise
from npbench_runs.results import Results, Status, save
from npbench_runs.summary import Mean
from npbench_runs.tables import number
from tests.npbench_runs.results import ALL_STATUSES, EMPTY, JAX_MISSING, NAMED, ONE_KERNEL, WITHOUT_JAX

GOLDEN = Path(__file__).parent / "golden"
PAGE = "# Title\n\n<!-- results S -->\nold\n<!-- end of results S -->\n\nThe end.\n"


def console_text(results: Results, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    print_report(results, console)
    return "".join(f"{line.rstrip()}\n" for line in console.file.getvalue().splitlines())


FORMS = {
    "narrow.txt": lambda results: console_text(results, 80),
    "wide.txt": lambda results: console_text(results, 140),
    "md": markdown,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMED)
def test_report_says(name: str, form: str, request: pytest.FixtureRequest) -> None:
    path, text = GOLDEN / f"{name}.{form}", FORMS[form](NAMED[name])
    if request.config.getoption("--update-golden"):
        path.write_text(text)
    assert text == path.read_text(), f"run 'pytest --update-golden {__file__}'"


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_no_line_is_wider_than_the_console(width: int) -> None:
    assert max(map(len, console_text(ALL_STATUSES, width).splitlines())) <= width


# Both right: seidel_2d 8/1 and with loops; gemm 1/2 and atax 27/1 without.
MEANS = [
    (ALL_STATUSES, (8 * 0.5 * 27) ** (1 / 3), (0.5 * 27) ** (1 / 2), 8.0),
    (ONE_KERNEL, 4.5, None, 4.5),
    (WITHOUT_JAX, None, None, None),
    (JAX_MISSING, None, None, None),
    (EMPTY, None, None, None),
]


@pytest.mark.parametrize(("results", "overall", "without", "with_loops"), MEANS)
def test_means_are_geometric(
    results: Results, overall: float | None, without: float | None, with_loops: float | None
) -> None:
    summary = summarise(results)
    found = (summary.overall.value, summary.without_loops.value, summary.with_loops.value)
    assert found == pytest.approx((overall, without, with_loops))


def test_means_count_kernels_on_which_both_are_right() -> None:
    summary = summarise(ALL_STATUSES)
    assert [m.kernels for m in (summary.overall, summary.without_loops, summary.with_loops)] == [3, 2, 1]


def test_gradient_over_primal_is_a_mean_too() -> None:
    assert summarise(ONE_KERNEL).gradient == Mean(value=pytest.approx(2.5), kernels=1)
    assert summarise(WITHOUT_JAX).gradient == Mean(value=None, kernels=0)


def test_faster_and_slower() -> None:
    summary = summarise(ALL_STATUSES)
    assert summary.faster == 2
    assert summary.slower == (("gemm", 0.5),)


def test_counts_by_status() -> None:
    counts = summarise(ALL_STATUSES).counts
    assert counts["daad"] == {Status.RIGHT: 4, Status.WRONG: 1, Status.REFUSED: 2, Status.TIMEOUT: 1}
    assert counts["dace"] == {Status.RIGHT: 1, Status.FAILED: 1, Status.MISSING: 1}
    assert list(counts) == ["daad", "jax", "dace", "numpy"]


def test_mean_of_none() -> None:
    assert Mean.of(()) == Mean(value=None, kernels=0)


NUMBERS = [(0.0, "0"), (0.00012, "0.00012"), (0.00912, "0.00912"), (0.5, "0.500"), (9.999, "10.0")]
NUMBERS += [(12.34, "12.3"), (99.96, "100"), (1234.6, "1235"), (None, "–")]


@pytest.mark.parametrize(("value", "text"), NUMBERS)
def test_numbers_have_three_digits(value: float | None, text: str) -> None:
    assert number(value) == text


def test_command_replaces_what_stands_between_the_markers(tmp_path: Path) -> None:
    page, file = tmp_path / "page.md", tmp_path / "results.json"
    page.write_text(PAGE)
    save(ONE_KERNEL, file)
    for _ in range(2):
        assert main([str(file), "--into", str(page)]) == 0
        assert page.read_text() == PAGE.replace("old", f"\n{markdown(ONE_KERNEL)}")


def test_command_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(ONE_KERNEL, tmp_path / "results.json")
    assert main([str(tmp_path / "results.json")]) == 0
    assert capsys.readouterr().out == markdown(ONE_KERNEL)


def test_command_says_what_is_wrong_with_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "nothing.json")]) == 2
    assert "cannot be read as results" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "<!-- results S -->", "<!-- results M -->\n<!-- end of results M -->"])
def test_page_without_the_markers_is_left_alone(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(NoPlace, match="has no lines '<!-- results S -->' and '<!-- end of results S -->'"):
        insert_markdown(page, "new", "S")
    assert page.read_text() == text
