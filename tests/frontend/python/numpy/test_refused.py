"""What the tables refuse: the exact sentence and hint."""

from __future__ import annotations

import pytest

from daad.errors import Unsupported

from .expressions import OPERANDS, function_of, interpreted

SORTED = "Sorting is not supported: sort outside, or use 'np.max' and 'np.min'."
LATER = "Linear solvers and factorisations are not supported yet."
REFUSED = {
    "np.median(x)": ("'np.median' is not supported.", "Sorting is not supported: use 'np.mean'."),
    "np.sort(x)": ("'np.sort' is not supported.", SORTED),
    "np.argsort(x)": ("'np.argsort' is not supported.", SORTED),
    "np.linalg.solve(c, w)": ("'np.linalg.solve' is not supported.", LATER),
    "np.fft.fft(x)": ("'np.fft.fft' is not supported.", "Fourier transforms are not supported yet."),
    "np.nonzero(x)": (
        "'np.nonzero' is not supported.",
        "The result's size would depend on data: use 'np.where' with three arguments.",
    ),
    "np.unwrap(x)": (
        "'np.unwrap' is not supported.",
        "Write it with the functions that are listed in docs/numpy.md.",
    ),
    "np.where(x > 0)": (
        "'np.where' with one argument gives as many indices as data decide.",
        "Give all three arguments.",
    ),
    "np.bincount(k)": ("The length of 'np.bincount' depends on data.", "Give 'minlength', or use 'np.add.at'."),
    "np.zeros(int(s))": (
        "The shape of an array depends on data.",
        "Compute it from shapes and integer arguments.",
    ),
    "np.linspace(0.0, 1.0, int(s))": (
        "The number of points depends on data.",
        "Pass it as a Python number, or write it into the program.",
    ),
    "np.arange(0.0, s)": (
        "The end of a range depends on data.",
        "Pass it as a Python number, or write it into the program.",
    ),
    "np.sum(a, axis=2)": ("There is no axis 2 in an array of 2 dimensions.", None),
    "a.reshape(5, 2)": ("An array of shape (3, 4) cannot be reshaped to (5, 2).", None),
    "a.reshape(5, -1)": ("An array of 12 elements cannot be reshaped to (5, -1).", None),
    "a + x": ("Arrays of shapes (3, 4) and (5,) do not fit together.", "Check the shapes of the arguments."),
    "a @ a": ("Arrays of shapes (3, 4) and (3, 4) cannot be multiplied.", "Check the shapes of the arguments."),
    "m @ m.T": ("Products of two boolean matrices are not supported.", "Convert one to integers."),
    "s @ a": ("A matrix product with a scalar is not defined.", "Use '*'."),
    "np.concatenate((a, d[:2]), axis=1)": (
        "Only arrays of the same shape, but for the axis along which they are joined, can be joined.",
        None,
    ),
    "np.einsum('...i,i', a, w)": (
        "'np.einsum' needs its subscripts as a text without an ellipsis.",
        "Name all axes by letters.",
    ),
    "np.pad(x, 2, mode='linear_ramp')": (
        "'np.pad' with mode 'linear_ramp' and these options is not supported.",
        "Write the border by slices.",
    ),
    "np.zeros(3, dtype=complex)": (
        "Arrays of dtype 'complex128' are not supported.",
        "Use float32, float64, integers or booleans.",
    ),
    "np.exp(m)": ("Arrays of dtype 'float16' are not supported.", "Use float32, float64, integers or booleans."),
    "np.exp(x, where=x > 0)": ("'np.exp' with 'where' leaves elements undefined.", "Give 'out' too."),
    "np.power(i, -1)": ("Integers to negative integer powers are not allowed.", "Make the base a float."),
    "np.linalg.norm(a, 2)": (
        "The matrix norm of order '2' is not supported.",
        "It needs singular values; use 'fro'.",
    ),
    "np.max(x[:0])": ("The maximum or minimum of no elements is not defined.", "Give 'initial'."),
    "a.item()": ("Only an array of one element can be converted to a number.", "Index the element."),
    "math.sin(x)": (
        "Only a single number can stand here, got an array.",
        "Use the NumPy function of that name.",
    ),
    "max(a)": ("The maximum or minimum of rows is not defined.", "Use 'np.max' or 'np.min'."),
    "np.sum(a, axes=1)": (
        "'np.sum' is not supported with these arguments: got an unexpected keyword argument 'axes'.",
        None,
    ),
}


@pytest.mark.parametrize("expression", REFUSED)
def test_refusal_says_what_and_what_to_do(expression: str) -> None:
    function, names = function_of(expression)
    with pytest.raises(Unsupported) as caught:
        interpreted(function, {name: OPERANDS[name] for name in names})
    message, hint = REFUSED[expression]
    assert (caught.value.message, caught.value.hint) == (message, hint)
