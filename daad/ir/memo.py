"""What is asked of a node again and again is kept with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Answer = TypeVar("Answer")


def remembered(function: Callable[..., Answer]) -> Callable[..., Answer]:
    """A function of a node, and of what else has a hash, whose answers stay with the node as long as it lives."""
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def known(node: Any, *more: Any) -> Answer:
        answers: dict[tuple[Any, ...], Answer] = vars(node).setdefault(name, {})
        if more not in answers:
            answers[more] = function(node, *more)
        return answers[more]

    return known
