"""What is not known of an exception that the program makes."""

from __future__ import annotations

from typing import Any

from daad.errors import Unsupported

TEXT = "What an exception says is not known before the run.", "Keep in a variable what a handler needs."


class Untold:
    """An argument of which nothing is known, or all of them."""

    def __repr__(self) -> str:
        raise Unsupported(TEXT[0], hint=TEXT[1])


def is_untold(value: Any) -> bool:
    """Whether a value is an exception, and something that it holds is not known."""
    return isinstance(value, BaseException) and any(isinstance(arg, Untold) for arg in value.args)
