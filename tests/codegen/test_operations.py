"""Every operation with NumPy's result, special values included; one program per dtype."""

from __future__ import annotations

import math

import numpy as np
import pytest

from daad.codegen.compilation import compile_program
from daad.codegen.spelling import BOOLS, FLOATS, INTEGERS
from daad.ir.affine import Affine
from daad.ir.interpreter import run
from daad.ir.nodes import Access, Array, Assign, Const, Expr, Load, Nest, Op, Program, Range
from daad.ir.operations import OPERATIONS
from daad.ir.operations.operation import Family
from tests.codegen.running import call

TESTS = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and", "logical_or"}
TESTS |= {"logical_xor", "logical_not", "isnan", "isinf", "isfinite", "signbit"}
FLOAT_VALUES = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.3,
    -0.7,
    2.5,
    -3.5,
    7.0,
    1e-3,
    40.0,
    -120.0,
    1e150,
    math.inf,
    -math.inf,
    math.nan,
)
INT_VALUES = (0, 1, -1, 2, -2, 3, 7, -7, 11, 63, 100, -100)
UNSIGNED_VALUES = (0, 1, 2, 3, 7, 11, 63, 100, 200)


def _with_ends(values: tuple[int, ...], dtype: str) -> tuple[int, ...]:
    """The values, and those at which the dtype wraps around."""
    limits = np.iinfo(dtype)
    return (*values, int(limits.min), int(limits.min) + 1, int(limits.max) - 1, int(limits.max))


VALUES = {
    "float64": FLOAT_VALUES,
    "float32": tuple(v if abs(v) != 1e150 else 1e30 for v in FLOAT_VALUES),
    **{name: _with_ends(INT_VALUES, name) for name in ("int64", "int32", "int16", "int8")},
    **{name: _with_ends(UNSIGNED_VALUES, name) for name in ("uint64", "uint32", "uint16", "uint8")},
    "bool": (False, True),
}
TABLES = {"f": FLOATS, "i": INTEGERS, "u": INTEGERS, "b": BOOLS}
# Integer powers with negative exponents raise in NumPy; shifts by negative amounts are undefined there.
RIGHT_NONNEGATIVE = frozenset({"power", "left_shift", "right_shift"})
# NumPy has no loop of its own for these, or one that goes by way of float64.
NOT_FOR = {
    "bool": {"sign", "negative", "subtract", "floor_divide", "remainder", "fmod", "power", "invert"},
    "int64": {"rint"},
    "uint64": {"rint"},
}
CALLED = (Family.PYTHON, Family.SPECIAL)
"""Of these Python or SciPy has the values: `tests/runtime/test_special_functions.py`."""
TOLERANCE = {"float64": 4e-15, "float32": 2e-6}


def operations(dtype: str) -> list[tuple[str, str]]:
    """(name, result dtype) of all operations that this dtype has."""
    kind = np.dtype(dtype).kind
    none = {*NOT_FOR.get(dtype, ()), *TESTS, *(n for n, row in OPERATIONS.items() if row.family in CALLED)}
    arithmetic = [(name, dtype) for name in TABLES[kind] if name not in none]
    tests = [(name, "bool") for name in sorted(TESTS)]
    if dtype == "bool":
        tests = [(name, d) for name, d in tests if name != "signbit"]
        arithmetic = [(n, d) for n, d in arithmetic if n not in ("floor", "ceil", "trunc")]
    return arithmetic + tests


def is_binary(name: str) -> bool:
    return OPERATIONS[name].operands == 2


def everything(dtype: str) -> tuple[Program, dict[str, np.ndarray]]:
    """A program with one nest per operation over all pairs of values, and its arguments."""
    values = np.array(VALUES[dtype], dtype=dtype)
    left, right = (a.ravel() for a in np.meshgrid(values, values, indexing="ij"))
    size = left.size
    arguments = {"x": left, "y": right, "z": np.maximum(right, ~right) if np.dtype(dtype).kind == "i" else right}
    arrays = {name: Array(name, (size,), dtype) for name in arguments}
    nests = []
    i = Affine.of("i")
    for name, result in operations(dtype):
        second = "z" if name in RIGHT_NONNEGATIVE else "y"
        args: tuple[Expr, ...] = (Load("x", (i,), dtype), Load(second, (i,), dtype))
        arrays[f"r_{name}"] = Array(f"r_{name}", (size,), result)
        value = Op(name, args if is_binary(name) else args[:1], result)
        nests.append(Nest((Range("i", Affine(0), Affine(size)),), (Assign(Access(f"r_{name}", (i,)), "=", value),)))
    results = tuple(name for name in arrays if name.startswith("r_"))
    program = Program(
        name=f"all_{dtype}", arrays=arrays, parameters=("x", "y", "z"), results=results, body=tuple(nests)
    )
    return program, arguments


