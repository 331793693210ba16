"""What functions take: as Python tells it, or as written here."""

from __future__ import annotations

import builtins
import cmath
import functools
import inspect
import itertools
import math
import types
from collections import deque
from collections.abc import Callable, Mapping
from inspect import Signature
from typing import Any

import numpy as np

MISSING = object()
"""The default of what Python's own functions may be called without."""

STUBS: Mapping[Any, Callable[..., Any]] = {
    np.frexp: lambda x, out1=None, out2=None, /, *, out=(None, None), where=True, dtype=None, subok=True: 0,
    np.arange: lambda start=None, stop=None, step=1, dtype=None, *, device=None, like=None: 0,
    builtins.bool: lambda object=False, /: 0,
    builtins.filter: lambda function, iterable, /: 0,
    builtins.getattr: lambda object, name, default=MISSING, /: 0,
    builtins.int: lambda x=0, /, base=10: 0,
    builtins.iter: lambda object, sentinel=MISSING, /: 0,
    builtins.map: lambda function, /, *iterables: 0,
    builtins.max: lambda *args, default=MISSING, key=None: 0,
    builtins.min: lambda *args, default=MISSING, key=None: 0,
    builtins.next: lambda iterator, default=MISSING, /: 0,
    builtins.range: lambda *bounds: 0,
    builtins.slice: lambda *bounds: 0,
    builtins.str: lambda object="", encoding=None, errors=None: 0,
    builtins.type: lambda object, /: 0,
    builtins.zip: lambda *iterables, strict=False: 0,
    cmath.log: lambda z, base=MISSING, /: 0,
    deque: lambda iterable=(), maxlen=None: 0,
    functools.reduce: lambda function, iterable, initial=MISSING, /: 0,
    itertools.chain: lambda *iterables: 0,
    itertools.islice: lambda iterable, /, *bounds: 0,
    itertools.repeat: lambda object, times=MISSING: 0,
    math.hypot: lambda *coordinates: 0,
    math.log: lambda x, base=MISSING, /: 0,
    "view": lambda self, /, dtype=None, type=None: 0,
    types.SimpleNamespace: lambda **attributes: 0,
}
"""The signatures of functions that do not tell them, or tell another one."""


def signature_of(function: Callable[..., Any] | str) -> Signature | None:
    """What a function takes, or a method of arrays by its name; None where nothing tells it."""
    if _is_stub(function):
        return inspect.signature(STUBS[function])
    try:
        return inspect.signature(getattr(np.ndarray, function) if isinstance(function, str) else function)
    except (TypeError, ValueError):
        return None


def _is_stub(function: Any) -> bool:
    try:
        return function in STUBS
    except TypeError:
        return False
