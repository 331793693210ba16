"""One call of a NumPy function as data: its text with names for the numbers, and the numbers."""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

LARGEST = 80
"""Elements of all arrays of a call."""
NUMBERS = "biufc"
PLAIN_TYPES = (float, int, complex, bool)
SCALAR_TYPES = tuple(dict.fromkeys(t for t in np.sctypeDict.values() if issubclass(t, np.number | np.bool_)))
INEXACT = tuple(t for t in SCALAR_TYPES if issubclass(t, np.inexact))


class Unusable(Exception):
    """Why a call cannot be replayed."""


@dataclass(frozen=True)
class Call:
    """`text` is an expression (or an assignment) in the names x0, x1, ... of `values`; `function` is for the tables."""

    function: str
    text: str
    values: tuple[Any, ...]

    @property
    def key(self) -> str:
        """Equal for calls that differ in numbers alone; whole numbers are options and count."""
        return "\n".join([self.text, *map(_form, self.values)])

    @property
    def structure(self) -> str:
        """Equal for calls that differ in extents, in large whole numbers and in dtypes, too."""
        text = LARGE.sub("n", DTYPE.sub("dtype", self.text))
        return "\n".join([text, *(_pattern(value) for value in self.values)])

    @property
    def is_statement(self) -> bool:
        return self.function == "x[...] = y"


LARGE = re.compile(r"(?<![\w.])(?:[3-9]|\d\d+)(?![\w.])")

DTYPE = re.compile(r"np\.dtype\('[^']*'\)|np\.u?(?:float|int|complex|longdouble|clongdouble)\d*\b|'[<=>|]?[a-zA-Z]\d*'")


def _form(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return type(value).__name__
    whole = str(value.tolist()) if value.dtype.kind in "iub" else ""
    return f"{value.dtype.str} {value.shape} {_order(value)} {whole}"


def _pattern(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return "number"
    return f"{[min(extent, 2) for extent in value.shape]} {_order(value)}"


def _order(value: np.ndarray) -> str:
    return "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "K"


class Writer:
    """The text of one call's arguments; arrays and floats become names."""

    def __init__(self, names: Mapping[int, tuple[Any, str]]) -> None:
        self.names = names
        self.values: list[Any] = []
        self._places: dict[int, tuple[Any, str]] = {}
        self._elements = 0

    def text(self, value: Any, is_option: bool = False) -> str:
        """`is_option`: a number is written down instead of named."""
        if type(value) is np.ndarray:
            return self._array(value)
        if type(value) in (float, complex, *INEXACT) and not is_option:
            return self._name(value)
        if value is None or value is Ellipsis or type(value) in (bool, int, str):
            return repr(value)
        if type(value) in (float, complex):
            return self._float(value)
        if type(value) in (list, tuple):
            return self._sequence(value, is_option)
        return self._rare(value, is_option)

    def _rare(self, value: Any, is_option: bool) -> str:
        if type(value) in SCALAR_TYPES:
            return f"np.{np.dtype(type(value)).name.replace('bool', 'bool_')}({value.item()!r})"
        if isinstance(value, slice):
            return f"slice({', '.join(self.text(part, True) for part in (value.start, value.stop, value.step))})"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self.text(k, True)}: {self.text(v, is_option)}" for k, v in value.items()) + "}"
        if isinstance(value, type) and value in PLAIN_TYPES:
            return value.__name__
        if isinstance(value, type) and value in SCALAR_TYPES:
            return f"np.{value.__name__.replace('bool', 'bool_')}"
        if isinstance(value, np.dtype) and value.kind in NUMBERS:
            return f"np.dtype({value.str!r})"
        known = self.names.get(id(value))
        if known is None or known[0] is not value:
            raise Unusable(f"an argument of type '{type(value).__name__}'")
        return known[1]

    def _array(self, value: np.ndarray) -> str:
        if value.dtype.kind not in NUMBERS:
            raise Unusable(f"an array of dtype kind '{value.dtype.kind}'")
        self._elements += value.size
        if self._elements > LARGEST:
            raise Unusable("too large")
        known = self._places.get(id(value))
        if known is not None:
            return known[1]
        name = self._name(value.copy(order="K"))
        self._places[id(value)] = (value, name)
        return name

    def _name(self, value: Any) -> str:
        self.values.append(value)
        return f"x{len(self.values) - 1}"

    def _float(self, value: float | complex) -> str:
        return repr(value) if np.isfinite(value) else f"{type(value).__name__}({str(value)!r})"

    def _sequence(self, value: list[Any] | tuple[Any, ...], is_option: bool) -> str:
        if len(value) > LARGEST:
            raise Unusable("too large")
        inside = ", ".join(self.text(item, is_option) for item in value)
        if isinstance(value, list):
            return f"[{inside}]"
        return f"({inside},)" if len(value) == 1 else f"({inside})"


