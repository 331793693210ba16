"""The names that DaCe's Python frontend makes: `__return` or `__return_0`, … for results, `__g_x` for a global."""

from __future__ import annotations

import re
from collections.abc import Iterable

RETURNED = re.compile(r"__return(?:_(\d+))?")


def is_returned(name: str) -> bool:
    """Whether it is what DaCe calls something that a program returns."""
    return RETURNED.fullmatch(name) is not None


def returned(names: Iterable[str]) -> list[str]:
    """Those of the returned arrays, in their order."""
    found = {name: int(match[1] or 0) for name in names if (match := RETURNED.fullmatch(name))}
    return sorted(found, key=found.__getitem__)


def readable_name(name: str) -> str:
    """DaCe's `__return_0` as `result_0` and its `__g_TABLE` as `TABLE`; others lose their leading underscores."""
    if is_returned(name):
        return "result" + name.removeprefix("__return")
    return name.replace("__g_", "").strip("_") or "t"


def daces_name(name: str) -> str:
    """The other way round, for results."""
    return f"__return{name.removeprefix('result')}" if name.startswith("result") else name
