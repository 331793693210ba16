"""Programs that the Python frontend refuses: error, sentence, and the text of the user's line that it points at."""

# ruff: noqa: F821, F841, RET503, RUF034 (programs with mistakes)
from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from daad.errors import BadArgument, Unsupported
from tests.corpus.case import normal

TABLE = np.arange(6.0)
REVERSED = TABLE[::-1]


@dataclass(frozen=True)
class Key:
    """A number that is looked up."""

    a: float


class Place:
    """Looked up by what its class says."""

    def __init__(self, a: float) -> None:
        self.a = a

    def __hash__(self) -> int:
        return hash(self.a)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.a == other.a


class Shown:
    """Has a text of its own."""

    def __init__(self, a: np.ndarray) -> None:
        self.a = a

    def __str__(self) -> str:
        return f"a {self.a}"


@dataclass
class Pair:
    """Two numbers."""

    a: float
    b: float


class Thing:
    """An object of an unknown kind."""

    value = 1.0


def recursion(x, n):
    if x[0] > n:
        return x[0]
    return recursion(x * 2, n) * 2


def nested_recursion(x):
    def power(k):
        return x[0] if k == 0 else power(k - 1) * x[0]

    return power(60)


def squares_twice(x):
    squares = (v * v for v in x)
    return sum(squares) + sum(squares)


def left_before_its_last_words(x):
    def items(u):
        try:
            for v in u:
                yield v * 2.0
        finally:
            u[0] *= 0.9

    total = 0.0
    for item in items(x):
        total += item
        break
    return total * x[0]


def pairs_in_a_loop(x):
    s = 0.0
    pairs = zip(x, x * x, strict=False)
    for _ in range(2):
        for a, b in pairs:
            s += a * b
    return s


def taken_on_one_side(x):
    items = iter([x[0], x[1]])
    s = next(items) if x[2] > 0 else 0.0
    return s + next(items)


def slot_written_on_one_side(x):
    state = {"s": x[0]}

    def double():
        state["s"] = state["s"] * 2.0
        return True

    if x[1] > 0 and double():
        return state["s"]
    return -state["s"]


def appended_on_one_side(x):
    seen = []
    s = x[0] if x[1] > 0 else (seen.append(x[2]) or 0.0)
    return s + len(seen)


def named_on_one_side(x):
    y = 0.0
    s = (y := x[0]) if x[1] > 0 else 1.0
    return s + y


def dicts_compared(x):
    return x[0] if {1j: x[0]} == {1j: x[1]} else x[1]


def objects_as_keys(x):
    return {Key(x[0]): x[1]}[Key(x[0] * 1.0)]


def keys_of_two(x):
    first, second = {Place(1): x[0]}, {Place(1): x[1]}
    return sum((first | second).values())


def keys_updated(x):
    first = {Place(1): x[0]}
    first.update({Place(1): x[1]})
    return sum(first.values())


def found_by_text_of_objects(x):
    totals = {str(Shown(x[:1] * 1.0)): x[0]}
    totals[str(Shown(x[:1] * 2.0))] = x[1]
    return sum(totals.values()) * len(totals)


def length_of_text_of_objects(x):
    return x[0] * len(f"{[Pair(x[0], Shown(x))]}")


def hash_of_a_frozenset(x):
    return hash(frozenset([Place(x[0])])) * x[0]


def hash_of_a_tuple(x):
    return hash((Place(x[0]), 1)) * x[0]


def counted_in_a_list(x):
    return [x[0], x[1], x[0]].count(x[0]) * x[2]


def is_a_view_or_the_array(x):
    y = x[:]
    return x[0] if y is x else x[1]


KNOWN = np.array([1.0, 2.0])


def is_a_copy_or_the_array(x):
    return x[0] if KNOWN.astype(float, copy=False) is KNOWN else x[1]


def is_one_number(x):
    y = float(x[0]) * 2.0
    return x[0] if y is float(x[1]) else x[1]


BY_PYTHON = "Python itself compares objects here whose class says how they are compared."
SIDE = "A side of a conditional expression changes a variable, and data decide whether it runs."


def taken_in_a_branch(x):
    items, s = iter([x[0], x[1]]), 0.0
    if x[3] > 0:
        s += next(items)
    return s + next(items)


def iterated_further_after_data_break(x):
    items = iter(x)
    for v in items:
        if v > 3.0:
            break
    return sum(items) * v


GONE = "The items of this iterator may be gone: a loop, a branch or a call has read it before."


