"""Calls of the C functions of `scipy.special`, whose addresses a library gets; see `daad.runtime.c_functions`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daad.ir.operations.of_scipy import SPECIAL
from daad.runtime.c_functions import MOST_ARGUMENTS, SYMBOL

CALLS = f"""
namespace daad {{
typedef void (*Loop)(char** arguments, const int64_t* sizes, const int64_t* steps, void* data);
struct Special {{
    void* scalar;
    Loop loop; void* data;
    Loop whole_loop; void* whole_data;
    int64_t whole, inputs, outputs, at[{MOST_ARGUMENTS}];
}};
template <int results, typename... T>
__attribute__((noinline)) inline double special_loop(const Special& function, int place, T... operands) {{
    constexpr int count = sizeof...(T);
    double values[count] = {{operands...}}, made[results] = {{}};
    int64_t integers[count] = {{}};
    bool is_whole = function.whole_loop;
    for (int k = 0; k < count; ++k) if (function.whole >> k & 1) {{
        if (__builtin_fabs(values[k]) < 0x1p62) integers[k] = int64_t(values[k]);
        is_whole &= double(integers[k]) == values[k];
    }}
    const Loop loop = is_whole ? function.whole_loop : function.loop;
    if (!loop) return not_a_number<double>();
    char* arguments[{MOST_ARGUMENTS}];
    for (int64_t n = 0; n < function.inputs; ++n) {{
        const int64_t at = function.at[n];
        const bool as_integer = is_whole && (function.whole >> at & 1);
        arguments[n] = as_integer ? reinterpret_cast<char*>(integers + at) : reinterpret_cast<char*>(values + at);
    }}
    for (int64_t n = function.inputs; n < function.inputs + function.outputs; ++n)
        arguments[n] = reinterpret_cast<char*>(made + function.at[n]);
    const int64_t once = 1, steps[{MOST_ARGUMENTS}] = {{}};
    loop(arguments, &once, steps, is_whole ? function.whole_data : function.data);
    return made[place];
}}
}}  // namespace daad
"""


def _text(name: str) -> str:
    """C++ for one function."""
    source, operands = SPECIAL[name].function, "abcdef"[: len(SPECIAL[name].slopes)]
    taken, kinds = ", ".join(f"T {x}" for x in operands), ", ".join(["double"] * len(operands))
    given = ", ".join(f"double({x})" for x in operands)
    return f"""
extern "C" {{ __attribute__((visibility("default"), weak)) daad::Special {SYMBOL}{name} = {{}}; }}
namespace daad {{
template <typename T> inline T special_{name}({taken}) {{
    if ({SYMBOL}{name}.scalar)
        return T(reinterpret_cast<double (*)({kinds}, int)>({SYMBOL}{name}.scalar)({given}, 0));
    return T(special_loop<{source.results}>({SYMBOL}{name}, {source.place}, {given}));
}}
}}  // namespace daad
"""


def called(texts: Iterable[str]) -> list[str]:
    """The functions of which records stand in generated programs."""
    return sorted({name for text in texts for name in re.findall(rf"{SYMBOL}(\w+) = ", text)})


TEXTS = {f"special_{name}": _text(name) for name in SPECIAL}
"""By the name by which expressions call a function."""
