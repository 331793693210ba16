"""Where a program runs."""

from __future__ import annotations

from enum import Enum


class Device(Enum):
    """The kind of processor that the generated code is for."""

    CPU = "cpu"
    GPU = "gpu"
