"""Which constructs a program uses, read off its source text: what the random programs cover."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator


def features(source: str) -> frozenset[str]:
    """The names of all constructs of FEATURES that occur."""
    nodes = list(_with_depth(ast.parse(source)))
    return frozenset(name for name, occurs in FEATURES.items() if any(occurs(node, depth) for node, depth in nodes))


def _with_depth(node: ast.AST, depth: int = 0) -> Iterator[tuple[ast.AST, int]]:
    """All nodes with the number of loops around them."""
    yield node, depth
    for child in ast.iter_child_nodes(node):
        yield from _with_depth(child, depth + isinstance(node, ast.For))


def _is_call(*names: str) -> Callable[[ast.AST, int], bool]:
    def occurs(node: ast.AST, depth: int) -> bool:
        return isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in names

    return occurs


def _range(node: ast.AST) -> list[str]:
    """The arguments of the range that a loop runs over."""
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "range":
        return [ast.unparse(a) for a in node.iter.args]
    return []


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return [t for target in node.targets for t in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return [node.target] if isinstance(node, ast.AugAssign) else []


def _negative_step(node: ast.AST) -> bool:
    return isinstance(node, ast.Slice) and node.step is not None and ast.unparse(node.step).startswith("-")


def _is_swap(node: ast.AST) -> bool:
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Tuple) or len(_targets(node)) != 2:
        return False
    left, right = ([ast.unparse(e) for e in side] for side in (_targets(node), node.value.elts))
    return left == right[::-1]


def _is_view(node: ast.AST) -> bool:
    form = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    return form and (
        isinstance(node.value, ast.Subscript | ast.Attribute) or _is_call("ravel", "reshape")(node.value, 0)
    )


def _overlaps(node: ast.AST) -> bool:
    """An array written from a part of itself."""
    bases = {ast.unparse(t.value) for t in _targets(node) if isinstance(t, ast.Subscript)}
    value = getattr(node, "value", None)
    parts = ast.walk(value) if isinstance(value, ast.AST) and bases else ()
    return any(isinstance(p, ast.Subscript) and ast.unparse(p.value) in bases for p in parts)


def _test_reads(node: ast.AST, indices: bool) -> bool:
    """Whether the test of an 'if' is on loop variables only, or on something else."""
    if not isinstance(node, ast.If):
        return False
    names = {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}
    return all(n[0] in "ikq" and n[1:].isdigit() for n in names) == indices


FEATURES: dict[str, Callable[[ast.AST, int], bool]] = {
    "loop": lambda n, d: isinstance(n, ast.For),
    "nested loop": lambda n, d: isinstance(n, ast.For) and d >= 1,
    "loop three deep": lambda n, d: isinstance(n, ast.For) and d >= 2,
    "triangular loop": lambda n, d: d >= 1 and any(a[0] == "i" and a[1:2].isdigit() for a in _range(n)),
    "negative step of a loop": lambda n, d: len(_range(n)) == 3 and _range(n)[2].startswith("-"),
    "step of two or more": lambda n, d: len(_range(n)) == 3 and _range(n)[2].strip("-") != "1",
    "loop over items": lambda n, d: isinstance(n, ast.For) and not _range(n),
    "break or continue": lambda n, d: isinstance(n, ast.Break | ast.Continue),
    "if on loop variables": lambda n, d: _test_reads(n, indices=True),
    "if on data or flags": lambda n, d: _test_reads(n, indices=False),
    "else": lambda n, d: isinstance(n, ast.If) and bool(n.orelse),
    "conditional expression": lambda n, d: isinstance(n, ast.IfExp),
    "write into an array": lambda n, d: any(isinstance(t, ast.Subscript) for t in _targets(n)),
    "write in a loop": lambda n, d: d >= 1 and any(isinstance(t, ast.Subscript) for t in _targets(n)),
    "write that reads the array": lambda n, d: _overlaps(n),
    "negative step of a slice": lambda n, d: _negative_step(n),
    "augmented assignment": lambda n, d: isinstance(n, ast.AugAssign),
    "view": lambda n, d: _is_view(n),
    "swap": lambda n, d: _is_swap(n),
    "several targets": lambda n, d: isinstance(n, ast.Assign) and len(_targets(n)) > 1,
    "local array": _is_call("zeros", "ones", "empty", "full", "zeros_like", "empty_like", "copy"),
    "local array in a loop": lambda n, d: d >= 1 and _is_call("zeros", "ones", "empty", "zeros_like")(n, d),
    "sum or mean": _is_call("sum", "mean", "average", "reduce"),
    "maximum or minimum of an array": _is_call("max", "min", "amax"),
    "product of an array": _is_call("prod"),
    "axis": lambda n, d: isinstance(n, ast.keyword) and n.arg == "axis",
    "keepdims": lambda n, d: isinstance(n, ast.keyword) and n.arg == "keepdims",
    "matrix product": lambda n, d: isinstance(n, ast.MatMult) or _is_call("dot", "matmul", "inner", "tensordot")(n, d),
    "outer product or einsum": _is_call("outer", "einsum"),
    "new axis": lambda n, d: isinstance(n, ast.Subscript) and "None" in ast.unparse(n.slice),
    "reshape or transpose": _is_call("reshape", "ravel", "flatten", "transpose", "swapaxes"),
    "join": _is_call("concatenate", "stack", "array"),
    "cumulative sum": _is_call("cumsum"),
    "where": _is_call("where"),
    "maximum, minimum, abs, clip": _is_call("maximum", "minimum", "abs", "clip"),
    "mask": lambda n, d: isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Compare),
    "array of integers as index": lambda n, d: isinstance(n, ast.Subscript) and "idx" in ast.unparse(n.slice),
    "function called": lambda n, d: isinstance(n, ast.Call) and ast.unparse(n.func) in ("f1", "f2"),
    "list that grows": _is_call("append"),
    "comprehension": lambda n, d: isinstance(n, ast.ListComp),
    "argument 'out'": lambda n, d: isinstance(n, ast.keyword) and n.arg == "out",
    "several results": lambda n, d: isinstance(n, ast.Return) and isinstance(n.value, ast.Tuple),
    "return on both sides": lambda n, d: isinstance(n, ast.If) and isinstance(n.body[-1], ast.Return),
}
