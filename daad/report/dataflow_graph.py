"""The dataflow of a program as DOT text: arrays and statements, functions as clusters, colours by what a value is."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from daad.errors import BadArgument, Location
from daad.ir.nodes import Program
from daad.ir.printer import body_text, declaration, name_text
from daad.ir.versions import array_of
from daad.ir.walk import nests, writes

if TYPE_CHECKING:
    from daad.pipeline import Derivation

COLOURS = {
    "input": "salmon",
    "output": "cornflowerblue",
    "stored": "gold",
    "recomputed": "palegreen",
    "dead": "lightgrey",
}
"""By what an array is to the gradient; a statement that carries no derivative is dead, too."""
PARTS = ("ccs", "primal", "adjoint", "joint")


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A program, the arrays that have a colour, and the numbers of the statements that carry no derivative."""

    program: Program
    roles: Mapping[str, str]
    dead: frozenset[int] = frozenset()


def dot(derivation: Derivation, part: str) -> str:
    """DOT text of the "primal", the "adjoint", the "joint" program, or of the "ccs": the primal with what matters."""
    if part not in PARTS:
        raise BadArgument(f"A gradient has no part {part!r}.", hint=f"Use one of {', '.join(map(repr, PARTS))}.")
    return "\n".join(_lines(_drawn(derivation, part))) + "\n"


def _drawn(derivation: Derivation, part: str) -> Drawn:
    ccs, roles = derivation.ccs, _roles(derivation)
    if part == "adjoint":
        return Drawn(program=derivation.adjoint_program, roles=roles)
    if part == "joint":
        return Drawn(program=derivation.joint, roles=roles)
    if part == "primal":
        return Drawn(program=derivation.primal, roles=roles)
    statements = range(sum(1 for _ in nests(derivation.primal.body)))
    dead = {name: "dead" for name in derivation.primal.arrays if name not in ccs.active}
    unused = frozenset(n for n in statements if n not in ccs.statements)
    return Drawn(program=derivation.primal, roles={**roles, **dead}, dead=unused)


def _roles(derivation: Derivation) -> dict[str, str]:
    stored = {str(array_of(version)) for version in derivation.plan.kept} | {t.name for t in derivation.plan.tapes}
    found = dict.fromkeys(sorted(derivation.hints.recompute), "recomputed")
    found |= dict.fromkeys(sorted(stored), "stored")
    found |= dict.fromkeys(derivation.ccs.inputs, "input") | dict.fromkeys(derivation.ccs.outputs, "output")
    return found | {name: "output" for name in derivation.gradients if name is not None}


@dataclass(frozen=True)
class _Statement:
    number: int
    text: str
    scope: str
    read: tuple[str, ...]
    written: tuple[str, ...]


def _statements(program: Program) -> list[_Statement]:
    found = []
    for number, nest in enumerate(nests(program.body)):
        scope = "" if nest.at is None else _function_at(nest.at)
        written = tuple(sorted(writes((nest,))))
        found.append(_Statement(number, body_text((nest,)).strip(), scope, tuple(sorted(nest.loaded)), written))
    return found


def _lines(drawn: Drawn) -> Iterator[str]:
    program, statements = drawn.program, _statements(drawn.program)
    yield f"digraph {json.dumps(program.name)} {{"
    yield "  node [fontname=monospace];"
    used = {name for s in statements for name in (*s.read, *s.written)}
    for array in program.arrays.values():
        if array.name in used:
            colour = COLOURS.get(drawn.roles.get(array.name, ""))
            fill = f" style=filled fillcolor={colour}" if colour else ""
            yield f"  {_id(array.name)} [shape=box label={json.dumps(declaration(array))}{fill}];"
    for k, scope in enumerate(dict.fromkeys(s.scope for s in statements)):
        inside = [f"  {line}" for s in statements if s.scope == scope for line in _node(s, drawn.dead)]
        yield from (
            [f"  subgraph cluster_{k} {{", f"    label={json.dumps(scope)};", *inside, "  }"] if scope else inside
        )
    for s in statements:
        yield from (f"  {_id(name)} -> s{s.number};" for name in s.read)
        yield from (f"  s{s.number} -> {_id(name)};" for name in s.written)
    yield "}"


def _node(statement: _Statement, dead: frozenset[int]) -> list[str]:
    fill = f" style=filled fillcolor={COLOURS['dead']}" if statement.number in dead else ""
    return [f"  s{statement.number} [shape=ellipse label={json.dumps(statement.text)}{fill}];"]


def _id(name: str) -> str:
    return json.dumps(name_text(name))


def _function_at(at: Location) -> str:
    """The innermost function around a line of the source, "" where there is none or no file."""
    inside = [(end - start, name) for start, end, name in _functions(at.file) if start <= at.line <= end]
    return min(inside, default=(0, ""))[1]


@lru_cache(maxsize=64)
def _functions(file: str) -> tuple[tuple[int, int, str], ...]:
    try:
        tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return ()
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return tuple((node.lineno, node.end_lineno or node.lineno, node.name) for node in found)
