"""Random Programs, compiled and interpreted; `-m slow` asks more of them."""

from __future__ import annotations

import pytest

from tests.codegen.generate import random_program
from tests.codegen.running import arguments, assert_agrees


def check(seed: int, statements: int) -> None:
    program = random_program(seed, statements)
    assert_agrees(program, arguments(program, seed) | {"n": 4})


@pytest.mark.parametrize("seed", range(4))
def test_random_program(seed: int) -> None:
    check(seed, 25)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_many_random_programs(seed: int) -> None:
    check(seed, 40)
