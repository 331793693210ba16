"""Where a program runs; the rooms below, which know of it too, have it from `runtime`."""

from daad.runtime.processors import Device

__all__ = ["Device"]
