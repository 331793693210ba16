"""NPBench's kernels load, run, and at tiny sizes have derivatives that differences resolve."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from npbench_runs import kernel as suite
from tests import npbench
from tests.oracle import directions, estimate, positions

pytestmark = npbench.needs_npbench

# Large steps say little here: discontinuous limiters; a square root at zero.
ROUGH = ("hdiff", "arc_distance")


def test_the_lists_name_kernels_of_the_checkout():
    assert {*npbench.LIMITED, *npbench.tiny_names()} <= set(npbench.kernel_names())


@pytest.mark.parametrize("name", suite.names())
def test_kernel_has_fresh_arguments_float_arrays_and_an_output(name: str):
    kernel = npbench.load(name)
    first = kernel.arguments()
    assert kernel.float_arrays
    assert kernel.output in kernel.outputs
    assert {*kernel.float_arrays} <= {*kernel.float_inputs}
    assert len(first) == len(kernel.names)
    first[kernel.names.index(kernel.float_arrays[0])][...] = 7.0
    second = kernel.arguments()[kernel.names.index(kernel.float_arrays[0])]
    assert not np.all(second == 7.0)


@pytest.mark.parametrize(
    ("name", "outputs"),
    [
        ("gemm", ("C",)),
        ("trisolv", ("x",)),
        ("gramschmidt", (0, 1, "A")),
        ("adi", (None, "u")),
        ("cavity_flow", ("u", "v", "p")),
        ("softmax", (None,)),
    ],
)
def test_outputs_are_what_a_run_returns_and_changes(name: str, outputs: tuple):
    assert npbench.load(name, "tiny").outputs == outputs


@pytest.mark.parametrize("name", sorted(set(npbench.tiny_names()) - set(ROUGH)))
def test_differences_of_tiny_kernels_converge(name: str):
    case = npbench.load(name, "tiny").case()
    arguments = case.arguments()
    before = copy.deepcopy(arguments)
    shapes = [np.shape(arguments[place]) for place in positions(case.function, case.wrt)]
    for direction in directions(shapes)[-2:]:
        got = [
            estimate(case.numpy_function, arguments, case.wrt, direction, of=case.of, seed=case.seed, first_step=step)
            for step in (1e-3, 3e-4)
        ]
        assert abs(got[0].value - got[1].value) <= 1e-6 * max(abs(got[0].value), 1e-3)
    np.testing.assert_equal(arguments, before)
