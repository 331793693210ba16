"""SDFGs that DaCe alone compiles and runs, at the point that a command is asked about."""

from __future__ import annotations

from typing import Any

import daad
from daad.cli.files import writing
from daad.cli.script_subject import Subject


def sdfg_of(found: Subject, options: dict[str, Any], part: str = "joint") -> Any:
    """A portable SDFG at the subject's point."""
    gradient = daad.value_and_grad(found.function, wrt=found.wrt, of=found.of, **options)
    args, kwargs = found.fresh()
    return gradient.compile(*args, **kwargs).to_sdfg(part)


def save(sdfg: Any, target: str) -> None:
    """One file, which `dace.SDFG.from_file` reads."""
    with writing(target):
        sdfg.save(str(target))
