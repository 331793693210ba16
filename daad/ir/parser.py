"""Reads the text of a Program, as `printer.program_text` writes it.

`parse(program_text(p)) == p`: trees are compared without the places in the source, which are not in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn, TypeVar

from daad.errors import BadArgument
from daad.ir.affine import Affine
from daad.ir.nodes import (
    Access,
    Array,
    Assign,
    Branch,
    Const,
    Expr,
    Index,
    IndexValue,
    Load,
    Loop,
    Nest,
    Node,
    Number,
    Op,
    Program,
    Range,
    Sharing,
    Unsigned,
)
from daad.ir.operations import OPERATIONS
from daad.ir.operations.updates import BY_SIGN
from daad.ir.ragged import bounding_shape
from daad.ir.unwritten_dtypes import literal_dtype, operation_dtype, wanted_dtype

DTYPE = re.compile(r"bool|u?int(8|16|32|64)|float(16|32|64)")
TOKEN = re.compile(
    r"(?P<form>\d+\*[^\W\d][\w@]*)"
    r"|(?P<number>\+0\.0\b|\d+(\.\d+)?(e[+-]?\d+)?|inf\b|nan\b|True\b|False\b)"
    r"|(?P<dtype>:(bool|u?int(8|16|32|64)|float(16|32|64))\b)"
    r"|(?P<sign>\.\.|max=|min=|[-+*/<>=!]=|\*\*|//|[-+*/%<>=(),:\[\]])"
    r"|(?P<name>`[^`]+`|[^\W\d]\w*(@\w+(\.\d+)?)?|\#\d+)"
)
INFIXES = {row.infix[0]: (name, row.infix[1]) for name, row in OPERATIONS.items() if row.infix}
HINT = "A Program's text is what 'print' shows of one, as 'daad explain --adjoint' does."
Item = TypeVar("Item")


@dataclass(frozen=True)
class Line:
    """A line of the text: its number from 1, how far it is indented, what it says."""

    number: int
    indent: int
    text: str


@dataclass(frozen=True)
class Literal:
    """A number whose dtype is written, or will follow from what is around it."""

    value: Number
    dtype: str | None = None


Operand = Expr | Affine | Literal
"""An Affine is a form without parentheses: an index if it is one, otherwise the value of it."""


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

    def words(self) -> _Words:
        """Those of the next line."""
        line = self.lines[self.at]
        self.at += 1
        return _Words(line, self.arrays, self.names)

    def starts(self, pattern: str, indent: int | None = None) -> bool:
        line = self.lines[self.at] if self.at < len(self.lines) else Line(0, -1, "")
        return bool(re.match(pattern, line.text)) and indent in (None, line.indent)

    def body(self, indent: int) -> tuple[Node, ...]:
        nodes: list[Node] = []
        while self.starts(r"(?!return\b|else:)", indent):
            nodes.append(self.node(indent))
        return tuple(nodes)

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
        sharing = words.sharing() if words.skips("in") else None
        words.end(":")
        with self.variables([var]):
            return Loop(var, start, stop, step, self.below(indent), sharing=sharing)

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


class _Words:
    """Reads a line word by word; `token` is the next one, empty at the end."""

    def __init__(self, line: Line, arrays: Mapping[str, Array], names: list[str]) -> None:
        self.line, self.arrays, self.names = line, arrays, names
        self.place, self.token, self.kind = 0, "", ""
        self.step()

    def step(self) -> str:
        """The token, which is read."""
        token, text = self.token, self.line.text
        while self.place < len(text) and text[self.place] == " ":
            self.place += 1
        found = TOKEN.match(text, self.place)
        if found is None and self.place < len(text) and self.place:
            self.wrong(f"has an unknown sign '{text[self.place]}'")
        self.token, self.kind = (found[0], found.lastgroup or "") if found else ("", "")
        self.place = found.end() if found else len(text)
        return token

    def wrong(self, what: str) -> NoReturn:
        raise BadArgument(f"Line {self.line.number} {what}: {self.line.text}", hint=HINT)

    def take(self, wanted: str) -> None:
        if self.token != wanted:
            self.wrong(f"has {self._here} where '{wanted}' is expected")
        self.step()

    @property
    def _here(self) -> str:
        return f"'{self.token}'" if self.token else "its end"

    def skips(self, word: str) -> bool:
        """Whether this is the next one, which then is read."""
        if self.token != word:
            return False
        self.step()
        return True

    def end(self, last: str = "") -> None:
        if last:
            self.take(last)
        if self.token:
            self.wrong(f"goes on with '{self.token}' where it should end")

    def some(self, item: Callable[[], Item]) -> list[Item]:
        found = [item()]
        while self.skips(","):
            found.append(item())
        return found

    def listed(self, close: str, item: Callable[[], Item]) -> list[Item]:
        """What stands between brackets, of which the first is read."""
        found = [] if self.token == close else self.some(item)
        self.take(close)
        return found

    def header(self) -> str:
        found = re.match(r"program (.*?)\(", self.line.text)
        if found is None:
            self.wrong("does not begin a Program, as 'program f(x: float64[3])' does")
        self.place = found.end()
        self.step()
        return found[1]

    def name(self) -> str:
        if self.kind != "name":
            self.wrong(f"has {self._here} where a name is expected")
        return self.step().strip("`")

    def integer(self) -> int:
        if not self.token.isdecimal():
            self.wrong(f"has {self._here} where an integer is expected")
        return int(self.step())

    def dtype(self) -> str:
        if not DTYPE.fullmatch(self.token):
            self.wrong(f"has {self._here} where a dtype is expected")
        return self.step()

    def written_dtype(self) -> str | None:
        """That of the literal or operation before it, where one is written."""
        return self.step()[1:] if self.kind == "dtype" else None

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
        if self.token not in BY_SIGN:
            self.wrong(f"has {self._here} where one of {', '.join(BY_SIGN)} is expected")
        return Assign(target, self.step(), self.value(self.arrays[name].dtype))

    def indices(self, name: str) -> tuple[Index, ...]:
        found = tuple(self.listed("]", self.index)) if self.skips("[") else ()
        if len(found) != len(self.arrays[name].shape):
            self.wrong(f"has {len(found)} indices of '{name}', which has {len(self.arrays[name].shape)} dimensions")
        return found

    def form(self) -> Affine:
        index = self.index()
        return index if isinstance(index, Affine) else self.wrong("needs an affine form")

    def index(self) -> Index:
        operand = self.operand()
        form = _form(operand)
        return settled(operand, None) if form is None else form

    def value(self, wanted: str | None) -> Expr:
        return settled(self.operand(), wanted)

    def operand(self, level: int = 0) -> Operand:
        """What stands up to an operator that binds weaker than `level`."""
        left = self.negated() if self.skips("-") else self.atom()
        while self.token in INFIXES and INFIXES[self.token][1] >= level:
            name, strength = INFIXES[self.step()]
            left = _joined(name, left, self.operand(strength + 1))
        if level == 0 and self.skips("if"):
            condition = self.operand(1)
            self.take("else")
            return operation("where", [condition, left, self.operand(1)])
        return left

    def negated(self) -> Operand:
        operand = self.operand(6)
        if isinstance(operand, Literal):
            return Literal(-float(operand.value) if isinstance(operand.value, float) else -operand.value, operand.dtype)
        return -operand if isinstance(operand, Affine) else operation("negative", [operand])

    def atom(self) -> Operand:
        if self.skips("("):
            operand = self.operand()
            self.take(")")
            return IndexValue(operand) if isinstance(operand, Affine) else operand
        if self.kind == "number":
            value = _number(self.step())
            return Literal(value, self.written_dtype())
        if self.kind == "form":
            factor, name = self.step().split("*")
            return int(factor) * self.variable(name)
        name = self.name()
        if self.token == "(" or self.kind == "dtype":
            return self.call(name)
        if name in self.arrays:
            return Load(name, self.indices(name), self.arrays[name].dtype)
        return self.variable(name)

    def variable(self, name: str) -> Affine:
        if name not in self.names and not name.startswith("#"):
            self.wrong(f"has '{name}', which is no array, and no variable there")
        return Affine.of(name)

    def call(self, name: str) -> Operand:
        if name not in OPERATIONS and name != "index" and not DTYPE.fullmatch(name):
            self.wrong(f"calls '{name}', which is no operation")
        dtype = self.written_dtype()
        self.take("(")
        if name == "index":
            (form,) = self.listed(")", self.form)
            return IndexValue(form)
        operands = self.listed(")", self.operand)
        if DTYPE.fullmatch(name):
            name, dtype = "cast", name
        try:
            return operation(name, operands, dtype)
        except (ValueError, IndexError):
            self.wrong(f"has a wrong number of operands of '{name}'")


def _number(text: str) -> Number:
    if text in ("True", "False"):
        return text == "True"
    if text.isdecimal():
        return int(text)
    return Unsigned() if text == "0.0" else float(text)


def _form(operand: Operand) -> Affine | None:
    """The affine form that it is."""
    if isinstance(operand, Literal):
        return Affine(operand.value) if type(operand.value) is int and operand.dtype is None else None
    return operand if isinstance(operand, Affine) else None


def _joined(name: str, left: Operand, right: Operand) -> Operand:
    forms = _form(left), _form(right)
    if name in ("add", "subtract") and forms[0] is not None and forms[1] is not None:
        return forms[0] + forms[1] if name == "add" else forms[0] - forms[1]
    return operation(name, [left, right])


def settled(operand: Operand, wanted: str | None) -> Expr:
    """The value; a literal is of the `wanted` dtype if it has none and can be."""
    if isinstance(operand, Literal):
        return Const(operand.value, operand.dtype or literal_dtype(operand.value, wanted))
    return IndexValue(operand) if isinstance(operand, Affine) else operand


def operation(name: str, operands: list[Operand], dtype: str | None = None) -> Op:
    """Of operands whose dtypes follow from the others."""
    known = [_dtype(operand) for operand in operands]
    wanted = wanted_dtype(name, known)
    each = [None, wanted, wanted] if name == "where" else [wanted] * len(operands)
    args = tuple(settled(operand, w) for operand, w in zip(operands, each, strict=True))
    return Op(name, args, dtype or operation_dtype(name, tuple(a.dtype for a in args)))


def _dtype(operand: Operand) -> str | None:
    if isinstance(operand, Literal):
        return None
    return "int64" if isinstance(operand, Affine) else operand.dtype
