"""What daad itself is: its modules on disk, and what they hold in memory, where tests and users may have changed it."""

from __future__ import annotations

import hashlib
import os
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import FunctionType, NoneType
from typing import Any

import daad
from daad.runtime.packages import Role, having, modules

PLAIN = frozenset((int, float, str, bytes, bool, NoneType))


def digest(*roles: Role) -> str:
    """Of all modules that have one of these roles."""
    found = hashlib.sha256()
    for path in modules(*roles):
        with open(path, "rb") as file:
            found.update(file.read())
    return found.hexdigest()


@lru_cache(maxsize=1)
def on_disk() -> str:
    """The modules that derive; where one is newer than what was loaded, or gone, something that nobody finds again."""
    unknown = uuid.uuid4().hex
    try:
        is_newer = any(os.stat(path).st_mtime > daad._BEGUN for path in modules("derives", "keeps", "runs"))
        return unknown if is_newer else digest("derives", "keeps")
    except OSError:
        return unknown


_PACKAGES = tuple(f"daad.{package.name}".replace("/", ".") for package in having("derives"))
_same: dict[str, str] = {}
"""States of the modules that derive, by those that they were before more of these were imported."""


def in_memory() -> str:
    """The state of the modules that derive: what is on disk but for what somebody has changed.

    A module that daad imports is what is on disk: the state afterwards counts as the one before.
    """
    state = _state()
    return _same.get(state, state)


@contextmanager
def unchanged_by() -> Iterator[None]:
    """Around an import by daad itself, of modules that nobody can have changed yet."""
    before = in_memory()
    yield
    _same[_state()] = before
    on_disk.cache_clear()  # which may have changed since it was read


def _state() -> str:
    return hashlib.sha256("\n".join(_contents()).encode()).hexdigest()


def _contents() -> Iterator[str]:
    """The functions, classes, numbers and tables of these modules, each by its content or by where it comes from."""
    for name in sorted(name for name in [*sys.modules] if name.startswith(_PACKAGES)):
        yield name
        for own, value in [*vars(sys.modules[name]).items()]:
            if own[:2] == "__":
                continue
            yield f"{own} {_described(value)}"
            if isinstance(value, type) and value.__module__ == name:
                yield str([_described(part) for its, part in vars(value).items() if its[:2] != "__"])


def _described(value: Any) -> str:
    kind = type(value)
    if kind is FunctionType or kind is type:
        named = f"{value.__module__}.{value.__qualname__}"
        is_told = "<" not in named or named.startswith("daad.")
        return named if is_told else uuid.uuid4().hex  # somebody's function in the place of ours: no name tells it
    if kind in PLAIN:
        return repr(value)
    if kind is frozenset or kind is set:
        return str(sorted(map(_described, value)))
    if kind is dict:
        return str([(_described(key), _described(part)) for key, part in value.items()])
    if kind is tuple or kind is list:
        return str([_described(part) for part in value])
    return kind.__name__ if kind.__module__ != "unittest.mock" else uuid.uuid4().hex
