"""The compiled program equals the interpreted one."""

from __future__ import annotations

import pytest

from daad.codegen import Device, lower
from daad.errors import Unsupported
from daad.ir.nodes import Program
from tests.codegen import programs
from tests.codegen.running import arguments, assert_agrees


@pytest.mark.parametrize("program", programs.ALL, ids=lambda p: p.name)
def test_compiled_equals_interpreted(program: Program) -> None:
    values = arguments(program) | {name: programs.INTEGERS[name] for name in program.integers}
    assert_agrees(program, values)


@pytest.mark.parametrize("program", programs.ALL, ids=lambda p: p.name)
def test_lowering_is_deterministic(program: Program) -> None:
    first, second = lower(program), lower(program)
    first.validate()
    assert first.hash_sdfg() == second.hash_sdfg()


def test_gpu_is_refused() -> None:
    with pytest.raises(Unsupported, match=r"^Programs for GPUs cannot be generated yet\."):
        lower(programs.LU, Device.GPU)
