"""What the commands print: tables for people, JSON for machines."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

from daad.cli.script.streams import leave_stdout

if TYPE_CHECKING:
    from daad.api.check import CheckReport


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The gradients of one program at one point, and what they cost; times in seconds, sizes in bytes."""

    program: str
    value: Any
    gradients: dict[str, Any]
    primal_seconds: float | None
    gradient_seconds: float
    first_call_seconds: float
    peak_bytes: int | None
    is_cached: bool = False
    check: CheckReport | None = None
    what: str = "gradient"


def gradient_row(name: str, gradient: Any) -> dict[str, Any]:
    """One line of the table; an empty array has no extremes."""
    entries: Any = gradient.data if hasattr(gradient, "indptr") else gradient
    array = np.asarray(entries)
    extremes = np.abs(array) if np.iscomplexobj(array) else array
    return {
        "name": name,
        "shape": list(np.shape(gradient)) if entries is gradient else list(gradient.shape),
        "dtype": str(array.dtype),
        "norm": float(np.linalg.norm(array.ravel())),
        "min": float(extremes.min()) if array.size else None,
        "max": float(extremes.max()) if array.size else None,
    }


def print_json(outcome: Outcome) -> None:
    """The whole outcome as one JSON object on stdout."""
    rows = [gradient_row(name, gradient) for name, gradient in outcome.gradients.items()]
    check = None if outcome.check is None else as_json(outcome.check)
    document = {
        "program": outcome.program,
        "value": plain(outcome.value),
        "gradients" if outcome.what == "gradient" else "results": rows,
        "seconds": {
            "primal": outcome.primal_seconds,
            outcome.what: outcome.gradient_seconds,
            "first_call": outcome.first_call_seconds,
        },
        "is_cached": outcome.is_cached,
        "peak_bytes": outcome.peak_bytes,
        "check": check,
    }
    print_document(document)


def print_document(document: Mapping[str, Any]) -> None:
    """The one JSON object on stdout; whatever the script has left to print when the process ends goes to stderr."""
    print(json.dumps(_strict(document), indent=2, allow_nan=False), flush=True)
    leave_stdout()


def _strict(value: Any) -> Any:
    """As JSON knows it: what is no finite number is null."""
    if isinstance(value, Mapping):
        return {key: _strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_json(report: CheckReport) -> dict[str, Any]:
    """A check with all its numbers, and as people read it."""
    return {**report.as_json(), "report": str(report)}


def plain(value: Any) -> Any:
    """A scalar as a Python number; larger results by their shape only."""
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    array = np.asarray(value)
    if array.size != 1:
        return {"shape": list(array.shape), "dtype": str(array.dtype)}
    number = array.reshape(()).item()
    return [number.real, number.imag] if isinstance(number, complex) else number


class Piped(Console):
    """Leaves it to the command what happens when the reader of its output has gone."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def print_table(outcome: Outcome) -> None:
    """The gradients as a table, then one line each for value, times, memory and check."""
    console = Piped(highlight=False)
    table = Table(outcome.what, "shape", "dtype", "norm", "min", "max", box=None, pad_edge=False, header_style="bold")
    for column in table.columns[3:]:
        column.justify = "right"
    for name, gradient in outcome.gradients.items():
        row = gradient_row(name, gradient)
        numbers = ["" if row[key] is None else f"{row[key]:.4g}" for key in ("norm", "min", "max")]
        table.add_row(name, format_shape(row["shape"]), row["dtype"], *numbers)
    console.print(table)
    console.print()
    for label, text in summary(outcome):
        console.print(f"{label:<9} {text}", markup=False, soft_wrap=True)


def summary(outcome: Outcome) -> list[tuple[str, str]]:
    """Label and text of each line below the table."""
    primal = outcome.primal_seconds
    how = "from the cache" if outcome.is_cached else "with compiling"
    first = f" (the first call {format_seconds(outcome.first_call_seconds)}, {how})"
    memory = [("memory", f"{format_bytes(outcome.peak_bytes)} at the peak")] if outcome.peak_bytes else []
    check = [] if outcome.check is None else [("check", str(outcome.check).replace("\n", "\n" + " " * 10))]
    return [
        *([] if outcome.value is None else [("value", format_value(outcome.value))]),
        ("primal", "not measured" if primal is None else f"{format_seconds(primal)} in NumPy"),
        (outcome.what, format_seconds(outcome.gradient_seconds) + first),
        *memory,
        *check,
    ]


def format_value(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return ", ".join(format_value(item) for item in value)
    array = np.asarray(value)
    if array.size == 1:
        return f"{array.reshape(()).item():.8g}"
    return f"{array.dtype} {format_shape(array.shape)}"


def format_shape(shape: Sequence[int]) -> str:
    return " x ".join(str(size) for size in shape) if shape else "scalar"


def format_seconds(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def format_bytes(size: int) -> str:
    for unit, unit_size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= unit_size:
            return f"{size / unit_size:.4g} {unit}"
    return f"{size} bytes"
