"""C++ that compilers have been found to compile wrong, or that is hard to make vectors of: each row is one probe.

A probe is compiled as programs are, and again as it stands; both must give the same numbers. `out` has `size` elements,
`in` twice as many, all distinct; once more `in` holds zeros of both signs, infinities, NaNs, very large and small ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from daad.codegen.cpp.header_sections import MATHEMATICS, VECTOR_MATH

SIZE = 256


@dataclass(frozen=True)
class Probe:
    """`tolerance` is relative; 0: all bits are equal. `on_special`: whether `in` may hold any number."""

    body: str
    tolerance: float = 0.0
    on_special: bool = True


def _permuted(kind: str, orders: Iterable[tuple[int, ...]]) -> str:
    """Rows whose elements change places, by orders that a compiler knows."""
    lines = [f"{kind} a[size], b[size];", f"for (int i = 0; i < size; ++i) a[i] = {kind}(1000.0 * in[i]);"]
    for order in orders:
        moved = " ".join(f"b[i + {k}] = a[i + {place}] * 2;" for k, place in enumerate(order))
        lines.append(f"for (int i = 0; i < size; i += {len(order)}) {{ {moved} }}")
        lines.append("for (int i = 0; i < size; ++i) out[i] += double(b[i]);")
    return "\n".join(lines)


# GCC up to 12 makes of a permutation that takes the third or fourth of eight doubles from the upper half an instruction
# that moves within pairs only.
ACROSS = tuple((0, 1, a, b, 4, 5, 6, 7) for a, b in ((2, 6), (4, 3), (5, 7)))
WITHIN = ((1, 0, 3, 2, 5, 4, 7, 6), (7, 6, 5, 4, 3, 2, 1, 0), (0, 4, 1, 5, 2, 6, 3, 7))
SHORT = ((1, 0, 3, 2), (0, 2, 1, 3), (0, 1, 2, 0))


def _triangles(kind: str, size: int) -> str:
    """Either side of the diagonal for both, written out, as a vector of neighbours sees it."""
    return f"""
{kind} a[{size}][{size}], b[{size}][{size}];
for (int i = 0; i < {size}; ++i) for (int j = 0; j < {size}; ++j) a[i][j] = {kind}(in[i * {size} + j]);
for (int i = 0; i < {size}; ++i) for (int j = 0; j < {size}; ++j) {{
    const {kind} below = a[i][j], above = a[j][i];
    const bool lower = int64_t(j) <= int64_t(i);
    b[i][j] = lower ? below : above;
}}
for (int i = 0; i < {size}; ++i) for (int k = 0; k < {min(size, 4)}; ++k)
    for (int j = 0; j < {size}; ++j) out[i * {size} + j] += double(b[i][k]) * in[100 + k * {size} + j];
for (int i = 0; i < {size}; ++i) for (int j = 0; j < {size}; ++j) out[{size * size} + i * {size} + j] = double(b[i][j]);
"""


def _rounded() -> str:
    """Doubles that are floats for a while."""
    places = ("2 * i", "7 - i", "i ^ 1", "i / 2 + i % 2 * 2")
    loops = ((k, n, place) for k, place in enumerate(places) for n in (4, 8))
    return "\n".join(
        f"for (int i = 0; i < {n}; ++i) {{ const float x = float(in[{place}]); out[{20 * k + n} + i] = double(x); }}"
        for k, n, place in loops
    )


FUNCTIONS = ("exp", "log", "sin", "cos", "tanh", "atan", "cbrt")


def _mapped(kind: str, suffix: str) -> str:
    """Functions along an array, which may have variants for vectors."""
    loops = (
        f"#pragma omp simd\nfor (int64_t i = 0; i < 24; ++i) out[i + {30 * n}] = {name}{suffix}({kind}(in[i]));"
        for n, name in enumerate(FUNCTIONS)
    )
    return "\n".join(loops)


PROBES = {
    "doubles from the other half of a vector": Probe(_permuted("double", ACROSS)),
    "doubles that change places": Probe(_permuted("double", (*WITHIN, *SHORT))),
    "floats that change places": Probe(_permuted("float", (*ACROSS[:1], *SHORT))),
    "integers that change places": Probe(_permuted("int64_t", (*ACROSS[:1], *SHORT)), on_special=False),
    **{
        f"a triangle for both, {kind} {size} x {size}": Probe(_triangles(kind, size))
        for kind, size in (("double", 2), ("double", 4), ("double", 8), ("float", 2), ("float", 4))
    },
    "backwards": Probe(
        """
