"""float32 beside float64, integer arguments and arrays, strides, orders, read-only inputs."""

from __future__ import annotations

import numpy as np

from tests.corpus.case import normal, row, single, uniform


def elementwise(x, y):
    return np.sum(np.sin(x) * np.exp(-y) + x / y)


def reductions(x, y):
    return np.mean(x * x) * np.max(y) + np.sum(x - np.mean(x)) + np.sum(y / np.sum(y * y))


def loop(x, y):
    for i in range(1, len(x)):
        x[i] = x[i] * y[i] + 0.5 * x[i - 1]
    return np.sum(x * x)


def stencil(x, y):
    for _ in range(4):
        x[1:-1] = 0.25 * (x[:-2] + 2 * x[1:-1] + x[2:]) * y[1:-1]
    return np.sum(x * x)


def product(a, b):
    return np.sum((a @ b) ** 2)


def locals_of_same_type(x, y):
    out = np.zeros(x.shape, dtype=x.dtype)
    other = np.empty_like(x)
    other[:] = y * 2
    out[1:] = x[1:] * other[:-1]
    return np.sum(out * out)


def locals_of_wider_type(x, y):
    out = np.zeros(len(x))
    out[:] = x
    out *= y
    return np.sum(out * out)


def mixed_types(x, y):
    return np.sum(x * y) + np.sum(x**2 / y)


def narrowed(x, y):
    z = (x * y).astype(np.float32)
    return np.sum(z * z)


def explicit_single(x, y):
    out = np.zeros(len(x), dtype=np.float32)
    out[:] = x * np.float32(0.5)
    out[1:] += y[:-1]
    return np.sum(out * out)


def narrowed_in_double(x, y):
    return np.sum((x * y) ** 2)


def explicit_single_in_double(x, y):
    out = x * 0.5
    out[1:] += y[:-1]
    return np.sum(out * out)


def python_scalars_do_not_widen(x, y):
    z = 2 * x + 0.5 * y - 1
    return np.sum(z * z)


