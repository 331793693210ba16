"""SDFGs built by DaCe's interface, one for each construct that DaCe's Python frontend does not make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dace
import numpy as np
from dace import Memlet, nodes
from dace.libraries import blas, linalg
from dace.sdfg.state import ConditionalBlock, ControlFlowRegion, LoopRegion

from tests.frontend.sdfg.programs import numbers

N = dace.symbol("N")


@dataclass(frozen=True)
class Row:
    """A function that builds an SDFG, its reference, and arguments for both."""

    build: Callable[[], dace.SDFG]
    reference: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]

    @property
    def name(self) -> str:
        return self.build.__name__


def sdfg_of(name: str, shapes: dict[str, tuple[Any, ...]], scratch: dict[str, tuple[Any, ...]] | None = None) -> Any:
    """An SDFG with float64 arrays as arguments and transient ones."""
    sdfg = dace.SDFG(name)
    for array, shape in shapes.items():
        sdfg.add_array(array, shape, dace.float64)
    for array, shape in (scratch or {}).items():
        sdfg.add_transient(array, shape, dace.float64)
    sdfg.arg_names = list(shapes)
    return sdfg


def connectors(*names: str) -> dict[str, None]:
    """Connectors in order."""
    return dict.fromkeys(names)


def mapped_tasklet() -> dace.SDFG:
    sdfg = sdfg_of("mapped_tasklet", {"A": (N, 4), "B": (4, N)})
    sdfg.add_state().add_mapped_tasklet(
        "flip", {"i": "0:N", "j": "0:4"}, {"a": Memlet("A[i, 3 - j]")}, "b = 2 * a", {"b": Memlet("B[j, i]")},
        external_edges=True,
    )  # fmt: skip
    return sdfg


def mapped_tasklet_reference(A: np.ndarray, B: np.ndarray) -> None:
    B[:] = 2 * A[:, ::-1].T


def named_like_results() -> dace.SDFG:
    """Arguments that are no results, for all that they are called."""
    sdfg = sdfg_of("named_like_results", {"A": (N,), "__returned": (N,), "__return_B": (N,)})
    for target in ("__returned", "__return_B"):
        state = sdfg.add_state_after(sdfg.sink_nodes()[0]) if sdfg.nodes() else sdfg.add_state()
        state.add_mapped_tasklet(
            "twice",
            {"i": "0:N"},
            {"a": Memlet("A[i]")},
            "b = 2 * a",
            {"b": Memlet(f"{target}[i]")},
            external_edges=True,
        )
    return sdfg


def named_like_results_reference(A: np.ndarray, returned: np.ndarray, B: np.ndarray) -> None:
    returned[:] = B[:] = 2 * A


def loop_of_states() -> dace.SDFG:
    """A loop of states and edges, as DaCe wrote them before it had loops."""
    sdfg = sdfg_of("loop_of_states", {"A": (N,)})
    before, body, after = sdfg.add_state("before"), sdfg.add_state("body"), sdfg.add_state("after")
    sdfg.add_loop(before, body, after, "i", "1", "i < N", "i + 1")
    _tasklet(body, {"a": "A[i]", "b": "A[i - 1]"}, "c = a + 0.5 * b", {"c": "A[i]"})
    return sdfg


def loop_of_states_reference(A: np.ndarray) -> None:
    for i in range(1, len(A)):
        A[i] += 0.5 * A[i - 1]


def _tasklet(state: dace.SDFGState, inputs: dict[str, str], code: str, outputs: dict[str, str], wcr: Any = None) -> Any:
    tasklet = state.add_tasklet("t", connectors(*inputs), connectors(*outputs), code)
    for connector, memlet in inputs.items():
        read = state.add_read(memlet.split("[")[0])
        state.add_edge(read, None, tasklet, connector, Memlet(memlet))
    for connector, memlet in outputs.items():
        write = state.add_write(memlet.split("[")[0])
        state.add_edge(tasklet, connector, write, None, Memlet(memlet, wcr=wcr))
    return tasklet


def loop_region() -> dace.SDFG:
    sdfg = sdfg_of("loop_region", {"A": (8,), "B": (8,)})
    loop = LoopRegion("down", "i >= 2", "i", "i = 7", "i = i - 2")
    sdfg.add_node(loop, is_start_block=True)
    _tasklet(loop.add_state("body", is_start_block=True), {"a": "A[i]"}, "b = a * i", {"b": "B[i - 1]"})
    return sdfg


def loop_region_reference(A: np.ndarray, B: np.ndarray) -> None:
    for i in range(7, 1, -2):
        B[i - 1] = A[i] * i


def conditional_block() -> dace.SDFG:
    sdfg = sdfg_of("conditional_block", {"A": (4,), "B": (4,)})
    block = ConditionalBlock("if_1")
    sdfg.add_node(block, is_start_block=True)
    for condition, factor in (("A[0] > 1.0", 2), ("A[1] > 0.5 and A[0] > 0.3", 3), (None, 4)):
        region = ControlFlowRegion(f"branch_{factor}", sdfg)
        block.add_branch(None if condition is None else dace.properties.CodeBlock(condition), region)
        _tasklet(region.add_state("s", is_start_block=True), {"a": "A[2]"}, f"b = a * {factor}", {"b": "B[1]"})
    return sdfg


def conditional_block_reference(A: np.ndarray, B: np.ndarray) -> None:
    B[1] = A[2] * (2 if A[0] > 1.0 else 3 if A[1] > 0.5 and A[0] > 0.3 else 4)


def jumps_of_states() -> dace.SDFG:
    """A branch of states and conditional edges."""
    sdfg = sdfg_of("jumps_of_states", {"A": (4,), "B": (4,)})
    start, left, right, end = (sdfg.add_state(label) for label in ("start", "left", "right", "end"))
    sdfg.add_symbol("x", dace.float64)
    sdfg.add_edge(start, left, dace.InterstateEdge("A[0] > 1.0", {"x": "A[1]"}))
    sdfg.add_edge(start, right, dace.InterstateEdge("not (A[0] > 1.0)", {"x": "2.0"}))
    sdfg.add_edge(left, end, dace.InterstateEdge())
    sdfg.add_edge(right, end, dace.InterstateEdge())
    _tasklet(left, {"a": "A[2]"}, "b = a", {"b": "B[0]"})
    _tasklet(right, {"a": "A[3]"}, "b = a * a", {"b": "B[0]"})
    _tasklet(end, {"a": "B[0]"}, "b = a * x", {"b": "B[1]"})
    return sdfg


def jumps_of_states_reference(A: np.ndarray, B: np.ndarray) -> None:
    B[0] = A[2] if A[0] > 1.0 else A[3] ** 2
    B[1] = B[0] * (A[1] if A[0] > 1.0 else 2.0)


def symbols_from_data() -> dace.SDFG:
    """Two symbols that swap, and an index read from an array."""
    sdfg = sdfg_of("symbols_from_data", {"A": (8,), "B": (8,)})
    sdfg.add_array("idx", (4,), dace.int64)
    sdfg.arg_names = ["A", "B", "idx"]
    for name in ("p", "q"):
        sdfg.add_symbol(name, dace.int64)
    start = sdfg.add_state("start")
    loop = LoopRegion("loop", "i < 3", "i", "i = 0", "i = i + 1")
    sdfg.add_node(loop)
    body = loop.add_state("body", is_start_block=True)
    step = loop.add_state("step")
    loop.add_edge(body, step, dace.InterstateEdge(assignments={"p": "q", "q": "p + idx[i]"}))
    sdfg.add_edge(start, loop, dace.InterstateEdge(assignments={"p": "idx[0]", "q": "2"}))
    sdfg.start_block = sdfg.node_id(start)
    _tasklet(body, {"a": "A[p]", "b": "B[q]"}, "c = a + b", {"c": "B[i]"})
    return sdfg


def symbols_from_data_reference(A: np.ndarray, B: np.ndarray, idx: np.ndarray) -> None:
    p, q = idx[0], 2
    for i in range(3):
        B[i] = A[p] + B[q]
        p, q = q, p + idx[i]


def copies() -> dace.SDFG:
    """Parts to parts, a change of shape, a whole array, and a part of an array to another part of it."""
    sdfg = sdfg_of("copies", {"A": (4, 6), "B": (24,), "C": (6, 4), "D": (2, 3)}, {"T": (4, 6)})
    state = sdfg.add_state("s0")
    a, t = state.add_read("A"), state.add_access("T")
    state.add_nedge(a, t, Memlet("A[0:4, 0:6]"))
    state.add_nedge(t, state.add_write("B"), Memlet("T[0:4, 0:6] -> [0:24]"))
    state.add_nedge(t, state.add_write("D"), Memlet("T[1:3, 2:5] -> [0:2, 0:3]"))
    second = sdfg.add_state_after(state, "s1")
    second.add_nedge(second.add_read("B"), second.add_write("C"), Memlet("B[0:24]"))
    third = sdfg.add_state_after(second, "s2")
    third.add_nedge(third.add_read("B"), third.add_write("B"), Memlet("B[0:20] -> [4:24]"))
    return sdfg


def copies_reference(A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray) -> None:
    B[:] = A.ravel()
    D[:] = A[1:3, 2:5]
    C[:] = B.reshape(6, 4)
    B[4:] = B[:20].copy()


def local_buffer() -> dace.SDFG:
    """A map copies a row into a buffer, computes on it in a map of its own, and copies it out."""
    sdfg = sdfg_of("local_buffer", {"A": (5, 4), "B": (5, 4)}, {"row": (4,), "out": (4,)})
    state = sdfg.add_state()
    entry, exit_ = state.add_map("rows", {"i": "0:5"})
    inner, inner_exit = state.add_map("columns", {"j": "0:4"})
    row, out = state.add_access("row"), state.add_access("out")
    tasklet = state.add_tasklet("t", connectors("a", "b"), connectors("c"), "c = a * b")
    state.add_memlet_path(state.add_read("A"), entry, row, memlet=Memlet("A[i, 0:4] -> [0:4]"))
    state.add_memlet_path(row, inner, tasklet, dst_conn="a", memlet=Memlet("row[j]"))
    state.add_memlet_path(row, inner, tasklet, dst_conn="b", memlet=Memlet("row[3 - j]"))
    state.add_memlet_path(tasklet, inner_exit, out, src_conn="c", memlet=Memlet("out[j]"))
    state.add_memlet_path(out, exit_, state.add_write("B"), memlet=Memlet("B[i, 0:4] -> [0:4]"))
    return sdfg


def local_buffer_reference(A: np.ndarray, B: np.ndarray) -> None:
    B[:] = A * A[:, ::-1]


def resolutions() -> dace.SDFG:
    """Write-conflict resolutions: a product, and a lambda of one's own."""
    sdfg = sdfg_of("resolutions", {"A": (5,), "p": (1,), "q": (1,)})
    state = sdfg.add_state()
    for target, wcr in (("p", "lambda x, y: x * y"), ("q", "lambda old, new: 0.5 * old + new")):
        schedule = dace.ScheduleType.Sequential
        entry, exit_ = state.add_map(target, {"i": "0:5"}, schedule=schedule)
        tasklet = state.add_tasklet("t", connectors("a"), connectors("c"), "c = a")
        state.add_memlet_path(state.add_read("A"), entry, tasklet, dst_conn="a", memlet=Memlet("A[i]"))
        memlet = Memlet(f"{target}[0]", wcr=wcr)
        state.add_memlet_path(tasklet, exit_, state.add_write(target), src_conn="c", memlet=memlet)
    return sdfg


