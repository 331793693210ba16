"""Whole random programs: functions, arguments, and the question that is asked of them."""

from __future__ import annotations

import ast
import linecache
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.corpus.case import Case
from tests.fuzz.author import Author
from tests.fuzz.forms import Shape, shape_of
from tests.fuzz.scope import Function, Kind, Scope, Taste, Variable
from tests.fuzz.source import Draw, Source
from tests.fuzz.syntax import Line, Nodes, Suite, text_of

SIZES = ((5, 3), (5, 4), (2, 2), (3, 5), (1, 1), (1, 6), (1, 0), (1, 7))
NAME = "program"
APART = 31
"""Of seeds of arguments and those of others."""
INTEGERS = ("int", "'i1'", "'u1'", "'i2'", "'u2'", "'i4'", "'u4'", "'u8'")
LAYOUTS = ((12, "rows"), (1, "columns"), (1, "transposed"), (1, "strided"))


@dataclass(frozen=True, kw_only=True)
class RandomProgram:
    """Source text, and how its arguments are made: `arguments` are expressions over `np` and `data(seed, *shape)`."""

    source: str
    arguments: tuple[tuple[str, str], ...]
    wrt: tuple[str, ...]
    of: str | int | tuple[int, ...] | None = None
    seed: str = "None"

    def case(self) -> Case:
        """The program as a case of the corpus; its source can be read back."""
        function = function_of(self.source)
        return Case(
            name=NAME,
            function=function,
            arguments=lambda: tuple(made(text) for _, text in self.arguments),
            wrt=self.wrt,
            of=self.of,
            seed=made(self.seed),
        )

    def elsewhere(self) -> RandomProgram:
        """The program with other data, which decide otherwise."""
        moved = (re.sub(r"data\((\d+)", lambda m: f"data({int(m[1]) + APART}", text) for _, text in self.arguments)
        names = (name for name, _ in self.arguments)
        return replace(self, arguments=tuple(zip(names, moved, strict=True)))

    def __str__(self) -> str:
        """A module that can be run on its own."""
        given = "".join(f"    {text},  # {name}\n" for name, text in self.arguments)
        question = f"wrt={self.wrt!r}, of={self.of!r}, seed={self.seed}"
        call = f"print(daad.check({NAME}, arguments(), {question}))\n"
        return f"{HEAD}\n{self.source}\n\ndef arguments():\n    return (\n{_indented(given)}    )\n\n\n{call}"


HEAD = """import math

import numpy as np

import daad


def data(seed, *shape):
    return np.round(np.random.default_rng(seed).uniform(-1.3, 1.3, shape), 3) + 0.00017 * np.pi

"""


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def data(seed: int, *shape: int) -> np.ndarray:
    """Numbers of moderate size, none of them round."""
    return np.round(np.random.default_rng(seed).uniform(-1.3, 1.3, shape), 3) + 0.00017 * np.pi


def made(text: str) -> Any:
    """The value of an argument's expression."""
    return eval(text, {"np": np, "data": data})


def function_of(source: str, **modules: Any) -> Callable[..., Any]:
    """The program's function, compiled from text that `inspect` finds again; `modules` are names that it uses."""
    file = f"<{NAME} {hash(source) & 0xFFFFFFFF:08x}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"np": np, "math": math, **modules, "__name__": NAME}
    exec(compile(source, file, "exec", dont_inherit=True), namespace)
    return namespace[NAME]


@dataclass
class _Parameters:
    """Arguments under construction."""

    scope: Scope
    texts: list[tuple[str, str]] = field(default_factory=list)
    floats: list[str] = field(default_factory=list)

    def add(self, name: str, text: str) -> None:
        self.texts.append((name, text))
        self.scope.names.add(name)


