"""The parts of the C++ that may stand before a generated program."""

from __future__ import annotations

from daad.codegen.cpp.ordered_floats import ORDERED
from daad.codegen.cpp.python_records import PYTHON_CALLS
from daad.codegen.cpp.special_calls import CALLS, TEXTS
from daad.codegen.cpp.thread_team import TEAM
from daad.ir.operations import OPERATIONS


def _of_c(operands: int, vectors: int | None = None) -> tuple[str, ...]:
    """C's functions of so many numbers that operations are spelled by; those that glibc 2.x began to vectorise."""
    rows = [row for row in OPERATIONS.values() if row.of_c and row.operands == operands]
    return tuple(sorted(row.of_c for row in rows if vectors in (None, row.vectors)))


# Declared here: a compiler takes longer to read <cmath> than to compile a small kernel.
_ONE, _TWO = _of_c(1), _of_c(2)
# glibc declares the vector variants of its functions only under -ffast-math, which would break NaNs; they are right
# for NaN and infinity too.
_VECTORISED = '__attribute__((const, simd("notinbranch"))) '


def _declarations(names: tuple[str, ...], parameters: str, attributes: str = "") -> str:
    lines = []
    for name in names:
        for scalar, suffix in (("double", ""), ("float", "f")):
            arguments = ", ".join([scalar] * len(parameters))
            lines.append(f"{attributes}{scalar} {name}{suffix}({arguments}) noexcept;")
    return "\n".join(lines)


def _overloads(names: tuple[str, ...]) -> str:
    lines = []
    for name in names:
        parameters = ("a", "b") if name in _TWO else ("a",)
        for scalar, suffix in (("double", ""), ("float", "f")):
            taken = ", ".join(f"{scalar} {p}" for p in parameters)
            lines.append(f"inline {scalar} {name}({taken}) {{ return ::{name}{suffix}({', '.join(parameters)}); }}")
    return "\n".join(lines)


MATHEMATICS = f"""
#ifdef __GLIBC__
extern "C" {{
{_declarations(_ONE, "x")}
{_declarations(_TWO, "xy")}
}}
#else
#include <cmath>
#endif
"""

VECTOR_MATH = f"""
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
extern "C" {{
#if __GLIBC_PREREQ(2, 22)
{_declarations(_of_c(1, 22), "x", _VECTORISED)}
{_declarations(_of_c(2, 22), "xy", _VECTORISED)}
#endif
#if __GLIBC_PREREQ(2, 35)
{_declarations(_of_c(1, 35), "x", _VECTORISED)}
{_declarations(_of_c(2, 35), "xy", _VECTORISED)}
#endif
}}
#endif
"""

OVERLOADS = f"""
namespace daad::real {{
{_overloads(("copysign", "exp", "exp2", "floor", "fmod", "log", "log1p", "sqrt"))}
}}
"""

ARITHMETIC = """
namespace daad {
template <typename T> constexpr bool is_real = T(0.5) != T(0);
template <typename T> constexpr bool is_signed = T(-1) < T(0);
template <typename T> constexpr T infinity() { return T(__builtin_inf()); }
template <typename T> constexpr T not_a_number() { return T(__builtin_nan("")); }
template <typename T> constexpr T lowest() {
    if constexpr (is_signed<T>) return T(uint64_t(1) << (8 * sizeof(T) - 1)); else return T(0);
}
template <typename T> constexpr T highest() { return T(~lowest<T>()); }
template <typename T> inline bool is_nan(T x) { return x != x; }
template <typename T> inline bool is_inf(T x) {
    if constexpr (is_real<T>) return x - x != x - x && x == x; else return false;
}
template <typename T> inline bool is_finite(T x) {
    if constexpr (is_real<T>) return x - x == x - x; else return true;
}
template <typename T> inline bool signbit(T x) {
    if constexpr (is_real<T>) return __builtin_signbit(x); else return x < T(0);
}
template <typename T> inline T absolute(T x) { return x < T(0) ? T(-x) : x; }
template <int n, typename T> inline T added(const T* sums) {
    if constexpr (n == 1) return sums[0]; else return added<n / 2>(sums) + added<n / 2>(sums + n / 2);
}
template <typename T, int n> inline T add_lanes(const T (&sums)[n]) { return added<n>(sums); }
template <typename T> inline T sign(T x) { return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? T(0) : x; }
template <typename T> inline T maximum(T a, T b) { return (a > b) | (a != a) ? a : b; }
template <typename T> inline T minimum(T a, T b) { return (a < b) | (a != a) ? a : b; }
template <int n, typename T> inline T power(T x) {
    if constexpr (n < 0) return T(1) / power<-n>(x);
    else if constexpr (n == 1) return x;
    else if constexpr (n % 2 == 0) { const T half = power<n / 2>(x); return half * half; }
    else return power<n - 1>(x) * x;
}
inline double quotient(double x, [[maybe_unused]] double divisor, [[maybe_unused]] double high,
                       [[maybe_unused]] double low) {
#ifdef __FMA__
    return __builtin_fma(x, high, x * low);
#else
    return x / divisor;
#endif
}
struct Reciprocal {  // 1 / (divisor * scale) is high + low, of equal sign; the scale keeps both of them normal
    double divisor, scale, high, low;
    explicit Reciprocal(double d) : divisor(d) {
        const double size = __builtin_fabs(d);
        scale = size < 0x1p-500 ? 0x1p500 : size > 0x1p500 ? 0x1p-500 : 1.0;
        const double nearest = 1.0 / (d * scale);
        high = nearest * (1.0 - 0x1p-52);
        const double rest = __builtin_fma(-high, d * scale, 1.0);
        low = rest == rest ? rest * nearest : nearest;
    }
};
inline double quotient(double x, const Reciprocal& r) {
#ifdef __FMA__
    x *= r.scale;
    return __builtin_fma(x, r.high, x * r.low);
#else
    return x / r.divisor;
#endif
}
}  // namespace daad
"""

