"""Compiled programs call SciPy's C functions: the values are SciPy's, also of libraries that come from the cache."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import daad
from daad.codegen.compilation import compile_program
from daad.ir.affine import Affine
from daad.ir.interpreter import run
from daad.ir.nodes import Access, Array, Assign, Load, Nest, Op, Program, Range
from daad.ir.operations.of_scipy import OPERANDS, SPECIAL
from daad.runtime.c_functions import CFunction, exists, record_of
from tests.codegen.running import call

F, SIZE = "float64", 12
VALUES = np.random.default_rng(1).choice((0.2, 0.45, 0.8, 1.7, 3.0, 2.0, 4.0), (len(OPERANDS), SIZE))
NAMES = [name for name, row in SPECIAL.items() if exists(row.function)]
PARTS = [NAMES[k::4] for k in range(4)]


def everything(names: list[str], dtype: str) -> Program:
    """One nest per function."""
    i = Affine.of("i")
    arrays = {name: Array(name, (SIZE,), dtype) for name in OPERANDS}
    nests = []
    for name in names:
        operands = OPERANDS[: len(SPECIAL[name].slopes)]
        arrays[f"of_{name}"] = Array(f"of_{name}", (SIZE,), dtype)
        value = Op(name, tuple(Load(x, (i,), dtype) for x in operands), dtype)
        nests.append(Nest((Range("i", Affine(0), Affine(SIZE)),), (Assign(Access(f"of_{name}", (i,)), "=", value),)))
    results = tuple(f"of_{name}" for name in names)
    return Program(name="special", arrays=arrays, parameters=tuple(OPERANDS), results=results, body=tuple(nests))


@pytest.mark.parametrize("names", PARTS, ids=lambda names: names[0])
def test_compiled_function_is_scipys(names: list[str]) -> None:
    program, arguments = everything(names, F), dict(zip(OPERANDS, VALUES, strict=True))
    expected, found = run(program, arguments), call(compile_program(program), program, arguments)
    for name in program.results:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


def test_single_precision_is_scipys_rounded() -> None:
    from scipy import special

    x = np.linspace(0.1, 5.0, 7, dtype=np.float32)
    value, slope = daad.value_and_grad(lambda x: special.j0(x).sum())(x)
    assert (value.dtype, slope.dtype) == (np.float32, np.float32)
    np.testing.assert_allclose(slope, -special.j1(x), rtol=1e-5)


def test_function_that_scipy_lacks_is_told() -> None:
    with pytest.raises(ImportError, match=r"The installed SciPy has no function 'bessel' of 'd->d'\."):
        record_of(CFunction("bessel", "d->d"))


SCRIPT = """
import sys, numpy as np, daad
from scipy import special
gradient = daad.grad(lambda x: np.sum(special.jv(1.5, x) * special.eval_legendre(3, x)))
print(repr(gradient(np.linspace(0.5, 2.0, 4)).tolist()), gradient.is_cached)
"""


def test_another_process_finds_the_functions(tmp_path: Path) -> None:
    script = tmp_path / "bessel.py"
    script.write_text(SCRIPT)
    first, second = (
        subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True).stdout.split("]")
        for _ in range(2)
    )
    assert first[0] == second[0]
    assert second[1].strip() == "True"


def test_threads_call_them() -> None:
    from scipy import special

    x = np.random.default_rng(0).random(200_000)
    np.testing.assert_array_equal(daad.grad(lambda x: np.sum(special.j0(x)))(x), -special.j1(x))
