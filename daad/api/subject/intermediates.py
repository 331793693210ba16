"""Gradients of intermediate values: `also=("u", ("v", 3))`, of the value that `u` last held, and of the third of `v`.

The function becomes one with a parameter for each of these, which is zero and is added where the value has just been
written: behind the write whose number a second parameter tells. It returns how many writes there were, too.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import io
import types
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from daad.api.subject import arguments as calls
from daad.api.subject.local_variables import ATTRIBUTE, KEPT, SHARED, live, variables
from daad.api.subject.request import Request
from daad.api.subject.tangent_arguments import is_one
from daad.errors import BadArgument, Location, NotDifferentiable
from daad.frontend.python.reading.scope import parameter_names
from daad.frontend.python.syntax.source import SOURCE_ATTRIBUTE, function_source

Item = str | tuple[str, int]
METHODS = frozenset({"fill", "sort", "put", "partition", "itemset", "append", "insert", "extend", "at"})
"""What writes the object that it is a method of, or the first argument."""
FUNCTIONS = frozenset({"copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis", "shuffle"})
"""What writes its first argument."""
HINT = "Name variables of the program, or pairs of one and the number of a write, such as ('u', 3)."


@dataclass(frozen=True)
class Value:
    """One of the values that are asked for: the last of the variable (`number` is None), or that of a write."""

    name: str
    number: int | None

    @property
    def key(self) -> Item:
        return self.name if self.number is None else (self.name, self.number)

    @property
    def parameter(self) -> str:
        return f"{self.name}__last" if self.number is None else f"{self.name}__write_{self.number}"

    @property
    def place(self) -> str:
        """The parameter that tells the number of the write."""
        return f"{self.parameter}_number"


def values_of(also: Any) -> tuple[Value, ...]:
    """What the option asks for; BadArgument for anything else."""
    items = [also] if isinstance(also, str) else also
    if not isinstance(items, list | tuple) or not items:
        raise BadArgument(f"The option 'also' is {also!r}.", hint=HINT)
    if len(items) == 2 and isinstance(items[0], str) and isinstance(items[1], int):
        items = [tuple(items)]
    found = tuple(dict.fromkeys(map(_value, items)))
    if len(found) < len(items):
        raise BadArgument("The option 'also' names a value twice.", hint="Name each once.")
    return found


def _value(item: Any) -> Value:
    if isinstance(item, str) and item.isidentifier():
        return Value(item, None)
    is_pair = isinstance(item, list | tuple) and len(item) == 2 and isinstance(item[0], str)
    if is_pair and isinstance(item[1], int | np.integer) and item[1] > 0:
        return Value(item[0], int(item[1]))
    raise BadArgument(f"The option 'also' holds {item!r}.", hint=HINT)


@dataclass
class Written:
    """What a run of the function in Python shows: the number of writes of each variable, and the values asked for."""

    values: tuple[Value, ...]
    counts: dict[str, int] = field(default_factory=dict)
    held: dict[Value, Any] = field(default_factory=dict)
    now: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    def wrote(self, name: str, value: Any) -> None:
        """Notes a write."""
        self.counts[name] = count = self.counts.get(name, 0) + 1
        self.now[name] = value, copy.deepcopy(value)
        for each in self.values:
            if each.name == name and each.number in (None, count):
                self.held[each] = value

    def unseen(self) -> str | None:
        """A variable whose array has been written since, by what does not show in the function's own text."""
        return next((name for name, (value, then) in self.now.items() if not _same(value, then)), None)


