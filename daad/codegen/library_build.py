"""From a Program to a folder with the compiled library: the only part of the runtime that needs DaCe."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple
from pathlib import Path
from typing import Any

import sympy.tensor.tensor  # noqa: F401  the first sum of symbols imports it

from daad.analysis.cost.footprint import footprint
from daad.codegen import Device
from daad.codegen.compiler_effort import effort
from daad.codegen.compiler_trust import trusted
from daad.codegen.cpp.special_calls import called
from daad.codegen.sdfg.whole_program import Lowered, lowered
from daad.codegen.targets.frame import generate
from daad.ir.nodes import Program
from daad.ir.operations.of_scipy import SPECIAL
from daad.ir.walk import has_choices, is_single
from daad.messages.progress import stage
from daad.runtime.library import LIBRARY, MANIFEST, Manifest, checksum
from daad.runtime.settings import settings
from daad.runtime.toolchain import compile_library, compiler, further_flags, require_compiler


def build(program: Program, device: Device, folder: Path, key: str) -> None:
    """Fills `folder` with library and manifest."""
    require_compiler()
    with stage("generating code") as tell:
        with settings():
            made = lowered(program, device)
            generated = generate(made)
        texts = generated.texts
        lines = sum(text.count("\n") for text in texts)
        tell(f"{lines} lines of C++")
    sources = []
    for number, text in enumerate(texts):
        sources.append(folder / f"{made.sdfg.name}_{number}.cpp")
        sources[-1].write_text(text)
    program = made.program
    tried = effort(program, lines)
    own = further_flags(with_floats=is_single(program), with_choices=has_choices(program))
    with stage(f"compiling with '{compiler()}'") as tell:
        compile_library(sources, folder / LIBRARY, generated.environments, (*tried, *own, *trusted(tried)))
        tell(f"{len(sources)} file{'' if len(sources) == 1 else 's'}")
    checksums = {LIBRARY: checksum(folder / LIBRARY)}
    (folder / MANIFEST).write_text(_manifest(made, checksums, texts).dump(key))


def load_sdfg(program: Program, device: Device) -> Any:
    """The SDFG from which `build` makes the library."""
    with settings():
        return lowered(program, device).sdfg


def _manifest(made: Lowered, checksums: dict[str, str], texts: Iterable[str]) -> Manifest:
    return Manifest(
        name=made.sdfg.name,
        arrays=len(made.arguments),
        integers=len(made.program.integers),
        scratch_bytes=footprint(made.program).scratch,
        checksums=checksums,
        special={name: astuple(SPECIAL[name].function) for name in called(texts)},
    )
