"""From a Program to a folder with the compiled library: the only part of the runtime that needs DaCe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dace
from dace.codegen import codegen
from dace.codegen.codeobject import CodeObject

from daad.lower import Device, lower
from daad.lower.header import PREAMBLE
from daad.lower.names import name_everything
from daad.lower.program import prepare
from daad.program.nodes import Program
from daad.runtime.library import LIBRARY, MANIFEST, Manifest, checksum
from daad.runtime.memory import footprint
from daad.runtime.settings import settings
from daad.runtime.toolchain import compile_library, require_compiler

# What DaCe's generated code begins with; its header takes a compiler a second to read.
INCLUDES = ("#include <dace/dace.h>", '#include "../../include/hash.h"')


def build(program: Program, device: Device, folder: Path, key: str) -> Any:
    """Fills `folder` with library and manifest; returns the SDFG."""
    require_compiler()
    with settings():
        sdfg = lower(program, device)
        [code] = (found for found in codegen.generate_code(sdfg, validate=False) if found.linkable)
    source = folder / f"{sdfg.name}.cpp"
    source.write_text(_text(code))
    compile_library(source, folder / LIBRARY, dace.library.get_environments_and_dependencies(code.environments))
    checksums = {LIBRARY: checksum(folder / LIBRARY)}
    (folder / MANIFEST).write_text(_manifest(prepare(program), sdfg, checksums).dump(key))
    return sdfg


def _text(code: CodeObject) -> str:
    first, second = INCLUDES
    assert code.code.count(first) == code.code.count(second) == 1, "DaCe's generated code begins otherwise"
    return str(code.clean_code).replace(first, PREAMBLE).replace(second, "")


def load_sdfg(program: Program, device: Device) -> Any:
    """The SDFG from which `build` makes the library."""
    with settings():
        return lower(program, device)


def argument_names(program: Program) -> tuple[str, ...]:
    """The arrays that a call takes, in order: parameters, then results that are none."""
    return tuple(dict.fromkeys((*program.parameters, *program.results)))


def _manifest(program: Program, sdfg: Any, checksums: dict[str, str]) -> Manifest:
    names = name_everything(program)
    arrays = argument_names(program)
    positions = {names[name]: position for position, name in enumerate((*arrays, *program.integers))}
    return Manifest(
        name=sdfg.name,
        arrays=len(arrays),
        integers=len(program.integers),
        order=tuple(positions[name] for name in sdfg.arglist()),
        scratch_bytes=footprint(program).scratch,
        checksums=checksums,
    )