FUNCTIONS = """
namespace daad {
template <int twice, typename T> inline T root_power(T x) {
    if constexpr (twice == 1) return real::sqrt(x);  // as NumPy does
    else if constexpr (twice == -1) {
        const T result = real::sqrt(x) + T(0);  // -0.0 counts as 0.0
        return x == -infinity<T>() ? T(0) : T(1) / result;
    } else if constexpr (twice < 0) return T(1) / root_power<-twice>(x);
    else {
        const T root = twice % 4 == 1 ? real::sqrt(x) + T(0) : real::sqrt(x);  // of -0.0 comes 0.0
        const T result = power<twice / 2>(x) * root;
        return x == -infinity<T>() ? infinity<T>() : result;
    }
}
template <typename T> inline T power(T x, T n) {
    T result = 1;
    for (; n > 0; n >>= 1, x = T(uint64_t(x) * uint64_t(x))) if (n & 1) result = T(uint64_t(result) * uint64_t(x));
    return result;
}
template <typename T> inline T fmod(T a, T b) { return b == T(0) || (is_signed<T> && b == T(-1)) ? T(0) : T(a % b); }
template <typename T> inline T remainder(T a, T b) {
    if constexpr (is_real<T>) {
        const T r = real::fmod(a, b);
        if (r == T(0)) return b == T(0) ? r : real::copysign(T(0), b);
        return (r < T(0)) != (b < T(0)) ? r + b : r;
    } else {
        const T r = daad::fmod(a, b);
        return r != T(0) && (r < T(0)) != (b < T(0)) ? T(r + b) : r;
    }
}
template <typename T> inline T floor_divide(T a, T b) {
    if constexpr (is_real<T>) {
        if (b == T(0)) return a / b;
        const T rest = real::fmod(a, b);
        const T quotient = (a - rest) / b - T(rest != T(0) && (b < T(0)) != (rest < T(0)));
        if (quotient == T(0)) return real::copysign(T(0), a / b);
        const T whole = real::floor(quotient);
        return quotient - whole > T(0.5) ? whole + T(1) : whole;
    } else {
        if (b == T(0)) return T(0);
        if (is_signed<T> && b == T(-1)) return T(0 - uint64_t(a));
        return T(a / b - (a % b != T(0) && (a < T(0)) != (b < T(0))));
    }
}
template <typename T> inline T left_shift(T a, T n) {
    return n >= T(0) && uint64_t(n) < 8 * sizeof(T) ? T(uint64_t(a) << n) : T(0);
}
template <typename T> inline T right_shift(T a, T n) {
    return n >= T(0) && uint64_t(n) < 8 * sizeof(T) ? T(a >> n) : a < T(0) ? T(-1) : T(0);
}
template <typename T> inline T heaviside(T x, T h) { return x != x ? x : x < T(0) ? T(0) : x > T(0) ? T(1) : h; }
template <typename T> inline T logaddexp(T a, T b) {
    if (a == b) return a + real::log(T(2));
    const T d = a - b;
    return d > T(0) ? a + real::log1p(real::exp(-d)) : d <= T(0) ? b + real::log1p(real::exp(d)) : d;
}
template <typename T> inline T logaddexp2(T a, T b) {
    const T scale = T(1) / real::log(T(2));
    if (a == b) return a + T(1);
    const T d = a - b;
    return d > T(0) ? a + real::log1p(real::exp2(-d)) * scale : d <= T(0) ? b + real::log1p(real::exp2(d)) * scale : d;
}
}  // namespace daad
"""

