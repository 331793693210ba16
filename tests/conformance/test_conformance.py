"""The replay of recorded calls: what a test file does is written down, and a wrong answer is called wrong."""

from __future__ import annotations

import builtins
import importlib.util
import pickle
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from click.testing import CliRunner

from daad.rules.scalar import DERIVATIVES
from tests.conformance.__main__ import FOLDER, chosen, main
from tests.conformance.calls import Call
from tests.conformance.failing import FailingCalls, asked
from tests.conformance.packages import NUMPY, SCIPY
from tests.conformance.page import page
from tests.conformance.record import RECORDER, Finder, Loader, Recorder
from tests.conformance.replay import Outcome, Verdict, replay

A = np.array([[1.0, 2.0], [3.0, 5.0]])
TESTS = """
import numpy as np

class Array(np.ndarray):
    pass

def test():
    a = np.arange(6.0).reshape(2, 3)
    a.mean(axis=1, keepdims=True)
    np.add.reduce(a, 0, out=np.zeros(3))
    np.sum(a[:, 1:] * 2.0)
    np.concatenate((a, a), axis=None)
    a[0, ::2] = [1.5, 2.5]
    np.percentile([1.0, 2.0], q=30.0)
    np.sum(a.view(Array))
    np.sum(np.arange(3))
    super(Array, a.view(Array)).sum()
    try:
        np.sum(a, axis=7)
    except ValueError:
        pass
"""
FAILING = """
import numpy as np
import pytest
from numpy.testing import assert_raises

def test():
    a = np.arange(6.0).reshape(2, 3)
    assert_raises(ValueError, np.vsplit, a[0], 2)
    with pytest.raises(ValueError):
        np.linalg.outer(a, a)
    with pytest.raises(IndexError):
        a[5]
    np.sum(a)
"""
WRITTEN = [
    "np.add.reduce(x0, 0, out=x1)",
    "np.arange(x0)",
    "np.concatenate((x0, x0), axis=None)",
    "np.percentile([x0, x1], q=30.0)",
    "np.sum(x0)",
    "x0 * x1",
    "x0.mean(axis=1, keepdims=True)",
    "x0.reshape(2, 3)",
    "x0[(0, slice(None, None, 2))] = [x1, x2]",
    "x0[(slice(None, None, None), slice(1, None, None))]",
]


def recorded(recorder: Recorder, text: str, folder: Path) -> list[str]:
    file = folder / "tests" / "test_recorded.py"
    file.parent.mkdir()
    file.write_text(text)
    with mock.patch.object(builtins, RECORDER, recorder, create=True):
        spec = Finder().find_spec("test_recorded", [str(file.parent)])
        assert isinstance(spec.loader, Loader)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.test()
    return sorted(call.text for call in recorder.calls.values())


def test_calls_of_a_test_file_are_written_down(tmp_path: Path) -> None:
    assert recorded(Recorder(), TESTS, tmp_path) == WRITTEN


def test_calls_that_are_to_fail_are_written_down_and_asked(tmp_path: Path) -> None:
    recorder = FailingCalls()
    assert recorded(recorder, FAILING, tmp_path) == ["np.linalg.outer(x0, x0)", "np.vsplit(x0, 2)", "x0[5]"]
    assert {asked(call)[0] for call in recorder.calls.values()} == {"refused"}
    taken = Call("np.isin", "np.isin(x0, x1, kind='table')", (np.array([0, 1]), np.array([-(2**62), 2**62])))
    assert asked(taken)[0] == "accepted"


CALLS = [
    Call("np.sum", "np.sum(x0, axis=0)", (A,)),
    Call("np.linalg.slogdet", "np.linalg.slogdet(x0)", (A,)),
    Call("np.fft.rfft", "np.fft.rfft(x0)", (A,)),
    Call("ndarray.sort", "x0.sort()", (A[:, ::-1].copy(),)),
    Call("np.add", "np.add(x0, x0, out=x0)", (A.astype(np.float32),)),
    Call("x[...] = y", "x0[(0, 1)] = x1", (A, 2.0)),
    Call("np.divmod", "np.divmod(x0, x1)", (A, np.array([0.3, 0.7]))),
    Call("np.multiply", "np.multiply(x0, 2j)", (A + 1j,)),
    Call("np.where", "np.where(x0, x1, x2)", (np.array([True, False]), A, 0.5)),
    Call("scipy.stats.ttest_1samp", "scipy.stats.ttest_1samp(x0, x1)", (A[0], 0.3)),
    Call(
        "scipy.stats.pointbiserialr", "scipy.stats.pointbiserialr([1, 0, 1, 1], x0)", (np.array([1.0, 0.3, 0.7, 2.0]),)
    ),
    Call("scipy.optimize.lsq_linear", "scipy.optimize.lsq_linear(x0, x1, (-9, 9))", (A, A[0])),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.text)
def test_right_answers_are_called_right(call: Call) -> None:
    verdict = replay(call)
    assert verdict.outcome is Outcome.RIGHT, verdict


TANH = Call("np.tanh", "np.tanh(x0)", (A / 4,))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_wrong_gradient_is_called_wrong(dtype: Any) -> None:
    call = Call(TANH.function, TANH.text, (np.asarray(TANH.values[0], dtype=dtype),))
    with mock.patch.dict(DERIVATIVES, tanh=("1.001 - r * r",)):
        verdict = replay(call)
    assert verdict.outcome is Outcome.WRONG
    assert verdict.cause == "the gradient differs from differences"


