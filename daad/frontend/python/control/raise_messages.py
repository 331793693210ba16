"""The program's own words in `raise` and `assert`: static values are put in, others stay as they are written."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from daad.errors import Unsupported
from daad.frontend.python.reading.reader import Reader

PLAIN = (str, int, float, bool, type(None), np.generic, np.dtype, type)
SHAPES = ("shape", "ndim", "size", "dtype")
CONVERSIONS: dict[int, Callable[[Any], str]] = {ord("r"): repr, ord("s"): str, ord("a"): ascii}
UNKNOWN = object()


def said(reader: Reader, node: ast.expr | None) -> str:
    """Without the period at the end; empty where the program says nothing, or in other ways."""
    text = _text(reader, node)
    return " ".join(text.split()).rstrip(" .") if isinstance(text, str) else ""


def failing(reader: Reader, node: ast.expr | None) -> str:
    """The sentence for an assertion with this text."""
    text = said(reader, node)
    return f"An assertion of the program fails{f': {text}' if text else ''}."


def raising(reader: Reader, node: ast.expr | None) -> str:
    """The sentence for a `raise` of this."""
    if node is None:
        return "The program raises an exception here."
    first = node.args[0] if isinstance(node, ast.Call) and node.args else None
    text = said(reader, first)
    name = ast.unparse(node.func if isinstance(node, ast.Call) else node)
    return f"The program raises '{name}' here{f': {text}' if text else ''}."


def exiting(reader: Reader, node: ast.Call) -> str:
    """The sentence for `sys.exit(...)`."""
    text = said(reader, node.args[0] if node.args else None)
    return f"The program exits here{f': {text}' if text else ''}."


def argument(reader: Reader, node: ast.expr) -> Any:
    """What an exception gets, `UNKNOWN` where that is not plainly known."""
    if isinstance(node, ast.JoinedStr):
        values = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        return UNKNOWN if any(_value(reader, value) is UNKNOWN for value in values) else _text(reader, node)
    return _value(reader, node)


def _text(reader: Reader, node: ast.expr | None) -> Any:
    """A text; another value, or None, where it is none."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_part(reader, part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = _text(reader, node.left), _text(reader, node.right)
        return "".join(parts) if all(isinstance(part, str) for part in parts) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _filled(reader, node.left, node.right)
    value = _value(reader, node)
    return value if isinstance(value, str) else None


def _part(reader: Reader, node: ast.expr) -> str:
    if not isinstance(node, ast.FormattedValue):
        return str(_text(reader, node))
    value, spec = _value(reader, node.value), _text(reader, node.format_spec) if node.format_spec else ""
    if value is not UNKNOWN and isinstance(spec, str):
        shown = CONVERSIONS[node.conversion](value) if node.conversion in CONVERSIONS else value
        with suppress(ValueError, TypeError):
            return format(shown, spec)
    return f"{{{ast.unparse(node.value)}}}"


def _filled(reader: Reader, pattern: ast.expr, values: ast.expr) -> str | None:
    text = _text(reader, pattern)
    items = [_value(reader, item) for item in (values.elts if isinstance(values, ast.Tuple) else [values])]
    if not isinstance(text, str):
        return None
    if UNKNOWN not in items:
        with suppress(ValueError, TypeError):
            return text % tuple(items)
    return text


def _value(reader: Reader, node: ast.expr | None) -> Any:
    """What is known without adding to the Program."""
    if isinstance(node, ast.Constant):
        return node.value
    if node is not None and _is_simple(node):
        with suppress(Unsupported):
            value = reader.eval(node)
            return value if _is_plain(value) else UNKNOWN
    return UNKNOWN


def _is_simple(node: ast.expr) -> bool:
    """A variable, a shape, or an item of a shape."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return not isinstance(node.value, ast.Name) and _is_simple(node.value)
    if isinstance(node, ast.Attribute) and node.attr in SHAPES:
        return isinstance(node.value, ast.Name)
    return isinstance(node, ast.Name)


def _is_plain(value: Any) -> bool:
    return isinstance(value, PLAIN) or (isinstance(value, tuple) and all(map(_is_plain, value)))
