"""What is known of a scalar operation: one row of the table, which lacks the derivative alone (rules/scalar.py)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np

from daad.ir.operations.interval_arithmetic import Interval

FUNCTION_WORK, SLOW_WORK = 20, 4


class Family(Enum):
    """What an operation takes and gives."""

    ARITHMETIC = "numbers to a number of the same type"
    ROUNDING = "a float to a whole number; whole numbers stay"
    FUNCTION = "the same as arithmetic, by a function of a library"
    SELECTION = "one of its operands, or the sign of one"
    COMPARISON = "two numbers of any type to a truth value"
    PREDICATE = "a number of any type to a truth value"
    LOGIC = "truth values to a truth value"
    BITS = "whole numbers or truth values, bit by bit"
    FORM = "part of the language: a choice, a conversion"
    SPECIAL = "the same as arithmetic, by a function of SciPy's"
    PYTHON = "what Python is called for"
    RULE = "part of a rule that a user gives: nothing that is compiled"


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A scalar operation, named as NumPy's ufunc or as Python's or SciPy's function.

    `evaluate` computes it on NumPy's arrays; there operands have the result's type, unless it is a `question`.
    `price`: elementary operations that one takes as long as, in a vectorised nest. `exact`: compilers round it alike in
    every place; of these, `repeats` are done twice rather than that their result is kept.
    `jumps`: what it reads must be exact, as a value next to it may give another result altogether. `kink`: how far
    operands are from where the derivative jumps or does not exist, None where it is smooth. `steep`: the derivative can
    be infinite or undefined at a point where the operation is defined, or at its edge.
    `interval`: bounds of the exact result by those of the operands, None where nobody asks for them.
    `floats`, `integers`, `bools`: C++ by the type of the result, None where it has none; {f} is the suffix of C's float
    functions. `wraps`: integers wrap around in NumPy, and C++ leaves their overflow undefined. `vectors`: glibc 2.x has
    the function for vectors, too.
    `infix`: the sign in a Program's text and how strongly it binds. `on_bools`: which operation it is on truth values.
    `math`: Python's function of the same values. `scipy`: the name in `scipy.special`, where NumPy has no function.
    """

    name: str
    family: Family
    operands: int
    evaluate: Callable[..., Any]
    price: int
    exact: bool
    repeats: bool
    jumps: bool
    steep: bool
    kink: Callable[..., np.ndarray] | None
    interval: Callable[..., Interval] | None
    floats: str | None
    integers: str | None
    bools: str | None
    wraps: bool
    vectors: int | None
    infix: tuple[str, int] | None
    on_bools: str
    math: Callable[..., float] | None
    scipy: str

    @property
    def is_function(self) -> bool:
        """Whether a library computes it, which has functions of vectors for loops."""
        return self.family is Family.FUNCTION

    @property
    def is_question(self) -> bool:
        """Whether it gives a truth value of operands that keep their types."""
        return self.family in (Family.COMPARISON, Family.PREDICATE)

    @property
    def gives_truth(self) -> bool:
        return self.is_question or self.family is Family.LOGIC

    @property
    def is_same_number(self) -> bool:
        """Whether it folds: a constant of the compiler is what the program would compute."""
        return self.exact and not self.gives_truth and self.family not in (Family.FORM, Family.RULE)

    @cached_property
    def chooses(self) -> bool:
        """Whether the result is one of several values, by a condition."""
        return self.jumps or self.family is Family.SELECTION or self.name == "where"

    @cached_property
    def work(self) -> int:
        """The price, as coarse as who compares programs needs it."""
        return (
            FUNCTION_WORK if self.is_function or self.family is Family.SPECIAL else SLOW_WORK if self.price > 1 else 1
        )

    @cached_property
    def of_c(self) -> str:
        """The function of C's library that computes it on floats, "" where none does."""
        found = re.fullmatch(r"::(\w+)\{f\}\(.*\)", self.floats or "")
        return found.group(1) if found else ""


