"""Where elements lie along an axis, and which points have them, against enumeration."""

from __future__ import annotations

import pytest

from daad.analysis.subscripts import Subscript, is_injective, subscript, subscripts, told
from daad.ir.affine import Affine
from daad.ir.nodes import Range

I, J, N = (Affine.of(name) for name in "ijn")


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (I + 2, Subscript("i", 1, Affine(2))),
        (N - I, Subscript("i", -1, N)),
        (N + 1, Subscript(None, 0, N + 1)),
        (I * 2, None),
        (I + J, None),
    ],
)
def test_one_variable_counts_by_ones(index: Affine, expected: Subscript | None) -> None:
    assert subscript(index, {"i", "j"}) == expected


def test_no_variable_counts_along_two_axes() -> None:
    assert subscripts((I, J), "ij") is not None
    assert subscripts((I, I + 1), "ij") is None
    assert subscripts((I, I * 2), "ij") is None


@pytest.mark.parametrize("index", [I + 2, -I + 7, Affine(3)], ids=str)
def test_points_and_elements_belong_to_each_other(index: Affine) -> None:
    ranges = {"i": Range("i", Affine(1), Affine(6))}
    found = subscript(index, ranges)
    assert found is not None
    places = {i: index.substitute({"i": Affine(i)}).const for i in range(1, 6)}
    low, high = found.side(ranges)
    assert {*places.values()} == {*range(low.const, high.const)}
    if found.var is not None:
        assert all(found.value_at(Affine(place)) == Affine(i) for i, place in places.items())
        first, behind = found.values_within(Affine(3), Affine(5))
        assert {i for i, place in places.items() if 3 <= place < 5} == {*range(first.const, behind.const)}


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ((I, J), "ij"),
        ((I * 4 + J,), "ij"),
        ((I * 3 + J,), ""),
        ((I + J, I), "ij"),
        ((I + J, I - J), ""),
        ((I, N), "i"),
    ],
    ids=str,
)
def test_values_that_an_index_tells(index: tuple[Affine, ...], expected: str) -> None:
    most = {"i": 5, "j": 4}
    assert told(index, most) == {*expected}
    domain = tuple(Range(name, Affine(0), Affine(size)) for name, size in most.items())
    points = [(i, j) for i in range(5) for j in range(4)]
    places = {tuple(form.substitute({"i": Affine(i), "j": Affine(j)}) for form in index) for i, j in points}
    assert is_injective(index, domain) <= (len(places) == len(points))
