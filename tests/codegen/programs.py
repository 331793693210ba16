"""Programs for the tests of lowering: one row, several questions each, since a compilation takes a second."""

from __future__ import annotations

from dataclasses import replace

from daad.ir.nodes import Nest, Program
from daad.ir.walk import nests
from tests.texts import program

JACOBI = program(
    "jacobi_2d",
    "A: float64[30, 30], B: float64[30, 30]",
    """
    loop t = 1 .. T:
      for i in 1 .. 29, j in 1 .. 29:  B[i, j] = 0.2 * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i + 1, j] + A[i - 1, j])
      for i in 1 .. 29, j in 1 .. 29:  A[i, j] = 0.2 * (B[i, j] + B[i, j - 1] + B[i, j + 1] + B[i + 1, j] + B[i - 1, j])
    s = 0
    for i in 0 .. 30, j in 0 .. 30:  s += A[i, j] * A[i, j]
    """,
    integers="T",
    local="s: float64[]",
    results="s",
)

# The adjoint of one sweep in gather form with peeled borders, backwards in time.
JACOBI_ADJOINT = program(
    "jacobi_2d_adjoint",
    "A_bar: float64[30, 30], B_bar: float64[30, 30]",
    """
    loop t = T - 1 .. 0 down:
      for i in 2 .. 28, j in 2 .. 28:
        A_bar[i, j] = 0.2 * (B_bar[i, j] + B_bar[i, j - 1] + B_bar[i, j + 1] + B_bar[i + 1, j] + B_bar[i - 1, j])
      for i in 0 .. 30:
        A_bar[i, 0] += 0.2 * (B_bar[i, 1] if i < 29 and i > 0 else 0)
        A_bar[i, 29] += 0.2 * (B_bar[i, 28] if i < 29 and i > 0 else 0)
      for i in 0 .. 30, j in 0 .. 30:  B_bar[i, j] = (A_bar[i + 1, j + 1] if j < 29 else 0) if i < 29 else A_bar[i, j]
    """,
    integers="T",
)

LU = program(
    "lu",
    "A: float64[20, 20]",
    """
    loop i = 0 .. 20:
      loop j = 0 .. i:
        for k in 0 .. j:  A[i, j] += -(A[i, k] * A[k, j])
        A[i, j] = A[i, j] / (A[j, j] + 20.0)
      loop j = i .. 20:
        for k in 0 .. i:  A[i, j] += -(A[i, k] * A[k, j])
    """,
)

RANK_ONE = program(
    "rank_one",
    "A: float64[20, 20], b: float64[20]",
    """
    loop k = 0 .. 20:
      for i in k + 1 .. 20:  A[i, k] = A[i, k] / (A[k, k] + 30.0)
      for i in k + 1 .. 20, j in k + 1 .. 20:  A[i, j] += -(A[i, k] * A[k, j])
    loop k = 19 .. -1 down:
      for j in k + 1 .. 20:  b[k] += -(A[k, j] * b[j])
      b[k] = b[k] / (A[k, k] + 30.0)
    """,
)

