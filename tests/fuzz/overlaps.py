"""Whether NumPy itself loses numbers in a program: it copies between overlapping parts of different steps, element by
element, and so reads what it has overwritten."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from daad.api.subject.arguments import flatten
from tests.fuzz.programs import RandomProgram


def reads_overwritten(program: RandomProgram) -> bool:
    """Whether the program gives something else where each value that is assigned into an array is copied before."""
    tree = ast.fix_missing_locations(_Copies().visit(ast.parse(program.source)))
    given, copied = program.case(), replace(program, source=ast.unparse(tree) + "\n").case()
    left, right = (flatten("", [case.function(*used), used]) for case in (given, copied) for used in [case.arguments()])
    pairs = zip(left, right, strict=True)
    return not all(np.array_equal(a, b, equal_nan=True) for (_, a), (_, b) in pairs if a is not None)


class _Copies(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        """The values are evaluated first; each is copied when it is assigned."""
        (target,) = node.targets if len(node.targets) == 1 else [None]
        if isinstance(target, ast.Subscript):
            return [_assigned(target, node.value)]
        if not isinstance(target, ast.Tuple) or not any(isinstance(t, ast.Subscript) for t in target.elts):
            return [node]
        first = ast.Assign([ast.Name("values_", ast.Store())], node.value)
        values = [ast.parse(f"values_[{k}]", mode="eval").body for k in range(len(target.elts))]
        return [first, *map(_assigned, target.elts, values)]


def _assigned(target: ast.expr, value: ast.expr) -> ast.stmt:
    is_part = isinstance(target, ast.Subscript)
    return ast.Assign([target], ast.parse(f"np.array({ast.unparse(value)})", mode="eval").body if is_part else value)
