"""Sizes in bytes as people write them."""

from __future__ import annotations

from typing import Any

import pytest

import daad
from daad.sizes import read_size, readable

SIZES = {
    "64MiB": 2**26,
    "1.5GiB": 3 * 2**29,
    "512 KiB": 2**19,
    "100B": 100,
    64: 2**26,
    0.5: 2**19,
    "64": 2**26,
    "1e-3GiB": 1073741,
}

USE = "Write it as '64MiB' or '1.5GiB'; a bare number counts MiB."
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
    ([64], "The option 'memory_limit' is [64].", USE),
]


@pytest.mark.parametrize(("given", "nbytes"), SIZES.items())
def test_size(given: Any, nbytes: int) -> None:
    assert read_size(given) == nbytes


@pytest.mark.parametrize(("given", "message", "hint"), REFUSALS, ids=lambda v: repr(v)[:20])
def test_what_is_no_size_is_refused(given: Any, message: str, hint: str) -> None:
    with pytest.raises(daad.BadArgument) as refusal:
        daad.grad(len, memory_limit=given)
    assert (refusal.value.message, refusal.value.hint) == (message, hint)


def test_sizes_are_printed_with_three_digits() -> None:
    assert [readable(n) for n in (0, 1000, 1024, 1536, 2**20 * 999, 2**20 * 1000, 2**41)] == [
        "0 B", "1000 B", "1 KiB", "1.5 KiB", "999 MiB", "1000 MiB", "2 TiB",
    ]  # fmt: skip