def while_loop_that_may_return_or_go_on(x):
    s = 0.0
    while s < 1:
        s += x[0]
    else:
        return s
    return s * s


def view_that_data_choose_is_written(x):
    for part in (x[:3], x[3:]):
        if part[0] > 0:
            break
    part[1] = 2.0
    return np.sum(x)


def list_until(x):
    errors = []
    for i in range(6):
        errors.append(x[i])
        if x[i] > 0:
            break
    return errors[-1]


def return_on_one_side(x):
    if x[0] > 0:
        return x[0]


def unknown_function(x):
    return np.packbits(x > 0)


def unknown_method(x):
    return x.newbyteorder()


def opened(x):
    file = open("data.txt", "rb")  # noqa: SIM115
    return np.sum(x)


def opened_by_with(x):
    with open("data.txt", "w+") as file:
        pass
    return np.sum(x)


def read_before_it_is_written(x):
    for _ in range(3):
        x = x * len(np.fromfile(__file__, np.uint8))
        np.savetxt(__file__, x)
    return np.sum(x)


def asked_for_when_it_is_written(x):
    with open("data.txt", "a") as file:
        file.write("a")
    return np.sum(x) if os.path.exists("data.txt") else x[0]


def written_under_any_name(x):
    np.save(f"data {x[0]}", x)
    return np.sum(x * np.load("data.npy"))


def tried(x):
    try:
        s = x[0]
    except* ValueError:
        s = 0.0
    return s


def item_that_data_take(x):
    def items():
        yield x[0]
        yield x[1]

    left = items()
    if x[2] > 0.0:
        next(left)
    return next(left)


TOO_LONG = "A comprehension over an array of 6000 items has to be written out, and that is too long."


def comprehension_over_an_array(x):
    return max([v * v for v in np.tile(x, 1000)])


def used_too_early(x):
    s = late * 2
    late = x[0]
    return s * late


def undefined(x):
    return missing(x)


def assertion_that_fails(x):
    assert x.shape == (3,)
    return x[0]


def raised(x):
    if len(x) > 3:
        raise ValueError("too long")
    return x


def class_that_cannot_be_made(x):
    class Both(int, str):
        pass

    return x[0]


def asynchronous(x):
    async def inner():
        pass

    return x[0]


def complex_numbers(x):
    return np.median(x * 1j)


def first_element(x):
    return x[0]


def slice_from_data(x):
    return np.sum(x[: int(x[0])])


def size_from_data(x):
    n = int(x[0])
    return np.zeros(n)


def array_as_long_as_a_selection(x):
    return np.zeros(len(x[x > 0]))


def element_of_a_selection(x):
    return x[x > 0][-1]


def mask_that_changes_in_a_loop(x):
    mask = np.zeros(6, dtype=bool)
    total = 0.0
    for k in range(4):
        total = total + np.sum(x[mask])
        mask[k] = True
    return total + np.sum(x[mask][:2])


def mask_that_turns_round(x):
    even = np.arange(6) % 2 == 0
    total = 0.0
    for _ in range(3):
        total = total + np.sum(x[even][:2] * np.array([1.0, 2.0]))
        even = ~even
    return total


def mask_of_a_branch(x):
    mask = np.zeros(6, dtype=bool)
    if x[0] > 0.1:
        mask[1] = True
    return np.sum(x[mask][:2])


def mask_written_by_data(x):
    mask = np.zeros(6, dtype=bool)
    mask[x > 0.5] = True
    mask[0] = True
    return np.sum(x[mask][:1])


def random_numbers_in_a_branch(x):
    random = np.random.default_rng(0)
    if x[0] > 0:
        x = x * random.normal()
    return x


def random_bits_without_a_seed(x):
    return x * np.random.Generator(np.random.PCG64()).normal(size=6)


def random_covariances_that_are_checked(x):
    return np.random.multivariate_normal(x, np.outer(x, x), check_valid="raise")


def random_counts_of_data(x):
    return x * np.random.poisson(x[0])


def state_of_a_generator(x):
    return x * np.random.get_state()[2]


def object_in_arithmetic(x, thing):
    return x * thing


def attribute_assigned(x):
    math.value = x[0]
    return x


def ambiguous_truth(x):
    return x[0] if x > 0 else x[1]


def shapes_do_not_fit(x):
    return x[1:] + x


def index_out_of_bounds(x):
    return x[7]


def list_grows_on_data(x):
    values = []
    for i in range(6):
        if x[i] > 0:
            values.append(x[i])
    return values[0]


