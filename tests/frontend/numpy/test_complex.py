"""Complex numbers: NumPy's values, shapes and dtypes, and gradients against differences."""

from __future__ import annotations

import ast
import cmath
import linecache
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.fft

from daad.errors import Unsupported
from daad.frontend.python import build_program
from daad.frontend.python.syntax.source import function_source
from daad.ir.interpreter import run
from tests.corpus.case import Case
from tests.frontend.numpy.expressions import OPERANDS, SCIPY, rows
from tests.frontend.numpy.test_gradients import copies, is_float
from tests.oracle import check_gradient
from tests.programs import interpreted

COMPLEX = {
    "z": "x + 1j * y",
    "w": "u - 2j * x",
    "A": "a + 1j * d",
    "B": "b * (1 + 0.5j)",
    "C": "c - 1j * c.T",
    "h": "f - 1j * g",
    "Z": "complex(s, t)",
}
"""Complex operands, made of those of the other tables."""
OPERATORS = rows(
    """
    z + w; z - w; z * w; z / w; z * x; x * z; x / z; z / x; z + 1; 1 + z; 2j * z; z * 1j; z / 2j; 1j / z; -z; +z;
    z ** 2; z ** 3; z ** -1; z ** 0; z ** 0.5; z ** w; 2 ** z; x * 1j; 1j * x; x - 1j; z ** 5; (u + 0j) ** 1.5;
    A * o; A + w[:4]; A * A.T[:3, :3].sum(); A @ B; A @ w[:4]; b.T @ A.T; z @ w; x @ z; A.T; A.T.conj(); C @ C;
    C.conj().T @ C
    """
)

FUNCTIONS = rows(
    """
    np.exp(z); np.exp(1j * x); np.log(z); np.sqrt(z); np.sqrt(-z); np.sin(z); np.cos(z); np.tan(z); np.sinh(z);
    np.cosh(z); np.tanh(z); np.abs(z); abs(z); abs(z) ** 2; np.abs(z) * np.abs(z); np.angle(z); np.angle(x);
    np.angle(z, deg=True); np.conj(z); z.conj(); z.conjugate(); np.square(z); np.reciprocal(z); np.sign(z);
    np.power(z, 2); np.log10(z); np.log2(z); np.exp2(z); np.add(z, w); np.multiply(z, 2); np.divide(z, w);
    np.subtract(1, z); np.negative(z); np.arcsin(z); np.arccos(z); np.arctan(z); np.arcsinh(z); np.arccosh(z);
    np.arctanh(z); np.arcsin(2.0 - 3 * z); np.arccos(3 * z - 2.0); np.arccosh(-w); np.arctan(3j * z)
    """
)

PARTS = rows(
    """
    z.real; z.imag; np.real(z); np.imag(z) * 2; z.real + z.imag; z[1]; z[1:3]; z[::-1]; z[None, :]; A[:, 1];
    A[1:, ::2]; z[i]; z[[0, 2]]; z[-1]; z[i[0]]; A[0, 1]; A[..., 0]; z[x > 0].sum()
    """
)

SUMS = rows(
    """
    np.sum(z); z.sum(); A.sum(axis=0); np.sum(A, axis=1, keepdims=True); z.mean(); A.mean(axis=1); np.mean(A);
    np.cumsum(z); np.diff(z); A.cumsum(axis=1); np.trace(A); A.trace(); np.var(A); A.var(axis=0); sum(z);
    np.average(z); np.trapezoid(z, dx=0.1)
    """
)

PRODUCTS = rows(
    """
    np.dot(z, w); np.dot(A, B); np.vdot(z, w); np.vdot(z, x); np.vdot(x, z); np.inner(z, w); np.outer(z, w);
    np.outer(x, z); np.add.outer(x, z); np.multiply.outer(A, x) * 2; np.subtract.outer(1j * x, y);
    np.add.outer(z, x, out=np.zeros((len(z), len(x)), complex));
    np.einsum('ij,jk->ik', A, B); np.einsum('ij,ij->', A, A.conj()); np.einsum('i,ij->j', v, A);
    np.einsum('ij->ji', A); np.einsum('i,i,i', z, w, z); np.tensordot(A, B, 1); np.kron(z, w); np.matmul(A, B);
    np.convolve(z, w); np.convolve(x, z, 'same'); np.correlate(z, w); np.vecdot(A, A); np.cross(A[:, :3], A[:, 1:])
    """
)