REDUCTIONS = program(
    "reductions",
    "A: float64[7, 9], C: float64[4, 5, 6], F: float32[7, 9], I: int64[11], rows: float64[7], columns: float64[9], "
    "c0: float64[5, 6], c1: float64[4, 6], c2: float64[4, 5], c01: float64[6], c02: float64[5], m: float64[], "
    "lowest: float64[9], highest: float64[7], fs: float32[], frow: float32[7], n: int64[], big: int64[], "
    "some: bool[], both: float64[7], other: float64[9], moving: float64[15]",
    """
    for i in 0 .. 7, j in 0 .. 9:  rows[i] += A[i, j]
    for i in 0 .. 7, j in 0 .. 9:  columns[j] += A[i, j] * 2.0
    for i in 0 .. 4, j in 0 .. 5, k in 0 .. 6:  c0[j, k] += C[i, j, k]
    for i in 0 .. 4, j in 0 .. 5, k in 0 .. 6:  c1[i, k] += C[i, j, k]
    for i in 0 .. 4, j in 0 .. 5, k in 0 .. 6:  c2[i, j] += C[i, j, k]
    for i in 0 .. 4, j in 0 .. 5, k in 0 .. 6:  c01[k] += C[i, j, k]
    for i in 0 .. 4, j in 0 .. 5, k in 0 .. 6:  c02[j] += C[i, j, k]
    for i in 0 .. 7, j in 0 .. 9:  m max= A[i, j]
    for i in 0 .. 7, j in 0 .. 9:  lowest[j] min= A[i, j]
    for i in 0 .. 7, j in 0 .. 9:  highest[i] max= A[i, j]
    for i in 0 .. 7, j in 0 .. 9:  fs += F[i, j]
    for i in 0 .. 7, j in 0 .. 9:  frow[i] += F[i, j]
    for i in 0 .. 11:  n += I[i]
    for i in 0 .. 11:  big max= I[i]
    for i in 0 .. 11:  some max= I[i] == 2
    for i in 0 .. 7, j in 0 .. 9:
      both[i] += A[i, j]
      other[j] += A[i, j] * A[i, j]
    for i in 0 .. 7, j in 0 .. 9:  moving[i + j] += A[i, j]
    """,
)

INDICES = program(
    "indices",
    "x: float64[12], i3: int64[8], y: float64[8], z: float64[12], w: float64[3], A: float64[4, 6], flat: float64[24], "
    "back: float64[12], every: float64[6], v: float64[12], diag: float64[4]",
    """
    for i in 0 .. 8:  y[i] = x[i3[i] * 2 + 1] + x[i3[i]]
    for i in 0 .. 8:  z[i3[i]] += x[i]
    for i in 0 .. 8, j in 0 .. 3:  w[i3[i]] += x[i + j]
    for i in 0 .. 4, j in 0 .. 6:  flat[6*i + j] += A[i, j]
    for i in 0 .. 12:  back[i] = x[-i + 11]
    for i in 0 .. 6:  every[i] = x[2*i] - x[2*i + 1]
    for i in 0 .. 5:
      v[2*i] = x[i]
      v[2*i + 1] = v[2*i] * x[i + 1]
      v[2*i] += v[2*i + 1]
    for i in 0 .. 4:  diag[i] = A[i, i]
    """,
)

GUARDS = program(
    "guards",
    "x: float64[10], y: float64[10], z: float64[10], k: int64[10], u: float64[10], s: float64[], e: float64[10]",
    """
    for i in 0 .. 10:  y[i] = (x[i - 1] if i > 0 else 0) + (x[i + 1] * x[i] if i < 9 else x[i])
    for i in 0 .. 10:  z[i] = log(x[i]) if x[i] > 0 else (sqrt(-x[i - 5]) if i > 4 else -x[i])
    for i in 0 .. 10:  u[i] = x[k[i] * 8] if k[i] < 2 else x[k[i]]
    for i in 0 .. 10:  s += x[i - 3] if i > 2 else 1.0
    for i in 0 .. 10:  e[i] = exp(x[i]) if x[i] > 0 else exp(-x[i]) * 2.0
    """,
)

CONTROL = program(
    "control",
    "x: float64[10], k: int64[4], c: float64[], y: float64[10], A: float64[10, 10], hits: int64[]",
    """
    loop i = 0 .. n:
      if x[i] > 0 and i < 8:
        y[i] = x[i] * 2.0
        c += 1.0
      else:
        if i % 2 == 0:
          y[i] = -x[i]
    loop i = 0 .. n:
      loop j = i .. n:
        if i < j:
          A[i, j] = A[i, j] + x[i] * x[j]
        for p in i .. j + 1:  A[p, j] += 1.0
    loop i = k[0] .. k[1] + 5:
      hits += i
      k[1] = k[1] + 1
    loop i = 9 .. 3 down:
      y[i] = y[i] + y[i - 1]
    loop i = 5 .. 5:
      y[i] = 100.0
    loop t = 0 .. n - 4:
      for i in 0 .. n - t:  y[i] = y[i] * 0.5
    """,
    integers="n",
    local="",
)