def _same(one: Any, other: Any) -> bool:
    if not isinstance(one, np.ndarray):
        return True
    return one.shape == other.shape and bool(np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"))


class Marked:
    """A function that takes what is added to intermediate values, with the one that Python runs to see their shapes."""

    def __init__(self, original: types.FunctionType, noting: types.FunctionType, values: tuple[Value, ...]) -> None:
        self.original, self._noting, self.wanted = original, noting, values
        self._known: dict[Hashable, dict[str, Any]] = {}

    def values(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        """Zeros in the shapes of the values, and the numbers of their writes, in such a call."""
        key = self._key(args, keywords)
        if key not in self._known:
            self._known[key] = self._seen(args, keywords)
        return dict(self._known[key])

    def correct(self, args: Sequence[Any], keywords: Mapping[str, Any], counts: Sequence[Any]) -> bool:
        """Whether a call with so many writes has marked the last ones; if not, the next such call will."""
        known = self._known[self._key(args, keywords)]
        for value, count in zip(self.wanted, counts, strict=True):
            if value.number is not None and value.number > count:
                raise self._missing(value, int(count))
        new = {v.place: int(n) for v, n in zip(self.wanted, counts, strict=True) if v.number is None}
        is_right = all(known[place] == number for place, number in new.items())
        known.update(new)
        return is_right

    def _key(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> Hashable:
        own = {v.parameter for v in self.wanted} | {v.place for v in self.wanted}
        given = sorted((name, calls.form(value)) for name, value in keywords.items() if name not in own)
        whole = tuple(value for value in args if isinstance(value, int))
        return tuple(map(calls.form, args)), whole, repr(given)

    def _seen(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        written = Written(self.wanted)
        with SHARED.returned(), contextlib.redirect_stdout(io.StringIO()):
            self._noting(*copy.deepcopy(args), **copy.deepcopy(dict(keywords)), **{KEPT: written})
        unseen = written.unseen()
        if unseen is not None:
            hint = "Write it in the function itself."
            raise BadArgument(f"'{unseen}' is written where its name does not show.", hint=hint)
        found: dict[str, Any] = {}
        for value in self.wanted:
            count = written.counts.get(value.name, 0)
            if value not in written.held:
                raise self._missing(value, count)
            found |= {value.parameter: _zero(value, written.held[value]), value.place: value.number or count}
        return found

    def _missing(self, value: Value, count: int) -> BadArgument:
        times = "never" if not count else "once" if count == 1 else f"{count} times"
        hint = "Ask for an argument by 'wrt'." if not count else "Ask for a write that there is."
        return BadArgument(f"'{self.original.__name__}' writes '{value.name}' {times}.", hint=hint)


def _zero(value: Value, held: Any) -> Any:
    if isinstance(held, np.ndarray | np.generic) and held.dtype.kind in "fc":
        return np.zeros_like(held)[()] if isinstance(held, np.generic) else np.zeros(held.shape, held.dtype)
    if isinstance(held, float | complex):
        return type(held)(0)
    what = f"an array of {held.dtype}" if isinstance(held, np.ndarray) else f"of type '{type(held).__name__}'"
    raise NotDifferentiable(f"'{value.name}' is {what}, which has no gradient.", hint="Ask for floats.")


def marked(function: Any, values: tuple[Value, ...], request: Request) -> Any:
    """The function with a parameter for each value, and the numbers of writes beside what it returns."""
    if not isinstance(function, types.FunctionType):
        raise BadArgument("The option 'also' is for plain functions.", hint="Write the program as one.")
    source = function_source(function)
    if not isinstance(source.node, ast.FunctionDef):
        raise BadArgument("A lambda has no variables for 'also'.", hint="Write it as a function.")
    known = {*variables(source), *parameter_names(source.node.args)}
    if isinstance(request.of, tuple) or (isinstance(request.of, str) and request.of not in known):
        hint = "Choose one variable or position with 'of'."
        raise BadArgument("With 'also', one array or number is differentiated.", hint=hint)
    for value in values:
        if value.name not in known:
            names = ", ".join(variables(source)) or "none"
            at = Location.of(source.node, source.filename)
            raise BadArgument(f"There is no variable '{value.name}'.", at=at, hint=f"The variables are {names}.")
    node, noting = copy.deepcopy(source.node), copy.deepcopy(source.node)
    starts = _placed("".join(f"{name}__writes = 0\n" for name in _names(values)), source.node.body[0])
    node.body = [*starts, *_with_marks(node.body, _names(values), lambda name: _mark(name, values))]
    noting.body = _with_marks(noting.body, _names(values), lambda name: f"{KEPT}.wrote({name!r}, {name})")
    counts = ", ".join(f"{value.name}__writes" for value in values)
    node.body = [*_Returning(request, counts).body(node.body), *_ending(request, counts, node.body[-1])]
    made = live(source, function, node, [name for value in values for name in (value.parameter, value.place)])
    setattr(made, SOURCE_ATTRIBUTE, replace(source, node=node, function=function))
    setattr(made, ATTRIBUTE, Marked(function, live(source, function, noting, [KEPT]), values))
    return made


def marked_request(request: Request, values: tuple[Value, ...]) -> Request:
    """What is asked of the marked function."""
    wrt: Any = request.wrt
    first = (0 if wrt is None else wrt,) if is_one(wrt) else wrt
    return replace(request, wrt=(*first, *(value.parameter for value in values)), of=None, has_aux=True)


def _names(values: Sequence[Value]) -> list[str]:
    return [*dict.fromkeys(value.name for value in values)]


def _mark(name: str, values: Sequence[Value]) -> str:
    lines = [f"{name}__writes = {name}__writes + 1"]
    for value in values:
        if value.name == name:
            lines += [f"if {name}__writes == {value.place}:", f"    {name} += {value.parameter}"]
    return "\n".join(lines)


def _with_marks(body: list[ast.stmt], names: Sequence[str], text: Callable[[str], str]) -> list[ast.stmt]:
    """The statements, each with a mark behind it (at the start of its block, for a target of a loop) that writes."""
    out: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            out.append(statement)
            continue
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            if getattr(statement, block, None):
                _mark_block(statement, block, names, text)
        marks = [node for name in names if _binds(statement, name) for node in _placed(text(name), statement)]
        if isinstance(statement, ast.For | ast.With):
            statement.body, marks = [*marks, *statement.body], []
        out += [statement, *marks]
    return out


def _mark_block(statement: Any, block: str, names: Sequence[str], text: Callable[[str], str]) -> None:
    inner = getattr(statement, block)
    if inner and isinstance(inner[0], ast.stmt):
        setattr(statement, block, _with_marks(inner, names, text))
        return
    for part in inner:
        part.body = _with_marks(part.body, names, text)


def _placed(text: str, at: ast.stmt) -> list[ast.stmt]:
    made = ast.parse(text).body
    for node in made:
        for inner in ast.walk(node):
            ast.copy_location(inner, at)
    return made


def _binds(statement: ast.stmt, name: str) -> bool:
    """Whether the statement itself, without those inside it, writes the variable or its array."""
    return any(_writes(node, name) for part in _heads(statement) for node in _inside(part))


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """The node and those inside it, without functions and comprehensions."""
    yield node
    if not isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        for inner in ast.iter_child_nodes(node):
            yield from _inside(inner)


def _heads(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement that are not in a block of its."""
    for _, value in ast.iter_fields(statement):
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.expr | ast.withitem):
                yield item


def _writes(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.Subscript | ast.Attribute):
        return isinstance(node.ctx, ast.Store) and _root(node) == name
    if not isinstance(node, ast.Call):
        return False
    if any(word.arg == "out" and name in _parts(word.value) for word in node.keywords):
        return True
    if not isinstance(node.func, ast.Attribute):
        return False
    first = bool(node.args) and _root(node.args[0]) == name
    return (node.func.attr in METHODS and (_root(node.func) == name or first)) or (
        node.func.attr in FUNCTIONS and first
    )


def _parts(node: ast.expr) -> set[str | None]:
    return {_root(item) for item in (node.elts if isinstance(node, ast.Tuple) else [node])}


def _root(node: ast.AST) -> str | None:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


class _Returning(ast.NodeTransformer):
    """Returns give what is differentiated, and the numbers of writes beside it."""

    def __init__(self, request: Request, counts: str) -> None:
        self._request, self._counts = request, counts

    def body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements of a function."""
        module: ast.Module = self.visit(ast.Module(body, []))
        return module.body

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        request, counts = self._request, f"({self._counts},)"
        if isinstance(request.of, str):
            return _placed(f"return {request.of}, (None, {counts})", node)
        of = "" if request.of is None else f"[{request.of}]"
        aux = "returned__[1]" if request.has_aux else "None"
        first = "returned__[0]" if request.has_aux else f"returned__{of}"
        made = _placed(f"returned__ = None\nreturn {first}, ({aux}, {counts})", node)
        assert isinstance(made[0], ast.Assign), "as it was written above"
        made[0].value = made[0].value if node.value is None else node.value
        return made


def _ending(request: Request, counts: str, last: ast.stmt) -> list[ast.stmt]:
    """What a function returns that ends without a return."""
    return _placed(f"return {request.of}, (None, ({counts},))", last) if isinstance(request.of, str) else []