def resolutions_reference(A: np.ndarray, p: np.ndarray, q: np.ndarray) -> None:
    for a in A:
        p[0] *= a
        q[0] = 0.5 * q[0] + a


def nested_sdfg() -> dace.SDFG:
    """A nested SDFG with a loop in a map: other names, a symbol of its own, scratch inside."""
    inner = sdfg_of("inner", {"x": (5, 4), "y": (5, 4)}, {"s": (1,)})
    inner.add_symbol("row", dace.int64)
    inner.arg_names = []
    start = inner.add_state("start")
    start.add_edge(
        start.add_tasklet("zero", {}, connectors("o"), "o = 0.0"), "o", start.add_write("s"), None, Memlet("s[0]")
    )
    loop = LoopRegion("loop", "k < 4", "k", "k = 0", "k = k + 1")
    inner.add_node(loop)
    inner.add_edge(start, loop, dace.InterstateEdge())
    inner.start_block = inner.node_id(start)
    body = loop.add_state("body", is_start_block=True)
    accumulate = body.add_tasklet("acc", connectors("a", "b"), connectors("c", "d"), "c = a + b\nd = c * c")
    body.add_edge(body.add_read("x"), None, accumulate, "a", Memlet("x[row - 1, k]"))
    body.add_edge(body.add_read("s"), None, accumulate, "b", Memlet("s[0]"))
    body.add_edge(accumulate, "c", body.add_write("s"), None, Memlet("s[0]"))
    body.add_edge(accumulate, "d", body.add_write("y"), None, Memlet("y[row - 1, k]"))
    sdfg = sdfg_of("nested_sdfg", {"A": (5, 4), "B": (5, 4)})
    state = sdfg.add_state()
    entry, exit_ = state.add_map("rows", {"i": "0:5"})
    node = state.add_nested_sdfg(inner, connectors("x"), connectors("y"), {"row": "i + 1"})
    state.add_memlet_path(state.add_read("A"), entry, node, dst_conn="x", memlet=Memlet("A[0:5, 0:4]"))
    state.add_memlet_path(node, exit_, state.add_write("B"), src_conn="y", memlet=Memlet("B[0:5, 0:4]"))
    return sdfg


