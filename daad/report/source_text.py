"""The user's source: its functions, the lines of these that say something, and where each name is bound."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from daad.errors import Location

LONGEST = 36
"""Characters of an expression that stands for the name of its value."""


@dataclass(frozen=True)
class Function:
    """A function by its name and its first and last line; "" is the top level of the file."""

    name: str
    first: int
    last: int


@dataclass(frozen=True)
class Source:
    """A file, or a cell of a notebook: its lines, its functions, and its statements by the lines that they begin on."""

    lines: tuple[str, ...]
    functions: tuple[Function, ...]
    bound: tuple[tuple[int, int, frozenset[str]], ...]
    statements: tuple[ast.stmt, ...]

    def function_at(self, line: int) -> Function:
        """The innermost function around a line."""
        around = [f for f in self.functions if f.first <= line <= f.last]
        return min(around, key=lambda f: f.last - f.first, default=Function("", 1, len(self.lines)))

    def binds(self, name: str, line: int) -> bool:
        """Whether a statement on the line, or what is inside of a loop or branch there, gives the name a value."""
        return name in self._bound_on.get(line, ())

    @cached_property
    def _bound_on(self) -> Mapping[int, frozenset[str]]:
        """The names that statements on each line bind."""
        found: dict[int, frozenset[str]] = {}
        for first, last, names in self.bound:
            for line in range(first, last + 1):
                found[line] = found.get(line, frozenset()) | names
        return found

    def binds_in_function(self, name: str, line: int) -> bool:
        """Whether anything in the function around the line gives the name a value."""
        inside = self.function_at(line)
        return any(inside.first <= first <= inside.last and name in names for first, _, names in self.bound)

    def told(self, function: Function, lines: frozenset[int]) -> Iterator[tuple[int, str]]:
        """The lines of a function that hold code; of the top level those between the first and the last of `lines`."""
        first, last = (function.first, function.last) if function.name else (min(lines), max(lines))
        silent = self._silent()
        for number in range(first, min(last, len(self.lines)) + 1):
            text = self.lines[number - 1]
            is_code = text.strip() and not text.strip().startswith("#") and number not in silent
            if is_code and self.function_at(number) == function:
                yield number, text

    def _silent(self) -> frozenset[int]:
        """Lines of docstrings."""
        texts = [s for s in self.statements if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)]
        return frozenset(n for s in texts for n in range(s.lineno, (s.end_lineno or s.lineno) + 1))


def line_at(at: Location | None) -> str:
    """The line of a place; "" where it cannot be read."""
    lines = source_of(at.file).lines if at else ()
    return lines[at.line - 1] if at and 0 < at.line <= len(lines) else ""


def source_of(file: str) -> Source:
    """What is known of a file now."""
    return _read("".join(linecache.getlines(file)))


@lru_cache(maxsize=64)
def _read(text: str) -> Source:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return Source(tuple(text.splitlines()), (), (), ())
    found = tuple(node for node in ast.walk(tree) if isinstance(node, ast.stmt))
    functions = [s for s in found if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef)]
    spans = tuple(Function(f.name, f.lineno, f.end_lineno or f.lineno) for f in functions)
    scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    bound = tuple((*_head(s), frozenset(_bound(s))) for s in found if not isinstance(s, scopes))
    return Source(tuple(text.splitlines()), spans, bound, found)


def _head(statement: ast.stmt) -> tuple[int, int]:
    """The lines of a statement; of a loop or branch those before its body."""
    body = getattr(statement, "body", None)
    end = max(statement.lineno, body[0].lineno - 1) if body else statement.end_lineno
    return statement.lineno, end or statement.lineno


def _bound(statement: ast.stmt) -> Iterator[str]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            yield from (n.id for n in ast.walk(node.value) if isinstance(n, ast.Name))
            yield from (n.attr for n in ast.walk(node.value) if isinstance(n, ast.Attribute))


def written_as(at: Location | None) -> str:
    """What computes a value there, as the user wrote it: the target of an assignment, 'result' of what is returned,
    else the expression, shortened; "" where the source cannot be read."""
    source = source_of(at.file) if at else None
    if at is None or source is None or not 0 < at.line <= len(source.lines):
        return ""
    whole = next((s for s in source.statements if (s.lineno, s.col_offset) == (at.line, at.column)), None)
    if isinstance(whole, ast.Return):
        return "result"
    if isinstance(whole, ast.Assign):
        return shortened(", ".join(map(ast.unparse, whole.targets)))
    if isinstance(whole, ast.AugAssign | ast.AnnAssign):
        return shortened(ast.unparse(whole.target))
    line = source.lines[at.line - 1].encode()
    end = at.end_column if at.end_column > at.column else len(line)
    return shortened(line[at.column : end].decode(errors="ignore"))


def shortened(text: str, most: int = LONGEST) -> str:
    """The text in one line, cut where it is too long."""
    return cut(" ".join(text.split()), most)


def cut(text: str, most: int) -> str:
    """The text, with a mark where it ends if it is too long."""
    return text if len(text) <= most else text[: most - 1] + "…"
