"""Which variables statements may change: by assignment, through a view, or inside a function that they call."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from daad.cli.script.bindings import names_bound, nodes_of_scope
from daad.cli.script.definitions import Resolver

# Functions and methods of NumPy and of lists that write into an argument or into what they belong to.
WRITERS = ("append", "at", "copyto", "extend", "fill", "fill_diagonal", "partition", "place", "put", "putmask", "sort")
VIEWS = ("asarray", "atleast_1d", "moveaxis", "ravel", "reshape", "squeeze", "swapaxes", "transpose", "view")


def root(node: ast.AST) -> str | None:
    """The variable whose memory an expression may share: `u` for `u`, `u[1:]`, `u.T`, `np.ravel(u)`."""
    match node:
        case ast.Name():
            return node.id
        case ast.Subscript() | ast.Attribute() | ast.Starred():
            return root(node.value)
        case ast.Call(func=ast.Attribute(attr=attribute) as method) if attribute in VIEWS:
            first = node.args[0] if node.args else None
            return (root(first) if first is not None and _is_numpy(method.value) else None) or root(method.value)
    return None


def _is_numpy(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("np", "numpy")


def names_changed(statements: Sequence[ast.AST], resolve: Resolver, seen: tuple[str, ...] = ()) -> set[str]:
    """The names whose value these statements may change without binding them, views included."""
    changed: set[str] = set()
    for node in nodes_of_scope(statements):
        match node:
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
                changed |= _roots([node])
            case ast.AugAssign():
                changed |= _roots([node.target])
            case ast.Call():
                changed |= _changed_by_call(node, resolve, seen)
    return with_aliases(changed, statements)


def _roots(nodes: Iterable[ast.AST]) -> set[str]:
    return {name for name in map(root, nodes) if name is not None}


def _changed_by_call(call: ast.Call, resolve: Resolver, seen: tuple[str, ...]) -> set[str]:
    changed = _roots(keyword.value for keyword in call.keywords if keyword.arg == "out")
    if isinstance(call.func, ast.Attribute) and call.func.attr in WRITERS:
        changed |= _roots([call.func.value, *call.args[:1]])
    callee = resolve(call.func)
    if callee is None or callee.node.name in seen:
        return changed
    inside = names_changed(callee.node.body, callee.resolve, (*seen, callee.node.name))
    return changed | _changed_in_callee(call, callee.node, inside)


def _changed_in_callee(call: ast.Call, function: ast.FunctionDef, inside: set[str]) -> set[str]:
    """The caller's names behind the callee's changed parameters, and the globals that it changes."""
    parameters = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    passed = [value for name, value in zip(parameters, call.args, strict=False) if name in inside]
    passed += [keyword.value for keyword in call.keywords if keyword.arg is None or keyword.arg in inside]
    if function.args.vararg and function.args.vararg.arg in inside:
        passed += call.args[len(parameters) :]
    declared = {name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names}
    local = {*parameters, *names_bound(function.body)} - declared
    return _roots(passed) | (inside - local) | declared


def with_aliases(names: set[str], statements: Iterable[ast.AST]) -> set[str]:
    """The names and all that may share memory with them by the assignments and loops of these statements."""
    links = [link for node in nodes_of_scope(statements) for link in _links(node)]
    found, before = set(names), 0
    while len(found) != before:
        before = len(found)
        found |= {name for link in links if link & found for name in link}
    return found


def _links(node: ast.AST) -> Iterator[set[str]]:
    match node:
        case ast.Assign():
            pairs = [(target, node.value) for target in node.targets]
        case ast.AnnAssign(value=ast.expr() as value):
            pairs = [(node.target, value)]
        case ast.For():
            pairs = [(node.target, node.iter)]
        case _:
            return
    for target, value in pairs:
        names = {n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
        if names and _roots(values):
            yield names | _roots(values)