SCANS = """
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define DAAD_SHUFFLES
#endif
#endif

namespace daad {
template <int... n> struct Numbers {};
template <int n, int... rest> struct UpTo : UpTo<n - 1, n - 1, rest...> {};
template <int... rest> struct UpTo<0, rest...> { typedef Numbers<rest...> All; };

// s[n] = factor * s[n - 1] + term[n] for as many numbers as there are in a register of 64 bytes; if they come
// backwards, the last lane is the first number.
template <typename T, bool backwards> struct Scan {
    static constexpr int size = 64 / int(sizeof(T)), first = backwards ? size - 1 : 0, last = size - 1 - first;
    typedef T Lanes __attribute__((vector_size(64)));
    typedef typename UpTo<size>::All All;
    const T factor;
    // Neither do powers vanish, nor do sums grow much larger than their result.
    inline bool is_stable() const {
        return absolute(factor) <= T(2) && absolute(power<size>(factor)) >= T(size == 8 ? 0x1p-1022 : 0x1p-126);
    }
    // Moves numbers away from the first lane. What comes in, -0.0, changes nothing that it is added to.
    template <int count, int... n> static inline void move(Lanes& x, Numbers<n...>) {
        constexpr int from = backwards ? count : -count;
        const Lanes none = {(n * T(-0.0))...};
#ifdef DAAD_SHUFFLES
        x = __builtin_shufflevector(x, none, (n + from >= 0 && n + from < size ? n + from : size + n)...);
#else
        const Lanes y = x;
        for (int k = 0; k < size; ++k) x[k] = k + from >= 0 && k + from < size ? y[k + from] : none[k];
#endif
    }
    template <int count> inline void steps(Lanes& x) const {
        if constexpr (count < size) {
            Lanes y = x * power<count>(factor);
            move<count>(y, All());
            x += y;
            steps<2 * count>(x);
        }
    }
    template <int... n> inline void add(Lanes& x, T state, Numbers<n...>) const {
        const Lanes powers = {power<(backwards ? size - n : n + 1)>(factor)...};
        x += powers * state;
    }
    // Numbers go from lane to register without memory, where a load of a register would wait for the stores of its
    // parts. What makes them is inlined at once: pointers that it holds stay apart from others.
    template <typename F, int... n>
    __attribute__((always_inline)) static inline Lanes each(const F& of, Numbers<n...>) {
        return Lanes{of(int64_t(n))...};
    }
    template <typename F>
    __attribute__((always_inline)) static inline Lanes each(const F& of) { return each(of, All()); }
    // Functions of vectors are called in loops only.
    template <typename F>
    __attribute__((always_inline)) static inline Lanes loop(const F& of) {
        T values[size];
#pragma omp simd
        for (int n = 0; n < size; ++n) values[n] = of(int64_t(n));
        Lanes x;
        __builtin_memcpy(&x, values, sizeof(x));
        return x;
    }
    // `after`: terms, then numbers; `before`: the number before each; `state`: before the first
    inline T run(T state, Lanes& after, Lanes& before) const {
        steps<1>(after);
        const T result = after[last] + power<size>(factor) * state;  // what the next block waits for, as below
        add(after, state, All());
        before = after;
        move<1>(before, All());
        before[first] = state;
        return result;
    }
};
}  // namespace daad
"""

CHECKS = """
#ifndef DAAD_OUTSIDE  // where it is stored: a library for several threads has one for each
#define DAAD_OUTSIDE
#endif
extern "C" { __attribute__((visibility("default"), weak)) DAAD_OUTSIDE int64_t daad_outside[4] = {0, 0, 0, 0}; }
namespace daad {
__attribute__((cold, noinline)) inline void report(int64_t index, int64_t extent, int64_t site) {
    if (daad_outside[0]) return;
    daad_outside[1] = index; daad_outside[2] = extent; daad_outside[3] = site; daad_outside[0] = 1;
}
inline int64_t checked(int64_t index, int64_t extent, int64_t site) {
    if (__builtin_expect(uint64_t(index) < uint64_t(extent), 1)) return index;
    report(index, extent, site);
    return 0;
}
}  // namespace daad
"""

