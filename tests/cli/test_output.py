"""Exit codes, and how numbers are shown."""

import time

import numpy as np
import pytest

from daad.cli import measure
from daad.cli.exit_codes import ScriptFailed, exit_codes
from daad.cli.output import format_bytes, format_seconds, format_shape, format_value, gradient_row, plain
from daad.cli.script_subject import Subject
from daad.errors import (
    BadArgument,
    CompileError,
    DaadError,
    MemoryLimitTooSmall,
    NotDifferentiable,
    Unsupported,
)

ENDS = [
    (BadArgument("No."), 2, "daad.BadArgument: No.\n"),
    (Unsupported("No.", hint="Yes."), 3, "daad.Unsupported: No.\n  Yes.\n"),
    (NotDifferentiable("No."), 3, "daad.NotDifferentiable: No.\n"),
    (MemoryLimitTooSmall("No.", minimum=1), 4, "daad.MemoryLimitTooSmall: No.\n"),
    (CompileError("No."), 5, "daad.CompileError: No.\n"),
    (DaadError("No."), 5, "daad.DaadError: No.\n"),
    (ScriptFailed("its own\n"), 2, "its own\n"),
    (KeyError("x"), 5, ", which holds no data.\n"),
]


@pytest.mark.parametrize(("error", "code", "text"), ENDS, ids=[type(error).__name__ for error, _, _ in ENDS])
def test_each_error_has_its_exit_code(error, code, text, capsys):
    with pytest.raises(SystemExit) as ended, exit_codes():
        raise error
    assert ended.value.code == code
    assert capsys.readouterr().err.endswith(text)


SHOWN = [
    (format_seconds, 12.3456, "12.3 s"),
    (format_seconds, 0.0123456, "12.3 ms"),
    (format_seconds, 1.23e-5, "12.3 µs"),
    (format_bytes, 3 * 2**30, "3 GiB"),
    (format_bytes, 1536 * 2**10, "1.5 MiB"),
    (format_bytes, 2048, "2 KiB"),
    (format_bytes, 80, "80 bytes"),
    (format_shape, (), "scalar"),
    (format_shape, (3, 4), "3 x 4"),
    (format_value, np.float64(1 / 3), "0.33333333"),
    (format_value, np.ones((2, 3)), "float64 2 x 3"),
    (format_value, (1.0, np.ones(2)), "1, float64 2"),
    (plain, np.float32(0.5), 0.5),
    (plain, np.ones(2), {"shape": [2], "dtype": "float64"}),
    (plain, (1 + 2j, 3), [[1.0, 2.0], 3]),
]


@pytest.mark.parametrize(("function", "value", "text"), SHOWN, ids=[f"{f.__name__} {t}" for f, _, t in SHOWN])
def test_shown(function, value, text):
    assert function(value) == text


def test_an_empty_gradient_has_no_extremes():
    row = gradient_row("x", np.zeros(0))
    assert (row["norm"], row["min"], row["max"]) == (0.0, None, None)


def test_a_slow_primal_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(measure, "PRIMAL_LIMIT", 0.05)
    slow = Subject("slow", "slow.py", lambda: time.sleep(5.0), (), {}, (), None)
    start = time.perf_counter()
    assert measure.primal_seconds(slow) is None
    assert time.perf_counter() - start < 1.0
