"""Random statements: bindings, writes in place, swaps, views, local arrays, calls."""

from __future__ import annotations

from dataclasses import dataclass

from tests.fuzz import places
from tests.fuzz.author import Author
from tests.fuzz.expressions import LIMIT, THRESHOLDS, size_text
from tests.fuzz.forms import Form, Shape
from tests.fuzz.scope import Kind, Taste, Variable
from tests.fuzz.syntax import Line, Nodes, Suite


def bind(author: Author) -> Nodes:
    """A new name."""
    shape, scope = author.shape(), author.scope
    text = author.value(shape)
    name = scope.fresh("t" if shape else "s")
    scope.bind(Variable(name, shape, Kind.ARRAY if shape else Kind.NUMBER))
    if author.source.chance(5):
        other = scope.fresh("t")
        scope.bind(Variable(other, shape, Kind.ARRAY if shape else Kind.NUMBER))
        return [Line(f"{name} = {other} = {text}")]
    return [Line(f"{name} = {text}")]


def rebind(author: Author) -> Nodes | None:
    """Another value for a known name: of any shape at the top, of the same one in blocks."""
    scope = author.scope
    names = [v for v in scope.variables.values() if not v.name.startswith("item")]
    # An operation on an array without axes gives a number, which cannot be written in place.
    names = [v for v in names if v.shape or not v.is_array or (scope.depth == 0 and v.name not in scope.captured)]
    if scope.on_data:  # an array under a name that may stand for another one must not be written: refused
        names = [v for v in names if not v.shape or v.name.startswith("t")]
    if not names:
        return None
    old = author.source.choice(names)
    free = scope.depth == 0 and old.name not in scope.captured and author.source.chance(40)
    shape = author.shape() if free else old.shape
    text = author.value(shape)
    if scope.depth and shape and text.replace("_", "").isalnum() | text.endswith("]"):
        text = f"0.8 * {text}"  # a name for one of two arrays, depending on data, is refused
    scope.bind(Variable(old.name, shape, Kind.ARRAY if shape else Kind.NUMBER))
    scope.rebound.add(old.name)
    return [Line(f"{_other(author, old)}{old.name} = {text}")]


def _other(author: Author, old: Variable) -> str:
    """A second name that gets the same new value, now and then: from there on a write by one is seen by the other."""
    scope = author.scope
    alike = [v.name for v in scope.arrays() if v.name.startswith("t") and scope.equal(v.shape, old.shape)]
    alike = [name for name in alike if name != old.name and name not in scope.captured]
    if not old.shape or not old.name.startswith("t") or not alike or not author.source.chance(15):
        return ""
    other = author.source.choice(alike)
    scope.rebound.add(other)
    return f"{other} = "


@dataclass(frozen=True)
class Place:
    """What stands left of an assignment."""

    text: str
    shape: Shape
    variable: Variable


def place(author: Author) -> Place | None:
    """A part of some array, or all of it."""
    arrays = author.scope.written()
    if not arrays:
        return None
    variable = author.source.choice(arrays)
    keys: list[str] = []
    shape: list[Form] = []
    for extent in variable.shape:
        key, length = _key(author, extent)
        keys.append(key)
        shape += [] if length is None else [length]
    key = ", ".join(keys) if keys else "..."
    if all(k == ":" for k in keys) and author.source.chance(50):
        key = "..."
    return Place(f"{variable.name}[{key}]", tuple(shape), variable)


def _key(author: Author, extent: Form) -> tuple[str, Form | None]:
    """A key of one axis, and the length of what it selects (None: one element)."""
    often = 75 if author.scope.taste is Taste.LOOPS else 45
    if author.source.chance(often if author.scope.loops else 25):
        elements = author.writer.elements(extent)
        if elements:
            return places.narrowed(author.source, author.source.choice(elements)), None
    slices = places.slices(author.scope, extent)
    chosen = author.source.choice(slices) if author.source.chance(60) else slices[0]
    return places.narrowed(author.source, chosen.text), chosen.length


def write(author: Author) -> Nodes | None:
    """An assignment into an array."""
    target = place(author)
    if target is None:
        return None
    if author.source.chance(12):
        return [Line(f"{target.text} = 0.0")]
    return [Line(f"{target.text} = {author.loose_value(target.shape)}")]


