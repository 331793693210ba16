"""`match` on values as `if` and `elif`."""

from __future__ import annotations

import ast

from daad.ir.symbols import Kind, symbol


def chosen(node: ast.Match) -> tuple[list[ast.stmt], str] | None:
    """The statements that stand for it, the same ones whenever the program is read, and the name that they give its
    subject; None where a pattern is about more than values."""
    if not hasattr(node, "as_choice"):
        node.as_choice = _chosen(node)  # type: ignore[attr-defined]
    found: tuple[list[ast.stmt], str] | None = node.as_choice  # type: ignore[attr-defined]
    return found


def _chosen(node: ast.Match) -> tuple[list[ast.stmt], str] | None:
    name = symbol(Kind.HIDDEN, "subject", f"{node.lineno}:{node.col_offset}")
    otherwise: list[ast.stmt] = []
    for case in reversed(node.cases):
        test = _test(case.pattern, name)
        captured = case.pattern.name if isinstance(case.pattern, ast.MatchAs) else None
        before = captured is not None and case.guard is not None
        if test is None or (before and not isinstance(test, ast.Constant)):
            return None
        test = ast.BoolOp(ast.And(), [test, case.guard]) if case.guard else test
        bound: list[ast.stmt] = [ast.Assign([ast.Name(captured, ast.Store())], _subject(name))] if captured else []
        body = case.body if before else [*bound, *case.body]
        taken = [*(bound if before else ()), ast.If(test, body, otherwise)]  # a guard sees the name, which stays
        otherwise = [ast.fix_missing_locations(ast.copy_location(one, case.pattern)) for one in taken]
    first: ast.stmt = ast.Assign([ast.Name(name, ast.Store())], node.subject)
    return [ast.fix_missing_locations(ast.copy_location(first, node.subject)), *otherwise], name


def _test(pattern: ast.pattern, name: str) -> ast.expr | None:
    """Whether the subject fits."""
    if isinstance(pattern, ast.MatchValue):
        return ast.Compare(_subject(name), [ast.Eq()], [pattern.value])
    if isinstance(pattern, ast.MatchSingleton):
        return ast.Compare(_subject(name), [ast.Is()], [ast.Constant(pattern.value)])
    if isinstance(pattern, ast.MatchAs):
        return ast.Constant(True) if pattern.pattern is None else _test(pattern.pattern, name)
    if not isinstance(pattern, ast.MatchOr):
        return None
    tests = [_test(one, name) for one in pattern.patterns]
    known = [test for test in tests if test is not None]
    return ast.BoolOp(ast.Or(), known) if len(known) == len(tests) else None


def _subject(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())