for (int64_t i = 0; i < size; ++i) out[i] = in[size - 1 - i] * 2.0;
for (int64_t i = size - 1; i >= 3; i -= 2) out[i] = out[i] + in[2 * i + 1];
for (int64_t i = size - 2; i >= 0; --i) out[i] = out[i] - 0.5 * in[i + size];
"""
    ),
    "neighbours together and apart": Probe(
        """
for (int64_t i = 0; i < 80; ++i) out[i] = in[3 * i] * in[3 * i + 2] - in[3 * i + 1];
for (int64_t i = 0; i < 40; ++i) {
    const double re = in[2 * i], im = in[2 * i + 1], a = in[2 * i + 80], b = in[2 * i + 81];
    out[80 + 2 * i] = re * a - im * b; out[81 + 2 * i] = re * b + im * a;
}
for (int64_t i = 0; i < 30; ++i) { out[160 + 3 * i] = in[i]; out[161 + 3 * i] = -in[i + 30]; out[162 + 3 * i] = 1.0; }
"""
    ),
    "either of two, by data": Probe(
        """
for (int64_t i = 0; i < size; ++i) out[i] = in[i] > 0.25 ? in[i] * in[i] : in[i + 1] - 2.0;
for (int64_t i = 1; i < size; ++i) if (in[i] < 1.0) { if (in[i - 1] > 0.0) out[i] += in[i + 3]; else out[i] = 0.5; }
for (int64_t i = 0; i < size; ++i) out[i] = i % 3 == 1 ? out[i] : in[(5 * i) % size];
for (int64_t i = 0; i < size; ++i) {
    const bool a = in[i] < 0.5, b = in[i] != in[i + 1];
    out[i] += (a & !b) | (i < 9) ? 1 : 0;
}
"""
    ),
    "the smaller and the larger": Probe(
        """
for (int64_t i = 0; i < size; ++i) {
    const double a = in[i], b = in[(7 * i + 3) % size];
    const double high = (a >= b) | (a != a) ? a : b, low = (a <= b) | (a != a) ? a : b;
    out[i] = i % 2 ? high : low;
}
double most = in[0], least = in[0];
for (int64_t i = 1; i < size; ++i) {
    most = (most >= in[i]) | (most != most) ? most : in[i];
    least = in[i] < least ? in[i] : least;
}
out[0] = most; out[1] = least;
for (int64_t i = 2; i < size; i += 2) out[i] = __builtin_copysign(in[i], in[i + 1]) + (in[i] > 0) - (in[i] < 0);
"""
    ),
    "elements by number": Probe(
        """
int64_t where[size];
for (int64_t i = 0; i < size; ++i) where[i] = (i * i + 3 * i) % (size / 4);
for (int64_t i = 0; i < size; ++i) out[i] = in[where[i]] - in[size + where[i]];
for (int64_t i = 0; i < size; ++i) out[where[i]] += in[i];
for (int64_t i = 0; i < size; ++i) if (where[i] > 9) out[where[i] - 3] = in[i];
"""
    ),
    "sums and products of all": Probe(
        """
