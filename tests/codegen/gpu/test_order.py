"""Where threads wait for each other, and what is launched."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

import pytest

from daad.codegen.gpu import launches, step_sizes
from daad.codegen.gpu.device_names import device_names
from daad.codegen.gpu.launches import HostLoop, Launch, Planner
from daad.codegen.gpu.scaled_products import Scaled
from daad.codegen.gpu.slab import slab
from daad.codegen.gpu.touches import overlapping
from daad.codegen.gpu.waiting import Choice, Item, Order, Repeat, Work
from daad.codegen.schedule.lowering_context import Context
from daad.ir.nodes import Program
from tests.texts import program

ARRAYS = "a: float64[40], b: float64[40], c: float64[40], A: float64[40, 40], at: int64[40], n: int64[]"


def shown(items: Iterable[Item], indent: str = "") -> Iterator[str]:
    """Lines: `-` for what does not wait, `w` for what does."""
    for item in items:
        mark = "w" if item.waits else "-"
        if isinstance(item, Work):
            yield f"{indent}{mark} {item.nest.assigns[0].target.array}"
        elif isinstance(item, Repeat):
            yield f"{indent}{mark} loop{' asks' if item.asks else ''}"
            yield from shown(item.body, indent + "  ")
        elif isinstance(item, Choice):
            yield f"{indent}{mark} if"
            yield from shown((*item.then, *item.orelse), indent + "  ")
        else:
            yield f"{indent}{mark} solo"
            yield from shown(item.body, indent + "  ")


def order(built: Program, is_grid: bool = False) -> str:
    placed = slab(built)
    context = Context(built, device_names(built), placement=placed)
    return "\n".join(shown(Order(overlapping(built, placed), is_grid).body(built.body, context)))


WAITS = {
    "the same thread": ("for i in 0 .. 40:  a[i] = b[i]\nfor i in 0 .. 40:  b[i] = a[i]", "- a\n- b"),
    "a neighbour": ("for i in 0 .. 39:  a[i] = b[i]\nfor i in 0 .. 39:  c[i] = a[i + 1]", "- a\nw c"),
    "a neighbour is read before": ("for i in 0 .. 39:  c[i] = a[i + 1]\nfor i in 0 .. 39:  a[i] = b[i]", "- c\nw a"),
    "another spread": ("for i in 0 .. 40:  a[i] = b[i]\nfor i in 1 .. 40:  c[i] = a[i]", "- a\nw c"),
    "other arrays": ("for i in 0 .. 40:  a[i] = 1\nfor i in 0 .. 39:  b[i] = c[i + 1]", "- a\n- b"),
    "what all read": ("for i in 0 .. 40:  a[i] = 1\nfor i in 0 .. 40:  b[i] = a[0]", "- a\nw b"),
    "numbers": ("a[0] = b[0]\nb[0] = a[0]\nfor i in 0 .. 40:  c[i] = b[0]", "- a\n- b\nw c"),
    "the threads of a warp": (
        "for i in 0 .. 40:  a[i] = 0\nfor i in 0 .. 40, j in 0 .. 40:  a[i] += A[i, j]\nfor i in 0 .. 40:  a[i] += 1",
        "- a\nw a\nw a",
    ),
    "places that data give": ("for i in 0 .. 40:  a[i] = 0\nfor i in 0 .. 40:  b[i] = a[at[i]]", "- a\nw b"),
    "iterations": ("loop t = 0 .. 9:\n  for i in 0 .. 40:  a[i] = 2.0 * a[i]", "- loop\n  - a"),
    "iterations read neighbours": (
        "loop t = 0 .. 9:\n  for i in 0 .. 39:  b[i] = a[i + 1]\n  for i in 0 .. 39:  a[i] = b[i]",
        "- loop\n  w b\n  w a",
    ),
    "rows of iterations": (
        "loop t = 1 .. 9:\n  for i in 0 .. 40:  A[t, i] = 2.0 * A[t - 1, i]",
        "- loop\n  - A",
    ),
    "columns of iterations": (
        "loop t = 1 .. 9:\n  for i in 0 .. 40:  A[i, t] = 2.0 * A[t - 1, i]",
        "- loop\n  w A",
    ),
    "bounds of iterations": (
        "loop t = 1 .. 9:\n  for i in t .. 40:  a[i] = 2.0 * a[i]",
        "- loop\n  w a",
    ),
    "bounds that are read": ("n = 7\nloop t = 0 .. n:\n  a[t] = 1", "- n\nw loop\n  - a"),
    "conditions": (
        "for i in 0 .. 40:  a[i] = 1\nif a[3] > 0:\n  for i in 0 .. 40:  a[i] = 2\nfor i in 0 .. 40:  a[i] += 1",
        "- a\nw if\n  w a\nw a",
    ),
}


@pytest.mark.parametrize(("source", "expected"), WAITS.values(), ids=WAITS)
def test_waits(source: str, expected: str) -> None:
    assert order(program("order", ARRAYS, source)) == expected


def test_who_uses_memory_again_waits() -> None:
    source = """
    for i in 0 .. 40:  u[i] = a[i]
    for i in 0 .. 40:  b[i] = u[i]
    for i in 0 .. 40:  v[i] = c[i]
    for i in 0 .. 40:  c[i] = v[i] + b[i]
    """
    built = program("again", ARRAYS, source, local="u: float64[40], v: float64[40]")
    assert order(built) == "- u\n- b\nw v\n- c"


def test_one_block_does_what_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_sizes, "SMALL", 100)
    source = """
    loop t = 0 .. 9:
      for i in 0 .. 39:  b[i] = a[i + 1]
      for i in 0 .. 39:  a[i] = b[i]
      for i in 0 .. 40, j in 0 .. 40:  A[i, j] += b[j]
    """
    expected = """
    - loop
      w solo
        - b
        w a
      w A
    """
    assert order(program("solo", ARRAYS, source), is_grid=True) == textwrap.dedent(expected).strip()


def launched(found: Iterable[Launch]) -> str:
    return " ".join(f"loop({launched(x.body)})" if isinstance(x, HostLoop) else x.form.name for x in found)


LAUNCHES = {
    "small": ("for i in 0 .. 40:  a[i] = 1\nloop t = 0 .. 9:\n  for i in 0 .. 40:  a[i] += 1", "BLOCK"),
    "a step": ("a[0] = 1\nfor i in 0 .. 40, j in 0 .. 40:  A[i, j] = a[j]\nb[0] = 1", "BLOCK POINTS BLOCK"),
    "a loop": ("loop t = 0 .. 9:\n  for i in 0 .. 40, j in 0 .. 20:  A[i, j] += a[j]", "GRID"),
    "of large steps": ("loop t = 0 .. 9:\n  for i in 0 .. 40, j in 0 .. 40:  A[i, j] += a[j]", "loop(POINTS)"),
    "with bounds by data": ("loop t = 0 .. n:\n  for i in 0 .. 40, j in 0 .. 40:  A[i, j] += a[j]", "GRID"),
    "around loops": (
        "loop t = 0 .. 9:\n  loop s = 0 .. t:\n    for i in 0 .. 40, j in 0 .. 40:  A[i, j] += a[s]",
        "loop(loop(POINTS))",
    ),
    "a branch": ("if a[0] > 0:\n  for i in 0 .. 40, j in 0 .. 40:  A[i, j] += a[j]", "GRID"),
    "nothing": ("for i in 3 .. 3:  a[i] = 1", ""),
}


@pytest.mark.parametrize(("source", "expected"), LAUNCHES.values(), ids=LAUNCHES)
def test_launches(source: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_sizes, "SMALL", 100)
    monkeypatch.setattr(step_sizes, "LARGE", 1000)
    built = program("launches", ARRAYS, source)
    placed = slab(built)
    context = Context(built, device_names(built), placement=placed)
    assert launched(Planner(overlapping(built, placed), Scaled(built, {})).body(built.body, context)) == expected


def test_long_runs_are_several_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launches, "MOST", 3)
    built = program("long", ARRAYS, "\n".join(f"a[{k}] = {k}" for k in range(7)))
    planner = Planner(overlapping(built, slab(built)), Scaled(built, {}))
    assert launched(planner.body(built.body, Context(built, device_names(built)))) == "BLOCK BLOCK BLOCK"
