"""What is known at a place of a tree, against the values that variables take there."""

import pytest

from daad.analysis.context import Scope
from daad.ir.affine import Affine
from daad.ir.nodes import IndexValue, Loop, Op

I, J = Affine.of("i"), Affine.of("j")


def smaller(a, b):
    return Op("minimum", (IndexValue(a), IndexValue(b)), "int64")


def narrow(form):
    return Op("cast", (Op("cast", (IndexValue(form),), "int8"),), "int64")


def loops(*rows):
    return [Loop(var, start, stop, step, ()) for var, start, stop, step in rows]


NESTS = {
    "upwards": loops(("i", Affine(2), Affine(9), 1), ("j", I, Affine(10), 1)),
    "downwards": loops(("i", Affine(9), Affine(2), -1), ("j", I - 1, Affine(-1), -1)),
    "the last block is shorter": loops(("i", Affine(0), Affine(4), 1), ("j", I * 3, smaller(I * 3 + 3, Affine(10)), 1)),
    "an end that wraps around": loops(("i", Affine(100), Affine(140), 1), ("j", Affine(-130), narrow(I), 1)),
}


def points(nest, values=None):
    """Every assignment of the variables, by running the loops."""
    values = values or {}
    if not nest:
        yield values
        return
    start, stop = (value(end, values) for end in (nest[0].start, nest[0].stop))
    for i in range(start, stop, nest[0].step):
        yield from points(nest[1:], {**values, nest[0].var: i})


def value(index, values):
    if isinstance(index, Affine):
        return index.evaluate(values)
    if isinstance(index, IndexValue):
        return index.form.evaluate(values)
    parts = [value(arg, values) for arg in index.args]
    if index.name == "minimum":
        return min(parts)
    return (parts[0] + 128) % 256 - 128 if index.dtype == "int8" else parts[0]


def inside(nest):
    scope = Scope()
    for loop in nest:
        scope = scope.enter(loop)
    return scope


@pytest.mark.parametrize("nest", NESTS.values(), ids=NESTS)
def test_ranges_and_forms_hold_at_every_point(nest):
    scope, found = inside(nest), list(points(nest))
    assert found
    for form in (I, J, J - I, I - J, 9 - J, 3 * I - J):
        values = [form.evaluate(point) for point in found]
        bounds = scope.range(form)
        assert bounds is None or bounds[0] <= min(values) <= max(values) <= bounds[1]
        assert not scope.proves(form) or min(values) >= 0


def test_the_end_of_a_block_is_known_by_the_block_and_by_the_whole():
    scope = inside(NESTS["the last block is shorter"])
    assert scope.proves(9 - J) and scope.proves(I * 3 + 2 - J)
    assert not scope.proves(8 - J) and not scope.proves(I * 3 + 1 - J)
    assert scope.range(J) == (0, 9)


def test_a_loop_without_iterations_has_its_first_value():
    assert inside(loops(("i", Affine(5), Affine(3), 1))).range(I) == (5, 5)
