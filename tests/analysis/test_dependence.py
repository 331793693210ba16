"""Writes that cannot come in between are left out: the answer is that of all writes, one by one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import daad
from daad.analysis.dependence import (
    Need,
    may_meet,
    overwritten_later,
    overwritten_since,
    overwritten_until,
    touched_last,
    touches_at_once,
)
from daad.analysis.sites import Point, Write, containers, sites, writes_by_array
from daad.ir.walk import node_loads

PROGRAM = """
program f(x: float64[9], y: float64[9, 9])
  for i in 0 .. 9:  x[i] = sin(x[i])
  loop t = 0 .. 9:
    for i in 1 .. 9:  y[t, i] = x[i] * y[t, i - 1]
    if x[0] > 0.0:
      for i in 0 .. 4:  x[i] = y[t, i]
    else:
      loop k = 0 .. t:
        y[t, k] = x[k] * y[k, k]
        x[k] += y[k, t]
    x[8] = x[t] * y[t, 8]
  for i in 0 .. 8:  y[0, i] = x[i + 1]
  x[0] = y[0, 8] * x[1]
  x[1] = x[0] + x[1]
"""


def _needs() -> Iterator[tuple[Need, tuple[Write, ...]]]:
    body = daad.parse(PROGRAM).body
    writes = writes_by_array(body)
    for site in sites(body):
        for load in node_loads(site.node):
            yield from ((Need(site, load, after), writes[load.array]) for after in (False, True))


def _lies(write: Write, point: Point, is_behind: bool) -> bool:
    path, depth = write.site.path, len(point.container)
    return path[:depth] == point.container and (path[depth] >= point.child) == is_behind


NEEDS = list(_needs())


@pytest.mark.parametrize(("need", "writes"), NEEDS, ids=[f"{n.site.path}-{n.load.array}-{n.after}" for n, _ in NEEDS])
def test_what_is_overwritten_is_told_as_by_all_writes(need: Need, writes: tuple[Write, ...]) -> None:
    for around in range(len(need.site.loops) + 1):
        assert overwritten_later(need, writes, around) == any(may_meet(need, w, around, True) for w in writes)
    for point in containers(need.site.path):
        depth = len(need.site.loops_around(point.container))
        after = Point(point.container, point.child + 1)
        since = [may_meet(need, w, depth, False) for w in writes if _lies(w, point, True)]
        until = [may_meet(need, w, depth, True) for w in writes if _lies(w, after, False)]
        touched = [w for w in writes if _lies(w, point, False) and touches_at_once(need, w, point.container)]
        last = touched[-1].site.path[len(point.container)] if touched else None
        assert overwritten_since(need, point, writes) == any(since)
        assert overwritten_until(need, after, writes) == any(until)
        assert touched_last(need, point, writes) == last