double s = 0.0, p = 1.0, t = 0.0;
#pragma omp simd reduction(+ : s)
for (int64_t i = 0; i < size; ++i) s += in[i] * in[i];
for (int64_t i = 0; i < size; ++i) p *= 1.0 + 0.001 * in[i];
#pragma omp simd reduction(+ : t)
for (int64_t i = 0; i < size; ++i) if (in[i] > 0.5) t += in[i];
int64_t count = 0; bool any = false;
for (int64_t i = 0; i < size; ++i) { count += in[i] > 0.25; any |= in[i] > 1.5; }
out[0] = s; out[1] = p; out[2] = t; out[3] = double(count); out[4] = any;
""",
        tolerance=1e-12,
        on_special=False,
    ),
    "one from the one before": Probe(
        """
out[0] = in[0];
for (int64_t i = 1; i < size; ++i) out[i] = 0.5 * out[i - 1] + in[i];
for (int64_t i = 4; i < size; ++i) out[i] = out[i] - 0.25 * out[i - 4];
for (int64_t i = 0; i < size - 2; ++i) out[i] = out[i + 1] + out[i + 2] * in[i];
for (int64_t i = 1; i < 16; ++i) for (int64_t j = 1; j < 16; ++j)
    out[16 * i + j] = 0.25 * (out[16 * i + j] + out[16 * i + j - 1] + out[16 * i + j - 16] + out[16 * i + j - 17]);
"""
    ),
    "numbers of other types": Probe(
        """
for (int64_t i = 0; i < size; ++i) out[i] = double(int64_t(in[i] * 1e6)) + double(float(in[i])) + double(i * i - 7);
for (int64_t i = 0; i < size; ++i) out[i] += double(int8_t(int64_t(in[i] * 100.0))) + double(uint8_t(i * 3));
for (int64_t i = 0; i < size; ++i) out[i] += double(int32_t(in[i] * 1e5)) * float(i);
for (int64_t i = 0; i < size; ++i) out[i] += double(uint32_t(i) * 3000000000u);
for (int64_t i = 0; i < size; ++i) out[i] += (in[i] > 0.5) + double(uint64_t(i) * 0x9e3779b97f4a7c15u >> 3);
""",
        on_special=False,
    ),
    "integers": Probe(
        """
for (int64_t i = 0; i < size; ++i) { const int64_t k = 5 * i - 300; out[i] = double(k / 7 + k % 11 + (k >> 2)); }
for (int64_t i = 0; i < size; ++i) { const int64_t k = i * i * i - 1000; out[i] += double(k * k % 1000003); }
for (int64_t i = 0; i < size; ++i) {
    const int32_t k = int32_t(i) - 99;
    out[i] += (k < 0 ? -k : k) + (k > 5 ? k & 6 : k | 1);
}
"""
    ),
    "rounding": Probe(
        """
for (int64_t i = 0; i < size; ++i) out[i] = floor(in[i] * 3.0) + 10.0 * rint(in[i] * 5.0);
for (int64_t i = 0; i < size; ++i) out[i] += ceil(in[i] * 7.0) - trunc(in[i] * 9.0) + fabs(in[i]);
for (int64_t i = 0; i < size; ++i) out[i] += double(floorf(float(in[i]) * 3.0f));
"""
    ),
    "quotients and roots": Probe(
        """
for (int64_t i = 0; i < size; ++i) out[i] = in[i] / in[i + 1] + sqrt(in[i]);
for (int64_t i = 0; i < size; ++i) out[i] += 1.0 / (in[i] * in[i]) + in[i] / 3.0;
for (int64_t i = 0; i < size; ++i) out[i] += double(1.0f / float(in[i]) + sqrtf(float(in[i + 2])) / 7.0f);
""",
    ),
    "small matrices": Probe(
        """
