"""Names that are safe in C++, in sympy and in DaCe for the arrays, integers and loop variables of a Program."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator, Mapping
from itertools import chain, count
from types import MappingProxyType

import sympy
from dace import symbolic

from daad.codegen.chosen_names import Names, cleaned
from daad.codegen.spelling import BOOLS, CTYPES, FLOATS, INTEGERS
from daad.ir.nodes import Program
from daad.ir.walk import variable_names

CPP_WORDS = (
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const consteval "
    "constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double "
    "dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace "
    "new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true "
    "try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq main std "
    "dace daad linux unix NULL NAN INFINITY EOF HUGE errno stdin stdout stderr assert offsetof complex min max abs inf"
)
MACRO = r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+"
"""What C's headers call numbers and limits."""
# DaCe reads texts with these names as what they stand for in Python and sympy.
PYTHON_WORDS = frozenset((*keyword.kwlist, *dir(builtins), *dir(sympy), *dir(symbolic)))
# DaCe finds the symbols that a C++ tasklet uses by looking for their names in its text.
SPELLINGS = [*FLOATS.values(), *INTEGERS.values(), *BOOLS.values()]
TASKLET_WORDS = " ".join(text.format(*"012345", f=suffix) for text in SPELLINGS for suffix in ("", "f"))
TASKLET_WORDS += " quotient Reciprocal"
TASKLET_WORDS += " not_a_number infinity lowest highest int64_t pragma GCC ivdep omp simd reduction unroll"
TASKLET_WORDS += " " + " ".join(CTYPES.values())
TASKLET_WORDS += " Scan run is_stable constexpr maybe_unused"
RESERVED = PYTHON_WORDS.union(re.findall(r"\w+", f"{CPP_WORDS} {TASKLET_WORDS}"))
NO_WISHES: Mapping[str, str] = MappingProxyType({})
LONGEST = 60
"""The letters of an SDFG's name, which files are called after."""


def name_everything(program: Program, wanted: Mapping[str, str] = NO_WISHES) -> Names:
    """Keeps every name that is harmless, appends underscores to the others; some are `wanted` to be called otherwise,
    and come first."""
    names = dict.fromkeys([*wanted, *program.arrays, *program.integers, *variable_names(program.body)])
    return Names(_distinct({name: wanted.get(name, name) for name in names}))


def identifier(text: str) -> str:
    """The text as a C identifier, for the name of the SDFG."""
    word = re.sub(r"\W+", "_", text, flags=re.ASCII)[:LONGEST].strip("_")
    return word if word and not word[0].isdigit() and word not in RESERVED else f"program_{word}".rstrip("_")


def _distinct(wanted: Mapping[str, str]) -> dict[str, str]:
    harmless: dict[str, str] = {}
    for name, word in wanted.items():
        if _is_harmless(word):
            harmless.setdefault(word, name)
    safe: dict[str, str] = {}
    taken = set(harmless)
    for name, word in wanted.items():
        safe[name] = word if harmless.get(word) == name else next(w for w in _candidates(word) if w not in taken)
        taken.add(safe[name])
    return safe


def _candidates(name: str) -> Iterator[str]:
    word = cleaned(name)
    endings = chain(("", "_"), (f"_v{number}" for number in count(2)))
    return (word + ending for ending in endings if _is_harmless(word + ending))


def _is_harmless(name: str) -> bool:
    is_plain = bool(re.fullmatch(r"[A-Za-z]\w*", name, flags=re.ASCII)) and "__" not in name
    return is_plain and name not in RESERVED and not re.fullmatch(MACRO, name)