@pytest.mark.parametrize("dtype", VALUES)
def test_operation_equals_numpy(dtype: str) -> None:
    program, arguments = everything(dtype)
    expected = run(program, arguments)
    found = call(compile_program(program), program, arguments)
    wrong = [
        f"{name}({x}, {y}) is {a}, expected {b}"
        for name in program.results
        for x, y, a, b in zip(arguments["x"], arguments["y"], found[name], expected[name], strict=True)
        if not (a == b or np.isclose(a, b, rtol=TOLERANCE.get(dtype, -1.0), atol=0, equal_nan=True))
    ]
    assert wrong == []


def test_every_operation_is_spelled() -> None:
    spelled = {*FLOATS, *INTEGERS, *BOOLS, "where", "cast"}
    assert {name for name, row in OPERATIONS.items() if row.family is not Family.RULE} - spelled == set()


def test_casts_and_constants() -> None:
    """Integers keep the last bits of what they cannot hold."""
    values = np.array([0.0, 0.5, 1.0, -1.5, 300.25, -7.9, -70000.5, 3e9] * 4)
    i = Affine.of("i")
    x = Load("x", (i,), "float64")
    kinds = ("float32", "int64", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool")
    assigns = [Assign(Access(f"to_{kind}", (i,)), "=", Op("cast", (x,), kind)) for kind in kinds]
    arrays = {"x": Array("x", values.shape, "float64")} | {
        f"to_{kind}": Array(f"to_{kind}", values.shape, kind) for kind in kinds
    }
    constants = {
        "inf": Const(math.inf, "float64"), "minf": Const(-math.inf, "float32"), "nan": Const(math.nan, "float64"),
        "tenth": Const(0.1, "float32"), "least": Const(-(2**63), "int64"), "yes": Const(True, "bool"),
        "tiny": Const(5e-324, "float64"), "whole": Const(3, "float64"),
    }  # fmt: skip
    for name, const in constants.items():
        arrays[name] = Array(name, (), const.dtype)
    body = [Nest((Range("i", Affine(0), Affine(values.size)),), tuple(assigns))]
    body += [Nest((), (Assign(Access(name, ()), "=", const),)) for name, const in constants.items()]
    program = Program(
        name="casts", arrays=arrays, parameters=("x",), results=tuple(n for n in arrays if n != "x"), body=tuple(body)
    )
    expected = run(program, {"x": values})
    found = call(compile_program(program), program, {"x": values})
    for name in program.results:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
        assert found[name].dtype == expected[name].dtype


def test_constant_powers_and_divisors() -> None:
    """Short forms for constants: integers divide exactly, infinity and NaN stay."""
    x = np.array([0.0, -0.0, 1.0, 49.0, -3.0, 7.5, 1e300, math.inf, -math.inf, math.nan])
    i = Affine.of("i")
    load = Load("x", (i,), "float64")
    values = {}
    for number, constant in enumerate((49.0, 3.0, 0.1, -7.0, 8.0, 1e-140, 1e140, 10.0)):
        values[f"q{number}"] = Op("divide", (load, Const(constant, "float64")), "float64")
    for number, constant in enumerate((2, 3.0, -1.0, -2.0, 5.0, 8.0, 9.0, 0.0, 1.5)):
        values[f"p{number}"] = Op("power", (load, Const(constant, "float64")), "float64")
    arrays = {name: Array(name, (10,), "float64") for name in ("x", *values)}
    assigns = tuple(Assign(Access(name, (i,)), "=", value) for name, value in values.items())
    nest = Nest((Range("i", Affine(0), Affine(10)),), assigns)
    program = Program(name="constants", arrays=arrays, parameters=("x",), results=tuple(values), body=(nest,))
    expected = run(program, {"x": x})
    found = call(compile_program(program), program, {"x": x})
    for name in program.results:
        exact = name.startswith("q")
        np.testing.assert_allclose(found[name], expected[name], rtol=0 if exact else 1e-15, err_msg=name)