def nested_sdfg_reference(A: np.ndarray, B: np.ndarray) -> None:
    B[:] = np.cumsum(A, axis=1) ** 2


def reduce_nodes() -> dace.SDFG:
    """Into what is there already, a product, and one of several axes."""
    sdfg = sdfg_of("reduce_nodes", {"A": (4, 3, 2), "s": (4, 2), "p": (1,), "m": (3,)})
    state = sdfg.add_state()
    rows = (("s", "lambda a, b: a + b", [1], None), ("p", "lambda a, b: a * b", None, 1),
            ("m", "lambda a, b: max(a, b)", [0, 2], 0.9))  # fmt: skip
    for target, wcr, axes, identity in rows:
        node = state.add_reduce(wcr, axes, identity)
        state.add_nedge(state.add_read("A"), node, Memlet("A[0:4, 0:3, 0:2]"))
        state.add_nedge(node, state.add_write(target), Memlet.from_array(target, sdfg.arrays[target]))
    return sdfg


def reduce_nodes_reference(A: np.ndarray, s: np.ndarray, p: np.ndarray, m: np.ndarray) -> None:
    s += A.sum(axis=1)
    p[0] = A.prod()
    m[:] = A.max(axis=(0, 2), initial=0.9)


def library_nodes() -> dace.SDFG:
    """BLAS with factors, transposition and an addend; a tensor product."""
    sdfg = sdfg_of("library_nodes", {"A": (4, 3), "B": (5, 3), "C": (4, 5), "x": (4,), "y": (3,), "T": (3, 4, 2),
                                     "R": (4, 2, 5), "P": (2, 3, 4)})  # fmt: skip
    state = sdfg.add_state("products")
    gemm = blas.Gemm("gemm", transB=True, alpha=2.0, beta=0.5)
    _connect(state, gemm, {"_a": "A", "_b": "B", "_c": "C"}, {"_c": "C"})
    gemv = blas.Gemv("gemv", transA=True, alpha=3.0)
    _connect(state, gemv, {"_A": "A", "_x": "x"}, {"_y": "y"})
    _connect(
        state, linalg.TensorDot("dot", [0], [1]), {"_left_tensor": "T", "_right_tensor": "B"}, {"_out_tensor": "R"}
    )
    _connect(state, linalg.TensorTranspose("turn", [2, 0, 1]), {"_inp_tensor": "T"}, {"_out_tensor": "P"})
    last = sdfg.add_state_after(state, "outer")
    _connect(last, blas.Ger("ger", alpha=-1.0), {"_x": "x", "_y": "y", "_A": "A"}, {"_res": "A"})
    return sdfg