def array_of_a_polynomial_written(x):
    polynomial = np.poly1d([1.0, 2.0, 3.0])
    polynomial.coeffs[1] = x[0]
    return polynomial(x[1])


RECORDS = np.array([(1.0, 2), (3.0, 4)], dtype=[("weight", float), ("count", int)])


def field_of_records_written(x):
    RECORDS["weight"][0] = x[0]
    return np.sum(RECORDS["weight"] * x[:2])


def records_of_records(x):
    nested = np.array([(1.0, (2, 3)), (3.0, (4, 5))], dtype=[("weight", float), ("count", [("a", int), ("b", int)])])
    return np.sum(nested["weight"] * x[:2])


def array_written_under_two_names(x):
    TABLE[0] = x[0]
    return x * REVERSED


def text_of_a_number(x):
    return x if f"{x[0]}" == "1" else x


def key_is_missing(x):
    return {"a": x}["b"]


def windows_written(x):
    windows = np.lib.stride_tricks.as_strided(x, (len(x) - 1, 2), (8, 8))
    windows[:] = np.sin(windows)
    return np.sum(x)


def too_long_to_unroll(x):
    values = [x]
    for _ in range(20000):
        values.insert(0, values[0] * 2)
    return values[0]


def shared_arguments(x, y):
    x[:] = y * 2
    return np.sum(x)


def nothing_returned(x):
    x + 1


def math_of_an_array(x):
    return math.sin(x)


def number_or_none(x):
    scale = x[0] or None
    return x[1] if scale is None else x[2] * scale


def element_deleted(x):
    del x[0]
    return x


def one_of_two_shapes(x):
    y = x
    if x[0] > 0:
        y = x[:3]
    return np.sum(y)


def reshape_of_transposed_result(x):
    b = np.sin(np.reshape(x, (2, 3)).T)
    v = b.ravel()
    b[0] = 0.0
    return np.sum(v * b[0, 0])


def one_of_two_arrays_written(x, y):
    z = x
    if x[0] > 0:
        z = y
    z[0] = 1.0
    return np.sum(x * y)


def chosen_array_without_axes(x, c):
    d = c if c > 0.2 else c
    d += x[0]
    return c * x[1]


def one_of_two_arrays_without_axes(x, c):
    z = c if x[0] > 0 else np.array(x[1])
    c *= 2.0
    return z


def exchanged_under_a_condition(x, y):
    for i in range(6):
        if x[i] > 0:
            x, y = y, x
        x[i] += y[i]
    return np.sum(x)


@dataclass(frozen=True)
class Row:
    """One refusal; `mark` stands in the line that the error shows."""

    function: Callable[..., Any]
    message: str
    mark: str
    arguments: Callable[[], tuple[Any, ...]] = lambda: (normal(1, 6),)
    error: type[Exception] = Unsupported
    of: Any = None

    @property
    def name(self) -> str:
        return self.function.__name__ + ("" if self.of is None else f"-of-{self.of}")


def _twice() -> tuple[Any, ...]:
    x = normal(1, 6)
    return x, x


def _two() -> tuple[Any, ...]:
    return normal(1, 6), normal(2, 6)


def read_after_it_is_overwritten(x):
    x[::2] = x[:3]
    return x[0]


def overwritten_in_another_row(x):
    x[:, 3] = x[1]
    return x[0, 0]


def overwritten_by_copyto(x):
    np.copyto(x[4::-2], x[2::-1])
    return x[0]


