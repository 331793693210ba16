"""Rules that users give: what a Program holds of them, and what is left when a derivative has been taken.

A function with a rule is read as what its rule says, each statement with the number of the derivative that it is for
(its level: 1 is the next one). `ruled(formula, value, level)` has the value of one and, in that derivative, the
derivative of the other. A branch on `is_reversed(level, ...)` is never taken: it holds what runs in the reverse sweep,
made of `cotangent(y)`, the adjoint of an output, and of `link += transposed(share, number, x)`, by which the adjoint
of `x` gets its share; `y += carried(number, link)` says which outputs depend on it. The numbers count arguments and
outputs from 0; the branch has that of the pattern that is declared, if any.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from daad.ir.constructors import const
from daad.ir.dtypes import is_float
from daad.ir.nodes import Branch, Const, Expr, Load, Loop, Nest, Node, Op, Program
from daad.ir.walk import altered, computes, map_expr, map_node, nests, nodes, walk

DERIVATIVES: dict[str, tuple[str | None, ...]] = {
    "ruled": ("1", None, None),
    "ruled_later": (None, "1", None),
    "cotangent": (None,),
    "slope": (None, None),
    "transposed": (None, None, "1", None),
    "transposed_later": (None, None, None, None),
    "carried": (None, "1", None),
    "carried_later": (None, None, None),
}
"""As those of scalar operations: now, and where the rule is for a derivative after the next one."""
LEVELLED = frozenset({"ruled", "transposed", "carried"})
FORMULAS = frozenset({"anchored", "fixed"})
REVERSED, LINEARISED, DIFFERENTIATED = "is_reversed", "is_linearised", "is_differentiated"
BRANCHES = (REVERSED, LINEARISED, DIFFERENTIATED)
NOW = 1.0
"""The level of rules for the next derivative."""


def is_now(node: Op) -> bool:
    """Whether it is for the next derivative."""
    level = node.args[0 if node.name in BRANCHES else -1]
    assert isinstance(level, Const), f"the level of '{node.name}' is no number"
    return level.value == NOW


def is_rule(node: Node) -> bool:
    """Whether it is a branch that belongs to a rule, and is never taken."""
    return isinstance(node, Branch) and isinstance(node.condition, Op) and node.condition.name in BRANCHES


def is_reversed_now(node: Node) -> bool:
    """Whether it is a branch that runs in the next derivative's reverse sweep."""
    return _is_now(node, REVERSED)


def is_linearised_now(node: Node) -> bool:
    """Whether it is a branch of which the next derivative needs the matrix of derivatives."""
    return _is_now(node, LINEARISED)


def is_differentiated_now(node: Node) -> bool:
    """The same, where the matrix has a derivative of its own."""
    return _is_now(node, DIFFERENTIATED)


def _is_now(node: Node, name: str) -> bool:
    condition = node.condition if isinstance(node, Branch) else None
    return isinstance(condition, Op) and condition.name == name and is_now(condition)


def has_rules(program: Program) -> bool:
    """Whether users' rules are left in the program."""
    return any(is_rule(node) for node in walk(program.body)) or computes(program.body, LEVELLED)


def is_in_python(branch: Branch) -> bool:
    """Whether the rule that a branch holds is one that Python is called for."""
    return computes(branch.then, {"python_get"})


def is_for_reverse_only(program: Program) -> bool:
    """Whether the program has no tangents: it calls Python for a function that has none."""
    program = for_forward(program)
    return any(isinstance(n, Branch) and is_reversed_now(n) and is_in_python(n) for n in walk(program.body))


def outputs_of(branch: Branch) -> frozenset[str]:
    """The outputs of the function whose rule a branch holds; those of functions that the rule calls are its own."""
    assert isinstance(branch.condition, Op), "the branch is on a rule"
    level = _number(branch.condition.args[0])
    carried = ((a.target.array, operation(a.value, "carried")) for nest in nests(branch.then) for a in nest.assigns)
    return frozenset(array for array, found in carried if found and _number(found.args[-1]) == level)


def _number(level: Expr) -> float:
    assert isinstance(level, Const), "the level of a rule is a number"
    return float(level.value)


def held_arrays(program: Program) -> frozenset[str]:
    """Arrays that rules name, which stay as they are: outputs, whose elements have adjoints of their own even where
    their values are all the same, and those of which a matrix of derivatives is asked for."""
    branches = [node for node in walk(program.body) if isinstance(node, Branch) and is_rule(node)]
    slopes = (operation(a.value, "slope") for branch in branches for nest in nests(branch.then) for a in nest.assigns)
    named = (load.array for slope in slopes if slope for load in slope.loads)
    return frozenset(named).union(*map(outputs_of, branches))


