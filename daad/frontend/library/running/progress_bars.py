"""Bars that show how far a loop is: its items, and nothing shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Bar:
    """Items as they are; what is told to a bar is left out, but for how far it is."""

    def __init__(self, items: Any, total: Any, n: Any) -> None:
        self.iterable, self.total, self.n = items, total, n
        self.disable, self.desc, self.postfix = False, "", ""

    def __iter__(self) -> Any:
        return iter(self.iterable)

    def __len__(self) -> int:
        return len(self.iterable) if self.total is None else self.total

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def update(self, n: Any = 1) -> None:
        self.n = self.n + n

    def reset(self, total: Any = None) -> None:
        self.n, self.total = 0, self.total if total is None else total

    def _left_out(self, *_: Any, **__: Any) -> None:
        return None

    set_description = set_description_str = set_postfix = set_postfix_str = _left_out
    refresh = clear = close = display = unpause = moveto = write = _left_out


def bar(*args: Any, **keywords: Any) -> Bar:
    iterable = args[0] if args else keywords.get("iterable")
    total = args[2] if len(args) > 2 else keywords.get("total")
    return Bar(iterable, total, keywords.get("initial", 0))


def numbers(*args: int, **_: Any) -> Bar:
    return Bar(range(*args), None, 0)


def track(sequence: Any, *_: Any, **__: Any) -> Bar:
    return Bar(sequence, None, 0)


TQDM = {"tqdm": bar, "trange": numbers}
RICH = {"track": track}
MADE: Mapping[Any, type] = dict.fromkeys((bar, numbers, track), Bar)