OPERATORS = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**", "MatMult": "@"}


def call_of(
    function: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], names: Mapping[int, tuple[Any, str]]
) -> Call | None:
    """The call as data; None for what is no function of NumPy's."""
    known = names.get(id(function))
    writer = Writer(names)
    if known is not None and known[0] is function:
        return _written(known[1], known[1], writer, arguments, keywords)
    if not isinstance(function, types.BuiltinMethodType):
        return None
    owner, method = function.__self__, function.__name__
    if type(owner) is np.ndarray:
        return _written(f"ndarray.{method}", f"{writer.text(owner)}.{method}", writer, arguments, keywords)
    known = names.get(id(owner))
    if known is not None and known[0] is owner and isinstance(owner, np.ufunc):
        return _written(f"{known[1]}.{method}", f"{known[1]}.{method}", writer, arguments, keywords)
    return None


def _written(
    function: str, start: str, writer: Writer, arguments: tuple[Any, ...], keywords: Mapping[str, Any]
) -> Call:
    parts = [writer.text(value) for value in arguments]
    parts += [f"{name}={writer.text(keywords[name], is_option=True)}" for name in sorted(keywords)]
    return Call(function, f"{start}({', '.join(parts)})", tuple(writer.values))


def operation(kind: str, names: Mapping[int, tuple[Any, str]], *operands: Any) -> Call:
    """A binary operator, a subscript, or an assignment to one."""
    writer = Writer(names)
    texts = [writer.text(operand, is_option=k == 1 and "[" in kind) for k, operand in enumerate(operands)]
    if kind == "x[...]":
        return Call(kind, f"{texts[0]}[{texts[1]}]", tuple(writer.values))
    if kind == "x[...] = y":
        return Call(kind, f"{texts[0]}[{texts[1]}] = {texts[2]}", tuple(writer.values))
    return Call(f"x {kind} y", f"{texts[0]} {kind} {texts[1]}", tuple(writer.values))


def has_floats(call: Call) -> bool:
    return any(np.asarray(value).dtype.kind in "fc" and np.size(value) for value in call.values)


def named(modules: Mapping[str, Any], *left_out: str) -> dict[int, tuple[Any, str]]:
    """The functions of public modules by their identity; the own name of a function goes before its aliases."""
    found: dict[int, tuple[Any, str]] = {}
    for module, content in modules.items():
        public = [name for name in getattr(content, "__all__", vars(content)) if hasattr(content, name)]
        for name in sorted(public, key=lambda n: (getattr(getattr(content, n), "__name__", "") != n, n)):
            value: Callable[..., Any] = getattr(content, name)
            is_function = isinstance(value, np.ufunc | types.FunctionType | types.BuiltinFunctionType) or (
                callable(value) and type(value).__name__ == "_ArrayFunctionDispatcher"
            )
            if is_function and not name.startswith("_") and f"{module}.{name}" not in left_out:
                found.setdefault(id(value), (value, f"{module}.{name}"))
    return found
