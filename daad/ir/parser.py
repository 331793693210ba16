"""Reads the text of a Program, as `printer.program_text` writes it.

`parse(program_text(p)) == p`: trees are compared without the places in the source, which are not in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from daad.errors import BadArgument
from daad.ir.expression_parser import HINT, Line, Words
from daad.ir.nodes import Access, Array, Assign, Branch, Ending, Expr, Loop, Nest, Node, Program, Range, Sharing
from daad.ir.operations.updates import BY_SIGN, Sign
from daad.ir.ragged import bounding_shape

SIGNS: dict[str, Sign] = {sign: sign for sign in BY_SIGN}


def parse(text: str) -> Program:
    """The Program that has this text; a BadArgument names the line that cannot be read."""
    rows = enumerate(text.expandtabs().splitlines(), 1)
    lines = [Line(number, len(row) - len(row.lstrip()), row.strip()) for number, row in rows if row.strip()]
    if not lines:
        raise BadArgument("The text is empty.", hint=HINT)
    return _Body(lines).program()


class _Body:
    """Reads line by line; `names` are the variables that there are at the line."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.at = 0
        self.arrays: dict[str, Array] = {}
        self.names: list[str] = []
        self.repeated: dict[str, Expr] = {}

    def program(self) -> Program:
        words = self.words()
        name = words.header()
        for item in words.listed(")", words.parameter):
            (self.arrays.__setitem__(item.name, item) if isinstance(item, Array) else self.names.append(item))
        words.end()
        parameters, integers = tuple(self.arrays), tuple(self.names)
        if self.starts(r"local [^=]*: "):
            words = self.words()
            words.take("local")
            self.arrays |= {array.name: array for array in words.some(words.declaration)}
            words.end()
        body = self.body(self.lines[1].indent) if self.at < len(self.lines) else ()
        results: tuple[str, ...] = ()
        if self.starts(r"return\b"):
            words = self.words()
            words.take("return")
            results = tuple(words.some(words.name))
            words.end()
        if self.at < len(self.lines):
            self.words().wrong("is indented as no line before it")
        return Program(
            name=name, arrays=self.arrays, parameters=parameters, integers=integers, results=results, body=body
        )

    def words(self) -> _Statement:
        """Those of the next line."""
        line = self.lines[self.at]
        self.at += 1
        return _Statement(line, self.arrays, self.names, self.repeated)

    def starts(self, pattern: str, indent: int | None = None) -> bool:
        line = self.lines[self.at] if self.at < len(self.lines) else Line(0, -1, "")
        return bool(re.match(pattern, line.text)) and indent in (None, line.indent)

    def body(self, indent: int) -> tuple[Node, ...]:
        nodes: list[Node] = []
        while self.starts(r"(?!return\b|else:)", indent):
            self.lets(indent)
            nodes.append(self.node(indent))
        return tuple(nodes)

    def lets(self, indent: int) -> None:
        """What the next statement writes by `$1` and so on."""
        self.repeated.clear()
        while self.starts(r"let \$", indent):
            words = self.words()
            words.take("let")
            name = words.repeated_name()
            words.take("=")
            self.repeated[name] = words.value(None)
            words.end()
            if not self.starts(r"(?!return\b|else:)", indent):
                words.wrong("names a value for a statement that is not there")

    def below(self, indent: int) -> tuple[Node, ...]:
        """The lines that are indented more."""
        deeper = self.lines[self.at].indent if self.at < len(self.lines) else 0
        return self.body(deeper) if deeper > indent else ()

    def node(self, indent: int) -> Node:
        if self.starts(r"loop \S+ = .*:$"):
            return self.loop(indent)
        if self.starts(r"if .*:$"):
            words = self.words()
            words.take("if")
            condition = words.value(None)
            words.end(":")
            then = self.below(indent)
            if not self.starts(r"else:$", indent):
                return Branch(condition, then, ())
            self.at += 1
            return Branch(condition, then, self.below(indent))
        if self.starts(r"(for .* in .* \.\. .*|do):"):
            return self.nest(indent)
        words = self.words()
        assign = words.assign()
        words.end()
        return Nest((), (assign,))

    def loop(self, indent: int) -> Loop:
        words = self.words()
        words.take("loop")
        var = words.name()
        words.take("=")
        start = words.index()
        words.take("..")
        stop = words.index()
        step = -1 if words.skips("down") else 1
        ending = self.ending(words) if words.skips("while") else None
        sharing = words.sharing() if words.skips("in") else None
        words.end(":")
        with self.variables([var]):
            return Loop(var, start, stop, step, self.below(indent), sharing=sharing, ending=ending)

    def ending(self, words: Words) -> Ending:
        goes_on = words.value(None)
        words.take("begun")
        return Ending(goes_on, words.value(None))

    def nest(self, indent: int) -> Nest:
        words = self.words()
        domain = () if words.skips("do") else words.domain()
        words.take(":")
        with self.variables([r.var for r in domain]):
            if words.token:
                assigns = [words.assign()]
                words.end()
                return Nest(domain, tuple(assigns))
            inner, assigns = self.lines[self.at].indent if self.at < len(self.lines) else 0, []
            if inner > indent:
                self.lets(inner)
            while inner > indent and self.starts("", inner):
                words = self.words()
                assigns.append(words.assign())
                words.end()
            return Nest(domain, tuple(assigns))

    @contextmanager
    def variables(self, names: list[str]) -> Iterator[None]:
        """In the block there are these, too."""
        self.names += names
        yield
        del self.names[len(self.names) - len(names) :]


class _Statement(Words):
    """Reads a line that is a statement, or the header."""

    def header(self) -> str:
        found = re.match(r"program (.*?)\(", self.line.text)
        if found is None:
            self.wrong("does not begin a Program, as 'program f(x: float64[3])' does")
        self.place = found.end()
        self.step()
        return found[1]

    def parameter(self) -> Array | str:
        name = self.name()
        return self._array(name) if self.token == ":" else name

    def declaration(self) -> Array:
        return self._array(self.name())

    def _array(self, name: str) -> Array:
        self.take(":")
        dtype = self.dtype()
        self.take("[")
        extents = tuple(self.listed("]", self.form))
        if all(extent.is_const for extent in extents):
            return Array(name, tuple(extent.const for extent in extents), dtype)
        return Array(name, bounding_shape(extents), dtype, extents)

    def sharing(self) -> Sharing:
        self.take("parallel")
        number = self.integer()
        self.take("on")
        threads = self.integer()
        self.take("threads")
        if not self.skips(","):
            return Sharing(number, threads, ())
        self.take("each")
        self.take("its")
        self.take("own")
        return Sharing(number, threads, tuple(self.some(self.name)))

    def domain(self) -> tuple[Range, ...]:
        self.take("for")
        return tuple(self.some(self.range))

    def range(self) -> Range:
        var = self.name()
        self.take("in")
        start = self.form()
        self.take("..")
        return Range(var, start, self.form())

    def assign(self) -> Assign:
        name = self.name()
        if name not in self.arrays:
            self.wrong(f"writes '{name}', which is no array of the program")
        target = Access(name, self.indices(name))
        sign = SIGNS.get(self.token)
        if sign is None:
            self.wrong(f"has {self._here} where one of {', '.join(SIGNS)} is expected")
        self.step()
        return Assign(target, sign, self.value(self.arrays[name].dtype))
