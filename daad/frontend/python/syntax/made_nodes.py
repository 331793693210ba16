"""Statements that are made of others: written once, and at the places of those that they stand for."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar, cast

Made = TypeVar("Made")
SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef)
"""What has variables, and ways out, of its own."""


def bound_in(nodes: Iterable[ast.AST], contexts: Any = ast.Store) -> list[str]:
    """Names that are bound there, once for each time."""
    return [n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, contexts)]


def jumps_in(node: ast.AST, in_loop: bool = False) -> Iterator[ast.stmt]:
    """What leaves the block that a node stands in: jumps of its own loops and functions do not."""
    if isinstance(node, ast.Return) or (not in_loop and isinstance(node, ast.Break | ast.Continue)):
        yield node
    if isinstance(node, SCOPES):
        return
    for child in ast.iter_child_nodes(node):
        yield from jumps_in(child, in_loop or isinstance(node, ast.For | ast.While))


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def call(function: ast.expr | str, *args: ast.expr) -> ast.Call:
    """A call; a string names a builtin."""
    return ast.Call(load(function) if isinstance(function, str) else function, [*args], [])


def located(statements: Iterable[ast.stmt], like: ast.AST) -> list[ast.stmt]:
    """The statements, those that were made at the place of another one; the user's stay where they are."""
    found = []
    for one in statements:
        found.append(one if hasattr(one, "lineno") else ast.copy_location(one, like))
        ast.fix_missing_locations(one)
    return found


def filtered_loop(target: ast.expr, items: str, tests: Sequence[ast.expr], action: ast.stmt, like: ast.AST) -> ast.For:
    """`for target in items: if test: action`, what is new of it at the place of another node."""
    for test in reversed(tests):
        action = ast.If(test, [action], [])
    made = ast.For(target, load(items), [action], [])
    for new in ast.walk(made):
        if not hasattr(new, "lineno"):
            ast.copy_location(new, like)
    return made


def copied(nodes: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Copies that take the places of statements: what is known of these holds for them."""
    copies = copy.deepcopy(list(nodes))
    for old, new in zip(nodes, copies, strict=True):
        for node, stand_in in zip(ast.walk(old), ast.walk(new), strict=True):
            stand_in.__dict__["place"] = place(node)
    return copies


def place(node: ast.AST) -> int:
    """What tells a node from all others but those that have taken its place."""
    return cast(int, node.__dict__.get("place", id(node)))


class Kept(dict[str, Any]):
    """What is made for a node; a copy of the node, which may get other statements, starts with nothing."""

    def __deepcopy__(self, memo: Any) -> Kept:
        return Kept()


def kept(node: ast.AST, key: str, make: Callable[[], Made]) -> Made:
    """What is made for a node, the same whenever the program is read."""
    known = node.__dict__.setdefault("kept", Kept())
    if key not in known:
        known[key] = make()
    return cast(Made, known[key])
