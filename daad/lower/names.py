"""Names that are safe in C++, in sympy and in DaCe for the arrays, integers and loop variables of a Program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, count

from daad.lower.spelling import BOOLS, CTYPES, FLOATS, INTEGERS
from daad.program.nodes import Program
from daad.program.walk import variable_names

CPP_WORDS = (
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const consteval "
    "constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double "
    "dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace "
    "new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true "
    "try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq main std "
    "dace daad linux unix NULL NAN INFINITY errno stdin stdout stderr assert min max abs"
)
SYMPY_WORDS = (
    "E I N O Q S C pi oo nan zoo beta gamma zeta Lambda lambda Abs Min Max floor ceiling sqrt exp log sin cos tan sign "
    "re im and or not is in None True False def del elif except finally from global if import nonlocal pass raise "
    "while with yield as int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bool_ Eq Ne Mod "
    "int_floor int_ceil ipow Symbol Integer Function"
)
# DaCe finds the symbols that a C++ tasklet uses by looking for their names in its text.
SPELLINGS = [*FLOATS.values(), *INTEGERS.values(), *BOOLS.values()]
TASKLET_WORDS = " ".join(text.format("0", "1", f=suffix) for text in SPELLINGS for suffix in ("", "f"))
TASKLET_WORDS += " quotient Reciprocal"
TASKLET_WORDS += " not_a_number infinity lowest highest int64_t pragma GCC ivdep omp simd reduction unroll"
TASKLET_WORDS += " " + " ".join(CTYPES.values())
TASKLET_WORDS += " Scan run is_stable constexpr maybe_unused"
RESERVED = frozenset(re.findall(r"\w+", f"{CPP_WORDS} {SYMPY_WORDS} {TASKLET_WORDS}"))


@dataclass(frozen=True)
class Names:
    """Program name -> name in the SDFG, distinct for distinct names."""

    safe: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.safe[name]


def name_everything(program: Program) -> Names:
    """Keeps every name that is harmless, appends underscores to the others."""
    return Names(_distinct([*program.arrays, *program.integers, *variable_names(program)]))


def identifier(text: str) -> str:
    """The text as a C identifier, for the name of the SDFG."""
    word = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
    return word if word and not word[0].isdigit() and word not in RESERVED else f"program_{word}".rstrip("_")


def _distinct(names: Iterable[str]) -> dict[str, str]:
    wanted = list(dict.fromkeys(names))
    harmless = {name for name in wanted if _is_harmless(name)}
    safe: dict[str, str] = {}
    taken = set(harmless)
    for name in wanted:
        safe[name] = name if name in harmless else next(w for w in _candidates(name) if w not in taken)
        taken.add(safe[name])
    return safe


def _candidates(name: str) -> Iterator[str]:
    word = _cleaned(name)
    endings = chain(("", "_"), (f"_{number}" for number in count(2)))
    return (word + ending for ending in endings if _is_harmless(word + ending))


def _is_harmless(name: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z]\w*", name, flags=re.ASCII)) and name not in RESERVED and "__" not in name


def _cleaned(name: str) -> str:
    word = re.sub(r"_+", "_", re.sub(r"[^0-9A-Za-z_]", "_", name)).strip("_")
    return word if word[:1].isalpha() else f"v{word}"