NAMES = program(
    "class",
    "double: float64[5], exp: float64[5], lambda_: float64[5], I: float64[5], S: float64[], _hidden: float64[5], t0_: "
    "float64[5], A__in: float64[5], sum__0: float64[5]",
    """
    loop N = 0 .. beta:
      for Q in 0 .. 5:  double[Q] = exp(exp[Q]) + lambda_[Q] * I[Q] + beta + N
      for E in 0 .. 5:  S += double[E] * _hidden[E] + t0_[E] + A__in[E] * sum__0[E]
    """,
    integers="beta",
)

LOCALS = program(
    "locals",
    "x: float64[6], flag: bool[6]",
    """
    for i in 0 .. 6:
      a[i] = x[i] * 2.0
      b[i] = a[i] > 0.5
    t = 1.0
    loop i = 0 .. 6:
      t = t * 1.5 + a[i]
      for j in 0 .. 3:  small[j] = t + j
      for j in 0 .. 3:  out[i] = small[2] + small[0]
    for i in 0 .. 6:  flag[i] = logical_not(b[i])
    for i in 0 .. 0:  none[i] = 1.0
    total = t
    """,
    local="a: float64[6], b: bool[6], t: float64[], small: float64[3], out: float64[6], none: float64[0], "
    "total: float64[]",
    results="out, total, none",
)

PRODUCTS = program(
    "products",
    "A: float64[12, 17], B: float64[17, 14], C: float64[12, 14], D: float64[14, 12], G: float64[12, 14], "
    "dA: float64[12, 17], dB: float64[17, 14], F: float32[40, 30], H: float32[30, 20], K: float32[40, 20], "
    "x: float64[60], M: float64[60, 50], y: float64[50], z: float64[60], T: float64[3, 4, 16], W: float64[16, 16], "
    "V: float64[3, 4, 16], P: float64[5, 12, 9], Q: float64[5, 9, 11], R: float64[5, 12, 11], alpha: float64[], "
    "big: float64[200, 220], u: float64[200], v: float64[220], long: float64[40000], d: float64[], E: float64[200]",
    """
    for i in 0 .. 12, j in 0 .. 14, k in 0 .. 17:  C[i, j] += alpha * A[i, k] * B[k, j]
    for j in 0 .. 14, i in 0 .. 12, k in 0 .. 17:  D[j, i] += -(A[i, k] * B[k, j])
    for i in 0 .. 12, k in 0 .. 17, j in 0 .. 14:  dA[i, k] += G[i, j] * B[k, j] / alpha
    for k in 0 .. 17, j in 0 .. 14, i in 0 .. 12:  dB[k, j] += A[i, k] * G[i, j]
    for i in 0 .. 40, j in 0 .. 20, k in 0 .. 30:  K[i, j] += F[i, k] * H[k, j]
    for i in 0 .. 60, j in 0 .. 50:  z[i] += M[i, j] * y[j]
    for i in 0 .. 60, j in 0 .. 50:  y[j] += M[i, j] * x[i] * 0.01
    for r in 0 .. 3, q in 0 .. 4, p in 0 .. 16, s in 0 .. 16:  V[r, q, p] += T[r, q, s] * W[s, p]
    for b in 0 .. 5, i in 0 .. 12, j in 0 .. 11, k in 0 .. 9:  R[b, i, j] += P[b, i, k] * Q[b, k, j]
    for i in 0 .. 200, j in 0 .. 220:  big[i, j] += 2.0 * u[i] * v[j]
    for i in 0 .. 200, j in 0 .. 220:  v[j] += big[i, j] * u[i] * 0.01
    for i in 0 .. 40000:  d += long[i] * long[i]
    loop t = 0 .. 50:
      for i in t .. 60, j in 0 .. t:  z[i] += M[i, j] * y[j] * 0.01
      for i in t .. 50, j in t .. 50, k in 0 .. t:  M[i, j] += 0.001 * M[i, k] * M[k, j]
    """,
)

