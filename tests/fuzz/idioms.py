"""Statements that belong together: lists that grow, counters, arrays in lists, functions inside the program."""

from __future__ import annotations

from tests.fuzz.author import Author
from tests.fuzz.expressions import PLAIN
from tests.fuzz.forms import Form, Shape
from tests.fuzz.places import STRIDED, indices
from tests.fuzz.scope import Function, Kind, Variable
from tests.fuzz.statements import write
from tests.fuzz.syntax import Line, Nodes, Suite


def collect(author: Author) -> Nodes | None:
    """A list that grows in a loop and becomes an array."""
    scope, source = author.scope, author.source
    if len(scope.points) > 30:
        return None
    size, shape = source.integer(1, 3), author.shape()[:1]
    if any(e.terms for e in shape):
        return None
    parts, index = scope.fresh("parts"), scope.fresh("k")
    inner = author.within(scope.looped(index, lambda p: range(size)))
    body: Nodes = [
        *(inner.block(1) if source.chance(30) else []),
        Line(f"{parts}.append({inner.value(shape, depth=2)})"),
    ]
    name = scope.fresh("t")
    scope.bind(Variable(name, (Form(size), *shape)))
    return [
        Line(f"{parts} = []"),
        Suite(f"for {index} in range({size}):", tuple(body)),
        Line(f"{name} = {source.choice(('np.array', 'np.stack') if shape else ('np.array',))}({parts})"),
    ]


def integer(author: Author) -> Nodes | None:
    """A name for an integer, to index with."""
    scope, source = author.scope, author.source
    atoms = [*scope.atoms(), *map(Form.of, scope.integers)]
    form = source.choice(atoms) + source.integer(0, 2) if atoms else Form(source.integer(0, 2))
    if source.chance(30):
        form = Form(source.choice(scope.sizes)) - 1 - form
    return [Line(f"{scope.name_integer(form)} = {form}")]


def counter(author: Author) -> Nodes | None:
    """An integer that counts up in a loop and indexes an array."""
    scope, source = author.scope, author.source
    arrays = [v for v in scope.written() if len(v.shape) == 1 and not v.shape[0].terms and v.shape[0].const]
    if not arrays or scope.loops:
        return None
    variable = source.choice(arrays)
    size = variable.shape[0].const
    index, outer = scope.fresh("k"), scope.fresh("i")
    inner = author.within(scope.looped(outer, lambda p: range(size)))
    op = source.choice(("=", "+=", "*="))
    line = Line(f"{variable.name}[{index}] {op} {inner.value((), 0.8, depth=2)}")
    step = source.choice((f"{index} += 1", f"{index} -= 1"))
    return [
        Line(f"{index} = {0 if '+' in step else size - 1}"),
        Suite(f"for {outer} in range({size}):", (line, Line(step))),
    ]


def walk(author: Author) -> Nodes | None:
    """An integer that goes from place to place as data say, and indexes arrays."""
    scope, source = author.scope, author.source
    arrays = [v for v in scope.written() if len(v.shape) == 1 and not v.shape[0].terms and v.shape[0].const]
    if not arrays or scope.depth > 1:
        return None
    variable = source.choice(arrays)
    others = [v for v in scope.arrays() if v.shape == variable.shape]
    size, read = variable.shape[0].const, source.choice(others)
    order, index, outer = scope.fresh("order"), scope.fresh("k"), scope.fresh("i")
    inner = author.within(scope.looped(outer, lambda p: range(size)))
    op = source.choice(("=", "+=", "*="))
    value = f"0.9 * np.tanh({inner.value((), 0.8, depth=2)}) * {read.name}[{index}]"
    target = source.choice((index, outer))
    return [
        Line(f"{order} = np.argsort({source.choice(others).name}, kind='stable')"),
        Line(f"{index} = {source.integer(0, size - 1)}"),
        Suite(
            f"for {outer} in range({size}):",
            (Line(f"{variable.name}[{target}] {op} {value}"), Line(f"{index} = {order}[{index}]")),
        ),
    ]


def place(author: Author) -> Nodes | None:
    """An integer that data give, and what is stored where it says, at once."""
    scope, source = author.scope, author.source
    arrays = [v for v in scope.written() if len(v.shape) == 1 and not v.shape[0].terms and v.shape[0].const]
    if not arrays:
        return None
    variable = source.choice(arrays)
    size, index = variable.shape[0].const, scope.fresh("k")
    read = source.choice([v for v in scope.arrays() if v.shape == variable.shape])
    numbers = f"int(7.3 * abs(np.tanh({read.name}[{source.integer(0, size - 1)}])))"
    lines = [f"{index} = {numbers} % {size}"]
    for _ in range(source.integer(1, 2)):
        lines.append(f"{variable.name}[{index}] {source.choice(('=', '+=', '*='))} {author.value((), 0.8, depth=2)}")
        lines.append(f"{index} = ({index} + {source.integer(1, size)}) % {size}")
    return [*map(Line, lines[:-1])]