def _connect(state: dace.SDFGState, node: nodes.LibraryNode, inputs: dict[str, str], outputs: dict[str, str]) -> None:
    state.add_node(node)
    for connector, array in inputs.items():
        memlet = Memlet.from_array(array, state.sdfg.arrays[array])
        state.add_edge(state.add_read(array), None, node, connector, memlet)
    for connector, array in outputs.items():
        memlet = Memlet.from_array(array, state.sdfg.arrays[array])
        state.add_edge(node, connector, state.add_write(array), None, memlet)


def library_nodes_reference(A: Any, B: Any, C: Any, x: Any, y: Any, T: Any, R: Any, P: Any) -> None:
    C[:] = 2.0 * A @ B.T + 0.5 * C
    y[:] = 3.0 * A.T @ x
    R[:] = np.tensordot(T, B, axes=([0], [1]))
    P[:] = T.transpose(2, 0, 1)
    A -= np.outer(x, y)


def bounds_from_data() -> dace.SDFG:
    """A map over a part whose end is read from an array."""
    sdfg = sdfg_of("bounds_from_data", {"A": (6,), "B": (6,)})
    sdfg.add_array("n", (1,), dace.int64)
    sdfg.arg_names = ["A", "B", "n"]
    state = sdfg.add_state()
    entry, exit_ = state.add_map("part", {"i": "0:end"})
    entry.add_in_connector("end")
    state.add_edge(state.add_read("n"), None, entry, "end", Memlet("n[0]"))
    tasklet = state.add_tasklet("t", connectors("a"), connectors("b"), "b = a * a")
    state.add_memlet_path(state.add_read("A"), entry, tasklet, dst_conn="a", memlet=Memlet("A[i]"))
    state.add_memlet_path(tasklet, exit_, state.add_write("B"), src_conn="b", memlet=Memlet("B[i]"))
    return sdfg


