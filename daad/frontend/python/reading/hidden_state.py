"""What functions have changed while SciPy called them, as often as it wanted: counters, lists of what they have seen.

Nobody may look at it but what shows something; that it is changed again does not matter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from daad.frontend.python.reading.environment import Change, Saved, Varying, changes
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.reading.scope import Hidden, OnlyShown
from daad.frontend.staging.container_items import CHANGING, TAKING_OUT, entries, got, put

PURE = ("abs", "float", "getattr", "int", "len", "math", "max", "min", "np", "numpy", "range", "round", "sum")
"""First names of functions that compute, and change nothing."""


def hide(reader: Reader, holder: Any, key: Any, why: Hidden) -> bool:
    """The variable `holder[key]` is not looked at from now on; gives whether it was before."""
    found = got(holder, key, None)
    if isinstance(found, OnlyShown):
        return False
    put(holder, key, OnlyShown(why, found))
    reader.hides.add(key)
    return True


def hide_container(reader: Reader, container: Any, why: Hidden) -> bool:
    """The same for all variables that hold a list, dict or set; gives whether it is reached by nothing else."""
    for _, holder in reader.holders():
        for key, item in list(entries(holder)) if not isinstance(holder, set) else ():
            if item is container:
                hide(reader, holder, key, why)
    return all(holder is not container for _, holder in reader.holders()) and id(container) not in reader.outside


def is_hidden(reader: Reader, node: ast.expr) -> bool:
    """Whether an expression stands for something hidden, or for a part of it."""
    if not reader.hides:
        return False
    if isinstance(node, ast.Subscript):
        return is_hidden(reader, node.value)
    if isinstance(node, ast.Name):
        return isinstance(reader.scope.held(node.id), OnlyShown)
    if not isinstance(node, ast.Attribute):
        return False
    if is_hidden(reader, node.value):
        return True
    if not all(isinstance(one, ast.Attribute | ast.Name | ast.expr_context) for one in ast.walk(node)):
        return False
    owner = reader.eval(node.value)
    return id(owner) in reader.objects and isinstance(getattr(owner, "__dict__", {}).get(node.attr), OnlyShown)


def may_be_hidden(reader: Reader, node: ast.expr) -> bool:
    """Whether an expression looks at something hidden as far as its names tell."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and (part.id == "getattr" or isinstance(reader.scope.held(part.id), OnlyShown)):
            return True
        if isinstance(part, ast.Attribute) and part.attr in reader.hides:
            return True
    return False


def grows_hidden(reader: Reader, node: ast.Call) -> bool:
    """Whether a call does nothing but change something hidden; it has evaluated its arguments then."""
    function = node.func
    if not isinstance(function, ast.Attribute) or function.attr not in CHANGING - TAKING_OUT or node.keywords:
        return False
    if not is_hidden(reader, function.value):
        return False
    for argument in node.args:
        reader.eval(argument)
    return True


def all_changes(saved: Iterable[Saved]) -> tuple[list[Change], list[Any]]:
    """What differs from the saved contents, and lists, dicts and sets that have other keys."""
    changed, varied = list[Change](), list[Any]()
    for entry in saved:
        try:
            changed += changes([entry])
        except Varying as varying:
            varied.append(varying.holder)
    return changed, varied


def changed_by(node: ast.AST) -> Iterator[ast.expr]:
    """What a function's text changes in place, or in part: `a[0]` of `a[0] = 1`, `a.b.append` of `a.b.append(1)`."""
    for inner in ast.walk(node):
        targets: list[ast.expr] = []
        if isinstance(inner, ast.Assign):
            targets = inner.targets
        elif isinstance(inner, ast.AugAssign | ast.AnnAssign):
            targets = [inner.target]
        elif isinstance(inner, ast.Delete):
            targets = inner.targets
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
            method = inner.func
            targets = [method] if method.attr in CHANGING | {"setdefault"} else []
        for target in targets:
            for part in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
                if isinstance(part, ast.Subscript | ast.Attribute):
                    yield part


def changes_nothing(node: ast.expr) -> bool:
    """Whether an expression changes nothing, as can be seen."""
    return all(map(_only_computes, ast.walk(node)))


def _only_computes(node: ast.AST) -> bool:
    """Nothing but functions of numbers and arrays is called."""
    if isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom):
        return False
    return not isinstance(node, ast.Call) or ast.unparse(node.func).partition(".")[0] in PURE
