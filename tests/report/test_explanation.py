"""What is told of a program line by line: roles, adjoints, where values come from, the user's names."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

import daad
from daad.messages.sizes import readable
from daad.report.adjoint_lines import Origin
from daad.report.explanation import Account
from daad.report.explanation_text import FEW, MANY, plain, told
from daad.report.line_roles import Role
from daad.report.line_rows import Line


def flux(u, k):
    return k * np.tanh(u)


def heat(u, k, steps, scale):
    h = u[1:] - u[:-1]
    mid = np.mean(h)
    for t in range(steps):
        v = flux(u, k)
        u = u.copy()
        u[1:-1] = u[1:-1] + v[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        if t % 2 == 0:
            u[0] = u[1] * scale
    n = np.floor(mid)
    w = np.exp(u) * scale
    return np.sum(w * h[0] * w) + n


POINT = np.linspace(0.1, 0.9, 200), np.full(200, 0.1), 30, 0.5


def account(function: Any, arguments: tuple[Any, ...], **asked: Any) -> Account:
    return daad.plan(function, arguments, **asked).explain().account


@pytest.fixture(scope="module")
def of_heat() -> Account:
    return account(heat, POINT, wrt=("k", "scale"))


def line_with(found: Account, text: str) -> Line:
    (line,) = (line for listing in found.listings for line in listing.lines if text in line.text)
    return line


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("h = u[1:]", Role.USED),
        ("mid = ", Role.DEAD),
        ("v = flux", Role.CCS),
        ("n = np.floor", Role.DEAD),
        ("w = np.exp", Role.CCS),
        ("return np.sum", Role.CCS),
        ("def heat", Role.NONE),
    ],
)
def test_each_line_is_in_the_ccs_used_or_dead(text: str, role: Role, of_heat: Account) -> None:
    assert line_with(of_heat, text).role is role


def test_of_value_and_gradient_the_value_is_used() -> None:
    gradient = daad.value_and_grad(heat, wrt="k")._planned(*POINT).explain().account
    assert line_with(gradient, "mid = ").role is Role.USED


def test_reads_say_where_values_come_from(of_heat: Account) -> None:
    assert line_with(of_heat, "u[1:-1] = ").reads == {Origin.STORED: ("v", "u")}
    assert line_with(of_heat, "u[0] = ").reads[Origin.IN_PLACE] == ("scale",)
    assert "w" in line_with(of_heat, "return np.sum").reads[Origin.RECOMPUTED]


def test_adjoints_stand_at_the_lines_that_they_are_of(of_heat: Account) -> None:
    (first, *_, last) = line_with(of_heat, "u[0] = ").adjoint
    assert (first, last) == ("scale_bar += u_bar[0] * u_new[0]", "u_bar[0] = 0")
    assert line_with(of_heat, "for t in").adjoint[0] == "loop t = 29 .. -1 down:"
    assert not line_with(of_heat, "n = np.floor").adjoint


def test_operations_are_those_of_all_iterations(of_heat: Account) -> None:
    assert line_with(of_heat, "h = u[1:]").operations == 199
    assert line_with(of_heat, "u[0] = ").operations == 30


def test_bytes_are_those_of_the_program_that_is_compiled(of_heat: Account) -> None:
    plan = daad.plan(heat, POINT, wrt=("k", "scale"))
    lines = [line for listing in of_heat.listings for line in listing.lines]
    arrays, outer = plan.derivation.joint.arrays, {*plan.derivation.joint.parameters, *plan.derivation.joint.results}
    local = {name for name in arrays if arrays[name].shape and name not in outer}
    for held in ([h for line in lines for h in line.allocated], [h for line in lines for h in line.freed]):
        assert {h.array for h in held} == local and len(held) == len(local)
        assert sum(h.nbytes for h in held) == sum(arrays[name].nbytes for name in local)
    assert of_heat.tape == sum(row.nbytes for row in of_heat.arrays)


def test_a_limit_saves_what_is_said(of_heat: Account) -> None:
    text = daad.plan(heat, POINT, wrt=("k", "scale"), memory_limit="40KiB").explain()
    found = text.account
    assert found.store_all == of_heat.total > 40 * 2**10 >= found.total
    assert f"saved: {readable(found.store_all - found.total)} (" in text
    assert any(Origin.CHECKPOINT in line.reads for listing in found.listings for line in listing.lines)
    assert not re.search(r"\bt_(step|block)", str(found.arrays))


class Model:
    def __init__(self) -> None:
        self.w = np.ones(5)

    def loss(self, x, p, n):
        a, b = p["a"], p["b"][0]
        z = x * self.w + np.array([1.0, 2.0, 3.0, 4.0, 5.0])
        for _ in range(n):
            s = 0.0
            for i in range(5):
                s += z[i] * z[i]
            z = z / np.sqrt(s)
            c = np.roll(z, 1) * np.roll(z, -1)
            z = z + c if s > 1.0 else z - a * b
        t = [z * 2, z * 3]
        y = [v * v for v in t]
        return np.sum(y[0]) + y[1].mean() + np.linalg.norm(z) + np.sum((z[:, None] @ z[None, :]) ** 2)


def test_names_are_the_users() -> None:
    text = daad.plan(Model().loss, (np.ones(5), {"a": 2.0, "b": [np.ones(5)]}, 3), wrt=("x", "p")).explain()
    assert not re.search(r"\b(?![ijkl]_\d\b)\w*(_\d+|halo|tmp|constant\b|item|_tape|@)\w*", text), text
    assert {"p['a']", "p['b'][0]", "np.linalg.norm(z)"} <= set(text.account.in_place)
    assert {row.name for row in text.account.arrays} == {"z", "s"}
    assert len({*(row.name for row in text.account.arrays), *text.account.in_place}) == len(
        [*text.account.arrays, *text.account.in_place]
    )


def test_machines_get_the_same(of_heat: Account) -> None:
    document = json.loads(json.dumps(of_heat.as_json()))
    assert document["store_all"] == of_heat.store_all
    lines = document["listings"][0]["lines"]
    assert [line["number"] for line in lines] == [line.number for line in of_heat.listings[0].lines]
    assert {"stored": ["v", "u"]} in [line["reads"] for line in lines]


LONG = "import numpy as np\n\n\ndef long(x, k):\n" + "".join(f"    x{n + 1} = x{n} * k + x0\n" for n in range(MANY + 1))


@pytest.mark.parametrize("width", [80, 160])
def test_long_programs_take_few_rows_a_line(width: int, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "straight.py").write_text(LONG.replace("(x, k):", "(x0, k):") + f"    return np.sum(x{MANY + 1})\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("straight")
    found = account(module.long, (np.ones(3), 0.5), wrt="k")
    rows = plain(told(found, width)).splitlines()
    for line in found.listings[0].lines:
        (start,) = (n for n, row in enumerate(rows) if row.strip().startswith(f"{line.number} ") and line.text in row)
        following = next(n for n in range(start + 1, len(rows)) if re.match(r" *(\d+ |$)", rows[n]))
        assert following - start <= FEW + 4
    assert max(map(len, rows)) <= width + 80  # names in the legend are whole sentences


def rebound(u, k):
    v = u
    for _ in range(3):
        u = u * np.exp(-u * k)
    return np.sum(u * v)


def test_two_values_of_one_variable_in_one_statement_are_told_apart() -> None:
    text = str(daad.plan(rebound, (np.linspace(0.1, 0.9, 50), 0.5)).explain())
    assert "u_bar[i] += result_bar * u'[i]\n" in text
    assert "u'_bar[i] += result_bar * u[i]\n" in text
    assert "another value of the variable" in text
