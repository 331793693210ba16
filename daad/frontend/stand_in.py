"""What stands for a function while a script runs, and is told of the calls that daad makes for the script."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any


class StandIn:
    """Everything but a call goes through to the function `__wrapped__`."""

    def __init__(self, function: Any) -> None:
        functools.update_wrapper(self, function)  # type: ignore[arg-type]
        self.__wrapped__ = function

    def __getattr__(self, name: str) -> Any:
        if "__wrapped__" not in self.__dict__:  # asked by what makes copies, before it has filled this one
            raise AttributeError(name)
        return getattr(self.__dict__["__wrapped__"], name)

    def called(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """A gradient of the function is asked for at these arguments."""


def looked_through(function: Any) -> Any:
    """The function itself."""
    return function.__wrapped__ if isinstance(function, StandIn) else function
