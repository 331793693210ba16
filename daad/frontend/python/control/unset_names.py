"""Variables to which some way gives no value: they get one, and a flag that says whether it counts.

Python raises an exception where such a variable is used; so does the Program, whose check looks at the flag.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from daad.frontend.python.control.checks import Check, catches, note
from daad.frontend.python.reading.reader import UNBOUND, Reader
from daad.frontend.python.reading.scope import Scope, Unknown, parameter_names
from daad.frontend.python.syntax.made_nodes import SCOPES, assign, bound_in, copied, kept, located
from daad.frontend.staging import variable_storage
from daad.frontend.staging.speculation import decided
from daad.frontend.staging.truth import truth
from daad.frontend.staging.values import ArrayValue
from daad.ir.constructors import negation
from daad.ir.nodes import Expr
from daad.ir.symbols import Kind, symbol

STARTS: dict[str, float | int | bool] = {"float64": 0.0, "int64": 0, "bool": False}
"""What a variable holds that has no value yet, by its dtype."""
ASSIGNING = (ast.Assign, ast.AugAssign, ast.AnnAssign)


@dataclass
class Unset:
    """The order that a variable gets a flag, and with it all others that wait for one: all is read again."""

    reader: Reader
    node: ast.FunctionDef
    name: str
    start: float | int | bool
    within: tuple[object, ...] = ()

    def order(self) -> None:
        waiting = (
            held.demand for one in self.reader.frames for held in one.values.values() if isinstance(held, Unknown)
        )
        for one in (self, *(found for found in waiting if isinstance(found, Unset))):
            one.reader.unset.setdefault(id(one.node), {})[one.name] = one.start


def demand(reader: Reader, holder: Any, name: Any, value: Any) -> Unset | None:
    """The order for a variable that has the value on one side alone; None where it gets no flag: it is no number, it is
    bound otherwise than by assignments, its absence may be caught, or ways are followed one by one."""
    if reader.stage.speculation.is_on or reader.attempts:
        return None
    scope = next((one for one in reversed(reader.frames) if one.values is holder), None)
    spec = variable_storage.spec_of(value)
    if scope is None or spec is None:
        return None
    node = scope.source.node
    is_number = isinstance(value, ArrayValue | float | int) and not any(kind.shape for kind in spec.kinds)
    start = STARTS.get(str(spec.kinds[0].dtype)) if is_number and len(spec.kinds) == 1 else None
    if start is None or not isinstance(node, ast.FunctionDef) or name in reader.unset.get(id(node), {}):
        return None
    only_assigned = kept(node, "only assigned", lambda: _only_assigned(node))
    return Unset(reader, node, name, start) if name in only_assigned else None


def _only_assigned(node: ast.FunctionDef) -> frozenset[str]:
    """The names that nothing but assignments in the function's own body bind; parameters have a value before."""
    stored = Counter(bound_in([node], (ast.Store, ast.Del)))
    assigned = Counter(name for found in _assignments(node.body) for name in _stored_in(found))
    found = (name for name, count in assigned.items() if stored[name] == count)
    return frozenset(found) - frozenset(parameter_names(node.args))


def _assignments(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    waiting = list[ast.AST](body)
    while waiting:
        one = waiting.pop()
        found += [one] if isinstance(one, ASSIGNING) else []
        waiting += [] if isinstance(one, SCOPES) else list(ast.iter_child_nodes(one))
    return found


def _stored_in(node: ast.stmt) -> list[str]:
    return bound_in(node.targets if isinstance(node, ast.Assign) else [node.target])  # type: ignore[attr-defined]


def body_of(reader: Reader, node: ast.FunctionDef) -> Sequence[ast.stmt]:
    """The statements of the innermost call, with the flags that were ordered."""
    names = reader.unset.get(id(node))
    if not names:
        return node.body
    reader.scope.own |= frozenset(map(flag_of, names))
    return kept(node, f"flags of {' '.join(names)}", lambda: _flagged(node, names))


def flag_of(name: str) -> str:
    return symbol(Kind.FLAG, "set", name)


class _Flags(ast.NodeTransformer):
    """Puts `flag = True` behind what assigns one of the names."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names = names

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, SCOPES):
            return node
        if not isinstance(node, ASSIGNING):
            return self.generic_visit(node)
        set_now = dict.fromkeys(name for name in _stored_in(node) if name in self.names)
        return [node, *(located([assign(flag_of(name), ast.Constant(True))], node)[0] for name in set_now)]


def _flagged(node: ast.FunctionDef, names: Mapping[str, Any]) -> list[ast.stmt]:
    first = [assign(name, ast.Constant(start)) for name, start in names.items()]
    first += [assign(flag_of(name), ast.Constant(False)) for name in names]
    body = _Flags(names).visit(ast.Module(copied(node.body), [])).body
    return [*located(first, node.body[0]), *body]


def lookup(reader: Reader, name: str) -> Any:
    """The value of a name; that it has one is checked where data decide that."""
    if reader.unset:
        home = reader.scope.home(name)
        if home is not None and name in reader.unset.get(id(home.source.node), {}):
            _require_set(reader, home, name)
    return reader.lookup(name)


def _require_set(reader: Reader, home: Scope, name: str) -> None:
    stage, flag = reader.stage, flag_of(name)
    reader.note_read((id(home.values), flag))
    found = home.values.get(flag)
    is_set = truth(stage, found) if isinstance(found, ArrayValue) else found is not False
    if isinstance(is_set, Expr) and not catches(reader, UnboundLocalError):
        note(reader, Check(*UNBOUND, stage.at), negation(is_set))
    elif isinstance(is_set, Expr) and not stage.speculation.asked():
        stage.refuse(*UNBOUND)
    elif not (decided(stage, is_set) if isinstance(is_set, Expr) else is_set):
        stage.refuse(*UNBOUND, reader.scope.unbound(name))