def update(author: Author) -> Nodes | None:
    """An augmented assignment to a name or into an array."""
    scope, source = author.scope, author.source
    variables = [v for v in scope.variables.values() if not v.name.startswith("item") or v.is_array]
    variables = [v for v in variables if v.name not in scope.shared]
    if source.chance(40) and variables:
        variable = source.choice(variables)
        target = Place(variable.name, variable.shape, variable)
    else:
        found = place(author)
        if found is None:
            return None
        target = found
    op = source.choice(("+=", "-=", "*=", "/="))
    value = author.loose_value if target.shape else author.value
    text = value(target.shape, {"+=": 0.8, "-=": 0.8, "*=": 1.0, "/=": LIMIT}[op])
    return [Line(f"{target.text} {op} {f'2.5 + {text}' if op == '/=' else text}")]


def accumulate(author: Author) -> Nodes | None:
    """A scalar variable that sums up."""
    numbers = [v for v in author.scope.variables.values() if not v.is_array and not v.name.startswith("item")]
    if not numbers:
        return None
    name = author.source.choice(numbers).name
    patterns = ("{0} += {1}", "{0} = 0.7 * {0} + {1}", "{0} -= {1}", "{0} = {1} * {0}", "{0} = max({0}, {1} + 0.0123)")
    pattern = author.source.choice(patterns)
    return [Line(pattern.format(name, f"({author.value((), 0.8)})"))]


def swap(author: Author) -> Nodes | None:
    """Two names, elements, rows or slices exchanged in one statement."""
    scope, source = author.scope, author.source
    arrays = scope.arrays()
    pairs = [(v, w) for v in arrays for w in arrays if v.name < w.name and scope.equal(v.shape, w.shape)]
    pairs = [p for p in pairs if not any(v.name.startswith("item") for v in p)]
    if pairs and not scope.on_data and source.chance(40):
        first, second = source.choice(pairs)
        scope.rebound |= {first.name, second.name}
        turned = f"0.6 * {first.name}" if first.shape and source.chance(30) else first.name
        if scope.depth > (0 if turned != first.name else 1) and source.chance(90):
            scope.shared |= {first.name, second.name}
        return [Line(f"{first.name}, {second.name} = {second.name}, {turned}")]
    left, right = place(author), place(author)
    if left is None or right is None:
        return None
    if not scope.equal(left.shape, right.shape):
        right = left
    texts = [author.value(left.shape, depth=1), author.value(right.shape, depth=1)]
    if source.chance(70):
        texts = [right.text, left.text]
    return [Line(f"{left.text}, {right.text} = {texts[0]}, {texts[1]}")]


def view(author: Author) -> Nodes | None:
    """A name for a part of an array, or for it in another form."""
    scope, source = author.scope, author.source
    arrays = [v for v in scope.arrays() if v.shape]
    if not arrays:
        return None
    variable = source.choice(arrays)
    text, shape = _form_of(author, variable)
    if not shape:
        return None
    name = scope.fresh("v")
    scope.bind(Variable(name, shape))
    return [Line(f"{name} = {text}")]


def _form_of(author: Author, variable: Variable) -> tuple[str, Shape]:
    source, name, shape = author.source, variable.name, variable.shape
    if source.chance(25):
        return name, shape
    known = all(not e.terms for e in shape)
    if len(shape) > 1 and source.chance(40):
        return source.choice((f"{name}.T", f"np.transpose({name})")), shape[::-1]
    if known and source.chance(30):
        size = 1
        for extent in shape:
            size *= extent.const
        flat = source.choice((f"{name}.ravel()", f"{name}.reshape({size})", f"np.ravel({name})"))
        if len(shape) > 1:
            return flat, (Form(size),)
        pairs = [(m, n) for m in author.scope.sizes for n in author.scope.sizes if m * n == size]
        if pairs:
            m, n = source.choice(pairs)
            return f"{name}.reshape({m}, {n})", (Form(m), Form(n))
    found = []
    for extent in shape:
        found.append(_key(author, extent))
    key = ", ".join(text for text, _ in found)
    return f"{name}[{key}]", tuple(length for _, length in found if length is not None)


