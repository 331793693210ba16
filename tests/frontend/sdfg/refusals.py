"""Programs and SDFGs that the lift refuses, and why."""

# ruff: noqa: F821 (programs as their authors write them; a tasklet's names are bound by its memlets)
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dace
import numpy as np
from dace import Memlet

from daad.errors import BadArgument, Unsupported
from tests.frontend.sdfg.programs import M, N, gemm, numbers, scalars
from tests.frontend.sdfg.sdfgs import mapped_tasklet, sdfg_of


@dataclass(frozen=True)
class Row:
    """What is refused, with which error, and the start of its text after the place."""

    program: Any
    arguments: Callable[[], tuple[Any, ...]]
    text: str
    mark: str = ""  # a part of the source line that the error is about
    error: type[Exception] = Unsupported
    tag: str = ""

    @property
    def name(self) -> str:
        return (self.program.f.__name__ if hasattr(self.program, "f") else self.program.__name__) + self.tag


@dace.program
def while_loop(A: dace.float64[N]):
    x = A[0]
    while x < 10.0:  # mark
        x = x * 2
    A[1] = x


@dace.program
def break_loop(A: dace.float64[N]):
    for i in range(N):  # mark
        if A[i] > 0.5:
            break
        A[i] = 2.0


@dace.program
def early_return(A: dace.float64[N]):
    for i in range(N):
        if A[i] > 0.5:
            return A[i]
    return A[0]


@dace.program
def callback(A: dace.float64[N]):
    A[:] = A * 2
    return np.std(A)  # mark


@dace.program
def unknown_keyword(A: dace.float64[N, M]):
    B = A * 2
    return np.max(B, axis=1, keepdims=True)  # mark


@dace.program
def race(A: dace.float64[N]):
    for i in dace.map[1:N]:  # mark
        A[i] = A[i - 1] * 0.5


@dace.program
def last_one_wins(A: dace.float64[N], B: dace.float64[N]):
    for i in dace.map[0:N]:  # mark
        B[0] = A[i]


@dace.program
def cpp_tasklet(A: dace.float64[N]):
    with dace.tasklet(dace.Language.CPP):
        a << A[0]
        b >> A[1]
        """
        b = a * a;
        """


@dace.program
def loop_variable_afterwards(A: dace.float64[N]):
    for i in range(N):
        A[i] = A[i] * i
    A[0] = A[0] + i


@dace.program
def linear_solver(A: dace.float64[N, N], b: dace.float64[N]):
    return np.linalg.solve(A, b)  # mark


@dace.program
def complex_numbers(A: dace.complex128[N]):
    A[:] = A * 2


@dace.program
def size_from_data(A: dace.float64[N], k: dace.int64[2]):
    n = k[0]
    B = A[0:n] * A[0:n]
    A[0:n] = B


@dace.program
def writes_to_its_module(A: dace.float64[N]):
    OUTSIDE[0:3] = A[0:3]


OUTSIDE = np.zeros(3)


@dace.program
def tried(A: dace.float64[N]):  # mark
    try:
        return np.sum(A)
    except ValueError:
        return 0.0


@dace.program
def opened(A: dace.float64[N]):  # mark
    with open("data.txt"):
        pass
    return np.sum(A)


@dace.program
def unpacked(A: dace.float64[N]):
    values = [A[0], A[1]]  # mark
    return values[0] * values[1]


@dace.program
def inner_function(A: dace.float64[N]):
    def square(v):
        return v * v

    return square(A[0])  # mark


@dace.program
def selected(A: dace.float64[N]):
    return np.sum(A[A > 1])  # mark


@dace.program
def other_shapes(A: dace.float64[N]):
    return np.sum(A[:3] + A)  # mark


@dace.program
def misspelt(A: dace.float64[N]):
    return np.summ(A)  # mark


@dace.program
def rolled(A: dace.float64[N]):
    for k in range(3):
        A[:] = np.roll(A, k) * A  # mark


@dace.program
def fourier(A: dace.float64[N]):  # mark
    return np.sum(np.fft.fft(A).real)


@dace.program
def times(A: dace.float64[N], n: dace.int64):  # mark
    return np.sum(A) * n


