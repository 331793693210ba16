"""Names that C++, sympy or DaCe would misunderstand are changed, distinct names stay distinct."""

from __future__ import annotations

import builtins
import keyword
import re
import subprocess
from collections.abc import Iterable, Mapping

import dace
import numpy as np
import pytest
import sympy
from dace import symbolic

from daad.codegen.cpp.header import MEMORY, PREAMBLE
from daad.codegen.safe_names import identifier, name_everything
from daad.ir.nodes import Array, Program
from daad.runtime.toolchain import calling


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("A", "A"), ("x_bar", "x_bar"), ("double", "double_"), ("I", "I_"), ("exp", "exp_"), ("expf", "expf_"),
        ("_x", "x"), ("a__b", "a_b"), ("naïve", "na_ve"), ("quotient", "quotient_"),
        ("beta", "beta_"), ("__return", "return_"), ("limit", "limit_"), ("len", "len_"), ("M_PI", "M_PI_"), ("α", "v"),
    ],
)  # fmt: skip
def test_name(name: str, safe: str) -> None:
    program = Program(name="p", arrays={name: Array(name, (), "float64")}, parameters=(name,))
    assert name_everything(program)[name] == safe


def test_macros_of_the_compiler_are_changed() -> None:
    """Also those of a compiler, or of headers, that nobody has thought of here."""
    call = [*calling(), "-std=c++20", "-fopenmp-simd", "-dM", "-E", "-x", "c++", "-"]
    said = subprocess.run(call, input=PREAMBLE + MEMORY, capture_output=True, text=True, check=True).stdout
    macros = re.findall(r"^#define (\w+)", said, re.MULTILINE)
    assert len(macros) > 100
    assert not set(macros) & set(safe_names(macros).values())


def test_names_mean_nothing_to_dace() -> None:
    words = {*dir(sympy), *dir(builtins), *dir(symbolic), *dir(dace), *dir(np), *keyword.kwlist, "limit_", "x_bar"}
    names = safe_names(word for word in words if word.isidentifier()).values()
    assert [name for name in names if not _is_symbol(name)] == []


def _is_symbol(name: str) -> bool:
    return [str(s) for s in symbolic.pystr_to_symbolic(f"{name} + 1").free_symbols] == [name]


def safe_names(names: Iterable[str]) -> Mapping[str, str]:
    return name_everything(Program(name="p", arrays={n: Array(n, (), "float64") for n in names}, parameters=())).safe


def test_distinct_names_stay_distinct() -> None:
    wanted = ("x", "_x", "x_", "double", "double_", "a__b", "a_b")
    names = name_everything(Program(name="p", arrays={n: Array(n, (), "float64") for n in wanted}, parameters=wanted))
    assert len({names[n] for n in wanted}) == len(wanted)
    assert all(names[n] == n for n in ("x", "x_", "double_", "a_b"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("heat", "heat"),
        ("<lambda>", "program_lambda"),
        ("class", "program_class"),
        ("2d", "program_2d"),
        ("a" * 300, "a" * 60),
    ],
)
def test_identifier(text: str, expected: str) -> None:
    assert identifier(text) == expected