OVERWRITTEN = "NumPy may read elements here that this assignment has overwritten, for both parts are of one array."
TOO = "This fails without daad, too: "
ALIAS = "A name that may stand for one of several arrays is written in place."
ROWS = (
    Row(
        recursion,
        "A recursion goes deeper than 50 calls, or data decide where it ends.",
        "recursion(x * 2, n)",
        lambda: (normal(1, 6), 3),
    ),
    Row(nested_recursion, "A recursion goes deeper than 50 calls, or data decide where it ends.", "power(k - 1)"),
    Row(
        while_loop_that_may_return_or_go_on, "A 'while' loop with a jump in its 'else' is not supported.", "while s < 1"
    ),
    Row(view_that_data_choose_is_written, ALIAS, "part[1] = 2.0"),
    Row(read_after_it_is_overwritten, OVERWRITTEN, "x[::2] = x[:3]"),
    Row(overwritten_in_another_row, OVERWRITTEN, "x[:, 3] = x[1]", lambda: (normal(1, 5, 5),)),
    Row(overwritten_by_copyto, OVERWRITTEN, "np.copyto"),
    Row(list_until, "A list or dict changes its length in a branch on data.", "for i in range(6)"),
    Row(return_on_one_side, "A 'return' on one side of a branch only cannot be differentiated.", "if x[0] > 0"),
    Row(unknown_function, "'np.packbits' is not supported.", "np.packbits"),
    Row(unknown_method, "An array has no attribute 'newbyteorder'.", "x.newbyteorder"),
    Row(opened, "A file is opened to read bytes, or to read and write it.", "open("),
    Row(opened_by_with, "A file is opened to read bytes, or to read and write it.", "open("),
    Row(read_before_it_is_written, "A file is read that the program writes.", "np.savetxt("),
    Row(asked_for_when_it_is_written, "A file is read that the program writes.", "os.path.exists("),
    Row(written_under_any_name, "A file is read that the program writes.", "np.load("),
    Row(tried, "An 'except*' cannot be differentiated.", "try:"),
    Row(
        item_that_data_take,
        "Data decide whether an item of this generator is taken, or it is taken in another loop.",
        "next(left)",
    ),
    Row(comprehension_over_an_array, TOO_LONG, "for v in np.tile"),
    Row(used_too_early, "A value is used before it exists.", "late * 2"),
    Row(undefined, "The name 'missing' is not defined.", "missing(x)"),
    Row(assertion_that_fails, "An assertion of the program fails.", "assert x.shape"),
    Row(raised, "The program raises 'ValueError' here: too long.", "raise ValueError"),
    Row(
        class_that_cannot_be_made,
        "This class cannot be made: TypeError: multiple bases have instance lay-out conflict.",
        "class Both",
    ),
    Row(asynchronous, "An 'async' function cannot be differentiated.", "async def"),
    Row(complex_numbers, "'np.median' of complex numbers is not supported.", "np.median(x * 1j)"),
    Row(
        first_element,
        "The argument 'x' is an array of dtype 'complex256', which is not supported.",
        "def first_element",
        lambda: (normal(1, 6).astype(np.clongdouble),),
    ),
    Row(
        first_element,
        "The argument 'x' is an array of dtype 'object', which is not supported.",
        "def first_element",
        lambda: (np.array([1.0, "a"], dtype=object),),
    ),
    Row(slice_from_data, "The bounds of a slice depend on data, so its shape does.", "x[: int(x[0])]"),
    Row(size_from_data, "The shape of an array depends on data.", "np.zeros(n)"),
    Row(
        array_as_long_as_a_selection,
        "The number of elements that a boolean mask selects depends on data.",
        "np.zeros(len(x[x > 0]))",
    ),
    Row(
        element_of_a_selection,
        "The number of elements that a boolean mask selects depends on data.",
        "x[x > 0][-1]",
    ),
    *(
        Row(program, "The number of elements that a boolean mask selects depends on data.", text)
        for program, text in (
            (mask_that_changes_in_a_loop, "x[mask][:2]"),
            (mask_that_turns_round, "x[even][:2]"),
            (mask_of_a_branch, "x[mask][:2]"),
            (mask_written_by_data, "x[mask][:1]"),
        )
    ),
    Row(random_numbers_in_a_branch, "Random numbers are drawn.", "random.normal()"),
    Row(random_bits_without_a_seed, "Random numbers are drawn.", "np.random.PCG64()"),
    Row(
        random_covariances_that_are_checked,
        "The parameters of random numbers depend on data.",
        'np.random.multivariate_normal(x, np.outer(x, x), check_valid="raise")',
    ),
    Row(random_counts_of_data, "The parameters of random numbers depend on data.", "np.random.poisson(x[0])"),
    Row(state_of_a_generator, "'np.random.get_state' is not supported.", "np.random.get_state()"),
    Row(
        object_in_arithmetic,
        "A value of type 'Thing' stands where an array is expected.",
        "x * thing",
        lambda: (normal(1, 6), Thing()),
    ),
    Row(attribute_assigned, "An attribute of an object is assigned.", "math.value"),
    Row(ambiguous_truth, "The truth value of an array with more than one element is ambiguous.", "if x > 0"),
    Row(shapes_do_not_fit, f"{TOO}operands could not be broadcast together with shapes (5,) (6,).", "x[1:] + x"),
    Row(index_out_of_bounds, f"{TOO}index 7 is out of bounds for axis 0 with size 6.", "x[7]"),
    Row(list_grows_on_data, "A list or dict changes its length in a branch on data.", "if x[i] > 0"),
    Row(
        array_written_under_two_names,
        "An array from outside the function is written, and looked at in another way.",
        "def array_written_under_two_names",
    ),
    Row(
        array_of_a_polynomial_written,
        "An array is written that belongs to an object which code that is not read has made.",
        "polynomial.coeffs[1]",
    ),
    Row(
        field_of_records_written,
        "An array is written that belongs to an object which code that is not read has made.",
        'RECORDS["weight"][0]',
    ),
    Row(
        records_of_records,
        "Arrays of dtype '[('weight', '<f8'), ('count', [('a', '<i8'), ('b', '<i8')])]' are not supported.",
        "np.array([(1.0, (2, 3)), (3.0, (4, 5))]",
    ),
    Row(text_of_a_number, "A run-time value is turned into text.", "x[0]"),
    Row(windows_written, "Elements of the array that is written share memory with each other.", "windows[:]"),
    Row(key_is_missing, "This subscript fails: KeyError: 'b'.", '{"a": x}["b"]'),
    Row(
        too_long_to_unroll,
        "This loop has to be written out iteration by iteration, and that is too long.",
        "for _ in range(20000)",
    ),
    Row(
        shared_arguments,
        "The arguments 'x' and 'y' share memory, and the program overwrites 'x'.",
        "def shared_arguments",
        _twice,
        BadArgument,
    ),
    Row(nothing_returned, "The function returns nothing to differentiate.", "def nothing_returned", error=BadArgument),
    Row(
        first_element,
        "'first_element' has no variable 'zzz' at its end.",
        "def first_element",
        error=BadArgument,
        of="zzz",
    ),
    Row(first_element, "The function returns no array at position 3.", "def first", error=BadArgument, of=3),
    Row(math_of_an_array, f"{TOO}only 0-dimensional arrays can be converted to Python scalars.", "math.sin(x)"),
    Row(number_or_none, "'and' or 'or' gives a number or something else, depending on data.", "x[0] or None"),
    *(
        Row(f, GONE, line)
        for f, line in (
            (squares_twice, "return sum(squares)"),
            (pairs_in_a_loop, "in pairs"),
            (taken_in_a_branch, "s + next"),
            (iterated_further_after_data_break, "sum(items)"),
        )
    ),
    Row(taken_on_one_side, SIDE, "next(items) if"),
    Row(slot_written_on_one_side, SIDE, "double():"),
    Row(appended_on_one_side, SIDE, "seen.append"),
    Row(named_on_one_side, SIDE, "(y := x[0])"),
    Row(dicts_compared, "Containers are compared whose items depend on data.", "=="),
    Row(objects_as_keys, "The key of a list or dict depends on data.", "{Key(x[0]): x[1]}"),
    Row(keys_of_two, BY_PYTHON, "first |"),
    Row(keys_updated, BY_PYTHON, "first.u"),
    Row(found_by_text_of_objects, "A run-time value is turned into text.", "self.a"),
    Row(length_of_text_of_objects, "A run-time value is turned into text.", 'f"'),
    Row(hash_of_a_frozenset, "A frozenset of objects whose class says how they are compared.", "frozenset("),
    Row(hash_of_a_tuple, BY_PYTHON, "hash("),
    Row(counted_in_a_list, "'[x[0], x[1], x[0]].count' compares items that depend on data.", "count("),
    Row(is_one_number, "'is' compares numbers that may be one object or two.", "y is float(x[1])"),
    Row(is_a_view_or_the_array, "'is' compares what may be one array or two.", "y is x"),
    Row(is_a_copy_or_the_array, "'is' compares what may be one array or two.", "copy=False) is KNOWN"),
    Row(element_deleted, "An element of an array is deleted.", "del x[0]"),
    Row(one_of_two_shapes, "A name stands for values of different shapes or kinds, depending on data.", "np.sum(y)"),
    Row(
        reshape_of_transposed_result,
        "An array is written in place which may or may not share its memory with a reshaped one.",
        "b[0] = 0.0",
    ),
    Row(one_of_two_arrays_written, ALIAS, "z[0] = 1.0", _two),
    Row(
        left_before_its_last_words,
        "A generator is left before its end, and what its 'finally' or 'with' does then is not read.",
        "try:",
        lambda: (normal(1, 6),),
    ),
    Row(one_of_two_arrays_without_axes, ALIAS, "c *= 2.0", lambda: (normal(1, 6), np.array(0.5))),
    Row(chosen_array_without_axes, ALIAS, "d += x[0]", lambda: (normal(1, 6), np.array(0.5))),
    Row(exchanged_under_a_condition, ALIAS, "x[i] += y[i]", _two),
)
