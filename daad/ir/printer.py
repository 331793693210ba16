"""The text of a Program: stable, close to what the user wrote, and all that `parser.parse` needs to make it again.

A dtype is written, as in `0.5:float32` or `add:int32(a, b)`, where it does not follow from what is around it. `0` among
floats is the zero of whose sign nobody asks, with which adjoints begin; `0.0` and `-0.0` have signs. What would be read
as an affine form but is none is written as a call, `add(i, 1)`; a form where it would be read as an index is
`index(i)`. What a statement computes more than once is written once if all of it were long: `let $1 = sin(x[i])` stands
before it, or in it where it runs over a domain, and `$1` for that expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from daad.ir.affine import Affine
from daad.ir.memo import remembered
from daad.ir.nodes import (
    Access,
    Array,
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
    Sharing,
    Unsigned,
    children,
)
from daad.ir.operations import OPERATIONS
from daad.ir.unwritten_dtypes import literal_dtype, operation_dtype, wanted_dtype

ATOM = 9
NAME = re.compile(r"(?!(?:inf|nan|if|else|and|or)$)[^\W\d]\w*(@\w+(\.\d+)?)?")
Arrays = Mapping[str, Array]
NOTHING: Arrays = {}
Names = Mapping[Expr, str]
NONE: Names = {}
LONG, SHORT = 400, 4
"""Operands in a statement that may be written out, and in an expression that gets no name."""


def program_text(program: Program) -> str:
    """Header with parameters and locals, then the body."""
    lines = [f"program {program.name}({', '.join([*map(declaration, _parameters(program)), *program.integers])})"]
    local = [a for n, a in program.arrays.items() if n not in program.parameters]
    if local:
        lines.append(f"  local {', '.join(map(declaration, local))}")
    lines.extend(body_lines(program.body, "  ", program.arrays))
    if program.results:
        lines.append(f"  return {', '.join(map(name_text, program.results))}")
    return "\n".join(lines)


def _parameters(program: Program) -> list[Array]:
    return [program.arrays[name] for name in program.parameters]


def name_text(name: str) -> str:
    """The name of an array; between backquotes if it is none of Python's."""
    return name if NAME.fullmatch(name) else f"`{name}`"


def declaration(array: Array) -> str:
    """`name: dtype[shape]`."""
    return f"{name_text(array.name)}: {array.dtype}[{', '.join(map(str, array.extents or array.shape))}]"


def body_text(body: tuple[Node, ...], arrays: Arrays = NOTHING) -> str:
    return "\n".join(body_lines(body, "", arrays))


def body_lines(body: tuple[Node, ...], indent: str, arrays: Arrays = NOTHING) -> list[str]:
    lines: list[str] = []
    for node in body:
        lines.extend(indent + line for line in _node_lines(node, arrays))
    return lines


def _node_lines(node: Node, arrays: Arrays) -> list[str]:
    if isinstance(node, Nest):
        return _nest_lines(node, arrays)
    if isinstance(node, Loop):
        names = repeated(node.header)
        return [*_let_lines(names), *_loop_lines(node, arrays, names)]
    names = repeated((node.condition,))
    return [*_let_lines(names), *_branch_lines(node, arrays, names)]


def _loop_lines(loop: Loop, arrays: Arrays, names: Names) -> list[str]:
    down, shared = " down" if loop.step < 0 else "", _sharing_text(loop.sharing) if loop.sharing else ""
    ending = ""
    if loop.ending:
        goes_on, begun = (expr_text(e, names=names) for e in (loop.ending.goes_on, loop.ending.begun))
        ending = f" while {goes_on} begun {begun}"
    bounds = f"{index_text(loop.start, names)} .. {index_text(loop.stop, names)}"
    return [f"loop {loop.var} = {bounds}{down}{ending}{shared}:", *body_lines(loop.body, "  ", arrays)]


def _branch_lines(branch: Branch, arrays: Arrays, names: Names) -> list[str]:
    lines = [f"if {expr_text(branch.condition, names=names)}:", *body_lines(branch.then, "  ", arrays)]
    return lines + (["else:", *body_lines(branch.orelse, "  ", arrays)] if branch.orelse else [])


def _sharing_text(sharing: Sharing) -> str:
    """Which of the shared loops it is, by how many threads, and what each of these has for itself."""
    own = f", each its own {', '.join(map(name_text, sharing.own))}" if sharing.own else ""
    return f" in parallel {sharing.number} on {sharing.threads} threads{own}"


def _nest_lines(nest: Nest, arrays: Arrays) -> list[str]:
    names = repeated([part for a in nest.assigns for part in (*a.target.index, a.value)])
    lines = [*_let_lines(names), *(assign_text(a, arrays, names) for a in nest.assigns)]
    if not nest.domain and len(nest.assigns) == 1:
        return lines
    head = "for " + ", ".join(f"{r.var} in {r.start} .. {r.stop}" for r in nest.domain) if nest.domain else "do"
    return [f"{head}:  {lines[0]}"] if len(lines) == 1 else [f"{head}:", *("  " + line for line in lines)]


