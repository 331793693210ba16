"""Whether a decorator's wrapper only passes its arguments on and returns what comes back (timers, loggers, caches)."""

from __future__ import annotations

import ast

ONLY_SHOWN = ("print", "len", "type", "repr", "str", "id")


def is_transparent(wrapper: ast.FunctionDef, wrapped: str) -> bool:
    """True when `wrapper(*args, **kwargs)` is `wrapped(*args, **kwargs)` with side notes at most.

    Sufficient, not necessary: one call that passes all on, returned as it is, and none of the three names
    changed or given to anything that could change it.
    """
    calls = [node for node in _nodes(wrapper) if isinstance(node, ast.Call) and _name(node.func) == wrapped]
    if len(calls) != 1 or not _passes_all(calls[0], wrapper.args):
        return False
    result = _result_name(wrapper, calls[0])
    guarded = {_vararg(wrapper.args), _kwarg(wrapper.args), result, wrapped} - {None}
    returned = [node.value for node in _nodes(wrapper) if isinstance(node, ast.Return)]
    returns_it = bool(returned) and all(value is calls[0] or (result and _name(value) == result) for value in returned)
    return returns_it and _is_straight(wrapper) and _uses(wrapper, guarded) <= _allowed(wrapper, calls[0], result)


def _is_straight(wrapper: ast.FunctionDef) -> bool:
    """No control flow that may skip or repeat the call, no nested definition that may hide anything."""
    flow = (ast.If, ast.For, ast.While, ast.Lambda, ast.FunctionDef, ast.IfExp, ast.Try, ast.Match, ast.Yield)
    return not any(isinstance(node, flow) for node in _nodes(wrapper))


def _passes_all(call: ast.Call, arguments: ast.arguments) -> bool:
    """The parameters are `*args` (and `**kwargs`), and the call is given just these."""
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    positional = [_name(a.value) for a in call.args if isinstance(a, ast.Starred)]
    keywords = [_name(k.value) for k in call.keywords if k.arg is None]
    whole = len(positional) == len(call.args) and len(keywords) == len(call.keywords)
    expected = ([_vararg(arguments)], [_kwarg(arguments)] if arguments.kwarg else [])
    return not named and arguments.vararg is not None and whole and (positional, keywords) == expected


def _result_name(wrapper: ast.FunctionDef, call: ast.Call) -> str | None:
    for node in _nodes(wrapper):
        if isinstance(node, ast.Assign) and node.value is call and len(node.targets) == 1:
            return _name(node.targets[0])
    return None


def _uses(wrapper: ast.FunctionDef, names: set[str | None]) -> set[ast.Name]:
    return {node for node in _nodes(wrapper) if isinstance(node, ast.Name) and node.id in names}


def _allowed(wrapper: ast.FunctionDef, call: ast.Call, result: str | None) -> set[ast.Name]:
    """The uses that change nothing: in the call itself, as its target, in a return, shown to the user."""
    harmless: set[ast.Name] = {node for node in ast.walk(call) if isinstance(node, ast.Name)}
    for node in _nodes(wrapper):
        if isinstance(node, ast.Assign) and node.value is call:
            harmless |= {target for target in node.targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Name):
            harmless.add(node.value)
        if isinstance(node, ast.Attribute) and node.attr == "__name__" and isinstance(node.value, ast.Name):
            harmless.add(node.value)
        if isinstance(node, ast.Call) and _name(node.func) in ONLY_SHOWN:
            harmless |= {inner for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    return harmless


def _nodes(wrapper: ast.FunctionDef) -> list[ast.AST]:
    return [node for statement in wrapper.body for node in ast.walk(statement)]


def _name(node: ast.AST | None) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _vararg(arguments: ast.arguments) -> str | None:
    return arguments.vararg.arg if arguments.vararg else None


def _kwarg(arguments: ast.arguments) -> str | None:
    return arguments.kwarg.arg if arguments.kwarg else None