def allocate(author: Author) -> Nodes:
    """A local array, filled or to be filled."""
    scope, source = author.scope, author.source
    arrays = [v for v in scope.arrays() if v.shape]
    like = source.choice(arrays) if arrays and source.chance(60) else None
    rank = source.weighted(((6, 1), (4, 2), (1, 0)))
    shape = like.shape if like else tuple(author.extent() for _ in range(rank))
    size = size_text(shape)
    makers = [f"np.zeros({size})", f"np.ones({size})", f"np.full({size}, 0.3)", f"np.empty({size})"]
    if like:
        makers += [f"np.zeros_like({like.name})", f"{like.name}.copy()", f"np.empty_like({like.name})"]
        makers += [f"np.array({like.name})", f"np.copy({like.name})", f"np.zeros({like.name}.shape)"]
    text = source.choice(makers)
    name = scope.fresh("t")
    nodes: Nodes = [Line(f"{name} = {text}")]
    if "empty" in text:
        nodes.append(Line(f"{name}[...] = {author.loose_value(shape)}"))
    scope.bind(Variable(name, shape))
    return nodes


def scatter(author: Author) -> Nodes | None:
    """A write through a mask or through an array of integers."""
    arrays = [v for v in author.scope.written() if v.shape]
    if not arrays:
        return None
    variable = author.source.choice(arrays)
    return author.source.choice((_masked, _indexed))(author, variable)


def _masked(author: Author, variable: Variable) -> Nodes:
    source, name = author.source, variable.name
    other = author.value(variable.shape, depth=1)
    mask = f"({source.choice((name, other))}) {source.choice('<>')} {source.choice(THRESHOLDS)}"
    value = author.value((), 1.0, depth=1)
    way = source.integer(0, 3)
    if way == 0:
        return [Line(f"{name}[{mask}] = {value}")]
    if way == 1:
        return [Line(f"{name}[{mask}] {source.choice(('*=', '+='))} {value}")]
    mask_name = author.scope.fresh("mask")
    second = f"{name}[{mask_name}] = ({other})[{mask_name}]" if way == 2 else f"{name}[~{mask_name}] *= 0.7"
    return [Line(f"{mask_name} = {mask}"), Line(second)]


def _indexed(author: Author, variable: Variable) -> Nodes | None:
    scope, source = author.scope, author.source
    fitting = [n for n, v in scope.tables.items() if scope.low(variable.shape[0]) > max(v, default=0)]
    if not fitting:
        return None
    table = source.choice(fitting)
    shape = (Form(len(scope.tables[table])), *variable.shape[1:])
    value = author.value(shape, 0.8)
    way = source.integer(0, 3)
    if way == 3:
        return [Line(f"np.add.at({variable.name}, {table}, {value})")]
    return [Line(f"{variable.name}[{table}] {('=', '+=', '*=')[way]} {value}")]


def out_argument(author: Author) -> Nodes | None:
    """A ufunc that writes its result into an array."""
    target = place(author)
    if target is None or not target.shape:
        return None
    left, right = author.value(target.shape, 1.4, 2), author.loose_value(target.shape, 1.4, 2)
    function = author.source.choice(("np.multiply", "np.add", "np.subtract"))
    where = f", where={author.writer.mask(target.shape)}" if author.source.chance(30) else ""
    return [Line(f"{function}({left}, {right}, out={target.text}{where})")]


def call(author: Author) -> Nodes | None:
    """A function of the program that writes its arguments or returns several values."""
    scope = author.scope
    fitting = [f for f in scope.functions if len(f.returns) != 1]
    if not fitting:
        return None
    function = author.source.choice(fitting)
    text = f"{function.name}({', '.join(author.writer.argument(p) for p in function.parameters)})"
    if not function.returns:
        return [Line(text)]
    names = [scope.fresh("t" if shape else "s") for shape in function.returns]
    for name, shape in zip(names, function.returns, strict=True):
        scope.bind(Variable(name, shape, Kind.ARRAY if shape else Kind.NUMBER))
    return [Line(f"{', '.join(names)} = {text}")]


def require(author: Author) -> Nodes | None:
    """An exception that data decide, and do not cause."""
    number = author.value(())
    test = author.source.choice((f"np.isnan({number})", f"abs({number}) > 1e6"))
    if author.source.chance(50):
        return [Line(f"assert not {test}, 'no number'")]
    return [Suite(f"if {test}:", (Line("raise ValueError('no number')"),))]