def integer_array(x, counts):
    return np.sum(x**2 * counts) + np.sum(counts / x) + np.sum(x * (counts // 2)) + np.sum(counts) * x[0]


def integer_array_as_exponent(x, counts):
    return np.sum(x**counts)


def integer_local(x, n):
    k = np.zeros(n, dtype=np.int64)
    for i in range(n):
        k[i] = (i * 3) % n
    return np.sum(x[k] ** 2 * k)


def bytes_and_words(x, byte, word, double, quad):
    """Arithmetic of one width with itself, which wraps around, and with the others."""
    s = np.sum(x * byte) + np.sum(x * word) + np.sum(x * double) + np.sum(x * quad)
    s += np.sum(x * (byte + byte)) + np.sum(x * (word * word)) + np.sum(x * (double - 3)) + np.sum(x * -byte)
    s += np.sum(x * (byte // 2)) + np.sum(x * (double >> 1)) + np.sum(x * (quad % 5)) + np.sum(x * ~byte)
    s += np.sum(x * np.maximum(byte, word)) + np.max(double) * x[0] + np.prod(byte) * x[0] + np.cumsum(byte)[-1] * x[1]
    s += np.sum(x * byte**2) + np.dot(byte, byte) * x[0] + np.sum(x[byte % 3] ** 2) + np.sum(x * (byte / word))
    s += (
        np.sum(x * np.sqrt(np.abs(double)))
        + np.sum(x * (byte & word))
        + np.sum(x * np.sign(byte))
        + np.argmax(double) * x[1]
    )
    return s + np.sum(x * (byte > 3)) + np.sum(x * (byte - word)) + np.mean(byte) * x[1] + np.sum(x * np.abs(word))


def numbers_of_all_types(x, a, b, c, d, e, f, g, h):
    return (
        x[0] * (a + a)
        + x[1] * (b * a)
        + x[2] * (c + 1)
        + x[0] * d
        + x[1] * (e * 2)
        + x[2] * f / 3
        + x[0] * g
        - x[1] * h
    )


def integers_updated_in_place(x, byte, word):
    small, number = byte.copy(), word.copy()
    small -= 1
    small[0] -= 7
    small += byte
    np.subtract.at(small, [1, 1], 1)
    number[0] += -0.5
    number[1] -= 0.5
    number[2] *= 1.5
    for k in range(3):
        number[k] -= 0.7
    return np.sum(x * small) + np.sum(x * number)


def boolean_array(x, mask):
    return np.sum(np.where(mask, x * x, x)) + np.sum(x * mask)


def integer_division_of_arguments(x, n, m):
    return x[n // m] ** 2 * (n % m) + np.sum(x[: n - m]) / m + x[n & 1] * x[n >> 1]


def any_strides(x, y):
    return np.sum(x * y * np.roll(y, 1)) + np.sum(x[1:] * x[:-1])


def any_order(a, b):
    return np.sum(a * a * b) + np.sum(a @ b.T)


def written_in_any_order(a, b):
    a[1:] += a[:-1] * b[1:]
    return np.sum(a * a)


def zero_dimensional(s, x):
    return np.sum(s * x) + s * s


def one_element(s, x):
    return s[0] * np.sum(x * s) + s


def one_element_loss(x):
    out = np.zeros(1)
    for i in range(len(x)):
        out[0] += x[i] ** 3
    return out


def index_that_wraps(x):
    s = 0.0
    for i in range(200):
        s = s + x[np.int64(i).astype(np.int8)] * i
    return s


def product_that_wraps(x):
    s = 0.0
    for i in range(100):
        s = s + x[np.int8(i) * np.int8(2)] ** 2 * i
    return s


def trips_that_wrap(x):
    s = 0.0
    for i in range(60):
        for j in range(np.int64(i * 3).astype(np.int8)):
            s = s + x[j] ** 2 * i
    return s


def index_by_floats(x):
    s = 0.0
    for i in range(20):
        s = s + x[int(i * 1.49)] * x[-int(i / 1.5)] * i
    return s


def index_arithmetic(x, k):
    s = np.sum(x[k * k] ** 2)
    for i in range(len(k)):
        s = s + x[k[i] + k[i] * 3] * x[(k[i] - k[0]) % 7]
    return s


def generated_in_32_bits(x, k):
    state = k + k
    s = 0.0
    for _ in range(9):
        state[0] = state[0] * np.int32(1103515245) + np.int32(12345)
        s = s + x[state[0] % 30] ** 2
    return s


def pair():
    return normal(1, 6), uniform(2, 6)


def read_only(*arrays):
    for a in arrays:
        a.flags.writeable = False
    return arrays


def indices(kind):
    """Of which the squares need more than eight bits."""
    return lambda: (normal(1, 300), np.array([3, 1, 16, 13, 2], dtype=kind))


def widths(kind, byte, word):
    """One, two, four and eight bytes."""
    values = byte, word, [2, 4_000_000_000 if kind == "u" else -2_000_000_000, 9], [7, 8, 9]
    return tuple(np.array(numbers, f"{kind}{2**k}") for k, numbers in enumerate(values))


NUMBERS = (np.uint8(200), np.int8(3), np.uint16(60000), np.int16(-30000), np.uint32(4_000_000_000), np.int32(-7))
NUMBERS += (np.bool_(True), np.float32(1.1))
SINGLE = (elementwise, reductions, loop, stencil, locals_of_same_type, locals_of_wider_type, mixed_types)
SINGLE += (python_scalars_do_not_widen,)
COUNTS = np.array([1, 2, 3, 2, 4, 1])

CASES = (
    *(row(f, lambda: single(*pair()), "x, y", tag="float32") for f in SINGLE),
    *(row(f, pair, "x, y") for f in (elementwise, loop, mixed_types)),
    row(mixed_types, lambda: (normal(1, 6).astype(np.float32), uniform(2, 6)), "x, y", tag="float32_float64"),
    row(loop, lambda: (normal(1, 6), uniform(2, 6).astype(np.float32)), "x, y", tag="float64_float32"),
    row(product, lambda: single(normal(1, 3, 4), normal(2, 4, 5)), "a, b", tag="float32"),
    row(narrowed, pair, "x, y", reference=narrowed_in_double, rtol=1e-5),
    row(explicit_single, lambda: single(*pair()), "x, y", tag="float32", reference=explicit_single_in_double),
    row(integer_array, lambda: (uniform(1, 6), COUNTS.copy()), "x"),
    row(integer_array, lambda: (uniform(1, 6), COUNTS.astype(np.int32)), "x", tag="int32"),
    row(integer_array_as_exponent, lambda: (uniform(1, 6), COUNTS.copy()), "x"),
    row(integer_local, lambda: (normal(1, 6), 5), "x"),
    row(index_that_wraps, lambda: (normal(1, 256),), "x"),
    row(product_that_wraps, lambda: (normal(1, 256),), "x"),
    row(trips_that_wrap, lambda: (normal(1, 128),), "x"),
    row(index_by_floats, lambda: (normal(1, 30),), "x"),
    *(row(index_arithmetic, indices(kind), "x", tag=kind) for kind in ("int8", "uint8", "int16", "uint32", "uint64")),
    row(generated_in_32_bits, lambda: (normal(1, 30), np.array([7], dtype=np.int32)), "x"),
    row(bytes_and_words, lambda: (normal(1, 3), *widths("u", [200, 3, 7], [60000, 5, 9])), "x", tag="unsigned"),
    row(bytes_and_words, lambda: (normal(1, 3), *widths("i", [100, 3, 7], [-300, 5, 9])), "x", tag="signed"),
    row(integers_updated_in_place, lambda: (normal(1, 3), *widths("u", [200, 3, 0], [60000, 5, 9])[:2]), "x"),
    row(integers_updated_in_place, lambda: (normal(1, 3), *widths("i", [100, -3, 0], [-300, 5, 9])[:2]), "x", tag="i"),
    row(numbers_of_all_types, lambda: (normal(1, 3), *NUMBERS), "x"),
    row(boolean_array, lambda: (normal(1, 6), COUNTS > 1), "x"),
    row(integer_division_of_arguments, lambda: (normal(1, 6), 5, 2), "x"),
    row(any_strides, lambda: (normal(1, 12)[::2], normal(2, 6)[::-1]), "x, y"),
    row(any_strides, lambda: read_only(normal(1, 6), normal(2, 6)), "x, y", tag="read_only"),
    row(any_order, lambda: (np.asfortranarray(normal(1, 4, 5)), normal(2, 5, 4).T), "a, b"),
    row(written_in_any_order, lambda: (np.asfortranarray(normal(1, 4, 5)), normal(2, 8, 5)[::2]), "a, b"),
    row(zero_dimensional, lambda: (np.array(0.7), normal(2, 5)), "s, x"),
    row(one_element, lambda: (np.array([0.7]), normal(2, 5)), "s, x"),
    row(one_element_loss, lambda: (normal(1, 5),), "x"),
)