def stream() -> dace.SDFG:
    sdfg = sdfg_of("stream", {"A": (4,)})
    sdfg.add_stream("S", dace.float64, transient=True)
    state = sdfg.add_state()
    s = state.add_access("S")
    state.add_nedge(state.add_read("A"), s, Memlet("A[0:4]"))
    state.add_nedge(s, state.add_write("A"), Memlet("A[0:4]"))
    return sdfg


def gpu_array() -> dace.SDFG:
    sdfg = mapped_tasklet()
    sdfg.arrays["A"].storage = dace.StorageType.GPU_Global
    return sdfg


def gpu_map() -> dace.SDFG:
    sdfg = mapped_tasklet()
    state = sdfg.states()
    for node in next(iter(state)).nodes():
        if isinstance(node, dace.nodes.MapEntry):
            node.map.schedule = dace.ScheduleType.GPU_Device
    return sdfg


def persistent() -> dace.SDFG:
    sdfg = sdfg_of("persistent", {"A": (4,)})
    sdfg.add_transient("kept", (4,), dace.float64, lifetime=dace.AllocationLifetime.Persistent)
    state = sdfg.add_state()
    tasklet = state.add_tasklet("t", {"a": None, "k": None}, {"b": None, "c": None}, "b = a + k\nc = b * 2")
    state.add_edge(state.add_read("A"), None, tasklet, "a", Memlet("A[0]"))
    state.add_edge(state.add_read("kept"), None, tasklet, "k", Memlet("kept[0]"))
    state.add_edge(tasklet, "b", state.add_write("kept"), None, Memlet("kept[0]"))
    state.add_edge(tasklet, "c", state.add_write("A"), None, Memlet("A[0]"))
    return sdfg


def consume() -> dace.SDFG:
    sdfg = sdfg_of("consume", {"A": (4,)})
    sdfg.add_stream("S", dace.float64, transient=True)
    state = sdfg.add_state()
    entry, exit_ = state.add_consume("c", ("p", "2"))
    tasklet = state.add_tasklet("t", {"s": None}, {"a": None}, "a = s")
    state.add_memlet_path(state.add_read("S"), entry, tasklet, dst_conn="s", memlet=Memlet("S[0]"))
    state.add_memlet_path(tasklet, exit_, state.add_write("A"), src_conn="a", memlet=Memlet("A[p]"))
    return sdfg


def jump_back() -> dace.SDFG:
    """Three states in a circle that is left in the middle."""
    sdfg = sdfg_of("jump_back", {"A": (4,)})
    states = [sdfg.add_state(f"s{k}") for k in range(4)]
    sdfg.add_edge(states[0], states[1], dace.InterstateEdge("A[0] < 1.0"))
    sdfg.add_edge(states[0], states[2], dace.InterstateEdge("A[0] >= 1.0"))
    sdfg.add_edge(states[1], states[2], dace.InterstateEdge("A[1] < 1.0"))
    sdfg.add_edge(states[1], states[3], dace.InterstateEdge("A[1] >= 1.0"))
    sdfg.add_edge(states[2], states[1], dace.InterstateEdge("A[2] < 1.0"))
    sdfg.add_edge(states[2], states[3], dace.InterstateEdge("A[2] >= 1.0"))
    return sdfg


def vector() -> tuple[np.ndarray]:
    return (numbers(1, 6),)


