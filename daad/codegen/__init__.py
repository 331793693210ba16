"""A Program as one DaCe SDFG."""

from typing import TYPE_CHECKING, Any

from daad.codegen.device import Device

if TYPE_CHECKING:
    from daad.codegen.sdfg.whole_program import lower

__all__ = ["Device", "lower"]


def __getattr__(name: str) -> Any:
    """DaCe takes half a second to import: programs from the cache do without it."""
    if name != "lower":
        raise AttributeError(f"module 'daad.codegen' has no attribute '{name}'")
    from daad.codegen.sdfg.whole_program import lower

    return lower