# Stores past the caches: whole lines, from the first one on.
STREAMS = """
namespace daad {
#if defined(__AVX512F__)
typedef long long Streamed __attribute__((vector_size(64)));
#elif defined(__AVX__)
typedef long long Streamed __attribute__((vector_size(32)));
#else
typedef long long Streamed __attribute__((vector_size(16)));
#endif
inline void stream_line(char* to, Streamed x) {
#if defined(__clang__)
    __builtin_nontemporal_store(x, reinterpret_cast<Streamed*>(to));
#elif defined(__AVX512F__)
    __builtin_ia32_movntdq512(reinterpret_cast<Streamed*>(to), x);
#elif defined(__AVX__)
    __builtin_ia32_movntdq256(reinterpret_cast<Streamed*>(to), x);
#elif defined(__SSE2__)
    __builtin_ia32_movntdq(reinterpret_cast<Streamed*>(to), x);
#else
    __builtin_memcpy(to, &x, sizeof(x));
#endif
}
template <typename T> inline void stream(T* to, const T* from, int64_t count) {
    constexpr int64_t size = sizeof(Streamed) / sizeof(T);
    int64_t n = 0;
    for (; n < count && reinterpret_cast<uintptr_t>(to + n) % 64; ++n) to[n] = from[n];
    for (const int64_t end = n + (count - n) / size * size; n < end; n += size) {
        Streamed x;
        __builtin_memcpy(&x, from + n, sizeof(x));
        stream_line(reinterpret_cast<char*>(to + n), x);
    }
    for (; n < count; ++n) to[n] = from[n];
}
inline void end_streams() {
#if defined(__SSE2__)
    __builtin_ia32_sfence();
#endif
}
}  // namespace daad
"""

# Threads share a product by blocks of its result. The blocks depend on its size and on the machine, not on the number
# of threads, so that its bits do not either. Each repeats the packing of a factor: there are no more than cores, and
# the fewer the smaller they get.
PRODUCTS = """
#include <unistd.h>
namespace daad {
constexpr int64_t matrix_work = 2000000, vector_work = 100000, least_rows = 32, least_columns = 64;
inline int64_t cores() {
    static int64_t known = 0;
    if (!__atomic_load_n(&known, __ATOMIC_RELAXED))
        __atomic_store_n(&known, int64_t(sysconf(_SC_NPROCESSORS_ONLN)), __ATOMIC_RELAXED);
    return __atomic_load_n(&known, __ATOMIC_RELAXED);
}
inline int64_t blocks_of(int64_t size, int64_t least) {
    int64_t blocks = 1;
    while (blocks < cores() && size >= least * blocks * blocks) blocks *= 2;
    return blocks;
}
template <typename Call> inline void share_matrix(int64_t rows, int64_t columns, int64_t summed, const Call& call) {
    const int64_t across = blocks_of(rows, least_rows), along = blocks_of(columns, least_columns);
    const int64_t blocks = across >= along ? across : along, size = across >= along ? rows : columns;
    if (blocks == 1 || double(rows) * double(columns) * double(summed) < matrix_work) return call(0, rows, 0, columns);
    share(blocks, 1, most_threads, [&](int64_t first, int64_t last, int) {
        for (int64_t b = first; b < last; ++b) {
            const int64_t start = size * b / blocks, count = size * (b + 1) / blocks - start;
            if (across >= along) call(start, count, 0, columns); else call(0, rows, start, count);
        }
    });
}
template <typename Call> inline void share_vector(int64_t rows, int64_t summed, const Call& call) {
    const int64_t blocks = double(rows) * double(summed) >= vector_work ? blocks_of(rows, least_rows) : 1;
    if (blocks == 1) return call(0, rows);
    share(blocks, 1, most_threads, [&](int64_t first, int64_t last, int) {
        for (int64_t b = first; b < last; ++b) call(rows * b / blocks, rows * (b + 1) / blocks - rows * b / blocks);
    });
}
}  // namespace daad
"""

SECTIONS = {
    "mathematics": MATHEMATICS,
    "vectors": VECTOR_MATH,
    "operations": ARITHMETIC,
    "ordered": ORDERED,
    "overloads": OVERLOADS,
    "functions": FUNCTIONS,
    "scans": SCANS,
    "streams": STREAMS,
    "checks": CHECKS,
    "team": TEAM,
    "products": PRODUCTS,
    "python": PYTHON_CALLS,
    "special": CALLS,
    **TEXTS,
}
"""By name, each after those that it uses."""

USES = {
    "vectors": ("mathematics",),
    "overloads": ("vectors",),
    "functions": ("operations", "overloads"),
    "scans": ("operations",),
    "products": ("team",),
    "python": ("operations",),
    "special": ("operations",),
    **dict.fromkeys(TEXTS, ("special",)),
}