def repeated(values: Iterable[Index]) -> Names:
    """Names for what occurs more than once in a statement, operands first, where all of it written out is long."""
    roots = [value for value in values if isinstance(value, Expr)]
    if sum(map(_length, roots)) <= LONG:
        return {}
    uses: dict[Expr, int] = {}
    order: list[Expr] = []

    def visit(expr: Expr) -> None:
        uses[expr] = uses.get(expr, 0) + 1
        if uses[expr] > 1:
            return
        for child in children(expr):
            if isinstance(child, Expr):
                visit(child)
        order.append(expr)

    for root in roots:
        visit(root)
    found = [expr for expr in order if uses[expr] > 1 and _length(expr) >= SHORT]
    return {expr: f"${number}" for number, expr in enumerate(found, 1)}


@remembered
def _length(expr: Expr) -> int:
    """How many operations, loads and numbers its text has."""
    return 1 + sum(_length(child) for child in children(expr) if isinstance(child, Expr))


def _let_lines(names: Names) -> list[str]:
    return [f"let {name} = {_written(expr, 0, None, names)}" for expr, name in names.items()]


def assign_text(assign: Assign, arrays: Arrays = NOTHING, names: Names = NONE) -> str:
    value, target = assign.value, arrays.get(assign.target.array)
    wanted = target.dtype if target else value.dtype
    return f"{access_text(assign.target, names)} {assign.op} {expr_text(value, 0, wanted, names)}"


def access_text(access: Access | Load, names: Names = NONE) -> str:
    if not access.index:
        return name_text(access.array)
    return f"{name_text(access.array)}[{', '.join(index_text(index, names) for index in access.index)}]"


def index_text(index: Index, names: Names = NONE) -> str:
    if isinstance(index, IndexValue):
        return f"index({index.form})"
    if isinstance(index, Const):
        return _literal(index, None)
    return str(index) if isinstance(index, Affine) else expr_text(index, names=names)


def expr_text(expr: Expr, level: int = 0, wanted: str | None = None, names: Names = NONE) -> str:
    """`level` is the binding strength of the surroundings: weaker operators get parentheses. `wanted` is the dtype that
    a literal has there if none is written; what `names` has is not written again."""
    return names[expr] if expr in names else _written(expr, level, wanted, names)


def _written(expr: Expr, level: int, wanted: str | None, names: Names) -> str:
    if isinstance(expr, Const):
        return _literal(expr, literal_dtype(expr.value, wanted))
    if isinstance(expr, IndexValue):
        return _form_text(expr.form, level)
    if isinstance(expr, Load):
        return access_text(expr, names)
    assert isinstance(expr, Op), f"unknown expression {expr!r}"
    text, strength = _op_text(expr, names)
    return f"({text})" if strength < level else text


def _form_text(form: Affine, level: int) -> str:
    if form.is_const:
        return f"index({form})"
    text = str(form)
    return f"({text})" if level and (len(form.terms) + bool(form.const) > 1 or text.startswith("-")) else text


def _literal(expr: Const, unwritten: str | None) -> str:
    text = "0" if isinstance(expr.value, Unsigned) else repr(expr.value)
    dtype = "" if expr.dtype == unwritten else f":{expr.dtype}"
    return f"({text}{dtype})" if text.startswith("-") else f"{text}{dtype}"


def _op_text(expr: Op, names: Names) -> tuple[str, int]:
    if expr.name == "cast":
        return f"{expr.dtype}({expr_text(expr.args[0], names=names)})", ATOM
    wanted = wanted_dtype(expr.name, [None if isinstance(a, Const) else a.dtype for a in expr.args])
    is_plain = expr.dtype == operation_dtype(expr.name, tuple(a.dtype for a in expr.args))
    if is_plain and not _seems_affine(expr):
        if (infix := OPERATIONS[expr.name].infix) is not None:
            sign, strength = infix
            left, right = expr.args
            first, second = expr_text(left, strength, wanted, names), expr_text(right, strength + 1, wanted, names)
            return f"{first} {sign} {second}", strength
        if expr.name == "negative":
            return f"-{expr_text(expr.args[0], 6, wanted, names)}", 4
        if expr.name == "where":
            condition, then, orelse = (
                expr_text(a, 1, w, names) for a, w in zip(expr.args, (None, wanted, wanted), strict=True)
            )
            return f"{then} if {condition} else {orelse}", 0
    name = expr.name if is_plain else f"{expr.name}:{expr.dtype}"
    each = [None, wanted, wanted] if expr.name == "where" else [wanted] * len(expr.args)
    return f"{name}({', '.join(expr_text(a, 0, w, names) for a, w in zip(expr.args, each, strict=True))})", ATOM


def _seems_affine(expr: Op) -> bool:
    """Whether the operator between the operands would be read as one of an affine form, or of a literal."""
    if expr.name == "negative":
        return isinstance(expr.args[0], IndexValue | Const)
    return expr.name in ("add", "subtract") and all(isinstance(a, IndexValue | Const) for a in expr.args)
