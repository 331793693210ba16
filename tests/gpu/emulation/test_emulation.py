"""The emulation of CUDA finds what is wrong with a kernel, and nothing in what is right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from daad.codegen.gpu.device_header import DEVICE_HEADER
from daad.codegen.gpu.device_source import Source
from tests.gpu.emulation.emulator import Emulated, Order
from tests.texts import program

SQUARES = """
loop t = 0 .. 2:
  for i in 0 .. 9:  a[i] = x[i] * x[i]
  for i in 0 .. 9:  b[i] = a[8 - i]
  for i in 0 .. 9:  y[i] += b[8 - i]
"""

PROGRAM = """
struct Frame { double* x; double* y; unsigned long long* counters; };
__global__ void kernel(const Frame frame) {
    double* const x = frame.x;
    double* const y = frame.y;
    const daad::Crew crew = daad::whole_grid();
    __shared__ unsigned long long shared[32];
    %s
}
struct State { unsigned long long* counters; };
extern "C" {
int daad_open(void** opened) {
    State* state = new State();
    *opened = state;
    if (int code = cudaMalloc((void**)&state->counters, 8)) return code;
    return cudaMemset(state->counters, 0, 8);
}
int daad_run(void* opened, void* const* pointers, void* stream) {
    Frame frame = {(double*)pointers[0], (double*)pointers[1], ((State*)opened)->counters};
    void* arguments[] = {&frame};
    return %s((const void*)kernel, dim3(%d), dim3(64), arguments, 0, (cudaStream_t)stream);
}
int daad_status(void* opened, long long* found) {
    for (int k = 0; k < 4; ++k) found[k] = 0;
    return 0;
}
void daad_close(void* opened) {
    cudaFree(((State*)opened)->counters);
    delete (State*)opened;
}
}
"""
ADD = "[](double a, double b) { return a + b; }"
TOGETHER, APART = "cudaLaunchCooperativeKernel", "cudaLaunchKernel"
WAIT = "daad::wait_for_grid(frame.counters);"


def emulated(body: str, blocks: int = 1, launch: str = "") -> Emulated:
    launch = launch or (TOGETHER if "counters" in body else APART)
    return Emulated(Source(DEVICE_HEADER + PROGRAM % (body, launch, blocks), 0, ("x", "y")))


RIGHT = {
    "points": ("for (uint32_t i = crew.thread; i < 300; i += crew.threads) y[i] = 2 * x[i];", 3),
    "neighbours behind a barrier": (
        "y[crew.thread] = x[crew.thread]; __syncthreads(); x[63 - crew.thread] = y[crew.thread];",
        1,
    ),
    "a warp's sum": (
        f"double t = daad::warp_total(x[crew.thread], {ADD}); if (crew.thread % 32 == 0) y[crew.thread] = t;",
        1,
    ),
    "a block's sum": (
        f"double t = daad::block_total(x[crew.thread], {ADD}, shared); if (threadIdx.x == 0) y[crew.block] = t;",
        3,
    ),
    "sums one after the other": (
        f"for (int k = 0; k < 3; ++k) {{ double t = daad::block_total(x[crew.thread], {ADD}, shared);"
        " if (crew.thread == 0) y[k] = t; }",
        1,
    ),
    "bytes side by side": (
        "y[crew.thread] = 1; __syncthreads(); if (crew.thread < 8) ((char*)y)[crew.thread] = 0;"
        " __syncthreads(); if (crew.thread == 0) x[0] = y[0];",
        1,
    ),
    "a grid that meets": (f"y[crew.thread] = x[crew.thread]; {WAIT} x[191 - crew.thread] = y[crew.thread];", 3),
    "a grid that meets twice": (
        f"y[crew.thread] = x[crew.thread]; {WAIT} x[191 - crew.thread] = y[crew.thread];"
        f" {WAIT} y[crew.thread] = x[crew.thread];",
        3,
    ),
}


@pytest.mark.parametrize(("body", "blocks"), RIGHT.values(), ids=RIGHT)
def test_nothing_is_found(body: str, blocks: int) -> None:
    program, x = emulated(body, blocks), np.arange(300.0)
    outcomes = [program.run({"x": x, "y": np.zeros(300)}, Order(seed)) for seed in range(3)]
    assert [o.found for o in outcomes] == ["", "", ""]
    assert all(np.array_equal(o.arrays["y"], outcomes[0].arrays["y"]) for o in outcomes)


def test_points() -> None:
    found = emulated(*RIGHT["points"]).run({"x": np.arange(300.0), "y": np.zeros(300)})
    assert np.array_equal(found.arrays["y"], 2 * np.arange(300.0))


def test_sums() -> None:
    x = np.random.default_rng(0).normal(size=300)
    found = emulated(*RIGHT["a block's sum"]).run({"x": x, "y": np.zeros(300)})
    assert np.allclose(found.arrays["y"][:3], x[:192].reshape(3, 64).sum(axis=1))
    found = emulated(*RIGHT["a warp's sum"]).run({"x": x, "y": np.zeros(300)})
    assert np.allclose(found.arrays["y"][[0, 32]], x[:64].reshape(2, 32).sum(axis=1))


WRONG = {
    "no barrier": (
        "y[crew.thread] = x[crew.thread]; x[63 - crew.thread] = y[crew.thread];",
        1,
        "a race: a read and then a write by threads of a block",
    ),
    "one place for all": ("y[0] = x[crew.thread];", 1, "a race: two writes by threads of a block"),
    "a byte of another's number": (
        "y[crew.thread] = 1; if (crew.thread < 2) ((char*)y)[crew.thread] = 0;",
        1,
        "a race: two writes by threads of a block",
    ),
    "one place for two blocks": (
        "if (threadIdx.x == 0) y[0] = x[crew.thread];",
        2,
        "a race: two writes by two blocks",
    ),
    "blocks that do not meet": (
        "y[crew.thread] = x[crew.thread]; __syncthreads(); double t = y[191 - crew.thread]; x[crew.thread] = t;",
        3,
        "by two blocks",
    ),
    "blocks that meet without a fence": (
        "y[crew.thread] = 1; __syncthreads(); if (threadIdx.x == 0) { atomicAdd(frame.counters, 1ull);"
        " while (*(volatile unsigned long long*)frame.counters < 3) __nanosleep(20); __threadfence(); }"
        " __syncthreads(); x[crew.thread] = y[191 - crew.thread];",
        3,
        "a race: a write and then a read by two blocks",
    ),
    "shared memory that is used again": (
        "shared[crew.thread % 32] = 1; __syncthreads(); y[crew.thread] = shared[0]; shared[crew.thread % 32] = 2;",
        1,
        "a race",
    ),
    "blocks that meet with another thread's fence": (
        "y[crew.thread] = 1; __syncthreads(); if (threadIdx.x == 1) __threadfence();"
        " if (threadIdx.x == 0) { atomicAdd(frame.counters, 1ull);"
        " while (*(volatile unsigned long long*)frame.counters < 3) __nanosleep(20); __threadfence(); }"
        " __syncthreads(); x[crew.thread] = y[191 - crew.thread];",
        3,
        "a race: a write and then a read by two blocks",
    ),
    "a barrier for some": ("if (crew.thread < 32) __syncthreads();", 1, "threads wait forever: in kernel"),
    "a shuffle for some": (
        f"if (crew.thread > 0) y[crew.thread] = daad::warp_total(1.0, {ADD});",
        1,
        "threads wait forever: in kernel",
    ),
    "a counter that nobody moves": (
        "if (crew.thread == 0) while (*(volatile unsigned long long*)frame.counters < 3) __nanosleep(20);",
        3,
        "threads wait forever: in kernel",
    ),
    "beyond the end": ("y[crew.thread] = x[crew.thread + 240];", 1, "an access outside of all arrays"),
    "before the beginning": ("y[crew.thread] = x[int(crew.thread) - 1];", 1, "an access outside of all arrays"),
}


@pytest.mark.parametrize(("body", "blocks", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_found(body: str, blocks: int, message: str) -> None:
    program = emulated(body, blocks)
    found = [program.run({"x": np.arange(300.0), "y": np.zeros(300)}, Order(seed)).found for seed in range(3)]
    assert all(message in text for text in found), found


def test_blocks_that_come_one_after_the_other_do_not_meet() -> None:
    found = emulated(WAIT, 3, APART).run({"x": np.zeros(300), "y": np.zeros(300)}).found
    assert found == "threads wait forever: in kernel\ncalls return [0, 1, 0]\n"


def test_more_blocks_than_fit_do_not_meet() -> None:
    program, arrays = emulated(WAIT, 3), {"x": np.zeros(300), "y": np.zeros(300)}
    assert program.run(arrays, Order(processors=2)).found == "calls return [0, 2, 0]\n"
    assert program.run(arrays, Order(processors=3), times=3).found == ""


def test_what_is_found_is_placed() -> None:
    found = emulated("if (threadIdx.x == 5) y[3] = x[blockIdx.x];", 2)
    texts = {found.run({"x": np.zeros(300), "y": np.zeros(300)}, Order(seed)).found for seed in range(9)}
    start, end = "a race: two writes by two blocks: ", ", at byte 24 of 'y' in kernel\n"
    first, second = "thread 5 of block 0", "thread 5 of block 1"
    assert texts == {f"{start}{first}, then {second}{end}", f"{start}{second}, then {first}{end}"}


def test_local_arrays_have_an_end() -> None:
    """A statement that writes behind them is put into what is generated."""
    made = program("local", "x: float64[9], y: float64[9]", SQUARES, local="a: float64[9], b: float64[9]")
    right = Emulated.apart(made)
    arrays = {"x": np.arange(9.0), "y": np.zeros(9)}
    assert right.run(arrays).found == ""
    assert right.run(arrays).arrays["y"].tolist() == (2 * np.arange(9.0) ** 2).tolist()
    wrong = replace(right.source, text=right.source.text.replace("p__v < 9u", "p__v < 10u", 1))
    assert "an access outside of all arrays" in Emulated(wrong, right.local).run(arrays).found


def test_orders_follow_from_the_seed() -> None:
    program = emulated("y[0] = x[crew.thread];")
    ends = [
        program.run({"x": np.arange(300.0), "y": np.zeros(300)}, Order(seed)).arrays["y"][0] for seed in (1, 2, 3, 1)
    ]
    assert len(set(ends)) > 1
    assert ends[0] == ends[3]
