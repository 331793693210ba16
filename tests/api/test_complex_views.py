"""Complex arguments and results: gradients against differences in both parts, memory as NumPy has it, refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted


def moduli(z, w):
    return np.sum(np.abs(z * w + np.exp(z)) ** 2)


def overwritten(z, w):
    z[1:] *= w[1:]
    z[0] = z[1] * 1j
    return np.sum((z**2).imag * np.arange(z.size))


def real_and_complex(z, x):
    return np.abs(np.vdot(z, x)) + np.sum(np.abs(np.fft.fft(z)) ** 2 * np.arange(z.size)) + x[0]


def number(c, x):
    return np.sum(np.abs(c * x + 1j * x**2))


def system(a, b):
    return np.sum(np.abs(np.linalg.solve(a, b)) ** 2)


def views(z, w):
    line, other = z.ravel(), z.reshape(-1)
    line[0] = w[0]
    other[1] *= 2
    z.T[0] += 1j
    alone = z.real.ravel()
    alone += 1
    return np.sum(np.abs(z) ** 2 * np.arange(z.size).reshape(z.shape)) + np.sum(alone)


def structure(d, w):
    return np.sum(np.abs(d["a"] * w) ** 2) + (d["b"] * w[0]).imag


def iterated(z, w):
    for _ in range(3):
        z = z * z / 2 + w
        w = w * 1j
    return np.sum(z.real * w.imag)


def numbers(*shape: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


REALS = np.array([0.3, -0.8, 1.2])
ROWS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "moduli": (moduli, (numbers(4), numbers(4, seed=1))),
    "strided": (moduli, (numbers(8)[::2], numbers(4, seed=1))),
    "other byte order": (moduli, (numbers(4).astype(">c16"), numbers(4, seed=1))),
    "overwritten": (overwritten, (numbers(4), numbers(4, seed=1))),
    "strided and overwritten": (overwritten, (numbers(8)[::2], numbers(4, seed=1))),
    "real and complex": (real_and_complex, (numbers(3), REALS)),
    "a number": (number, (0.3 + 0.7j, REALS)),
    "a number of NumPy's": (number, (np.complex128(0.3 + 0.7j), REALS)),
    "system": (system, (numbers(3, 3), numbers(3, seed=1))),
    "views": (views, (numbers(3, 2), numbers(3, seed=1))),
    "iterated": (iterated, (numbers(3), numbers(3, seed=1))),
}


def fresh(value: Any) -> Any:
    """A copy with the same strides."""
    if not isinstance(value, np.ndarray):
        return value
    wide = np.zeros(2 * len(value), value.dtype)[::2] if not value.flags.c_contiguous else np.empty_like(value)
    wide[...] = value
    return wide


def differences(function: Callable[..., Any], arguments: tuple[Any, ...], place: int) -> np.ndarray:
    """By central differences: `dL/dx + i dL/dy`."""
    value, step = arguments[place], 1e-6
    found = np.zeros(np.shape(value), complex if np.iscomplexobj(value) else float)
    for index in np.ndindex(np.shape(value)):
        for unit in (1, 1j) if np.iscomplexobj(value) else (1,):
            ends = []
            for shift in (step * unit, -step * unit):
                moved = [fresh(a) for a in arguments]
                if isinstance(value, np.ndarray):
                    moved[place][index] += shift
                else:
                    moved[place] += shift
                ends.append(function(*moved))
            found[index] += unit * (ends[0] - ends[1]) / (2 * step)
    return found


def interpreted(function: Callable[..., Any], **options: Any) -> Gradient:
    return Gradient(function, Request(**options), compiler=Interpreted)  # type: ignore[arg-type]


@pytest.mark.parametrize(("function", "arguments"), ROWS.values(), ids=ROWS)
def test_gradient_is_that_of_both_parts(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    gradient = interpreted(function, wrt=(0, 1), value=True, on_inputs="primal")
    for _ in range(2):
        given, expected = [fresh(a) for a in arguments], [fresh(a) for a in arguments]
        value, found = gradient(*given)
        assert value == pytest.approx(function(*expected), rel=1e-12)
        for place, (left, right) in enumerate(zip(found, given, strict=True)):
            np.testing.assert_allclose(left, differences(function, arguments, place), rtol=1e-6, atol=1e-6)
            np.testing.assert_allclose(right, expected[place], rtol=1e-12)
            assert np.asarray(left).dtype == np.asarray(right).dtype


def test_compiled_code_takes_pairs() -> None:
    z, w = numbers(4), numbers(4, seed=1)
    gradient = daad.value_and_grad(overwritten, wrt=(0, 1), on_inputs="primal")
    for _ in range(3):
        given, expected = z.copy(), z.copy()
        value, (dz, _) = gradient(given, w)
        assert value == pytest.approx(overwritten(expected, w))
        np.testing.assert_allclose(given, expected)
        np.testing.assert_allclose(dz, differences(overwritten, (z, w), 0), rtol=1e-6, atol=1e-6)


def test_structures_have_structures_of_gradients() -> None:
    d, w = {"a": numbers(3), "b": 0.5 - 2j}, REALS
    found = interpreted(structure)(d, w)
    np.testing.assert_allclose(found["a"], 2 * d["a"] * w**2)
    assert found["b"] == pytest.approx(1j * w[0])


def test_single_precision_stays() -> None:
    found = interpreted(moduli)(numbers(4).astype(np.complex64), numbers(4).astype(np.complex64))
    assert found.dtype == np.complex64


def transformed(z):
    return np.fft.fft(z) * z


@pytest.mark.parametrize("seed", [1.0, 1j, numbers(5, seed=2)], ids=["real", "imaginary", "array"])
def test_seed_of_a_complex_result(seed: Any) -> None:
    z = numbers(5)

    def weighted(z):
        return np.sum(np.real(np.conj(seed) * transformed(z)))

    value, found = interpreted(transformed, seed=seed, value=True)(z)
    np.testing.assert_allclose(value, transformed(z))
    np.testing.assert_allclose(found, differences(weighted, (z,), 0), rtol=1e-6, atol=1e-8)


def several(z):
    square = z * z
    return np.sum(square), z[0], {"real": z.real}, square


def squared_in_place(z):
    z *= z
    z += 1j


def test_outputs_are_chosen() -> None:
    z, seed = numbers(4), numbers(4, seed=3)
    value, found = interpreted(several, of=0, seed=1j, value=True)(z)
    assert value == pytest.approx(np.sum(z * z))
    np.testing.assert_allclose(found, np.conj(2 * z) * 1j)
    np.testing.assert_allclose(interpreted(several, of="square", seed=seed)(z), np.conj(2 * z) * seed)
    given = z.copy()
    made = interpreted(squared_in_place, of="z", seed=seed, value=True, on_inputs="primal")
    value, found = made(given)
    np.testing.assert_allclose(value, z * z + 1j)
    np.testing.assert_allclose(given, z * z + 1j)
    np.testing.assert_allclose(found, np.conj(2 * z) * seed)


def test_adjoint_of_a_transform_is_the_other_transform() -> None:
    seed = numbers(6)
    found = interpreted(lambda x: np.fft.fft(x), seed=seed)(numbers(6, seed=1))
    np.testing.assert_allclose(found, 6 * np.fft.ifft(seed))


def test_check_moves_both_parts() -> None:
    report = daad.check(moduli, (numbers(3), numbers(3, seed=1)), wrt=(0, 1))
    assert report
    wrong = interpreted(lambda z, w: np.sum(np.abs(z * w + np.exp(z)) ** 2))(numbers(3), numbers(3, seed=1))
    assert np.abs(wrong.imag).max() > 0.1


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "no seed": (
        lambda: interpreted(transformed)(numbers(4)),
        daad.NotDifferentiable,
        "The result of 'transformed' is complex, and a gradient is that of a real number.",
    ),
    "shape of the seed": (
        lambda: interpreted(transformed, seed=numbers(3))(numbers(4)),
        daad.BadArgument,
        "The result of 'transformed' has shape (4,), its seed has shape (3,).",
    ),
    "complex seed": (
        lambda: interpreted(moduli, seed=1j)(numbers(4), numbers(4)),
        daad.BadArgument,
        "The result of 'moduli' is real, and its seed is complex.",
    ),
    "order in memory": (
        lambda: interpreted(views)(np.asfortranarray(numbers(3, 2)), numbers(3)),
        daad.Unsupported,
        "An array is written in place which may or may not share its memory with a reshaped one.",
    ),
    "shared memory": (
        lambda: interpreted(overwritten)(*[numbers(4)] * 2),
        daad.BadArgument,
        "The arguments 'z' and 'w' share memory, and the program overwrites 'z'.",
    ),
}


@pytest.mark.parametrize(("call", "error", "sentence"), REFUSED.values(), ids=REFUSED)
def test_refusal(call: Callable[[], Any], error: type[Exception], sentence: str) -> None:
    with pytest.raises(error) as refused:
        call()
    assert refused.value.message == sentence  # type: ignore[attr-defined]
