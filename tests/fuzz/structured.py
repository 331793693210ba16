"""Random programs with Python's structure: objects with state, containers, decisions on data, loops that data end."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from hypothesis import strategies as st

from tests.fuzz.definitions import CLASSES, FUNCTIONS, INNER, Definition
from tests.fuzz.programs import NAME, RandomProgram
from tests.fuzz.source import Draw, Source
from tests.fuzz.structure import PARTS, TABLES
from tests.fuzz.templates import INDENT, Filler

IMPORTS = "import copy\nimport functools\n\n"
USES = {
    "vector": ("np.sum({})", "{}[0]", "np.sum({} * {})", "0.3 * {} @ a"),
    "number": ("{}",),
    "list": ("0.5 * sum(np.sum(v) for v in {})", "np.sum(np.array({})[-1])", "{}[0][1]"),
    "row": ("sum({})", "0.5 * np.sum(np.array({}) ** 2)"),
    "table": ("np.sum({}['low']) + {}['mid'][0]", "0.5 * sum(v[0] for v in {}.values())"),
    "part": ("np.sum({})", "0.5 * np.sum({} ** 2)"),
    "thing": ("{}.rate",),
}
"""What of a name is in the result."""


def defined(source: Source, definition: Definition) -> list[str]:
    """The lines of a function."""
    filler = Filler(source, INNER, [definition.most], PARTS)
    filler.known = [(1, kind, name) for kind, name in definition.names]
    body = filler.statements(definition.most, 1) if definition.most and source.chance(60) else []
    return [*definition.header.splitlines(), *body, *filler.lines(source.choice(definition.ends), 1)]


def prelude(source: Source, used: str) -> Iterable[str]:
    """The classes and functions that the program uses."""
    if any(word in used for word in ("State(", "Damped(")):
        for header, definitions in CLASSES.items():
            lines = [INDENT + line for one in definitions for line in defined(source, one)]
            yield header + "\n".join(lines) + "\n"
    for definition in FUNCTIONS:
        if definition.header.split("(")[0].removeprefix("def ") + "(" in used:
            yield "\n".join(defined(source, definition)) + "\n"


def returned(source: Source, filler: Filler) -> str:
    """A number that depends on most of what is known."""
    names = [(kind, name) for depth, kind, name in filler.known if depth <= 1 and kind in USES]
    terms = [source.choice(USES[kind]).format(name, name) for kind, name in names if source.chance(60)]
    return f"{INDENT}return {' + '.join(terms) or 'np.sum(a)'}"


@st.composite
def structured_programs(draw: Draw) -> RandomProgram:
    """A random program that NumPy can run."""
    source = Source(draw)
    size = source.choice((4, 3, 5))
    given = [("a", f"data({source.integer(0, 30)}, {size})"), ("b", f"data({source.integer(0, 30)}, {size})")]
    given += [("w", str(source.choice((0.7, -0.4))))] if source.chance(40) else []
    filler = Filler(source, TABLES, [source.integer(2, 9)], PARTS)
    filler.known = [(1, "number" if name == "w" else "vector", name) for name, _ in given]
    body = [line for _ in range(3) for line in filler.statements(4, 1)]
    names = ", ".join(name for name, _ in given)
    main = "\n".join([f"def {NAME}({names}):", *body, returned(source, filler)])
    text = f"{IMPORTS}n = {size}\n\n" + "\n\n".join([*prelude(source, main), main])
    return RandomProgram(
        source=ast.unparse(ast.parse(text)) + "\n",
        arguments=tuple(given),
        wrt=tuple(name for name, _ in given),
    )
