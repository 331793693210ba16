"""Sizes in bytes as people write them."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

import daad
from daad import Bytes
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.messages.sizes import read_size, readable

SIZES = {
    "64MiB": 2**26,
    "1.5GiB": 3 * 2**29,
    "512 KiB": 2**19,
    "100B": 100,
    64: 2**26,
    0.5: 2**19,
    "64": 2**26,
    "1e-3GiB": 1073741,
    Bytes(12345): 12345,
}

USE = "Write it as '64MiB' or '1.5GiB'; a bare number counts MiB."
HALVES = f"Use '//' for bytes. {USE}"
REFUSALS: list[tuple[Any, str, str]] = [
    ("64Mb", "The option 'memory_limit' is '64Mb', and 'Mb' is no unit.", f"Did you mean '64MiB'? {USE}"),
    ("64 mib", "The option 'memory_limit' is '64 mib', and 'mib' is no unit.", f"Did you mean '64MiB'? {USE}"),
    ("64 parsecs", "The option 'memory_limit' is '64 parsecs', and 'parsecs' is no unit.", USE),
    ("much", "The option 'memory_limit' is 'much', which is no size.", USE),
    ("", "The option 'memory_limit' is '', which is no size.", USE),
    ("1.2.3MiB", "The option 'memory_limit' is '1.2.3MiB', which is no size.", USE),
    (0, "The option 'memory_limit' is 0: a limit is positive and finite.", USE),
    (-5, "The option 'memory_limit' is -5: a limit is positive and finite.", USE),
    ("-5MiB", "The option 'memory_limit' is '-5MiB': a limit is positive and finite.", USE),
    (float("nan"), "The option 'memory_limit' is nan: a limit is positive and finite.", USE),
    ("nan", "The option 'memory_limit' is 'nan': a limit is positive and finite.", USE),
    (float("inf"), "The option 'memory_limit' is inf: a limit is positive and finite.", USE),
    (True, "The option 'memory_limit' is True.", USE),
    (Bytes(0), "The option 'memory_limit' is 0 bytes: a limit is positive and finite.", USE),
    (Bytes(3) / 2, "The option 'memory_limit' is what '/' makes of bytes, 1.5: of bytes, or of MiB?", HALVES),
    (2 * (Bytes(3) / 2) / 3, "The option 'memory_limit' is what '/' makes of bytes, 1.0: of bytes, or of MiB?", HALVES),
    ([64], "The option 'memory_limit' is [64].", USE),
]


@pytest.mark.parametrize(("given", "nbytes"), SIZES.items())
def test_size(given: Any, nbytes: int) -> None:
    assert read_size(given) == nbytes


B = Bytes(5000)
ARITHMETIC: list[tuple[Any, type, float]] = [
    (B + 1, Bytes, 5001),
    (1 + B, Bytes, 5001),
    (B - 1.5, Bytes, 4998),
    (9000 - B, Bytes, 4000),
    (B * 0.25, Bytes, 1250),
    (3 * B, Bytes, 15000),
    (B // 3, Bytes, 1666),
    (B * np.float64(0.5), Bytes, 2500),
    (sum([B, B]), Bytes, 10000),
    (B // B, int, 1),
    (B / Bytes(2000), float, 2.5),
]


@pytest.mark.parametrize(("found", "kind", "number"), ARITHMETIC)
def test_bytes_stay_bytes(found: Any, kind: type, number: float) -> None:
    assert (type(found), found) == (kind, number)


def test_bytes_print_as_a_number_and_show_their_size() -> None:
    assert (repr(B), str(B), f"{B:,}", repr(Bytes(5))) == ("4.88 KiB (5000 bytes)", "5000", "5,000", "5 bytes")
    assert (json.dumps({"bytes": B}), pickle.loads(pickle.dumps(B))) == ('{"bytes": 5000}', B)
    assert f"{Bytes(3 * 2**19) / 2**20:.2f} MiB" == "1.50 MiB"


def doubled(x: Any) -> Any:
    for _ in range(20):
        x = x * x
    return np.sum(x)


def test_sizes_of_a_plan_are_limits() -> None:
    x = np.linspace(0.0, 1.0, 50)
    plan = daad.plan(doubled, (x,))
    limited = daad.plan(doubled, (x,), memory_limit=plan.nbytes // 2)
    with pytest.raises(daad.MemoryLimitTooSmall) as refusal:
        daad.plan(doubled, (x,), memory_limit="1B")
    least = daad.plan(doubled, (x,), memory_limit=refusal.value.minimum)
    assert least.nbytes == refusal.value.minimum <= limited.nbytes <= plan.nbytes // 2 == limited.limit
    sizes = [plan.nbytes, limited.limit, refusal.value.minimum, *plan.parts.values(), plan.pareto(2)[-1].nbytes]
    gradient = Gradient(doubled, Request(), compiler=Interpreted)  # type: ignore[arg-type]
    gradient(x)
    sizes += [gradient.memory.modelled, gradient.memory.measured]
    assert {type(size) for size in sizes} == {Bytes}


def test_a_limit_above_the_machines_memory_warns() -> None:
    with pytest.warns(UserWarning, match="The memory limit is 10240 TiB, and this machine has ") as caught:
        daad.grad(doubled, memory_limit=10 * 2**30)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(("given", "message", "hint"), REFUSALS, ids=lambda v: repr(v)[:20])
def test_what_is_no_size_is_refused(given: Any, message: str, hint: str) -> None:
    with pytest.raises(daad.BadArgument) as refusal:
        daad.grad(len, memory_limit=given)
    assert (refusal.value.message, refusal.value.hint) == (message, hint)


def test_sizes_are_printed_with_three_digits() -> None:
    assert [readable(n) for n in (0, 1000, 1024, 1536, 2**20 * 999, 2**20 * 1000, 2**41)] == [
        "0 B", "1000 B", "1 KiB", "1.5 KiB", "999 MiB", "1000 MiB", "2 TiB",
    ]  # fmt: skip