def function(name: str, price: int, *, c: str = "", operands: int = 1, **facts: Any) -> Operation:
    """A function of C's library, of `c` there, unless `floats` says how else C++ computes it."""
    arguments = ", ".join(f"{{{k}}}" for k in range(operands))
    python = getattr(math, c or name, None) if "floats" not in facts else None
    own = {"floats": f"::{c or name}{{f}}({arguments})", "math": python}
    return _row(name, Family.FUNCTION, operands=operands, price=price, **{**own, **facts})


def rounding(name: str, interval: Callable[..., Interval], kink: Callable[..., Any], bools: str | None) -> Operation:
    texts = {"floats": f"::{name}{{f}}({{0}})", "integers": "{0}", "bools": bools}
    return _row(name, Family.ROUNDING, exact=True, jumps=True, interval=interval, kink=kink, **texts)


def arithmetic(name: str, operands: int, **facts: Any) -> Operation:
    return _row(name, Family.ARITHMETIC, operands=operands, exact=True, **facts)


def selection(name: str, **facts: Any) -> Operation:
    return _row(name, Family.SELECTION, operands=2, exact=True, **facts)


def comparison(name: str, sign: str, kink: Callable[..., Any]) -> Operation:
    infix, text = (sign, 3), f"{{0}} {sign} {{1}}"
    return _row(name, Family.COMPARISON, operands=2, exact=True, jumps=True, kink=kink, infix=infix, bools=text)


def predicate(name: str, bools: str, **facts: Any) -> Operation:
    return _row(name, Family.PREDICATE, exact=True, jumps=True, bools=bools, **facts)


def logic(name: str, bools: str, operands: int = 2, infix: tuple[str, int] | None = None) -> Operation:
    return _row(name, Family.LOGIC, operands=operands, exact=True, jumps=True, bools=bools, infix=infix)


def bits(
    name: str, integers: str, interval: Callable[..., Interval], operands: int = 2, on_bools: str = ""
) -> Operation:
    facts: dict[str, Any] = {"integers": integers, "interval": interval, "on_bools": on_bools}
    return _row(name, Family.BITS, operands=operands, exact=True, **facts)


def form(name: str, operands: int, **facts: Any) -> Operation:
    return _row(name, Family.FORM, operands=operands, exact=True, **facts)


def of_python(name: str, operands: int, evaluate: Callable[..., Any]) -> Operation:
    texts = ", ".join(f"{{{k}}}" for k in range(operands))
    return _row(name, Family.PYTHON, operands=operands, price=500, floats=f"daad::{name}({texts})", evaluate=evaluate)


def of_special(name: str, operands: int, evaluate: Callable[..., Any]) -> Operation:
    """A function that SciPy computes, whose address a library gets when it is loaded."""
    text = f"daad::special_{name}({', '.join(f'{{{k}}}' for k in range(operands))})"
    return _row(name, Family.SPECIAL, operands=operands, price=300, steep=True, floats=text, evaluate=evaluate)


def of_rule(name: str, operands: int, evaluate: Callable[..., Any]) -> Operation:
    return _row(name, Family.RULE, operands=operands, exact=True, evaluate=evaluate)


def _row(name: str, family: Family, **facts: Any) -> Operation:
    """A row of what is said and, for the rest, of what an operation is unless it is said; `evaluate` is NumPy's."""
    usual: dict[str, Any] = {
        "operands": 1,
        "price": 1,
        "exact": False,
        "repeats": False,
        "jumps": False,
        "steep": False,
        "kink": None,
        "interval": None,
        "floats": None,
        "integers": None,
        "bools": None,
        "wraps": False,
        "vectors": None,
        "infix": None,
        "on_bools": "",
        "math": None,
        "scipy": "",
    }
    evaluate = facts.pop("evaluate", None) or getattr(np, name)
    return Operation(name=name, family=family, evaluate=evaluate, **{**usual, **facts})
