"""The peer: DaCe's own reverse mode, `dace.autodiff`, with and without DaCe's automatic optimisation."""

from __future__ import annotations

import os
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from npbench_runs.engines.engine import Engine, Prepared, Question, Refused, one_line

PLAIN, OPTIMISED = "plain", "auto-optimised"
# No program has names that begin like these.
LOSS, SEED = "bench_loss", "bench_seed"
RESULT = "__return"  # DaCe makes these arrays at each call
# As daad sets it for itself: threads that wait for milliseconds, the default, ruin loops of small parallel regions.
SPINNING = ("GOMP_SPINCOUNT", "500")


def load() -> None:
    os.environ.setdefault(*SPINNING)
    import dace.autodiff
    import dace.transformation.auto.auto_optimize  # noqa: F401


def prepare(question: Question) -> Prepared:
    import dace
    from dace.transformation.auto.auto_optimize import auto_optimize

    sdfg = differentiated(question, seeded(question, parsed(question)))
    if question.variant == OPTIMISED:
        auto_optimize(sdfg, dace.DeviceType.CPU)
    program = sdfg.compile()
    taken = [name for name in sdfg.arglist() if name in sdfg.arrays and not name.startswith(RESULT)]
    shapes = {name: sdfg.arrays[name] for name in taken}
    arguments: dict[str, Any] = {}

    def reset() -> None:
        known = {**question.fresh(), SEED: np.array(question.seed)}
        arguments.update({name: known[name] for name in sdfg.arglist() if name in known})
        arguments.update({name: zeros(shapes[name]) for name in taken if name not in known})
        arguments[bar(LOSS)][...] = 1.0

    return Prepared(
        reset=reset,
        call=lambda: program(**arguments),
        gradients=lambda: tuple(gradient(name, arguments) for name in question.wrt),
    )


def gradient(name: str, arguments: Mapping[str, Any]) -> np.ndarray:
    """A copy; there is none for an array on which the output does not depend."""
    found = arguments.get(bar(name))
    return np.zeros_like(arguments[name]) if found is None else np.array(found)


def parsed(question: Question) -> Any:
    """The program by DaCe's Python frontend."""
    import dace

    try:
        return dace.program(sized(question)).to_sdfg(*question.arguments, simplify=False)
    except Exception as failure:
        raise Refused(f"DaCe cannot parse the program: {one_line(failure)}") from failure


def sized(question: Question) -> Any:
    """The program with its whole numbers as constants: DaCe makes no array of a size that is a run-time argument."""
    import dace

    given = question.kernel.function
    copied = types.FunctionType(
        given.__code__, given.__globals__, given.__name__, given.__defaults__, given.__closure__
    )
    copied.__module__, copied.__qualname__ = given.__module__, given.__qualname__
    named = zip(question.kernel.parameters, question.arguments, strict=True)
    copied.__annotations__ = {name: dace.compiletime for name, value in named if isinstance(value, int)}
    return copied


def seeded(question: Question, sdfg: Any) -> Any:
    """With the seeded sum of the output, the only form of loss that `dace.autodiff` takes."""
    import dace

    output = output_name(question, sdfg)
    ends = sdfg.sink_nodes()
    state = sdfg.add_state("loss")
    for end in ends:
        sdfg.add_edge(end, state, dace.InterstateEdge())
    described = sdfg.arrays[output]
    sdfg.add_array(LOSS, [1], described.dtype)
    summed = state.add_read(output)
    if isinstance(question.seed, np.ndarray):
        summed = weighted(sdfg, state, summed, described)
    total = state.add_reduce("lambda a, b: a + b", list(range(len(described.shape))), 0)
    state.add_edge(summed, None, total, None, dace.Memlet.from_array(summed.data, sdfg.arrays[summed.data]))
    state.add_edge(total, None, state.add_write(LOSS), None, dace.Memlet(f"{LOSS}[0]"))
    return sdfg


def weighted(sdfg: Any, state: Any, output: Any, described: Any) -> Any:
    """The output times the seed, element by element."""
    import dace

    sdfg.add_array(SEED, described.shape, described.dtype)
    product, _ = sdfg.add_transient("bench_weighted", described.shape, described.dtype)
    target = state.add_access(product)
    indices = [f"bench_i{k}" for k in range(len(described.shape))]
    here = ", ".join(indices)
    state.add_mapped_tasklet(
        "weigh",
        {index: f"0:{size}" for index, size in zip(indices, described.shape, strict=True)},
        {"bench_y": dace.Memlet(f"{output.data}[{here}]"), "bench_w": dace.Memlet(f"{SEED}[{here}]")},
        "bench_z = bench_y * bench_w",
        {"bench_z": dace.Memlet(f"{product}[{here}]")},
        external_edges=True,
        input_nodes={output.data: output},
        output_nodes={product: target},
    )
    return target


def output_name(question: Question, sdfg: Any) -> str:
    """The array that holds the kernel's output."""
    output = question.kernel.output
    if isinstance(output, str):
        return output
    return RESULT if RESULT in sdfg.arrays else f"{RESULT}_{output or 0}"


def differentiated(question: Question, sdfg: Any) -> Any:
    """The program with its reverse pass behind it."""
    from dace.autodiff import add_backward_pass

    try:
        add_backward_pass(sdfg, outputs=[LOSS], inputs=list(question.wrt))
    except Exception as failure:
        raise Refused(f"dace.autodiff: {one_line(failure)}") from failure
    return sdfg


def bar(name: str) -> str:
    """What `dace.autodiff` calls the adjoint of an array."""
    return f"gradient_{name}"


def zeros(described: Any) -> np.ndarray:
    """A gradient or a result to be written."""
    return np.zeros([int(size) for size in described.shape], described.dtype.type)


DACE = Engine(
    packages=("dace",),
    extra="pip install daad",
    load=load,
    prepare=prepare,
    variants=(PLAIN, OPTIMISED),
    calls=3,
    exact=False,
)
