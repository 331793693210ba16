"""The C functions of an exported library, behind the code that is generated for its program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from daad.api.call.specialization import Specialised
from daad.api.export.c_signature import Parameter, Signature
from daad.codegen.export_build import Sources
from daad.errors import Unsupported

OK, NO_MEMORY, BAD_POINTER, INDEX, LOOP, PATH, CPU, RAISED = 0, 1, 2, 3, 4, 5, 6, 16
LARGEST = 1 << 24
"""Bytes of an array that is written into a source file."""
LINE = 64

COMMON = """
#include <stdbool.h>
extern "C" {{
void* memcpy(void*, const void*, size_t) noexcept;
void* memset(void*, int, size_t) noexcept;
}}
namespace {{
constexpr size_t line = {LINE};
constexpr size_t rounded(size_t size) {{ return (size + line - 1) / line * line; }}
struct Scratch {{  // the caller's memory, or its own
    void* own = nullptr;
    char* start = nullptr;
    Scratch(void* given, size_t size) {{
        if (given) start = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(given) + line - 1) / line * line);
        else if (!::posix_memalign(&own, line, size)) start = static_cast<char*>(own);
    }}
    ~Scratch() {{ ::free(own); }}
}};
bool fits_processor() {{
#if defined(__x86_64__)
#ifdef __AVX512F__
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw")) return false;
    if (!__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq")) return false;
#endif
#ifdef __AVX2__
    if (!__builtin_cpu_supports("avx2")) return false;
#endif
#ifdef __FMA__
    if (!__builtin_cpu_supports("fma")) return false;
#endif
#endif
    return true;
}}
}}  // namespace
"""


def c_functions(signature: Signature, found: Specialised, sources: Sources) -> str:
    """C++ that defines what the header declares."""
    parts = [
        COMMON.format(LINE=LINE),
        *(_constant(number, slot.fixed) for number, slot in enumerate(found.slots) if slot.fixed is not None),
        _quiet_blas() if sources.blas else "",
        _run(signature, found, sources),
        _plain(signature),
        _adding(signature),
        _about(signature, found),
    ]
    return "\n".join(part for part in parts if part)


def plain_parameters(signature: Signature) -> list[str]:
    """Of the function that writes gradients."""
    outputs = [f"{p.ctype} *{p.name}" for p in signature.outputs]
    return [*map(declared, signature.inputs), *outputs, "void *work"]


def adding_parameters(signature: Signature) -> list[str]:
    """Of the function that adds gradients to shadows, each behind what it is the shadow of."""
    words = []
    for given, shadow in signature.shadows():
        words += [declared(given)] + ([f"{shadow.ctype} *{shadow.name}"] if shadow else [])
    return [*words, *(f"{p.ctype} *{p.name}" for p in signature.values), "void *work"]


def declared(given: Parameter) -> str:
    """An input in C."""
    if given.is_number:
        return f"{given.ctype} {given.name}"
    return f"{'' if given.is_written else 'const '}{given.ctype} *{given.name}"


def _constant(number: int, value: np.ndarray) -> str:
    data = np.ascontiguousarray(value).tobytes()
    if len(data) > LARGEST:
        raise Unsupported(
            f"The program holds an array of {len(data)} bytes of its own, too large for a source file.",
            hint="Make it an argument.",
        )
    data += bytes(-len(data) % 8 or (8 if not data else 0))
    words = ", ".join(f"{word:#x}ULL" for word in np.frombuffer(data, np.uint64).tolist())
    return f"alignas({LINE}) static const uint64_t constant_{number}[] = {{{words}}};"


def _quiet_blas() -> str:
    return "__attribute__((constructor)) static void use_one_thread() { scipy_openblas_set_num_threads(1); }"


def _offsets(found: Specialised, nbytes: int) -> tuple[list[int], int]:
    """Where each result lies in the memory of a run, behind the scratch memory, and how much there is."""
    places, end = [], -(-nbytes // LINE) * LINE + LINE
    for result in found.planned.outcome.interface.results:
        places.append(end)
        end += -(-max(result.nbytes, 1) // LINE) * LINE
    return places, end


def _run(signature: Signature, found: Specialised, sources: Sources) -> str:
    """A run on pointers, where those to results may be null: then the results lie in the memory of the run."""
    places, end = _offsets(found, sources.nbytes)
    results = found.planned.outcome.interface.results
    slots = [f"slots[{n}]" if s.fixed is None else f"constant_{n}" for n, s in enumerate(found.slots)]
    pointers = [*slots, *(f"results[{n}]" for n in range(len(results)))]
    words = ["0", "reinterpret_cast<int64_t>(&state)"]
    words += [f"reinterpret_cast<int64_t>(&pointers[{n}])" for n in range(len(slots) + len(results))]
    words += [f"integers[{n}]" for n in range(len(found.integers))]
    lines = [
        f"static constexpr size_t memory_of_a_run = {end + LINE};",
        f"static constexpr int slot_count = {max(len(slots), 1)}, result_count = {max(len(results), 1)};",
        f"static constexpr int integer_count = {max(len(found.integers), 1)};",
        "[[maybe_unused]] static int run(const void* const* slots, void** results, const int64_t* integers,"
        " char* memory) {",
        f"    if (!fits_processor()) return {CPU};",
        f"    {sources.inner}_state_t state;",
        "    state.memory = memory;",
        *(
            f"    if (!results[{n}]) results[{n}] = memory + {place}; // {result.name}"
            for n, (place, result) in enumerate(zip(places, results, strict=True))
        ),
        f"    const void* const pointers[] = {{{', '.join(pointers)}}};",
        f"    const int64_t words[] = {{{', '.join(words)}}};",
        "    daad_outside[0] = 0;",
        f"    __enter_{sources.inner}(words);",
        f"    if (daad_outside[0]) return daad_outside[1] >= (int64_t(1) << 52) ? {LOOP} : {INDEX};",
    ]
    if found.failed:
        flag = f"*static_cast<const int64_t*>(results[{found.failed[0]}])"
        lines += [f"    if ({flag} > 0) return int({RAISED - 1} + {flag});", f"    if ({flag} < 0) return {PATH};"]
    return "\n".join([*lines, f"    return {OK};", "}"])


def _shared(signature: Signature) -> set[int]:
    """The results that are several outputs."""
    places = [p.place for p in signature.outputs if p.place is not None and not p.is_parameter]
    return {place for place in places if places.count(place) > 1}


def _plain(signature: Signature) -> str:
    lines = _begin(signature, signature.name, plain_parameters(signature))
    shared = _shared(signature)
    for p in signature.outputs:
        if p.place is not None and not p.is_parameter and p.place not in shared:
            lines.append(f"    results[{p.place}] = {p.name};")
    lines += _call()
    for p in signature.outputs:
        if p.place is None:
            lines.append(f"    if ({p.name}) memset({p.name}, 0, {p.nbytes});")
        elif p.is_parameter or p.place in shared:
            source = f"{'slots' if p.is_parameter else 'results'}[{p.place}]"
            lines.append(f"    if ({p.name}) memcpy({p.name}, {source}, {p.nbytes});")
    return "\n".join([*lines, f"    return {OK};", "}"])


def _adding(signature: Signature) -> str:
    lines = _begin(signature, f"{signature.name}_add", adding_parameters(signature))
    inactive = [s.name for g, s in signature.shadows() if s and s not in signature.gradients]
    lines += [f"    if ({name}) return {BAD_POINTER};" for name in inactive]
    shared = _shared(signature)
    for p in signature.values:
        if not p.is_parameter and p.place not in shared:
            lines.append(f"    results[{p.place}] = {p.name};")
    lines += _call()
    for p in signature.values:
        if p.is_parameter or p.place in shared:
            source = f"{'slots' if p.is_parameter else 'results'}[{p.place}]"
            lines.append(f"    if ({p.name}) memcpy({p.name}, {source}, {p.nbytes});")
    for p in signature.gradients:
        if p.place is not None:
            found = f"static_cast<const {p.ctype}*>(results[{p.place}])"
            lines.append(f"    if ({p.name}) for (int64_t i = 0; i < {p.size}; ++i) {p.name}[i] += {found}[i];")
    return "\n".join([*lines, f"    return {OK};", "}"])


def _begin(signature: Signature, name: str, parameters: Sequence[str]) -> list[str]:
    """The head of a function, its checks, and what compiled code takes."""
    needed = [p.name for p in signature.inputs if not p.is_number and p.size]
    taken = [p for p in signature.inputs if p.place is not None]
    lines = [f"DACE_EXPORTED int {name}({', '.join(parameters)}) {{"]
    lines += [f"    if (!{name}) return {BAD_POINTER};" for name in needed]
    lines += [
        "    const Scratch memory(work, memory_of_a_run);",
        f"    if (!memory.start) return {NO_MEMORY};",
        "    const void* slots[slot_count] = {};",
        "    int64_t integers[integer_count] = {};",
        "    void* results[result_count] = {};",
    ]
    for p in taken:
        if p.is_integer:
            lines.append(f"    integers[{p.place}] = {p.name};")
        else:
            lines.append(f"    slots[{p.place}] = {'&' if p.is_number else ''}{p.name};")
    return lines


def _call() -> list[str]:
    return [
        "    const int code = run(slots, results, integers, memory.start);",
        "    if (code) return code;",
    ]


def sentences(found: Specialised) -> dict[int, str]:
    """What each code means."""
    decisions = "; ".join(str(decision).partition(": ")[2] for decision in found.path.decisions)
    return {
        OK: "Done.",
        NO_MEMORY: "There is no memory for the run.",
        BAD_POINTER: "An array is missing, or the shadow of an argument was given that has no gradient.",
        INDEX: "An index is outside of its array.",
        LOOP: "A loop that data end goes on beyond the bound that it was compiled with.",
        PATH: "The data decide otherwise than those that the library was made for"
        + (f" ({decisions})." if decisions else "."),
        CPU: "The library was compiled for another processor: compile its sources again.",
        **{RAISED + n: check.message for n, check in enumerate(found.planned.read.checks)},
    }


def _about(signature: Signature, found: Specialised) -> str:
    cases = [f'        case {code}: return "{_quoted(text)}";' for code, text in sentences(found).items()]
    return "\n".join(
        [
            f"DACE_EXPORTED size_t {signature.name}_work_bytes() {{ return memory_of_a_run; }}",
            f"DACE_EXPORTED int {signature.name}_fits(void) {{ return fits_processor(); }}",
            f"DACE_EXPORTED const char* {signature.name}_error(int code) {{",
            "    switch (code) {",
            *cases,
            '        default: return "Unknown.";',
            "    }",
            "}",
            "",
        ]
    )


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
