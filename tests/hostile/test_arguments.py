"""Arguments of every kind: the right gradient, or a refusal that names the argument."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import daad
from daad.errors import BadArgument, DaadError, NotDifferentiable, Unsupported
from tests.hostile.fault import fault, row
from tests.hostile.subjects import X, Y, interpreted, left_behind, overwrite, overwritten, weigh, weighed

GROUP = "Arguments"
RIGHT = "the right gradient"


def unaligned(values: np.ndarray) -> np.ndarray:
    packed = np.zeros(len(values), dtype=[("byte", "u1"), ("value", "f8")])
    packed["value"] = values
    return packed["value"]


def read_only(values: np.ndarray) -> np.ndarray:
    copy = values.copy()
    copy.flags.writeable = False
    return copy


def spread(values: np.ndarray, step: int) -> np.ndarray:
    """The values in every `step`-th element of a larger array."""
    large = np.zeros(abs(step) * len(values))
    view = large[::step]
    view[:] = values
    return view


def one_dimension_of_many(values: np.ndarray) -> np.ndarray:
    large = np.zeros((3, len(values), 2), order="F")
    large[1, :, 1] = values
    return large[1, :, 1]


VIEWS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "a non-contiguous array": lambda a: spread(a, 3),
    "an array with negative strides": lambda a: spread(a, -2),
    "a column of a Fortran-ordered array": one_dimension_of_many,
    "an unaligned array": unaligned,
    "an array in foreign byte order": lambda a: a.astype(">f8"),
    "a read-only array": read_only,
}


def mapped(values: np.ndarray, folder: Any) -> np.ndarray:
    file = np.memmap(folder / "values", dtype=float, mode="w+", shape=values.shape)
    file[:] = values
    return file


@pytest.fixture(scope="module")
def reading() -> Any:
    return daad.grad(weigh)


@pytest.fixture(scope="module")
def writing() -> Any:
    return daad.grad(overwrite, on_inputs="primal")


@pytest.mark.parametrize("view", [row(GROUP, what, RIGHT, make) for what, make in VIEWS.items()])
def test_read_argument(view: Callable[[np.ndarray], np.ndarray], reading: Any) -> None:
    for _ in range(2):
        np.testing.assert_array_equal(reading(view(X), Y), weighed(X, Y))
        np.testing.assert_array_equal(reading(X, view(Y)), weighed(X, Y))
    assert reading(view(X), Y).dtype == view(X).dtype


WRITTEN = [row(GROUP, f"{what}, overwritten", RIGHT, make) for what, make in VIEWS.items() if make is not read_only]


@pytest.mark.parametrize("view", WRITTEN)
def test_overwritten_argument(view: Callable[[np.ndarray], np.ndarray], writing: Any) -> None:
    for _ in range(2):
        x = view(X)
        np.testing.assert_array_equal(writing(x, Y), overwritten(X, Y))
        np.testing.assert_array_equal(x, left_behind(X, Y))


@fault(GROUP, "a memory-mapped file, overwritten", "the right gradient; the file changes as by NumPy")
def test_memory_mapped_file_changes(tmp_path: Any, writing: Any) -> None:
    for _ in range(2):
        x = mapped(X, tmp_path)
        np.testing.assert_array_equal(writing(x, Y), overwritten(X, Y))
        np.testing.assert_array_equal(x, left_behind(X, Y))


@fault(GROUP, "a memory-mapped file, only read", "the right gradient; the file stays untouched")
def test_memory_mapped_file_is_only_read(tmp_path: Any) -> None:
    mapped(X, tmp_path).flush()
    (tmp_path / "values").chmod(0o400)
    before = (tmp_path / "values").stat().st_mtime_ns
    x = np.memmap(tmp_path / "values", dtype=float, mode="r")
    np.testing.assert_array_equal(daad.grad(weigh)(x, Y), weighed(X, Y))
    copy_on_write = np.memmap(tmp_path / "values", dtype=float, mode="c")
    np.testing.assert_array_equal(daad.grad(weigh)(copy_on_write, Y), weighed(X, Y))
    assert (tmp_path / "values").stat().st_mtime_ns == before


@fault(GROUP, "a read-only array that the program overwrites", "BadArgument")
def test_read_only_array_is_not_overwritten(writing: Any) -> None:
    x = read_only(X)
    with pytest.raises(BadArgument, match="The array 'x' is read-only, and the program overwrites it"):
        writing(x, Y)
    np.testing.assert_array_equal(x, X)
    keeping = interpreted(overwrite)
    np.testing.assert_array_equal(keeping(x, Y), overwritten(X, Y))


def square(x):
    return np.sum(x * x)


Point = namedtuple("Point", "u v")
SHAPES = [
    row(GROUP, "an array without elements", RIGHT, np.zeros((0, 3))),
    row(GROUP, "an array without axes", RIGHT, np.array(3.0)),
    row(GROUP, "a Fortran-ordered matrix", RIGHT, np.asfortranarray(np.arange(12.0).reshape(3, 4))),
    row(GROUP, "a transposed matrix", RIGHT, np.arange(12.0).reshape(3, 4).T),
    row(GROUP, "a broadcast array", RIGHT, np.broadcast_to(np.arange(3.0), (4, 3))),
    row(GROUP, "overlapping windows of an array", RIGHT, sliding_window_view(np.arange(5.0), 3)),
    row(GROUP, "single precision", RIGHT, np.arange(3, dtype=np.float32)),
    row(GROUP, "a Python float", RIGHT, 3.0),
    row(GROUP, "a NumPy scalar", RIGHT, np.float64(3.0)),
    row(GROUP, "a NumPy scalar in single precision", RIGHT, np.float32(3.0)),
    row(GROUP, "NaN and infinity", RIGHT, np.array([np.nan, np.inf, -np.inf])),
]


@pytest.mark.filterwarnings("ignore:The output does not depend")
@pytest.mark.parametrize("x", SHAPES)
def test_argument_of_any_shape(x: Any) -> None:
    gradient = interpreted(square)
    for _ in range(2):
        found = gradient(x)
        np.testing.assert_array_equal(found, 2.0 * np.asarray(x))
        assert np.shape(found) == np.shape(x)
        assert found.dtype == np.asarray(x).dtype


def nested(p):
    return np.sum(p["u"] * 2.0) + np.sum(p["v"][0] * p["v"][1])


@fault(GROUP, "dicts and tuples of arrays and numbers", "gradients in the same structure")
def test_nested_arguments() -> None:
    found = interpreted(nested)({"u": X, "v": (Y, 3.0)})
    np.testing.assert_array_equal(found["u"], np.full(5, 2.0))
    np.testing.assert_array_equal(found["v"][0], np.full(5, 3.0))
    assert found["v"][1] == np.sum(Y)


class Other(np.ndarray):
    """An array that may compute otherwise."""


REFUSED = [
    row(GROUP, "a masked array", "Unsupported", np.ma.array(X, mask=X > 2), Unsupported, r"'numpy\.MaskedArray'"),
    row(GROUP, "a matrix", "Unsupported", X[None].view(np.matrix), Unsupported, r"'numpy\.matrix'"),
    row(GROUP, "an array of a subclass", "Unsupported", X.view(Other), Unsupported, "a subclass of NumPy's array"),
    row(GROUP, "a list of numbers for an array", "Unsupported", [1.0, 2.0], Unsupported, "fails"),
    row(GROUP, "half precision", "Unsupported", np.ones(3, np.float16), Unsupported, "dtype 'float16'"),
    row(GROUP, "extended precision", "Unsupported", np.ones(3, np.longdouble), Unsupported, "not supported"),
    row(GROUP, "complex numbers of 256 bits", "Unsupported", np.ones(3, np.clongdouble), Unsupported, "complex256"),
    row(GROUP, "integers", "NotDifferentiable", np.arange(3), NotDifferentiable, "an array of int64"),
    row(GROUP, "Python objects", "NotDifferentiable", np.ones(3, object), NotDifferentiable, "an array of object"),
    row(GROUP, "records", "NotDifferentiable", np.ones(3, [("a", float)]), NotDifferentiable, "an array of"),
    row(GROUP, "texts", "NotDifferentiable", np.array(["a"]), NotDifferentiable, "an array of <U1"),
    row(GROUP, "an iterator", "NotDifferentiable", iter(X), NotDifferentiable, "of type"),
    row(GROUP, "a set", "NotDifferentiable", {1.0}, NotDifferentiable, "of type 'set'"),
    row(GROUP, "nothing", "NotDifferentiable", None, NotDifferentiable, "of type 'NoneType'"),
]


@pytest.mark.parametrize(("x", "error", "sentence"), REFUSED)
def test_refused_argument(x: Any, error: type[DaadError], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        interpreted(square)(x)


OTHERS = [
    row(
        GROUP, "half precision beside the floats", "Unsupported", np.ones(3, np.float16), "an array of dtype 'float16'"
    ),
    row(GROUP, "extended precision beside them", "Unsupported", np.ones(3, np.longdouble), "an array of dtype"),
    row(GROUP, "complex numbers of 256 bits beside them", "Unsupported", np.ones(3, np.clongdouble), "'complex256'"),
    row(GROUP, "Python objects beside them", "Unsupported", np.ones(3, object), "an array of dtype 'object'"),
    row(GROUP, "records beside them", "Unsupported", np.ones(3, [("a", float)]), "an array of dtype"),
    row(GROUP, "dates beside them", "Unsupported", np.ones(3, "M8[D]"), r"an array of dtype 'datetime64\[D\]'"),
    row(GROUP, "texts beside them", "Unsupported", np.array(["a"] * 3), "an array of dtype '<U1'"),
    row(
        GROUP, "texts of any length beside them", "Unsupported", np.array(["a"], "T"), "an array of dtype 'StringDType"
    ),
    row(GROUP, "a number in half precision", "Unsupported", np.float16(1.5), "a number of dtype 'float16'"),
    row(GROUP, "a number in extended precision", "Unsupported", np.longdouble(1.5), "a number of dtype"),
    row(GROUP, "a duration", "Unsupported", np.timedelta64(3, "s"), r"dtype 'timedelta64\[s\]'"),
]


@pytest.mark.parametrize(("y", "sentence"), OTHERS)
def test_refused_argument_without_gradient(y: Any, sentence: str) -> None:
    with pytest.raises(Unsupported, match=sentence):
        interpreted(weigh)(np.ones(3), y)


BASE = np.arange(1.0, 11.0)
APART = [
    row(GROUP, "two halves of an array, one overwritten", RIGHT, lambda b: (b[:5], b[5:])),
    row(GROUP, "interleaved views, one overwritten", RIGHT, lambda b: (b[::2], b[1::2])),
    row(GROUP, "columns of a matrix, one overwritten", RIGHT, lambda b: tuple(b.reshape(5, 2).T)),
]
SHARED = [
    row(GROUP, "one array twice, overwritten", "BadArgument", lambda b: (b[:5], b[:5])),
    row(GROUP, "shifted views, one overwritten", "BadArgument", lambda b: (b[:5], b[2:7])),
    row(GROUP, "one strided view twice, overwritten", "BadArgument", lambda b: (b[::2], b[::2])),
    row(GROUP, "strided views that meet, one overwritten", "BadArgument", lambda b: (b[0:9:2], b[2:7])),
    row(GROUP, "an array and its reverse, overwritten", "BadArgument", lambda b: (b[:5], b[4::-1])),
]


def known(**options: Any) -> Any:
    """A gradient that has seen the dtypes and shapes before, with arguments that are apart."""
    gradient = interpreted(overwrite, **options)
    for _ in range(3):
        gradient(X.copy(), Y)
    return gradient


PRIMAL: dict[str, Any] = {"on_inputs": "primal"}
CALLED = [interpreted(overwrite), known(), interpreted(overwrite, **PRIMAL), known(**PRIMAL)]
CALLED_IDS = ["first call", "later call", "first call that writes", "later call that writes"]


@pytest.mark.parametrize("views", APART)
@pytest.mark.parametrize("gradient", CALLED, ids=CALLED_IDS)
def test_views_that_are_apart(views: Callable[[np.ndarray], Any], gradient: Any) -> None:
    x, y = views(BASE.copy())
    keeps = gradient._asked.request.on_inputs == "keep"
    right, after = overwritten(x, y), x.copy() if keeps else left_behind(x, y)
    np.testing.assert_array_equal(gradient(x, y), right)
    np.testing.assert_array_equal(x, after)


@pytest.mark.parametrize("views", SHARED)
@pytest.mark.parametrize("gradient", CALLED, ids=CALLED_IDS)
def test_views_that_share_memory(views: Callable[[np.ndarray], Any], gradient: Any) -> None:
    with pytest.raises(BadArgument, match="'x' and 'y' share memory, and the program overwrites 'x'"):
        gradient(*views(BASE.copy()))
    reading = interpreted(weigh, wrt=("x", "y"))
    x, y = views(BASE)
    found = reading(x, y)
    np.testing.assert_array_equal(found[0], weighed(x, y))
    np.testing.assert_array_equal(found[1], x * x)


@fault(GROUP, "an array with all elements in one place, overwritten", "BadArgument")
def test_elements_in_one_place() -> None:
    with pytest.raises(BadArgument, match="'x' has several elements in one place"):
        known()(as_strided(np.ones(1), (5,), (0,)), Y)
    with pytest.raises(BadArgument, match="'x' has several elements in one place"):
        known(**PRIMAL)(as_strided(np.ones(1), (5,), (0,)), Y)


def both(x, y):
    return np.sum(x + y)


def itself(x):
    return x


@fault(GROUP, "a caller who writes into what he got", "results share memory with nothing")
def test_results_are_the_callers_own() -> None:
    dx, dy = interpreted(both, wrt=("x", "y"))(X, Y)
    assert not np.shares_memory(dx, dy)
    seed = np.ones(5)
    value, gradient = interpreted(itself, seed=seed, value=True)(X)
    assert not any(np.shares_memory(one, other) for one in (value, gradient) for other in (X, seed))
    assert not np.shares_memory(value, gradient)


def scaled(x, n):
    return x * n


@pytest.mark.parametrize(
    "n",
    [
        row(GROUP, f"the integer {name}", "BadArgument", value)
        for name, value in {"2**63": 2**63, "-2**63 - 1": -(2**63) - 1, "2**64 + 5": 2**64 + 5}.items()
    ],
)
def test_integer_beyond_64_bits(n: int) -> None:
    gradient = daad.grad(scaled)
    assert gradient(2.0, 3) == 3.0
    assert gradient(2.0, -(2**63)) == -(2.0**63)
    with pytest.raises(BadArgument, match=f"The integer {n} does not fit in 64 bits"):
        gradient(2.0, n)


def with_options(x, a=1.0, b=2.0):
    return np.sum(x) * a * a * b


def truth(x, flag=True):
    return np.sum(x) if flag else np.sum(x * x)


def first_of(p, q=2.0):
    return np.sum(p[0] * q)


def applied(x, function):
    return np.sum(function(x))


def times(factor):
    def product(v):
        return v * factor

    return product


Call = tuple[tuple[Any, ...], dict[str, Any], Any]
SEQUENCES: list[Any] = [
    row(
        GROUP,
        "a keyword argument, then another by position",
        "each call its own answer",
        with_options,
        [((X,), {"b": 3.0}, 3.0), ((X, 3.0), {}, 18.0), ((X,), {}, 2.0), ((X,), {"a": 3.0}, 18.0)],
    ),
    row(GROUP, "an empty list, then nothing", "each call its own answer", truth, [((Y, []), {}, 2 * Y), ((Y,), {}, 1)]),
]


@pytest.mark.parametrize(("function", "sequence"), SEQUENCES)
def test_calls_do_not_answer_for_each_other(function: Any, sequence: list[Call]) -> None:
    gradient = interpreted(function)
    for args, keywords, right in sequence:
        np.testing.assert_array_equal(gradient(*args, **keywords), np.broadcast_to(right, 5))


@fault(GROUP, "functions that come and go, one in the place of another", "each call its own answer")
def test_identity_is_not_inherited() -> None:
    gradient = interpreted(applied)
    for factor in (2.0, 3.0, 4.0, 5.0, 6.0):
        np.testing.assert_array_equal(gradient(X, times(factor)), np.full(5, factor))


@fault(GROUP, "two lists, then two arrays", "each call its own answer")
def test_structure_matters() -> None:
    gradient = interpreted(first_of)
    with pytest.warns(UserWarning, match=r"does not depend on 'p\[1\]'"):
        assert isinstance(gradient([X, Y]), list)
    with pytest.warns(UserWarning, match=r"does not depend on 'p\[1\]'"):
        assert isinstance(gradient((X, Y)), tuple)
    assert isinstance(gradient(X, Y), np.ndarray)


def of_similar_names(x, x_a):
    return np.sum(x["a_b"] * x["a"]["b"] * x_a["b"])


@fault(GROUP, "a key that reads like another argument's name", "each its own gradient")
def test_names_that_clash() -> None:
    found, other = interpreted(of_similar_names, wrt=("x", "x_a"))({"a_b": X, "a": {"b": Y}}, {"b": X})
    np.testing.assert_array_equal(found["a_b"], Y * X)
    np.testing.assert_array_equal(found["a"]["b"], X * X)
    np.testing.assert_array_equal(other["b"], X * Y)


@dataclass
class Pair:
    first: np.ndarray
    second: float


def of_pair(pair):
    return np.sum(pair.first) * pair.second


@fault(GROUP, "a dataclass of an array and a number", "a dataclass of gradients")
def test_dataclass() -> None:
    found = interpreted(of_pair)(Pair(X, 2.0))
    np.testing.assert_array_equal(found.first, np.full(5, 2.0))
    assert found.second == np.sum(X)
