"""What the tables refuse: the exact sentence and hint."""

from __future__ import annotations

import pytest

from daad.errors import Unsupported
from tests.frontend.numpy.expressions import OPERANDS, function_of, interpreted

SELECTED = "The number of elements that a boolean mask selects depends on data."
WHOLE = "Use 'np.where(mask, value, 0)', or select with the same mask on both sides."
RAISED = "Check the arguments."
TOO = "This fails without daad, too: "
CHECK = "Check the shapes and types of the operands."
ARGUMENTS = "Check the shapes of the arguments."
REFUSED = {
    "linalg.eig(c, left=True)": (
        "'scipy.linalg.eig' of left eigenvectors is not supported: those of the transpose are right ones.",
        RAISED,
    ),
    "np.linalg.eigh(a)": (f"{TOO}Last 2 dimensions of the array must be square.", RAISED),
    "np.add.reduceat(x, [0, 5])": (
        f"{TOO}index 5 out-of-bounds in add.reduceat [0, 5).",
        "Give places of the axis.",
    ),
    "np.fromiter(x, float, 7)": ("'np.fromiter' is asked for 7 items, and given 5.", "Leave out 'count'."),
    "np.arange(4 + 1j, 9) * x[0]": (
        "A range between complex numbers is not supported.",
        "Take their real parts first.",
    ),
    "np.real_if_close(x + 1j * y)": (
        "'np.real_if_close' of complex numbers is not supported.",
        "Use their real and imaginary parts.",
    ),
    "np.linalg.solve(a, v)": (f"{TOO}Last 2 dimensions of the array must be square.", RAISED),
    "np.linalg.solve(c, v)": (
        f"{TOO}solve1: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (m,m),(m)->(m) "
        "(size 3 is different from 4).",
        RAISED,
    ),
    "np.zeros(5, '>f8') * x": (
        "Arrays of dtype '>f8' are not supported.",
        "Use float32, float64, integers or booleans.",
    ),
    "np.histogram2d(x, y, ([0, s], 4))": ("'histogram2d' is not supported with these arguments.", CHECK),
    "np.packbits(x > 0)": (
        "'np.packbits' is not supported.",
        "Bits have no derivative: pack them outside of the function.",
    ),
    "np.nonzero(x)": (SELECTED, WHOLE),
    "np.where(x > 0)": (SELECTED, WHOLE),
    "np.bincount(k)": ("The length of 'np.bincount' depends on data.", "Give 'minlength', or use 'np.add.at'."),
    "np.zeros(int(s))": (
        "The shape of an array depends on data.",
        "Compute it from shapes and integer arguments.",
    ),
    "np.linspace(0.0, 1.0, int(s))": (
        "The number of points depends on data.",
        "Pass it as a Python number, or write it into the program.",
    ),
    "np.sum(a, axis=2)": (f"{TOO}axis 2 is out of bounds for array of dimension 2.", "Count axes from 0."),
    "np.sum(a, axis=(0, 0))": (f"{TOO}duplicate value in 'axis'.", "Name each axis once."),
    "a.reshape(5, 2)": (f"{TOO}cannot reshape array of size 12 into shape (5,2).", CHECK),
    "a.reshape(5, -1)": (f"{TOO}cannot reshape array of size 12 into shape (5,newaxis).", CHECK),
    "a.reshape(-1, -1)": (f"{TOO}can only specify one unknown dimension.", CHECK),
    "a + x": (f"{TOO}operands could not be broadcast together with shapes (3,4) (5,).", ARGUMENTS),
    "a @ a": (
        f"{TOO}matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
        "(n?,k),(k,m?)->(n?,m?) (size 3 is different from 4).",
        ARGUMENTS,
    ),
    "np.dot(a, x)": (f"{TOO}shapes (3,4) and (5,) not aligned: 4 (dim 1) != 5 (dim 0).", ARGUMENTS),
    "a[7]": (f"{TOO}index 7 is out of bounds for axis 0 with size 3.", ARGUMENTS),
    "a[..., ...]": (f"{TOO}an index can only have a single ellipsis ('...').", "Write ':' for each axis."),
    "np.take(a, [12])": (f"{TOO}index 12 is out of bounds for axis 0 with size 12.", "Check the indices."),
    "np.repeat(x, [1, 2])": (
        f"{TOO}operands could not be broadcast together with shape (5,) (2,).",
        "Give one number, or one for each element.",
    ),
    "np.zeros(-3)": (f"{TOO}negative dimensions are not allowed.", "Check how the shape is computed."),
    "np.add(x, x, out=k)": (
        f"{TOO}Cannot cast ufunc 'add' output from dtype('float64') to dtype('int32') with casting rule 'same_kind'.",
        "Make 'out' of the result's dtype.",
    ),
    "s @ a": (
        f"{TOO}matmul: Input operand 0 does not have enough dimensions (has 0, gufunc core with signature "
        "(n?,k),(k,m?)->(n?,m?) requires 1).",
        "Use '*'.",
    ),
    "np.concatenate((a, d[:2]), axis=1)": (
        f"{TOO}all the input array dimensions except for the concatenation axis must match exactly, but along "
        "dimension 0, the array at index 0 has size 3 and the array at index 1 has size 2.",
        CHECK,
    ),
    "np.zeros(3, dtype=np.clongdouble)": (
        "Arrays of dtype 'complex256' are not supported.",
        "Use float32, float64, integers or booleans.",
    ),
    "np.exp(m)": ("Arrays of dtype 'float16' are not supported.", "Use float32, float64, integers or booleans."),
    "np.exp(x, where=x > 0)": ("'np.exp' with 'where' leaves elements undefined.", "Give 'out' too."),
    "np.power(i, -1)": (f"{TOO}Integers to negative integer powers are not allowed.", "Make the base a float."),
    "np.linalg.norm(a, 3)": (
        f"{TOO}Invalid norm order for matrices.",
        "Use 1, 2, 'fro', 'nuc' or infinity.",
    ),
    "np.max(x[:0])": (
        f"{TOO}zero-size array to reduction operation maximum which has no identity.",
        "Give 'initial'.",
    ),
    "a.item()": (f"{TOO}can only convert an array of size 1 to a Python scalar.", "Index the element."),
    "math.sin(x)": (
        f"{TOO}only 0-dimensional arrays can be converted to Python scalars.",
        "Use the NumPy function of that name.",
    ),
    "max(a)": (
        f"{TOO}The truth value of an array with more than one element is ambiguous. Use a.any() or a.all().",
        "Use 'np.max' or 'np.min'.",
    ),
    "np.sum(a, axes=1)": (
        f"{TOO}sum() got an unexpected keyword argument 'axes'.",
        "Leave out what is not listed there.",
    ),
    "np.flip(x[x > 0])": (SELECTED, WHOLE),
    "np.cumsum(x[x > 0])": (SELECTED, WHOLE),
    "np.concatenate((x[x > 0], x))": (SELECTED, WHOLE),
    "x[x > 0][0]": (SELECTED, WHOLE),
    "x[x > 0][::-1]": (SELECTED, WHOLE),
    "x[x > 0]": (SELECTED, WHOLE),
}


@pytest.mark.parametrize("expression", REFUSED)
def test_refusal_says_what_and_what_to_do(expression: str) -> None:
    function, names = function_of(expression)
    with pytest.raises(Unsupported) as caught:
        interpreted(function, {name: OPERANDS[name] for name in names})
    message, hint = REFUSED[expression]
    assert (caught.value.message, caught.value.hint) == (message, hint)
