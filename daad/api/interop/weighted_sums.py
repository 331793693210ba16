"""The sum of a program's outputs with weights that are arguments: what its second derivatives are those of."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

_numbers = count()
TEXT = """\
def weighted(weights, args, kwargs):
    found = function(*args, **kwargs)
    return {terms}
"""


def weighted_sum(function: Callable[..., Any], ways: Sequence[str]) -> Callable[..., Any]:
    """A function of weights, one for each output, and of the program's own arguments; `ways` lead to the outputs in
    what the program returns, such as "['a'][0]"."""
    terms = " + ".join(f"np.sum(found{way} * weights[{number}])" for number, way in enumerate(ways))
    text = TEXT.format(terms=terms)
    name = f"<weighted sum {next(_numbers)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"function": function, "np": np}
    exec(compile(text, name, "exec"), scope)
    found: Callable[..., Any] = scope["weighted"]
    return found


def as_weighted(weights: Sequence[Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of such a sum by name."""
    return {"weights": list(weights), "args": tuple(args), "kwargs": dict(kwargs)}
