"""DaCe set up for generating code, whatever its configuration says."""

from __future__ import annotations

import contextlib
import copy
import platform
from collections.abc import Iterator, Mapping
from typing import Any

import dace

from daad.runtime.forks import fresh_rlock

SETTINGS = {
    ("compiler", "format_code"): False,
    ("compiler", "codegen_lineinfo"): False,
    ("testing", "serialization"): False,
    ("debugprint",): False,
    # What `daad.codegen` writes has neither control flow to be found nor copies without a tasklet.
    ("optimizer", "detect_control_flow"): False,
    ("compiler", "cpu", "explicit_copy"): False,
}
DEFAULTS = {"default", f"default_{platform.system()}"}
_one_at_a_time = fresh_rlock()  # DaCe's configuration belongs to the whole process


@contextlib.contextmanager
def settings() -> Iterator[None]:
    """Everything is as before afterwards."""
    with _one_at_a_time, dace.config.temporary_config():
        _set_defaults(dace.Config.get_metadata()["required"])
        for path, value in SETTINGS.items():
            dace.Config.set(*path, value=value)
        yield


def _set_defaults(schema: Mapping[str, Any], path: tuple[str, ...] = ()) -> None:
    for name, entry in schema.items():
        if entry["type"] == "dict":
            _set_defaults(entry["required"], (*path, name))
        else:
            default = dace.Config.get_default(*path, name) if set(entry) & DEFAULTS else []
            dace.Config.set(*path, name, value=copy.copy(default))