WRONG_VALUES = {
    "the result differs from NumPy's": ("np.sum(x0, axis=0)", "np.sum(x0, axis=1)"),
    "the result differs from NumPy's in dtype": ("x0.astype('f4')", "x0 * 1.0"),
    "an argument is left different from NumPy's": ("np.add(x0, 1.0, out=x0)", "np.add(x0, 1.0)"),
}


@pytest.mark.parametrize("cause", WRONG_VALUES)
def test_a_wrong_value_is_called_wrong(cause: str) -> None:
    """What NumPy runs is not what daad reads."""
    right, read = WRONG_VALUES[cause]
    with mock.patch("tests.conformance.replay.built", reading(right, read)):
        verdict = replay(Call("np.sum", right, (A,)))
    assert verdict.outcome is Outcome.WRONG
    assert verdict.cause == cause


def reading(right: str, read: str) -> Any:
    """The reader, which finds another call in the program than stands there."""
    from tests.conformance.replay import built, function_of

    def other(function: Any, arguments: tuple[Any, ...], of: Any = None) -> Any:
        source = f"def program(x0):\n    y = {read}\n    return y\n"
        return built(function_of(source), arguments, of)

    return other


OUTCOMES = [
    (Call("np.sum", "np.sum(x0, axis=np.dtype('f8'))", (A,)), Outcome.UNUSABLE),
    (Call("np.isfinite", "np.isfinite(x0)", (A,)), Outcome.VALUE),
    (Call("np.log", "np.log(x0)", (-A,)), Outcome.INCONCLUSIVE),
    (Call("np.linalg.eig", "np.packbits(x0 > 2.0)", (A,)), Outcome.REFUSED),
]


@pytest.mark.parametrize(("call", "outcome"), OUTCOMES, ids=lambda value: getattr(value, "text", ""))
def test_what_cannot_be_judged_is_told_apart(call: Call, outcome: Outcome) -> None:
    assert replay(call).outcome is outcome


def test_of_calls_that_differ_in_extents_and_dtypes_alone_two_are_tried() -> None:
    dtypes = (np.float16, np.float32, np.float64)
    arrays = [np.ones((size, 2), dtype) for size in range(2, 8) for dtype in dtypes]
    calls = [Call("np.sum", f"np.sum(x0, axis={axis})", (array,)) for array in arrays for axis in (0, 1)]
    tried = chosen(calls, 80)
    assert len(chosen(calls, 3)) == 2
    assert [call.text for call in tried] == 2 * ["np.sum(x0, axis=0)"] + 2 * ["np.sum(x0, axis=1)"]
    assert {call.values[0].dtype for call in tried} == {np.dtype(np.float64)}


def test_the_page_is_sorted_and_names_no_extent() -> None:
    refused = [
        Verdict("np.b", Outcome.REFUSED, "'np.b' of shape (3, 4) is not supported."),
        Verdict("np.a", Outcome.REFUSED, "The argument 'x0' is odd."),
        Verdict("np.b", Outcome.REFUSED, "'np.b' of shape (5,) is not supported."),
    ]
    text = page(NUMPY, refused)
    assert text == page(NUMPY, refused[::-1])
    assert "A sample." in page(NUMPY, refused, sample="A sample.") and "A sample." not in text
    assert "| `np.a` | The argument 'x' is odd. | 1 |\n| `np.b` | 'f' of shape (n) is not supported. | 2 |" in text


def test_what_data_decide_is_as_in_the_call() -> None:
    verdict = replay(Call("np.extract", "np.extract(x0 > 2, x0)", (A,)))
    assert verdict.outcome is Outcome.RIGHT, verdict


def test_a_part_is_replayed_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page counts it, and leaves out the functions of other packages that its tests call."""
    monkeypatch.chdir(tmp_path)
    FOLDER.mkdir(parents=True)
    special = Call("scipy.special.gamma", "scipy.special.gamma(x0)", (A,))
    for part, calls in (("signal", [special, CALLS[0]]), ("linalg", [TANH])):
        (FOLDER / f"scipy_{part}_00.pickle").write_bytes(pickle.dumps(calls))
    options = ["--package", "scipy", "--part", "signal", "--again", "--workers", "1", "--out", "page.md"]
    found = CliRunner().invoke(main, options)
    assert found.exit_code == 0, found.output
    text = Path("page.md").read_text()
    assert "(`scipy.signal`)" in text
    assert "| `scipy.special` | 1 | 1 | 0 | 0 | 0 | 0 |  |" in text


def test_a_sub_package_tells_what_is_refused_most() -> None:
    refused = [Verdict("scipy.linalg.qr", Outcome.REFUSED, "'scipy.linalg.qr' is odd.")] * 2
    text = page(SCIPY, [*refused, Verdict("scipy.fft.fft", Outcome.RIGHT)], ["linalg", "fft"])
    assert (
        "| `scipy.fft` | 1 | 1 | 0 | 0 | 0 | 0 |  |\n| `scipy.linalg` | 2 | 0 | 0 | 0 | 2 | 0 | 'f' is odd. (2) |"
        in text
    )


def test_nothing_to_replay_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(main, ["--package", "scipy", "--again", "--only", "scipy.signal"])
    assert found.exit_code == 1
    assert "No recorded call is asked for" in found.output