SHAPES = rows(
    """
    A.reshape(4, 3); A.reshape(-1); A.ravel(); A.flatten(); np.reshape(A, (2, 6)); z.reshape(5, 1); A.transpose();
    np.transpose(A, (1, 0)); A.swapaxes(0, 1); np.roll(z, 2); np.roll(A, 1, axis=1); np.tile(z, 2); np.repeat(z, 2);
    np.flip(z); np.concatenate([z, w]); np.concatenate([z, x]); np.concatenate((x, z)); np.stack([z, x]);
    np.hstack([z, w]); np.vstack([z, x]); np.pad(z, 2); np.pad(z, 1, constant_values=1j); np.pad(z, 2, mode='wrap');
    np.split(z, [2])[1]; np.diag(z); np.diag(C); np.tril(C); np.triu(C, 1); np.squeeze(z[None]);
    np.expand_dims(z, 0); np.broadcast_to(z, (2, 5)); np.moveaxis(A, 0, 1); np.take(z, [1, 2]); z.take(i)
    """
)

CHOICES = rows(
    """
    np.where(x > 0, z, w); np.where(x > 0, z, 0); np.where(x > 0, x, z); np.where(x > 0, 1j, x);
    np.where(np.abs(z) > 1, z / np.abs(z), z); np.where(m, A, 0.0); z == w; z != w; z == z; np.isnan(z);
    np.isfinite(z); np.isinf(z); np.any(z); np.all(z); np.count_nonzero(A); np.linalg.norm(z); np.linalg.norm(A);
    np.linalg.norm(A, axis=1); np.linalg.norm(z, 1); np.linalg.norm(z, np.inf)
    """
)

MADE = rows(
    """
    np.array([1 + 2j, 3]); np.array([1 + 2j, x[0]]); np.array([z[0], x[1], 2]); np.array([x, y], dtype=complex);
    np.array(z); z.copy(); np.array([[z[0], 1j], [0, w[1]]]); x.astype(complex); z.astype(complex);
    f.astype(np.complex64); z.astype(np.complex64); x.astype('complex128'); np.asarray(z);
    np.asarray(x, dtype=complex); np.zeros(3, complex) + z[:3]; np.zeros((2, 5), dtype=np.complex128) + z;
    np.zeros_like(z) + x; np.ones(5, dtype=complex) * z; np.ones_like(z) * x; np.full(5, 1j) * x; np.full(5, z[0]);
    np.full_like(z, 2) * x; np.eye(4, dtype=complex) @ w[:4]; np.empty_like(z) * 0 == 0; np.linspace(0, 1j, 5) * x
    """
)