def bounds_from_data_reference(A: np.ndarray, B: np.ndarray, n: np.ndarray) -> None:
    B[: n[0]] = A[: n[0]] ** 2


def two_outputs() -> dace.SDFG:
    """A tasklet that swaps two elements: both are read before one is written."""
    sdfg = sdfg_of("two_outputs", {"A": (4,)})
    state = sdfg.add_state()
    read, write = state.add_read("A"), state.add_write("A")
    tasklet = state.add_tasklet("swap", connectors("a", "b"), connectors("c", "d"), "c = b\nd = a")
    state.add_edge(read, None, tasklet, "a", Memlet("A[0]"))
    state.add_edge(read, None, tasklet, "b", Memlet("A[3]"))
    state.add_edge(tasklet, "c", write, None, Memlet("A[0]"))
    state.add_edge(tasklet, "d", write, None, Memlet("A[3]"))
    return sdfg


def two_outputs_reference(A: np.ndarray) -> None:
    A[0], A[3] = A[3], A[0]


def views() -> dace.SDFG:
    """A view of a column, a view of that view, and a flat view that is written in part."""
    sdfg = sdfg_of("views", {"A": (4, 6), "B": (2,), "C": (4, 6)})
    sdfg.add_view("column", (4,), dace.float64, strides=(6,))
    sdfg.add_view("tail", (2,), dace.float64, strides=(6,))
    sdfg.add_view("flat", (24,), dace.float64)
    state = sdfg.add_state("read")
    a, column, tail = state.add_read("A"), state.add_access("column"), state.add_access("tail")
    state.add_edge(a, None, column, "views", Memlet("A[0:4, 2]"))
    state.add_edge(column, None, tail, "views", Memlet("column[2:4]"))
    column.add_in_connector("views")
    tail.add_in_connector("views")
    state.add_nedge(tail, state.add_write("B"), Memlet("tail[0:2]"))
    second = sdfg.add_state_after(state, "write")
    flat = second.add_access("flat")
    flat.add_out_connector("views")
    entry, exit_ = second.add_map("part", {"i": "5:9"})
    tasklet = second.add_tasklet("t", connectors("b"), connectors("c"), "c = b * i")
    second.add_memlet_path(second.add_read("B"), entry, tasklet, dst_conn="b", memlet=Memlet("B[1]"))
    second.add_memlet_path(tasklet, exit_, flat, src_conn="c", memlet=Memlet("flat[i]"))
    second.add_edge(flat, "views", second.add_write("C"), None, Memlet("C[0:4, 0:6]"))
    return sdfg


def views_reference(A: np.ndarray, B: np.ndarray, C: np.ndarray) -> None:
    B[:] = A[2:4, 2]
    C.reshape(-1)[5:9] = B[1] * np.arange(5, 9)