def _parameters(source: Source) -> _Parameters:
    count = source.weighted(((5, 1), (5, 2), (1, 3)))
    sizes = tuple(dict.fromkeys(source.weighted(SIZES) for _ in range(count)))
    made = _Parameters(Scope(sizes=sizes))
    single = source.weighted(((75, "none"), (8, "all"), (17, "some")))
    for number in range(source.integer(1, 3)):
        rank = source.weighted(((6, 1), (4, 2), (1, 3), (1, 0)))
        shape = tuple(source.choice(sizes) for _ in range(rank))
        name = "abcd"[number] if rank < 2 else "ABCD"[number]
        is_single = single == "all" or (single == "some" and source.chance(50))
        text = _laid_out(source, shape)
        made.add(name, f"np.array({text}, 'f4')" if is_single else text if rank else f"np.array({text})")
        made.scope.bind(Variable(name, shape_of(*shape)))
        made.floats.append(name)
        made.scope.singles |= {name} if is_single else set()
    _smaller_parameters(source, made)
    return made


def _laid_out(source: Source, shape: tuple[int, ...]) -> str:
    """Random numbers, one behind the other, or columns first, or behind others that do not count."""
    seed = source.integer(0, 30)
    way = source.weighted(LAYOUTS) if len(shape) > 1 else "rows"
    if way == "transposed":
        return f"data({', '.join(map(str, (seed, *shape[::-1])))}).T"
    if way == "strided":
        return f"data({', '.join(map(str, (seed, *shape[:-1], 2 * shape[-1])))})[..., ::2]"
    text = f"data({', '.join(map(str, (seed, *shape)))})"
    return f"np.asfortranarray({text})" if way == "columns" else text


def _smaller_parameters(source: Source, made: _Parameters) -> None:
    """Numbers, flags and arrays of integers."""
    scope = made.scope
    if source.chance(30):
        made.add("w", str(source.choice((0.7, -0.4, 1.3))))
        scope.bind(Variable("w", (), Kind.NUMBER))
        made.floats.append("w")
    if source.chance(30):
        value = source.choice((*scope.sizes, 2))
        made.add("n", str(value))
        scope.integers["n"] = value
        scope.points = scope.around = [{"n": value}]
    if source.chance(15):
        made.add("flag", str(source.chance(50)))
        scope.flags = ("flag",)
    if source.chance(25):
        top = max(1, min((s for s in scope.sizes if s), default=1))
        values = tuple(source.integer(0, top - 1) for _ in range(source.choice(scope.sizes)))
        kind = source.choice(INTEGERS) if source.chance(50) else "int"
        made.add("idx", f"np.array({list(values)}, dtype={kind})")
        scope.tables["idx"] = values


def _functions(source: Source, scope: Scope) -> list[str]:
    """Functions that the program calls, as text; they are added to the scope."""
    texts = []
    for number in range(source.weighted(((6, 0), (3, 1), (1, 2)))):
        name, parameters = f"f{number + 1}", []
        inner = Scope(sizes=scope.sizes, functions=scope.functions, taste=scope.taste, plain=scope.plain)
        for letter in "uvw"[: source.integer(1, 3)]:
            shape = shape_of(*(source.choice(scope.sizes) for _ in range(source.weighted(((5, 1), (2, 0), (2, 2))))))
            parameters.append(Variable(letter, shape, Kind.ARRAY if shape else Kind.NUMBER))
            inner.bind(parameters[-1])
        author = Author(source, inner, [3])
        nodes = author.block(3) if source.chance(70) else []
        count = source.weighted(((6, 1), (3, 2), (3, 0)))
        shapes = tuple(tuple(e for e in author.shape() if not e.terms) for _ in range(count))
        values = [author.value(shape, depth=2) for shape in shapes]
        nodes += [Line(f"return {', '.join(values)}")] if values else []
        header = f"def {name}({', '.join(p.name for p in parameters)}):"
        texts.append(text_of([Suite(header, tuple(nodes or [Line("pass")]))]))
        scope.functions += (Function(name, tuple(parameters), shapes),)
    return texts


@dataclass(frozen=True)
class _Ending:
    """The last statements, and what is differentiated."""

    nodes: Nodes
    of: str | int | tuple[int, ...] | None
    shapes: tuple[Shape, ...]


def _ending(author: Author, floats: list[str]) -> _Ending:
    source = author.source
    way = source.weighted(((7, _scalar), (2, _array), (2, _several), (3, _argument), (1, _local), (1, _either)))
    return way(author, floats) or _scalar(author, floats)