PRECISIONS = rows(
    """
    h * h; h + 1; h * 1j; f * 1j; h * 2.5; h * a; np.abs(h); h @ h.T; np.exp(h); h.sum(); f * z[0]; f * (1 + 2j);
    Z * f; h * Z; i * 1j; k * z; m * A; h / 3; np.mean(h); Z * z; Z * Z; abs(Z); Z ** 2; Z.real; Z.conjugate();
    np.exp(Z); cmath.exp(Z) * z; cmath.sqrt(s) * x; cmath.sqrt(t) * x; cmath.phase(Z) + x; complex(s, 1) * x;
    complex(x[0], y[0]); s * 1j * x; np.complex128(Z) * f; np.complex64(Z) * f; (s + 1j) ** 2 * x; 1j ** n * x;
    (-1j) ** i[0] * x; A * np.array([1, 1j, -1, -1j]); A @ np.array([1, 1j, -1, -1j]);
    np.exp(-1j * np.pi * np.arange(5)) * z; np.exp(-2j * np.pi * np.outer(np.arange(5), np.arange(5)) / 5) @ z;
    z.size * z; z.shape[0] * z; z.ndim + z; len(z) * z; [2 * v_ for v_ in z][1]; sum(v_ * v_ for v_ in z); z.dot(w);
    A.dot(B); np.round(z, 2); np.result_type(z, f).type(2) * x; (z if z.ndim == 1 else w) * 2;
    np.iscomplexobj(z) * x; np.isrealobj(z) * x; np.gradient(z); np.delete(z, 1); np.append(z, 1j);
    max(np.abs(z)) * z; np.max(np.abs(z)); np.argmax(abs(z)); z.T; np.linalg.solve(C, w[:4]); np.linalg.inv(C);
    np.select([x > 0, x < -1], [z, w], 0)
    """
)
ALGORITHMS = rows(
    """
    np.sort_complex(z); np.argsort(z)[::-1] * z; z[np.argmax(z)] * z; z.argmin() * z; A[np.arange(3), A.argmax(axis=1)];
    np.take_along_axis(A, np.argmin(A, 0, keepdims=True), 0); np.argmax(A);
    np.argmax(np.where(np.arange(5) == 3, np.nan, np.where(np.arange(5) > 1, 2 + 1j, z.imag * 1j)));
    np.prod(z); z.prod(); np.prod(A, axis=1); np.prod(A); np.linalg.matrix_power(C, 3); np.linalg.matrix_power(C, 5);
    np.linalg.matrix_power(C, -2); np.linalg.matrix_power(C, 0) * z[0]; np.asarray(np.matrix(C) ** -1);
    np.linalg.det(C); np.polyval(z, w); np.polyval([1, 2j, 3], x); np.polyval(x, z[0]); np.polyval([1.0, 2.0], z);
    np.isclose(z, z + 1e-9j); np.isclose(z, x, atol=3.0);
    np.linalg.slogdet(C + np.diag(w[:4]))[0]; np.linalg.slogdet(C)[1];
    z.prod() * x; np.linalg.solve(C, w[:4]); np.linalg.inv(C); linalg.inv(C); linalg.det(C); integrate.trapezoid(A);
    integrate.simpson(z, dx=s); integrate.cumulative_trapezoid(z, initial=0);
    np.linalg.solve(np.stack([C, C * 2j]), w[:4]); np.linalg.inv(np.stack([C, C.T])); np.linalg.solve(c, w[:4]);
    np.linalg.solve(C, x[:4]); np.std(z); A.std(axis=0); np.zeros_like(z, dtype=float) + x; np.sum(x, dtype=complex);
    np.sum(z, initial=1.0); np.diff(z, prepend=1.0); np.tri(3, dtype=complex) @ z[:3]; np.mean(z, where=x > 0);
    np.arange(3, dtype=complex) * w[:3]; np.std(z[:1])
    """
)
FILTERED = rows(
    """
    signal.lfilter([1.0, 0.5], 1, z); signal.lfilter([s], [1, w[0]], x); signal.lfilter(w[:2], [2.0, t], A, axis=0);
    signal.lfilter([s], [1.0, -w[0]], z, zi=[0j])[0]; signal.lfilter([1.0, s], [1.0, t], z, zi=x[:1])[1];
    signal.lfilter([1.0, 0.3], [1.0, w[0]], x, zi=x[:1])[1]; signal.lfilter_zi([1.0, 0.3], [1.0, w[0]]);
    signal.sosfilt([[1.0, s, 0, 1, t, 0]], z); signal.upfirdn(z, x, 2, 3); signal.upfirdn(x, z, 3);
    signal.upfirdn(v, A, down=2, axis=0); signal.resample_poly(A.ravel(), 2, 3);
    signal.filtfilt([s, 1.0], [1, t], A.ravel())
    """
)
ROWS = (*OPERATORS, *FUNCTIONS, *PARTS, *SUMS, *PRODUCTS, *SHAPES, *CHOICES, *MADE, *PRECISIONS, *ALGORITHMS, *FILTERED)


def names_in(*expressions: str) -> set[str]:
    trees = [ast.parse(expression, mode="eval") for expression in expressions]
    return {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}


