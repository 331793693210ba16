"""Names that a program had better not have: those that daad makes, words of C++, DaCe and sympy, letters of others."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tests.fuzz.programs import RandomProgram
from tests.fuzz.source import Source

MOST = 4
WORDS = """
_0 _1 _ slot action part marks advances seed_0 failed tmp trip value front row i j k l m i_1 j_1 lane__v
new delete double register NULL I M_PI INFINITY NAN EOF errno signed int64_t omp dace daad std this auto main unix
gamma y0 j1 exp sin S N E pi Q beta zeta inf limit test diff field ring plot degree Range Function
α é ß µ __x__ x__y _x words memory sdfg template
a_name_that_is_longer_than_what_compilers_had_to_tell_apart_when_names_were_still_short_and_files_on_paper
""".split()  # noqa: SIM905 (a list would be as long again)
MADE = ("{}_bar", "{}_tape", "{}_kept", "{}_in", "{}_new", "{}_sum", "{}_states", "{}_again", "{}_of", "{}_1")
"""Around names of the program."""


def renamed(source: Source, program: RandomProgram) -> RandomProgram:
    """The program with other names for some of its variables."""
    tree = ast.parse(program.source)
    used, kept = _names(tree)
    others, names = dict[str, str](), sorted(used - kept)
    for _ in range(source.integer(1, MOST)):
        old = source.choice(names)
        new = source.choice(WORDS) if source.chance(50) else source.choice(MADE).format(source.choice(names))
        new = unicodedata.normalize("NFKC", new)
        if new not in used and new not in others.values() and old not in others:
            others[old] = new
    text = ast.unparse(ast.fix_missing_locations(_Renaming(others).visit(tree)))
    return replace(
        program,
        source=text + "\n",
        arguments=tuple((others.get(name, name), made) for name, made in program.arguments),
        wrt=tuple(others.get(name, name) for name in program.wrt),
        of=others.get(program.of, program.of) if isinstance(program.of, str) else program.of,
    )


def _names(tree: ast.AST) -> tuple[set[str], set[str]]:
    """All names, and those that are no variables of the program, or are spelled elsewhere, too."""
    nodes = list(ast.walk(tree))
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    functions = {n.name for n in nodes if isinstance(n, ast.FunctionDef)}
    spelled = {n.arg for n in nodes if isinstance(n, ast.keyword) and n.arg}
    used = {n.id for n in nodes if isinstance(n, ast.Name)} | bound | functions | spelled
    return used, (used - bound) | functions | spelled


@dataclass
class _Renaming(ast.NodeTransformer):
    others: Mapping[str, str]

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.others.get(node.id, node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(self.others.get(node.arg, node.arg))

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.Nonlocal:
        return ast.Nonlocal([self.others.get(name, name) for name in node.names])
