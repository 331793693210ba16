"""Which constructs a program uses, read off its source text and its arguments: what the random programs cover."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import numpy as np

from tests.fuzz.programs import RandomProgram, made
from tests.fuzz.words import WORDS


def features(program: RandomProgram) -> frozenset[str]:
    """The names of all rows of CONSTRUCTS and of QUESTIONS that hold."""
    nodes = list(_with_depth(ast.parse(program.source)))
    found = {name for name, occurs in CONSTRUCTS.items() if any(occurs(node, depth) for node, depth in nodes)}
    arguments = [made(text) for _, text in program.arguments]
    return frozenset(found | {name for name, holds in QUESTIONS.items() if holds(program, arguments)})


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


def _step(node: ast.AST) -> int:
    return int(ast.unparse(node.step)) if isinstance(node, ast.Slice) and node.step is not None else 1


def _trips(node: ast.AST) -> int | None:
    """The number of iterations of a range of numbers."""
    numbers = [text for text in _range(node) if text.strip("-").isdigit()]
    return len(range(*map(int, numbers))) if numbers and numbers == _range(node) else None


def _is_narrow_slice(node: ast.AST) -> bool:
    return isinstance(node, ast.Slice) and "int" in ast.unparse(node)


def _is_recurrence(node: ast.AST) -> bool:
    return isinstance(node, ast.For) and any(_overlaps(line) for line in node.body)


def _reads_itself(node: ast.AST) -> bool:
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    names = ast.walk(node.value) if isinstance(node, ast.Assign) else ()
    return isinstance(target, ast.Name) and any(isinstance(n, ast.Name) and n.id == target.id for n in names)


def _are_names(*nodes: ast.AST) -> bool:
    return all(isinstance(node, ast.Name) for node in nodes)


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


CONSTRUCTS: dict[str, Callable[[ast.AST, int], bool]] = {
    "loop": lambda n, d: isinstance(n, ast.For),
    "nested loop": lambda n, d: isinstance(n, ast.For) and d >= 1,
    "loop three deep": lambda n, d: isinstance(n, ast.For) and d >= 2,
    "triangular loop": lambda n, d: d >= 1 and any(a[0] == "i" and a[1:2].isdigit() for a in _range(n)),
    "negative step of a loop": lambda n, d: len(_range(n)) == 3 and _range(n)[2].startswith("-"),
    "step of two or more": lambda n, d: len(_range(n)) == 3 and _range(n)[2].strip("-") != "1",
    "empty loop": lambda n, d: _trips(n) == 0,
    "loop of one iteration": lambda n, d: _trips(n) == 1,
    "loop over items": lambda n, d: isinstance(n, ast.For) and not _range(n),
    "break or continue": lambda n, d: isinstance(n, ast.Break | ast.Continue),
    "if on loop variables": lambda n, d: _test_reads(n, indices=True),
    "if on data or flags": lambda n, d: _test_reads(n, indices=False),
    "else": lambda n, d: isinstance(n, ast.If) and bool(n.orelse),
    "conditional expression": lambda n, d: isinstance(n, ast.IfExp),
    "write into an array": lambda n, d: any(isinstance(t, ast.Subscript) for t in _targets(n)),
    "write in a loop": lambda n, d: d >= 1 and any(isinstance(t, ast.Subscript) for t in _targets(n)),
    "write that reads the array": lambda n, d: _overlaps(n),
    "negative step of a slice": lambda n, d: _step(n) < 0,
    "step of a slice of two or more": lambda n, d: abs(_step(n)) > 1,
    "name bound anew in a loop": lambda n, d: d >= 1 and _reads_itself(n),
    "second name of an array": lambda n, d: isinstance(n, ast.Assign) and _are_names(n.targets[0], n.value),
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
    "mask with a name": lambda n, d: (
        isinstance(n, ast.Subscript) and ast.unparse(n.slice).strip("~").startswith("mask")
    ),
    "array of integers as index": lambda n, d: isinstance(n, ast.Subscript) and "idx" in ast.unparse(n.slice),
    "function called": lambda n, d: isinstance(n, ast.Call) and ast.unparse(n.func) in ("f1", "f2"),
    "list that grows": _is_call("append"),
    "comprehension": lambda n, d: isinstance(n, ast.ListComp),
    "integer of few bits": lambda n, d: isinstance(n, ast.Attribute) and n.attr in ("int8", "uint8", "int16", "int32"),
    "raise or assert": lambda n, d: isinstance(n, ast.Raise | ast.Assert),
    "order, dtype or initial value": lambda n, d: isinstance(n, ast.keyword) and n.arg in ("order", "dtype", "initial"),
    "condition 'where'": lambda n, d: isinstance(n, ast.keyword) and n.arg == "where",
    "ddof, mode, method or copy": lambda n, d: (
        isinstance(n, ast.keyword) and n.arg in ("ddof", "mode", "method", "copy")
    ),
    "bound of few bits": lambda n, d: any("int" in text for text in _range(n)) or _is_narrow_slice(n),
    "recurrence over many elements": lambda n, d: (_trips(n) or 0) > 12 and _is_recurrence(n),
    "name that means something else": lambda n, d: isinstance(n, ast.Name) and n.id in WORDS,
    "argument 'out'": lambda n, d: isinstance(n, ast.keyword) and n.arg == "out",
    "several results": lambda n, d: isinstance(n, ast.Return) and isinstance(n.value, ast.Tuple),
    "return on both sides": lambda n, d: isinstance(n, ast.If) and isinstance(n.body[-1], ast.Return),
}

Arguments = list[np.ndarray | float | int | bool]


def _floats(arguments: Arguments) -> list[np.ndarray]:
    return [a for a in arguments if isinstance(a, np.ndarray) and a.dtype.kind == "f"]


QUESTIONS: dict[str, Callable[[RandomProgram, Arguments], bool]] = {
    "float64": lambda p, a: any(x.dtype == np.float64 for x in _floats(a)),
    "float32": lambda p, a: any(x.dtype == np.float32 for x in _floats(a)),
    "float32 and float64": lambda p, a: len({x.dtype for x in _floats(a)}) == 2,
    "array without elements": lambda p, a: any(x.size == 0 for x in _floats(a)),
    "array of one element": lambda p, a: any(x.ndim and x.size == 1 for x in _floats(a)),
    "array without axes": lambda p, a: any(x.ndim == 0 for x in _floats(a)),
    "array of two axes": lambda p, a: any(x.ndim == 2 for x in _floats(a)),
    "array in another order": lambda p, a: any(x.ndim > 1 and not x.flags.c_contiguous for x in _floats(a)),
    "array of three axes": lambda p, a: any(x.ndim == 3 for x in _floats(a)),
    "number as argument": lambda p, a: any(type(x) is float for x in a),
    "int as argument": lambda p, a: any(type(x) is int for x in a),
    "flag as argument": lambda p, a: any(type(x) is bool for x in a),
    "several arguments differentiated": lambda p, a: len(p.wrt) > 1,
    "argument not differentiated": lambda p, a: len(p.wrt) < len(_floats(a)),
    "gradient of an argument or variable": lambda p, a: isinstance(p.of, str),
    "gradient of several outputs": lambda p, a: isinstance(p.of, tuple),
    "seed": lambda p, a: p.seed != "None",
}

FEATURES = (*CONSTRUCTS, *QUESTIONS)