def function_of(expression: str, result: str) -> tuple[Callable[..., Any], list[str]]:
    """A function that makes the complex operands, names the expression `found`, and returns the result."""
    made = [name for name in COMPLEX if name in names_in(expression)]
    plain = names_in(expression) - {*made} | names_in(*(COMPLEX[name] for name in made))
    parameters = sorted(name for name in plain if name in OPERANDS)
    lines = [f"{name} = {COMPLEX[name]}" for name in made] + [f"found = {expression}", f"return {result}"]
    source = f"def expression({', '.join(parameters)}):\n" + "".join(f"    {line}\n" for line in lines)
    file = f"<complex expression {expression}: {result}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"np": np, "math": math, "cmath": cmath, "fft": scipy.fft, **SCIPY}
    exec(compile(source, file, "exec"), scope)
    return scope["expression"], parameters


def check(expression: str) -> None:
    """Both parts of the interpreted Program's result are those of NumPy's, and the complex dtype."""
    dtype = "np.dtype(found.dtype).name if hasattr(found, 'dtype') else ''"
    function, names = function_of(expression, f"np.real(found), np.imag(found), {dtype}")
    with np.errstate(all="ignore"):
        *expected, name = function(*copies(names))
    built = build_program(function_source(function), copies(names))
    places = {place: OPERANDS[n] for n, place in built.places.items()}
    final = run(built.program, {**places, **built.constants})
    *got, found = built.value
    assert found == name, f"dtype {name}, got {found}"
    for leaf, right in zip(got, map(np.asarray, expected), strict=True):
        left = np.asarray(final[leaf] if isinstance(leaf, str) else leaf)
        assert (left.dtype, left.shape) == (right.dtype, right.shape)
        tolerance = 2e-5 if right.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("expression", ROWS)
def test_values(expression: str) -> None:
    check(expression)


def is_active(row: str) -> bool:
    """Whether differences can follow: all is in double precision."""
    return not names_in(row) & {"h", "f", "g"} and "64" not in row and "round" not in row


def check_slopes(row: str) -> None:
    weights = "np.cos(np.arange(np.size(found)).reshape(np.shape(found)))"
    function, names = function_of(row, f"np.sum(np.real(found) * {weights}) + np.sum(np.imag(found))")
    wrt = tuple(filter(is_float, names))
    if not wrt:
        pytest.skip("nothing to differentiate by")
    case = Case(name=row, function=function, arguments=lambda: copies(names), wrt=wrt)
    check_gradient(interpreted(case)(*case.arguments()), case)


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in ROWS if is_active(row)])
def test_gradient_matches_differences(row: str) -> None:
    check_slopes(row)


REFUSED = {
    "z // w": "This fails without daad, too: ufunc 'floor_divide' not supported for the input types",
    "complex(1j * s) < 2j": "This fails without daad, too: '<' not supported",
    "np.searchsorted(z, 1)": "'np.searchsorted' of complex numbers is not supported.",
    "z.astype(float)": "Complex numbers are converted to 'float64'.",
    "np.add(z, 1, out=np.zeros(5))": "This fails without daad, too: Cannot cast ufunc 'add' output",
    "float(z[0])": "'float' of complex numbers is not supported.",
    "np.array(z, dtype=float)": "Complex numbers are converted to real ones.",
    "fft.dct(z)": "'fft.dct' of complex numbers is not supported.",
    "signal.medfilt(z)": "'signal.medfilt' of complex numbers is not supported.",
    "np.fft.rfft(z)": "This fails without daad, too: ",
    "np.fft.fft(z, 0)": "This fails without daad, too: Invalid number of FFT data points (0) specified",
    "np.fft.fft(z, axis=1)": "This fails without daad, too: ",
}


@pytest.mark.parametrize(("expression", "sentence"), REFUSED.items())
def test_refusal(expression: str, sentence: str) -> None:
    function, names = function_of(expression, "found")
    with pytest.raises(Unsupported) as refused:
        build_program(function_source(function), copies(names))
    assert str(refused.value.message).startswith(sentence)
