"""What daad refuses, with the exact sentence: programs that it cannot differentiate, and calls that do not fit."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import daad
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted

X = np.arange(1.0, 6.0)
Y = X + 1


class Thing:
    """An object that means nothing to a compiler."""


class Sparse:
    """An array of another library."""

    shape = X.shape

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return X


def total(x):
    return np.sum(x * x)


GRADIENT = daad.grad(total)


def calls_a_gradient(x):
    return np.sum(GRADIENT(x) * x)


def makes_a_gradient(x):
    return np.sum(daad.grad(total)(x) * x)


def array(x):
    return x * 2


def pair(x):
    return x * 2, np.sum(x)


def text(x):
    return "text"


def with_default(x, k=2.0):
    return np.sum(x) * k


async def asynchronous(x):
    return np.sum(x)


def with_int(x, n):
    return np.sum(x) * n


def writes(x, y):
    x[1:] += y[1:]
    return np.sum(x)


def recursive(x, n):
    if x[0] > n:
        return np.sum(x)
    return recursive(x * 2, n)


def fft(x):
    return np.sum(x[np.packbits(x > 0)])


def thing(x, o):
    return np.sum(x) * o.value


def opens(x):
    open("f")  # noqa: SIM115
    return np.sum(x)


def tries(x):
    try:
        return np.sum(x)
    except* ValueError:
        x[0] = 0.0


def gen(x):
    yield np.sum(x)


TOO_LONG = "A comprehension over an array of 5000 items has to be written out, and that is too long."


def uses_gen(x):
    return max(v * v for v in np.tile(x, 1000))


def comp(x):
    return max([v * v for v in np.tile(x, 1000)])


def unbound(x):
    for i in range(0):
        s = x[i]
    return s


def maybe(x):
    if x[0] > 3.0:
        s = x[1]
    return s


def cplx(x):
    return abs(np.ptp(x * 1j)) * x[0]


def oob(x):
    return x[7]


def slice_of_objects(x):
    a = np.empty(4, dtype=object)
    part = a[1:3]
    part[0] = x
    return a[1]


def shapes(x, y):
    return np.sum(x * y[:3])


def mask(x):
    return np.sum(x[x > 2.0])


def noresult(x):
    x * 2


def intresult(x):
    return np.argmax(x)


def lam(x):
    return undefined_name(x)  # noqa: F821


PROGRAMS: list[tuple[Any, type[Exception], str]] = [
    (fft, daad.Unsupported, "'np.packbits' is not supported."),
    (opens, daad.Unsupported, "This call fails: FileNotFoundError: [Errno 2] No such file or directory: 'f'."),
    (tries, daad.Unsupported, "An 'except*' cannot be differentiated."),
    (gen, daad.Unsupported, "A generator cannot be differentiated."),
    (
        uses_gen,
        daad.Unsupported,
        TOO_LONG,
    ),
    (
        comp,
        daad.Unsupported,
        TOO_LONG,
    ),
    (unbound, daad.Unsupported, "A value is used before it exists."),
    (maybe, daad.Unsupported, "A value is used before it exists."),
    (cplx, daad.Unsupported, "'np.ptp' of complex numbers is not supported."),
    (oob, daad.Unsupported, "This fails without daad, too: index 7 is out of bounds for axis 0 with size 5."),
    (
        slice_of_objects,
        daad.Unsupported,
        "A slice of an array of objects is written, which NumPy would write into the array: write its items.",
    ),
    (noresult, daad.BadArgument, "The function returns nothing to differentiate."),
    (lam, daad.Unsupported, "The name 'undefined_name' is not defined."),
    (array, daad.NotDifferentiable, "The result of 'array' has shape (5,), and a gradient is that of a scalar."),
    (intresult, daad.NotDifferentiable, "The result of 'intresult' is of dtype int64, and only floats have gradients."),
]

RAGGED = "The seed is no number, and no array of equal rows."
ANOTHERS = "The argument 'x' is a 'tests.Sparse', which is no array of NumPy's."
NESTED = "A program that calls derivatives of daad's cannot be differentiated."
OWN = "The gradient has 'wrt', 'of' and options of its own."
SHARED = "The arguments 'x' and 'y' share memory, and the program overwrites 'x'."
FOREIGN = "The argument 'x' is a 'numpy.{}', a subclass of NumPy's array whose operators may mean something else."
READ_ONLY = "The array 'x' is read-only, and the program overwrites it."
CALLS: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    (
        "nothing",
        lambda: daad.grad(total)(),
        daad.BadArgument,
        "The call does not fit 'total(x)': missing a required argument: 'x'.",
    ),
    (
        "too many",
        lambda: daad.grad(total)(X, X),
        daad.BadArgument,
        "The call does not fit 'total(x)': too many positional arguments.",
    ),
    ("no such wrt", lambda: daad.grad(total, wrt="z")(X), daad.BadArgument, "'total' has no argument 'z'."),
    ("no such place", lambda: daad.grad(total, wrt=3)(X), daad.BadArgument, "'total' has no argument '3'."),
    ("no such of", lambda: daad.grad(total, of="q")(X), daad.BadArgument, "'total' has no variable 'q' at its end."),
    (
        "wrt an int",
        lambda: daad.grad(with_int, wrt="n")(X, 3),
        daad.NotDifferentiable,
        "There is no gradient with respect to 'n': it is of type 'int'.",
    ),
    (
        "int array",
        lambda: daad.grad(total)(np.arange(5)),
        daad.NotDifferentiable,
        "There is no gradient with respect to 'x': it is an array of int64.",
    ),
    (
        "complex",
        lambda: daad.grad(total)(X * 1j),
        daad.NotDifferentiable,
        "The result of 'total' is complex, and a gradient is that of a real number.",
    ),
    (
        "objects",
        lambda: daad.grad(total)(np.array([None])),
        daad.NotDifferentiable,
        "There is no gradient with respect to 'x': it is an array of object.",
    ),
    (
        "text",
        lambda: daad.grad(total)("abc"),
        daad.NotDifferentiable,
        "There is no gradient with respect to 'x': it is of type 'str'.",
    ),
    (
        "seed shape",
        lambda: daad.grad(array, seed=np.ones(3))(X),
        daad.BadArgument,
        "The result of 'array' has shape (5,), its seed has shape (3,).",
    ),
    ("wrt a float", lambda: daad.grad(total, wrt=1.0), daad.BadArgument, "The option 'wrt' is of type 'float'."),
    ("wrt a bool", lambda: daad.grad(total, wrt=True), daad.BadArgument, "The option 'wrt' is of type 'bool'."),
    ("wrt a set", lambda: daad.grad(total, wrt={"x"}), daad.BadArgument, "The option 'wrt' is of type 'set'."),
    ("wrt nothing", lambda: daad.grad(total, wrt=()), daad.BadArgument, "The option 'wrt' names nothing."),
    (
        "wrt None",
        lambda: daad.grad(total, wrt=(None,)),
        daad.BadArgument,
        "The option 'wrt' holds an item of type 'NoneType'.",
    ),
    ("wrt twice", lambda: daad.grad(total, wrt=("x", "x")), daad.BadArgument, "The option 'wrt' names 'x' twice."),
    (
        "wrt by name and place",
        lambda: daad.grad(total, wrt=("x", 0))(X),
        daad.BadArgument,
        "The option 'wrt' names 'x' twice.",
    ),
    (
        "wrt a default",
        lambda: daad.grad(with_default, wrt="k")(X),
        daad.BadArgument,
        "The call leaves out 'k', which a gradient is asked for.",
    ),
    ("of a float", lambda: daad.grad(total, of=1.0), daad.BadArgument, "The option 'of' is of type 'float'."),
    ("of twice", lambda: daad.grad(pair, of=(1, 1)), daad.BadArgument, "The option 'of' names 1 twice."),
    ("of too far", lambda: daad.grad(pair, of=2)(X), daad.BadArgument, "The function returns no array at position 2."),
    (
        "two results",
        lambda: daad.grad(pair)(X),
        daad.NotDifferentiable,
        "'pair' returns 2 arrays or numbers, and a gradient is that of one scalar.",
    ),
    (
        "a text",
        lambda: daad.grad(text)(X),
        daad.BadArgument,
        "The function returns a value of type 'str', which holds no array or number.",
    ),
    ("seed a text", lambda: daad.grad(array, seed="a"), daad.BadArgument, "The seed is of type 'str'."),
    (
        "seed complex",
        lambda: daad.grad(array, seed=X * 1j)(X),
        daad.BadArgument,
        "The result of 'array' is real, and its seed is complex.",
    ),
    (
        "seed of nothing",
        lambda: daad.grad(pair, seed={0: 1.0, 1: 1.0, 2: 1.0})(X),
        daad.BadArgument,
        "The seed has an entry 2, which is no output.",
    ),
    (
        "seed left out",
        lambda: daad.grad(pair, seed={0: 1.0})(X),
        daad.BadArgument,
        "The seed has no entry for the output 1.",
    ),
    (
        "seeds in order",
        lambda: daad.grad(pair, seed=[1.0, 2.0, 3.0])(X),
        daad.BadArgument,
        "There are 2 outputs and 3 seeds.",
    ),
    ("ragged seed", lambda: daad.grad(array, seed=[[1.0], [1.0, 2.0]])(X), daad.BadArgument, RAGGED),
    ("option", lambda: daad.grad(total, colour=3), daad.BadArgument, "There is no option 'colour'."),
    ("masked array", lambda: daad.grad(total)(np.ma.masked_array(X)), daad.Unsupported, FOREIGN.format("MaskedArray")),
    ("matrix", lambda: daad.grad(total)(X.view(np.matrix)), daad.Unsupported, FOREIGN.format("matrix")),
    ("plan", lambda: daad.grad(total, plan="best"), daad.BadArgument, "The option 'plan' is 'best'."),
    ("plan of an array", lambda: daad.grad(total, plan={"s": 1}), daad.BadArgument, "The plan of 's' is 1."),
    (
        "plan of nothing",
        lambda: daad.grad(total, plan={"q": "store"})(X),
        daad.BadArgument,
        "The plan names 'q', which is no local array of 'total'.",
    ),
    ("on_inputs", lambda: daad.grad(total, on_inputs="x"), daad.BadArgument, "The option 'on_inputs' is 'x'."),
    ("gradient in the program", lambda: daad.grad(calls_a_gradient)(X), daad.Unsupported, NESTED),
    ("gradient made in the program", lambda: daad.grad(makes_a_gradient)(X), daad.Unsupported, NESTED),
    ("check of a gradient with wrt", lambda: daad.check(daad.grad(total), (X,), wrt="x"), daad.BadArgument, OWN),
    ("plan of a gradient with options", lambda: daad.plan(daad.grad(total), (X,), seed=1.0), daad.BadArgument, OWN),
    ("same array twice", lambda: daad.grad(writes)(X, X), daad.BadArgument, SHARED),
    ("overlapping views", lambda: daad.grad(writes)(X[:-1], X[1:]), daad.BadArgument, SHARED),
    (
        "read-only",
        lambda: daad.grad(writes, on_inputs="primal")(np.frombuffer(X.tobytes()), Y),
        daad.BadArgument,
        READ_ONLY,
    ),
    (
        "shapes",
        lambda: daad.grad(shapes)(X, Y),
        daad.Unsupported,
        "This fails without daad, too: operands could not be broadcast together with shapes (5,) (3,).",
    ),
    (
        "recursion",
        lambda: daad.grad(recursive)(X, 1e30),
        daad.Unsupported,
        "A recursion goes deeper than 50 calls, or data decide where it ends.",
    ),
    (
        "object",
        lambda: daad.grad(thing)(X, Thing()),
        daad.Unsupported,
        "The object of type 'Thing' has no attribute 'value'.",
    ),
    ("sparse matrix", lambda: daad.grad(total)(Sparse()), daad.Unsupported, ANOTHERS),
    (
        "NumPy's function",
        lambda: daad.grad(np.sum),
        daad.BadArgument,
        "'sum' is a function of Python's or NumPy's own.",
    ),
    ("ufunc", lambda: daad.grad(np.sin), daad.BadArgument, "'sin' is not a Python function."),
    ("builtin", lambda: daad.grad(len), daad.BadArgument, "'len' is not a Python function."),
    ("coroutine", lambda: daad.grad(asynchronous), daad.Unsupported, "An 'async' function cannot be differentiated."),
    (
        "vectorize",
        lambda: daad.grad(np.vectorize(total)),
        daad.BadArgument,
        "An object of type 'vectorize' is not a Python function.",
    ),
    ("no function", lambda: daad.grad(3), daad.BadArgument, "An object of type 'int' is not a Python function."),
    ("class", lambda: daad.grad(Thing), daad.BadArgument, "'Thing' is not a Python function."),
]


@pytest.mark.parametrize(("function", "error", "sentence"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_program_is_refused(function: Any, error: type[daad.DaadError], sentence: str) -> None:
    with pytest.raises(error) as refusal:
        daad.grad(function)(X.copy())
    assert refusal.value.message == sentence
    assert refusal.value.at is not None
    assert refusal.value.at.file == __file__


@pytest.mark.parametrize(("name", "call", "error", "sentence"), CALLS, ids=[row[0] for row in CALLS])
def test_call_is_refused(name: str, call: Callable[[], Any], error: type[daad.DaadError], sentence: str) -> None:
    with pytest.raises(error) as refusal:
        call()
    assert refusal.value.message == sentence


def test_refusal_prints_line_caret_and_remedy() -> None:
    with pytest.raises(daad.Unsupported) as refusal:
        daad.grad(fft)(X)
    first, source, caret, hint = str(refusal.value).splitlines()
    assert first.startswith("test_refusals.py:")
    assert source == "    return np.sum(x[np.packbits(x > 0)])"
    assert caret == " " * 20 + "^" * 18
    assert hint == "  Bits have no derivative: pack them outside of the function."


@pytest.mark.parametrize(
    ("wrt", "sentence"),
    [
        ("x", "The output does not depend on 'x': its gradient is zero."),
        (("x", "z"), "The output does not depend on 'x' and 'z': their gradients are zero."),
    ],
)
def test_gradients_that_are_zero_by_independence_are_announced(wrt: Any, sentence: str) -> None:
    def independent(x, y, z):
        return np.sum(y)

    request = Request(wrt=wrt)
    with pytest.warns(UserWarning, match=re.escape(sentence)) as caught:
        found = Gradient(independent, request, compiler=Interpreted)(X, X, X)  # type: ignore[arg-type]
    assert not np.any(found)
    assert caught[0].filename == __file__


def test_the_hint_names_all_arguments() -> None:
    with pytest.raises(daad.BadArgument) as caught:
        daad.grad(with_default, wrt="z")(X)
    assert caught.value.hint == "Its arguments are 'x', 'k'."
