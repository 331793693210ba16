"""Reads the words and the expressions in a line of a Program's text, as `printer.expr_text` writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn, TypeVar

from daad.errors import BadArgument
from daad.ir.affine import Affine
from daad.ir.nodes import Array, Const, Expr, Index, IndexValue, Load, Number, Op, Unsigned
from daad.ir.operations import OPERATIONS
from daad.ir.symbols import Kind, form
from daad.ir.unwritten_dtypes import is_zero, literal_dtype, operation_dtype, wanted_dtype

DTYPE = re.compile(r"bool|u?int(8|16|32|64)|float(16|32|64)")
TOKEN = re.compile(
    r"(?P<form>\d+\*([^\W\d][\w@]*|\#\d+))"
    r"|(?P<number>\d+(\.\d+)?(e[+-]?\d+)?|inf\b|nan\b|True\b|False\b)"
    r"|(?P<dtype>:(bool|u?int(8|16|32|64)|float(16|32|64))\b)"
    r"|(?P<sign>\.\.|max=|min=|[-+*/<>=!]=|\*\*|//|[-+*/%<>=(),:\[\]])"
    r"|(?P<repeated>\$\d+)"
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


class Words:
    """Reads a line word by word; `token` is the next one, empty at the end. `repeated` is what `$1` and so on are."""

    def __init__(
        self, line: Line, arrays: Mapping[str, Array], names: list[str], repeated: Mapping[str, Expr] = {}
    ) -> None:
        self.line, self.arrays, self.names, self.repeated = line, arrays, names, repeated
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

    def name(self) -> str:
        if self.kind != "name":
            self.wrong(f"has {self._here} where a name is expected")
        return self.step().strip("`")

    def repeated_name(self) -> str:
        return self.step() if self.kind == "repeated" else self.wrong(f"has {self._here} where '$1' is expected")

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
        if self.kind == "repeated":
            if self.token not in self.repeated:
                self.wrong(f"has '{self.token}', which no line before it defines")
            return self.repeated[self.step()]
        name = self.name()
        if self.token == "(" or self.kind == "dtype":
            return self.call(name)
        if name in self.arrays:
            return Load(name, self.indices(name), self.arrays[name].dtype)
        return self.variable(name)

    def variable(self, name: str) -> Affine:
        if name[0] == "#":
            return form(Kind.DIMENSION, int(name[1:]))
        if name not in self.names:
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
    return float(text)


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
        value = Unsigned() if is_zero(operand.value, operand.dtype or wanted) else operand.value
        return Const(value, operand.dtype or literal_dtype(value, wanted))
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