def _scalar(author: Author, floats: list[str]) -> _Ending:
    """The sum of what some arrays hold at the end."""
    arrays = author.scope.arrays()
    chosen = [v for v in arrays if author.source.chance(60)] or arrays[-1:]
    terms = [f"np.sum({v.name} * {v.name})" if author.source.chance(30) else f"np.sum({v.name})" for v in chosen]
    numbers = [v.name for v in author.scope.variables.values() if not v.is_array and author.source.chance(60)]
    text = " + ".join([*terms, *numbers]) if author.source.chance(80) else author.value((), depth=3)
    return _Ending([Line(f"return {text or author.value(())}")], None, ((),))


def _array(author: Author, floats: list[str]) -> _Ending:
    shape = author.shape()
    return _Ending([Line(f"return {author.value(shape)} + {_everything(author)}")], None, (shape,))


def _everything(author: Author) -> str:
    """A number that depends on all arrays."""
    return " + ".join([f"np.sum({v.name})" for v in author.scope.arrays()]) or "0.0"


def _several(author: Author, floats: list[str]) -> _Ending:
    shapes = (author.shape(), author.shape())
    values = ", ".join(author.value(shape, depth=2) for shape in shapes)
    place = author.source.integer(0, 2)
    if place == 2:
        return _Ending([Line(f"return {values}")], (0, 1), shapes)
    return _Ending([Line(f"return {values}")], place, shapes[place : place + 1])


def _argument(author: Author, floats: list[str]) -> _Ending | None:
    """An argument that the program writes, as it is at the end."""
    scope = author.scope
    names = [v.name for v in scope.arrays() if v.name in floats and v.name not in scope.rebound]
    if not names:
        return None
    name = author.source.choice(names)
    return _Ending([], name, (scope.variables[name].shape,))


def _local(author: Author, floats: list[str]) -> _Ending | None:
    names = [v.name for v in author.scope.variables.values() if v.name not in floats and v.name not in ("u", "v")]
    if not names:
        return None
    name = author.source.choice(names)
    return _Ending([], name, (author.scope.variables[name].shape,))


def _either(author: Author, floats: list[str]) -> _Ending:
    """One of two results, depending on data."""
    from tests.fuzz.operations import condition

    shape = author.shape()
    values = [f"0.9 * ({author.value(shape, depth=2)})" for _ in range(2)]
    sides = [Suite(f"if {condition(author.writer)}:", (Line(f"return {values[0]}"),)), Line(f"return {values[1]}")]
    return _Ending([*sides], None, (shape,))


@st.composite
def programs(draw: Draw) -> RandomProgram:
    """A random program that NumPy can run."""
    from tests.fuzz.words import renamed

    source = Source(draw)
    parameters = _parameters(source)
    scope = parameters.scope
    scope.taste = source.weighted(((4, Taste.BROAD), (4, Taste.LOOPS), (3, Taste.ALIASES)))
    scope.plain = source.choice((0, 50, 90))
    functions = _functions(source, scope)
    author = Author(source, scope, [source.integer(3, 12)])
    nodes = [node for _ in range(2) for node in author.block(3)]
    ending = _ending(author, parameters.floats)
    names = ", ".join(name for name, _ in parameters.texts)
    main = text_of([Suite(f"def {NAME}({names}):", (*nodes, *ending.nodes))])
    wrt = [name for name in parameters.floats if not source.chance(30)] or parameters.floats[:1]
    made = RandomProgram(
        source=ast.unparse(ast.parse("\n\n".join([*functions, main]))) + "\n",
        arguments=tuple(parameters.texts),
        wrt=tuple(wrt),
        of=ending.of,
        seed=_seed(scope, ending.shapes),
    )
    return renamed(source, made) if source.chance(25) else made


def _seed(scope: Scope, shapes: tuple[Shape, ...]) -> str:
    """None where the outputs are scalars, else numbers that tell all elements apart."""
    texts = []
    for shape in shapes:
        sizes = [e.at(scope.points[0]) for e in shape]
        texts.append(f"data({', '.join(map(str, (97, *sizes)))})" if sizes else "0.9")
    if len(texts) > 1:
        return f"{{0: {texts[0]}, 1: {texts[1]}}}"
    return "None" if shapes[0] == () else texts[0]