POINTS = program(
    "points",
    "pos: float64[50, 3], vel: float64[50, 3], mass: float64[50], image: float32[6, 7, 3], gray: float32[6, 7], "
    "total: float64[], square: float64[3, 3], row: float64[50], lines: float64[50, 3], rgb: float32[3]",
    """
    for i in 0 .. 50, d in 0 .. 3:  pos[i, d] += 0.1 * vel[i, d]
    for i in 0 .. 50, d in 0 .. 3:  total += vel[i, d] * vel[i, d]
    for i in 0 .. 50, d in 0 .. 3:  row[i] += pos[i, d] * vel[i, d] / mass[i]
    for y in 0 .. 6, x in 0 .. 7, c in 0 .. 3:  image[y, x, c] = image[y, x, c] * 0.5
    for y in 0 .. 6, x in 0 .. 7, c in 0 .. 3:  gray[y, x] max= image[y, x, c]
    for y in 0 .. 6, x in 0 .. 7, c in 0 .. 3:  rgb[c] += image[y, x, c]
    for a in 0 .. 3, b in 0 .. 3:  square[a, b] = square[a, b] + a
    for i in 1 .. 50, d in 0 .. 3:  lines[i, d] = pos[i - 1, d] if pos[i, d] > 0 else pos[i, d]
    """,
)

# The same names as loops, map dimensions and loops within tasklets, and names that occur in generated code.
SAME_NAMES = program(
    "same_names",
    "A: float64[6, 7], s: float64[6], power: float64[7], t: float64[6], sum: float64[6], n: float64[6], "
    "value: int64[2]",
    """
    for i in 0 .. 6:  s[i] = sin(t[i] + sum[i]) * sin(t[i] + sum[i]) + n[i]
    for i in 0 .. 6, j in 0 .. 6:  n[i] += sin(t[j] + sum[i]) * sin(t[j] + sum[i])
    loop k = value[0] * 0 .. value[1] + 1:
      t[k] = sum[k]
    loop j = 0 .. 6:
      for i in 0 .. 7:  A[j, i] += 1.0
    for i in 0 .. 6, j in 0 .. 7:  s[i] += A[i, j] * power[j] ** 3.0
    loop i = 0 .. 6:
      for j in 0 .. 7:  A[i, j] += s[i]
      s[i] = s[i] / 7.0
    loop quotient = 0 .. 6:
      s[quotient] = s[quotient] / 3.0
    """,
)

# Large enough for blocks and threads.
LARGE = program(
    "large",
    "x: float64[500001], A: float64[800, 1003], s: float64[], m: float64[], c: float64[1003], d: float64[], "
    "k: int64[500001], n: int64[], few: float64[3], B: float64[200000, 3], r: float64[4, 5]",
    """
    for i in 0 .. 500001:  s += sin(x[i])
    for i in 3 .. 500001:  m max= x[i] * x[i - 3]
    for i in 0 .. 800, j in 0 .. 1003:  c[j] += exp(A[i, j])
    for i in 0 .. 800, j in 0 .. 1003:
      d += A[i, j] * c[j]
      r[1, 2] min= A[i, j]
    for i in 0 .. 500001:  n max= k[i] - i % 1000
    for i in 0 .. 200000, j in 0 .. 3:  few[j] += tanh(B[i, j])
    """,
)

