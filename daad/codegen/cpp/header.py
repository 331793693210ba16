"""The C++ that stands before every generated program: NumPy's operations where C++ has others, vector math."""

from __future__ import annotations

import re

from daad.codegen.cpp.header_sections import MATHEMATICAL, SECTIONS

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
LEFT_OUT = ("team", "products")
"""What only daad's own libraries use."""

_MARK = "// daad:"
HEADER = "".join(f"\n{_MARK} {name}\n{text}" for name, text in SECTIONS.items()) + f"\n{_MARK} end\n"
_PARTS = {**{name: text for name, text in SECTIONS.items() if name not in LEFT_OUT}, "checks": ENDING}
PORTABLE_HEADER = f"""#ifndef DAAD_HEADER
#define DAAD_HEADER
#include <stddef.h>
#include <stdint.h>
{STRICT}{"".join(_PARTS.values())}
#endif
"""
"""What DaCe's own header stands before; programs may be parts of one program."""


def _defined(text: str) -> frozenset[str]:
    """What the lines of a section define that begin a definition."""
    names = set()
    for line in re.findall(r"^(?:template <[^{]*?> )?((?:inline|constexpr|struct) .*)", text, re.MULTILINE):
        found = re.search(r"struct (\w+)|(\w+)\(|(\w+) = ", line)
        assert found, f"the header has a definition of unknown form, {line!r}"
        names |= set(found.groups("")) - {""}
    return frozenset(names)


_NAMES = {
    **{name: _defined(text) for name, text in SECTIONS.items()},
    **dict.fromkeys(("mathematics", "vectors"), MATHEMATICAL),
    "overloads": frozenset(("real",)),
    "team": frozenset(("share",)),
}
_ALWAYS = frozenset(("checks",))


def after_header(text: str) -> str:
    """What is generated for the program alone."""
    return text.rpartition(f"{_MARK} end\n")[2]


def trimmed(text: str) -> str:
    """Generated code with those sections of the header that it uses: reading all takes as long as a small kernel."""
    before, *parts = re.split(rf"^ *{_MARK} (\w+)$", text, flags=re.MULTILINE)
    if parts[::2] != [*SECTIONS, "end"]:
        return text
    kept = parts[-1]
    words = set(re.findall(r"\w+", kept))
    for name, section in reversed([*zip(parts[:-2:2], parts[1:-2:2], strict=True)]):
        if name in _ALWAYS or not words.isdisjoint(_NAMES[name]):
            kept = section + kept
            words.update(re.findall(r"\w+", section))
    return before + kept
