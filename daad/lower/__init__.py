"""A Program as one DaCe SDFG."""

from typing import TYPE_CHECKING, Any

from daad.lower.device import Device

if TYPE_CHECKING:
    from daad.lower.program import lower

__all__ = ["Device", "lower"]


def __getattr__(name: str) -> Any:
    """DaCe takes half a second to import: programs from the cache do without it."""
    if name != "lower":
        raise AttributeError(f"module 'daad.lower' has no attribute '{name}'")
    from daad.lower.program import lower

    return lower
