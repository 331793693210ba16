"""C++ of floats as integers in the same order.

Clang makes vectors of the largest of many integers, and of floats only where they are never NaN.
"""

from __future__ import annotations

ORDERED = """
namespace daad {
#if defined(__clang__)
inline int32_t ordered(float x) {
    const int32_t bits = __builtin_bit_cast(int32_t, x);
    return bits ^ ((bits >> 31) & 0x7fffffff);
}
inline int64_t ordered(double x) {
    const int64_t bits = __builtin_bit_cast(int64_t, x);
    return bits ^ ((bits >> 63) & 0x7fffffffffffffff);
}
inline float from_ordered(int32_t bits) { return __builtin_bit_cast(float, bits ^ ((bits >> 31) & 0x7fffffff)); }
inline double from_ordered(int64_t bits) {
    return __builtin_bit_cast(double, bits ^ ((bits >> 63) & 0x7fffffffffffffff));
}
#else
template <typename T> inline T ordered(T x) { return x; }
template <typename T> inline T from_ordered(T x) { return x; }
#endif
}  // namespace daad
"""
