"""Bounds of expressions hold for every value that the interpreter computes, in each dtype."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from daad.ir.affine import Affine
from daad.ir.interpreter import Evaluation
from daad.ir.intervals import index_interval
from daad.ir.nodes import Const, Expr, IndexValue, Op
from daad.ir.operations import named

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
DTYPES = (*INTEGERS, "float32", "float64")
RANGES = {"i": (-3, 5), "j": (0, 200), "k": (1, 7)}
ONE = ("negative", "invert", "absolute", "sign", "floor", "ceil", "trunc", "rint", "sqrt", "cast")
WHOLE = ("invert", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
REAL = ("divide", "sqrt")

i, j, k = (IndexValue(Affine.of(name)) for name in RANGES)


def cast(dtype: str, value: Expr) -> Expr:
    return Op("cast", (value,), dtype)


def number(value: float, dtype: str) -> Const:
    return Const(value, dtype)


KNOWN = [
    (cast("int8", j), (-128, 127)),
    (cast("uint8", i), (0, 255)),
    (cast("uint8", k), (1, 7)),
    (Op("multiply", (cast("int8", k), number(2, "int8")), "int8"), (2, 14)),
    (Op("multiply", (cast("int8", k), number(20, "int8")), "int8"), (-128, 127)),
    (Op("add", (cast("uint8", j), number(55, "uint8")), "uint8"), (55, 255)),
    (Op("add", (cast("uint8", j), number(56, "uint8")), "uint8"), (0, 255)),
    (Op("subtract", (cast("uint64", k), number(1, "uint64")), "uint64"), (0, 6)),
    (Op("subtract", (cast("uint64", k), number(2, "uint64")), "uint64"), None),
    (Op("remainder", (cast("int64", cast("uint64", i)), number(4, "int64")), "int64"), (0, 3)),
    (cast("int64", Op("multiply", (j, number(0.51, "float64")), "float64")), (0, 102)),
    (cast("int64", Op("divide", (j, k), "float64")), (0, 200)),
    (cast("int64", Op("divide", (k, j), "float64")), None),
    (Op("power", (j, number(40, "int64")), "int64"), None),
    (Op("where", (Op("less", (i, k), "bool"), i, k), "int64"), (-3, 7)),
]


@pytest.mark.parametrize(("expr", "expected"), KNOWN, ids=lambda value: str(value)[:80])
def test_bounds(expr: Expr, expected: tuple[int, int] | None) -> None:
    found = index_interval(expr, RANGES)
    assert found == expected
    assert found is None or _holds(expr, found)


@pytest.mark.parametrize("seed", range(12))
def test_bounds_hold(seed: int) -> None:
    random, found = np.random.default_rng(seed), 0
    for _ in range(150):
        expr = cast(str(random.choice(INTEGERS)), _random(random, 3))
        bounds = index_interval(expr, RANGES)
        found += bounds is not None
        assert bounds is None or _holds(expr, bounds), f"{expr} leaves {bounds}"
    assert found > 20


def _random(random: np.random.Generator, depth: int) -> Expr:
    if depth == 0 or random.random() < 0.2:
        leaf = (i, j, k, number(int(random.integers(-9, 200)), "int64"), number(2.6, "float64"))
        return leaf[random.integers(len(leaf))]
    name = str(random.choice(sorted(named(lambda row: row.interval) - {"where"})))
    dtype = str(random.choice(INTEGERS if name in WHOLE else ("float32", "float64") if name in REAL else DTYPES))
    return Op(name, tuple(_random(random, depth - 1) for _ in range(1 if name in ONE else 2)), dtype)


def _holds(expr: Expr, bounds: tuple[int, int]) -> bool:
    """Whether all values lie within the bounds; floats that no integer can stand for become anything."""
    grids = np.meshgrid(*(np.arange(low, high + 1) for low, high in RANGES.values()))
    points = {name: grid.ravel() for name, grid in zip(RANGES, grids, strict=True)}
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            values = np.asarray(Evaluation({}, points).value(expr)).astype(object)
        except (ValueError, TypeError):  # what NumPy refuses: negative powers, operations that a dtype lacks
            return True
    return bool(np.all((values >= bounds[0]) & (values <= bounds[1])))
