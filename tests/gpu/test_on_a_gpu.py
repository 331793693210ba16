"""Programs on a GPU, where there is one: as the interpreter says, and twice the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.codegen.device import Device
from daad.errors import DeviceError, Unsupported
from daad.runtime.gpu.cards import current_card
from npbench_runs import kernel as suite
from tests import npbench
from tests.corpus import ALL
from tests.corpus.case import Case
from tests.gpu.test_calls import CALLS, flat
from tests.programs import interpreted, request_of


def has_gpu() -> bool:
    try:
        return current_card().architecture > 0
    except DeviceError:
        return False


pytestmark = pytest.mark.skipif(not has_gpu(), reason="There is no GPU.")


def right(case: Case) -> None:
    expected = flat(interpreted(case)(*case.arguments()))
    gradient = Gradient(case.function, request_of(case, device=Device.GPU))
    first, second = (flat(gradient(*case.arguments())) for _ in range(2))
    largest = max((float(np.max(np.abs(e), initial=0.0)) for e in expected), default=0.0)
    rtol, least = (1e-3, 1e-6) if any(e.dtype == np.float32 for e in expected) else (1e-8, 1e-13)
    for got, again, wanted in zip(first, second, expected, strict=True):
        assert got.tobytes() == again.tobytes()
        np.testing.assert_allclose(got, wanted, rtol=rtol, atol=least * largest)


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    make, options, args, brought = CALLS[name]
    there, here = make(**options, device="gpu"), make(**options)
    for got, expected in zip(flat(there(*args, **brought)), flat(here(*args, **brought)), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5 if expected.dtype == np.float32 else 1e-11)


@npbench.needs_npbench
@pytest.mark.slow
@pytest.mark.parametrize("name", suite.names())
def test_kernels(name: str) -> None:
    kernel = npbench.load(name, "tiny")
    right(kernel.case(wrt=kernel.float_inputs))


@pytest.mark.slow
@pytest.mark.parametrize("case", ALL[::5], ids=lambda case: case.name)
def test_the_corpus(case: Case) -> None:
    try:
        right(case)
    except Unsupported as refused:
        pytest.skip(str(refused))
