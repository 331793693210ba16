"""The figures: which files they write, what stands in them, what they refuse; `-m slow` measures small ones."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from npbench_runs import three_arrays
from npbench_runs.figures import FIGURES, FigureRequest, NoFigure, memory, plot_report, sizes
from npbench_runs.figures.request import Growth
from npbench_runs.figures.speedup import speedups
from npbench_runs.figures.worker import configurations, derivative
from npbench_runs.results import KernelFacts, Results
from tests.npbench_runs.results import ALL_STATUSES, EMPTY, NAMED, ONE_KERNEL, SETTING, WITHOUT_JAX, right, times

WITHOUT_LOOPS, WITH_LOOPS = ("atax", "gemm", "lenet", "mlp"), ("adi", "lu", "seidel_2d", "vadv")
SIGNATURES = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}


def drawn(name: str, results: Results, out: Path) -> Path:
    return FIGURES[name](FigureRequest(out=out, results=results))


SHOWN = [
    (lambda out: drawn("vectorized", ALL_STATUSES, out), WITHOUT_LOOPS, WITH_LOOPS),
    (lambda out: drawn("loops", ALL_STATUSES, out), WITH_LOOPS, WITHOUT_LOOPS),
    (lambda out: plot_report(ALL_STATUSES, out), (*WITHOUT_LOOPS, *WITH_LOOPS), ()),
    (lambda out: plot_report(WITHOUT_JAX, out), ("gemm", "JAX not run"), ("lu",)),
    (lambda out: plot_report(ONE_KERNEL, out), ("lu", "4.5", "daad 0.1.0", "2 threads"), ("gemm",)),
]


@pytest.mark.parametrize(("draw", "there", "absent"), SHOWN)
def test_figure_names_its_kernels(draw: Callable[[Path], Path], there: tuple, absent: tuple, tmp_path: Path) -> None:
    text = draw(tmp_path / "figure.svg").read_text()
    assert [name for name in there if name not in text] == []
    assert [name for name in absent if f">{name}<" in text] == []


@pytest.mark.parametrize("ending", SIGNATURES)
def test_formats(ending: str, tmp_path: Path) -> None:
    out = plot_report(ALL_STATUSES, tmp_path / f"report.{ending}")
    assert out.read_bytes().startswith(SIGNATURES[ending])


def test_same_results_same_file(tmp_path: Path) -> None:
    one, other = (plot_report(ALL_STATUSES, tmp_path / name).read_bytes() for name in ("one.svg", "other.svg"))
    assert one == other


@pytest.mark.parametrize("name", [name for name in NAMED if name != "empty"])
def test_every_report_has_a_plot(name: str, tmp_path: Path) -> None:
    assert plot_report(NAMED[name], tmp_path / "report.svg").is_file()


def test_bars_fall_and_kernels_without_a_number_come_last() -> None:
    bars = [(bar.facts.kernel, bar.ratio, bar.note) for bar in speedups(ALL_STATUSES, loops=False)]
    assert bars == [
        ("atax", pytest.approx(27.0), ""),
        ("gemm", 0.5, ""),
        ("lenet", None, "daad refused, JAX not run"),
        ("mlp", None, "JAX timeout"),
    ]


def test_whiskers_hold_all_ratios_of_the_two_intervals() -> None:
    (bar,) = speedups(ONE_KERNEL, loops=True)
    assert (bar.low, bar.high) == pytest.approx((4.5 * 0.99 / 1.02, 4.5 * 1.02 / 0.99))


def test_forty_kernels_are_all_named(tmp_path: Path) -> None:
    kernels = [f"a_long_name_{k}" for k in range(40)]
    facts = [KernelFacts(kernel=k, sizes={}, loops=True, numpy_lines=3, jax_lines=None) for k in kernels]
    rows = [right(k, engine, 1.0) for k in kernels for engine in ("daad", "jax")]
    results = Results(setting=SETTING, kernels=tuple(facts), rows=tuple(rows))
    text = drawn("loops", results, tmp_path / "loops.svg").read_text()
    assert all(f">{k}<" in text for k in kernels)


REFUSALS = [
    (lambda out: FIGURES["loops"](FigureRequest(out=out / "a.svg")), "shows results: run the benchmark first"),
    (lambda out: drawn("loops", EMPTY, out / "a.svg"), "no program with loops to show"),
    (lambda out: drawn("loops", WITHOUT_JAX, out / "a.svg"), "no program with loops to show"),
    (lambda out: drawn("vectorized", EMPTY, out / "a.svg"), "no program without loops to show"),
    (lambda out: plot_report(EMPTY, out / "a.svg"), "no program in the results to show"),
    (lambda out: plot_report(ALL_STATUSES, out / "a.txt"), "name should end in .svg, .png, .pdf"),
    (lambda out: plot_report(ALL_STATUSES, out / "none" / "a.svg"), "There is no folder"),
    (lambda out: FIGURES["sizes"](FigureRequest(out=out / "a.txt")), "name should end in .svg, .png, .pdf"),
    (lambda out: FIGURES["memory"](FigureRequest(out=out / "none" / "a.svg")), "There is no folder"),
    (
        lambda out: sizes.draw_points([sizes.Point(engine="jax", size=5, reason="no")], out / "a.svg", (), Growth()),
        "Nothing",
    ),
]


@pytest.mark.parametrize(("draw", "message"), REFUSALS)
def test_refusals(draw: Callable[[Path], Path], message: str, tmp_path: Path) -> None:
    with pytest.raises(NoFigure, match=message):
        draw(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_sizes_shows_ratios_and_what_was_stopped(tmp_path: Path) -> None:
    points = [sizes.Point(engine="daad", size=n, times=times(n / 50)) for n in (50, 100)]
    points += [sizes.Point(engine="jax", size=50, times=times(8.0))]
    points += [sizes.Point(engine="jax", size=100, reason="timeout: took more than 150 seconds")]
    sizes.draw_points(points, tmp_path / "sizes.svg", ("2 threads",), Growth())
    text = (tmp_path / "sizes.svg").read_text()
    assert [
        part for part in ("8.00×", "100: timeout", "2 threads", ">JAX<", "TSTEPS * N * N") if part not in text
    ] == []


def test_sizes_without_jax(tmp_path: Path) -> None:
    points = [sizes.Point(engine="jax", size=50, reason="missing: The package 'jax' is not installed.")]
    points += [sizes.Point(engine="daad", size=50, times=times(1.0))]
    sizes.draw_points(points, tmp_path / "sizes.svg", (), Growth())
    assert ">JAX missing<" in (tmp_path / "sizes.svg").read_text()


def test_configurations_are_all_different() -> None:
    found = {tuple(sorted(plan.items())) for plan in memory.configurations()}
    assert len(found) == 2 ** len(three_arrays.INTERMEDIATES)


def test_memory_marks_the_choice(tmp_path: Path) -> None:
    stored = [tuple(k for k, d in plan.items() if d == "store") for plan in memory.configurations()]
    points = [memory.Measured(stored=s, times=times(3.0 - len(s) / 2), peak_mib=10.0 * len(s)) for s in stored]
    points += [memory.Measured(stored=(), times=times(3.0), peak_mib=0.0, chosen=True)]
    memory.draw_measured(points, tmp_path / "memory.svg", ())
    text = (tmp_path / "memory.svg").read_text()
    labels = ("nothing", "B", "B, C", "B, C, D", "chosen by daad")
    assert [label for label in labels if f">{label}<" not in text] == []


SPREADS = [([], []), ([1.0], [1.0]), ([1.0, 5.0], [1.0, 5.0]), ([1.0, 1.0], [0.5, 1.5]), ([0.0, 0.0, 3.0], [-1 / 3])]


@pytest.mark.parametrize(("values", "expected"), SPREADS)
def test_labels_are_spread(values: list[float], expected: list[float]) -> None:
    found = memory.spread(values, 1.0)
    assert found[: len(expected)] == pytest.approx([*expected])
    assert all(b - a >= 1.0 - 1e-12 for a, b in itertools.pairwise(found))


def test_derivative_of_the_three_arrays_by_hand() -> None:
    X, Y = three_arrays.initialise(3)
    for k, bar in enumerate(derivative(X, Y)):
        moved = [[a + (k == j) * step * np.eye(3) for j, a in enumerate((X, Y))] for step in (1e-6, -1e-6)]
        along = (three_arrays.kernel(*moved[0]) - three_arrays.kernel(*moved[1])) / 2e-6
        assert np.trace(bar) == pytest.approx(along, rel=1e-8)


def test_gradient_of_the_three_arrays_is_checked_before_it_is_timed() -> None:
    answer = configurations(["auto"], 4, 2)
    assert len(answer["seconds"][0]) == 2
    assert answer["bytes"][0] >= 4 * 4 * 4 * 8


@pytest.mark.slow
def test_sizes_are_measured(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    said: list[str] = []
    out = FIGURES["sizes"](FigureRequest(out=tmp_path / "sizes.svg", say=said.append, growth=Growth(sizes=(6, 8))))
    points = json.loads(out.with_suffix(".json").read_text())["points"]
    assert [(p["engine"], p["size"]) for p in points] == [("daad", 6), ("jax", 6), ("daad", 8), ("jax", 8)]
    assert all(p["times"]["median"] > 0 for p in points)
    assert [p["points"] for p in points] == [8 * 36, 8 * 36, 8 * 64, 8 * 64]
    assert said == ["seidel_2d, N = 6: daad, JAX", "seidel_2d, N = 8: daad, JAX"]


@pytest.mark.slow
def test_memory_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "SIZE", 500)
    out = FIGURES["memory"](FigureRequest(out=tmp_path / "memory.svg"))
    points = json.loads(out.with_suffix(".json").read_text())["points"]
    peaks = {tuple(p["stored"]): p["peak_mib"] for p in points}
    assert len(peaks) == 8
    assert peaks["B", "C", "D"] > peaks["B", "C"] > peaks[("B",)] > peaks[()]
    assert sum(p["chosen"] for p in points) == 1