LONG = (17, 16, 20, 33)
RECURRENCES = (
    "{v}[{i}] = 0.5 * {v}[{b}] + 0.4 * {u}[{i}]",
    "{v}[{i}] += 0.4 * {v}[{b}]",
    "{v}[{i}] = 0.6 * {u}[{i}] - 0.3 * {v}[{b}] * {u}[{b}]",
    "{v}[{i}] = np.tanh({v}[{b}]) + 0.3 * {u}[{i}]",
    "{v}[{i}] = max(0.9 * {v}[{b}], {u}[{i}] + 0.0131)",
    "{v}[{i}] = 0.9 * {v}[{b}] if {u}[{i}] > 0.2371 else {u}[{i}] - {v}[{b}] * 0.3",
    "{v}[{i}] *= 0.5 + 0.4 * {v}[{b}]",
    "{v}[{b}] = 0.3 * {v}[{b}] - 0.5 * {v}[{i}] + {w}",
)
"""Of an array, another one (or itself), a place and the one before."""


def recurrence(author: Author) -> Nodes | None:
    """A long array whose elements, or rows, follow from those before."""
    scope, source = author.scope, author.source
    if len(scope.points) > 2:
        return None
    nodes: Nodes = []
    found = [v for v in scope.written() if v.shape and not v.shape[0].terms and v.shape[0].const >= min(LONG)]
    if not found or source.chance(30):
        size, name = source.choice(LONG), scope.fresh("t")
        rows = source.choice(scope.sizes) if source.chance(20) else 0
        start = f"np.sin(np.arange({size * max(1, rows)}) + ({author.value(())}))"
        nodes.append(Line(f"{name} = {start}.reshape({size}, {rows})" if rows else f"{name} = {start}"))
        scope.bind(Variable(name, (Form(size), *([Form(rows)] if rows else []))))
        found = [scope.variables[name]]
    array = source.choice(found)
    others = [v for v in scope.arrays() if v.shape == array.shape]
    size, index, lag = array.shape[0].const, scope.fresh("i"), source.weighted(((4, 1), (1, 2), (1, 3)))
    course, before = source.choice(
        ((f"range({lag}, {size})", f"{index} - {lag}"), (f"range({size - 1 - lag}, -1, -1)", f"{index} + {lag}"))
    )
    patterns = RECURRENCES if len(array.shape) == 1 else RECURRENCES[:4]
    names = {"v": array.name, "u": source.choice(others).name, "i": index, "b": before, "w": author.value((), 0.5)}
    line = source.choice(patterns).format(**names)
    return [*nodes, Suite(f"for {index} in {course}:", (Line(line),))]


def strided(author: Author) -> Nodes | None:
    """Parts of two arrays in steps, of 32 and 64 bits where there are such."""
    scope, source = author.scope, author.source
    arrays = [v for v in scope.arrays() if v.shape and not v.shape[0].terms and v.shape[0].const > 1]
    if not arrays:
        return None
    narrow = [v for v in arrays if v.name in scope.singles]
    wide = [v for v in arrays if v.name not in scope.singles]
    pair = (source.choice(narrow or arrays), source.choice(wide or arrays))
    sizes = [range(v.shape[0].const) for v in pair]
    steps = [(s, t) for s in STRIDED for t in STRIDED if _length(sizes[0], s) == _length(sizes[1], t) > 0]
    if not steps or not all(indices(scope, e) for v in pair for e in v.shape[1:]):
        return None
    chosen = source.choice(steps)
    rest = [[source.choice(indices(scope, e)) for e in v.shape[1:]] for v in pair]
    parts = [f"{v.name}[{', '.join([s, *r])}]" for v, s, r in zip(pair, chosen, rest, strict=True)]
    pattern, _ = source.choice(PLAIN)
    name = scope.fresh("t")
    scope.bind(Variable(name, (Form(_length(sizes[0], chosen[0])),)))
    return [Line(f"{name} = {pattern.format(*source.choice((parts, parts[::-1])), parts[0])} - 0.1 * {parts[1]}")]


def _length(places: range, key: str) -> int:
    return len(places[STRIDED[key]])


def together(author: Author) -> Nodes | None:
    """Arrays in a list, one of which is written through it."""
    scope, source = author.scope, author.source
    arrays = scope.written()
    if len(arrays) < 2:
        return None
    chosen = [source.choice(arrays), source.choice(arrays)]
    name, place_of = scope.fresh("list"), source.integer(0, 1)
    value = author.loose_value(chosen[place_of].shape, 0.8)
    made = ", ".join(v.name for v in chosen)
    op = source.choice(("=", "+=", "*="))
    end = source.choice(("list", "tuple", "loop"))
    if end == "loop" and scope.depth < 2:
        return [Suite(f"for {name} in ({made}):", (Line(f"{name}[...] {op} {author.value((), 0.8)}"),))]
    text = f"({made})" if end == "tuple" else f"[{made}]"
    return [Line(f"{name} = {text}"), Line(f"{name}[{place_of}][...] {op} {value}")]


def inner_function(author: Author) -> Nodes:
    """A function inside the program that reads and writes its variables."""
    scope, source = author.scope, author.source
    name = scope.fresh("g")
    inner = scope.inner()
    inner.bind(Variable(scope.fresh("u"), (), Kind.NUMBER))
    parameter = next(reversed(inner.variables))
    body = author.within(inner)
    nodes = [line for _ in range(source.integer(0, 2)) for line in write(body) or []]
    returns: tuple[Shape, ...] = ()
    if source.chance(60) or not nodes:
        returns = (tuple(e for e in author.shape() if not e.terms),)
        nodes.append(Line(f"return {body.value(returns[0], depth=2)}"))
    scope.functions += (Function(name, (Variable(parameter, (), Kind.NUMBER),), returns),)
    scope.captured |= set(scope.variables)
    return [Suite(f"def {name}({parameter}):", tuple(nodes))]
