"""The names that generated code has for what a Program names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Names:
    """Program name -> name in the generated code, distinct for distinct names."""

    safe: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.safe[name]


def cleaned(name: str) -> str:
    """The nearest name that C and Python have."""
    word = re.sub(r"_+", "_", re.sub(r"[^0-9A-Za-z_]", "_", name)).strip("_")
    return word if word[:1].isalpha() else f"v{word}"