def read_and_overwritten() -> dace.SDFG:
    """One state reads an array here and overwrites it there, with no path between: reading comes first."""
    sdfg = sdfg_of("read_and_overwritten", {"A": (4,), "B": (4,)})
    state = sdfg.add_state()
    _tasklet(state, {}, "b = 7.0", {"b": "A[0]"})
    _tasklet(state, {"a": "A[0]"}, "b = a + 1", {"b": "B[0]"})
    return sdfg


def read_and_overwritten_reference(A: np.ndarray, B: np.ndarray) -> None:
    B[0] = A[0] + 1
    A[0] = 7.0


def scalar_arguments() -> dace.SDFG:
    sdfg = sdfg_of("scalar_arguments", {"A": (N,)})
    sdfg.add_scalar("a", dace.float64)
    sdfg.add_scalar("n", dace.int32)
    sdfg.arg_names = ["A", "a", "n"]
    state = sdfg.add_state()
    entry, exit_ = state.add_map("part", {"i": "0:N"})
    tasklet = state.add_tasklet("t", connectors("x", "f", "k"), connectors("y"), "y = x * f if i < k else f")
    for connector, memlet in (("x", "A[i]"), ("f", "a[0]"), ("k", "n[0]")):
        state.add_memlet_path(state.add_read(memlet[0]), entry, tasklet, dst_conn=connector, memlet=Memlet(memlet))
    state.add_memlet_path(tasklet, exit_, state.add_write("A"), src_conn="y", memlet=Memlet("A[i]"))
    return sdfg


def scalar_arguments_reference(A: np.ndarray, a: float, n: int) -> None:
    A[:n] *= a
    A[n:] = a


def all_numbers(*shapes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    return tuple(numbers(k, *shape) for k, shape in enumerate(shapes))


LIBRARY_SHAPES = ((4, 3), (5, 3), (4, 5), (4,), (3,), (3, 4, 2), (4, 2, 5), (2, 3, 4))

ROWS = (
    Row(mapped_tasklet, mapped_tasklet_reference, lambda: (numbers(1, 5, 4), numbers(2, 4, 5))),
    Row(named_like_results, named_like_results_reference, lambda: (numbers(1, 5), numbers(2, 5), numbers(3, 5))),
    Row(loop_of_states, loop_of_states_reference, lambda: (numbers(1, 6),)),
    Row(loop_region, loop_region_reference, lambda: (numbers(1, 8), numbers(2, 8))),
    Row(conditional_block, conditional_block_reference, lambda: (numbers(1, 4), numbers(2, 4))),
    Row(jumps_of_states, jumps_of_states_reference, lambda: (numbers(1, 4), numbers(2, 4))),
    Row(symbols_from_data, symbols_from_data_reference, lambda: (numbers(1, 8), numbers(2, 8), np.array([1, 3, 2, 0]))),
    Row(copies, copies_reference, lambda: (numbers(1, 4, 6), numbers(2, 24), numbers(3, 6, 4), numbers(4, 2, 3))),
    Row(local_buffer, local_buffer_reference, lambda: (numbers(1, 5, 4), numbers(2, 5, 4))),
    Row(resolutions, resolutions_reference, lambda: (numbers(1, 5), numbers(2, 1), numbers(3, 1))),
    Row(nested_sdfg, nested_sdfg_reference, lambda: (numbers(1, 5, 4), numbers(2, 5, 4))),
    Row(reduce_nodes, reduce_nodes_reference, lambda: all_numbers((4, 3, 2), (4, 2), (1,), (3,))),
    Row(library_nodes, library_nodes_reference, lambda: all_numbers(*LIBRARY_SHAPES)),
    Row(bounds_from_data, bounds_from_data_reference, lambda: (numbers(1, 6), numbers(2, 6), np.array([4]))),
    Row(two_outputs, two_outputs_reference, lambda: (numbers(1, 4),)),
    Row(views, views_reference, lambda: (numbers(1, 4, 6), numbers(2, 2), numbers(3, 4, 6))),
    Row(read_and_overwritten, read_and_overwritten_reference, lambda: (numbers(1, 4), numbers(2, 4))),
    Row(scalar_arguments, scalar_arguments_reference, lambda: (numbers(1, 6), 1.7, 4)),
)