def passive(node: Node, active: Collection[str]) -> Node:
    """A statement for the next derivative, in which nothing but what it reads of the active arrays has a derivative."""

    def leaf(expr: Expr) -> Expr | None:
        if not isinstance(expr, Load) or expr.array in active or not is_float(expr.dtype):
            return None
        return Op("ruled", (const(0.0, expr.dtype), expr, Const(NOW, expr.dtype)), expr.dtype)

    return map_node(node, lambda value: map_expr(value, leaf))


def operation(value: Expr, name: str) -> Op | None:
    """The operation of that name in an expression."""
    return next((node for node in nodes(value) if isinstance(node, Op) and node.name == name), None)


def spent(program: Program) -> Program:
    """After a derivative: rules for it are gone, those for the one after it are next."""
    return _mapped(program, 1) if has_rules(program) else program


def stripped(program: Program) -> Program:
    """Values alone, as they are computed."""
    return _mapped(program, None) if has_rules(program) else program


def without_formulas(program: Program) -> Program:
    """Of what has the value of one and the derivative of another, the value: no derivative of the program follows."""
    if not computes(program.body, FORMULAS):
        return program

    def leaf(node: Expr) -> Expr | None:
        if isinstance(node, Op) and node.name in FORMULAS:
            return map_expr(node.args[-1], leaf)
        return None

    return replace(program, body=tuple(map_node(node, lambda value: map_expr(value, leaf)) for node in program.body))


def _mapped(program: Program, levels: int | None) -> Program:
    """Without the rules of so many levels, None: of all."""

    def value(expr: Expr) -> Expr:
        return map_expr(expr, leaf)

    def leaf(node: Expr) -> Expr | None:
        if not isinstance(node, Op) or node.name not in (*LEVELLED, *BRANCHES):
            return None
        if node.name == "ruled" and (levels is None or is_now(node)):
            return node.args[1]
        at = 0 if node.name in BRANCHES else -1
        args = list(node.args)
        level = args[at]
        assert isinstance(level, Const), f"the level of '{node.name}' is no number"
        assert levels is not None, f"'{node.name}' outside of its branch"
        args[at] = Const(level.value - levels, level.dtype)
        return Op(node.name, tuple(args), node.dtype)

    def kept(body: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(found for node in body if (found := inner(node)) is not None)

    def inner(node: Node) -> Node | None:
        if is_rule(node) and (levels is None or any(_is_now(node, name) for name in BRANCHES)):
            return None
        if isinstance(node, Loop):
            body = kept(node.body)
            return map_node(altered(node, body=body), lambda e: e) if body else None
        if isinstance(node, Branch):
            then, orelse = kept(node.then), kept(node.orelse)
            if not then and not orelse:
                return None
            return altered(node, condition=value(node.condition), then=then, orelse=orelse)
        return map_node(node, value)

    return replace(program, body=kept(program.body))


def for_reverse(program: Program) -> Program:
    """For a reverse sweep: what a branch answers for has no derivative besides."""
    branches = [node for node in walk(program.body) if isinstance(node, Branch) and is_reversed_now(node)]
    outputs = frozenset[str]().union(*map(outputs_of, branches))
    return replace(program, body=_without_formulas(program.body, outputs)) if outputs else program


def for_forward(program: Program) -> Program:
    """For tangents: branches that have a formula beside them are gone."""
    return replace(program, body=_without_branches(program.body)) if has_rules(program) else program


def has_formula(branch: Branch) -> bool:
    """Whether the outputs of a branch have a derivative besides, for tangents."""
    assert isinstance(branch.condition, Op), "the branch is on a rule"
    found = branch.condition.args[1]
    return isinstance(found, Const) and bool(found.value)


def _without_branches(body: tuple[Node, ...]) -> tuple[Node, ...]:
    out: list[Node] = []
    for node in body:
        if isinstance(node, Loop):
            out.append(altered(node, body=_without_branches(node.body)))
        elif isinstance(node, Branch) and not (is_reversed_now(node) and has_formula(node)):
            then, orelse = _without_branches(node.then), _without_branches(node.orelse)
            out.append(altered(node, then=then, orelse=orelse))
        elif isinstance(node, Nest):
            out.append(node)
    return tuple(out)


def _without_formulas(body: tuple[Node, ...], outputs: frozenset[str]) -> tuple[Node, ...]:
    def value(expr: Expr) -> Expr:
        return map_expr(expr, leaf)

    def leaf(node: Expr) -> Expr | None:
        if not isinstance(node, Op) or node.name != "ruled" or not is_now(node):
            return None
        return Op("ruled", (Const(0.0, node.dtype), *node.args[1:]), node.dtype)

    def of_node(node: Node) -> Node:
        if isinstance(node, Nest):
            return map_node(node, value) if node.written & outputs else node
        if isinstance(node, Loop):
            return altered(node, body=tuple(map(of_node, node.body)))
        return altered(node, then=tuple(map(of_node, node.then)), orelse=tuple(map(of_node, node.orelse)))

    return tuple(map(of_node, body))