double a[4][4], b[4][4];
for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) { a[i][j] = in[4 * i + j]; b[i][j] = in[20 + i + 4 * j]; }
for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) for (int k = 0; k < 4; ++k) out[4 * i + j] += a[i][k] * b[k][j];
for (int i = 0; i < 4; ++i) for (int j = i; j < 4; ++j) out[16 + 4 * i + j] = a[i][j] - b[j][i];
for (int i = 0; i < 3; ++i) { a[i][i] = 2.0; for (int j = 0; j < i; ++j) a[i][j] = b[i][j] - a[j][i] * a[j][j]; }
for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) out[32 + 4 * j + i] = a[i][j];
for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) out[48 + 4 * i + 3 - j] = a[j][i];
"""
    ),
    "doubles that are floats for a while": Probe(_rounded()),
    "functions of doubles": Probe(_mapped("double", ""), tolerance=1e-14),
    "functions of floats": Probe(_mapped("float", "f"), tolerance=2e-6),
}

_HEAD = f"""
#include <stddef.h>
#include <stdint.h>
{MATHEMATICS}"""

_CONSTANT = f"static const int size = {SIZE};\n"
_PARAMETERS = "(const double* __restrict__ in, double* __restrict__ out)"


def library_text(with_floats: bool) -> str:
    """The probes whose C++ names floats, or the others, as a library that is compiled as programs are."""
    chosen = [number for number, probe in enumerate(PROBES.values()) if ("float" in probe.body) == with_floats]
    return _HEAD + VECTOR_MATH + _CONSTANT + _functions("probe", chosen)


def main_text() -> str:
    """A program that prints the numbers of the probes whose answers in libraries are its own."""
    rows = [f'{{plain_{n}, "probe_{n}", {p.tolerance}, {int(p.on_special)}}},' for n, p in enumerate(PROBES.values())]
    return "".join((_HEAD, _CONSTANT, _functions("plain", range(len(PROBES))), _MAIN[0], "\n".join(rows), _MAIN[1]))


def _functions(name: str, chosen: Iterable[int]) -> str:
    start = 'extern "C" __attribute__((noinline, visibility("default"))) void'
    probes = [*PROBES.values()]
    return "".join(f"{start} {name}_{n}{_PARAMETERS} {{\n{probes[n].body}\n}}\n" for n in chosen)


_MAIN = (
    """
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
typedef void (*Function)(const double*, double*);
struct Row { Function plain; const char* name; double tolerance; int on_special; } rows[] = {
""",
    """};
static bool same(double a, double b, double tolerance) {
    if (a != a || b != b) return a != a && b != b;
    if (tolerance == 0.0) return memcmp(&a, &b, sizeof a) == 0;
    return a == b || fabs(a - b) <= tolerance * (fabs(a) + 1.0);
}
static void fill(double* in, int special) {
    const double odd[] = {0.0, -0.0, __builtin_inf(), -__builtin_inf(), __builtin_nan(""), 1e308, -1e-308, 5e-324,
                          710.0, -750.0, 1e9, 0.5, -0.5, 1e-20, 3.0, -2.0};
    for (int i = 0; i < 2 * size; ++i) {
        in[i] = double((i * 7919 + 13) % 3001) / 1500.0 - 0.6;
        if (special && i % 3 != 1) in[i] = odd[(i * 5 + i / 16) % 16];
    }
}
int main(int count, char** words) {
    void* libraries[9] = {};
    for (int i = 1; i < count && i < 9; ++i) libraries[i] = dlopen(words[i], RTLD_NOW);
    static double in[2 * size], expected[size], got[size];
    for (const Row& row : rows) {
        Function tested = nullptr;
        for (void* library : libraries) if (library && !tested) tested = Function(dlsym(library, row.name));
        bool right = tested != nullptr;
        for (int special = 0; right && special <= row.on_special; ++special) {
            fill(in, special);
            memset(expected, 0, sizeof expected);
            memset(got, 0, sizeof got);
            row.plain(in, expected);
            tested(in, got);
            for (int i = 0; i < size; ++i) right &= same(expected[i], got[i], row.tolerance);
        }
        if (right) { puts(row.name); fflush(stdout); }
    }
}
""",
)
