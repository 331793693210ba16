"""Names that C++, sympy or DaCe would misunderstand are changed, distinct names stay distinct."""

from __future__ import annotations

import pytest

from daad.lower.names import identifier, name_everything
from daad.program.nodes import Array, Program


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("A", "A"), ("x_bar", "x_bar"), ("double", "double_"), ("I", "I_"), ("exp", "exp_"), ("expf", "expf_"),
        ("_x", "x"), ("a__b", "a_b"), ("naïve", "na_ve"), ("quotient", "quotient_"),
        ("beta", "beta_"), ("__return", "return_"),
    ],
)  # fmt: skip
def test_name(name: str, safe: str) -> None:
    program = Program(name="p", arrays={name: Array(name, (), "float64")}, parameters=(name,))
    assert name_everything(program)[name] == safe


def test_distinct_names_stay_distinct() -> None:
    wanted = ("x", "_x", "x_", "double", "double_", "a__b", "a_b")
    names = name_everything(Program(name="p", arrays={n: Array(n, (), "float64") for n in wanted}, parameters=wanted))
    assert len({names[n] for n in wanted}) == len(wanted)
    assert all(names[n] == n for n in ("x", "x_", "double_", "a_b"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("heat", "heat"), ("<lambda>", "program_lambda"), ("class", "program_class"), ("2d", "program_2d")],
)
def test_identifier(text: str, expected: str) -> None:
    assert identifier(text) == expected
