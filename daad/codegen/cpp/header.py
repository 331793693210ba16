"""The C++ that stands before every generated program: NumPy's operations where C++ has others, vector math."""

from __future__ import annotations

import numpy as np

from daad.codegen.cpp.header_sections import SECTIONS
from daad.codegen.cpp.special_calls import TEXTS
from daad.codegen.spelling import BY_KIND, CONSTANT_FORMS
from daad.ir.nodes import Op
from daad.ir.operations.updates import BY_SIGN, Sign

# What DaCe's header gives that generated programs use.
PREAMBLE = """
#include <stddef.h>
#include <stdint.h>
#define DACE_EXPORTED extern "C" __attribute__((visibility("default")))
namespace dace { typedef uint32_t uint; }
"""

# Without the library of C++, which takes a linker longer than all else.
MEMORY = """
#ifdef __GLIBC__
extern "C" {
void* calloc(size_t, size_t) noexcept;
int posix_memalign(void**, size_t, size_t) noexcept;
void free(void*) noexcept;
}
#else
#include <stdlib.h>
#endif
namespace daad {
struct Allocated {
    static void* operator new(size_t size) noexcept { return ::calloc(1, size); }
    static void operator delete(void* memory) { ::free(memory); }
};
}  // namespace daad
"""

# DaCe's flags, and whatever flags a user gives it, may neglect NaN and the sign of zero, and round a value that is
# computed twice in two ways, so that a comparison with a maximum finds none. GCC 12 is wrong about vectors of
# statements and about functions that write (see `daad.runtime.toolchain`).
STRICT = """
#if defined(__clang__)
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "A gradient needs NaN and the sign of zero: compile without -ffast-math, or with GCC."
#endif
#pragma float_control(precise, on)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("no-fast-math", "signed-zeros", "no-reciprocal-math", "fp-contract=off", "no-math-errno")
#pragma GCC optimize("no-trapping-math", "no-tree-slp-vectorize", "no-ipa-pure-const", "no-ipa-modref")
#endif
"""

# Nobody asks a program that DaCe compiles whether an index was outside of its axis.
ENDING = """
#include <stdio.h>
#include <stdlib.h>
namespace daad {
__attribute__((cold, noinline)) inline int64_t checked_at(int64_t index, int64_t extent, int64_t line) {
    fprintf(stderr, "daad: index %lld is out of bounds for an axis of size %lld", (long long)index, (long long)extent);
    if (line > 0) fprintf(stderr, " in line %lld of the differentiated program", (long long)line);
    fprintf(stderr, "\\n");
    abort();
}
inline int64_t checked(int64_t index, int64_t extent, int64_t line) {
    return __builtin_expect(uint64_t(index) < uint64_t(extent), 1) ? index : checked_at(index, extent, line);
}
}  // namespace daad
"""
LEFT_OUT = frozenset(("team", "products", "python", "special", *TEXTS))
"""What only daad's own libraries use."""

_PARTS = {**{name: text for name, text in SECTIONS.items() if name not in LEFT_OUT}, "checks": ENDING}
PORTABLE_HEADER = f"""#ifndef DAAD_HEADER
#define DAAD_HEADER
#include <stddef.h>
#include <stdint.h>
{STRICT}{"".join(_PARTS.values())}
#endif
"""
"""What DaCe's own header stands before; programs may be parts of one program."""

DEFINES = ("inline T {}(", "inline bool {}(")
"""How the header begins to define what expressions call."""


def sections_of(op: Op) -> frozenset[str]:
    """The sections of the header that the C++ of an operation may need."""
    if op.name in CONSTANT_FORMS and (shorter := CONSTANT_FORMS[op.name](op, "")):
        return frozenset(("functions",) if shorter.startswith("daad::root_power") else ("operations",))
    return _SPELLED.get(BY_KIND[np.dtype(op.dtype).kind].get(op.name, ""), NONE)


def sections_of_update(op: Sign, dtype: str) -> frozenset[str]:
    """As `sections_of`, for an update such as 'max='."""
    return _SPELLED.get(BY_KIND[np.dtype(dtype).kind][BY_SIGN[op].operation.name], NONE)


def _sections(text: str) -> frozenset[str]:
    """The sections that an operation's C++ needs, of which it calls one function."""
    before, is_call, called = text.partition("::")
    if not is_call:
        return NONE
    if before != "daad":
        return frozenset(("vectors",))
    name = called.partition("(")[0]
    if name in TEXTS:
        return frozenset((name,))
    return frozenset(s for s, part in SECTIONS.items() if any(form.format(name) in part for form in DEFINES))


NONE: frozenset[str] = frozenset()
_SPELLED = {text: _sections(text) for table in BY_KIND.values() for text in table.values()}