PARSE = "DaCe cannot parse"
ROWS = (
    Row(while_loop, vector, "A 'while' loop cannot be differentiated.", "while x"),
    Row(break_loop, vector, "A 'break' cannot be differentiated."),
    Row(early_return, vector, "A 'return' inside a loop or branch cannot be differentiated."),
    Row(callback, vector, "DaCe cannot parse 'numpy.std' and calls back into Python.", "np.std(A)"),
    Row(unknown_keyword, lambda: (numbers(1, 2, 3),), f"{PARSE} 'unknown_keyword': _max() got an unexpected keyword "
        "argument 'keepdims'.", "np.max"),
    Row(race, vector, "Points of a map read or write elements of 'A' that other points write.", "dace.map[1:N]"),
    Row(last_one_wins, lambda: (numbers(1, 6), numbers(2, 6)), "Points of a map read or write elements of 'B' that "
        "other points write.", "dace.map[0:N]"),
    Row(cpp_tasklet, vector, "A tasklet in CPP cannot be differentiated.", "with dace.tasklet"),
    Row(tried, vector, f"{PARSE} 'tried': Converting function \"tried\" to callback due to disallowed keyword: Try.",
        "def tried"),
    Row(opened, vector, f"{PARSE} 'opened': Cannot create context manager - only ", "def opened"),
    Row(unpacked, vector, f"{PARSE} 'unpacked': Function returns 2 values but 1 provided.", "values = "),
    Row(inner_function, vector, f"{PARSE} 'inner_function': Use of undefined variable \"square\".", "square(A[0])"),
    Row(selected, vector, f"{PARSE} 'selected': Boolean array indexing is only supported for assignment", "A[A > 1]"),
    Row(other_shapes, vector, f"{PARSE} 'other_shapes': operands could not be broadcast together", "A[:3] + A"),
    Row(misspelt, vector, f"{PARSE} 'misspelt': module 'numpy' has no attribute 'summ'.", "np.summ"),
    Row(fourier, vector, "'fft_A' holds elements of type 'complex128'.", "def fourier"),
    Row(times, lambda: (numbers(1, 4), "a"), "'n' is 'a', expected an integer.", "def times", BadArgument, ".text"),
    Row(times, lambda: ([1.0, 2.0], 3), "'A' is a list, expected an array or a number.", "def times", BadArgument,
        ".list"),
    Row(loop_variable_afterwards, vector, "DaCe cannot parse 'loop_variable_afterwards': ", "A[0] + i"),
    Row(rolled, vector, "A cyclic shift by a number that is not known cannot be differentiated.", "np.roll"),
    Row(linear_solver, lambda: (numbers(1, 3, 3), numbers(2, 3)), "DaCe's library node 'Solve' cannot be", "solve"),
    Row(complex_numbers, lambda: (numbers(1, 3) + 1j,), "'A' holds elements of type 'complex128'."),
    Row(size_from_data, lambda: (numbers(1, 3), np.array([1, 2])),
        "The size 'n' is not known before the program runs.", "A[0:n]"),
    Row(writes_to_its_module, vector, "The program writes to the array 'OUTSIDE' of its module."),
    Row(stream, lambda: (numbers(1, 4),), "The stream 'S' cannot be differentiated."),
    Row(consume, lambda: (numbers(1, 4),), "A consume scope cannot be differentiated."),
    Row(gpu_array, lambda: (numbers(1, 5, 4), numbers(2, 4, 5)), "'A' lies in GPU memory."),
    Row(gpu_map, lambda: (numbers(1, 5, 4), numbers(2, 4, 5)), "A map is scheduled on a GPU."),
    Row(persistent, lambda: (numbers(1, 4),), "'kept' keeps its content from call to call."),
    Row(jump_back, lambda: (numbers(1, 4),), "DaCe cannot simplify 'jump_back': "),
    Row(gemm, lambda: (1.0, 2.0, numbers(1, 2, 3), numbers(2, 2, 4), numbers(3, 5, 3)),
        "'B' has a dimension of size 5, expected 4 ('K').", error=BadArgument, tag=".sizes"),
    Row(gemm, lambda: (1.0, 2.0, numbers(1, 2), numbers(2, 2, 4), numbers(3, 5, 3)),
        "'C' has 1 dimensions, expected 2.", error=BadArgument, tag=".rank"),
    Row(gemm, lambda: (1.0, 2.0, numbers(1, 2, 3).astype(np.float32), numbers(2, 2, 4), numbers(3, 4, 3)),
        "'C' has dtype float32, expected float64.", error=BadArgument, tag=".dtype"),
    Row(gemm, lambda: (1.0, 2.0), "'gemm' cannot be called like this: missing a required argument: 'C'.",
        error=BadArgument, tag=".missing"),
    Row(scalars, lambda: (0.5, 2.5, True, numbers(1, 4)), "'n' is 2.5, expected an integer.", error=BadArgument),
    Row(mapped_tasklet, lambda: (numbers(1, 5, 4),), "The argument 'B' of 'mapped_tasklet' is missing.",
        error=BadArgument, tag=".missing"),
    Row(mapped_tasklet, lambda: vector() * 3, "'mapped_tasklet' takes 2 arguments, got 3.", error=BadArgument,
        tag=".number"),
)  # fmt: skip
