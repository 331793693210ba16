"""Every parameter of every function at many values: what NumPy takes is right, value and gradient, or refused.

The calls are those of the tables of expressions, with one more argument each.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from inspect import Parameter
from typing import Any

import numpy as np
import pytest

from daad.errors import DaadError
from daad.frontend.numpy.calling.signatures import signature_of
from tests.corpus.case import Case
from tests.frontend.numpy import test_creation, test_library, test_options, test_reductions, test_shapes, test_ufuncs
from tests.frontend.numpy.expressions import OPERANDS, SCIPY, check, function_of, leaves, rows
from tests.frontend.numpy.test_gradients import copies, is_float
from tests.oracle import check_gradient
from tests.programs import interpreted

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),
]

MODULES = (test_shapes, test_reductions, test_creation, test_ufuncs)
TABLES = (test_options.HONOURED, test_library.ROWS, *MODULES)
ANY = rows(
    "0; 1; -1; 2; True; False; 0.3; (0,); (0, 1); (1, 0); [0, 1]; x; a; v; w; m; s; np.float32; float; int;"
    "np.zeros(4); np.zeros(3); np.zeros((3, 4)); np.zeros(5); np.zeros((4, 4)); (1, 2); np.array([2, 0, 1]); 'C'; 'F'"
)
WORDS = (
    *("F", "K", "A", "C", "wrap", "clip", "nearest", "valid", "same", "full", "U", "L", "right", "left", "lower", "r"),
    *("reflect", "constant", "mirror", "symm", "ij", "ortho", "forward", "complete", "unsafe", "higher", "midpoint"),
    *("edge", "symmetric", "even", "odd", "stable", "direct", "T"),
)
BY_NAME = {
    "dtype": rows("np.float32; float; int; bool; 'e'; np.complex128"),
    "axis": rows("0; 1; -1; -2; 2; (0, 1); (1, 0); (-1,); None; [0]"),
    "order": rows("'C'; 'F'; 'A'; 'K'"),
    "where": rows("m; x > 0; a > 0; True; False"),
    "initial": rows("0.3; s; -9"),
    "keepdims": ["True"],
    "mean": rows("0.3; s; 1"),
    **dict.fromkeys(("rcond", "rtol", "tol"), rows("0; -1; 1e-20; 0.5; (0,)")),
}
HANDED_ON = ("keepdims", "initial", "where")
UNDEFINED = ("np.empty", "np.empty_like", "np.ndarray")
FAILING = (".cumprod", ".cumsum", "np.cumprod", "np.cumsum")
"""With `out` of a wrong shape NumPy 2.4 ends the process."""


def values_of(parameter: Parameter) -> list[str]:
    """Arguments to try."""
    default = parameter.default
    if parameter.name in BY_NAME:
        return BY_NAME[parameter.name]
    if isinstance(default, bool):
        return [repr(not default)]
    if isinstance(default, str):
        return [repr(word) for word in WORDS if word != default]
    if isinstance(default, int | float):
        return rows("0; 1; 2; -1; 3; 0.3; s; (0, 1)")
    return ANY


def expressions() -> Iterator[str]:
    for table in TABLES:
        lists = [table] if isinstance(table, list | tuple) else [v for n, v in vars(table).items() if n.isupper()]
        yield from (row for one in lists if isinstance(one, list | tuple) for row in one if isinstance(row, str))


def called() -> dict[str, list[ast.Call]]:
    """Calls by what is called; methods of operands with a dot in front."""
    found: dict[str, dict[str, ast.Call]] = {}
    for node in (n for row in dict.fromkeys(expressions()) for n in ast.walk(ast.parse(row.partition(" = ")[0]))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = ast.unparse(node.func.value)
            name = f".{node.func.attr}" if owner in OPERANDS else f"{owner}.{node.func.attr}"
            if owner in OPERANDS or (owner.replace(".", "").isidentifier() and owner.split(".")[0] in ("np", *SCIPY)):
                first = owner if owner in OPERANDS else ast.unparse(node.args[0]) if node.args else ""
                found.setdefault(name, {}).setdefault(first[:1], node)
    return {name: [c for key, c in calls.items() if key in "axpck"][:2] for name, calls in found.items()}


CALLS = called()


def product(name: str) -> Iterator[str]:
    """The calls of a function with one more argument."""
    function = name[1:] if name.startswith(".") else eval(name, {"np": np, **SCIPY})
    signature = signature_of(function)
    for call in CALLS[name] if signature is not None else ():
        places = list(signature.parameters)[: len(call.args) + isinstance(function, str)]
        parameters = [p for p in signature.parameters.values() if p.default is not p.empty and p.name not in places]
        if any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
            parameters += [Parameter(key, Parameter.KEYWORD_ONLY) for key in HANDED_ON]
        for parameter in parameters:
            if parameter.kind is not parameter.POSITIONAL_ONLY and parameter.name not in {k.arg for k in call.keywords}:
                for value in values_of(parameter):
                    keyword = ast.keyword(parameter.name, ast.parse(value, mode="eval").body)
                    more = ast.Call(call.func, call.args, [*call.keywords, keyword])
                    yield ast.unparse(ast.fix_missing_locations(more))


def result_of(expression: str) -> Any:
    """What NumPy gives; None where it fails, or gives something else than real numbers."""
    function, names = function_of(expression)
    try:
        with np.errstate(all="ignore"):
            value = function(*copies(names))
        return value if all(np.asarray(leaf).dtype.kind in "biuf" for leaf in leaves(value)) else None
    except Exception:
        return None


def require_right_or_refused(expression: str, value: Any) -> None:
    function, names = function_of(expression)
    of = 0 if isinstance(value, tuple | list) else None
    first, wrt = leaves(value)[0], tuple(filter(is_float, names))
    try:
        check(expression)
        if not wrt or np.asarray(first).dtype != np.float64 or not np.size(first) or not np.all(np.isfinite(first)):
            return
        seed = np.random.default_rng(3).uniform(0.5, 1.5, np.shape(first)) if np.ndim(first) else 1.0
        case = Case(name=expression, function=function, arguments=lambda: copies(names), wrt=wrt, of=of, seed=seed)
        if "float32" not in expression:
            check_gradient(interpreted(case)(*case.arguments()), case, count=2, rtol=1e-5)
    except DaadError:
        pass


TRIED = [name for name in sorted(CALLS) if name not in UNDEFINED and "polynomial" not in name]  # those raise on data


@pytest.mark.parametrize("name", TRIED)
def test_every_argument_is_right_or_refused(name: str) -> None:
    for expression in product(name):
        is_rounded_twice = "float32" in expression and "out=" in expression
        if not (is_rounded_twice or (name in FAILING and "out=" in expression)):
            value = result_of(expression)
            if value is not None:
                require_right_or_refused(expression, value)
