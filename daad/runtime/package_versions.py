"""Versions of installed packages, by the names of the folders that pip leaves.

`importlib.metadata` knows more places, and takes as long to import as a program from the cache takes to run.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from daad.runtime.lazy_import import later

if TYPE_CHECKING:
    from importlib import metadata
else:
    metadata = later("importlib.metadata")

ENDING = ".dist-info"


def version(name: str) -> str:
    """As `metadata.version`."""
    return _installed(tuple(sys.path)).get(_normal(name)) or metadata.version(name)


def is_at_least(name: str, *wanted: int) -> bool:
    """Whether a package is there in this version or a newer one: `is_at_least("scipy", 1, 18)`."""
    try:
        numbers = re.findall(r"\d+", version(name))
    except ModuleNotFoundError:
        return False
    return tuple(map(int, numbers[: len(wanted)])) >= wanted


def own_version() -> str:
    """daad's, which its tag gave it when it was installed; modules that were never installed have none."""
    try:
        return version("daad")
    except ModuleNotFoundError:
        return "0+unknown"


@lru_cache(maxsize=1)
def _installed(places: tuple[str, ...]) -> Mapping[str, str]:
    """The version by the name of a package; what comes first is what is imported."""
    found: dict[str, str] = {}
    for place in places:
        try:
            names = sorted(name for name in os.listdir(place or ".") if name.endswith(ENDING))
        except OSError:
            continue
        for folder in names:
            name, _, number = folder.removesuffix(ENDING).partition("-")
            found.setdefault(_normal(name), number)
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()
