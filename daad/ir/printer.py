"""The text of a Program: stable, and close to what the user wrote."""

from __future__ import annotations

from daad.ir.affine import Affine
from daad.ir.nodes import (
    Access,
    Assign,
    Branch,
    Const,
    Expr,
    Index,
    IndexValue,
    Load,
    Loop,
    Nest,
    Node,
    Op,
    Program,
)
from daad.ir.operations import OPERATIONS

ATOM = 9


def program_text(program: Program) -> str:
    """Header with parameters and locals, then the body."""
    lines = [f"program {program.name}({', '.join([*map(declaration, _parameters(program)), *program.integers])})"]
    local = [a for n, a in program.arrays.items() if n not in program.parameters]
    if local:
        lines.append(f"  local {', '.join(map(declaration, local))}")
    lines.extend(body_lines(program.body, "  "))
    if program.results:
        lines.append(f"  return {', '.join(program.results)}")
    return "\n".join(lines)


def _parameters(program: Program):  # type: ignore[no-untyped-def]
    return [program.arrays[name] for name in program.parameters]


def declaration(array) -> str:  # type: ignore[no-untyped-def]
    """`name: dtype[shape]`."""
    return f"{array.name}: {array.dtype}[{', '.join(map(str, array.extents or array.shape))}]"


def body_text(body: tuple[Node, ...]) -> str:
    return "\n".join(body_lines(body, ""))


def body_lines(body: tuple[Node, ...], indent: str) -> list[str]:
    lines: list[str] = []
    for node in body:
        lines.extend(indent + line for line in _node_lines(node))
    return lines


def _node_lines(node: Node) -> list[str]:
    if isinstance(node, Loop):
        down, shared = " down" if node.step < 0 else "", " in parallel" if node.sharing else ""
        head = f"loop {node.var} = {index_text(node.start)} .. {index_text(node.stop)}{down}{shared}:"
        return [head, *body_lines(node.body, "  ")]
    if isinstance(node, Branch):
        lines = [f"if {expr_text(node.condition)}:", *body_lines(node.then, "  ")]
        return lines + (["else:", *body_lines(node.orelse, "  ")] if node.orelse else [])
    return _nest_lines(node)


def _nest_lines(nest: Nest) -> list[str]:
    assigns = [assign_text(a) for a in nest.assigns]
    if not nest.domain:
        return assigns
    head = "for " + ", ".join(f"{r.var} in {r.start} .. {r.stop}" for r in nest.domain) + ":"
    return [f"{head}  {assigns[0]}"] if len(assigns) == 1 else [head, *("  " + a for a in assigns)]


def assign_text(assign: Assign) -> str:
    return f"{access_text(assign.target)} {assign.op} {expr_text(assign.value)}"


def access_text(access: Access | Load) -> str:
    if not access.index:
        return access.array
    return f"{access.array}[{', '.join(map(index_text, access.index))}]"


def index_text(index: Index) -> str:
    return str(index) if isinstance(index, Affine) else expr_text(index)


def expr_text(expr: Expr, level: int = 0) -> str:
    """`level` is the binding strength of the surroundings: weaker operators get parentheses."""
    if isinstance(expr, Const):
        return _literal(expr)
    if isinstance(expr, IndexValue):
        text = str(expr.form)
        return f"({text})" if level and len(expr.form.terms) + bool(expr.form.const) > 1 else text
    if isinstance(expr, Load):
        return access_text(expr)
    assert isinstance(expr, Op), f"unknown expression {expr!r}"
    text, strength = _op_text(expr)
    return f"({text})" if strength < level else text


def _literal(expr: Const) -> str:
    text = repr(expr.value)
    return f"({text})" if text.startswith("-") else text


def _op_text(expr: Op) -> tuple[str, int]:
    if (infix := OPERATIONS[expr.name].infix) is not None:
        sign, strength = infix
        left, right = expr.args
        return f"{expr_text(left, strength)} {sign} {expr_text(right, strength + 1)}", strength
    if expr.name == "negative":
        return f"-{expr_text(expr.args[0], 6)}", 4
    if expr.name == "where":
        condition, then, orelse = expr.args
        return f"{expr_text(then, 1)} if {expr_text(condition, 1)} else {expr_text(orelse, 1)}", 0
    name = expr.dtype if expr.name == "cast" else expr.name
    return f"{name}({', '.join(map(expr_text, expr.args))})", ATOM
