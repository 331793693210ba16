"""`print` is left out: what it shows is computed, since that may change something, and not made text of."""

from __future__ import annotations

import ast
import builtins
import logging
import sys
import warnings
from pathlib import PurePath
from types import ModuleType
from typing import Any

from daad.errors import Unsupported
from daad.frontend.python.calls.library_python import concerns_data
from daad.frontend.python.reading.hidden_state import changes_nothing
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import Hidden
from daad.frontend.python.values.plotting_packages import PICTURE, Picture
from daad.frontend.python.values.written_files import saved
from daad.frontend.staging.unread import Looked, Unread

LOGGED = ("debug", "info", "warning", "error", "critical", "exception", "log", "success", "trace")
TABLES = {"pandas": ("DataFrame", "Series"), "xarray": ("DataArray", "Dataset")}
"""Classes of packages that hold data for those who want to see them; where they are only shown, none need be made."""
TEXTS = (builtins.str, builtins.repr, builtins.format, builtins.ascii)


def is_shown(function: Any) -> bool:
    """Whether a function only shows something to the user: `print`, `warnings.warn`, loggers, standard streams."""
    owner = getattr(function, "__self__", None)
    is_logger = isinstance(owner, logging.Logger) or type(owner).__module__.partition(".")[0] == "loguru"
    if is_logger or (owner is None and getattr(function, "__module__", None) == "logging"):
        return getattr(function, "__name__", None) in LOGGED
    streams = [stream for stream in (sys.stdout, sys.stderr) if stream is not None]  # None: closed before Python began
    return any(function is shown for shown in (print, warnings.warn)) or any(owner is stream for stream in streams)


def show(reader: Reader, node: ast.Call) -> None:
    """A call of `print`, or of what makes text for it."""
    for part in (*node.args, *(keyword.value for keyword in node.keywords)):
        _show(reader, part)


def draw(reader: Reader, node: ast.Call, function: Any) -> Picture | tuple[Picture, Picture]:
    """A call of a package that shows something: of its arguments only those are read that may change something."""
    for part in (*node.args, *(keyword.value for keyword in node.keywords)):
        if not isinstance(part, ast.Lambda) and not changes_nothing(part):
            reader.eval(part)
    if isinstance(function, Picture) and function.shape:
        return function
    is_grid = ast.unparse(node.func).rpartition(".")[2] == "subplots"
    return (PICTURE, Picture(_grid(reader, node))) if is_grid else PICTURE


def save(reader: Reader, node: ast.Call, owner: Any) -> None:
    """A call that writes a file, which its `owner` names, or its first argument."""
    names = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg in ("file", "fname", "fid"))]
    saved(reader, owner if isinstance(owner, PurePath) else reader.eval(names[0]))
    for part in (*node.args, *(keyword.value for keyword in node.keywords)):
        if part is not names[0] and not changes_nothing(part):
            reader.eval(part)


def _grid(reader: Reader, node: ast.Call) -> tuple[int, ...]:
    """The shape of the array of axes that `subplots` gives; () if it is not known, or of a single one."""
    given = dict(zip(("nrows", "ncols"), node.args, strict=False))
    given |= {str(keyword.arg): keyword.value for keyword in node.keywords}
    if "None" in given or any(isinstance(arg, ast.Starred) for arg in node.args):
        return ()
    rows, columns, squeeze = (
        reader.eval(given[name]) if name in given else default
        for name, default in (("nrows", 1), ("ncols", 1), ("squeeze", True))
    )
    if not isinstance(rows, int) or not isinstance(columns, int) or not isinstance(squeeze, bool):
        return ()
    return tuple(extent for extent in (rows, columns) if extent > 1 or not squeeze)


def _show(reader: Reader, node: ast.expr) -> None:
    if isinstance(node, ast.JoinedStr | ast.Tuple | ast.List):
        for part in node.values if isinstance(node, ast.JoinedStr) else node.elts:
            _show(reader, part)
    elif isinstance(node, ast.FormattedValue | ast.Starred):
        _show(reader, node.value)
    elif isinstance(node, ast.BinOp) and _has_text(node):
        _show(reader, node.left)
        _show(reader, node.right)
    elif isinstance(node, ast.Call) and _makes_text(reader, node):
        show(reader, node)
    elif (given := _given_to_table(reader, node)) is not None:
        for part in given:
            _show(reader, part)
    elif not isinstance(node, ast.Name):  # a name has nothing to compute, and may have no value yet
        try:
            reader.eval(node)
        except (Looked, Hidden):
            if not changes_nothing(node):
                raise


def _given_to_table(reader: Reader, node: ast.expr) -> list[ast.expr] | None:
    """The arguments of calls like `pandas.DataFrame(a).round(4)`."""
    given: list[ast.expr] = []
    while isinstance(node, ast.Call | ast.Attribute):
        if isinstance(node, ast.Call):
            given = [*node.args, *(keyword.value for keyword in node.keywords), *given]
        node = node.func if isinstance(node, ast.Call) else node.value
    module = reader.eval(node) if given and isinstance(node, ast.Name) else None
    return given if isinstance(module, ModuleType) and module.__name__ in TABLES else None


def _has_text(node: ast.expr) -> bool:
    """Whether it is a text, or joined or filled in by `+` and `%`."""
    if isinstance(node, ast.BinOp):
        return _has_text(node.left) or _has_text(node.right)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _makes_text(reader: Reader, node: ast.Call) -> bool:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr == "format" and _has_text(node.func.value)
    return isinstance(node.func, ast.Name) and reader.eval(node.func) in TEXTS


def table(reader: Reader, function: Any, values: Any) -> Any:
    """What stands for a table of another package, if a call makes one of data; else NotImplemented."""
    package = getattr(function, "__module__", None) if isinstance(function, type) else None
    if not isinstance(package, str) or function.__name__ not in TABLES.get(package.partition(".")[0], ()):
        return NotImplemented
    if not concerns_data(reader, values):
        return NotImplemented
    message = f"What is in a table, '{function.__name__}', is looked at, where data decide it."
    return Unread(Unsupported(message, at=reader.stage.at, hint="Compute with arrays of NumPy's."))
