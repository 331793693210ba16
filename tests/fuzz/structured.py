"""Random programs with Python's structure: objects with state, containers, decisions on data, loops that data end."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from hypothesis import strategies as st

from tests.fuzz import jumps
from tests.fuzz.definitions import CLASSES, FUNCTIONS, INNER, JUMPING, PART, USED, Definition
from tests.fuzz.programs import NAME, RandomProgram
from tests.fuzz.source import Draw, Source
from tests.fuzz.structure import PARTS, TABLES
from tests.fuzz.templates import INDENT, Filler, Tables

IMPORTS = "import collections\nimport copy\nimport dataclasses\nimport functools\nimport itertools\n\n"
USES = {
    "vector": ("np.sum({})", "{}[0]", "np.sum({} * {})", "0.3 * {} @ a"),
    "number": ("{}",),
    "list": ("0.5 * sum(np.sum(v) for v in {})", "np.sum(np.array({})[-1])", "{}[0][1]"),
    "row": ("sum({})", "0.5 * np.sum(np.array({}) ** 2)"),
    "table": ("np.sum({}['low']) + {}['mid'][0]", "0.5 * sum(v[0] for v in {}.values())"),
    "part": ("np.sum({})", "0.5 * np.sum({} ** 2)"),
    "thing": ("{}.rate",),
    "pair": ("0.3 * np.sum({}.u) + {}.t",),
}
"""What of a name is in the result."""


def defined(source: Source, definition: Definition, tables: Tables = INNER) -> list[str]:
    """The lines of a function."""
    filler = Filler(source, tables, [definition.most], PARTS)
    filler.known = [(1, kind, name) for kind, name in definition.names]
    body = filler.statements(definition.most, 1) if definition.most and source.chance(60) else []
    return [*definition.header.splitlines(), *body, *filler.lines(source.choice(definition.ends), 1)]


def prelude(source: Source, used: str) -> Iterable[str]:
    """The classes and functions that the program uses."""
    for header, definitions in CLASSES.items():
        name = header.partition("class ")[2].partition(":")[0].partition("(")[0]
        if any(word in used for word in USED[name]):
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
    given = arguments(source)
    filler = Filler(source, TABLES, [source.integer(2, 9)], PARTS)
    filler.known = names(given)
    body = [line for _ in range(3) for line in filler.statements(4, 1)]
    main = [*header(given), *body, returned(source, filler)]
    return program(given, prelude(source, "\n".join(main)), main)


@st.composite
def jumping_programs(draw: Draw) -> RandomProgram:
    """A random program whose control flow jumps."""
    source = Source(draw)
    given = arguments(source)
    filler = Filler(source, jumps.TABLES, [source.integer(3, 20)], deepest=5)
    filler.known = [*names(given), (1, "number", "s"), (1, "number", "t"), (1, "row", "log")]
    body = [line for _ in range(3) for line in filler.statements(3, 1)]
    start = f"{INDENT}s, t, log = a[0], 0.5 * b[1], [0.3]"
    main = [*header(given), start, *body, f"{INDENT}return s + t * a[2] + 0.3 * np.sum(b) + 0.1 * sum(log)"]
    part = ["\n".join(defined(source, PART, JUMPING))] if any("part(" in line for line in main) else []
    return program(given, part, main)


Arguments = list[tuple[str, str]]


def arguments(source: Source) -> Arguments:
    """Two vectors, and a number perhaps."""
    size = source.choice((4, 3, 5))
    given = [(name, f"data({source.integer(0, 30)}, {size})") for name in "ab"]
    return given + ([("w", str(source.choice((0.7, -0.4))))] if source.chance(40) else [])


def names(given: Arguments) -> list[tuple[int, str, str]]:
    return [(1, "number" if name == "w" else "vector", name) for name, _ in given]


def header(given: Arguments) -> list[str]:
    return [f"def {NAME}({', '.join(name for name, _ in given)}):"]


def program(given: Arguments, definitions: Iterable[str], main: list[str]) -> RandomProgram:
    """The whole text with the arguments; `n` is their length."""
    size = given[0][1].rpartition(" ")[2].rstrip(")")
    text = "\n\n".join([f"{IMPORTS}n = {size}\n", *definitions, "\n".join(main)])
    return RandomProgram(
        source=ast.unparse(ast.parse(text)) + "\n",
        arguments=tuple(given),
        wrt=tuple(name for name, _ in given),
    )
