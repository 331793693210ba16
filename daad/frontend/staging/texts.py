"""Text of values that only the run tells: it may be kept, joined and shown, and nobody looks at it."""

from __future__ import annotations

from typing import Any

from daad.errors import Unsupported
from daad.frontend.staging.builder import Stage
from daad.frontend.staging.unread import Unread, unread_in
from daad.frontend.unsupported import AS_TEXT


class Text(Unread):
    """Stands for such a text."""

    def joined(self, other: Any) -> Text:
        """Another such text."""
        return self

    __add__ = __radd__ = __mod__ = __mul__ = __rmul__ = joined  # type: ignore[assignment]
    __hash__ = Unread.look


JOINING = ("__add__", "__iadd__", "__radd__", "__mod__", "__mul__", "__rmul__")
"""What makes another such text of it."""


def text(stage: Stage) -> Text:
    """What is made into text here."""
    message, hint = AS_TEXT
    return Text(Unsupported(message, at=stage.at, hint=hint))


def has_text(value: Any) -> bool:
    """Whether there is such a text in a value, or what only such a text can be made of; containers are looked into."""
    return any(True for _ in unread_in(value))
