"""Compiled against interpreted, element for element."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from daad.codegen.compilation import compile_program
from daad.ir.interpreter import run
from daad.ir.nodes import Program
from daad.runtime.compiled import Compiled


def arguments(program: Program, seed: int = 0) -> dict[str, Any]:
    """Random parameters; integer arrays hold 0, 1, 2."""
    rng = np.random.default_rng(seed)
    made: dict[str, Any] = {}
    for name in program.parameters:
        array = program.arrays[name]
        kind = np.dtype(array.dtype).kind
        drawn = rng.normal(size=array.shape) if kind == "f" else rng.integers(0, 2 if kind == "b" else 3, array.shape)
        made[name] = np.asarray(drawn, dtype=array.dtype)
    return made


def call(compiled: Compiled, program: Program, values: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """All outer arrays after a call; `values` are left untouched."""
    outer = tuple(dict.fromkeys((*program.parameters, *program.results)))
    arrays = {}
    for name in outer:
        array = program.arrays[name]
        given = values[name] if name in program.parameters else np.full(array.shape, 7, array.dtype)
        arrays[name] = np.array(given, dtype=array.dtype, order="C", copy=True)
    compiled.call(list(arrays.values()), [int(values[name]) for name in program.integers])
    return arrays


def assert_agrees(program: Program, values: Mapping[str, Any] | None = None, rtol: float = 1e-12) -> Compiled:
    """Compiles, compares with the interpreter, and calls a second time for the same bits."""
    values = arguments(program) if values is None else values
    compiled = compile_program(program)
    expected = run(program, values)
    first = call(compiled, program, values)
    second = call(compiled, program, values)
    for name, array in first.items():
        tolerance = rtol if array.dtype != np.float32 else max(rtol, 2e-4)
        scale = np.max(np.abs(expected[name]), initial=0.0, where=np.isfinite(expected[name])) if array.size else 0.0
        np.testing.assert_allclose(
            array, expected[name], rtol=tolerance, atol=tolerance * float(scale), err_msg=f"'{name}' in\n{program.name}"
        )
        np.testing.assert_array_equal(array, second[name], err_msg=f"second call, '{name}'")
    return compiled


@contextmanager
def team_of(compiled: Compiled) -> Iterator[ctypes.c_int]:
    """How many threads the program may use, to be changed for a while."""
    threads = compiled._library.threads
    assert threads is not None, "the program shares nothing"
    before = threads.value
    try:
        yield threads
    finally:
        threads.value = before