# GCC 12 fails with an internal error on this one unless multiplications and additions stay apart.
MASKED_PRODUCTS = program(
    "masked_products",
    "u: float64[9], w: float64[7], v: float64[9], c: float64[]",
    """
    for i in 0 .. 9:
      v[i] += 0.1 * c * ((w[i] * u[i] if i < 7 else 0) - (w[i - 2] * u[i - 1] if i >= 2 else 0) \
          - (w[i - 1] * (u[i + 1] - u[i - 1]) if i >= 1 and i < 8 else 0)) + (w[i - 1] if i >= 1 and i < 8 else 0)
    """,
)

# What GCC 12 makes of reads under a condition: masked loads that it takes from the wrong place.
PERMUTED_MASKS = program(
    "permuted_masks",
    "B: float64[3, 3], O: float64[3, 3], r: float64[3, 3], s: float64[3, 3], t: float64[3, 3]",
    """
    for i in 0 .. 3, j in 0 .. 3, k in 0 .. 3:
      O[i, -j + 2] += s[i, j] / t[i, j] if logical_not(B[i, -j + 2] > r[i, j]) else 0
    """,
)

MOVED_MASKS = program(
    "moved_masks",
    "D: float64[1800, 1400], X: float64[1800, 1400], t: float64[1400], o: float64[1400]",
    """
    for j in 0 .. 1400:  T[j] = t[j] * t[j]
    loop s = 0 .. 87:
      for j in 0 .. 16:  O[j] = 0
      for i in 0 .. 1800, j in 16*s .. 16*s + 16:  O[j - 16*s] += -(D[i, j] * (X[i, j] / T[j])) if D[i, j] != 0 else 0
      for j in 16*s .. 16*s + 16:  o[j] = O[j - 16*s]
    """,
    local="T: float64[1400], O: float64[16]",
)

# Under its condition an index lies within, and nowhere else; an array without elements is never read.
ONLY_WITHIN = program(
    "only_within",
    "x: float64[9], k: int64[9], none: float64[0], v: float64[9]",
    """
    for i in 0 .. 9:
      v[i] += (x[i - 4 * k[i] + 4] * x[i - 4] if i >= 4 else exp(x[i + 3])) if k[i] > 1 else 0.5
      v[i] += none[i] if i < 0 else (1.0 / x[i + k[i]] if i + k[i] < 9 else x[i])
    """,
)


def _at_once(separate: Program) -> Program:
    """All statements, which have no domain, as those of one nest."""
    return replace(separate, body=(Nest((), tuple(a for node in nests(separate.body) for a in node.assigns)),))


# A statement writes the number that tells the next one where to write.
OWN_PLACES = _at_once(
    program(
        "own_places",
        "x: float64[9], p: int64[9], k: int64[]",
        """
        k = p[1] + 4
        x[k] = 2.0
        """,
    )
)

# The second condition holds for indices of which the first one says that they are.
BY_NEED = program(
    "by_need",
    "x: float64[5], y: float64[6]",
    """
    for i in 0 .. 6:  y[i] = 2.0 if i < 5 and x[i] > 0.5 else 0.5
    for i in 0 .. 6:  y[i] += 2.0 if i >= 5 or x[i] > 0.5 else 0.5
    for i in 0 .. 6:  y[i] += (2.0 if i < 5 and x[i] > 0.5 else 0.5) * (3.0 if i < 4 and x[i] > 0.5 else 0.25)
    """,
)

ALL: tuple[Program, ...] = (
    JACOBI, JACOBI_ADJOINT, LU, RANK_ONE, REDUCTIONS, INDICES, GUARDS, CONTROL, NAMES, LOCALS, PRODUCTS, POINTS,
    SAME_NAMES, LARGE, MASKED_PRODUCTS, PERMUTED_MASKS, MOVED_MASKS, ONLY_WITHIN, OWN_PLACES, BY_NEED,
)  # fmt: skip
INTEGERS = {"T": 5, "n": 10, "beta": 3}
