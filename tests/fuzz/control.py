"""Random control flow: loops of all kinds, branches, and the table of all statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.fuzz import idioms, places, statements
from tests.fuzz.author import Author, Maker
from tests.fuzz.forms import Form, Point
from tests.fuzz.operations import condition
from tests.fuzz.scope import Kind, Scope, Taste, Variable
from tests.fuzz.syntax import Line, Node, Nodes, Suite

MOST_POINTS = 80
DEEPEST = 3


@dataclass(frozen=True)
class Course:
    """The header of a loop and the values its variable takes at a point of the surrounding loops."""

    header: str
    values: Callable[[Point], range | list[int]]
    variable: str
    items: tuple[Variable, ...] = ()


def loop(author: Author) -> Nodes | None:
    """A 'for' with its body."""
    scope, source = author.scope, author.source
    course = source.weighted(((8, counted), (2, itemised), (1, written_out)))(author)
    if course is None:
        return None
    inner = scope.looped(course.variable, course.values)
    if len(inner.points) > MOST_POINTS:
        return None
    named = not course.variable.startswith("unused")
    inner.loops = inner.loops if named else scope.loops
    for item in course.items:
        inner.bind(item)
    body = author.within(inner)
    start: Nodes = [skip(body)] if named and source.chance(6) else []
    return [Suite(course.header, (*start, *body.block(3)))]


def skip(author: Author) -> Node:
    """A way out of one iteration, or of the loop."""
    variable, word = author.scope.loops[-1], author.source.choice(("continue", "break"))
    if author.source.chance(50):
        author.scope.on_data = True
        return Suite(f"if {condition(author.writer)}:", (Line(word),))
    return Suite(f"if {variable} == {author.source.integer(0, 3)}:", (Line(word),))


def counted(author: Author) -> Course | None:
    """`for i in range(...)`, of both signs, triangular, empty."""
    scope, source = author.scope, author.source
    name = scope.fresh("i")
    bounds = [Form(s) for s in scope.sizes] + [Form(2)]
    extent = source.choice(bounds)
    if scope.integers and source.chance(15):
        extent = Form.of(source.choice(sorted(scope.integers)))
    low: Form = Form(source.weighted(((4, 0), (3, 1), (1, 2))))
    if scope.loops and source.chance(50):
        outer = Form.of(source.choice(scope.loops)) + source.integer(0, 1)
        low, extent = (Form(0), outer) if source.chance(50) else (outer, extent)
    step = source.weighted(((5, 1), (3, -1), (1, 2), (1, -2), (1, 3)))
    first, stop = (low, extent) if step > 0 else (extent - 1, low - 1)
    parts = [_spelled(author, first), _spelled(author, stop), str(step)]
    parts = parts if step != 1 else parts[1:2] if first.is_const(0) else parts[:2]
    course = f"range({', '.join(parts)})"
    if step == 1 and first.is_const(0) and source.chance(5):
        course = f"reversed({course})"
    return Course(f"for {name} in {course}:", lambda p: range(first.at(p), stop.at(p), step), name)


def _spelled(author: Author, form: Form) -> str:
    """The bound as a number, or as the length of an array that has it."""
    if form.terms or not author.source.chance(30):
        return places.narrowed(author.source, str(form), 6)
    arrays = [v for v in author.scope.arrays() if v.shape]
    for variable in arrays:
        rest = form - variable.shape[0]
        if not rest.terms and rest.const in (0, -1):
            end = " - 1" if rest.const else ""
            return f"len({variable.name}){end}" if author.source.chance(50) else f"{variable.name}.shape[0]{end}"
    return places.narrowed(author.source, str(form), 6)


def itemised(author: Author) -> Course | None:
    """Over the elements or rows of arrays: bare, with `enumerate`, with `zip`."""
    scope, source = author.scope, author.source
    arrays = [v for v in scope.arrays() if v.shape and not v.shape[0].terms and v.shape[0].const <= 6]
    if not arrays:
        return None
    variable = source.choice(arrays)
    size = variable.shape[0].const
    name, items = scope.fresh("i"), [_item(scope, variable)]
    partners = [v for v in arrays if v.shape[0] == variable.shape[0]]
    other = source.choice(partners)
    header = source.choice(("enumerate", "zip", "bare"))
    if header == "enumerate":
        text = f"for {name}, {items[0].name} in enumerate({variable.name}):"
    elif header == "zip":
        items.append(_item(scope, other))
        text = f"for {name}, {items[0].name}, {items[1].name} in zip(range({size}), {variable.name}, {other.name}):"
    else:
        text = f"for {items[0].name} in {variable.name}:"
        return Course(text, lambda p: [0] if size else [], scope.fresh("unused"), tuple(items))
    return Course(text, lambda p: range(size), name, tuple(items))


def _item(scope: Scope, variable: Variable) -> Variable:
    shape = variable.shape[1:]
    return Variable(scope.fresh("item"), shape, Kind.ARRAY if shape else Kind.NUMBER)


def written_out(author: Author) -> Course:
    """Over a list of numbers."""
    name = author.scope.fresh("i")
    items = [author.source.integer(0, 3) for _ in range(author.source.integer(1, 3))]
    return Course(f"for {name} in {items}:", lambda p: items, name)


def branch(author: Author) -> Nodes | None:
    """An 'if' on data, on loop variables or on what is known before."""
    scope, source = author.scope, author.source
    kinds = [(4, on_data)]
    kinds += [(4, on_index)] if scope.loops else []
    kinds += [(1, on_flag)] if scope.flags or scope.integers else []
    test, then, orelse = source.weighted(kinds)(author)
    body = author.within(then).block(2)
    if author.left[0] <= 0 or source.chance(40):
        return [Suite(f"if {test}:", tuple(body))]
    other = author.within(orelse).block(2)
    nodes = [Suite(f"if {test}:", tuple(body)), Suite("else:", tuple(other))]
    return [*nodes[:1], nodes[1]] if not source.chance(30) else _joined(author, nodes, then, orelse)


def _joined(author: Author, nodes: list[Suite], then: Scope, orelse: Scope) -> Nodes:
    """Both sides bind one more name, which is known afterwards."""
    shape = author.shape()
    if any(e.terms for e in shape):
        return [*nodes]
    name = author.scope.fresh("t" if shape else "s")
    sides = [author.within(side).value(shape, depth=2) for side in (then, orelse)]
    if shape:
        sides = [f"0.9 * ({text})" for text in sides]
    author.scope.bind(Variable(name, shape, Kind.ARRAY if shape else Kind.NUMBER))
    pairs = zip(nodes, sides, strict=True)
    return [Suite(node.header, (*node.body, Line(f"{name} = {text}"))) for node, text in pairs]


def on_data(author: Author) -> tuple[str, Scope, Scope]:
    inner = [author.scope.inner(on_data=True) for _ in range(2)]
    return condition(author.writer), inner[0], inner[1]


def on_index(author: Author) -> tuple[str, Scope, Scope]:
    scope, source = author.scope, author.source
    variable = source.choice(scope.loops)
    others = [name for name in scope.loops if name != variable]
    bound = Form.of(source.choice(others)) if others and source.chance(50) else Form(source.integer(0, 3))
    op = source.choice(("==", "<", ">", "!=", ">=", "<="))
    test = f"{variable} {op} {bound}"
    if source.chance(15):
        test = f"{variable} % 2 == {source.integer(0, 1)}"
    sides: list[list[Point]] = [[], []]
    code = compile(test, "test", "eval")
    for point in scope.points:
        sides[0 if eval(code, dict(point)) else 1].append(point)
    then, orelse = (scope.inner(points=side or scope.points) for side in sides)
    return test, then, orelse


def on_flag(author: Author) -> tuple[str, Scope, Scope]:
    scope, source = author.scope, author.source
    names = [*scope.flags, *scope.integers]
    name = source.choice(names)
    test = name if name in scope.flags else f"{name} {source.choice(('>', '<', '=='))} {source.integer(0, 3)}"
    test = f"not {test}" if source.chance(20) else test
    return test, scope.inner(), scope.inner()


def has_depth(scope: Scope) -> bool:
    return scope.depth < DEEPEST


def has_arrays(scope: Scope) -> bool:
    return bool(scope.arrays())


def always(scope: Scope) -> bool:
    return True


@dataclass(frozen=True)
class Weights:
    """How often a statement is written, by what the program has more of."""

    broad: int
    loops: int
    aliases: int

    def __getitem__(self, taste: Taste) -> int:
        return {Taste.BROAD: self.broad, Taste.LOOPS: self.loops, Taste.ALIASES: self.aliases}[taste]


STATEMENTS: tuple[tuple[Weights, Maker, Callable[[Scope], bool]], ...] = (
    (Weights(8, 10, 8), statements.write, has_arrays),
    (Weights(5, 3, 3), statements.bind, always),
    (Weights(8, 8, 8), statements.update, has_arrays),
    (Weights(3, 2, 5), statements.rebind, always),
    (Weights(9, 18, 8), loop, has_depth),
    (Weights(6, 6, 3), branch, has_depth),
    (Weights(3, 1, 9), statements.view, has_arrays),
    (Weights(3, 2, 8), statements.swap, has_arrays),
    (Weights(3, 3, 3), statements.allocate, always),
    (Weights(2, 5, 2), statements.accumulate, always),
    (Weights(1, 1, 1), statements.require, always),
    (Weights(2, 2, 2), statements.scatter, has_arrays),
    (Weights(2, 1, 6), statements.call, always),
    (Weights(1, 1, 2), statements.out_argument, has_arrays),
    (Weights(1, 1, 1), idioms.collect, always),
    (Weights(1, 2, 1), idioms.integer, always),
    (Weights(1, 1, 1), idioms.counter, has_depth),
    (Weights(1, 2, 1), idioms.walk, has_arrays),
    (Weights(1, 2, 1), idioms.place, has_arrays),
    (Weights(2, 2, 1), idioms.recurrence, always),
    (Weights(2, 2, 2), idioms.strided, has_arrays),
    (Weights(1, 0, 3), idioms.together, has_arrays),
    (Weights(1, 0, 3), idioms.inner_function, has_depth),
)
"""Weight, maker, and where it can stand."""
