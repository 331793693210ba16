"""Classes and functions of programs with Python's structure, as templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.fuzz import jumps
from tests.fuzz.structure import TABLES
from tests.fuzz.templates import Tables

OWN = (
    "helper(",
    "written(",
    "descend(",
    "both(",
    "change(",
    "drawn(",
    "State(",
    "Damped(",
    "Pair",
    "pair>",
    "fed(",
    "return",
)


def without(words: tuple[str, ...], tables: Tables) -> Tables:
    return {kind: [row for row in rows if not any(word in row[1] for word in words)] for kind, rows in tables.items()}


INNER = without(OWN, TABLES)
"""For bodies of functions, which call no others."""
JUMPING = without(("part(",), jumps.TABLES)


@dataclass(frozen=True)
class Definition:
    """A function or method: how its header is written, names by kind that its body begins with, and its last lines."""

    header: str
    names: tuple[tuple[str, str], ...]
    ends: tuple[str, ...]
    most: int = 2


STATE = (("vector", "self.u"), ("number", "self.t"), ("number", "self.rate"), ("number", "self.gain"))
CLASSES: Mapping[str, tuple[Definition, ...]] = {
    "class State:\n    gain = 0.7\n": (
        Definition(
            "def __init__(self, u, rate=0.5):",
            (),
            tuple(
                f"self.u = {u}\nself.rate, self.t, self.log = rate, {t}, []"
                for u in ("u", "u.copy()", "np.asarray(u)", "0.9 * u", "np.array(u)", "u[::-1]")
                for t in ("0.0", "u[0]", "0.3 * rate")
            ),
            most=0,
        ),
        Definition(
            "def step(self, f):",
            (*STATE, ("vector", "f")),
            (
                "self.t += 0.1",
                "self.u = self.u + 0.2 * f",
                "self.u += 0.2 * f\nself.log.append(self.t)",
                "self.f = f\nself.u[0] = self.f[1]",
                "self.u, self.old = f, self.u",
                "self.u[1:] = 0.5 * self.u[:-1] + f[1:]",
            ),
        ),
        Definition("@property\ndef total(self):", STATE, ("return np.sum(self.u) * self.rate", "return <number>")),
        Definition(
            "@total.setter\ndef total(self, x):",
            (*STATE, ("number", "x")),
            ("self.rate = 0.5 * x", "self.u[0] = x", "self.u = self.u * np.tanh(x)"),
        ),
        Definition(
            "def __call__(self, x):",
            (*STATE, ("number", "x")),
            ("return <number>", "self.t += 0.1\nreturn x * self.rate"),
        ),
        Definition("def __getitem__(self, k):", (), ("return self.u[k]", "return self.rate * self.u[k]"), most=0),
        Definition("def __setitem__(self, k, x):", (), ("self.u[k] = x", "self.u[k] = self.rate * x"), most=0),
    ),
    "@dataclasses.dataclass\nclass Pair:\n    u: object\n    t: float = 0.3\n    __scale = 0.9\n": (
        Definition(
            "def __add__(self, other):", (), ("return Pair(0.5 * (self.u + other.u), self.t * other.t)",), most=0
        ),
        Definition(
            "def __mul__(self, x):", (), ("return Pair(x * self.u, self.t)", "return Pair(self.u, x * self.t)"), 0
        ),
        Definition("def __neg__(self):", (), ("return Pair(-self.u, self.__scale * self.t)", "return self * -0.7"), 0),
        Definition("def __len__(self):", (), ("return len(self.u)",), most=0),
        Definition("def __iter__(self):", (), ("return iter(self.u)", "yield from self.u"), 0),
        Definition("@classmethod\ndef of(cls, u):", (), ("return cls(u, u[0])", "return cls(u[::-1])"), 0),
        Definition("@staticmethod\ndef norm(u):", (("vector", "u"),), ("return np.sum(u * u)", "return <number>"), 1),
        Definition(
            "def move(self, x):",
            (("vector", "self.u"), ("number", "self.t"), ("number", "x")),
            ("self.u = self.u + x\nreturn self", "self.u[0] = x\nreturn self", "self.t = x\nreturn self"),
        ),
        Definition("__rmul__ = __mul__", (), ("",), most=0),
    ),
    "class Damped(State):\n    gain = 0.4\n": (
        Definition(
            "def step(self, f):",
            (*STATE, ("vector", "f")),
            (
                "super().step(f)\nself.u *= 0.9",
                "super().step(0.5 * f)",
                "State.step(self, self.u)\nself.log.append(self.t)",
            ),
            most=1,
        ),
    ),
}
USED = {"State": ("State(", "Damped("), "Damped": ("State(", "Damped("), "Pair": ("Pair",)}
"""Texts for which a program needs a class."""
PART = Definition("def part(u, x):", (("vector", "u"), ("number", "x")), ("return <number>",), most=5)
"""What programs whose control flow jumps call."""
FUNCTIONS = (
    Definition(
        "def helper(u, x=0.3):",
        (("vector", "u"), ("number", "x")),
        ("return <vector>", "if <test>:\n    return u\nreturn <vector>"),
    ),
    Definition(
        "def written(u, v=None):", (("vector", "u"),), ("if v is not None:\n    u[0] = 0.5 * v[1]", "u[:] = <vector>")
    ),
    Definition(
        "def both(u):",
        (("vector", "u"),),
        ("return <number>, <vector>", "return u[0], u", "return <number>, u[::-1]"),
        most=1,
    ),
    Definition(
        "def descend(u, k):",
        (("vector", "u"),),
        (
            "if k == 0 or <test>:\n    return <number>\nreturn 0.5 * descend(<vector>, k - 1) + <number>",
            "return <number> if k <= 0 else 0.3 * descend(u, k - 1) + 0.2 * descend(<vector>, k - 2)",
        ),
        most=0,
    ),
    Definition(
        "def change(thing, x):",
        (("thing", "thing"), ("vector", "thing.u"), ("number", "thing.t"), ("number", "x")),
        ("thing.t = x", "thing.u = <vector>"),
        most=2,
    ),
    Definition(
        "def fed(x):",
        (("number", "x"),),
        ("while True:\n    x = 0.5 * x + (yield x)", "y = yield x\ny = yield x * y\nyield y - x"),
        most=0,
    ),
    Definition(
        "def drawn(u):",
        (("vector", "u"),),
        (
            "for i in range(len(u)):\n    yield u[i] * <number>",
            "for x in u[::-1]:\n    if x > <level>:\n        yield x\nyield <number>",
        ),
        most=1,
    ),
)
