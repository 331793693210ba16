"""`match` as `if` and `elif`: what a pattern asks of its subject, and the names that it gives to parts of it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from daad.frontend.python.syntax.made_nodes import assign, call, kept, load, located
from daad.ir.symbols import Kind, symbol

WHOLE = frozenset(("bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"))
"""Classes whose only pattern without a name is the object itself."""


def chosen(node: ast.Match) -> tuple[list[ast.stmt], frozenset[str]] | None:
    """The statements that stand for it, the same ones whenever the program is read, and the names that they use for
    themselves; None where a pattern is not known."""
    return kept(node, "choice", lambda: _chosen(node))


@dataclass(frozen=True)
class Fit:
    """What holds where a pattern fits, one test after the other, and the names that it gives."""

    tests: tuple[ast.expr, ...] = ()
    names: tuple[tuple[str, ast.expr], ...] = ()

    @property
    def test(self) -> ast.expr:
        """All of the tests."""
        if not self.tests:
            return ast.Constant(True)
        return self.tests[0] if len(self.tests) == 1 else ast.BoolOp(ast.And(), [*self.tests])

    @property
    def assigns(self) -> list[ast.stmt]:
        """The names get their values."""
        return [assign(name, value) for name, value in self.names]


def _chosen(node: ast.Match) -> tuple[list[ast.stmt], frozenset[str]] | None:
    place = f"{node.lineno}:{node.col_offset}"
    subject, holds = symbol(Kind.HIDDEN, "subject", place), symbol(Kind.HIDDEN, "guard", place)
    otherwise: list[ast.stmt] = []
    for case in reversed(node.cases):
        fit = _fit(case.pattern, load(subject))
        if fit is None:
            return None
        taken = _taken(case, fit, holds, otherwise)
        otherwise = located(taken, case.pattern)
    first = located([assign(subject, node.subject)], node.subject)
    return [*first, *otherwise], frozenset((subject, holds))


def _taken(case: ast.match_case, fit: Fit, holds: str, otherwise: list[ast.stmt]) -> list[ast.stmt]:
    """A case, and what follows where it is not taken; a guard sees the names, which stay where it does not hold."""
    if case.guard is None:
        return [ast.If(fit.test, [*fit.assigns, *case.body], otherwise)]
    if not fit.tests:
        return [*fit.assigns, ast.If(case.guard, case.body, otherwise)]
    if not fit.names:
        return [ast.If(ast.BoolOp(ast.And(), [fit.test, case.guard]), case.body, otherwise)]
    fails = assign(holds, ast.Constant(False))
    return [
        ast.If(fit.test, [*fit.assigns, assign(holds, case.guard)], [fails]),
        ast.If(load(holds), case.body, otherwise),
    ]


def _fit(pattern: ast.pattern, subject: ast.expr) -> Fit | None:
    """What a pattern asks of its subject; None where it is not known."""
    match pattern:
        case ast.MatchValue(value):
            return Fit((ast.Compare(subject, [ast.Eq()], [value]),))
        case ast.MatchSingleton(value):
            return Fit((ast.Compare(subject, [ast.Is()], [ast.Constant(value)]),))
        case ast.MatchAs(inner, name):
            named = Fit() if name is None else Fit(names=((name, subject),))
            return named if inner is None else _all([_fit(inner, subject), named])
        case ast.MatchOr(patterns):
            return _either([_fit(one, subject) for one in patterns])
        case ast.MatchSequence(patterns):
            return _sequence(patterns, subject)
        case ast.MatchMapping(keys, patterns, rest):
            return _mapping(keys, patterns, rest, subject)
        case ast.MatchClass(cls, patterns, names, named):
            return _object(cls, patterns, names, named, subject)
    return None


def _all(parts: list[Fit | None]) -> Fit | None:
    """What all of the parts ask, in their order."""
    result = Fit()
    for part in parts:
        if part is None:
            return None
        result = Fit(result.tests + part.tests, result.names + part.names)
    return result


def _either(parts: list[Fit | None]) -> Fit | None:
    """What one of the parts asks; all give the same names to the same values."""
    known = [part for part in parts if part is not None]
    named = [[(name, ast.dump(value)) for name, value in sorted(part.names)] for part in known]
    if len(known) < len(parts) or any(names != named[0] for names in named):
        return None
    return Fit((ast.BoolOp(ast.Or(), [part.test for part in known]),), known[0].names)


def _sequence(patterns: list[ast.pattern], subject: ast.expr) -> Fit | None:
    """A list or a tuple, of which one pattern may take all that the others leave."""
    starred = [k for k, one in enumerate(patterns) if isinstance(one, ast.MatchStar)]
    before = starred[0] if starred else len(patterns)
    behind = len(patterns) - before - 1
    size = call("len", subject)
    enough = ast.Compare(size, [ast.GtE() if starred else ast.Eq()], [ast.Constant(len(patterns) - len(starred))])
    parts: list[Fit | None] = [Fit((call("isinstance", subject, _classes("list", "tuple")), enough))]
    for k, one in enumerate(patterns):
        if isinstance(one, ast.MatchStar):
            end = ast.BinOp(size, ast.Sub(), ast.Constant(behind))
            left = ast.Subscript(subject, ast.Slice(ast.Constant(k), end), ast.Load())
            parts.append(Fit(names=((one.name, call("list", left)),)) if one.name else Fit())
        else:
            place = ast.Constant(k if k < before else k - len(patterns))
            parts.append(_fit(one, ast.Subscript(subject, place, ast.Load())))
    return _all(parts)


def _mapping(keys: list[ast.expr], patterns: list[ast.pattern], rest: str | None, subject: ast.expr) -> Fit | None:
    """A dict with these keys."""
    parts: list[Fit | None] = [Fit((call("isinstance", subject, _classes("dict")),))]
    for key, one in zip(keys, patterns, strict=True):
        parts.append(Fit((ast.Compare(key, [ast.In()], [subject]),)))
        parts.append(_fit(one, ast.Subscript(subject, key, ast.Load())))
    if rest is not None:
        names = [ast.Name(name, ast.Store()) for name in ("key", "value")]
        others = ast.Compare(load("key"), [ast.NotIn()], [ast.Tuple(keys, ast.Load())])
        items = ast.Call(ast.Attribute(subject, "items", ast.Load()), [], [])
        each = ast.comprehension(ast.Tuple([*names], ast.Store()), items, [others], 0)
        parts.append(Fit(names=((rest, ast.DictComp(load("key"), load("value"), [each])),)))
    return _all(parts)


def _object(
    cls: ast.expr, patterns: list[ast.pattern], names: list[str], named: list[ast.pattern], subject: ast.expr
) -> Fit | None:
    """An object of a class, with these attributes."""
    parts: list[Fit | None] = [Fit((call("isinstance", subject, cls),))]
    if patterns and isinstance(cls, ast.Name) and cls.id in WHOLE:
        parts += [_fit(one, subject) for one in patterns]
    else:
        order = ast.Attribute(cls, "__match_args__", ast.Load())
        for k, one in enumerate(patterns):
            parts.append(_fit(one, call("getattr", subject, ast.Subscript(order, ast.Constant(k), ast.Load()))))
    for name, one in zip(names, named, strict=True):
        parts.append(Fit((call("hasattr", subject, ast.Constant(name)),)))
        parts.append(_fit(one, ast.Attribute(subject, name, ast.Load())))
    return _all(parts)


def _classes(*names: str) -> ast.expr:
    return ast.Tuple([load(name) for name in names], ast.Load())
